/* SPDX-License-Identifier: MIT */
/* The symbols of a container that is made from an ELF file. */
#include "elf/elf.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { CODE = SHF_ALLOC | SHF_EXECINSTR };

static void add(struct elfb *b, const char *name, uint64_t value, unsigned type,
		unsigned binding, size_t section)
{
	elfb_symbol(b, &(struct elfb_symbol){ .name = name, .value = value,
		.size = 2, .type = type, .binding = binding,
		.section = section });
}

static void add_dynamic(struct elfb *b, const char *name, size_t section)
{
	elfb_symbol(b, &(struct elfb_symbol){ .name = name, .value = 0x1000,
		.type = STT_FUNC, .binding = STB_GLOBAL, .section = section,
		.dynamic = true });
}

/* Finish, load and free B.  The bytes stay until unload(). */
static uint8_t *loaded;

static struct gsym_container *load(struct elfb *b)
{
	struct gsym_container *c = NULL;
	size_t size;

	loaded = elfb_finish(b, &size);
	elfb_free(b);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, loaded, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	return c;
}

static void unload(struct gsym_container *c)
{
	gsym_container_free(c);
	free(loaded);
}

static void expect(const struct gsym_container *c, size_t i, const char *name,
		   uint64_t value, size_t section, enum gsym_symbol_type type,
		   enum gsym_symbol_binding binding)
{
	const struct gsym_symbol *s = &c->symbols.items[i];

	cr_assert_lt(i, c->symbols.count);
	cr_assert_str_eq(s->name, name);
	cr_assert_eq(s->value, value, "%s", name);
	cr_assert_eq(s->section, section, "%s", name);
	cr_assert_eq(s->type, type, "%s", name);
	cr_assert_eq(s->binding, binding, "%s", name);
}

static void check(unsigned bits, bool big, bool extended)
{
	struct elfb *b = elfb_new(bits, big, ET_EXEC, EM_PPC);
	size_t text = elfb_section(b, ".text", SHT_NOBITS, CODE, 0x1000, NULL,
				   32);
	struct gsym_container *c;

	if (extended)
		elfb_extended_numbers(b);
	add(b, "none", 0x1001, STT_NOTYPE, STB_LOCAL, text);
	add(b, "func", 0x1002, STT_FUNC, STB_GLOBAL, text);
	add(b, "ifunc", 0x1003, STT_GNU_IFUNC, STB_WEAK, text);
	add(b, "data", 0x1004, STT_OBJECT, STB_GNU_UNIQUE, text);
	add(b, "abs", 0x1005, STT_NOTYPE, STB_LOCAL, SHN_ABS);
	add(b, "undef", 0x1006, STT_FUNC, STB_GLOBAL, SHN_UNDEF);
	add(b, "file", 0x1006, STT_FILE, STB_LOCAL, SHN_ABS);
	add(b, "tls", 0x1006, STT_TLS, STB_GLOBAL, text);
	add(b, "section", 0x1006, STT_SECTION, STB_LOCAL, text);
	add(b, "", 0x1006, STT_NOTYPE, STB_LOCAL, text);
	add(b, "other", 0x1006, 9, STB_LOCAL, text);
	add(b, "far", 0x1007, STT_FUNC, STB_GLOBAL, 99);
	add_dynamic(b, "dyn", text);
	c = load(b);
	cr_assert_eq(c->symbols.count, 8);
	expect(c, 0, "none", 0x1001, text, GSYM_SYMBOL_NONE, GSYM_SYMBOL_LOCAL);
	expect(c, 1, "func", 0x1002, text, GSYM_SYMBOL_FUNCTION,
	       GSYM_SYMBOL_GLOBAL);
	expect(c, 2, "ifunc", 0x1003, text, GSYM_SYMBOL_FUNCTION,
	       GSYM_SYMBOL_WEAK);
	expect(c, 3, "data", 0x1004, text, GSYM_SYMBOL_OBJECT,
	       GSYM_SYMBOL_GLOBAL);
	expect(c, 4, "abs", 0x1005, GSYM_NO_SECTION, GSYM_SYMBOL_NONE,
	       GSYM_SYMBOL_LOCAL);
	expect(c, 5, "other", 0x1006, text, GSYM_SYMBOL_OTHER,
	       GSYM_SYMBOL_LOCAL);
	expect(c, 6, "far", 0x1007, GSYM_NO_SECTION, GSYM_SYMBOL_FUNCTION,
	       GSYM_SYMBOL_GLOBAL);
	cr_assert_eq(c->symbols.items[1].size, 2);
	/* Fifteen entries and their strings, in two tables. */
	cr_assert_eq(c->symbol_bytes, 15 * (bits == 64 ? 24 : 16) +
		     sizeof("\0none\0func\0ifunc\0data\0abs\0undef\0file"
			    "\0tls\0section\0\0other\0far") +
		     sizeof("\0dyn"));
	/* What is left out takes no memory. */
	cr_assert_leq(c->symbols.capacity, 16);
	cr_assert_leq(sizeof(struct gsym_symbol), 32);
	/* .dynsym has no long section numbers in our files. */
	if (!extended)
		expect(c, 7, "dyn", 0x1000, text, GSYM_SYMBOL_FUNCTION,
		       GSYM_SYMBOL_GLOBAL);
	unload(c);
}

