/* SPDX-License-Identifier: MIT */
/* A hash table from keys to numbers. */
#include "config.h"

#include "common/keys.h"

#include <stdlib.h>
#include <string.h>

#include "common/report.h"

/* The slot of a key.  The address of the table is part of the hash, so that no
 * input can be made to have all its keys in one slot. */
static uint32_t slot_of(const struct keys *k, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t hash = (uintptr_t)k ^ size;
	while (size) {
		uint64_t word = 0;
		size_t part = size < sizeof(word) ? size : sizeof(word);
		memcpy(&word, at, part);
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash = (hash ^ hash >> 29) * UINT64_C(0xd6e8feb86659fd93);
		hash ^= hash >> 32;
		at += part;
		size -= part;
	}
	return (uint32_t)(hash & (2 * (uint64_t)k->capacity - 1));
}

static void grow(struct keys *k)
{
	if (k->capacity > UINT32_MAX / 8)
		die("there are too many different names");
	k->capacity = k->capacity ? 2 * k->capacity : 256;
	k->items = reallocarray(k->items, k->capacity, sizeof(*k->items));
	free(k->slots);
	k->slots = calloc(2 * (size_t)k->capacity, sizeof(*k->slots));
	if (!k->items || !k->slots)
		die("out of memory");
	for (uint32_t i = 0; i < k->count; i++) {
		uint32_t slot = slot_of(k, k->items[i].bytes, k->items[i].size);
		k->items[i].next = k->slots[slot];
		k->slots[slot] = i + 1;
	}
}

uint32_t keys_within(struct keys *k, uint32_t most, const void *bytes,
		     size_t size)
{
	uint32_t slot;
	char *copy;
	if (k->count == k->capacity)
		grow(k);
	slot = slot_of(k, bytes, size);
	for (uint32_t i = k->slots[slot]; i; i = k->items[i - 1].next)
		if (k->items[i - 1].size == size &&
		    !memcmp(k->items[i - 1].bytes, bytes, size))
			return i - 1;
	if (k->count == most)
		return most;
	copy = malloc(size + 1);
	if (!copy)
		die("out of memory");
	memcpy(copy, bytes, size);
	copy[size] = 0;
	k->items[k->count] = (struct key){ copy, size, k->slots[slot] };
	k->slots[slot] = k->count + 1;
	return k->count++;
}

uint32_t keys_number(struct keys *k, const void *bytes, size_t size)
{
	return keys_within(k, UINT32_MAX, bytes, size);
}

void keys_fini(struct keys *k)
{
	for (uint32_t i = 0; i < k->count; i++)
		free(k->items[i].bytes);
	free(k->items);
	free(k->slots);
	*k = (struct keys){ 0 };
}
