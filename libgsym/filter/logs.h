/* SPDX-License-Identifier: MIT */
/*
 * filter/logs.h - backtraces without markup: frames of a line get the functions
 * and places that belong to them.
 *
 *	read.h			frames and facts of a line
 *	logs.c			facts are applied, frames get answers
 *	queue.h			lines that wait for later ones
 *	stacks/judge.h		from frames to symbols and addresses
 *	render/render.h		lines with their answers, as they are written
 *	report.c		reports in JSON
 *
 * What is special about a form of backtraces stands in its row: see
 * logs/dialect.h.
 */
#ifndef GSYM_FILTER_LOGS_H
#define GSYM_FILTER_LOGS_H

#include "filter/queue.h"
#include "filter/read.h"
#include "render/render.h"

/* ---- lines of a log ---------------------------------------------------- */

/** GSYM_MK_LOG_ANSWERS for arrays, which have one size whatever the limits
 *  are. */
enum { GSYM_MK_LOG_ROOM_ANSWERS = 4096 };

/** What a filter needs for backtraces without markup. */
struct gsym_mk_logs {
	struct gsym_mk_log_reader reader;
	struct gsym_mk_log_answer answers[GSYM_MK_LOG_ROOM_ANSWERS];
	size_t answer_count;
	struct gsym_mk_queue queue;
	/** Reports in JSON: where the object begins whose answer, or none, is
	 *  the first of ANSWERS; NULL: no object. */
	const char *object;
};

/* ---- lines ------------------------------------------------------------ */

/** What F needs for backtraces without markup, with pointers to other parts of
 *  F; NULL without memory. */
struct gsym_mk_logs *gsym_mk_logs_new(struct gsym_markup *f);
void gsym_mk_logs_free(struct gsym_mk_logs *logs);
/** Read the line at hand.  If frames of it have answers, write it; if it has to
 *  wait for a later line, put it into the queue.  Returns whether one of both
 *  was done. */
bool gsym_mk_logs_line(struct gsym_markup *f);
/** Read the line at hand, unless it is read. */
void gsym_mk_logs_read(struct gsym_markup *f);

/* ---- reports in JSON --------------------------------------------------- */

/** Write the line at hand, a part of the REPORT, with the answers of its
 *  frames, which are objects of JSON; false if there are none. */
bool gsym_mk_log_report(struct gsym_markup *f, const struct logs_dialect *d,
			struct logs_text report);

#endif
