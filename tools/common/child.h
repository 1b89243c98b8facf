/* SPDX-License-Identifier: MIT */
/* child.h - runs another program within a limit of time. */
#ifndef TOOLS_COMMON_CHILD_H
#define TOOLS_COMMON_CHILD_H

#include <stdint.h>
#include <sys/types.h>

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
	/** Called in this process when the program has been started, with its
	 *  process ID, and when it has ended, with 0.  NULL: not called. */
	void (*running)(pid_t child);
};

/** Run the program, and wait for its end.  It is killed when its time is up,
 *  when C->wake can be read, and when this process ends.  The program is the
 *  leader of a process group; what is left of the group is killed, too.
 *  Returns NULL with the wait status in *STATUS, or the reason why the program
 *  did not run or was killed. */
const char *child_run(const struct child *c, int *status);

#endif /* TOOLS_COMMON_CHILD_H */
