/* SPDX-License-Identifier: MIT */
/*
 * threads.h - the same work on several processors.  It knows how many there
 * are and how to wait for all; never what they do.
 */
#ifndef TOOLS_COMMON_THREADS_H
#define TOOLS_COMMON_THREADS_H

#include <stddef.h>

/** Threads that one threads_run may use. */
#define THREADS_MAX 64

/** The processors that this process may use, at most THREADS_MAX. */
unsigned threads_usable(void);

/** Call WORK with each of COUNT (up to THREADS_MAX) items, which are SIZE
 *  bytes apart, all at once; the caller's thread takes the first.  Returns
 *  when all are done. */
void threads_run(void (*work)(void *item), void *items, size_t size,
		 unsigned count);

#endif /* TOOLS_COMMON_THREADS_H */
