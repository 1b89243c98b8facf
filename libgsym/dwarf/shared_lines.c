/* SPDX-License-Identifier: MIT */
/* Shares a budget of line-table bytes among the units of a file; reads line
 * tables that many units share once, and gives each unit its rows. */
#include "dwarf/resolve.h"

#include "base/search.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the budget ---------------------------------------------------------- */

enum {
	/* Bytes to read: READ_SHARE for each byte of the section, and
	 * READ_SPARE more. */
	READ_SHARE = 16,
	READ_SPARE = 16 << 20,
};

uint64_t gsym_dw_line_table_size(struct gsym_cursor line, uint64_t offset)
{
	uint64_t length;
	size_t left;

	gsym_cursor_seek(&line, offset);
	length = gsym_cursor_u32(&line);
	if (length == UINT32_MAX)
		length = gsym_cursor_u64(&line);
	left = gsym_cursor_left(&line);
	return length < left ? length : left;
}

static void share(struct gsym_cursor line, bool claims,
		  struct dw_line_use *uses, size_t count, uint64_t *left)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t size;

		if (!uses[i].has_lines || uses[i].claims != claims)
			continue;
		size = gsym_dw_line_table_size(line, uses[i].offset);
		uses[i].refused = size > *left;
		if (!uses[i].refused)
			*left -= size;
	}
}

void gsym_dw_line_budget_share(const struct dw_reader *reader, void *self,
			       const struct dw_work *work,
			       struct gsym_cursor line,
			       const struct dw_claims *claims,
			       struct dw_line_use *uses)
{
	uint64_t packing = work->packing ? work->packing : 1;
	uint64_t left =
		gsym_cursor_left(&line) / packing * READ_SHARE + READ_SPARE;
	size_t count = reader->unit_count(self);

	for (size_t i = 0; i < count; i++) {
		uses[i] = (struct dw_line_use){ .offset = 0 };
		uses[i].has_lines =
			reader->unit_lines(self, i, &uses[i].offset,
					   &uses[i].directory);
	}
	for (size_t i = 0; i < claims->count; i++)
		if (claims->items[i].unit < count)
			uses[claims->items[i].unit].claims = true;
	share(line, true, uses, count, &left);
	share(line, false, uses, count, &left);
}

void gsym_dw_line_budget_warn(struct dw_unit *unit,
			      const struct dw_line_use *use)
{
	if (use->claims || unit->nodes.count)
		gsym_dw_unit_warn(
			unit, GSYM_WARN_BAD_LINE_TABLE,
			"line table at .debug_line+0x%" PRIx64
			" left out for the unit at .debug_info+0x%" PRIx64
			": too many units share it",
			use->offset, unit->offset);
}

/* The bytes of two names of folders that are compared.  Longer names count as
 * equal only if they are stored at one place: to compare many long names would
 * take too much time. */
enum { LONGEST_DIRECTORY = 1024 };

/* Bytes of tables that are kept, for each byte of the section.  A table counts
 * again for each compilation directory. */
enum { KEPT_SHARE = 2 };

/* ---- reading ------------------------------------------------------------- */

static int compare_directories(const char *a, const char *b)
{
	int order;

	if (a == b || !a || !b)
		return GSYM_ORDER((uintptr_t)a, (uintptr_t)b);
	order = strncmp(a, b, LONGEST_DIRECTORY);
	if (order || strnlen(a, LONGEST_DIRECTORY) < LONGEST_DIRECTORY)
		return order;
	return GSYM_ORDER((uintptr_t)a, (uintptr_t)b);
}

/* The order of uses of one table: its offset, then the folder that the names
 * of its files are relative to. */
static int compare_tables(const struct dw_line_use *x,
			  const struct dw_line_use *y)
{
	return x->offset != y->offset ?
		       GSYM_ORDER(x->offset, y->offset) :
		       compare_directories(x->directory, y->directory);
}

/* The order by table; uses of one table in the order of their units. */
static int by_table(const void *a, const void *b)
{
	const struct dw_line_use *x = *(struct dw_line_use *const *)a;
	const struct dw_line_use *y = *(struct dw_line_use *const *)b;
	int order = compare_tables(x, y);

	return order ? order : GSYM_ORDER(x, y);
}

