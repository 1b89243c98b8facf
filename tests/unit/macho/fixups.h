/* SPDX-License-Identifier: MIT */
/* A Mach-O program with chained fixups. */
#ifndef TESTS_UNIT_MACHO_FIXUPS_H
#define TESTS_UNIT_MACHO_FIXUPS_H

#include "object/machoview.h"

#include <stdint.h>
#include <string.h>

enum {
	BASE = 0x10000,
	HEADER = 32,
	SEGMENT = 72,
	COMMANDS = 2 * SEGMENT + 16,
	DATA = 0x200, /* two pages of 0x100 bytes */
	PAGE = 0x100,
	FIXUPS = 0x400,
	STARTS = 0x20, /* offset of the image's starts in the fixups */
	OF_DATA = 0x10, /* offset of the second segment in the starts */
	SIZE = 0x500,
};

static inline void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static inline void put_segment(uint8_t *at, const char *name, uint64_t offset,
			uint64_t size)
{
	put(at, LC_SEGMENT_64, 4);
	put(at + 4, SEGMENT, 4);
	memcpy(at + 8, name, strlen(name));
	put(at + 24, BASE + offset, 8);
	put(at + 32, size, 8);
	put(at + 40, offset, 8);
	put(at + 48, size, 8);
	put(at + 60, 3, 4);
}

/* A program whose second segment has chains of FORM. */
static inline void make(uint8_t bytes[SIZE], unsigned form)
{
	uint8_t *starts = bytes + FIXUPS + STARTS;
	uint8_t *p = bytes + HEADER;

	memset(bytes, 0, SIZE);
	put(bytes, 0xfeedfacf, 4);
	put(bytes + 4, CPU_TYPE_ARM | CPU_ARCH_ABI64, 4);
	put(bytes + 12, 2, 4);
	put(bytes + 16, 3, 4);
	put(bytes + 20, COMMANDS, 4);
	put_segment(p, "__TEXT", 0, DATA);
	put_segment(p + SEGMENT, "__DATA", DATA, 2 * PAGE);
	put(p + 2 * SEGMENT, LC_DYLD_CHAINED_FIXUPS | LC_REQ_DYLD, 4);
	put(p + 2 * SEGMENT + 4, 16, 4);
	put(p + 2 * SEGMENT + 8, FIXUPS, 4);
	put(p + 2 * SEGMENT + 12, SIZE - FIXUPS, 4);
	put(bytes + FIXUPS + 4, STARTS, 4);
	put(starts, 2, 4);
	put(starts + 8, OF_DATA, 4);
	starts += OF_DATA;
	put(starts, 26, 4);
	put(starts + 4, PAGE, 2);
	put(starts + 6, form, 2);
	put(starts + 8, DATA, 8);
	put(starts + 16, 0x20000, 4); /* the largest value of a 32-bit
				       * pointer */
	put(starts + 20, 2, 2);
	put(starts + 22, 0xffff, 2);
	put(starts + 24, 0xffff, 2);
}

static inline void start_page(uint8_t bytes[SIZE], unsigned page,
			      unsigned offset)
{
	put(bytes + FIXUPS + STARTS + OF_DATA + 22 + 2 * page, offset, 2);
}

#endif
