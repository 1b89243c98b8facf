/* SPDX-License-Identifier: MIT */
/* file.h - whole files as bytes in memory, and system calls for files that are
 * repeated if a signal interrupts them; base/fd.h has others. */
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

#endif /* TOOLS_COMMON_FILE_H */
