/* SPDX-License-Identifier: MIT */
/*
 * Which code of the debug info is in the program.
 *
 * A linker that drops code (--gc-sections, -dead_strip, copies of inline
 * functions) leaves the debug info of that code in the file.  Where the address
 * of the code was, the debug info has a tombstone (policy.h), or 0, or 1 in
 * old range lists.  A dropped function of 7 KB has the range [0, 0x1c00) then,
 * and live code may begin at 0x1000:
 *
 *	0x1000  main                      live
 *	0       unused, up to 0x1c00      dropped: no code lies at 0
 *
 * So a range that begins where the program has no code is dropped, with all
 * that was inlined into a function that has no other range.  If code does lie
 * at 0, as in firmware, symbols tell which of the functions that begin there is
 * alive, or else .eh_frame, the entry of the program, and the other claims.
 */
#include "dwarf/resolve.h"

#include "base/order.h"

#include <stdlib.h>

/* Linkers that write no tombstone write 0 in place of dropped code, or 1 in
 * range lists. */
enum { LOW = 1 };

const struct gsym_range *gsym_dw_live_next_code(const struct dw_live *live,
						uint64_t address)
{
	const struct gsym_range *text = live->container->text.items;
	size_t at;

	if (address - live->largest.start <
	    live->largest.end - live->largest.start)
		return &live->largest;
	at = GSYM_FIRST(i, 0, live->container->text.count,
			text[i].end > address);
	return at < live->container->text.count ? &text[at] : NULL;
}

/* Whether ADDRESS is in a range of code. */
static bool is_text(const struct dw_live *live, uint64_t address)
{
	const struct gsym_range *text = gsym_dw_live_next_code(live, address);

	return text && text->start <= address;
}

/* Whether ADDRESS is in code.  In relocatable objects all addresses are. */
static bool is_code(const struct dw_live *live, uint64_t address)
{
	return live->container->relocatable || is_text(live, address);
}

/* ---- claims -------------------------------------------------------------- */

/* The lowest address above LOW at which a claim begins in code. */
static uint64_t next_claim(const struct dw_live *live,
			   const struct dw_claims *claims)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < claims->count; i++) {
		uint64_t start = claims->items[i].range.start;

		if (start > LOW && start < next && is_text(live, start))
			next = start;
	}
	return next;
}

/* Whether the program has a table of addresses of code at 0, or may have one:
 * its bytes are not known.  The first word of vectors may be anything. */
static bool has_vectors(const struct dw_live *live)
{
	const struct gsym_container *c = live->container;
	struct gsym_cursor cursor;
	uint64_t word;

	if (c->mapped)
		c = c->mapped;
	cursor = gsym_container_at(c, 0);
	if (gsym_cursor_left(&cursor) < 2u * c->address_size)
		return true;
	gsym_cursor_skip(&cursor, c->address_size);
	word = gsym_cursor_uint(&cursor, c->address_size) & ~UINT64_C(1);
	return word && is_text(live, word);
}

/* Whether CLAIM, at LOW or below, may be of live code: the program starts in
 * it, or it ends where the NEXT claim begins, but for padding, and there are no
 * VECTORS. */
static bool is_low(const struct dw_live *live, const struct dw_claim *claim,
		   uint64_t next, bool vectors)
{
	enum { MOST_PADDING = 15 };

	if (claim->range.start > LOW || claim->range.end > next ||
	    !is_text(live, claim->range.start))
		return false;
	return live->container->entry < claim->range.end ||
	       (!vectors && next - claim->range.end <= MOST_PADDING);
}

/* Of the claims that begin at LOW or below in code, choose the one that is
 * alive: of those that may be, the one that reaches furthest. */
static void choose_low(struct dw_live *live, const struct dw_claims *claims,
		       uint64_t next)
{
	bool vectors = has_vectors(live);

	for (size_t i = 0; i < claims->count; i++) {
		const struct dw_claim *claim = &claims->items[i];

		if (!is_low(live, claim, next, vectors))
			continue;
		if (live->has_low && claim->range.end <= live->low.range.end)
			continue;
		live->has_low = true;
		live->low = *claim;
	}
}

static bool is_dead_claim(const struct dw_live *live,
			  const struct dw_claim *claim)
{
	if (claim->range.start > LOW)
		return !is_text(live, claim->range.start);
	return !live->has_low || claim->unit != live->low.unit ||
	       claim->range.start != live->low.range.start ||
	       claim->range.end != live->low.range.end;
}

/* Remove the claims on dropped code, and note how far they reach.  Returns
 * whether one reaches into live code. */
