/* SPDX-License-Identifier: MIT */
/* Records of a function: its name, the inlined calls and the calls in it. */
#include "dwarf/resolve.h"

#include "base/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- names -------------------------------------------------------------- */

/* Set *RET to the number of NAME in the unit; 0 if it has no text.  A DIE's
 * name is one pointer wherever it is used, so pointers are compared, not texts;
 * the sink finds equal texts.  False without memory. */
static bool number_name(struct dw_resolver *r, struct dw_name name,
			uint32_t *ret)
{
	uint64_t key = (uint64_t)(uintptr_t)name.text << 1 | name.linkage;

	*ret = 0;
	if (!name.text)
		return true;
	if (!gsym_keys_add(&r->name_keys, key, ret))
		return false;
	/* Number 0 stands for a missing name. */
	if (++*ret < r->result->names.count)
		return true;
	return gsym_vec_add(&r->result->names, name);
}

/* ---- inlined calls ------------------------------------------------------ */

/* Sort the window by node.  Stretches of one node stay in the order of their
 * addresses. */
static bool sort_window(struct dw_resolver *r)
{
	size_t count = r->window.count;
	struct gsym_sort_item *keys;

	if (!gsym_vec_reserve(&r->keys, 2 * count))
		return false;
	keys = r->keys.items;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct gsym_sort_item){ r->window.items[i].node,
						   (uint32_t)i, 0 };
	gsym_sort_by_key(keys, count, keys + count);
	return true;
}

/* Add RANGE to NODE, the last inlined call of the result. */
static bool add_range(struct dw_result *result, struct gsym_inline_node *node,
		      struct gsym_range range)
{
	struct gsym_range *last;

	if (node->range_count) {
		last = &result->ranges.items[result->ranges.count - 1];
		if (last->end == range.start) {
			last->end = range.end;
			return true;
		}
	}
	if (!gsym_vec_add(&result->ranges, range))
		return false;
	node->range_count++;
	return true;
}

/* Add the stretches in the window to RECORD, as inlined calls. */
static bool resolve_inlines(struct dw_resolver *r, struct dw_record *record)
{
	struct dw_result *result = r->result;
	struct gsym_inline_node *node = NULL;
	uint32_t previous = DW_NO_NODE;

	if (!r->window.count ||
	    !dw_unit_take(r->unit, DW_CUT_INLINES,
			  r->window.count * DW_COST_INLINE))
		return true;
	if (!sort_window(r))
		return false;
	for (size_t i = 0; i < r->window.count; i++) {
		const struct dw_stretch *s =
			&r->window.items[r->keys.items[i].index];
		const struct dw_node *from = &r->unit->nodes.items[s->node];

		if (s->node != previous) {
			node = gsym_vec_push(&result->inlines);
			if (!node)
				return false;
			*node = (struct gsym_inline_node){
				.depth = r->extents.depth.items[s->node],
				.call_file = from->call_file,
				.call_line = from->call_line,
				.first_range = (uint32_t)result->ranges.count -
					       record->first_range,
			};
			if (!number_name(r, from->name, &node->name))
				return false;
			record->inline_count++;
			previous = s->node;
		}
		if (!add_range(result, node, s->range))
			return false;
	}
	return true;
}

/* Begin a sweep over the stretches FIRST to LAST - 1, unless the one at hand
 * is over the same stretches and RANGE does not start before its last range. */
static void start_sweep(struct dw_sweep *sweep, size_t first, size_t last,
			struct gsym_range range)
{
	if (!sweep->active || sweep->first != first || sweep->last != last ||
	    sweep->at > range.start) {
		sweep->active = true;
		sweep->first = sweep->next = first;
		sweep->last = last;
		sweep->open.count = 0;
	}
	sweep->at = range.start;
}

/* Open the stretches that begin before the end of RANGE and end in RANGE or
 * after it.  The root's own stretches are no inlined calls. */
static bool open_stretches(struct dw_resolver *r, struct gsym_range range)
{
	const struct dw_stretch *stretches = r->extents.stretches.items;
	struct dw_sweep *sweep = &r->sweep;

	for (; sweep->next < sweep->last &&
	       stretches[sweep->next].range.start < range.end;
	     sweep->next++) {
		if (stretches[sweep->next].node == r->function ||
		    stretches[sweep->next].range.end <= range.start)
			continue;
		if (!gsym_vec_add(&sweep->open, sweep->next))
			return false;
	}
	return true;
}

/* Fill the window with the inlined stretches FIRST to LAST - 1 in RANGE.  It
 * stays empty if the unit's budget does not allow it.  Ranges that ascend cost
 * no more than passing over all stretches once, and what the windows hold. */
static bool fill_window(struct dw_resolver *r, size_t first, size_t last,
			struct gsym_range range)
{
	const struct dw_stretch *stretches = r->extents.stretches.items;
	struct dw_sweep *sweep = &r->sweep;
	size_t kept = 0;

