/* SPDX-License-Identifier: MIT */
/* Finds the extents of functions and inlined calls. */
#include "dwarf/resolve.h"

#include "base/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gsym_dw_extents_fini(struct dw_extents *extents)
{
	gsym_vec_fini(&extents->stretches);
	gsym_vec_fini(&extents->depth);
	gsym_vec_fini(&extents->root);
	gsym_vec_fini(&extents->first);
	gsym_vec_fini(&extents->next);
	gsym_vec_fini(&extents->keys);
	gsym_vec_fini(&extents->sorted);
	gsym_vec_fini(&extents->stack);
}

/* The node to be painted after NODE; DW_NO_NODE after the last one. */
static uint32_t next_node(const struct dw_unit *unit,
			  const struct dw_extents *e, uint32_t node)
{
	if (e->alone)
		return e->next.items[node];
	return node + 1 < unit->nodes.count ? node + 1 : DW_NO_NODE;
}

/* Of ranges with the same start the longest comes first, so that parents come
 * before their children. */
static int by_length(const void *a, const void *b)
{
	const struct dw_stretch *x = a, *y = b;
	int order = GSYM_ORDER(y->range.end, x->range.end);

	return order ? order : GSYM_ORDER(x->node, y->node);
}

/* Of ranges with the same start that of the latest DIE comes last. */
static int by_node(const void *a, const void *b)
{
	const struct dw_stretch *x = a, *y = b;
	int order = GSYM_ORDER(x->node, y->node);

	return order ? order : GSYM_ORDER(x->range.end, y->range.end);
}

/* Sort those of the COUNT stretches at S, which ascend by start, that have the
 * same start in the order of COMPARE. */
static void order_equal_starts(struct dw_stretch *s, size_t count,
			       int (*compare)(const void *, const void *))
{
	size_t next;

	for (size_t i = 0; i < count; i = next) {
		bool ordered = true;

		for (next = i + 1; next < count &&
				   s[next].range.start == s[i].range.start;
		     next++)
			ordered = ordered &&
				  compare(&s[next - 1], &s[next]) < 0;
		if (!ordered)
			qsort(s + i, next - i, sizeof(*s), compare);
	}
}

/* List the ranges of the nodes from FIRST on by start, those with the same
 * start in the order of by_length. */
static bool sort_ranges(const struct dw_unit *unit, uint32_t first,
			struct dw_extents *e)
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
	for (uint32_t n = first; n != DW_NO_NODE; n = next_node(unit, e, n)) {
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
	order_equal_starts(e->sorted.items, count, by_length);
	return true;
}

