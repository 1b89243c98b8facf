/* SPDX-License-Identifier: MIT */
/* Relocations of debug sections: the value that each type of each machine
 * writes, sections of one name, and damage. */
#include "elf/elf.h"
#include "support/elf_builder.h"

#include "base/cursor.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

enum {
	CODE = SHF_ALLOC | SHF_EXECINSTR,
	SIZE = 24,
	/* The address of the symbol: .text.b is at 0x60, and the symbol at
	 * offset 8. */
	SYMBOL = 0x68,
	/* The offset in the section, and the addend, of each relocation. */
	PLACE = 9,
	ADDEND = 0x21,
	/* Widths of numbers in LEB128, which have no fixed size. */
	ULEB = 0,
	BITS = 6,
	LOONGARCH = 258,
};

struct entry {
	uint64_t place;
	uint32_t symbol;
	uint32_t type;
	int64_t addend;
};

/* ---- object files ------------------------------------------------------- */

struct sample {
	struct elfb *b;
	unsigned bits;
	bool big;
	bool rela;
	unsigned machine;
};

static void put(uint8_t *at, uint64_t value, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, unsigned size, bool big)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[big ? size - 1 - i : i] << 8 * i;
	return value;
}

/* An object with .text.a of 0x51 bytes, .text.b, which will be at 0x60, and
 * four symbols: 1 (offset 8 of .text.b), 2 (absolute), 3 (undefined), 4
 * (common). */
static struct sample start(unsigned bits, bool big, bool rela, unsigned machine)
{
	struct sample o = { elfb_new(bits, big, ET_REL, machine), bits, big,
			    rela, machine };
	size_t text;

	elfb_section(o.b, ".text.a", SHT_PROGBITS, CODE, 0, NULL, 0x51);
	text = elfb_section(o.b, ".text.b", SHT_PROGBITS, CODE, 0, NULL, 0x20);
	elfb_section_fields(o.b, text, 0, 0, 32, 0);
	elfb_symbol(o.b, &(struct elfb_symbol){ .name = "b", .value = 8,
		.type = STT_FUNC, .binding = STB_LOCAL, .section = text });
	elfb_symbol(o.b, &(struct elfb_symbol){ .name = "absolute",
		.value = 0x1234, .section = SHN_ABS });
	elfb_symbol(o.b, &(struct elfb_symbol){ .name = "undefined",
		.value = 77, .section = SHN_UNDEF });
	elfb_symbol(o.b, &(struct elfb_symbol){ .name = "common",
		.value = 16, .section = SHN_COMMON });
	return o;
}

/* Write E to TO; returns its size. */
static size_t encode(const struct sample *o, const struct entry *e, uint8_t *to)
{
	unsigned word = o->bits / 8;

	put(to, e->place, word, o->big);
	if (o->bits == 32) {
		put(to + 4, e->symbol << 8 | e->type, 4, o->big);
	} else if (o->machine == EM_MIPS) {
		/* The symbol, a special symbol, then three types in reverse
		 * order. */
		put(to + 8, e->symbol, 4, o->big);
		put(to + 12, e->type, 4, true);
	} else {
		put(to + 8, (uint64_t)e->symbol << 32 | e->type, 8, o->big);
	}
	if (!o->rela)
		return 2 * word;
	put(to + 2 * word, (uint64_t)e->addend, word, o->big);
	return 3 * word;
}

/* Add COUNT relocations of section TARGET.  Their symbol table is the section
 * that follows SYMTAB sections later.  Returns the number of their section. */
static size_t relocate(const struct sample *o, const char *name, size_t target,
		       const struct entry *entries, size_t count, size_t symtab)
{
	uint8_t bytes[16 * 24];
	size_t size = 0;
	size_t n;

	cr_assert_leq(count, 16);
	for (size_t i = 0; i < count; i++)
		size += encode(o, &entries[i], bytes + size);
	n = elfb_section(o->b, name, o->rela ? SHT_RELA : SHT_REL,
			 SHF_INFO_LINK, 0, bytes, size);
	elfb_section_fields(o->b, n, (uint32_t)(n + symtab), (uint32_t)target,
			    8, o->bits / 8 * (o->rela ? 3 : 2));
	return n;
}

static uint8_t *bytes;

static struct gsym_container *load(struct sample *o)
{
	const struct gsym_convert_options options = { .threads = 2 };
	struct gsym_error error = { 0 };
	struct gsym_container *c = NULL;
	size_t size;

	bytes = elfb_finish(o->b, &size);
	elfb_free(o->b);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, &options, &c, &error),
		     GSYM_OK, "%s", error.message);
	return c;
}

static void unload(struct gsym_container *c)
{
	gsym_container_free(c);
	free(bytes);
}

/* The bytes of .debug_info before any relocation. */
static const uint8_t *filler(void)
{
	static uint8_t to[SIZE];

	for (size_t i = 0; i < SIZE; i++)
		to[i] = (uint8_t)(0x91 + 3 * i);
	return to;
}

