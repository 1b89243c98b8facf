/* SPDX-License-Identifier: MIT */
/*
 * markup/text.h - text that comes in and text that goes out.  Knows no modules
 * and no symbols, and of processes the name of the one whose line is written.
 *
 * The syntax of a line: elements and the values of their fields (parse.c), and
 * the headers that loggers put before their lines (header.c).
 *
 * Outputs: texts in the form that the options of the filter ask for.  The
 * output of the log gives its complete lines to the host.  The others are texts
 * that are written later: a line that module lines have to precede, and names
 * that the memo keeps.  Who writes something is handed the output.
 *
 *	out.c		texts, and escapes, spans and links of HTML; the frame
 *			of a page, and its blocks of lines
 *	paint.c		colours, values and line ends
 */
#ifndef GSYM_MARKUP_TEXT_H
#define GSYM_MARKUP_TEXT_H

#include <gsym/markup.h>

#include "base/vec.h"
#include "logs/dialect.h"

struct mk_process;
struct mk_regex;

/* ---- text ----------------------------------------------------------- */

struct mk_text {
	GSYM_VEC(char);
};

/** Append SIZE bytes.  False, with TO unchanged, without memory. */
static inline bool mk_text_add(struct mk_text *to, const char *bytes,
			       size_t size)
{
	if (!gsym_vec_reserve(to, size))
		return false;
	if (size)
		memcpy(to->items + to->count, bytes, size);
	to->count += size;
	return true;
}

/** All bytes of TEXT. */
static inline struct logs_text mk_all(const struct mk_text *text)
{
	return (struct logs_text){ text->items, text->count };
}

/** FNV-1a, the same in every run.  Tables that a log can fill need
 *  gsym_hash_bytes. */
