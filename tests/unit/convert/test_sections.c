/* SPDX-License-Identifier: MIT */
/* What gsym/program.h tells of programs: linked, relocatable, without section
 * headers, and several in one file. */
#include "support/elf_builder.h"
#include "support/macho_builder.h"

#include "base/cursor.h"
#include "object/machoview.h"

#include <gsym/program.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum {
	CODE = SHF_ALLOC | SHF_EXECINSTR,
	DATA = SHF_ALLOC | SHF_WRITE,
};

static void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static struct gsym_program *open_bytes(const uint8_t *bytes, size_t size)
{
	struct gsym_program *p = NULL;
	struct gsym_error error = { 0 };

	gsym_program_open(bytes, size, 0, &p, &error);
	cr_assert(p, "%s", error.message);
	return p;
}

static struct gsym_program_section section(const struct gsym_program *p,
					   const char *name, size_t *at)
{
	struct gsym_program_section s;

	cr_assert_eq(gsym_program_find_section(p, name, at, &s), GSYM_OK, "%s",
		     name);
	return s;
}

/* ---- linked programs ---------------------------------------------------- */

Test(sections, linked)
{
	static const uint8_t table[16] = "sixteen bytes!!";
	struct elfb *b = elfb_new(64, false, ET_EXEC, EM_X86_64);
	size_t text =
		elfb_section(b, ".text", SHT_PROGBITS, CODE, 0x1000, NULL, 32);
	size_t data = elfb_section(b, "table", SHT_PROGBITS, DATA, 0x2000,
				   table, sizeof(table));
	struct gsym_program_facts facts;
	struct gsym_program_section s;
	struct gsym_program *p;
	uint64_t address = 0;
	uint64_t left = 0;
	uint8_t *bytes;
	size_t at = 0;
	size_t size;

	elfb_section(b, ".bss", SHT_NOBITS, DATA, 0x3000, NULL, 64);
	elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0, "abc", 3);
	elfb_note(b, ".note.gnu.build-id", "GNU", NT_GNU_BUILD_ID, "12345678",
		  8);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "table",
					      .section = SHN_UNDEF });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "table",
					      .value = 0x2000,
					      .type = STT_OBJECT,
					      .section = data,
					      .dynamic = true });
	elfb_segment(b, PT_LOAD, 0x1000, text);
	elfb_segment(b, PT_LOAD, 0x2000, data);
	bytes = elfb_finish(b, &size);
	p = open_bytes(bytes, size);

	gsym_program_get_facts(p, &facts);
	cr_expect(facts.format == GSYM_FORMAT_ELF && !facts.relocatable &&
		  facts.address_size == 8 && !facts.big_endian &&
		  !strcmp(facts.architecture, "x86_64") &&
		  facts.uuid_size == 8 && !memcmp(facts.uuid, "12345678", 8));
	s = section(p, "table", &at);
	cr_expect(s.address == 0x2000 && s.size == 16 && s.data_size == 16 &&
		  !memcmp(s.data, table, 16) && s.loaded && !s.executable &&
		  s.file_offset == elfb_offset(b, data) &&
		  !strcmp(s.name, "table"));
	cr_expect_eq(gsym_program_find_section(p, "table", &at, &s),
		     GSYM_NOT_FOUND);
	at = 0;
	s = section(p, ".bss", &at);
	cr_expect(s.size == 64 && !s.data && !s.data_size);
	s = section(p, ".debug_info", &at);
	cr_expect(s.data_size == 3 && !s.loaded);
	at = 0;
	cr_expect(section(p, ".text", &at).executable);
	cr_expect_eq(gsym_program_find_section(p, "tabl", &at, &s),
		     GSYM_NOT_FOUND);

	/* The first symbol has no address. */
	cr_expect(gsym_program_symbol(p, "table", &address) == GSYM_OK &&
		  address == 0x2000);
	cr_expect_eq(gsym_program_symbol(p, "other", &address), GSYM_NOT_FOUND);
	cr_expect(gsym_program_bytes(p, 0x2004, &left) ==
			  bytes + elfb_offset(b, data) + 4 &&
		  left == 12);
	cr_expect(!gsym_program_bytes(p, 0x2010, &left));
	gsym_program_close(p);
	gsym_program_close(NULL);
	free(bytes);
	elfb_free(b);
}

