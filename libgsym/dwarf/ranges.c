/* SPDX-License-Identifier: MIT */
/*
 * Reads ranges of DIEs, and range lists of all versions, for the production
 * reader.
 */
#include "dwarf/ranges.h"

/* Read the list at OFFSET of .debug_ranges (DWARF 2 to 4). */
static enum dw_ranges_status read_old(const struct dw_header *unit,
				      uint64_t offset,
				      struct dw_range_list *list)
{
	unsigned size = list->code.address_size;
	uint64_t all_ones = dw_wrap(&list->code, UINT64_MAX);
	struct gsym_cursor c = unit->sections->ranges;

	gsym_cursor_seek(&c, offset);
	for (;;) {
		uint64_t start = gsym_cursor_uint(&c, size);
		uint64_t end = gsym_cursor_uint(&c, size);

		if (c.failed)
			return DW_RANGES_BAD;
		if (!dw_unit_take(list->unit, DW_CUT_RANGES, DW_COST_RANGE))
			return DW_RANGES_CUT;
		if (!start && !end)
			return DW_RANGES_OK;
		if (start == all_ones)
			list->base = end;
		else if (!gsym_dw_range_add_relative(list, start, end))
			return DW_RANGES_MEMORY;
	}
}

/* Read the operands of an entry of KIND that is a range: addresses, or offsets
 * from the base for DW_RLE_offset_pair.  False if they cannot be read. */
static bool read_operands(const struct dw_header *unit, struct gsym_cursor *c,
			  uint8_t kind, struct gsym_range *ret)
{
	const struct dw_sections *s = unit->sections;
	unsigned size = unit->encoding.address_size;

	switch (kind) {
	case DW_RLE_startx_endx:
		return gsym_dw_address_at(s, unit, gsym_cursor_uleb(c),
					  &ret->start) &&
		       gsym_dw_address_at(s, unit, gsym_cursor_uleb(c),
					  &ret->end);
	case DW_RLE_startx_length:
		if (!gsym_dw_address_at(s, unit, gsym_cursor_uleb(c),
					&ret->start))
			return false;
		ret->end = ret->start + gsym_cursor_uleb(c);
		return true;
	case DW_RLE_offset_pair:
		ret->start = gsym_cursor_uleb(c);
		ret->end = gsym_cursor_uleb(c);
		return true;
	case DW_RLE_start_end:
		ret->start = gsym_cursor_uint(c, size);
		ret->end = gsym_cursor_uint(c, size);
		return true;
	case DW_RLE_start_length:
		ret->start = gsym_cursor_uint(c, size);
		ret->end = ret->start + gsym_cursor_uleb(c);
		return true;
	}
	return false;
}

/* Read an entry of KIND: a range, or a new base. */
static enum dw_ranges_status read_entry(const struct dw_header *unit,
					struct gsym_cursor *c, uint8_t kind,
					struct dw_range_list *list)
{
	struct gsym_range range;
	bool ok;

	switch (kind) {
	case DW_RLE_base_addressx:
		return gsym_dw_address_at(unit->sections, unit,
					  gsym_cursor_uleb(c), &list->base)
			       ? DW_RANGES_OK
			       : DW_RANGES_BAD;
	case DW_RLE_base_address:
		list->base = gsym_cursor_uint(c, list->code.address_size);
		return DW_RANGES_OK;
	}
	if (!read_operands(unit, c, kind, &range) || c->failed)
		return DW_RANGES_BAD;
	ok = kind == DW_RLE_offset_pair
		     ? gsym_dw_range_add_relative(list, range.start, range.end)
		     : gsym_dw_range_add(list, range.start, range.end);
	return ok ? DW_RANGES_OK : DW_RANGES_MEMORY;
}

/* Read the list at OFFSET of .debug_rnglists (DWARF 5). */
static enum dw_ranges_status read_new(const struct dw_header *unit,
				      uint64_t offset,
				      struct dw_range_list *list)
{
	struct gsym_cursor c = unit->sections->rnglists;

