/* SPDX-License-Identifier: MIT */
/*
 * markup/filter.h - the state of a filter, put together from its parts, the
 * answers of the host that it keeps, and the way of a line.
 *
 *	filter.c	the public functions; time; bytes to lines, of which
 *			those without elements go straight to the host
 *	host.c		asks the host about addresses, keeps its answers, and
 *			hands messages to it
 *	line.c		the way of a line; lines with elements
 *	llvm.c		lines with elements in llvm-symbolizer's style
 *	present.c	symbol, data, dumpfile; chooses among these:
 *	code.c		pc, bt
 *	hexdict.c	hexdict
 *	place.c		functions and places; details on pages
 */
#ifndef GSYM_MARKUP_FILTER_H
#define GSYM_MARKUP_FILTER_H

#include "markup/logs.h"

struct gsym_mk_messages;

/* ---- a memo of answers and texts ------------------------------------ */

/*
 * What the host answered for an address, and the text that was made of a name
 * or a path, are kept, as logs repeat themselves.  Keys are addresses of what
 * the host handed out, which lives as long as the filter.  So no reset and no
 * other load address makes an entry wrong.
 */

/** Entries.  A zeroed struct is empty. */
struct gsym_mk_memo {
	/** A hash table of SLOT_COUNT slots, a power of two or 0, of which
	 *  USED are not 0. */
	uint32_t *slots;
	size_t slot_count, used;
	/** The entries, of which the next one starts at NEXT; NULL: none. */
	char *bytes;
	size_t next;
};

/** What an entry holds, and what its key is. */
enum gsym_mk_memo_kind {
	/** The levels of a code address: symbols, address in the module. */
	GSYM_MK_MEMO_LEVELS,
	/** The readable form of a name, with a NUL: the name, 0. */
	GSYM_MK_MEMO_READABLE,
	/** A function as it is shown: its name, 0. */
	GSYM_MK_MEMO_FUNCTION,
	/** A file as it is shown: its folder, the address of its base name. */
	GSYM_MK_MEMO_FILE,
};

struct gsym_mk_memo_key {
	enum gsym_mk_memo_kind kind;
	const void *object;
	uint64_t number;
};

/** The place of an entry in the memo; 0: none.  It is valid until
 *  gsym_mk_memo_tidy drops the entry. */
typedef uint32_t gsym_mk_memo_place;

/** The place of the entry of KEY; 0 if there is none. */
gsym_mk_memo_place gsym_mk_memo_find(const struct gsym_mk_memo *memo,
				     const struct gsym_mk_memo_key *key);

/** Keep SIZE BYTES for KEY, which has no entry.  Returns the place; 0 without
 *  memory or room, and if BYTES are too many. */
gsym_mk_memo_place gsym_mk_memo_add(struct gsym_mk_memo *memo,
				    const struct gsym_mk_memo_key *key,
				    const void *bytes, size_t size);

/** The *SIZE bytes of the entry at PLACE, which is not 0.  They are at a
 *  multiple of 8. */
void *gsym_mk_memo_at(const struct gsym_mk_memo *memo, gsym_mk_memo_place place,
		      size_t *size);

/** Drop all entries if there is little room for others.  Called between lines:
 *  see gsym_mk_tidy. */
void gsym_mk_memo_tidy(struct gsym_mk_memo *memo);

void gsym_mk_memo_fini(struct gsym_mk_memo *memo);

/* ---- answers -------------------------------------------------------- */

/** A level of an address: what the host answered, and how it is shown. */
struct gsym_mk_level {
	struct gsym_markup_frame frame;
	/** The texts of function and file in the memo; 0: not known. */
	gsym_mk_memo_place function, file;
};

/** Whether the place of LEVEL is known. */
static inline bool gsym_mk_has_place(const struct gsym_mk_level *level)
{
	return *level->frame.basename != 0;
}

/** The levels of an address, innermost first.  Valid until the next call of
 *  gsym_mk_levels_of or gsym_mk_code with another address, or the end of the
 *  line. */
