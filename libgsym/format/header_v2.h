/* SPDX-License-Identifier: MIT */
/* format/header_v2.h - the header and the section directory of version 2.
 * Knows nothing of version 1. */
#ifndef GSYM_FORMAT_HEADER_V2_H
#define GSYM_FORMAT_HEADER_V2_H

#include "format/layout.h"

/** Fill L, whose data, size, byte order and version are known. */
enum gsym_status gsym_header_v2_read(struct gsym_layout *l,
				     struct gsym_error *error);

#endif
