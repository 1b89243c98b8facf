/* SPDX-License-Identifier: MIT */
/*
 * base/pool.h - work on several threads with a result that does not depend
 * on how many.  The sole user of pthreads.  Knows nothing of the work.
 */
#ifndef GSYM_BASE_POOL_H
#define GSYM_BASE_POOL_H

#include <gsym/types.h>

#include <stddef.h>

/** Job INDEX of a run.  WORKER is 0 to threads - 1: no two jobs run on one
 *  worker at once, so it can index scratch memory. */
typedef enum gsym_status gsym_pool_fn(void *context, size_t index,
				      unsigned worker);

/**
 * Run jobs 0 to COUNT - 1 on THREADS threads, the caller's included.  Each
 * job is WORK, in any order and at once, then MERGE (may be NULL), one
 * after the other in the order of the index; at most WINDOW jobs are worked
 * on or wait to be merged (0: a default that keeps all threads busy).
 *
 * Returns the status of the first job, by index, that failed; later ones
 * may or may not have run.
 */
enum gsym_status gsym_pool_run(unsigned threads, size_t count, size_t window,
			       gsym_pool_fn *work, gsym_pool_fn *merge,
			       void *context);

#endif
