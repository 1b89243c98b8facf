/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h - what this process may still do while it reads foreign files: a
 * bug that a hostile file finds must not reach beyond the output.
 */
#ifndef TOOLS_COMMON_SANDBOX_H
#define TOOLS_COMMON_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

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

#endif /* TOOLS_COMMON_SANDBOX_H */
