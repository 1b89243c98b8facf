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
#include "markup/line.h"
#include "markup/memo.h"
#include "markup/out.h"
#include "markup/process.h"

/** The start of a line whose end has not come. */
struct gsym_mk_partial {
	struct gsym_mk_text text;
	/** The time when TEXT began. */
	uint64_t since;
	/** The first part of the line went out already, so nothing else may be
	 *  written before its end. */
	bool continued;
};

struct gsym_markup {
	struct gsym_markup_host host;
	struct gsym_markup_options options;
	/** The style is llvm-symbolizer's. */
	bool llvm;
	bool finished;

	/** The number of the line at hand, from 1 on. */
	uint64_t line_number;
	struct gsym_mk_partial partial;
	struct gsym_mk_line line;
	struct gsym_mk_headers headers;
	/** The process of the line at hand.  NULL: it could not be made. */
	struct gsym_mk_process *process;
	struct gsym_mk_processes processes;
	/** The text of hexdict elements whose footnotes come after the line. */
	struct gsym_mk_text footnotes;
	/** compat.c: the module whose line has no end yet. */
	struct gsym_mk_module *open_module;

	struct gsym_mk_out out;
	struct gsym_mk_messages *messages;
	struct gsym_mk_memo *memo;
	/** For the text of one call. */
	struct gsym_mk_text scratch;

	/** The time that the host told last, in milliseconds. */
	uint64_t now;
	/** In how many milliseconds there is something to do; UINT64_MAX:
	 *  nothing. */
	uint64_t due;
};

/** Filter SIZE bytes of the log. */
void gsym_mk_feed(struct gsym_markup *f, const char *bytes, size_t size);
/** Pass a part of the partial line on, as far as no element and no SGR
 *  sequence may have begun in it. */
void gsym_mk_feed_part(struct gsym_markup *f);
/** The log ends: so does the partial line. */
void gsym_mk_feed_end(struct gsym_markup *f);

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
	if (!l->header && known->count && l->size >= known->count &&
	    memcmp(l->at, known->items, known->count) == 0)
		l->header = known->count;
	return l->header;
}

#endif
