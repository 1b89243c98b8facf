/* SPDX-License-Identifier: MIT */
/* base/hash: known checksums, and bytes in pieces and in any order. */
#include "base/hash.h"

#include <criterion/criterion.h>
#include <string.h>

/* The checksum of the SIZE bytes at BYTES. */
static uint32_t checksum(const void *bytes, size_t size)
{
	struct gsym_crc32c crc;

	gsym_crc32c_init(&crc);
	return ~gsym_crc32c_add(&crc, UINT32_MAX, bytes, size);
}

/* The checksums of RFC 3720, appendix B.4, and that of "123456789". */
Test(crc32c, known_checksums)
{
	uint8_t bytes[32];

	cr_expect_eq(checksum("123456789", 9), 0xe3069283);
	cr_expect_eq(checksum("", 0), 0);
	memset(bytes, 0, sizeof(bytes));
	cr_expect_eq(checksum(bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	cr_expect_eq(checksum(bytes, 32), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	cr_expect_eq(checksum(bytes, 32), 0x46dd794e);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(31 - i);
	cr_expect_eq(checksum(bytes, 32), 0x113fdb5c);
}

Test(crc32c, pieces_at_any_place)
{
	struct gsym_crc32c crc;
	uint8_t bytes[40];

	gsym_crc32c_init(&crc);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + 1);
	for (size_t size = 0; size <= sizeof(bytes); size++)
		for (size_t cut = 0; cut <= size; cut++) {
			uint32_t state = gsym_crc32c_add(&crc, UINT32_MAX,
							 bytes, cut);
			uint32_t after = gsym_crc32c_add(&crc, 0, bytes + cut,
							 size - cut);
			uint32_t whole = ~checksum(bytes, size);

			cr_expect_eq(gsym_crc32c_add(&crc, state, bytes + cut,
						     size - cut), whole);
			/* The checksum of the whole from those of both pieces,
			 * computed apart. */
			cr_expect_eq(gsym_crc32c_zeros(state, size - cut) ^
				     after, whole);
		}
}

Test(crc32c, zeros)
{
	static const uint8_t none[1000];
	struct gsym_crc32c crc;

	gsym_crc32c_init(&crc);
	for (size_t count = 0; count <= sizeof(none); count++)
		cr_expect_eq(gsym_crc32c_zeros(0x12345678, count),
			     gsym_crc32c_add(&crc, 0x12345678, none, count));
	/* Two numbers of zeros whose sum is 2^40 + 3. */
	cr_expect_eq(gsym_crc32c_zeros(gsym_crc32c_zeros(7, (1ull << 40) - 9),
				       12),
		     gsym_crc32c_zeros(7, (1ull << 40) + 3));
}
