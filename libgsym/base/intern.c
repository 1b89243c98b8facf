/* SPDX-License-Identifier: MIT */
/* Numbers byte strings and integers, with hash tables of open addressing. */
#include "base/intern.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void gsym_intern_fini(struct gsym_intern *in)
{
	gsym_arena_fini(&in->arena);
	for (unsigned i = 0; i < GSYM_INTERN_BLOCKS; i++)
		free(in->blocks[i]);
	while (in->slots) {
		struct gsym_intern_slots *older = in->slots->older;

		free(in->slots);
		in->slots = older;
	}
	memset(in, 0, sizeof(*in));
}

/* Make a table of twice the size.  The old table is kept if other threads may
 * be searching it. */
static bool grow_slots(struct gsym_intern *in)
{
	struct gsym_intern_slots *old = in->slots, *slots;
	size_t count = old ? old->count * 2 : 128;
	size_t size = sizeof(*slots) + count * sizeof(*slots->items);

	slots = gsym_pages_alloc(size);
	if (!slots)
		return false;
	/* Unlike calloc, this writes each page before it is read: the kernel
	 * would map a page of zeros for the read, and replace it afterwards. */
	memset(slots, 0, size);
	slots->count = count;
	for (size_t i = 0; old && i < old->count; i++) {
		size_t at = old->items[i].hash & (count - 1);

		if (!old->items[i].number)
			continue;
		while (slots->items[at].number)
			at = (at + 1) & (count - 1);
		slots->items[at] = old->items[i];
	}
	if (in->lock)
		slots->older = old;
	else
		free(old);
	__atomic_store_n(&in->slots, slots, __ATOMIC_RELEASE);
	return true;
}

/* Allocate the block of the entry after the last one, unless there is one.
 * False without memory. */
static bool grow_entries(struct gsym_intern *in)
{
	uint64_t at = in->count + ((uint64_t)1 << GSYM_INTERN_SHIFT);
	unsigned bits = 63u - (unsigned)__builtin_clzll(at);
	struct gsym_intern_entry **place =
		&in->blocks[bits - GSYM_INTERN_SHIFT];

	if (!*place)
		*place =
			gsym_pages_alloc(((size_t)1 << bits) * sizeof(**place));
	return *place;
}

/* XXH3 multiplies words of the input that were combined with constants.  A word
 * that is equal to its constant makes the product 0, whatever the other word
 * is.  The seed changes the constants. */
static uint32_t hash_of(const struct gsym_intern *in, const char *bytes,
			size_t length)
{
	return (uint32_t)XXH3_64bits_withSeed(bytes, length, in->seed);
}

/* The slot of the LENGTH bytes at BYTES with HASH, or the free slot where they
 * would be.  *FOUND is its number.  SLOTS are of IN, and one is free. */
static inline struct gsym_intern_slot *
find_slot(const struct gsym_intern *in, struct gsym_intern_slots *slots,
	  const char *bytes, size_t length, uint32_t hash, uint32_t *found)
{
	size_t mask = slots->count - 1;

	for (size_t at = hash & mask;; at = (at + 1) & mask) {
		struct gsym_intern_slot *slot = &slots->items[at];
		const struct gsym_intern_entry *entry;

		*found = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
		if (!*found)
			return slot;
		if (slot->hash != hash)
			continue;
		entry = gsym_intern_entry(in, *found - 1);
		if (entry->length == length &&
		    !memcmp(entry->bytes, bytes, length))
			return slot;
	}
}

/* Set *NUMBER to the number of the bytes with HASH.  False if IN does not have
 * them, or, with a lock, did not have them a moment ago. */
static inline bool find(const struct gsym_intern *in, const char *bytes,
			size_t length, uint32_t hash, uint32_t *number)
{
	struct gsym_intern_slots *slots =
		__atomic_load_n(&in->slots, __ATOMIC_ACQUIRE);
	uint32_t found = 0;

	if (slots)
		find_slot(in, slots, bytes, length, hash, &found);
	*number = found - 1;
	return found;
}

bool gsym_intern_find(struct gsym_intern *in, const char *bytes, size_t length,
		      uint32_t *number)
{
	return find(in, bytes, length, hash_of(in, bytes, length), number);
}

/* gsym_intern_add, while no other thread adds strings. */
static bool add(struct gsym_intern *in, const char *bytes, size_t length,
		uint32_t *number)
{
	struct gsym_intern_slot *slot;
	uint32_t hash, found;
	const char *copy;

	if (length > UINT32_MAX || in->count >= UINT32_MAX - 1)
		return false;
	/* Keep the table at most two thirds full. */
	if ((!in->slots || in->count * 3 >= in->slots->count * 2) &&
	    !grow_slots(in))
		return false;
	copy = gsym_arena_string(&in->arena, bytes, length);
	if (!copy || !grow_entries(in))
		return false;
	/* BYTES may lie in a file that another process changes, so that the
	 * copy has another hash, or equals an entry.  The copy decides. */
	hash = hash_of(in, copy, length);
	slot = find_slot(in, in->slots, copy, length, hash, &found);
	*number = found - 1;
	if (found)
		return true;
	*number = (uint32_t)in->count;
	*gsym_intern_entry(in, *number) =
		(struct gsym_intern_entry){ copy, (uint32_t)length, hash };
	__atomic_store_n(&in->count, in->count + 1, __ATOMIC_RELEASE);
	slot->hash = hash;
	__atomic_store_n(&slot->number, *number + 1, __ATOMIC_RELEASE);
	return true;
}

bool gsym_intern_add(struct gsym_intern *in, const char *bytes, size_t length,
		     uint32_t *number)
{
	size_t known = gsym_intern_count(in);
	uint32_t hash;
	bool fine;

	if (!in->seed)
		in->seed = gsym_hash_mix((uintptr_t)in) | 1;
	hash = hash_of(in, bytes, length);
	if (find(in, bytes, length, hash, number))
		return true;
	if (!in->lock)
		return add(in, bytes, length, number);
	pthread_mutex_lock(in->lock);
	/* Another thread may have added them meanwhile. */
	fine = (known != in->count && find(in, bytes, length, hash, number)) ||
	       add(in, bytes, length, number);
	pthread_mutex_unlock(in->lock);
	return fine;
}

/* ---- integers ------------------------------------------------------------ */

void gsym_keys_fini(struct gsym_keys *k)
{
	gsym_vec_fini(&k->keys);
	gsym_vec_fini(&k->slots);
}

void gsym_keys_clear(struct gsym_keys *k)
{
	k->keys.count = 0;
	if (k->slots.count)
		memset(k->slots.items, 0,
		       k->slots.count * sizeof(*k->slots.items));
}

bool gsym_keys_grow(struct gsym_keys *k)
{
	size_t count = k->slots.count ? 2 * k->slots.count : 256;

	if (!gsym_vec_reserve(&k->slots, count - k->slots.count))
		return false;
	k->slots.count = count;
	memset(k->slots.items, 0, count * sizeof(*k->slots.items));
	for (size_t i = 0; i < k->keys.count; i++)
		*gsym_keys_slot(k, k->keys.items[i]) = (uint32_t)i + 1;
	return true;
}
