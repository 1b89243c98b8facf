/* SPDX-License-Identifier: MIT */
/* format/record: every opcode of a line table, damage, and the row of an
 * address. */
#include "format/record.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

/* The rows of the line table of SIZE bytes at BYTES, of a function at 0x1000,
 * as "address:file:line". */
static const char *rows(const void *bytes, size_t size)
{
	static char text[1024];
	struct gsym_line_decoder d;
	enum gsym_line_step step;
	size_t used = 0;

	text[0] = 0;
	if (!gsym_line_begin(&d, bytes, size, 0x1000))
		return "damaged head";
	while ((step = gsym_line_step(&d)) == GSYM_LINE_STEP_ROW)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%" PRIx64 ":%" PRIu32 ":%" PRIu32,
					 used ? " " : "", d.address, d.file,
					 d.line);
	if (step == GSYM_LINE_STEP_DAMAGE)
		snprintf(text + used, sizeof(text) - used, " damage");
	return text;
}

#define ROWS(wanted, ...)                                                   \
	do {                                                                \
		const uint8_t bytes[] = { __VA_ARGS__ };                    \
		const char *got = rows(bytes, sizeof(bytes));               \
		cr_expect(!strcmp(got, wanted), "'%s', not '%s'", got,      \
			  wanted);                                          \
	} while (0)

Test(lines, vectors_of_the_specification)
{
	ROWS("1000:1:10", 0x00, 0x00, 0x0a, 0x04, 0x00);
	ROWS("1000:2:10", 0x00, 0x00, 0x0a, 0x01, 0x02, 0x04, 0x00);
	ROWS("1010:1:10", 0x00, 0x00, 0x0a, 0x14, 0x00);
	ROWS("1000:1:10 1004:1:15", 0x00, 0x05, 0x0a, 0x04, 0x21, 0x00);
	ROWS("1000:1:10 1004:1:30", 0x14, 0x14, 0x0a, 0x02, 0x00, 0x08, 0x00);
	ROWS("1000:1:10 1003:1:8", 0x7e, 0x7e, 0x0a, 0x02, 0x00, 0x07, 0x00);
	ROWS("1000:1:100 1004:1:101 1008:1:103 100c:1:500 1010:1:104", 0x01,
	     0x02, 0x64, 0x02, 0x00, 0x0c, 0x0d, 0x03, 0x8d, 0x03, 0x02, 0x04,
	     0x03, 0xf4, 0x7c, 0x02, 0x04, 0x00);
	ROWS("1000:1:10 1100:2:20 1180:2:21 1200:1:11", 0x76, 0x01, 0x0a, 0x0e,
	     0x01, 0x02, 0x03, 0x0a, 0x02, 0x80, 0x02, 0x03, 0x01, 0x02, 0x80,
	     0x01, 0x01, 0x01, 0x03, 0x76, 0x02, 0x80, 0x01, 0x00);
}

Test(lines, empty_windows_are_refused)
{
	/* max = min - 1 is a range of 0, and a division by zero in readers
	 * that do not check it. */
	ROWS("damaged head", 0x05, 0x04, 0x0a, 0x04, 0x00);
	ROWS("damaged head", 0x05, 0x7b, 0x0a, 0x04, 0x00);
	ROWS("damaged head", 0x00);
	ROWS("damaged head", 0x00, 0x00, 0x80);
}

Test(lines, tables_without_an_end_are_damaged)
{
	ROWS(" damage", 0x00, 0x00, 0x0a);
	ROWS("1000:1:10 damage", 0x00, 0x00, 0x0a, 0x04);
	ROWS(" damage", 0x00, 0x00, 0x0a, 0x01);
	ROWS(" damage", 0x00, 0x00, 0x0a, 0x02, 0x80);
	ROWS(" damage", 0x00, 0x00, 0x0a, 0x03);
}

Test(lines, an_address_that_wraps_around_is_damage)
{
	/* +2^64-1, from 0x1000 on. */
	ROWS("1000:1:10 damage", 0x00, 0x00, 0x0a, 0x04, 0x02, 0xff, 0xff,
	     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00);
}

Test(lines, large_file_numbers_do_not_become_small_ones)
{
	/* 2^32 + 1 */
	ROWS("1000:4294967295:10", 0x00, 0x00, 0x0a, 0x01, 0x81, 0x80, 0x80,
	     0x80, 0x10, 0x04, 0x00);
}

Test(lines, line_numbers_wrap_around)
{
	ROWS("1000:1:4294967295", 0x7f, 0x00, 0x00, 0x04, 0x00);
}

/* Every special opcode with windows of 1 to 300 line deltas, compared with a
 * division; then a window of 2^64. */
