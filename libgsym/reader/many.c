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
	struct gsym_together together;
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
		count = gsym_together_look_up(&m->together, g->inside[i],
					      g->last[i], &out);
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
			gsym_together_begin(&m->together, g.reader,
					    m->out->flags, p->nodes,
					    p->node_capacity);
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
