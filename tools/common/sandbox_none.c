/* SPDX-License-Identifier: MIT */
/* In place of sandbox_linux.c where the kernel is not Linux: nothing can be
 * restricted. */
#include "config.h"

#include "common/run.h"

#include <errno.h>

static bool fail(void)
{
	errno = ENOSYS;
	return false;
}

int sandbox_files_version(void)
{
	return 0;
}

bool sandbox_files_restrict(const struct sandbox *s, int version)
{
	(void)s;
	(void)version;
	return fail();
}

bool sandbox_files_drop_rights(void)
{
	return fail();
}

bool sandbox_calls_possible(void)
{
	return false;
}

bool sandbox_calls_restrict(unsigned needs)
{
	(void)needs;
	return fail();
}
