/* SPDX-License-Identifier: MIT */
/* Runs jobs on threads, and merges their results in the order of the jobs. */
#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>

struct run {
	pthread_mutex_t lock;
	pthread_cond_t room; /* a job was merged */
	size_t count;
	size_t window;
	size_t next;   /* the next job to work on */
	size_t merged; /* jobs with a lower index are merged */
	bool merging;  /* a worker is in merge_due */
	enum gsym_status status;
	size_t failed; /* the job that returned STATUS, if not GSYM_OK */
	/* Whether WORK was done for jobs MERGED to MERGED + WINDOW - 1, by
	 * index modulo WINDOW. */
	bool *done;
	unsigned worker_count; /* numbers handed out to workers */
	gsym_pool_fn *work;
	gsym_pool_fn *merge;
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

/* Merge the jobs whose turn it is.  If another worker is merging, that worker
 * will merge them, too.  The lock is held on entry and on return, but not
 * during MERGE. */
static void merge_due(struct run *run, unsigned worker)
{
	if (run->merging)
		return;
	run->merging = true;
	while (run->merged < run->next &&
	       run->done[run->merged % run->window]) {
		size_t index = run->merged;

		/* Jobs before the failed one are still merged: one of them
		 * may fail in MERGE, and the first failure is reported. */
		if (run->merge &&
		    (run->status == GSYM_OK || index < run->failed)) {
			enum gsym_status status;

			pthread_mutex_unlock(&run->lock);
			status = run->merge(run->context, index, worker);
			pthread_mutex_lock(&run->lock);
			note_failure(run, index, status);
		}
		run->done[index % run->window] = false;
		run->merged++;
		pthread_cond_broadcast(&run->room);
	}
	run->merging = false;
}

static void work_on(struct run *run, unsigned worker)
{
	pthread_mutex_lock(&run->lock);
	for (;;) {
		enum gsym_status status;
		size_t index;

		while (run->status == GSYM_OK && run->next < run->count &&
		       run->next - run->merged >= run->window)
			pthread_cond_wait(&run->room, &run->lock);
		if (run->status != GSYM_OK || run->next >= run->count)
			break;
		index = run->next++;
		pthread_mutex_unlock(&run->lock);
		status = run->work(run->context, index, worker);
		pthread_mutex_lock(&run->lock);
		note_failure(run, index, status);
		run->done[index % run->window] = true;
		merge_due(run, worker);
	}
	pthread_cond_broadcast(&run->room);
	pthread_mutex_unlock(&run->lock);
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
				  gsym_pool_fn *merge, void *context)
{
	for (size_t i = 0; i < count; i++) {
		enum gsym_status status = work(context, i, 0);

		if (status == GSYM_OK && merge)
			status = merge(context, i, 0);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

enum gsym_status gsym_pool_run(unsigned threads, size_t count, size_t window,
			       gsym_pool_fn *work, gsym_pool_fn *merge,
			       void *context)
{
	pthread_t ids[GSYM_THREADS_MAX];
	unsigned started = 0;
	struct run run = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.room = PTHREAD_COND_INITIALIZER,
		.count = count,
		.worker_count = 1, /* the caller is worker 0 */
		.work = work,
		.merge = merge,
		.context = context,
	};

	threads = gsym_pool_threads(threads, count);
	if (threads < 2)
		return run_alone(count, work, merge, context);
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
	pthread_cond_destroy(&run.room);
	pthread_mutex_destroy(&run.lock);
	free(run.done);
	return run.status;
}
