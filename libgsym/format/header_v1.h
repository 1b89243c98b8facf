/* SPDX-License-Identifier: MIT */
/* format/header_v1.h - the header of version 1, and where the tables that
 * follow it lie.  Knows nothing of version 2. */
#ifndef GSYM_FORMAT_HEADER_V1_H
#define GSYM_FORMAT_HEADER_V1_H

#include "format/layout.h"

/** Fill L, whose data, size, byte order and version are known. */
enum gsym_status gsym_header_v1_read(struct gsym_layout *l,
				     struct gsym_error *error);

#endif
