/* SPDX-License-Identifier: MIT */
/* child.h - runs another program within a limit of time. */
#ifndef TOOLS_COMMON_CHILD_H
#define TOOLS_COMMON_CHILD_H

#include <stddef.h>
#include <stdint.h>

/** The exit status of a child that cannot run its program. */
enum { CHILD_CANNOT_RUN = 127 };

/** A program to run. */
struct child {
	/** Its arguments, and NULL.  The first one is looked for in PATH. */
	const char *const *args;
	/** The most seconds. */
	uint64_t seconds;
	/** A descriptor that can be read when the program shall end early; -1:
	 *  there is none. */
	int wake;
	/** Called in the child, before the program starts, with OWNER: limits
	 *  and descriptors.  Only functions that are safe in the child of a
	 *  process with threads. */
	void (*prepare)(const void *owner);
	const void *owner;
};

/** The program NAME of this package: the one in the folder of this program,
 *  whose path is written to the SIZE bytes at PATH, or else NAME itself, for
 *  execvp to search. */
const char *child_program(const char *name, char *path, size_t size);

/** Run the program, and wait for its end.  It is killed when its time is up,
 *  when C->wake can be read, and when this process ends.  The program is the
 *  leader of a process group; what is left of the group is killed, too.
 *  Returns NULL with the wait status in *STATUS, or the reason why the program
 *  did not run or was killed. */
const char *child_run(const struct child *c, int *status);

/** Let SIGINT, SIGTERM and SIGHUP, unless they are ignored, end the program
 *  that runs and its children before the handlers that they have at the time of
 *  the call, or before the process if they have none. */
void child_end_by_signals(void);

#endif /* TOOLS_COMMON_CHILD_H */
