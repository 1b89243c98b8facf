/* SPDX-License-Identifier: MIT */
/* Headers and symbols of ELF files in both classes and byte orders, sound and
 * damaged. */
#include "object/object.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t id[] = { 1, 2, 3, 4 };

struct file {
	struct elfb *b;
	uint8_t *bytes;
	size_t size;
};

/* Bit 0 of KIND: 64 bits; bit 1: big-endian; bit 2: extended numbering. */
enum { KINDS = 8 };

static struct file build(unsigned kind)
{
	struct file f = { .b = elfb_new(kind & 1 ? 64 : 32, kind & 2, ET_DYN,
					EM_PPC64) };
	size_t text = elfb_section(f.b, ".text", SHT_PROGBITS,
				   SHF_ALLOC | SHF_EXECINSTR, 0x1000, id, 4);

	elfb_section(f.b, ".bss", SHT_NOBITS, SHF_ALLOC, 0x2000, NULL, 32);
	elfb_section_fields(f.b, text, 7, 8, 16, 9);
	elfb_symbol(f.b, &(struct elfb_symbol){
		.name = "f", .value = 0x1001, .size = 3, .type = STT_FUNC,
		.binding = STB_WEAK, .section = text });
	elfb_symbol(f.b, &(struct elfb_symbol){
		.name = "absolute", .value = 0x77, .section = SHN_ABS });
	elfb_segment(f.b, PT_NULL, 0, 0);
	elfb_segment(f.b, PT_LOAD, 0x1000, text);
	if (kind & 4)
		elfb_extended_numbers(f.b);
	f.bytes = elfb_finish(f.b, &f.size);
	return f;
}

static void end(struct file *f)
{
	elfb_free(f->b);
	free(f->bytes);
}

static struct elfview open_file(const struct file *f)
{
	struct elfview v;

	cr_assert(gsym_elfview_open(f->bytes, f->size, &v, NULL) == GSYM_OK);
	return v;
}

Test(elfview, file_header)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct file f = build(kind);
		struct elfview v = open_file(&f);

		cr_expect(v.bytes == f.bytes && v.size == f.size);
		cr_expect_eq(v.wide, (kind & 1) != 0);
		cr_expect_eq(v.swap, ((kind & 2) != 0) != GSYM_HOST_BIG_ENDIAN);
		cr_expect_eq(v.type, ET_DYN);
		cr_expect_eq(v.machine, EM_PPC64);
		cr_expect_eq(v.section_table, elfb_header_offset(f.b, 0));
		cr_expect_eq(v.section_count,
			     elfb_number(f.b, ".shstrtab") + 1);
		cr_expect_eq(v.section_stride, elfview_section_size(&v));
		cr_expect_eq(v.names, elfb_number(f.b, ".shstrtab"));
		cr_expect_eq(v.segment_count, 2);
		cr_expect_eq(v.segment_stride, elfview_segment_size(&v));
		cr_expect_not(v.numbers_lost);
		end(&f);
	}
}

Test(elfview, section_headers)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct file f = build(kind);
		struct elfview v = open_file(&f);
		struct elfview_section s = gsym_elfview_section(&v, 1);

		cr_expect_eq(s.name, 1);
		cr_expect_eq(s.type, SHT_PROGBITS);
		cr_expect_eq(s.flags, SHF_ALLOC | SHF_EXECINSTR);
		cr_expect_eq(s.address, 0x1000);
		cr_expect_eq(s.offset, elfb_offset(f.b, 1));
		cr_expect_eq(s.size, 4);
		cr_expect(s.link == 7 && s.info == 8);
		cr_expect(s.align == 16 && s.entry_size == 9);
		cr_expect(elfview_in_file(&v, &s));
		s = gsym_elfview_section(&v, 2);
		cr_expect_eq(s.type, ELFVIEW_NOBITS);
		cr_expect_not(elfview_has_bytes(&s));
		cr_expect_not(elfview_in_file(&v, &s));
		s = gsym_elfview_section(&v, 0);
		cr_expect_not(elfview_has_bytes(&s));
		s = gsym_elfview_section(&v, v.section_count);
		cr_expect(!s.type && !s.size && !s.offset, "beyond the file");
		end(&f);
	}
}

