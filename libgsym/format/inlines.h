/* SPDX-License-Identifier: MIT */
/*
 * format/inlines.h - reads the inline tree of a function record node by node.
 * Knows string offsets and file numbers, but no names.
 *
 * Parents come before children, and nodes have no length field: skipping a
 * node takes reading all nodes below it.
 */
#ifndef GSYM_FORMAT_INLINES_H
#define GSYM_FORMAT_INLINES_H

#include "base/cursor.h"

enum gsym_inline_step {
	GSYM_INLINE_STEP_NODE,
	/** A node without ranges, which ends a list of siblings. */
	GSYM_INLINE_STEP_END,
	GSYM_INLINE_STEP_DAMAGE,
};

/** A node.  Its ranges are relative to a base address: the start of the
 *  function for the root, the start of the parent's first range for all other
 *  nodes. */
struct gsym_inline_entry {
	/** The stored ranges: pairs of ULEB128, start minus base and size. */
	const uint8_t *ranges;
	uint64_t range_count;
	/** Start of the first range minus the base address.  The base address
	 *  of the children is the base address plus FIRST. */
	uint64_t first;
	/** Size of the first range. */
	uint64_t first_size;
	/** One of the ranges holds the address that RELATIVE gave. */
	bool holds;
	bool has_children;
	uint64_t name;      /**< string offset */
	uint32_t call_file; /**< index in the file table */
	uint64_t call_line; /**< sound ones fit into 32 bits */
};

/** Read the node at C to RET.  RELATIVE is the address that sets HOLDS, minus
 *  the base address, modulo 2^64.  String offsets have STRING_SIZE bytes.
 *  Returns GSYM_INLINE_STEP_DAMAGE, and C does not move, if the data end in
 *  the node, or if it has more ranges than there are bytes for. */
enum gsym_inline_step gsym_inline_read(struct gsym_cursor *c,
				       unsigned string_size, uint64_t relative,
				       struct gsym_inline_entry *ret);

/** Skip a list of siblings and all nodes below them.  The siblings are LEVEL
 *  levels below the root.  Returns false, and C does not move, if the list is
 *  damaged or has nodes more than GSYM_MAX_INLINE_DEPTH levels below the
 *  root. */
bool gsym_inline_skip(struct gsym_cursor *c, unsigned string_size,
		      unsigned level);

#endif
