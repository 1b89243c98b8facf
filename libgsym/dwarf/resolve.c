/* SPDX-License-Identifier: MIT */
#include "base/search.h"
#include "dwarf/resolve_parts.h"

#include <stdlib.h>
#include <string.h>

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
	gsym_vec_fini(&result->window);
	gsym_vec_fini(&result->sweep.open);
	gsym_vec_fini(&result->covered);
	gsym_vec_fini(&result->depths);
	gsym_vec_fini(&result->hidden);
	gsym_vec_fini(&result->order);
	gsym_dw_extents_fini(&result->extents);
	free(result->name_slots);
	result->name_slots = NULL;
	result->name_slot_count = 0;
}

/* ---- names ---------------------------------------------------------------- */

static size_t hash_pointer(const char *text)
{
	uint64_t bits = (uintptr_t)text;

	return (size_t)((bits * 0x9e3779b97f4a7c15u) >> 32);
}

static bool grow_name_slots(struct dw_result *r)
{
	size_t count = r->name_slot_count ? r->name_slot_count * 2 : 256;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = 1; i < r->names.count; i++) {
		size_t at = hash_pointer(r->names.items[i].text);

		for (at &= count - 1; slots[at]; at = (at + 1) & (count - 1))
			;
		slots[at] = i;
	}
	free(r->name_slots);
	r->name_slots = slots;
	r->name_slot_count = count;
	return true;
}

/* The number of NAME in the unit.  Names of one DIE are one pointer, so
 * pointers are compared, not bytes; the sink does the rest. */
static bool number_name(struct dw_result *r, struct dw_name name, uint32_t *ret)
{
	struct dw_name *added;
	size_t at, mask;

	*ret = 0;
	if (!name.text)
		return true;
	if (r->names.count * 2 >= r->name_slot_count && !grow_name_slots(r))
		return false;
	mask = r->name_slot_count - 1;
	for (at = hash_pointer(name.text) & mask; r->name_slots[at];
	     at = (at + 1) & mask) {
		const struct dw_name *known =
			&r->names.items[r->name_slots[at]];

		if (known->text == name.text &&
		    known->linkage == name.linkage) {
			*ret = r->name_slots[at];
			return true;
		}
	}
	added = gsym_vec_push(&r->names);
	if (!added)
		return false;
	*added = name;
	*ret = r->name_slots[at] = (uint32_t)r->names.count - 1;
	return true;
}

/* ---- records -------------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
	const struct dw_stretch *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->range.start > y->range.start) -
	       (x->range.start < y->range.start);
}

/* Add [START, END) to the ranges that NODE has from FIRST on. */
static bool add_range(struct dw_result *r, struct gsym_inline_node *node,
		      struct gsym_range range)
{
	struct gsym_range *last;

	if (node->range_count) {
		last = &r->ranges.items[r->ranges.count - 1];
		if (last->end == range.start) {
			last->end = range.end;
			return true;
		}
	}
	last = gsym_vec_push(&r->ranges);
	if (!last)
		return false;
	*last = range;
	node->range_count++;
	return true;
}

/* The inlined calls in RECORD, of the stretches in the window. */
static bool resolve_inlines(struct dw_result *r, const struct dw_unit *unit,
			    struct dw_record *record)
{
	struct gsym_inline_node *node = NULL;
	uint32_t previous = DW_NO_NODE;

	if (!r->window.count)
		return true;
	qsort(r->window.items, r->window.count, sizeof(*r->window.items),
	      by_node);
	for (size_t i = 0; i < r->window.count; i++) {
		const struct dw_stretch *s = &r->window.items[i];
		const struct dw_node *from = &unit->nodes.items[s->node];

		if (s->node != previous) {
			node = gsym_vec_push(&r->inlines);
			if (!node)
				return false;
			*node = (struct gsym_inline_node){
				.depth = r->depths.items[s->node],
				.call_file = from->call_file,
				.call_line = from->call_line,
				.first_range = (uint32_t)r->ranges.count -
					       record->first_range,
			};
			if (!number_name(r, from->name, &node->name))
				return false;
			record->inline_count++;
			previous = s->node;
		}
		if (!add_range(r, node, s->range))
			return false;
	}
	return true;
}

