/* SPDX-License-Identifier: MIT */
/*
 * file.h - whole files as bytes in memory, system calls for files that are
 * repeated if a signal interrupts them (base/fd.h has others), and a complete
 * file in the place of another, while other processes and hosts do the same.
 *
 * No lock is used for that: a lock may be unknown to other hosts, and whoever
 * may read a file could hold one.  The file system exchanges two files in one
 * step instead, and the file that comes back is compared once more.
 */
#ifndef TOOLS_COMMON_FILE_H
#define TOOLS_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/fd.h"

/** Read the file or pipe PATH to its end.  Returns its contents, malloc'ed, and
 *  sets *SIZE to their size; returns NULL, with errno set, on failure. */
uint8_t *file_read(const char *path, size_t *size);

/** As file_read, for the open file FD. */
uint8_t *file_read_whole(int fd, size_t *size);

/** The bytes of the regular file FD, for munmap, and their number.  NULL, with
 *  errno set, if they cannot be mapped, and for an empty file.  Another program
 *  may cut the file short: reading the bytes then ends the process (SIGBUS). */
const uint8_t *file_map(int fd, size_t *size);

/** As fsync, repeated if it is interrupted.  Returns false, with errno set, on
 *  failure. */
bool file_sync(int fd);
/** Whether A and B are the same file. */
bool file_same(const struct stat *a, const struct stat *b);

/** As read, repeated if it is interrupted. */
ssize_t file_read_some(int fd, void *bytes, size_t size);

/** gsym_fd_open. */
static inline int file_open(const char *path, int flags)
{
	return gsym_fd_open(path, flags);
}

/** Read the first SIZE bytes of the file FD into BYTES; see gsym_fd_read_at. */
static inline ssize_t file_read_start(int fd, void *bytes, size_t size)
{
	return gsym_fd_read_at(fd, bytes, size, 0);
}

/** Whether the open file MINE is to replace the open file THERE.  THERE is -1
 *  if something is there that is no regular file, or cannot be read.  An order
 *  of files: after MINE has replaced THERE, the answer for THERE and MINE is
 *  no. */
typedef bool file_better_fn(void *context, int mine, int there);

/** A complete file under its temporary name. */
struct file_place {
	/** The folder of TEMPORARY and TARGET. */
	int folder;
	/** The file, which was made as TEMPORARY. */
	int fd;
	const char *temporary, *target;
	/** NULL: whatever is at TARGET is replaced. */
	file_better_fn *better;
	void *context;
};

/** Open the regular file NAME in FOLDER for reading.  Returns -1, with errno
 *  set, if there is none: ENOENT if nothing has the name.  A symbolic link is
 *  not followed, and neither a pipe nor a device is opened. */
int file_find(int folder, const char *name);
/** Open the folder of NAMES, a path in FOLDER, which is closed, and with MAKE
 *  make the folders that are missing.  No symbolic link is followed.  NAMES is
 *  changed; *BASE becomes the last name in it.  -1 with errno, which is ELOOP
 *  for a symbolic link: *BASE is the name of the folder that failed. */
int file_below(int folder, bool make, char *names, char **base);
/** Whether the file NAME in FOLDER is the open file FD. */
bool file_is(int folder, const char *name, int fd);

/**
 * Give the file of P the name P->target, or remove it if the file that is there
 * is as good.  *KEPT tells which.  Returns NULL, or why it failed.
 *
 * Where the file system can neither link nor exchange files, one of two files
 * that come within the same microseconds may win that is not the better one.
 */
const char *file_place(const struct file_place *p, bool *kept);

/** Rename the new symbolic link NAME in FOLDER to BASE, where nothing may be
 *  but another link.  Returns NULL, or why it failed. */
const char *file_place_link(int folder, const char *name, const char *base);

#endif /* TOOLS_COMMON_FILE_H */
