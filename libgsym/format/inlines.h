/* SPDX-License-Identifier: MIT */
/*
 * format/inlines.h - the inline tree of a function record, node by node.
 * Knows string offsets and file numbers, but no names.
 *
 * Nodes stand parents before children, without any length: whoever wants to
 * pass over a node has to read all below it.
 */
#ifndef GSYM_FORMAT_INLINES_H
#define GSYM_FORMAT_INLINES_H

#include "base/cursor.h"

enum gsym_inline_step {
	GSYM_INLINE_STEP_NODE,
	/** The end of a list of siblings. */
	GSYM_INLINE_STEP_END,
	GSYM_INLINE_STEP_DAMAGE,
};

struct gsym_inline_entry {
	/** The ranges as they are stored: pairs of offset and size. */
	const uint8_t *ranges;
	uint64_t range_count;
	/** Where the first range starts, from the reference address on:
	 *  the reference address of the children. */
	uint64_t first;
	/** One of the ranges holds the address that was asked for. */
	bool holds;
	bool has_children;
	uint64_t name;
	uint32_t call_file;
	uint32_t call_line;
};

/** Read one node.  RELATIVE is the address of interest minus the reference
 *  address, wrapped around.  String offsets have STRING_SIZE bytes. */
enum gsym_inline_step gsym_inline_read(struct gsym_cursor *c,
				       unsigned string_size, uint64_t relative,
				       struct gsym_inline_entry *ret);

/** Step over a list of siblings, with all below them, that stands LEVEL
 *  levels below the root.  False if it is damaged or too deep. */
bool gsym_inline_skip(struct gsym_cursor *c, unsigned string_size,
		      unsigned level);

#endif
