/* SPDX-License-Identifier: MIT */
/*
 * demangle/cache.h - a table of results that several threads read and fill
 * without locks.  Nothing leaves the table: one that is full is replaced as a
 * whole by demangler.c, and freed with its last user.
 */
#ifndef GSYM_DEMANGLE_CACHE_H
#define GSYM_DEMANGLE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gsym_demangle_slot {
	/** NULL: the slot is free. */
	_Atomic(const char *) name;
	/** malloc'ed, or NAME if NAME is not mangled.  NULL: a thread is about
	 *  to store it. */
	_Atomic(const char *) result;
};

/** A hash table by the address of the name, with open addressing, that never
 *  moves an entry. */
struct gsym_demangle_level {
	atomic_uint used;
	unsigned bits; /**< log2 of the number of slots */
	struct gsym_demangle_slot slots[];
};

enum { GSYM_DEMANGLE_LEVELS = 4 };

struct gsym_demangle_cache {
	atomic_uint users;
	/** Bytes of all results. */
	atomic_size_t bytes;
	/** A cache starts small, for small inputs: with level 0.  A new entry
	 *  goes to the last level, and the next one, of eight times as many
	 *  slots, is made when that is full. */
	_Atomic(struct gsym_demangle_level *) levels[GSYM_DEMANGLE_LEVELS];
};

/** An empty cache with one user; NULL without memory. */
struct gsym_demangle_cache *gsym_demangle_cache_new(void);
/** Take a user from CACHE, which is freed with the last one. */
void gsym_demangle_cache_leave(struct gsym_demangle_cache *cache);

/** The result for NAME; NULL if there is none yet. */
const char *gsym_demangle_cache_find(const struct gsym_demangle_cache *cache,
				     const char *name);

enum gsym_demangle_added {
	/** The cache owns the result. */
	GSYM_DEMANGLE_ADDED,
	/** Another thread was faster, or memory ran out. */
	GSYM_DEMANGLE_REFUSED,
	/** The cache is full. */
	GSYM_DEMANGLE_FULL,
};

/** Add RESULT, of SIZE bytes, for NAME.  RESULT is NAME or was malloc'ed. */
enum gsym_demangle_added
gsym_demangle_cache_add(struct gsym_demangle_cache *cache, const char *name,
			const char *result, size_t size);

#endif
