/* SPDX-License-Identifier: MIT */
/*
 * run.h - processes and threads: runs another program within a limit of time,
 * and a function on several threads; and what this process may still do while
 * it reads foreign files: a bug that a hostile file finds must not reach beyond
 * the output.
 *
 * base/pool.h runs jobs that wait for their turn to be merged.  These have no
 * order.
 */
#ifndef TOOLS_COMMON_RUN_H
#define TOOLS_COMMON_RUN_H

#include <stdbool.h>
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

/* ---- this process (run.c, sandbox_*.c) ----------------------------------- */

enum sandbox_mode {
	SANDBOX_OFF,
	/** Die where the kernel does not have both Landlock and seccomp. */
	SANDBOX_ON,
	/** Take what the kernel has. */
	SANDBOX_TRY,
};

/** The mode that the command line asks for. */
void sandbox_ask(enum sandbox_mode mode);
enum sandbox_mode sandbox_asked(void);

/** Calls that only some tools need. */
enum sandbox_need {
	/** Processes are made.  They are in the same sandbox. */
	SANDBOX_PROCESSES = 1 << 0,
	/** Paths are opened below a folder that no path may leave.  The filter
	 *  cannot see the flags of such a call, so this needs version 3 of
	 *  Landlock. */
	SANDBOX_ROOTS = 1 << 1,
	/** The kernel reports changes of a file that is read. */
	SANDBOX_FOLLOW = 1 << 2,
	/** Files are made, written, renamed and removed. */
	SANDBOX_WRITE = 1 << 3,
	/** A temporary file is in memory. */
	SANDBOX_MEMORY = 1 << 4,
	/** Empty folders are removed. */
	SANDBOX_FOLDERS = 1 << 5,
	SANDBOX_NEEDS = 6,
};

struct sandbox {
	enum sandbox_mode mode;
	/** A set of enum sandbox_need.  SANDBOX_WRITE is added if there are
	 *  OUTPUTS, SANDBOX_FOLDERS if there are PARENTS. */
	unsigned needs;
	/** Descriptors of folders in which files may be made, written, renamed
	 *  and removed, and of devices and pipes that may be written to.  They
	 *  stay the caller's. */
	const int *outputs;
	unsigned output_count;
	/** Descriptors of folders from which empty folders may be removed. */
	const int *parents;
	unsigned parent_count;
	/** If RESTRICTS_INPUTS, no other files than those of these descriptors
	 *  can be opened. */
	const int *inputs;
	unsigned input_count;
	bool restricts_inputs;
	/** Report on standard error what the kernel does. */
	bool tell;
};

/** From now on this process, its threads and its children can make the system
 *  calls that sandbox_linux.c lists, and change the files at S->outputs alone.
 *  Files can be read, unless S says otherwise, and open descriptors can be
 *  used, as before.
 *
 *  SANDBOX_ON dies, and SANDBOX_TRY has no effect, in a program that was built
 *  with a sanitizer, which needs more.  To be called before threads are
 *  made. */
void sandbox_enter(const struct sandbox *s);

/** Take the needs that are not in NEEDS from this process, which is in the
 *  sandbox of S. */
void sandbox_narrow(const struct sandbox *s, unsigned needs);

/** sandbox_enter in MODE for a process that writes no files, and opens PATHS
 *  alone: four files at most, and NULL. */
void sandbox_read_files(enum sandbox_mode mode, const char *const *paths);

/** Let this process take at most BYTES of memory of its own: mapped files do
 *  not count.  Allocations fail beyond that. */
void sandbox_memory(uint64_t bytes);

/** End this process SECONDS from now, with a message and STATUS_ERROR.  The
 *  temporary files of file.h are removed first. */
void sandbox_time(uint64_t seconds);

/* ---- sandbox_linux.c: files, as rules for Landlock ----------------------- */

/** The version of the kernel's Landlock; 0: it has none. */
int sandbox_files_version(void);

/** Restrict this process, for ever: it can change files in the outputs of S
 *  alone.  It cannot run programs, use TCP, control the devices that it opens,
 *  and send signals to processes outside of the sandbox, as far as VERSION of
 *  Landlock does all this.  Returns whether that worked, else errno says
 *  why. */
bool sandbox_files_restrict(const struct sandbox *s, int version);

/** Give up, for ever, all rights that access to files does not need.  Returns
 *  whether that worked, else errno says why. */
bool sandbox_files_drop_rights(void);

/* ---- sandbox_linux.c: the system calls, a program for seccomp ------------ */

/** struct sock_filter of <linux/filter.h>, which musl-gcc does not find. */
struct sandbox_step {
	uint16_t code;
	uint8_t if_true, if_false;
	uint32_t value;
};

enum {
	/** The most steps of a program. */
	SANDBOX_STEPS = 1024,
	/** What a program returns: the call is made, the call fails with the
	 *  errno in the lower half, or the process is killed. */
	SANDBOX_ALLOW = 0x7fff0000,
	SANDBOX_FAIL = 0x00050000,
	SANDBOX_KILL = (int)0x80000000,
};

/** Write the program for NEEDS, a set of enum sandbox_need, and the process
 *  PID, which may send signals to itself.  Returns the number of steps; 0 if
 *  this architecture is unknown. */
unsigned sandbox_calls_program(unsigned needs, int pid,
			       struct sandbox_step steps[SANDBOX_STEPS]);

/** Whether the kernel has filters, for this architecture. */
bool sandbox_calls_possible(void);

/** Restrict this process to the program for NEEDS, for ever.  Returns whether
 *  that worked. */
bool sandbox_calls_restrict(unsigned needs);

#endif /* TOOLS_COMMON_RUN_H */