/* A program of one segment and a dynamic section, of 32 or 64 bits and either
 * byte order; no section headers. */
enum {
	BASE = 0x10000,
	DYNAMIC = 0x100,
	TABLE = 0x180,
	SYMBOLS = 0x200,
	NAMES = 0x260,
	PLACE = 0x300,
	SIZE = 0x400
};

static void store(uint8_t *at, uint64_t value, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void make_bare(uint8_t bytes[SIZE], bool wide, bool big)
{
	unsigned word = wide ? 8 : 4;
	const uint64_t tags[] = { DT_RELA,   BASE + TABLE, DT_RELASZ,
				  6 * word,  DT_SYMTAB,	   BASE + SYMBOLS,
				  DT_STRTAB, BASE + NAMES, DT_STRSZ,
				  16 };
	uint8_t *p = bytes + (wide ? 64 : 52);

	memset(bytes, 0, SIZE);
	memcpy(bytes, "\177ELF", 4);
	bytes[4] = wide ? 2 : 1;
	bytes[5] = big ? 2 : 1;
	bytes[6] = 1;
	store(bytes + 16, ET_DYN, 2, big);
	store(bytes + 18, wide ? EM_X86_64 : EM_ARM, 2, big);
	store(bytes + 20, 1, 4, big);
	store(bytes + 24 + word, wide ? 64 : 52, word, big);
	store(bytes + 24 + 3 * word + 6, wide ? 56 : 32, 2, big);
	store(bytes + 24 + 3 * word + 8, 2, 2, big);
	for (unsigned i = 0; i < 2; i++, p += wide ? 56 : 32) {
		store(p, i ? PT_DYNAMIC : PT_LOAD, 4, big);
		store(p + word, i ? DYNAMIC : 0, word, big);
		store(p + 2 * word, BASE + (i ? DYNAMIC : 0), word, big);
		store(p + 4 * word, i ? sizeof(tags) / 8 * word : SIZE, word,
		      big);
	}
	for (unsigned i = 0; i < 10; i++)
		store(bytes + DYNAMIC + i * word, tags[i], word, big);
	/* Symbol 1 is defined; 2 is not. */
	memcpy(bytes + NAMES, "\0start\0stop\0cut!", 16);
	for (unsigned i = 1; i <= 3; i++) {
		uint8_t *s = bytes + SYMBOLS + (wide ? 24 : 16) * i;

		store(s, i == 1 ? 1 : i == 2 ? 7 : 12, 4, big);
		store(s + (wide ? 6 : 14), i != 2, 2, big);
		store(s + (wide ? 8 : 4), i == 2 ? 0 : 0x1234 + i, word, big);
	}
	/* Relocations: a relative one, and by symbol 1. */
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *r = bytes + TABLE + 3 * word * i;
		uint64_t symbol = i ? 1 : 0;
		uint64_t type = wide ? (i ? 1 : 8) : (i ? 2 : 23);

		store(r, BASE + PLACE + 2 * word * i, word, big);
		store(r + word, wide ? symbol << 32 | type : symbol << 8 | type,
		      word, big);
		store(r + 2 * word, 0x70, word, big);
	}
}

