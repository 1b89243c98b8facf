/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a Breakpad symbol file, plain or compressed, all
 * the way to the answers for its functions. */
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
		/* What is no such file may not be moved. */
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
