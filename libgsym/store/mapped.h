/* SPDX-License-Identifier: MIT */
/* store/mapped.h - the bytes of a file in memory. */
#ifndef GSYM_STORE_MAPPED_H
#define GSYM_STORE_MAPPED_H

#include <gsym/types.h>

/** Map the regular file PATH for reading.  *RET becomes its bytes, NULL for an
 *  empty file, and *SIZE their number.  With COPIED the bytes are read to
 *  memory instead, and the file may change later.  GSYM_ERR_IO. */
enum gsym_status gsym_mapped_open(const char *path, bool copied,
				  const uint8_t **ret, size_t *size,
				  struct gsym_error *error);
/** gsym_mapped_open for the regular file FD, which is closed. */
enum gsym_status gsym_mapped_open_fd(int fd, bool copied, const uint8_t **ret,
				     size_t *size, struct gsym_error *error);
/** Unmap the SIZE bytes at BYTES, which may be NULL. */
void gsym_mapped_close(const uint8_t *bytes, size_t size);

#endif
