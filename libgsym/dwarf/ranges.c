/* SPDX-License-Identifier: MIT */
#include "dwarf/ranges.h"

#include "dwarf/policy.h"

static bool add(const struct dw_sections *s, const struct dw_header *unit,
		uint64_t start, uint64_t end, struct dw_ranges *ranges)
{
	struct gsym_range *range;

	if (s->code_bit0) {
		start &= ~(uint64_t)1;
		end &= ~(uint64_t)1;
	}
	if (!gsym_dw_range_is_real(start, end, unit->encoding.address_size))
		return true;
	range = gsym_vec_push(ranges);
	if (!range)
		return false;
	*range = (struct gsym_range){ start, end };
	return true;
}

/* Addresses wrap around at the unit's address size. */
static uint64_t mask_of(const struct dw_header *unit)
{
	return unit->encoding.address_size < 8 ? UINT32_MAX : UINT64_MAX;
}

/* A list of .debug_ranges (DWARF 2 to 4). */
static enum dw_ranges_status read_old(const struct dw_sections *s,
				      const struct dw_header *unit,
				      uint64_t offset,
				      struct dw_ranges *ranges)
{
	unsigned size = unit->encoding.address_size;
	uint64_t mask = mask_of(unit), base = unit->low_pc;
	struct gsym_cursor c = s->ranges;

	gsym_cursor_seek(&c, offset);
	for (;;) {
		uint64_t start = gsym_cursor_uint(&c, size);
		uint64_t end = gsym_cursor_uint(&c, size);

		if (c.failed)
			return DW_RANGES_BAD;
		if (!start && !end)
			return DW_RANGES_OK;
		if (start == mask) {
			base = end;
			continue;
		}
		/* What linkers write for dropped code is not relative; nor is
		 * anything relative to a dropped base there. */
		if (gsym_dw_is_tombstone(start, size) ||
		    gsym_dw_is_tombstone(base, size))
			continue;
		if (!add(s, unit, (start + base) & mask, (end + base) & mask,
			 ranges))
			return DW_RANGES_MEMORY;
	}
}

/* One entry of a DWARF 5 list that gives a range; false if it cannot be
 * read. */
static bool read_entry(const struct dw_sections *s,
		       const struct dw_header *unit, struct gsym_cursor *c,
		       uint8_t kind, uint64_t *base, struct gsym_range *ret)
{
	unsigned size = unit->encoding.address_size;
	uint64_t mask = mask_of(unit);
	bool found = true;

	*ret = (struct gsym_range){ 0, 0 };
	switch (kind) {
	case DW_RLE_base_addressx:
		return gsym_dw_address_at(s, unit, gsym_cursor_uleb(c), base);
	case DW_RLE_base_address:
		*base = gsym_cursor_uint(c, size);
		return true;
	case DW_RLE_startx_endx:
		found = gsym_dw_address_at(s, unit, gsym_cursor_uleb(c),
					   &ret->start) &&
			gsym_dw_address_at(s, unit, gsym_cursor_uleb(c),
					   &ret->end);
		return found;
	case DW_RLE_startx_length:
		found = gsym_dw_address_at(s, unit, gsym_cursor_uleb(c),
					   &ret->start);
		ret->end = (ret->start + gsym_cursor_uleb(c)) & mask;
		return found;
	case DW_RLE_offset_pair:
		ret->start = gsym_cursor_uleb(c);
		ret->end = gsym_cursor_uleb(c);
		if (gsym_dw_is_tombstone(*base, size)) {
			ret->end = ret->start;
		} else {
			ret->start = (ret->start + *base) & mask;
			ret->end = (ret->end + *base) & mask;
		}
		return true;
	case DW_RLE_start_end:
		ret->start = gsym_cursor_uint(c, size);
		ret->end = gsym_cursor_uint(c, size);
		return true;
	case DW_RLE_start_length:
		ret->start = gsym_cursor_uint(c, size);
		ret->end = (ret->start + gsym_cursor_uleb(c)) & mask;
		return true;
	}
	return false;
}

/* A list of .debug_rnglists (DWARF 5). */
static enum dw_ranges_status read_new(const struct dw_sections *s,
				      const struct dw_header *unit,
				      uint64_t offset,
				      struct dw_ranges *ranges)
{
	struct gsym_cursor c = s->rnglists;
	uint64_t base = unit->low_pc;

	gsym_cursor_seek(&c, offset);
	for (;;) {
		uint8_t kind = gsym_cursor_u8(&c);
		struct gsym_range range;

		if (c.failed)
			return DW_RANGES_BAD;
		if (kind == DW_RLE_end_of_list)
			return DW_RANGES_OK;
		if (!read_entry(s, unit, &c, kind, &base, &range) || c.failed)
			return DW_RANGES_BAD;
		if (!add(s, unit, range.start, range.end, ranges))
			return DW_RANGES_MEMORY;
	}
}

/* Where the list with INDEX starts, by the table of offsets at the unit's
 * base. */
static bool list_offset(const struct dw_sections *s,
			const struct dw_header *unit, uint64_t index,
			uint64_t *ret)
{
	unsigned size = unit->encoding.offset_size;
	struct gsym_cursor c = s->rnglists;

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

static enum dw_ranges_status read_list(const struct dw_sections *s,
				       const struct dw_header *unit,
				       struct dw_value value,
				       struct dw_ranges *ranges)
{
	uint64_t offset;

	if (value.form == DW_FORM_rnglistx) {
		if (!list_offset(s, unit, value.u, &offset))
			return DW_RANGES_BAD;
	} else if (!gsym_dw_value_offset(value, &offset)) {
		return DW_RANGES_BAD;
	}
	return unit->encoding.version >= 5 ?
		       read_new(s, unit, offset, ranges) :
		       read_old(s, unit, offset, ranges);
}

enum dw_ranges_status
gsym_dw_ranges_read(const struct dw_sections *s, const struct dw_header *unit,
		    const struct dw_attributes *attributes,
		    struct dw_ranges *ranges)
{
	const struct dw_value *slots = attributes->slots;
	uint64_t low, high;

	if (slots[DW_SLOT_LOW_PC].form && slots[DW_SLOT_HIGH_PC].form) {
		if (!gsym_dw_value_address(s, unit, slots[DW_SLOT_LOW_PC],
					   &low))
			return DW_RANGES_BAD;
		if (gsym_dw_value_constant(slots[DW_SLOT_HIGH_PC], &high))
			high = (low + high) & mask_of(unit);
		else if (!gsym_dw_value_address(s, unit, slots[DW_SLOT_HIGH_PC],
						&high))
			return DW_RANGES_BAD;
		return add(s, unit, low, high, ranges) ? DW_RANGES_OK :
							 DW_RANGES_MEMORY;
	}
	if (slots[DW_SLOT_RANGES].form)
		return read_list(s, unit, slots[DW_SLOT_RANGES], ranges);
	return DW_RANGES_OK;
}
