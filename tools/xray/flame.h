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
	/** Threads that are shown one by one; the others are together. */
	FLAME_THREADS = 256,
	/** Stacks that are kept, and that are shown. */
	FLAME_STACKS = 1 << 20,
	FLAME_NODES = 50000,
	/** What the time line keeps. */
	FLAME_CALLS = 100000,
	FLAME_MARKS = 10000,
	/** Bytes of a name. */
	FLAME_NAME = 4000,
	/** Colours of frames. */
	FLAME_COLOURS = 16,
};

/** A tree whose least nodes are left out; sorted. */
struct flame_tree {
	const struct gsym_xray_tree *tree;
	/** Self time of a node and of all below it. */
	uint64_t *sums;
	/** The same of what is left of it. */
	uint64_t *offsets;
	/** Nodes with smaller sums are left out; 0: none is. */
	uint64_t least;
};

/** Show at most BUDGET nodes of TREE.  Dies without memory. */
void flame_tree_init(struct flame_tree *f, struct gsym_xray_tree *tree,
		     uint32_t budget);
void flame_tree_fini(struct flame_tree *f);

/** A step of a walk, callers first, then callees with the greatest total
 *  first. */
struct flame_step {
	/** The node; 0: the CALLEES of a node that were left out. */
	uint32_t index;
	uint32_t depth;
	/** How many steps its callees are. */
	uint32_t callees;
	struct gsym_xray_node node;
	/** Where it starts, and how long it is, with all that it calls. */
	uint64_t offset, sum;
};

struct flame_walk {
	struct flame_tree *f;
	uint32_t root, index, depth;
	bool up;
};

/** Walk over what is below ROOT. */
void flame_walk_init(struct flame_walk *w, struct flame_tree *f,
		     uint32_t root);
bool flame_walk_next(struct flame_walk *w, struct flame_step *ret);

/** A thread of a process, or all those that have no place of their own. */
struct flame_thread {
	uint64_t calls;
	/** Its root in the tree; 0: no call. */
	uint32_t root;
	char name[64];
};

struct flame {
	struct xray *x;
	/** Ticks a second, and all ticks there are; ticks are nanoseconds if
	 *  traces have different clocks. */
	uint64_t frequency, span;
	struct flame_thread *threads;
	uint32_t thread_count;
	/** Those that are shown one by one, and how many the last of THREADS
	 *  stands for. */
	uint32_t shown, other_threads;
	struct flame_tree by_thread, whole;
	struct lanes lanes;
	struct gsym_xray_repairs repairs;
	uint64_t calls;
	/** Calls that the trees have no node for. */
	uint64_t merged;
	/** Functions that are shown, by id. */
	uint32_t *functions;
	uint32_t function_count;
	char *title, *summary;
};

/** xray/flame_text.c: TICKS with four digits and a unit, written to TEXT. */
enum { FLAME_DURATION = 32 };
const char *flame_duration(const struct flame *f, uint64_t ticks,
			   char text[FLAME_DURATION]);
/** The colour of the function called NAME. */
unsigned flame_colour(const char *name);

/** TEXT as text of HTML and XML; at most LIMIT characters (0: all). */
void flame_escape(struct out *out, const char *text, size_t limit);
/** LINES of one of our own files. */
void flame_lines(struct out *out, const char *const *lines);

/** xray/flame_svg.c: the frames as an image; one of its own, or as a part of
 *  a page. */
void flame_svg(struct flame *f, bool alone);
/** xray/flame_data.c: everything, for the script. */
void flame_data(struct flame *f, struct out *out);
/** xray/flame_page.c: the page. */
void flame_page(struct flame *f);

/** The files in tools/xray/flame, which the build makes arrays of lines of. */
extern const char *const flame_page_html[], *const flame_colours_css[],
	*const flame_page_css[], *const flame_common_js[],
	*const flame_graph_js[], *const flame_timeline_js[],
	*const flame_view_js[];

#endif /* TOOLS_XRAY_FLAME_H */
