/* SPDX-License-Identifier: MIT */
/*
 * markup/filter.h - the state of a filter, put together from its parts, and the
 * way of a line.
 *
 *	filter.c	the public functions; time; bytes to lines, of which
 *			those without elements go straight to the host
 *	line.c		the way of a line; lines with elements
 *	llvm.c		lines with elements in llvm-symbolizer's style
 *	present.c	symbol, data, dumpfile; chooses among these:
 *	code.c		pc, bt
 *	hexdict.c	hexdict
 */
#ifndef GSYM_MARKUP_FILTER_H
#define GSYM_MARKUP_FILTER_H

#include "markup/logs.h"
#include "markup/place.h"

/* ---- lines ---------------------------------------------------------- */

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
	struct gsym_markup_options options;
	struct gsym_mk_host host;
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
	struct gsym_mk_judge judge;
	/** Hexdict elements of the line whose footnotes are still to be
	 * written. */
	struct gsym_mk_text footnotes;
	/** llvm-symbolizer's style: the module whose line has no end yet. */
	struct gsym_mk_module *open_module;

	/** The output of the log; that of a line which module lines have to
	 *  precede; and what they share. */
	struct gsym_mk_out out, mixed;
	struct gsym_mk_page page;
	/** NULL: only markup is read. */
	struct gsym_mk_logs *logs;

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

/** P is the process of the line at hand. */
static inline void gsym_mk_set_process(struct gsym_markup *f,
				       struct gsym_mk_process *p)
{
	f->process = f->page.process = f->judge.process = p;
}

/* ---- what is shown in place of an element --------------------------- */

/** Write the output for E; false if E is to be written as it is in the log. */
bool gsym_mk_present(struct gsym_markup *f, struct gsym_mk_out *o,
		     const struct gsym_mk_element *e);

void gsym_mk_present_pc(struct gsym_markup *f, struct gsym_mk_out *o,
			const struct gsym_mk_element *e);
void gsym_mk_present_bt(struct gsym_markup *f, struct gsym_mk_out *o,
			const struct gsym_mk_element *e);

#endif
