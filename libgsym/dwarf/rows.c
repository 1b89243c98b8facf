/* SPDX-License-Identifier: MIT */
/* Which rows of a unit's line table are in force in a range. */
#include "base/order.h"
#include "dwarf/resolve.h"

#include <stdlib.h>
#include <string.h>

/* Sequences that are looked at for one function. */
enum { MAX_SEQUENCES = 1024 };

static bool add_row(struct dw_result *result, uint64_t offset, uint32_t file,
		    uint32_t line)
{
	return gsym_vec_add(&result->rows,
			    (struct gsym_row){ (uint32_t)offset, file, line });
}

/* A row that says that there is no source from OFFSET on. */
static bool add_gap(struct dw_result *result, uint64_t offset)
{
	return add_row(result, offset, DW_NO_FILE, 0);
}

/* The first sequence of LINES that ends after ADDRESS. */
static size_t find_sequence(const struct dw_lines *lines, uint64_t address)
{
	return GSYM_FIRST(i, 0, lines->sequences.count,
			  lines->sequences.items[i].end > address);
}

/* How adding the rows of a range ended. */
enum rows_status {
	ROWS_OK,
	ROWS_CUT, /* beyond the budget: the range gets no rows */
	ROWS_MEMORY,
};

/* Add the rows of SEQUENCE of LINES for [START, END), which lies in it, with
 * offsets from BASE. */
static enum rows_status add_rows(struct dw_resolver *r,
				 const struct dw_lines *lines,
				 const struct dw_sequence *sequence,
				 uint64_t start, uint64_t end, uint64_t base)
{
	const struct dw_row *rows = &lines->rows.items[sequence->first_row];
	size_t next =
		GSYM_FIRST(i, 0, sequence->row_count, rows[i].address > start);
	size_t last =
		GSYM_FIRST(i, next, sequence->row_count,
			   rows[i].address >= end);

	if (!dw_unit_take(r->unit, DW_CUT_ROWS,
			  (last - next + 1) * DW_COST_ROW))
		return ROWS_CUT;
	if (next && !add_row(r->result, start - base, rows[next - 1].file,
			     rows[next - 1].line))
		return ROWS_MEMORY;
	for (; next < last; next++)
		if (!add_row(r->result, rows[next].address - base,
			     rows[next].file, rows[next].line))
			return ROWS_MEMORY;
	return ROWS_OK;
}

/* Add the rows of sequence S of LINES from *AT to the end of S or of RANGE,
 * whichever is first, and set *AT to that end.  If S begins after *AT, the
 * addresses up to S get a row without source. */
static enum rows_status add_next(struct dw_resolver *r,
				 const struct dw_lines *lines,
				 const struct dw_sequence *s,
				 struct gsym_range range, uint64_t *at)
{
	uint64_t end = s->end < range.end ? s->end : range.end;
	enum rows_status status;

	if (s->start > *at) {
		if (!add_gap(r->result, *at - range.start))
			return ROWS_MEMORY;
		*at = s->start;
	}
	status = add_rows(r, lines, s, *at, end, range.start);
	*at = end;
	return status;
}

/*
 * Add the rows of all sequences in RANGE.  Addresses without a sequence get a
 * row without source; if no sequence covers any address of RANGE, there are no
 * rows at all.
 */
static enum rows_status add_all(struct dw_resolver *r, struct gsym_range range)
{
	const struct dw_lines *lines =
		r->flat.sequences.count ? &r->flat : &r->unit->lines;
	size_t first = r->result->rows.count;
	size_t i = find_sequence(lines, range.start);
	uint64_t at = range.start;
	bool found = false;

	while (at < range.end) {
		const struct dw_sequence *s =
			i < lines->sequences.count ? &lines->sequences.items[i]
						   : NULL;
		enum rows_status status;

		if (!s || s->start >= range.end) {
			if (!add_gap(r->result, at - range.start))
				return ROWS_MEMORY;
			break;
		}
		if (!dw_unit_take(r->unit, DW_CUT_ROWS, DW_COST_LOOK))
			return ROWS_CUT;
		i++;
		if (s->end <= at)
			continue;
		status = add_next(r, lines, s, range, &at);
		if (status != ROWS_OK)
			return status;
		found = true;
	}
	if (!found)
		r->result->rows.count = first;
	return ROWS_OK;
}

/* Add the rows of SEQUENCE in RANGE, and no source where it does not reach. */
static enum rows_status add_sequence(struct dw_resolver *r,
				     const struct dw_sequence *sequence,
				     struct gsym_range range)
{
	uint64_t at = range.start;
	enum rows_status status =
		add_next(r, &r->unit->lines, sequence, range, &at);

	if (status != ROWS_OK || at == range.end)
		return status;
	return add_gap(r->result, at - range.start) ? ROWS_OK : ROWS_MEMORY;
}

/* ---- sequences that overlap ---------------------------------------------- */

