/* SPDX-License-Identifier: MIT */
/*
 * markup/logs.h - backtraces without markup: frames of a line get the functions
 * and places that belong to them.
 *
 *	logread.c	frames and facts of a line
 *	logbefore.c	what the line before says about a frame
 *	logs.c		lines: facts are applied, frames get answers
 *	logwait.c	which lines wait for later ones (queue.h)
 *	judge.h		from frames to symbols and addresses
 *	render.h	lines with their answers, as they are written
 *	logreport.c	reports in JSON
 *
 * What is special about a form of backtraces stands in its row: see
 * logs/dialect.h.
 */
#ifndef GSYM_MARKUP_LOGS_H
#define GSYM_MARKUP_LOGS_H

#include "markup/render.h"

/* ---- lines of a log ---------------------------------------------------- */

/** Bytes of a line that are kept for the next line. */
enum { GSYM_MK_LOG_BEFORE = 1024 };

/** Frames of a piece of a line that are read, and frames of a line that get an
 *  answer. */
#define GSYM_MK_LOG_ANSWERS GSYM_LIMIT(4096u, 1)
/** Frames and facts of a line that are read. */
#define GSYM_MK_LOG_ITEMS GSYM_LIMIT(16384u, 4)
/** The same for arrays, which have one size whatever the limits are. */
enum { GSYM_MK_LOG_ROOM_ANSWERS = 4096 };

/** What a filter needs for backtraces without markup. */
struct gsym_mk_logs {
	struct gsym_mk_log_answer answers[GSYM_MK_LOG_ROOM_ANSWERS];
	size_t answer_count;
	struct gsym_mk_queue queue;
	/** What was read last: the items, the texts without wrappings that they
	 *  lie in, and the runs of the view. */
	struct gsym_mk_log_items {
		GSYM_VEC(struct gsym_mk_log_item);
	} items;
	struct gsym_mk_text unwrapped;
	struct logs_run runs[LOGS_RUNS];
	/** The line at hand is the first of a wait that is over. */
	bool at_first_of_wait;
	/** Whether the line at hand has to wait until the build is known was
	 *  found out. */
	bool build_asked;
	/** The last frame was in a line without a number before it, as lines of
	 *  source code have. */
	bool unnumbered;
	/** No words announce the frames of a dialect: addresses alone, and
	 *  lines of maps, may look like anything. */
	bool every_line;
	/** How many of the next lines are looked at whatever is in them. */
	unsigned attention;
	/** The last bytes of the line before the one at hand. */
	char before[GSYM_MK_LOG_BEFORE];
	size_t before_size;
	/** The frame of the report in JSON at hand whose answer, or none, is
	 *  the first of ANSWERS; NULL: no frame. */
	const char *object;
};

/* ---- lines ------------------------------------------------------------ */

/** NULL without memory. */
struct gsym_mk_logs *gsym_mk_logs_new(unsigned logs);
void gsym_mk_logs_free(struct gsym_mk_logs *logs);
/** Keep the SIZE bytes of a line, which the next line is asked about. */
void gsym_mk_logs_keep(struct gsym_mk_logs *logs, const char *at, size_t size);
/** What the line before says about the first frame of the line at hand. */
enum logs_sign gsym_mk_log_sign_before(struct gsym_markup *f);
/** Read the line at hand.  If frames of it have answers, write it; if it has to
 *  wait for a later line, put it into the queue.  Returns whether one of both
 *  was done. */
bool gsym_mk_logs_line(struct gsym_markup *f);
/** The line at hand and its answers, for renderers. */
struct gsym_mk_render gsym_mk_log_render(struct gsym_markup *f);
/** Set READING of the line at hand, which is a whole line, unless it is READ.
 *  Lines are read in the order of the log.  Lines with an element, and very
 *  long ones, have no items.  The items are valid until the next line is
 *  read. */
void gsym_mk_log_read(struct gsym_markup *f);

/* ---- reports in JSON --------------------------------------------------- */

/** Apply what the REPORT in JSON of dialect D says about modules. */
void gsym_mk_log_report_modules(struct gsym_markup *f,
				const struct logs_dialect *d,
				struct logs_text report);
/** Write the line at hand, a part of the REPORT, with the answers of its
 *  frames, which are objects of JSON; false if there are none. */
bool gsym_mk_log_report(struct gsym_markup *f, const struct logs_dialect *d,
			struct logs_text report);

#endif
