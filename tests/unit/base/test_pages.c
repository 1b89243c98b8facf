/* SPDX-License-Identifier: MIT */
/* base/pages: large blocks stay movable. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif
#include "base/pages.h"

#include <criterion/criterion.h>
#include <sys/mman.h>

/* realloc moves a block that malloc mapped, with its header before the block,
 * by one mremap.  The kernel refuses that if a part of the mapping has another
 * advice than the rest; then realloc copies the block. */
Test(pages, blocks_stay_one_mapping)
{
	enum { SIZE = 64 << 20, HEADER = 16, TAIL = 100 };
	char *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *moved;

	cr_assert_neq(map, MAP_FAILED);
	map[SIZE - 1] = 7;
	gsym_pages_large(map + HEADER, SIZE - HEADER - TAIL);
	moved = mremap(map, SIZE, 2 * (size_t)SIZE, MREMAP_MAYMOVE);
	cr_assert_neq(moved, MAP_FAILED);
	cr_expect_eq(moved[SIZE - 1], 7);
	munmap(moved, 2 * (size_t)SIZE);
}
