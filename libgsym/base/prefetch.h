/* SPDX-License-Identifier: MIT */
/* base/prefetch.h - fetch objects that span several cache lines into the
 * cache. */
#ifndef GSYM_BASE_PREFETCH_H
#define GSYM_BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

/** Bytes of a cache line of most processors. */
enum { GSYM_CACHE_LINE = 64 };

/** Prefetch the SIZE bytes at P, GSYM_CACHE_LINE + 1 at most. */
static inline void gsym_prefetch(const void *p, size_t size)
{
	__builtin_prefetch(p);
	__builtin_prefetch((const void *)((uintptr_t)p + size - 1));
}

/** Prefetch the text at P, whose length is not known: the line with its first
 *  byte and two more.  Linkage names of C++ have 30 to 120 bytes.  The further
 *  lines need not be mapped. */
static inline void gsym_prefetch_text(const void *p)
{
	gsym_prefetch(p, GSYM_CACHE_LINE + 1);
	__builtin_prefetch((const void *)((uintptr_t)p + 2 * GSYM_CACHE_LINE));
}

#endif
