/* SPDX-License-Identifier: MIT */
/* Chained fixups: pointers of each form, and tables that are damaged. */
#include "config.h"

#include "object/machoview.h"
#include "macho/macho.h"
#include "unit/macho/fixups.h"

#include <inttypes.h>
#include <criterion/criterion.h>
#include <string.h>

struct seen {
	size_t count;
	size_t limit;
	uint64_t pairs[2 * 64];
};

static bool note(void *context, uint64_t place, uint64_t value)
{
	struct seen *seen = context;

	if (seen->count < 64) {
		seen->pairs[2 * seen->count] = place;
		seen->pairs[2 * seen->count + 1] = value;
	}
	return ++seen->count != seen->limit;
}

static struct seen read_all(const uint8_t bytes[SIZE], size_t limit)
{
	struct gsym_container *c;
	struct seen seen = { .limit = limit };

	cr_assert_eq(gsym_container_load(&gsym_macho_input, bytes, SIZE,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	if (c->pointers)
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

static uint64_t at_place(unsigned offset)
{
	return BASE + DATA + offset;
}

/* The first page has three pointers, one of them to another image; the second
 * page has one. */
Test(fixups, plain)
{
	for (unsigned form = 2; form <= 6; form += 4) {
		uint64_t base = form == 6 ? BASE : 0;
		const uint64_t wanted[] = {
			at_place(8), base + 0x123456789,
			at_place(0xf0), base + 0x44,
			at_place(PAGE), base + 0x55,
		};
		uint8_t bytes[SIZE];
		struct seen seen;

		make(bytes, form);
		start_page(bytes, 0, 8);
		start_page(bytes, 1, 0);
		put(bytes + DATA + 8, 0x123456789 | 2ull << 51, 8);
		put(bytes + DATA + 16, 1ull << 63 | 56ull << 51 | 7, 8);
		put(bytes + DATA + 0xf0, 0x44, 8);
		put(bytes + DATA + PAGE, 0x55, 8);
		seen = read_all(bytes, 0);
		expect(&seen, wanted, 3);
		seen = read_all(bytes, 2);
		expect(&seen, wanted, 2);
	}
}

/* Distances in units of 8 bytes; targets of authenticated pointers are offsets
 * from the base. */
Test(fixups, signed_pointers)
{
	static const unsigned forms[] = { 1, 9, 12, 7, 10 };

	for (size_t i = 0; i < 5; i++) {
		bool from_base = forms[i] == 9 || forms[i] == 12 ||
				 forms[i] == 7;
		const uint64_t wanted[] = {
			at_place(0), (from_base ? BASE : 0) + 0x41234567890,
			at_place(8), BASE + 0x89abcdef,
		};
		uint64_t step = i < 3 ? 1 : 2;
		uint8_t bytes[SIZE];
		struct seen seen;

		make(bytes, forms[i]);
		start_page(bytes, 0, 0);
		put(bytes + DATA, 0x41234567890 | step << 51, 8);
		put(bytes + DATA + 8, 1ull << 63 | step << 51 |
			0x1234ull << 32 | 0x89abcdef, 8);
		put(bytes + DATA + 16, 1ull << 62 | 5, 8);
		seen = read_all(bytes, 0);
		expect(&seen, wanted, 2);
	}
}

/* 32 bits: several chains in a page, and values that are no pointers. */
Test(fixups, narrow)
{
	const uint64_t wanted[] = { at_place(4), 0x11000, at_place(0x80),
				    0x12000, at_place(0x84), 0x20000 };
	uint8_t bytes[SIZE];
	struct seen seen;

	make(bytes, 3);
	start_page(bytes, 0, 0x8002); /* what follows the second page's */
	put(bytes + FIXUPS + STARTS + OF_DATA + 26, 4, 2);
	put(bytes + FIXUPS + STARTS + OF_DATA + 28, 0x8080, 2);
	put(bytes + DATA + 4, 0x11000 | 1 << 26, 4);
	put(bytes + DATA + 8, 0x20001, 4);
	put(bytes + DATA + 0x80, 0x12000 | 1 << 26, 4);
	put(bytes + DATA + 0x84, 0x20000 | 1 << 26, 4);
	put(bytes + DATA + 0x88, 1u << 31, 4);
	seen = read_all(bytes, 0);
	expect(&seen, wanted, 3);
}

/* A pointer format that is unknown, and a program without a table. */
Test(fixups, none)
{
	uint8_t bytes[SIZE];

	make(bytes, 5);
	start_page(bytes, 0, 0);
	cr_assert_eq(read_all(bytes, 0).count, 0);
	make(bytes, 2);
	start_page(bytes, 0, 0);
	cr_assert_eq(read_all(bytes, 0).count, 1);
	put(bytes + HEADER + 2 * SEGMENT + 8, SIZE, 4);
	cr_assert_eq(read_all(bytes, 0).count, 0);
	put(bytes + HEADER + 2 * SEGMENT + 8, FIXUPS, 4);
	put(bytes + HEADER + 2 * SEGMENT, LC_DYLD_CHAINED_FIXUPS, 4);
	cr_assert_eq(read_all(bytes, 0).count, 0, "no such command");
}

/* With any damage to the table, no more pointers than the file has room for. */
Test(fixups, damage)
{
	uint8_t bytes[SIZE];

	for (size_t i = 0; i < 8 * (SIZE - HEADER); i++) {
		struct gsym_container *c;
		struct seen seen = { 0 };

		make(bytes, 2);
		start_page(bytes, 0, 0);
		start_page(bytes, 1, 4);
		put(bytes + DATA, 2ull << 51, 8);
		bytes[HEADER + i / 8] ^= (uint8_t)(1 << i % 8);
		if (gsym_container_load(&gsym_macho_input, bytes, SIZE,
					GSYM_LOAD_ALL, NULL, &c,
					NULL) != GSYM_OK)
			continue;
		if (c->pointers)
			c->pointers(c, note, &seen);
		cr_assert_leq(seen.count, SIZE);
		gsym_container_free(c);
	}
}

/* Very many segments claim the same pages. */
Test(fixups, again_and_again)
{
	uint8_t bytes[SIZE];
	uint8_t *starts = bytes + FIXUPS + STARTS;
	struct seen seen;

	make(bytes, 2);
	start_page(bytes, 0, 0);
	put(starts, UINT32_MAX, 4);
	for (size_t i = 0x40; i < SIZE - FIXUPS - STARTS; i += 4)
		put(starts + i, OF_DATA, 4);
	seen = read_all(bytes, 0);
	cr_assert_leq(seen.count, SIZE);
}

/* A large program, whose fixups name the starts of its data's pages ENTRIES
 * times.  It has MORE segments than others, and PAGES pages in which no chain
 * begins after the one with a pointer.  Returns how many pointers it has. */
enum { LARGE = 0x4000, LARGE_DATA = 0x2000, LARGE_FIXUPS = 0x3000 };

static size_t count_large(unsigned entries, unsigned more, unsigned pages)
{
	static uint8_t bytes[LARGE];
	uint8_t *commands = bytes + HEADER;
	uint8_t *starts = bytes + LARGE_FIXUPS + STARTS;
	struct gsym_container *c;
	struct seen seen = { 0 };
	uint8_t small[SIZE];

	make(small, 2);
	start_page(small, 0, 0);
	memset(bytes, 0, LARGE);
	memcpy(bytes, small, DATA);
	memcpy(starts + 4 + 4 * entries, small + FIXUPS + STARTS + OF_DATA,
	       24);
	put(bytes + 16, 3 + more, 4);
	put(bytes + 20, COMMANDS + more * SEGMENT, 4);
	put_segment(commands + SEGMENT, "__DATA", LARGE_DATA, 2 * PAGE);
	put(commands + 2 * SEGMENT + 8, LARGE_FIXUPS, 4);
	put(commands + 2 * SEGMENT + 12, LARGE - LARGE_FIXUPS, 4);
	for (unsigned i = 0; i < more; i++)
		put_segment(commands + COMMANDS + i * SEGMENT, "__MORE", 0, 1);
	put(bytes + LARGE_FIXUPS + 4, STARTS, 4);
	put(starts, entries, 4);
	for (unsigned i = 0; i < entries; i++)
		put(starts + 4 + 4 * i, 4 + 4 * entries, 4);
	starts += 4 + 4 * entries;
	put(starts + 8, LARGE_DATA, 8);
	put(starts + 20, 1 + pages, 2);
	memset(starts + 24, 0xff, 2 * pages);
	cr_assert_eq(gsym_container_load(&gsym_macho_input, bytes, LARGE,
					 GSYM_LOAD_ALL, NULL, &c, NULL),
		     GSYM_OK);
	cr_assert_eq(c->segments.count, 2 + more);
	c->pointers(c, note, &seen);
	gsym_container_free(c);
	return seen.count;
}

/* Pages and searched segments count as work, too: at most one for each byte of
 * the file. */
Test(fixups, work)
{
	cr_assert_eq(count_large(500, 0, 0), 500);
	cr_assert_leq(count_large(500, 0, 1000), LARGE / 1000 + 1);
	cr_assert_leq(count_large(500, 100, 0), LARGE / 100 + 1);
}
