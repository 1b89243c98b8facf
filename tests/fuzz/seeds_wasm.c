/* SPDX-License-Identifier: MIT */
/* A WebAssembly module as a seed. */
#include "fuzz/seeds.h"
#include "unit/wasm/program.h"

#include <stdlib.h>

uint8_t *fuzz_seed_wasm(unsigned number, size_t *size)
{
	struct module m;
	uint8_t *copy;

	wasm_make(&m, number % 2);
	copy = malloc(m.size);
	if (!copy)
		abort();
	memcpy(copy, m.bytes, m.size);
	*size = m.size;
	return copy;
}