/* Read the line table of unit INDEX, of SIZE bytes, into a new table of RET.
 * False without memory. */
static bool read_table(const struct dw_reader *reader, void *self,
		       struct dw_work *work, size_t index, uint64_t size,
		       struct dw_shared_lines *ret)
{
	struct dw_unit *table = gsym_vec_push(&ret->tables);

	if (!table)
		return false;
	*table = (struct dw_unit){ .offset = reader->unit_offset(self, index) };
	gsym_dw_work_grant(work, table, size, 1);
	if (reader->read_lines(self, index, table) != GSYM_OK)
		return false;
	gsym_dw_work_settle(work, table, size);
	return true;
}

bool gsym_dw_shared_lines_read(const struct dw_reader *reader, void *self,
			       struct dw_work *work, struct gsym_cursor line,
			       struct dw_line_use *uses,
			       struct dw_shared_lines *ret)
{
	uint64_t left = gsym_cursor_left(&line) /
			(work->packing ? work->packing : 1) * KEPT_SHARE;
	size_t units = reader->unit_count(self), count = 0;
	struct dw_line_use **refused = malloc((units + 1) * sizeof(*refused));
	bool ok = refused;

	for (size_t i = 0; ok && i < units; i++)
		if (uses[i].refused && uses[i].claims)
			refused[count++] = &uses[i];
	if (count)
		qsort(refused, count, sizeof(*refused), by_table);
	for (size_t i = 0; ok && i < count; i++) {
		struct dw_line_use *use = refused[i];
		uint64_t size = gsym_dw_line_table_size(line, use->offset);

		if (i && !compare_tables(refused[i - 1], use)) {
			use->table = refused[i - 1]->table;
		} else if (size <= left) {
			left -= size;
			ok = read_table(reader, self, work,
					(size_t)(use - uses), size, ret);
			use->table = (uint32_t)ret->tables.count;
		}
	}
	free(refused);
	return ok;
}

void gsym_dw_shared_lines_fini(struct dw_shared_lines *shared)
{
	for (size_t i = 0; i < shared->tables.count; i++)
		gsym_dw_unit_fini(&shared->tables.items[i]);
	gsym_vec_fini(&shared->tables);
}

/* ---- rows of a unit ------------------------------------------------------ */

/* The rows FIRST to LAST - 1 of a sequence. */
struct piece {
	uint32_t sequence, first, last;
};

struct taking {
	struct dw_unit *unit;
	const struct dw_unit *table;
	struct dw_ranges ranges;
	struct {
		GSYM_VEC(struct piece);
	} pieces;
};

static int by_sequence(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->sequence != y->sequence ?
		       GSYM_ORDER(x->sequence, y->sequence) :
		       GSYM_ORDER(x->first, y->first);
}

/* Collect the ranges that need rows, sorted and joined where they overlap. */
static bool collect_ranges(struct taking *t, const struct gsym_range *owned,
			   size_t count)
{
	const struct dw_unit *unit = t->unit;
	struct dw_ranges *all = &t->ranges;

	if (!gsym_vec_reserve(all, count + unit->ranges.count))
		return false;
	if (count)
		memcpy(all->items, owned, count * sizeof(*owned));
	all->count = count;
	for (size_t n = 0; n < unit->nodes.count; n++) {
		const struct dw_node *node = &unit->nodes.items[n];

		if (!(unit->wants & DW_WANT_FOLDED) || node->inlined)
			continue;
		for (uint32_t i = 0; i < node->range_count; i++)
			all->items[all->count++] =
				unit->ranges.items[node->first_range + i];
	}
	all->count = gsym_sort_join(all->items, all->count);
	return true;
}

/* Add the piece of sequence NUMBER for RANGE: the row in force at the start of
 * RANGE and the rows after it.  False without memory. */
