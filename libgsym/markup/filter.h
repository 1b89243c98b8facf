/* SPDX-License-Identifier: MIT */
/*
 * markup/filter.h - the state of a filter, and what its files ask of each
 * other.
 *
 *	filter.c   bytes become lines; what no element is in goes straight
 *	line.c     lines with elements, in our own way
 *	compat.c   the same, in llvm-symbolizer's way
 *	modules.c  module lines
 *	present.c  symbol, data, and what of the host they ask
 *	code.c     pc, bt
 *	memo.c     what pc and bt wrote before
 *	hexdict.c, dumpfile.c
 *	header.c   which part of a line is its header
 *	process.c  one state a process
 *	paint.c    text, colour, HTML
 *	html.c     the page around it
 *	tips.c     details of elements in HTML
 *	diagnose.c messages
 */
#ifndef GSYM_MARKUP_FILTER_H
#define GSYM_MARKUP_FILTER_H

#include "markup/context.h"

#include <string.h>

/** Lines longer than this are passed on in pieces. */
#define GSYM_MK_LONG_LINE (1u << 20)
/** Processes that are kept. */
#define GSYM_MK_MAX_PROCESSES 4096
/** Bytes of a name that are shown. */
#define GSYM_MK_MAX_NAME 4096
/** Bytes of the longest header of a line. */
#define GSYM_MK_MAX_HEADER 1024
/** Ranges that wait to be listed; with more, module lines end. */
#define GSYM_MK_MAX_RANGES (1u << 16)
/** Bytes of a message, with its NUL. */
#define GSYM_MK_MAX_MESSAGE 512

struct gsym_mk_text {
	GSYM_VEC(char);
};

/** A range that a module line lists. */
struct gsym_mk_range {
	uint64_t start;
	/** What is printed behind the dash. */
	uint64_t last;
	uint64_t relative;
	char mode[4];
};

/** A module line that is still being collected. */
struct gsym_mk_entry {
	struct gsym_mk_module *module;
	/** The module itself is new, not only segments of it. */
	bool fresh;
	/** The line that started it ended with CR LF. */
	bool crlf;
	/** The header of that line: in the block's text. */
	size_t prefix, prefix_size;
	struct {
		GSYM_VEC(struct gsym_mk_range);
	} ranges;
};

/** What follows each other without other lines between. */
struct gsym_mk_block {
	struct {
		GSYM_VEC(struct gsym_mk_entry);
	} entries;
	struct gsym_mk_text text;
	/** Of all entries. */
	size_t range_count;
	/** The start of a line that may turn out to be a header, because the
	 *  next one has it as well. */
	struct gsym_mk_text lead;
	bool lead_crlf;
};

/** An element that has not ended with its line. */
struct gsym_mk_open {
	bool active;
	/** The line in front of it, as it will be written. */
	struct gsym_mk_text head;
	/** The same as the log has it. */
	struct gsym_mk_text prefix;
	/** The element so far, with line ends. */
	struct gsym_mk_text text;
	/** The numbers of its lines: those of other processes lie between. */
	struct {
		GSYM_VEC(uint64_t);
	} lines;
	/** The first line has a header; every further one has. */
	bool headed, headers;
	/** When its first line came. */
	uint64_t since;
};

struct gsym_mk_process {
	/** What the log calls it. */
	struct gsym_mk_text name;
	struct gsym_mk_context context;
	struct gsym_mk_block block;
	struct gsym_mk_open open;
	/** What turned out to be a header. */
	struct gsym_mk_text prefix;
	/** When a line of it came last. */
	uint64_t heard;
	/** It is one of those that wait. */
	bool waits;
	/** HTML: the trace that its frames belong to, and the last of them. */
	uint64_t trace, last_frame;
	/** The next one with the same hash. */
	struct gsym_mk_process *next;
	/** In the order of their last lines. */
	struct gsym_mk_process *newer, *older;
};

enum { GSYM_MK_NO_COLOUR = -1 };

struct gsym_mk_sgr {
	int colour;
	bool bold;
	/** HTML: there is a span for it. */
	bool span;
};

static const struct gsym_mk_sgr gsym_mk_no_sgr = { GSYM_MK_NO_COLOUR, false,
						   false };

/** The line at hand. */
struct gsym_mk_line {
	/** Without its end. */
	const char *at;
	size_t size;
	/** "\n", "\r\n" or "". */
	const char *ending;
	bool crlf;
	/** It is a piece of a very long line. */
	bool first, final;
	/** Bytes of its header; SIZE_MAX: not looked at yet. */
	size_t header;
	/** What further lines of a group start and end with. */
	struct gsym_mk_slice lead, tail;
	/** Where the text in front of the element at hand starts. */
	const char *before;
	/** It has shown a frame. */
	bool framed;
};

