/* SPDX-License-Identifier: MIT */
/*
 * markup/out.h - outputs: texts in the form that the options of the filter ask
 * for.  The output of the log gives its complete lines to the host.  The others
 * are texts that are written later: a line that module lines have to precede,
 * and names that the memo keeps.  Who writes something is handed the output.
 * Knows no modules and no symbols.
 *
 *	out.c		texts, and escapes, spans and links of HTML
 *	page.c		the frame of a page, and its blocks of lines
 *	paint.c		colours, values and line ends
 */
#ifndef GSYM_MARKUP_OUT_H
#define GSYM_MARKUP_OUT_H

#include "markup/parse.h"

struct gsym_mk_process;

/** Bytes of a message, with its NUL. */
#define GSYM_MK_MAX_MESSAGE 512

enum { GSYM_MK_NO_COLOUR = -1 };

/** What the SGR sequences of a line have set so far. */
struct gsym_mk_sgr {
	int colour; /**< 0 to 7, or GSYM_MK_NO_COLOUR */
	bool bold;
	/** HTML: a span for this state is open. */
	bool span;
};

static const struct gsym_mk_sgr gsym_mk_no_sgr = { GSYM_MK_NO_COLOUR, false,
						   false };

/** The worst message about the element at hand; "" if there is none. */
struct gsym_mk_trouble {
	char message[GSYM_MK_MAX_MESSAGE];
	enum gsym_markup_severity severity;
};

/** What only HTML needs, one for all outputs of a filter. */
struct gsym_mk_page {
	/** The head of the page was written. */
	bool started;
	/** How many stack traces have got a number. */
	uint64_t traces;
	struct gsym_mk_trouble trouble;
	/** Blocks of lines that have ended; lines and bytes of the log in the
	 *  block at hand. */
	uint64_t blocks;
	size_t block_lines, block_size;
	/** The start of a line is written whose rest waits for the end of an
	 *  element.  No block ends within a line. */
	bool within;
	/** Of a series of pages: the bytes of the log on a page, 0 if there is
	 *  one page; and the page at hand, without its process names. */
	uint64_t part_size;
	struct gsym_markup_part part;
	/** The names of the processes of the page, a NUL after each. */
	struct gsym_mk_text processes;
	/** The process whose line is being written; NULL: none. */
	struct gsym_mk_process *process;
	/** The details that are being written have no line yet. */
	bool tip_empty;
};

struct gsym_mk_out {
	/** Options of the filter. */
	bool html, colour, strip_ansi, raw_names;
	/** Write the bytes that llvm-symbolizer writes. */
	bool llvm;

	struct gsym_mk_text text;
	/** The SGR state at the end of TEXT. */
	struct gsym_mk_sgr sgr;
	/** The last line that was written has no end. */
	bool unended;
	/** Memory ran out and output was lost; gsym_markup_feed reports it. */
	bool out_of_memory;
	/** What all outputs of the filter share. */
	struct gsym_mk_page *page;

	/** The output of the log: the first bytes of TEXT that are complete
	 *  lines, and the host's callbacks, which may be NULL. */
	size_t complete;
	void (*write)(void *context, const char *bytes, size_t size);
	void (*part)(void *context, const struct gsym_markup_part *part);
	void *context;
};

/** Make an empty output.  HOST is NULL for a text that does not go there. */
void gsym_mk_out_init(struct gsym_mk_out *o,
		      const struct gsym_markup_options *options,
		      const struct gsym_markup_host *host,
		      struct gsym_mk_page *page);
void gsym_mk_out_fini(struct gsym_mk_out *o);
/** Forget the text of O, which does not go to the host. */
void gsym_mk_out_clear(struct gsym_mk_out *o);
/** Write the text of FROM to O, which goes on with its SGR state. */
void gsym_mk_out_append(struct gsym_mk_out *o, const struct gsym_mk_out *from);

/** Make room for SIZE more bytes, and append them.  Called if there is no
 * room. */
void gsym_mk_put_slow(struct gsym_mk_out *o, const char *bytes, size_t size);

static inline void gsym_mk_put(struct gsym_mk_out *o, const char *bytes,
			       size_t size)
{
	struct gsym_mk_text *to = &o->text;

	if (!size)
		return;
	if (to->capacity - to->count < size) {
		gsym_mk_put_slow(o, bytes, size);
		return;
	}
	memcpy(to->items + to->count, bytes, size);
	to->count += size;
}

static inline void gsym_mk_puts(struct gsym_mk_out *o, const char *text)
{
	gsym_mk_put(o, text, strlen(text));
}

/** Write VALUE in hexadecimal without 0x, in at least WIDTH digits and at most
 * 16. */
void gsym_mk_put_hex(struct gsym_mk_out *o, uint64_t value, unsigned width);
void gsym_mk_put_decimal(struct gsym_mk_out *o, uint64_t value);

/** Mark all of the text as complete lines. */
static inline void gsym_mk_complete(struct gsym_mk_out *o)
{
	o->complete = o->text.count;
}
/** Give the complete lines to the host. Without ALL, only if they are many. */
void gsym_mk_drain(struct gsym_mk_out *o, bool all);

/* ---- text, names and values ----------------------------------------- */

/** Bytes of a name that are shown. */
#define GSYM_MK_MAX_NAME GSYM_LIMIT(4096u, 16)

