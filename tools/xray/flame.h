/* SPDX-License-Identifier: MIT */
/*
 * xray/flame.h - shared by the files of gsym-xray flame, and of gsym-xray diff,
 * which compares traces of two builds of a program.
 *
 * For flame one walk over the traces fills a tree of calls with a root for each
 * thread, and the lanes of the time line.  Limits keep the page small, whatever
 * the size of the traces.  For diff one walk over the traces of each side fills
 * a tree of stacks, common to both sides, and a list of functions: functions
 * have other numbers in another build, so they are compared by name.  All
 * functions here die if memory runs out.
 */
#ifndef TOOLS_XRAY_FLAME_H
#define TOOLS_XRAY_FLAME_H

#include "base/vec.h"
#include "common/out.h"
#include "xray/xray.h"

/* ---- lanes --------------------------------------------------------------- */

/*
 * The calls of threads over time, within a budget.
 *
 * A lane holds the calls of a thread at one depth of its stack.  While there
 * is room, each call has an entry of its own.  After that, calls shorter than
 * a quantum of ticks that follow each other within a quantum share an entry,
 * which has their number and the sum of their times.  The quantum is doubled
 * until the entries fit.  The entries depend on the calls alone, so the same
 * trace always gives the same page.
 */

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

/** A budget of entries. */
struct lane_budget {
	/** The number of entries of all threads, and its limit. */
	size_t count, most;
	/** In ticks; 0: each call, or event, has an entry of its own. */
	uint64_t quantum;
};

struct lanes {
	struct lane_thread *threads;
	uint32_t thread_count;
	struct lane_budget calls, marks;
};

/* ---- flame.c and flame_page.c -------------------------------------------- */

enum {
	/** The most threads that are shown one by one; all other threads are
	 * shown as one. */
	FLAME_THREADS = 256,
	/** The most nodes of the tree in memory, and of a tree on the page. */
	FLAME_STACKS = 1 << 20,
	FLAME_NODES = 50000,
	/** The most entries of the time line, and the most events. */
	FLAME_CALLS = 100000,
	FLAME_MARKS = 10000,
	/** The most bytes of a function's name. */
	FLAME_NAME = 4000,
	/** The number of colours of frames. */
	FLAME_COLOURS = 16,
};

/** A sorted tree of calls, of which the nodes with the least time are hidden.
 *  The arrays have an element for each node. */
struct flame_tree {
	const struct gsym_xray_tree *tree;
	/** The time of a node in ticks: its self time, and the self times of
	 *  all nodes below it. */
	uint64_t *sums;
	/** The left edge of a node's frame, in ticks: set by a walk. */
	uint64_t *offsets;
	/** Nodes with smaller sums are hidden; 0: none. */
	uint64_t least;
};

/** Sort TREE, and hide nodes so that at most BUDGET are shown. */
void flame_tree_init(struct flame_tree *f, struct gsym_xray_tree *tree,
		     uint32_t budget);
void flame_tree_fini(struct flame_tree *f);

/* ---- the page ------------------------------------------------------------ */

/** A thread of a process.  The last thread may be all threads that are not
 *  shown one by one. */
struct flame_thread {
	uint64_t calls;
	/** The number of the thread's root in the tree BY_THREAD; 0: the thread
	 * has no call. */
	uint32_t root;
	char name[64];
};

struct flame {
	struct xray *x;
	/** Ticks per second (0: not known), and the ticks from time 0 to the
	 *  last event.  If traces have different clocks, ticks are
	 *  nanoseconds. */
	uint64_t frequency, span;
	struct flame_thread *threads;
	uint32_t thread_count;
	/** The SHOWN threads that are shown one by one come first.  If
	 *  OTHER_THREADS is not 0, the last thread is all of these together. */
	uint32_t shown, other_threads;
	/** The calls of each thread, and of all threads together. */
	struct flame_tree by_thread, whole;
	struct lanes lanes;
	struct gsym_xray_repairs repairs;
	uint64_t calls;
	/** Calls that have no node in the trees, which were full. */
	uint64_t merged;
	/** The ids of the functions on the page, sorted. */
	struct {
		GSYM_VEC(uint32_t);
	} functions;
	char *title, *summary;
};

/** Write the frames of all threads as an SVG image.  ALONE: the image is a file
 *  of its own, not a part of a page. */
void flame_svg(struct flame *f, bool alone);
/** Write the page. */
void flame_page(struct flame *f);

/* ---- all pages: flame_page.c --------------------------------------------- */

/** Write the LINES of a page.  The lines "@head@" and "@foot@" become those of
 *  all pages; FILL writes the text for any other line "@NAME@". */
void flame_template(struct out *out, const char *const *lines,
		    void (*fill)(void *context, const char *name),
		    void *context);
/** Write the JSON that WRITE writes as the data of a page's script. */
void flame_embed(struct out *out,
		 void (*write)(void *context, struct out *to), void *context);

/* ---- flame_page.c: text -------------------------------------------------- */

/** The unit of microseconds on pages. */
#define FLAME_MICRO "\xc2\xb5s"
enum { FLAME_DURATION = 32 };
/** Write TICKS to TEXT with four digits and a unit; returns TEXT. */
const char *flame_duration(const struct flame *f, uint64_t ticks,
			   char text[FLAME_DURATION]);

/** The files of tools/xray/flame as arrays of lines, which the build makes;
 *  NULL ends them. */
extern const char *const flame_head_html[], *const flame_foot_html[],
	*const flame_page_html[], *const flame_colours_css[],
	*const flame_page_css[], *const flame_common_js[],
	*const flame_graph_js[], *const flame_frames_js[],
	*const flame_timeline_js[], *const flame_view_js[];
/** And for the page of gsym-xray diff. */
extern const char *const flame_diff_html[], *const flame_diff_css[],
	*const flame_diff_js[];

/* ---- diff: durations ----------------------------------------------------- */

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
	struct {
		GSYM_VEC(uint64_t);
	} sums;
	uint64_t size, part, part_calls;
	/** The mean times of the batches of all complete traces. */
	struct {
		GSYM_VEC(double);
	} means;
	/** The sum and the number of the calls of all traces. */
	uint64_t sum, calls;
	/** The lowest and the highest middle of a trace, and the number of
	 *  traces with calls. */
	double low, high;
	uint32_t runs;
};

/** Add a call that took TICKS.  Dies if memory runs out. */
void diff_spread_add(struct spread *s, uint64_t ticks);
/** All calls of a trace have been added; those of another may follow. */
void diff_spread_end_run(struct spread *s);
void diff_spread_fini(struct spread *s);

/* ---- diff: rows --------------------------------------------------------- */

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
	/** The probability of a difference as large as that of the self times;
	 *  -1: there are too few calls to tell. */
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
/** The typical self time of a call of ROW on SIDE. */
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

/** diff_page.c: write the page. */
void diff_page(struct diff *d);

#endif /* TOOLS_XRAY_FLAME_H */
