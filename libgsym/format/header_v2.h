/* SPDX-License-Identifier: MIT */
/* format/header_v2.h - reads the header and the section directory of
 * version 2.  Knows nothing of version 1. */
#ifndef GSYM_FORMAT_HEADER_V2_H
#define GSYM_FORMAT_HEADER_V2_H

#include "format/layout.h"

/** Fill the rest of L, whose data, size, byte order and version are set.
 *  GSYM_ERR_UNSUPPORTED: an address size of 3, 5, 6 or 7, or an unknown string
 *  encoding.  GSYM_ERR_CORRUPT: an impossible field; a section that is empty,
 *  missing, doubled or beyond the data; a table whose size does not fit the
 *  number of functions. */
enum gsym_status gsym_header_v2_read(struct gsym_layout *l,
				     struct gsym_error *error);

#endif