/* Headers that name the same notes over and over are not all read. */
Test(elfview, repeated_notes)
{
	for (unsigned times = 1; times < 12; times++) {
		/* One note of 4,000 bytes that is no build ID. */
		static const uint32_t words[1000] = { 4, 3984, 99, 0x554e47 };
		struct elfb *b =
			elfb_new(64, GSYM_HOST_BIG_ENDIAN, ET_DYN, EM_X86_64);
		size_t first = elfb_section(b, ".note.a", SHT_NOTE, 0, 0, words,
					    sizeof(words));
		size_t numbers[12], last, size, found_size;
		uint64_t both;
		const uint8_t *found;
		struct elfview v;
		uint8_t *bytes;

		for (unsigned i = 1; i < times; i++)
			numbers[i] = elfb_section(b, ".note.b", SHT_NOTE, 0, 0,
						  NULL, 0);
		last = elfb_note(b, ".note.gnu.build-id", "GNU",
				 NT_GNU_BUILD_ID, id, sizeof(id));
		bytes = elfb_finish(b, &size);
		/* The last section has both notes. */
		both = elfb_offset(b, last) + 16 + sizeof(id) -
		       elfb_offset(b, first);
		memcpy(bytes + elfb_header_offset(b, last) + 24,
		       bytes + elfb_header_offset(b, first) + 24, 8);
		memcpy(bytes + elfb_header_offset(b, last) + 32, &both, 8);
		/* Offset and size of a section header. */
		for (unsigned i = 1; i < times; i++)
			memcpy(bytes + elfb_header_offset(b, numbers[i]) + 24,
			       bytes + elfb_header_offset(b, first) + 24, 16);
		cr_assert_eq(gsym_elfview_open(bytes, size, &v, NULL), GSYM_OK);
		cr_expect_eq(gsym_elfview_build_id(&v, &found, &found_size),
			     times * sizeof(words) + both <= 4 * size,
			     "%u times", times);
		free(bytes);
		elfb_free(b);
	}
}

Test(elfview, extents)
{
	struct elfview v = { .size = 100 };
	struct elfview_section s = { .type = SHT_PROGBITS };

	s.offset = 100;
	cr_expect(elfview_in_file(&v, &s));
	s.size = 1;
	cr_expect_not(elfview_in_file(&v, &s));
	s.offset = 99;
	cr_expect(elfview_in_file(&v, &s));
	s.offset = 101;
	s.size = 0;
	cr_expect_not(elfview_in_file(&v, &s));
	s.offset = 50;
	s.size = UINT64_MAX - 20;
	cr_expect_not(elfview_in_file(&v, &s));
}

Test(elfview, program_headers)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct file f = build(kind);
		struct elfview v = open_file(&f);
		struct elfview_segment s = gsym_elfview_segment(&v, 1);

		cr_expect_eq(s.type, PT_LOAD);
		cr_expect_eq(s.flags, PF_R | PF_X);
		cr_expect_eq(s.offset, elfb_offset(f.b, 1));
		cr_expect_eq(s.address, 0x1000);
		cr_expect(s.file_size == 4 && s.memory_size == 4);
		cr_expect_eq(s.align, 16);
		s = gsym_elfview_segment(&v, f.size);
		cr_expect(!s.type && !s.file_size, "beyond the file");
		end(&f);
	}
}

Test(elfview, symbols_and_strings)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct file f = build(kind);
		struct elfview v = open_file(&f);
		struct elfview_section table = gsym_elfview_section(
			&v, elfb_number(f.b, ".symtab"));
		struct elfview_section names =
			gsym_elfview_section(&v, table.link);
		struct elfview_strings strings = gsym_elfview_strings(
			v.bytes + names.offset, names.size);
		const uint8_t *at = v.bytes + table.offset;
		struct elfview_symbol s;

		cr_assert_eq(table.type, ELFVIEW_SYMTAB);
		cr_assert_eq(table.size, 3 * elfview_symbol_size(&v));
		s = elfview_symbol(&v, at + elfview_symbol_size(&v));
		cr_expect_str_eq(elfview_string(&strings, s.name), "f");
		cr_expect_eq(s.info, STB_WEAK << 4 | ELFVIEW_FUNCTION);
		cr_expect_eq(s.section, kind & 4 ? ELFVIEW_EXTENDED : 1);
		cr_expect(s.value == 0x1001 && s.size == 3);
		s = elfview_symbol(&v, at + 2 * elfview_symbol_size(&v));
		cr_expect_str_eq(elfview_string(&strings, s.name), "absolute");
		cr_expect_eq(s.section, SHN_ABS);
		cr_expect_null(elfview_string(&strings, names.size));
		end(&f);
	}
}

