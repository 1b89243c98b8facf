/* SPDX-License-Identifier: MIT */
/* Allocates large blocks, and asks the kernel for large pages. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise */
#endif
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20, LEAST_POPULATED = 1 << 20 };

void gsym_pages_large(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	/* All pages of the block get the advice, those of its ends, too: a
	 * mapping of pages with and without it cannot be moved as one, and
	 * realloc would copy the block. */
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)p & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + size + page - 1) & ~(page - 1);

	if (size >= 2 * LARGE_PAGE)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
	(void)p;
	(void)size;
#endif
}

#ifdef MADV_DONTNEED
/* Give ADVICE for the whole pages among the SIZE bytes at P. */
static void advise_inside(const void *p, size_t size, int advice)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(page - 1);

	if (start < end)
		madvise((void *)start, end - start, advice);
}
#endif

void gsym_pages_populate(void *p, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	if (size >= LEAST_POPULATED)
		advise_inside(p, size, MADV_POPULATE_WRITE);
#else
	(void)p;
	(void)size;
#endif
}

void gsym_pages_release(const void *p, size_t size)
{
#ifdef MADV_DONTNEED
	advise_inside(p, size, MADV_DONTNEED);
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
