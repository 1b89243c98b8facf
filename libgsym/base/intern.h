/* SPDX-License-Identifier: MIT */
/*
 * base/intern.h - numbers for byte strings and for integers: equal ones get the
 * same number, and numbers count up from 0 in the order of first appearance.
 * Knows nothing of string tables.  Not thread-safe, but for strings if LOCK of
 * struct gsym_intern is set.
 */
#ifndef GSYM_BASE_INTERN_H
#define GSYM_BASE_INTERN_H

#include "base/memory.h"
#include "base/vec.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gsym_intern_entry {
	const char *bytes; /**< a copy in the arena, with a NUL after it */
	uint32_t length;   /**< bytes, the added NUL not counted */
	uint32_t hash;
};

/** A slot.  It is no number of 64 bits, which some processors of 32 bits cannot
 *  load and store at once. */
struct gsym_intern_slot {
	/** The number of the entry + 1; 0: a free slot.  Written last. */
	uint32_t number;
	uint32_t hash; /**< of the entry */
};

/** A table with open addressing. */
struct gsym_intern_slots {
	/** The table that this one replaced, if other threads may still search
	 *  it. */
	struct gsym_intern_slots *older;
	size_t count; /**< a power of two */
	struct gsym_intern_slot items[];
};

enum {
	/* Entries do not move, because other threads may read them while one is
	 * added.  So they are in blocks: the first one has 2^SHIFT entries,
	 * each further one twice as many as the one before.  All BLOCKS
	 * together have room for 2^32 entries. */
	GSYM_INTERN_SHIFT = 6,
	GSYM_INTERN_BLOCKS = 27,
};

/** A zeroed struct is empty. */
struct gsym_intern {
	struct gsym_arena arena;
	struct gsym_intern_entry *blocks[GSYM_INTERN_BLOCKS];
	struct gsym_intern_slots *slots; /**< NULL: none */
	/** Entries in use. */
	size_t count;
	/** Of the hash; 0: not yet chosen.  Without a secret seed a file could
	 *  have any number of strings of one hash (base/hash.h). */
	uint64_t seed;
	/**
	 * NULL: one thread at a time uses the struct.  Otherwise a mutex of the
	 * caller's, set before the first string is added; _fini forgets it.
	 *
	 * With LOCK, once the first string was added, several threads may call
	 * all functions but _fini at once.  A number and its entry never change
	 * again, so a thread may read the entry of any number that it has got.
	 * The order of numbers depends on the threads, so no output may depend
	 * on it.  Only adding a string that is new locks LOCK.
	 */
	pthread_mutex_t *lock;
};

/** How many strings IN has.  The member COUNT is for who knows that no other
 *  thread adds strings. */
static inline size_t gsym_intern_count(const struct gsym_intern *in)
{
	return __atomic_load_n(&in->count, __ATOMIC_ACQUIRE);
}

/** Entry NUMBER, which is below the count. */
static inline struct gsym_intern_entry *
gsym_intern_entry(const struct gsym_intern *in, uint32_t number)
{
	uint64_t at = number + ((uint64_t)1 << GSYM_INTERN_SHIFT);
	unsigned bits = 63u - (unsigned)__builtin_clzll(at);

	return &in->blocks[bits - GSYM_INTERN_SHIFT]
			  [at - ((uint64_t)1 << bits)];
}

/** Free all entries and slots; IN is empty then and can be used again. */
void gsym_intern_fini(struct gsym_intern *in);
/** The number of the LENGTH bytes at BYTES goes to *NUMBER; new bytes are
 *  copied.  No two entries are equal, even if BYTES change during the call.
 *  Returns false without memory, for a new entry beyond 2^32 - 2, and for
 *  LENGTH above UINT32_MAX. */
bool gsym_intern_add(struct gsym_intern *in, const char *bytes, size_t length,
		     uint32_t *number);
/** The number of the LENGTH bytes at BYTES goes to *NUMBER.  Returns false if
 *  IN does not have the bytes. */
bool gsym_intern_find(struct gsym_intern *in, const char *bytes, size_t length,
		      uint32_t *number);

/* ---- integers ------------------------------------------------------------ */

/** Numbers for integers, such as offsets in a file.  Many keys whose upper
 *  halves exceed the number of slots, and that an input chooses, could share
 *  slots.  A zeroed struct is empty. */
struct gsym_keys {
	GSYM_VEC_OF(uint64_t) keys; /**< by number */
	/** A table with open addressing: numbers + 1; 0: a free slot.  A power
	 *  of two, of which at least half are free. */
	GSYM_VEC_OF(uint32_t) slots;
};

void gsym_keys_fini(struct gsym_keys *k);
/** Forget all keys, and keep the memory. */
void gsym_keys_clear(struct gsym_keys *k);
/** Double the slots.  False without memory. */
bool gsym_keys_grow(struct gsym_keys *k);

/** The slot of KEY, or the free slot where KEY belongs.  The address of K is
 *  part of the hash: whoever makes a file cannot know the address, and so
 *  cannot choose keys that share a slot. */
static inline uint32_t *gsym_keys_slot(const struct gsym_keys *k, uint64_t key)
{
	const uint64_t secret = (uintptr_t)k * UINT64_C(0xbf58476d1ce4e5b9);
	size_t mask = k->slots.count - 1;
	size_t at = (key ^ secret) * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	for (at &= mask; k->slots.items[at] &&
			 k->keys.items[k->slots.items[at] - 1] != key;)
		at = (at + 1) & mask;
	return &k->slots.items[at];
}

/** The number of KEY goes to *NUMBER.  False if KEY was not added. */
static inline bool gsym_keys_find(const struct gsym_keys *k, uint64_t key,
				  uint32_t *number)
{
	uint32_t slot = k->slots.count ? *gsym_keys_slot(k, key) : 0;

	*number = slot - 1;
	return slot;
}

/** The number of KEY goes to *NUMBER; it is the former number of keys if KEY is
 *  new.  Returns false without memory. */
static inline bool gsym_keys_add(struct gsym_keys *k, uint64_t key,
				 uint32_t *number)
{
	uint32_t *slot;

	if (2 * k->keys.count >= k->slots.count && !gsym_keys_grow(k))
		return false;
	slot = gsym_keys_slot(k, key);
	if (!*slot) {
		if (!gsym_vec_add(&k->keys, key))
			return false;
		*slot = (uint32_t)k->keys.count;
	}
	*number = *slot - 1;
	return true;
}

#endif