/* ---- types -------------------------------------------------------------- */

enum action { ABS, REL, ADD, SUB, NONE, UNKNOWN };

struct type {
	uint16_t machine;
	uint8_t bits;
	bool big;
	bool rela;
	uint16_t type;
	uint8_t action;
	uint8_t width;
};

#define ROW64(machine, big, type, action, width) \
	{ machine, 64, big, true, type, action, width }
#define ROW32(machine, big, rela, type, action, width) \
	{ machine, 32, big, rela, type, action, width }

static struct type types[] = {
	ROW64(EM_X86_64, false, R_X86_64_64, ABS, 8),
	ROW64(EM_X86_64, false, R_X86_64_32, ABS, 4),
	ROW64(EM_X86_64, false, R_X86_64_32S, ABS, 4),
	ROW64(EM_X86_64, false, R_X86_64_16, ABS, 2),
	ROW64(EM_X86_64, false, R_X86_64_8, ABS, 1),
	ROW64(EM_X86_64, false, R_X86_64_PC32, REL, 4),
	ROW64(EM_X86_64, false, R_X86_64_PC64, REL, 8),
	ROW64(EM_X86_64, false, R_X86_64_NONE, NONE, 0),
	ROW64(EM_X86_64, false, R_X86_64_DTPOFF64, NONE, 0),
	ROW64(EM_X86_64, false, R_X86_64_DTPOFF32, NONE, 0),
	ROW64(EM_X86_64, false, R_X86_64_GOTPCREL, UNKNOWN, 0),
	ROW64(EM_X86_64, false, 0xfff, UNKNOWN, 0),
	ROW32(EM_386, false, false, R_386_32, ABS, 4),
	ROW32(EM_386, false, false, R_386_16, ABS, 2),
	ROW32(EM_386, false, false, R_386_8, ABS, 1),
	ROW32(EM_386, false, false, R_386_PC32, REL, 4),
	ROW32(EM_386, false, false, R_386_TLS_LDO_32, NONE, 0),
	ROW32(EM_386, false, false, R_386_GOTOFF, UNKNOWN, 0),
	ROW64(EM_AARCH64, false, R_AARCH64_ABS64, ABS, 8),
	ROW64(EM_AARCH64, false, R_AARCH64_ABS32, ABS, 4),
	ROW64(EM_AARCH64, false, R_AARCH64_ABS16, ABS, 2),
	ROW64(EM_AARCH64, true, R_AARCH64_ABS64, ABS, 8),
	ROW64(EM_AARCH64, false, R_AARCH64_PREL64, REL, 8),
	ROW64(EM_AARCH64, false, R_AARCH64_PREL32, REL, 4),
	ROW64(EM_AARCH64, false, R_AARCH64_TLS_DTPREL, NONE, 0),
	ROW64(EM_AARCH64, false, R_AARCH64_CALL26, UNKNOWN, 0),
	ROW32(EM_ARM, false, false, R_ARM_ABS32, ABS, 4),
	ROW32(EM_ARM, false, false, R_ARM_TARGET1, ABS, 4),
	ROW32(EM_ARM, true, true, R_ARM_ABS32, ABS, 4),
	ROW32(EM_ARM, false, false, R_ARM_REL32, REL, 4),
	ROW32(EM_ARM, false, false, R_ARM_TLS_LDO32, NONE, 0),
	ROW64(EM_S390, true, R_390_64, ABS, 8),
	ROW64(EM_S390, true, R_390_32, ABS, 4),
	ROW64(EM_S390, true, R_390_16, ABS, 2),
	ROW64(EM_S390, true, R_390_PC32, REL, 4),
	ROW64(EM_S390, true, R_390_PC64, REL, 8),
	ROW64(EM_S390, true, R_390_TLS_LDO64, NONE, 0),
	ROW32(EM_S390, true, true, R_390_32, ABS, 4),
	ROW64(EM_PPC64, true, R_PPC64_ADDR64, ABS, 8),
	ROW64(EM_PPC64, true, R_PPC64_ADDR32, ABS, 4),
	ROW64(EM_PPC64, false, R_PPC64_ADDR64, ABS, 8),
	ROW64(EM_PPC64, false, R_PPC64_UADDR32, ABS, 4),
	ROW64(EM_PPC64, true, R_PPC64_REL32, REL, 4),
	ROW64(EM_PPC64, true, R_PPC64_REL64, REL, 8),
	ROW64(EM_PPC64, true, R_PPC64_DTPREL64, NONE, 0),
	ROW32(EM_PPC, true, true, R_PPC_ADDR32, ABS, 4),
	ROW32(EM_PPC, true, true, R_PPC_REL32, REL, 4),
	ROW64(EM_RISCV, false, R_RISCV_64, ABS, 8),
	ROW64(EM_RISCV, false, R_RISCV_32, ABS, 4),
	ROW64(EM_RISCV, false, R_RISCV_32_PCREL, REL, 4),
	ROW64(EM_RISCV, false, R_RISCV_ADD8, ADD, 1),
	ROW64(EM_RISCV, false, R_RISCV_ADD16, ADD, 2),
	ROW64(EM_RISCV, false, R_RISCV_ADD32, ADD, 4),
	ROW64(EM_RISCV, false, R_RISCV_ADD64, ADD, 8),
	ROW64(EM_RISCV, false, R_RISCV_SUB8, SUB, 1),
	ROW64(EM_RISCV, false, R_RISCV_SUB16, SUB, 2),
	ROW64(EM_RISCV, false, R_RISCV_SUB32, SUB, 4),
	ROW64(EM_RISCV, false, R_RISCV_SUB64, SUB, 8),
	ROW64(EM_RISCV, false, R_RISCV_SUB6, SUB, BITS),
	ROW64(EM_RISCV, false, R_RISCV_SET6, ABS, BITS),
	ROW64(EM_RISCV, false, R_RISCV_SET8, ABS, 1),
	ROW64(EM_RISCV, false, R_RISCV_SET16, ABS, 2),
	ROW64(EM_RISCV, false, R_RISCV_SET32, ABS, 4),
	ROW64(EM_RISCV, false, 60, ABS, ULEB),
	ROW64(EM_RISCV, false, 61, SUB, ULEB),
	ROW64(EM_RISCV, false, R_RISCV_RELAX, NONE, 0),
	ROW32(EM_RISCV, false, true, R_RISCV_32, ABS, 4),
	ROW32(EM_MIPS, true, false, R_MIPS_32, ABS, 4),
	ROW32(EM_MIPS, false, false, R_MIPS_32, ABS, 4),
	ROW64(EM_MIPS, true, R_MIPS_64, ABS, 8),
	ROW64(EM_MIPS, false, R_MIPS_64, ABS, 8),
	ROW64(EM_MIPS, false, R_MIPS_32, ABS, 4),
	ROW64(EM_MIPS, false, R_MIPS_TLS_DTPREL64, NONE, 0),
	/* Two types: the second one stores 8 bytes.  248: R_MIPS_PC32. */
	ROW64(EM_MIPS, true, 248 | R_MIPS_64 << 8, REL, 8),
	ROW64(EM_MIPS, false, 248 | R_MIPS_64 << 8, REL, 8),
	ROW64(EM_MIPS, false, R_MIPS_32 | R_MIPS_64 << 8, ABS, 8),
	ROW64(EM_MIPS, false, R_MIPS_GPREL16 | R_MIPS_64 << 8, UNKNOWN, 0),
	ROW64(EM_MIPS, false, R_MIPS_32 | R_MIPS_SUB << 8, UNKNOWN, 0),
	ROW64(EM_RISCV, false, 1 | 18 << 8, UNKNOWN, 0),
	ROW64(LOONGARCH, false, 2, ABS, 8),
	ROW64(LOONGARCH, false, 1, ABS, 4),
	ROW64(LOONGARCH, false, 50, ADD, 4),
	ROW64(LOONGARCH, false, 55, SUB, 4),
	ROW64(LOONGARCH, false, 105, ADD, BITS),
	ROW64(LOONGARCH, false, 107, ADD, ULEB),
	ROW64(EM_SPARCV9, true, R_SPARC_UA32, ABS, 4),
	ROW64(EM_SPARCV9, true, R_SPARC_UA64, ABS, 8),
	ROW64(EM_SPARCV9, true, R_SPARC_DISP32, REL, 4),
	ROW64(EM_SPARCV9, true, R_SPARC_TLS_DTPOFF64, NONE, 0),
	ROW32(EM_SPARC, true, true, R_SPARC_UA32, ABS, 4),
	ROW32(EM_SPARC32PLUS, true, true, R_SPARC_32, ABS, 4),
	ROW32(EM_XTENSA, false, true, 1, ADD, 4),
	ROW32(EM_XTENSA, true, true, 1, ADD, 4),
	ROW32(EM_XTENSA, false, true, 14, REL, 4),
	ROW32(EM_XTENSA, false, true, 19, NONE, 0),
	{ EM_BPF, 64, false, false, 2, ABS, 8 },
	{ EM_BPF, 64, false, false, 3, ABS, 4 },
	{ EM_BPF, 64, true, false, 3, ABS, 4 },
	{ EM_BPF, 64, false, false, 1, ABS, 8 },
	{ EM_BPF, 64, false, false, 10, ABS, 4 },
	{ EM_BPF, 64, false, false, 4, UNKNOWN, 0 },
	ROW32(EM_QDSP6, false, true, 6, ABS, 4),
	ROW32(EM_QDSP6, false, true, 7, ABS, 2),
	ROW32(EM_QDSP6, false, true, 8, ABS, 1),
	ROW32(EM_QDSP6, false, true, 31, REL, 4),
	ROW32(EM_QDSP6, false, true, 47, NONE, 0),
	ROW64(EM_ALPHA, false, 1, UNKNOWN, 0),
};