static bool remove_dead(struct dw_live *live, struct dw_claims *claims)
{
	bool reaches = false;
	uint64_t first = live->container->text.items[0].start;
	size_t kept = 0;

	for (size_t i = 0; i < claims->count; i++) {
		const struct dw_claim *claim = &claims->items[i];
		uint64_t *end = &live->dead_end[claim->unit];

		if (!is_dead_claim(live, claim)) {
			claims->items[kept++] = *claim;
			continue;
		}
		if (claim->range.end > *end)
			*end = claim->range.end;
		reaches |= claim->range.end > first;
	}
	claims->count = kept;
	return reaches;
}

/* ---- a unit -------------------------------------------------------------- */

static enum dw_verdict ask(struct dw_unit *unit, const struct dw_name *name,
			   struct gsym_range range)
{
	return gsym_dw_symbols_ask(&unit->live->symbols, unit, name, range);
}

/* A node whose dropped ranges are being removed. */
struct filtered {
	/* Some or all of its ranges were removed. */
	bool touched;
	/* The nearest node that has or had ranges, of this node and those that
	 * it was inlined into. */
	uint32_t holder;
};

/* A unit whose dropped parts are being removed. */
struct removing {
	struct dw_unit *unit;
	uint64_t dead_end; /* how far its claims on dropped code reach */
	const struct gsym_range *owned;
	size_t owned_count;
	struct filtered *nodes;
	struct gsym_range_set functions; /* the live functions, joined */
	/* The end of the live function at LOW or below, and whether a symbol
	 * names it; 0: there is none. */
	uint64_t low_end;
	bool low_named;
};

static bool owns(const struct removing *r, struct gsym_range range)
{
	return gsym_ranges_hold(r->owned, r->owned_count, range);
}

static bool owns_start(const struct removing *r, uint64_t start)
{
	return owns(r, (struct gsym_range){ start, start + 1 });
}

/* Whether RANGE of the unit lies in the claim that is alive at LOW or below. */
static bool is_low_claimed(const struct removing *r, struct gsym_range range)
{
	const struct dw_live *live = r->unit->live;

	return live->has_low && live->low.unit == r->unit->index &&
	       live->low.range.start == range.start &&
	       range.end <= live->low.range.end;
}

/* Whether the table that unwinds the stack has a function with RANGE. */
static bool is_unwound(const struct gsym_container *c, struct gsym_range range)
{
	size_t at = GSYM_FIRST(i, 0, c->functions.count,
			       c->functions.items[i].start >= range.start);

	return at < c->functions.count &&
	       c->functions.items[at].start == range.start &&
	       c->functions.items[at].end == range.end;
}

/* Whether the function with RANGE, at LOW or below, may be alive, if no symbol
 * names it.  In relocatable objects it is as a rule.  In programs without
 * symbols the table that unwinds the stack tells, from which linkers remove
 * dropped code; without such a table the longest is. */
static bool is_low_nameless(const struct removing *r, enum dw_verdict verdict,
			    struct gsym_range range)
{
	const struct dw_live *live = r->unit->live;

	if (live->container->relocatable)
		return verdict == DW_UNKNOWN ||
		       gsym_dw_symbols_has(&live->symbols, r->unit, range);
	if (verdict != DW_UNKNOWN || live->symbols.has_functions)
		return false;
	return live->container->functions.count
		       ? is_unwound(live->container, range)
		       : is_low_claimed(r, range);
}

/* Whether the function with RANGE, at LOW or below, may be alive. */
static bool is_low_alive(struct removing *r, enum dw_verdict verdict,
			 struct gsym_range range)
{
	bool named = verdict == DW_ALIVE;

	if (!named && (r->low_named || !is_low_nameless(r, verdict, range)))
		return false;
	if ((named && !r->low_named) || range.end > r->low_end)
		r->low_end = range.end;
	r->low_named |= named;
	return true;
}

static bool is_function_alive(struct removing *r, const struct dw_node *node,
			      struct gsym_range range)
{
	enum dw_verdict verdict;

	if (!is_code(r->unit->live, range.start))
		return false;
	if (range.start > LOW &&
	    (range.start >= r->dead_end || owns(r, range)))
		return true;
	verdict = ask(r->unit, &node->name, range);
	if (range.start <= LOW)
		return is_low_alive(r, verdict, range);
	return verdict == DW_ALIVE ||
	       (verdict == DW_UNKNOWN && owns_start(r, range.start));
}

/* Whether a range of NODE has ADDRESS; false beyond the budget. */
static bool node_has(struct dw_unit *unit, const struct dw_node *node,
		     uint64_t address)
{
	const struct gsym_range *ranges =
		gsym_vec_from(&unit->ranges, node->first_range);

	if (!dw_unit_take(unit, DW_CUT_NODES,
			  (node->range_count + 1) * (uint64_t)DW_COST_LOOK))
		return false;
	for (uint32_t i = 0; i < node->range_count; i++)
		if (ranges[i].start <= address && address < ranges[i].end)
			return true;
	return false;
}

