/* SPDX-License-Identifier: MIT */
/* Export tables of PE files, and the ends of functions by .pdata. */
#include "container/input.h"
#include "unit/pe/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gsym_container *load(const uint8_t *p)
{
	struct gsym_container *c = NULL;

	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, SIZE, GSYM_LOAD_ALL,
					 NULL, &c, NULL),
		     GSYM_OK);
	return c;
}

static void expect(const struct gsym_container *c, const char *name,
		   uint32_t rva, uint64_t size, uint32_t limit)
{
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (strcmp(s->name, name) != 0)
			continue;
		cr_expect_eq(s->value, BASE + rva, "%s", name);
		cr_expect_eq(s->size, size, "%s: size", name);
		cr_expect_eq(s->reach, limit ? limit - rva : 0, "%s: reach",
			     name);
		cr_expect_eq(s->binding, GSYM_SYMBOL_GLOBAL);
		cr_expect_eq(s->type, rva < 0x2000 ? GSYM_SYMBOL_FUNCTION
						   : GSYM_SYMBOL_OBJECT);
		cr_expect_eq(s->section, rva < 0x2000 ? 0 : 1);
		return;
	}
	cr_expect(false, "no symbol %s", name);
}

Test(exports, architecture)
{
	static const struct {
		unsigned machine;
		const char *name;
	} rows[] = {
		{ X86_64, "x86_64" }, { ARM64, "aarch64" }, { I386, "i386" },
		{ ARMNT, "arm" },     { 0x1c0, "arm" },	    { 0, "machine 0" },
		{ 65535, "machine 65535" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t *p = program(rows[i].machine);
		struct gsym_container *c = load(p);

		cr_expect_str_eq(c->architecture, rows[i].name);
		gsym_container_free(c);
		free(p);
	}
}

Test(exports, with_functions)
{
	static const unsigned machines[] = { X86_64, ARM64 };

	for (size_t i = 0; i < 2; i++) {
		uint8_t *p = program(machines[i]);
		struct gsym_container *c = load(p);

		cr_assert_eq(c->symbols.count, 6);
		cr_assert_eq(c->warnings.count, 0);
		expect(c, "first", 0x1000, 0x30, 0x1030);
		expect(c, "inner", 0x1008, 0, 0x1030);
		expect(c, "leaf", 0x1040, 0, 0x1050);
		expect(c, "second", 0x1050, 0x10, 0x1060);
		expect(c, "end", 0x1080, 0, 0);
		expect(c, "data", DATA, 0, 0);
		gsym_container_free(c);
		free(p);
	}
}

Test(exports, without_functions)
{
	uint8_t *p = program(I386);
	struct gsym_container *c = load(p);

	cr_assert_eq(c->symbols.count, 6);
	expect(c, "first", 0x1000, 0, 0);
	expect(c, "leaf", 0x1040, 0, 0);
	gsym_container_free(c);
	free(p);
	/* The lowest bit of a function on ARM is its instruction set. */
	p = program(ARMNT);
	put(rdata(p, ADDRESSES + 4 * 5), 0x1001, 4);
	c = load(p);
	expect(c, "first", 0x1000, 0, 0);
	expect(c, "data", DATA, 0, 0);
	gsym_container_free(c);
	free(p);
}

/* A part that continues another function, or comes after a gap, is a function
 * of its own. */
Test(exports, parts_that_are_apart)
{
	uint8_t *p = program(X86_64);
	struct gsym_container *c;

	put(rdata(p, UNWIND + 16 + 12), 0x1050, 4);
	c = load(p);
	expect(c, "first", 0x1000, 0x10, 0x1010);
	gsym_container_free(c);
	put(rdata(p, UNWIND + 16 + 12), 0x1000, 4);
	put(rdata(p, PDATA + 12), 0x1012, 4);
	c = load(p);
	expect(c, "first", 0x1000, 0x10, 0x1010);
	gsym_container_free(c);
	/* Of overlapping entries the first one is used. */
	put(rdata(p, PDATA + 12), 0x1008, 4);
	c = load(p);
	expect(c, "first", 0x1000, 0x10, 0x1010);
	expect(c, "inner", 0x1008, 0, 0x1010);
	gsym_container_free(c);
	free(p);
}

/* Whether C has a symbol NAME of SIZE bytes at RVA. */
static bool has_symbol(const struct gsym_container *c, const char *name,
		       uint32_t rva, uint64_t size)
{
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (s->value == BASE + rva && s->size == size &&
		    strcmp(s->name, name) == 0)
			return true;
	}
	return false;
}

