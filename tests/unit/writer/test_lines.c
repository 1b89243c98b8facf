/* SPDX-License-Identifier: MIT */
/* Line tables: rows that are dropped, rows that are added, and the bytes that
 * tables take. */
#include "support/make.h"

#include <stdlib.h>

#include <criterion/criterion.h>

/* Finish M with one function at 0x1000 that has the COUNT rows at ROWS; returns
 * the decoded function. */
static const struct plain_function *
table(struct make *m, const struct gsym_row *rows, size_t count, uint64_t size)
{
	make_record(m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					      .start = 0x1000,
					      .size = size,
					      .name = make_string(m, "f"),
					      .rows = rows,
					      .row_count = count });
	make_end(m);
	return plain_at(&m->plain, 0x1000);
}

Test(lines, rows_nobody_can_reach_go)
{
	struct make m = make_begin();
	uint32_t a = make_file(&m, "a.c"), b = make_file(&m, "b.c");
	struct gsym_row rows[] = {
		{ 0, a, 1 },  { 0, b, 2 }, { 0, a, 3 }, /* the last row of an
							 * address stays */
		{ 4, a, 3 },				/* dropped: the same
							 * file and line
							 * again */
		{ 8, b, 3 },  { 9, b, 4 }, { 9, b, 3 }, /* the last row repeats
							 * the first */
		{ 12, a, 3 },
	};

	table(&m, rows, 8, 16);
	cr_assert_str_eq(make_rows(&m, 0x1000),
			 "0 /src/a.c:3; 8 /src/b.c:3; c /src/a.c:3");
	cr_assert_eq(m.summary.rows, 3);
	make_free(&m);
}

Test(lines, nosrc_up_to_a_late_first_row)
{
	struct make m = make_begin();
	struct gsym_row rows[] = { { 4, make_file(&m, "a.c"), 3 } };

	table(&m, rows, 1, 16);
	cr_assert_str_eq(make_rows(&m, 0x1000), "0 /:0; 4 /src/a.c:3");
	cr_assert_eq(m.plain.file_count, 3);
	make_free(&m);
}

Test(lines, nosrc_alone_is_no_table)
{
	struct make m = make_begin();
	struct gsym_row rows[] = { { 4, GSYM_FILE_NOSRC, 3 },
				   { 8, GSYM_FILE_NOSRC, 0 } };

	table(&m, rows, 2, 16);
	cr_assert_str_eq(make_rows(&m, 0x1000), "no lines");
	cr_assert_eq(m.plain.file_count, 1);
	cr_assert_eq(m.summary.files, 0);
	make_free(&m);
}

Test(lines, nosrc_loses_its_line)
{
	struct make m = make_begin();
	struct gsym_row rows[] = { { 0, make_file(&m, "a.c"), 3 },
				   { 8, GSYM_FILE_NOSRC, 9 } };

	table(&m, rows, 2, 16);
	cr_assert_str_eq(make_rows(&m, 0x1000), "0 /src/a.c:3; 8 /:0");
	make_free(&m);
}

Test(lines, line_0_of_a_file_stays)
{
	struct make m = make_begin();
	struct gsym_row rows[] = { { 0, make_file(&m, "a.c"), 0 },
				   { 8, GSYM_FILE_UNKNOWN, 7 } };

	table(&m, rows, 2, 16);
	cr_assert_str_eq(make_rows(&m, 0x1000), "0 /src/a.c:0; 8 /??:7");
	make_free(&m);
}

Test(lines, special_files_by_name)
{
	struct make m = make_begin();
	uint32_t unknown = make_string(&m, "??"), file;

	cr_assert_eq(gsym_builder_file(m.builder, 0, 0, &file), GSYM_OK);
	cr_assert_eq(file, GSYM_FILE_NOSRC);
	cr_assert_eq(gsym_builder_file(m.builder, 0, unknown, &file), GSYM_OK);
	cr_assert_eq(file, GSYM_FILE_UNKNOWN);
	cr_assert_eq(gsym_builder_file(m.builder, unknown, 0, &file), GSYM_OK);
	cr_assert_neq(file, GSYM_FILE_UNKNOWN);
	make_free(&m);
}