/* An inlined call is alive in code that is.  If parts of the function around
 * it were dropped, the call has to lie in the others. */
static bool is_call_alive(const struct removing *r, const struct dw_node *node,
			  struct gsym_range range)
{
	uint32_t holder = r->nodes[node->parent].holder;

	return is_code(r->unit->live, range.start) &&
	       (holder == DW_NO_NODE || !r->nodes[holder].touched ||
		node_has(r->unit, &r->unit->nodes.items[holder], range.start));
}

/* Remove the dropped ranges of the node NUMBER. */
static void filter_node(struct removing *r, uint32_t number)
{
	struct dw_node *node = &r->unit->nodes.items[number];
	struct gsym_range *ranges =
		gsym_vec_from(&r->unit->ranges, node->first_range);
	uint32_t kept = 0;

	r->nodes[number].holder =
		node->range_count || node->dropped ? number
		: node->parent == DW_NO_NODE
			? DW_NO_NODE
			: r->nodes[node->parent].holder;
	for (uint32_t i = 0; i < node->range_count; i++)
		if (node->parent == DW_NO_NODE
			    ? is_function_alive(r, node, ranges[i])
			    : is_call_alive(r, node, ranges[i]))
			ranges[kept++] = ranges[i];
	r->nodes[number].touched = kept < node->range_count || node->dropped;
	node->range_count = kept;
}

/* Of the functions at LOW or below that passed, keep those that a symbol names,
 * or else the longest. */
static void choose_low_function(struct removing *r)
{
	struct dw_unit *unit = r->unit;

	for (uint32_t n = 0; r->low_end && n < unit->nodes.count; n++) {
		struct dw_node *node = &unit->nodes.items[n];
		const struct gsym_range *range =
			gsym_vec_from(&unit->ranges, node->first_range);
		bool drop;

		if (node->parent != DW_NO_NODE || !node->range_count ||
		    range->start > LOW)
			continue;
		drop = r->low_named ? ask(unit, &node->name, *range) !=
					      DW_ALIVE
				    : range->end < r->low_end;
		if (!drop)
			continue;
		node->range_count = 0;
		r->nodes[n].touched = true;
	}
}

/* The lowest address above LOW at which a sequence of UNIT begins in code. */
static uint64_t next_sequence(const struct dw_unit *unit)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < unit->lines.sequences.count; i++) {
		uint64_t entry = unit->lines.sequences.items[i].entry;

		if (entry > LOW && entry < next && is_code(unit->live, entry))
			next = entry;
	}
	return next;
}

/* The end of the live code of the unit that begins at LOW or below: of all its
 * functions there that have no space between them.  0: there is none. */
static uint64_t low_code_end(const struct removing *r)
{
	return r->functions.count && r->functions.items[0].start <= LOW
		       ? r->functions.items[0].end
		       : 0;
}

/* The end of the sequence that is alive of those at LOW or below: that of the
 * live code there, or the first end at or after that of the first function; if
 * the unit has no function there, the last end within its claim; not after the
 * start of another sequence.  0: none is alive. */
static uint64_t choose_low_sequence(const struct removing *r)
{
	const struct dw_unit *unit = r->unit;
	uint64_t chosen = 0, next = next_sequence(unit);
	uint64_t code_end = low_code_end(r);

	for (size_t i = 0; i < unit->lines.sequences.count; i++) {
		const struct dw_sequence *s = &unit->lines.sequences.items[i];
		struct gsym_range range = { s->entry, s->end };

		if (s->entry > LOW || s->end > next)
			continue;
		if (r->low_end) {
			if (s->end == code_end)
				return s->end;
			if (s->end >= r->low_end &&
			    (!chosen || s->end < chosen))
				chosen = s->end;
		} else if (is_low_claimed(r, range) && s->end > chosen) {
			chosen = s->end;
		}
	}
	return chosen;
}

/* Fill R->functions.  False without memory. */
static bool list_functions(struct removing *r)
{
	const struct dw_unit *unit = r->unit;

	if (!gsym_vec_reserve(&r->functions, unit->ranges.count))
		return false;
	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		const struct dw_node *node = &unit->nodes.items[n];

		for (uint32_t i = 0;
		     node->parent == DW_NO_NODE && i < node->range_count; i++)
			r->functions.items[r->functions.count++] =
				unit->ranges.items[node->first_range + i];
	}
	gsym_range_set_join(&r->functions);
	return true;
}

/* Whether the sequence S is alive, whose first row is in code above LOW: also
 * where the unit claims dropped code. */