/* By function and address, so that equal ones come together. */
static int by_function(const void *a, const void *b)
{
	const struct dw_call *x = a, *y = b;
	const char *text_x = x->callee.text, *text_y = y->callee.text;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(text_x ? text_x : "", text_y ? text_y : "");
}

/* Whether CALL, which returns to the end of RECORD, belongs to it: calls that
 * do not return may stand at the end of a part. */
static bool ends_here(const struct dw_unit *unit, const struct dw_call *call)
{
	const struct dw_node *node = &unit->nodes.items[call->function];

	for (uint32_t i = 0; i < node->range_count; i++) {
		const struct gsym_range *range =
			&unit->ranges.items[node->first_range + i];

		if (range->start <= call->address &&
		    call->address < range->end)
			return false;
	}
	return true;
}

static bool add_call(struct dw_result *r, struct dw_record *record,
		     const struct dw_call *from)
{
	struct gsym_call *call = gsym_vec_push(&r->calls);
	uint32_t *callee;

	if (!call)
		return false;
	*call = (struct gsym_call){
		.return_offset = from->address - record->range.start,
		.first_pattern = (uint32_t)r->callees.count,
	};
	record->call_count++;
	if (!from->callee.text)
		return true;
	call->pattern_count = 1;
	callee = gsym_vec_push(&r->callees);
	return callee && number_name(r, from->callee, callee);
}

/* The calls of the function at hand that return into RECORD. */
static bool resolve_calls(struct dw_result *r, struct dw_record *record)
{
	const struct dw_unit *unit = r->unit;
	const struct dw_call *calls = unit->calls.items;
	size_t at =
		GSYM_FIRST(i, 0, unit->calls.count,
			   calls[i].function > r->function ||
				   (calls[i].function == r->function &&
				    calls[i].address >= record->range.start));

	for (; at < unit->calls.count && calls[at].function == r->function &&
	       calls[at].address <= record->range.end;
	     at++) {
		if (at && by_function(&calls[at - 1], &calls[at]) == 0)
			continue;
		if (calls[at].address == record->range.end &&
		    !ends_here(unit, &calls[at]))
			continue;
		if (!add_call(r, record, &calls[at]))
			return false;
	}
	return true;
}

/* Start with the first of the root's stretches FIRST to LAST, unless RANGE
 * comes behind the one before. */
static void start_sweep(struct dw_result *r, size_t first, size_t last,
			struct gsym_range range)
{
	if (r->sweep.active && r->sweep.first == first &&
	    r->sweep.last == last && r->sweep.at <= range.start)
		return;
	r->sweep.active = true;
	r->sweep.first = r->sweep.next = first;
	r->sweep.last = last;
	r->sweep.open.count = 0;
}

/* Gather what of the root's stretches FIRST to LAST, its own left out, lies
 * in RANGE.  Ranges that ascend cost no more than all stretches once, and
 * what is found. */
