/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a Breakpad symbol file, plain or compressed.  They
 * are converted, and the functions of the GSYM file are looked up. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "fuzz/fuzz.h"
#include "support/breakpad_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym_convert_options options = {
		.threads = 1,
		.merged_functions = size & 1,
		/* Only a Breakpad file may be given a base address. */
		.from = size & 2 ? GSYM_FROM_BREAKPAD : GSYM_FROM_BEST,
		.base = size & 2 ? 0xffffffffff000000 : 0,
	};

	breakpad_input_convert(data, size, &options);
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	return breakpad_input_fixture(number, size);
}
