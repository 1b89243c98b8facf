/* SPDX-License-Identifier: MIT */
/*
 * outfile.h - an output file that is there as a whole or not at all.
 *
 * It is written under a temporary name in the folder of its target and
 * renamed when it is complete and on the disk.  A failure, and every signal
 * that ends the tool, removes the temporary file; what the target held
 * before stays.  A target that is a symbolic link is replaced where it
 * points to.  Devices and pipes cannot be replaced and are written to as
 * they are; so is standard output, for the name "-".  It knows files, never
 * what is in them.  One at a time.
 */
#ifndef TOOLS_COMMON_OUTFILE_H
#define TOOLS_COMMON_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Prepare for writing PATH.  INPUT is what the tool reads, which the output
 *  must not replace; NULL if there is none.  Dies. */
void outfile_open(const char *path, const char *input);
/** Give what was opened the permissions of PATH, which it is a copy of.
 *  Dies. */
void outfile_mode_of(const char *path);
/** Where to write what does not fit into memory, before an outfile_commit of
 *  0 bytes. */
int outfile_descriptor(void);
/** Whether it can be written in any order: it is no device and no pipe. */
bool outfile_is_file(void);
/** Write SIZE bytes to where they belong in a file, before an outfile_commit
 *  of 0 bytes.  False: they were not; outfile_commit tells why. */
bool outfile_put(uint64_t offset, const void *bytes, size_t size);
/** Write everything and put it in place.  Dies, and removes what is not
 *  complete. */
void outfile_commit(const void *bytes, size_t size);
/** PATH, malloc'ed and taken over, was made for the sake of the output that is
 *  opened next, and goes if that is not completed. */
void outfile_companion(char *path);
/** Remove what is not complete. */
void outfile_abandon(void);

#endif /* TOOLS_COMMON_OUTFILE_H */