Test(symbols, kinds)
{
	for (unsigned i = 0; i < 8; i++)
		check(i & 1 ? 64 : 32, i & 2, i & 4);
}

Test(symbols, versions)
{
	static const struct { const char *stored, *name; } cases[] = {
		{ "memcpy@@GLIBC_2.14", "memcpy" },
		{ "memcpy@GLIBC_2.2.5", "memcpy" },
		{ "f@_PRIVATE", "f" },
		{ "?f@@YAXXZ", "?f@@YAXXZ" },
		{ "_f@8", "_f@8" },
		{ "@f", "@f" },
		{ "f@", "f@" },
		{ "f@@", "f@@" },
	};
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	size_t text = elfb_section(b, ".text", SHT_NOBITS, CODE, 0x1000, NULL,
				   32);
	size_t count = sizeof(cases) / sizeof(cases[0]);
	struct gsym_container *c;

	for (size_t i = 0; i < count; i++)
		add(b, cases[i].stored, 0x1000, STT_FUNC, STB_GLOBAL, text);
	add_dynamic(b, "memcpy@@GLIBC_2.14", text);
	c = load(b);
	cr_assert_eq(c->symbols.count, count + 1);
	for (size_t i = 0; i < count; i++)
		cr_assert_str_eq(c->symbols.items[i].name, cases[i].name);
	cr_assert_str_eq(c->symbols.items[count].name, "memcpy@@GLIBC_2.14");
	unload(c);
}

/* Marks of assemblers and compilers become no symbols. */
Test(symbols, marks)
{
	static const char *const marks[] = {
		".Ltmp17", ".L0 ", ".L", "L0", "L0\1", "L1\2" "7", "L42\1",
		"L1234567890\2",
	};
	static const char *const kept[] = {
		"L", "L1", "L0_start", "L12345678901\2", "L\1", "Lost", "l0\1",
		".text", "L0 ",
	};
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_LOONGARCH);
	size_t text = elfb_section(b, ".text", SHT_NOBITS, CODE, 0x1000, NULL,
				   32), count = sizeof(kept) / sizeof(kept[0]);
	struct elfb_symbol s = { .value = 0x1004, .section = text };
	struct gsym_container *c;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		s.name = marks[i];
		elfb_symbol(b, &s);
	}
	for (size_t i = 0; i < count; i++) {
		s.name = kept[i];
		elfb_symbol(b, &s);
	}
	/* With a type, a size or another binding it is a symbol. */
	s.name = ".Lf";
	s.type = STT_FUNC;
	elfb_symbol(b, &s);
	s.type = STT_NOTYPE;
	s.size = 4;
	elfb_symbol(b, &s);
	s.size = 0;
	s.binding = STB_GLOBAL;
	elfb_symbol(b, &s);
	/* A place where code begins, and a function of Swift. */
	s.name = "$x";
	elfb_symbol(b, &s);
	s.type = STT_FUNC;
	s.name = "$s4main1fyyF";
	elfb_symbol(b, &s);
	c = load(b);
	cr_assert_eq(c->symbols.count, count + 4);
	for (size_t i = 0; i < count; i++)
		cr_assert_str_eq(c->symbols.items[i].name, kept[i]);
	for (size_t i = count; i < count + 3; i++)
		cr_assert_str_eq(c->symbols.items[i].name, ".Lf");
	cr_assert_str_eq(c->symbols.items[count + 3].name, "$s4main1fyyF");
	unload(c);
}

