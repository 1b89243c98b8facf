/* SPDX-License-Identifier: MIT */
/* Runs jobs on threads, and merges their results in the order of the jobs. */
#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>

/* Jobs below NEXT were begun, those below MERGED are merged, and those below
 * FINISHED are over.  Finishing those below TAKEN was begun. */
struct run {
	pthread_mutex_t lock;
	pthread_cond_t change; /* a job was merged or finished */
	size_t count;
	size_t window;
	size_t next, merged, taken, finished;
	bool merging; /* a worker is in merge_due */
	enum gsym_status status;
	size_t failed; /* the job that returned STATUS, if not GSYM_OK */
	/* Whether a job is ready for its merge, or, once it is merged, whether
	 * it is over: for jobs FINISHED to FINISHED + WINDOW - 1, by index
	 * modulo WINDOW. */
	bool *done;
	unsigned worker_count; /* numbers handed out to workers */
	gsym_pool_fn *work;
	gsym_pool_fn *merge;
	gsym_pool_fn *finish;
	void *context;
};

static void note_failure(struct run *run, size_t index,
			 enum gsym_status status)
{
	if (status == GSYM_OK)
		return;
	if (run->status == GSYM_OK || index < run->failed) {
		run->status = status;
		run->failed = index;
	}
}

/* Whether job INDEX comes before all jobs that failed.  Such a job is merged
 * and finished: it may fail there, and the first failure is reported. */
static bool counts(const struct run *run, size_t index)
{
	return run->status == GSYM_OK || index < run->failed;
}

/* Whether a worker can begin a job. */
static bool can_begin(const struct run *run)
{
	return run->status == GSYM_OK && run->next < run->count &&
	       run->next - run->finished < run->window;
}

/* Call STEP for job INDEX.  The lock is held on entry and on return, but not
 * during STEP.
 *
 * If there is more to begin, another worker is woken, which wakes the next one
 * in the same way.  A worker that is woken needs the lock at once, so the lock
 * is released first. */
static void call(struct run *run, gsym_pool_fn *step, size_t index,
		 unsigned worker)
{
	bool more = run->taken < run->merged || can_begin(run);
	enum gsym_status status;

	pthread_mutex_unlock(&run->lock);
	if (more)
		pthread_cond_signal(&run->change);
	status = step(run->context, index, worker);
	pthread_mutex_lock(&run->lock);
	note_failure(run, index, status);
}

/* Note that job INDEX, which was merged, is over. */
static void end_job(struct run *run, size_t index)
{
	run->done[index % run->window] = true;
	while (run->finished < run->taken &&
	       run->done[run->finished % run->window])
		run->done[run->finished++ % run->window] = false;
}

/* Merge the jobs whose turn it is.  If another worker is merging, that worker
 * will merge them, too. */
static void merge_due(struct run *run, unsigned worker)
{
	if (run->merging)
		return;
	run->merging = true;
	while (run->merged < run->next &&
	       run->done[run->merged % run->window]) {
		size_t index = run->merged;

		if (run->merge && counts(run, index))
			call(run, run->merge, index, worker);
		run->done[index % run->window] = false;
		run->merged++;
		if (run->finish)
			continue;
		run->taken++;
		end_job(run, index);
	}
	run->merging = false;
}

/* Whether no worker has anything left to begin. */
static bool is_over(const struct run *run)
{
	return run->taken ==
	       (run->status == GSYM_OK ? run->count : run->merged);
}

/* Jobs are finished first: that makes room for others. */
static void work_on(struct run *run, unsigned worker)
{
	pthread_mutex_lock(&run->lock);
	while (!is_over(run)) {
		size_t index;

		if (run->taken < run->merged) {
			index = run->taken++;
			if (counts(run, index))
				call(run, run->finish, index, worker);
			end_job(run, index);
		} else if (can_begin(run)) {
			index = run->next++;
			call(run, run->work, index, worker);
			run->done[index % run->window] = true;
			merge_due(run, worker);
		} else {
			pthread_cond_wait(&run->change, &run->lock);
		}
	}
	pthread_mutex_unlock(&run->lock);
	pthread_cond_broadcast(&run->change);
}

static void *worker_main(void *argument)
{
	struct run *run = argument;
	unsigned worker;

	pthread_mutex_lock(&run->lock);
	worker = run->worker_count++;
	pthread_mutex_unlock(&run->lock);
	work_on(run, worker);
	return NULL;
}

static enum gsym_status run_alone(size_t count, gsym_pool_fn *work,
				  gsym_pool_fn *merge, gsym_pool_fn *finish,
				  void *context)
{
	for (size_t i = 0; i < count; i++) {
		enum gsym_status status = work(context, i, 0);

		if (status == GSYM_OK && merge)
			status = merge(context, i, 0);
		if (status == GSYM_OK && finish)
			status = finish(context, i, 0);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

enum gsym_status gsym_pool_run(unsigned threads, size_t count, size_t window,
			       gsym_pool_fn *work, gsym_pool_fn *merge,
			       gsym_pool_fn *finish, void *context)
{
	pthread_t ids[GSYM_THREADS_MAX];
	unsigned started = 0;
	struct run run = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.change = PTHREAD_COND_INITIALIZER,
		.count = count,
		.worker_count = 1, /* the caller is worker 0 */
		.work = work,
		.merge = merge,
		.finish = finish,
		.context = context,
	};

	threads = gsym_pool_threads(threads, count);
	if (threads < 2)
		return run_alone(count, work, merge, finish, context);
	run.window = window ? window : (size_t)threads * 8;
	run.done = calloc(run.window, sizeof(*run.done));
	if (!run.done)
		return GSYM_ERR_MEMORY;
	/* If a thread cannot be started, the others do its share. */
	while (started < threads - 1 &&
	       !pthread_create(&ids[started], NULL, worker_main, &run))
		started++;
	work_on(&run, 0);
	for (unsigned i = 0; i < started; i++)
		pthread_join(ids[i], NULL);
	/* On Windows they hold memory and handles outside of RUN. */
	pthread_cond_destroy(&run.change);
	pthread_mutex_destroy(&run.lock);
	free(run.done);
	return run.status;
}
