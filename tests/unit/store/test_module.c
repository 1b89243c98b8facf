/* SPDX-License-Identifier: MIT */
/* Identity, sections and symbols of files of each format that are opened by
 * their path. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gsym/program.h>

#include "object/object.h"
#include "support/elf_builder.h"

static const uint8_t id[] = { 0xab, 0xcd, 0xef, 1, 2, 3, 4, 5 };

/* Write a program of BITS bits to a temporary file. */
static char *program(unsigned bits, unsigned type)
{
	struct elfb *b = elfb_new(bits, false, type,
				  bits == 32 ? EM_386 : EM_X86_64);
	size_t text = elfb_section(b, ".text", SHT_PROGBITS,
				   SHF_ALLOC | SHF_EXECINSTR, 0x2000, "code",
				   4);
	size_t bss = elfb_section(b, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE,
				  0x3000, NULL, 64);
	size_t size;

	elfb_note(b, ".note.gnu.build-id", "GNU", NT_GNU_BUILD_ID, id,
		  sizeof(id));
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "table", .value = 0x3000, .size = 16,
		.type = STT_OBJECT, .binding = STB_GLOBAL, .section = bss });
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "entry", .value = 0x2000, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){
		.name = ".Ltmp17", .value = 0x2001, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "$x", .value = 0x2002, .section = text });
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "$s1f", .value = 0x2003, .size = 1, .type = STT_FUNC,
		.section = text });
	elfb_segment(b, PT_LOAD, 0x3000, bss);
	elfb_segment(b, PT_LOAD, 0x2000, text);
	elfb_segment(b, PT_NULL, 0x10, text);
	uint8_t *bytes = elfb_finish(b, &size);
	char *path = elfb_save(bytes, size);
	free(bytes);
	elfb_free(b);
	return path;
}

Test(store_module, facts_of_both_classes)
{
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct gsym_module *m = NULL;
		struct gsym_module_facts facts;
		char *path = program(bits, bits == 32 ? ET_REL : ET_DYN);

		cr_assert_eq(gsym_module_open(path, &m, NULL), GSYM_OK);
		gsym_module_get_facts(m, &facts);
		cr_expect_eq(facts.address_size, bits / 8);
		cr_expect_eq(facts.relocatable, bits == 32);
		cr_expect_eq(facts.machine, bits == 32 ? EM_386 : EM_X86_64);
		cr_expect_eq(facts.lowest_address, 0x2000);
		cr_expect_not(facts.cut_off);
		cr_assert_eq(facts.build_id_size, sizeof(id));
		cr_expect_eq(memcmp(facts.build_id, id, sizeof(id)), 0);
		gsym_module_close(m);
		unlink(path);
		free(path);
	}
}

Test(store_module, section_headers_beyond_the_end)
{
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct gsym_module *m = NULL;
		struct gsym_module_facts facts;
		char *path = program(bits, ET_DYN);
		struct stat st;

		/* The section headers are the last bytes. */
		cr_assert_eq(stat(path, &st), 0);
		cr_assert_eq(truncate(path, st.st_size - 1), 0);
		cr_assert_eq(gsym_module_open(path, &m, NULL), GSYM_OK);
		gsym_module_get_facts(m, &facts);
		cr_expect(facts.cut_off);
		gsym_module_close(m);
		unlink(path);
		free(path);
	}
}

Test(store_module, sections_by_name)
{
	struct gsym_module *m = NULL;
	struct gsym_module_section s;
	char *path = program(64, ET_DYN);

	cr_assert_eq(gsym_module_open(path, &m, NULL), GSYM_OK);
	cr_assert_eq(gsym_module_find_section(m, ".text", &s), GSYM_OK);
	cr_expect_eq(s.address, 0x2000);
	cr_expect_eq(s.data_size, 4);
	cr_expect_eq(memcmp(s.data, "code", 4), 0);
	cr_assert_eq(gsym_module_find_section(m, ".bss", &s), GSYM_OK);
	cr_expect_eq(s.size, 64);
	cr_expect_null(s.data);
	cr_expect_eq(s.data_size, 0);
	cr_expect_eq(gsym_module_find_section(m, ".tex", &s), GSYM_NOT_FOUND);
	gsym_module_close(m);
	unlink(path);
	free(path);
}

/* A WebAssembly module, whose code section begins at offset 10 with the number
 * of its functions, which is no code. */
