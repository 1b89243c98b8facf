/* SPDX-License-Identifier: MIT */
/*
 * reader/nodes.h - the inline tree of a record, read node by node as addresses
 * need it.  A node that was read is kept, and so is the place after the nodes
 * below it: no node is read twice.  Knows nothing of frames.
 */
#ifndef GSYM_READER_NODES_H
#define GSYM_READER_NODES_H

#include "format/inlines.h"
#include "reader/image.h"

/** A node that was read.  Its ranges are relative to the base address of the
 *  parent's children. */
struct gsym_node {
	/** The lowest and the highest address that the ranges hold.  LOW is
	 *  above HIGH if they hold none. */
	uint64_t low, high;
	/** The base address of the node's children. */
	uint64_t base;
	/** The ranges, as in struct gsym_inline_entry; RANGE_COUNT is 1 if they
	 *  hold all from LOW to HIGH. */
	const uint8_t *ranges;
	uint64_t range_count;
	/** Where the list of children starts; NULL if there is none. */
	const uint8_t *children;
	/** Where the next sibling starts; NULL if that is not known yet. */
	const uint8_t *after;
	uint64_t name;
	uint32_t call_file, call_line;
	/** Levels below the root. */
	uint32_t level;
	/** Indexes of other nodes. */
	uint32_t parent, child, next;
	/** The child that the last search of a child stopped at. */
	uint32_t hint;
	/** All siblings before this node end below LOW. */
	bool ordered;
	/** All children were read, and are ordered. */
	bool complete;
};

enum {
	/** An index of a node that was not read yet.  The root, which has
	 *  index 0, is no child and no sibling. */
	GSYM_NODE_UNREAD = 0,
};
/** In place of an index: there is no such node. */
#define GSYM_NODE_NONE UINT32_MAX
/** In place of an index: there is no memory for the node. */
#define GSYM_NODE_FULL (UINT32_MAX - 1)

struct gsym_nodes {
	struct gsym_node *items;
	uint32_t count, capacity;
	const struct gsym_reader *reader;
	const uint8_t *end; /**< of the tree */
	uint64_t start;	    /**< of the function */
};

/** Begin the tree of SIZE bytes at DATA, of the function at START. */
void gsym_nodes_begin(struct gsym_nodes *nodes,
		      const struct gsym_reader *reader, const uint8_t *data,
		      size_t size, uint64_t start);

/** Find the innermost inlined call at ADDRESS: follow the first node of each
 *  level that holds ADDRESS.  GSYM_NODE_NONE if no inlined call holds ADDRESS,
 *  or the tree is damaged before; GSYM_NODE_FULL if there is not enough
 *  memory. */
uint32_t gsym_nodes_find(struct gsym_nodes *nodes, uint64_t address);

#endif