/* Where descriptors are, and two sections of code. */
enum { OPD = 0x3000, FIRST = 0x1000, SECOND = 0x2000 };

/* A program with descriptors of code at FIRST + 4, at SECOND, at OPD, and
 * nowhere, and 4 bytes more. */
static struct elfb *with_descriptors(bool big, unsigned type, unsigned machine,
				     unsigned opd, size_t section[3])
{
	static const uint64_t code[] = { FIRST + 4, SECOND, OPD, 0 };
	struct elfb *b = elfb_new(64, big, type, machine);
	uint8_t bytes[4 * 24 + 4] = { 0 };

	for (size_t i = 0; i < 4; i++)
		for (unsigned byte = 0; byte < 8; byte++)
			bytes[24 * i + (big ? 7 - byte : byte)] =
				(uint8_t)(code[i] >> 8 * byte);
	section[0] = elfb_section(b, ".text", SHT_NOBITS, CODE,
				  type == ET_REL ? 0 : FIRST, NULL, 32);
	section[1] = elfb_section(b, ".more", SHT_NOBITS, CODE,
				  type == ET_REL ? 0 : SECOND, NULL, 32);
	section[2] = elfb_section(b, ".opd", opd, SHF_ALLOC | SHF_WRITE,
				  type == ET_REL ? 0 : OPD, bytes,
				  sizeof(bytes));
	return b;
}

/* By the first ABI of 64-bit PowerPC the symbol of a function has the address
 * of a descriptor. */
Test(symbols, descriptors)
{
	for (unsigned big = 0; big < 2; big++) {
		size_t at[3];
		struct elfb *b = with_descriptors(big, ET_DYN, EM_PPC64,
						  SHT_PROGBITS, at);
		struct gsym_container *c;

		add(b, "first", OPD, STT_FUNC, STB_GLOBAL, at[2]);
		add(b, "second", OPD + 24, STT_FUNC, STB_LOCAL, at[2]);
		add(b, "again", OPD, STT_FUNC, STB_WEAK, at[2]);
		add(b, ".first", FIRST + 4, STT_FUNC, STB_GLOBAL, at[0]);
		/* No code, no descriptor, cut off, outside. */
		add(b, "data", OPD, STT_OBJECT, STB_GLOBAL, at[2]);
		add(b, "to data", OPD + 48, STT_FUNC, STB_GLOBAL, at[2]);
		add(b, "null", OPD + 72, STT_FUNC, STB_GLOBAL, at[2]);
		add(b, "short", OPD + 93, STT_FUNC, STB_GLOBAL, at[2]);
		add(b, "far", UINT64_MAX, STT_FUNC, STB_GLOBAL, at[2]);
		add(b, "below", OPD - 1, STT_FUNC, STB_GLOBAL, at[2]);
		c = load(b);
		cr_assert_eq(c->symbols.count, 10);
		expect(c, 0, "first", FIRST + 4, at[0], GSYM_SYMBOL_FUNCTION,
		       GSYM_SYMBOL_GLOBAL);
		cr_assert_eq(c->symbols.items[0].size, 2);
		expect(c, 1, "second", SECOND, at[1], GSYM_SYMBOL_FUNCTION,
		       GSYM_SYMBOL_LOCAL);
		expect(c, 2, "again", FIRST + 4, at[0], GSYM_SYMBOL_FUNCTION,
		       GSYM_SYMBOL_WEAK);
		expect(c, 3, ".first", FIRST + 4, at[0], GSYM_SYMBOL_FUNCTION,
		       GSYM_SYMBOL_GLOBAL);
		expect(c, 4, "data", OPD, at[2], GSYM_SYMBOL_OBJECT,
		       GSYM_SYMBOL_GLOBAL);
		for (size_t i = 5; i < 10; i++)
			cr_assert_eq(c->symbols.items[i].section, at[2]);
		cr_assert_eq(c->symbols.items[5].value, OPD + 48);
		cr_assert_eq(c->symbols.items[7].value, OPD + 93);
		unload(c);
	}
}

