/* SPDX-License-Identifier: MIT */
/* Reads numbers, and writes their digits. */
#include "config.h"

#include "common/number.h"

#include <string.h>

#include "base/text.h"

static bool has_prefix(const char *text, size_t length)
{
	return length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
}

static enum number_result parse_decimal(const char *text, size_t length,
					uint64_t *value)
{
	uint64_t sum = 0;
	bool overflow = false;

	if (length == 0)
		return NUMBER_EMPTY;
	for (size_t i = 0; i < length; i++) {
		unsigned digit = gsym_digit(text[i]);
		if (digit > 9)
			return NUMBER_BAD;
		overflow |= __builtin_mul_overflow(sum, 10, &sum);
		overflow |= __builtin_add_overflow(sum, digit, &sum);
	}
	if (overflow)
		return NUMBER_RANGE;
	*value = sum;
	return NUMBER_OK;
}

static enum number_result parse_hex(const char *text, size_t length,
				    uint64_t *value)
{
	uint64_t sum = 0, lost = 0;

	if (length == 0)
		return NUMBER_EMPTY;
	for (size_t i = 0; i < length; i++) {
		unsigned digit = gsym_digit(text[i]);

		if (digit > 15)
			return NUMBER_BAD;
		lost |= sum >> 60;
		sum = sum << 4 | digit;
	}
	if (lost)
		return NUMBER_RANGE;
	*value = sum;
	return NUMBER_OK;
}

enum number_result number_parse(const char *text, size_t length,
				uint64_t *value)
{
	enum number_result result;
	uint64_t ignored;

	if (has_prefix(text, length))
		return parse_hex(text + 2, length - 2, value);
	result = parse_decimal(text, length, value);
	if (result == NUMBER_BAD &&
	    parse_hex(text, length, &ignored) != NUMBER_BAD)
		return NUMBER_BARE;
	return result;
}

unsigned number_address_base(const char *text, size_t length)
{
	if (has_prefix(text, length) ||
	    ((length == 8 || length == 16) && text[0] == '0'))
		return 16;
	for (size_t i = 0; i < length; i++)
		if (text[i] < '0' || text[i] > '9')
			return 16;
	return 10;
}

enum number_result number_parse_address(const char *text, size_t length,
					bool hex, uint64_t *value)
{
	if (has_prefix(text, length))
		return parse_hex(text + 2, length - 2, value);
	if (hex || number_address_base(text, length) == 16)
		return parse_hex(text, length, value);
	return parse_decimal(text, length, value);
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

size_t number_parse_bytes(const char *text, uint8_t *to, size_t capacity)
{
	size_t size = strlen(text) / 2;

	if (strlen(text) % 2 || size > capacity ||
	    !gsym_digits_read(to, text, size))
		return 0;
	return size;
}

static size_t decimal_digits(uint64_t value)
{
	size_t count = 1;
	for (; value >= 10000; value /= 10000)
		count += 4;
	return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

size_t number_decimal(char *to, uint64_t value)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819"
		"2021222324252627282930313233343536373839"
		"4041424344454647484950515253545556575859"
		"6061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	size_t count = decimal_digits(value), at = count;
	for (; value >= 100; value /= 100)
		memcpy(to + (at -= 2), pairs + 2 * (value % 100), 2);
	if (value >= 10)
		memcpy(to, pairs + 2 * value, 2);
	else
		to[0] = (char)('0' + value);
	return count;
}

size_t number_grouped(char *to, uint64_t value)
{
	char digits[NUMBER_MAX];
	size_t count = number_decimal(digits, value), used = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			to[used++] = ',';
		to[used++] = digits[i];
	}
	return used;
}
