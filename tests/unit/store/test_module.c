/* SPDX-License-Identifier: MIT */
/* Identity, sections and symbols of an ELF file that is opened by its path. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsym/module.h>

#include "support/elf_builder.h"

static const uint8_t id[] = { 0xab, 0xcd, 0xef, 1, 2, 3, 4, 5 };

/* Write a program of BITS bits to a temporary file. */
static char *program(unsigned bits, unsigned type)
{
	struct elfb *b = elfb_new(bits, false, type, EM_X86_64);
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
		cr_expect_eq(facts.lowest_address, 0x2000);
		cr_assert_eq(facts.build_id_size, sizeof(id));
		cr_expect_eq(memcmp(facts.build_id, id, sizeof(id)), 0);
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
	gsym_module_close(m);
	unlink(path);
	free(path);
}

Test(store_module, files_that_are_no_elf_files)
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
