/* SPDX-License-Identifier: MIT */
/*
 * Folded functions: another unit owns their addresses, or a later DIE of the
 * same unit has them.  Each is painted alone, with only its own inlined
 * calls, and resolved as if it owned its ranges.
 */
#include "base/search.h"
#include "base/sort.h"
#include "dwarf/resolver.h"

#include <stdlib.h>
#include <string.h>

/* Whether one of the function's records, those from FIRST_RECORD on, has
 * RANGE.  They ascend. */
static bool has_record(const struct dw_result *result, size_t first_record,
		       struct gsym_range range)
{
	const struct dw_record *records = result->records.items;
	size_t at = GSYM_FIRST(i, first_record, result->records.count,
			       records[i].range.start >= range.start);

	return at < result->records.count &&
	       records[at].range.start == range.start &&
	       records[at].range.end == range.end;
}

bool gsym_dw_hidden_note(struct dw_resolver *r, size_t first_record)
{
	const struct dw_unit *unit = r->unit;
	const struct dw_node *node = &unit->nodes.items[r->function];

	for (uint32_t i = 0; i < node->range_count; i++) {
		struct gsym_range range =
			unit->ranges.items[node->first_range + i];
		struct dw_hidden *hidden;

		if (range.end - range.start > UINT32_MAX ||
		    has_record(r->result, first_record, range))
			continue;
		hidden = gsym_vec_push(&r->hidden);
		if (!hidden)
			return false;
		*hidden = (struct dw_hidden){ range, r->function };
	}
	return true;
}

/* A unit of one function, made from a whole unit. */
struct lone {
	struct dw_unit unit; /* its rows and files are the whole unit's */
	/* The nodes of the whole unit, sorted by function, and by function the
	 * place of its first node there. */
	uint32_t *members;
	uint32_t *first;
	uint32_t *map; /* node of the whole unit -> node of UNIT */
};

/* Sort the nodes by function; the extents are those of the whole unit. */
static bool sort_members(struct lone *l, const struct dw_resolver *r)
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

static bool copy_node(struct lone *l, const struct dw_unit *whole, uint32_t n)
{
	struct dw_unit *unit = &l->unit;
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
		       copy->range_count * sizeof(*unit->ranges.items));
	copy->first_range = (uint32_t)unit->ranges.count;
	unit->ranges.count += copy->range_count;
	return true;
}

/* Make the unit of the function at NODE of WHOLE. */
static bool isolate(struct lone *l, const struct dw_unit *whole, uint32_t node)
{
	l->unit.nodes.count = l->unit.ranges.count = 0;
	for (uint32_t i = l->first[node]; i < l->first[node + 1]; i++)
		if (!copy_node(l, whole, l->members[i]))
			return false;
	return true;
}

/* Ranges of one function come together and ascend, as a sweep over its
 * stretches needs it. */
static int by_node_and_start(const void *a, const void *b)
{
	const struct dw_hidden *x = a, *y = b;
	int order = GSYM_ORDER(x->node, y->node);

	if (!order)
		order = GSYM_ORDER(x->range.start, y->range.start);
	return order ? order : GSYM_ORDER(x->range.end, y->range.end);
}

/* Resolve the hidden ranges; the extents become those of one lone unit after
 * another. */
static bool resolve_all(struct dw_resolver *r, struct lone *l)
{
	uint32_t last = DW_NO_NODE;

	qsort(r->hidden.items, r->hidden.count, sizeof(*r->hidden.items),
	      by_node_and_start);
	for (size_t i = 0; i < r->hidden.count; i++) {
		struct dw_hidden hidden = r->hidden.items[i];

		if (!dw_unit_take(r->unit, DW_CUT_FOLDED, DW_COST_FOLDED))
			break;
		if (hidden.node != last) {
			r->sweep.active = false;
			if (!isolate(l, r->unit, hidden.node) ||
			    !gsym_dw_records_paint(r, &l->unit))
				return false;
		}
		last = r->function = hidden.node;
		r->root = 0;
		if (!gsym_dw_records_add(r, 0, r->extents.stretches.count,
					 hidden.range, &hidden.range, 1))
			return false;
	}
	return true;
}

bool gsym_dw_hidden_resolve(struct dw_resolver *r)
{
	struct lone l = { .unit = *r->unit };
	bool fine;

	if (!r->hidden.count)
		return true;
	memset(&l.unit.nodes, 0, sizeof(l.unit.nodes));
	memset(&l.unit.ranges, 0, sizeof(l.unit.ranges));
	/* Warnings of painting came up when the whole unit was painted: those
	 * of the lone unit are dropped with it. */
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
