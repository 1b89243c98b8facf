/* SPDX-License-Identifier: MIT */
/*
 * sandbox_files.h - the files that a process in the sandbox may change, as
 * rules for the kernel's Landlock.
 */
#ifndef TOOLS_COMMON_SANDBOX_FILES_H
#define TOOLS_COMMON_SANDBOX_FILES_H

#include "common/sandbox.h"

/** The version of the kernel's Landlock; 0: it has none. */
int sandbox_files_version(void);

/** Restrict this process, for ever: it can change files in the outputs of S
 *  alone.  It cannot run programs, use TCP, control the devices that it opens,
 *  and send signals to processes outside of the sandbox, as far as VERSION of
 *  Landlock does all this.  Returns whether that worked, else errno says
 *  why. */
bool sandbox_files_restrict(const struct sandbox *s, int version);

#endif /* TOOLS_COMMON_SANDBOX_FILES_H */
