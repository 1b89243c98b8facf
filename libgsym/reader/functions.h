/* SPDX-License-Identifier: MIT */
/* reader/functions.h - decodes function records into struct gsym_function. */
#ifndef GSYM_READER_FUNCTIONS_H
#define GSYM_READER_FUNCTIONS_H

#include "reader/image.h"

/** Decode the record at C, of the function at START, to RET.  GSYM_ERR_CORRUPT
 *  if it is cut off or has no name; RET then holds the fields that could be
 *  read, and "" for a missing name. */
enum gsym_status gsym_function_read(const struct gsym_reader *reader,
				    struct gsym_cursor *c, uint64_t start,
				    struct gsym_function *ret,
				    struct gsym_error *error);

#endif
