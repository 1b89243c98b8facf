/* SPDX-License-Identifier: MIT */
/* Reads the addresses that units claim, from .debug_aranges or from the ranges
 * of unit DIEs, and decides which unit owns each address. */
#include "dwarf/resolve.h"

#include "base/order.h"
#include "container/container.h"

#include <stdlib.h>
#include <string.h>

/* ---- claims -------------------------------------------------------------- */

/* The state of reading the claims of all units. */
struct claiming {
	const struct dw_reader *reader;
	void *self; /* from READER->open */
	struct dw_work *work;
	struct dw_claims *claims;
	struct dw_unit *notes;	 /* warnings, and the budget of one unit */
	struct dw_ranges ranges; /* ranges of one unit DIE */
};

static bool add_claims(struct claiming *c, uint32_t unit)
{
	if (!gsym_vec_reserve(c->claims, c->ranges.count))
		return false;
	for (size_t i = 0; i < c->ranges.count; i++)
		c->claims->items[c->claims->count++] =
			(struct dw_claim){ c->ranges.items[i], unit };
	return true;
}

/* Claim the ranges of the DIE of UNIT. */
static enum gsym_status claim_unit(struct claiming *c, uint32_t unit)
{
	const struct dw_header *header = c->reader->unit(c->self, unit);
	uint64_t size = dw_unit_bytes(header);
	enum gsym_status status;

	c->ranges.count = 0;
	c->notes->offset = header->offset;
	c->notes->cuts = 0;
	gsym_dw_work_grant(c->work, c->notes, size, 1);
	status = c->reader->unit_ranges(c->self, unit, &c->ranges, c->notes);
	if (status == GSYM_OK &&
	    dw_unit_take(c->notes, DW_CUT_CLAIMS,
			 c->ranges.count * DW_COST_CLAIM) &&
	    !add_claims(c, unit))
		status = GSYM_ERR_MEMORY;
	gsym_dw_work_settle(c->work, c->notes, size);
	return status;
}

/* A unit claims the ranges in its sets of .debug_aranges; without a set, the
 * ranges of its DIE. */
enum gsym_status gsym_dw_claims_read(const struct dw_reader *reader, void *self,
				     struct dw_work *work,
				     struct dw_claims *claims,
				     struct dw_unit *notes)
{
	struct claiming c = { reader, self, work, claims, notes, { 0 } };
	size_t count = reader->unit_count(self);
	bool *has_set = calloc(2 * (count + 1), sizeof(*has_set));
	bool *needed = has_set + count + 1;
	enum gsym_status status;

	if (!has_set)
		return GSYM_ERR_MEMORY;
	gsym_dw_work_grant(work, notes, 0, 1);
	status = reader->aranges(self, claims, has_set, notes);
	for (size_t i = 0; i < count; i++)
		needed[i] = !has_set[i];
	if (status == GSYM_OK && reader->need)
		status = reader->need(self, needed, notes);
	for (uint32_t i = 0; status == GSYM_OK && i < count; i++)
		if (needed[i])
			status = claim_unit(&c, i);
	gsym_vec_fini(&c.ranges);
	free(has_set);
	return status;
}

/* ---- owners -------------------------------------------------------------- */

/* The start or the end of a claim. */
struct end_point {
	uint64_t address;
	uint32_t unit;
	bool start;
};

struct sweep {
	struct { GSYM_VEC(struct end_point); } points;
	uint32_t *active; /* by unit: how many of its claims are open */
	/* A heap of units, the lowest on top.  It holds all units with open
	 * claims; other units are removed when they come to the top. */
	struct { GSYM_VEC(uint32_t); } heap;
	struct dw_claims pieces; /* ascending */
};

void gsym_dw_owners_fini(struct dw_owners *owners)
{
	gsym_vec_fini(&owners->pieces);
	free(owners->first);
	owners->first = NULL;
}

/* Give [START, END) to its owner, if any unit claims it. */
static bool add_piece(struct sweep *s, uint64_t start, uint64_t end)
{
	struct dw_claim *last = s->pieces.count ?
					&s->pieces.items[s->pieces.count - 1] :
					NULL;

	if (last && last->range.end == start && s->active[last->unit]) {
		last->range.end = end;
		return true;
	}
	while (s->heap.count && !s->active[s->heap.items[0]])
		GSYM_HEAP_POP(&s->heap, a, b, *a < *b);
	if (!s->heap.count)
		return true;
	last = gsym_vec_push(&s->pieces);
	if (last)
		*last = (struct dw_claim){ { start, end }, s->heap.items[0] };
	return last;
}

