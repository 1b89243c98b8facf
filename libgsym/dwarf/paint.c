/* SPDX-License-Identifier: MIT */
/* Finds the extents of functions and inlined calls. */
#include "dwarf/paint.h"

#include "base/heap.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gsym_dw_extents_fini(struct dw_extents *extents)
{
	gsym_vec_fini(&extents->stretches);
	gsym_vec_fini(&extents->depth);
	gsym_vec_fini(&extents->root);
	gsym_vec_fini(&extents->first);
	gsym_vec_fini(&extents->keys);
	gsym_vec_fini(&extents->sorted);
	gsym_vec_fini(&extents->stack);
}

/* Of ranges with the same start the longest comes first, so that parents come
 * before their children. */
static int by_start(const void *a, const void *b)
{
	const struct dw_stretch *x = a, *y = b;
	int order = GSYM_ORDER(x->range.start, y->range.start);

	if (!order)
		order = GSYM_ORDER(y->range.end, x->range.end);
	return order ? order : GSYM_ORDER(x->node, y->node);
}

/* Put the COUNT stretches at S, which ascend by start, into the order of
 * by_start. */
static void order_equal_starts(struct dw_stretch *s, size_t count)
{
	size_t next;

	for (size_t i = 0; i < count; i = next) {
		bool ordered = true;

		for (next = i + 1; next < count &&
				   s[next].range.start == s[i].range.start;
		     next++)
			ordered = ordered &&
				  by_start(&s[next - 1], &s[next]) < 0;
		if (!ordered)
			qsort(s + i, next - i, sizeof(*s), by_start);
	}
}

/* List the ranges of all nodes, in the order of by_start. */
static bool sort_ranges(const struct dw_unit *unit, struct dw_extents *e)
{
	size_t count = 0, room = unit->ranges.count;
	struct gsym_sort_item *keys;

	e->stretches.count = e->sorted.count = 0;
	if (!room)
		return true;
	if (!gsym_vec_reserve(&e->keys, 2 * room) ||
	    !gsym_vec_reserve(&e->stretches, room) ||
	    !gsym_vec_reserve(&e->sorted, room))
		return false;
	keys = e->keys.items;
	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		const struct dw_node *node = &unit->nodes.items[n];

		for (uint32_t i = 0; i < node->range_count; i++) {
			struct gsym_range range =
				unit->ranges.items[node->first_range + i];

			e->stretches.items[count] =
				(struct dw_stretch){ range, n };
			keys[count] = (struct gsym_sort_item){
				range.start, (uint32_t)count, 0
			};
			count++;
		}
	}
	gsym_sort_by_key(keys, count, keys + room);
	for (size_t i = 0; i < count; i++)
		e->sorted.items[i] = e->stretches.items[keys[i].index];
	e->sorted.count = count;
	order_equal_starts(e->sorted.items, count);
	return true;
}

static bool find_roots(const struct dw_unit *unit, struct dw_extents *e)
{
	e->root.count = e->depth.count = 0;
	if (!gsym_vec_reserve(&e->root, unit->nodes.count) ||
	    !gsym_vec_reserve(&e->depth, unit->nodes.count))
		return false;
	/* Parents come before their children. */
	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		uint32_t parent = unit->nodes.items[n].parent;
		bool is_root = parent == DW_NO_NODE;

		e->root.items[e->root.count++] =
			is_root ? n : e->root.items[parent];
		e->depth.items[e->depth.count++] =
			is_root ? 0 : e->depth.items[parent] + 1;
	}
	return true;
}

/* Whether the sorted ranges nest as their nodes do.  In nearly all units they
 * do, and the ranges are the extents.  The stack holds the ranges that are
 * open. */
