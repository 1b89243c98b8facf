/* SPDX-License-Identifier: MIT */
/*
 * Reads the addresses that units claim, from .debug_aranges or from the ranges
 * of unit DIEs, and decides which unit owns each address.  Makes the records of
 * a unit there: stretches of functions with their rows and inlined calls.
 * Keeps what was read of a unit until it is handed over.
 */
#include "base/order.h"
#include "dwarf/resolve.h"

#include <stdlib.h>
#include <string.h>

/* ---- claims -------------------------------------------------------------- */

/* The state of reading the claims of all units. */
struct claiming {
	const struct dw_reader *reader;
	void *self; /* from READER->open */
	struct dw_work *work;
	struct dw_claims *claims;
	struct dw_unit *outside; /* warnings, and the budget of one unit */
	struct gsym_range_set ranges; /* ranges of one unit DIE */
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
	c->outside->offset = header->offset;
	c->outside->cuts = 0;
	gsym_dw_work_grant(c->work, c->outside, size, 1);
	status = c->reader->unit_ranges(c->self, unit, &c->ranges, c->outside);
	if (status == GSYM_OK &&
	    dw_unit_take(c->outside, DW_CUT_CLAIMS,
			 c->ranges.count * DW_COST_CLAIM) &&
	    !add_claims(c, unit))
		status = GSYM_ERR_MEMORY;
	gsym_dw_work_settle(c->work, c->outside, size);
	return status;
}

/* A unit claims the ranges in its sets of .debug_aranges; without a set, the
 * ranges of its DIE. */
enum gsym_status gsym_dw_claims_read(const struct dw_reader *reader, void *self,
				     struct dw_work *work,
				     struct dw_claims *claims,
				     struct dw_unit *outside)
{
	struct claiming c = { reader, self, work, claims, outside, { 0 } };
	size_t count = reader->unit_count(self);
	bool *has_set = calloc(count + 1, sizeof(*has_set));
	enum gsym_status status;

	if (!has_set)
		return GSYM_ERR_MEMORY;
	gsym_dw_work_grant(work, outside, 0, 1);
	status = reader->aranges(self, claims, has_set, outside);
	for (uint32_t i = 0; status == GSYM_OK && i < count; i++)
		if (!has_set[i])
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
	GSYM_VEC_OF(struct end_point) points;
	uint32_t *active; /* by unit: how many of its claims are open */
	/* A heap of units, the lowest on top.  It holds all units with open
	 * claims; other units are removed when they come to the top. */
	GSYM_VEC_OF(uint32_t) heap;
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
	return gsym_vec_add(&s->pieces, (struct dw_claim){ { start, end },
							   s->heap.items[0] });
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
	if (!gsym_vec_sort_by(&s->points, address))
		return false;
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

	if (!container->text.count)
		return gsym_vec_add(clipped, piece);
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
	bool ok = gsym_vec_sort_by(claims, range.start);
	size_t at = 0;

