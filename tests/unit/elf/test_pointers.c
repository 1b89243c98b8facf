/* SPDX-License-Identifier: MIT */
/* Pointers whose values are in relocations: plain and packed. */
#include "config.h"

#include "elf/elf.h"

#include <inttypes.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	DYNAMIC = 0x100,
	TABLE = 0x200,
	SIZE = 0x400,
	BASE = 0x10000,
	RELATIVE = 8, /* R_X86_64_RELATIVE */
	OTHER = 6,
};

static void put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A program for x86-64 of one segment, whose dynamic section has TAGS. */
static void make(uint8_t bytes[SIZE], const uint64_t *tags, size_t count)
{
	uint8_t *p = bytes + 64;

	memset(bytes, 0, SIZE);
	memcpy(bytes, "\177ELF\2\1\1", 7);
	put(bytes + 16, 3, 2);
	put(bytes + 18, 62, 2);
	put(bytes + 20, 1, 4);
	put(bytes + 32, 64, 8);
	put(bytes + 52, 64, 2);
	put(bytes + 54, 56, 2);
	put(bytes + 56, 2, 2);
	put(p, 1, 4); /* PT_LOAD */
	put(p + 4, 6, 4);
	put(p + 16, BASE, 8);
	put(p + 32, SIZE, 8);
	put(p + 40, SIZE, 8);
	p += 56;
	put(p, 2, 4); /* PT_DYNAMIC */
	put(p + 8, DYNAMIC, 8);
	put(p + 16, BASE + DYNAMIC, 8);
	put(p + 32, 16 * count, 8);
	for (size_t i = 0; i < 2 * count; i++)
		put(bytes + DYNAMIC + 8 * i, tags[i], 8);
}

struct seen {
	size_t count;
	size_t limit;
	uint64_t pairs[2 * 32];
};

static bool note(void *context, uint64_t place, uint64_t value)
{
	struct seen *seen = context;

	cr_assert_lt(seen->count, 32);
	seen->pairs[2 * seen->count] = place;
	seen->pairs[2 * seen->count + 1] = value;
	return ++seen->count != seen->limit;
}

/* What the program of SIZE bytes says of its pointers. */
static struct seen read_all(const uint8_t *bytes, size_t limit)
{
	struct gsym_container *c;
	struct seen seen = { .limit = limit };

	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, SIZE,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_assert(c->pointers);
	c->pointers(c, note, &seen);
	gsym_container_free(c);
	return seen;
}

static void expect(const struct seen *seen, const uint64_t *pairs,
		   size_t count)
{
	cr_assert_eq(seen->count, count, "%zu pointers", seen->count);
	for (size_t i = 0; i < 2 * count; i++)
		cr_assert_eq(seen->pairs[i], pairs[i], "%zu: 0x%" PRIx64, i,
			     seen->pairs[i]);
}

Test(pointers, plain)
{
	static const uint64_t tags[] = { 7, BASE + TABLE, 8, 3 * 24, 0, 0,
					 8, 0 };
	static const uint64_t wanted[] = { BASE + 8, 0x1234, BASE + 24,
					   0x5678 };
	uint8_t bytes[SIZE];
	struct seen seen;

	make(bytes, tags, 4);
	for (unsigned i = 0; i < 3; i++) {
		uint8_t *at = bytes + TABLE + 24 * i;

		put(at, BASE + 8 * (i + 1), 8);
		put(at + 8, i == 1 ? OTHER : RELATIVE, 8);
		put(at + 16, i ? 0x5678 : 0x1234, 8);
	}
	seen = read_all(bytes, 0);
	expect(&seen, wanted, 2);
	seen = read_all(bytes, 1); /* the callback stops */
	expect(&seen, wanted, 1);
}

enum {
	SYMBOLS = 0x300,
	NAMES = 0x360, /* after four symbols */
	PLACES = 0x3a0,
	ABSOLUTE = 1, /* R_X86_64_64 */
};

static void put_symbol(uint8_t *bytes, unsigned number, unsigned section,
		       uint64_t value)
{
	put(bytes + SYMBOLS + 24 * number + 6, section, 2);
	put(bytes + SYMBOLS + 24 * number + 8, value, 8);
}

/* The value of a relocation by a symbol that the program defines is symbol +
 * addend.  Addends are in the table (RELA), or in place (REL). */
