/* SPDX-License-Identifier: MIT */
/* The ranges of a DIE: DW_AT_low_pc and DW_AT_high_pc, or a range list. */
#include "dwarf/second.h"

#include <inttypes.h>

/* The ranges of a DIE, while they are being read. */
struct list {
	struct second *s;
	const struct second_unit *u;
	struct dw_range_list found;
};

/* Use the budget for COUNT entries; false if they are too much work. */
static bool take_entries(struct list *l, uint64_t count)
{
	return dw_unit_take(l->found.unit, DW_CUT_RANGES,
			    count * DW_COST_RANGE);
}

/* Read the list at OFFSET of .debug_ranges. */
static bool read_old_list(struct list *l, Dwarf_Die die, uint64_t offset,
			  struct dw_unit *unit)
{
	struct second *s = l->s;
	Dwarf_Error error = NULL;
	Dwarf_Ranges *entries;
	Dwarf_Signed count;
	bool fine = true;

	if (gsym_second_warned(s,
			       dwarf_get_ranges_b(s->dbg, offset, die, NULL,
						  &entries, &count, NULL,
						  &error),
			       &error, unit, GSYM_WARN_BAD_RANGES,
			       ".debug_ranges: list", offset) != DW_DLV_OK)
		return true;
	if (!take_entries(l, (uint64_t)count))
		count = 0;
	for (Dwarf_Signed i = 0; fine && i < count; i++)
		switch (entries[i].dwr_type) {
		case DW_RANGES_ENTRY:
			fine = gsym_dw_range_add_relative(&l->found,
							  entries[i].dwr_addr1,
							  entries[i].dwr_addr2);
			break;
		case DW_RANGES_ADDRESS_SELECTION:
			l->found.base = entries[i].dwr_addr2;
			break;
		case DW_RANGES_END:
			break;
		}
	dwarf_dealloc(s->dbg, entries, DW_DLA_RANGES);
	return fine;
}

/* Add an entry of .debug_rnglists with the operands FIRST and SECOND, as they
 * are stored.  The base is added here: libdwarf knows no tombstones. */
static bool add_entry(struct list *l, Dwarf_Die die, unsigned kind,
		      uint64_t first, uint64_t second)
{
	switch (kind) {
	case DW_RLE_base_addressx:
		if (!gsym_second_indexed_address(l->s, die, first,
						 &l->found.base))
			l->found.base = UINT64_MAX;
		break;
	case DW_RLE_base_address:
		l->found.base = first;
		break;
	case DW_RLE_startx_endx:
		if (gsym_second_indexed_address(l->s, die, first, &first) &&
		    gsym_second_indexed_address(l->s, die, second, &second))
			return gsym_dw_range_add(&l->found, first, second);
		break;
	case DW_RLE_startx_length:
		if (gsym_second_indexed_address(l->s, die, first, &first))
			return gsym_dw_range_add(&l->found, first,
						 first + second);
		break;
	case DW_RLE_offset_pair:
		return gsym_dw_range_add_relative(&l->found, first, second);
	case DW_RLE_start_end:
		return gsym_dw_range_add(&l->found, first, second);
	case DW_RLE_start_length:
		return gsym_dw_range_add(&l->found, first, first + second);
	}
	return true;
}

/* Whether the list that DW_AT_ranges names by NUMBER, of FORM, begins in the
 * table that libdwarf will read it from; libdwarf does not check it.  In a
 * split unit, where libdwarf finds no list by its index, NUMBER becomes the
 * offset. */
static bool list_exists(const struct list *l, unsigned *form, uint64_t *number)
{
	uint64_t value = *number;
	const struct second *s = l->s;
	const struct second_table *t = s->tables.items;
	const struct second_table *end =
		gsym_vec_from(&s->tables, s->tables.count);
	uint64_t anchor = l->u->has_lists ? l->u->lists : value;

	while (t < end && t->end <= anchor)
		t++;
	if (t == end || t->offsets > anchor)
		return false;
	if (*form == DW_FORM_rnglistx) {
		struct gsym_cursor c = gsym_container_cursor(
			s->container, gsym_container_section(
					      s->container, ".debug_rnglists"));

		if (value >= t->count)
			return false;
		gsym_cursor_seek(&c, t->offsets + value * t->offset_size);
		value = gsym_cursor_uint(&c, t->offset_size);
		if (value >= t->end - t->offsets)
			return false;
		value += t->offsets;
	}
	if (s->split) {
		*form = DW_FORM_sec_offset;
		*number = value;
	}
	return value >= t->offsets && value < t->end;
}

