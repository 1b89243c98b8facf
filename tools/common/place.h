/* SPDX-License-Identifier: MIT */
/*
 * place.h - puts a complete file in the place of another, while other processes
 * and hosts do the same.
 *
 * No lock is used: a lock may be unknown to other hosts, and whoever may read a
 * file could hold one.  The file system exchanges two files in one step
 * instead, and the file that comes back is compared once more.
 */
#ifndef TOOLS_COMMON_PLACE_H
#define TOOLS_COMMON_PLACE_H

#include <stdbool.h>

/** Whether the open file MINE is to replace the open file THERE.  THERE is -1
 *  if something is there that is no regular file, or cannot be read.  An order
 *  of files: after MINE has replaced THERE, the answer for THERE and MINE is
 *  no. */
typedef bool place_better_fn(void *context, int mine, int there);

/** A complete file under its temporary name. */
struct place {
	/** The folder of TEMPORARY and TARGET. */
	int folder;
	/** The file, which was made as TEMPORARY. */
	int fd;
	const char *temporary, *target;
	/** NULL: whatever is at TARGET is replaced. */
	place_better_fn *better;
	void *context;
};

/** Open the regular file NAME in FOLDER for reading.  Returns -1, with errno
 *  set, if there is none: ENOENT if nothing has the name.  A symbolic link is
 *  not followed, and neither a pipe nor a device is opened. */
int place_find(int folder, const char *name);
/** Whether the file NAME in FOLDER is the open file FD. */
bool place_is_open(int folder, const char *name, int fd);

/**
 * Give the file of P the name P->target, or remove it if the file that is there
 * is as good.  *KEPT tells which.  Returns NULL, or why it failed.
 *
 * Where the file system can neither link nor exchange files, one of two files
 * that come within the same microseconds may win that is not the better one.
 */
const char *place_file(const struct place *p, bool *kept);

/** Rename the new symbolic link NAME in FOLDER to BASE, where nothing may be
 *  but another link.  Returns NULL, or why it failed. */
const char *place_link(int folder, const char *name, const char *base);

#endif /* TOOLS_COMMON_PLACE_H */
