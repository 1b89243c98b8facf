/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/number.h"

/* The value of the digit C in any base up to 16; 99 if C is no digit. */
static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* TEXT has a character that its base does not have: guess the mistake. */
static enum number_result diagnose(const char *text, size_t length)
{
	bool letters = false;
	for (size_t i = 0; i < length; i++) {
		unsigned digit = digit_value(text[i]);
		if (digit > 15)
			return NUMBER_BAD;
		letters |= digit > 9;
	}
	return letters ? NUMBER_BARE : NUMBER_OCTAL;
}

enum number_result number_parse(const char *text, size_t length,
				uint64_t *value)
{
	unsigned base = 10;
	size_t at = 0;
	uint64_t sum = 0;
	bool overflow = false;

	if (length == 0)
		return NUMBER_EMPTY;
	if (length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
		base = 16;
		at = 2;
	} else if (text[0] == '0') {
		base = 8;
	}
	for (; at < length; at++) {
		unsigned digit = digit_value(text[at]);
		if (digit >= base)
			return diagnose(text, length);
		overflow |= __builtin_mul_overflow(sum, base, &sum);
		overflow |= __builtin_add_overflow(sum, digit, &sum);
	}
	if (overflow)
		return NUMBER_RANGE;
	*value = sum;
	return NUMBER_OK;
}

const char *number_problem(enum number_result result)
{
	switch (result) {
	case NUMBER_OK:
		return NULL;
	case NUMBER_EMPTY:
		return "not an address: nothing is there";
	case NUMBER_BAD:
		break;
	case NUMBER_BARE:
		return "not an address: hexadecimal needs 0x in front";
	case NUMBER_OCTAL:
		return "not an address: a leading 0 means octal, "
		       "hexadecimal needs 0x in front";
	case NUMBER_RANGE:
		return "not an address: larger than 64 bits";
	}
	return "not an address";
}

size_t number_hex(char *to, uint64_t value)
{
	unsigned digits = (64 - (unsigned)__builtin_clzll(value | 1) + 3) / 4;
	for (unsigned i = digits; i-- > 0; value >>= 4)
		to[i] = "0123456789abcdef"[value & 15];
	return digits;
}

size_t number_decimal(char *to, uint64_t value)
{
	char digits[NUMBER_MAX];
	size_t at = sizeof(digits);
	do
		digits[--at] = '0' + value % 10;
	while (value /= 10);
	size_t count = sizeof(digits) - at;
	for (size_t i = 0; i < count; i++)
		to[i] = digits[at + i];
	return count;
}