	start_sweep(sweep, first, last, range);
	if (!open_stretches(r, range))
		return false;
	r->window.count = 0;
	if (!dw_unit_take(r->unit, DW_CUT_INLINES,
			  sweep->open.count * DW_COST_LOOK))
		return true;
	for (size_t i = 0; i < sweep->open.count; i++) {
		size_t index = sweep->open.items[i];
		struct dw_stretch *clipped;

		if (stretches[index].range.end <= range.start)
			continue;
		sweep->open.items[kept++] = index;
		/* An earlier range may have reached further than RANGE. */
		if (stretches[index].range.start >= range.end)
			continue;
		clipped = gsym_vec_push(&r->window);
		if (!clipped)
			return false;
		*clipped = stretches[index];
		if (clipped->range.start < range.start)
			clipped->range.start = range.start;
		if (clipped->range.end > range.end)
			clipped->range.end = range.end;
	}
	sweep->open.count = kept;
	return true;
}

/* ---- calls -------------------------------------------------------------- */

/* Fill JOINED with the ranges of FUNCTION, sorted; ranges that overlap or touch
 * become one.  False without memory. */
static bool join_ranges(struct dw_resolver *r, uint32_t function)
{
	const struct dw_node *node = &r->unit->nodes.items[function];
	struct gsym_range_set *joined = &r->joined;

	joined->count = 0;
	if (!gsym_vec_reserve(joined, node->range_count))
		return false;
	for (uint32_t i = 0; i < node->range_count; i++)
		joined->items[joined->count++] =
			r->unit->ranges.items[node->first_range + i];
	gsym_range_set_join(joined);
	r->joined_of = function;
	return true;
}

/* Set *RET to whether CALL, which returns to the end of a record of its
 * function, belongs to that record.  It does if no range of the function covers
 * the return address: a call that does not return may be the last instruction
 * of a range.  False without memory. */
static bool ends_here(struct dw_resolver *r, const struct dw_call *call,
		      bool *ret)
{
	const struct gsym_range *ranges;
	size_t after;

	if (r->joined_of != call->function &&
	    !join_ranges(r, call->function))
		return false;
	ranges = r->joined.items;
	after = GSYM_FIRST(i, 0, r->joined.count,
			   ranges[i].start > call->address);
	*ret = !after || ranges[after - 1].end <= call->address;
	return true;
}

static bool add_call(struct dw_resolver *r, struct dw_record *record,
		     const struct dw_call *from)
{
	struct dw_result *result = r->result;
	struct gsym_call *call = gsym_vec_push(&result->calls);
	uint32_t *callee;

	if (!call)
		return false;
	*call = (struct gsym_call){
		.return_offset = from->address - record->range.start,
		.first_pattern = (uint32_t)result->callees.count,
	};
	record->call_count++;
	if (!from->callee.text)
		return true;
	call->pattern_count = 1;
	callee = gsym_vec_push(&result->callees);
	return callee && number_name(r, from->callee, callee);
}

/* Add the calls of the function at hand that return into RECORD, and those that
 * return to its end, if ends_here says so.  The unit's calls are sorted by
 * function and address. */
static bool resolve_calls(struct dw_resolver *r, struct dw_record *record)
{
	const struct dw_unit *unit = r->unit;
	const struct dw_call *calls = unit->calls.items;
	size_t at =
		GSYM_FIRST(i, 0, unit->calls.count,
			   calls[i].function > r->function ||
				   (calls[i].function == r->function &&
				    calls[i].address >= record->range.start));
	bool ends = false, known = false;

	for (; at < unit->calls.count && calls[at].function == r->function &&
	       calls[at].address <= record->range.end;
	     at++) {
		if (calls[at].address == record->range.end && !known) {
			known = true;
			if (!ends_here(r, &calls[at], &ends))
				return false;
		}
		if (calls[at].address == record->range.end && !ends)
			break;
		if (!dw_unit_take(r->unit, DW_CUT_CALLS, DW_COST_CALL))
			break;
		if (!add_call(r, record, &calls[at]))
			return false;
	}
	return true;
}

/* ---- records ------------------------------------------------------------ */

/* Add a record of the function at hand for RANGE. */
static bool add_record(struct dw_resolver *r, size_t first, size_t last,
		       struct gsym_range range, bool unclaimed)
{
	const struct dw_node *root = &r->unit->nodes.items[r->function];
	struct dw_result *result = r->result;
	struct dw_record *record = gsym_vec_push(&result->records);
	struct gsym_range *covered = gsym_vec_push(&r->covered);

