/* SPDX-License-Identifier: MIT */
/*
 * reader/many.c - gsym_lookup_many.
 *
 * The caller's array of frames is all the memory that there is.  Addresses that
 * ascend are looked up one after the other; the nodes of inline trees are kept
 * at the end of the array.
 *
 * Other addresses are sorted block by block.  The free part of the array is
 * divided into a lower and an upper part.  The lower part holds the sorted
 * addresses, and the nodes after them.  The frames go to the upper part, in the
 * order of the sorted addresses.  At last the frames of the block are copied to
 * the lower part, in the order of the caller's addresses.
 */
#include "reader/reader.h"

#include "base/order.h"

/* ---- ascending addresses of one file ------------------------------------- */

/*
 * A record is decoded once for all addresses that lie in it.  Its inline tree
 * is read node by node as addresses need it: a node that was read is kept, and
 * so is the place after the nodes below it, so that no node is read twice.
 */

/* A node that was read.  Its ranges are relative to the base address of the
 * parent's children. */
struct gsym_node {
	/* The lowest and the highest address that the ranges hold.  LOW is
	 * above HIGH if they hold none. */
	uint64_t low, high;
	/* The base address of the node's children. */
	uint64_t base;
	/* The ranges, as in struct gsym_inline_entry; RANGE_COUNT is 1 if they
	 * hold all from LOW to HIGH. */
	const uint8_t *ranges;
	uint64_t range_count;
	/* Where the list of children starts; NULL if there is none. */
	const uint8_t *children;
	/* Where the next sibling starts; NULL if that is not known yet. */
	const uint8_t *after;
	uint64_t name;
	uint32_t call_file, call_line;
	/* Levels below the root. */
	uint32_t level;
	/* Indexes of other nodes. */
	uint32_t parent, child, next;
};

enum {
	/* An index of a node that was not read yet.  The root, which has
	 * index 0, is no child and no sibling. */
	GSYM_NODE_UNREAD = 0,
};
/* In place of an index: there is no such node. */
#define GSYM_NODE_NONE UINT32_MAX
/* In place of an index: there is no memory for the node. */
#define GSYM_NODE_FULL (UINT32_MAX - 1)

/* The lookups in one file, with the record of the last address at hand: a
 * record is decoded once for all addresses in a row that lie in it.  READER is
 * NULL before the first file. */
struct together {
	const struct gsym_reader *reader;
	unsigned flags;

	/* The status of the last lookup.  If it is GSYM_OK, the members below
	 * are of the address of that lookup. */
	enum gsym_status status;
	uint64_t address;

	/* The record that the search found first, and the record of the
	 * address: its index, its start, a cursor over it, its parts. */
	uint32_t last, index;
	uint64_t start;
	/* Both records start at the same address. */
	bool nearest;
	/* The search that began at LAST found no record for the address, and
	 * will find none for a higher one. */
	bool missing;
	struct gsym_cursor record;
	struct gsym_parts parts;

	/* The search in the line table. */
	struct gsym_line_search rows;

	/* The nodes of the inline tree that were read, and its end; NULL: there
	 * is no tree. */
	struct gsym_node *nodes;
	uint32_t node_count, node_capacity;
	const uint8_t *nodes_end;
};

/* ---- the inline tree of a record ----------------------------------------- */

