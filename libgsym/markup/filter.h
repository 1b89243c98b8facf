/* SPDX-License-Identifier: MIT */
/*
 * markup/filter.h - the state of a filter, put together from its parts, and
 * how bytes become lines.
 *
 *	filter.c	the public functions; time
 *	feed.c		bytes to lines; lines without elements go straight
 *	line.c		lines with elements, in our own style
 *	compat.c	lines with elements, in llvm-symbolizer's style
 */
#ifndef GSYM_MARKUP_FILTER_H
#define GSYM_MARKUP_FILTER_H

#include <gsym/markup.h>

#include "markup/diagnose.h"
#include "markup/header.h"
#include "markup/host.h"
#include "markup/line.h"
#include "markup/logs.h"
#include "markup/memo.h"
#include "markup/out.h"
#include "markup/process.h"

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

	struct gsym_mk_out out;
	struct gsym_mk_messages *messages;
	struct gsym_mk_memo memo;
	struct gsym_mk_answer answer;
	/** NULL: only markup is read. */
	struct gsym_mk_logs *logs;
	/** Scratch for a single function call; and for a text that goes into
	 *  the memo. */
	struct gsym_mk_text scratch, draft;

	/** The time that the host last told, in milliseconds. */
	uint64_t now;
	/** Milliseconds until gsym_markup_clock has something to do;
	 *  UINT64_MAX: nothing to do. */
	uint64_t due;
};

/** Filter SIZE bytes of the log. */
void gsym_mk_feed(struct gsym_markup *f, const char *bytes, size_t size);
/** Pass on the part of the partial line in which no element and no SGR sequence
 *  can have begun. */
void gsym_mk_feed_part(struct gsym_markup *f);
/** End the log, and with it the partial line. */
void gsym_mk_feed_end(struct gsym_markup *f);

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

#endif
