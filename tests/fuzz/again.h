/* SPDX-License-Identifier: MIT */
/* tests/fuzz/again.h - converts a GSYM file and compares the output with it. */
#ifndef TESTS_FUZZ_AGAIN_H
#define TESTS_FUZZ_AGAIN_H

#include <gsym/builder.h>

/** Convert the GSYM file of SIZE bytes at BYTES, which was written with BUILD,
 *  with the same options.  Returns true if the output has the same bytes, or if
 *  memory is short; otherwise the reason is in WHY (WHY_SIZE bytes). */
bool fuzz_again(const uint8_t *bytes, size_t size,
		const struct gsym_build_options *build, char *why,
		size_t why_size);

#endif
