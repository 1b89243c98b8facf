/* SPDX-License-Identifier: MIT */
/*
 * xray/flame.h - shared by the files of gsym-xray flame.
 *
 * One walk over the traces fills a tree of calls with a root for each thread,
 * and the lanes of the time line (xray/lanes.h).  Limits keep the page small,
 * whatever the size of the traces.  All functions here die if memory runs out.
 */
#ifndef TOOLS_XRAY_FLAME_H
#define TOOLS_XRAY_FLAME_H

#include "common/html.h"
#include "xray/xray.h"
#include "xray/lanes.h"

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

/* ---- flame_data.c ------------------------------------------------------- */

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

/** A frame of a flame graph. */
struct flame_step {
	/** The number of the node; 0: the frame is for CALLEES hidden callees
	 *  of a node. */
	uint32_t index;
	/** 1 for an outermost function. */
	uint32_t depth;
	/** The number of frames directly below this frame. */
	uint32_t callees;
	/** For hidden callees only CALLS is set. */
	struct gsym_xray_node node;
	/** The left edge, and the width: ticks. */
	uint64_t offset, sum;
};

/** A walk over the frames below ROOT: each before its callees, and callees
 *  with more time first. */
struct flame_walk {
	struct flame_tree *f;
	uint32_t root;
	/* Private: the last node, its depth, and whether all frames below it
	 * are done. */
	uint32_t index, depth;
	bool up;
};

/** Start a walk over the frames below ROOT. */
void flame_walk_init(struct flame_walk *w, struct flame_tree *f,
		     uint32_t root);
/** Store the next frame in RET; false after the last one. */
bool flame_walk_next(struct flame_walk *w, struct flame_step *ret);

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
/** Write the data of the page's script as JSON. */
void flame_data(struct flame *f, struct out *out);
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

/* ---- flame_data.c: text ------------------------------------------------- */

/** The unit of microseconds on pages. */
#define FLAME_MICRO "\xc2\xb5s"
enum { FLAME_DURATION = 32 };
/** Write TICKS to TEXT with four digits and a unit; returns TEXT. */
const char *flame_duration(const struct flame *f, uint64_t ticks,
			   char text[FLAME_DURATION]);
/** The colour of the function NAME, below FLAME_COLOURS. */
unsigned flame_colour(const char *name);

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

#endif /* TOOLS_XRAY_FLAME_H */
