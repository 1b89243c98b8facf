/* SPDX-License-Identifier: MIT */
/* ELF files made from others: with GSYM data inside, and without contents. */
#include "elf/elf.h"
#include "object/elfview.h"
#include "support/elf_builder.h"

#include <gsym/program.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static const uint8_t id[20] = { 0xab, 1, 2, 3 };
static const uint8_t text_bytes[32] = { 0x90, 0x90 };

/* A program with all that these tests need; with .symtab if SYMBOLS. */
static uint8_t *program(unsigned bits, bool big, bool symbols, bool extended,
			size_t *size)
{
	struct elfb *b = elfb_new(bits, big, ET_DYN, EM_X86_64);
	size_t note = elfb_note(b, ".note.gnu.build-id", "GNU",
				NT_GNU_BUILD_ID, id, sizeof(id));
	size_t text = elfb_section(b, ".text", SHT_PROGBITS,
				   SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				   text_bytes, sizeof(text_bytes));
	size_t debug = elfb_section(b, ".debug_info", SHT_PROGBITS, 0, 0,
				    "debug", 5);
	size_t data = elfb_section(b, ".data", SHT_PROGBITS,
				   SHF_ALLOC | SHF_WRITE, 0x2000, "data", 4);
	uint8_t *bytes;

	(void)note;
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "in debug", .section = debug, .binding = STB_LOCAL,
		.type = STT_SECTION, .dynamic = !symbols });
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "local", .value = 0x1000, .size = 8, .section = text,
		.binding = STB_LOCAL, .type = STT_FUNC, .dynamic = !symbols });
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "undefined", .section = SHN_UNDEF,
		.binding = STB_GLOBAL, .dynamic = !symbols });
	elfb_symbol(b, &(struct elfb_symbol){
		.name = "global", .value = 0x2000, .size = 4, .section = data,
		.binding = STB_GLOBAL, .type = STT_OBJECT,
		.dynamic = !symbols });
	elfb_segment(b, PT_LOAD, 0x1000, text);
	if (extended)
		elfb_extended_numbers(b);
	bytes = elfb_finish(b, size);
	elfb_free(b);
	return bytes;
}

static const struct gsym_container_section *
section(const struct gsym_container *c,
					  const char *name)
{
	for (size_t i = 0; i < c->sections.count; i++)
		if (!strcmp(c->sections.items[i].name, name))
			return &c->sections.items[i];
	return NULL;
}

static struct gsym_container *load(const uint8_t *bytes, size_t size)
{
	struct gsym_container *c;
	struct gsym_error error = { 0 };

	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, &error),
		     GSYM_OK, "%s", error.message);
	cr_assert_eq(c->warnings.count, 0);
	return c;
}

static void check_embedded(const uint8_t *old, size_t old_size,
			   const uint8_t *new, size_t new_size,
			   const char *data, bool extended)
{
	struct gsym_container *a = load(old, old_size);
	struct gsym_container *c = load(new, new_size);
	const struct gsym_container_section *s = section(c, ".gsym");

	cr_assert(s);
	cr_assert(!s->loaded);
	cr_assert_eq(s->data_size, strlen(data));
	cr_assert_arr_eq(s->data, data, strlen(data));
	cr_assert_eq(c->sections.count, a->sections.count + 1);
	cr_assert_eq(c->symbols.count, a->symbols.count);
	cr_assert_eq(c->uuid_size, sizeof(id));
	cr_assert(c->has_base);
	/* The bytes after the file header are unchanged. */
	cr_assert_arr_eq(old + 64, new + 64, old_size - 64);
	for (size_t i = 1; i < a->sections.count; i++) {
		const struct gsym_container_section *x = &a->sections.items[i];
		const struct gsym_container_section *y = &c->sections.items[i];

		cr_assert_str_eq(x->name, y->name);
		cr_assert_eq(x->address, y->address);
		if (strcmp(x->name, ".shstrtab") != 0)
			cr_assert_eq(x->file_offset, y->file_offset);
	}
	(void)extended;
	gsym_container_free(a);
	gsym_container_free(c);
}

