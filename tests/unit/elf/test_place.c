/* SPDX-License-Identifier: MIT */
/* Addresses of the sections of a relocatable object. */
#include "elf/elf.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

enum { CODE = SHF_ALLOC | SHF_EXECINSTR };

static char *path;

/* Load B with BASES to *RET, and free B. */
static enum gsym_status load(struct elfb *b,
			     const struct gsym_section_base *bases,
			     size_t count, struct gsym_container **ret,
			     struct gsym_error *error)
{
	const struct gsym_convert_options options = {
		.threads = 2,
		.section_bases = bases,
		.section_base_count = count,
	};
	enum gsym_status status;
	uint8_t *bytes;
	size_t size;

	bytes = elfb_finish(b, &size);
	elfb_free(b);
	path = elfb_save(bytes, size);
	free(bytes);
	*ret = NULL;
	status = gsym_container_open(&gsym_elf_input, path, GSYM_LOAD_ALL,
				     &options, ret, error);
	unlink(path);
	free(path);
	return status;
}

static size_t add(struct elfb *b, const char *name, uint64_t flags,
		  size_t size, uint64_t align)
{
	size_t n = elfb_section(b, name,
				flags & SHF_WRITE && align == 64 ? SHT_NOBITS :
								   SHT_PROGBITS,
				flags, 0x77000, NULL, size);

	elfb_section_fields(b, n, 0, 0, align, 0);
	return n;
}

/* .text 0x11, .data 4, .init.text 0x21, .exit.text 2, .bss 0x100. */
static struct elfb *module(unsigned bits)
{
	struct elfb *b = elfb_new(bits, false, ET_REL,
				  bits == 64 ? EM_X86_64 : EM_386);
	size_t init;

	add(b, ".data", SHF_ALLOC | SHF_WRITE, 4, 8);
	add(b, ".text", CODE, 0x11, 16);
	add(b, ".debug_info", 0, 4, 1);
	init = add(b, ".init.text", CODE, 0x21, 32);
	add(b, ".exit.text", CODE | SHF_EXCLUDE, 2, 0);
	add(b, ".bss", SHF_ALLOC | SHF_WRITE, 0x100, 64);
	elfb_symbol(b, &(struct elfb_symbol){ .name = "init", .value = 5,
		.size = 3, .type = STT_FUNC, .binding = STB_GLOBAL,
		.section = init });
	elfb_symbol(b, &(struct elfb_symbol){ .name = "absolute", .value = 5,
		.type = STT_NOTYPE, .binding = STB_GLOBAL,
		.section = SHN_ABS });
	return b;
}

static uint64_t address(const struct gsym_container *c, const char *name)
{
	const struct gsym_container_section *s =
		gsym_container_section(c, name);

	cr_assert(s, "%s", name);
	return s->address;
}

Test(place, by_the_rule)
{
	struct gsym_container *c;

	for (unsigned bits = 32; bits <= 64; bits += 32) {
		cr_assert_eq(load(module(bits), NULL, 0, &c, NULL), GSYM_OK);
		cr_expect(c->relocatable);
		cr_expect_not(c->has_base);
		cr_expect_eq(address(c, ".text"), 0);
		cr_expect_eq(address(c, ".init.text"), 0x20);
		cr_expect_eq(address(c, ".exit.text"), 0x41);
		cr_expect_eq(address(c, ".data"), 0x48);
		cr_expect_eq(address(c, ".bss"), 0x80);
		cr_expect_eq(address(c, ".debug_info"), 0);
		cr_assert_eq(c->text.count, 2);
		cr_expect_eq(c->text.items[0].start, 0);
		cr_expect_eq(c->text.items[0].end, 0x11);
		cr_expect_eq(c->text.items[1].start, 0x20);
		cr_expect_eq(c->text.items[1].end, 0x43);
		cr_assert_eq(c->symbols.count, 2);
		cr_expect_eq(c->symbols.items[0].value, 0x25);
		cr_expect_eq(c->symbols.items[1].value, 5);
		cr_expect_eq(c->warnings.count, 0);
		gsym_container_free(c);
	}
}

Test(place, named_sections)
{
	static const struct gsym_section_base bases[] = {
		{ ".init.text", 0xffffffffc0201000 },
		{ ".data", 0xffffffffc0200000 },
	};
	struct gsym_container *c;

	cr_assert_eq(load(module(64), bases, 2, &c, NULL), GSYM_OK);
	cr_expect_eq(address(c, ".text"), 0);
	cr_expect_eq(address(c, ".init.text"), 0xffffffffc0201000);
	cr_expect_eq(address(c, ".exit.text"), 0x41, "it stays");
	cr_expect_eq(address(c, ".data"), 0xffffffffc0200000);
	cr_expect_eq(address(c, ".bss"), 0x80);
	cr_expect_eq(c->symbols.items[0].value, 0xffffffffc0201005);
	gsym_container_free(c);
}

