/* SPDX-License-Identifier: MIT */
/*
 * base/hash.h - hashes that whoever makes a file cannot foresee.
 *
 * Keys that a file chooses could all come to one slot of a table, and each
 * look-up would visit them all.  So a table has a secret, such as the address
 * that it lies at.  Nothing but time may depend on it: what goes over a table
 * from slot to slot and shows what it finds must not use these.
 */
#ifndef GSYM_BASE_HASH_H
#define GSYM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Every bit of what comes out hangs on every bit of X. */
static inline uint64_t gsym_hash_mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 29) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/** SIZE bytes at DATA. */
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
