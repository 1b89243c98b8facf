/* SPDX-License-Identifier: MIT */
/* base/cursor: LEB128 of all lengths, integers, and reads beyond the end. */
#include "base/cursor.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- LEB128 ------------------------------------------------------------ */

/* Write the shortest ULEB128 of VALUE; returns its bytes. */
static size_t put_uleb(uint8_t *to, uint64_t value)
{
	size_t n = 0;

	do {
		to[n] = value & 0x7f;
		value >>= 7;
		to[n++] |= value ? 0x80 : 0;
	} while (value);
	return n;
}

static size_t put_sleb(uint8_t *to, int64_t value)
{
	for (size_t n = 0;; n++) {
		uint8_t bits = (uint64_t)value & 0x7f;

		/* An arithmetic shift to the right, in portable C. */
		value = value < 0 ? ~(~value >> 7) : value >> 7;
		if (value == (bits & 0x40 ? -1 : 0)) {
			to[n] = bits;
			return n + 1;
		}
		to[n] = bits | 0x80;
	}
}

/* Read the SIZE bytes at BYTES with AFTER more bytes after them, in a heap
 * block that ends there: a number near the end takes the slow path, one with
 * bytes after it the fast path. */
static void expect_uleb(const uint8_t *bytes, size_t size, size_t after,
			bool fine, uint64_t value)
{
	uint8_t *copy = malloc(size + after + !(size + after));
	struct gsym_cursor c, skip;

	memcpy(copy, bytes, size);
	memset(copy + size, 0xff, after);
	c = skip = gsym_cursor_init(copy, size + after, false);
	cr_expect_eq(gsym_cursor_uleb(&c), fine ? value : 0,
		     "%#" PRIx64 " in %zu bytes and %zu", value, size, after);
	cr_expect_eq(c.failed, !fine);
	if (fine) {
		gsym_cursor_skip_leb(&skip);
		cr_expect_eq(gsym_cursor_offset(&c), size);
		cr_expect_eq(skip.at, c.at);
	} else {
		cr_expect_eq(gsym_cursor_left(&c), 0);
	}
	free(copy);
}

static void expect_sleb(const uint8_t *bytes, size_t size, size_t after,
			bool fine, int64_t value)
{
	uint8_t *copy = malloc(size + after + !(size + after));
	struct gsym_cursor c;

	memcpy(copy, bytes, size);
	memset(copy + size, 0xff, after);
	c = gsym_cursor_init(copy, size + after, false);
	cr_expect_eq(gsym_cursor_sleb(&c), fine ? value : 0,
		     "%" PRId64 " in %zu bytes and %zu", value, size, after);
	cr_expect_eq(c.failed, !fine);
	if (fine)
		cr_expect_eq(gsym_cursor_offset(&c), size);
	free(copy);
}

/* Pad the LEB128 of SIZE bytes to TO bytes whose seven bits are FILL. */
static size_t lengthen(uint8_t *bytes, size_t size, size_t to, uint8_t fill)
{
	if (to <= size)
		return size;
	bytes[size - 1] |= 0x80;
	memset(bytes + size, fill | 0x80, to - size);
	bytes[to - 1] = fill;
	return to;
}

static void expect_value(uint64_t value)
{
	uint8_t bytes[40];

	for (size_t to = 0; to < 30; to++)
		for (size_t after = 0; after < 3; after++) {
			size_t size = put_uleb(bytes, value);

			if (!to)
				for (size_t cut = 0; cut < size; cut++)
					expect_uleb(bytes, cut, 0, false, 0);
			size = lengthen(bytes, size, to, 0);
			expect_uleb(bytes, size, after, true, value);
			size = put_sleb(bytes, (int64_t)value);
			if (!to)
				for (size_t cut = 0; cut < size; cut++)
					expect_sleb(bytes, cut, 0, false, 0);
			size = lengthen(bytes, size, to,
					value >> 63 ? 0x7f : 0);
			expect_sleb(bytes, size, after, true, (int64_t)value);
		}
}

Test(cursor, leb128_of_all_lengths)
{
	for (unsigned bit = 0; bit < 64; bit++)
		for (int delta = -2; delta <= 2; delta++) {
			uint64_t value = ((uint64_t)1 << bit) +
					 (uint64_t)delta;

			expect_value(value);
			expect_value(~value);
			expect_value(-value);
		}
}

/* Every pair of bytes: the fast path takes numbers of one byte and of two. */
Test(cursor, leb128_of_two_bytes)
{
	for (unsigned first = 0; first < 256; first++)
		for (unsigned second = 0; second < 256; second++) {
			const uint8_t bytes[] = { (uint8_t)first,
						  (uint8_t)second };
			unsigned value = first & 0x7f;
			size_t size = 1;
			bool fine = first < 0x80 || second < 0x80;

			if (first >= 0x80) {
				value |= (second & 0x7f) << 7;
				size = 2;
			}
			int sign = 1 << (7 * (int)size - 1);
			int number = ((int)value ^ sign) - sign;

			expect_uleb(bytes, fine ? size : 2, 0, fine, value);
			expect_sleb(bytes, fine ? size : 2, 0, fine, number);
			if (fine) {
				expect_uleb(bytes, size, 2, true, value);
				expect_sleb(bytes, size, 2, true, number);
			}
		}
}

