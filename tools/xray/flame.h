/* SPDX-License-Identifier: MIT */
/*
 * xray/flame.h - the parts of gsym-xray flame.
 *
 * One walk over the traces fills a tree of calls with a root for each thread
 * and the lanes of the time line (xray/lanes.h).  What is written is bounded
 * by budgets, whatever the size of the trace.
 */
#ifndef TOOLS_XRAY_FLAME_H
#define TOOLS_XRAY_FLAME_H

#include "xray/xray.h"
#include "xray/lanes.h"

enum {
	/** Threads that have a place of their own; all others share one. */
	FLAME_THREADS = 256,
	/** Nodes of the tree, and nodes that the page shows. */
	FLAME_STACKS = 1 << 20,
	FLAME_NODES = 50000,
	/** Entries of the time line: calls, and events. */
	FLAME_CALLS = 100000,
	FLAME_MARKS = 10000,
	/** Bytes of a name that are shown. */
	FLAME_NAME = 4000,
	/** Colours of frames. */
	FLAME_COLOURS = 16,
};

/** A sorted tree in which the nodes with the least time are left out. */
struct flame_tree {
	const struct gsym_xray_tree *tree;
	/** By node: self time of the node and of all its descendants. */
	uint64_t *sums;
	/** By node: the time to its left, of earlier siblings. */
	uint64_t *offsets;
	/** Nodes with smaller sums are left out; 0: no node is left out. */
	uint64_t least;
};

/** Prepare F to show at most BUDGET nodes of TREE.  Exits without memory. */
void flame_tree_init(struct flame_tree *f, struct gsym_xray_tree *tree,
		     uint32_t budget);
void flame_tree_fini(struct flame_tree *f);

/** A step of a walk.  Callers come before their callees, and callees with a
 *  greater total before others. */
struct flame_step {
	/** The node; 0: the step stands for the callees that were left out. */
	uint32_t index;
	uint32_t depth;
	/** Number of steps that its callees take. */
	uint32_t callees;
	struct gsym_xray_node node;
	/** Start of the frame and its length with all callees, in ticks. */
	uint64_t offset, sum;
};

struct flame_walk {
	struct flame_tree *f;
	uint32_t root, index, depth;
	bool up;
};

/** Start a walk over the descendants of ROOT. */
void flame_walk_init(struct flame_walk *w, struct flame_tree *f,
		     uint32_t root);
bool flame_walk_next(struct flame_walk *w, struct flame_step *ret);

/** A thread of a process, or all threads without a place of their own. */
struct flame_thread {
	uint64_t calls;
	/** Root of the thread in the tree; 0: the thread has no call. */
	uint32_t root;
	char name[64];
};

struct flame {
	struct xray *x;
	/** Ticks per second, and the length of all traces in ticks.  If the
	 *  traces have different clocks, a tick is a nanosecond. */
	uint64_t frequency, span;
	struct flame_thread *threads;
	uint32_t thread_count;
	/** Number of threads with a place of their own, and of threads that the
	 *  last of THREADS stands for. */
	uint32_t shown, other_threads;
	struct flame_tree by_thread, whole;
	struct lanes lanes;
	struct gsym_xray_repairs repairs;
	uint64_t calls;
	/** Calls without a node, because the tree was full. */
	uint64_t merged;
	/** The shown functions, sorted by number. */
	uint32_t *functions;
	uint32_t function_count;
	char *title, *summary;
};

/** xray/flame_text.c: TICKS with four digits and a unit, written to TEXT. */
enum { FLAME_DURATION = 32 };
const char *flame_duration(const struct flame *f, uint64_t ticks,
			   char text[FLAME_DURATION]);
/** xray/flame_text.c: the colour, below FLAME_COLOURS, of function NAME. */
unsigned flame_colour(const char *name);

/** xray/flame_text.c: write TEXT escaped for HTML and XML; at most LIMIT
 *  characters (0: all). */
void flame_escape(struct out *out, const char *text, size_t limit);
/** xray/flame_text.c: write the LINES of a file of tools/xray/flame. */
void flame_lines(struct out *out, const char *const *lines);

/** xray/flame_svg.c: write the frames as an SVG image, ALONE or as a part of a
 *  page. */
void flame_svg(struct flame *f, bool alone);
/** xray/flame_data.c: write all data of the page as JSON, for its script. */
void flame_data(struct flame *f, struct out *out);
/** xray/flame_page.c: write the page. */
void flame_page(struct flame *f);

/** The files in tools/xray/flame.  The build turns each into an array of
 *  lines. */
extern const char *const flame_page_html[], *const flame_colours_css[],
	*const flame_page_css[], *const flame_common_js[],
	*const flame_graph_js[], *const flame_timeline_js[],
	*const flame_view_js[];

#endif /* TOOLS_XRAY_FLAME_H */