Test(embed, every_class_and_order)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned bits = i & 1 ? 32 : 64;
		bool big = i & 2, extended = i & 4;
		size_t size, out_size, again_size;
		uint8_t *elf = program(bits, big, true, extended, &size);
		uint8_t *out, *again;

		cr_assert_eq(gsym_elf_embed(elf, size, (const uint8_t *)"one",
					    3, &out, &out_size, NULL), GSYM_OK);
		check_embedded(elf, size, out, out_size, "one", extended);
		/* Embedding again replaces the data: the bytes are those of a
		 * first embedding. */
		cr_assert_eq(gsym_elf_embed(out, out_size,
					    (const uint8_t *)"another", 7,
					    &again, &again_size, NULL),
			     GSYM_OK);
		check_embedded(elf, size, again, again_size, "another",
			       extended);
		free(out);
		cr_assert_eq(gsym_elf_embed(again, again_size,
					    (const uint8_t *)"one", 3, &out,
					    &out_size, NULL), GSYM_OK);
		free(again);
		cr_assert_eq(gsym_elf_embed(elf, size, (const uint8_t *)"one",
					    3, &again, &again_size, NULL),
			     GSYM_OK);
		cr_assert_eq(out_size, again_size);
		cr_assert_arr_eq(out, again, out_size);
		free(out);
		free(again);
		free(elf);
	}
}

Test(embed, foreign_bytes_at_the_end_stay)
{
	size_t size, out_size, again_size;
	uint8_t *elf = program(64, false, true, false, &size), *out, *again;

	cr_assert_eq(gsym_elf_embed(elf, size, (const uint8_t *)"one", 3, &out,
				    &out_size, NULL), GSYM_OK);
	out = realloc(out, out_size + 9);
	memcpy(out + out_size, "signature", 9);
	cr_assert_eq(gsym_elf_embed(out, out_size + 9, (const uint8_t *)"two",
				    3, &again, &again_size, NULL), GSYM_OK);
	cr_assert_arr_eq(again + 64, out + 64, out_size + 9 - 64);
	free(out);
	free(again);
	free(elf);
}

Test(embed, without_section_headers)
{
	size_t size, out_size;
	uint8_t *elf = program(64, false, true, false, &size), *out;
	struct gsym_container *c;

	/* e_shoff, e_shnum, e_shstrndx */
	memset(elf + 40, 0, 8);
	memset(elf + 60, 0, 4);
	cr_assert_eq(gsym_elf_embed(elf, size, (const uint8_t *)"one", 3, &out,
				    &out_size, NULL), GSYM_OK);
	c = load(out, out_size);
	cr_assert_eq(c->sections.count, 3);
	cr_assert(section(c, ".gsym"));
	cr_assert(section(c, ".shstrtab"));
	gsym_container_free(c);
	free(out);
	free(elf);
}

/* STUB is a stub: no section has its build ID, for debuggers, but a program
 * header has, for profilers. */
static void check_mark(const uint8_t *stub, size_t size)
{
	struct elfview v;
	struct elfview_segment s;
	const uint8_t *got;
	size_t got_size;

	cr_assert(gsym_elfview_open(stub, size, &v, NULL) == GSYM_OK);
	cr_expect(gsym_elf_is_stub(stub, size));
	for (uint64_t i = 1; i < v.section_count; i++) {
		struct elfview_section n = gsym_elfview_section(&v, i);

		cr_expect(n.type != ELFVIEW_NOTE ||
			  !gsym_elfview_search_notes(stub + n.offset, n.size,
						     n.align, v.swap, &got,
						     &got_size));
	}
	s = gsym_elfview_segment(&v, v.segment_count - 1);
	cr_assert_eq(s.type, ELFVIEW_NOTES);
	cr_assert_leq(s.offset + s.file_size, size);
	cr_expect(gsym_elfview_search_notes(stub + s.offset, s.file_size,
					    s.align, v.swap, &got, &got_size));
	cr_expect_eq(got_size, sizeof(id));
	cr_expect_arr_eq(got, id, sizeof(id));
}

