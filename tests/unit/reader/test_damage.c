/* SPDX-License-Identifier: MIT */
/* Sound files cut at every byte, and with every byte changed: opening them
 * fails with an error, or every function of the reader copes with them and
 * reads no byte beyond the file. */
#include "answers.h"
#include "support/guard.h"
#include "use_all.h"

/* Use the SIZE bytes at BYTES, which lie beside memory that cannot be accessed.
 * Returns whether they could be opened. */
static bool use_at(const uint8_t *bytes, size_t size)
{
	struct gsym_reader *reader;
	struct gsym_error error = { 0 };

	guard_dirty_stack();
	if (gsym_open_memory(bytes, size, &reader, &error) != GSYM_OK) {
		cr_assert(error.code >= GSYM_ERR_FORMAT &&
			  error.code <= GSYM_ERR_CORRUPT &&
			  error.offset <= size && *error.message);
		return false;
	}
	use_all(reader);
	gsym_close(reader);
	return true;
}

/* Use a copy of the SIZE bytes at BYTES. */
static bool use(const uint8_t *bytes, size_t size)
{
	bool opened = use_at(guard_end(bytes, size), size);

	cr_assert(use_at(guard_start(bytes, size), size) == opened);
	return opened;
}

/* Sound file NUMBER, from 0 on; NULL after the last. */
static uint8_t *sound(unsigned number, size_t *size)
{
	uint8_t *bytes;

	if (number < 4)
		return gb_rich(1 + number / 2, number % 2, size);
	if (number == 4)
		return gb_example_v2(size);
	if (number > 5)
		return NULL;
	*size = sizeof(gb_example_v1);
	bytes = malloc(*size);
	memcpy(bytes, gb_example_v1, *size);
	return bytes;
}

/* A copy of BYTES, a file of version 2, in which the section of directory entry
 * ENTRY is the last thing, after GAP bytes; *SIZE is adjusted. */
static uint8_t *move_last(const uint8_t *bytes, unsigned entry, size_t gap,
			  size_t *size)
{
	uint8_t *copy = calloc(1, 2 * *size + gap);
	uint8_t *place = copy + 20 + 20 * entry + 4;
	bool swap = bytes[0] != (GSYM_HOST_BIG_ENDIAN ? 'G' : 'M');
	uint64_t offset, count;

	memcpy(copy, bytes, *size);
	offset = gsym_load_u64(place, swap);
	count = gsym_load_u64(place + 8, swap);
	memcpy(copy + *size + gap, bytes + offset, count);
	gsym_store_u64(place, *size + gap, swap);
	*size += gap + count;
	return copy;
}

/* The sections of version 2 may be in any order, at any offset. */
Test(damage, any_section_may_be_the_last)
{
	for (unsigned i = 0; i < 2 * 6 * 4; i++) {
		size_t size;
		uint8_t *bytes = gb_rich(2, i & 1, &size);
		uint8_t *moved = move_last(bytes, i / 2 % 6, i / 12, &size);
		struct gsym_reader *reader;

		cr_expect(use(moved, size));
		reader = open_bytes(moved, size);
		cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
		expect_answer(reader, 0x1014,
			      "middle @ b.h:3 [inlined]; "
			      "outer + 4 @ /src/a.c:10");
		expect_answer(reader, 0x2007, "long + 7");
		expect_answer(reader, 0xffffff, "last + 16764927");
		gsym_close(reader);
		free(moved);
		free(bytes);
	}
}

Test(damage, every_truncation)
{
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = sound(i, &size)); i++) {
		for (size_t cut = 0; cut < size; cut++)
			cr_expect(!use(bytes, cut) || i < 2 || i == 5,
				  "version 2 says where it ends");
		cr_expect(use(bytes, size));
		free(bytes);
	}
}

Test(damage, every_byte_changed)
{
	static const uint8_t masks[] = { 0xff, 0x80, 0x01, 0x7e };
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = sound(i, &size)); i++) {
		for (size_t at = 0; at < size; at++)
			for (int k = 0; k < 4; k++) {
				bytes[at] ^= masks[k];
				use(bytes, size);
				bytes[at] ^= masks[k];
			}
		free(bytes);
	}
}

/* Every two neighbouring bytes of the records are set to every pair of values
 * that are limits of some field. */
Test(damage, pairs_of_limits_in_the_records)
{
	static const uint8_t values[] = { 0, 1, 2, 4, 0x7f, 0x80, 0xff };
	struct gsym_reader *reader;
	struct gsym_header h;
	size_t size;
	uint8_t *bytes = gb_rich(1, false, &size);

	reader = open_bytes(bytes, size);
	gsym_get_header(reader, &h);
	gsym_close(reader);
	for (size_t at = h.sections[GSYM_SECTION_FUNCTIONS].offset;
	     at + 1 < size; at++)
		for (int k = 0; k < 49; k++) {
			uint8_t old[2] = { bytes[at], bytes[at + 1] };

			bytes[at] = values[k / 7];
			bytes[at + 1] = values[k % 7];
			use(bytes, size);
			memcpy(bytes + at, old, 2);
		}
	free(bytes);
}
