/* SPDX-License-Identifier: MIT */
/* Lines and numbers that are found by blocks, compared with those found byte by
 * byte. */
#include "breakpad/text.h"

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t state = 1;

static uint32_t dice(uint32_t sides)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % sides;
}

/* Fill BYTES at random; one of OTHER is any byte, the others are bytes with a
 * meaning. */
static void fill(char *bytes, size_t size, unsigned other)
{
	static const char often[] = "\n\n\r 09af \tAFgS";

	for (size_t i = 0; i < size; i++)
		bytes[i] = dice(other) ? often[dice(sizeof(often) - 1)]
				       : (char)dice(256);
}

Test(breakpad_text, marks)
{
	char bytes[BP_BLOCK];

	for (int round = 0; round < 20000; round++) {
		struct bp_marks quick, plain;

		fill(bytes, sizeof(bytes), 1 + dice(4));
		quick = bp_mark(bytes);
		plain = bp_mark_plainly(bytes);
		cr_assert_eq(quick.feeds, plain.feeds);
		cr_assert_eq(quick.ends, plain.ends);
		cr_assert_eq(quick.spaces, plain.spaces);
		cr_assert_eq(quick.digits, plain.digits);
		cr_assert_eq(quick.letters, plain.letters);
	}
}

/* Compare the scan's lines with those of bp_next_line. */
static void compare(const char *bytes, size_t size, bool in_body)
{
	struct bp_text text = { bytes, bytes + size }, line, rest = text;
	struct bp_scan scan;
	uint64_t number = 0;

	gsym_bp_scan_init(&scan, text);
	while (bp_next_line(&rest, &line, true)) {
		const char *start = line.at, *at;
		struct bp_text found;
		bool digit;

		number++;
		/* The scan skips lines without any byte, not blank ones. */
		if (start == rest.end || *start == '\n' || *start == '\r')
			continue;
		digit = (*start >= '0' && *start <= '9') ||
			(*start >= 'a' && *start <= 'f');
		if (in_body && digit)
			continue;
		at = gsym_bp_scan_next(&scan, in_body);
		cr_assert_eq(at, start);
		cr_assert_eq(gsym_bp_scan_number(&scan, at), number);
		if (dice(2))
			continue;
		found = gsym_bp_scan_line(&scan, at);
		cr_assert(found.at == line.at && found.end == line.end);
	}
	cr_assert_null(gsym_bp_scan_next(&scan, in_body));
}

Test(breakpad_text, lines)
{
	enum { MOST = 700 };
	char *bytes;

	for (int round = 0; round < 4000; round++) {
		size_t size = dice(MOST);

		/* Sanitizers notice reads after the end. */
		bytes = malloc(size + 1);
		cr_assert_not_null(bytes);
		fill(bytes, size, 1 + dice(60));
		compare(bytes, size, round & 1);
		free(bytes);
	}
}

Test(breakpad_text, pauses)
{
	char bytes[300];
	struct bp_text text = { bytes, bytes + sizeof(bytes) };
	struct bp_scan scan;
	unsigned lines = 0;

	memset(bytes, 'x', sizeof(bytes));
	for (int i = 9; i < 300; i += 10)
		bytes[i] = '\n';
	gsym_bp_scan_init(&scan, text);
	for (scan.pause = bytes; scan.pause < text.end; scan.pause += 50) {
		const char *at;

		while ((at = gsym_bp_scan_next(&scan, true))) {
			cr_expect_eq(at, bytes + 10 * lines);
			lines++;
		}
	}
	scan.pause = text.end;
	while (gsym_bp_scan_next(&scan, true))
		lines++;
	cr_expect_eq(lines, 30);
	cr_expect_not(scan.has_carriages);
}

/* ---- line records ------------------------------------------------------- */

/* Read the record TEXT, with enough bytes after it.  *LENGTH is how many were
 * read. */
