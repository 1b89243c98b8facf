/* SPDX-License-Identifier: MIT */
/* Which rows of a unit's line table are in force in a range. */
#include "base/search.h"
#include "dwarf/resolver.h"

#include <stdlib.h>
#include <string.h>

/* Sequences that are looked at for one function. */
enum { MAX_SEQUENCES = 1024 };

static bool add_row(struct dw_result *result, uint64_t offset, uint32_t file,
		    uint32_t line)
{
	struct gsym_row *row = gsym_vec_push(&result->rows);

	if (row)
		*row = (struct gsym_row){ (uint32_t)offset, file, line };
	return row;
}

/* A row that says that there is no source from OFFSET on. */
static bool add_gap(struct dw_result *result, uint64_t offset)
{
	return add_row(result, offset, DW_NO_FILE, 0);
}

/* The first sequence that ends after ADDRESS. */
static size_t find_sequence(const struct dw_unit *unit, uint64_t address)
{
	return GSYM_FIRST(i, 0, unit->sequences.count,
			  unit->sequences.items[i].end > address);
}

/* Add the rows of SEQUENCE for [START, END), which lies in it, with offsets
 * from BASE. */
static bool add_rows(struct dw_resolver *r, const struct dw_sequence *sequence,
		     uint64_t start, uint64_t end, uint64_t base)
{
	const struct dw_row *rows = &r->unit->rows.items[sequence->first_row];
	size_t next =
		GSYM_FIRST(i, 0, sequence->row_count, rows[i].address > start);

	if (next && !add_row(r->result, start - base, rows[next - 1].file,
			     rows[next - 1].line))
		return false;
	for (; next < sequence->row_count && rows[next].address < end; next++)
		if (!add_row(r->result, rows[next].address - base,
			     rows[next].file, rows[next].line))
			return false;
	return true;
}

/*
 * Add the rows of all sequences in RANGE.  Of sequences that overlap the one
 * that ends first answers up to its end, as in a search by end.  Addresses
 * without a sequence get a row without source; if no sequence covers any
 * address of RANGE, there are no rows at all.
 */
static bool add_all(struct dw_resolver *r, struct gsym_range range)
{
	const struct dw_unit *unit = r->unit;
	size_t first = r->result->rows.count;
	size_t i = find_sequence(unit, range.start);
	uint64_t at = range.start;
	bool found = false;

	while (at < range.end) {
		const struct dw_sequence *s =
			i < unit->sequences.count ? &unit->sequences.items[i] :
						    NULL;
		uint64_t end;

		if (!s || s->start >= range.end) {
			if (!add_gap(r->result, at - range.start))
				return false;
			break;
		}
		i++;
		if (s->end <= at)
			continue;
		if (s->start > at) {
			if (!add_gap(r->result, at - range.start))
				return false;
			at = s->start;
		}
		end = s->end < range.end ? s->end : range.end;
		if (!add_rows(r, s, at, end, range.start))
			return false;
		found = true;
		at = end;
	}
	if (!found)
		r->result->rows.count = first;
	return true;
}

/* Add the rows of SEQUENCE in RANGE, and no source where it does not reach. */
static bool add_sequence(struct dw_resolver *r,
			 const struct dw_sequence *sequence,
			 struct gsym_range range)
{
	uint64_t start = range.start, end = range.end;

	if (sequence->start > start) {
		if (!add_gap(r->result, 0))
			return false;
		start = sequence->start;
	}
	if (sequence->end < end)
		end = sequence->end;
	return add_rows(r, sequence, start, end, range.start) &&
	       (end == range.end || add_gap(r->result, end - range.start));
}

/* ---- functions that share their range ----------------------------------- */

static int by_range(const void *a, const void *b)
{
	const struct dw_function_range *x = a, *y = b;

	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	if (x->range.end != y->range.end)
		return x->range.end < y->range.end ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static bool fill_order(struct dw_function_order *order,
		       const struct dw_unit *unit)
{
	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		const struct dw_node *node = &unit->nodes.items[n];

		if (node->inlined)
			continue;
		if (!gsym_vec_reserve(order, node->range_count))
			return false;
		for (uint32_t i = 0; i < node->range_count; i++)
			order->items[order->count++] =
				(struct dw_function_range){
					unit->ranges
						.items[node->first_range + i],
					n
				};
	}
	if (order->count)
		qsort(order->items, order->count, sizeof(*order->items),
		      by_range);
	order->filled = true;
	return true;
}

