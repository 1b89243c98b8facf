/* SPDX-License-Identifier: MIT */
/*
 * The second reader of DWARF: opens and closes it, and reads claims and units.
 */
#include "dwarf/second.h"

static enum gsym_status second_open(const struct gsym_container *container,
				    unsigned threads, struct dw_unit *notes,
				    void **self, struct gsym_error *error)
{
	struct second *s = NULL;
	enum gsym_status status =
		gsym_second_start(container, false, notes, &s, error);

	(void)threads;
	*self = s;
	return status;
}

static void second_close(void *self)
{
	gsym_second_stop(self);
}

static size_t unit_count(void *self)
{
	const struct second *s = self;

	return s->units.count;
}

static uint64_t unit_size(void *self, size_t index)
{
	const struct second *s = self;

	return s->units.items[index].end - s->units.items[index].offset;
}

static uint64_t unit_offset(void *self, size_t index)
{
	const struct second *s = self;

	return s->units.items[index].offset;
}

/* ---- claims ------------------------------------------------------------- */

/* Add the claim of ARANGE, a pair of .debug_aranges.  False without memory. */
static bool claim_arange(struct second *s, Dwarf_Arange arange,
			 struct dw_claims *claims, bool *has_set)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned length;
	struct second_unit *u;
	Dwarf_Off offset;
	Dwarf_Addr start;

	if (gsym_second_checked(
		    s,
		    dwarf_get_arange_cu_header_offset(arange, &offset, &error),
		    &error) != DW_DLV_OK ||
	    gsym_second_checked(s,
				dwarf_get_arange_info_b(arange, NULL, NULL,
							&start, &length, NULL,
							&error),
				&error) != DW_DLV_OK)
		return true;
	u = gsym_second_unit_at(s, offset);
	if (!u || u->offset != offset)
		return true;
	has_set[u - s->units.items] = true;
	return gsym_dw_claim_add(claims, (uint32_t)(u - s->units.items),
				 second_code(s, u), start, start + length);
}

static enum gsym_status claim_aranges(void *self, struct dw_claims *claims,
				      bool *has_set, struct dw_unit *notes)
{
	struct second *s = self;
	Dwarf_Error error = NULL;
	Dwarf_Arange *aranges;
	Dwarf_Signed count;
	bool fine = true;

	if (!s->dbg)
		return GSYM_OK;
	if (gsym_second_warned(
		    s, dwarf_get_aranges(s->dbg, &aranges, &count, &error),
		    &error, notes, GSYM_WARN_BAD_UNIT, ".debug_aranges",
		    0) != DW_DLV_OK)
		return GSYM_OK;
	for (Dwarf_Signed i = 0; i < count; i++) {
		fine = fine && claim_arange(s, aranges[i], claims, has_set);
		dwarf_dealloc(s->dbg, aranges[i], DW_DLA_ARANGE);
	}
	dwarf_dealloc(s->dbg, aranges, DW_DLA_LIST);
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

static enum gsym_status unit_ranges(void *self, size_t index,
				    struct dw_ranges *ranges,
				    struct dw_unit *notes)
{
	struct second *s = self;
	struct second_unit *u = &s->units.items[index];
	Dwarf_Die die = gsym_second_die_at(s, u, u->die);
	bool fine;

	if (!die)
		return GSYM_OK;
	fine = gsym_second_read_ranges(s, u, die, ranges, notes);
	dwarf_dealloc_die(die);
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

static bool unit_lines(void *self, size_t index, uint64_t *offset,
		       const char **directory)
{
	struct second *s = self;
	struct second_unit *u = &s->units.items[index];
	Dwarf_Die die = gsym_second_die_at(s, u, u->die);
	bool found;

	if (!die)
		return false;
	found = gsym_second_section_offset(s, die, DW_AT_stmt_list, offset);
	*directory = gsym_second_string(s, die, DW_AT_comp_dir);
	dwarf_dealloc_die(die);
	return found;
}

static enum gsym_status read_lines(void *self, size_t index,
				   struct dw_unit *table)
{
	struct second *s = self;
	struct second_unit *u = &s->units.items[index];
	Dwarf_Die die = gsym_second_die_at(s, u, u->die);
	bool fine = true;

	if (die) {
		fine = gsym_second_read_lines(s, u, die, table);
		dwarf_dealloc_die(die);
	}
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* ---- units -------------------------------------------------------------- */

static enum gsym_status read_unit(void *self, size_t index,
				  struct dw_unit *unit)
{
	struct second *s = self;
	struct second_unit *u = &s->units.items[index];
	Dwarf_Die die = gsym_second_die_at(s, u, u->die);
	bool fine = true, found = false;

	unit->offset = u->offset;
	if (die) {
		fine = (unit->no_lines ||
			gsym_second_read_lines(s, u, die, unit)) &&
		       gsym_second_read_split(s, u, die, unit, &found);
		dwarf_dealloc_die(die);
	}
	if (fine && !found)
		fine = gsym_second_read_nodes(s, u, unit);
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

const struct dw_reader gsym_dwarf_second = {
	.parallel = false,
	.open = second_open,
	.close = second_close,
	.unit_count = unit_count,
	.unit_size = unit_size,
	.unit_offset = unit_offset,
	.aranges = claim_aranges,
	.unit_ranges = unit_ranges,
	.unit_lines = unit_lines,
	.read_lines = read_lines,
	.read_unit = read_unit,
};
