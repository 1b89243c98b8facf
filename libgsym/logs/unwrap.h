/* SPDX-License-Identifier: MIT */
/*
 * logs/unwrap.h - the text of a line without what others have wrapped around
 * it: colours, strings of JSON, "\n" in place of line feeds.
 *
 * A line has one piece of text, or several.  Recognisers see a view of each
 * piece.  The places that an answer needs are mapped back to the bytes of the
 * line, and the answer is escaped as those bytes are.
 *
 * Each kind of wrapping is a row of the table in wrapping.c; its functions are
 * there, or in feeds.c or html.c.
 */
#ifndef GSYM_LOGS_UNWRAP_H
#define GSYM_LOGS_UNWRAP_H

#include "logs/dialect.h"

enum {
	/** Wrappings around a piece; a piece with more is not read. */
	LOGS_LAYERS = 4,
	/** The same for runs of all wrappings around a piece. */
	LOGS_RUNS = 4096,
	/** The most bytes that a byte of an answer becomes. */
	LOGS_ESCAPED = 8,
};

/** RAW_SIZE bytes at RAW in the line became the text from TEXT on, up to the
 *  next run.  The text has RAW_SIZE bytes, which are the same, or fewer. */
struct logs_run {
	uint32_t text, raw, raw_size;
};

/** The wrappings around a piece, outermost first: rows of the table. */
struct logs_layers {
	uint8_t rows[LOGS_LAYERS];
	uint8_t count;
};

/** A piece of the line, without its wrappings. */
struct logs_view {
	const char *at, *end;
	/** The end of the line, if blanks alone were cut there; else END.  What
	 *  is appended to the line goes there. */
	const char *tail;
	/** COUNT is 0: the text lies in the line itself.  Else the text of the
	 *  last run ends at LAST. */
	const struct logs_run *runs;
	size_t count;
	const char *last;
	struct logs_layers layers;
};

/** Where views of a line lie. */
struct logs_unwrapping {
	const char *line, *end;
	/** The dialects whose frames tell whether "\n" and ";" end a line, and
	 *  whether quotes are around a frame: bits as in struct
	 *  logs_asked. */
	unsigned asked;
	/** Of the caller: as many bytes as the line has, or NULL; and room for
	 *  LOGS_RUNS. */
	char *arena;
	struct logs_run *runs;
	/** The texts around the piece at hand, and where each one goes on. */
	struct logs_layer {
		const char *at, *end;
		uint8_t row, state;
		/** The rows whose marks may be in the text; ASKED as above. */
		unsigned marks, asked;
		/** AT to END lies in the line, or there are COUNT runs from the
		 *  FIRST one on, and the text of the last one ends at LAST. */
		size_t first, count;
		const char *last;
	} layers[LOGS_LAYERS + 1];
	size_t depth;
	/** A bit for each layer: the piece at hand lies in its wrapping. */
	unsigned inside;
};

/** Begin with the line AT to END.  U has ASKED, ARENA and RUNS. */
void gsym_logs_unwrap(struct logs_unwrapping *u, const char *at,
		      const char *end);
/** Set VIEW to the next piece; false after the last one.  The text of views
 *  stays until the next line, their runs until the next piece. */
bool gsym_logs_next_view(struct logs_unwrapping *u, struct logs_view *view);

/** If the text from AT on ends with a closing bracket, return where the text
 *  without the bracket ends, and set *OPEN to the bracket that it closes, NULL
 *  if the text has none.  NULL if the text ends otherwise. */
const char *gsym_logs_without_closer(const char *at, const char *end,
				     const char **open);

/** Where a frame lies in the bytes of the line. */
struct logs_raw {
	const char *start, *item, *number_end, *insert, *resume;
	struct logs_layers layers;
};

/** Set RET for FRAME, which lies in VIEW of the line of U. */
void gsym_logs_map(const struct logs_unwrapping *u,
		   const struct logs_view *view,
		   const struct logs_frame *frame, struct logs_raw *ret);

/** Whether a line with such LAYERS has several lines, or may not become more
 *  than one. */
bool gsym_logs_joined(const struct logs_layers *layers);
/** Whether bytes of answers have to be escaped for LAYERS. */
bool gsym_logs_escapes(const struct logs_layers *layers);
/** Escape the first character of SIZE bytes at AT for ROW.  Returns how many
 *  bytes TO has, and sets *TAKEN to the size of the character. */
size_t gsym_logs_escape(uint8_t row, const char *at, size_t size,
			char to[LOGS_ESCAPED], size_t *taken);
/** The row of strings of JSON. */
extern const struct logs_layers gsym_logs_json;

/** The size of AT to END. */
static inline size_t logs_left(const char *at, const char *end)
{
	return (size_t)(end - at);
}

/* ---- kinds of wrappings (wrapping.c) ------------------------------------- */

/** A part of the text of a layer. */
struct logs_piece {
	const char *at, *end;
	/** The piece lies in the wrapping, not before or after it. */
	bool inside;
};

/** A kind of wrapping. */
struct logs_wrapping {
	/** The bytes that begin an escape in it; the second one may be 0. */
	char escape_marks[3];
	/** Answers do not become lines of their own. */
	bool joined;
	/** Whether the text of L is wrapped so. */
	bool (*opens)(struct logs_layer *l);
	/** Set P to the next piece of L; false after the last one. */
	bool (*next)(struct logs_layer *l, struct logs_piece *p);
	/** Undo the escape at AT: returns its size, 0 if there is none, and
	 *  sets *SIZE to the number of bytes in TO.  NULL: there are no
	 *  escapes. */
	size_t (*decode)(const char *at, const char *end, char to[4],
			 size_t *size);
	/** As gsym_logs_escape; NULL: all bytes stay. */
	size_t (*escape)(const char *at, size_t size, char to[LOGS_ESCAPED],
			 size_t *taken);
};

/** The table.  A text is tried in the order of the rows.  The last row, whose
 *  number is gsym_logs_line, is that of the line itself. */
extern const struct logs_wrapping gsym_logs_wrappings[];
extern const uint8_t gsym_logs_line;
/** A bit for each of the other rows. */
extern const unsigned gsym_logs_all_wrappings;
/** The rows among WANTED, a bit for each, whose marks are in AT to END: a text
 *  without the mark of a row, one byte, has no such wrapping. */
unsigned gsym_logs_wrapping_marks(const char *at, const char *end,
				  unsigned wanted);

/* ---- what stands in the place of line feeds, and quotes (feeds.c) ------- */

/** Rows for lines that "\n" or a semicolon ends. */
bool gsym_logs_feeds_opens(struct logs_layer *l);
bool gsym_logs_feeds_next(struct logs_layer *l, struct logs_piece *p);
/** The row for frames in single or double quotes: 'FRAME', "FRAME". */
bool gsym_logs_quotes_opens(struct logs_layer *l);
bool gsym_logs_quotes_next(struct logs_layer *l, struct logs_piece *p);

/* ---- HTML (html.c) ------------------------------------------------------ */

bool gsym_logs_html_opens(struct logs_layer *l);
bool gsym_logs_html_next(struct logs_layer *l, struct logs_piece *p);
size_t gsym_logs_html_decode(const char *at, const char *end, char to[4],
			     size_t *size);
size_t gsym_logs_html_escape(const char *at, size_t size, char to[LOGS_ESCAPED],
			     size_t *taken);

#endif
