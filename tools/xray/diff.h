/* SPDX-License-Identifier: MIT */
/*
 * xray/diff.h - shared by the files of gsym-xray diff, which compares traces of
 * two builds of a program.
 *
 * Functions have other numbers in another build, so they are compared by name.
 * One walk over the traces of each side fills a tree of stacks, common to both
 * sides, and a list of functions.
 */
#ifndef TOOLS_XRAY_DIFF_H
#define TOOLS_XRAY_DIFF_H

#include "common/report.h"
#include "xray/xray.h"

/* ---- durations ----------------------------------------------------------- */

/*
 * Durations of calls as mean times of batches, and the test if those of two
 * traces differ.
 *
 * Durations of calls that follow each other resemble each other: a cache is
 * cold or warm, a processor is fast or slow for a while.  Tests of single
 * durations take such a while for a difference.  So the calls of a function are
 * cut into batches of equally many consecutive calls, and the mean times of the
 * batches are compared.  A batch is one call as long as there are few calls.
 */
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
void diff_spread_add(struct spread *s, uint64_t ticks);
/** All calls of a trace have been added; those of another may follow.  Has to
 *  be called before any function below. */
void diff_spread_end_run(struct spread *s);
void diff_spread_fini(struct spread *s);
/** The typical time of a call, in ticks: the median of the mean times of the
 *  batches; with fewer than SPREAD_FEWEST batches the mean time of all calls.
 *  0 without calls.  Calls that were interrupted for long move a mean time, and
 *  hardly this. */
double diff_spread_middle(const struct spread *s);

/** Compare A and B, whose ticks are multiplied by SCALE_A and SCALE_B, by the
 *  rank-sum test of Mann and Whitney.  Returns the probability of a difference
 *  as large as theirs between batches of one distribution, or -1 if one of them
 *  has fewer than SPREAD_FEWEST batches. */
double diff_spread_compare(const struct spread *a, double scale_a,
		      const struct spread *b, double scale_b);
/** The largest difference between the middles of two traces of S, in ticks; 0
 *  if only one trace has calls. */
double diff_spread_range(const struct spread *s);

/** The largest probability, of the COUNT at P, that counts as a difference so
 *  that among the differences found at most the part RATE is expected to be
 *  found by chance (Benjamini and Hochberg); negative if none does.  Sorts
 *  P. */
double diff_spread_limit(double *p, size_t count, double rate);

/* ---- rows --------------------------------------------------------------- */

enum {
	/** The sides: the traces before and after the change. */
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_SIDES,
	/** The most stacks in memory, and on a page. */
	DIFF_STACKS = 1 << 18,
	DIFF_NODES = 20000,
	/** The most functions in the table of a page. */
	DIFF_ROWS = 500,
	/** Changes of less percent are noise, unless --noise says else: if each
	 *  side has several traces, and if not.  Runs of one program differ by
	 *  as much, because processors and caches do. */
	DIFF_NOISE = 5,
	DIFF_NOISE_ONE = 15,
};

/** The calls of a function or of a stack, on one side.  Times in ticks. */
struct diff_calls {
	uint64_t calls;
	/** With and without the functions that they called.  The total of a
	 *  function is that of its outermost calls. */
	uint64_t total, self;
	/** Calls whose end is not in the trace.  CALLS and times count them,
	 *  the test does not. */
	uint64_t inexact;
	/** The self times of the calls. */
	struct spread spread;
};

/** What is said of the time of a call. */
enum diff_time {
	DIFF_TIME_SAME,
	DIFF_TIME_SLOWER,
	DIFF_TIME_FASTER,
	/** There are too few calls to tell. */
	DIFF_TIME_FEW,
	/** One side has no calls. */
	DIFF_TIME_NEW,
	DIFF_TIME_GONE,
};

/** What is said of the number of calls. */
enum diff_count { DIFF_COUNT_SAME, DIFF_COUNT_MORE, DIFF_COUNT_FEWER };

/** A function or a stack, on both sides. */
struct diff_row {
	/** The number of the function's name in DIFF->names. */
	uint32_t name;
	/** Of a stack: its caller, which comes before it; 0: it has none. */
	uint32_t caller;
	struct diff_calls sides[DIFF_SIDES];
	enum diff_time time;
	enum diff_count count;
	/** diff_spread_compare. */
	double p;
};

struct diff_rows {
	GSYM_VEC(struct diff_row);
};

struct diff {
	struct xray *sides[DIFF_SIDES];
	/** Nanoseconds of a tick; if a frequency is not known, 1, and IN_TICKS
	 *  is true. */
	double scales[DIFF_SIDES];
	bool in_ticks;
	/** --noise, in percent. */
	double noise;
	/** The names of functions, and by the number of the name the functions
	 *  and their places ("": not known). */
	struct gsym_intern names;
	struct diff_rows functions;
	struct {
		GSYM_VEC(char *);
	} places;
	/** The stacks, by the number of the key (caller, name).  Stack 0 is the
	 *  caller of outermost functions. */
	struct gsym_intern edges;
	struct diff_rows stacks;
	/** Calls whose stack found no room in STACKS: they count for the
	 *  stack of their caller. */
	uint64_t merged;
	struct gsym_xray_repairs repairs[DIFF_SIDES];
};

/* ---- diff_judge.c -------------------------------------------------------- */

/** Judge all ROWS.  The more rows are tested, the surer a difference must
 *  be. */
void diff_judge(const struct diff *d, struct diff_rows *rows);
/** Whether the change from one side of ROW to the other is beyond the noise. */
bool diff_is_beyond(const struct diff_row *row);
/** The group of ROW in a table: 0, beyond the noise; 1, within; 2, too few
 *  calls on a side to tell. */
int diff_group(const struct diff_row *row);
/** The headings of the groups. */
extern const char *const diff_groups[3];
/** "slower, more calls": what is said of ROW. */
const char *diff_verdict(const struct diff_row *row);
/** TICKS of all traces of a SIDE in nanoseconds, or as they are, in a trace on
 *  average. */
double diff_time_of(const struct diff *d, int side, uint64_t ticks);
/** The typical self time of a call of ROW on SIDE; see diff_spread_middle. */
double diff_call(const struct diff *d, const struct diff_row *row, int side);
/** The calls of ROW on SIDE, in a trace on average. */
double diff_calls(const struct diff *d, const struct diff_row *row, int side);
/** The self time of these calls, if all took the typical time. */
double diff_self(const struct diff *d, const struct diff_row *row, int side);
/** diff_self after the change minus that before. */
double diff_change(const struct diff *d, const struct diff_row *row);

/** The numbers of ROWS, malloc'ed: first those that are beyond the noise, then
 *  the other ones, then those with too few calls; of each kind the largest
 *  changes first.  *COUNT is the number of rows with calls. */
uint32_t *diff_order(const struct diff *d, const struct diff_rows *rows,
		     uint32_t *count);

/* ---- diff.c, diff_page.c ------------------------------------------------- */

/** Write the table, or the lines of JSON. */
void diff_text(struct diff *d);
void diff_json(struct diff *d);
/** Write the page. */
void diff_page(struct diff *d);

#endif /* TOOLS_XRAY_DIFF_H */
