/* SPDX-License-Identifier: MIT */
/* Writes the digits of numbers. */
#include "config.h"

#include "base/text.h"

#include <string.h>

size_t gsym_hex_put(char *to, uint64_t value)
{
	unsigned digits = (64 - (unsigned)__builtin_clzll(value | 1) + 3) / 4;

	for (unsigned i = digits; i-- > 0; value >>= 4)
		to[i] = "0123456789abcdef"[value & 15];
	return digits;
}

static size_t decimal_digits(uint64_t value)
{
	size_t count = 1;

	for (; value >= 10000; value /= 10000)
		count += 4;
	return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

size_t gsym_decimal_put(char *to, uint64_t value)
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
