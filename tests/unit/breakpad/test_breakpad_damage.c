/* SPDX-License-Identifier: MIT */
/* Each fixture cut off at each place, and with each byte changed: an answer
 * or an error.  breakpad_input.c aborts on anything that is not sound. */
#include "support/breakpad_input.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct gsym_convert_options plain = { .threads = 1 };

/* Between the places that are tried: the long fixture is one name and one
 * path. */
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
	/* Digits become other digits, letters and blanks; and line ends, what
	 * belongs to a line. */
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
