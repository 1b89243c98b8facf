/* SPDX-License-Identifier: MIT */
/* Sets of .debug_aranges: which addresses a unit claims. */
#include "dwarf/scan.h"

bool gsym_dw_set_read(struct gsym_cursor *c, struct dw_set *ret)
{
	size_t start = gsym_cursor_offset(c), pair;
	uint8_t offset_size;
	uint64_t length = dw_length_read(c, &offset_size), end;

	if (!gsym_cursor_need(c, length))
		return false;
	end = gsym_cursor_offset(c) + length;
	if (gsym_cursor_u16(c) != 2)
		gsym_cursor_fail(c);
	ret->unit = gsym_cursor_uint(c, offset_size);
	ret->address_size = gsym_cursor_u8(c);
	if (gsym_cursor_u8(c) ||
	    (ret->address_size != 4 && ret->address_size != 8))
		gsym_cursor_fail(c); /* segment selectors are not known */
	if (c->failed)
		return false;
	pair = 2 * (size_t)ret->address_size;
	gsym_cursor_skip(c, (pair - (gsym_cursor_offset(c) - start) % pair) %
				    pair);
	ret->pairs = *c;
	ret->pairs.end = c->start + end;
	gsym_cursor_seek(c, end);
	return true;
}

bool gsym_dw_set_claim(const struct dw_set *set, uint32_t number,
		       bool code_bit0, struct dw_claims *claims,
		       struct dw_unit *outside, bool *cut)
{
	const struct dw_code code = { set->address_size, code_bit0 };
	const size_t pair = 2 * (size_t)set->address_size;
	struct gsym_cursor c = set->pairs;

	outside->offset = set->unit;
	while (!c.failed && c.at <= c.end && gsym_cursor_left(&c) >= pair) {
		uint64_t address = gsym_cursor_uint(&c, set->address_size);
		uint64_t size = gsym_cursor_uint(&c, set->address_size);

		if (!dw_unit_take(outside, DW_CUT_CLAIMS, DW_COST_CLAIM)) {
			*cut = true;
			return true;
		}
		if (!gsym_dw_claim_add(claims, number, code, address,
				       address + size))
			return false;
	}
	return true;
}