struct gsym_mk_levels {
	struct gsym_mk_level *items;
	size_t count;
};

/** The host's symbols of MODULE; NULL, with a message the first time. */
void *gsym_mk_symbols(struct gsym_markup *f, struct gsym_mk_module *module);
/** The levels of ADDRESS in the module of SYMBOLS; none if SYMBOLS is NULL. */
struct gsym_mk_levels gsym_mk_levels_of(struct gsym_markup *f, void *symbols,
					uint64_t address);
/** The levels of ADDRESS in MAPPING. */
struct gsym_mk_levels gsym_mk_code(struct gsym_markup *f,
				   const struct gsym_mk_mapping *mapping,
				   uint64_t address);
/** The variable at ADDRESS in MAPPING; false if it is unknown. */
bool gsym_mk_data(struct gsym_markup *f, const struct gsym_mk_mapping *mapping,
		  uint64_t address, struct gsym_markup_datum *ret);
/** The functions of SYMBOLS whose linkage name is NAME, as FUNCTIONS of the
 *  host returns them. */
size_t gsym_mk_functions(struct gsym_markup *f, void *symbols,
			 struct logs_text name,
			 struct gsym_markup_log_function *functions,
			 size_t capacity);
/** NAME, which the host gave, demangled; valid until the next call. */
const char *gsym_mk_demangle(struct gsym_markup *f, const char *name);

/** The name of LEVEL's function as it is shown, without colours: "<invalid>" if
 *  it has none.  Valid until the next call of a function of this header. */
struct logs_text gsym_mk_function_text(struct gsym_markup *f,
				       struct gsym_mk_level *level);
/** The file of LEVEL, likewise. */
struct logs_text gsym_mk_file_text(struct gsym_markup *f,
				   struct gsym_mk_level *level);
/** Write the file of LEVEL, with a link to it in HTML; "<invalid>" if it is
 *  unknown. */
void gsym_mk_put_file(struct gsym_markup *f, struct gsym_mk_out *o,
		      struct gsym_mk_level *level);
/** Write ":line:column" of FRAME, as far as they are known. */
void gsym_mk_put_row(struct gsym_mk_out *o,
		     const struct gsym_markup_frame *frame);
/** Write SEPARATOR and "file:line:column" of LEVEL, as far as they are known.
 *  Writes nothing if the file is unknown. */
void gsym_mk_put_place(struct gsym_markup *f, struct gsym_mk_out *o,
		       const char *separator, struct gsym_mk_level *level);
/** Write the name of LEVEL's function; "<invalid>" if it has none. */
void gsym_mk_put_function(struct gsym_markup *f, struct gsym_mk_out *o,
			  struct gsym_mk_level *level);

/* ---- messages ------------------------------------------------------- */

/** The precision of "%.*s" for a name of SIZE bytes: messages are cut, too. */
static inline int gsym_mk_clip(size_t size)
{
	enum { LONGEST = 200 };

	return (int)(size < LONGEST ? size : LONGEST);
}

/** Report a message about the byte AT of the line at hand; AT is NULL if the
 * message is about no line. */
