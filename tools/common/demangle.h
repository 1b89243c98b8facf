/* SPDX-License-Identifier: MIT */
/* demangle.h - readable names for the tools, which end if memory runs out. */
#ifndef TOOLS_COMMON_DEMANGLE_H
#define TOOLS_COMMON_DEMANGLE_H

#include <gsym/demangle.h>

#include "common/must.h"

/** A new demangler with FLAGS of gsym/demangle.h. */
static inline struct gsym_demangler *demangler_new(unsigned flags)
{
	struct gsym_demangler *ret;
	must(gsym_demangler_new(flags, &ret) == GSYM_OK);
	return ret;
}

/** A demangler for another thread, with the cache of OTHER. */
static inline struct gsym_demangler *
demangler_share(struct gsym_demangler *other)
{
	struct gsym_demangler *ret;
	must(gsym_demangler_share(other, &ret) == GSYM_OK);
	return ret;
}

/** The demangled form of NAME, or NAME if it is not mangled, as gsym_demangle
 *  has it. */
static inline const char *demangle(struct gsym_demangler *demangler,
				   const char *name)
{
	const char *ret = name;
	must(gsym_demangle(demangler, name, &ret) != GSYM_ERR_MEMORY);
	return ret;
}

/** The demangled form of NAME, spelled by FLAGS, malloc'ed; NULL if NAME is not
 *  mangled. */
static inline char *demangle_copy(unsigned flags, const char *name)
{
	char *ret = NULL;
	must(gsym_demangle_copy(flags, name, &ret) != GSYM_ERR_MEMORY);
	return ret;
}

#endif /* TOOLS_COMMON_DEMANGLE_H */
