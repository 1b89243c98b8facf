/* SPDX-License-Identifier: MIT */
/* base/hash: keys are spread over the slots, and another secret spreads them
 * otherwise. */
#include "base/hash.h"

#include <criterion/criterion.h>

/* A table of SLOTS slots that is half full. */
enum { KEYS = 4096, SLOTS = 2 * KEYS };

/* The greatest number of keys in one slot, of the KEYS multiples of STEP. */
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

/* Keys that differ in their low bits only, in their high bits only, and in
 * those between. */
Test(hash, near_numbers_spread)
{
	for (unsigned shift = 0; shift <= 52; shift++)
		cr_expect_lt(most_in_a_slot(0x7f1234567890,
					    UINT64_C(1) << shift), 12,
			     "%u bits up", shift);
}

/* Keys in one slot with one secret are in several with another. */
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
		/* Each of the SIZE bytes counts, and no byte after them. */
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
