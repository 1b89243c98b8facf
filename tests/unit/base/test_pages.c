/* SPDX-License-Identifier: MIT */
/* base/memory: large blocks stay movable; pages become present. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif
#include "base/memory.h"

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

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

#ifdef MADV_POPULATE_WRITE
static size_t present(char *map, size_t size)
{
	static unsigned char pages[4096];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;

	cr_assert_leq(size / page, sizeof(pages));
	cr_assert_eq(mincore(map, size, pages), 0);
	for (size_t i = 0; i < size / page; i++)
		count += pages[i] & 1;
	return count * page;
}

/* The pages that lie whole in a large block, and no others. */
Test(pages, populated)
{
	enum { SIZE = 4 << 20, SMALL = 1 << 19 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(map, MAP_FAILED);
	if (madvise(map, page, MADV_POPULATE_WRITE))
		cr_skip("the kernel has no MADV_POPULATE_WRITE");
	madvise(map, SIZE, MADV_NOHUGEPAGE);
	cr_expect_eq(present(map, SIZE), page);
	gsym_pages_populate(map + 8 * page, SMALL);
	cr_expect_eq(present(map, SIZE), page);
	gsym_pages_populate(map + page - 1, SIZE - 2 * page);
	cr_expect_eq(present(map, SIZE), SIZE - 2 * page);
	munmap(map, SIZE);
}
#endif