ParameterizedTestParameters(relocate, types)
{
	return cr_make_param_array(struct type, types,
				   sizeof(types) / sizeof(types[0]));
}

/* The number at AT, of the width of type T. */
static uint64_t read_width(const struct type *t, const uint8_t *at)
{
	if (t->width == ULEB)
		return (at[0] & 0x7f) | (uint64_t)(at[1] & 0x7f) << 7 |
		       (uint64_t)at[2] << 14;
	if (t->width == BITS)
		return at[0] & 0x3f;
	return get(at, t->width, t->big);
}

static void write_width(const struct type *t, uint8_t *at, uint64_t value)
{
	if (t->width == ULEB) {
		at[0] = 0x80 | (value & 0x7f);
		at[1] = 0x80 | (value >> 7 & 0x7f);
		at[2] = value >> 14 & 0x7f;
	} else if (t->width == BITS) {
		at[0] = (uint8_t)((at[0] & 0xc0) | (value & 0x3f));
	} else {
		put(at, value, t->width, t->big);
	}
}

ParameterizedTest(struct type *t, relocate, types)
{
	struct sample o = start(t->bits, t->big, t->rela, t->machine);
	struct entry e = { PLACE, 1, t->type, t->rela ? ADDEND : 0 };
	uint8_t before[SIZE];
	uint8_t after[SIZE];
	const struct gsym_container_section *s;
	struct gsym_container *c;
	uint64_t value = SYMBOL + ADDEND;
	size_t info;

	memcpy(before, filler(), SIZE);
	if (t->width == ULEB)
		write_width(t, before + PLACE, 0x12345);
	else if (!t->rela)
		write_width(t, before + PLACE, ADDEND);
	memcpy(after, before, SIZE);
	if (t->action == REL)
		value -= PLACE;
	else if (t->action == ADD)
		value = read_width(t, before + PLACE) + value;
	else if (t->action == SUB)
		value = read_width(t, before + PLACE) - value;
	if (t->action <= SUB)
		write_width(t, after + PLACE, value);

	info = elfb_section(o.b, ".debug_info", SHT_PROGBITS, 0, 0, before,
			    SIZE);
	relocate(&o, t->rela ? ".rela.debug_info" : ".rel.debug_info", info,
		 &e, 1, 1);
	c = load(&o);
	s = gsym_container_section(c, ".debug_info");
	cr_expect_eq(c->warnings.count, t->action == UNKNOWN);
	cr_expect_eq(s->unrelocated, t->action == UNKNOWN);
	if (t->action == UNKNOWN) {
		cr_expect_eq(c->warnings.items[0].kind,
			     GSYM_WARN_BAD_RELOCATION);
		cr_expect(!s->data && !s->data_size);
	} else {
		cr_assert_eq(s->data_size, SIZE);
		cr_expect_arr_eq(s->data, after, SIZE, "machine %u, type %u",
				 t->machine, t->type);
	}
	unload(c);
}

