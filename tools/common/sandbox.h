/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h - what this process may still do while it reads foreign files: a
 * bug that a hostile file finds must not reach beyond the output.
 */
#ifndef TOOLS_COMMON_SANDBOX_H
#define TOOLS_COMMON_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/sandbox_calls.h"

enum sandbox_mode {
	SANDBOX_OFF,
	/** Die where the kernel does not have both Landlock and seccomp. */
	SANDBOX_ON,
	/** Take what the kernel has. */
	SANDBOX_TRY,
};

struct options;

/** The mode that the current value of --sandbox asks for: "" and "on" are
 *  SANDBOX_ON, "try" is SANDBOX_TRY.  Dies for another value. */
enum sandbox_mode sandbox_option(const struct options *options);

struct sandbox {
	enum sandbox_mode mode;
	/** A set of enum sandbox_need.  SANDBOX_WRITE is added if there are
	 *  OUTPUTS. */
	unsigned needs;
	/** Descriptors of folders in which files may be made, written, renamed
	 *  and removed, and of devices and pipes that may be written to.  They
	 *  stay the caller's. */
	const int *outputs;
	unsigned output_count;
	/** If RESTRICTS_INPUTS, no other files than those of these descriptors
	 *  can be opened. */
	const int *inputs;
	unsigned input_count;
	bool restricts_inputs;
	/** Report on standard error what the kernel does. */
	bool tell;
};

/** From now on this process, its threads and its children can make the system
 *  calls that sandbox_calls.c lists, and change the files at S->outputs alone.
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
 *  temporary files of outfile.h are removed first. */
void sandbox_time(uint64_t seconds);

#endif /* TOOLS_COMMON_SANDBOX_H */
