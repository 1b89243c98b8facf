/* SPDX-License-Identifier: MIT */
/* reader/image: GSYM data in a section of an ELF file. */
#include "answers.h"
#include "problems.h"
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

		gsym_get_header(reader, &h);
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

/* Expect that opening fails with STATUS, and that the error is at OFFSET and
 * has TEXT in its message.  BYTES remain. */
static void refuse_at(const uint8_t *bytes, size_t size,
		      enum gsym_status status, uint64_t offset,
		      const char *text)
{
	struct gsym_reader *reader;
	struct gsym_error error = { 0 };
	enum gsym_status got = gsym_open_memory(bytes, size, &reader, &error);

	cr_expect(got == status && error.offset == offset &&
		  strstr(error.message, text),
		  "status %d at 0x%" PRIx64 ": %s", got, error.offset,
		  error.message);
}

/* Fields of ELF files of 64 bits: offsets in the header, then in a section
 * header. */
enum {
	SECTION_TABLE = 40, SECTION_COUNT = 60, NAMES_INDEX = 62,
	FLAGS = 8, OFFSET = 24, SIZE = 32, HEADER_SIZE = 64,
};

/* Errors are at the section header, and .gsym may reach up to the end of the
 * file, but not beyond it. */
Test(embedded, errors_name_the_section_header)
{
	size_t offset, size;
	uint8_t *bytes = embed(64, false, ".gsym", SHT_PROGBITS, 0, false,
			       &offset, &size);
	uint64_t table = gsym_load_u64(bytes + SECTION_TABLE,
				       GSYM_HOST_BIG_ENDIAN);
	uint8_t count = bytes[SECTION_COUNT], names = bytes[NAMES_INDEX];
	uint8_t *header = bytes + table + 4 * HEADER_SIZE;
	struct gsym_reader *reader;
	struct gsym_header h;

	gsym_store_u64(header + SIZE, size - offset, GSYM_HOST_BIG_ENDIAN);
	reader = open_bytes(bytes, size);
	gsym_get_header(reader, &h);
	cr_expect(h.image_offset == offset && h.image_size == size - offset);
	gsym_close(reader);
	gsym_store_u64(header + SIZE, size - offset + 1, GSYM_HOST_BIG_ENDIAN);
	refuse_at(bytes, size, GSYM_ERR_CORRUPT, table + 4 * HEADER_SIZE,
		  "section .gsym at offset");
	gsym_store_u64(header + SIZE, 16, GSYM_HOST_BIG_ENDIAN);
	header[FLAGS + 1] = SHF_COMPRESSED >> 8;
	refuse_at(bytes, size, GSYM_ERR_UNSUPPORTED, table + 4 * HEADER_SIZE,
		  "compressed");
	bytes[NAMES_INDEX] = count;
	refuse_at(bytes, size, GSYM_ERR_FORMAT, 0, "no section names");
	bytes[NAMES_INDEX] = 0;
	refuse_at(bytes, size, GSYM_ERR_FORMAT, 0, "no section names");
	bytes[NAMES_INDEX] = names;
	gsym_store_u64(bytes + table + names * HEADER_SIZE + SIZE, size,
		       GSYM_HOST_BIG_ENDIAN);
	refuse_at(bytes, size, GSYM_ERR_CORRUPT, table, "names reach beyond");
	memset(header + 4, 0, 4); /* no longer a section with bytes */
	refuse_at(bytes, 16, GSYM_ERR_FORMAT, 0, "neither gsym");
	free(bytes);
}

/* The names may be the last section, and .gsym the first or the last. */
Test(embedded, the_first_and_the_last_section)
{
	for (int last = 0; last < 2; last++) {
		struct elfb *b = elfb_new(64, false, ET_DYN, EM_NONE);
		struct gsym_reader *reader;
		uint8_t *bytes;
		size_t size;

		if (last)
			elfb_section(b, ".a", SHT_PROGBITS, 0, 0, "a", 1);
		elfb_section(b, ".gsym", SHT_PROGBITS, 0, 0, gb_example_v1,
			     sizeof(gb_example_v1));
		if (!last)
			elfb_section(b, ".a", SHT_PROGBITS, 0, 0, "a", 1);
		bytes = elfb_finish(b, &size);
		elfb_free(b);
		reader = open_bytes(bytes, size);
		expect_answer(reader, 0x401028, "_start @ /src/ex.c:10");
		gsym_close(reader);
		free(bytes);
	}
}

