/* SPDX-License-Identifier: MIT */
/* Walks over the DIEs of a unit, and finds the scopes that qualify names. */
#include "dwarf/scan.h"

#include "base/search.h"
#include "dwarf/policy.h"
#include "dwarf/sections.h"

/* The abbreviation of the DIE at AT, whose code is returned to *CODE, with the
 * byte after the code.  NULL for code 0, and if there is no such abbreviation;
 * the byte is NULL if the code cannot be read. */
static inline const struct dw_abbrev *abbrev_at(const struct dw_abbrevs *table,
						const uint8_t **at,
						const uint8_t *end,
						uint64_t *code)
{
	if (**at < 0x80)
		*code = *(*at)++;
	else
		*at = gsym_uleb_read(*at, end, code);
	return *at && *code ? dw_abbrev_find(table, *code) : NULL;
}

/* Step over the attributes at AT of a DIE with ABBREV.  Returns the byte after
 * them; *SIBLING becomes the value of DW_AT_sibling, or 0. */
static inline const uint8_t *skip(struct dw_walk *w,
				  const struct dw_abbrev *abbrev,
				  const uint8_t *at, uint64_t *sibling)
{
	const uint8_t *end;

	*sibling = 0;
	end = dw_abbrev_step(abbrev, at, (size_t)(w->c.end - at), w->c.swap,
			     sibling);
	if (end)
		return end;
	w->c.at = at;
	gsym_dw_abbrev_skip(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, sibling);
	return w->c.at;
}

/* Go on to the next DIE of one of KINDS, or to the end of the children at depth
 * FLOOR.  Most DIEs of C++ are passed here: AT and NEXT are no members of W so
 * that they stay in registers. */
static const struct dw_abbrev *find(struct dw_walk *w, unsigned kinds,
				    uint32_t floor)
{
	const struct dw_abbrevs *table = w->header->abbrevs;
	const struct dw_abbrev *found = NULL;
	const uint8_t *at = w->c.at, *die = at, *end;
	uint32_t next = w->next, low = next;
	uint64_t code = 0, sibling;

	while (at < w->c.end) {
		const struct dw_abbrev *abbrev;

		die = at;
		abbrev = abbrev_at(table, &at, w->c.end, &code);
		if (!abbrev) {
			w->c.at = at ? at : die;
			if (!at || code)
				gsym_cursor_fail(&w->c);
			if (!at || code || next <= floor)
				goto out;
			next--;
			low = low < next ? low : next;
			continue;
		}
		if (abbrev->kinds & kinds) {
			found = abbrev;
			w->c.at = at;
			goto out;
		}
		at = skip(w, abbrev, at, &sibling);
		if (!abbrev->has_children) {
			if (!next)
				w->c.end = at; /* the DIE is the whole tree */
			continue;
		}
		end = NULL;
		if (abbrev->kinds & w->leave ||
		    (abbrev->kinds & w->leave_outside && low <= w->function))
			end = dw_walk_sibling(w, at, sibling);
		if (end && !w->c.failed)
			at = end;
		else
			next++;
	}
	w->c.at = at;
	/* The zero after the children of the first DIE may be missing. */
	if (!w->c.failed && next > 1)
		gsym_cursor_fail(&w->c);
out:
	w->die = (uint64_t)(die - w->c.start);
	w->next = w->depth = next;
	w->low = low;
	return found;
}

const struct dw_abbrev *gsym_dw_walk_find(struct dw_walk *w, unsigned kinds)
{
	return find(w, kinds, 1);
}

void gsym_dw_walk_leave(struct dw_walk *w)
{
	uint32_t depth = w->depth;

	if (w->next == depth)
		return;
	find(w, 0, depth + 1);
	w->depth = w->next = depth;
}

/* ---- scopes -------------------------------------------------------------- */

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
