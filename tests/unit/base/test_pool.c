/* SPDX-License-Identifier: MIT */
/* base/pool: each job runs once, jobs are merged in order, and the first
 * failure is reported. */
#include "base/pool.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 2000, WORKERS = GSYM_THREADS_MAX };

struct run {
	unsigned threads;
	size_t window;
	atomic_uint worked[MOST_JOBS];
	atomic_bool busy[WORKERS];
	atomic_bool merging;
	atomic_size_t merged;
	atomic_uint finished[MOST_JOBS];
	atomic_uint faults;
	/* What WORK, MERGE and FINISH return, by job. */
	enum gsym_status work_status[MOST_JOBS];
	enum gsym_status merge_status[MOST_JOBS];
	enum gsym_status finish_status[MOST_JOBS];
};

/* Count a fault: criterion's assertions are not thread-safe. */
static void check(struct run *run, bool fine)
{
	if (!fine)
		run->faults++;
}

/* Take LONGER times a while, so that jobs end in another order than they began
 * in.  On a busy machine sched_yield would take thousands of times as long. */
static void linger(size_t longer)
{
	for (volatile size_t i = 0; i < longer * 500; i++)
		;
}

static enum gsym_status work(void *context, size_t index, unsigned worker)
{
	struct run *run = context;

	check(run, worker < (run->threads ? run->threads : 1) &&
		   worker < WORKERS);
	check(run, !atomic_exchange(&run->busy[worker], true));
	if (run->window && run->threads > 1)
		check(run, index < run->merged + run->window);
	run->worked[index]++;
	linger(index * 7 % 5);
	run->busy[worker] = false;
	return run->work_status[index];
}

static enum gsym_status merge(void *context, size_t index, unsigned worker)
{
	struct run *run = context;

	(void)worker;
	check(run, !atomic_exchange(&run->merging, true));
	check(run, run->worked[index] == 1);
	check(run, index == run->merged);
	run->merged++;
	run->merging = false;
	return run->merge_status[index];
}

static enum gsym_status finish(void *context, size_t index, unsigned worker)
{
	struct run *run = context;

	check(run, !atomic_exchange(&run->busy[worker], true));
	check(run, index < run->merged);
	run->finished[index]++;
	linger(index * 5 % 7);
	run->busy[worker] = false;
	return run->finish_status[index];
}

static const unsigned thread_counts[] = { 0, 1, 2, 3, 7, 16, 100, 1000 };
enum { THREAD_COUNTS = sizeof(thread_counts) / sizeof(*thread_counts) };

static struct run *new_run(unsigned threads, size_t window)
{
	struct run *run = calloc(1, sizeof(*run));

	run->threads = threads < WORKERS ? threads : WORKERS;
	run->window = window;
	return run;
}

Test(pool, every_job_once_and_merged_in_order)
{
	static const size_t counts[] = { 0, 1, 2, 15, 500 };
	static const size_t windows[] = { 0, 1, 2, 5, 1000 };

	for (size_t t = 0; t < THREAD_COUNTS; t++)
		for (size_t i = 0; i < 25; i++) {
			struct run *run = new_run(thread_counts[t],
						  windows[i % 5]);
			size_t count = counts[i / 5];

			cr_expect_eq(gsym_pool_run(thread_counts[t], count,
						   run->window, work, merge,
						   finish, run),
				     GSYM_OK);
			cr_expect_eq(run->faults, 0);
			cr_expect_eq(run->merged, count);
			for (size_t k = 0; k < MOST_JOBS; k++)
				cr_assert(run->worked[k] == (k < count) &&
					  run->finished[k] == (k < count));
			free(run);
		}
}

Test(pool, without_merging)
{
	for (size_t t = 0; t < THREAD_COUNTS; t++) {
		struct run *run = new_run(thread_counts[t], 0);

		cr_expect_eq(gsym_pool_run(thread_counts[t], MOST_JOBS, 0, work,
					   NULL, NULL, run),
			     GSYM_OK);
		cr_expect_eq(run->faults, 0);
		for (size_t k = 0; k < MOST_JOBS; k++)
			cr_assert_eq(run->worked[k], 1);
		free(run);
	}
}

/* Jobs before the first failure are merged and finished; later failures are not
 * reported. */
Test(pool, the_first_failure_by_index)
{
	for (size_t t = 0; t < THREAD_COUNTS; t++)
		for (size_t i = 0; i < 40; i++) {
			struct run *run = new_run(thread_counts[t],
						  i % 4 * 3);
			size_t first = i * 13 % 200;
			enum gsym_status *steps[] = { run->work_status,
						      run->merge_status,
						      run->finish_status };
			size_t step = i % 3, ended = 0;

			steps[step][first] = GSYM_ERR_FORMAT;
			for (size_t k = first + 1; k < first + 20; k++) {
				run->work_status[k] = GSYM_ERR_IO;
				run->merge_status[k] = GSYM_ERR_LIMIT;
				run->finish_status[k] = GSYM_ERR_MEMORY;
			}
			cr_expect_eq(gsym_pool_run(thread_counts[t], 300,
						   run->window, work, merge,
						   finish, run),
				     GSYM_ERR_FORMAT);
			cr_expect_eq(run->faults, 0);
			while (run->finished[ended] == 1)
				ended++;
			/* Jobs may be merged before an earlier one fails to be
			 * finished. */
			if (step < 2)
				cr_expect_eq(run->merged, first + step);
			cr_expect_geq(ended, first + (step == 2));
			free(run);
		}
}