/* Section 0 is no section, whatever its header says. */
Test(embedded, section_0_does_not_count)
{
	size_t offset, size;
	uint8_t *bytes = embed(64, false, ".gsym", SHT_PROGBITS, 0, false,
			       &offset, &size);
	uint64_t table = gsym_load_u64(bytes + SECTION_TABLE,
				       GSYM_HOST_BIG_ENDIAN);

	memcpy(bytes + table, bytes + table + 4 * HEADER_SIZE, HEADER_SIZE);
	bytes[table + 4 * HEADER_SIZE] = 0; /* a name that is empty */
	refuse_at(bytes, size, GSYM_ERR_FORMAT, 0, "no section .gsym");
	/* The file has no sections. */
	bytes[SECTION_COUNT] = 0;
	memset(bytes + table, 0, HEADER_SIZE);
	refuse_at(bytes, size, GSYM_ERR_FORMAT, 0, "neither gsym");
	free(bytes);
}

Test(embedded, no_section_is_named_gsym)
{
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_NONE);
	size_t size;
	uint8_t *bytes;

	elfb_section(b, ".a", SHT_PROGBITS, 0, 0, "a", 1);
	bytes = elfb_finish(b, &size);
	elfb_free(b);
	refuse_at(bytes, size, GSYM_ERR_FORMAT, 0, "no section .gsym");
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

/* Whether the part of TEXT after gsym_verify has an error. */
static bool has_errors(const char *text)
{
	const char *line = strstr(text, "\nverify ");

	while (line && (line = strchr(line + 1, '\n')))
		if (line[1] > '1' && line[1] <= '9' &&
		    !strncmp(line + 2, " 0x", 3))
			return true;
	return false;
}

/* IMAGE, of SIZE bytes, and the same bytes at OFFSET of an ELF file: with any
 * byte changed, the reader says the same about both, but for OFFSET.  An image
 * that passes gsym_verify is read without an error. */
static void compare_damage(uint8_t *image, size_t size, uint8_t *file,
			   size_t file_size, size_t offset)
{
	static const uint8_t masks[] = { 0, 0x01, 0x14, 0xff };
	static struct problems alone, embedded;

	embedded.image_offset = offset;
	for (size_t at = 0; at < size; at++)
		for (size_t i = 0; i < sizeof(masks); i++) {
			image[at] ^= masks[i];
			memcpy(file + offset, image, size);
			problems_find(&embedded, file, file_size);
			if (gsym_load_u32(image, false) == 0x4753594d ||
			    gsym_load_u32(image, true) == 0x4753594d) {
				problems_find(&alone, image, size);
				cr_assert_str_eq(embedded.text, alone.text);
			}
			if (strstr(embedded.text, "\nverify 0\n"))
				cr_assert(!has_errors(embedded.text), "%s",
					  embedded.text);
			image[at] ^= masks[i];
		}
}

Test(embedded, offsets_count_from_the_start_of_the_file)
{
	for (unsigned i = 0; i < 4; i++) {
		struct elfb *b = elfb_new(64, false, ET_DYN, EM_NONE);
		size_t size, file_size, section, offset;
		uint8_t *image = gb_rich(1 + i / 2, i % 2, &size), *file;

		section = elfb_section(b, ".gsym", SHT_PROGBITS, 0, 0, image,
				       size);
		file = elfb_finish(b, &file_size);
		offset = elfb_offset(b, section);
		elfb_free(b);
		cr_assert(offset > 0);
		compare_damage(image, size, file, file_size, offset);
		free(image);
		free(file);
	}
}
