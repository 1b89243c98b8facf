/* SPDX-License-Identifier: MIT */
/*
 * reader/together.c - looks ascending addresses of one file up.  A record is
 * decoded once for all of them that lie in it.  Its inline tree is read node by
 * node as addresses need it: a node that was read is kept, and so is the place
 * after the nodes below it, so that no node is read twice.
 */
#include "reader/reader.h"

/* ---- the inline tree of a record ----------------------------------------- */

/* A cursor from AT to the end of the tree. */
static struct gsym_cursor cursor_at(const struct gsym_together *t,
				    const uint8_t *at)
{
	return gsym_cursor_init(at, (size_t)(t->nodes_end - at),
				t->reader->layout.swap);
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
static void include_all(const struct gsym_together *t, struct gsym_node *node)
{
	struct gsym_cursor c = cursor_at(t, node->ranges);

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
static uint32_t read_node(struct gsym_together *t, const uint8_t *at,
			  uint32_t parent, uint64_t base, uint32_t level)
{
	struct gsym_cursor c = cursor_at(t, at);
	struct gsym_inline_entry entry;
	struct gsym_node *node;

	if (t->node_count == t->node_capacity)
		return GSYM_NODE_FULL;
	if (gsym_inline_read(&c, t->reader->layout.string_size, 0,
			     &entry) != GSYM_INLINE_STEP_NODE)
		return GSYM_NODE_NONE;
	node = &t->nodes[t->node_count];
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
	node->child = node->next = GSYM_NODE_UNREAD;
	if (entry.range_count == 1)
		include(node, entry.first, entry.first_size);
	else
		include_all(t, node);
	return t->node_count++;
}

/* Begin the tree of the record, if it has one. */
static void begin_nodes(struct gsym_together *t)
{
	const struct gsym_tuple *tree = &t->parts.inlines;

	t->node_count = 0;
	t->nodes_end = NULL;
	if (!tree->type || t->flags & GSYM_LOOKUP_NO_INLINES)
		return;
	t->nodes_end = tree->data + tree->size;
	if (read_node(t, tree->data, GSYM_NODE_NONE, t->start, 0) ==
	    GSYM_NODE_NONE)
		t->nodes_end = NULL;
}

/* Whether one of the ranges of NODE holds RELATIVE. */
static bool a_range_holds(const struct gsym_together *t,
			  const struct gsym_node *node, uint64_t relative)
{
	struct gsym_cursor c = cursor_at(t, node->ranges);

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
static inline bool holds(const struct gsym_together *t,
			 const struct gsym_node *node, uint64_t relative)
{
	return relative >= node->low && relative <= node->high &&
	       (node->range_count == 1 ||
		a_range_holds(t, node, relative));
}

/* Read the first child of node INDEX. */
static uint32_t read_child(struct gsym_together *t, uint32_t index)
{
	const struct gsym_node *node = &t->nodes[index];
	uint32_t child = read_node(t, node->children, index, node->base,
				   node->level + 1);

	if (child != GSYM_NODE_FULL)
		t->nodes[index].child = child;
	return child;
}

/* Read the sibling after node INDEX, which is not the root. */
static uint32_t read_next(struct gsym_together *t, uint32_t index)
{
	struct gsym_node *node = &t->nodes[index];
	uint32_t next = GSYM_NODE_NONE;

	if (!node->after) {
		struct gsym_cursor c = cursor_at(t, node->children);

		if (gsym_inline_skip(&c, t->reader->layout.string_size,
				     node->level + 1))
			node->after = c.at;
	}
	if (node->after)
		next = read_node(t, node->after, node->parent,
				 t->nodes[node->parent].base, node->level);
	if (next != GSYM_NODE_FULL)
		node->next = next;
	return next;
}

/* The first child of node INDEX that holds ADDRESS; GSYM_NODE_NONE or
 * GSYM_NODE_FULL. */
static uint32_t find_child(struct gsym_together *t, uint32_t index,
			   uint64_t address)
{
	uint64_t relative = address - t->nodes[index].base;
	uint32_t at = t->nodes[index].child;

	if (at == GSYM_NODE_UNREAD)
		at = read_child(t, index);
	while (at < GSYM_NODE_FULL &&
	       !holds(t, &t->nodes[at], relative)) {
		uint32_t next = t->nodes[at].next;

		at = next != GSYM_NODE_UNREAD ? next : read_next(t, at);
	}
	return at;
}

/* Find the innermost inlined call at ADDRESS: follow the first node of each
 * level that holds ADDRESS.  GSYM_NODE_NONE if no inlined call holds ADDRESS,
 * or the tree is damaged before; GSYM_NODE_FULL if there is not enough
 * memory. */
static uint32_t find_node(struct gsym_together *t, uint64_t address)
{
	uint32_t found = GSYM_NODE_NONE, at = 0;

	if (!t->nodes_end)
		return GSYM_NODE_NONE;
	if (!t->node_count)
		return GSYM_NODE_FULL;
	if (!holds(t, &t->nodes[0], address - t->start))
		return GSYM_NODE_NONE;
	while (t->nodes[at].children &&
	       t->nodes[at].level < GSYM_MAX_INLINE_DEPTH) {
		at = find_child(t, at, address);
		if (at == GSYM_NODE_NONE)
			return found;
		if (at == GSYM_NODE_FULL)
			return GSYM_NODE_FULL;
		found = at;
	}
	return found;
}

/* ---- addresses ----------------------------------------------------------- */

void gsym_together_begin(struct gsym_together *t,
			 const struct gsym_reader *reader, unsigned flags,
			 struct gsym_node *memory, uint32_t capacity)
{
	t->reader = reader;
	t->flags = flags;
	t->status = GSYM_NOT_FOUND;
	t->missing = false;
	t->nodes = memory;
	t->node_capacity = capacity;
}

/* Begin to decode the record at RECORD. */
static enum gsym_status begin_record(struct gsym_together *t)
{
	struct gsym_cursor c = t->record;
	enum gsym_status status = gsym_lookup_parts(t->reader, &c, &t->parts,
						    NULL);

	if (status != GSYM_OK)
		return status;
	gsym_line_search_begin(&t->rows, t->parts.lines.data,
			       t->flags & GSYM_LOOKUP_NO_LINES ?
				       0 : t->parts.lines.size, t->start);
	begin_nodes(t);
	return GSYM_OK;
}

/* Find the record of ADDRESS, and begin to decode it, unless it is that of the
 * last address. */
static enum gsym_status find_record(struct gsym_together *t, uint64_t address,
				    uint32_t last)
{
	const struct gsym_layout *l = &t->reader->layout;
	uint64_t relative = address - l->base_address;
	enum gsym_status status;
	uint32_t index;

	t->missing = false;
	if (address < l->base_address || relative < gsym_layout_start(l, 0))
		return GSYM_NOT_FOUND;
	status = gsym_search_at(t->reader, last, relative, &index, &t->record,
				NULL);
	/* The records that were tried start at or before LAST, and end at or
	 * before ADDRESS. */
	t->missing = status == GSYM_NOT_FOUND && gsym_search_in_order(l, last);
	if (status != GSYM_OK)
		return status;
	if (t->status == GSYM_OK && index == t->index && address >= t->address)
		return GSYM_OK;
	t->index = index;
	t->start = gsym_reader_start(t->reader, index);
	t->nearest = t->start ==
		     l->base_address + gsym_layout_start(l, last);
	return begin_record(t);
}

/*
 * Whether the record of the last address is certainly that of ADDRESS, too.  A
 * search with the same LAST tries the records that start where LAST starts, in
 * the same order.  Those before the record of the last address end at or before
 * that address, and ADDRESS is not below it.
 */
static bool is_same(const struct gsym_together *t, uint64_t address,
		    uint32_t last)
{
	return last == t->last && t->status == GSYM_OK && t->nearest &&
	       address >= t->address &&
	       (!t->parts.head.size ||
		address - t->start < t->parts.head.size);
}

/* Store the frames of the inlined call AT, of the calls around it, and of the
 * function, innermost first.  AT may be GSYM_NODE_NONE. */
static void store(struct gsym_together *t, uint64_t address, uint32_t at,
		  const struct gsym_frames_out *out)
{
	bool has_place = gsym_line_search_go(&t->rows, address);
	uint32_t file = t->rows.file, line = t->rows.line;
	struct gsym_frame *to = out->frames;

	for (;;) {
		const struct gsym_node *node = NULL;

		if (at != GSYM_NODE_NONE) {
			node = &t->nodes[at];
			gsym_frame_set(t->reader, to, node->name,
				       address - node->base, true);
		} else {
			gsym_frame_set(t->reader, to, t->parts.head.name,
				       address - t->start, false);
		}
		if (has_place)
			gsym_frame_place(t->reader, t->flags, to, file, line);
		if (!node)
			return;
		to++;
		has_place = true;
		file = node->call_file;
		line = node->call_line;
		/* The root stands for the function. */
		at = node->level > 1 ? node->parent : GSYM_NODE_NONE;
	}
}

/* gsym_together_look_up without the memory for the inline tree. */
static uint32_t look_up_alone(const struct gsym_together *t, uint64_t address,
			      const struct gsym_frames_out *out)
{
	struct gsym_match match = { .address = address, .start = t->start };
	struct gsym_cursor record = t->record;

	return gsym_lookup_record(t->reader, &record, out, &match, NULL) ==
			       GSYM_OK ? match.frame_count : 0;
}

uint32_t gsym_together_look_up(struct gsym_together *t, uint64_t address,
			       uint32_t last,
			       const struct gsym_frames_out *out)
{
	uint32_t at, count;

	if (t->missing && last == t->last && address >= t->address) {
		t->address = address;
		return 0;
	}
	if (!is_same(t, address, last)) {
		t->status = find_record(t, address, last);
		t->last = last;
	}
	t->address = address;
	if (t->status != GSYM_OK)
		return 0;
	at = find_node(t, address);
	if (at == GSYM_NODE_FULL)
		return look_up_alone(t, address, out);
	count = at == GSYM_NODE_NONE ? 1 : t->nodes[at].level + 1;
	if (count <= out->capacity)
		store(t, address, at, out);
	return count;
}
