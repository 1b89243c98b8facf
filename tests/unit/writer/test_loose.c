/* SPDX-License-Identifier: MIT */
/* Rule 4 of gsym/builder.h: symbols and labels get the rows that no function
 * owns.  Records and loose rows that are taken back. */
#include "support/make.h"

#include <criterion/criterion.h>

/* Add loose rows of lines LINE, LINE + 1, .., one every STEP bytes of
 * [START, END). */
static void loose(struct make *m, uint64_t start, uint64_t end, uint64_t step,
		  uint32_t line)
{
	struct gsym_loose_row rows[64];
	uint32_t file = make_file(m, "l.s");
	size_t count = 0;

	for (uint64_t at = start; at < end && count < 64; at += step)
		rows[count++] = (struct gsym_loose_row){ at, file, line++ };
	cr_assert_eq(gsym_builder_loose_rows(
			     m->builder, (struct gsym_range){ start, end },
			     rows, count),
		     GSYM_OK);
}

#define expect_rows(m, address, expected)                                     \
	cr_assert_str_eq(make_rows(m, address), expected)

Test(loose, rule_4_bare_records_take_rows)
{
	struct make m = make_begin();

	loose(&m, 0x1000, 0x1020, 8, 1);
	make_symbol(&m, 0x1000, 0x10, "whole");
	make_symbol(&m, 0x1014, 0x8, "within");
	make_symbol(&m, 0x2000, 0x8, "elsewhere");
	make_label(&m, 0x101c, 0x1020, "label");
	make_end(&m);
	expect_rows(&m, 0x1000, "0 /src/l.s:1; 8 /src/l.s:2");
	expect_rows(&m, 0x1014, "0 /src/l.s:3; 4 /src/l.s:4");
	expect_rows(&m, 0x101c, "0 /src/l.s:4");
	expect_rows(&m, 0x2000, "no lines");
	make_free(&m);
}

Test(loose, rule_4_functions_take_none)
{
	struct make m = make_begin();

	loose(&m, 0x1000, 0x1020, 8, 1);
	make_function(&m, 0x1000, 0x10, "f");
	make_end(&m);
	expect_rows(&m, 0x1000, "no lines");
	cr_assert_eq(m.plain.file_count, 1);
	make_free(&m);
}

Test(loose, rule_4_own_rows_before_loose_ones)
{
	struct make m = make_begin();
	struct gsym_row row = { 0, make_file(&m, "own.c"), 5 };

	loose(&m, 0x1000, 0x1020, 8, 1);
	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_SYMBOL,
					       .start = 0x1000,
					       .size = 0x10,
					       .name = make_string(&m, "s"),
					       .rows = &row,
					       .row_count = 1 });
	make_end(&m);
	expect_rows(&m, 0x1000, "0 /src/own.c:5");
	make_free(&m);
}

Test(loose, rule_4_nosrc_where_nothing_covers)
{
	struct make m = make_begin();

	loose(&m, 0x1008, 0x1010, 8, 1);
	loose(&m, 0x1010, 0x1014, 8, 7);
	loose(&m, 0x1018, 0x101c, 8, 9);
	make_symbol(&m, 0x1000, 0x20, "s");
	make_end(&m);
	expect_rows(&m, 0x1000, "0 /:0; 8 /src/l.s:1; 10 /src/l.s:7; 14 /:0; "
				"18 /src/l.s:9; 1c /:0");
	make_free(&m);
}

Test(loose, rule_4_lower_start_wins)
{
	/* The order of adding does not matter. */
	for (int swap = 0; swap < 2; swap++) {
		struct make m = make_begin();

		if (swap)
			loose(&m, 0x1008, 0x1020, 4, 50);
		loose(&m, 0x1000, 0x1012, 8, 1);
		if (!swap)
			loose(&m, 0x1008, 0x1020, 4, 50);
		/* Other ranges cover these. */
		loose(&m, 0x1000, 0x1004, 4, 90);
		loose(&m, 0x1014, 0x1018, 4, 90);
		make_symbol(&m, 0x1000, 0x20, "s");
		make_end(&m);
		expect_rows(&m, 0x1000,
			    "0 /src/l.s:1; 8 /src/l.s:2; 10 /src/l.s:3; "
			    "12 /src/l.s:52; 14 /src/l.s:53; 18 /src/l.s:54; "
			    "1c /src/l.s:55");
		make_free(&m);
	}
}

