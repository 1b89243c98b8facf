/* SPDX-License-Identifier: MIT */
/*
 * gsym/demangle.h - readable names for C++, Rust and D: "add(int, int)" for
 * "_Z3addii".  The tools of gsym write the names of this library.
 *
 *	struct gsym_demangler *demangler;
 *	const char *name;
 *
 *	if (gsym_demangler_new(0, &demangler) != GSYM_OK)
 *		return;
 *	gsym_demangle(demangler, frame.function, &name);
 *	puts(name);
 *	gsym_demangler_free(demangler);
 *
 * The functions are in libgsym-demangle (pkg-config: gsym-demangle), a library
 * of its own that holds the demangler of GNU binutils, libiberty.  It needs
 * libc alone.  If it was built without libiberty, every name is left as it is.
 *
 * Hostile names: libiberty needs time and memory without bound for some names.
 * Names of more than GSYM_DEMANGLE_MAX_NAME bytes, names whose result does not
 * fit into GSYM_DEMANGLE_MAX_RESULT bytes, and names with too many nested
 * templates or back references are left as they are.  Rust and C++ names take
 * up to 1 MiB of stack.
 *
 * Signal handlers: none of the functions may be called there, because they
 * allocate.
 */
#ifndef GSYM_DEMANGLE_H
#define GSYM_DEMANGLE_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes of a name that is demangled. */
#define GSYM_DEMANGLE_MAX_NAME 4096
/** The most bytes of a result, its NUL included. */
#define GSYM_DEMANGLE_MAX_RESULT 32768

/** Flags of gsym_demangler_new and gsym_demangle_copy, combined with |. */
enum {
	/** Spell names as LLVM does: ">>" instead of "> >", a suffix that the
	 *  compiler appended in parentheses, and names that begin with one more
	 *  underscore or a dot are demangled, too. */
	GSYM_DEMANGLE_LLVM = 1 << 0,
};

/**
 * A way to spell names, and a cache of results, because the names of a program
 * repeat.  The cache holds up to 220,000 names with 64 MiB of results, and is
 * emptied when it is full.
 *
 * A demangler belongs to one thread at a time.  Each thread has its own; those
 * that gsym_demangler_share makes of one another have one cache, which they
 * read and fill without locks.
 */
struct gsym_demangler;

/** Make a demangler with a cache of its own, and FLAGS.  GSYM_ERR_ARGUMENT: a
 *  flag is not known.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_demangler_new(unsigned flags,
					     struct gsym_demangler **ret);
/** Make a demangler for another thread, with the flags and the cache of OTHER.
 *  The cache is freed with the last demangler that uses it.  May be called
 *  while OTHER is in use.  GSYM_ERR_ARGUMENT: OTHER or RET is NULL.
 *  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_demangler_share(struct gsym_demangler *other,
					       struct gsym_demangler **ret);
/** Free DEMANGLER, which may be NULL. */
GSYM_API void gsym_demangler_free(struct gsym_demangler *demangler);

/**
 * Set *RET to the demangled form of NAME, and to NAME itself if NAME is not
 * mangled or the call fails.  *RET is valid until the next call with DEMANGLER
 * or until NAME becomes invalid, whichever comes first.
 *
 * The cache finds results by the address of NAME, not by its text.  So NAME has
 * to keep its address and its text until the demangler, and those that share
 * its cache, are freed or told to forget: names of an open GSYM file do.
 *
 * GSYM_NOT_FOUND: NAME is not mangled, or beyond a bound.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_demangle(struct gsym_demangler *demangler,
					const char *name, const char **ret);
/** Forget all names: DEMANGLER, and those that share its cache, look into an
 *  empty cache in their next call.  To be called after the file was closed that
 *  holds names that were demangled, and before names of another file are
 *  demangled.  If memory runs out: GSYM_ERR_MEMORY, and nothing is
 *  forgotten. */
GSYM_API enum gsym_status
gsym_demangler_forget(struct gsym_demangler *demangler);

/** Set *RET to the demangled form of NAME, spelled by FLAGS, which the caller
 *  frees with free().  Uses no cache and may be called by any thread.
 *  GSYM_NOT_FOUND: NAME is not mangled, or beyond a bound; *RET is unchanged.
 *  GSYM_ERR_ARGUMENT: a flag is not known.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_demangle_copy(unsigned flags, const char *name,
					     char **ret);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_DEMANGLE_H */