Test(store_module, addresses_of_offsets)
{
	static const uint8_t wasm[] = { 0,  'a', 's', 'm', 1, 0,    0,	 0,
					10, 5,	 1,   3,   0, 0x0b, 0x0b };
	struct gsym_module *m = NULL;
	uint64_t address = 7;
	char *path = elfb_save(wasm, sizeof(wasm));

	cr_assert_eq(gsym_module_open(path, &m, NULL), GSYM_OK);
	cr_expect_eq(gsym_module_address_of(m, 12, &address), GSYM_OK);
	cr_expect_eq(address, 2);
	cr_expect_eq(gsym_module_address_of(m, 14, &address), GSYM_OK);
	cr_expect_eq(address, 4);
	cr_expect_eq(gsym_module_address_of(m, 10, &address), GSYM_NOT_FOUND);
	cr_expect_eq(gsym_module_address_of(m, 15, &address), GSYM_NOT_FOUND);
	cr_expect_eq(address, 4);
	gsym_module_close(m);
	unlink(path);
	free(path);
}

Test(store_module, symbols)
{
	struct gsym_module *m = NULL;
	struct gsym_store_symbol symbol;
	char *path = program(64, ET_DYN);

	cr_assert_eq(gsym_module_open(path, &m, NULL), GSYM_OK);
	cr_assert_eq(gsym_module_symbol_at(m, 0x3005, 0, &symbol), GSYM_OK);
	cr_expect_str_eq(symbol.name, "table");
	cr_expect_eq(symbol.start, 0x3000);
	cr_expect_eq(gsym_module_symbol_at(m, 0x3010, 0, &symbol),
		     GSYM_NOT_FOUND);
	/* Marks of assemblers and compilers are no symbols; functions of Swift
	 * are. */
	cr_assert_eq(gsym_module_symbol_at(m, 0x2002, 0, &symbol), GSYM_OK);
	cr_expect_str_eq(symbol.name, "entry");
	cr_assert_eq(gsym_module_symbol_at(m, 0x2003, 0, &symbol), GSYM_OK);
	cr_expect_str_eq(symbol.name, "$s1f");
	gsym_module_close(m);
	unlink(path);
	free(path);
}

Test(store_module, files_of_no_known_format)
{
	struct gsym_module *m = NULL;
	struct gsym_error error = { 0 };
	char *text = elfb_save("text", 4), *empty = elfb_save("", 0);

	cr_expect_eq(gsym_module_open(text, &m, &error), GSYM_ERR_FORMAT);
	cr_expect_eq(gsym_module_open(empty, &m, &error), GSYM_ERR_FORMAT);
	cr_expect_eq(gsym_module_open("/nonexistent/file", &m, &error),
		     GSYM_ERR_IO);
	cr_expect_eq(gsym_module_open("/", &m, &error), GSYM_ERR_IO);
	cr_expect_eq(gsym_module_open(NULL, &m, &error), GSYM_ERR_ARGUMENT);
	cr_expect_null(m);
	gsym_module_close(NULL);
	unlink(text);
	unlink(empty);
	free(text);
	free(empty);
}

/* ---- other formats ------------------------------------------------------ */

static const char *fixture(const char *name)
{
	static char path[4096];
	const char *source = getenv("top_srcdir");

	snprintf(path, sizeof(path), "%s/testdata/%s", source ? source : ".",
		 name);
	return path;
}

/* Check that the build ID is the SIZE bytes of WANTED, by both functions that
 * tell it. */
static void expect_id(const char *path, const struct gsym_module *m,
		      const void *wanted, size_t size)
{
	struct gsym_module_facts facts;
	uint8_t found[64];
	size_t found_size;

	gsym_module_get_facts(m, &facts);
	cr_assert_eq(facts.build_id_size, size);
	cr_expect_eq(memcmp(facts.build_id, wanted, size), 0);
	cr_assert_eq(gsym_store_read_id(path, found, sizeof(found),
					&found_size, NULL), GSYM_OK);
	cr_assert_eq(found_size, size);
	cr_expect_eq(memcmp(found, wanted, size), 0);
	cr_expect_eq(gsym_store_read_id(path, found, size - 1, &found_size,
					NULL), GSYM_NOT_FOUND);
}

/* The values are those of llvm-nm and llvm-objdump. */
Test(store_module, mach_o)
{
	static const uint8_t uuid[16] = { 0x4c, 0x4c, 0x44, 0xc1, 0x55, 0x55,
					  0x31, 0x44, 0xa1, 0x5d, 0x4c, 0x6f,
					  0xb6, 0xa0, 0x42, 0xce };
	const char *path = fixture("macho/shapes.dylib");
	struct gsym_store_symbol symbol;
	struct gsym_module_section s;
	struct gsym_module_facts facts;
	struct gsym_module *m = NULL;

	cr_assert_eq(gsym_module_open(path, &m, NULL), GSYM_OK);
	gsym_module_get_facts(m, &facts);
	cr_expect_eq(facts.address_size, 8);
	cr_expect_eq(facts.lowest_address, 0);
	expect_id(path, m, uuid, sizeof(uuid));
	cr_assert_eq(gsym_module_find_section(m, "__data", &s), GSYM_OK);
	cr_expect_eq(s.address, 0x2008);
	cr_expect_eq(s.data_size, 8);
	cr_assert_eq(gsym_module_find_section(m, "__common", &s), GSYM_OK);
	cr_expect_eq(s.size, 4);
	cr_expect_null(s.data);
	cr_expect_eq(gsym_module_find_section(m, "__bss", &s), GSYM_NOT_FOUND);
	cr_assert_eq(gsym_module_symbol_at(m, 0x2013, 0, &symbol), GSYM_OK);
	cr_expect_str_eq(symbol.name, "counter");
	cr_assert_eq(gsym_module_symbol_at(m, 0x4e8, 0, &symbol), GSYM_OK);
	cr_expect_str_eq(symbol.name, "work");
	/* "counter" ends with its section. */
	cr_expect_eq(gsym_module_symbol_at(m, 0x2014, 0, &symbol),
		     GSYM_NOT_FOUND);
	gsym_module_close(m);
}

