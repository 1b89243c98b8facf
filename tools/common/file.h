/* SPDX-License-Identifier: MIT */
/* file.h - whole files as bytes in memory. */
#ifndef TOOLS_COMMON_FILE_H
#define TOOLS_COMMON_FILE_H

#include <stddef.h>
#include <stdint.h>

/** Read the file or pipe PATH to its end.  Returns its contents, malloc'ed, and
 *  sets *SIZE to their size; returns NULL, with errno set, on failure. */
uint8_t *file_read(const char *path, size_t *size);

#endif /* TOOLS_COMMON_FILE_H */
