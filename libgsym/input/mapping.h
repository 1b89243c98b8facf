/* SPDX-License-Identifier: MIT */
/* input/mapping.h - a whole file in memory, to be read.  Knows no format. */
#ifndef GSYM_INPUT_MAPPING_H
#define GSYM_INPUT_MAPPING_H

#include <gsym/types.h>

#include <stddef.h>

/** Map the regular file PATH; to be given back with munmap().  GSYM_ERR_IO;
 *  GSYM_ERR_FORMAT: it is empty. */
enum gsym_status gsym_map_file(const char *path, void **map, size_t *size,
			       struct gsym_error *error);

#endif
