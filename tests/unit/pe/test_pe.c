/* SPDX-License-Identifier: MIT */
/* PE files: sections, names and symbols. */
#include "object/object.h"
#include "container/input.h"

#include <criterion/criterion.h>
#include <stdio.h>
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

	cr_assert(gsym_peview_matches(p, SIZE));
	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, SIZE, GSYM_LOAD_ALL,
					 NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(c->format, GSYM_FORMAT_PE);
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

	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, SIZE, GSYM_LOAD_ALL,
					 NULL, &c, NULL),
		     GSYM_OK);
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

/* The program with another second section: a debug directory of two records,
 * the second one with a PDB. */
enum { DEBUG = SIZE, PDB = DEBUG + 2 * 28, WITH_PDB = PDB + 24 + 6 };

static const uint8_t guid[16] = { 3, 2, 1, 0, 5, 4, 7, 6,
				  8, 9, 10, 11, 12, 13, 14, 15 };

static uint8_t *program_with_pdb(uint32_t age)
{
	uint8_t *p = program();

	p = realloc(p, WITH_PDB);
	cr_assert(p);
	memset(p + SIZE, 0, WITH_PDB - SIZE);
	put(p + HEADER + 8, 0x5f00000a, 4);
	put(p + HEADER + 20, 0xe0, 2);
	/* The section headers move. */
	memmove(p + OPTIONAL + 0xe0, p + SECTIONS, 3 * 40);
	memset(p + SECTIONS, 0, OPTIONAL + 0xe0 - SECTIONS);
	put(p + OPTIONAL + 56, 0x4000, 4);
	put(p + OPTIONAL + 92, 16, 4);
	put(p + OPTIONAL + 96 + 6 * 8, 0x2000, 4);
	put(p + OPTIONAL + 96 + 6 * 8 + 4, 2 * 28, 4);
	memcpy(p + OPTIONAL + 0xe0 + 40, ".rdata\0", 8);
	put(p + OPTIONAL + 0xe0 + 40 + 8, WITH_PDB - DEBUG, 4);
	put(p + OPTIONAL + 0xe0 + 40 + 16, WITH_PDB - DEBUG, 4);
	put(p + OPTIONAL + 0xe0 + 40 + 20, DEBUG, 4);
	put(p + DEBUG + 12, 13, 4);
	put(p + DEBUG + 28 + 12, 2, 4);
	put(p + DEBUG + 28 + 16, WITH_PDB - PDB, 4);
	put(p + DEBUG + 28 + 24, PDB, 4);
	memcpy(p + PDB, "RSDS", 4);
	memcpy(p + PDB + 4, guid, 16);
	put(p + PDB + 20, age, 4);
	memcpy(p + PDB + 24, "a.pdb", 6);
	return p;
}

static void expect_pdb(const uint8_t *p, size_t size, const char *want,
		       bool named)
{
	struct gsym_container *c;
	char got[64] = "";

	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, size, GSYM_LOAD_ALL,
					 NULL, &c, NULL),
		     GSYM_OK);
	for (size_t i = 0; i < c->uuid_size; i++)
		sprintf(got + 2 * i, "%02x", c->uuid[i]);
	cr_expect_str_eq(got, want, "%s", got);
	cr_expect_eq(c->pdb_named, named);
	gsym_container_free(c);
}

#define PRINTED "000102030405060708090a0b0c0d0e0f"

Test(pe, identity)
{
	uint8_t *p = program_with_pdb(0x12345);
	struct gsym_container *c;

	expect_pdb(p, WITH_PDB, PRINTED "00012345", true);
	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, WITH_PDB,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_expect_eq(c->time_stamp, 0x5f00000a);
	cr_expect_eq(c->image_size, 0x4000);
	cr_expect_eq(c->uuid_size, 20);
	gsym_container_free(c);
	put(p + PDB + 20, 0, 4);
	expect_pdb(p, WITH_PDB, PRINTED, true);
	/* Linkers of mingw write an identity without a name. */
	p[PDB + 24] = 0;
	expect_pdb(p, WITH_PDB, PRINTED, false);
	p[PDB + 24] = 'a';
	/* The name of the PDB does not belong to the identity. */
	put(p + DEBUG + 28 + 16, 24, 4);
	expect_pdb(p, WITH_PDB, PRINTED, false);
	put(p + DEBUG + 28 + 16, 23, 4);
	expect_pdb(p, WITH_PDB, "", false);
	/* The file ends in the age. */
	put(p + DEBUG + 28 + 16, 24, 4);
	put(p + DEBUG + 28 + 24, WITH_PDB - 23, 4);
	memcpy(p + WITH_PDB - 23, "RSDS", 4);
	expect_pdb(p, WITH_PDB, "", false);
	free(p);
}

