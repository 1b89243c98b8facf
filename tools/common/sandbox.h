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
	/** Die where the kernel has neither Landlock nor seccomp. */
	SANDBOX_ON,
	/** Go on without a sandbox there. */
	SANDBOX_TRY,
};

struct options;

/** The mode that the current value of --sandbox asks for: "" and "on" are
 *  SANDBOX_ON, "try" is SANDBOX_TRY.  Dies for another value. */
enum sandbox_mode sandbox_option(const struct options *options);

struct sandbox {
	enum sandbox_mode mode;
	/** Descriptors of folders in which files may be made, written and
	 *  removed.  They stay the caller's. */
	const int *folders;
	unsigned folder_count;
	/** Processes may be made, which are in the same sandbox. */
	bool processes;
};

/** From now on this process, its threads and its children cannot run programs,
 *  use the network, look into other processes, or change files outside
 *  S->folders.  Files can be read, and open descriptors can be used, as
 *  before.  Without effect in a program that was built with a sanitizer, which
 *  needs more.  To be called before threads are made. */
void sandbox_enter(const struct sandbox *s);

/** sandbox_enter without folders, in the mode of the current value of
 *  --sandbox. */
void sandbox_read_only(const struct options *options);

/** Let this process take at most BYTES of memory of its own: mapped files do
 *  not count.  Allocations fail beyond that. */
void sandbox_memory(uint64_t bytes);

/** End this process SECONDS from now, with a message and STATUS_ERROR.  The
 *  temporary files of outfile.h are removed first. */
void sandbox_time(uint64_t seconds);

#endif /* TOOLS_COMMON_SANDBOX_H */
