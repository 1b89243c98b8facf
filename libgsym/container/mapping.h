/* SPDX-License-Identifier: MIT */
/* container/mapping.h - a whole file in memory, to be read.  Knows no format. */
#ifndef GSYM_CONTAINER_MAPPING_H
#define GSYM_CONTAINER_MAPPING_H

#include <gsym/types.h>

#include <stddef.h>

struct gsym_mapping {
	const uint8_t *bytes; /**< NULL: of no file */
	size_t size;
};

/** Map the regular file PATH.  GSYM_ERR_IO; GSYM_ERR_FORMAT: it is empty. */
enum gsym_status gsym_mapping_open(const char *path, struct gsym_mapping *ret,
				   struct gsym_error *error);

/** Give MAP back; nothing is done for one of no file. */
void gsym_mapping_close(struct gsym_mapping *map);

#endif