static bool read_one(const char *text, struct bp_line *line, size_t *length)
{
	char room[512];
	struct bp_line_walk walk;
	bool good;

	memset(room, 'z', sizeof(room));
	memcpy(room, text, strlen(text));
	cr_assert(bp_walk_init(&walk, room, room + sizeof(room)));
	good = bp_walk_line(&walk, line);
	*length = (size_t)(walk.block + walk.at - room);
	return good;
}

Test(breakpad_text, line_records_are_read)
{
	static const struct {
		const char *text;
		struct bp_line line;
	} cases[] = {
		{ "0 0 0 0\n", { 0, 0, 0, 0 } },
		{ "1228 6 5 1\n", { 0x1228, 0x122e, 5, 1 } },
		{ "1228 6 5 1\r\n", { 0x1228, 0x122e, 5, 1 } },
		{ "abcdef01 9f 99999999 12345678\n",
		  { 0xabcdef01, 0xabcdefa0, 99999999, 12345678 } },
		{ "123456789abcdef fedcba98 1 20\n",
		  { 0x123456789abcdef, 0x123456888888887, 1, 20 } },
		{ "fffffffffffffffe 1 2 3\n",
		  { UINT64_MAX - 1, UINT64_MAX, 2, 3 } },
		{ "000000000001228 00000006 00000005 00000001\n",
		  { 0x1228, 0x122e, 5, 1 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bp_line line;
		size_t length;

		cr_assert(read_one(cases[i].text, &line, &length), "%s",
			  cases[i].text);
		cr_expect_eq(length, strlen(cases[i].text));
		cr_expect_eq(line.start, cases[i].line.start);
		cr_expect_eq(line.end, cases[i].line.end);
		cr_expect_eq(line.line, cases[i].line.line);
		cr_expect_eq(line.file, cases[i].line.file);
	}
}

Test(breakpad_text, other_forms_are_refused)
{
	static const char *const cases[] = {
		"\n", "1 2 3\n", "1 2 3 \n", " 1 2 3 4\n", "1  2 3 4\n",
		"1\t2 3 4\n", "1 2 3 4 \n", "1 2 3 4 5\n", "1 2 a 4\n",
		"1 2 3 f\n", "1 2 -3 4\n", "1 2 3 -1\n", "0x1 2 3 4\n",
		"A 2 3 4\n", "1 2 3 4\r", "1 2 3 4\rx\n", "1 2 3 123456789\n",
		"1 2 123456789 4\n", "01234567890abcdef 2 3 4\n",
		"ffffffffffffffff 0 3 4\n", "fffffffffffffffe 2 3 4\n",
		"1 123456789 3 4\n", "1 a  4\n", " 2 3 4\n", "1 2 3 4x\n",
		"1\n2 3 4\n", "1 2\n3 4\n", "1 2 3\n4\n",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bp_line line;
		size_t length;

		cr_expect_not(read_one(cases[i], &line, &length), "%s",
			      cases[i]);
	}
}

/* Many records one after the other, at all places of blocks. */
Test(breakpad_text, many_line_records)
{
	enum { COUNT = 5000 };
	static struct bp_line lines[COUNT];
	char *text = NULL;
	struct bp_line_walk walk;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < COUNT; i++) {
		lines[i] = (struct bp_line){
			dice(1u << (4 + dice(20))), 0,
			dice(1u << (1 + dice(16))), dice(1u << (1 + dice(16)))
		};
		if (dice(2))
			lines[i].start += 0xffffffff81000000;
		lines[i].end = lines[i].start + dice(1u << (1 + dice(12)));
		fprintf(out,
			"%" PRIx64 " %" PRIx64 " %" PRId64 " %" PRId64 "%s",
			lines[i].start, lines[i].end - lines[i].start,
			lines[i].line, lines[i].file,
			dice(3) ? "\n" : "\r\n");
	}
	fprintf(out, "%*s", BP_WALK_ROOM + BP_BLOCK, "");
	fclose(out);
	cr_assert(bp_walk_init(&walk, text, text + size));
	for (int i = 0; i < COUNT; i++) {
		struct bp_line line;

		cr_assert(bp_walk_line(&walk, &line), "record %d", i);
		cr_assert(line.start == lines[i].start &&
			  line.end == lines[i].end &&
			  line.line == lines[i].line &&
			  line.file == lines[i].file);
	}
	free(text);
}

/* ---- numbers ------------------------------------------------------------- */

/* Read all of FIELD as a number in BASE, of MOST at most, digit by digit. */
static bool read_plainly(struct bp_text field, unsigned base, uint64_t most,
			 uint64_t *ret)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	long double value = 0;

	*ret = 0;
	for (const char *at = field.at; at < field.end; at++) {
		const char *digit = memchr(digits, *at, sizeof(digits) - 1);
		unsigned worth = digit ? (unsigned)(digit - digits) % 16 : 16;

		if (worth >= base)
			return false;
		value = value * base + worth;
		*ret = *ret * base + worth;
	}
	return field.at < field.end && value <= most;
}

