/* SPDX-License-Identifier: MIT */
#include "dwarf/resolve.h"

#include <stdlib.h>
#include <string.h>

void dw_result_fini(struct dw_result *result)
{
	gsym_vec_fini(&result->records);
	gsym_vec_fini(&result->loose);
	gsym_vec_fini(&result->rows);
	gsym_vec_fini(&result->inlines);
	gsym_vec_fini(&result->ranges);
	gsym_vec_fini(&result->names);
	gsym_vec_fini(&result->window);
	gsym_vec_fini(&result->covered);
	gsym_vec_fini(&result->depths);
	dw_extents_fini(&result->extents);
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

/* ---- rows ----------------------------------------------------------------- */

static bool add_row(struct dw_result *r, uint64_t offset, uint32_t file,
		    uint32_t line)
{
	struct gsym_row *row = gsym_vec_push(&r->rows);

	if (row)
		*row = (struct gsym_row){ (uint32_t)offset, file, line };
	return row;
}

/* The first sequence that ends behind ADDRESS. */
static size_t find_sequence(const struct dw_unit *unit, uint64_t address)
{
	size_t low = 0, high = unit->sequences.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->sequences.items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The rows of SEQUENCE for [AT, END), which lies in it. */
static bool add_rows(struct dw_result *r, const struct dw_unit *unit,
		     const struct dw_sequence *sequence, uint64_t at,
		     uint64_t end, uint64_t base)
{
	const struct dw_row *rows = &unit->rows.items[sequence->first_row];
	size_t low = 0, high = sequence->row_count;

	while (low < high) { /* the first row behind AT */
		size_t middle = low + (high - low) / 2;

		if (rows[middle].address <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && !add_row(r, at - base, rows[low - 1].file,
			    rows[low - 1].line))
		return false;
	for (; low < sequence->row_count && rows[low].address < end; low++)
		if (!add_row(r, rows[low].address - base, rows[low].file,
			     rows[low].line))
			return false;
	return true;
}

/*
 * The rows in force in RANGE.  Among sequences that overlap the one that
 * ends first answers up to its end, as in a search by end.  Where none
 * covers the address there is a NOSRC row; if there is no other, none.
 */
static bool resolve_rows(struct dw_result *r, const struct dw_unit *unit,
			 struct gsym_range range, uint32_t *row_count)
{
	size_t first = r->rows.count, i = find_sequence(unit, range.start);
	uint64_t at = range.start;
	bool found = false;

	while (at < range.end) {
		const struct dw_sequence *s =
			i < unit->sequences.count ? &unit->sequences.items[i] :
						    NULL;
		uint64_t end;

		if (!s || s->start >= range.end) {
			if (!add_row(r, at - range.start, DW_NO_FILE, 0))
				return false;
			break;
		}
		if (s->end <= at) {
			i++;
			continue;
		}
		if (s->start > at) {
			if (!add_row(r, at - range.start, DW_NO_FILE, 0))
				return false;
			at = s->start;
		}
		end = s->end < range.end ? s->end : range.end;
		if (!add_rows(r, unit, s, at, end, range.start))
			return false;
		found = true;
		at = end;
		i++;
	}
	if (!found)
		r->rows.count = first;
	*row_count = (uint32_t)(r->rows.count - first);
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

/* Gather what of the root's stretches FIRST to LAST, its own left out, lies
 * in RANGE. */
static bool gather(struct dw_result *r, uint32_t root, size_t first,
		   size_t last, struct gsym_range range)
{
	r->window.count = 0;
	for (size_t i = first; i < last; i++) {
		const struct dw_stretch *s = &r->extents.stretches.items[i];
		struct dw_stretch *clipped;

		if (s->range.start >= range.end)
			break;
		if (s->node == root || s->range.end <= range.start)
			continue;
		clipped = gsym_vec_push(&r->window);
		if (!clipped)
			return false;
		*clipped = *s;
		if (clipped->range.start < range.start)
			clipped->range.start = range.start;
		if (clipped->range.end > range.end)
			clipped->range.end = range.end;
	}
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
		dw_unit_warn(unit, GSYM_WARN_SIZE_LIMIT,
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
	};
	return number_name(r, unit->nodes.items[root].name, &record->name) &&
	       resolve_rows(r, unit, range, &record->row_count) &&
	       gather(r, root, first, last, range) &&
	       resolve_inlines(r, unit, record);
}

/* The first owned piece that ends behind ADDRESS. */
static size_t find_piece(const struct gsym_range *owned, size_t count,
			 uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (owned[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Records for one stretch of the function ROOT, where it is owned. */
static bool resolve_stretch(struct dw_result *r, struct dw_unit *unit,
			    const struct gsym_range *owned, size_t count,
			    uint32_t root, size_t first, size_t last,
			    struct gsym_range range)
{
	for (size_t i = find_piece(owned, count, range.start);
	     i < count && owned[i].start < range.end; i++) {
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
		if (!resolve_stretch(r, unit, owned, count, root, first, i,
				     range))
			return false;
	}
	return true;
}

/* The depth of each node in the tree of its function. */
static bool find_depths(struct dw_result *r, const struct dw_unit *unit)
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
	if (!resolve_rows(r, unit, range, &row_count))
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
	r->names.count = 0;
	if (r->name_slots)
		memset(r->name_slots, 0,
		       r->name_slot_count * sizeof(*r->name_slots));
}

bool dw_resolve(struct dw_unit *unit, const struct gsym_range *owned,
		size_t count, struct dw_result *r)
{
	struct dw_name *none;

	clear(r);
	none = gsym_vec_push(&r->names);
	if (!none)
		return false;
	*none = (struct dw_name){ NULL, false };
	if (!count)
		return true;
	if (!dw_extents_paint(unit, &r->extents) || !find_depths(r, unit))
		return false;
	for (uint32_t n = 0; n < unit->nodes.count; n++)
		if (r->extents.root.items[n] == n &&
		    !resolve_root(r, unit, owned, count, n))
			return false;
	return resolve_gaps(r, unit, owned, count);
}
