/* SPDX-License-Identifier: MIT */
/*
 * breakpad/tree.h - makes the inline tree of a function from ranges of code
 * with levels.  Knows no text.
 */
#ifndef GSYM_BREAKPAD_TREE_H
#define GSYM_BREAKPAD_TREE_H

#include "base/sort.h"
#include "base/vec.h"

#include <gsym/convert.h>

/** One range of an INLINE record, within its function. */
struct bp_inline_range {
	uint64_t start;
	uint64_t end;
	uint32_t level;	 /**< 0: called by the function itself */
	uint32_t record; /**< index of the record */
};

/** A node of the tree.  Node 0 is the function. */
struct bp_node {
	uint32_t record;
	uint32_t parent;
	uint32_t last_child; /**< newest child; 0: none */
	uint32_t previous;   /**< next older sibling; 0: none */
	uint32_t depth;
};

struct bp_node_range {
	struct gsym_range range;
	uint32_t node;
};

/** Input, result and scratch; memory is kept from one function to the next. */
struct bp_tree {
	/** Input, in any order. */
	struct { GSYM_VEC(struct bp_inline_range); } given;
	/** Result; RANGES ascend. */
	struct { GSYM_VEC(struct bp_node); } nodes;
	struct { GSYM_VEC(struct bp_node_range); } ranges;
	uint64_t orphans;  /**< ranges without a parent */
	uint64_t overlaps; /**< ranges over another one of their level */
	uint64_t cut;	   /**< ranges too deep, or in too many pieces */
	/** GIVEN, sorted. */
	struct { GSYM_VEC(struct gsym_sort_item); } order;
	/** Rests of ranges that were cut: a heap, the first range on top. */
	struct { GSYM_VEC(struct bp_inline_range); } heap;
	/** For each record: the newest node that was made for it; 0: none. */
	struct { GSYM_VEC(uint32_t); } made;
	/** The open nodes, from the function to the innermost, and the ends of
	 *  their ranges.  STACK may be used as scratch once the tree is
	 *  made. */
	struct { GSYM_VEC(uint32_t); } stack;
	struct { GSYM_VEC(uint64_t); } ends;
};

/** Make the tree of the function RANGE from TREE->given, which are ranges of
 *  RECORDS records.  A range's parent is found by its address and level, never
 *  by the order of records: producers disagree about that.  False without
 *  memory. */
bool gsym_bp_tree_build(struct bp_tree *tree, struct gsym_range range,
			size_t records);
void gsym_bp_tree_fini(struct bp_tree *tree);

#endif