/* A part without a symbol that lies apart has the name of its function. */
Test(exports, parts_are_named_after_their_function)
{
	uint8_t *p = program(X86_64);
	struct gsym_container *c;

	/* The part at 0x1014 continues the function at 0x1000, and the part at
	 * 0x1020 the one at 0x1014. */
	put(rdata(p, PDATA + 12), 0x1014, 4);
	c = load(p);
	cr_expect(has_symbol(c, "first", 0x1000, 0x10));
	cr_expect(has_symbol(c, "first", 0x1014, 0x1c));
	gsym_container_free(c);
	put(rdata(p, PDATA + 24), 0x1024, 4);
	c = load(p);
	cr_expect(has_symbol(c, "first", 0x1014, 0xc));
	cr_expect(has_symbol(c, "first", 0x1024, 0xc));
	gsym_container_free(c);
	/* Parts that continue each other belong to no function. */
	put(rdata(p, UNWIND + 16 + 12), 0x1024, 4);
	put(rdata(p, PDATA + 24 + 8), PDATA + 24 + 1, 4);
	c = load(p);
	cr_expect(has_symbol(c, "first", 0x1000, 0x10));
	cr_expect(!has_symbol(c, "first", 0x1014, 0xc));
	gsym_container_free(c);
	free(p);
}

