/* SPDX-License-Identifier: MIT */
/* file.h - whole files as bytes in memory, and system calls for files that are
 * repeated if a signal interrupts them. */
#ifndef TOOLS_COMMON_FILE_H
#define TOOLS_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/** Read the file or pipe PATH to its end.  Returns its contents, malloc'ed, and
 *  sets *SIZE to their size; returns NULL, with errno set, on failure. */
uint8_t *file_read(const char *path, size_t *size);

/** As file_read, for the open file FD. */
uint8_t *file_read_whole(int fd, size_t *size);

/** As open with FLAGS and O_CLOEXEC for a file that exists, repeated if it is
 *  interrupted, as on servers and pipes. */
int file_open(const char *path, int flags);
/** As fsync, repeated if it is interrupted.  Returns false, with errno set, on
 *  failure. */
bool file_sync(int fd);
/** Whether A and B are the same file. */
bool file_same(const struct stat *a, const struct stat *b);

/** As read, repeated if it is interrupted. */
ssize_t file_read_some(int fd, void *bytes, size_t size);

/** Read the first SIZE bytes of the file FD into BYTES; fewer, if the file is
 *  shorter.  Returns how many, or -1 with errno set. */
ssize_t file_read_start(int fd, void *bytes, size_t size);

#endif /* TOOLS_COMMON_FILE_H */
