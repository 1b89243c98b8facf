/* SPDX-License-Identifier: MIT */
/*
 * filter/filter.h - the state of a filter, put together from its parts, and the
 * way of a line.
 *
 *	filter.c	the public functions; time; bytes to lines, of which
 *			those without elements go straight to the host
 *	line.c		the way of a line; lines with elements
 *	logs.c		lines without: facts are applied, frames get answers;
 *			reports in JSON
 *
 * What is special about a form of backtraces stands in its row: see
 * logs/dialect.h.
 */
#ifndef GSYM_FILTER_FILTER_H
#define GSYM_FILTER_FILTER_H

#include "filter/queue.h"
#include "filter/read.h"
#include "render/render.h"
#include "render/scene.h"

/* ---- lines ---------------------------------------------------------- */

/** Write the output for the line at hand, in our own style. */
void gsym_filter_do_line(struct gsym_markup *f);
/** Handle the lines at the head of the queue that wait for nothing.  ALL: end
 *  all waits.  The line at hand is the same after that, but its process has to
 *  be chosen again. */
void gsym_filter_dequeue(struct gsym_markup *f, bool all);

/* ---- backtraces without markup ---------------------------------------- */

/** The size of the array of FILTER_ANSWERS answers, which does not change where
 *  tests set that limit to 1. */
enum { FILTER_ROOM_ANSWERS = 4096 };

/** What a filter needs for backtraces without markup. */
struct filter_logs {
	struct filter_reader reader;
	struct stacks_answer answers[FILTER_ROOM_ANSWERS];
	size_t answer_count;
	struct queue queue;
	/** Reports in JSON: where the object begins whose answer, or none, is
	 *  the first of ANSWERS; NULL: no object. */
	const char *object;
};

/** What F needs for backtraces without markup, with pointers to other parts of
 *  F; NULL without memory. */
struct filter_logs *gsym_filter_logs_new(struct gsym_markup *f);
void gsym_filter_logs_free(struct filter_logs *logs);
/** Read the line at hand.  If frames of it have answers, write it; if it has to
 *  wait for a later line, put it into the queue.  Returns whether one of both
 *  was done. */
bool gsym_filter_logs_line(struct gsym_markup *f);
/** Read the line at hand, unless it is read. */
void gsym_filter_logs_read(struct gsym_markup *f);

/* ---- the filter ----------------------------------------------------- */

/** A line whose end has not come yet. */
struct filter_partial {
	struct mk_text text;
	/** The time when the first byte of TEXT came. */
	uint64_t since;
	/** The first part of the line was written already, so nothing else may
	 *  be written before the end of the line. */
	bool continued;
};

struct gsym_markup {
	struct gsym_markup_options options;
	struct mk_host host;
	/** The style is llvm-symbolizer's. */
	bool llvm;
	bool finished;

	struct filter_partial partial;
	struct mk_line line;
	struct mk_headers headers;
	/** There was no memory for the process of the line at hand. */
	bool lost_process;
	struct mk_processes processes;
	struct judge judge;
	struct scene scene;

	/** The output of the log, and what all outputs share. */
	struct mk_out out;
	struct mk_page page;
	/** NULL: only markup is read. */
	struct filter_logs *logs;

	struct mk_clock clock;
};

/** Free what the line at hand made the filter forget, and forget what is too
 *  much: modules, processes, and answers of the host.  This is the one place
 *  where such things are freed, and it is called between two lines alone.  So a
 *  pointer to one of them is valid until the line at hand ends. */
void gsym_filter_tidy(struct gsym_markup *f);

/** Whether lines wait in the queue. */
static inline bool filter_has_waiting(const struct gsym_markup *f)
{
	return f->logs && !filter_is_queue_empty(&f->logs->queue);
}

/** P is the process of the line at hand. */
static inline void filter_set_process(struct gsym_markup *f,
				      struct mk_process *p)
{
	f->line.process = f->page.process = p;
}

/** The line at hand and its answers, for renderers.  Valid while the line is at
 *  hand. */
static inline struct render filter_render(struct gsym_markup *f)
{
	return (struct render){
		.host = &f->host,
		.out = &f->out,
		.options = &f->options.logs,
		.line = &f->line,
		.answers = f->logs->answers,
		.count = f->logs->answer_count,
		.state = f->line.process->log,
	};
}

#endif
