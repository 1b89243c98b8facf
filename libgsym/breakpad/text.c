/* SPDX-License-Identifier: MIT */
/* Reads hexadecimal, decimal and signed numbers of a line. */
#include "breakpad/text.h"

#include "base/digit.h"

bool gsym_bp_hex(struct bp_text field, uint64_t *ret)
{
	uint64_t value = 0;

	if (bp_length(field) > 2 && field.at[0] == '0' &&
	    (field.at[1] | 0x20) == 'x')
		field.at += 2;
	if (field.at == field.end)
		return false;
	for (; field.at < field.end; field.at++) {
		unsigned digit = gsym_digit(*field.at);

		if (digit > 15 || value >> 60)
			return false;
		value = value << 4 | digit;
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
