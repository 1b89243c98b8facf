/* SPDX-License-Identifier: MIT */
/*
 * xray/spread.h - durations of calls as mean times of batches, and the test if
 * those of two traces differ.
 *
 * Durations of calls that follow each other resemble each other: a cache is
 * cold or warm, a processor is fast or slow for a while.  Tests of single
 * durations take such a while for a difference.  So the calls of a function are
 * cut into batches of equally many consecutive calls, and the mean times of the
 * batches are compared.  A batch is one call as long as there are few calls.
 */
#ifndef TOOLS_XRAY_SPREAD_H
#define TOOLS_XRAY_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/** The most batches.  When there are more, each two of them become
	 *  one. */
	SPREAD_BATCHES = 64,
	/** With fewer batches on a side nothing can be said. */
	SPREAD_FEWEST = 8,
};

/** The durations of calls.  Zeroed: there are none. */
struct spread {
	/** Of the present trace: the sums of the batches, the calls of each of
	 *  them, and the sum and number of the calls after the last one. */
	uint64_t *sums;
	uint32_t batches, room;
	uint64_t size, part, part_calls;
	/** The mean times of the batches of all complete traces. */
	double *means;
	uint32_t count, capacity;
	/** The sum and the number of the calls of all traces. */
	uint64_t sum, calls;
	/** The lowest and the highest middle of a trace, and the number of
	 *  traces with calls. */
	double low, high;
	uint32_t runs;
};

/** Add a call that took TICKS.  Dies if memory runs out. */
void spread_add(struct spread *s, uint64_t ticks);
/** All calls of a trace have been added; those of another may follow.  Has to
 *  be called before any function below. */
void spread_end_run(struct spread *s);
void spread_fini(struct spread *s);
/** The typical time of a call, in ticks: the median of the mean times of the
 *  batches; with fewer than SPREAD_FEWEST batches the mean time of all calls.
 *  0 without calls.  Calls that were interrupted for long move a mean time, and
 *  hardly this. */
double spread_middle(const struct spread *s);

/** Compare A and B, whose ticks are multiplied by SCALE_A and SCALE_B, by the
 *  rank-sum test of Mann and Whitney.  Returns the probability of a difference
 *  as large as theirs between batches of one distribution, or -1 if one of them
 *  has fewer than SPREAD_FEWEST batches. */
double spread_compare(const struct spread *a, double scale_a,
		      const struct spread *b, double scale_b);
/** The largest difference between the middles of two traces of S, in ticks; 0
 *  if only one trace has calls. */
double spread_range(const struct spread *s);

/** The largest probability, of the COUNT at P, that counts as a difference so
 *  that among the differences found at most the part RATE is expected to be
 *  found by chance (Benjamini and Hochberg); negative if none does.  Sorts
 *  P. */
double spread_limit(double *p, size_t count, double rate);

#endif /* TOOLS_XRAY_SPREAD_H */