Test(lines, every_special_opcode)
{
	for (uint64_t range = 1; range <= 300; range++)
		for (unsigned op = 4; op < 256; op++) {
			struct gsym_line_decoder d = { 0 };
			uint8_t byte = (uint8_t)op;

			cr_assert(gsym_line_window(&d, -3,
						   (int64_t)range - 4));
			d.c = gsym_cursor_init(&byte, 1, false);
			d.line = 100;
			cr_assert(gsym_line_step(&d) == GSYM_LINE_STEP_ROW);
			cr_assert(d.address == (op - 4) / range &&
				  d.line == 97 + (op - 4) % range,
				  "opcode %u, range %" PRIu64, op, range);
		}
	ROWS("1000:1:251", 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	     0x80, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	     0x00, 0x00, 0xff, 0x00);
}

static int line_at(const uint8_t *bytes, size_t size, uint64_t address)
{
	uint32_t file, line;

	if (!gsym_line_find(bytes, size, 0x1000, address, &file, &line))
		return -1;
	return (int)line;
}

Test(lines, find_takes_the_last_row_at_or_before)
{
	/* 1002:10, 1004:11, 1004:12, 1006:13; window 0..1. */
	static const uint8_t bytes[] = { 0x00, 0x01, 0x0a, 0x08, 0x09,
					 0x05, 0x09, 0x00 };
	static const int wanted[] = { -1, -1, 10, 10, 12, 12, 13, 13 };

	for (int i = 0; i < 8; i++)
		cr_expect(line_at(bytes, 8, 0x1000 + (uint64_t)i) == wanted[i],
			  "%d", i);
	cr_expect(line_at(bytes, 8, UINT64_MAX) == 13);
	cr_expect(line_at(bytes, 8, 0) == -1);
}

Test(lines, find_needs_no_more_of_a_table_than_up_to_the_row)
{
	static const uint8_t bytes[] = { 0x00, 0x01, 0x0a, 0x08, 0x09 };

	/* The row at 1004 ends that at 1002; nothing ends the row at 1004. */
	cr_expect(line_at(bytes, 5, 0x1003) == 10);
	cr_expect(line_at(bytes, 5, 0x1004) == -1);
}

/* gsym_line_find with every special opcode and windows of 1 to 300 line
 * deltas. */
Test(lines, find_with_every_special_opcode)
{
	for (int range = 1; range <= 300; range++)
		for (int op = 4; op < 256; op++) {
			/* From -3 to RANGE - 4 in two bytes; line 100. */
			uint8_t bytes[] = {
				0x7d, (uint8_t)((range - 4) & 0x7f) | 0x80,
				(uint8_t)(((range - 4) >> 7) & 0x7f), 100,
				(uint8_t)op, 0
			};
			uint64_t at = 0x1000 + (uint64_t)((op - 4) / range);

			cr_assert_eq(line_at(bytes, sizeof(bytes), at),
				     97 + (op - 4) % range);
			cr_assert_eq(line_at(bytes, sizeof(bytes), at - 1),
				     -1);
		}
}

Test(lines, find_with_a_window_of_all_deltas)
{
	static const uint8_t bytes[] = {
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00,
		0x00, 0xff, 0x00
	};

	cr_expect(line_at(bytes, sizeof(bytes), 0x1000) == 251);
}

/* The sum of the address and an advance overflows, or reaches the last
 * address. */
Test(lines, find_up_to_the_last_address)
{
	/* 4 on, then 4 on, and 2^64 - 9 on. */
	static const uint8_t bytes[] = { 0, 0, 10, 2, 4, 2, 4, 2, 0xf7, 0xff,
					 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					 0xff, 0x01, 0 };
	uint32_t file = 9, line = 9;

	cr_expect(gsym_line_find(bytes, sizeof(bytes), 0, UINT64_MAX, &file,
				 &line));
	cr_expect(file == 1 && line == 10);
	cr_expect(gsym_line_find(bytes, sizeof(bytes), 0, 4, &file, &line));
	cr_expect(!gsym_line_find(bytes, sizeof(bytes), 0, 3, &file, &line));
	/* From 1 on the last sum overflows; the row before has no end. */
	cr_expect(!gsym_line_find(bytes, sizeof(bytes), 1, UINT64_MAX, &file,
				  &line));
	cr_expect(gsym_line_find(bytes, sizeof(bytes), 1, 5, &file, &line));
}

Test(lines, find_takes_files)
{
	static const uint8_t bytes[] = { 0, 0, 10, 1, 7, 4, 1, 0x81, 0x80,
					 0x80, 0x80, 0x10, 2, 1, 1, 0xff,
					 0xff, 0xff, 0xff, 0xf, 2, 1, 0 };
	static const uint32_t wanted[] = { 7, UINT32_MAX, UINT32_MAX };

	for (uint64_t i = 0; i < 3; i++) {
		uint32_t file = 9, line = 9;

		cr_expect(gsym_line_find(bytes, sizeof(bytes), 0x1000,
					 0x1000 + i, &file, &line));
		cr_expect(file == wanted[i] && line == 10);
	}
}
