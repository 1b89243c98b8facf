/* SPDX-License-Identifier: MIT */
#include "base/intern.h"

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
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < in->count; i++) {
		size_t slot = in->entries[i].hash & (count - 1);

		while (slots[slot])
			slot = (slot + 1) & (count - 1);
		slots[slot] = (uint32_t)i + 1;
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
	in->entries = entries;
	in->entry_capacity = capacity;
	return true;
}

uint32_t gsym_intern_hash(const char *bytes, size_t length)
{
	return (uint32_t)XXH3_64bits(bytes, length);
}

bool gsym_intern_add(struct gsym_intern *in, const char *bytes, size_t length,
		     uint32_t *number)
{
	return gsym_intern_add_hashed(in, bytes, length,
				      gsym_intern_hash(bytes, length), number);
}

bool gsym_intern_add_hashed(struct gsym_intern *in, const char *bytes,
			    size_t length, uint32_t hash, uint32_t *number)
{
	const struct gsym_intern_entry *entry;
	const char *copy;
	size_t slot;

	/* At most half full. */
	if (in->count * 2 >= in->slot_count && !grow_slots(in))
		return false;
	slot = hash & (in->slot_count - 1);
	for (; in->slots[slot]; slot = (slot + 1) & (in->slot_count - 1)) {
		entry = &in->entries[in->slots[slot] - 1];
		if (entry->hash == hash && entry->length == length &&
		    !memcmp(entry->bytes, bytes, length)) {
			*number = in->slots[slot] - 1;
			return true;
		}
	}
	if (length > UINT32_MAX || in->count >= UINT32_MAX - 1)
		return false;
	if (in->count == in->entry_capacity && !grow_entries(in))
		return false;
	copy = gsym_arena_string(&in->arena, bytes, length);
	if (!copy)
		return false;
	in->entries[in->count] = (struct gsym_intern_entry){
		copy, (uint32_t)length, hash
	};
	*number = (uint32_t)in->count++;
	in->slots[slot] = *number + 1;
	return true;
}