/* ---- symbols and sections ----------------------------------------------- */

Test(relocate, symbols)
{
	static const struct entry entries[] = {
		{ 0, 0, R_X86_64_32, 0x42 },  { 4, 2, R_X86_64_32, 1 },
		{ 8, 3, R_X86_64_32, -1 },    { 12, 4, R_X86_64_32, 2 },
		{ 16, 1, R_X86_64_64, -0x68 },
	};
	struct sample o = start(64, false, true, EM_X86_64);
	struct gsym_container *c;
	const uint8_t *data;
	size_t info;

	info = elfb_section(o.b, ".debug_info", SHT_PROGBITS, 0, 0, filler(),
			    SIZE);
	relocate(&o, ".rela.debug_info", info, entries, 5, 1);
	c = load(&o);
	data = gsym_container_section(c, ".debug_info")->data;
	cr_expect_eq(get(data, 4, false), 0x42);
	cr_expect_eq(get(data + 4, 4, false), 0x1235);
	cr_expect_eq(get(data + 8, 4, false), 0xffffffff);
	cr_expect_eq(get(data + 12, 4, false), 2);
	cr_expect_eq(get(data + 16, 8, false), 0);
	cr_expect_eq(c->warnings.count, 0);
	unload(c);
}

/* The bytes of the file are unchanged; sections that are not read are not
 * relocated. */
Test(relocate, what_is_not_read)
{
	static const struct entry entry = { 0, 1, R_X86_64_64, 0 };
	struct sample o = start(64, false, true, EM_X86_64);
	struct gsym_container *c;
	const struct gsym_container_section *s;
	size_t other;
	size_t n;

	other = elfb_section(o.b, ".debug_frame", SHT_PROGBITS, 0, 0, filler(),
			     SIZE);
	relocate(&o, ".rela.debug_frame", other, &entry, 1, 3);
	n = elfb_section(o.b, ".debug_line", SHT_PROGBITS, 0, 0, filler(),
			 SIZE);
	relocate(&o, ".rela.debug_line", n, &entry, 1, 1);
	c = load(&o);
	s = gsym_container_section(c, ".debug_frame");
	cr_expect_arr_eq(s->data, filler(), SIZE);
	s = gsym_container_section(c, ".debug_line");
	cr_expect_eq(get(s->data, 8, false), SYMBOL);
	cr_expect_arr_eq(bytes + s->file_offset, filler(), SIZE);
	unload(c);
}

