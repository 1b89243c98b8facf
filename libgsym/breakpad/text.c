/* SPDX-License-Identifier: MIT */
#include "breakpad/text.h"

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool gsym_bp_hex(struct bp_text field, uint64_t *ret)
{
	uint64_t value = 0;

	if (bp_length(field) > 2 && field.at[0] == '0' &&
	    (field.at[1] | 0x20) == 'x')
		field.at += 2;
	if (field.at == field.end)
		return false;
	for (; field.at < field.end; field.at++) {
		int digit = digit_of(*field.at);

		if (digit < 0 || value >> 60)
			return false;
		value = value << 4 | (unsigned)digit;
	}
	*ret = value;
	return value != UINT64_MAX;
}

bool gsym_bp_decimal(struct bp_text field, uint32_t *ret)
{
	uint64_t value = 0;

	if (field.at == field.end)
		return false;
	for (; field.at < field.end; field.at++) {
		if (*field.at < '0' || *field.at > '9')
			return false;
		value = value * 10 + (unsigned)(*field.at - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*ret = (uint32_t)value;
	return true;
}

bool gsym_bp_signed(struct bp_text field, int64_t *ret)
{
	bool negative = field.at < field.end && *field.at == '-';
	uint32_t value;

	if (negative)
		field.at++;
	if (!gsym_bp_decimal(field, &value))
		return false;
	*ret = negative ? -(int64_t)value : value;
	return true;
}