Test(loose, rule_4_files_that_are_not_known)
{
	struct make m = make_begin();
	struct gsym_loose_row rows[] = { { 0x1000, GSYM_FILE_UNKNOWN, 3 },
					 { 0x1008, GSYM_FILE_NOSRC, 7 } };

	cr_assert_eq(gsym_builder_loose_rows(
			     m.builder, (struct gsym_range){ 0x1000, 0x1010 },
			     rows, 2),
		     GSYM_OK);
	make_symbol(&m, 0x1000, 0x10, "s");
	make_end(&m);
	expect_rows(&m, 0x1000, "0 /??:3; 8 /:0");
	make_free(&m);
}

Test(loose, rule_4_pieces_take_rows_too)
{
	struct make m = make_begin();

	loose(&m, 0x1000, 0x1020, 8, 1);
	make_symbol(&m, 0x1000, 0x20, "outer");
	make_function(&m, 0x1004, 0x8, "f");
	make_end(&m);
	expect_rows(&m, 0x1000, "0 /src/l.s:1");
	expect_rows(&m, 0x1004, "no lines");
	expect_rows(&m, 0x100c, "0 /src/l.s:2; 4 /src/l.s:3; c /src/l.s:4");
	make_free(&m);
}

Test(loose, rule_4_unknown_end)
{
	struct make m = make_begin();

	loose(&m, 0x1000, 0x1010, 8, 1);
	make_label(&m, 0x1004, UINT64_MAX, "l");
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1004+0 l");
	expect_rows(&m, 0x1004, "0 /src/l.s:1; 4 /src/l.s:2; c /:0");
	make_free(&m);
}

Test(loose, ranges_beyond_32_bits)
{
	struct make m = make_begin();
	uint32_t file = make_file(&m, "l.s");
	struct gsym_loose_row rows[] = {
		{ 0x1000, file, 1 },
		{ 0x500001000, file, 2 },
		{ 0x500001008, file, 3 },
		{ 0xa00001008, file, 4 },
	};

	cr_assert_eq(gsym_builder_loose_rows(
			     m.builder,
			     (struct gsym_range){ 0x1000, 0xa00002000 }, rows,
			     4),
		     GSYM_OK);
	make_symbol(&m, 0x400000000, 0x10, "a");
	make_symbol(&m, 0x500001000, 0x10, "b");
	make_symbol(&m, 0xa00001000, 0x10, "c");
	make_end(&m);
	expect_rows(&m, 0x400000000, "0 /src/l.s:1");
	expect_rows(&m, 0x500001000, "0 /src/l.s:2; 8 /src/l.s:3");
	expect_rows(&m, 0xa00001000, "0 /src/l.s:3; 8 /src/l.s:4");
	make_free(&m);
}

Test(loose, unsound_rows)
{
	struct make m = make_begin();
	uint32_t file = make_file(&m, "l.s");
	static const struct gsym_range range = { 0x1000, 0x1010 };
	struct gsym_loose_row rows[2] = { { 0x1008, file, 1 },
					  { 0x1004, file, 2 } };

	cr_assert_eq(gsym_builder_loose_rows(m.builder, range, rows, 2),
		     GSYM_ERR_ARGUMENT);
	rows[1].address = 0x1010;
	cr_assert_eq(gsym_builder_loose_rows(m.builder, range, rows, 2),
		     GSYM_ERR_ARGUMENT);
	rows[1] = (struct gsym_loose_row){ 0x1009, file + 1, 1 };
	cr_assert_eq(gsym_builder_loose_rows(m.builder, range, rows, 2),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_loose_rows(
			     m.builder, (struct gsym_range){ 8, 8 }, rows, 0),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_loose_rows(m.builder, range, rows, 0),
		     GSYM_OK);
	make_symbol(&m, 0x1000, 0x10, "s");
	make_end(&m);
	expect_rows(&m, 0x1000, "no lines");
	make_free(&m);
}

