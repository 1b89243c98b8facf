/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - readable names for C++, Rust and D symbols.
 *
 * Names are hostile input.  Their length, the length of the result and the
 * nesting are bounded; what goes beyond stays as it is.  Results are kept,
 * because the names of a program repeat; the memory for that is bounded as
 * well.  Built without libiberty every name stays as it is.  It knows
 * manglings, and nothing of frames and formats.
 */
#ifndef TOOLS_COMMON_DEMANGLE_H
#define TOOLS_COMMON_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/** Bytes of the longest name that is demangled, and of the longest result. */
#define DEMANGLE_MAX_NAME 4096
#define DEMANGLE_MAX_RESULT 32768

struct demangler;

/** A demangler; dies without memory. */
struct demangler *demangler_new(void);
void demangler_free(struct demangler *demangler);

/** Spell names as LLVM does: no blank between closing angle brackets, what
 *  a compiler appended to a name in parentheses, and mangled names also
 *  behind one more underscore or a dot.  To be called before all others. */
void demangler_set_llvm(struct demangler *demangler);
/** NAME demangled, malloc'ed; NULL if it is not mangled.  Nothing is kept. */
char *demangle_copy(const struct demangler *demangler, const char *name);

/** NAME demangled, or NAME itself if it is not mangled.  NAME has to keep
 *  its address and content as long as DEMANGLER lives: results are found
 *  again by the address.  The result lives until the next call. */
const char *demangle(struct demangler *demangler, const char *name);

/** Does NAME look like a mangled one?  Cheap, and wrong now and then. */
static inline bool demangle_candidate(const char *name)
{
	return name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

#endif /* TOOLS_COMMON_DEMANGLE_H */
