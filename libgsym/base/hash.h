/* SPDX-License-Identifier: MIT */
/*
 * base/hash.h - hashes that depend on a secret.
 *
 * A hostile file can choose keys that all fall into one slot of a hash table,
 * so that each look-up visits them all.  A secret that is unknown to the
 * author of the file prevents that; the address of the table is good enough.
 *
 * The secret differs from run to run.  So no output may depend on a hash: do
 * not walk over a table slot by slot and write down what is found.
 */
#ifndef GSYM_BASE_HASH_H
#define GSYM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Mix X: every bit of the result depends on every bit of X. */
static inline uint64_t gsym_hash_mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 29) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/** The hash of the SIZE bytes at DATA, for a table with SECRET. */
static inline uint64_t gsym_hash_bytes(uint64_t secret, const void *data,
				       size_t size)
{
	const unsigned char *bytes = data;
	uint64_t hash = gsym_hash_mix(secret ^ size);

	for (uint64_t word; size; size -= word) {
		uint64_t part = 0;

		word = size < sizeof(part) ? size : sizeof(part);
		memcpy(&part, bytes, word);
		hash = gsym_hash_mix(hash ^ part);
		bytes += word;
	}
	return hash;
}

#endif
