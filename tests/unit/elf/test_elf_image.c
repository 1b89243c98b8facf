/* SPDX-License-Identifier: MIT */
/* ELF files in both classes and byte orders: sections, text ranges, base, build
 * ID, and files that are refused. */
#include "elf/elf.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <unistd.h>

enum { CODE = SHF_ALLOC | SHF_EXECINSTR };

struct shape {
	unsigned bits;
	bool big;
	bool extended;
};

static struct shape shapes[] = {
	{ 32, false, false }, { 64, false, false }, { 32, true, false },
	{ 64, true, false },  { 32, false, true },  { 64, false, true },
	{ 32, true, true },   { 64, true, true },
};

static struct criterion_test_params shape_params(void)
{
	return cr_make_param_array(struct shape, shapes, 8);
}

static struct elfb *start(const struct shape *shape)
{
	struct elfb *b = elfb_new(shape->bits, shape->big, ET_EXEC,
				  shape->bits == 64 ? EM_PPC64 : EM_PPC);

	if (shape->extended)
		elfb_extended_numbers(b);
	return b;
}

/* Finish, load and free B.  The bytes stay until unload(). */
static uint8_t *loaded;

static struct gsym_container *load(struct elfb *b)
{
	const struct gsym_convert_options options = { .threads = 2 };
	struct gsym_container *c = NULL;
	struct gsym_error error = { 0 };
	size_t size;

	loaded = elfb_finish(b, &size);
	elfb_free(b);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, loaded, size,
					 GSYM_LOAD_ALL, &options, &c, &error),
		     GSYM_OK, "%s", error.message);
	return c;
}

static void unload(struct gsym_container *c)
{
	gsym_container_free(c);
	free(loaded);
}

ParameterizedTestParameters(elf_image, sections)
{
	return shape_params();
}

ParameterizedTest(struct shape *shape, elf_image, sections)
{
	struct elfb *b = start(shape);
	struct gsym_container *c;
	const struct gsym_container_section *s;
	struct gsym_cursor cursor;
	size_t text;

	text = elfb_section(b, ".text", SHT_PROGBITS, CODE, 0x1000, "abcd", 4);
	elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0, "\1\2\3\4\5", 5);
	elfb_section(b, ".bss", SHT_NOBITS, SHF_ALLOC, 0x4000, NULL, 64);
	elfb_segment(b, PT_NULL, 0x77, 0);
	elfb_segment(b, PT_LOAD, 0x1000, text);
	elfb_segment(b, PT_LOAD, 0x500, text);
	c = load(b);

	cr_assert_eq(c->format, GSYM_FORMAT_ELF);
	cr_assert_eq(c->big_endian, shape->big);
	cr_assert_eq(c->address_size, shape->bits / 8);
	cr_assert_not(c->relocatable);
	cr_assert_not(c->code_bit0);
	cr_assert(c->has_base);
	cr_assert_eq(c->base, 0x1000);
	cr_assert_eq(c->uuid_size, 0);
	cr_assert_eq(c->warnings.count, 0);

	s = gsym_container_section(c, ".text");
	cr_assert(s && s->loaded && s->executable);
	cr_assert_eq(s->address, 0x1000);
	cr_assert_eq(s->size, 4);
	cr_assert_eq(s->data_size, 4);
	cr_assert_eq(s->data, loaded + s->file_offset);
	cr_assert_arr_eq(s->data, "abcd", 4);
	s = gsym_container_section(c, ".bss");
	cr_assert(s && s->loaded && !s->executable && !s->data);
	cr_assert_eq(s->size, 64);
	cr_assert_eq(s->data_size, 0);
	cr_assert_null(gsym_container_section(c, ".debug_inf"));

	s = gsym_container_section(c, ".debug_info");
	cr_assert(s && !s->loaded);
	cursor = gsym_container_cursor(c, s);
	cr_assert_eq(gsym_cursor_u16(&cursor), shape->big ? 0x102 : 0x201);
	cr_assert_eq(gsym_cursor_left(&cursor), 3);
	cursor = gsym_container_cursor(c, NULL);
	cr_assert_eq(gsym_cursor_left(&cursor), 0);
	unload(c);
}

