/* SPDX-License-Identifier: MIT */
/* Fills the error struct of a caller; the public functions of gsym/types.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/error.h"
#include "base/system.h"

#include <stdarg.h>

enum gsym_status gsym_fail(struct gsym_error *error, enum gsym_status code,
			   uint64_t offset, const char *format, ...)
{
	if (error) {
		va_list args;

		error->code = code;
		error->offset = offset;
		va_start(args, format);
		gsym_system_print(error->message, sizeof(error->message),
				  format, args);
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

/* ---- gsym/types.h -------------------------------------------------------- */

const char *gsym_status_text(enum gsym_status status)
{
	switch (status) {
	case GSYM_OK:
		return "done";
	case GSYM_NOT_FOUND:
		return "not found";
	case GSYM_ERR_ARGUMENT:
		return "invalid argument";
	case GSYM_ERR_MEMORY:
		return "out of memory";
	case GSYM_ERR_IO:
		return "input or output failed";
	case GSYM_ERR_FORMAT:
		return "unknown format";
	case GSYM_ERR_UNSUPPORTED:
		return "unsupported version or variant";
	case GSYM_ERR_CORRUPT:
		return "damaged data";
	case GSYM_ERR_LIMIT:
		return "too large for the format";
	case GSYM_ERR_CANCELLED:
		return "cancelled";
	}
	return "unknown status";
}

const char *gsym_version(void)
{
	return PACKAGE_VERSION;
}