static bool is_sequence_alive(const struct removing *r,
			      const struct dw_sequence *s)
{
	const struct gsym_range start = { s->entry, s->entry + 1 };

	return s->entry >= r->dead_end || owns_start(r, s->entry) ||
	       gsym_ranges_hold(r->functions.items, r->functions.count, start);
}

/* In old files a sequence goes back to 0 for a dropped function, and on with
 * the next one.  Remove the rows of S, whose entry is alive, before the first
 * one in code above LOW.  False if none is left. */
static bool cut_sequence(const struct dw_unit *unit, struct dw_sequence *s)
{
	const struct dw_row *rows = &unit->lines.rows.items[s->first_row];
	uint32_t cut = 0;

	while (cut < s->row_count &&
	       (rows[cut].address <= LOW ||
		!is_code(unit->live, rows[cut].address)))
		cut++;
	s->first_row += cut;
	s->row_count -= cut;
	if (s->row_count)
		s->start = rows[cut].address;
	return s->row_count;
}

static void filter_sequences(struct removing *r)
{
	struct dw_unit *unit = r->unit;
	uint64_t low;
	size_t kept = 0;

	/* In an object sequences are removed only if a symbol named the live
	 * function at LOW. */
	if (unit->live->container->relocatable && !r->low_named)
		return;
	low = choose_low_sequence(r);
	for (size_t i = 0; i < unit->lines.sequences.count; i++) {
		struct dw_sequence s = unit->lines.sequences.items[i];
		bool alive = is_code(unit->live, s.entry) &&
			     (s.entry > LOW ? is_sequence_alive(r, &s) &&
						      cut_sequence(unit, &s)
					    : s.end == low);

		if (alive)
			unit->lines.sequences.items[kept++] = s;
	}
	unit->lines.sequences.count = kept;
}

/* Whether nothing of UNIT can be dropped code: all of it begins in code that
 * the unit does not claim for dropped code, too. */
static bool is_untouched(const struct dw_unit *unit, uint64_t dead_end)
{
	uint64_t lowest = dead_end > LOW + 1 ? dead_end : LOW + 1;

	for (size_t i = 0; i < unit->ranges.count; i++)
		if (unit->ranges.items[i].start < lowest ||
		    !is_code(unit->live, unit->ranges.items[i].start))
			return false;
	for (size_t i = 0; i < unit->lines.sequences.count; i++)
		if (unit->lines.sequences.items[i].start < lowest ||
		    !is_code(unit->live,
			     unit->lines.sequences.items[i].start))
			return false;
	return !unit->drops;
}

bool gsym_dw_live_filter(struct dw_unit *unit, const struct gsym_range *owned,
			 size_t owned_count)
{
	struct removing r = { .unit = unit, .owned = owned,
			      .owned_count = owned_count };
	bool ok;

	if (!unit->live || !unit->live->checks)
		return true;
	r.dead_end = unit->live->dead_end[unit->index];
	if (is_untouched(unit, r.dead_end))
		return true;
	r.nodes = calloc(unit->nodes.count + 1, sizeof(*r.nodes));
	if (!r.nodes)
		return false;
	for (uint32_t n = 0; n < unit->nodes.count; n++)
		if (unit->nodes.items[n].parent == DW_NO_NODE)
			filter_node(&r, n);
	choose_low_function(&r);
	/* Parents come before the calls that were inlined into them. */
	for (uint32_t n = 0; n < unit->nodes.count; n++)
		if (unit->nodes.items[n].parent != DW_NO_NODE)
			filter_node(&r, n);
	free(r.nodes);
	ok = list_functions(&r);
	if (ok)
		filter_sequences(&r);
	gsym_vec_fini(&r.functions);
	return ok;
}

/* ---- the program --------------------------------------------------------- */

bool gsym_dw_live_init(struct dw_live *live,
		       const struct gsym_container *container,
		       size_t unit_count, struct dw_claims *claims)
{
	const struct gsym_range *text = container->text.items;
	bool needs_symbols;

	*live = (struct dw_live){ .container = container };
	for (size_t i = 0; i < container->text.count; i++)
		if (text[i].end - text[i].start >
		    live->largest.end - live->largest.start)
			live->largest = text[i];
	if (!container->text.count)
		return true;
	live->dead_end = calloc(unit_count + 1, sizeof(*live->dead_end));
	if (!live->dead_end)
		return false;
	live->checks = true;
	needs_symbols = text[0].start <= LOW;
	if (!container->relocatable) {
		if (needs_symbols)
			choose_low(live, claims, next_claim(live, claims));
		needs_symbols |= remove_dead(live, claims);
	}
	return !needs_symbols ||
	       gsym_dw_symbols_sort(&live->symbols, container);
}

void gsym_dw_live_fini(struct dw_live *live)
{
	free(live->dead_end);
	gsym_vec_fini(&live->symbols);
}