Test(elf_image, text_ranges)
{
	struct elfb *b = start(&shapes[1]);
	struct gsym_container *c;

	/* Code without bytes, as in debug files, is code. */
	elfb_section(b, ".c", SHT_NOBITS, CODE, 0x3000, NULL, 0x10);
	elfb_section(b, ".b", SHT_NOBITS, CODE, 0x1010, NULL, 0x10);
	elfb_section(b, ".a", SHT_NOBITS, CODE, 0x1000, NULL, 0x10);
	elfb_section(b, ".in", SHT_NOBITS, CODE, 0x1004, NULL, 0x2);
	elfb_section(b, ".none", SHT_NOBITS, CODE, 0x2000, NULL, 0);
	elfb_section(b, ".data", SHT_NOBITS, SHF_ALLOC, 0x1020, NULL, 0x10);
	elfb_section(b, ".off", SHT_NOBITS, SHF_EXECINSTR, 0x1030, NULL, 9);
	elfb_section(b, ".wrap", SHT_NOBITS, CODE, UINT64_MAX - 3, NULL, 9);
	c = load(b);
	cr_assert_eq(c->text.count, 2);
	cr_assert_eq(c->text.items[0].start, 0x1000);
	cr_assert_eq(c->text.items[0].end, 0x1020);
	cr_assert_eq(c->text.items[1].start, 0x3000);
	cr_assert_eq(c->text.items[1].end, 0x3010);
	cr_assert_not(gsym_container_is_code(c, 0xfff));
	cr_assert(gsym_container_is_code(c, 0x1000));
	cr_assert(gsym_container_is_code(c, 0x101f));
	cr_assert_not(gsym_container_is_code(c, 0x1020));
	cr_assert_not(gsym_container_is_code(c, 0x2000));
	cr_assert(gsym_container_is_code(c, 0x300f));
	cr_assert_not(gsym_container_is_code(c, 0x3010));
	unload(c);
}

Test(elf_image, no_text_means_all)
{
	struct gsym_container *c = load(start(&shapes[0]));

	cr_assert_eq(c->text.count, 0);
	cr_assert(gsym_container_is_code(c, 0));
	cr_assert(gsym_container_is_code(c, UINT64_MAX));
	cr_assert_not(c->has_base);
	unload(c);
}

ParameterizedTestParameters(elf_image, build_id_section)
{
	return shape_params();
}

/* Notes of other owners and types come first, and the section has another name
 * than usual. */
ParameterizedTest(struct shape *shape, elf_image, build_id_section)
{
	struct elfb *b = start(shape);
	struct gsym_container *c;

	elfb_section(b, ".note.gnu.build-id", SHT_PROGBITS, 0, 0, NULL, 40);
	elfb_note(b, ".note.a", "Linux", 3, "\xff\xff\xff\xff", 4);
	elfb_note(b, ".note.b", "GNU", 1, "\xfe\xff\xff\xff", 4);
	elfb_note(b, ".note.c", "GNUX", 3, "\xfd\xff\xff\xff", 4);
	elfb_note(b, ".notes", "GNU", 3, "12345678901", 11);
	elfb_note(b, ".late", "GNU", 3, "late", 4);
	c = load(b);
	cr_assert_eq(c->uuid_size, 11);
	cr_assert_arr_eq(c->uuid, "12345678901", 11);
	unload(c);
}

/* The second of two notes with alignment 8; only a segment has them. */
Test(elf_image, build_id_segment)
{
	static const uint8_t notes[] = {
		4, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 'G', 'N', 'U', 0,
		1, 2, 3, 4, 5, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0,
		3, 0, 0, 0, 'G', 'N', 'U', 0, 'a', 'b', 'c',
	};
	struct elfb *b = start(&shapes[1]);
	struct gsym_container *c;
	size_t other;
	size_t s;

	other = elfb_section(b, ".x", SHT_PROGBITS, 0, 0, "xxxx", 4);
	s = elfb_section(b, ".y", SHT_PROGBITS, 0, 0, notes, sizeof(notes));
	elfb_section_fields(b, s, 0, 0, 8, 0);
	elfb_segment(b, PT_NOTE, 0, other);
	elfb_segment(b, PT_NOTE, 0, s);
	c = load(b);
	cr_assert_eq(c->uuid_size, 3);
	cr_assert_arr_eq(c->uuid, "abc", 3);
	unload(c);
}

Test(elf_image, damaged_notes)
{
	static const uint8_t notes[] = {
		255, 255, 255, 255, 255, 255, 255, 255, 3, 0, 0, 0,
		'G', 'N', 'U', 0, 'a', 'b', 'c', 'd',
	};
	struct elfb *b = start(&shapes[1]);
	struct gsym_container *c;

	elfb_section(b, ".n", SHT_NOTE, 0, 0, notes, sizeof(notes));
	elfb_section(b, ".m", SHT_NOTE, 0, 0, notes + 8, 11);
	c = load(b);
	cr_assert_eq(c->uuid_size, 0);
	unload(c);
}

