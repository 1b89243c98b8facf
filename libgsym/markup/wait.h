/* SPDX-License-Identifier: MIT */
/*
 * markup/wait.h - what lines wait for, and for how long.
 */
#ifndef GSYM_MARKUP_WAIT_H
#define GSYM_MARKUP_WAIT_H

#include "markup/text.h"

/* ---- why lines wait --------------------------------------------------- */

/** The rows of the table of reasons, which gsym-markup(1) shows.  For each: its
 *  name; how many lines and bytes wait at most; and for how many milliseconds
 *  after the first line, and after the last one.  0: without end. */
#define GSYM_MK_REASONS(reason)                                                \
	/* A line whose end has not come. */                                   \
	reason(LINE, 1, GSYM_LIMIT(1u << 20, 512), 1000, 0)                    \
	/* Module lines: each line is one range of memory.  Since the last     \
	 * line of their process. */                                           \
	reason(MODULES, GSYM_LIMIT(1u << 16, 1), 0, 0, 200)                    \
	/* An element of several lines. */                                     \
	reason(ELEMENT, GSYM_LIMIT(256u, 1), GSYM_LIMIT(64u << 10, 64), 2000,  \
	       0)                                                              \
	/* The first frame of a kernel's report: for the release, and for what \
	 * shows the build. */                                                 \
	reason(RELEASE, GSYM_LIMIT(32u, 1), GSYM_LIMIT(256u << 10, 256), 200,  \
	       0)                                                              \
	/* A stack: for its end, as any frame may show another build. */       \
	reason(BUILD, GSYM_LIMIT(256u, 1), GSYM_LIMIT(256u << 10, 256), 200,   \
	       0)                                                              \
	/* Frames, or a report in JSON: for the images, the modules, or the    \
	 * map of memory. */                                                   \
	reason(LIST, GSYM_LIMIT(1u << 18, 1), GSYM_LIMIT(8u << 20, 256), 5000, \
	       1000)

#define GSYM_MK_REASON_NUMBER(name, ...) GSYM_MK_FOR_##name,
enum gsym_mk_reason { GSYM_MK_REASONS(GSYM_MK_REASON_NUMBER) };

/** At most LINES and BYTES wait; for so many milliseconds since the first line,
 *  and since the last one. */
struct gsym_mk_patience {
	size_t lines, bytes;
	uint64_t since_first, since_last;
};

/** The row of REASON. */
struct gsym_mk_patience gsym_mk_patience(enum gsym_mk_reason reason);

/** What the host told about the time, in milliseconds. */
struct gsym_mk_clock {
	uint64_t now;
	/** Until gsym_markup_clock has something to do; UINT64_MAX: nothing to
	 *  do. */
	uint64_t due;
};

/** Whether lines have waited long enough for REASON, of which the first and the
 *  last came at these times.  If not, CLOCK is due when they have. */
bool gsym_mk_is_overdue(struct gsym_mk_clock *clock, enum gsym_mk_reason reason,
			uint64_t first, uint64_t last);

/* ---- the wait of a process -------------------------------------------- */

struct gsym_mk_wait {
	enum gsym_mk_wait_state {
		GSYM_MK_WAIT_NONE,
		/** Nothing of what the frames need has come. */
		GSYM_MK_WAIT_OPEN,
		/** A part has come, and the next line may have more. */
		GSYM_MK_WAIT_PART,
		/** The wait takes no more lines, and some of its lines are
		 *  still in the queue. */
		GSYM_MK_WAIT_OVER,
	} state;
	enum gsym_mk_reason reason;
	/** The form of the frames that wait. */
	const struct logs_dialect *dialect;
	/** The lines are of a report in JSON, which stands in REPORT once the
	 *  wait is over. */
	bool json;
	struct gsym_mk_text report;
	/** Taken lines, and their bytes; the lines that are still in the
	 *  queue, and the bytes of those that have left. */
	size_t lines, bytes, left, dequeued;
	/** When the first and the last of them came. */
	uint64_t first, last;
};

#endif