/* Relocations that a linked program kept have been applied by the linker. */
Test(relocate, never_twice)
{
	static const struct entry entry = { 0, 1, R_X86_64_64, 7 };
	static const unsigned linked[] = { ET_EXEC, ET_DYN };

	for (int i = 0; i < 2; i++) {
		struct sample o = { elfb_new(64, false, linked[i], EM_X86_64),
				    64, false, true, EM_X86_64 };
		struct gsym_container *c;
		const struct gsym_container_section *s;
		size_t n = elfb_section(o.b, ".text", SHT_PROGBITS, CODE,
					0x1000, NULL, 16);

		elfb_symbol(o.b, &(struct elfb_symbol){ .name = "f",
			.value = 0x1004, .type = STT_FUNC, .size = 4,
			.section = n });
		n = elfb_section(o.b, ".debug_info", SHT_PROGBITS, 0, 0,
				 filler(), SIZE);
		relocate(&o, ".rela.debug_info", n, &entry, 1, 1);
		c = load(&o);
		s = gsym_container_section(c, ".debug_info");
		cr_expect_arr_eq(s->data, filler(), SIZE);
		cr_expect_eq(s->data, bytes + s->file_offset);
		cr_expect_eq(c->symbols.items[0].value, 0x1004);
		cr_expect_eq(c->warnings.count, 0);
		unload(c);
	}
}

/* Several tables for one section, also with extended numbering. */
Test(relocate, tables_in_order)
{
	static const struct entry set = { 4, 1, R_RISCV_SET16, 0 };
	static const struct entry sub = { 4, 2, R_RISCV_SUB16, 0 };

	for (int extended = 0; extended < 2; extended++) {
		struct sample o = start(64, false, true, EM_RISCV);
		struct gsym_container *c;
		size_t n;

		if (extended)
			elfb_extended_numbers(o.b);
		n = elfb_section(o.b, ".debug_line", SHT_PROGBITS, 0, 0, NULL,
				 8);
		relocate(&o, ".rela.debug_line", n, &set, 1, 2);
		relocate(&o, ".rela.debug_line", n, &sub, 1, 1);
		c = load(&o);
		cr_expect_eq(get(gsym_container_section(c, ".debug_line")->data
				 + 4, 2, false),
			     (SYMBOL - 0x1234) & 0xffff);
		unload(c);
	}
}

Test(relocate, compressed)
{
	static const struct entry entry = { 8, 1, R_X86_64_64, 7 };
	struct sample o = start(64, false, true, EM_X86_64);
	uint8_t packed[128];
	uLongf length = sizeof(packed);
	struct gsym_container *c;
	const struct gsym_container_section *s;
	size_t n;

	cr_assert_eq(compress(packed, &length, filler(), SIZE), Z_OK);
	n = elfb_compressed(o.b, ".debug_info", 0, ELFCOMPRESS_ZLIB, SIZE,
			    packed, length);
	relocate(&o, ".rela.debug_info", n, &entry, 1, 1);
	c = load(&o);
	s = gsym_container_section(c, ".debug_info");
	cr_assert_eq(s->data_size, SIZE);
	cr_expect_arr_eq(s->data, filler(), 8);
	cr_expect_eq(get(s->data + 8, 8, false), SYMBOL + 7);
	cr_expect_arr_eq(s->data + 16, filler() + 16, 8);
	unload(c);
}

/* Groups of types make several sections of one name.  The symbol of such a
 * section has its offset among all of them. */
Test(relocate, parts)
{
	static const struct entry entry = { 0, 5, R_X86_64_32, 1 };
	struct sample o = start(64, false, true, EM_X86_64);
	struct gsym_container *c;
	const struct gsym_container_section *s;
	size_t part[3];
	size_t abbrev;

	part[0] = elfb_section(o.b, ".debug_info", SHT_PROGBITS, SHF_GROUP, 0,
			       "abc", 3);
	part[1] = elfb_section(o.b, ".debug_info", SHT_PROGBITS, SHF_GROUP, 0,
			       "defgh", 5);
	abbrev = elfb_section(o.b, ".debug_abbrev", SHT_PROGBITS, 0, 0, "xyz",
			      3);
	part[2] = elfb_section(o.b, ".debug_info", SHT_PROGBITS, 0, 0, "....m",
			       5);
	elfb_symbol(o.b, &(struct elfb_symbol){ .name = "", .type = STT_SECTION,
		.section = part[1] });
	relocate(&o, ".rela.debug_info", part[2], &entry, 1, 1);
	c = load(&o);
	s = gsym_container_section(c, ".debug_info");
	cr_assert_eq(s->data_size, 13);
	cr_expect_arr_eq(s->data, "abcdefgh\4\0\0\0m", 13);
	cr_expect_eq(s->size, 13);
	cr_expect_eq(c->sections.items[part[1]].data_size, 0);
	cr_expect_eq(c->sections.items[part[2]].data_size, 0);
	s = gsym_container_section(c, ".debug_abbrev");
	cr_expect_eq(s->data, bytes + c->sections.items[abbrev].file_offset);
	cr_expect_eq(c->warnings.count, 0);
	unload(c);
}