static bool nests(const struct dw_unit *unit, struct dw_extents *e)
{
	e->stack.count = 0;
	for (uint32_t i = 0; i < e->sorted.count; i++) {
		const struct dw_stretch *s = &e->sorted.items[i], *top = NULL;
		uint64_t *open;

		for (; e->stack.count; e->stack.count--) {
			top = &e->sorted.items[e->stack.items[e->stack.count -
							      1]];
			if (top->range.end > s->range.start)
				break;
		}
		if (!e->stack.count)
			top = NULL;
		if (top && top->range.end < s->range.end)
			return false;
		if ((top ? top->node : DW_NO_NODE) !=
		    unit->nodes.items[s->node].parent)
			return false;
		open = gsym_vec_push(&e->stack);
		if (!open)
			return false; /* painting reports the lack of memory */
		*open = i;
	}
	return true;
}

/* ---- painting ----------------------------------------------------------- */

/* The stack of the extents is a heap now: it holds all open ranges, with the
 * latest DIE on top.  An entry is the node of a range, shifted by 32 bits, and
 * the index of the range among the sorted ones, so that entries can be compared
 * without a look at the ranges.  Ranges that have ended are removed when they
 * come to the top. */
struct painter {
	const struct dw_unit *unit;
	struct dw_extents *e;
	struct dw_unit *payer; /* whose budget is used */
	/* By node: the index of its last stretch + 1; 0: it has none. */
	uint32_t *last;
};

/* The range on top of the heap. */
static const struct dw_stretch *heap_top(const struct dw_extents *e)
{
	return &e->sorted.items[(uint32_t)e->stack.items[0]];
}

static bool heap_push(struct dw_extents *e, uint32_t index)
{
	uint64_t entry = (uint64_t)e->sorted.items[index].node << 32 | index;

	return GSYM_HEAP_PUSH(&e->stack, entry, a, b, *a > *b);
}

/* Add [START, END) to the extent of NODE: extend its last stretch, or add one.
 * *ADDED tells which.  False without memory. */
static bool extend_node(struct painter *p, uint32_t node, uint64_t start,
			uint64_t end, bool *added)
{
	struct dw_extents *e = p->e;
	struct dw_stretch *s;

	*added = false;
	if (p->last[node]) {
		s = &e->stretches.items[p->last[node] - 1];
		if (s->range.end == start) {
			s->range.end = end;
			return true;
		}
	}
	s = gsym_vec_push(&e->stretches);
	if (!s)
		return false;
	*s = (struct dw_stretch){ { start, end }, node };
	p->last[node] = (uint32_t)e->stretches.count;
	*added = true;
	return true;
}

/* NODE is on top in [START, END): add that range to its extent and to the
 * extents of the nodes that it is inlined into.  Beyond the budget, add the
 * range to the root of NODE alone. */
static bool extend(struct painter *p, uint32_t node, uint64_t start,
		   uint64_t end)
{
	uint64_t unused = 0;
	bool added;

	/* Take the work of a new stretch for each node first, as a node must
	 * not get a stretch that its parents do not get.  Then give back the
	 * work of stretches that were only extended. */
	if (!dw_unit_take(p->payer, DW_CUT_INLINES,
			  (p->e->depth.items[node] + 1) *
				  (uint64_t)DW_COST_STRETCH))
		return extend_node(p, p->e->root.items[node], start, end,
				   &added);
	for (; node != DW_NO_NODE; node = p->unit->nodes.items[node].parent) {
		if (!extend_node(p, node, start, end, &added))
			return false;
		if (!added)
			unused += DW_COST_STRETCH - DW_COST_EXTEND;
	}
	dw_unit_give_back(p->payer, unused);
	return true;
}

/* Paint the open ranges from AT to NEXT, where the next ranges open. */
static bool paint_until(struct painter *p, uint64_t at, uint64_t next)
{
	struct dw_extents *e = p->e;

	while (at < next && e->stack.count) {
		const struct dw_stretch *top = heap_top(e);
		uint64_t end = top->range.end < next ? top->range.end : next;

		if (top->range.end <= at) {
			GSYM_HEAP_POP(&e->stack, a, b, *a > *b);
			continue;
		}
		if (!extend(p, top->node, at, end))
			return false;
		at = end;
	}
	return true;
}

