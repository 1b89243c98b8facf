/* SPDX-License-Identifier: MIT */
/* Each fixture, cut off after each byte, and with each byte changed, gives a
 * sound GSYM file or an error.  go_input_convert aborts on anything else. */
#include "support/go_input.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Convert a copy of exactly SIZE bytes: sanitizers notice reads beyond it. */
static uint64_t convert(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	uint64_t functions;

	cr_assert(copy);
	if (size)
		memcpy(copy, bytes, size);
	functions = go_input_convert(copy, size);
	free(copy);
	return functions;
}

Test(go_damage, sound)
{
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = go_input_fixture(i, &size)); i++) {
		cr_assert_eq(convert(bytes, size), i < 2 ? 10 : 5,
			     "fixture %u", i);
		free(bytes);
	}
}

Test(go_damage, cut)
{
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = go_input_fixture(i, &size)); i++) {
		for (size_t k = 0; k < size; k++)
			convert(bytes, k);
		free(bytes);
	}
}

Test(go_damage, changed)
{
	static const uint8_t masks[] = { 0xff, 0x01, 0x80 };
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = go_input_fixture(i, &size)); i++) {
		for (size_t k = 0; k < 3 * size; k++) {
			uint8_t mask = masks[k % 3];

			bytes[k / 3] ^= mask;
			convert(bytes, size);
			bytes[k / 3] ^= mask;
		}
		free(bytes);
	}
}