/* ---- damage -------------------------------------------------------------- */

Test(relocate, bad_places_and_symbols)
{
	static const struct entry entries[] = {
		{ SIZE - 3, 1, R_X86_64_32, 0 }, /* ends after the section */
		{ SIZE, 1, R_X86_64_8, 0 },
		{ UINT64_MAX, 1, R_X86_64_64, 0 },
		{ 0, 5, R_X86_64_32, 0 }, /* symbols are 0 to 4 */
		{ 0, UINT32_MAX, R_X86_64_32, 0 },
		{ 2, 1, R_X86_64_16, 0 }, /* sound */
	};
	struct sample o = start(64, false, true, EM_X86_64);
	struct gsym_container *c;
	const struct gsym_container_section *s;
	char text[128];
	size_t n;

	n = elfb_section(o.b, ".debug_info", SHT_PROGBITS, 0, 0, filler(),
			 SIZE);
	relocate(&o, ".rela.debug_info", n, entries, 6, 1);
	c = load(&o);
	s = gsym_container_section(c, ".debug_info");
	cr_expect_arr_eq(s->data, filler(), 2);
	cr_expect_eq(get(s->data + 2, 2, false), SYMBOL);
	cr_expect_arr_eq(s->data + 4, filler() + 4, SIZE - 4);
	cr_assert_eq(c->warnings.count, 2);
	snprintf(text, sizeof(text),
		 ".debug_info at 0x%" PRIx64 ": 2 relocations of missing "
		 "symbols, the first (5) at 0x0",
		 s->file_offset);
	cr_expect_str_eq(c->warnings.items[0].text, text);
	snprintf(text, sizeof(text),
		 ".debug_info at 0x%" PRIx64 ": 3 relocations of places "
		 "beyond the section, the first (10) at 0x15",
		 s->file_offset);
	cr_expect_str_eq(c->warnings.items[1].text, text);
	unload(c);
}

/* One relocation of an unknown type, and no section with debug info is used:
 * without it, names and lines could be those of other functions. */
Test(relocate, unknown_types)
{
	static const struct entry known = { 0, 1, R_X86_64_32, 0 };
	static const struct entry entries[] = {
		{ 8, 1, R_X86_64_32, 0 },
		{ 4, 1, 200, 0 },
		{ 0, 1, 201, 0 },
	};
	struct sample o = start(64, false, true, EM_X86_64);
	struct gsym_container *c;
	char text[160];
	size_t info, line;

	line = elfb_section(o.b, ".debug_line", SHT_PROGBITS, 0, 0, filler(),
			    SIZE);
	relocate(&o, ".rela.debug_line", line, &known, 1, 5);
	info = elfb_section(o.b, ".debug_info", SHT_PROGBITS, 0, 0, filler(),
			    SIZE);
	relocate(&o, ".rela.debug_info", info, entries, 3, 3);
	elfb_section(o.b, ".debug_abbrev", SHT_PROGBITS, 0, 0, filler(), SIZE);
	elfb_section(o.b, ".comment", SHT_PROGBITS, 0, 0, filler(), SIZE);
	c = load(&o);
	cr_expect_null(gsym_container_section(c, ".debug_info")->data);
	cr_expect_null(gsym_container_section(c, ".debug_line")->data);
	cr_expect_null(gsym_container_section(c, ".debug_abbrev")->data);
	cr_expect_not_null(gsym_container_section(c, ".comment")->data);
	cr_assert_eq(c->warnings.count, 1);
	snprintf(text, sizeof(text),
		 ".debug_info at 0x%" PRIx64 ": 2 relocations of types that "
		 "are not known for x86_64, the first (200) at 0x4; no debug "
		 "info is used",
		 gsym_container_section(c, ".debug_info")->file_offset);
	cr_expect_str_eq(c->warnings.items[0].text, text);
	unload(c);
}

