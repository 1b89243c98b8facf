/* SPDX-License-Identifier: MIT */
/* The mutator of the fuzz targets inflates compressed sections: what the loader
 * finds in the file stays the same. */
#include "elf/elf.h"
#include "fuzz/sections.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BYTES = 1000, ROOM = 20000 };

/* An ELF file with a compressed section .debug_info, in memory of ROOM bytes;
 * to be freed. */
static uint8_t *make(int bits, bool big_endian, size_t *size, size_t *number)
{
	struct elfb *b = elfb_new(bits, big_endian, ET_REL, EM_PPC64);
	uint8_t bytes[BYTES], packed[BYTES], *made, *file = malloc(ROOM);
	uLongf packed_size = sizeof(packed);

	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i / 7);
	cr_assert_eq(compress(packed, &packed_size, bytes, BYTES), Z_OK);
	*number = elfb_compressed(b, ".debug_info", 0, 1, BYTES, packed,
				  packed_size);
	elfb_section(b, ".debug_str", SHT_PROGBITS, 0, 0, "text", 5);
	made = elfb_finish(b, size);
	memcpy(file, made, *size);
	free(made);
	elfb_free(b);
	return file;
}

/* Whether the loader finds the bytes of .debug_info in the file. */
static bool is_right(const uint8_t *file, size_t size)
{
	const struct gsym_container_section *s;
	struct gsym_container *c;
	bool right;

	if (gsym_container_load(&gsym_elf_input, file, size, GSYM_LOAD_ALL,
				NULL, &c, NULL) != GSYM_OK)
		return false;
	s = gsym_container_section(c, ".debug_info");
	right = s && s->data_size == BYTES;
	for (unsigned i = 0; right && i < BYTES; i++)
		right = s->data[i] == (uint8_t)(i / 7);
	gsym_container_free(c);
	return right;
}

Test(fuzz_sections, a_section_is_inflated)
{
	for (unsigned i = 0; i < 4; i++) {
		size_t size, number;
		uint8_t *file = make(i & 1 ? 32 : 64, i & 2, &size, &number);

		cr_expect(is_right(file, size));
		cr_expect_eq(fuzz_unpack_section(file, size, ROOM, number),
			     size + BYTES);
		cr_expect(is_right(file, size + BYTES));
		/* A change of the bytes is a change of the section. */
		file[size + 5] ^= 1;
		cr_expect(!is_right(file, size + BYTES));
		file[size + 5] ^= 1;
		/* It is not compressed any more. */
		cr_expect_eq(fuzz_unpack_section(file, size + BYTES, ROOM,
						 number),
			     size + BYTES);
		free(file);
	}
}

Test(fuzz_sections, what_stays_as_it_is)
{
	size_t size, number;
	uint8_t *file = make(64, false, &size, &number), *before = malloc(ROOM);

	memcpy(before, file, size);
	for (size_t i = 0; i < 9; i++)
		if (i != number)
			cr_expect_eq(fuzz_unpack_section(file, size, ROOM, i),
				     size);
	cr_expect_eq(fuzz_unpack_section(file, size, size + BYTES - 1, number),
		     size);
	cr_expect_eq(fuzz_unpack_section(file, 20, ROOM, number), 20);
	cr_expect_arr_eq(file, before, size);
	cr_expect_eq(fuzz_unpack_section(file, size, size + BYTES, number),
		     size + BYTES);
	free(before);
	free(file);
}
