/* SPDX-License-Identifier: MIT */
/* base/pages.h - large pages for large blocks of memory, pages before they are
 * used, and memory given back early.  The first access to each page costs a
 * page fault, and a large page needs fewer of them. */
#ifndef GSYM_BASE_PAGES_H
#define GSYM_BASE_PAGES_H

#include <stddef.h>

/** Ask the system to back the SIZE bytes at P, a whole block that came from
 *  malloc and will all be used, with large pages.  Does nothing for blocks of
 *  less than 4 MiB; a refusal of the system is ignored. */
void gsym_pages_large(void *p, size_t size);

/** Have the system back the whole pages among the SIZE bytes at P, which will
 *  all be written, with memory at once: that takes less time than a page fault
 *  for each.  Another thread may write to the bytes meanwhile.  Does nothing
 *  for blocks of less than 1 MiB; a refusal of the system is ignored. */
void gsym_pages_populate(void *p, size_t size);

/** Give the whole pages among the SIZE bytes at P back to the system.  Nobody
 *  may read the bytes after that, unless P lies in a mapped file, whose bytes
 *  are then read from the file again. */
void gsym_pages_release(const void *p, size_t size);

/** Allocate SIZE bytes that will all be used, if possible in large pages.
 *  Freed with free(); NULL without memory. */
void *gsym_pages_alloc(size_t size);

#endif
