/* SPDX-License-Identifier: MIT */
/* Calls libgsym-demangle, and ends the tool if memory runs out. */
#include "config.h"

#include "common/demangle.h"

#include "common/report.h"

struct gsym_demangler *demangler_new(unsigned flags)
{
	struct gsym_demangler *ret;
	if (gsym_demangler_new(flags, &ret) != GSYM_OK)
		die("out of memory");
	return ret;
}

struct gsym_demangler *demangler_share(struct gsym_demangler *other)
{
	struct gsym_demangler *ret;
	if (gsym_demangler_share(other, &ret) != GSYM_OK)
		die("out of memory");
	return ret;
}

const char *demangle(struct gsym_demangler *demangler, const char *name)
{
	const char *ret;
	if (gsym_demangle(demangler, name, &ret) == GSYM_ERR_MEMORY)
		die("out of memory");
	return ret;
}

char *demangle_copy(unsigned flags, const char *name)
{
	char *ret = NULL;
	if (gsym_demangle_copy(flags, name, &ret) == GSYM_ERR_MEMORY)
		die("out of memory");
	return ret;
}
