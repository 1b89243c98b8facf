/* SPDX-License-Identifier: MIT */
/*
 * xray/lanes.h - the calls of threads over time, within a budget.
 *
 * A lane holds the calls of a thread at one depth of its stack.  While there
 * is room, each call has an entry of its own.  After that, calls shorter than
 * a quantum of ticks that follow each other within a quantum share an entry,
 * which has their number and the sum of their times.  The quantum is doubled
 * until the entries fit.  The entries depend on the calls alone, so the same
 * trace always gives the same page.
 */
#ifndef TOOLS_XRAY_LANES_H
#define TOOLS_XRAY_LANES_H

#include <gsym/xray.h>

#include "base/vec.h"

enum {
	/** The number of lanes of a thread; deeper calls are only counted. */
	LANES_DEPTH = 256,
	/** The most bytes of an event's data that are kept. */
	LANES_BYTES = 128,
};

/** Flags of an entry; also in the page's data, for its script. */
enum {
	LANE_INFERRED = 1,   /**< the exit of a call is missing */
	LANE_UNFINISHED = 2, /**< a call did not end */
	LANE_MERGED = 4,     /**< more than one call */
};

/** An entry of a lane: a call, or several. */
struct lane_call {
	/** The first start and the last end. */
	uint64_t start, end;
	/** The duration of the longest call, and its function. */
	uint64_t longest;
	uint32_t function;
	unsigned flags;
	/** The number of calls, and the sum of their durations. */
	uint64_t calls;
	uint64_t busy;
};

struct lane {
	GSYM_VEC(struct lane_call);
	/** ITEMS are not in the order of their starts. */
	bool unsorted;
};

/** A custom or typed event, or the first of several that share the mark. */
struct lane_mark {
	uint64_t time;
	uint64_t count;
	/** Bytes of data; DATA has the first ones. */
	uint32_t size;
	/** A typed event; the trace does not have its data. */
	bool typed, lost;
	uint16_t type;
	uint8_t data[LANES_BYTES];
};

struct lane_thread {
	/** By depth. */
	struct {
		GSYM_VEC(struct lane);
	} lanes;
	struct {
		GSYM_VEC(struct lane_mark);
	} marks;
	/** Calls at depth LANES_DEPTH and below. */
	uint64_t deeper;
};

struct lanes {
	struct lane_thread *threads;
	uint32_t thread_count;
	/** The number of entries and marks of all threads, and their limits. */
	size_t count, budget, mark_count, mark_budget;
	/** The quanta of entries and marks, in ticks; 0: each call, or event,
	 * has an entry of its own. */
	uint64_t quantum, mark_quantum;
};

/** Start with THREADS threads; at most BUDGET entries and MARK_BUDGET marks
 *  are kept.  All functions here die if memory runs out. */
void lanes_init(struct lanes *lanes, uint32_t threads, size_t budget,
		size_t mark_budget);
void lanes_fini(struct lanes *lanes);
/** Add CALL, from START to END, to thread number THREAD.  The calls of a
 *  thread come in the order of their ends. */
void lanes_call(struct lanes *lanes, uint32_t thread,
		const struct gsym_xray_call *call, uint64_t start,
		uint64_t end);
/** Add the custom or typed EVENT at TIME to thread number THREAD. */
void lanes_mark(struct lanes *lanes, uint32_t thread,
		const struct gsym_xray_event *event, uint64_t time);
/** Sort all entries and marks by time, once everything is added. */
void lanes_finish(struct lanes *lanes);

#endif /* TOOLS_XRAY_LANES_H */