/* STUB has the program headers of ELF, right after its file header, and three
 * more: one says so, one that it is a stub, and one leads to its build ID. */
static void check_segments(const uint8_t *elf, size_t elf_size,
			   const uint8_t *stub, size_t stub_size)
{
	struct elfview from, to;
	size_t each;

	cr_assert(gsym_elfview_open(elf, elf_size, &from, NULL) == GSYM_OK);
	cr_assert(gsym_elfview_open(stub, stub_size, &to, NULL) == GSYM_OK);
	cr_assert_gt(from.segment_count, 0);
	cr_assert_eq(to.segment_count, from.segment_count + 3);
	cr_assert_eq(to.segment_table, to.wide ? 64 : 52);
	each = elfview_segment_size(&from);
	cr_assert_arr_eq(stub + to.segment_table, elf + from.segment_table,
			 from.segment_count * each);
	cr_assert_eq(gsym_elfview_segment(&to, from.segment_count).type,
		     ELFVIEW_OF_PROGRAM);
	cr_expect(gsym_elf_is_program(stub, stub_size));
	check_mark(stub, stub_size);
}

Test(stub, symbols_and_build_id)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned bits = i & 1 ? 32 : 64;
		bool big = i & 2, symbols = i & 4;
		size_t size, out_size, id_size;
		uint8_t *elf = program(bits, big, symbols, false, &size), *out;
		const struct gsym_container_section *text;
		struct gsym_container *c;
		const uint8_t *got;

		cr_assert_eq(gsym_elf_stub(elf, size, elf, size, &out,
					   &out_size, NULL),
			     GSYM_OK);
		c = load(out, out_size);
		cr_assert_eq(c->big_endian, big);
		cr_assert_eq(c->address_size, bits / 8);
		cr_assert_eq(c->uuid_size, sizeof(id));
		cr_assert_arr_eq(c->uuid, id, sizeof(id));
		text = section(c, ".text");
		cr_assert(text && text->executable && !text->data);
		cr_assert_eq(text->address, 0x1000);
		cr_assert_eq(text->size, sizeof(text_bytes));
		cr_assert_null(section(c, ".debug_info"));
		/* perf wants this one, even empty. */
		cr_assert(section(c, ".debug_line"));
		cr_assert_eq(section(c, ".debug_line")->size, 0);
		check_segments(elf, size, out, out_size);
		cr_assert_eq(c->symbols.count, 2);
		cr_assert_str_eq(c->symbols.items[0].name, "local");
		cr_assert_eq(c->symbols.items[0].section,
			     (size_t)(text - c->sections.items));
		cr_assert_str_eq(c->symbols.items[1].name, "global");
		cr_assert_eq(c->symbols.items[1].value, 0x2000);
		gsym_container_free(c);
		cr_assert_eq(gsym_elf_build_id(out, out_size, &got, &id_size,
					       NULL), GSYM_OK);
		cr_assert_eq(id_size, sizeof(id));
		cr_assert_arr_eq(got, id, sizeof(id));
		free(out);
		free(elf);
	}
}

/* A debug file, as objcopy --only-keep-debug makes it of the program of SIZE
 * bytes at ELF: without code, with other offsets, and here with a symbol
 * table. */