static bool read_new_list(struct list *l, Dwarf_Die die,
			  Dwarf_Attribute attribute, unsigned form,
			  uint64_t value, struct dw_unit *unit)
{
	struct second *s = l->s;
	Dwarf_Rnglists_Head head;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned count;
	bool fine = true;

	if (gsym_second_warned(s,
			       dwarf_rnglists_get_rle_head(
				       attribute, (Dwarf_Half)form, value,
				       &head, &count, NULL, &error),
			       &error, unit, GSYM_WARN_BAD_RANGES,
			       ".debug_rnglists: list of the DIE",
			       gsym_second_offset(s, die)) != DW_DLV_OK)
		return true;
	if (!take_entries(l, count))
		count = 0;
	for (Dwarf_Unsigned i = 0; fine && i < count; i++) {
		Dwarf_Unsigned first, second;
		unsigned kind, length;

		if (gsym_second_checked(s,
					dwarf_get_rnglists_entry_fields_a(
						head, i, &length, &kind, &first,
						&second, NULL, NULL, NULL,
						&error),
					&error) != DW_DLV_OK)
			break;
		fine = add_entry(l, die, kind, first, second);
	}
	dwarf_dealloc_rnglists_head(head);
	return fine;
}

static bool read_list(struct list *l, Dwarf_Die die, Dwarf_Attribute attribute,
		      struct dw_unit *unit)
{
	unsigned form = gsym_second_form(l->s, attribute);
	Dwarf_Error error = NULL;
	Dwarf_Off offset;
	uint64_t value;

	if (form == DW_FORM_sec_offset || form == DW_FORM_data4 ||
	    form == DW_FORM_data8) {
		if (gsym_second_warned(
			    l->s,
			    dwarf_global_formref(attribute, &offset, &error),
			    &error, unit, GSYM_WARN_BAD_RANGES,
			    ".debug_info: DW_AT_ranges of the DIE",
			    gsym_second_offset(l->s, die)) != DW_DLV_OK)
			return true;
		value = offset;
	} else if (!gsym_second_constant_value(l->s, attribute, &value)) {
		return true;
	}
	if (l->u->version < 5)
		return read_old_list(l, die, value, unit);
	if (list_exists(l, &form, &value))
		return read_new_list(l, die, attribute, form, value, unit);
	if (unit)
		gsym_dw_unit_warn(unit, GSYM_WARN_BAD_RANGES,
				  ".debug_rnglists: no list 0x%" PRIx64
				  " for the DIE at "
				  "offset 0x%" PRIx64,
				  value, gsym_second_offset(l->s, die));
	return true;
}

/* The end of a range: DW_AT_high_pc is an address, or a length after START. */
static bool read_end(struct second *s, Dwarf_Die die, uint64_t start,
		     uint64_t *ret)
{
	Dwarf_Attribute attribute;
	unsigned form;
	bool found;

	if (!gsym_second_attribute(s, die, DW_AT_high_pc, &attribute))
		return false;
	form = gsym_second_form(s, attribute);
	if (form == DW_FORM_addr || dwarf_addr_form_is_indexed((int)form)) {
		found = gsym_second_address_value(s, attribute, ret);
	} else {
		found = gsym_second_constant_value(s, attribute, ret);
		*ret += start;
	}
	dwarf_dealloc_attribute(attribute);
	return found;
}

bool gsym_second_read_ranges(struct second *s, const struct second_unit *u,
			     Dwarf_Die die, struct dw_ranges *ranges,
			     struct dw_unit *unit)
{
	struct list l = {
		.s = s,
		.u = u,
		.found = {
			.code = second_code(s, u),
			.base = u->base,
			.ranges = ranges,
			.unit = unit,
		},
	};
	Dwarf_Attribute attribute;
	uint64_t start, end = 0;
	bool fine;

	if (gsym_second_address(s, die, DW_AT_low_pc, &start) &&
	    read_end(s, die, start, &end))
		return !take_entries(&l, 1) ||
		       gsym_dw_range_add(&l.found, start, end);
	/* libdwarf reads a list before its size is known. */
	if (unit->work.exceeded ||
	    !gsym_second_attribute(s, die, DW_AT_ranges, &attribute))
		return true;
	fine = read_list(&l, die, attribute, unit);
	dwarf_dealloc_attribute(attribute);
	return fine;
}
