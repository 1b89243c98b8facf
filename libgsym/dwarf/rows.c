/* SPDX-License-Identifier: MIT */
#include "base/search.h"
#include "dwarf/resolve_parts.h"

#include <stdlib.h>
#include <string.h>

/* Sequences that are looked at for one function. */
enum { MAX_SEQUENCES = 1024 };

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
	return GSYM_FIRST(i, 0, unit->sequences.count,
			  unit->sequences.items[i].end > address);
}

/* The rows of SEQUENCE for [AT, END), which lies in it. */
static bool add_rows(struct dw_result *r, const struct dw_unit *unit,
		     const struct dw_sequence *sequence, uint64_t at,
		     uint64_t end, uint64_t base)
{
	const struct dw_row *rows = &unit->rows.items[sequence->first_row];
	size_t next =
		GSYM_FIRST(i, 0, sequence->row_count, rows[i].address > at);

	if (next &&
	    !add_row(r, at - base, rows[next - 1].file, rows[next - 1].line))
		return false;
	for (; next < sequence->row_count && rows[next].address < end; next++)
		if (!add_row(r, rows[next].address - base, rows[next].file,
			     rows[next].line))
			return false;
	return true;
}

/*
 * The rows in force in RANGE.  Among sequences that overlap the one that
 * ends first answers up to its end, as in a search by end.  Where none
 * covers the address there is a NOSRC row; if there is no other, none.
 */
static bool all_rows(struct dw_result *r, const struct dw_unit *unit,
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

/* ---- functions that share their range ------------------------------------- */

static int by_range(const void *a, const void *b)
{
	const struct dw_function_order *x = a, *y = b;

	if (x->range.start != y->range.start)
		return x->range.start < y->range.start ? -1 : 1;
	if (x->range.end != y->range.end)
		return x->range.end < y->range.end ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* How many functions of the unit come before the one at hand among those
 * that have RANGE; false without memory. */
static bool find_turn(struct dw_result *r, struct gsym_range range,
		      size_t *turn)
{
	struct dw_function_order key = { range, 0 };
	const struct dw_unit *unit = r->unit;
	size_t first;

	for (uint32_t n = 0; !r->ordered && n < unit->nodes.count; n++) {
		const struct dw_node *node = &unit->nodes.items[n];

		for (uint32_t i = 0; !node->inlined && i < node->range_count;
		     i++) {
			struct dw_function_order *item =
				gsym_vec_push(&r->order);

			if (!item)
				return false;
			*item = (struct dw_function_order){
				unit->ranges.items[node->first_range + i], n
			};
		}
	}
	if (!r->ordered && r->order.count)
		qsort(r->order.items, r->order.count, sizeof(*r->order.items),
		      by_range);
	r->ordered = true;
	first = GSYM_FIRST(i, 0, r->order.count,
			   by_range(&r->order.items[i], &key) >= 0);
	key.node = r->function;
	*turn = GSYM_FIRST(i, first, r->order.count,
			   by_range(&r->order.items[i], &key) >= 0) -
		first;
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

/* How far behind the declaration of NODE the rows of SEQUENCE begin, in
 * lines; UINT32_MAX if they do not. */
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

/* The sequence that is the function's own; *RET is NULL if they are all as
 * good as each other.  False without memory. */
static bool choose_sequence(struct dw_result *r, const struct dw_unit *unit,
			    struct gsym_range range,
			    const struct dw_sequence **ret)
{
	const struct dw_node *node;
	const struct dw_sequence *found[MAX_SEQUENCES], *nearest = NULL;
	uint32_t least = UINT32_MAX;
	size_t count = 0, turn;

	*ret = NULL;
	if (r->function == DW_NO_NODE)
		return true;
	node = &r->unit->nodes.items[r->function];
	if (!node->has_sequence && !(unit->wants & DW_WANT_FOLDED))
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
			found[count++] = s;
	}
	if (count < 2 || !(unit->wants & DW_WANT_FOLDED))
		return true;
	for (size_t i = 0; i < count; i++) {
		uint32_t lines = distance(unit, node, found[i]);

		if (lines < least) {
			least = lines;
			nearest = found[i];
		}
	}
	*ret = nearest;
	if (nearest)
		return true;
	if (!find_turn(r, range, &turn))
		return false;
	if (turn < count)
		*ret = found[turn];
	return true;
}

/* The rows of SEQUENCE in RANGE, and NOSRC where it does not reach. */
static bool rows_of(struct dw_result *r, const struct dw_unit *unit,
		    const struct dw_sequence *sequence, struct gsym_range range)
{
	uint64_t start = range.start, end = range.end;

	if (sequence->start > start) {
		if (!add_row(r, 0, DW_NO_FILE, 0))
			return false;
		start = sequence->start;
	}
	if (sequence->end < end)
		end = sequence->end;
	return add_rows(r, unit, sequence, start, end, range.start) &&
	       (end == range.end ||
		add_row(r, end - range.start, DW_NO_FILE, 0));
}

bool gsym_dw_resolve_rows(struct dw_result *r, const struct dw_unit *unit,
			  struct gsym_range range, uint32_t *row_count)
{
	const struct dw_sequence *sequence;
	size_t first = r->rows.count;

	if (!choose_sequence(r, unit, range, &sequence))
		return false;
	if (!sequence)
		return all_rows(r, unit, range, row_count);
	if (!rows_of(r, unit, sequence, range))
		return false;
	*row_count = (uint32_t)(r->rows.count - first);
	return true;
}
