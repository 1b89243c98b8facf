/* SPDX-License-Identifier: MIT */
/* reader/functions.h - struct gsym_function out of the bytes of a record,
 * for the parts of the reader that decode records whole. */
#ifndef GSYM_READER_FUNCTIONS_H
#define GSYM_READER_FUNCTIONS_H

#include "reader/image.h"

/** Decode the record under the cursor, of a function at START.  With
 *  GSYM_ERR_CORRUPT, RET holds what could be read. */
enum gsym_status gsym_function_read(const struct gsym_reader *reader,
				    struct gsym_cursor *c, uint64_t start,
				    struct gsym_function *ret,
				    struct gsym_error *error);

#endif