/* LEB128 numbers that do not end within 10 bytes, or within the section. */
Test(relocate, endless_numbers)
{
	static const struct entry entries[] = {
		{ 2, 1, 60, 0 }, { SIZE - 1, 1, 61, 0 },
	};
	struct sample o = start(64, false, true, EM_RISCV);
	struct gsym_container *c;
	const struct gsym_container_section *s;
	uint8_t ones[SIZE];
	size_t n;

	memset(ones, 0xff, sizeof(ones));
	n = elfb_section(o.b, ".debug_rnglists", SHT_PROGBITS, 0, 0, ones,
			 SIZE);
	relocate(&o, ".rela.debug_rnglists", n, entries, 2, 1);
	c = load(&o);
	s = gsym_container_section(c, ".debug_rnglists");
	cr_expect_arr_eq(s->data, ones, SIZE);
	cr_expect_eq(c->warnings.count, 1);
	unload(c);
}

/* A LEB128 number of 10 bytes, which 64 bits take, and one of 11. */
Test(relocate, longest_numbers)
{
	for (size_t length = 10; length <= 11; length++) {
		static const struct entry entry = { 2, 1, 60, 0 };
		struct sample o = start(64, false, true, EM_RISCV);
		const struct gsym_container_section *s;
		struct gsym_container *c;
		uint8_t before[SIZE], after[SIZE];
		size_t n;

		memset(before, 0x80, sizeof(before));
		before[2 + length - 1] = 1;
		memcpy(after, before, sizeof(after));
		if (length == 10) {
			after[2] = 0x80 | SYMBOL;
			after[2 + length - 1] = 0;
		}
		n = elfb_section(o.b, ".debug_rnglists", SHT_PROGBITS, 0, 0,
				 before, SIZE);
		relocate(&o, ".rela.debug_rnglists", n, &entry, 1, 1);
		c = load(&o);
		s = gsym_container_section(c, ".debug_rnglists");
		cr_expect_arr_eq(s->data, after, SIZE, "%zu", length);
		cr_expect_eq(c->warnings.count, length == 11);
		unload(c);
	}
}

enum damage {
	NO_TARGET,
	WRONG_TARGET,
	ITSELF,
	ENTRY_SIZE,
	NO_SYMBOLS,
	WRONG_SYMBOLS,
	COMPRESSED,
	BEYOND,
	OVERLAP,
	DAMAGES,
};

static const char *const problems[DAMAGES] = {
	[NO_TARGET] = "the section that it relocates does not exist",
	[WRONG_TARGET] = "the section that it relocates does not exist",
	[ENTRY_SIZE] = "its entries have the wrong size",
	[NO_SYMBOLS] = "its symbols are not those of .symtab",
	[WRONG_SYMBOLS] = "its symbols are not those of .symtab",
	[COMPRESSED] = "its bytes cannot be read",
	[BEYOND] = "reach beyond the end of the file",
	[OVERLAP] = "it overlaps other sections",
};

/* Damage the header at AT of section SELF, which has the relocations. */
static void damage_header(enum damage how, uint8_t *at, size_t self)
{
	switch (how) {
	case NO_TARGET:
		return put(at + 44, 0, 4, false);
	case WRONG_TARGET:
		return put(at + 44, 0xfffff, 4, false);
	case ITSELF:
		return put(at + 44, self, 4, false);
	case ENTRY_SIZE:
		return put(at + 56, 16, 8, false);
	case NO_SYMBOLS:
		return put(at + 40, 0, 4, false);
	case WRONG_SYMBOLS:
		return put(at + 40, 1, 4, false);
	case COMPRESSED:
		return put(at + 8, SHF_COMPRESSED, 8, false);
	case BEYOND:
		return put(at + 32, 1 << 30, 8, false);
	case OVERLAP:
	case DAMAGES:
		break;
	}
}

Test(relocate, bad_tables)
{
	static const struct entry entry = { 8, 1, R_X86_64_32, 0 };

	for (enum damage how = 0; how < DAMAGES; how++) {
		struct sample o = start(64, false, true, EM_X86_64);
		size_t copies = how == OVERLAP ? 200 : 0;
		struct gsym_container *c = NULL;
		const struct gsym_container_section *s;
		size_t info;
		size_t table;
		size_t size;
		bool found = how == ITSELF;

		info = elfb_section(o.b, ".debug_info", SHT_PROGBITS, 0, 0,
				    filler(), SIZE);
		table = relocate(&o, ".rela.debug_info", info, &entry, 1,
				 1 + copies);
		for (size_t i = copies; i; i--)
			relocate(&o, ".rela.debug_info", info, &entry, 1, i);
		bytes = elfb_finish(o.b, &size);
		if (how == OVERLAP)
			/* Every table claims nearly all of the file. */
			for (size_t i = 0; i <= copies; i++) {
				uint8_t *at = bytes +
					elfb_header_offset(o.b, table + i);

				put(at + 24, 0, 8, false);
				put(at + 32, size / 48 * 24, 8, false);
			}
		else
			damage_header(how, bytes + elfb_header_offset(
							   o.b, table),
				      table);
		elfb_free(o.b);
		cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
						 GSYM_LOAD_ALL, NULL, &c, NULL),
			     GSYM_OK);
		s = gsym_container_section(c, ".debug_info");
		/* The file read as relocations has unknown types. */
		cr_assert_eq(s->data_size, how == OVERLAP ? 0 : SIZE);
		if (how != OVERLAP)
			cr_expect_arr_eq(s->data, filler(), SIZE);
		for (size_t i = 0; i < c->warnings.count && !found; i++)
			found = strstr(c->warnings.items[i].text,
				       problems[how]);
		cr_expect(found, "damage %d", how);
		unload(c);
	}
}

