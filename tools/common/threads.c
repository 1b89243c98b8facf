/* SPDX-License-Identifier: MIT */
/* Chooses the number of threads, and runs a function on them. */
#include "config.h"

#include "common/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

unsigned threads_default(void)
{
	cpu_set_t set;
	unsigned count = 1;
	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		count = CPU_COUNT(&set);
	return count < GSYM_THREADS_MAX ? count : GSYM_THREADS_MAX;
}

struct job {
	pthread_t thread;
	void (*work)(void *item);
	void *item;
	bool started;
};

static void *run_job(void *context)
{
	struct job *job = context;
	job->work(job->item);
	return NULL;
}

void threads_run(void (*work)(void *item), void *items, size_t size,
		 unsigned count)
{
	struct job jobs[GSYM_THREADS_MAX];
	for (unsigned i = 1; i < count; i++) {
		jobs[i] = (struct job){ .work = work,
					.item = (char *)items + i * size };
		jobs[i].started = pthread_create(&jobs[i].thread, NULL,
						 run_job, &jobs[i]) == 0;
	}
	if (count > 0)
		work(items);
	for (unsigned i = 1; i < count; i++) {
		/* The thread could not be started: do its work here. */
		if (jobs[i].started)
			pthread_join(jobs[i].thread, NULL);
		else
			work(jobs[i].item);
	}
}
