/* SPDX-License-Identifier: MIT */
/* For what is built with -DGSYM_TINY_LIMITS: see GSYM_LIMIT of config.h.  The
 * environment variable GSYM_TINY_LIMITS is the number to begin with. */
#include "support/tiny.h"

#include <stdlib.h>

unsigned gsym_tiny_limits;

static void __attribute__((constructor)) read_environment(void)
{
	const char *number = getenv("GSYM_TINY_LIMITS");

	gsym_tiny_limits = number ? (unsigned)strtoul(number, NULL, 10) : 0;
}