/* Beyond the limit of sections that are looked at a symbol stays, unless its
 * code is in the section of the last one. */
Test(symbols, descriptors_beyond_the_limit)
{
	size_t at[3];
	struct elfb *b = with_descriptors(true, ET_DYN, EM_PPC64, SHT_PROGBITS,
					  at);
	struct elf_descriptors d = { .last = SIZE_MAX };
	struct gsym_symbol symbol = { .type = GSYM_SYMBOL_FUNCTION,
				      .value = OPD };
	struct gsym_container *c = load(b);

	symbol.section = at[2];
	d.table = &c->sections.items[at[2]];
	gsym_elf_follow_descriptor(c, &d, &symbol);
	cr_assert(symbol.value == OPD && symbol.section == at[2]);
	d.last = at[0];
	gsym_elf_follow_descriptor(c, &d, &symbol);
	cr_assert(symbol.value == FIRST + 4 && symbol.section == at[0]);
	unload(c);
}

/* The sections .opd that have no descriptors: of other machines, of relocatable
 * objects, whose relocations have the addresses, and of debug files, which do
 * not have the bytes. */
Test(symbols, no_descriptors)
{
	static const struct { unsigned type, machine, opd; } cases[] = {
		{ ET_DYN, EM_PPC, SHT_PROGBITS },
		{ ET_REL, EM_PPC64, SHT_PROGBITS },
		{ ET_EXEC, EM_PPC64, SHT_NOBITS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t at[3];
		struct elfb *b = with_descriptors(true, cases[i].type,
						  cases[i].machine,
						  cases[i].opd, at);
		struct gsym_container *c;

		add(b, "first", cases[i].type == ET_REL ? 0 : OPD, STT_FUNC,
		    STB_GLOBAL, at[2]);
		c = load(b);
		cr_assert_eq(c->symbols.items[0].section, at[2], "%zu", i);
		unload(c);
	}
}

/* A symbol of .dynsym is left out if .symtab has an equal one. */
Test(symbols, in_both_tables)
{
	static const struct elfb_symbol first = {
		.name = "f", .value = 0x1000, .size = 4, .type = STT_FUNC,
		.binding = STB_GLOBAL, .section = 1
	};
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	struct elfb_symbol dynamic[8];
	struct gsym_container *c;

	cr_assert_eq(elfb_section(b, ".text", SHT_NOBITS, CODE, 0x1000, NULL,
				  32), 1);
	cr_assert_eq(elfb_section(b, ".more", SHT_NOBITS, CODE, 0x1000, NULL,
				  32), 2);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "g", .value = 0x1000,
					      .type = STT_FUNC, .section = 1 });
	elfb_symbol(b, &first);
	for (size_t i = 0; i < 8; i++) {
		dynamic[i] = first;
		dynamic[i].dynamic = true;
	}
	dynamic[1].name = "e";
	dynamic[2].value++;
	dynamic[3].size++;
	dynamic[4].type = STT_NOTYPE;
	dynamic[5].binding = STB_WEAK;
	dynamic[6].section = 2;
	/* dynamic[0] and [7] are in .symtab. */
	for (size_t i = 0; i < 8; i++)
		elfb_symbol(b, &dynamic[i]);
	c = load(b);
	cr_assert_eq(c->symbols.count, 8);
	expect(c, 2, "e", 0x1000, 1, GSYM_SYMBOL_FUNCTION, GSYM_SYMBOL_GLOBAL);
	expect(c, 3, "f", 0x1001, 1, GSYM_SYMBOL_FUNCTION, GSYM_SYMBOL_GLOBAL);
	cr_assert_eq(c->symbols.items[4].size, 5);
	expect(c, 5, "f", 0x1000, 1, GSYM_SYMBOL_NONE, GSYM_SYMBOL_GLOBAL);
	expect(c, 6, "f", 0x1000, 1, GSYM_SYMBOL_FUNCTION, GSYM_SYMBOL_WEAK);
	expect(c, 7, "f", 0x1000, 2, GSYM_SYMBOL_FUNCTION, GSYM_SYMBOL_GLOBAL);
	unload(c);
}