static bool gather(struct dw_result *r, uint32_t root, size_t first,
		   size_t last, struct gsym_range range)
{
	const struct dw_stretch *stretches = r->extents.stretches.items;
	size_t kept = 0;

	start_sweep(r, first, last, range);
	r->sweep.at = range.start;
	for (; r->sweep.next < last &&
	       stretches[r->sweep.next].range.start < range.end;
	     r->sweep.next++) {
		size_t *open;

		if (stretches[r->sweep.next].node == root ||
		    stretches[r->sweep.next].range.end <= range.start)
			continue;
		open = gsym_vec_push(&r->sweep.open);
		if (!open)
			return false;
		*open = r->sweep.next;
	}
	r->window.count = 0;
	for (size_t i = 0; i < r->sweep.open.count; i++) {
		size_t index = r->sweep.open.items[i];
		struct dw_stretch *clipped;

		if (stretches[index].range.end <= range.start)
			continue;
		r->sweep.open.items[kept++] = index;
		/* Ranges may overlap. */
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
	r->sweep.open.count = kept;
	return true;
}

/* A record for RANGE, which the unit owns, of the function ROOT. */
static bool add_record(struct dw_result *r, struct dw_unit *unit,
		       uint32_t root, size_t first, size_t last,
		       struct gsym_range range)
{
	struct dw_record *record = gsym_vec_push(&r->records);
	struct gsym_range *covered = gsym_vec_push(&r->covered);

	if (!record || !covered)
		return false;
	*covered = range;
	if (range.end - range.start > UINT32_MAX) {
		gsym_dw_unit_warn(
			unit, GSYM_WARN_SIZE_LIMIT,
			"the function at .debug_info+0x%llx has more than "
			"4 GiB and was cut",
			(unsigned long long)unit->nodes.items[root].die);
		range.end = range.start + UINT32_MAX;
	}
	*record = (struct dw_record){
		.range = range,
		.first_row = (uint32_t)r->rows.count,
		.first_inline = (uint32_t)r->inlines.count,
		.first_range = (uint32_t)r->ranges.count,
		.first_call = (uint32_t)r->calls.count,
		.folded = r->folding,
	};
	return number_name(r, unit->nodes.items[root].name, &record->name) &&
	       gsym_dw_resolve_rows(r, unit, range, &record->row_count) &&
	       gather(r, root, first, last, range) &&
	       resolve_inlines(r, unit, record) && resolve_calls(r, record);
}

bool gsym_dw_resolve_stretch(struct dw_result *r, struct dw_unit *unit,
			     const struct gsym_range *owned, size_t count,
			     uint32_t root, size_t first, size_t last,
			     struct gsym_range range)
{
	size_t first_piece =
		GSYM_FIRST(i, 0, count, owned[i].end > range.start);

	for (size_t i = first_piece; i < count && owned[i].start < range.end;
	     i++) {
		struct gsym_range piece = owned[i];

		/* Pieces that touch are one. */
		while (i + 1 < count && owned[i + 1].start == piece.end)
			piece.end = owned[++i].end;
		if (piece.start < range.start)
			piece.start = range.start;
		if (piece.end > range.end)
			piece.end = range.end;
		if (!add_record(r, unit, root, first, last, piece))
			return false;
	}
	return true;
}

/*
 * The same for a stretch that may hold several ranges of the function's DIE
 * that touch.  They are one, but for the first that the DIE lists, where the
 * function is entered: a cold part that happens to lie before or behind it
 * is no part of its record.
 */
static bool resolve_run(struct dw_result *r, struct dw_unit *unit,
			const struct gsym_range *owned, size_t count,
			uint32_t root, size_t first, size_t last,
			struct gsym_range range)
{
	const struct dw_node *node = &unit->nodes.items[root];
	uint64_t cuts[2] = { 0, 0 };

	if (node->range_count > 1) {
		cuts[0] = unit->ranges.items[node->first_range].start;
		cuts[1] = unit->ranges.items[node->first_range].end;
	}
	for (int i = 0; i < 2; i++) {
		struct gsym_range front = { range.start, cuts[i] };

		if (cuts[i] <= range.start || cuts[i] >= range.end)
			continue;
		if (!gsym_dw_resolve_stretch(r, unit, owned, count, root, first,
					     last, front))
			return false;
		range.start = cuts[i];
	}
	return gsym_dw_resolve_stretch(r, unit, owned, count, root, first, last,
				       range);
}

/* Records for the function ROOT. */
static bool resolve_root(struct dw_result *r, struct dw_unit *unit,
			 const struct gsym_range *owned, size_t count,
			 uint32_t root)
{
	size_t last = r->extents.first.items[root + 1];
	size_t i = r->extents.first.items[root];

	while (i < last) {
		const struct dw_stretch *s = r->extents.stretches.items + i;
		struct gsym_range range = s->range;
		size_t first = i;

		/* The root's own stretch comes before what is in it; touching
		 * ones are one. */
		for (i++; i < last && s[i - first].range.start <= range.end;
		     i++) {
			if (s[i - first].range.start == range.end &&
			    s[i - first].node != root)
				break;
			if (s[i - first].range.end > range.end)
				range.end = s[i - first].range.end;
		}
		if (!resolve_run(r, unit, owned, count, root, first, i, range))
			return false;
	}
	return true;
}

bool gsym_dw_resolve_depths(struct dw_result *r, const struct dw_unit *unit)
{
	r->depths.count = 0;
	if (!gsym_vec_reserve(&r->depths, unit->nodes.count))
		return false;
	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		uint32_t parent = unit->nodes.items[n].parent;

		r->depths.items[r->depths.count++] =
			parent == DW_NO_NODE ? 0 : r->depths.items[parent] + 1;
	}
	return true;
}