static inline uint64_t mk_hash(struct logs_text text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < text.size; i++)
		h = (h ^ (unsigned char)text.at[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

/* ---- elements ------------------------------------------------------- */

/** The most bytes of a build ID; longer ones are cut. */
#define MK_BUILD_ID 64
/** Fields that are kept; an element may have more. */
#define MK_FIELDS 8

enum mk_tag {
	MK_UNKNOWN, /**< a tag in lower case without a meaning */
	MK_NO_TAG,  /**< the text in front of the colon is no tag */
	MK_SYMBOL,
	MK_PC,
	MK_BT,
	MK_DATA,
	MK_HEXDICT,
	MK_DUMPFILE,
	MK_RESET,
	MK_MODULE,
	MK_MMAP,
};

/** What the suffix says about an address of code: nothing, "ra", or "pc". */
enum mk_code { MK_UNSUFFIXED, MK_RETURN, MK_EXACT };

/** What is wrong with an element: the reason why it is invalid, or a remark. */
struct mk_problem {
	enum mk_fault {
		MK_SOUND,
		MK_LOWERCASE, /**< the tag is not in lower case */
		MK_COUNT,     /**< expected NUMBER fields */
		MK_AT_LEAST,  /**< expected NUMBER fields or more */
		MK_AT_MOST,   /**< expected NUMBER fields or fewer */
		MK_SCALAR,    /**< expected NOUN in the field FOUND */
		MK_MODULE_TYPE,
		MK_MMAP_TYPE,
	} fault;
	unsigned number;
	const char *noun;
	struct logs_text found;
	/** The place in the line that a message points to. */
	const char *at;
};

struct mk_element {
	/** The element with its braces. */
	struct logs_text whole;
	struct logs_text tag;
	/** Everything after the first colon. */
	struct logs_text body;
	enum mk_tag kind;
	/** The number of all fields, those that are not kept included. */
	size_t field_count;
	struct logs_text fields[MK_FIELDS];
	/** ERROR makes the element invalid, REMARK does not. */
	struct mk_problem error, remark;
	/** ERROR is about a field after the module of an mmap.  If the module
	 *  is unknown, that is reported instead. */
	bool late;

	/* The values of the fields that elements of this kind have. */
	uint64_t address, size, id, frame, relative;
	enum mk_code code;
	struct logs_text name, type, message;
	char mode[4];
	uint8_t build_id[MK_BUILD_ID];
	size_t build_id_size;
	/** All digits of the build ID, which may be longer. */
	struct logs_text build_id_digits;
};

/** A walk over the elements of a line. */
struct mk_scanner {
	const char *at;
	const char *end;
	/** Parse as llvm-symbolizer does. */
	bool llvm;
	/** The rest of the line, from AT on, has an opener but no closer. */
	bool no_closer;
};

/** Set RET to the next element, which may be invalid (RET->error).  The bytes
 *  between the last element and RET->whole are text.  False if the rest of the
 *  line is text. */
bool gsym_mk_next(struct mk_scanner *scanner, struct mk_element *ret);

/** The first opener, "{{{", in SIZE bytes; NULL if there is none. */
const char *gsym_mk_find_opener(const char *bytes, size_t size);
/** The first opener or ESC in SIZE bytes; NULL if there is none. */
const char *gsym_mk_find_special(const char *bytes, size_t size);
/** The first closer, "}}}", in SIZE bytes; NULL. */
const char *gsym_mk_find_closer(const char *bytes, size_t size);

/** Read the address in FIELD: hexadecimal digits after 0x, or zeros only;
 *  without LLVM also "(nil)".  False if FIELD has none of these. */
bool gsym_mk_address(struct logs_text field, bool llvm, uint64_t *ret);

/** Write the message for PROBLEM, with its NUL at most SIZE bytes. */
void gsym_mk_explain(const struct mk_element *element,
		     const struct mk_problem *problem, char *message,
		     size_t size);

static inline bool mk_valid(const struct mk_element *element)
{
	return element->kind >= MK_SYMBOL && !element->error.fault;
}

/** Whether the element is contextual: it describes memory. */
static inline bool mk_contextual(const struct mk_element *element)
{
	return element->kind >= MK_RESET;
}

/* ---- headers -------------------------------------------------------- */

/** Bytes of the longest header. */
#define MK_MAX_HEADER 1024

/** How lines name their process. */
struct mk_headers {
	enum gsym_markup_headers kind;
	/** For GSYM_MARKUP_HEADERS_REGEX, otherwise NULL. */
	struct mk_regex *regex;
};

/** Make H ready.  GSYM_ERR_ARGUMENT if OPTIONS has no regular expression with
 *  a group, but should. */
enum gsym_status gsym_mk_headers_init(struct mk_headers *h,
				      const struct gsym_markup_options *options,
				      struct gsym_error *error);
void gsym_mk_headers_fini(struct mk_headers *h);
/** Whether a regular expression was not tried on a line since the last call,
 *  because memory ran out. */
bool gsym_mk_headers_out_of_memory(struct mk_headers *h);

/** Bytes of the header of the line AT, with the blanks after it; 0 if H finds
 *  none.  NAME is set to the process that the header names. */
size_t gsym_mk_header(const struct mk_headers *h, const char *at, size_t size,
		      struct logs_text *name);
/** As gsym_mk_header, but if H has no kind it finds headers of all kinds; and
 *  it finds headers that name no process. */
size_t gsym_mk_any_header(const struct mk_headers *h, const char *at,
			  size_t size);

/* ---- outputs ---------------------------------------------------------- */

/** Bytes of a message, with its NUL. */
#define MK_MAX_MESSAGE 512

enum { MK_NO_COLOUR = -1 };

/** What the SGR sequences of a line have set so far. */
struct mk_sgr {
	int colour; /**< 0 to 7, or MK_NO_COLOUR */
	bool bold;
	/** HTML: a span for this state is open. */
	bool span;
};

static const struct mk_sgr gsym_mk_no_sgr = { MK_NO_COLOUR, false, false };

/** The worst message about the element at hand; "" if there is none. */
struct mk_trouble {
	char message[MK_MAX_MESSAGE];
	enum gsym_markup_severity severity;
};

/** What only HTML needs, one for all outputs of a filter. */
struct mk_page {
	/** The head of the page was written. */
	bool started;
	/** How many stack traces have got a number. */
	uint64_t traces;
	struct mk_trouble trouble;
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
	struct mk_text processes;
	/** The process whose line is being written; NULL: none. */
	struct mk_process *process;
	/** The details that are being written have no line yet. */
	bool tip_empty;
};

struct mk_out {
	/** Options of the filter. */
	bool html, colour, strip_ansi, raw_names;
	/** Write the bytes that llvm-symbolizer writes. */
	bool llvm;

	struct mk_text text;
	/** The SGR state at the end of TEXT. */
	struct mk_sgr sgr;
	/** The last line that was written has no end. */
	bool unended;
	/** Memory ran out and output was lost; gsym_markup_feed reports it. */
	bool out_of_memory;
	/** What all outputs of the filter share. */
	struct mk_page *page;

	/** The output of the log: the first bytes of TEXT that are complete
	 *  lines, and the host's callbacks, which may be NULL. */
	size_t complete;
	void (*write)(void *context, const char *bytes, size_t size);
	void (*part)(void *context, const struct gsym_markup_part *part);
	void *context;
};

/** Make an empty output.  HOST is NULL for a text that does not go there. */
void gsym_mk_out_init(struct mk_out *o,
		      const struct gsym_markup_options *options,
		      const struct gsym_markup_host *host,
		      struct mk_page *page);
void gsym_mk_out_fini(struct mk_out *o);
/** Forget the text of O, which does not go to the host. */
void gsym_mk_out_clear(struct mk_out *o);
/** Write the text of FROM to O, which goes on with its SGR state. */
void gsym_mk_out_append(struct mk_out *o, const struct mk_out *from);

/** Append to TO; without memory that is noted in O. */
static inline bool mk_append(struct mk_out *o, struct mk_text *to,
			     const char *bytes, size_t size)
{
	bool done = mk_text_add(to, bytes, size);

	o->out_of_memory |= !done;
	return done;
}

/** Make room for SIZE more bytes, and append them.  Called if there is no
 * room. */
void gsym_mk_put_slow(struct mk_out *o, const char *bytes, size_t size);

static inline void mk_put(struct mk_out *o, const char *bytes, size_t size)
{
	struct mk_text *to = &o->text;

	if (!size)
		return;
	if (to->capacity - to->count < size) {
		gsym_mk_put_slow(o, bytes, size);
		return;
	}
	memcpy(to->items + to->count, bytes, size);
	to->count += size;
}

static inline void mk_puts(struct mk_out *o, const char *text)
{
	mk_put(o, text, strlen(text));
}

/** Write VALUE in hexadecimal without 0x, in at least WIDTH digits and at most
 * 16. */
void gsym_mk_put_hex(struct mk_out *o, uint64_t value, unsigned width);
void gsym_mk_put_decimal(struct mk_out *o, uint64_t value);

/** Mark all of the text as complete lines. */
static inline void mk_complete(struct mk_out *o)
{
	o->complete = o->text.count;
}
/** Give the complete lines to the host. Without ALL, only if they are many. */
void gsym_mk_drain(struct mk_out *o, bool all);

/* ---- text, names and values ----------------------------------------- */

/** Bytes of a name that are shown. */
#define MK_MAX_NAME GSYM_LIMIT(4096u, 16)

/** Write text of the log, and interpret its SGR sequences. */
void gsym_mk_paint_text(struct mk_out *o, const char *at, const char *end);
/** Write text, without interpreting SGR sequences. */
void gsym_mk_paint_plain(struct mk_out *o, const char *at, size_t size);
/** Write a name from the log or from symbols, which may have any bytes.
 *  Characters that a terminal must not get are written as \\xNN, and a long
 *  name is cut. */
void gsym_mk_paint_foreign(struct mk_out *o, const char *at, size_t size);

/** Begin and end the output of E: a colour, or in HTML a span with CLASS.  E is
 *  NULL for a part of an element. */
void gsym_mk_paint_begin(struct mk_out *o, const char *class,
			 const struct mk_element *e);
void gsym_mk_paint_end(struct mk_out *o);

/** Write a value within an element, in a colour of its own. */
void gsym_mk_value(struct mk_out *o, const char *at, size_t size);
void gsym_mk_value_hex(struct mk_out *o, uint64_t value);
void gsym_mk_value_decimal(struct mk_out *o, uint64_t value);
void gsym_mk_value_begin(struct mk_out *o);
void gsym_mk_value_end(struct mk_out *o);

/** Begin a line that is not in the log. */
void gsym_mk_begin_line(struct mk_out *o);
/** The same in HTML for line NUMBER of the log.  In a series of pages the line
 *  has its process as an attribute. */
void gsym_mk_page_line(struct mk_out *o, uint64_t number);
/** Begin line NUMBER of the log. */
static inline void mk_begin_log_line(struct mk_out *o, uint64_t number)
{
	if (o->html)
		gsym_mk_page_line(o, number);
}
/** End the last line if the log did not. */
void gsym_mk_fresh_line(struct mk_out *o);
/** ENDING is "\n", "\r\n", or "" for a line that the log does not end. */
void gsym_mk_end_line(struct mk_out *o, const char *ending);
/** End the line and begin another one with the same SGR state. */
void gsym_mk_break_line(struct mk_out *o, const char *ending);

/** Whether AT to END holds only white space and SGR sequences. */
bool gsym_mk_blank(const char *at, const char *end);
/** Set the state without colour and bold. */
void gsym_mk_sgr_reset(struct mk_out *o);
/** With colours: set the colour of elements; set the colour of the text around
 *  them again. */
void gsym_mk_highlight(struct mk_out *o);
void gsym_mk_restore(struct mk_out *o);

/* ---- HTML ----------------------------------------------------------- */

/** The lines of page.css and page.js, which the build makes; NULL ends them. */
extern const char *const gsym_mk_page_css[], *const gsym_mk_page_js[];

/** U+FFFD: stands for bytes that are no text. */
#define MK_REPLACEMENT "\xef\xbf\xbd"

/** Text as a page holds it: markup characters are escaped, and what is not
 *  UTF-8 text is U+FFFD. */
void gsym_mk_put_html(struct mk_out *o, const char *at, size_t size);

/** Write the head of the page, unless it was written.  TITLE may be NULL. */
void gsym_mk_page_start(struct mk_out *o, const char *title);
void gsym_mk_page_end(struct mk_out *o);
/** A line of the log begins, which has the number LINE; TITLE is that of the
 *  page.  If the page of a series is full, ends it and starts another. */
void gsym_mk_page_turn(struct mk_out *o, uint64_t line, const char *title);
/** A line of the log, of SIZE bytes, was written whole; LINE is the number of
 *  the next one.  Ends the block of lines if it is large enough. */
void gsym_mk_page_cut(struct mk_out *o, uint64_t line, size_t size);
/** Begin and end COUNT module lines that can be folded away. */
void gsym_mk_details_begin(struct mk_out *o, size_t count);
void gsym_mk_details_end(struct mk_out *o);

/** A stack trace of a process: frames with ascending numbers. */
struct mk_trace {
	/** The number of the trace, from 1 on; 0: there was no frame yet. */
	uint64_t number;
	uint64_t last_frame;
};

#define MK_FRAME_ID 48
/** Make an ID for the frame E, the next frame after those of TRACE. */
void gsym_mk_frame_id(struct mk_out *o, struct mk_trace *trace,
		      const struct mk_element *e, char id[MK_FRAME_ID]);
/** Begin a span for the output of E, with E as its title.  E may be NULL, and
 *  ID may be "". */
void gsym_mk_span_begin(struct mk_out *o, const char *class, const char *id,
			const struct mk_element *e);
/** Begin a link.  Its target is TEMPLATE, with FIRST in place of % and the
 *  first byte of LETTERS, and SECOND in place of % and the second byte.  Bytes
 *  of FIRST and SECOND are percent-encoded, except letters, digits and the
 *  bytes in UNESCAPED. */
void gsym_mk_link_begin(struct mk_out *o, const char *template,
			const char *letters, struct logs_text first,
			struct logs_text second, const char *unescaped);

/** Note MESSAGE for the details of the element at hand, unless a message as
 *  severe was noted before.  Does nothing without HTML. */
void gsym_mk_trouble_note(struct mk_out *o, enum gsym_markup_severity severity,
			  const char *message);

#endif