	if (!record || !covered)
		return false;
	*covered = range;
	if (range.end - range.start > UINT32_MAX) {
		gsym_dw_unit_warn(r->unit, GSYM_WARN_SIZE_LIMIT,
				  "the function at .debug_info+0x%" PRIx64
				  " has more than 4 GiB and was cut",
				  root->die);
		range.end = range.start + UINT32_MAX;
	}
	*record = (struct dw_record){
		.range = range,
		.first_row = (uint32_t)result->rows.count,
		.first_inline = (uint32_t)result->inlines.count,
		.first_range = (uint32_t)result->ranges.count,
		.first_call = (uint32_t)result->calls.count,
		.folded = r->folding,
		.unclaimed = unclaimed,
	};
	return number_name(r, root->name, &record->name) &&
	       gsym_dw_rows_resolve(r, range, &record->row_count) &&
	       fill_window(r, first, last, range) &&
	       resolve_inlines(r, record) && resolve_calls(r, record);
}

/* Add a record for RANGE, which lies in code, or note that another unit claims
 * a part of it. */
static bool add_or_note(struct dw_resolver *r, size_t first, size_t last,
			struct gsym_range range)
{
	if (gsym_ranges_hold(r->owned, r->owned_count, range))
		return add_record(r, first, last, range, false);
	/* A range may go through any number of ranges of code. */
	if (!dw_unit_take(r->unit, DW_CUT_NODES, DW_COST_NODE))
		return true;
	return gsym_vec_add(
		&r->unclaimed,
		(struct dw_unclaimed){ range,
				       r->unit->nodes.items[r->function].name,
				       r->function, first, last });
}

bool gsym_dw_records_add(struct dw_resolver *r, size_t first, size_t last,
			 struct gsym_range range)
{
	const struct dw_live *live = r->unit->live;
	const struct gsym_range *text;

	if (!live || !live->container->text.count)
		return add_or_note(r, first, last, range);
	/* Nearly always one section of code has all of RANGE. */
	while (range.start < range.end &&
	       (text = gsym_dw_live_next_code(live, range.start)) &&
	       text->start < range.end) {
		struct gsym_range piece = range;

		if (piece.start < text->start)
			piece.start = text->start;
		if (piece.end > text->end)
			piece.end = text->end;
		if (!add_or_note(r, first, last, piece))
			return false;
		range.start = piece.end;
	}
	return true;
}

bool gsym_dw_unclaimed_resolve(struct dw_resolver *r,
			       dw_unclaimed_fn *is_wanted, void *context)
{
	bool painted = !r->folding, wanted, kept;

	for (size_t i = 0; i < r->unclaimed.count; i++) {
		const struct dw_unclaimed *u = &r->unclaimed.items[i];

		if (!is_wanted(context, r->unit, &u->name, u->range, &wanted))
			return false;
		if (!wanted)
			continue;
		/* Folded functions were painted alone. */
		if (!painted && !gsym_dw_extents_paint(r->unit, &r->extents))
			return false;
		painted = true;
		r->folding = false;
		r->function = u->function;
		r->sweep.active = false;
		/* Painted again, beyond the budget, the unit may have fewer
		 * stretches. */
		kept = u->last <= r->extents.stretches.count;
		if (!add_record(r, kept ? u->first : 0, kept ? u->last : 0,
				u->range, true))
			return false;
	}
	return true;
}

/* ---- folded records ------------------------------------------------------ */

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

		if (range.end - range.start > UINT32_MAX ||
		    has_record(r->result, first_record, range))
			continue;
		if (!gsym_vec_add(&r->hidden,
				  (struct dw_stretch){ range, r->function }))
			return false;
	}
	return true;
}

/* Ranges of one function come together and ascend, as a sweep over its
 * stretches needs it. */
static int by_node_and_start(const void *a, const void *b)
{
	const struct dw_stretch *x = a, *y = b;
	int order = GSYM_ORDER(x->node, y->node);

	if (!order)
		order = GSYM_ORDER(x->range.start, y->range.start);
	return order ? order : GSYM_ORDER(x->range.end, y->range.end);
}

bool gsym_dw_hidden_resolve(struct dw_resolver *r)
{
	uint32_t last = DW_NO_NODE;

	if (!r->hidden.count)
		return true;
	gsym_vec_sort(&r->hidden, by_node_and_start);
	r->folding = true;
	for (size_t i = 0; i < r->hidden.count; i++) {
		struct dw_stretch hidden = r->hidden.items[i];

		if (!dw_unit_take(r->unit, DW_CUT_FOLDED, DW_COST_FOLDED))
			break;
		if (hidden.node != last) {
			r->sweep.active = false;
			if (!gsym_dw_extents_paint_alone(r->unit, hidden.node,
							 &r->extents))
				return false;
		}
		last = r->function = hidden.node;
		if (!add_record(r, 0, r->extents.stretches.count, hidden.range,
				false))
			return false;
	}
	return true;
}
