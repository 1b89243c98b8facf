/* SPDX-License-Identifier: MIT */
/*
 * base/intern.h - numbers for byte strings: equal strings get the same number,
 * and numbers count up from 0 in the order of first appearance.  Knows nothing
 * of string tables.  Not thread-safe.
 */
#ifndef GSYM_BASE_INTERN_H
#define GSYM_BASE_INTERN_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct gsym_intern_entry {
	const char *bytes; /**< a copy in the arena, with a NUL after it */
	uint32_t length;   /**< bytes, the added NUL not counted */
	uint32_t hash;
};

struct gsym_intern_slot {
	uint32_t number; /**< number of the entry + 1; 0: a free slot */
	uint32_t hash;   /**< hash of the entry's bytes */
};

/** A zeroed struct is empty. */
struct gsym_intern {
	struct gsym_arena arena;
	struct gsym_intern_entry *entries; /**< by number */
	struct gsym_intern_slot *slots;    /**< a table with open addressing */
	size_t count;                      /**< entries in use */
	size_t entry_capacity;
	size_t slot_count; /**< a power of two, or 0 */
	/** Of the hash; 0: not yet chosen.  Without a secret seed a file could
	 *  have any number of strings of one hash (base/hash.h). */
	uint64_t seed;
};

/** Free all entries and slots; IN is empty then and can be used again. */
void gsym_intern_fini(struct gsym_intern *in);
/** The number of the LENGTH bytes at BYTES goes to *NUMBER; new bytes are
 *  copied.  Returns false without memory, for a new entry beyond 2^32 - 2, and
 *  for LENGTH above UINT32_MAX. */
bool gsym_intern_add(struct gsym_intern *in, const char *bytes, size_t length,
		     uint32_t *number);
/** The number of the LENGTH bytes at BYTES goes to *NUMBER.  Returns false if
 *  IN does not have the bytes. */
bool gsym_intern_find(struct gsym_intern *in, const char *bytes, size_t length,
		      uint32_t *number);
/** The hash of the LENGTH bytes at BYTES in IN, which differs from run to
 *  run. */
uint32_t gsym_intern_hash(struct gsym_intern *in, const char *bytes,
			  size_t length);
/** As gsym_intern_add, for bytes whose HASH is known. */
bool gsym_intern_add_hashed(struct gsym_intern *in, const char *bytes,
			    size_t length, uint32_t hash, uint32_t *number);

#endif
