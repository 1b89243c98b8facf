/* SPDX-License-Identifier: MIT */
/* Symbols of ELF files by address, sound files and hostile ones. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/symbols.h"
#include "support/elf_builder.h"

struct file {
	struct elfb *b;
	uint8_t *bytes;
	size_t size;
	size_t data;
	struct gsym_symbols *symbols;
};

/* A file with a data section of 0x100000 bytes from 0x1000 on. */
static struct file begin(unsigned bits, bool big)
{
	struct file f = { .b = elfb_new(bits, big, ET_DYN, EM_X86_64) };

	f.data = elfb_section(f.b, ".data", SHT_NOBITS, SHF_ALLOC | SHF_WRITE,
			      0x1000, NULL, 0x100000);
	return f;
}

static void add(struct file *f, const char *name, uint64_t value,
		uint64_t size, unsigned type)
{
	elfb_symbol(f->b, &(struct elfb_symbol){
		.name = name, .value = value, .size = size, .type = type,
		.binding = STB_GLOBAL, .section = f->data });
}

static void finish(struct file *f)
{
	f->bytes = elfb_finish(f->b, &f->size);
	f->symbols = gsym_symbols_open_memory(f->bytes, f->size);
}

static void end(struct file *f)
{
	gsym_symbols_close(f->symbols);
	free(f->bytes);
	elfb_free(f->b);
}

/* "name+0x1", or "" */
static const char *at(const struct file *f, uint64_t address, unsigned flags)
{
	static char text[128];
	struct gsym_store_symbol symbol;

	text[0] = 0;
	if (f->symbols &&
	    gsym_symbols_find(f->symbols, address, flags, &symbol))
		snprintf(text, sizeof(text), "%s+0x%llx", symbol.name,
			 (unsigned long long)(address - symbol.start));
	return text;
}

#define EXPECT(f, address, wanted)                                            \
	cr_expect_str_eq(at(f, address, 0), wanted, "0x%llx: %s",             \
			 (unsigned long long)(address), at(f, address, 0))

Test(store_symbols, both_classes_and_byte_orders)
{
	for (unsigned kind = 0; kind < 8; kind++) {
		struct file f = begin(kind & 1 ? 64 : 32, kind & 2);

		add(&f, "second", 0x1100, 8, STT_OBJECT);
		add(&f, "first", 0x1010, 16, STT_FUNC);
		if (kind & 4)
			elfb_extended_numbers(f.b);
		finish(&f);
		cr_assert_not_null(f.symbols, "kind %u", kind);
		EXPECT(&f, 0x100f, "");
		EXPECT(&f, 0x1010, "first+0x0");
		EXPECT(&f, 0x101f, "first+0xf");
		EXPECT(&f, 0x1020, "");
		EXPECT(&f, 0x1107, "second+0x7");
		EXPECT(&f, 0x1108, "");
		EXPECT(&f, 0, "");
		EXPECT(&f, UINT64_MAX, "");
		end(&f);
	}
}