	memset(ret, 0, sizeof(*ret));
	ret->contested = ok && overlap(claims);
	if (ret->contested) {
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

/* ---- results ------------------------------------------------------------ */

void gsym_dw_result_fini(struct dw_result *result)
{
	gsym_vec_fini(&result->records);
	gsym_vec_fini(&result->loose);
	gsym_vec_fini(&result->rows);
	gsym_vec_fini(&result->inlines);
	gsym_vec_fini(&result->ranges);
	gsym_vec_fini(&result->calls);
	gsym_vec_fini(&result->callees);
	gsym_vec_fini(&result->names);
}

struct dw_resolver *gsym_dw_resolver_new(void)
{
	return calloc(1, sizeof(struct dw_resolver));
}

void gsym_dw_resolver_free(struct dw_resolver *resolver)
{
	if (!resolver)
		return;
	gsym_dw_extents_fini(&resolver->extents);
	gsym_vec_fini(&resolver->sweep.open);
	gsym_vec_fini(&resolver->window);
	gsym_vec_fini(&resolver->keys);
	gsym_vec_fini(&resolver->covered);
	gsym_vec_fini(&resolver->hidden);
	gsym_vec_fini(&resolver->unclaimed);
	gsym_vec_fini(&resolver->flat.rows);
	gsym_vec_fini(&resolver->flat.sequences);
	gsym_vec_fini(&resolver->order);
	gsym_vec_fini(&resolver->joined);
	gsym_keys_fini(&resolver->name_keys);
	free(resolver);
}

/* ---- functions ---------------------------------------------------------- */

/*
 * Add records for RANGE, which the stretches FIRST to LAST - 1 of the function
 * at hand make up.  It may join ranges of the function's DIE that touch.  They
 * stay joined, but for the first range that the DIE lists, where the function
 * is entered: a cold part that happens to touch that range gets a record of
 * its own.
 */
static bool resolve_range(struct dw_resolver *r, size_t first, size_t last,
			  struct gsym_range range)
{
	const struct dw_unit *unit = r->unit;
	const struct dw_node *node = &unit->nodes.items[r->function];
	uint64_t cuts[2] = { 0, 0 };

	if (node->range_count > 1) {
		cuts[0] = unit->ranges.items[node->first_range].start;
		cuts[1] = unit->ranges.items[node->first_range].end;
	}
	for (int i = 0; i < 2; i++) {
		struct gsym_range front = { range.start, cuts[i] };

		if (cuts[i] <= range.start || cuts[i] >= range.end)
			continue;
		if (!gsym_dw_records_add(r, first, last, front))
			return false;
		range.start = cuts[i];
	}
	return gsym_dw_records_add(r, first, last, range);
}

/* Add records for the function at hand: its stretches, and those inlined into
 * it, form ranges. */
static bool resolve_function(struct dw_resolver *r)
{
	size_t last = r->extents.first.items[r->function + 1];
	size_t i = r->extents.first.items[r->function];

	while (i < last) {
		const struct dw_stretch *s = r->extents.stretches.items + i;
		struct gsym_range range = s->range;
		size_t first = i;

		/* A stretch of the root comes before the stretches in it.  Its
		 * stretches that touch are one range. */
		for (i++; i < last && s[i - first].range.start <= range.end;
		     i++) {
			if (s[i - first].range.start == range.end &&
			    s[i - first].node != r->function)
				break;
			if (s[i - first].range.end > range.end)
				range.end = s[i - first].range.end;
		}
		if (!resolve_range(r, first, i, range))
			return false;
	}
	return true;
}

static bool resolve_functions(struct dw_resolver *r)
{
	const struct dw_unit *unit = r->unit;

	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		size_t first_record = r->result->records.count;

		if (r->extents.root.items[n] != n)
			continue;
		r->function = n;
		if (!resolve_function(r) ||
		    (unit->wants & DW_WANT_FOLDED &&
		     !gsym_dw_hidden_note(r, first_record)))
			return false;
	}
	r->function = DW_NO_NODE;
	return true;
}

/* ---- addresses without a function --------------------------------------- */

static bool add_loose(struct dw_resolver *r, uint64_t start, uint64_t end)
{
	uint32_t first = (uint32_t)r->result->rows.count, row_count;
	struct gsym_range range = { start, end };

	/* Rows hold offsets of 32 bits. */
	if (range.end - range.start > UINT32_MAX)
		range.end = range.start + UINT32_MAX;
	if (!gsym_dw_rows_resolve(r, range, &row_count))
		return false;
	if (!row_count)
		return true;
	return gsym_vec_add(&r->result->loose,
			    (struct dw_loose){ range, first, row_count });
}

/* Add the rows of the gaps between the records, in the owned ranges. */
static bool resolve_gaps(struct dw_resolver *r)
{
	const struct gsym_range *covered = r->covered.items;
	size_t next = 0;

	if (!r->unit->lines.sequences.count)
		return true;
	gsym_range_set_join(&r->covered);
	for (size_t i = 0; i < r->owned_count; i++) {
		struct gsym_range owned = r->owned[i];
		uint64_t at = owned.start;

		for (;
		     next < r->covered.count && covered[next].start < owned.end;
		     next++) {
			if (covered[next].start > at &&
			    !add_loose(r, at, covered[next].start))
				return false;
			if (covered[next].end > at)
				at = covered[next].end;
		}
		/* A record over owned ranges that touch ends in a later one. */
		if (next && covered[next - 1].end > owned.end)
			next--;
		if (at < owned.end && !add_loose(r, at, owned.end))
			return false;
	}
	return true;
}

/* ---- the unit ----------------------------------------------------------- */

static int by_function(const void *a, const void *b)
{
	const struct dw_call *x = a, *y = b;
	int order = GSYM_ORDER(x->function, y->function);

	return order ? order : GSYM_ORDER(x->address, y->address);
}

static int by_callee(const void *a, const void *b)
{
	const struct dw_call *x = a, *y = b;
	const char *text_x = x->callee.text, *text_y = y->callee.text;

	return text_x == text_y ? 0 :
				  strcmp(text_x ? text_x : "",
					 text_y ? text_y : "");
}

/* Sort COUNT calls of one function that return to one address by their callees,
 * and drop repeated callees.  Returns how many calls are left.  Beyond the
 * budget only the first call is left. */
static size_t sort_callees(struct dw_unit *unit, struct dw_call *calls,
			   size_t count)
{
	size_t left = 1;

	if (count == 1)
		return 1;
	for (size_t i = 0; i < count; i++) {
		const char *text = calls[i].callee.text;

		if (!dw_unit_take(unit, DW_CUT_CALLS, text ? strlen(text) : 0))
			return 1;
	}
	qsort(calls, count, sizeof(*calls), by_callee);
	for (size_t i = 1; i < count; i++)
		if (by_callee(&calls[i - 1], &calls[i]))
			calls[left++] = calls[i];
	return left;
}

/* Sort the calls of UNIT by function, address and callee. */
static void sort_calls(struct dw_unit *unit)
{
	struct dw_call *calls = unit->calls.items;
	size_t left = 0, next;

	if (unit->calls.count)
		qsort(calls, unit->calls.count, sizeof(*calls), by_function);
	for (size_t i = 0; i < unit->calls.count; i = next) {
		size_t kept;

		for (next = i + 1; next < unit->calls.count &&
				   !by_function(&calls[i], &calls[next]);
		     next++)
			;
		kept = sort_callees(unit, calls + i, next - i);
		memmove(calls + left, calls + i, kept * sizeof(*calls));
		left += kept;
	}
	unit->calls.count = left;
}

static bool begin(struct dw_resolver *r, struct dw_unit *unit,
		  const struct gsym_range *owned, size_t owned_count,
		  struct dw_result *result)
{
	result->records.count = result->loose.count = result->rows.count = 0;
	result->inlines.count = result->ranges.count = 0;
	result->calls.count = result->callees.count = 0;
	r->unit = unit;
	r->owned = owned;
	r->owned_count = owned_count;
	r->result = result;
	r->covered.count = r->hidden.count = r->order.count = 0;
	r->unclaimed.count = 0;
	r->joined_of = DW_NO_NODE;
	r->has_order = r->folding = r->sweep.active = false;
	gsym_keys_clear(&r->name_keys);
	result->names.count = 0;
	return gsym_vec_add(&result->names, (struct dw_name){ NULL, false });
}

bool gsym_dw_resolve(struct dw_resolver *r, struct dw_unit *unit,
		     const struct gsym_range *owned, size_t owned_count,
		     struct dw_result *result)
{
	if (!begin(r, unit, owned, owned_count, result))
		return false;
	if (!gsym_dw_live_filter(unit, owned, owned_count))
		return false;
	if (!unit->nodes.count && !owned_count)
		return true;
	sort_calls(unit);
	return gsym_dw_rows_flatten(r) &&
	       gsym_dw_extents_paint(unit, &r->extents) &&
	       resolve_functions(r) && resolve_gaps(r) &&
	       gsym_dw_hidden_resolve(r);
}

/* ---- memory for reading units -------------------------------------------- */

/* The arrays of struct dw_contents. */
#define ARRAYS(X)         \
	X(result.records) \
	X(result.loose)   \
	X(result.rows)    \
	X(result.inlines) \
	X(result.ranges)  \
	X(result.calls)   \
	X(result.callees) \
	X(result.names)   \
	X(texts)          \
	X(unclaimed)

struct dw_reading *gsym_dw_reading_new(void)
{
	struct dw_reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->resolver = gsym_dw_resolver_new();
	if (!reading->resolver) {
		free(reading);
		return NULL;
	}
	return reading;
}

void gsym_dw_reading_free(struct dw_reading *reading)
{
	if (!reading)
		return;
	gsym_dw_resolver_free(reading->resolver);
	gsym_dw_result_fini(&reading->contents.result);
	gsym_vec_fini(&reading->contents.texts);
	gsym_dw_unit_fini(&reading->arrays);
	free(reading);
}

void gsym_dw_reading_swap(struct dw_reading *reading, struct dw_unit *unit)
{
	struct dw_unit *arrays = &reading->arrays;
	const struct dw_unit old = *arrays;

	arrays->nodes = unit->nodes;
	arrays->calls = unit->calls;
	arrays->ranges = unit->ranges;
	arrays->lines = unit->lines;
	unit->nodes = old.nodes;
	unit->calls = old.calls;
	unit->ranges = old.ranges;
	unit->lines = old.lines;
}

/* SIZE bytes, and what aligns the array after them. */
static size_t room(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

void *gsym_dw_contents_pack(const struct dw_reading *from,
			    struct dw_contents *ret)
{
	struct dw_contents all = from->contents;
	size_t bytes = 0;
	char *block, *at;

	all.unclaimed = from->resolver->unclaimed;
#define ADD(a) bytes += room(all.a.count * sizeof(*all.a.items));
	ARRAYS(ADD)
	block = at = malloc(bytes + 1);
	if (!block)
		return NULL;
#define COPY(a)                                                   \
	{                                                         \
		size_t size = all.a.count * sizeof(*all.a.items); \
                                                                  \
		ret->a.items = (void *)at;                        \
		ret->a.count = ret->a.capacity = all.a.count;     \
		if (size)                                         \
			memcpy(at, all.a.items, size);            \
		at += room(size);                                 \
	}
	ARRAYS(COPY)
	return block;
}
