/* SPDX-License-Identifier: MIT */
/* A small Mach-O program with one of everything that is read. */
#ifndef TESTS_UNIT_MACHO_PROGRAM_H
#define TESTS_UNIT_MACHO_PROGRAM_H

#include "object/machoview.h"
#include "support/macho_builder.h"

#define EXECUTE 2u
#define X86_64 (CPU_TYPE_X86 | CPU_ARCH_ABI64)
#define ARM64 (CPU_TYPE_ARM | CPU_ARCH_ABI64)
#define CODE (S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS)

/* Types of symbols: in a section; the second is external. */
enum { LOCAL = N_SECT, GLOBAL = N_SECT | N_EXT };

static inline void program_text(struct machob *b)
{
	static const uint8_t zeros[0x100];
	static const uint8_t starts[] = { 0x80, 0x20, 0x20, 0x10, 0 };

	machob_segment(b, "__TEXT", 0x10000, 0x1000);
	machob_section(b, &(struct machob_section){ .name = "__text",
		.segment = "__TEXT", .flags = CODE, .address = 0x11000,
		.data = zeros, .size = 0x100 });
	machob_section(b, &(struct machob_section){ .name = "__stubs",
		.segment = "__TEXT", .flags = CODE | S_SYMBOL_STUBS,
		.address = 0x11100, .data = zeros, .size = 12,
		.reserved1 = 1, .reserved2 = 6 });
	machob_section(b, &(struct machob_section){ .name = "__const",
		.segment = "__TEXT", .address = 0x12000, .data = zeros,
		.size = 16 });
	/* 0x11000, 0x11020, 0x11030 */
	machob_starts(b, starts, sizeof(starts));
}

static inline void program_symbols(struct machob *b)
{
	machob_symbol(b, "__mh_execute_header", GLOBAL, 1, 0x10, 0x10000);
	machob_symbol(b, "_main", GLOBAL, 1, 0, 0x11000);
	machob_symbol(b, "__Z4weakv", GLOBAL, 1, N_WEAK_DEF, 0x11020);
	machob_symbol(b, "_$s4main3fooyyF", LOCAL, 1, 0, 0x11030);
	machob_symbol(b, "_table", LOCAL, 3, 0, 0x12004);
	machob_symbol(b, "_main.c", 0x64, 1, 0, 0x11000);
	machob_symbol(b, "_puts", N_EXT, 0, 0, 0);
	machob_symbol(b, "-[Foo bar]", LOCAL, 1, 0, 0x11041);
	machob_indirect(b, INDIRECT_SYMBOL_LOCAL);
	machob_indirect(b, 6);
	machob_indirect(b, INDIRECT_SYMBOL_ABS);
}

/* Sections whose names have about 16 bytes, the maximum, and a compressed one
 * ("abcd", stored). */
static inline void program_debug(struct machob *b)
{
	static const uint8_t packed[] = {
		'Z', 'L', 'I', 'B', 0, 0, 0, 0, 0, 0, 0, 4,
		0x78, 1, 1, 4, 0, 0xfb, 0xff, 'a', 'b', 'c', 'd',
		3, 0xd8, 1, 0x8b,
	};
	static const char *const names[] = {
		"__debug_info", "__debug_line_str", "__debug_str_offsets",
		"__debug_rnglists", "__debug_str",
	};

	machob_segment(b, "__DWARF", 0x20000, 0x1000);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		machob_section(b, &(struct machob_section){ .name = names[i],
			.segment = "__DWARF", .flags = 0x02000000,
			.address = 0x20000 + i, .data = names[i], .size = 4 });
	machob_section(b, &(struct machob_section){ .name = "__zdebug_line_str",
		.segment = "__DWARF", .data = packed, .size = sizeof(packed) });
}

static inline uint8_t *program(unsigned bits, bool big_endian, size_t *size)
{
	static const uint8_t uuid[16] = "0123456789abcde";
	uint32_t wide = bits == 64 ? CPU_ARCH_ABI64 : 0;
	struct machob *b = machob_new(bits, big_endian, EXECUTE,
		(big_endian ? CPU_TYPE_POWERPC : CPU_TYPE_X86) | wide,
		big_endian ? 0 : 3);
	uint8_t *bytes;

	program_text(b);
	program_symbols(b);
	program_debug(b);
	machob_uuid(b, uuid);
	bytes = machob_finish(b, size);
	machob_free(b);
	return bytes;
}

#endif