Test(sections, without_headers)
{
	for (unsigned i = 0; i < 4; i++) {
		bool wide = i & 1;
		bool big = i & 2;
		unsigned word = wide ? 8 : 4;
		uint8_t bytes[SIZE];
		uint8_t copy[32];
		uint8_t wanted[32];
		struct gsym_program *p;
		uint64_t address = 0;
		size_t at = 0;
		struct gsym_program_section s;

		make_bare(bytes, wide, big);
		p = open_bytes(bytes, SIZE);
		cr_expect_eq(gsym_program_find_section(p, "", &at, &s),
			     GSYM_NOT_FOUND);
		cr_expect(gsym_program_symbol(p, "start", &address) ==
				  GSYM_OK &&
			  address == 0x1235);
		cr_expect_eq(gsym_program_symbol(p, "stop", &address),
			     GSYM_NOT_FOUND);
		cr_expect_eq(gsym_program_symbol(p, "cut!", &address),
			     GSYM_NOT_FOUND);

		memset(copy, 0xee, sizeof(copy));
		memcpy(wanted, copy, sizeof(copy));
		store(wanted, 0x70, word, big);
		store(wanted + 2 * word, 0x12a5, word, big);
		gsym_program_fill_pointers(p, BASE + PLACE, copy, sizeof(copy));
		cr_expect_arr_eq(copy, wanted, sizeof(copy));
		/* Pointers that begin before the bytes or end after them are
		 * not filled. */
		memset(copy, 0xee, sizeof(copy));
		memset(wanted, 0xee, sizeof(wanted));
		gsym_program_fill_pointers(p, BASE + PLACE + 1, copy,
					   3 * word - 2);
		cr_expect_arr_eq(copy, wanted, sizeof(copy));
		gsym_program_fill_pointers(p, BASE + PLACE + 1, copy,
					   3 * word - 1);
		store(wanted + 2 * word - 1, 0x12a5, word, big);
		cr_expect_arr_eq(copy, wanted, sizeof(copy));
		gsym_program_close(p);
	}
}

/* ---- relocatable objects ------------------------------------------------ */

/* Relocations of section TARGET by symbol 1, of TYPE; .symtab comes SYMTAB
 * sections later. */
static void relocate(struct elfb *b, const char *name, size_t target,
		     unsigned type, size_t symtab)
{
	uint8_t entry[24];
	size_t number;

	put(entry, 0, 8);
	put(entry + 8, 1ull << 32 | type, 8);
	put(entry + 16, 5, 8);
	number = elfb_section(b, name, SHT_RELA, 0, 0, entry, 24);
	elfb_section_fields(b, number, (uint32_t)(number + symtab),
			    (uint32_t)target, 8, 24);
}

/* Only data sections are relocated; two sections of one name are both found.
 * An alignment that is no power of two is ignored. */
