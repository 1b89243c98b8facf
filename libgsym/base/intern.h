/* SPDX-License-Identifier: MIT */
/*
 * base/intern.h - equal byte strings get one dense number, in the order in
 * which they first come, from 0 on.  The sole user of xxHash.  Knows
 * nothing of string tables.  Not thread-safe.
 */
#ifndef GSYM_BASE_INTERN_H
#define GSYM_BASE_INTERN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct gsym_intern_entry {
	const char *bytes; /* NUL-terminated */
	uint32_t length;
	uint32_t hash;
};

struct gsym_intern_slot {
	uint32_t number; /* of the entry, + 1; 0 is free */
	uint32_t hash;   /* its own: few other entries are looked at */
};

/** A zeroed struct is empty. */
struct gsym_intern {
	struct gsym_arena arena;
	struct gsym_intern_entry *entries;
	struct gsym_intern_slot *slots;
	size_t count;
	size_t entry_capacity;
	size_t slot_count; /* a power of two */
};

void gsym_intern_fini(struct gsym_intern *in);
/** The number of LENGTH bytes at BYTES, which are copied if new; false
 *  without memory or beyond 2^32 - 2 entries. */
bool gsym_intern_add(struct gsym_intern *in, const char *bytes, size_t length,
		     uint32_t *number);
/** The hash that gsym_intern_add uses, for gsym_intern_add_hashed: to be
 *  computed where there is time for it. */
uint32_t gsym_intern_hash(const char *bytes, size_t length);
bool gsym_intern_add_hashed(struct gsym_intern *in, const char *bytes,
			    size_t length, uint32_t hash, uint32_t *number);
/** HASH will be added soon: bring what that needs near. */
static inline void gsym_intern_expect(const struct gsym_intern *in,
				      uint32_t hash)
{
	if (in->slot_count)
		__builtin_prefetch(&in->slots[hash & (in->slot_count - 1)]);
}

#endif
