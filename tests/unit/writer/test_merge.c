/* SPDX-License-Identifier: MIT */
/* Rule 6 of gsym/builder.h: which records become merged functions of which. */
#include "support/make.h"
#include "writer/state.h"

#include <stdio.h>

#include <criterion/criterion.h>

/* The merged functions of the function at ADDRESS, as "NAME:FIRST_LINE". */
static const char *merged(const struct make *m, uint64_t address)
{
	static char text[512];
	const struct plain_function *f = plain_at(&m->plain, address);
	size_t at = 0;

	cr_assert(f);
	text[0] = 0;
	for (size_t i = 0; i < f->merged_count; i++) {
		const struct plain_function *o = &f->merged[i];

		cr_assert_eq(o->start, f->start);
		cr_assert_eq(o->size, f->size);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s:%u",
				       i ? " " : "", o->name,
				       o->row_count ? o->rows[0].line : 0);
	}
	return text;
}

static void function(struct make *m, const char *name, uint64_t start,
		     uint64_t size, uint32_t line, bool folded)
{
	const struct gsym_row row = { 0, make_file(m, "f.c"), line };

	make_record(m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					      .start = start,
					      .size = size,
					      .name = make_string(m, name),
					      .folded = folded,
					      .rows = &row,
					      .row_count = line ? 1 : 0 });
}

Test(merge, not_asked_for)
{
	struct make m = make_begin();

	function(&m, "a", 0x1000, 16, 1, false);
	function(&m, "b", 0x1000, 16, 2, false);
	function(&m, "c", 0x1000, 16, 3, true);
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 a");
	cr_assert_str_eq(merged(&m, 0x1000), "");
	cr_assert_eq(m.summary.dropped, 1);
	make_free(&m);
}

Test(merge, by_name_in_whatever_order_they_are_added)
{
	for (int turn = 0; turn < 2; turn++) {
		struct make m = make_begin();

		m.options.merge = true;
		function(&m, turn ? "a" : "d", 0x1000, 16, turn ? 1 : 4, false);
		function(&m, "c", 0x1000, 16, 3, true);
		make_symbol(&m, 0x1000, 16, "b");
		make_symbol(&m, 0x1000, 12, "shorter");
		function(&m, turn ? "d" : "a", 0x1000, 16, turn ? 4 : 1, false);
		make_end(&m);
		cr_assert_str_eq(make_list(&m), "1000+10 a");
		cr_assert_str_eq(merged(&m, 0x1000), "b:0 c:3 d:4");
		cr_assert_eq(m.summary.merged, 3);
		cr_assert_eq(m.summary.dropped, 1);
		make_free(&m);
	}
}

/* The best name is that of the record; all others are kept. */
Test(merge, symbols_keep_all_names)
{
	struct make m = make_begin();

	m.options.merge = true;
	make_symbol(&m, 0x1000, 16, "a@@V1");
	make_symbol(&m, 0x1000, 16, "b");
	make_symbol(&m, 0x1000, 16, "a@V0");
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 b");
	cr_assert_str_eq(merged(&m, 0x1000), "a@@V1:0 a@V0:0");
	make_free(&m);
}

/* A name of a longer symbol is not taken from it. */
Test(merge, symbols_of_two_sizes_keep_their_names)
{
	struct make m = make_begin();

	m.options.merge = true;
	make_symbol(&m, 0x1000, 8, "a@V");
	make_symbol(&m, 0x1000, 16, "b");
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+8 b; 1008+8 b");
	make_free(&m);
}

Test(merge, functions_that_add_nothing_are_dropped)
{
	struct make m = make_begin();

	m.options.merge = true;
	function(&m, "a", 0x1000, 16, 1, false);
	function(&m, "a", 0x1000, 16, 1, true);
	make_symbol(&m, 0x1000, 16, "a");
	function(&m, "b", 0x1000, 16, 2, true);
	function(&m, "b", 0x1000, 16, 0, true);
	function(&m, "b", 0x1000, 16, 2, true);
	/* Static functions of two source files can have one name. */
	function(&m, "b", 0x1000, 16, 3, true);
	function(&m, "a", 0x1000, 16, 9, true);
	make_end(&m);
	cr_assert_str_eq(merged(&m, 0x1000), "a:9 b:2 b:3");
	cr_assert_eq(m.summary.dropped, 1);
	make_free(&m);
}

/* The candidates are sorted by name: one that adds nothing to the function
 * comes after another one that does. */
Test(merge, what_adds_nothing_after_what_does)
{
	struct make m = make_begin();

	m.options.merge = true;
	function(&m, "m", 0x1000, 16, 1, false);
	function(&m, "a", 0x1000, 16, 2, true);
	function(&m, "m", 0x1000, 16, 0, true);
	function(&m, "", 0x1000, 16, 3, true);
	make_end(&m);
	cr_assert_str_eq(merged(&m, 0x1000), "a:2");
	make_free(&m);
}