/* A label without an end takes the rows of 4 GiB, or up to the last address. */
Test(loose, rule_4_unknown_end_far_from_rows)
{
	struct make m = make_begin();
	const uint64_t near_end = UINT64_MAX - 0x1000;

	loose(&m, 0x200001000, 0x200001010, 8, 1);
	loose(&m, 0x300000ffe, 0x300002000, 0x1000, 7);
	loose(&m, 0x300002000, 0x300002010, 8, 9);
	make_label(&m, 0x200001000, UINT64_MAX, "l");
	make_end(&m);
	expect_rows(&m, 0x200001000,
		    "0 /src/l.s:1; 8 /src/l.s:2; 10 /:0; fffffffe /src/l.s:7");
	make_free(&m);
	m = make_begin();
	loose(&m, near_end + 8, near_end + 0x18, 8, 1);
	make_label(&m, near_end, UINT64_MAX, "l");
	make_end(&m);
	expect_rows(&m, near_end, "0 /:0; 8 /src/l.s:1; 10 /src/l.s:2; 18 /:0");
	make_free(&m);
}

/* Of ranges of one start the longest covers the others, then the one with more
 * rows, then the one whose rows sort first. */
Test(loose, rule_4_ranges_of_one_start)
{
	for (int turn = 0; turn < 2; turn++) {
		struct make m = make_begin();

		loose(&m, 0x1000, 0x1008, turn ? 2 : 8, turn ? 5 : 1);
		loose(&m, 0x1000, 0x1008, turn ? 8 : 2, turn ? 1 : 5);
		loose(&m, 0x2000, 0x2004, 8, turn ? 5 : 6);
		loose(&m, 0x2000, 0x2004, 8, turn ? 6 : 5);
		loose(&m, 0x3000, turn ? 0x3004 : 0x3008, 2, turn ? 1 : 9);
		loose(&m, 0x3000, turn ? 0x3008 : 0x3004, 2, turn ? 9 : 1);
		make_symbol(&m, 0x1000, 8, "a");
		make_symbol(&m, 0x2000, 4, "b");
		make_symbol(&m, 0x3000, 4, "c");
		make_end(&m);
		expect_rows(&m, 0x1000,
			    "0 /src/l.s:5; 2 /src/l.s:6; "
			    "4 /src/l.s:7; 6 /src/l.s:8");
		expect_rows(&m, 0x2000, "0 /src/l.s:5");
		expect_rows(&m, 0x3000, "0 /src/l.s:9; 2 /src/l.s:10");
		make_free(&m);
	}
}

/* ---- taking back --------------------------------------------------------- */

Test(take_back, what_was_kept_stays)
{
	struct make m = make_begin();

	make_symbol(&m, 0x1000, 0x10, "kept");
	loose(&m, 0x1000, 0x1008, 8, 1);
	gsym_builder_keep(m.builder);
	make_symbol(&m, 0x2000, 0x10, "taken");
	make_function(&m, 0x1000, 0x20, "better");
	loose(&m, 0x1008, 0x1010, 8, 2);
	gsym_builder_take_back(m.builder);
	/* Nothing is left to be taken back. */
	gsym_builder_take_back(m.builder);
	make_symbol(&m, 0x3000, 0x10, "after");
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 kept; 3000+10 after");
	expect_rows(&m, 0x1000, "0 /src/l.s:1; 8 /:0");
	make_free(&m);
}

Test(take_back, all_of_a_new_builder)
{
	struct make m = make_begin();
	uint32_t name = make_string(&m, "name");

	make_symbol(&m, 0x2000, 0x10, "taken");
	gsym_builder_take_back(m.builder);
	/* Numbers of strings stay what they are. */
	cr_assert_eq(make_string(&m, "name"), name);
	make_symbol(&m, 0x1000, 0x10, "name");
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 name");
	/* The file is finished: nothing happens. */
	gsym_builder_take_back(m.builder);
	gsym_builder_keep(NULL);
	gsym_builder_take_back(NULL);
	make_free(&m);
}