static bool add_piece(struct taking *t, size_t number, struct gsym_range range)
{
	const struct dw_sequence *s = &t->table->sequences.items[number];
	const struct dw_row *rows = &t->table->rows.items[s->first_row];
	size_t after = GSYM_FIRST(i, 0, s->row_count,
				  rows[i].address > range.start);
	size_t last = GSYM_FIRST(i, after, s->row_count,
				 rows[i].address >= range.end);
	struct piece *piece;

	after -= after > 0;
	if (after == last)
		return true;
	piece = gsym_vec_push(&t->pieces);
	if (piece)
		*piece = (struct piece){ (uint32_t)number, (uint32_t)after,
					 (uint32_t)last };
	return piece;
}

/* Add the pieces of all sequences in RANGE.  *MORE becomes false beyond the
 * budget.  False without memory. */
static bool add_pieces(struct taking *t, struct gsym_range range, bool *more)
{
	const struct dw_unit *table = t->table;
	size_t i = GSYM_FIRST(k, 0, table->sequences.count,
			      table->sequences.items[k].end > range.start);

	for (; i < table->sequences.count &&
	       table->sequences.items[i].start < range.end;
	     i++) {
		*more = dw_unit_take(t->unit, DW_CUT_ROWS, DW_COST_LOOK);
		if (!*more)
			return true;
		if (!add_piece(t, i, range))
			return false;
	}
	return true;
}

/* Copy ROWS, which are COUNT rows of the sequence FROM, to the unit: to a new
 * sequence if it is the first piece of FROM. */
static bool copy_rows(struct dw_unit *unit, const struct dw_sequence *from,
		      const struct dw_row *rows, size_t count, bool first)
{
	struct dw_sequence *to;

	if (first) {
		to = gsym_vec_push(&unit->sequences);
		if (!to)
			return false;
		*to = *from;
		to->first_row = (uint32_t)unit->rows.count;
		to->row_count = 0;
	}
	if (!gsym_vec_reserve(&unit->rows, count))
		return false;
	to = &unit->sequences.items[unit->sequences.count - 1];
	to->row_count += (uint32_t)count;
	memcpy(unit->rows.items + unit->rows.count, rows,
	       count * sizeof(*rows));
	unit->rows.count += count;
	return true;
}

static bool copy_pieces(struct taking *t)
{
	const struct dw_unit *table = t->table;
	uint32_t next = 0; /* of the sequence: the first row not copied */

	if (t->pieces.count)
		qsort(t->pieces.items, t->pieces.count,
		      sizeof(*t->pieces.items), by_sequence);
	for (size_t i = 0; i < t->pieces.count; i++) {
		struct piece piece = t->pieces.items[i];
		const struct dw_sequence *from =
			&table->sequences.items[piece.sequence];
		bool first = !i || t->pieces.items[i - 1].sequence !=
					   piece.sequence;

		if (!first && piece.first < next)
			piece.first = next;
		if (piece.first >= piece.last)
			continue;
		next = piece.last;
		if (!dw_unit_take(t->unit, DW_CUT_ROWS,
				  (piece.last - piece.first) * DW_COST_ROW))
			return true;
		if (!copy_rows(t->unit, from,
			       &table->rows.items[from->first_row +
						  piece.first],
			       piece.last - piece.first, first))
			return false;
	}
	return true;
}

/* Copy the list of files.  Their names stay with the table. */
static bool copy_files(struct dw_unit *unit, const struct dw_unit *table)
{
	size_t count = table->files.count;

	if (!dw_unit_take(unit, DW_CUT_ROWS, count * DW_COST_LOOK))
		return true;
	if (!gsym_vec_reserve(&unit->files, count))
		return false;
	if (count)
		memcpy(unit->files.items, table->files.items,
		       count * sizeof(*table->files.items));
	unit->files.count = count;
	return true;
}

bool gsym_dw_shared_lines_take(struct dw_unit *unit,
			       const struct dw_unit *table,
			       const struct gsym_range *owned, size_t count)
{
	struct taking t = { .unit = unit, .table = table };
	bool more = true;
	bool ok = copy_files(unit, table) && collect_ranges(&t, owned, count);

	for (size_t i = 0; ok && more && i < t.ranges.count; i++)
		ok = add_pieces(&t, t.ranges.items[i], &more);
	ok = ok && copy_pieces(&t);
	gsym_vec_fini(&t.ranges);
	gsym_vec_fini(&t.pieces);
	return ok;
}