Test(elfview, strings_that_do_not_end)
{
	struct elfview_strings s =
		gsym_elfview_strings((const uint8_t *)"\0one\0two", 8);

	cr_expect_eq(s.limit, 5);
	cr_expect_str_eq(elfview_string(&s, 1), "one");
	cr_expect_str_eq(elfview_string(&s, 4), "");
	cr_expect_null(elfview_string(&s, 5));
	cr_expect_null(elfview_string(&s, UINT64_MAX));
	s = gsym_elfview_strings((const uint8_t *)"abc", 3);
	cr_expect_null(elfview_string(&s, 0));
	s = gsym_elfview_strings(NULL, 3);
	cr_expect_null(elfview_string(&s, 0));
}

/* ---- damage ------------------------------------------------------------- */

/* The file is little-endian, whatever this machine is. */
static void put16(struct file *f, size_t at, uint16_t value)
{
	f->bytes[at] = (uint8_t)value;
	f->bytes[at + 1] = (uint8_t)(value >> 8);
}

/* Offsets in the file header of a little-endian 64-bit file. */
enum {
	SECTION_TABLE = 40,
	SEGMENT_STRIDE = 54,
	SEGMENT_COUNT = 56,
	SECTION_STRIDE = 58,
	SECTION_COUNT = 60,
	NAMES = 62,
};

static enum gsym_status status_of(const struct file *f, size_t size,
				  uint64_t *offset)
{
	struct gsym_error error = { 0 };
	struct elfview v;
	enum gsym_status status =
		gsym_elfview_header(f->bytes, size, &v, &error);

	*offset = error.offset;
	cr_expect_eq(status == GSYM_OK, !error.message[0]);
	return status;
}

Test(elfview, file_headers_that_are_refused)
{
	struct file f = build(1);
	uint64_t offset;

	for (size_t size = 0; size < 64; size++) {
		cr_expect_eq(status_of(&f, size, &offset),
			     size < 4 ? GSYM_ERR_FORMAT : GSYM_ERR_CORRUPT);
		cr_expect_eq(offset, size < 4 ? 0 : size);
	}
	cr_expect_eq(status_of(&f, 64, &offset), GSYM_OK);
	f.bytes[4] = 3;
	cr_expect_eq(status_of(&f, f.size, &offset), GSYM_ERR_UNSUPPORTED);
	cr_expect_eq(offset, 4);
	f.bytes[4] = 0;
	cr_expect_eq(status_of(&f, f.size, &offset), GSYM_ERR_UNSUPPORTED);
	f.bytes[4] = 2;
	f.bytes[5] = 3;
	cr_expect_eq(status_of(&f, f.size, &offset), GSYM_ERR_UNSUPPORTED);
	cr_expect_eq(offset, 5);
	f.bytes[5] = 0;
	cr_expect_eq(status_of(&f, f.size, &offset), GSYM_ERR_UNSUPPORTED);
	f.bytes[3] = 'G';
	cr_expect_eq(status_of(&f, f.size, &offset), GSYM_ERR_FORMAT);
	end(&f);
}

/* Counts are cut down to what lies inside the file, by gsym_elfview_open
 * alone. */
Test(elfview, counts_beyond_the_file)
{
	struct file f = build(1);
	struct elfview v = open_file(&f);
	uint64_t sections = v.section_count;

	put16(&f, SECTION_COUNT, 999);
	put16(&f, SEGMENT_COUNT, 9999);
	cr_assert_eq(gsym_elfview_header(f.bytes, f.size, &v, NULL), GSYM_OK);
	cr_expect_eq(v.section_count, 999);
	cr_expect_eq(v.segment_count, 9999);
	v = open_file(&f);
	cr_expect_eq(v.section_count, sections);
	cr_expect_eq(v.segment_count, (f.size - 64) / 56);
	/* Headers may be larger, but not smaller. */
	put16(&f, SECTION_STRIDE, 65);
	v = open_file(&f);
	cr_expect_eq(v.section_count, sections - 1);
	put16(&f, SECTION_STRIDE, 63);
	put16(&f, SEGMENT_STRIDE, 55);
	v = open_file(&f);
	cr_expect(!v.section_count && !v.segment_count);
	put16(&f, SECTION_STRIDE, 64);
	memset(f.bytes + SECTION_TABLE, 0xff, 8);
	v = open_file(&f);
	cr_expect_eq(v.section_count, 0);
	memset(f.bytes + SECTION_TABLE, 0, 8);
	v = open_file(&f);
	cr_expect(!v.section_count && !v.numbers_lost);
	end(&f);
}