Test(sections, object)
{
	struct elfb *b = elfb_new(64, false, ET_REL, EM_X86_64);
	size_t first =
		elfb_section(b, ".text", SHT_PROGBITS, CODE, 0, NULL, 0x11);
	size_t text =
		elfb_section(b, ".text.f", SHT_PROGBITS, CODE, 0, NULL, 0x20);
	size_t map = elfb_section(b, "map", SHT_PROGBITS, DATA, 0, NULL, 8);
	size_t debug =
		elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0, NULL, 8);
	size_t second = elfb_section(b, "map", SHT_PROGBITS, DATA, 0, NULL, 8);
	static const uint8_t zeros[32];
	/* "abcd", stored. */
	static const uint8_t packed[] = { 0x78, 1,    1,   4,	0,
					  0xfb, 0xff, 'a', 'b', 'c',
					  'd',	3,    0xd8, 1,	0x8b };
	struct gsym_program_facts facts;
	struct gsym_program_section s;
	struct gsym_program *p;
	uint64_t address = 0;
	uint8_t wanted[8];
	uint8_t *bytes;
	size_t at = 0;
	size_t size;

	elfb_section_fields(b, text, 0, 0, 12, 0);
	elfb_compressed(b, ".debug_line", 0, ELFCOMPRESS_ZLIB, 8, "abc", 3);
	elfb_compressed(b, "packed", DATA, ELFCOMPRESS_ZLIB, 4, packed,
			sizeof(packed));
	elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0, "def", 3);
	relocate(b, ".rela.map", map, R_X86_64_PC64, 4);
	relocate(b, ".rela.map", second, R_X86_64_64, 3);
	relocate(b, ".rela.debug_info", debug, R_X86_64_64, 2);
	relocate(b, ".rela.text", first, R_X86_64_64, 1);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "f",
					      .value = 2,
					      .type = STT_FUNC,
					      .binding = STB_LOCAL,
					      .section = text });
	bytes = elfb_finish(b, &size);
	p = open_bytes(bytes, size);

	gsym_program_get_facts(p, &facts);
	cr_expect(facts.relocatable);
	cr_expect(gsym_program_symbol(p, "f", &address) == GSYM_OK &&
		  address == 0x13);
	s = section(p, "map", &at);
	cr_expect_eq(s.address, 0x31);
	put(wanted, 0x13 + 5 - 0x31, 8);
	cr_expect(s.data_size == 8 && !memcmp(s.data, wanted, 8));
	s = section(p, "map", &at);
	put(wanted, 0x13 + 5, 8);
	cr_expect(s.data_size == 8 && !memcmp(s.data, wanted, 8));
	at = 0;
	s = section(p, ".text", &at);
	cr_expect(s.data_size == 0x11 && !memcmp(s.data, zeros, 0x11));
	s = section(p, ".debug_info", &at);
	cr_expect(s.data_size == 8 && !memcmp(s.data, zeros, 8));
	s = section(p, ".debug_info", &at);
	cr_expect(s.data_size == 3 && !memcmp(s.data, "def", 3) && !s.address);
	at = 0;
	s = section(p, ".debug_line", &at);
	cr_expect(!s.data && !s.data_size);
	s = section(p, "packed", &at);
	cr_expect(!s.data && !s.data_size);
	gsym_program_close(p);
	free(bytes);
	elfb_free(b);
}

/* Relocated sections are copied: no more bytes than the file has. */
Test(sections, overlapping)
{
	struct elfb *b = elfb_new(64, false, ET_REL, EM_X86_64);
	size_t maps[3];
	size_t copied = 0;
	struct gsym_program *p;
	uint8_t *bytes;
	size_t at = 0;
	size_t size;

	for (size_t i = 0; i < 3; i++)
		maps[i] = elfb_section(b, "map", SHT_PROGBITS, DATA, 0, NULL,
				       i ? 8 : 4096);
	for (size_t i = 0; i < 3; i++)
		relocate(b, ".rela.map", maps[i], R_X86_64_64, 3 - i);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "map",
		.binding = STB_LOCAL, .section = maps[0] });
	bytes = elfb_finish(b, &size);
	cr_assert_lt(size, 2 * 4096);
	for (size_t i = 1; i < 3; i++) {
		uint8_t *header = bytes + elfb_header_offset(b, maps[i]);

		put(header + 24, elfb_offset(b, maps[0]), 8);
		put(header + 32, 4096, 8);
	}
	p = open_bytes(bytes, size);
	for (size_t i = 0; i < 3; i++)
		copied += section(p, "map", &at).data_size;
	cr_expect_eq(copied, 4096);
	gsym_program_close(p);
	free(bytes);
	elfb_free(b);
}

