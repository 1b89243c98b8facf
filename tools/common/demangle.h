/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - readable names for C++, Rust and D symbols.
 *
 * Names may be hostile.  The length of a name, the length of its result and
 * the nesting are bounded; a name beyond a bound is left mangled.  Results
 * are cached, because the names of a program repeat, and the memory of the
 * cache is bounded.  Built without libiberty every name is left as it is.
 * It knows mangling schemes, not frames or output formats.
 */
#ifndef TOOLS_COMMON_DEMANGLE_H
#define TOOLS_COMMON_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/** The longest name, in bytes, that is demangled. */
#define DEMANGLE_MAX_NAME 4096
/** The longest result in bytes. */
#define DEMANGLE_MAX_RESULT 32768

/** Settings and the cache of results; for one thread. */
struct demangler;

/** A new demangler, to be freed with demangler_free.  Dies if memory runs
 *  out. */
struct demangler *demangler_new(void);
/** Free DEMANGLER, which may be NULL, and its results. */
void demangler_free(struct demangler *demangler);

/** Spell names as LLVM does: ">>" instead of "> >", a suffix that the
 *  compiler appended in parentheses, and names that begin with one more
 *  underscore or a dot are demangled, too.  Must be called before the first
 *  name is demangled. */
void demangler_set_llvm(struct demangler *demangler);
/** The demangled form of NAME, malloc'ed; NULL if NAME is not mangled.  The
 *  cache is not used. */
char *demangle_copy(const struct demangler *demangler, const char *name);

/** The demangled form of NAME, or NAME itself if it is not mangled.  The
 *  cache finds results by the address of NAME, so NAME must keep its address
 *  and contents as long as DEMANGLER lives.  The result is valid until the
 *  next call. */
const char *demangle(struct demangler *demangler, const char *name);

/** Whether NAME begins like a mangled name.  A quick test that also accepts
 *  some names that are not mangled. */
static inline bool demangle_candidate(const char *name)
{
	return name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

#endif /* TOOLS_COMMON_DEMANGLE_H */
