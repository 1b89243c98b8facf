/* SPDX-License-Identifier: MIT */
/* Files without lines, and files without inlined calls. */
#include "support/make.h"

#include <gsym/reader.h>

#include <criterion/criterion.h>

/* A function with rows, a call inlined into it, a call site and, if MERGE, a
 * merged function. */
static struct make begin(bool merge)
{
	struct make m = make_begin();
	uint32_t a = make_file(&m, "a.c"), b = make_file(&m, "b.c");
	struct gsym_row rows[] = { { 0, a, 1 }, { 8, b, 2 }, { 12, a, 3 } };
	struct gsym_range range = { 0x1008, 0x100c };
	struct gsym_inline_node node = { 1, make_string(&m, "in"), a, 7, 0, 1 };
	uint32_t pattern = make_string(&m, "callee");
	struct gsym_call call = { 6, GSYM_CALL_INTERNAL, 0, 1 };
	struct gsym_record other = { .rank = GSYM_RANK_FUNCTION,
				     .start = 0x1000,
				     .size = 16,
				     .name = make_string(&m, "other"),
				     .rows = rows,
				     .row_count = 1 };

	m.options.merge = merge;
	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000,
					       .size = 16,
					       .name = make_string(&m, "f"),
					       .rows = rows,
					       .row_count = 3,
					       .inlines = &node,
					       .inline_count = 1,
					       .inline_ranges = &range,
					       .calls = &call,
					       .call_count = 1,
					       .call_patterns = &pattern,
					       .merged = &other,
					       .merged_count = merge });
	make_function(&m, 0x2000, 4, "g");
	return m;
}

/* The call site of f is there whatever is left out. */
static void expect_call(const struct make *m)
{
	const struct plain_function *f = plain_at(&m->plain, 0x1000);

	cr_assert(f);
	cr_expect_str_eq(f->name, "f");
	cr_expect_eq(f->call_count, 1);
	cr_expect_str_eq(make_list(m), "1000+10 f; 2000+4 g");
}

Test(leave_out, lines)
{
	struct make m = begin(false);

	m.options.no_lines = true;
	make_end(&m);
	expect_call(&m);
	/* Readers want a row where there are inlined calls. */
	cr_expect_str_eq(make_rows(&m, 0x1000), "0 /:0");
	cr_expect_str_eq(make_inlines(&m, 0x1000), "1 in [1008,100c) /??:0");
	/* Entry 0, and the files of code and of calls without a place. */
	cr_expect_eq(m.plain.file_count, 3);
	make_free(&m);
}

Test(leave_out, inlined_calls)
{
	struct make m = begin(false);

	m.options.no_inlines = true;
	make_end(&m);
	expect_call(&m);
	cr_expect_str_eq(make_rows(&m, 0x1000),
			 "0 /src/a.c:1; 8 /src/b.c:2; c /src/a.c:3");
	cr_expect_str_eq(make_inlines(&m, 0x1000), "");
	cr_expect_eq(m.summary.inlined_calls, 0);
	make_free(&m);
}

Test(leave_out, both)
{
	struct make m = begin(false);

	m.options.no_lines = m.options.no_inlines = true;
	make_end(&m);
	expect_call(&m);
	cr_expect(!plain_at(&m.plain, 0x1000)->has_lines);
	cr_expect_str_eq(make_inlines(&m, 0x1000), "");
	cr_expect_eq(m.plain.file_count, 1);
	cr_expect_eq(m.summary.rows, 0);
	make_free(&m);
}

Test(leave_out, of_merged_functions)
{
	struct make m = begin(true);
	const struct plain_function *f;

	m.options.no_lines = true;
	make_end(&m);
	expect_call(&m);
	f = plain_at(&m.plain, 0x1000);
	cr_assert_eq(f->merged_count, 1);
	cr_expect_str_eq(f->merged[0].name, "other");
	cr_expect(!f->merged[0].has_lines);
	make_free(&m);
}

Test(leave_out, nothing)
{
	struct make m = begin(true);

	make_end(&m);
	expect_call(&m);
	cr_expect_str_eq(make_inlines(&m, 0x1000),
			 "1 in [1008,100c) /src/a.c:7");
	cr_expect(plain_at(&m.plain, 0x1000)->merged[0].has_lines);
	make_free(&m);
}
