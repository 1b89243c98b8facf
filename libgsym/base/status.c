/* SPDX-License-Identifier: MIT */
/* base/status.c - the public functions of gsym/types.h. */
#include <gsym/types.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

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
