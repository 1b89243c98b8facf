/* SPDX-License-Identifier: MIT */
/* reader/nodes.c - reads and keeps the nodes of an inline tree. */
#include "reader/nodes.h"

/* A cursor from AT to the end of the tree. */
static struct gsym_cursor cursor_at(const struct gsym_nodes *nodes,
				    const uint8_t *at)
{
	return gsym_cursor_init(at, (size_t)(nodes->end - at),
				nodes->reader->layout.swap);
}

/* Let LOW and HIGH of NODE include the range of SIZE bytes from START on. */
static inline void include(struct gsym_node *node, uint64_t start,
			   uint64_t size)
{
	uint64_t end = start + (size - 1);

	if (!size)
		return;
	/* Addresses end at UINT64_MAX. */
	if (end < start)
		end = UINT64_MAX;
	node->low = start < node->low ? start : node->low;
	node->high = end > node->high ? end : node->high;
}

/* Include all ranges of NODE. */
static void include_all(const struct gsym_nodes *nodes, struct gsym_node *node)
{
	struct gsym_cursor c = cursor_at(nodes, node->ranges);

	for (uint64_t i = 0; i < node->range_count; i++) {
		uint64_t start = gsym_cursor_uleb(&c);
		uint64_t size = gsym_cursor_uleb(&c);

		include(node, start, size);
	}
}

/* Read the node at AT, LEVEL levels below the root, a child of the node PARENT.
 * BASE is the base address of the parent's children.  Returns the index of the
 * node, GSYM_NODE_NONE at the end of a list and at damage, or
 * GSYM_NODE_FULL. */
static uint32_t read_node(struct gsym_nodes *nodes, const uint8_t *at,
			  uint32_t parent, uint64_t base, uint32_t level)
{
	struct gsym_cursor c = cursor_at(nodes, at);
	struct gsym_inline_entry entry;
	struct gsym_node *node;

	if (nodes->count == nodes->capacity)
		return GSYM_NODE_FULL;
	if (gsym_inline_read(&c, nodes->reader->layout.string_size, 0,
			     &entry) != GSYM_INLINE_STEP_NODE)
		return GSYM_NODE_NONE;
	node = &nodes->items[nodes->count];
	node->low = UINT64_MAX;
	node->high = 0;
	node->base = base + entry.first;
	node->ranges = entry.ranges;
	node->range_count = entry.range_count;
	node->children = entry.has_children ? c.at : NULL;
	node->after = entry.has_children ? NULL : c.at;
	node->name = entry.name;
	node->call_file = entry.call_file;
	node->call_line = (uint32_t)entry.call_line;
	node->level = level;
	node->parent = parent;
	node->child = node->next = node->hint = GSYM_NODE_UNREAD;
	node->ordered = node->complete = false;
	if (entry.range_count == 1)
		include(node, entry.first, entry.first_size);
	else
		include_all(nodes, node);
	return nodes->count++;
}

void gsym_nodes_begin(struct gsym_nodes *nodes,
		      const struct gsym_reader *reader, const uint8_t *data,
		      size_t size, uint64_t start)
{
	nodes->reader = reader;
	nodes->count = 0;
	nodes->end = data + size;
	nodes->start = start;
	if (read_node(nodes, data, GSYM_NODE_NONE, start, 0) == GSYM_NODE_NONE)
		nodes->end = NULL;
}

/* Whether one of the ranges of NODE holds RELATIVE. */
static bool a_range_holds(const struct gsym_nodes *nodes,
			  const struct gsym_node *node, uint64_t relative)
{
	struct gsym_cursor c = cursor_at(nodes, node->ranges);

	for (uint64_t i = 0; i < node->range_count; i++) {
		uint64_t offset = gsym_cursor_uleb(&c);
		uint64_t size = gsym_cursor_uleb(&c);

		if (relative >= offset && relative - offset < size)
			return true;
	}
	return false;
}

/* Whether NODE holds the address that is RELATIVE bytes after the base address
 * of the parent's children. */
static inline bool holds(const struct gsym_nodes *nodes,
			 const struct gsym_node *node, uint64_t relative)
{
	return relative >= node->low && relative <= node->high &&
	       (node->range_count == 1 ||
		a_range_holds(nodes, node, relative));
}

/* Read the first child of node INDEX. */
static uint32_t read_child(struct gsym_nodes *nodes, uint32_t index)
{
	const struct gsym_node *node = &nodes->items[index];
	uint32_t child = read_node(nodes, node->children, index, node->base,
				   node->level + 1);

	if (child == GSYM_NODE_FULL)
		return child;
	if (child != GSYM_NODE_NONE)
		nodes->items[child].ordered = true;
	nodes->items[index].child = child;
	return child;
}

/* Read the sibling after node INDEX, which is not the root. */
static uint32_t read_next(struct gsym_nodes *nodes, uint32_t index)
{
	struct gsym_node *node = &nodes->items[index];
	struct gsym_node *parent = &nodes->items[node->parent];
	uint32_t next = GSYM_NODE_NONE;

	if (!node->after) {
		struct gsym_cursor c = cursor_at(nodes, node->children);

		if (gsym_inline_skip(&c, nodes->reader->layout.string_size,
				     node->level + 1))
			node->after = c.at;
	}
	if (node->after)
		next = read_node(nodes, node->after, node->parent,
				 parent->base, node->level);
	if (next == GSYM_NODE_FULL)
		return next;
	if (next == GSYM_NODE_NONE)
		parent->complete = node->ordered;
	else
		nodes->items[next].ordered =
			node->ordered && node->low <= node->high &&
			node->high < nodes->items[next].low;
	node->next = next;
	return next;
}

/* The first child of node INDEX that holds ADDRESS; GSYM_NODE_NONE or
 * GSYM_NODE_FULL. */
static uint32_t find_child(struct gsym_nodes *nodes, uint32_t index,
			   uint64_t address)
{
	struct gsym_node *parent = &nodes->items[index], *node;
	uint64_t relative = address - parent->base;
	uint32_t at = parent->hint;

	/* No sibling before an ordered node holds an address after its
	 * start. */
	if (at == GSYM_NODE_UNREAD || !nodes->items[at].ordered ||
	    relative < nodes->items[at].low)
		at = parent->child;
	if (at == GSYM_NODE_UNREAD)
		at = read_child(nodes, index);
	while (at < GSYM_NODE_FULL) {
		node = &nodes->items[at];
		if (relative >= node->low)
			parent->hint = at;
		else if (parent->complete)
			return GSYM_NODE_NONE;
		if (holds(nodes, node, relative))
			return at;
		at = node->next != GSYM_NODE_UNREAD ? node->next :
						      read_next(nodes, at);
	}
	return at;
}

uint32_t gsym_nodes_find(struct gsym_nodes *nodes, uint64_t address)
{
	uint32_t found = GSYM_NODE_NONE, at = 0;

	if (!nodes->end)
		return GSYM_NODE_NONE;
	if (!nodes->count)
		return GSYM_NODE_FULL;
	if (!holds(nodes, &nodes->items[0], address - nodes->start))
		return GSYM_NODE_NONE;
	while (nodes->items[at].children &&
	       nodes->items[at].level < GSYM_MAX_INLINE_DEPTH) {
		at = find_child(nodes, at, address);
		if (at == GSYM_NODE_NONE)
			return found;
		if (at == GSYM_NODE_FULL)
			return GSYM_NODE_FULL;
		found = at;
	}
	return found;
}