Test(lines, an_inlined_call_needs_a_row)
{
	struct make m = make_begin();
	struct gsym_range range = { 0x1004, 0x1008 };
	/* A call without a source, of a function without a name. */
	struct gsym_inline_node node = { 1, 0, GSYM_FILE_NOSRC, 3, 0, 1 };

	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000,
					       .size = 16,
					       .name = make_string(&m, "f"),
					       .inlines = &node,
					       .inline_count = 1,
					       .inline_ranges = &range });
	make_end(&m);
	cr_assert_str_eq(make_rows(&m, 0x1000), "0 /:0");
	cr_assert_str_eq(make_inlines(&m, 0x1000), "1  [1004,1008) /??:3");
	make_free(&m);
}

Test(lines, vectors)
{
	/* Rows, and the bytes that their table takes. */
	static const struct {
		struct gsym_row rows[8];
		size_t count;
		size_t bytes;
	} cases[] = {
		{ { { 0, 1, 10 } }, 1, 5 },
		{ { { 0, 1, 10 }, { 4, 1, 15 } }, 2, 6 },
		/* The window is +20 alone.  The table cannot start at line
		 * 10 - 20, so the first row takes opcode 2. */
		{ { { 0, 1, 10 }, { 4, 1, 30 } }, 2, 7 },
		{ { { 0, 1, 100 }, { 4, 1, 120 } }, 2, 6 },
		{ { { 0, 1, 10 }, { 3, 1, 8 } }, 2, 6 },
		/* 500 lines down and up: opcode 3 with two bytes, and a
		 * special opcode. */
		{ { { 0, 1, 100 },
		    { 4, 1, 101 },
		    { 8, 1, 103 },
		    { 12, 1, 500 },
		    { 16, 1, 104 } },
		  5,
		  15 },
		/* An address too far for a special opcode: opcode 2. */
		{ { { 0, 1, 10 }, { 0x100, 1, 11 } }, 2, 10 },
		/* The window is +2 alone.  From 104 to 2 is opcode 3 with
		 * -104, and a special opcode. */
		{ { { 0, 1, 100 },
		    { 4, 1, 102 },
		    { 8, 1, 104 },
		    { 12, 1, 2 } },
		  4,
		  11 },
		/* From 104 to 1 would be opcode 3 with -105, to line -1:
		 * opcodes 3 and 2 instead. */
		{ { { 0, 1, 100 },
		    { 4, 1, 102 },
		    { 8, 1, 104 },
		    { 12, 1, 1 } },
		  4,
		  12 },
		/* The window is -2 alone.  To the last line there is, opcode 3
		 * would have to go 2 lines beyond it. */
		{ { { 0, 1, 100 },
		    { 4, 1, 98 },
		    { 8, 1, 96 },
		    { 12, 1, UINT32_MAX } },
		  4,
		  15 },
		/* Line deltas of more than 31 bits. */
		{ { { 0, 1, 0 }, { 4, 1, UINT32_MAX }, { 8, 1, 0 } }, 3, 19 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct make m = make_begin();
		struct gsym_row rows[8];
		const struct plain_function *f;

		for (size_t k = 0; k < cases[i].count; k++) {
			rows[k] = cases[i].rows[k];
			rows[k].file = make_file(&m, "a.c");
		}
		f = table(&m, rows, cases[i].count, 0x1000);
		cr_assert_eq(f->row_count, cases[i].count);
		for (size_t k = 0; k < cases[i].count; k++) {
			cr_assert_eq(f->rows[k].address,
				     0x1000 + rows[k].offset);
			cr_assert_eq(f->rows[k].line, rows[k].line);
			cr_assert_eq(f->rows[k].file, 1);
		}
		cr_assert_eq(f->line_bytes, cases[i].bytes,
			     "case %zu: %zu bytes", i, f->line_bytes);
		make_free(&m);
	}
}

/* Where only the file changes, and 0 is not in the window, opcode 2 takes a
 * byte less than opcode 3 and a special opcode. */
Test(lines, another_file_on_the_same_line)
{
	struct make m = make_begin();
	uint32_t a = make_file(&m, "a.c"), b = make_file(&m, "b.c");
	struct gsym_row rows[] = { { 0, a, 100 },
				   { 4, a, 120 },
				   { 8, a, 140 },
				   { 12, b, 140 } };
	const struct plain_function *f = table(&m, rows, 4, 16);

	cr_assert_str_eq(make_rows(&m, 0x1000),
			 "0 /src/a.c:100; 4 /src/a.c:120; 8 /src/a.c:140; "
			 "c /src/b.c:140");
	/* Head 3, rows 1, 1, 1 and 2 + 2, end 1. */
	cr_assert_eq(f->line_bytes, 11, "%zu bytes", f->line_bytes);
	make_free(&m);
}

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Fill ROWS with up to MOST random rows, with small and large deltas of lines
 * and addresses, up to the ends of 32 bits.  Files are 0 to 2.  Returns the
 * number of rows. */
static size_t random_rows(uint32_t seed, struct gsym_row *rows, size_t most)
{
	static const uint32_t far_lines[] = { 0, UINT32_MAX, INT32_MAX,
					      (uint32_t)INT32_MAX + 1, 1 };
	uint32_t state = seed, offset = 0, line = next(&state) % 300;
	uint32_t spread = next(&state) % 40 + 1, kind = seed % 8;
	size_t count = next(&state) % most + 1;

	for (size_t i = 0; i < count; i++) {
		rows[i] = (struct gsym_row){ offset, next(&state) % 3, line };
		offset += next(&state) % (kind & 1 ? 400 : 12) + 1;
		if (kind & 2 && next(&state) % 16 == 0)
			line = far_lines[next(&state) % 5];
		else if (kind & 4 && next(&state) % 4)
			line += 1;
		else
			line += next(&state) % spread - spread / 2;
	}
	return count;
}

Test(lines, any_rows_come_back)
{
	enum { MOST = 30000 };
	struct gsym_row *rows = calloc(MOST, sizeof(*rows));

	cr_assert_not_null(rows);
	for (uint32_t seed = 0; seed < 200; seed++) {
		struct make m = make_begin();
		uint32_t files[3];
		size_t count = random_rows(seed, rows, seed % 5 ? 40 : MOST);
		const struct plain_function *f;
		size_t at = 0;

		files[0] = make_file(&m, "a.c");
		files[1] = make_file(&m, "b.c");
		files[2] = make_file(&m, "c.c");
		for (size_t i = 0; i < count; i++)
			rows[i].file = files[rows[i].file];
		f = table(&m, rows, count, 1 << 24);
		for (size_t i = 0; i < count; i++) {
			const char *name;

			if (i && rows[i].file == rows[i - 1].file &&
			    rows[i].line == rows[i - 1].line)
				continue;
			cr_assert_lt(at, f->row_count);
			cr_assert_eq(f->rows[at].address,
				     0x1000 + rows[i].offset);
			cr_assert_eq(f->rows[at].line, rows[i].line);
			name = m.plain.files[f->rows[at].file].basename;
			for (int k = 0; k < 3; k++)
				if (files[k] == rows[i].file)
					cr_assert_eq(*name, 'a' + k);
			at++;
		}
		cr_assert_eq(at, f->row_count);
		make_free(&m);
	}
	free(rows);
}

Test(lines, frequent_files_come_first)
{
	struct make m = make_begin();
	uint32_t rare = make_file(&m, "a_rare.c");
	uint32_t frequent = make_file(&m, "frequent.c");
	uint32_t other = make_file(&m, "b_rare.c"), unused;
	struct gsym_row rows[] = { { 0, rare, 1 }, { 1, frequent, 1 },
				   { 2, other, 1 }, { 3, frequent, 2 } };

	unused = make_file(&m, "unused.c");
	cr_assert_neq(unused, other);
	table(&m, rows, 4, 16);
	cr_assert_eq(m.plain.file_count, 4);
	cr_assert_str_eq(m.plain.files[1].basename, "frequent.c");
	cr_assert_str_eq(m.plain.files[2].basename, "a_rare.c");
	cr_assert_str_eq(m.plain.files[3].basename, "b_rare.c");
	make_free(&m);
}
