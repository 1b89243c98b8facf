/* SPDX-License-Identifier: MIT */
/* Lines and numbers that are found by blocks, compared with those found byte by
 * byte. */
#include "breakpad/numbers.h"
#include "breakpad/scan.h"

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

Test(breakpad_scan, marks)
{
	char bytes[BP_BLOCK];

	for (int round = 0; round < 20000; round++) {
		struct bp_marks quick, plain;

		fill(bytes, sizeof(bytes), 1 + dice(4));
		quick = bp_mark(bytes);
		plain = bp_mark_plainly(bytes);
		cr_assert_eq(quick.feeds, plain.feeds);
		cr_assert_eq(quick.ends, plain.ends);
		cr_assert_eq(quick.blanks, plain.blanks);
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

Test(breakpad_scan, lines)
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

Test(breakpad_scan, pauses)
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

Test(breakpad_scan, fields)
{
	char bytes[400];
	struct bp_text text = { bytes, bytes + sizeof(bytes) };

	for (int round = 0; round < 4000; round++) {
		size_t from = dice(200), size = dice(200);
		struct bp_text line = { bytes + from, bytes + from + size };
		struct bp_text rest = line;
		unsigned fields = 0;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = " \tab"[dice(4)];
		while (bp_length(bp_field(&rest)))
			fields++;
		cr_assert_eq(gsym_bp_count_fields(text, line), fields);
	}
}

/* ---- line records ------------------------------------------------------- */

/* Read the record TEXT, with enough bytes after it.  *LENGTH is how many were
 * read. */
static bool read_one(const char *text, struct bp_line *line, size_t *length)
{
	char room[512];
	struct bp_numbers n;
	bool good;

	memset(room, 'z', sizeof(room));
	memcpy(room, text, strlen(text));
	cr_assert(bp_numbers_init(&n, room, room + sizeof(room)));
	good = bp_read_line(&n, line);
	*length = (size_t)(n.block + n.at - room);
	return good;
}

Test(breakpad_scan, line_records_are_read)
{
	static const struct {
		const char *text;
		struct bp_line line;
	} cases[] = {
		{ "0 0 0 0\n", { 0, 0, 0, 0 } },
		{ "1228 6 5 1\n", { 0x1228, 6, 5, 1 } },
		{ "1228 6 5 1\r\n", { 0x1228, 6, 5, 1 } },
		{ "abcdef01 9f 99999999 12345678\n",
		  { 0xabcdef01, 0x9f, 99999999, 12345678 } },
		{ "123456789abcdef fedcba98 1 20\n",
		  { 0x123456789abcdef, 0xfedcba98, 1, 20 } },
		{ "000000000001228 00000006 00000005 00000001\n",
		  { 0x1228, 6, 5, 1 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bp_line line;
		size_t length;

		cr_assert(read_one(cases[i].text, &line, &length), "%s",
			  cases[i].text);
		cr_expect_eq(length, strlen(cases[i].text));
		cr_expect_eq(line.start, cases[i].line.start);
		cr_expect_eq(line.size, cases[i].line.size);
		cr_expect_eq(line.line, cases[i].line.line);
		cr_expect_eq(line.file, cases[i].line.file);
	}
}

Test(breakpad_scan, other_forms_are_refused)
{
	static const char *const cases[] = {
		"\n", "1 2 3\n", "1 2 3 \n", " 1 2 3 4\n", "1  2 3 4\n",
		"1\t2 3 4\n", "1 2 3 4 \n", "1 2 3 4 5\n", "1 2 a 4\n",
		"1 2 3 f\n", "1 2 -3 4\n", "1 2 3 -1\n", "0x1 2 3 4\n",
		"A 2 3 4\n", "1 2 3 4\r", "1 2 3 4\rx\n", "1 2 3 123456789\n",
		"1 2 123456789 4\n", "1234567890abcdef 2 3 4\n",
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
Test(breakpad_scan, many_line_records)
{
	enum { COUNT = 5000 };
	static struct bp_line lines[COUNT];
	char *text = NULL;
	struct bp_numbers n;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < COUNT; i++) {
		lines[i] = (struct bp_line){
			dice(1u << (4 + dice(20))), dice(1u << (1 + dice(12))),
			dice(1u << (1 + dice(16))), dice(1u << (1 + dice(16)))
		};
		fprintf(out, "%" PRIx64 " %" PRIx64 " %u %u%s", lines[i].start,
			lines[i].size, lines[i].line, lines[i].file,
			dice(3) ? "\n" : "\r\n");
	}
	fprintf(out, "%*s", BP_NUMBER_ROOM + BP_BLOCK, "");
	fclose(out);
	cr_assert(bp_numbers_init(&n, text, text + size));
	for (int i = 0; i < COUNT; i++) {
		struct bp_line line;

		cr_assert(bp_read_line(&n, &line), "record %d", i);
		cr_assert(line.start == lines[i].start &&
			  line.size == lines[i].size &&
			  line.line == lines[i].line &&
			  line.file == lines[i].file);
	}
	free(text);
}
