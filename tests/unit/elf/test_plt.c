/* SPDX-License-Identifier: MIT */
/* Stubs of a PLT: their code, and their names. */
#include "elf/elf.h"
#include "support/elf_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { CODE = SHF_ALLOC | SHF_EXECINSTR, PLT = 0x1000, GOT = 0x3000 };

/* ---- code ---------------------------------------------------------------- */

/* A stub at PLT, and what it means. */
struct form {
	unsigned machine;
	unsigned bits;
	size_t size; /* of CODE */
	const char *code;
	uint64_t end;
	uint64_t slot;
};

#define X64 EM_X86_64, 64
#define X86 EM_386, 32
#define A64 EM_AARCH64, 64
#define RV64 EM_RISCV, 64
#define ARM EM_ARM, 32

static const struct form forms[] = {
	/* GNU ld, lld: jmp *0x2ffa(%rip); push; jmp */
	{ X64, 16, "\xff\x25\x02\x20\0\0\x68\0\0\0\0\xe9\0\0\0\0", 16, 0x3008 },
	/* .plt.got: jmp; xchg %ax,%ax */
	{ X64, 8, "\xff\x25\x02\x20\0\0\x66\x90", 8, 0x3008 },
	/* .plt.sec: endbr64; bnd jmp; nop, and endbr64; jmp; nop */
	{ X64, 16, "\xf3\x0f\x1e\xfa\xf2\xff\x25\xfd\x1f\0\0\x0f\x1f\x44\0\0",
	  16, 0x3008 },
	{ X64, 16, "\xf3\x0f\x1e\xfa\xff\x25\xfe\x1f\0\0\x66\x0f\x1f\x44\0\0",
	  16, 0x3008 },
	/* .plt.bnd: bnd jmp; nop */
	{ X64, 8, "\xf2\xff\x25\x01\x20\0\0\x90", 8, 0x3008 },
	/* mold: endbr64; mov $1,%r11d; jmp */
	{ X64, 16, "\xf3\x0f\x1e\xfa\x41\xbb\1\0\0\0\xff\x25\xf8\x1f\0\0", 16,
	  0x3008 },
	/* A slot before the PLT. */
	{ X64, 8, "\xff\x25\xfa\xef\xff\xff\x66\x90", 8, 0 },
	/* jmp *0x3008; push, and jmp *8(%ebx); push */
	{ X86, 16, "\xff\x25\x08\x30\0\0\x68\0\0\0\0\xe9\0\0\0\0", 16, 0x3008 },
	{ X86, 16, "\xff\xa3\x08\0\0\0\x68\0\0\0\0\xe9\0\0\0\0", 16, 0x3008 },
	{ X86, 8, "\xff\xa3\xf8\xff\xff\xff\x66\x90", 8, 0x2ff8 },
	/* endbr32; jmp, and mold: endbr32; mov $8,%ecx; jmp; int3 */
	{ X86, 16, "\xf3\x0f\x1e\xfb\xff\xa3\x08\0\0\0\x66\x0f\x1f\x44\0\0", 16,
	  0x3008 },
	{ X86, 16, "\xf3\x0f\x1e\xfb\xb9\x08\0\0\0\xff\xa3\x08\0\0\0\xcc", 16,
	  0x3008 },
	/* adrp x16; ldr x17; add x16; br x17, with bti before, nop after */
	{ A64, 16, "\x10\0\0\xd0\x11\x06\x40\xf9\x10\x22\0\x91\x20\x02\x1f\xd6",
	  16, 0x3008 },
	{ A64, 24,
	  "\x5f\x24\x03\xd5\x10\0\0\xd0\x11\x06\x40\xf9\x10\x22\0\x91"
	  "\x20\x02\x1f\xd6\x1f\x20\x03\xd5", 24, 0x3008 },
	/* autia1716 before the br; a page before the PLT */
	{ A64, 20,
	  "\xf0\xff\xff\xf0\x11\x06\x40\xf9\x10\x22\0\x91\x9f\x21\x03\xd5"
	  "\x20\x02\x1f\xd6", 20, 8 },
	/* auipc t3, 2; ld t3, 8(t3); jalr t1, t3; nop */
	{ RV64, 16, "\x17\x2e\0\0\x03\x3e\x8e\0\x67\x03\x0e\0\x13\0\0\0", 16,
	  0x3008 },
	{ RV64, 12, "\x17\x3e\0\0\x03\x3e\x8e\xff\x67\x03\x0e\0", 12, 0x3ff8 },
	{ EM_RISCV, 32, 16,
	  "\x17\x2e\0\0\x03\x2e\x8e\0\x67\x03\x0e\0\x13\0\0\0", 16, 0x3008 },
	/* add ip, pc, #0; add ip, ip, #0x2000; ldr pc, [ip, #0]! */
	{ ARM, 12, "\0\xc6\x8f\xe2\x02\xca\x8c\xe2\0\xf0\xbc\xe5", 12, 0x3008 },
	/* with bx pc; nop, with lld's padding, and long */
	{ ARM, 16, "\x78\x47\xc0\x46\0\xc6\x8f\xe2\x02\xca\x8c\xe2\x04\xf0\xbc"
	  "\xe5", 16, 0x3010 },
	{ ARM, 16, "\0\xc6\x8f\xe2\x02\xca\x8c\xe2\0\xf0\xbc\xe5\xd4\xd4\xd4"
	  "\xd4", 16, 0x3008 },
	{ ARM, 16, "\0\xc2\x8f\xe2\0\xc6\x8c\xe2\x02\xca\x8c\xe2\0\xf0\xbc\xe5",
	  16, 0x3008 },
	/* mold: ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip]; 0x1ffc */
	{ ARM, 16, "\x04\xc0\x9f\xe5\x0f\xc0\x8c\xe0\0\xf0\x9c\xe5\xfc\x1f\0\0",
	  16, 0x3008 },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static struct elf_plt plt_of(const struct form *f, const uint8_t *bytes,
			     uint64_t size)
{
	return (struct elf_plt){ .machine = (uint16_t)f->machine,
				 .wide = f->bits == 64, .bytes = bytes,
				 .size = size, .address = PLT, .got = GOT };
}

Test(plt, forms)
{
	for (size_t i = 0; i < FORMS; i++) {
		const struct form *f = &forms[i];
		struct elf_plt plt =
			plt_of(f, (const uint8_t *)f->code, f->size);
		struct elf_plt_stub stub = { 0 };
		uint64_t at = 0;

		cr_expect(gsym_elf_plt_stub(&plt, &at, &stub), "%zu", i);
		cr_expect(!stub.start && stub.end == f->end, "%zu: %u", i,
			  (unsigned)stub.end);
		cr_expect_eq(stub.slot, f->slot, "%zu: %x", i,
			     (unsigned)stub.slot);
		cr_expect_eq(at, stub.end);
		cr_expect_not(gsym_elf_plt_stub(&plt, &at, &stub), "%zu", i);
	}
}

/* Cut off anywhere, a stub is not read beyond its end. */
Test(plt, cut_off)
{
	for (size_t i = 0; i < FORMS; i++)
		for (size_t size = 0; size < forms[i].size; size++) {
			uint8_t *bytes = malloc(size + !size);
			struct elf_plt plt = plt_of(&forms[i], bytes, size);
			struct elf_plt_stub stub;
			uint64_t at = 0;

			memcpy(bytes, forms[i].code, size);
			while (gsym_elf_plt_stub(&plt, &at, &stub))
				cr_assert_leq(stub.end, size);
			free(bytes);
		}
}

/* Code of other machines, and other code, has no stubs; i386 has none without
 * the address that they count from. */
Test(plt, no_stubs)
{
	struct elf_plt plt = plt_of(&forms[0], (const uint8_t *)forms[0].code,
				    16);
	struct elf_plt_stub stub;
	uint64_t at = 0;

	plt.machine = EM_S390;
	cr_expect_not(gsym_elf_plt_stub(&plt, &at, &stub));
	plt = plt_of(&forms[8], (const uint8_t *)forms[8].code, 16);
	plt.got = at = 0;
	cr_expect_not(gsym_elf_plt_stub(&plt, &at, &stub));
	for (size_t i = 0; i < FORMS; i++) {
		static const uint8_t zeros[64];

		plt = plt_of(&forms[i], zeros, sizeof(zeros));
		at = 0;
		cr_expect_not(gsym_elf_plt_stub(&plt, &at, &stub));
	}
}

/* ---- names --------------------------------------------------------------- */

/* Relocations of a program for x86-64: slot, symbol, type, addend. */
struct relocation {
	uint64_t slot;
	unsigned symbol, type;
	uint64_t addend;
};

static void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Functions that choose another one. */
static const struct { const char *name; uint64_t at; unsigned binding; }
choosers[] = {
	{ "strlen", 0x2000, STB_GLOBAL }, { "strlen", 0x2000, STB_WEAK },
	{ "local", 0x2000, STB_LOCAL }, { "index", 0x2010, STB_GLOBAL },
	{ "strchr", 0x2010, STB_GLOBAL }, { "local", 0x2020, STB_LOCAL },
};

/* A program whose PLT has stubs for the slots at GOT, GOT + 8, GOT + 16 and GOT
 * + 24, COUNT relocations, and a symbol NAME at PLT + 32 unless it is NULL. */
static struct gsym_container *load(const struct relocation *r, size_t count,
				   const char *name, bool no_plt,
				   uint8_t **bytes)
{
	struct elfb *b = elfb_new(64, false, ET_DYN, EM_X86_64);
	const struct gsym_convert_options options = { .threads = 1,
						      .no_plt = no_plt };
	uint8_t code[5 * 16] = { 0 }, table[8 * 24];
	struct gsym_container *c = NULL;
	size_t size, plt, rela, text;

	for (unsigned i = 0; i < 4; i++) {
		put(code + 16 * (i + 1), 0x25ff, 2);
		put(code + 16 * (i + 1) + 2,
		    GOT + 8 * i - (PLT + 16 * (i + 1) + 6), 4);
	}
	for (size_t i = 0; i < count; i++) {
		put(table + 24 * i, r[i].slot, 8);
		put(table + 24 * i + 8,
		    (uint64_t)r[i].symbol << 32 | r[i].type, 8);
		put(table + 24 * i + 16, r[i].addend, 8);
	}
	plt = elfb_section(b, ".plt", SHT_PROGBITS, CODE, PLT, code,
			   sizeof(code));
	text = elfb_section(b, ".text", SHT_PROGBITS, CODE, 0x2000, code,
			    sizeof(code));
	rela = elfb_section(b, ".rela.plt", SHT_RELA, SHF_ALLOC, 0x500, table,
			    24 * count);
	for (int i = 0; i < 2; i++)
		elfb_symbol(b, &(struct elfb_symbol){
			.name = i ? "exit" : "puts", .type = STT_FUNC,
			.binding = STB_GLOBAL, .dynamic = true });
	if (name)
		elfb_symbol(b, &(struct elfb_symbol){
			.name = name, .value = PLT + 32, .section = plt });
	for (size_t i = 0; i < sizeof(choosers) / sizeof(choosers[0]); i++)
		elfb_symbol(b, &(struct elfb_symbol){
			.name = choosers[i].name, .value = choosers[i].at,
			.type = STT_GNU_IFUNC, .binding = choosers[i].binding,
			.section = text, .dynamic = true });
	*bytes = elfb_finish(b, &size);
	/* The link to .dynsym, whose number is known only now. */
	put(*bytes + elfb_header_offset(b, rela) + 40,
	    elfb_number(b, ".dynsym"), 4);
	elfb_free(b);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, *bytes, size,
					 GSYM_LOAD_ALL, &options, &c, NULL),
		     GSYM_OK);
	return c;
}