static bool find_roots(const struct dw_unit *unit, struct dw_extents *e)
{
	e->root.count = e->depth.count = e->next.count = 0;
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

/* Fill E->next. */
static bool link_nodes(struct dw_extents *e)
{
	size_t count = e->root.count;
	uint32_t *next;

	if (!gsym_vec_reserve(&e->next, count))
		return false;
	next = e->next.items;
	e->next.count = count;
	for (size_t n = 0; n < count; n++)
		next[n] = DW_NO_NODE;
	/* A root comes before the nodes in it: its list begins with itself. */
	for (uint32_t n = (uint32_t)count; n--;) {
		uint32_t root = e->root.items[n];

		if (root == n)
			continue;
		next[n] = next[root];
		next[root] = n;
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
		if (!gsym_vec_add(&e->stack, i))
			return false; /* painting reports the lack of memory */
	}
	return true;
}

/* ---- painting ----------------------------------------------------------- */

/* A range that was opened, and the outermost range that it lies in, which is of
 * node OUTER.  INDEX is the range's own among the sorted ones. */
struct open_range {
	uint64_t start; /* of the outermost range */
	uint32_t outer, index;
};

static bool is_above(const struct open_range *a, const struct open_range *b)
{
	if (a->start != b->start)
		return a->start > b->start;
	return a->outer != b->outer ? a->outer > b->outer : a->index > b->index;
}

/* A node while its unit is painted. */
struct painted {
	/* The range of the node that was opened last, and its end. */
	struct open_range open;
	uint64_t end;
	/* The index of the last range or stretch + 1; 0: there is none. */
	uint32_t last;
	/* The nearest node with ranges that the node lies in. */
	uint32_t holder;
};

/* The heap holds all open ranges.  Ranges that have ended are removed when they
 * come to the top. */
struct painter {
	struct dw_unit *unit;
	struct dw_extents *e;
	uint32_t first; /* the first node to be painted */
	bool warned;	/* of functions that overlap */
	struct painted *nodes;
	GSYM_VEC_OF(struct open_range) heap;
};

/* Add [START, END) to the extent of NODE: extend its last stretch, or add one.
 * *ADDED tells which.  False without memory. */
static bool extend_node(struct painter *p, uint32_t node, uint64_t start,
			uint64_t end, bool *added)
{
	struct dw_extents *e = p->e;
	uint32_t *last = &p->nodes[node].last;
	struct dw_stretch *s;

	*added = false;
	if (*last) {
		s = &e->stretches.items[*last - 1];
		if (s->range.end == start) {
			s->range.end = end;
			return true;
		}
	}
	if (!gsym_vec_add(&e->stretches,
			  (struct dw_stretch){ { start, end }, node }))
		return false;
	*last = (uint32_t)e->stretches.count;
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
	if (!dw_unit_take(p->unit, DW_CUT_INLINES,
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
	p->unit->work.used -= unused;
	return true;
}

/* Paint the open ranges from AT to NEXT, where the next ranges open. */
static bool paint_until(struct painter *p, uint64_t at, uint64_t next)
{
	while (at < next && p->heap.count) {
		const struct dw_stretch *top =
			&p->e->sorted.items[p->heap.items[0].index];
		uint64_t end = top->range.end < next ? top->range.end : next;

		if (top->range.end <= at) {
			GSYM_HEAP_POP(&p->heap, a, b, is_above(a, b));
			continue;
		}
		if (!extend(p, top->node, at, end))
			return false;
		at = end;
	}
	return true;
}

/* Join the sorted ranges of a node that touch or overlap. */
static void join_ranges(struct painter *p)
{
	struct dw_extents *e = p->e;
	struct dw_stretch *s = e->sorted.items;
	size_t kept = 0;

	for (size_t i = 0; i < e->sorted.count; i++) {
		uint32_t *last = &p->nodes[s[i].node].last;

		if (*last && s[*last - 1].range.end >= s[i].range.start) {
			if (s[*last - 1].range.end < s[i].range.end)
				s[*last - 1].range.end = s[i].range.end;
			continue;
		}
		s[kept++] = s[i];
		*last = (uint32_t)kept;
	}
	e->sorted.count = kept;
	for (size_t i = 0; i < kept; i++)
		p->nodes[s[i].node].last = 0;
}

static void begin_nodes(struct painter *p)
{
	const struct dw_unit *unit = p->unit;

	/* Parents come before their children. */
	for (uint32_t n = p->first; n != DW_NO_NODE;
	     n = next_node(unit, p->e, n)) {
		uint32_t parent = unit->nodes.items[n].parent;

		p->nodes[n] = (struct painted){ .holder = DW_NO_NODE };
		if (parent != DW_NO_NODE)
			p->nodes[n].holder =
				unit->nodes.items[parent].range_count
					? parent
					: p->nodes[parent].holder;
	}
}

/* Warn, once, if the range S overlaps the one on top of the heap,
 * of another function, in part, or lies around it. */
static void warn_overlap(struct painter *p, const struct dw_stretch *s)
{
	const struct dw_extents *e = p->e;
	const struct dw_stretch *top;

	if (p->warned || !p->heap.count)
		return;
	top = &e->sorted.items[p->heap.items[0].index];
	/* Functions that the linker dropped all begin at 0. */
	if (top->range.end <= s->range.start ||
	    top->range.start == s->range.start ||
	    e->root.items[top->node] == e->root.items[s->node] ||
	    (top->range.end >= s->range.end && top->node < s->node))
		return;
	p->warned = true;
	gsym_dw_unit_warn(p->unit, GSYM_WARN_OVERLAP,
			  "the ranges of the functions at .debug_info+"
			  "0x%" PRIx64 " and +0x%" PRIx64 " overlap at "
			  "0x%" PRIx64,
			  p->unit->nodes.items[top->node].die,
			  p->unit->nodes.items[s->node].die, s->range.start);
}

/* Open range INDEX.  False without memory. */
static bool open_range(struct painter *p, uint32_t index)
{
	const struct dw_stretch *s = &p->e->sorted.items[index];
	struct painted *node = &p->nodes[s->node];
	struct open_range open = { s->range.start, s->node, index };

	warn_overlap(p, s);
	if (node->holder != DW_NO_NODE) {
		const struct painted *holder = &p->nodes[node->holder];

		if (holder->end > s->range.start) {
			open = holder->open;
			open.index = index;
		}
	}
	node->open = open;
	node->end = s->range.end;
	return GSYM_HEAP_PUSH(&p->heap, open, a, b, is_above(a, b));
}

static bool paint_ranges(struct painter *p)
{
	struct dw_extents *e = p->e;

	begin_nodes(p);
	join_ranges(p);
	order_equal_starts(e->sorted.items, e->sorted.count, by_node);
	e->stretches.count = 0;
	for (size_t i = 0; i < e->sorted.count; i++) {
		const struct dw_stretch *s = &e->sorted.items[i];
		uint64_t next = i + 1 < e->sorted.count ? s[1].range.start
							: UINT64_MAX;

		if (!open_range(p, (uint32_t)i) ||
		    !paint_until(p, s->range.start, next))
			return false;
	}
	return true;
}

/* Let the stretches take the place of the ranges. */
static void use_stretches(struct dw_extents *e)
{
	struct dw_stretches ranges = e->sorted;

	e->sorted = e->stretches;
	e->stretches = ranges;
}

static bool paint(struct dw_unit *unit, uint32_t first, struct dw_extents *e)
{
	struct painter p = { .unit = unit, .first = first, .e = e };
	bool ok;

	/* Not all nodes may be used, so the memory is not cleared. */
	p.nodes = malloc((unit->nodes.count + 1) * sizeof(*p.nodes));
	p.warned = e->alone;
	ok = p.nodes && paint_ranges(&p);
	gsym_vec_fini(&p.heap);
	free(p.nodes);
	use_stretches(e);
	return ok;
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

bool gsym_dw_extents_paint(struct dw_unit *unit, struct dw_extents *e)
{
	uint32_t first = unit->nodes.count ? 0 : DW_NO_NODE;

	e->alone = false;
	if (unit->ranges.count > UINT32_MAX / 2 ||
	    !sort_ranges(unit, first, e) || !find_roots(unit, e))
		return false;
	if (!nests(unit, e)) {
		warn_uncontained(unit, e);
		if (!paint(unit, first, e))
			return false;
	}
	return group_by_root(unit, e);
}

bool gsym_dw_extents_paint_alone(struct dw_unit *unit, uint32_t function,
				 struct dw_extents *e)
{
	e->alone = true;
	if ((!e->next.count && !link_nodes(e)) ||
	    !sort_ranges(unit, function, e) ||
	    (!nests(unit, e) && !paint(unit, function, e)))
		return false;
	use_stretches(e);
	return true;
}
