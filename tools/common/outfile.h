/* SPDX-License-Identifier: MIT */
/*
 * outfile.h - an output file that appears complete or not at all.
 *
 * The file is written under a temporary name in the folder of its target,
 * flushed to disk, and renamed.  A failure, and every signal that ends the
 * tool, removes the temporary file and leaves an older target as it was.  If
 * the tool is killed, the next output to the same target removes the temporary
 * file (temporary.h).  Nothing is locked, so several hosts may write to one
 * folder, and nobody who may only read the folder can hold a writer.
 *
 * A symbolic link is followed: the file that it leads to is replaced.  Devices,
 * pipes and standard output (the name "-") are written to directly.
 *
 * It knows files, not their contents.  Only one output file can be open at a
 * time.
 */
#ifndef TOOLS_COMMON_OUTFILE_H
#define TOOLS_COMMON_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The exit status of a child in a sandbox, which cannot end by a signal: this
 *  and the number of the signal. */
enum { OUTFILE_SIGNAL = 128 };

#include "common/file.h"

/** Open the output file PATH.  INPUT is the file that the tool reads, which
 *  is refused as the output; it may be NULL.  Dies on failure. */
void outfile_open(const char *path, const char *input);
/** Like outfile_open, for a file in a tree that others may write to.  The first
 *  ROOT bytes of PATH are the folder of the tree.  Missing folders are made.
 *  In the tree no symbolic link is followed: a link at PATH is replaced, and a
 *  link instead of a folder is an error.  Dies on failure. */
void outfile_open_below(const char *path, size_t root, const char *input);
/** Open the file PATH for reading, in a tree as that of outfile_open_below.
 *  Returns as file_find does. */
int outfile_find_below(const char *path, size_t root);
/** Make PATH a symbolic link to TARGET, in a tree as that of
 *  outfile_open_below.  Another link there is replaced, a file is an error.
 *  Returns NULL, or the reason of a failure. */
const char *outfile_link_below(const char *path, size_t root,
			       const char *target);
/** Let the file that is open now replace only a file that is worse, as BETTER
 *  decides with CONTEXT, which is valid until outfile_commit. */
void outfile_prefer(file_better_fn *better, void *context);
/** Give the output file that is opened next the permissions of the file PATH,
 *  without set-user-ID and the like.  Dies on failure. */
void outfile_mode_of(const char *path);
/** The file descriptor, for output that does not fit into memory.  After
 *  writing to it call outfile_commit with no bytes. */
int outfile_descriptor(void);
/** Whether the output is a file that outfile_put can write to, and not a
 *  device or pipe. */
bool outfile_is_file(void);
/** Write SIZE bytes at OFFSET of the file.  Afterwards call outfile_commit
 *  with no bytes.  Returns false on failure; outfile_commit reports why. */
bool outfile_put(uint64_t offset, const void *bytes, size_t size);
/** Append SIZE bytes, and close the file under its temporary name, until
 *  outfile_commit renames it with the others.  On failure removes all temporary
 *  files and dies. */
void outfile_hold(const void *bytes, size_t size);
/** Append SIZE bytes to the open file, if there is one, and rename the files of
 *  outfile_hold, in their order, and then this one to their targets.  On
 *  failure removes all temporary files and dies.  Returns false if the last of
 *  them was dropped because of outfile_prefer. */
bool outfile_commit(const void *bytes, size_t size);
/** Open the folder PATH without rights to read or write, and make it if it is
 *  missing, with all folders that it lies in.  Dies on failure. */
int outfile_folder(const char *path);
/** Open the folder that outfile_open(PATH) would make files in, as
 *  outfile_folder does, or PATH itself if that is a device or pipe; -1 if PATH
 *  is "-".  Dies on failure. */
int outfile_place(const char *path);
/** Remove all temporary files: for signal handlers that end the process. */
void outfile_remove(void);
/** From now on SIGBUS ends the process with STATUS_ERROR and the message TEXT,
 *  which ends with a line feed and lives as long as the process. */
void outfile_on_bus_error(const char *text);
/** Close the output file, and remove all temporary files. */
void outfile_abandon(void);

#endif /* TOOLS_COMMON_OUTFILE_H */