/* .pdata says where the functions of COFF symbols end, too. */
Test(exports, ends_of_coff_symbols)
{
	static const struct {
		const char *name;
		uint32_t offset; /* in .text */
		uint64_t size, limit;
	} rows[] = {
		{ "whole", 0, 0x30, 0x1030 },
		{ "inside", 0x10, 0, 0x1030 },
		{ "leaf", 0x38, 0, 0x1050 },
		{ "last", 0x90, 0, 0 },
	};
	enum { COUNT = sizeof(rows) / sizeof(rows[0]), SYMBOL = 18 };
	uint8_t *p = program(X86_64);
	uint8_t *symbol = rdata(p, DATA);
	struct gsym_container *c;

	put(p + HEADER + 12, RDATA + DATA - 0x2000, 4);
	put(p + HEADER + 16, COUNT, 4);
	for (size_t i = 0; i < COUNT; i++, symbol += SYMBOL) {
		memset(symbol, 0, SYMBOL);
		memcpy(symbol, rows[i].name, strlen(rows[i].name));
		put(symbol + 8, rows[i].offset, 4);
		put(symbol + 12, 1, 2);
		put(symbol + 14, 0x20, 2);
		symbol[16] = 2;
	}
	c = load(p);
	cr_assert_eq(c->symbols.count, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		expect(c, rows[i].name, 0x1000 + rows[i].offset, rows[i].size,
		       (uint32_t)rows[i].limit);
	gsym_container_free(c);
	free(p);
}

/* A program with a COFF symbol needs no exports. */
Test(exports, not_with_symbols)
{
	uint8_t *p = program(X86_64);
	uint8_t *symbol = rdata(p, DATA);
	struct gsym_container *c;

	put(p + HEADER + 12, RDATA + DATA - 0x2000, 4);
	put(p + HEADER + 16, 1, 4);
	memcpy(symbol, "coff", 4);
	put(symbol + 12, 1, 2);
	put(symbol + 14, 0x20, 2);
	symbol[16] = 2;
	c = load(p);
	cr_assert_eq(c->symbols.count, 1);
	cr_assert_str_eq(c->symbols.items[0].name, "coff");
	gsym_container_free(c);
	free(p);
}

/* ---- damage ------------------------------------------------------------- */

/* Load a program with VALUE at RVA: it has SYMBOLS symbols (SIZE_MAX: any
 * number), and a warning if WARNING is not NULL. */
static void check_damage(uint32_t rva, uint32_t value, size_t symbols,
			 const char *warning)
{
	uint8_t *p = program(X86_64);
	struct gsym_container *c;

	put(rdata(p, rva), value, 4);
	c = load(p);
	cr_expect(symbols == SIZE_MAX || c->symbols.count == symbols,
		  "%zu symbols", c->symbols.count);
	cr_expect_eq(c->warnings.count, warning ? 1 : 0);
	if (warning && c->warnings.count)
		cr_expect(strstr(c->warnings.items[0].text, warning), "%s",
			  c->warnings.items[0].text);
	gsym_container_free(c);
	free(p);
}

Test(exports, damaged_tables)
{
	/* More names than the section has room for: later tables are taken for
	 * names, too. */
	check_damage(EXPORTS + 24, 0xffffffff, SIZE_MAX, "only ");
	/* The first three names. */
	check_damage(EXPORTS + 24, 3, 3, NULL);
	/* Three addresses: those of "second", "nowhere" and "leaf". */
	check_damage(EXPORTS + 20, 3, 2, NULL);
	/* The tables lie in no section. */
	check_damage(EXPORTS + 28, 0x9000, 0, NULL);
	check_damage(EXPORTS + 32, 0x9000, 0, "only 0 of 8 names");
	check_damage(EXPORTS + 36, 0x9000, 0, "only 0 of 8 names");
	/* The name lies in no section. */
	check_damage(NAMES, 0x9000, 5, NULL);
}

/* The directory is cut off by the end of its section, then lies in no
 * section. */
Test(exports, no_directory)
{
	uint8_t *p = program(X86_64);
	struct gsym_container *c;

	put(p + DIRECTORIES, 0x2000 + RDATA_SIZE - 39, 4);
	c = load(p);
	cr_expect_eq(c->symbols.count, 0);
	cr_assert_eq(c->warnings.count, 1);
	cr_expect(strstr(c->warnings.items[0].text, "beyond the end"));
	gsym_container_free(c);
	put(p + DIRECTORIES, 0, 4);
	c = load(p);
	cr_expect(!c->symbols.count && !c->warnings.count);
	gsym_container_free(c);
	/* The optional header ends within the entry of the directory. */
	put(p + DIRECTORIES, EXPORTS, 4);
	put(p + HEADER + 20, DIRECTORIES + 4 - OPTIONAL, 2);
	memmove(p + DIRECTORIES + 4, p + SECTIONS, 80);
	c = load(p);
	cr_expect_str_eq(c->sections.items[1].name, ".rdata");
	cr_expect(!c->symbols.count && !c->warnings.count);
	gsym_container_free(c);
	free(p);
}

/* Any number of names that share one long string: the size of the file bounds
 * the bytes that are read. */
Test(exports, names_that_share_bytes)
{
	enum { COUNT = 1 << 16, MORE = 8 * COUNT };
	uint8_t *small = program(X86_64);
	uint8_t *p = calloc(1, SIZE + MORE);
	uint32_t rva = 0x2000 + RDATA_SIZE;
	struct gsym_container *c;

	cr_assert(p);
	memcpy(p, small, SIZE);
	put(p + SECTIONS + 40 + 8, RDATA_SIZE + MORE, 4);
	put(p + SECTIONS + 40 + 16, RDATA_SIZE + MORE, 4);
	put(rdata(p, EXPORTS + 24), COUNT, 4);
	put(rdata(p, EXPORTS + 32), rva, 4);
	put(rdata(p, EXPORTS + 36), rva + 4 * COUNT, 4);
	/* All names are the rest of the section; ordinals are 0x2020 there,
	 * but for the first 100. */
	for (uint32_t i = 0; i < COUNT; i++)
		put(p + SIZE + 4 * i, rva + 4 * COUNT + 200, 4);
	memset(p + SIZE + 4 * COUNT + 200, ' ', MORE - 4 * COUNT - 201);
	cr_assert_eq(gsym_container_load(&gsym_pe_input, p, SIZE + MORE,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_expect_lt(c->symbols.count, 100);
	cr_assert_eq(c->warnings.count, 1);
	cr_expect(strstr(c->warnings.items[0].text, "of 65536 names"));
	gsym_container_free(c);
	free(p);
	free(small);
}

/* Change each byte.  The memory has exactly the size of the file, so that
 * sanitizers report reads beyond it. */
Test(exports, every_byte)
{
	static const unsigned machines[] = { X86_64, ARM64, I386 };

	for (size_t m = 0; m < 3; m++) {
		uint8_t *p = program(machines[m]);

		for (size_t i = 0; i < 3 * SIZE; i++) {
			static const uint8_t masks[] = { 1, 0x80, 0xff };
			struct gsym_container *c = NULL;

			p[i / 3] ^= masks[i % 3];
			if (gsym_container_load(&gsym_pe_input, p, SIZE,
						GSYM_LOAD_ALL, NULL, &c,
						NULL) == GSYM_OK)
				for (size_t k = 0; k < c->symbols.count; k++)
					cr_expect_lt(
						c->symbols.items[k].section,
						c->sections.count);
			gsym_container_free(c);
			p[i / 3] ^= masks[i % 3];
		}
		free(p);
	}
}