/** Write text of the log, and interpret its SGR sequences. */
void gsym_mk_paint_text(struct gsym_mk_out *o, const char *at, const char *end);
/** Write text, without interpreting SGR sequences. */
void gsym_mk_paint_plain(struct gsym_mk_out *o, const char *at, size_t size);
/** Write a name from the log or from symbols, which may have any bytes.
 *  Characters that a terminal must not get are written as \\xNN, and a long
 *  name is cut. */
void gsym_mk_paint_foreign(struct gsym_mk_out *o, const char *at, size_t size);

/** Begin and end the output of E: a colour, or in HTML a span with CLASS.  E is
 *  NULL for a part of an element. */
void gsym_mk_paint_begin(struct gsym_mk_out *o, const char *class,
			 const struct gsym_mk_element *e);
void gsym_mk_paint_end(struct gsym_mk_out *o);

/** Write a value within an element, in a colour of its own. */
void gsym_mk_value(struct gsym_mk_out *o, const char *at, size_t size);
void gsym_mk_value_hex(struct gsym_mk_out *o, uint64_t value);
void gsym_mk_value_decimal(struct gsym_mk_out *o, uint64_t value);
void gsym_mk_value_begin(struct gsym_mk_out *o);
void gsym_mk_value_end(struct gsym_mk_out *o);

/** Begin a line that is not in the log. */
void gsym_mk_begin_line(struct gsym_mk_out *o);
/** Begin line NUMBER of the log. */
void gsym_mk_begin_log_line(struct gsym_mk_out *o, uint64_t number);
/** End the last line if the log did not. */
void gsym_mk_fresh_line(struct gsym_mk_out *o);
/** ENDING is "\n", "\r\n", or "" for a line that the log does not end. */
void gsym_mk_end_line(struct gsym_mk_out *o, const char *ending);
/** End the line and begin another one with the same SGR state. */
void gsym_mk_break_line(struct gsym_mk_out *o, const char *ending);

/** Whether AT to END holds only white space and SGR sequences. */
bool gsym_mk_blank(const char *at, const char *end);
/** Set the state without colour and bold. */
void gsym_mk_sgr_reset(struct gsym_mk_out *o);
/** With colours: set the colour of elements; set the colour of the text around
 *  them again. */
void gsym_mk_highlight(struct gsym_mk_out *o);
void gsym_mk_restore(struct gsym_mk_out *o);

/* ---- HTML ----------------------------------------------------------- */

/** The lines of page.css and page.js, which the build makes; NULL ends them. */
extern const char *const gsym_mk_page_css[], *const gsym_mk_page_js[];

/** U+FFFD: stands for bytes that are no text. */
#define GSYM_MK_REPLACEMENT "\xef\xbf\xbd"

/** Text as a page holds it: markup characters are escaped, and what is not
 *  UTF-8 text is U+FFFD. */
void gsym_mk_put_html(struct gsym_mk_out *o, const char *at, size_t size);

/** Write the head of the page, unless it was written.  TITLE may be NULL. */
void gsym_mk_page_start(struct gsym_mk_out *o, const char *title);
void gsym_mk_page_end(struct gsym_mk_out *o);
/** A line of the log begins, which has the number LINE; TITLE is that of the
 *  page.  If the page of a series is full, ends it and starts another. */
void gsym_mk_page_turn(struct gsym_mk_out *o, uint64_t line, const char *title);
/** Write the start of the element of line NUMBER.  In a series of pages it has
 *  the process of the line as an attribute. */
void gsym_mk_page_line(struct gsym_mk_out *o, uint64_t number);
/** A line of the log, of SIZE bytes, was written whole; LINE is the number of
 *  the next one.  Ends the block of lines if it is large enough. */
void gsym_mk_page_cut(struct gsym_mk_out *o, uint64_t line, size_t size);
/** Begin and end COUNT module lines that can be folded away. */
void gsym_mk_details_begin(struct gsym_mk_out *o, size_t count);
void gsym_mk_details_end(struct gsym_mk_out *o);

/** A stack trace of a process: frames with ascending numbers. */
struct gsym_mk_trace {
	/** The number of the trace, from 1 on; 0: there was no frame yet. */
	uint64_t number;
	uint64_t last_frame;
};

#define GSYM_MK_FRAME_ID 48
/** Make an ID for the frame E, the next frame after those of TRACE. */
void gsym_mk_frame_id(struct gsym_mk_out *o, struct gsym_mk_trace *trace,
		      const struct gsym_mk_element *e,
		      char id[GSYM_MK_FRAME_ID]);
/** Begin a span for the output of E, with E as its title.  E may be NULL, and
 *  ID may be "". */
void gsym_mk_span_begin(struct gsym_mk_out *o, const char *class,
			const char *id, const struct gsym_mk_element *e);
/** Begin a link.  Its target is TEMPLATE, with FIRST in place of % and the
 *  first byte of LETTERS, and SECOND in place of % and the second byte.  Bytes
 *  of FIRST and SECOND are percent-encoded, except letters, digits and the
 *  bytes in UNESCAPED. */
void gsym_mk_link_begin(struct gsym_mk_out *o, const char *template,
			const char *letters, struct gsym_mk_slice first,
			struct gsym_mk_slice second, const char *unescaped);

/** Note MESSAGE for the details of the element at hand, unless a message as
 *  severe was noted before.  Does nothing without HTML. */
void gsym_mk_trouble_note(struct gsym_mk_out *o,
			  enum gsym_markup_severity severity,
			  const char *message);

#endif
