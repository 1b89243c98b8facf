/* SPDX-License-Identifier: MIT */
/* container/mapping.h - mapping a whole file into memory, for reading.  Knows
 * no file format. */
#ifndef GSYM_CONTAINER_MAPPING_H
#define GSYM_CONTAINER_MAPPING_H

#include <gsym/types.h>

#include <stddef.h>

struct gsym_mapping {
	const uint8_t *bytes; /**< NULL: no file is mapped */
	size_t size;
};

/** Map the regular file PATH.  GSYM_ERR_IO; GSYM_ERR_FORMAT: the file is
 *  empty. */
enum gsym_status gsym_mapping_open(const char *path, struct gsym_mapping *ret,
				   struct gsym_error *error);

/** Unmap MAP, if a file is mapped. */
void gsym_mapping_close(struct gsym_mapping *map);

#endif
