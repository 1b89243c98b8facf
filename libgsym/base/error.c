/* SPDX-License-Identifier: MIT */
/* Fills the error struct of a caller. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

enum gsym_status gsym_fail(struct gsym_error *error, enum gsym_status code,
			   uint64_t offset, const char *format, ...)
{
	if (error) {
		va_list args;

		error->code = code;
		error->offset = offset;
		va_start(args, format);
		vsnprintf(error->message, sizeof(error->message), format, args);
		va_end(args);
	}
	return code;
}

enum gsym_status gsym_fail_memory(struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_MEMORY, 0, "out of memory");
}

enum gsym_status gsym_fail_argument(struct gsym_error *error)
{
	return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
			 "a pointer, size or flag in the call is not allowed");
}