static int by_address(const void *a, const void *b)
{
	const struct end_point *x = a, *y = b;

	return GSYM_ORDER(x->address, y->address);
}

static bool sweep_claims(struct sweep *s, const struct dw_claims *claims,
			 size_t unit_count)
{
	s->active = calloc(unit_count + 1, sizeof(*s->active));
	if (!s->active || !gsym_vec_reserve(&s->points, 2 * claims->count))
		return false;
	for (size_t i = 0; i < claims->count; i++) {
		const struct dw_claim *claim = &claims->items[i];

		s->points.items[s->points.count++] = (struct end_point){
			claim->range.start, claim->unit, true
		};
		s->points.items[s->points.count++] = (struct end_point){
			claim->range.end, claim->unit, false
		};
	}
	qsort(s->points.items, s->points.count, sizeof(*s->points.items),
	      by_address);
	for (size_t i = 0; i < s->points.count; i++) {
		const struct end_point *point = &s->points.items[i];

		if (i && point[-1].address < point->address &&
		    !add_piece(s, point[-1].address, point->address))
			return false;
		if (!point->start)
			s->active[point->unit]--;
		else if (!s->active[point->unit]++ &&
			 !GSYM_HEAP_PUSH(&s->heap, point->unit, a, b, *a < *b))
			return false;
	}
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct dw_claim *x = a, *y = b;
	int order = GSYM_ORDER(x->range.start, y->range.start);

	return order ? order : GSYM_ORDER(x->unit, y->unit);
}

static bool overlap(const struct dw_claims *claims)
{
	for (size_t i = 1; i < claims->count; i++)
		if (claims->items[i - 1].range.end >
		    claims->items[i].range.start)
			return true;
	return false;
}

/* Append the executable parts of PIECE to CLIPPED.  Pieces ascend: *AT is the
 * first range of code that may reach into this piece or a later one. */
static bool clip_piece(const struct gsym_container *container, size_t *at,
		       struct dw_claim piece, struct dw_claims *clipped)
{
	uint64_t end = piece.range.end;

	if (!container->text.count) {
		struct dw_claim *claim = gsym_vec_push(clipped);

		if (claim)
			*claim = piece;
		return claim;
	}
	while (*at < container->text.count &&
	       container->text.items[*at].end <= piece.range.start)
		++*at;
	for (size_t i = *at; i < container->text.count; i++) {
		const struct gsym_range *text = &container->text.items[i];
		struct dw_claim *claim;

		if (text->start >= end)
			break;
		claim = gsym_vec_push(clipped);
		if (!claim)
			return false;
		*claim = piece;
		if (claim->range.start < text->start)
			claim->range.start = text->start;
		if (claim->range.end > text->end)
			claim->range.end = text->end;
	}
	return true;
}

/* Sort PIECES, which ascend, by unit. */
static bool distribute(const struct dw_claims *pieces, size_t unit_count,
		       struct dw_owners *ret)
{
	uint32_t *first = calloc(unit_count + 2, sizeof(*first));

	ret->first = first;
	if (!first || !gsym_vec_reserve(&ret->pieces, pieces->count))
		return false;
	/* Count two places ahead, as filling moves each start on. */
	for (size_t i = 0; i < pieces->count; i++)
		first[pieces->items[i].unit + 2]++;
	for (size_t i = 2; i < unit_count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < pieces->count; i++)
		ret->pieces.items[first[pieces->items[i].unit + 1]++] =
			pieces->items[i].range;
	ret->pieces.count = pieces->count;
	return true;
}

bool gsym_dw_owners_settle(struct dw_claims *claims, size_t unit_count,
			   const struct gsym_container *container,
			   struct dw_owners *ret)
{
	const struct dw_claims *pieces = claims;
	struct dw_claims clipped = { 0 };
	struct sweep s = { 0 };
	bool ok = true;
	size_t at = 0;

	memset(ret, 0, sizeof(*ret));
	if (claims->count)
		qsort(claims->items, claims->count, sizeof(*claims->items),
		      by_start);
	if (overlap(claims)) {
		ok = sweep_claims(&s, claims, unit_count);
		pieces = &s.pieces;
	}
	for (size_t i = 0; ok && i < pieces->count; i++)
		ok = clip_piece(container, &at, pieces->items[i], &clipped);
	ok = ok && distribute(&clipped, unit_count, ret);
	gsym_vec_fini(&clipped);
	gsym_vec_fini(&s.points);
	gsym_vec_fini(&s.heap);
	gsym_vec_fini(&s.pieces);
	free(s.active);
	if (!ok)
		gsym_dw_owners_fini(ret);
	return ok;
}