static void check_symbols(bool rela)
{
	const uint64_t tags[] = { rela ? 7 : 17,
				  BASE + TABLE,
				  rela ? 8 : 18,
				  6 * (rela ? 24 : 16),
				  6,
				  BASE + SYMBOLS,
				  5,
				  BASE + NAMES,
				  0,
				  0 };
	static const uint64_t kinds[][2] = {
		{ 1, ABSOLUTE }, { 2, ABSOLUTE }, { 3, ABSOLUTE },
		{ 4, ABSOLUTE }, { 1, OTHER },	  { 1ull << 31, ABSOLUTE },
	};
	static const uint64_t wanted[] = { BASE + PLACES, 0x1254,
					   BASE + PLACES + 16, 0x569a };
	uint8_t bytes[SIZE];
	struct seen seen;

	make(bytes, tags, 5);
	put_symbol(bytes, 1, 7, 0x1234);
	put_symbol(bytes, 2, 0, 0x3333); /* undefined */
	put_symbol(bytes, 3, 0xfff1, 0x5678);
	put_symbol(bytes, 4, 7, 0x7777); /* beyond the symbols */
	for (unsigned i = 0; i < 6; i++) {
		uint8_t *at = bytes + TABLE + (rela ? 24 : 16) * i;

		put(at, BASE + PLACES + 8 * i, 8);
		put(at + 8, kinds[i][0] << 32 | kinds[i][1], 8);
		put(rela ? at + 16 : bytes + PLACES + 8 * i, 0x20 + i, 8);
	}
	seen = read_all(bytes, 0);
	expect(&seen, wanted, 2);
	seen = read_all(bytes, 1);
	expect(&seen, wanted, 1);
}

Test(pointers, symbols)
{
	check_symbols(true);
}

Test(pointers, addends_in_place)
{
	static const uint64_t tags[] = { 17, BASE + TABLE, 18, 2 * 16, 0, 0 };
	uint8_t bytes[SIZE];
	struct seen seen;

	check_symbols(false);
	/* The file holds the value of the relative pointer already, and nothing
	 * of a word outside of its segments: neither is reported. */
	make(bytes, tags, 3);
	put(bytes + TABLE, BASE + PLACES, 8);
	put(bytes + TABLE + 8, RELATIVE, 8);
	put(bytes + TABLE + 16, BASE + SIZE - 7, 8);
	put(bytes + TABLE + 24, ABSOLUTE, 8);
	seen = read_all(bytes, 0);
	expect(&seen, NULL, 0);
}

static bool count(void *context, uint64_t place, uint64_t value)
{
	(void)place;
	(void)value;
	++*(uint64_t *)context;
	return true;
}

/* Each addend in place may be in any of thousands of segments: the search ends
 * once it has looked at 16 segments for each byte of the file. */
