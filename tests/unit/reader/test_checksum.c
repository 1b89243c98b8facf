/* SPDX-License-Identifier: MIT */
/* gsym_checksum: files whose checksum is right, wrong, and missing. */
#include "answers.h"

/* CRC-32C of the SIZE bytes at BYTES, bit by bit. */
static uint32_t crc32c(const uint8_t *bytes, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

/* The rich file of VERSION with a checksum, and with MORE in the field that has
 * the number of covered bytes. */
static uint8_t *with_checksum(unsigned version, bool big_endian,
			      uint64_t more, size_t *size)
{
	uint8_t *plain = gb_rich(version, big_endian, size);
	uint8_t *bytes = calloc(1, *size + 16);
	bool swap = big_endian != GSYM_HOST_BIG_ENDIAN;

	memcpy(bytes, plain, *size);
	free(plain);
	gsym_store_u64(bytes + *size, *size + more, swap);
	gsym_store_u32(bytes + *size + 8, crc32c(bytes, *size), swap);
	gsym_store_u32(bytes + *size + 12, 0x47435243, swap);
	*size += 16;
	return bytes;
}

static enum gsym_status check(const uint8_t *bytes, size_t size,
			      struct gsym_error *error)
{
	struct gsym_reader *reader;
	enum gsym_status status =
		gsym_open_memory(bytes, size, &reader, error);

	if (status != GSYM_OK)
		return status;
	status = gsym_checksum(reader, error);
	/* gsym_verify says the same. */
	if (status != GSYM_NOT_FOUND)
		cr_expect_eq(gsym_verify(reader, NULL, NULL), status);
	gsym_close(reader);
	return status;
}

Test(checksum, right)
{
	for (unsigned i = 0; i < 4; i++) {
		struct gsym_header header;
		size_t size;
		uint8_t *bytes = with_checksum(1 + i / 2, i % 2, 0, &size);
		struct gsym_reader *reader = open_bytes(bytes, size);
		const uint64_t at = size - 16;

		cr_expect_eq(check(bytes, size, NULL), GSYM_OK);
		gsym_get_header(reader, &header);
		cr_expect_eq(header.checksum, crc32c(bytes, size - 16));
		cr_expect_eq(header.sections[GSYM_SECTION_CHECKSUM].offset,
			     at);
		cr_expect_eq(header.sections[GSYM_SECTION_CHECKSUM].size, 16);
		/* The records end before the checksum. */
		cr_expect_eq(header.sections[GSYM_SECTION_FUNCTIONS].offset +
				     header.sections[GSYM_SECTION_FUNCTIONS]
					     .size, at);
		gsym_close(reader);
		free(bytes);
	}
}

Test(checksum, missing)
{
	for (unsigned i = 0; i < 4; i++) {
		struct gsym_header header;
		size_t size;
		uint8_t *bytes = gb_rich(1 + i / 2, i % 2, &size);
		struct gsym_reader *reader = open_bytes(bytes, size);

		cr_expect_eq(gsym_checksum(reader, NULL), GSYM_NOT_FOUND);
		gsym_get_header(reader, &header);
		cr_expect_eq(header.checksum, 0);
		cr_expect_eq(header.sections[GSYM_SECTION_CHECKSUM].size, 0);
		gsym_close(reader);
		free(bytes);
	}
}

/* Whichever bit is wrong, either the file cannot be opened, or its checksum is
 * wrong.  The bits that say that there is a checksum are left out. */
Test(checksum, every_bit)
{
	for (unsigned i = 0; i < 4; i++) {
		size_t size;
		uint8_t *bytes = with_checksum(1 + i / 2, i % 2, 0, &size);

		for (size_t bit = 0; bit < 8 * (size - 4); bit++) {
			bytes[bit / 8] ^= 1u << bit % 8;
			enum gsym_status status = check(bytes, size, NULL);

			/* In the other byte order there is no checksum. */
			cr_expect(status != GSYM_OK &&
				  status != GSYM_NOT_FOUND, "bit %zu", bit);
			bytes[bit / 8] ^= 1u << bit % 8;
		}
		for (size_t bit = 8 * (size - 4); bit < 8 * size; bit++) {
			bytes[bit / 8] ^= 1u << bit % 8;
			cr_expect_eq(check(bytes, size, NULL), GSYM_NOT_FOUND);
			bytes[bit / 8] ^= 1u << bit % 8;
		}
		free(bytes);
	}
}

Test(checksum, of_other_bytes)
{
	for (unsigned i = 0; i < 4; i++) {
		struct gsym_error error = { 0 };
		size_t size;
		uint8_t *bytes = with_checksum(1 + i / 2, i % 2, 4, &size);

		cr_expect_eq(check(bytes, size, &error), GSYM_ERR_CORRUPT);
		cr_expect_eq(error.offset, size - 16);
		cr_expect_not_null(strstr(error.message, "bytes are before"));
		free(bytes);
		/* No GSYM file is that short, but nothing is read outside. */
		bytes = with_checksum(1, false, 0, &size);
		for (size_t cut = size; cut > 0; cut--)
			cr_expect_neq(check(bytes + cut, size - cut, NULL),
				      GSYM_OK);
		free(bytes);
	}
}
