/* SPDX-License-Identifier: MIT */
/* demangle/spell.h - readable names, in either spelling.  Knows no cache. */
#ifndef GSYM_DEMANGLE_SPELL_H
#define GSYM_DEMANGLE_SPELL_H

#include <gsym/demangle.h>

#include <stdbool.h>

/** Whether NAME begins like a mangled name.  A quick test that also accepts
 *  some names that are not mangled. */
static inline bool gsym_demangle_candidate(const char *name)
{
	return name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

/** Set *RET to the demangled form of NAME, a candidate, malloc'ed, as
 *  libiberty spells it.  GSYM_NOT_FOUND: NAME is not mangled, or beyond a
 *  bound.  GSYM_ERR_MEMORY. */
enum gsym_status gsym_demangle_iberty(const char *name, char **ret);

/** Set *RET to NAME, which begins with "_Z", without declarations of template
 *  parameters, constraints of templates and tags of constructors, malloc'ed.
 *  GSYM_NOT_FOUND: NAME has none, or is too long or not understood.
 *  GSYM_ERR_MEMORY. */
enum gsym_status gsym_demangle_rewrite(const char *name, char **ret);
/** As gsym_demangle_iberty, for any NAME, as LLVM spells it. */
enum gsym_status gsym_demangle_llvm(const char *name, char **ret);

#endif