/** HTML: what was said about the element at hand. */
struct gsym_mk_trouble {
	char message[GSYM_MK_MAX_MESSAGE];
	enum gsym_markup_severity severity;
};

struct gsym_mk_memo;
struct gsym_mk_messages;
struct gsym_mk_regex;

struct gsym_markup {
	struct gsym_markup_host host;
	struct gsym_markup_options options;
	bool llvm;
	bool out_of_memory;
	bool finished;
	uint64_t line_number;

	/** Output: OUT is MAIN, or ASIDE while a line has to wait. */
	struct gsym_mk_text main, aside;
	struct gsym_mk_text *out;
	/** What of MAIN are complete lines. */
	size_t line_mark;
	struct gsym_mk_sgr sgr;

	/** A line without its end so far. */
	struct gsym_mk_text partial;
	/** The first part of it was passed on already: nothing else may be
	 *  written before its end. */
	bool continued;
	/** The last line was written, but had no end. */
	bool unended;

	/** Milliseconds, as the host tells them; when PARTIAL began; when
	 *  there is something to do. */
	uint64_t now, partial_since, due;

	struct gsym_mk_line line;
	struct gsym_mk_process *process;
	struct gsym_mk_process **processes;
	struct gsym_mk_process *newest, *oldest;
	size_t process_count;
	/** Processes with a module line or an element that is open. */
	size_t waiting;
	struct gsym_mk_regex *regex;

	/** compat.c: the module line that is open. */
	struct gsym_mk_module *open_module;

	struct gsym_mk_messages *messages;
	struct gsym_mk_memo *memo;
	struct gsym_mk_text scratch, tokens;
	/** Bodies of hexdict elements that get footnotes behind the line. */
	struct gsym_mk_text footnotes;

	/* HTML. */
	bool page_started;
	uint64_t traces;
	struct gsym_mk_trouble trouble;
	/** Nothing stands in the details yet. */
	bool tip_empty;
};

/* ---- paint.c --------------------------------------------------------- */

void gsym_mk_put_hex(struct gsym_markup *f, uint64_t value, unsigned width);
void gsym_mk_put_decimal(struct gsym_markup *f, uint64_t value);
/** Append to any text. */
bool gsym_mk_append(struct gsym_markup *f, struct gsym_mk_text *to,
		    const char *bytes, size_t size);
/** Append to what will be written. */
static inline void gsym_mk_put(struct gsym_markup *f, const char *bytes,
			       size_t size)
{
	struct gsym_mk_text *out = f->out;

	if (out->capacity - out->count < size || !size) {
		gsym_mk_append(f, out, bytes, size);
		return;
	}
	memcpy(out->items + out->count, bytes, size);
	out->count += size;
}
static inline void gsym_mk_puts(struct gsym_markup *f, const char *text)
{
	gsym_mk_put(f, text, strlen(text));
}
/** Hand over the lines that are there, if they are many; or whatever. */
void gsym_mk_drain(struct gsym_markup *f, bool all);

/** Text of the log; with its SGR sequences. */
void gsym_mk_paint_text(struct gsym_markup *f, const char *at,
			const char *end);
/** The same for text that is to stay as it is, or is our own. */
void gsym_mk_paint_plain(struct gsym_markup *f, const char *at, size_t size);
/** A name from the log or from symbols. */
void gsym_mk_paint_foreign(struct gsym_markup *f, const char *at,
			   size_t size);
/** Begin and end what is shown for E; NULL: for a part of an element. */
void gsym_mk_paint_begin(struct gsym_markup *f, const char *class,
			 const struct gsym_mk_element *e);
void gsym_mk_paint_end(struct gsym_markup *f);
/** Text as a page holds it. */
void gsym_mk_put_html(struct gsym_markup *f, const char *at, size_t size);
/** A value within an element. */
void gsym_mk_value(struct gsym_markup *f, const char *at, size_t size);
void gsym_mk_value_hex(struct gsym_markup *f, uint64_t value);
void gsym_mk_value_decimal(struct gsym_markup *f, uint64_t value);
void gsym_mk_value_begin(struct gsym_markup *f);
void gsym_mk_value_end(struct gsym_markup *f);
/** Lines of the output. */
void gsym_mk_begin_line(struct gsym_markup *f);
/** A line that is one of the log. */
void gsym_mk_begin_log_line(struct gsym_markup *f, uint64_t number);
/** End a line that the log did not end. */
void gsym_mk_fresh_line(struct gsym_markup *f);
void gsym_mk_end_line(struct gsym_markup *f, const char *ending);
/** End this line of the output and go on in the next. */
void gsym_mk_break_line(struct gsym_markup *f);
/** The SGR sequence at AT, that the text may have; its length, 0: none. */
size_t gsym_mk_sgr_length(const char *at, const char *end);
void gsym_mk_sgr_reset(struct gsym_markup *f);
/** Colour on its own. */
void gsym_mk_highlight(struct gsym_markup *f);
void gsym_mk_restore(struct gsym_markup *f);