/* The stubs of C, as text. */
static const char *stubs_of(const struct gsym_container *c)
{
	static char text[256];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->symbols.count; i++) {
		const struct gsym_symbol *s = &c->symbols.items[i];

		if (!strstr(s->name, "@plt"))
			continue;
		cr_expect(s->type == GSYM_SYMBOL_FUNCTION && s->stub);
		cr_expect_eq(s->binding, GSYM_SYMBOL_LOCAL);
		cr_expect_str_eq(c->sections.items[s->section].name, ".plt");
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "%s %x+%u ", s->name,
				       (unsigned)s->value, (unsigned)s->size);
	}
	return text;
}

static void expect(const struct relocation *r, size_t count, const char *name,
		   bool no_plt, const char *wanted)
{
	uint8_t *bytes;
	struct gsym_container *c = load(r, count, name, no_plt, &bytes);

	cr_expect_str_eq(stubs_of(c), wanted);
	gsym_container_free(c);
	free(bytes);
}

Test(plt, names)
{
	static const struct relocation all[] = {
		{ GOT + 8, 2, 7, 0 }, { GOT, 1, 7, 0 }, { GOT + 16, 2, 6, 0 },
	};

	expect(all, 3, NULL, false,
	       "puts@plt 1010+16 exit@plt 1020+16 exit@plt 1030+16 ");
	/* What a symbol names keeps its name. */
	expect(all, 3, "mine", false, "puts@plt 1010+16 exit@plt 1030+16 ");
	expect(all, 3, NULL, true, "");
	expect(all, 0, NULL, false, "");
}

