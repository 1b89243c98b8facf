/* SPDX-License-Identifier: MIT */
/* Numbers byte strings, with a hash table of open addressing. */
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
	free(in->entries);
	free(in->slots);
	memset(in, 0, sizeof(*in));
}

static bool grow_slots(struct gsym_intern *in)
{
	size_t count = in->slot_count ? in->slot_count * 2 : 1024;
	struct gsym_intern_slot *slots =
		gsym_pages_alloc(count * sizeof(*slots));

	if (!slots)
		return false;
	/* Unlike calloc, this writes each page before it is read: the kernel
	 * would map a page of zeros for the read, and replace it afterwards. */
	memset(slots, 0, count * sizeof(*slots));
	for (size_t i = 0; i < in->slot_count; i++) {
		size_t slot = in->slots[i].hash & (count - 1);

		if (!in->slots[i].number)
			continue;
		while (slots[slot].number)
			slot = (slot + 1) & (count - 1);
		slots[slot] = in->slots[i];
	}
	free(in->slots);
	in->slots = slots;
	in->slot_count = count;
	return true;
}

static bool grow_entries(struct gsym_intern *in)
{
	size_t capacity = in->entry_capacity ? in->entry_capacity * 2 : 512;
	struct gsym_intern_entry *entries =
		realloc(in->entries, capacity * sizeof(*entries));

	if (!entries)
		return false;
	gsym_pages_large(entries, capacity * sizeof(*entries));
	in->entries = entries;
	in->entry_capacity = capacity;
	return true;
}

static uint32_t hash_of(struct gsym_intern *in, const char *bytes,
			size_t length)
{
	/* XXH3 multiplies words of the input that were combined with constants.
	 * A word that is equal to its constant makes the product 0, whatever
	 * the other word is.  The seed changes the constants. */
	if (!in->seed)
		in->seed = gsym_hash_mix((uintptr_t)in) | 1;
	return (uint32_t)XXH3_64bits_withSeed(bytes, length, in->seed);
}

/* The slot of the LENGTH bytes at BYTES with HASH, or the free slot where they
 * would be.  IN has slots, of which one is free. */
static inline struct gsym_intern_slot *find_slot(const struct gsym_intern *in,
						 const char *bytes,
						 size_t length, uint32_t hash)
{
	const struct gsym_intern_entry *entry;
	struct gsym_intern_slot *slot;
	size_t at;

	for (at = hash & (in->slot_count - 1);; at = (at + 1) &
						     (in->slot_count - 1)) {
		slot = &in->slots[at];
		if (!slot->number)
			return slot;
		if (slot->hash != hash)
			continue;
		entry = &in->entries[slot->number - 1];
		if (entry->length == length &&
		    !memcmp(entry->bytes, bytes, length))
			return slot;
	}
}

bool gsym_intern_find(struct gsym_intern *in, const char *bytes, size_t length,
		      uint32_t *number)
{
	const struct gsym_intern_slot *slot;

	if (!in->slot_count)
		return false;
	slot = find_slot(in, bytes, length,
			 hash_of(in, bytes, length));
	*number = slot->number - 1;
	return slot->number != 0;
}

bool gsym_intern_add(struct gsym_intern *in, const char *bytes, size_t length,
		     uint32_t *number)
{
	uint32_t hash = hash_of(in, bytes, length);
	struct gsym_intern_slot *slot;
	const char *copy;

	/* Keep the table at most two thirds full. */
	if (in->count * 3 >= in->slot_count * 2 && !grow_slots(in))
		return false;
	slot = find_slot(in, bytes, length, hash);
	*number = slot->number - 1;
	if (slot->number)
		return true;
	if (length > UINT32_MAX || in->count >= UINT32_MAX - 1)
		return false;
	if (in->count == in->entry_capacity && !grow_entries(in))
		return false;
	copy = gsym_arena_string(&in->arena, bytes, length);
	if (!copy)
		return false;
	/* BYTES may lie in a file that another process changes, so that the
	 * copy has another hash, or equals an entry.  The copy decides. */
	hash = hash_of(in, copy, length);
	slot = find_slot(in, copy, length, hash);
	*number = slot->number - 1;
	if (slot->number)
		return true;
	in->entries[in->count] = (struct gsym_intern_entry){
		copy, (uint32_t)length, hash
	};
	*number = (uint32_t)in->count;
	__atomic_store_n(&in->count, in->count + 1, __ATOMIC_RELAXED);
	*slot = (struct gsym_intern_slot){ *number + 1, hash };
	return true;
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
