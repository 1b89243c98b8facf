/* SPDX-License-Identifier: MIT */
/* Finding the symbol at an address, in sound and in malicious ELF files. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "store/state.h"
#include <gsym/program.h>
#include "support/elf_builder.h"

struct file {
	struct elfb *b;
	uint8_t *bytes;
	size_t size;
	/* The number of the data section. */
	size_t data;
	struct gsym_module *symbols;
};

/* A file with a data section of 0x100000 bytes at address 0x1000. */
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
	gsym_module_of_memory(f->bytes, f->size, &f->symbols);
}

static void end(struct file *f)
{
	gsym_module_close(f->symbols);
	free(f->bytes);
	elfb_free(f->b);
}

/* The symbol and offset of ADDRESS, as "name+0x1"; "" if it has none. */
static const char *at(const struct file *f, uint64_t address, unsigned flags)
{
	static char text[128];
	struct gsym_store_symbol symbol;

	text[0] = 0;
	if (f->symbols &&
	    gsym_module_find_symbol(f->symbols, address, flags, &symbol))
		snprintf(text, sizeof(text), "%s+0x%" PRIx64, symbol.name,
			 address - symbol.start);
	return text;
}

#define EXPECT(f, address, wanted)                                       \
	cr_expect_str_eq(at(f, address, 0), wanted, "0x%" PRIx64 ": %s", \
			 (uint64_t)(address), at(f, address, 0))

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

/* Functions, data and labels in sections are found; other symbols are not. */
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

