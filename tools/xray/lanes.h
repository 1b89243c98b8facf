/* SPDX-License-Identifier: MIT */
/*
 * xray/lanes.h - the calls of threads over time, within a budget.
 *
 * A lane is what a thread did at one depth of its stack.  As long as there is
 * room every call is kept.  Beyond that short calls that follow each other
 * closely become one entry, with their number and the time that they took:
 * "short" and "closely" is less than a quantum of ticks, which is doubled
 * until everything fits.  What is kept depends on the calls alone, so the
 * same trace always gives the same picture.
 */
#ifndef TOOLS_XRAY_LANES_H
#define TOOLS_XRAY_LANES_H

#include <gsym/xray.h>

enum {
	/** Depths of a thread that have a lane; deeper calls are only
	 *  counted. */
	LANES_DEPTH = 256,
	/** Bytes kept of a custom or typed event. */
	LANES_BYTES = 128,
};

enum {
	LANE_INFERRED = 1,
	LANE_UNFINISHED = 2,
	/** The entry stands for more than one call. */
	LANE_MERGED = 4,
};

/** One call, or several merged ones. */
struct lane_call {
	uint64_t start, end;
	/** Function of the longest of the calls. */
	uint64_t longest;
	/** Total time of the calls, in ticks. */
	uint64_t busy;
	uint64_t calls;
	/** Time of the longest call, in ticks. */
	uint32_t function;
	unsigned flags;
};

struct lane {
	struct lane_call *items;
	size_t count, capacity;
	bool unsorted;
};

/** One custom or typed event, or several merged ones. */
struct lane_mark {
	uint64_t time;
	uint64_t count;
	/** Number of bytes of the event; LOST: the trace lacks the bytes. */
	uint32_t size;
	bool typed, lost;
	uint16_t type;
	uint8_t data[LANES_BYTES];
};

struct lane_thread {
	struct lane *lanes;
	uint32_t depth, capacity;
	struct lane_mark *marks;
	size_t mark_count, mark_capacity;
	/** Number of calls deeper than LANES_DEPTH. */
	uint64_t deeper;
};

struct lanes {
	struct lane_thread *threads;
	uint32_t thread_count;
	/** Number of entries, and the budget for them. */
	size_t count, budget, mark_count, mark_budget;
	/** Calls and events shorter than this, or closer to each other, may be
	 *  merged; in ticks; 0: none was merged. */
	uint64_t quantum, mark_quantum;
};

/** Prepare L for THREADS threads.  Exits without memory. */
void lanes_init(struct lanes *lanes, uint32_t threads, size_t budget,
		size_t mark_budget);
void lanes_fini(struct lanes *lanes);
/** Add a call of a thread from START to END, in ticks. */
void lanes_call(struct lanes *lanes, uint32_t thread,
		const struct gsym_xray_call *call, uint64_t start,
		uint64_t end);
/** Add a custom or typed event. */
void lanes_mark(struct lanes *lanes, uint32_t thread,
		const struct gsym_xray_event *event, uint64_t time);
/** Sort the entries, after the last was added. */
void lanes_finish(struct lanes *lanes);

#endif /* TOOLS_XRAY_LANES_H */