/* Each of the three numbers, by itself, can be in section header 0. */
Test(elfview, numbers_in_section_header_0)
{
	struct file f = build(1);
	struct elfview v = open_file(&f);
	uint64_t sections = v.section_count, names = v.names;

	f.bytes[v.section_table + 44] = 2; /* sh_info */
	f.bytes[v.section_table + 40] = (uint8_t)names; /* sh_link */
	f.bytes[v.section_table + 32] = (uint8_t)sections; /* sh_size */
	put16(&f, SEGMENT_COUNT, 0xffff);
	v = open_file(&f);
	cr_expect_eq(v.segment_count, 2);
	put16(&f, SEGMENT_COUNT, 1);
	put16(&f, NAMES, 0xffff);
	v = open_file(&f);
	cr_expect(v.names == names && v.segment_count == 1);
	put16(&f, NAMES, 0);
	put16(&f, SECTION_COUNT, 0);
	v = open_file(&f);
	cr_expect(v.names == 0 && v.section_count == sections);
	memset(f.bytes + SECTION_TABLE, 0x77, 8);
	v = open_file(&f);
	cr_expect(v.numbers_lost && !v.section_count);
	end(&f);
}

/* With any byte changed, or any part cut off, there is no read beyond the file.
 * The memory has exactly the size of the file, so that a sanitizer would report
 * one. */
Test(elfview, survives_damage)
{
	struct file f = build(1);

	for (size_t i = 0; i < 2 * f.size; i++) {
		size_t size = i < f.size ? i : f.size;
		uint8_t *copy = malloc(size ? size : 1);
		struct elfview v;

		memcpy(copy, f.bytes, size);
		if (i >= f.size)
			copy[i - f.size] ^= 0xff;
		if (gsym_elfview_open(copy, size, &v, NULL) == GSYM_OK) {
			cr_expect(v.section_count <= f.size / 64);
			for (uint64_t n = 0; n <= v.section_count; n++)
				gsym_elfview_section(&v, n);
			for (uint64_t n = 0; n <= v.segment_count; n++)
				gsym_elfview_segment(&v, n);
			gsym_elfview_section(&v, UINT64_MAX);
		}
		free(copy);
	}
	end(&f);
}

/* ---- from file offsets to addresses ------------------------------------- */

/* A program with the loaded segments whose headers are the COUNT at SEGMENTS,
 * and a section of code, which has no bytes if DEBUG. */
static struct file loaded(unsigned kind, const struct elfview_segment *segments,
			  size_t count, bool debug)
{
	struct file f = { .b = elfb_new(kind & 1 ? 64 : 32, kind & 2, ET_DYN,
					EM_PPC64) };
	struct elfview v;

	elfb_section(f.b, ".text", debug ? SHT_NOBITS : SHT_PROGBITS,
		     SHF_ALLOC | SHF_EXECINSTR, 0x1000, debug ? NULL : id, 4);
	for (size_t i = 0; i < count; i++)
		elfb_segment(f.b, segments[i].type, 0, 0);
	f.bytes = elfb_finish(f.b, &f.size);
	f.bytes = realloc(f.bytes, f.size + 0x1000);
	memset(f.bytes + f.size, 0, 0x1000);
	f.size += 0x1000;
	v = open_file(&f);
	for (size_t i = 0; i < count; i++) {
		uint8_t *at = f.bytes + v.segment_table + i * v.segment_stride;
		const struct elfview_segment *s = &segments[i];

		if (v.wide) {
			gsym_store_u32(at + 4, s->flags, v.swap);
			gsym_store_u64(at + 8, s->offset, v.swap);
			gsym_store_u64(at + 16, s->address, v.swap);
			gsym_store_u64(at + 32, s->file_size, v.swap);
		} else {
			gsym_store_u32(at + 24, s->flags, v.swap);
			gsym_store_u32(at + 4, (uint32_t)s->offset, v.swap);
			gsym_store_u32(at + 8, (uint32_t)s->address, v.swap);
			gsym_store_u32(at + 16, (uint32_t)s->file_size, v.swap);
		}
	}
	return f;
}