/* How many functions of the unit with RANGE come before the one at hand; false
 * without memory. */
static bool find_turn(struct dw_resolver *r, struct gsym_range range,
		      size_t *turn)
{
	const struct dw_function_range first = { range, 0 };
	const struct dw_function_range own = { range, r->function };
	struct dw_function_order *order = &r->order;
	size_t start;

	if (!order->filled && !fill_order(order, r->unit))
		return false;
	start = GSYM_FIRST(i, 0, order->count,
			   by_range(&order->items[i], &first) >= 0);
	*turn = GSYM_FIRST(i, start, order->count,
			   by_range(&order->items[i], &own) >= 0) -
		start;
	return true;
}

static bool same_file(const struct dw_unit *unit, uint32_t a, uint32_t b)
{
	const struct dw_file *x, *y;

	if (a == b)
		return true;
	if (a >= unit->files.count || b >= unit->files.count)
		return false;
	x = &unit->files.items[a];
	y = &unit->files.items[b];
	return x->basename && y->basename &&
	       !strcmp(x->basename, y->basename) &&
	       !strcmp(x->directory ? x->directory : "",
		       y->directory ? y->directory : "");
}

/* How many lines after the declaration of NODE the rows of SEQUENCE begin;
 * UINT32_MAX if they begin before it or in another file. */
static uint32_t distance(const struct dw_unit *unit, const struct dw_node *node,
			 const struct dw_sequence *sequence)
{
	const struct dw_row *row = &unit->rows.items[sequence->first_row];

	if (!node->declared.line || row->line < node->declared.line ||
	    (node->declared.file != DW_NO_FILE &&
	     !same_file(unit, node->declared.file, row->file)))
		return UINT32_MAX;
	return row->line - node->declared.line;
}

/* The sequence of COUNT that begins nearest after the declaration of NODE;
 * NULL if none begins after it. */
static const struct dw_sequence *
nearest_sequence(const struct dw_unit *unit, const struct dw_node *node,
		 const struct dw_sequence *const *sequences, size_t count)
{
	const struct dw_sequence *nearest = NULL;
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < count; i++) {
		uint32_t lines = distance(unit, node, sequences[i]);

		if (lines < least) {
			least = lines;
			nearest = sequences[i];
		}
	}
	return nearest;
}

/* The sequence in RANGE that is the own one of the function at hand; *RET is
 * NULL if no sequence is more its own than the others.  False without
 * memory. */
static bool choose_sequence(struct dw_resolver *r, struct gsym_range range,
			    const struct dw_sequence **ret)
{
	const struct dw_unit *unit = r->unit;
	bool sharing = unit->wants & DW_WANT_FOLDED;
	const struct dw_sequence *covering[MAX_SEQUENCES];
	const struct dw_node *node;
	size_t count = 0, turn;

	*ret = NULL;
	if (r->function == DW_NO_NODE)
		return true;
	node = &unit->nodes.items[r->function];
	if (!node->has_sequence && !sharing)
		return true;
	for (size_t i = find_sequence(unit, range.start);
	     i < unit->sequences.count && count < MAX_SEQUENCES; i++) {
		const struct dw_sequence *s = &unit->sequences.items[i];

		if (s->start >= range.end)
			break;
		if (node->has_sequence && s->offset == node->sequence) {
			*ret = s;
			return true;
		}
		if (s->start <= range.start && s->end >= range.end)
			covering[count++] = s;
	}
	if (count < 2 || !sharing)
		return true;
	*ret = nearest_sequence(unit, node, covering, count);
	if (*ret)
		return true;
	if (!find_turn(r, range, &turn))
		return false;
	if (turn < count)
		*ret = covering[turn];
	return true;
}

bool gsym_dw_rows_resolve(struct dw_resolver *r, struct gsym_range range,
			  uint32_t *row_count)
{
	size_t first = r->result->rows.count;
	const struct dw_sequence *sequence;

	if (!choose_sequence(r, range, &sequence) ||
	    !(sequence ? add_sequence(r, sequence, range) : add_all(r, range)))
		return false;
	*row_count = (uint32_t)(r->result->rows.count - first);
	return true;
}