static uint8_t *debug_file(const uint8_t *elf, size_t size)
{
	uint8_t *copy = malloc(size);
	struct elfview v;

	memcpy(copy, elf, size);
	cr_assert(gsym_elfview_open(copy, size, &v, NULL) == GSYM_OK);
	for (uint64_t i = 1; i < v.section_count; i++) {
		struct elfview_section s = gsym_elfview_section(&v, i);

		if (s.flags & SHF_EXECINSTR)
			gsym_store_u32(copy + v.section_table +
					       i * v.section_stride + 4,
				       SHT_NOBITS, v.swap);
	}
	/* The highest byte of p_offset. */
	copy[v.segment_table + (v.wide ? 8 : 4) + (v.swap ? 3 : 1)] ^= 1;
	return copy;
}

/* The symbols are those of a debug file, and the program headers those of the
 * program, or of a stub of the program. */
Test(stub, of_a_debug_file)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned bits = i & 1 ? 32 : 64;
		size_t size, poor_size, out_size, stub_size, again_size;
		uint8_t *full = program(bits, i & 2, true, false, &size);
		uint8_t *poor = program(bits, i & 2, false, false, &poor_size);
		uint8_t *debug = debug_file(full, size), *out, *stub, *again;
		struct elfview view;

		cr_expect(gsym_elf_is_program(full, size));
		cr_expect(!gsym_elf_is_stub(full, size));
		cr_expect(!gsym_elf_is_program(debug, size));
		cr_assert_eq(gsym_elf_stub(debug, size, debug, size, &out,
					   &out_size, NULL),
			     GSYM_OK);
		cr_expect(!gsym_elf_is_program(out, out_size));
		cr_assert(gsym_elfview_open(out, out_size, &view, NULL) ==
			  GSYM_OK);
		cr_expect_eq(view.segment_count, 2);
		check_mark(out, out_size);
		cr_assert_eq(gsym_elf_stub(debug, size, poor, poor_size, &stub,
					   &stub_size, NULL),
			     GSYM_OK);
		check_segments(poor, poor_size, stub, stub_size);
		/* A stub of a stub has the same bytes, and the stub of the
		 * debug file gets the program headers of another stub. */
		cr_assert_eq(gsym_elf_stub(stub, stub_size, stub, stub_size,
					   &again, &again_size, NULL),
			     GSYM_OK);
		cr_assert_eq(again_size, stub_size);
		cr_expect_arr_eq(again, stub, stub_size);
		free(again);
		cr_assert_eq(gsym_elf_stub(out, out_size, stub, stub_size,
					   &again, &again_size, NULL),
			     GSYM_OK);
		cr_assert_eq(again_size, stub_size);
		cr_expect_arr_eq(again, stub, stub_size);
		free(again);
		free(stub);
		free(out);
		free(debug);
		free(poor);
		free(full);
	}
}

/* A program of another class or byte order has no headers for a stub. */
Test(stub, of_another_kind)
{
	for (unsigned i = 1; i < 4; i++) {
		size_t size, other_size, out_size;
		uint8_t *elf = program(64, false, true, false, &size), *out;
		uint8_t *other = program(i & 1 ? 32 : 64, i & 2, true, false,
					 &other_size);

		cr_assert_eq(gsym_elf_stub(elf, size, other, other_size, &out,
					   &out_size, NULL),
			     GSYM_OK);
		cr_expect(!gsym_elf_is_program(out, out_size));
		free(out);
		cr_assert_eq(gsym_elf_stub(elf, size, NULL, 0, &out, &out_size,
					   NULL),
			     GSYM_OK);
		cr_expect(!gsym_elf_is_program(out, out_size));
		free(out);
		free(elf);
		free(other);
	}
}

