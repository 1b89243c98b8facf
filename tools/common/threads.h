/* SPDX-License-Identifier: MIT */
/*
 * threads.h - the number of threads that tools use, and one function run on
 * several threads.  It does not know what the function does.
 */
#ifndef TOOLS_COMMON_THREADS_H
#define TOOLS_COMMON_THREADS_H

#include <stddef.h>

/** The most threads that one threads_run may use. */
#define THREADS_MAX 64

/** The number of threads that a tool uses unless --num-threads is given: one
 *  for each processor that the process may use, at most THREADS_MAX. */
unsigned threads_default(void);

/** Call WORK for each of COUNT (at most THREADS_MAX) items of SIZE bytes, the
 *  first at ITEMS: the first on the caller's thread, each other on a thread
 *  of its own.  Returns when all calls have returned. */
void threads_run(void (*work)(void *item), void *items, size_t size,
		 unsigned count);

#endif /* TOOLS_COMMON_THREADS_H */
