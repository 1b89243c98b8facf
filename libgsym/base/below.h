/* SPDX-License-Identifier: MIT */
/*
 * base/below.h - files at the paths of a process, below its root.  Maps may
 * come from a stranger, so no path leads out of the root.
 */
#ifndef GSYM_BASE_BELOW_H
#define GSYM_BASE_BELOW_H

/** Open the regular file PATH as a process does whose root is the folder ROOT:
 *  ".." and symbolic links do not lead out of ROOT.  On kernels older than 5.6
 *  links are not followed, and ".." is refused.  "" is the root of this
 *  process.  Returns a descriptor for reading; -1 with errno set on failure, as
 *  gsym_fd_open_file. */
int gsym_below_open(const char *root, const char *path);

#endif