/* A section with one relocation of an unknown type is not used; others are. */
Test(sections, unknown_relocations)
{
	struct elfb *b = elfb_new(64, false, ET_REL, EM_X86_64);
	struct gsym_program *p;
	struct gsym_program_section s;
	size_t maps[2];
	uint8_t *bytes;
	size_t at = 0;
	size_t size;

	for (size_t i = 0; i < 2; i++)
		maps[i] = elfb_section(b, "map", SHT_PROGBITS, DATA, 0, NULL,
				       16);
	relocate(b, ".rela.map", maps[0], 200, 2);
	relocate(b, ".rela.map", maps[1], R_X86_64_64, 1);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "map",
		.binding = STB_LOCAL, .section = maps[0] });
	bytes = elfb_finish(b, &size);
	p = open_bytes(bytes, size);
	s = section(p, "map", &at);
	cr_expect(s.unrelocated && !s.data && !s.data_size && s.size == 16);
	s = section(p, "map", &at);
	cr_expect(!s.unrelocated && s.data_size == 16);
	gsym_program_close(p);
	free(bytes);
	elfb_free(b);
}

/* ---- Mach-O ------------------------------------------------------------- */

static uint8_t *macho(uint32_t cpu, size_t *size)
{
	struct machob *b = machob_new(64, false, 2, cpu, 0);
	uint8_t *bytes;

	machob_segment(b, "__DATA", 0x10000, 0x1000);
	machob_section(b, &(struct machob_section){ .name = "map",
						    .segment = "__DATA",
						    .address = 0x10100,
						    .data = "abcd",
						    .size = 4 });
	machob_symbol(b, "_f", N_SECT | N_EXT, 1, 0, 0x10102);
	bytes = machob_finish(b, size);
	machob_free(b);
	return bytes;
}

Test(sections, universal)
{
	static const char *const names[] = { "x86_64", "arm64" };
	struct machob_slice slices[2] = {
		{ .cpu = CPU_TYPE_X86 | CPU_ARCH_ABI64 },
		{ .cpu = CPU_TYPE_ARM | CPU_ARCH_ABI64 },
	};
	struct gsym_program *p = NULL;
	uint8_t *bytes;
	size_t size;

	for (size_t i = 0; i < 2; i++)
		slices[i].bytes = macho(slices[i].cpu, &slices[i].size);
	bytes = machob_universal(32, slices, 2, &size);
	for (size_t i = 0; i < 2; i++) {
		struct gsym_program_facts facts;
		struct gsym_program_section s;
		uint64_t address = 0;
		size_t at = 0;

		cr_assert_eq(gsym_program_open(bytes, size, i, &p, NULL),
			     GSYM_OK);
		gsym_program_get_facts(p, &facts);
		cr_expect(facts.format == GSYM_FORMAT_MACHO &&
			  !strcmp(facts.architecture, names[i]) &&
			  !facts.uuid && !facts.uuid_size);
		s = section(p, "map", &at);
		cr_expect(s.address == 0x10100 && !memcmp(s.data, "abcd", 4) &&
			  s.data == bytes + s.file_offset);
		at = 0;
		section(p, "__DATA,map", &at);
		cr_expect(gsym_program_symbol(p, "f", &address) == GSYM_OK &&
			  address == 0x10102);
		gsym_program_close(p);
	}
	cr_expect_eq(gsym_program_open(bytes, size, 2, &p, NULL),
		     GSYM_NOT_FOUND);
	free(bytes);
	cr_expect_eq(gsym_program_open(slices[0].bytes, slices[0].size, 1, &p,
				       NULL),
		     GSYM_NOT_FOUND);
	for (size_t i = 0; i < 2; i++)
		free((void *)slices[i].bytes);
}

Test(sections, other_files)
{
	static const char text[] = "---\n- { id: 1 }\n";
	struct gsym_program *p = NULL;
	struct gsym_error error = { 0 };

	cr_expect_eq(gsym_program_open((const uint8_t *)text, sizeof(text), 0,
				       &p, &error),
		     GSYM_ERR_FORMAT);
	cr_expect(*error.message);
	cr_expect_eq(gsym_program_open((const uint8_t *)"", 0, 0, &p, NULL),
		     GSYM_ERR_FORMAT);
	cr_expect_eq(gsym_program_open((const uint8_t *)"\177ELF", 4, 0, &p,
				       NULL),
		     GSYM_ERR_CORRUPT);
}
