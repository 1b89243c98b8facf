/* SPDX-License-Identifier: MIT */
/* base/prefetch.h - fetch objects that span several cache lines into the
 * cache. */
#ifndef GSYM_BASE_PREFETCH_H
#define GSYM_BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

/** Bytes of a cache line of most processors. */
enum { GSYM_CACHE_LINE = 64 };

/** Prefetch the object of SIZE bytes at P, GSYM_CACHE_LINE + 1 at most. */
static inline void gsym_prefetch_object(const void *p, size_t size)
{
	__builtin_prefetch(p);
	__builtin_prefetch((const void *)((uintptr_t)p + size - 1));
}

/** Prefetch COUNT cache lines: the line with the byte at P and those after it,
 *  none of which need be mapped. */
static inline void gsym_prefetch_lines(const void *p, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		__builtin_prefetch((const void *)((uintptr_t)p +
						  i * GSYM_CACHE_LINE));
}

/** Prefetch the text at P, whose length is not known.  Linkage names of C++
 *  have 30 to 120 bytes. */
static inline void gsym_prefetch_text(const void *p)
{
	gsym_prefetch_lines(p, 3);
}

#endif
