/* SPDX-License-Identifier: MIT */
/* reader/embedded: GSYM data in a section of an ELF file. */
#include "answers.h"
#include "support/elf_builder.h"

/* An ELF file of BITS (32 or 64) with the example in section NAME; *OFFSET is
 * that of the section.  EXTENDED: the number of sections is in section header
 * 0. */
static uint8_t *embed(unsigned bits, bool big, const char *name,
		      unsigned type, uint64_t flags, bool extended,
		      size_t *offset, size_t *size)
{
	struct elfb *b = elfb_new(bits, big, ET_DYN, EM_NONE);
	size_t section;
	uint8_t *bytes;

	elfb_section(b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
		     0x1000, NULL, 16);
	/* Names that begin or end as ".gsym" does. */
	elfb_section(b, ".gsymbols", SHT_PROGBITS, 0, 0, "no", 2);
	elfb_section(b, "x.gsym", SHT_PROGBITS, 0, 0, "no", 2);
	section = elfb_section(b, name, type, flags, 0, gb_example_v1,
			       sizeof(gb_example_v1));
	if (extended)
		elfb_extended_numbers(b);
	bytes = elfb_finish(b, size);
	*offset = elfb_offset(b, section);
	elfb_free(b);
	return bytes;
}

Test(embedded, every_class_and_byte_order)
{
	for (unsigned i = 0; i < 8; i++) {
		size_t offset, size;
		uint8_t *bytes = embed(i & 1 ? 64 : 32, i & 2, ".gsym",
				       SHT_PROGBITS, 0, i & 4, &offset, &size);
		struct gsym_reader *reader = open_bytes(bytes, size);
		struct gsym_header h;

		gsym_header(reader, &h);
		cr_expect(h.image_offset == offset &&
			  h.image_size == sizeof(gb_example_v1));
		expect_answer(reader, 0x401028, "_start @ /src/ex.c:10");
		gsym_close(reader);
		free(bytes);
	}
}

static void refuse(uint8_t *bytes, size_t size, enum gsym_status status,
		   const char *text)
{
	struct gsym_reader *reader = NULL;
	struct gsym_error error = { 0 };
	enum gsym_status got = gsym_open_memory(bytes, size, &reader, &error);

	cr_expect(got == status && strstr(error.message, text),
		  "status %d: %s", got, error.message);
	cr_expect(reader == NULL);
	free(bytes);
}

Test(embedded, sections_that_cannot_be_used)
{
	size_t offset, size;
	uint8_t *bytes = embed(64, false, ".text2", SHT_PROGBITS, 0, false,
			       &offset, &size);

	refuse(bytes, size, GSYM_ERR_FORMAT, "no section .gsym");
	bytes = embed(64, false, ".gsym", SHT_NOBITS, 0, false, &offset,
		      &size);
	refuse(bytes, size, GSYM_ERR_FORMAT, "no section .gsym");
	bytes = embed(32, true, ".gsym", SHT_PROGBITS, SHF_COMPRESSED, false,
		      &offset, &size);
	refuse(bytes, size, GSYM_ERR_UNSUPPORTED, "compressed");
	bytes = embed(32, true, ".gsym", SHT_PROGBITS, 0, false, &offset,
		      &size);
	memset(bytes + offset, 0, 4);
	refuse(bytes, size, GSYM_ERR_FORMAT, "magic");
}

Test(embedded, errors_count_from_the_start_of_the_file)
{
	size_t offset, size;
	uint8_t *bytes = embed(64, false, ".gsym", SHT_PROGBITS, 0, false,
			       &offset, &size);
	struct gsym_reader *reader;
	struct gsym_error error;

	bytes[offset + 6] = 5;
	cr_expect(gsym_open_memory(bytes, size, &reader, &error) ==
		  GSYM_ERR_CORRUPT);
	cr_expect(error.offset == offset + 6);
	bytes[offset + 6] = 2;
	bytes[offset + 0x70] = 0;
	reader = open_bytes(bytes, size);
	cr_expect(gsym_lookup(reader, 0x401000, 0, NULL, 0, NULL, &error) ==
		  GSYM_ERR_CORRUPT);
	cr_expect(error.offset == offset + 0x70);
	gsym_close(reader);
	free(bytes);
}

/* The ELF file cut at every byte fails to open.  With any byte of its headers
 * changed it fails to open or gives answers. */
Test(embedded, every_truncation_and_changed_byte)
{
	for (unsigned i = 0; i < 4; i++) {
		size_t offset, size, opened = 0;
		uint8_t *bytes = embed(i & 1 ? 64 : 32, i & 2, ".gsym",
				       SHT_PROGBITS, 0, false, &offset, &size);
		struct gsym_reader *reader;

		for (size_t cut = 0; cut < size; cut++) {
			uint8_t *copy = malloc(cut ? cut : 1);

			memcpy(copy, bytes, cut);
			cr_expect(gsym_open_memory(copy, cut, &reader, NULL),
				  "%zu of %zu bytes opened", cut, size);
			free(copy);
		}
		for (size_t at = 0; at < size; at++) {
			if (at >= offset &&
			    at < offset + sizeof(gb_example_v1))
				continue;
			bytes[at] ^= 0xff;
			if (!gsym_open_memory(bytes, size, &reader, NULL)) {
				opened++;
				answer(reader, 0x401000);
				gsym_close(reader);
			}
			bytes[at] ^= 0xff;
		}
		cr_expect(opened > size / 4 && opened < size);
		free(bytes);
	}
}