Test(cursor, leb128_beyond_64_bits)
{
	uint8_t bytes[20];

	/* The tenth byte has one bit left. */
	for (unsigned last = 0; last < 0x80; last++) {
		memset(bytes, 0xff, 9);
		bytes[9] = (uint8_t)last;
		expect_uleb(bytes, 10, 1, last <= 1,
			    last ? UINT64_MAX : UINT64_MAX >> 1);
		expect_sleb(bytes, 10, 1, last == 0 || last == 0x7f,
			    last ? -1 : INT64_MAX);
	}
	/* Bytes after the tenth may hold nothing but copies of the sign. */
	for (unsigned place = 10; place < 19; place++)
		for (unsigned bit = 0; bit < 7; bit++) {
			memset(bytes, 0x80, sizeof(bytes));
			bytes[19] = 0;
			expect_uleb(bytes, 20, 0, true, 0);
			bytes[place] ^= (uint8_t)(1 << bit);
			expect_uleb(bytes, 20, 0, false, 0);
			expect_sleb(bytes, 20, 0, false, 0);
			memset(bytes, 0xff, sizeof(bytes));
			bytes[19] = 0x7f;
			expect_sleb(bytes, 20, 0, true, -1);
			bytes[place] ^= (uint8_t)(1 << bit);
			expect_sleb(bytes, 20, 0, false, 0);
		}
}

/* ---- integers, strings, bounds ----------------------------------------- */

static const uint8_t eight[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

Test(cursor, integers_in_both_byte_orders)
{
	static const unsigned sizes[] = { 1, 2, 3, 4, 8 };

	for (int big = 0; big < 2; big++)
		for (size_t i = 0; i < 5; i++) {
			struct gsym_cursor c = gsym_cursor_init(
				eight, 8, big != GSYM_HOST_BIG_ENDIAN);
			uint64_t want = 0;

			for (unsigned k = 0; k < sizes[i]; k++)
				want |= (uint64_t)eight[k]
					<< 8 * (big ? sizes[i] - 1 - k : k);
			cr_expect_eq(gsym_cursor_uint(&c, sizes[i]), want);
			cr_expect_eq(gsym_cursor_offset(&c), sizes[i]);
		}
}

Test(cursor, integers_that_are_cut)
{
	static const unsigned sizes[] = { 1, 2, 3, 4, 8 };

	for (size_t i = 0; i < 5; i++)
		for (unsigned have = 0; have < sizes[i]; have++) {
			struct gsym_cursor c =
				gsym_cursor_init(eight, have, false);

			cr_expect_eq(gsym_cursor_uint(&c, sizes[i]), 0);
			cr_expect(c.failed);
			/* After one failure all later reads fail. */
			cr_expect_eq(gsym_cursor_u8(&c), 0);
			gsym_cursor_seek(&c, 0);
			cr_expect_eq(gsym_cursor_u8(&c), 0);
			cr_expect_str_empty(gsym_cursor_string(&c));
			cr_expect_null(gsym_cursor_bytes(&c, 1));
			cr_expect_eq(gsym_cursor_uleb(&c), 0);
			cr_expect_eq(gsym_cursor_sleb(&c), 0);
		}
	for (unsigned size = 0; size < 20; size++) {
		struct gsym_cursor c = gsym_cursor_init(eight, 8, false);

		gsym_cursor_uint(&c, size);
		cr_expect_eq(c.failed, size != 1 && size != 2 && size != 3 &&
				       size != 4 && size != 8);
	}
}

Test(cursor, places)
{
	struct gsym_cursor c = gsym_cursor_init(eight, 8, false);

	gsym_cursor_seek(&c, 8);
	cr_expect(!c.failed && !gsym_cursor_left(&c));
	gsym_cursor_seek(&c, 3);
	cr_expect_eq(gsym_cursor_u8(&c), 4);
	gsym_cursor_skip(&c, 4);
	cr_expect(!c.failed);
	cr_expect_eq(gsym_cursor_bytes(&c, 0), eight + 8);
	gsym_cursor_skip(&c, UINT64_MAX);
	cr_expect(c.failed && gsym_cursor_offset(&c) == 8);
	c = gsym_cursor_init(eight, 8, false);
	gsym_cursor_seek(&c, 9);
	cr_expect(c.failed);
	c = gsym_cursor_init(eight, 8, false);
	gsym_cursor_u8(&c);
	cr_expect_null(gsym_cursor_bytes(&c, UINT64_MAX));
	cr_expect(c.failed);
	c = gsym_cursor_init(NULL, 0, false);
	cr_expect(!c.failed && gsym_cursor_need(&c, 0));
	cr_expect(!gsym_cursor_need(&c, 1) && c.failed);
}

Test(cursor, strings)
{
	struct gsym_cursor c = gsym_cursor_init("ab\0\0cd", 6, false);

	cr_expect_str_eq(gsym_cursor_string(&c), "ab");
	cr_expect_str_eq(gsym_cursor_string(&c), "");
	cr_expect(!c.failed);
	cr_expect_str_eq(gsym_cursor_string(&c), "");
	cr_expect(c.failed && gsym_cursor_offset(&c) == 4);
}