/*
 * At each address the last row at or before it counts, of all sequences that
 * cover it: a sequence whose end lies far beyond its last row does not hide the
 * sequences there.
 */

/* A row, and the end and number of its sequence. */
struct crossing_row {
	const struct dw_row *row;
	uint64_t end;
	uint32_t sequence;
};

struct crossing {
	const struct dw_lines *from;
	struct dw_lines *to;
	/* All rows by address, and a heap of those up to the present one. */
	GSYM_VEC_OF(struct crossing_row) rows;
	GSYM_VEC_OF(struct crossing_row) open;
};

/* Of rows at one address that of the sequence that ends first counts. */
static bool is_over(const struct crossing_row *a, const struct crossing_row *b)
{
	return a->row->address != b->row->address
		       ? a->row->address > b->row->address
		       : a->sequence < b->sequence;
}

static int by_crossing(const void *a, const void *b)
{
	const struct crossing_row *x = a, *y = b;
	int order = GSYM_ORDER(x->row->address, y->row->address);

	return order ? order : GSYM_ORDER(x->sequence, y->sequence);
}

/* List the rows of all sequences by address.  Of sequences with the same range,
 * of functions that the linker folded, the first one counts.  False without
 * memory. */
static bool list_rows(struct crossing *c)
{
	const struct dw_sequence *s = c->from->sequences.items;

	for (size_t i = 0; i < c->from->sequences.count; i++) {
		if (i && s[i - 1].start == s[i].start &&
		    s[i - 1].end == s[i].end)
			continue;
		if (!gsym_vec_reserve(&c->rows, s[i].row_count))
			return false;
		for (uint32_t k = 0; k < s[i].row_count; k++)
			c->rows.items[c->rows.count++] = (struct crossing_row){
				&c->from->rows.items[s[i].first_row + k],
				s[i].end, (uint32_t)i
			};
	}
	gsym_vec_sort(&c->rows, by_crossing);
	return true;
}

/* Let FROM be in force from AT to END: in the last new sequence, if that ends
 * at AT, or in another one. */
static bool put_row(struct crossing *c, const struct dw_row *from, uint64_t at,
		    uint64_t end)
{
	struct dw_lines *to = c->to;
	struct dw_sequence *s = NULL;

	if (!gsym_vec_add(&to->rows,
			  (struct dw_row){ at, from->file, from->line }))
		return false;
	if (to->sequences.count)
		s = &to->sequences.items[to->sequences.count - 1];
	if (!s || s->end != at) {
		s = gsym_vec_push(&to->sequences);
		if (!s)
			return false;
		*s = (struct dw_sequence){
			.start = at,
			.first_row = (uint32_t)to->rows.count - 1,
		};
	}
	s->row_count++;
	s->end = end;
	return true;
}

/* Put the rows that are in force from AT to NEXT, where the next row begins. */
static bool put_until(struct crossing *c, uint64_t at, uint64_t next)
{
	while (at < next && c->open.count) {
		const struct crossing_row *top = c->open.items;
		uint64_t end = top->end < next ? top->end : next;

		if (top->end <= at) {
			GSYM_HEAP_POP(&c->open, a, b, is_over(a, b));
			continue;
		}
		if (!put_row(c, top->row, at, end))
			return false;
		at = end;
	}
	return true;
}

static bool sweep_rows(struct crossing *c)
{
	for (size_t i = 0; i < c->rows.count; i++) {
		const struct crossing_row *row = &c->rows.items[i];
		uint64_t next = i + 1 < c->rows.count ? row[1].row->address
						      : UINT64_MAX;

		if (!GSYM_HEAP_PUSH(&c->open, *row, a, b, is_over(a, b)) ||
		    !put_until(c, row->row->address, next))
			return false;
	}
	return true;
}

/* Whether sequences overlap, and whether some have the same range. */
static bool overlap(const struct dw_lines *lines, bool *shared)
{
	const struct dw_sequence *s = lines->sequences.items;
	bool found = false;

	for (size_t i = 1; i < lines->sequences.count; i++) {
		found |= s[i].start < s[i - 1].end;
		*shared |= s[i].start == s[i - 1].start &&
			   s[i].end == s[i - 1].end;
	}
	return found;
}

bool gsym_dw_rows_flatten(struct dw_resolver *r)
{
	struct dw_lines *lines = &r->unit->lines;
	struct crossing c = { .from = lines, .to = &r->flat };
	bool ok;

	r->flat.rows.count = r->flat.sequences.count = 0;
	r->shared = false;
	if (!overlap(lines, &r->shared) ||
	    !dw_unit_take(r->unit, DW_CUT_ROWS,
			  lines->rows.count * (uint64_t)DW_COST_ROW))
		return true;
	ok = list_rows(&c) && sweep_rows(&c);
	gsym_vec_fini(&c.rows);
	gsym_vec_fini(&c.open);
	return ok;
}

/* ---- functions that share their range ----------------------------------- */

