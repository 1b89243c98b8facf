/* SPDX-License-Identifier: MIT */
/*
 * base/crc32c.h - the checksum CRC-32C (Castagnoli; iSCSI, RFC 3720).  Bytes
 * may be added in pieces, and a run of zeros without the zeros.
 *
 * A state is the register of the CRC.  It is 0xffffffff before the first byte,
 * and the checksum is the state after the last byte, inverted.
 *
 * The state is linear: if A is the state after some bytes, and B the state
 * after bytes of the same number that started from state 0, A ^ B is the state
 * after the bytewise XOR of both.  So the pieces of a file may come in any
 * order: each counts as its bytes between zeros (gsym_crc32c_zeros).
 */
#ifndef GSYM_BASE_CRC32C_H
#define GSYM_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

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