Test(store_module, mach_o_of_32_bits)
{
	struct gsym_module_facts facts;
	struct gsym_module *m = NULL;

	cr_assert_eq(gsym_module_open(fixture("macho/armv7.macho"), &m, NULL),
		     GSYM_OK);
	gsym_module_get_facts(m, &facts);
	cr_expect_eq(facts.address_size, 4);
	cr_expect_eq(facts.build_id_size, 0);
	cr_expect_null(facts.build_id);
	gsym_module_close(m);
}

Test(store_module, pe)
{
	/* The GUID as its text shows it, and the age. */
	static const uint8_t pdb[20] = { 0xc8, 0x09, 0x00, 0x16, 0x31,
					 0xcf, 0x7c, 0x67, 0x4c, 0x4c,
					 0x44, 0x20, 0x50, 0x44, 0x42,
					 0x2e, 0,    0,	   0,	 1 };
	const char *path = fixture("breakpad/pe_program.exe");
	struct gsym_module_section s;
	struct gsym_module_facts facts;
	struct gsym_store_symbol symbol;
	struct gsym_module *m = NULL;

	cr_assert_eq(gsym_module_open(path, &m, NULL), GSYM_OK);
	gsym_module_get_facts(m, &facts);
	cr_expect_eq(facts.address_size, 8);
	cr_expect_eq(facts.lowest_address, 0x140000000);
	cr_expect_eq(facts.machine, 0);
	expect_id(path, m, pdb, sizeof(pdb));
	cr_assert_eq(gsym_module_find_section(m, ".rdata", &s), GSYM_OK);
	cr_expect_eq(s.address, 0x140002000);
	cr_expect_eq(s.size, 0xdc);
	cr_expect_eq(s.data_size, 0xdc);
	/* It has no COFF symbols. */
	cr_expect_eq(gsym_module_symbol_at(m, 0x140001000, 0, &symbol),
		     GSYM_NOT_FOUND);
	gsym_module_close(m);
}

/* Read the file PATH; *SIZE becomes its size. */
static uint8_t *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(1 << 20);

	cr_assert(file && bytes);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

/* Ask for everything that the file of SIZE bytes at BYTES holds. */
static void read_each(const uint8_t *bytes, size_t size)
{
	uint8_t room[PE_PDB_SIZE];
	struct object_loads loads;
	struct object_section section;
	struct object_symbol symbol;
	struct object_walk walk = { 0 };
	struct object o;
	size_t id_size;

	if (gsym_object_open(bytes, size, &o, NULL) != GSYM_OK)
		return;
	gsym_object_id(&o, room, &id_size);
	gsym_object_loads(&o, &loads);
	for (uint64_t i = 0; i < 64 && gsym_object_section(&o, i, &section);
	     i++)
		if (section.data)
			cr_expect(section.data >= bytes &&
				  section.data + section.data_size <=
					  bytes + size);
	for (int i = 0; i < 64 && gsym_object_symbol(&o, &walk, &symbol); i++)
		cr_expect(object_name_size(&symbol.name) > 0);
}

/* Files that are cut off, and files with a wrong byte.  A block of its own lets
 * a sanitizer notice reads beyond it. */
Test(store_module, survives_damage, .timeout = 600)
{
	static const char *const names[] = { "macho/shapes.dylib",
					     "breakpad/pe_program.exe" };
	uint32_t random = 1;

	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
		size_t size;
		uint8_t *bytes = read_all(fixture(names[n]), &size);

		for (int i = 0; i < 4000; i++) {
			random = random * 1664525u + 1013904223u;
			size_t cut = i % 2 ? size : random % size;
			uint8_t *copy = malloc(cut + 1);

			memcpy(copy, bytes, cut);
			random = random * 1664525u + 1013904223u;
			if (i % 2)
				copy[(random >> 8) % 0x800 % cut] =
					(uint8_t)random;
			read_each(copy, cut);
			free(copy);
		}
		free(bytes);
	}
}