static int by_range(const void *a, const void *b)
{
	const struct dw_stretch *x = a, *y = b;
	int order = GSYM_ORDER(x->range.start, y->range.start);

	if (!order)
		order = GSYM_ORDER(x->range.end, y->range.end);
	return order ? order : GSYM_ORDER(x->node, y->node);
}

static bool fill_order(struct dw_resolver *r)
{
	const struct dw_unit *unit = r->unit;
	struct dw_stretches *order = &r->order;

	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		const struct dw_node *node = &unit->nodes.items[n];

		if (node->inlined)
			continue;
		if (!gsym_vec_reserve(order, node->range_count))
			return false;
		for (uint32_t i = node->first_range;
		     i < node->first_range + node->range_count; i++)
			order->items[order->count++] =
				(struct dw_stretch){ unit->ranges.items[i], n };
	}
	gsym_vec_sort(order, by_range);
	r->has_order = true;
	return true;
}

/* How many functions of the unit with RANGE come before the one at hand; false
 * without memory. */
static bool find_turn(struct dw_resolver *r, struct gsym_range range,
		      size_t *turn)
{
	const struct dw_stretch first = { range, 0 };
	const struct dw_stretch own = { range, r->function };
	struct dw_stretches *order = &r->order;
	size_t start;

	if (!r->has_order && !fill_order(r))
		return false;
	start = GSYM_FIRST(i, 0, order->count,
			   by_range(&order->items[i], &first) >= 0);
	*turn = GSYM_FIRST(i, start, order->count,
			   by_range(&order->items[i], &own) >= 0) -
		start;
	return true;
}

/* Whether A and B, NULL or texts of UNIT's files, are equal.  Long texts take
 * work, as any number of them may begin one byte apart: 256 bytes as much as a
 * row.  A text that is longer than any path is equal to itself alone and is not
 * read: nothing bounds that once the budget is used up. */
static bool same_text(struct dw_unit *unit, const char *a, const char *b)
{
	enum { FREE_BYTES = 256, LONGEST = 4096 };
	size_t length;

	a = a ? a : "";
	b = b ? b : "";
	if (a == b)
		return true;
	length = strnlen(a, LONGEST);
	return length < LONGEST &&
	       dw_unit_take(unit, DW_CUT_ROWS,
			    length / FREE_BYTES * DW_COST_ROW) &&
	       !strcmp(a, b);
}

/* Whether A and B are one file: a line table may list a file more than once. */
static bool same_file(struct dw_unit *unit, uint32_t a, uint32_t b)
{
	const struct dw_file *files = unit->files.items;

	return a == b ||
	       (a < unit->files.count && b < unit->files.count &&
		files[a].basename && files[b].basename &&
		same_text(unit, files[a].basename, files[b].basename) &&
		same_text(unit, files[a].directory, files[b].directory));
}

/* How many lines after the declaration of NODE the rows of SEQUENCE begin;
 * UINT32_MAX if they begin before it or in another file. */
static uint32_t distance(const struct dw_resolver *r,
			 const struct dw_node *node,
			 const struct dw_sequence *sequence)
{
	const struct dw_row *row =
		&r->unit->lines.rows.items[sequence->first_row];

	if (!node->declared.line || row->line < node->declared.line ||
	    (node->declared.file != DW_NO_FILE &&
	     !same_file(r->unit, node->declared.file, row->file)))
		return UINT32_MAX;
	return row->line - node->declared.line;
}

/* The sequence of COUNT that begins nearest after the declaration of NODE;
 * NULL if none begins after it. */
static const struct dw_sequence *
nearest_sequence(const struct dw_resolver *r, const struct dw_node *node,
		 const struct dw_sequence *const *sequences, size_t count)
{
	const struct dw_sequence *nearest = NULL;
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < count; i++) {
		uint32_t lines = distance(r, node, sequences[i]);

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
	if (!node->has_sequence && !sharing && !r->shared)
		return true;
	for (size_t i = find_sequence(&unit->lines, range.start);
	     i < unit->lines.sequences.count && count < MAX_SEQUENCES; i++) {
		const struct dw_sequence *s = &unit->lines.sequences.items[i];

		if (s->start >= range.end ||
		    !dw_unit_take(r->unit, DW_CUT_ROWS, DW_COST_LOOK))
			break;
		if (node->has_sequence && s->offset == node->sequence) {
			*ret = s;
			return true;
		}
		if (s->start <= range.start && s->end >= range.end)
			covering[count++] = s;
	}
	if (count < 2 || (!sharing && !r->shared))
		return true;
	*ret = nearest_sequence(r, node, covering, count);
	if (*ret || !sharing)
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
	enum rows_status status;

	if (!choose_sequence(r, range, &sequence))
		return false;
	status = sequence ? add_sequence(r, sequence, range) :
			    add_all(r, range);
	if (status == ROWS_CUT)
		r->result->rows.count = first;
	*row_count = (uint32_t)(r->result->rows.count - first);
	return status != ROWS_MEMORY;
}
