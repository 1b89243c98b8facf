/* SPDX-License-Identifier: MIT */
/* format/header_v1.h - reads the header of version 1 and finds the tables
 * after it.  Knows nothing of version 2. */
#ifndef GSYM_FORMAT_HEADER_V1_H
#define GSYM_FORMAT_HEADER_V1_H

#include "format/layout.h"

/** Fill the rest of L, whose data, size, byte order and version are set.
 *  GSYM_ERR_CORRUPT if a field is impossible or a table reaches beyond the
 *  data. */
enum gsym_status gsym_header_v1_read(struct gsym_layout *l,
				     struct gsym_error *error);

#endif