Test(pointers, addends_in_many_segments)
{
	enum { FILE_SIZE = 256 << 10, SEGMENTS = 2000, ENTRIES = 9000 };
	const uint64_t table = 64 + 56 * (SEGMENTS + 1);
	const uint64_t symbols = table + 16 * ENTRIES;
	const uint64_t tags[] = { 17, BASE + table,   18, 16 * ENTRIES,
				  6,  BASE + symbols, 5,  BASE + symbols + 48 };
	uint8_t *bytes = calloc(1, FILE_SIZE);
	struct gsym_container *c;
	uint64_t counted = 0;
	uint8_t header[SIZE];
	uint8_t *p = bytes + 64 + 112;

	cr_assert(bytes);
	make(header, NULL, 0);
	memcpy(bytes, header, 64 + 112);
	put(bytes + 56, SEGMENTS + 1, 2);
	put(bytes + 64 + 32, FILE_SIZE, 8);
	/* Make the dynamic section the end of the file. */
	put(bytes + 64 + 56 + 16, BASE + FILE_SIZE - sizeof(tags), 8);
	put(bytes + 64 + 56 + 32, sizeof(tags), 8);
	for (size_t i = 0; i < 8; i++)
		put(bytes + FILE_SIZE - sizeof(tags) + 8 * i, tags[i], 8);
	for (size_t i = 1; i < SEGMENTS; i++, p += 56) {
		put(p, 1, 4);
		put(p + 16, 4 * BASE + i, 8);
		put(p + 32, 1, 8);
	}
	put(bytes + symbols + 24 + 6, 1, 2);
	for (size_t i = 0; i < ENTRIES; i++) {
		put(bytes + table + 16 * i, BASE + 8 * i, 8);
		put(bytes + table + 16 * i + 8, 1ull << 32 | ABSOLUTE, 8);
	}
	cr_assert_eq(gsym_container_load(&gsym_elf_input, bytes, FILE_SIZE,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(c->segments.count, SEGMENTS);
	c->pointers(c, count, &counted);
	cr_assert_eq(counted, 16 * FILE_SIZE / SEGMENTS);
	gsym_container_free(c);
	free(bytes);
}

/* Write VALUE as SLEB128; returns its length. */
static size_t put_sleb(uint8_t *at, int64_t value)
{
	size_t n = 0;

	for (;;) {
		uint8_t byte = value & 0x7f;
		bool last;

		value = value < 0 ? ~(~value >> 7) : value >> 7;
		last = (!value && !(byte & 0x40)) ||
		       (value == -1 && byte & 0x40);
		at[n++] = last ? byte : byte | 0x80;
		if (last)
			return n;
	}
}

static size_t make_packed(uint8_t bytes[SIZE], const int64_t *numbers,
			  size_t count, size_t cut)
{
	size_t size = 4;
	uint64_t tags[] = { 0x60000011, BASE + TABLE, 0x60000012, 0 };

	make(bytes, tags, 2);
	memcpy(bytes + TABLE, "APS2", 4);
	for (size_t i = 0; i < count; i++)
		size += put_sleb(bytes + TABLE + size, numbers[i]);
	put(bytes + DYNAMIC + 24, cut ? cut : size, 8);
	return size;
}

/* Groups: count, flags, shared fields, then the other fields. */
static const int64_t groups[] = {
	9, BASE,
	/* No shared field. */
	2, 8, 8, RELATIVE, 0x100, 16, RELATIVE, -0x40,
	/* One kind of relocation, at one distance. */
	3, 8 | 1 | 2, 8, RELATIVE, 0x10, 0x20, 0x30,
	/* Types that fill no pointers, without addends. */
	2, 1 | 2, 8, OTHER,
	/* A shared addend, which counts from 0 again. */
	2, 8 | 4 | 2, -8, 0x77, RELATIVE, RELATIVE,
};

static const uint64_t pointers[] = {
	BASE + 8, 0x100, BASE + 24, 0xc0,
	BASE + 32, 0xd0, BASE + 40, 0xf0, BASE + 48, 0x120,
	BASE + 56, 0x77, BASE + 48, 0x77,
};

/* Each machine has its own type of relative relocations; relocations of other
 * types, such as those with a symbol, are no relative pointers. */
Test(pointers, machines)
{
	static const unsigned machines[][2] = {
		{ 62, 8 },  { 183, 1027 }, { 22, 12 },
		{ 21, 22 }, { 243, 3 },    { 258, 3 },
	};
	static const uint64_t tags[] = { 7, BASE + TABLE, 8, 2 * 24, 0, 0 };
	static const uint64_t wanted[] = { BASE + 8, 0x1234 };
	uint8_t bytes[SIZE];

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct seen seen;

		make(bytes, tags, 3);
		put(bytes + 18, machines[i][0], 2);
		for (unsigned k = 0; k < 2; k++) {
			uint8_t *at = bytes + TABLE + 24 * k;

			put(at, BASE + 8 * (k + 1), 8);
			put(at + 8, machines[i][1] + k, 8);
			put(at + 16, 0x1234, 8);
		}
		seen = read_all(bytes, 0);
		expect(&seen, wanted, 1);
	}
}

Test(pointers, packed)
{
	uint8_t bytes[SIZE];
	struct seen seen;

	make_packed(bytes, groups, sizeof(groups) / sizeof(groups[0]), 0);
	seen = read_all(bytes, 0);
	expect(&seen, pointers, 7);
	seen = read_all(bytes, 3);
	expect(&seen, pointers, 3);
	bytes[TABLE]++; /* no table of that kind */
	seen = read_all(bytes, 0);
	cr_assert_eq(seen.count, 0);
}

/* If a table is truncated, the relocations that are complete are used. */
Test(pointers, packed_cut)
{
	size_t count = sizeof(groups) / sizeof(groups[0]);
	uint8_t bytes[SIZE];
	size_t size = make_packed(bytes, groups, count, 0);
	size_t most = 0;

	for (size_t cut = 1; cut < size; cut++) {
		struct seen seen;

		make_packed(bytes, groups, count, cut);
		seen = read_all(bytes, 0);
		cr_assert_geq(seen.count, most);
		cr_assert_lt(seen.count, 7);
		expect(&seen, pointers, seen.count);
		most = seen.count;
	}
	cr_assert_eq(most, 6);
}

/* A group may claim any number of relocations without taking bytes for them. */
Test(pointers, packed_without_end)
{
	static const int64_t many[] = { INT64_MAX, BASE, INT64_MAX, 1 | 2, 8,
					RELATIVE };
	static const int64_t group[] = { 4, BASE, 5, 1 | 2, 8, RELATIVE };
	static const int64_t empty[] = { 4, BASE, 0, 0, 0, 0 };
	uint8_t bytes[SIZE];
	struct seen seen;

	make_packed(bytes, many, 6, 0);
	seen = read_all(bytes, 0);
	cr_assert_eq(seen.count, 0);
	make_packed(bytes, group, 6, 0);
	seen = read_all(bytes, 0);
	cr_assert_eq(seen.count, 0);
	make_packed(bytes, empty, 6, 0);
	seen = read_all(bytes, 0);
	cr_assert_eq(seen.count, 0);
}

/* Segments that overlap hold no more pointers than the file has room for. */
Test(pointers, packed_in_many_segments)
{
	static const int64_t group[] = { SIZE / 8 + 1, BASE, SIZE / 8 + 1,
					 1 | 2,	       8,    RELATIVE };
	uint8_t bytes[SIZE];
	struct seen seen;

	make_packed(bytes, group, 6, 0);
	/* A third program header, which is a second PT_LOAD. */
	put(bytes + 56, 3, 2);
	memcpy(bytes + 64 + 112, bytes + 64, 56);
	seen = read_all(bytes, 0);
	cr_assert_eq(seen.count, 0);
}
