/* SPDX-License-Identifier: MIT */
/* lookup/sort.c - sorts addresses, so that lookups that follow each other use
 * the same memory. */
#include "config.h"

#include <string.h>

#include "lookup/lookup.h"

/* The byte of KEY from bit SHIFT on; the bits from 64 on are those of the build
 * ID. */
static unsigned byte_of(const struct lookup_key *key, unsigned shift)
{
	return (shift < 64 ? key->address >> shift : key->id >> (shift - 64)) &
	       255;
}

/* Sort the keys by the byte from bit SHIFT on.  Keys with equal bytes keep
 * their order. */
static void sort_by_byte(struct lookup_key *keys, struct lookup_key *spare,
			 size_t count, unsigned shift)
{
	size_t starts[257] = { 0 };

	for (size_t i = 0; i < count; i++)
		starts[byte_of(&keys[i], shift) + 1]++;
	for (size_t i = 0; i < 256; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < count; i++)
		spare[starts[byte_of(&keys[i], shift)]++] = keys[i];
	memcpy(keys, spare, count * sizeof(*keys));
}

void lookup_sort(struct lookup_key *keys, struct lookup_key *spare,
		 size_t count)
{
	struct lookup_key differing = { 0 };

	for (size_t i = 1; i < count; i++) {
		differing.address |= keys[i].address ^ keys[0].address;
		differing.id |= keys[i].id ^ keys[0].id;
	}
	/* Bytes that are equal in all keys are skipped. */
	for (unsigned shift = 0; shift < 96; shift += 8)
		if (byte_of(&differing, shift))
			sort_by_byte(keys, spare, count, shift);
}