Test(pe, identities_that_are_none)
{
	static const struct {
		unsigned at, size;
		uint32_t value;
	} changes[] = {
		{ PDB, 4, 0x3031424e },                  /* NB10 */
		{ DEBUG + 28 + 12, 4, 4 },               /* another type */
		{ DEBUG + 28 + 24, 4, 0x100000 },      /* beyond the file */
		{ DEBUG + 28 + 24, 4, 0xffffffff },
		{ OPTIONAL + 92, 4, 6 },                 /* no such entry */
		{ OPTIONAL + 96 + 6 * 8, 4, 0 },         /* no directory */
		{ OPTIONAL + 96 + 6 * 8, 4, 0x9000 },    /* in no section */
		{ OPTIONAL + 96 + 6 * 8 + 4, 4, 2 * 28 - 1 },
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint8_t *p = program_with_pdb(1);

		put(p + changes[i].at, changes[i].value, changes[i].size);
		expect_pdb(p, WITH_PDB, "", false);
		free(p);
	}
}

/* An optional header that ends before the size of the image, or before the
 * entry of the debug directory. */
Test(pe, short_headers)
{
	uint8_t *p = program();
	struct gsym_container *c;

	put(p + OPTIONAL + 56, 0x4000, 4);
	for (unsigned size = 56; size < 0x60; size++) {
		put(p + HEADER + 20, size, 2);
		put(p + HEADER + 6, 0, 2);
		cr_assert_eq(gsym_container_load(&gsym_pe_input, p, SIZE,
						 GSYM_LOAD_ALL, NULL, &c, NULL),
			     GSYM_OK);
		cr_expect_eq(c->image_size, size < 60 ? 0 : 0x4000);
		cr_expect_eq(c->uuid_size, 0);
		gsym_container_free(c);
	}
	free(p);
}

Test(pe, refused)
{
	struct gsym_error error = { 0 };
	uint8_t *p = program();
	struct gsym_container *c;

	put(p + OPTIONAL, 0x107, 2);
	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, SIZE, GSYM_LOAD_ALL,
					 NULL, &c, &error),
		     GSYM_ERR_UNSUPPORTED);
	put(p + OPTIONAL, 0x10b, 2);
	put(p + HEADER + 6, 60, 2);
	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, SIZE, GSYM_LOAD_ALL,
					 NULL, &c, &error),
		     GSYM_ERR_CORRUPT);
	p[HEADER] = 0;
	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, SIZE, GSYM_LOAD_ALL,
					 NULL, &c, &error),
		     GSYM_ERR_FORMAT);
	free(p);
}

static void damage(uint8_t *p, size_t whole)
{
	struct gsym_container *c;

	for (size_t size = 0; size < whole; size++) {
		uint8_t *copy = malloc(size ? size : 1);

		cr_assert(copy);
		memcpy(copy, p, size);
		if (gsym_container_load(&gsym_pe_input, copy, size,
					GSYM_LOAD_ALL, NULL, &c,
					NULL) == GSYM_OK)
			gsym_container_free(c);
		free(copy);
	}
	for (size_t i = 0; i < 8 * whole; i++) {
		p[i / 8] ^= (uint8_t)(1 << i % 8);
		if (gsym_container_load(&gsym_pe_input, p, whole, GSYM_LOAD_ALL,
					NULL, &c, NULL) == GSYM_OK)
			gsym_container_free(c);
		p[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	free(p);
}

Test(pe, damage)
{
	damage(program(), SIZE);
	damage(program_with_pdb(1), WITH_PDB);
}