/* Not even if they come first by rule 1. */
Test(merge, folded_records_have_no_merged_functions)
{
	struct make m = make_begin();

	m.options.merge = true;
	function(&m, "a", 0x1000, 16, 1, true);
	function(&m, "b", 0x1000, 16, 0, false);
	make_symbol(&m, 0x1000, 16, "c");
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 b");
	cr_assert_str_eq(merged(&m, 0x1000), "a:1 c:0");
	make_free(&m);
}

/* Nothing is merged, and nothing needs memory for it. */
Test(merge, bare_functions_of_two_sizes)
{
	struct make m = make_begin();

	m.options.merge = true;
	make_function(&m, 0x1000, 16, "a");
	make_function(&m, 0x1000, 32, "b");
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 a; 1010+10 b");
	cr_assert_eq(m.summary.merged, 0);
	make_free(&m);
}

Test(merge, folded_records_have_no_other_effect)
{
	struct make m = make_begin();

	m.options.merge = true;
	function(&m, "alone", 0x1000, 16, 1, true);
	function(&m, "wide", 0x2000, 32, 1, true);
	function(&m, "f", 0x2000, 16, 2, false);
	function(&m, "inside", 0x2004, 4, 3, true);
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "2000+10 f");
	cr_assert_str_eq(merged(&m, 0x2000), "");
	cr_assert_eq(m.summary.dropped, 0);
	make_free(&m);
}

/* A GSYM file with merged functions is converted together with others. */
Test(merge, merged_functions_of_the_record_stay)
{
	struct make m = make_begin();
	const struct gsym_row rows[] = { { 0, make_file(&m, "f.c"), 1 },
					 { 4, make_file(&m, "f.c"), 2 } };
	const struct gsym_record own[] = {
		{ .rank = GSYM_RANK_FUNCTION,
		  .start = 0x1000,
		  .size = 16,
		  .name = make_string(&m, "z"),
		  .rows = rows,
		  .row_count = 1 },
		{ .rank = GSYM_RANK_FUNCTION,
		  .start = 0x1000,
		  .size = 16,
		  .name = make_string(&m, "y") },
	};

	m.options.merge = true;
	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000,
					       .size = 16,
					       .name = make_string(&m, "f"),
					       .rows = rows,
					       .row_count = 2,
					       .merged = own,
					       .merged_count = 2 });
	function(&m, "g", 0x1000, 16, 5, false);
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 f");
	cr_assert_str_eq(merged(&m, 0x1000), "z:1 y:0 g:5");
	cr_assert_str_eq(make_rows(&m, 0x1000), "0 /src/f.c:1; 4 /src/f.c:2");
	make_free(&m);
}

Test(merge, nested_functions_keep_their_merged_functions)
{
	struct make m = make_begin();

	m.options.merge = true;
	function(&m, "outer", 0x1000, 32, 1, false);
	function(&m, "outer2", 0x1000, 32, 2, true);
	function(&m, "inner", 0x1000, 16, 3, false);
	function(&m, "inner2", 0x1000, 16, 4, false);
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 inner; 1010+10 outer");
	cr_assert_str_eq(merged(&m, 0x1000), "inner2:4");
	/* The merged functions of "outer" are cut as "outer" is. */
	cr_assert_str_eq(merged(&m, 0x1010), "outer2:2");
	make_free(&m);
}

Test(merge, symbols_take_loose_rows_all_the_same)
{
	struct make m = make_begin();
	struct gsym_loose_row row = { 0x1000, make_file(&m, "s.S"), 7 };

	m.options.merge = true;
	make_symbol(&m, 0x1000, 16, "b");
	make_symbol(&m, 0x1000, 16, "a");
	cr_assert_eq(gsym_builder_loose_rows(m.builder,
					     (struct gsym_range){ 0x1000,
								  0x1010 },
					     &row, 1), GSYM_OK);
	make_end(&m);
	cr_assert_str_eq(make_list(&m), "1000+10 a");
	cr_assert_str_eq(make_rows(&m, 0x1000), "0 /src/s.S:7");
	cr_assert_str_eq(merged(&m, 0x1000), "b:0");
	make_free(&m);
}

Test(merge, folded_labels_are_refused)
{
	struct make m = make_begin();

	cr_assert_eq(gsym_builder_record(m.builder, &(struct gsym_record){
			.rank = GSYM_RANK_FUNCTION, .start = 1, .folded = true,
			.name = make_string(&m, "a") }), GSYM_ERR_ARGUMENT);
	gsym_builder_free(m.builder);
}