/* A cursor from AT to the end of the tree. */
static struct gsym_cursor cursor_at(const struct together *t,
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
static void include_all(const struct together *t, struct gsym_node *node)
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
static uint32_t read_node(struct together *t, const uint8_t *at,
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
static void begin_nodes(struct together *t)
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
static bool a_range_holds(const struct together *t,
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
static inline bool holds(const struct together *t,
			 const struct gsym_node *node, uint64_t relative)
{
	return relative >= node->low && relative <= node->high &&
	       (node->range_count == 1 ||
		a_range_holds(t, node, relative));
}

/* Read the first child of node INDEX. */
static uint32_t read_child(struct together *t, uint32_t index)
{
	const struct gsym_node *node = &t->nodes[index];
	uint32_t child = read_node(t, node->children, index, node->base,
				   node->level + 1);

	if (child != GSYM_NODE_FULL)
		t->nodes[index].child = child;
	return child;
}

/* Read the sibling after node INDEX, which is not the root. */
static uint32_t read_next(struct together *t, uint32_t index)
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
static uint32_t find_child(struct together *t, uint32_t index,
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
static uint32_t find_node(struct together *t, uint64_t address)
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

/* ---- lookups of ascending addresses -------------------------------------- */

/* Begin lookups in READER with FLAGS, those of gsym_lookup.  MEMORY has room
 * for CAPACITY nodes of inline trees; it may be too small, or NULL and 0. */
static void together_begin(struct together *t,
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
static enum gsym_status begin_record(struct together *t)
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
static enum gsym_status find_record(struct together *t, uint64_t address,
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
static bool is_same(const struct together *t, uint64_t address,
		    uint32_t last)
{
	return last == t->last && t->status == GSYM_OK && t->nearest &&
	       address >= t->address &&
	       (!t->parts.head.size ||
		address - t->start < t->parts.head.size);
}

/* Store the frames of the inlined call AT, of the calls around it, and of the
 * function, innermost first.  AT may be GSYM_NODE_NONE. */
static void store(struct together *t, uint64_t address, uint32_t at,
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

/* together_look_up without the memory for the inline tree. */
static uint32_t look_up_alone(const struct together *t, uint64_t address,
			      const struct gsym_frames_out *out)
{
	struct gsym_match match = { .address = address, .start = t->start };
	struct gsym_cursor record = t->record;

	return gsym_lookup_record(t->reader, &record, out, &match, NULL) ==
			       GSYM_OK ? match.frame_count : 0;
}

/* As gsym_lookup: store the frames of ADDRESS, if OUT has room for all of
 * them.  LAST is the record that gsym_search_abreast found.  Returns the
 * number of frames, 0 if the lookup has another status than GSYM_OK. */
static uint32_t together_look_up(struct together *t, uint64_t address,
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

enum {
	/* Fewer addresses are not sorted. */
	SORT_LEAST = 32,
	/* The most addresses that are sorted together. */
	BLOCK = 1 << 18,
	/* If the addresses ascend, one of so many free slots is for nodes. */
	NODES_SHARE = 4,
	/* Sixteenths of a frame for which an address of the first block gets
	 * room, and the least for addresses of other blocks. */
	FIRST_AVERAGE = 40,
	LEAST_AVERAGE = 18,
};

/* In place of the first slot of an address: it has no frames. */
#define NO_FRAMES UINT32_MAX

/* A call of gsym_lookup_many. */
struct many {
	const struct gsym_many_source *source;
	const uint64_t *addresses;
	size_t count;
	const struct gsym_frames_out *out;
	uint32_t *first;
	/* The addresses that were looked up, and their frames. */
	size_t done, used;
	/* Sixteenths of a frame for which an address of the next block gets
	 * room: LEAST_AVERAGE, and a quarter more than the addresses of the
	 * last block needed. */
	size_t average;
	struct together together;
};

/* Addresses to be looked up one after the other. */
struct pass {
	/* The sorted addresses; NULL: those of the caller. */
	const struct gsym_sort_item *items;
	/* The addresses that were looked up, and all of them. */
	size_t done, count;
	/* The slot of the next frame, and the slot after the last one. */
	size_t at, end;
	/* Memory for nodes of inline trees. */
	struct gsym_node *nodes;
	uint32_t node_capacity;
};

/* Addresses of one file whose records were searched. */
struct group {
	size_t count;
	/* NULL: there is no file for these addresses. */
	const struct gsym_reader *reader;
	uint64_t inside[GSYM_SEARCH_ABREAST];
	uint32_t last[GSYM_SEARCH_ABREAST];
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Address I of P. */
static uint64_t address_at(const struct many *m, const struct pass *p, size_t i)
{
	return p->items ? p->items[i].key : m->addresses[i];
}

/* Let the slots from FROM up to TO be the memory for nodes of P. */
static void lend_nodes(const struct many *m, struct pass *p, size_t from,
		       size_t to)
{
	size_t count = (to - from) * sizeof(struct gsym_frame) /
		       sizeof(struct gsym_node);

	p->nodes = (void *)&m->out->frames[from];
	p->node_capacity = (uint32_t)smaller(count, GSYM_NODE_FULL - 1);
}

/* ---- passes -------------------------------------------------------------- */

/* Make G a group of the next addresses of P, and search their records. */
static void next_group(const struct many *m, const struct pass *p,
		       struct group *g)
{
	size_t most = smaller(p->count - p->done, GSYM_SEARCH_ABREAST);

	g->reader = NULL;
	for (g->count = 0; g->count < most; g->count++) {
		const struct gsym_reader *reader = m->source->file(
			m->source->context,
			address_at(m, p, p->done + g->count),
			&g->inside[g->count]);

		if (reader && !reader->layout.count)
			reader = NULL;
		if (g->count && reader != g->reader)
			break;
		g->reader = reader;
	}
	if (g->reader)
		gsym_search_abreast(&g->reader->layout, g->inside, g->count,
				    g->last);
}

/* Store the frame of ADDRESS that is no frame of a file, if OUT has room.
 * Returns the number of such frames. */
static uint32_t look_up_symbol(const struct many *m, uint64_t address,
			       const struct gsym_frames_out *out)
{
	struct gsym_frame frame;

	if (!m->source->symbol ||
	    !m->source->symbol(m->source->context, address, &frame))
		return 0;
	if (out->capacity)
		out->frames[0] = frame;
	return 1;
}

/* Look up the address of P that is address I of G, and store its frames.
 * Returns false if there is no room for them. */
static bool look_up_one(struct many *m, struct pass *p, const struct group *g,
			size_t i)
{
	struct gsym_frames_out out = *m->out;
	uint32_t count = 0;

	out.frames = &m->out->frames[p->at];
	out.capacity = p->end - p->at;
	if (g->reader)
		count = together_look_up(&m->together, g->inside[i], g->last[i],
					 &out);
	if (!g->reader || m->together.status == GSYM_NOT_FOUND)
		count = look_up_symbol(m, address_at(m, p, p->done), &out);
	if (count > out.capacity)
		return false;
	if (p->items)
		m->first[m->done + p->items[p->done].index] =
			count ? (uint32_t)p->at : NO_FRAMES;
	else
		m->first[p->done + 1] = (uint32_t)(p->at + count);
	p->at += count;
	p->done++;
	return true;
}

/* Look up the addresses of P, as many as there is room for. */
static void run(struct many *m, struct pass *p)
{
	struct group g;

	m->together.reader = NULL;
	while (p->done < p->count) {
		next_group(m, p, &g);
		if (g.reader && g.reader != m->together.reader)
			together_begin(&m->together, g.reader, m->out->flags,
				       p->nodes, p->node_capacity);
		for (size_t i = 0; i < g.count; i++)
			if (!look_up_one(m, p, &g, i))
				return;
	}
}

/* Look up all other addresses in their order. */
static void run_in_order(struct many *m)
{
	size_t end = m->out->capacity;
	size_t nodes = (end - m->used) / NODES_SHARE;
	struct pass p = {
		.count = m->count, .done = m->done, .at = m->used,
	};

	/* Each pass fills the slots before the nodes, and the next one has half
	 * as many nodes.  The last pass has none, and fills all slots. */
	for (;; nodes /= 2) {
		p.end = end - nodes;
		lend_nodes(m, &p, p.end, end);
		run(m, &p);
		if (p.done == p.count || !nodes)
			break;
	}
	m->done = p.done;
	m->used = p.at;
}

/* ---- blocks -------------------------------------------------------------- */

/* The number of addresses of the next block. */
static size_t block_size(const struct many *m)
{
	size_t room = (m->out->capacity - m->used) / 2;
	size_t size = smaller(m->count - m->done, BLOCK);

	return smaller(size, room / (m->average + 1) * 16);
}

/* Sort the next COUNT addresses into the free slots. */
static struct gsym_sort_item *sort_block(const struct many *m, size_t count)
{
	struct gsym_sort_item *items = (void *)&m->out->frames[m->used];

	for (size_t i = 0; i < count; i++)
		items[i] = (struct gsym_sort_item){ m->addresses[m->done + i],
						    (uint32_t)i, 0 };
	gsym_sort_by_key(items, count, items + count);
	return items;
}

/* Copy the frames of the next COUNT addresses, whose first slots are in
 * M->first, to the slots from M->used on, in the order of the addresses. */
static void gather(struct many *m, size_t count)
{
	struct gsym_frame *frames = m->out->frames;

	for (; count; count--) {
		uint32_t from = m->first[m->done];

		m->first[m->done++] = (uint32_t)m->used;
		while (from != NO_FRAMES) {
			frames[m->used] = frames[from++];
			if (!frames[m->used++].inlined)
				break;
		}
	}
	m->first[m->done] = (uint32_t)m->used;
}

/* Look up the next COUNT addresses in sorted order.  Returns false if there was
 * no room for their frames. */
static bool run_block(struct many *m, size_t count)
{
	const size_t size = sizeof(struct gsym_frame);
	size_t lower = count * (m->average + 1) / 16;
	size_t keys = count * sizeof(struct gsym_sort_item);
	size_t upper = m->used + lower;
	struct pass p = {
		.items = sort_block(m, count), .count = count,
		.at = upper, .end = upper + lower,
	};

	lend_nodes(m, &p, m->used + (keys + size - 1) / size, upper);
	run(m, &p);
	if (p.done < count) {
		m->first[m->done] = (uint32_t)m->used;
		m->average *= 2;
		return false;
	}
	m->average = LEAST_AVERAGE + (p.at - upper) * 20 / count;
	gather(m, count);
	return true;
}

/* ---- the interface ------------------------------------------------------- */

static bool ascend(const uint64_t *addresses, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (addresses[i] < addresses[i - 1])
			return false;
	return true;
}

enum gsym_status gsym_many_look_up(const struct gsym_many_source *source,
				   const uint64_t *addresses, size_t count,
				   const struct gsym_frames_out *out,
				   uint32_t *first, size_t *done)
{
	struct many m = {
		.source = source, .addresses = addresses, .count = count,
		.out = out, .first = first, .average = FIRST_AVERAGE,
	};
	size_t block;

	if (!first || (count && !addresses) || !gsym_frames_out_ok(out) ||
	    out->capacity > UINT32_MAX)
		return GSYM_ERR_ARGUMENT;
	first[0] = 0;
	if (!ascend(addresses, count))
		while ((block = block_size(&m)) >= SORT_LEAST)
			run_block(&m, block);
	run_in_order(&m);
	if (done)
		*done = m.done;
	return count && !m.done ? GSYM_ERR_LIMIT : GSYM_OK;
}

static const struct gsym_reader *file_of(const void *reader, uint64_t address,
					 uint64_t *inside)
{
	*inside = address;
	return reader;
}

enum gsym_status gsym_lookup_many(const struct gsym_reader *reader,
				  const uint64_t *addresses, size_t count,
				  unsigned flags, struct gsym_frame *frames,
				  size_t capacity, uint32_t *first,
				  size_t *done)
{
	const struct gsym_frames_out out = { frames, capacity, flags };
	const struct gsym_many_source source = { .file = file_of,
						 .context = reader };

	if (!reader)
		return GSYM_ERR_ARGUMENT;
	return gsym_many_look_up(&source, addresses, count, &out, first, done);
}
