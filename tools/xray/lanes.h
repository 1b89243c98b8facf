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
	/** Depths that a thread may have; calls further down are counted. */
	LANES_DEPTH = 256,
	/** Bytes of an event that are kept. */
	LANES_BYTES = 128,
};

enum {
	LANE_INFERRED = 1,
	LANE_UNFINISHED = 2,
	/** More than one call. */
	LANE_MERGED = 4,
};

/** A call, or several. */
struct lane_call {
	uint64_t start, end;
	/** Of the longest of the calls. */
	uint64_t longest;
	/** What all of them took. */
	uint64_t busy;
	uint64_t calls;
	/** That of the longest. */
	uint32_t function;
	unsigned flags;
};

struct lane {
	struct lane_call *items;
	size_t count, capacity;
	bool unsorted;
};

/** A custom or typed event, or several. */
struct lane_mark {
	uint64_t time;
	uint64_t count;
	/** Number of bytes; LOST: they are not in the trace. */
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
	/** Calls that are deeper than LANES_DEPTH. */
	uint64_t deeper;
};

struct lanes {
	struct lane_thread *threads;
	uint32_t thread_count;
	/** What is kept, and may be. */
	size_t count, budget, mark_count, mark_budget;
	/** Calls and events that are shorter, or closer to each other, may have
	 *  been put together; 0: all are there. */
	uint64_t quantum, mark_quantum;
};

/** Room for THREADS threads.  Dies without memory. */
void lanes_init(struct lanes *lanes, uint32_t threads, size_t budget,
		size_t mark_budget);
void lanes_fini(struct lanes *lanes);
/** Add a call of a thread; its times are START and END. */
void lanes_call(struct lanes *lanes, uint32_t thread,
		const struct gsym_xray_call *call, uint64_t start,
		uint64_t end);
/** Add a custom or typed event. */
void lanes_mark(struct lanes *lanes, uint32_t thread,
		const struct gsym_xray_event *event, uint64_t time);
/** Everything is there: put it in order. */
void lanes_finish(struct lanes *lanes);

#endif /* TOOLS_XRAY_LANES_H */
