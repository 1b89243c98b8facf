/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise */
#endif
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20 };

void gsym_pages_large(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t start = ((uintptr_t)p + LARGE_PAGE - 1) &
			  ~(uintptr_t)(LARGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(uintptr_t)(LARGE_PAGE - 1);

	if (size >= 2 * LARGE_PAGE && start < end)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
	(void)p;
	(void)size;
#endif
}

void *gsym_pages_alloc(size_t size)
{
	void *p;

	if (size < 2 * LARGE_PAGE)
		return malloc(size);
	if (posix_memalign(&p, LARGE_PAGE, size) != 0)
		return NULL;
	gsym_pages_large(p, size);
	return p;
}
