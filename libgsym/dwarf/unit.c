/* SPDX-License-Identifier: MIT */
/* Adds, sorts and frees the content of a unit. */
#include "dwarf/unit.h"

#include "base/sort.h"
#include "container/container.h"
#include "dwarf/policy.h"

#include <string.h>

void gsym_dw_unit_clear(struct dw_unit *unit)
{
	unit->offset = 0;
	unit->work = (struct gsym_budget){ .limit = 0 };
	unit->own_work = unit->split_work = 0;
	unit->cuts = 0;
	unit->nodes.count = 0;
	unit->calls.count = 0;
	unit->variables.count = 0;
	unit->ranges.count = 0;
	unit->rows.count = 0;
	unit->sequences.count = 0;
	unit->files.count = 0;
	unit->warnings.count = 0;
	gsym_arena_fini(&unit->arena);
}

void gsym_dw_unit_fini(struct dw_unit *unit)
{
	gsym_vec_fini(&unit->nodes);
	gsym_vec_fini(&unit->calls);
	gsym_vec_fini(&unit->variables);
	gsym_vec_fini(&unit->ranges);
	gsym_vec_fini(&unit->rows);
	gsym_vec_fini(&unit->sequences);
	gsym_vec_fini(&unit->files);
	gsym_vec_fini(&unit->warnings);
	gsym_arena_fini(&unit->arena);
	for (size_t i = 0; i < DW_HELD; i++) {
		gsym_container_free(unit->held[i].file);
		unit->held[i].file = NULL;
	}
}

struct numbered_row {
	struct dw_row row;
	size_t number;
};

static int by_address(const void *a, const void *b)
{
	const struct numbered_row *x = a, *y = b;
	int order = GSYM_ORDER(x->row.address, y->row.address);

	return order ? order : GSYM_ORDER(x->number, y->number);
}

/* Sort by address; rows at one address keep their order.  False without
 * memory. */
static bool sort_rows(struct dw_row *rows, size_t count)
{
	struct numbered_row *sorted = malloc(count * sizeof(*sorted));

	if (!sorted)
		return false;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct numbered_row){ rows[i], i };
	qsort(sorted, count, sizeof(*sorted), by_address);
	for (size_t i = 0; i < count; i++)
		rows[i] = sorted[i].row;
	free(sorted);
	return true;
}

/* Leave out rows that no look-up can reach: of rows at one address all but the
 * last, and rows with the file and line of the row before.  All rows of the
 * sequence have to be there and sorted: a row that the program adds late may
 * belong between two with the same file and line.  Returns the new count. */
static size_t thin_rows(struct dw_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && rows[i + 1].address == rows[i].address)
			continue;
		if (kept && rows[kept - 1].file == rows[i].file &&
		    rows[kept - 1].line == rows[i].line)
			continue;
		rows[kept++] = rows[i];
	}
	return kept;
}

bool gsym_dw_sequence_end(struct dw_unit *unit, struct dw_open_sequence *open,
			  uint64_t end, unsigned address_size)
{
	size_t first = open->first_row, count = unit->rows.count - first;
	struct dw_row *rows = gsym_vec_from(&unit->rows, first);
	struct dw_sequence *sequence;

	if (open->unsorted && !sort_rows(rows, count))
		return false;
	/* Addresses after a tombstone wrap, so that the tombstone may not be
	 * the lowest row. */
	if (!count || gsym_dw_is_tombstone(open->first_address, address_size) ||
	    rows[0].address >= end || unit->rows.count > UINT32_MAX) {
		unit->rows.count = first;
	} else {
		sequence = gsym_vec_push(&unit->sequences);
		if (!sequence)
			return false;
		count = thin_rows(rows, count);
		unit->rows.count = first + count;
		*sequence = (struct dw_sequence){
			rows[0].address, end, (uint32_t)first, (uint32_t)count,
			open->offset
		};
	}
	*open = (struct dw_open_sequence){ .first_row = unit->rows.count };
	return true;
}

static int by_end(const void *a, const void *b)
{
	const struct dw_sequence *x = a, *y = b;
	int order = GSYM_ORDER(x->end, y->end);

	return order ? order : GSYM_ORDER(x->first_row, y->first_row);
}

void gsym_dw_sequences_sort(struct dw_unit *unit)
{
	for (size_t i = 1; i < unit->sequences.count; i++) {
		if (by_end(&unit->sequences.items[i - 1],
			   &unit->sequences.items[i]) <= 0)
			continue;
		qsort(unit->sequences.items, unit->sequences.count,
		      sizeof(*unit->sequences.items), by_end);
		return;
	}
}

uint64_t gsym_dw_debug_bytes(const struct gsym_container *container,
			     uint64_t *stored)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < container->sections.count; i++) {
		const struct gsym_container_section *s =
			&container->sections.items[i];

		if (strncmp(s->name, ".debug_", 7) != 0 &&
		    strncmp(s->name, ".zdebug_", 8) != 0)
			continue;
		bytes += s->data_size;
		*stored += s->packed_size ? s->packed_size : s->data_size;
	}
	return bytes;
}