/* No name: of another type of relocation, of no symbol, of a symbol that is not
 * there, and of a slot with two functions. */
Test(plt, no_names)
{
	static const struct relocation none[] = {
		{ GOT, 1, 1, 0 }, { GOT + 8, 0, 7, 0 }, { GOT + 16, 99, 7, 0 },
		{ GOT + 24, 1, 7, 0 }, { GOT + 24, 2, 7, 0 },
	};
	static const struct relocation same[] = {
		{ GOT + 24, 1, 7, 0 }, { GOT + 24, 1, 6, 0 },
	};

	expect(none, 5, NULL, false, "");
	expect(same, 2, NULL, false, "puts@plt 1040+16 ");
}

/* Of an indirect function the relocation has the address of the function that
 * chooses.  If that has several names, or local ones, there is none. */
Test(plt, indirect_functions)
{
	static const struct relocation one[] = {
		{ GOT + 24, 0, 37, 0x2000 }, { GOT + 8, 0, 37, 0x2010 },
		{ GOT + 16, 0, 37, 0x2020 }, { GOT, 0, 37, 0x2000 },
	};
	static const struct relocation two[] = {
		{ GOT, 0, 37, 0x2010 }, { GOT + 8, 0, 37, 0x2010 },
		{ GOT + 16, 0, 37, 0x2030 }, { GOT + 24, 0, 37, 0x2000 },
		{ GOT + 24, 1, 7, 0 },
	};

	expect(one, 4, NULL, false, "strlen@plt 1010+16 strlen@plt 1040+16 ");
	expect(two, 5, NULL, false, "");
}