/* Many symbols, and many of them at one address: no symbol is lost, and few are
 * kept from both tables. */
Test(symbols, many_in_both_tables)
{
	enum { COUNT = 3000, ALIASES = 50 };
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	struct gsym_container *c;
	size_t text = elfb_section(b, ".text", SHT_NOBITS, CODE, 0x1000, NULL,
				   2 * COUNT);
	static char names[COUNT][8];
	static unsigned seen[COUNT];

	for (unsigned dynamic = 0; dynamic < 2; dynamic++)
		for (unsigned i = 0; i < COUNT; i++) {
			snprintf(names[i], sizeof(names[i]), "f%u", i);
			elfb_symbol(b, &(struct elfb_symbol){
				.name = names[i],
				.value = 0x1000 + (i < ALIASES ? 0 : i),
				.size = 1, .type = STT_FUNC, .section = text,
				.dynamic = dynamic });
		}
	c = load(b);
	/* Most of the aliases, and perhaps a few more, are there twice. */
	cr_assert_lt(c->symbols.count, COUNT + 2 * ALIASES);
	for (size_t i = 0; i < c->symbols.count; i++)
		seen[atoi(c->symbols.items[i].name + 1)]++;
	for (unsigned i = 0; i < COUNT; i++)
		cr_assert(seen[i] == 1 || seen[i] == 2);
	unload(c);
}

/* Symbols of one name at many addresses: none is in both tables. */
Test(symbols, one_name_in_both_tables)
{
	enum { COUNT = 1000 };
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	struct gsym_container *c;
	size_t text = elfb_section(b, ".text", SHT_NOBITS, CODE, 0x1000, NULL,
				   2 * COUNT);

	for (unsigned i = 0; i < 2 * COUNT; i++)
		elfb_symbol(b, &(struct elfb_symbol){
			.name = "f", .value = 0x1000 + i, .size = 1,
			.type = STT_FUNC, .section = text, .dynamic = i % 2 });
	c = load(b);
	cr_assert_eq(c->symbols.count, 2 * COUNT);
	unload(c);
}

static struct gsym_container *load_on(const uint8_t *bytes, size_t size,
				      unsigned threads)
{
	const struct gsym_convert_options options = { .threads = threads };
	struct gsym_container *c;

	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, &options, &c, NULL),
		     GSYM_OK);
	return c;
}

/* The number in the only warning of C. */
static size_t warned(const struct gsym_container *c)
{
	size_t number = 0;

	cr_assert_eq(c->warnings.count, 1);
	cr_assert_eq(sscanf(c->warnings.items[0].text, ".symtab: %zu", &number),
		     1);
	return number;
}

/* Tables that several threads read in parts: the symbols, their order and the
 * warnings are those of one thread. */