Test(place, out_of_the_way)
{
	static const struct gsym_section_base bases[] = {
		{ ".exit.text", 0x13 }, { ".init.text", 0x30 },
		{ ".data", 0 },
	};
	struct gsym_container *c;

	cr_assert_eq(load(module(64), bases, 3, &c, NULL), GSYM_OK);
	/* After .data it would overlap .exit.text, after that .init.text. */
	cr_expect_eq(address(c, ".text"), 0x60);
	cr_expect_eq(address(c, ".bss"), 0xc0);
	gsym_container_free(c);
}

Test(place, at_the_end)
{
	static const struct gsym_section_base bases[] = {
		{ ".text", 0xffffffef },
	};
	static const struct gsym_section_base beyond[] = {
		{ ".text", 0xfffffff0 },
	};
	struct gsym_error error;
	struct gsym_container *c;

	cr_assert_eq(load(module(32), bases, 1, &c, NULL), GSYM_OK);
	cr_expect_eq(c->text.items[1].end, 0x100000000);
	gsym_container_free(c);
	cr_assert_eq(load(module(32), beyond, 1, &c, &error),
		     GSYM_ERR_ARGUMENT);
	cr_expect_str_eq(error.message, "section '.text' at 0xfffffff0 "
			 "reaches beyond the last address");
}

struct refusal {
	struct gsym_section_base bases[2];
	size_t count;
	const char *message;
};

Test(place, refusals)
{
	static const struct refusal refusals[] = {
		{ { { ".text", 0 }, { ".tex", 0 } }, 2,
		  "there is no section '.tex' to place" },
		{ { { "", 0 } }, 1, "there is no section '' to place" },
		{ { { ".debug_info", 0 } }, 1,
		  "section '.debug_info' is never loaded and cannot be "
		  "placed" },
		{ { { ".twice", 0 } }, 1,
		  "there are 2 sections '.twice': no name tells them apart" },
		{ { { ".text", 0 }, { ".text", 0x1000 } }, 2,
		  "section '.text' is placed twice" },
		{ { { ".text", 0x1000 }, { ".init.text", 0x1010 } }, 2,
		  "section '.init.text' at 0x1010 overlaps '.text' at "
		  "0x1000" },
		{ { { ".text", UINT64_MAX } }, 1,
		  "section '.text' at 0xffffffffffffffff reaches beyond the "
		  "last address" },
	};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];
		struct gsym_error error = { 0 };
		struct elfb *b = module(64);
		struct gsym_container *c;

		add(b, ".twice", CODE, 1, 1);
		add(b, ".twice", CODE, 1, 1);
		cr_expect_eq(load(b, r->bases, r->count, &c, &error),
			     GSYM_ERR_ARGUMENT, "%s", r->message);
		cr_expect_str_eq(error.message, r->message);
		gsym_container_free(c);
	}
}

/* Set the field at OFFSET of section NUMBER's header, big-endian. */
static void set_field(const struct elfb *b, uint8_t *bytes, size_t number,
		      unsigned bits, size_t offset, uint64_t value)
{
	uint8_t *at = bytes + elfb_header_offset(b, number) + offset;

	for (unsigned i = 0; i < bits / 8; i++)
		at[i] = (uint8_t)(value >> (bits - 8 - 8 * i));
}

#define FIELD(bits, name)                               \
	((bits) == 64 ? offsetof(Elf64_Shdr, sh_##name) : \
			offsetof(Elf32_Shdr, sh_##name))

/* A section whose size or alignment does not fit into the address space is not
 * loaded; all others are. */
Test(place, impossible_sizes)
{
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct elfb *b = elfb_new(bits, true, ET_REL, EM_PPC64);
		uint64_t most = bits == 64 ? UINT64_MAX : UINT32_MAX;
		size_t big[3];
		struct gsym_container *c;
		uint8_t *bytes;
		size_t size;

		add(b, ".text", CODE, 16, 3);
		for (int i = 0; i < 3; i++)
			big[i] = elfb_section(b, i ? ".huge" : ".wide",
					      SHT_NOBITS, CODE, 0, NULL, 16);
		add(b, ".more", CODE, 16, 16);
		elfb_symbol(b, &(struct elfb_symbol){ .name = "lost",
			.value = 1, .type = STT_FUNC, .size = 4,
			.section = big[1] });
		bytes = elfb_finish(b, &size);
		for (int i = 1; i < 3; i++)
			set_field(b, bytes, big[i], bits, FIELD(bits, size),
				  most - 14);
		set_field(b, bytes, big[0], bits, FIELD(bits, addralign),
			  most / 2 + 1);
		cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
						 GSYM_LOAD_ALL, NULL, &c, NULL),
			     GSYM_OK);
		cr_expect_eq(address(c, ".text"), 0);
		cr_expect_eq(address(c, ".wide"), most / 2 + 1);
		cr_expect_eq(address(c, ".more"), most / 2 + 1 + 16);
		cr_expect_eq(address(c, ".huge"), 0);
		cr_expect_not(gsym_container_section(c, ".huge")->loaded);
		cr_expect_eq(c->warnings.count, 2);
		cr_expect_eq(c->warnings.items[0].kind, GSYM_WARN_BAD_SECTION);
		gsym_container_free(c);
		free(bytes);
		elfb_free(b);
	}
}