/* The functions that remove a number from a line read all of the field, and end
 * behind it. */
Test(breakpad_text, numbers)
{
	static const char often[] = "00123456789aF -xX \t\n\rg";
	char bytes[24];

	for (int round = 0; round < 100000; round++) {
		size_t size = 1 + dice(sizeof(bytes));
		struct bp_text line = { bytes, bytes + size };
		struct bp_text hex = line, decimal = line, number = line;
		struct bp_text rest, field;
		uint64_t hex_is = 0, hex_ought = 0;
		uint64_t decimal_ought = 0, signed_ought = 0;
		uint32_t decimal_is = 0;
		int64_t signed_is = 0;
		size_t digits = dice(3) ? 10 + dice(4) : sizeof(often) - 1;

		for (size_t i = 0; i < size; i++)
			bytes[i] = often[dice((uint32_t)digits)];
		if (dice(2))
			bytes[0] = ' ';
		rest = line;
		field = bp_field(&rest);
		bool negative = field.at < field.end && *field.at == '-';
		bool prefix = bp_length(field) > 2 && field.at[0] == '0' &&
			      (field.at[1] | 0x20) == 'x';
		bool is_hex = read_plainly(
			(struct bp_text){ field.at + 2 * prefix, field.end },
			16, UINT64_MAX - 1, &hex_ought);
		bool is_decimal =
			read_plainly(field, 10, UINT32_MAX, &decimal_ought);
		bool is_signed = read_plainly(
			(struct bp_text){ field.at + negative, field.end }, 10,
			UINT32_MAX, &signed_ought);

		cr_assert_eq(bp_hex(&hex, &hex_is), is_hex);
		cr_assert_eq(bp_decimal(&decimal, &decimal_is), is_decimal);
		cr_assert_eq(bp_signed(&number, &signed_is), is_signed);
		if (is_hex)
			cr_assert(hex_is == hex_ought && hex.at == rest.at);
		if (is_decimal)
			cr_assert(decimal_is == decimal_ought &&
				  decimal.at == rest.at);
		if (is_signed)
			cr_assert((negative ? -signed_is : signed_is) ==
					  (int64_t)signed_ought &&
				  number.at == rest.at);
	}
}

Test(breakpad_text, words)
{
	static const struct {
		const char *text;
		bool found;
	} cases[] = {
		{ "INLINE 1", true },
		{ "INLINE\t1", true },
		{ "INLINE\n", true },
		{ "INLINE", true },
		{ "INLINE_ORIGIN 1", false },
		{ "INLIN", false },
		{ "", false },
		{ "FILE 1", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bp_text line = { cases[i].text,
					cases[i].text + strlen(cases[i].text) };

		cr_expect_eq(bp_skip_word(&line, "INLINE"), cases[i].found);
		cr_expect_eq(line.at - cases[i].text, cases[i].found ? 6 : 0);
	}
}