/* Of functions on ARM and MIPS bit 0 of the value is no part of the address. */
Test(store_symbols, instruction_sets)
{
	static const struct {
		uint16_t machine;
		bool marked;
	} rows[] = {
		{ EM_ARM, true }, { EM_MIPS, true }, { EM_386, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool marked = rows[i].marked;
		struct file f = {
			.b = elfb_new(32, false, ET_DYN, rows[i].machine),
		};

		f.data = elfb_section(f.b, ".text", SHT_NOBITS,
				      SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL,
				      0x1000);
		add(&f, "before", 0x1101, 0xf, STT_FUNC);
		add(&f, "thumb", 0x1111, 4, STT_FUNC);
		add(&f, "chosen", 0x1121, 4, STT_GNU_IFUNC);
		add(&f, "data", 0x1131, 4, STT_OBJECT);
		finish(&f);
		EXPECT(&f, 0x1110, marked ? "thumb+0x0" : "");
		EXPECT(&f, 0x1113, marked ? "thumb+0x3" : "thumb+0x2");
		EXPECT(&f, 0x1114, marked ? "" : "thumb+0x3");
		EXPECT(&f, 0x1120, marked ? "chosen+0x0" : "");
		EXPECT(&f, 0x1130, "");
		EXPECT(&f, 0x1134, "data+0x3");
		end(&f);
	}
}

/* A symbol of the last file named before it, or of none. */
static void add_of(struct file *f, const char *name, uint64_t value,
		   unsigned type, unsigned binding)
{
	elfb_symbol(f->b, &(struct elfb_symbol){
		.name = name, .value = value, .size = 4, .type = type,
		.binding = binding,
		.section = type == STT_FILE ? SHN_ABS : f->data });
}

/* The file of ADDRESS; "" if there is none. */
static const char *file_at(const struct file *f, uint64_t address,
			   unsigned flags)
{
	const char *name = NULL;

	return gsym_module_file_at(f->symbols, address, flags, &name) == GSYM_OK
		       ? name : "";
}

Test(store_symbols, source_files)
{
	/* Another symbol before the first file, and another file. */
	for (int kind = 0; kind < 4; kind++) {
		struct file f = begin(64, false);
		bool before = kind & 1, more = kind & 2;
		bool first = !before && !more;

		if (before)
			add_of(&f, "early", 0x2000, STT_OBJECT, STB_LOCAL);
		add_of(&f, "one.c", 0, STT_FILE, STB_LOCAL);
		add_of(&f, "one", 0x2010, STT_FUNC, STB_LOCAL);
		if (more) {
			add_of(&f, "two.c", 0, STT_FILE, STB_LOCAL);
			add_of(&f, "two", 0x2020, STT_OBJECT, STB_LOCAL);
			/* Linkers name an empty file before their own. */
			add_of(&f, "", 0, STT_FILE, STB_LOCAL);
			add_of(&f, "three", 0x2030, STT_NOTYPE, STB_LOCAL);
			add_of(&f, "one.c", 0, STT_FILE, STB_LOCAL);
		}
		add_of(&f, "global", 0x2040, STT_FUNC, STB_GLOBAL);
		add_of(&f, "weak", 0x2050, STT_FUNC, STB_WEAK);
		finish(&f);
		cr_expect_str_eq(file_at(&f, 0x2001, 0), "");
		for (unsigned flags = 0; flags < 2; flags++) {
			cr_expect_str_eq(file_at(&f, 0x2011, flags), "one.c");
			cr_expect_str_eq(file_at(&f, 0x2020, flags),
					 more ? "two.c" : "");
			cr_expect_str_eq(file_at(&f, 0x2030, flags), "");
			cr_expect_str_eq(file_at(&f, 0x2041, flags),
					 flags && first ? "one.c" : "");
			cr_expect_str_eq(file_at(&f, 0x2053, flags),
					 flags && first ? "one.c" : "");
			cr_expect_str_eq(file_at(&f, 0x2014, flags), "");
		}
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
	/* The last symbol that starts before the address counts, though a
	 * larger one reaches the address: llvm-symbolizer does the same. */
	EXPECT(&f, 0x2020, "");
	end(&f);
}

/* A symbol without a size reaches up to the next one, but 64 KiB at most, and
 * not beyond its section. */
/* Expect symbol SKIP of the name to begin at START; 0: there is none. */
static void expect_named(const struct file *f, const char *name, size_t size,
			 size_t skip, uint64_t start)
{
	struct gsym_store_symbol symbol = { 0 };
	bool found = gsym_module_named(f->symbols, name, size, skip, &symbol);

	cr_expect_eq(found, start != 0, "%.*s", (int)size, name);
	cr_expect_eq(symbol.start, start, "%.*s: %" PRIx64, (int)size, name,
		     symbol.start);
}

Test(store_symbols, names)
{
	struct file f = begin(64, false);
	char longest[1026];

	memset(longest, 'x', sizeof(longest));
	longest[1025] = 0;
	add(&f, longest, 0x1800, 8, STT_FUNC);
	add(&f, longest + 1, 0x1900, 8, STT_FUNC);
	add(&f, "twice", 0x1400, 8, STT_FUNC);
	add(&f, "twice", 0x1300, 16, STT_FUNC);
	add(&f, "alias", 0x1300, 16, STT_FUNC);
	add(&f, "twic", 0x1500, 8, STT_OBJECT);
	finish(&f);
	cr_assert(gsym_module_sort_names(f.symbols));
	cr_assert(gsym_module_sort_names(f.symbols));
	expect_named(&f, "alias", 5, 0, 0x1300);
	expect_named(&f, "alias", 5, 1, 0);
	expect_named(&f, "alias\0x", 7, 0, 0);
	expect_named(&f, "alia", 4, 0, 0);
	expect_named(&f, "twice", 5, 0, 0x1300);
	expect_named(&f, "twice", 5, 1, 0x1400);
	expect_named(&f, "twice", 5, 2, 0);
	expect_named(&f, "twice", 4, 0, 0x1500);
	expect_named(&f, "", 0, 0, 0);
	expect_named(&f, longest, 1025, 0, 0);
	expect_named(&f, longest, 1024, 0, 0x1900);
	end(&f);
}

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

/* .dynsym is read only if .symtab has no wanted symbols. */
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

Test(store_symbols, a_symbol_whose_end_overflows)
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

/* ---- malicious files --------------------------------------------------- */

static struct file sample(void)
{
	struct file f = begin(64, false);

	add(&f, "one", 0x2000, 4, STT_OBJECT);
	add(&f, "two", 0x3000, 4, STT_OBJECT);
	finish(&f);
	return f;
}

/* Open the file again after its bytes were changed. */
static void reopen(struct file *f)
{
	gsym_module_close(f->symbols);
	gsym_module_of_memory(f->bytes, f->size, &f->symbols);
}

Test(store_symbols, cut_off_anywhere)
{
	struct file f = sample();

	for (size_t size = 0; size < f.size; size++) {
		/* A block of this size lets a sanitizer notice reads beyond
		 * it. */
		uint8_t *copy = malloc(size ? size : 1);
		struct gsym_module *s;

		memcpy(copy, f.bytes, size);
		gsym_module_of_memory(copy, size, &s);
		/* Section headers end the file.  The last of them, of
		 * .shstrtab, is not needed. */
		cr_expect(!s || size + 64 >= f.size, "%zu of %zu bytes", size,
			  f.size);
		gsym_module_close(s);
		free(copy);
	}
	end(&f);
}

/* The file is little-endian, whatever this machine is. */
static void put32(struct file *f, size_t offset, uint32_t value)
{
	gsym_store_u32(f->bytes + offset, value, GSYM_HOST_BIG_ENDIAN);
}

static void put64(struct file *f, size_t offset, uint64_t value)
{
	gsym_store_u64(f->bytes + offset, value, GSYM_HOST_BIG_ENDIAN);
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
		/* The last name lacks its NUL. */
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
		reopen(&f);
		cr_expect_null(f.symbols, "row %zu", i);
		end(&f);
	}
}

Test(store_symbols, names_beyond_the_table)
{
	struct file f = sample();
	size_t table = elfb_offset(f.b, elfb_number(f.b, ".symtab"));

	/* Symbol 1 is "one"; symbol 0 is the empty one that ELF demands. */
	put32(&f, table + 24, 0xfffffff0u);
	reopen(&f);
	EXPECT(&f, 0x2000, "");
	EXPECT(&f, 0x3000, "two+0x0");
	end(&f);
}

Test(store_symbols, larger_entries)
{
	struct file f = sample();
	size_t number = elfb_number(f.b, ".symtab");

	/* With entries of 48 bytes "one" belongs to the entry of symbol 0,
	 * and the entry of "two" is cut off by the end of the table. */
	put64(&f, elfb_header_offset(f.b, number) + SH_ENTSIZE, 48);
	reopen(&f);
	EXPECT(&f, 0x2000, "");
	EXPECT(&f, 0x3000, "");
	end(&f);
}

/* If more tables than the first of a type were read, thousands of headers for
 * one large table would take hours. */
Test(store_symbols, the_first_table_of_a_type_alone)
{
	static const uint8_t table[24];
	struct file f = begin(64, false);
	size_t names = elfb_section(f.b, ".names", SHT_STRTAB, 0, 0, "\0n", 3);
	size_t first = elfb_section(f.b, ".first", SHT_SYMTAB, 0, 0, table,
				    sizeof(table));

	elfb_section_fields(f.b, first, (uint32_t)names, 0, 8, 24);
	add(&f, "second", 0x2000, 4, STT_OBJECT);
	finish(&f);
	cr_expect_null(f.symbols);
	end(&f);
}

Test(store_symbols, files)
{
	struct file f = sample();
	char *path = elfb_save(f.bytes, f.size), *folder;
	struct gsym_module *m = NULL;
	struct gsym_store_symbol symbol;

	cr_assert_eq(gsym_module_open_file(path, false, &m, NULL), GSYM_OK);
	unlink(path);
	cr_assert_eq(gsym_module_read_symbols(m), GSYM_OK);
	cr_expect(gsym_module_find_symbol(m, 0x2002, 0, &symbol));
	cr_expect_str_eq(symbol.name, "one");
	cr_expect(symbol.start == 0x2000 && symbol.size == 4);
	gsym_module_close(m);
	cr_expect_eq(gsym_module_open_file(path, false, &m, NULL), GSYM_ERR_IO,
		     "no such file");
	free(path);
	path = elfb_save("", 0);
	cr_expect_eq(gsym_module_open_file(path, false, &m, NULL),
		     GSYM_ERR_FORMAT, "an empty file");
	unlink(path);
	free(path);
	folder = strdup("/tmp");
	cr_expect_eq(gsym_module_open_file(folder, false, &m, NULL),
		     GSYM_ERR_IO, "a folder");
	free(folder);
	cr_expect_eq(gsym_module_open_file("/dev/null", false, &m, NULL),
		     GSYM_ERR_IO);
	gsym_module_close(NULL);
	end(&f);
}
