/* SPDX-License-Identifier: MIT */
/*
 * sandbox_calls.h - the system calls that a process in the sandbox may make, as
 * a program for the kernel's filter, seccomp.
 */
#ifndef TOOLS_COMMON_SANDBOX_CALLS_H
#define TOOLS_COMMON_SANDBOX_CALLS_H

#include <stdbool.h>
#include <stdint.h>

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
	SANDBOX_NEEDS = 5,
};

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

#endif /* TOOLS_COMMON_SANDBOX_CALLS_H */
