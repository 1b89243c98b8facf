/* SPDX-License-Identifier: MIT */
/* Finds the context around a DIE; lists each scope once, when it is needed. */
#include "dwarf/scopes.h"

#include "base/search.h"
#include "dwarf/policy.h"
#include "dwarf/walk.h"

/* List the scopes directly inside of SCOPE, by offset.  False without
 * memory. */
static bool list(struct dw_scopes *scopes, const struct dw_header *header,
		 uint32_t scope)
{
	uint32_t depth = scopes->items[scope].depth;
	size_t first = scopes->count;
	struct dw_walk w = dw_walk_init(header, scopes->items[scope].die);
	const struct dw_abbrev *abbrev = gsym_dw_walk_find(&w, DW_KIND_ANY);

	if (abbrev)
		dw_walk_skip(&w, abbrev, false);
	while ((abbrev = gsym_dw_walk_find(&w, DW_KIND_CONTEXT))) {
		struct dw_scope inner = { .die = w.die,
					  .depth = depth + w.depth };
		struct dw_scope *place;

		dw_walk_skip(&w, abbrev, true);
		gsym_dw_walk_leave(&w);
		inner.end = w.c.failed ? header->end : gsym_cursor_offset(&w.c);
		/* A DIE without children is the context of no other. */
		if (!abbrev->has_children || inner.depth >= DW_MAX_DEPTH)
			continue;
		place = gsym_vec_push(scopes);
		if (!place)
			return false;
		*place = inner;
	}
	scopes->items[scope].first = (uint32_t)first;
	scopes->items[scope].count = (uint32_t)(scopes->count - first);
	scopes->items[scope].listed = true;
	return true;
}

bool gsym_dw_scopes_find(struct dw_scopes *scopes,
			 const struct dw_header *header, uint64_t die,
			 struct dw_unit *payer, uint64_t *ret)
{
	uint32_t at = 0;

	*ret = 0;
	if (!scopes->count) {
		struct dw_scope *unit = gsym_vec_push(scopes);

		if (!unit)
			return false;
		*unit = (struct dw_scope){ .die = header->die,
					   .end = header->end };
	}
	for (;;) {
		struct dw_scope scope = scopes->items[at];
		size_t after;

		if (!scope.listed) {
			if (!dw_unit_take(payer, DW_CUT_NAMES,
					  (scope.end - scope.die) *
						  DW_COST_DIE_BYTE))
				return true;
			if (!list(scopes, header, at))
				return false;
			scope = scopes->items[at];
		}
		after = GSYM_FIRST(i, scope.first, scope.first + scope.count,
				   scopes->items[i].die >= die);
		if (after == scope.first || scopes->items[after - 1].end <= die)
			break;
		at = (uint32_t)after - 1;
	}
	if (at)
		*ret = scopes->items[at].die;
	return true;
}
