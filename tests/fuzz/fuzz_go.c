/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a Go program, and as the symbol and line tables of
 * Go 1.1 and older. */
#include "config.h"

#include "fuzz/fuzz.h"
#include "support/go_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	go_input_convert(data, size);
	go_input_2008(data, size);
	return 0;
}

uint8_t *fuzz_seed(unsigned number, size_t *size)
{
	return go_input_fixture(number, size);
}
