/* SPDX-License-Identifier: MIT */
/* A Mach-O program with chained fixups as a seed. */
#include "fuzz/seeds.h"
#include "unit/macho/fixups.h"

#include <stdlib.h>

uint8_t *fuzz_seed_fixups(unsigned form, size_t *size)
{
	uint8_t *bytes = malloc(SIZE);

	if (!bytes)
		abort();
	make(bytes, form);
	start_page(bytes, 0, 8);
	start_page(bytes, 1, 0);
	put(bytes + DATA + 8, 0x12345678 | 2ull << 51, 8);
	put(bytes + DATA + 16, 1ull << 63 | 7, 8);
	put(bytes + DATA + PAGE, 0x55, 8);
	*size = SIZE;
	return bytes;
}
