/* SPDX-License-Identifier: MIT */
/* Each fixture, cut off after each byte, and with each byte changed, gives a
 * sound GSYM file or an error.  breakpad_input_convert aborts on anything
 * else. */
#include "support/breakpad_input.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct gsym_convert_options plain = { .threads = 1 };

/* Bytes between the places that are tried: long fixtures are mostly one name
 * and one path. */
static size_t step_of(size_t size)
{
	return size > 1 << 14 ? 149 : 1;
}

Test(breakpad_damage, sound)
{
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = breakpad_input_fixture(i, &size)); i++) {
		uint64_t count = breakpad_input_convert(bytes, size, &plain);

		/* The second holds no functions. */
		cr_assert_eq(count > 0, i != 1, "fixture %u", i);
		free(bytes);
	}
}

Test(breakpad_damage, cut)
{
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = breakpad_input_fixture(i, &size)); i++) {
		for (size_t k = 0; k < size; k += step_of(size))
			breakpad_input_convert(bytes, k, &plain);
		free(bytes);
	}
}

Test(breakpad_damage, changed)
{
	/* Digits become other digits, letters and blanks, and ends of lines
	 * vanish. */
	static const uint8_t masks[] = { 0x01, 0x10, 0x80, 0xff };
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = breakpad_input_fixture(i, &size)); i++) {
		for (size_t k = 0; k < size; k += step_of(size)) {
			uint8_t mask = masks[k % sizeof(masks)];

			bytes[k] ^= mask;
			breakpad_input_convert(bytes, size, &plain);
			bytes[k] ^= mask;
		}
		free(bytes);
	}
}
