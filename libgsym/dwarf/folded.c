/* SPDX-License-Identifier: MIT */
/*
 * Functions that others hide: another unit owns their addresses, or a later
 * DIE of the same unit has them.  Each is painted alone, with nothing but
 * the calls inlined into it, and resolved as if it owned its ranges.
 */
#include "base/search.h"
#include "dwarf/resolve_parts.h"

#include <stdlib.h>
#include <string.h>

bool gsym_dw_note_hidden(struct dw_result *r, const struct dw_unit *unit,
			 uint32_t node, size_t first_record)
{
	const struct dw_node *from = &unit->nodes.items[node];

	for (uint32_t i = 0; i < from->range_count; i++) {
		struct gsym_range range =
			unit->ranges.items[from->first_range + i];
		/* A function's records ascend. */
		size_t at = GSYM_FIRST(k, first_record, r->records.count,
				       r->records.items[k].range.start >=
					       range.start);
		struct dw_hidden *hidden;

		if (range.end - range.start > UINT32_MAX ||
		    (at < r->records.count &&
		     r->records.items[at].range.start == range.start &&
		     r->records.items[at].range.end == range.end))
			continue;
		hidden = gsym_vec_push(&r->hidden);
		if (!hidden)
			return false;
		*hidden = (struct dw_hidden){ range, node };
	}
	return true;
}

/* A unit of one function, made of another unit. */
struct lone {
	struct dw_unit unit; /* all but nodes and ranges are the other's */
	/* The nodes of the whole unit by the function that they are in, and
	 * where those of each begin. */
	uint32_t *members;
	uint32_t *first;
	uint32_t *map; /* from nodes of the unit to those here */
};

/* Sort the nodes by function; the extents are those of the whole unit. */
static bool sort_members(struct lone *l, const struct dw_result *r)
{
	size_t count = r->unit->nodes.count;
	const uint32_t *root = r->extents.root.items;

	l->members = malloc(count * sizeof(*l->members));
	l->map = malloc(count * sizeof(*l->map));
	l->first = calloc(count + 2, sizeof(*l->first));
	if (!l->members || !l->map || !l->first)
		return false;
	/* Count two places ahead, as filling moves each start on. */
	for (size_t i = 0; i < count; i++)
		l->first[root[i] + 2]++;
	for (size_t i = 2; i < count + 2; i++)
		l->first[i] += l->first[i - 1];
	for (size_t i = 0; i < count; i++)
		l->members[l->first[root[i] + 1]++] = (uint32_t)i;
	return true;
}

/* Make the unit of the function NODE. */
static bool isolate(struct lone *l, const struct dw_unit *whole, uint32_t node)
{
	struct dw_unit *unit = &l->unit;

	unit->nodes.count = unit->ranges.count = 0;
	for (uint32_t i = l->first[node]; i < l->first[node + 1]; i++) {
		uint32_t n = l->members[i];
		struct dw_node *copy = gsym_vec_push(&unit->nodes);

		if (!copy)
			return false;
		*copy = whole->nodes.items[n];
		l->map[n] = (uint32_t)unit->nodes.count - 1;
		if (copy->parent != DW_NO_NODE)
			copy->parent = l->map[copy->parent];
		if (!gsym_vec_reserve(&unit->ranges, copy->range_count))
			return false;
		if (copy->range_count)
			memcpy(unit->ranges.items + unit->ranges.count,
			       whole->ranges.items + copy->first_range,
			       copy->range_count *
				       sizeof(*unit->ranges.items));
		copy->first_range = (uint32_t)unit->ranges.count;
		unit->ranges.count += copy->range_count;
	}
	return true;
}

/* Each function's ranges by address, for the sweep over its stretches. */
static int by_node_and_start(const void *a, const void *b)
{
	const struct dw_hidden *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	return (x->range.end > y->range.end) - (x->range.end < y->range.end);
}

/* Records of the ranges that were hidden, the extents being those of the
 * lone units one after the other. */
static bool resolve_all(struct dw_result *r, struct lone *l)
{
	uint32_t last = DW_NO_NODE;

	qsort(r->hidden.items, r->hidden.count, sizeof(*r->hidden.items),
	      by_node_and_start);
	for (size_t i = 0; i < r->hidden.count; i++) {
		struct dw_hidden hidden = r->hidden.items[i];

		if (hidden.node != last)
			r->sweep.active = false;
		if (hidden.node != last &&
		    (!isolate(l, r->unit, hidden.node) ||
		     !gsym_dw_extents_paint(&l->unit, &r->extents) ||
		     !gsym_dw_resolve_depths(r, &l->unit)))
			return false;
		last = r->function = hidden.node;
		if (!gsym_dw_resolve_stretch(r, &l->unit, &hidden.range, 1, 0,
					     0, r->extents.stretches.count,
					     hidden.range))
			return false;
	}
	return true;
}

bool gsym_dw_resolve_hidden(struct dw_result *r, const struct dw_unit *unit)
{
	struct lone l = { .unit = *unit };
	bool fine;

	if (!r->hidden.count)
		return true;
	memset(&l.unit.nodes, 0, sizeof(l.unit.nodes));
	memset(&l.unit.ranges, 0, sizeof(l.unit.ranges));
	/* What there is to be said was said of the whole unit. */
	memset(&l.unit.warnings, 0, sizeof(l.unit.warnings));
	memset(&l.unit.arena, 0, sizeof(l.unit.arena));
	r->folding = true;
	fine = sort_members(&l, r) && resolve_all(r, &l);
	gsym_vec_fini(&l.unit.nodes);
	gsym_vec_fini(&l.unit.ranges);
	gsym_vec_fini(&l.unit.warnings);
	gsym_arena_fini(&l.unit.arena);
	free(l.members);
	free(l.map);
	free(l.first);
	return fine;
}
