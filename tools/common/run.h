/* SPDX-License-Identifier: MIT */
/*
 * run.h - runs another program within a limit of time, and a function on
 * several threads.  It does not know what the function does.
 *
 * base/pool.h runs jobs that wait for their turn to be merged.  These have no
 * order.
 */
#ifndef TOOLS_COMMON_RUN_H
#define TOOLS_COMMON_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__has_feature)
#define RUN_HAS_FEATURE(name) __has_feature(name)
#else
#define RUN_HAS_FEATURE(name) 0
#endif
/** This program was built with a sanitizer, which needs much memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	RUN_HAS_FEATURE(address_sanitizer) || \
	RUN_HAS_FEATURE(memory_sanitizer) || RUN_HAS_FEATURE(thread_sanitizer)
enum { RUN_SANITIZED = 1 };
#else
enum { RUN_SANITIZED = 0 };
#endif

/** The exit status of a child that cannot run its program. */
enum { RUN_CANNOT = 127 };

/** The first bytes that a program writes to its standard output. */
struct run_answer {
	char *bytes;
	size_t room, size;
};

/** A program to run. */
struct run_plan {
	/** Its arguments, and NULL.  The first one is looked for in PATH. */
	const char *const *args;
	/** The most seconds. */
	uint64_t seconds;
	/** A descriptor that can be read when the program shall end early; -1:
	 *  there is none. */
	int wake;
	/** NULL: it has the standard output of this process. */
	struct run_answer *answer;
	/** Called in the child, before the program starts, with OWNER: limits
	 *  and descriptors.  Only functions that are safe in the child of a
	 *  process with threads. */
	void (*prepare)(const void *owner);
	const void *owner;
};

/** The program NAME of this package: the one in the folder of this program,
 *  whose path is written to the SIZE bytes at PATH, or else NAME itself, for
 *  execvp to search. */
const char *run_find(const char *name, char *path, size_t size);

/** Run the program, and wait for its end.  It is killed when its time is up,
 *  when C->wake can be read, and when this process ends.  The program is the
 *  leader of a process group; what is left of the group is killed, too.
 *  Returns NULL with the wait status in *STATUS, or the reason why the program
 *  did not run or was killed. */
const char *run_and_wait(const struct run_plan *c, int *status);

/** Let SIGINT, SIGTERM and SIGHUP, unless they are ignored, end the program
 *  that runs and its children before the handlers that they have at the time of
 *  the call, or before the process if they have none. */
void run_end_by_signals(void);
/** As run_end_by_signals, but the signals end this process, whatever handlers
 *  they have now: for a child that does other work than its parent. */
void run_end_by_default(void);

/** The number of threads that a tool uses unless --num-threads is given: one
 *  for each processor that the process may use, at most GSYM_THREADS_MAX. */
unsigned run_threads_default(void);

/** Call WORK for each of COUNT (at most GSYM_THREADS_MAX) items of SIZE bytes,
 *  the first at ITEMS: the first on the caller's thread, each other on a
 *  thread of its own.  Returns when all calls have returned. */
void run_threads(void (*work)(void *item), void *items, size_t size,
		 unsigned count);

/** The time in milliseconds, by a clock that never goes back. */
static inline int64_t clock_milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif /* TOOLS_COMMON_RUN_H */
