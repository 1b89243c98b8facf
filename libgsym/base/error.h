/* SPDX-License-Identifier: MIT */
/* base/error.h - fill the caller's error struct.  Knows nothing of printing. */
#ifndef GSYM_BASE_ERROR_H
#define GSYM_BASE_ERROR_H

#include <gsym/types.h>

/** Fill ERROR, unless it is NULL, with CODE, OFFSET and the message that
 *  FORMAT makes (as printf).  Returns CODE, so that a failure is one
 *  statement: return gsym_fail(error, GSYM_ERR_CORRUPT, at, "...", ...). */
enum gsym_status gsym_fail(struct gsym_error *error, enum gsym_status code,
			   uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** gsym_fail with GSYM_ERR_MEMORY and a fixed message. */
enum gsym_status gsym_fail_memory(struct gsym_error *error);

/** gsym_fail with GSYM_ERR_ARGUMENT and a fixed message, for a call that breaks
 *  a rule which gsym/types.h states for all functions: a pointer is NULL, the
 *  size of a struct is too small, or a flag is not known. */
enum gsym_status gsym_fail_argument(struct gsym_error *error);

#endif
