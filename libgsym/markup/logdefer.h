/* SPDX-License-Identifier: MIT */
/*
 * markup/logdefer.h - lines that are deferred: held back until a later line has
 * what their frames need.
 *
 * The first of them begins to wait (gsym_mk_defer_frame, gsym_mk_defer_report).
 * Those after it wait, too (gsym_mk_defer_line), until the last one has what is
 * needed, or is none of them, or until time or room is up.  Then all are
 * released: they become the line at hand one after the other.
 */
#ifndef GSYM_MARKUP_LOGDEFER_H
#define GSYM_MARKUP_LOGDEFER_H

#include "logs/dialect.h"
#include "markup/parse.h"

struct gsym_markup;

/** A line that waits: its size, and its end. */
struct gsym_mk_deferred_line {
	size_t size;
	const char *ending;
	bool crlf;
};

/** What lines wait for. */
enum gsym_mk_defer_until {
	/** Facts that the frames of the dialect wait for. */
	GSYM_MK_UNTIL_FACT,
	/** The end of the list of images of a report in JSON. */
	GSYM_MK_UNTIL_IMAGES,
	/** The end of a stack, whose frames tell symbols of another build. */
	GSYM_MK_UNTIL_END,
};

/** Lines that wait, and how far they are.  Belongs to logdefer.c. */
struct gsym_mk_deferred {
	enum gsym_mk_defer_state {
		/** No line waits. */
		GSYM_MK_DEFERS_NONE,
		/** Nothing of what the lines wait for came. */
		GSYM_MK_DEFERS,
		/** A part of it came, and the next line may have more. */
		GSYM_MK_DEFERS_FOR_MORE,
		/** The lines are being released. */
		GSYM_MK_RELEASES,
	} state;
	struct gsym_mk_text text;
	struct {
		GSYM_VEC(struct gsym_mk_deferred_line);
	} lines;
	enum gsym_mk_defer_until until;
	const struct logs_dialect *dialect;
	/** For how long they wait. */
	const struct logs_wait *wait;
	/** The number of the first line, and the time when the last one came;
	 *  without SILENCE of WAIT, the first one. */
	uint64_t number, since;
	/** The next line to be released, and where its bytes are. */
	size_t next, at;
};

/** If FRAME in the line at hand needs what a later line may tell, defer the
 *  line and return true. */
bool gsym_mk_defer_frame(struct gsym_markup *f, const struct logs_frame *frame);
/** The same for the report that FACT begins in the line at hand. */
bool gsym_mk_defer_report(struct gsym_markup *f, const struct logs_fact *fact);
/** Whether lines wait, and are not being released. */
bool gsym_mk_defers(const struct gsym_markup *f);
/** Let the line at hand wait as well, and return true; *ENOUGH: the lines have
 *  what they need.  If that is not possible, the lines have to be released
 *  before the line at hand is looked at. */
bool gsym_mk_defer_line(struct gsym_markup *f, bool *enough);
/** Begin to release the lines, which may be of any process; and end.  Nothing
 *  that was found out about the line at hand is valid after that.  True if all
 *  lines have to be compared with their symbols before any of them gets an
 *  answer. */
bool gsym_mk_release_begin(struct gsym_markup *f);
void gsym_mk_release_end(struct gsym_markup *f);
/** Make the next of these lines the line at hand; false after the last one,
 *  behind which the first one comes again. */
bool gsym_mk_release_next(struct gsym_markup *f);
/** Compare the line at hand, whose process is known, with its symbols. */
void gsym_mk_release_compare(struct gsym_markup *f);
/** Whether the line at hand is the first one of D, and is released. */
static inline bool gsym_mk_releases_first(const struct gsym_mk_deferred *d)
{
	return d->state == GSYM_MK_RELEASES && d->next == 1;
}
/** Whether the line at hand is released, and of a report in JSON, whose images
 *  are known. */
bool gsym_mk_releases_ips(const struct gsym_markup *f);
/** Lines wait for the milliseconds *PATIENCE from *SINCE on. */
void gsym_mk_defer_time(const struct gsym_markup *f, uint64_t *since,
			uint64_t *patience);
void gsym_mk_deferred_fini(struct gsym_mk_deferred *d);

#endif
