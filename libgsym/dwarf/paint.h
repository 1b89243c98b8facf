/* SPDX-License-Identifier: MIT */
/*
 * dwarf/paint.h - finds the function or inlined call of a unit that is on top
 * at each address.
 *
 * Several ranges may cover an address.  Each lies in an outermost range there,
 * its own or that of a node that its node was inlined into.  On top is the
 * range whose outermost range begins last; of those with the same start the
 * one of the latest DIE.  Of ranges in one outermost range the one that begins
 * last is on top; of those with the same start the one of the latest DIE.  So
 * children cover their parents, and functions that were folded into one range
 * stay whole. Ranges of one node that touch or overlap count as one.
 *
 * The frames at an address are the node on top and the nodes that it was
 * inlined into.  The extent of a node is where it or a call inlined into it is
 * on top.  So extents nest even if the ranges of the DIEs do not: the extent
 * of a child lies within that of its parent, and extents of siblings do not
 * overlap.
 */
#ifndef GSYM_DWARF_PAINT_H
#define GSYM_DWARF_PAINT_H

#include "base/sort.h"
#include "dwarf/unit.h"

/** A stretch of a node's extent. */
struct dw_stretch {
	struct gsym_range range;
	uint32_t node;
};

/** The extents of a unit's nodes.  A zeroed struct is empty, and it can be
 *  filled any number of times. */
struct dw_extents {
	/** All stretches, sorted by root (the function that the node is in),
	 *  then by start.  Stretches of one node do not overlap. */
	struct { GSYM_VEC(struct dw_stretch); } stretches;
	/** By node: its depth below its root. */
	struct { GSYM_VEC(uint32_t); } depth;
	/** By node: its root; a function is its own root. */
	struct { GSYM_VEC(uint32_t); } root;
	/** By node: the first stretch with that root.  One more entry is the
	 *  number of all stretches.  FIRST.COUNT is not set. */
	struct { GSYM_VEC(uint32_t); } first;
	/* Scratch of painting. */
	struct { GSYM_VEC(struct gsym_sort_item); } keys;
	struct { GSYM_VEC(struct dw_stretch); } sorted;
	struct { GSYM_VEC(uint64_t); } stack;
};

/** Fill EXTENTS with those of UNIT's nodes.  Inlined calls outside of their
 *  functions become a warning in UNIT.  The budget of PAYER is used; beyond it,
 *  inlined calls are left out.  False without memory. */
bool gsym_dw_extents_paint(struct dw_unit *unit, struct dw_unit *payer,
			   struct dw_extents *extents);
void gsym_dw_extents_fini(struct dw_extents *extents);

#endif
