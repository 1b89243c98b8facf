/* SPDX-License-Identifier: MIT */
/* tests/fuzz/again.h - a GSYM file as the input of a conversion. */
#ifndef TESTS_FUZZ_AGAIN_H
#define TESTS_FUZZ_AGAIN_H

#include <gsym/builder.h>

/** Whether the SIZE bytes at BYTES, written with BUILD, come out again as
 *  they are; else why not is in WHY.  A lack of memory counts as a yes. */
bool fuzz_again(const uint8_t *bytes, size_t size,
		const struct gsym_build_options *build, char *why,
		size_t why_size);

#endif