/* ---- others ---------------------------------------------------------- */

/** "file:line" as far as it is known, behind SEPARATOR; was it? */
bool gsym_mk_place(struct gsym_markup *f, const char *separator,
		   const struct gsym_markup_frame *frame);
/** "module+0x10" */
void gsym_mk_put_offset(struct gsym_markup *f,
			const struct gsym_mk_mapping *mapping,
			uint64_t address);

/** Find out what further lines of E, a frame, start and end with. */
void gsym_mk_surround(struct gsym_markup *f,
		      const struct gsym_mk_element *e);

/** The line at hand. */
void gsym_mk_do_line(struct gsym_markup *f);
void gsym_mk_llvm_line(struct gsym_markup *f);
void gsym_mk_llvm_end_module(struct gsym_markup *f);

/** Show a presentation element; false: it stays as it is. */
bool gsym_mk_present(struct gsym_markup *f,
		     const struct gsym_mk_element *element);
bool gsym_mk_present_pc(struct gsym_markup *f,
			const struct gsym_mk_element *e);
bool gsym_mk_present_bt(struct gsym_markup *f,
			const struct gsym_mk_element *e);
/** Nothing covers the address: say so, and show the element raw. */
bool gsym_mk_uncovered(struct gsym_markup *f,
		       const struct gsym_mk_element *e);
/** "[[[tag:fields]]]" */
void gsym_mk_raw(struct gsym_markup *f, const struct gsym_mk_element *e);

/** The mapping of ADDRESS, that of the kernel's process included. */
const struct gsym_mk_mapping *gsym_mk_locate(struct gsym_markup *f,
					     uint64_t *address);
/** The symbols of MODULE, or NULL, with a message the first time. */
void *gsym_mk_symbols(struct gsym_markup *f, struct gsym_mk_module *module);
size_t gsym_mk_code(struct gsym_markup *f,
		    const struct gsym_mk_mapping *mapping, uint64_t address,
		    struct gsym_markup_frame *frames);
const char *gsym_mk_demangle(struct gsym_markup *f, const char *name);

/** What is said about the levels of a code address, as text. */
struct gsym_mk_levels {
	size_t count;
	struct {
		struct gsym_mk_slice name, place;
	} items[GSYM_MARKUP_MAX_FRAMES];
};
/** What was written for ADDRESS, within the module that SYMBOLS are of; valid
 *  until the next gsym_mk_memo_begin. */
bool gsym_mk_recall(struct gsym_markup *f, void *symbols, uint64_t address,
		    struct gsym_mk_levels *ret);
/** Have what is written from here on kept; false: it cannot be.  Each level
 *  is a name, gsym_mk_memo_name, a place, gsym_mk_memo_place. */
bool gsym_mk_memo_begin(struct gsym_markup *f, void *symbols,
			uint64_t address, size_t levels);
void gsym_mk_memo_name(struct gsym_markup *f);
void gsym_mk_memo_place(struct gsym_markup *f);
/** The end of it, and all of it.  Nothing was written to the output. */
bool gsym_mk_memo_end(struct gsym_markup *f, struct gsym_mk_levels *ret);
void gsym_mk_memo_free(struct gsym_mk_memo *memo);

/** A file as it is shown; in scratch. */
struct gsym_mk_slice gsym_mk_path(struct gsym_markup *f,
				  const struct gsym_markup_frame *frame);

/** Apply a module, mmap or reset element; false if that is not possible. */
bool gsym_mk_apply(struct gsym_markup *f, const struct gsym_mk_element *e);
/** E is an mmap of a module that there is not; that is said then. */
bool gsym_mk_unknown_module(struct gsym_markup *f,
			    const struct gsym_mk_element *e);
/** Write the module lines that P collected. */
void gsym_mk_end_block(struct gsym_markup *f, struct gsym_mk_process *p);
/** '[[[ELF module #0x0 "name"' */
void gsym_mk_put_module(struct gsym_markup *f,
			const struct gsym_mk_module *module);
void gsym_mk_put_ranges(struct gsym_markup *f, struct gsym_mk_entry *entry);
void gsym_mk_put_build_id(struct gsym_markup *f,
			  const struct gsym_mk_module *module);
bool gsym_mk_block_open(const struct gsym_mk_process *p);
void gsym_mk_block_fini(struct gsym_mk_block *b);

/** An element starts at OPENER and does not end in this line. */
void gsym_mk_hexdict_start(struct gsym_markup *f, const char *opener);
/** The process has one open: true if the line is a part of it.  Otherwise
 *  the line at hand is what is left to do, which may be all of it. */
