/* SPDX-License-Identifier: MIT */
/* file.h - whole files as bytes in memory. */
#ifndef TOOLS_COMMON_FILE_H
#define TOOLS_COMMON_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Read the file or pipe PATH to its end.  Returns its contents, malloc'ed, and
 *  sets *SIZE to their size; returns NULL, with errno set, on failure. */
uint8_t *file_read(const char *path, size_t *size);

/** As read, repeated if it is interrupted. */
ssize_t file_read_some(int fd, void *bytes, size_t size);

/** Read the first SIZE bytes of the file FD into BYTES; fewer, if the file is
 *  shorter.  Returns how many, or -1 with errno set. */
ssize_t file_read_start(int fd, void *bytes, size_t size);

#endif /* TOOLS_COMMON_FILE_H */