/* ---- what no function covers ---------------------------------------------- */

static int by_range_start(const void *a, const void *b)
{
	const struct gsym_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool add_loose(struct dw_result *r, const struct dw_unit *unit,
		      uint64_t start, uint64_t end)
{
	struct gsym_range range = { start, end };
	struct dw_loose *loose;
	uint32_t first = (uint32_t)r->rows.count, row_count;

	/* Rows hold offsets of 32 bits. */
	if (range.end - range.start > UINT32_MAX)
		range.end = range.start + UINT32_MAX;
	if (!gsym_dw_resolve_rows(r, unit, range, &row_count))
		return false;
	if (!row_count)
		return true;
	loose = gsym_vec_push(&r->loose);
	if (loose)
		*loose = (struct dw_loose){ range, first, row_count };
	return loose;
}

/* The gaps that the functions leave in the owned pieces. */
static bool resolve_gaps(struct dw_result *r, const struct dw_unit *unit,
			 const struct gsym_range *owned, size_t count)
{
	size_t next = 0;

	if (!unit->sequences.count)
		return true;
	if (r->covered.count)
		qsort(r->covered.items, r->covered.count,
		      sizeof(*r->covered.items), by_range_start);
	for (size_t i = 0; i < count; i++) {
		uint64_t at = owned[i].start;

		for (; next < r->covered.count &&
		       r->covered.items[next].start < owned[i].end;
		     next++) {
			const struct gsym_range *covered =
				&r->covered.items[next];

			if (covered->start > at &&
			    !add_loose(r, unit, at, covered->start))
				return false;
			if (covered->end > at)
				at = covered->end;
		}
		/* A record over pieces that touch ends in a later one. */
		if (next && r->covered.items[next - 1].end > owned[i].end)
			next--;
		if (at < owned[i].end && !add_loose(r, unit, at, owned[i].end))
			return false;
	}
	return true;
}

static void clear(struct dw_result *r)
{
	r->records.count = r->loose.count = r->rows.count = 0;
	r->inlines.count = r->ranges.count = r->covered.count = 0;
	r->names.count = r->calls.count = r->callees.count = 0;
	r->hidden.count = r->order.count = 0;
	r->sweep.active = false;
	r->folding = r->ordered = false;
	if (r->name_slots)
		memset(r->name_slots, 0,
		       r->name_slot_count * sizeof(*r->name_slots));
}

/* Records of every function, where its unit owns it. */
static bool resolve_functions(struct dw_result *r, struct dw_unit *unit,
			      const struct gsym_range *owned, size_t count)
{
	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		size_t first_record = r->records.count;

		if (r->extents.root.items[n] != n)
			continue;
		r->function = n;
		if (!resolve_root(r, unit, owned, count, n) ||
		    (unit->wants & DW_WANT_FOLDED &&
		     !gsym_dw_note_hidden(r, unit, n, first_record)))
			return false;
	}
	r->function = DW_NO_NODE;
	return true;
}

bool gsym_dw_resolve(struct dw_unit *unit, const struct gsym_range *owned,
		     size_t count, struct dw_result *r)
{
	struct dw_name *none;

	clear(r);
	r->unit = unit;
	none = gsym_vec_push(&r->names);
	if (!none)
		return false;
	*none = (struct dw_name){ NULL, false };
	if (!count && !(unit->wants & DW_WANT_FOLDED))
		return true;
	if (unit->calls.count)
		qsort(unit->calls.items, unit->calls.count,
		      sizeof(*unit->calls.items), by_function);
	return gsym_dw_extents_paint(unit, &r->extents) &&
	       gsym_dw_resolve_depths(r, unit) &&
	       resolve_functions(r, unit, owned, count) &&
	       resolve_gaps(r, unit, owned, count) &&
	       gsym_dw_resolve_hidden(r, unit);
}