Test(elf_image, section_beyond_the_end)
{
	struct elfb *b = start(&shapes[1]);
	size_t info = elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0,
				   "info", 4);
	size_t line = elfb_section(b, ".debug_line", SHT_PROGBITS, 0, 0,
				   "line", 4);
	struct gsym_container *c;
	size_t size;
	uint8_t *bytes = elfb_finish(b, &size);

	/* A wrong offset of one section; then a wrong size of the other. */
	memset(bytes + elfb_header_offset(b, info) + 24, 0xff, 8);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(c->warnings.count, 1);
	cr_assert_eq(c->warnings.items[0].kind, GSYM_WARN_BAD_SECTION);
	cr_assert_eq(gsym_container_section(c, ".debug_info")->data_size, 0);
	cr_assert_eq(gsym_container_section(c, ".debug_line")->data_size, 4);
	gsym_container_free(c);
	memset(bytes + elfb_header_offset(b, line) + 32, 0xff, 8);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(c->warnings.count, 2);
	cr_assert_null(gsym_container_section(c, ".debug_line")->data);
	gsym_container_free(c);
	free(bytes);
	elfb_free(b);
}

static enum gsym_status patched(size_t at, uint8_t value,
				struct gsym_error *error)
{
	struct elfb *b = start(&shapes[1]);
	struct gsym_container *c;
	enum gsym_status status;
	size_t size;
	uint8_t *bytes;

	elfb_segment(b, PT_LOAD, 0, 0);
	bytes = elfb_finish(b, &size);
	bytes[at] = value;
	status = gsym_container_load(&gsym_elf_input, bytes, size,
				     GSYM_LOAD_ALL, NULL, &c, error);
	if (status == GSYM_OK)
		gsym_container_free(c);
	free(bytes);
	elfb_free(b);
	return status;
}

Test(elf_image, refused)
{
	struct gsym_error error = { 0 };

	cr_assert_eq(patched(EI_PAD, 1, &error), GSYM_OK);
	cr_assert_eq(patched(1, 'e', &error), GSYM_ERR_FORMAT);
	cr_assert_eq(patched(EI_CLASS, 3, &error), GSYM_ERR_UNSUPPORTED);
	cr_assert_eq(error.offset, EI_CLASS);
	cr_assert_eq(patched(EI_DATA, 0, &error), GSYM_ERR_UNSUPPORTED);
	cr_assert_eq(patched(16, ET_CORE, &error), GSYM_ERR_UNSUPPORTED);
	/* e_phoff, e_shoff, e_phentsize, e_phnum, e_shentsize, e_shnum */
	cr_assert_eq(patched(39, 1, &error), GSYM_ERR_CORRUPT);
	cr_assert(strstr(error.message, "program headers"));
	cr_assert_eq(patched(47, 1, &error), GSYM_ERR_CORRUPT);
	cr_assert(strstr(error.message, "section headers"));
	cr_assert_eq(patched(54, 55, &error), GSYM_ERR_CORRUPT);
	cr_assert_eq(patched(56, 200, &error), GSYM_ERR_CORRUPT);
	cr_assert_eq(patched(58, 63, &error), GSYM_ERR_CORRUPT);
	cr_assert_eq(patched(60, 3, &error), GSYM_ERR_CORRUPT);
	/* With a wrong table of names, sections lose their names. */
	cr_assert_eq(patched(62, 0xee, &error), GSYM_OK);
}

/* A file with one of everything. */
static struct elfb *rich(const struct shape *shape)
{
	struct elfb *b = start(shape);
	size_t text = elfb_section(b, ".text", SHT_PROGBITS, CODE, 0x1000,
				   NULL, 16);
	size_t note = elfb_note(b, ".notes", "GNU", 3, "12345678", 8);

	elfb_compressed(b, ".debug_info", 0, ELFCOMPRESS_ZLIB, 4, "junk", 4);
	elfb_section(b, ".zdebug_line", SHT_PROGBITS, 0, 0,
		     "ZLIB\0\0\0\0\0\0\0\4junk", 16);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "f", .value = 0x1000,
		.size = 8, .type = STT_FUNC, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "g@V", .value = 0x1008,
		.size = 8, .type = STT_FUNC, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "h", .value = 0x1008,
		.type = STT_NOTYPE, .section = text, .dynamic = true });
	elfb_segment(b, PT_LOAD, 0x1000, text);
	elfb_segment(b, PT_NOTE, 0, note);
	return b;
}