Test(stub, without_a_program)
{
	static const struct {
		const char *name;
		uint8_t address_size;
		bool big;
	} known[] = {
		{ "i386", 4, false },	   { "x86_64", 8, false },
		{ "arm", 4, false },	   { "aarch64", 8, false },
		{ "powerpc", 4, true },	   { "powerpc64", 8, true },
		{ "powerpc64le", 8, false }, { "s390x", 8, true },
		{ "riscv64", 8, false },   { "mips", 4, true },
		{ "mips64el", 8, false },  { "sparcv9", 8, true },
		{ "sparc", 4, true },	   { "xtensa", 4, false },
	};
	uint8_t *out;
	size_t size;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct gsym_container *c;
		const uint8_t *got;
		size_t id_size;

		cr_assert_eq(gsym_elf_bare_stub(known[i].name, id, sizeof(id),
						&out, &size, NULL), GSYM_OK);
		c = load(out, size);
		cr_expect_str_eq(c->architecture, known[i].name);
		cr_expect_eq(c->big_endian, known[i].big);
		cr_expect_eq(c->address_size, known[i].address_size);
		cr_expect_eq(c->symbols.count, 0);
		cr_expect(section(c, ".debug_line"));
		gsym_container_free(c);
		cr_assert_eq(gsym_elf_build_id(out, size, &got, &id_size, NULL),
			     GSYM_OK);
		cr_assert_eq(id_size, sizeof(id));
		cr_assert_arr_eq(got, id, sizeof(id));
		free(out);
	}
	cr_expect_eq(gsym_elf_bare_stub("arm64e", id, sizeof(id), &out, &size,
					NULL), GSYM_ERR_UNSUPPORTED);
	cr_expect_eq(gsym_elf_bare_stub("", id, sizeof(id), &out, &size, NULL),
		     GSYM_ERR_UNSUPPORTED);
	cr_expect_eq(gsym_elf_bare_stub("arm", id, 0, &out, &size, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_expect_eq(gsym_elf_bare_stub("arm", id, 2000, &out, &size, NULL),
		     GSYM_ERR_ARGUMENT);
}

Test(build_id, none_and_no_elf)
{
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	const uint8_t *got;
	uint8_t *elf;
	size_t size, id_size;

	elf = elfb_finish(b, &size);
	elfb_free(b);
	cr_assert_eq(gsym_elf_build_id(elf, size, &got, &id_size, NULL),
		     GSYM_NOT_FOUND);
	cr_assert_eq(gsym_elf_build_id((const uint8_t *)"GSYM", 4, &got,
				       &id_size, NULL), GSYM_ERR_FORMAT);
	cr_assert_eq(gsym_elf_build_id(NULL, 0, &got, &id_size, NULL),
		     GSYM_ERR_ARGUMENT);
	free(elf);
}

/* Change each byte; sanitizers report reads beyond the file. */
Test(edit, damage_in_every_byte)
{
	for (unsigned i = 0; i < 4; i++) {
		size_t size, out_size, id_size;
		uint8_t *elf = program(i & 1 ? 32 : 64, i & 2, true, i & 1,
				       &size);
		const uint8_t *got;
		uint8_t *out;

		for (size_t at = 0; at < size; at++)
			for (int k = 0; k < 3; k++) {
				uint8_t *copy = malloc(size);

				memcpy(copy, elf, size);
				copy[at] ^= (uint8_t[]){ 0xff, 0x80, 1 }[k];
				if (gsym_elf_embed(copy, size, id, 4, &out,
						   &out_size, NULL) == GSYM_OK)
					free(out);
				if (gsym_elf_stub(copy, size, copy, size, &out,
						  &out_size, NULL) == GSYM_OK) {
					cr_assert_lt(out_size, 4 * size);
					free(out);
				}
				gsym_elf_build_id(copy, size, &got, &id_size,
						  NULL);
				free(copy);
			}
		for (size_t cut = 0; cut < size; cut++) {
			uint8_t *copy = malloc(cut + 1);

			memcpy(copy, elf, cut);
			if (gsym_elf_embed(copy, cut, id, 4, &out, &out_size,
					   NULL) == GSYM_OK)
				free(out);
			if (gsym_elf_stub(copy, cut, copy, cut, &out, &out_size,
					  NULL) == GSYM_OK)
				free(out);
			free(copy);
		}
		free(elf);
	}
}