bool gsym_mk_hexdict_line(struct gsym_markup *f);
/** Write the footnotes that are due. */
void gsym_mk_hexdict_notes(struct gsym_markup *f);
void gsym_mk_hexdict_give_up(struct gsym_markup *f,
			     struct gsym_mk_process *p);
void gsym_mk_hexdict_one(struct gsym_markup *f,
			 const struct gsym_mk_element *e);
void gsym_mk_dumpfile(struct gsym_markup *f,
		      const struct gsym_mk_element *e);

/** Bytes of the header of a line; NAME is the process, if it says so. */
size_t gsym_mk_header(struct gsym_markup *f, enum gsym_markup_headers kind,
		      const char *at, size_t size,
		      struct gsym_mk_slice *name);
/** The same by whatever rule there is. */
size_t gsym_mk_any_header(struct gsym_markup *f, const char *at, size_t size);
/** The same for the line at hand. */
size_t gsym_mk_line_header(struct gsym_markup *f);
enum gsym_status gsym_mk_regex_new(struct gsym_markup *f,
				   struct gsym_error *error);
void gsym_mk_regex_free(struct gsym_mk_regex *regex);

/** The process called NAME, made if need be; NULL without memory. */
struct gsym_mk_process *gsym_mk_process(struct gsym_markup *f,
					struct gsym_mk_slice name);
struct gsym_mk_process *gsym_mk_process_known(struct gsym_markup *f,
					      struct gsym_mk_slice name);
void gsym_mk_each_process(struct gsym_markup *f,
			  void (*visit)(struct gsym_markup *f,
					struct gsym_mk_process *p));
void gsym_mk_processes_free(struct gsym_markup *f);
/** P is in use: others are to be forgotten before it. */
void gsym_mk_process_use(struct gsym_markup *f, struct gsym_mk_process *p);
/** P may have something open now, or no more. */
void gsym_mk_count_waiting(struct gsym_markup *f, struct gsym_mk_process *p);

/** A message about AT of the line at hand; NULL: about no line. */
void gsym_mk_say(struct gsym_markup *f, enum gsym_markup_severity severity,
		 const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/** The message for what is wrong with E. */
void gsym_mk_say_problem(struct gsym_markup *f,
			 const struct gsym_mk_element *e,
			 const struct gsym_mk_problem *problem,
			 enum gsym_markup_severity severity);
void gsym_mk_messages_end(struct gsym_markup *f);

void gsym_mk_page_start(struct gsym_markup *f);
void gsym_mk_page_end(struct gsym_markup *f);
/** Module lines that can be folded away. */
void gsym_mk_details_begin(struct gsym_markup *f, size_t count);
void gsym_mk_details_end(struct gsym_markup *f);
/** The tag of what is shown for E, which may be NULL; ID may be "". */
void gsym_mk_span_begin(struct gsym_markup *f, const char *class,
			const char *id, const struct gsym_mk_element *e);
/** An ID for the frame that E is. */
#define GSYM_MK_FRAME_ID 48
void gsym_mk_frame_id(struct gsym_markup *f, const struct gsym_mk_element *e,
		      char id[GSYM_MK_FRAME_ID]);
/** E stays as it is, with what was said about it. */
void gsym_mk_span_text(struct gsym_markup *f,
		       const struct gsym_mk_element *e);
void gsym_mk_trouble_note(struct gsym_markup *f,
			  enum gsym_markup_severity severity,
			  const char *message);
/** Details that show when the element has the focus. */
void gsym_mk_tip_code(struct gsym_markup *f, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *mapping,
		      const struct gsym_markup_frame *frames, size_t count);
void gsym_mk_tip_text(struct gsym_markup *f, const char *label,
		      const char *text, size_t size);
void gsym_mk_tip_dump(struct gsym_markup *f);
/** The same for an address in no module. */
void gsym_mk_tip_raw(struct gsym_markup *f, const struct gsym_mk_element *e);
void gsym_mk_tip_data(struct gsym_markup *f,
		      const struct gsym_mk_element *e, uint64_t address,
		      const struct gsym_mk_mapping *mapping);
void gsym_mk_tip_module(struct gsym_markup *f,
			const struct gsym_mk_entry *entry);
void gsym_mk_tip_begin(struct gsym_markup *f);
void gsym_mk_tip_end(struct gsym_markup *f);
/** A link by TEMPLATE; FIRST and SECOND stand for its %LETTERS.  Of PLAIN
 *  bytes, besides letters and digits, no escapes are made. */
void gsym_mk_link_begin(struct gsym_markup *f, const char *template,
			const char *letters, struct gsym_mk_slice first,
			struct gsym_mk_slice second, const char *plain);

#endif
