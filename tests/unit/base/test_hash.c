/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <criterion/criterion.h>

/* As many slots as keys, in a table that is half full of them. */
enum { KEYS = 4096, SLOTS = 2 * KEYS };

/* The most keys that share a slot, of KEYS numbers STEP apart. */
static unsigned most_in_a_slot(uint64_t secret, uint64_t step)
{
	static unsigned counts[SLOTS];
	unsigned most = 0;

	memset(counts, 0, sizeof(counts));
	for (uint64_t i = 0; i < KEYS; i++) {
		size_t slot = gsym_hash_mix(i * step ^ secret) % SLOTS;

		if (++counts[slot] > most)
			most = counts[slot];
	}
	return most;
}

/* Numbers that differ in their lowest bits alone, in their highest, in any. */
Test(hash, near_numbers_spread)
{
	for (unsigned shift = 0; shift <= 52; shift++)
		cr_expect_lt(most_in_a_slot(0x7f1234567890,
					    UINT64_C(1) << shift), 12,
			     "%u bits up", shift);
}

/* What falls together with one secret does not with another. */
Test(hash, a_secret_takes_collisions_apart)
{
	uint64_t keys[8];
	unsigned found = 0;
	unsigned together = 0;

	for (uint64_t key = 0; found < 8; key++)
		if (gsym_hash_mix(key ^ 1) % SLOTS == 5)
			keys[found++] = key;
	for (unsigned i = 1; i < 8; i++)
		together += gsym_hash_mix(keys[i] ^ 2) % SLOTS ==
			    gsym_hash_mix(keys[0] ^ 2) % SLOTS;
	cr_expect_eq(together, 0);
}

Test(hash, bytes)
{
	static const char text[] = "0123456789abcdef0123";
	uint64_t hashes[sizeof(text)];

	for (size_t size = 0; size < sizeof(text); size++) {
		char copy[sizeof(text)];

		hashes[size] = gsym_hash_bytes(7, text, size);
		for (size_t i = 0; i < size; i++)
			cr_expect_neq(hashes[i], hashes[size]);
		/* It looks at all of them and at nothing behind. */
		memset(copy, 'x', sizeof(copy));
		memcpy(copy, text, size);
		cr_expect_eq(gsym_hash_bytes(7, copy, size), hashes[size]);
		for (size_t i = 0; i < size; i++) {
			copy[i] ^= 1;
			cr_expect_neq(gsym_hash_bytes(7, copy, size),
				      hashes[size]);
			copy[i] ^= 1;
		}
	}
	cr_expect_neq(gsym_hash_bytes(8, text, 9), hashes[9]);
}
