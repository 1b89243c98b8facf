/* SPDX-License-Identifier: MIT */
/* Calls libgsym-demangle, and ends the tool if memory runs out. */
#include "config.h"

#include "common/demangle.h"

#include "common/must.h"
#include "common/report.h"

struct gsym_demangler *demangler_new(unsigned flags)
{
	struct gsym_demangler *ret;
	must(gsym_demangler_new(flags, &ret) == GSYM_OK);
	return ret;
}

struct gsym_demangler *demangler_share(struct gsym_demangler *other)
{
	struct gsym_demangler *ret;
	must(gsym_demangler_share(other, &ret) == GSYM_OK);
	return ret;
}

const char *demangle(struct gsym_demangler *demangler, const char *name)
{
	const char *ret;
	must(gsym_demangle(demangler, name, &ret) != GSYM_ERR_MEMORY);
	return ret;
}

char *demangle_copy(unsigned flags, const char *name)
{
	char *ret = NULL;
	must(gsym_demangle_copy(flags, name, &ret) != GSYM_ERR_MEMORY);
	return ret;
}