/* Read all bytes and names of a container. */
static uint64_t read_all(const struct gsym_container *c)
{
	uint64_t sum = c->base;

	for (size_t i = 0; i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];

		sum += strlen(s->name);
		for (uint64_t k = 0; k < s->data_size; k++)
			sum += s->data[k];
	}
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		sum += strlen(s->name) + s->value;
		cr_assert(s->section == GSYM_NO_SECTION ||
			  s->section < c->sections.count);
	}
	for (size_t i = 0; i < c->uuid_size; i++)
		sum += c->uuid[i];
	return sum;
}

/* Load exactly SIZE bytes, so that a sanitizer sees each read beyond. */
static void survive(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct gsym_error error = { 0 };
	struct gsym_container *c;
	enum gsym_status status;

	memcpy(copy, bytes, size);
	status = gsym_container_load(&gsym_elf_input, copy, size, GSYM_LOAD_ALL,
				     NULL, &c, &error);
	if (status == GSYM_OK) {
		volatile uint64_t sum = read_all(c);

		(void)sum;
		gsym_container_free(c);
	} else {
		cr_assert_eq(status, error.code);
		cr_assert(error.message[0]);
	}
	free(copy);
}

ParameterizedTestParameters(elf_image, truncations)
{
	return shape_params();
}

/* The section headers come last, so that no truncated file has all of them. */
ParameterizedTest(struct shape *shape, elf_image, truncations)
{
	struct elfb *b = rich(shape);
	size_t size;
	uint8_t *bytes = elfb_finish(b, &size);

	for (size_t n = 0; n < size; n++) {
		uint8_t *copy = malloc(n ? n : 1);
		struct gsym_container *c;

		memcpy(copy, bytes, n);
		cr_assert_eq(gsym_container_load(&gsym_elf_input, copy, n,
						 GSYM_LOAD_ALL, NULL, &c, NULL),
			     n < 4 ? GSYM_ERR_FORMAT : GSYM_ERR_CORRUPT);
		free(copy);
	}
	survive(bytes, size);
	free(bytes);
	elfb_free(b);
}

ParameterizedTestParameters(elf_image, flips)
{
	return shape_params();
}

ParameterizedTest(struct shape *shape, elf_image, flips)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	struct elfb *b = rich(shape);
	size_t size;
	uint8_t *bytes = elfb_finish(b, &size);

	for (size_t i = 0; i < size; i++)
		for (size_t k = 0; k < sizeof(masks); k++) {
			bytes[i] ^= masks[k];
			survive(bytes, size);
			bytes[i] ^= masks[k];
		}
	free(bytes);
	elfb_free(b);
}

Test(elf_image, files)
{
	struct elfb *b = rich(&shapes[1]);
	struct gsym_error error = { 0 };
	struct gsym_container *c;
	size_t size;
	uint8_t *bytes = elfb_finish(b, &size);
	char *path = elfb_save(bytes, size);

	cr_assert_eq(gsym_container_open(&gsym_elf_input, path, GSYM_LOAD_ALL,
					 &(const struct gsym_convert_options){
						 .threads = 2 },
					 &c, &error),
		     GSYM_OK, "%s", error.message);
	free(bytes);
	unlink(path);
	cr_assert_eq(c->symbols.count, 3);
	cr_assert_neq(read_all(c), 0);
	gsym_container_free(c);

	cr_assert_eq(gsym_container_open(&gsym_elf_input, path, GSYM_LOAD_ALL,
					 &(const struct gsym_convert_options){
						 .threads = 2 },
					 &c, &error),
		     GSYM_ERR_IO);
	cr_assert_eq(gsym_container_open(&gsym_elf_input, "/", GSYM_LOAD_ALL,
					 &(const struct gsym_convert_options){
						 .threads = 2 },
					 &c, &error),
		     GSYM_ERR_IO);
	cr_assert_eq(gsym_container_open(&gsym_elf_input, "/dev/null",
					 GSYM_LOAD_ALL,
					 &(const struct gsym_convert_options){
						 .threads = 2 },
					 &c, &error),
		     GSYM_ERR_IO);
	free(path);
	path = elfb_save("", 0);
	cr_assert_eq(gsym_container_open(&gsym_elf_input, path, GSYM_LOAD_ALL,
					 &(const struct gsym_convert_options){
						 .threads = 2 },
					 &c, &error),
		     GSYM_ERR_FORMAT);
	unlink(path);
	free(path);
	elfb_free(b);
}
