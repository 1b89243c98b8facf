/* SPDX-License-Identifier: MIT */
/* demangle.h - readable names for the tools, which end if memory runs out. */
#ifndef TOOLS_COMMON_DEMANGLE_H
#define TOOLS_COMMON_DEMANGLE_H

#include <gsym/demangle.h>

/** A new demangler with FLAGS of gsym/demangle.h. */
struct gsym_demangler *demangler_new(unsigned flags);
/** A demangler for another thread, with the cache of OTHER. */
struct gsym_demangler *demangler_share(struct gsym_demangler *other);
/** The demangled form of NAME, or NAME if it is not mangled, as gsym_demangle
 *  has it. */
const char *demangle(struct gsym_demangler *demangler, const char *name);
/** The demangled form of NAME, spelled by FLAGS, malloc'ed; NULL if NAME is not
 *  mangled. */
char *demangle_copy(unsigned flags, const char *name);

#endif /* TOOLS_COMMON_DEMANGLE_H */
