/* SPDX-License-Identifier: MIT */
/*
 * base/pool.h - run jobs on several threads, with a result that does not
 * depend on their number.  Nothing else in the libraries starts threads.  Knows
 * nothing of the work.
 */
#ifndef GSYM_BASE_POOL_H
#define GSYM_BASE_POOL_H

#include <gsym/types.h>

#include <stddef.h>

/** Work on, merge, or finish job INDEX of a run.  WORKER, from 0 to
 *  threads - 1, is the thread that calls.  A worker runs one job at a time, so
 *  WORKER may index scratch memory.  A status other than GSYM_OK ends the
 *  run. */
typedef enum gsym_status gsym_pool_fn(void *context, size_t index,
				      unsigned worker);

/** How many threads gsym_pool_run takes for COUNT jobs if a caller asks for
 *  THREADS: at least one, and at most GSYM_THREADS_MAX. */
static inline unsigned gsym_pool_threads(unsigned threads, size_t count)
{
	if (threads > GSYM_THREADS_MAX)
		threads = GSYM_THREADS_MAX;
	if (threads > count)
		threads = (unsigned)count;
	return threads ? threads : 1;
}

/**
 * Run jobs 0 to COUNT - 1 on gsym_pool_threads(THREADS, COUNT) threads, the
 * calling thread included.  WORK is called once for each job, at the
 * same time for several jobs and in any order.  MERGE, unless NULL, is then
 * called once for each job, for one job at a time and in the order of the
 * index, but on any thread.  FINISH, unless NULL, is called once for each job
 * that was merged, at the same time for several jobs and in any order.  At most
 * WINDOW jobs were begun and are not over; that bounds the memory for results.
 * WINDOW 0 stands for eight jobs a thread.
 *
 * Returns the status of the failed job with the lowest index, or GSYM_OK.  All
 * jobs before that one were merged, and finished; of those after it, any may
 * have been worked on, and none was merged after the failure.  GSYM_ERR_MEMORY
 * also if there is no memory for the run; no job ran then.  A thread that
 * cannot be started is no failure.
 */
enum gsym_status gsym_pool_run(unsigned threads, size_t count, size_t window,
			       gsym_pool_fn *work, gsym_pool_fn *merge,
			       gsym_pool_fn *finish, void *context);

#endif
