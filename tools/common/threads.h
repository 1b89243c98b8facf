/* SPDX-License-Identifier: MIT */
/*
 * threads.h - decides how many threads tools use, and runs a function on
 * several threads.  It does not know what the function does.
 *
 * base/pool.h runs jobs that wait for their turn to be merged.  These have no
 * order.
 */
#ifndef TOOLS_COMMON_THREADS_H
#define TOOLS_COMMON_THREADS_H

#include <stddef.h>

#include <gsym/types.h>

/** The number of threads that a tool uses unless --num-threads is given: one
 *  for each processor that the process may use, at most GSYM_THREADS_MAX. */
unsigned threads_default(void);

/** Call WORK for each of COUNT (at most GSYM_THREADS_MAX) items of SIZE bytes,
 *  the first at ITEMS: the first on the caller's thread, each other on a
 *  thread of its own.  Returns when all calls have returned. */
void threads_run(void (*work)(void *item), void *items, size_t size,
		 unsigned count);

#endif /* TOOLS_COMMON_THREADS_H */