static bool paint(const struct dw_unit *unit, struct dw_unit *payer,
		  struct dw_extents *e)
{
	struct painter p = { .unit = unit, .e = e, .payer = payer };
	bool ok = true;

	p.last = calloc(unit->nodes.count + 1, sizeof(*p.last));
	if (!p.last)
		return false;
	e->stretches.count = e->stack.count = 0;
	for (uint32_t i = 0; ok && i < e->sorted.count;) {
		uint64_t at = e->sorted.items[i].range.start;

		for (; ok && i < e->sorted.count &&
		       e->sorted.items[i].range.start == at; i++)
			ok = heap_push(e, i);
		ok = ok && paint_until(&p, at,
				       i < e->sorted.count ?
					       e->sorted.items[i].range.start :
					       UINT64_MAX);
	}
	free(p.last);
	if (!ok)
		return false;
	/* From here on the stretches take the place of the ranges. */
	e->sorted.count = 0;
	if (!gsym_vec_reserve(&e->sorted, e->stretches.count))
		return false;
	if (e->stretches.count)
		memcpy(e->sorted.items, e->stretches.items,
		       e->stretches.count * sizeof(*e->sorted.items));
	e->sorted.count = e->stretches.count;
	return true;
}

/* Sort the stretches by root, which keeps their order otherwise. */
static bool group_by_root(const struct dw_unit *unit, struct dw_extents *e)
{
	size_t nodes = unit->nodes.count;
	uint32_t *first;

	e->stretches.count = 0;
	if (!gsym_vec_reserve(&e->first, nodes + 2) ||
	    !gsym_vec_reserve(&e->stretches, e->sorted.count))
		return false;
	first = e->first.items;
	memset(first, 0, (nodes + 2) * sizeof(*first));
	for (size_t i = 0; i < e->sorted.count; i++)
		first[e->root.items[e->sorted.items[i].node] + 2]++;
	for (size_t i = 2; i < nodes + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < e->sorted.count; i++) {
		const struct dw_stretch *s = &e->sorted.items[i];

		e->stretches.items[first[e->root.items[s->node] + 1]++] = *s;
	}
	e->stretches.count = e->sorted.count;
	return true;
}

/* Functions with more ranges than this are not searched for a warning. */
enum { MANY_RANGES = 1024 };

/* Warn of the first inlined call outside the ranges of its function. */
static void warn_uncontained(struct dw_unit *unit, const struct dw_extents *e)
{
	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		const struct dw_node *node = &unit->nodes.items[n];
		const struct dw_node *root =
			&unit->nodes.items[e->root.items[n]];
		const struct gsym_range *range, *outer;
		uint32_t i;

		if (!node->range_count || !root->range_count ||
		    root->range_count > MANY_RANGES || node == root)
			continue;
		range = &unit->ranges.items[node->first_range];
		outer = &unit->ranges.items[root->first_range];
		for (i = 0; i < root->range_count; i++)
			if (outer[i].start <= range->start &&
			    range->end <= outer[i].end)
				break;
		if (i < root->range_count)
			continue;
		gsym_dw_unit_warn(unit, GSYM_WARN_UNCONTAINED_INLINE,
				  "the inlined call at .debug_info+0x%" PRIx64
				  " lies outside the function at +0x%" PRIx64,
				  node->die, root->die);
		return;
	}
}

bool gsym_dw_extents_paint(struct dw_unit *unit, struct dw_unit *payer,
			   struct dw_extents *e)
{
	if (unit->ranges.count > UINT32_MAX / 2 || !sort_ranges(unit, e) ||
	    !find_roots(unit, e))
		return false;
	if (!nests(unit, e)) {
		warn_uncontained(unit, e);
		if (!paint(unit, payer, e))
			return false;
	}
	return group_by_root(unit, e);
}
