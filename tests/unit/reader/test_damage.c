/* SPDX-License-Identifier: MIT */
/* Sound files cut at every byte, and with every byte changed: opening them
 * fails with an error, or every function of the reader copes with them.  Most
 * worth under the sanitizers. */
#include "answers.h"
#include "use_all.h"

/* Use the SIZE bytes at BYTES in a heap block of that size, so that a sanitizer
 * sees reads beyond them.  *OPENED: they could be opened. */
static void use(const uint8_t *bytes, size_t size, bool *opened)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct gsym_reader *reader;
	struct gsym_error error = { 0 };

	memcpy(copy, bytes, size);
	*opened = gsym_open_memory(copy, size, &reader, &error) == GSYM_OK;
	if (*opened) {
		use_all(reader);
		gsym_close(reader);
	} else {
		cr_assert(error.code >= GSYM_ERR_FORMAT &&
			  error.code <= GSYM_ERR_CORRUPT &&
			  error.offset <= size && *error.message);
	}
	free(copy);
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

Test(damage, every_truncation)
{
	uint8_t *bytes;
	size_t size;

	for (unsigned i = 0; (bytes = sound(i, &size)); i++) {
		bool opened;

		for (size_t cut = 0; cut < size; cut++) {
			use(bytes, cut, &opened);
			cr_expect(!opened || i < 2 || i == 5,
				  "version 2 says where it ends");
		}
		use(bytes, size, &opened);
		cr_expect(opened);
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
				bool opened;

				bytes[at] ^= masks[k];
				use(bytes, size, &opened);
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
	bool opened;

	reader = open_bytes(bytes, size);
	gsym_header(reader, &h);
	gsym_close(reader);
	for (size_t at = h.sections[GSYM_SECTION_FUNCTIONS].offset;
	     at + 1 < size; at++)
		for (int k = 0; k < 49; k++) {
			uint8_t old[2] = { bytes[at], bytes[at + 1] };

			bytes[at] = values[k / 7];
			bytes[at + 1] = values[k % 7];
			use(bytes, size, &opened);
			memcpy(bytes + at, old, 2);
		}
	free(bytes);
}