void gsym_mk_say(struct gsym_markup *f, enum gsym_markup_severity severity,
		 const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/** Report the message for PROBLEM of E. */
void gsym_mk_say_problem(struct gsym_markup *f, const struct gsym_mk_element *e,
			 const struct gsym_mk_problem *problem,
			 enum gsym_markup_severity severity);
/** Report how many further times messages occurred that were not reported; free
 *  f->messages. */
void gsym_mk_messages_end(struct gsym_markup *f);

/** Hand the text to EXPLAIN of the host, which has to be there. */
void gsym_mk_tell(struct gsym_markup *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- lines ---------------------------------------------------------- */

/** The line at hand, or a piece of a line that is too long to keep. */
struct gsym_mk_line {
	/** Its number in the log, from 1 on.  Of lines that are passed on in one
	 *  piece, that of the last one. */
	uint64_t number;
	/** The line without its end. */
	const char *at;
	size_t size;
	/** "\n", "\r\n" or "". */
	const char *ending;
	bool crlf;
	/** It is the first, and the last, piece of its line. */
	bool first, final;
	/** Size of its header; SIZE_MAX: not searched yet. */
	size_t header;
	/** Where the text in front of the element at hand starts. */
	const char *before;
	/** READ: the frames and facts of the line are in READING. */
	bool read;
	struct gsym_mk_reading reading;
	/** Fuchsia's style: a frame of the line was shown. */
	bool framed;
	/** An element has ended in the line whose first line is written up to
	 *  the element: see WITHIN of struct gsym_mk_page. */
	bool within;
};

/** The line end for lines of the output that belong to L. */
static inline const char *gsym_mk_newline(const struct gsym_mk_line *l)
{
	return l->crlf ? "\r\n" : "\n";
}

/** Set f->process to the process that the line at hand comes from; false
 *  without memory. */
bool gsym_mk_choose_process(struct gsym_markup *f);
/** Write the output for the line at hand, in our own style. */
void gsym_mk_do_line(struct gsym_markup *f);
/** Whether L is a line of JSON. */
bool gsym_mk_is_json(const struct gsym_mk_line *l);
/** Write the output for the line at hand, which is JSON and may have
 *  elements. */
void gsym_mk_json_line(struct gsym_markup *f);
/** Handle the lines at the head of the queue that wait for nothing.  ALL: end
 *  all waits.  The line at hand is the same after that, but its process has to
 *  be chosen again. */
void gsym_mk_dequeue(struct gsym_markup *f, bool all);
/** Write the output for the line at hand, in llvm-symbolizer's style. */
void gsym_mk_llvm_line(struct gsym_markup *f);
/** End the module line that is open, if there is one. */
void gsym_mk_llvm_end_module(struct gsym_markup *f);

/* ---- the filter ----------------------------------------------------- */

/** A line whose end has not come yet. */
struct gsym_mk_partial {
	struct gsym_mk_text text;
	/** The time when the first byte of TEXT came. */
	uint64_t since;
	/** The first part of the line was written already, so nothing else may
	 *  be written before the end of the line. */
	bool continued;
};

struct gsym_markup {
	struct gsym_markup_host host;
	struct gsym_markup_options options;
	/** A message said that the log may be of several processes. */
	bool told_of_processes;
	/** The style is llvm-symbolizer's. */
	bool llvm;
	bool finished;
	/** How many modules and segments dumpfile elements have handed over. */
	uint64_t dumped;

	struct gsym_mk_partial partial;
	struct gsym_mk_line line;
	struct gsym_mk_headers headers;
	/** The process of the line at hand; of the one before if there was no
	 *  memory for that of the line at hand, which is LOST then. */
	struct gsym_mk_process *process;
	bool lost_process;
	struct gsym_mk_processes processes;
	/** Hexdict elements of the line whose footnotes are still to be
	 * written. */
	struct gsym_mk_text footnotes;
	/** llvm-symbolizer's style: the module whose line has no end yet. */
	struct gsym_mk_module *open_module;

	/** The output of the log; that of a line which module lines have to
	 *  precede; a text for the memo; and what they share. */
	struct gsym_mk_out out, mixed, draft;
	struct gsym_mk_page page;
	struct gsym_mk_messages *messages;
	struct gsym_mk_memo memo;
	/** The levels of the last address that the memo did not take. */
	struct gsym_mk_level levels[GSYM_MARKUP_MAX_FRAMES];
	/** NULL: only markup is read. */
	struct gsym_mk_logs *logs;
	/** Scratch for a single function call. */
	struct gsym_mk_text scratch;

	/** The time that the host last told, in milliseconds. */
	uint64_t now;
	/** Milliseconds until gsym_markup_clock has something to do;
	 *  UINT64_MAX: nothing to do. */
	uint64_t due;
};

/** Free what the line at hand made the filter forget, and forget what is too
 *  much: modules, processes, and answers of the host.  This is the one place
 *  where such things are freed, and it is called between two lines alone.  So a
 *  pointer to one of them is valid until the line at hand ends. */
void gsym_mk_tidy(struct gsym_markup *f);

/** Append to TO; without memory f->out.out_of_memory is set. */
static inline bool gsym_mk_append(struct gsym_markup *f,
				  struct gsym_mk_text *to, const char *bytes,
				  size_t size)
{
	bool done = gsym_mk_text_add(to, bytes, size);

	f->out.out_of_memory |= !done;
	return done;
}

/** Bytes of the header of the line at hand; 0 in further pieces of a line. */
static inline size_t gsym_mk_line_header(struct gsym_markup *f)
{
	struct gsym_mk_line *l = &f->line;
	const struct gsym_mk_text *known = &f->process->prefix;

	if (l->header != SIZE_MAX)
		return l->header;
	l->header = 0;
	if (!l->first)
		return 0;
	l->header = gsym_mk_any_header(&f->headers, l->at, l->size);
	if (known->count && l->size - l->header >= known->count &&
	    memcmp(l->at + l->header, known->items, known->count) == 0)
		l->header += known->count;
	return l->header;
}

/* ---- what is shown in place of an element --------------------------- */

/** Write the output for E; false if E is to be written as it is in the log. */
bool gsym_mk_present(struct gsym_markup *f, struct gsym_mk_out *o,
		     const struct gsym_mk_element *e);

void gsym_mk_present_pc(struct gsym_markup *f, struct gsym_mk_out *o,
			const struct gsym_mk_element *e);
void gsym_mk_present_bt(struct gsym_markup *f, struct gsym_mk_out *o,
			const struct gsym_mk_element *e);

/** Write E as "[[[tag:fields]]]". */
void gsym_mk_raw(struct gsym_markup *f, struct gsym_mk_out *o,
		 const struct gsym_mk_element *e);
/** Report that no mapping covers the address of E, and write E raw. */
void gsym_mk_uncovered(struct gsym_markup *f, struct gsym_mk_out *o,
		       const struct gsym_mk_element *e);
/** Write the name of MODULE; "#0x1", by its ID, if it has none. */
void gsym_mk_put_module_name(struct gsym_mk_out *o,
			     const struct gsym_mk_module *module);
/** Write "module+0x10". */
void gsym_mk_put_offset(struct gsym_mk_out *o,
			const struct gsym_mk_mapping *mapping,
			uint64_t address);

/* ---- details of elements on pages ----------------------------------- */

/** Details whose text the caller writes in between. */
void gsym_mk_tip_begin(struct gsym_mk_out *o);
/** Add the message about the element, and end the details. */
void gsym_mk_tip_end(struct gsym_mk_out *o);

/** Details of the element E, which has an address: ADDRESS in MAPPING, NULL: in
 *  no module.  LEVELS: those of the address that was looked up; NULL: none. */
void gsym_mk_tip_address(struct gsym_markup *f, struct gsym_mk_out *o,
			 const struct gsym_mk_element *e, uint64_t address,
			 const struct gsym_mk_mapping *mapping,
			 const struct gsym_mk_levels *levels);
/** Details of the frame ANSWER without markup; ADDRESS is the one that was
 *  looked up. */
void gsym_mk_tip_log(struct gsym_markup *f, struct gsym_mk_out *o,
		     uint64_t address, const struct gsym_mk_log_answer *answer,
		     const struct gsym_mk_levels *levels);
/** Details of a symbol element: its NAME, which is the linkage name. */
void gsym_mk_tip_symbol(struct gsym_mk_out *o, struct logs_text name);
/** Details of a dumpfile element: the numbers of modules and segments. */
void gsym_mk_tip_dump(struct gsym_mk_out *o, const struct gsym_mk_context *c);
/** Details of a module line. */
void gsym_mk_tip_module(struct gsym_mk_out *o,
			const struct gsym_mk_entry *entry);

/** Write E as it is in the log; in HTML with the message about it, if there is
 *  one, as its details. */
void gsym_mk_put_unchanged(struct gsym_mk_out *o,
			   const struct gsym_mk_element *e);

#endif