/* Many sections of one name that have the same bytes of the file. */
Test(relocate, parts_over_each_other)
{
	struct sample o = start(64, false, true, EM_X86_64);
	struct gsym_container *c = NULL;
	const struct gsym_container_section *s;
	size_t first = 0;
	size_t size;

	for (int i = 0; i < 50; i++) {
		size_t n = elfb_section(o.b, ".debug_str", SHT_PROGBITS, 0, 0,
					NULL, SIZE);

		first = first ? first : n;
	}
	bytes = elfb_finish(o.b, &size);
	for (size_t i = 0; i < 50; i++) {
		uint8_t *at = bytes + elfb_header_offset(o.b, first + i);

		put(at + 24, 0, 8, false);
		put(at + 32, size, 8, false);
	}
	elfb_free(o.b);
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, size,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	s = gsym_container_section(c, ".debug_str");
	cr_expect_eq(s->data, bytes, "nothing was copied");
	cr_assert_eq(c->warnings.count, 1);
	cr_expect(strstr(c->warnings.items[0].text,
			 "its parts overlap in the file"));
	unload(c);
}

/* ---- compact tables ----------------------------------------------------- */

/* Load .debug_info, all zeros, with a compact table of SIZE bytes at TABLE. */
static struct gsym_container *load_compact(const uint8_t *table, size_t size)
{
	static const uint8_t zeros[SIZE];
	struct sample o = start(64, false, true, EM_X86_64);
	size_t info, n;

	info = elfb_section(o.b, ".debug_info", SHT_PROGBITS, 0, 0, zeros,
			    SIZE);
	n = elfb_section(o.b, ".crel.debug_info", 0x40000014, SHF_INFO_LINK, 0,
			 table, size);
	elfb_section_fields(o.b, n, (uint32_t)(n + 1), (uint32_t)info, 1, 1);
	return load(&o);
}

/* Each entry holds differences to the entry before it. */
static const uint8_t compact[] = {
	4 * 8 + 4 + 2,	 /* four entries, addends, places divided by 4 */
	1 << 3 | 7,	 /* place 4: symbol 1, R_X86_64_64, 3 */
	1, R_X86_64_64, 3,
	2 << 3 | 6,	 /* place 12: R_X86_64_32, 3 - 4 */
	R_X86_64_32 - R_X86_64_64, 0x7c,
	1 << 3 | 0,	 /* place 16: nothing else changes */
	0x80 | 1, 0,	 /* place 16 again: symbol 1 + 1 */
	1,
};

Test(relocate, compact)
{
	struct gsym_container *c = load_compact(compact, sizeof(compact));
	const struct gsym_container_section *s =
		gsym_container_section(c, ".debug_info");

	cr_assert_eq(c->warnings.count, 0);
	cr_assert_eq(get(s->data, 4, false), 0);
	cr_assert_eq(get(s->data + 4, 8, false), SYMBOL + 3);
	cr_assert_eq(get(s->data + 12, 4, false), SYMBOL - 1);
	cr_assert_eq(get(s->data + 16, 4, false), 0x1234 - 1);
	cr_assert_eq(get(s->data + 20, 4, false), 0);
	unload(c);
}

/* Differences of several bytes, and addends in the places. */
Test(relocate, compact_places)
{
	static const uint8_t table[] = {
		2 * 8,
		/* place 20: the low 5 bits, then the others as LEB128 */
		0x80 | 20 << 2 | 3, 0x80, 0, 1, R_X86_64_32,
		/* back to 4: -16 in 64 bits */
		0x80 | 16 << 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0x07,
	};
	struct gsym_container *c = load_compact(table, sizeof(table));
	const struct gsym_container_section *s =
		gsym_container_section(c, ".debug_info");

	cr_assert_eq(get(s->data + 20, 4, false), SYMBOL);
	cr_assert_eq(get(s->data + 4, 4, false), SYMBOL);
	unload(c);
}

/* Entries before the end of a truncated table are applied. */
Test(relocate, compact_damage)
{
	for (size_t size = 1; size < sizeof(compact); size++) {
		struct gsym_container *c = load_compact(compact, size);
		const struct gsym_container_section *s =
			gsym_container_section(c, ".debug_info");

		cr_assert_eq(c->warnings.count, 1, "%zu", size);
		cr_assert(strstr(c->warnings.items[0].text, "breaks off"));
		cr_assert_eq(get(s->data + 4, 8, false),
			     size < 5 ? 0 : SYMBOL + 3, "%zu", size);
		unload(c);
	}
}
