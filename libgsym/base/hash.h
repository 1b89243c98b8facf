/* SPDX-License-Identifier: MIT */
/* base/hash.h - hashes that depend on a secret, and the checksum CRC-32C. */
#ifndef GSYM_BASE_HASH_H
#define GSYM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A hostile file can choose keys that all fall into one slot of a hash table,
 * so that each look-up visits them all.  A secret that is unknown to the
 * author of the file prevents that; the address of the table is good enough.
 *
 * The secret differs from run to run.  So no output may depend on a hash: do
 * not walk over a table slot by slot and write down what is found.
 */

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
	uint64_t hash = gsym_hash_mix(secret ^ size), part = 0;

	for (; size >= sizeof(part); size -= sizeof(part)) {
		memcpy(&part, bytes, sizeof(part));
		hash = gsym_hash_mix(hash ^ part);
		bytes += sizeof(part);
	}
	if (!size)
		return hash;
	part = 0;
	memcpy(&part, bytes, size);
	return gsym_hash_mix(hash ^ part);
}

/*
 * CRC-32C (Castagnoli; iSCSI, RFC 3720).  Bytes may be added in pieces, and a
 * run of zeros without the zeros.
 *
 * A state is the register of the CRC.  It is 0xffffffff before the first byte,
 * and the checksum is the state after the last byte, inverted.
 *
 * The state is linear: if A is the state after some bytes, and B the state
 * after bytes of the same number that started from state 0, A ^ B is the state
 * after the bytewise XOR of both.  So the pieces of a file may come in any
 * order: each counts as its bytes between zeros (gsym_crc32c_zeros).
 */

/** Tables, which are computed once; 8 KiB. */
struct gsym_crc32c {
	uint32_t table[8][256];
};

void gsym_crc32c_init(struct gsym_crc32c *crc);

/** The state after the SIZE bytes at BYTES, from STATE on. */
uint32_t gsym_crc32c_add(const struct gsym_crc32c *crc, uint32_t state,
			 const void *bytes, size_t size);

/** The state after COUNT zero bytes, from STATE on, in a time that hardly
 *  depends on COUNT. */
uint32_t gsym_crc32c_zeros(uint32_t state, uint64_t count);

#endif