/* The address of OFFSET in LOADS; 0 if there is none. */
static bool loads_of(const struct elfview *v, struct object_loads *ret)
{
	const struct object o = { .kind = &gsym_object_elf, .elf = *v };

	return gsym_object_loads(&o, ret);
}

static uint64_t linked(const struct object_loads *loads, uint64_t offset)
{
	uint64_t address = 0;

	return gsym_object_linked(loads, offset, &address) ? address : 0;
}

/* The layout of lld: two segments have bytes of one page. */
static const struct elfview_segment lld[] = {
	{ .type = PT_LOAD, .flags = 4, .address = 0x200000, .file_size = 0x60 },
	{ .type = PT_LOAD, .flags = 5, .offset = 0x60, .address = 0x201060,
	  .file_size = 0x90 },
	{ .type = PT_LOAD, .flags = 6, .offset = 0xf0, .address = 0x2020f0,
	  .file_size = 0x10 },
};

Test(elfview, offsets_of_a_program)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		struct file f = loaded(kind, lld, 3, false);
		struct elfview v = open_file(&f);
		struct object_loads loads;

		cr_assert(loads_of(&v, &loads));
		cr_assert_eq(loads.count, 3);
		cr_expect_eq(linked(&loads, 0), 0x200000);
		cr_expect_eq(linked(&loads, 0x5f), 0x20005f);
		cr_expect_eq(linked(&loads, 0x60), 0x201060);
		cr_expect_eq(linked(&loads, 0xef), 0x2010ef);
		cr_expect_eq(linked(&loads, 0xf0), 0x2020f0);
		cr_expect_eq(linked(&loads, 0x100), 0);
		cr_expect_eq(linked(&loads, UINT64_MAX), 0);
		end(&f);
	}
}

/* A file without code is a debug file: its offsets are not those of the
 * program.  A program header of gsym's makes it a stub, whose offsets are. */
Test(elfview, offsets_of_a_debug_file)
{
	struct elfview_segment headers[4] = { lld[0], lld[1], lld[2] };

	for (unsigned kind = 0; kind < 4; kind++) {
		struct file f = loaded(kind, headers, 4, true);
		struct elfview v = open_file(&f);
		struct object_loads loads;

		cr_expect(!loads_of(&v, &loads));
		gsym_store_u32(f.bytes + v.segment_table + 3 * v.segment_stride,
			       ELFVIEW_OF_PROGRAM, v.swap);
		cr_assert(loads_of(&v, &loads));
		cr_expect_eq(linked(&loads, 0x60), 0x201060);
		end(&f);
	}
	/* No segment of code has bytes, or they lie beyond the file. */
	for (int i = 0; i < 3; i++) {
		struct elfview_segment one = lld[1];
		struct object_loads loads;
		struct elfview v;
		struct file f;

		one.file_size = i == 0 ? 0 : one.file_size;
		one.offset = i == 1 ? 0x10000000 : one.offset;
		one.flags = i == 2 ? 4 : one.flags;
		f = loaded(1, &one, 1, false);
		v = open_file(&f);
		cr_expect(!loads_of(&v, &loads), "%d", i);
		end(&f);
	}
}

/* Bytes in two segments: those of code count, if there is one address. */
Test(elfview, offsets_in_two_segments)
{
	struct object_loads loads = { .count = 2 };

	for (int order = 0; order < 2; order++) {
		const struct object_segment code = {
			.address = lld[1].address,
			.offset = lld[1].offset,
			.file_size = lld[1].file_size,
			.loaded = true,
			.executable = true,
		};

		loads.items[order] = loads.items[!order] = code;
		loads.items[order].executable = false;
		loads.items[order].address += 0x1000;
		cr_expect_eq(linked(&loads, 0x60), 0x201060);
		loads.items[order].executable = true;
		cr_expect_eq(linked(&loads, 0x60), 0);
		loads.items[order].address -= 0x1000;
		cr_expect_eq(linked(&loads, 0x60), 0x201060);
	}
}

Test(elfview, too_many_segments)
{
	struct elfview_segment many[65];

	for (size_t i = 0; i < 65; i++)
		many[i] = lld[1];
	for (size_t count = 64; count < 66; count++) {
		struct file f = loaded(1, many, count, false);
		struct elfview v = open_file(&f);
		struct object_loads loads;

		cr_expect_eq(loads_of(&v, &loads), count == 64);
		end(&f);
	}
}
