/* SPDX-License-Identifier: MIT */
/*
 * dwarf/paint.h - which function or inlined call of a unit is on top at each
 * address.
 *
 * The ranges of all nodes are painted in DIE order, so that children cover
 * their parents and later DIEs earlier ones.  The node on top and the nodes
 * that it was inlined into are the frames; a node's extent is where it or
 * something inlined into it is on top.  Extents nest: a child's lie within
 * its parent's, and siblings' do not overlap, whatever the DIEs say.
 */
#ifndef GSYM_DWARF_PAINT_H
#define GSYM_DWARF_PAINT_H

#include "dwarf/unit.h"

/** A stretch of a node's extent. */
struct dw_stretch {
	struct gsym_range range;
	uint32_t node;
};

/** The extents of a unit's nodes.  A zeroed struct is empty; it can be
 *  filled again and again. */
struct dw_extents {
	/** All stretches, by root (the function that the node is in), then by
	 *  start; a node's own neither overlap nor run into each other but
	 *  where they touch. */
	struct { GSYM_VEC(struct dw_stretch); } stretches;
	/** By node: the function that it is in, itself for functions. */
	struct { GSYM_VEC(uint32_t); } root;
	/** By node: for a root, its first stretch; those of the next node
	 *  follow.  One more at the end. */
	struct { GSYM_VEC(uint32_t); } first;
	/** Memory for painting. */
	struct { GSYM_VEC(struct dw_stretch); } sorted;
	struct { GSYM_VEC(uint32_t); } stack;
};

/** Paint the nodes of UNIT.  Calls outside their callers become a warning.
 *  False without memory. */
bool gsym_dw_extents_paint(struct dw_unit *unit, struct dw_extents *extents);
void gsym_dw_extents_fini(struct dw_extents *extents);

#endif