Test(symbols, several_threads)
{
	/* Every third symbol is in both tables, every fifth is not defined in
	 * .symtab, and some have a version. */
	enum { COUNT = 20000, CUT = 100, LOST = 16001 };
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	size_t text = elfb_section(b, ".text", SHT_NOBITS, CODE, 0x1000, NULL,
				   2 * COUNT);
	static char names[COUNT][24];
	struct gsym_container *one;
	uint8_t *bytes, *strings, *lost;
	size_t size, cut, defined = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		struct elfb_symbol s = { .name = names[i],
					 .value = 0x1000 + i, .size = 1,
					 .type = STT_FUNC, .section = text };

		snprintf(names[i], sizeof(names[i]), "f%u%s", i,
			 i % 7 == 1 ? "@@GLIBC_2.14" : "");
		s.dynamic = true;
		if (i % 3 == 0 && i % 7 != 1)
			elfb_symbol(b, &s);
		s.dynamic = false;
		s.section = i % 5 ? text : SHN_UNDEF;
		elfb_symbol(b, &s);
		defined += i % 5 || (i % 3 == 0 && i % 7 != 1);
	}
	bytes = elfb_finish(b, &size);
	/* The names of the last symbols are cut off, and then that of one in
	 * the middle of the table. */
	strings = bytes + elfb_header_offset(b, elfb_number(b, ".strtab")) + 32;
	strings[1] -= 1;
	lost = bytes + elfb_offset(b, elfb_number(b, ".symtab")) +
	       24 * (LOST + 1);
	elfb_free(b);
	one = load_on(bytes, size, 1);
	cut = warned(one);
	gsym_container_free(one);
	memset(lost, 0x7f, 4);

	one = load_on(bytes, size, 1);
	cr_assert_eq(warned(one), cut + 1);
	cr_assert_lt(one->symbols.count, defined);
	cr_assert_gt(one->symbols.count, defined - CUT);
	for (size_t i = 0; i < 12000; i++) {
		char name[24];

		snprintf(name, sizeof(name), "f%zu", i / 4 * 5 + i % 4 + 1);
		expect(one, i, name, 0x1000 + i / 4 * 5 + i % 4 + 1, text,
		       GSYM_SYMBOL_FUNCTION, GSYM_SYMBOL_LOCAL);
	}
	for (unsigned threads = 2; threads < 8; threads += 3) {
		struct gsym_container *c = load_on(bytes, size, threads);

		cr_assert_eq(c->symbols.count, one->symbols.count);
		for (size_t i = 0; i < c->symbols.count; i++) {
			const struct gsym_symbol *s = &one->symbols.items[i];

			expect(c, i, s->name, s->value, s->section, s->type,
			       s->binding);
		}
		cr_assert_eq(warned(c), cut + 1);
		gsym_container_free(c);
	}
	gsym_container_free(one);
	free(bytes);
}

/* On ARM and MIPS, bit 0 of a function is its instruction set.  On other
 * machines, and of labels, bit 0 is part of the address. */
Test(symbols, instruction_set_bit)
{
	static const struct { unsigned machine; bool cleared; } cases[] = {
		{ EM_ARM, true }, { EM_MIPS, true }, { EM_386, false },
	};

	for (size_t i = 0; i < 3; i++) {
		struct elfb *b = elfb_new(32, false, ET_DYN, cases[i].machine);
		size_t text = elfb_section(b, ".text", SHT_NOBITS, CODE,
					   0x1000, NULL, 32);
		struct gsym_container *c;

		add(b, "f", 0x1001, STT_FUNC, STB_GLOBAL, text);
		add(b, "i", 0x1003, STT_GNU_IFUNC, STB_GLOBAL, text);
		add(b, "l", 0x1005, STT_NOTYPE, STB_GLOBAL, text);
		c = load(b);
		cr_assert_eq(c->code_bit0, cases[i].cleared);
		cr_assert_eq(c->symbols.items[0].value,
			     cases[i].cleared ? 0x1000 : 0x1001);
		cr_assert_eq(c->symbols.items[1].value,
			     cases[i].cleared ? 0x1002 : 0x1003);
		cr_assert_eq(c->symbols.items[2].value, 0x1005);
		unload(c);
	}
}

/* Damage the string table: one warning counts the symbols without name. */
Test(symbols, names_outside)
{
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	size_t text = elfb_section(b, ".text", SHT_NOBITS, CODE, 0x1000, NULL,
				   32);
	struct gsym_container *c;
	size_t size;
	uint8_t *bytes;
	size_t strings;

	add(b, "first", 0x1000, STT_FUNC, STB_GLOBAL, text);
	add(b, "second", 0x1002, STT_FUNC, STB_GLOBAL, text);
	add(b, "third", 0x1002, STT_FUNC, STB_GLOBAL, text);
	bytes = elfb_finish(b, &size);
	strings = elfb_number(b, ".strtab");
	/* The name "second" is cut: the string table ends within it. */
	bytes[elfb_header_offset(b, strings) + 32] = 1 + 6 + 3;
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(c->symbols.count, 1);
	cr_assert_str_eq(c->symbols.items[0].name, "first");
	cr_assert_eq(c->warnings.count, 1);
	cr_assert_eq(c->warnings.items[0].kind, GSYM_WARN_BAD_SYMBOL);
	cr_assert(strstr(c->warnings.items[0].text, "2 symbols"));
	gsym_container_free(c);
	free(bytes);
	elfb_free(b);
}