	gsym_cursor_seek(&c, offset);
	for (;;) {
		uint8_t kind = gsym_cursor_u8(&c);
		enum dw_ranges_status status;

		if (c.failed)
			return DW_RANGES_BAD;
		if (!dw_unit_take(list->unit, DW_CUT_RANGES, DW_COST_RANGE))
			return DW_RANGES_CUT;
		if (kind == DW_RLE_end_of_list)
			return DW_RANGES_OK;
		status = read_entry(unit, &c, kind, list);
		if (status != DW_RANGES_OK)
			return status;
		if (c.failed)
			return DW_RANGES_BAD;
	}
}

/* The offset of the list with INDEX in .debug_rnglists, by the table of offsets
 * at the unit's base; false if there is no such list. */
static bool list_offset(const struct dw_header *unit, uint64_t index,
			uint64_t *ret)
{
	unsigned size = unit->encoding.offset_size;
	struct gsym_cursor c = unit->sections->rnglists;

	if (index > UINT32_MAX ||
	    unit->rnglists_base > UINT64_MAX - index * size)
		return false;
	gsym_cursor_seek(&c, unit->rnglists_base + index * size);
	*ret = gsym_cursor_uint(&c, size);
	if (c.failed || *ret > UINT64_MAX - unit->rnglists_base)
		return false;
	*ret += unit->rnglists_base;
	return true;
}

static enum dw_ranges_status read_list(const struct dw_header *unit,
				       struct dw_value value,
				       struct dw_range_list *list)
{
	uint64_t offset;

	if (value.form == DW_FORM_rnglistx) {
		if (!list_offset(unit, value.u, &offset))
			return DW_RANGES_BAD;
	} else if (!gsym_dw_value_offset(value, &offset)) {
		return DW_RANGES_BAD;
	}
	return unit->encoding.version >= 5 ? read_new(unit, offset, list)
					   : read_old(unit, offset, list);
}

/* Read the range of DW_AT_low_pc and DW_AT_high_pc. */
static enum dw_ranges_status read_pair(const struct dw_header *unit,
				       const struct dw_value *slots,
				       struct dw_range_list *list)
{
	const struct dw_sections *s = unit->sections;
	uint64_t low, high;

	if (!gsym_dw_value_address(s, unit, slots[DW_SLOT_LOW_PC], &low))
		return DW_RANGES_BAD;
	if (gsym_dw_value_constant(slots[DW_SLOT_HIGH_PC], &high))
		high += low;
	else if (!gsym_dw_value_address(s, unit, slots[DW_SLOT_HIGH_PC], &high))
		return DW_RANGES_BAD;
	if (!dw_unit_take(list->unit, DW_CUT_RANGES, DW_COST_RANGE))
		return DW_RANGES_CUT;
	return gsym_dw_range_add(list, low, high) ? DW_RANGES_OK
						  : DW_RANGES_MEMORY;
}

enum dw_ranges_status
gsym_dw_ranges_read(const struct dw_header *header,
		    const struct dw_attributes *attributes,
		    struct dw_ranges *ranges, struct dw_unit *unit)
{
	const struct dw_value *slots = attributes->slots;
	struct dw_range_list list = {
		.code = { header->encoding.address_size,
			  header->sections->code_bit0 },
		.base = header->low_pc,
		.ranges = ranges,
		.unit = unit,
	};
	size_t count = ranges->count;
	enum dw_ranges_status status = DW_RANGES_OK;

	if (slots[DW_SLOT_LOW_PC].form && slots[DW_SLOT_HIGH_PC].form)
		status = read_pair(header, slots, &list);
	else if (slots[DW_SLOT_RANGES].form)
		status = read_list(header, slots[DW_SLOT_RANGES], &list);
	if (status == DW_RANGES_CUT)
		ranges->count = count;
	return status;
}
