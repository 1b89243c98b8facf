/* SPDX-License-Identifier: MIT */
/* A PE program as a seed. */
#include "fuzz/seeds.h"
#include "unit/pe/program.h"

/* A symbol of COFF, whose name is at NAME_AT of the strings. */
static uint8_t *add_symbol(uint8_t *at, unsigned name_at, uint32_t value,
			   unsigned section, unsigned type)
{
	put(at + 4, name_at, 4);
	put(at + 8, value, 4);
	put(at + 12, section, 2);
	put(at + 14, type, 2);
	at[16] = 2;
	return at + 18;
}

uint8_t *fuzz_seed_pe(unsigned number, size_t *size)
{
	static const unsigned machines[] = { X86_64, ARM64, I386, ARMNT };
	static const char strings[] = "\0\0\0\0function\0label\0.debug_info";
	uint8_t *p = program(machines[number % 4]);
	uint8_t *at;

	*size = SIZE + 3 * 18 + sizeof(strings);
	p = realloc(p, *size);
	if (!p)
		abort();
	memset(p + SIZE, 0, *size - SIZE);
	put(p + HEADER + 12, SIZE, 4);
	put(p + HEADER + 16, 3, 4);
	at = add_symbol(p + SIZE, 4, 4, 1, 0x20);
	at[-1] = 1; /* one more entry, of another kind, follows */
	at = add_symbol(at + 18, 13, 0x10, 2, 0);
	memcpy(at, strings, sizeof(strings));
	put(at, sizeof(strings), 4);
	/* The name of the second section is in the strings. */
	memcpy(p + SECTIONS + 40, "/19\0\0\0", 6);
	return p;
}
