/* SPDX-License-Identifier: MIT */
/*
 * markup/filter.h - the state of a filter, put together from its parts, and
 * the way of a line.
 *
 *	filter.c	the public functions; time; bytes to lines, of which
 *			those without elements go straight to the host
 *	line.c		lines with elements, in our own style
 *	compat.c	lines with elements, in llvm-symbolizer's style
 *	present.c	symbol, data, dumpfile; chooses among these:
 *	code.c		pc, bt
 *	hexdict.c	hexdict
 *	place.c		functions and places; details on pages
 */
#ifndef GSYM_MARKUP_FILTER_H
#define GSYM_MARKUP_FILTER_H

#include "markup/host.h"
#include "markup/logs.h"

/* ---- lines ---------------------------------------------------------- */

/** The line at hand, or a piece of a line that is too long to keep. */
struct gsym_mk_line {
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
	/** Fuchsia's style: a frame of the line was shown. */
	bool framed;
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
/** Write the lines that are held back for what a later line of the log may
 *  tell.  They may be of any process. */
void gsym_mk_release(struct gsym_markup *f);
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

	/** The number of the line at hand, from 1 on. */
	uint64_t line_number;
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
	/** compat.c: the module whose line has no end yet. */
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

/** Details of a pc or bt element in MAPPING; ADDRESS is the one that was looked
 * up. */
void gsym_mk_tip_code(struct gsym_markup *f, struct gsym_mk_out *o,
		      const struct gsym_mk_element *e, uint64_t address,
		      const struct gsym_mk_mapping *mapping,
		      const struct gsym_mk_levels *levels);
/** Details of the frame HIT without markup; ADDRESS is the one that was looked
 *  up. */
void gsym_mk_tip_log(struct gsym_markup *f, struct gsym_mk_out *o,
		     uint64_t address, const struct gsym_mk_log_hit *hit,
		     const struct gsym_mk_levels *levels);
/** Details of a data element in MAPPING. */
void gsym_mk_tip_data(struct gsym_mk_out *o, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *mapping);
/** Details of an element whose address is in no module. */
void gsym_mk_tip_raw(struct gsym_mk_out *o, const struct gsym_mk_element *e);
/** Details of a symbol element: its NAME, which is the linkage name. */
void gsym_mk_tip_symbol(struct gsym_mk_out *o, struct gsym_mk_slice name);
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
