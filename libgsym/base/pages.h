/* SPDX-License-Identifier: MIT */
/* base/pages.h - memory that will be used whole asks the system for large
 * pages.  Each page that is touched first costs a fault. */
#ifndef GSYM_BASE_PAGES_H
#define GSYM_BASE_PAGES_H

#include <stddef.h>

/** SIZE bytes at P, from malloc, will be used.  Small blocks are left alone;
 *  whether the system follows does not matter. */
void gsym_pages_large(void *p, size_t size);

/** SIZE bytes, to be freed with free, all of which will be used; NULL without
 *  memory. */
void *gsym_pages_alloc(size_t size);

#endif