/* Functions, data and labels in sections; nothing else has a name here. */
Test(store_symbols, kinds)
{
	static const struct {
		unsigned type, section;
		bool wanted;
	} rows[] = {
		{ STT_NOTYPE, 1, true },     { STT_OBJECT, 1, true },
		{ STT_FUNC, 1, true },       { STT_GNU_IFUNC, 1, true },
		{ STT_SECTION, 1, false },   { STT_FILE, 1, false },
		{ STT_COMMON, 1, false },    { STT_TLS, 1, false },
		{ STT_OBJECT, SHN_UNDEF, false },
		{ STT_OBJECT, SHN_ABS, false },
		{ STT_OBJECT, SHN_COMMON, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct file f = begin(64, false);

		elfb_symbol(f.b, &(struct elfb_symbol){
			.name = "it", .value = 0x2000, .size = 4,
			.type = rows[i].type, .section = rows[i].section });
		add(&f, "$x", 0x3000, 4, STT_NOTYPE);
		add(&f, "", 0x4000, 4, STT_OBJECT);
		finish(&f);
		cr_expect_eq(f.symbols != NULL, rows[i].wanted, "row %zu", i);
		EXPECT(&f, 0x2001, rows[i].wanted ? "it+0x1" : "");
		EXPECT(&f, 0x3001, "");
		EXPECT(&f, 0x4001, "");
		end(&f);
	}
}

Test(store_symbols, equal_starts)
{
	struct file f = begin(64, false);

	add(&f, "small", 0x2000, 4, STT_OBJECT);
	add(&f, "large_one", 0x2000, 64, STT_OBJECT);
	add(&f, "large_two", 0x2000, 64, STT_OBJECT);
	add(&f, "none", 0x2000, 0, STT_OBJECT);
	add(&f, "inner", 0x2010, 4, STT_OBJECT);
	finish(&f);
	EXPECT(&f, 0x2000, "large_two+0x0");
	EXPECT(&f, 0x2011, "inner+0x1");
	/* The nearest one decides, as in llvm-symbolizer. */
	EXPECT(&f, 0x2020, "");
	end(&f);
}

/* Without a size up to the next one, 64 KiB at most, within the section. */
Test(store_symbols, without_size)
{
	struct file f = begin(64, false);

	add(&f, "label", 0x1800, 0, STT_NOTYPE);
	add(&f, "next", 0x1900, 0, STT_NOTYPE);
	add(&f, "last", 0x100ff0, 0, STT_NOTYPE);
	add(&f, "outside", 0x200000, 0, STT_NOTYPE);
	finish(&f);
	EXPECT(&f, 0x17ff, "");
	EXPECT(&f, 0x1800, "label+0x0");
	EXPECT(&f, 0x18ff, "label+0xff");
	EXPECT(&f, 0x1900, "next+0x0");
	EXPECT(&f, 0x1900 + 65536, "next+0x10000");
	EXPECT(&f, 0x1900 + 65537, "");
	cr_expect_str_eq(at(&f, 0x1900 + 65537, GSYM_STORE_FAR),
			 "next+0x10001");
	EXPECT(&f, 0x100fff, "last+0xf");
	EXPECT(&f, 0x101000, "");
	cr_expect_str_eq(at(&f, 0x101000, GSYM_STORE_FAR), "last+0x10");
	EXPECT(&f, 0x200000, "outside+0x0");
	EXPECT(&f, 0x200001, "");
	end(&f);
}

/* .symtab wins; where it has nothing to say, .dynsym does. */
Test(store_symbols, two_tables)
{
	for (int both = 0; both < 2; both++) {
		struct file f = begin(64, false);

		elfb_symbol(f.b, &(struct elfb_symbol){
			.name = "dynamic", .value = 0x2000, .size = 4,
			.type = STT_OBJECT, .section = f.data,
			.dynamic = true });
		if (both)
			add(&f, "own", 0x3000, 4, STT_OBJECT);
		finish(&f);
		EXPECT(&f, 0x2000, both ? "" : "dynamic+0x0");
		EXPECT(&f, 0x3000, both ? "own+0x0" : "");
		end(&f);
	}
}

Test(store_symbols, a_symbol_that_reaches_around)
{
	struct file f = begin(64, false);

	add(&f, "huge", 0xfffffffffffffff0u, UINT64_MAX, STT_OBJECT);
	add(&f, "low", 0x1000, 4, STT_OBJECT);
	finish(&f);
	EXPECT(&f, UINT64_MAX, "huge+0xf");
	EXPECT(&f, 0xfff, "");
	EXPECT(&f, 0x1003, "low+0x3");
	end(&f);
}

/* ---- hostile files --------------------------------------------------- */

static struct file sample(void)
{
	struct file f = begin(64, false);

	add(&f, "one", 0x2000, 4, STT_OBJECT);
	add(&f, "two", 0x3000, 4, STT_OBJECT);
	finish(&f);
	return f;
}

/* Open the file anew, as it was changed. */
static void again(struct file *f)
{
	gsym_symbols_close(f->symbols);
	f->symbols = gsym_symbols_open_memory(f->bytes, f->size);
}

Test(store_symbols, cut_off_anywhere)
{
	struct file f = sample();

	for (size_t size = 0; size < f.size; size++) {
		/* Of just that size, so that a sanitizer sees its end. */
		uint8_t *copy = malloc(size ? size : 1);
		struct gsym_symbols *s;

		memcpy(copy, f.bytes, size);
		s = gsym_symbols_open_memory(copy, size);
		/* The section headers are at the end; the last one is that of
		 * the names of sections, which nobody needs. */
		cr_expect(!s || size + 64 >= f.size, "%zu of %zu bytes", size,
			  f.size);
		gsym_symbols_close(s);
		free(copy);
	}
	end(&f);
}

static void put32(struct file *f, size_t offset, uint32_t value)
{
	memcpy(f->bytes + offset, &value, 4);
}

static void put64(struct file *f, size_t offset, uint64_t value)
{
	memcpy(f->bytes + offset, &value, 8);
}

/* Offsets within a 64-bit section header. */
enum { SH_TYPE = 4, SH_OFFSET = 24, SH_SIZE = 32, SH_LINK = 40,
       SH_ENTSIZE = 56 };

Test(store_symbols, tables_that_lie)
{
	static const struct {
		const char *section;
		size_t field;
		uint64_t value;
		bool wide;
	} rows[] = {
		{ ".symtab", SH_OFFSET, UINT64_MAX, true },
		{ ".symtab", SH_SIZE, UINT64_MAX, true },
		{ ".symtab", SH_ENTSIZE, 0, true },
		{ ".symtab", SH_ENTSIZE, 23, true },
		{ ".symtab", SH_LINK, 999, false },
		{ ".symtab", SH_TYPE, SHT_NOBITS, false },
		{ ".strtab", SH_OFFSET, UINT64_MAX - 2, true },
		{ ".strtab", SH_SIZE, UINT64_MAX, true },
		{ ".strtab", SH_SIZE, 0, true },
		/* The names do not end. */
		{ ".strtab", SH_SIZE, 2, true },
		{ ".strtab", SH_TYPE, SHT_NOBITS, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct file f = sample();
		size_t header = elfb_header_offset(
			f.b, elfb_number(f.b, rows[i].section));

		if (rows[i].wide)
			put64(&f, header + rows[i].field, rows[i].value);
		else
			put32(&f, header + rows[i].field,
			      (uint32_t)rows[i].value);
		again(&f);
		cr_expect_null(f.symbols, "row %zu", i);
		end(&f);
	}
}

Test(store_symbols, names_beyond_the_table)
{
	struct file f = sample();
	size_t table = elfb_offset(f.b, elfb_number(f.b, ".symtab"));

	/* Symbol 0 is the empty one; 1 is "one". */
	put32(&f, table + 24, 0xfffffff0u);
	again(&f);
	EXPECT(&f, 0x2000, "");
	EXPECT(&f, 0x3000, "two+0x0");
	end(&f);
}

Test(store_symbols, larger_entries)
{
	struct file f = sample();
	size_t number = elfb_number(f.b, ".symtab");

	/* Every other symbol is a part of the one before it. */
	put64(&f, elfb_header_offset(f.b, number) + SH_ENTSIZE, 48);
	again(&f);
	EXPECT(&f, 0x2000, "");
	EXPECT(&f, 0x3000, "");
	end(&f);
}

/* Thousands of headers for one large table without any symbol of use: all of
 * them would be read for hours. */
Test(store_symbols, many_headers_for_one_table, .timeout = 20)
{
	enum { HEADERS = 40000, SYMBOLS = 200000 };
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	uint8_t *table = calloc(SYMBOLS, 24);
	size_t size;

	cr_assert_not_null(table);
	size_t names = elfb_section(b, ".names", SHT_STRTAB, 0, 0, "\0n", 3);
	size_t symbols = elfb_section(b, ".s", SHT_SYMTAB, 0, 0, table,
				      (size_t)SYMBOLS * 24);
	elfb_section_fields(b, symbols, (uint32_t)names, 0, 8, 24);
	for (int i = 0; i < HEADERS; i++)
		elfb_section(b, "", SHT_SYMTAB, 0, 0, NULL, 0);
	uint8_t *bytes = elfb_finish(b, &size);
	for (int i = 1; i <= HEADERS; i++)
		memcpy(bytes + elfb_header_offset(b, symbols + (size_t)i),
		       bytes + elfb_header_offset(b, symbols), 64);
	cr_expect_null(gsym_symbols_open_memory(bytes, size));
	free(bytes);
	free(table);
	elfb_free(b);
}

Test(store_symbols, files)
{
	struct file f = sample();
	char *path = elfb_save(f.bytes, f.size), *folder;
	struct gsym_symbols *s = gsym_symbols_open(path);
	struct gsym_store_symbol symbol;

	cr_assert_not_null(s);
	unlink(path);
	cr_expect(gsym_symbols_find(s, 0x2002, 0, &symbol));
	cr_expect_str_eq(symbol.name, "one");
	cr_expect(symbol.start == 0x2000 && symbol.size == 4);
	gsym_symbols_close(s);
	cr_expect_null(gsym_symbols_open(path), "gone");
	free(path);
	path = elfb_save("", 0);
	cr_expect_null(gsym_symbols_open(path), "empty");
	unlink(path);
	free(path);
	folder = strdup("/tmp");
	cr_expect_null(gsym_symbols_open(folder), "a folder");
	free(folder);
	cr_expect_null(gsym_symbols_open("/dev/null"));
	gsym_symbols_close(NULL);
	end(&f);
}
