/* SPDX-License-Identifier: MIT */
/* PE files put together here: what becomes of sections, names and symbols. */
#include "pe/pe.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 0x80, OPTIONAL = HEADER + 24, SECTIONS = OPTIONAL + 0x60,
       TEXT = 0x200, SYMBOLS = 0x240, SYMBOL_COUNT = 5,
       STRINGS = SYMBOLS + 18 * SYMBOL_COUNT, SIZE = STRINGS + 64 };

static void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void put_symbol(uint8_t *at, const char *name, uint32_t string,
		       uint32_t value, unsigned section, unsigned type,
		       unsigned class, unsigned more)
{
	if (name)
		memcpy(at, name, strnlen(name, 8));
	else
		put(at + 4, string, 4);
	put(at + 8, value, 4);
	put(at + 12, section, 2);
	put(at + 14, type, 2);
	at[16] = (uint8_t)class;
	at[17] = (uint8_t)more;
}

/* A program of 32 bits: .text, a section with a long name, .bss. */
static uint8_t *program(void)
{
	uint8_t *p = calloc(1, SIZE);

	cr_assert(p);
	memcpy(p, "MZ", 2);
	put(p + 0x3c, HEADER, 4);
	memcpy(p + HEADER, "PE", 2);
	put(p + HEADER + 4, 0x14c, 2);
	put(p + HEADER + 6, 3, 2);
	put(p + HEADER + 12, SYMBOLS, 4);
	put(p + HEADER + 16, SYMBOL_COUNT, 4);
	put(p + HEADER + 20, 0x60, 2);
	put(p + OPTIONAL, 0x10b, 2);
	put(p + OPTIONAL + 16, 0x1004, 4);
	put(p + OPTIONAL + 28, 0x400000, 4);
	memcpy(p + SECTIONS, ".text", 5);
	put(p + SECTIONS + 8, 0x18, 4);
	put(p + SECTIONS + 12, 0x1000, 4);
	put(p + SECTIONS + 16, 0x20, 4);
	put(p + SECTIONS + 20, TEXT, 4);
	put(p + SECTIONS + 36, 0x60000020, 4);
	memcpy(p + SECTIONS + 40, "/4", 2);
	put(p + SECTIONS + 48, 8, 4);
	put(p + SECTIONS + 52, 0x2000, 4);
	put(p + SECTIONS + 56, 8, 4);
	put(p + SECTIONS + 60, TEXT + 0x20, 4);
	put(p + SECTIONS + 76, 0x42000040, 4);
	memcpy(p + SECTIONS + 80, ".bss", 4);
	put(p + SECTIONS + 88, 0x100, 4);
	put(p + SECTIONS + 92, 0x3000, 4);
	put(p + SECTIONS + 116, 0xc0000080, 4);
	put_symbol(p + SYMBOLS, "f", 0, 4, 1, 0x20, 2, 1);
	put_symbol(p + SYMBOLS + 36, NULL, 16, 8, 1, 0, 3, 0);
	put_symbol(p + SYMBOLS + 54, "eight888", 0, 0x10, 3, 0, 2, 0);
	put_symbol(p + SYMBOLS + 72, "extern", 0, 0, 0, 0x20, 2, 0);
	put(p + STRINGS, 64, 4);
	strcpy((char *)p + STRINGS + 4, ".debug_info");
	strcpy((char *)p + STRINGS + 16, "a_static_label");
	return p;
}

Test(pe, sections)
{
	uint8_t *p = program();
	struct gsym_container *c;

	cr_assert(gsym_pe_bid(p, SIZE));
	cr_assert_eq(gsym_pe_load(p, SIZE, NULL, &c, NULL), GSYM_OK);
	cr_assert_str_eq(c->format, "PE");
	cr_assert_eq(c->address_size, 4);
	cr_assert_eq(c->base, 0x400000);
	cr_assert_eq(c->entry, 0x401004);
	cr_assert_eq(c->sections.count, 3);
	cr_assert_eq(c->sections.items[0].address, 0x401000);
	cr_assert_eq(c->sections.items[0].data_size, 0x18);
	cr_assert(c->sections.items[0].executable);
	cr_assert_str_eq(c->sections.items[1].name, ".debug_info");
	cr_assert_not(c->sections.items[1].loaded);
	cr_assert_null(c->sections.items[2].data);
	cr_assert_eq(c->segments.count, 1);
	cr_assert_eq(c->text.count, 1);
	cr_assert_eq(c->uuid_size, 0);
	gsym_container_free(c);
	free(p);
}

Test(pe, symbols)
{
	uint8_t *p = program();
	struct gsym_container *c;

	cr_assert_eq(gsym_pe_load(p, SIZE, NULL, &c, NULL), GSYM_OK);
	cr_assert_eq(c->symbols.count, 3);
	cr_assert_str_eq(c->symbols.items[0].name, "f");
	cr_assert_eq(c->symbols.items[0].value, 0x401004);
	cr_assert_eq(c->symbols.items[0].type, GSYM_SYMBOL_FUNCTION);
	cr_assert_eq(c->symbols.items[0].binding, GSYM_SYMBOL_GLOBAL);
	cr_assert_str_eq(c->symbols.items[1].name, "a_static_label");
	cr_assert_eq(c->symbols.items[1].binding, GSYM_SYMBOL_LOCAL);
	cr_assert_str_eq(c->symbols.items[2].name, "eight888");
	cr_assert_eq(c->symbols.items[2].value, 0x403010);
	cr_assert_eq(c->symbols.items[2].type, GSYM_SYMBOL_OBJECT);
	gsym_container_free(c);
	free(p);
}

Test(pe, refused)
{
	struct gsym_error error = { 0 };
	uint8_t *p = program();
	struct gsym_container *c;

	put(p + OPTIONAL, 0x107, 2);
	cr_assert_eq(gsym_pe_load(p, SIZE, NULL, &c, &error),
		     GSYM_ERR_UNSUPPORTED);
	put(p + OPTIONAL, 0x10b, 2);
	put(p + HEADER + 6, 60, 2);
	cr_assert_eq(gsym_pe_load(p, SIZE, NULL, &c, &error), GSYM_ERR_CORRUPT);
	p[HEADER] = 0;
	cr_assert_eq(gsym_pe_load(p, SIZE, NULL, &c, &error), GSYM_ERR_FORMAT);
	free(p);
}

Test(pe, damage)
{
	uint8_t *p = program();

	for (size_t size = 0; size < SIZE; size++) {
		uint8_t *copy = malloc(size ? size : 1);
		struct gsym_container *c;

		cr_assert(copy);
		memcpy(copy, p, size);
		if (gsym_pe_load(copy, size, NULL, &c, NULL) == GSYM_OK)
			gsym_container_free(c);
		free(copy);
	}
	for (size_t i = 0; i < 8 * (size_t)SIZE; i++) {
		struct gsym_container *c;

		p[i / 8] ^= (uint8_t)(1 << i % 8);
		if (gsym_pe_load(p, SIZE, NULL, &c, NULL) == GSYM_OK)
			gsym_container_free(c);
		p[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	free(p);
}
