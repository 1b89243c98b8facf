/* SPDX-License-Identifier: MIT */
/* A PE program with an export table and a table of functions. */
#ifndef TESTS_UNIT_PE_PROGRAM_H
#define TESTS_UNIT_PE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Offsets in the file.  The sections .text and .rdata have the RVAs 0x1000 and
 * 0x2000. */
enum {
	HEADER = 0x80,
	OPTIONAL = HEADER + 24,
	DIRECTORIES = OPTIONAL + 112,
	SECTIONS = DIRECTORIES + 16 * 8,
	TEXT = 0x240,
	TEXT_SIZE = 0x100,
	RDATA = TEXT + TEXT_SIZE,
	RDATA_SIZE = 0x300,
	SIZE = RDATA + RDATA_SIZE,
};

/* RVAs of the tables in .rdata. */
enum {
	EXPORTS = 0x2000,
	ADDRESSES = 0x2040,
	NAMES = 0x2070,
	ORDINALS = 0x20a0,
	STRINGS = 0x20c0,
	EXPORTS_END = 0x2140,
	PDATA = 0x2180,
	UNWIND = 0x2200,
	DATA = 0x2280,
};

enum { X86_64 = 0x8664, ARM64 = 0xaa64, I386 = 0x14c, ARMNT = 0x1c4 };
enum { EXPORT_COUNT = 8, BASE = 0x400000 };

static inline void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static inline uint8_t *rdata(uint8_t *p, uint32_t rva)
{
	return p + RDATA + (rva - 0x2000);
}

static inline void put_section(uint8_t *at, const char *name, uint32_t rva,
			uint32_t size, uint32_t offset, uint32_t flags)
{
	memcpy(at, name, strlen(name));
	put(at + 8, size, 4);
	put(at + 12, rva, 4);
	put(at + 16, size, 4);
	put(at + 20, offset, 4);
	put(at + 36, flags, 4);
}

static inline void put_exports(uint8_t *p)
{
	/* Names are sorted, as linkers sort them; addresses are not. */
	static const struct {
		const char *name;
		uint32_t rva;
	} exports[EXPORT_COUNT] = {
		{ "data", DATA },    { "end", 0x1080 },
		{ "first", 0x1000 }, { "forward", STRINGS },
		{ "inner", 0x1008 }, { "leaf", 0x1040 },
		{ "nowhere", 0x9000 }, { "second", 0x1050 },
	};
	uint32_t string = STRINGS;

	put(rdata(p, EXPORTS + 20), EXPORT_COUNT, 4);
	put(rdata(p, EXPORTS + 24), EXPORT_COUNT, 4);
	put(rdata(p, EXPORTS + 28), ADDRESSES, 4);
	put(rdata(p, EXPORTS + 32), NAMES, 4);
	put(rdata(p, EXPORTS + 36), ORDINALS, 4);
	for (unsigned i = 0; i < EXPORT_COUNT; i++) {
		unsigned ordinal = EXPORT_COUNT - 1 - i;

		put(rdata(p, ADDRESSES + 4 * ordinal), exports[i].rva, 4);
		put(rdata(p, NAMES + 4 * i), string, 4);
		put(rdata(p, ORDINALS + 2 * i), ordinal, 2);
		strcpy((char *)rdata(p, string), exports[i].name);
		string += (uint32_t)strlen(exports[i].name) + 1;
	}
}

/* [0x1000, 0x1010) with the parts [0x1010, 0x1020) and [0x1020, 0x1030),
 * [0x1050, 0x1060), [0x1060, 0x1070); after the end of the table, an entry that
 * does not count. */
static inline unsigned put_x86_64(uint8_t *p)
{
	static const uint32_t rows[][3] = {
		{ 0x1000, 0x1010, UNWIND },
		{ 0x1010, 0x1020, UNWIND + 16 },
		{ 0x1020, 0x1030, PDATA + 12 + 1 },
		{ 0x1050, 0x1060, UNWIND },
		{ 0x1060, 0x1070, UNWIND },
		{ 0x1080, 0x1090, UNWIND },
	};
	uint8_t *chained = rdata(p, UNWIND + 16);

	for (unsigned i = 0; i < 6; i++)
		for (unsigned k = 0; k < 3; k++)
			put(rdata(p, PDATA + 12 * i + 4 * k), rows[i][k], 4);
	*rdata(p, UNWIND) = 1;
	chained[0] = 4 << 3 | 1;
	chained[2] = 3; /* codes, which take the room of four */
	put(chained + 4 + 8, 0x1000, 4);
	return 5 * 12;
}

/* The same functions for arm64. */
static inline unsigned put_arm64(uint8_t *p)
{
	static const uint32_t rows[][2] = {
		{ 0x1000, UNWIND },
		{ 0x1010, (0x20 / 4) << 2 | 2 },
		{ 0x1050, 0xffffe000 | (0x10 / 4) << 2 | 1 },
		{ 0x1060, (0x10 / 4) << 2 | 1 },
	};

	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 2; k++)
			put(rdata(p, PDATA + 8 * i + 4 * k), rows[i][k], 4);
	put(rdata(p, UNWIND), 0xfffc0000 | 0x10 / 4, 4);
	return 4 * 8;
}

static inline uint8_t *program(unsigned machine)
{
	bool wide = machine != I386 && machine != ARMNT;
	uint8_t *p = calloc(1, SIZE);
	unsigned directories = wide ? 112 : 96, pdata = 0;

	if (!p)
		abort();
	memcpy(p, "MZ", 2);
	put(p + 0x3c, HEADER, 4);
	memcpy(p + HEADER, "PE", 2);
	put(p + HEADER + 4, machine, 2);
	put(p + HEADER + 6, 2, 2);
	put(p + HEADER + 20, SECTIONS - OPTIONAL, 2);
	put(p + OPTIONAL, wide ? 0x20b : 0x10b, 2);
	put(p + OPTIONAL + (wide ? 24 : 28), BASE, wide ? 8 : 4);
	put_section(p + SECTIONS, ".text", 0x1000, TEXT_SIZE, TEXT, 0x60000020);
	put_section(p + SECTIONS + 40, ".rdata", 0x2000, RDATA_SIZE, RDATA,
		    0x40000040);
	put_exports(p);
	if (machine == X86_64)
		pdata = put_x86_64(p);
	else if (machine == ARM64)
		pdata = put_arm64(p);
	put(p + OPTIONAL + directories - 4, 16, 4);
	put(p + OPTIONAL + directories, EXPORTS, 4);
	put(p + OPTIONAL + directories + 4, EXPORTS_END - EXPORTS, 4);
	put(p + OPTIONAL + directories + 3 * 8, PDATA, 4);
	put(p + OPTIONAL + directories + 3 * 8 + 4, pdata, 4);
	return p;
}

#endif
