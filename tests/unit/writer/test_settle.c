/* SPDX-License-Identifier: MIT */
/* Rules 1 to 3 of gsym/builder.h, which settle conflicts of records. */
#include "support/make.h"
#include "writer/state.h"

#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

/* Finish M and expect the functions of the file, as make_list gives them. */
#define expect_list(m, ...)                                                   \
	do {                                                                  \
		make_end(m);                                                  \
		cr_assert_str_eq(make_list(m), __VA_ARGS__);                  \
	} while (0)

/* Add a function with ROWS rows: lines 1, 2, 3, .. at offsets 0, 4, 8, .. */
static void with_rows(struct make *m, uint64_t start, uint64_t size,
		      const char *name, uint32_t rows)
{
	struct gsym_row row[64];
	uint32_t file = make_file(m, "f.c");

	for (uint32_t i = 0; i < rows; i++)
		row[i] = (struct gsym_row){ i * 4, file, i + 1 };
	make_record(m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					      .name_kind = GSYM_NAME_LINKAGE,
					      .start = start,
					      .size = size,
					      .name = make_string(m, name),
					      .rows = row,
					      .row_count = rows });
}

static void with_kind(struct make *m, enum gsym_rank rank,
		      enum gsym_name_kind kind, uint64_t start, uint64_t size,
		      const char *name)
{
	make_record(m, &(struct gsym_record){ .rank = rank,
					      .name_kind = kind,
					      .start = start,
					      .size = size,
					      .name = make_string(m, name) });
}

Test(settle, rule_1_records_that_do_not_overlap)
{
	struct make m = make_begin();

	make_symbol(&m, 0x2000, 0x10, "b");
	make_function(&m, 0x1000, 0x10, "a");
	make_function(&m, 0x2010, 0x10, "c");
	expect_list(&m, "1000+10 a; 2000+10 b; 2010+10 c");
	cr_assert_eq(m.summary.functions, 2);
	cr_assert_eq(m.summary.symbols, 1);
	cr_assert_eq(m.summary.labels, 0);
	cr_assert_eq(m.summary.dropped, 0);
	make_free(&m);
}

Test(settle, rule_1_innermost_of_nested_functions)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 0x100, "outer");
	make_function(&m, 0x1040, 0x20, "inner");
	make_function(&m, 0x1048, 0x8, "core");
	expect_list(&m, "1000+40 outer; 1040+8 inner; 1048+8 core; "
			"1050+10 inner; 1060+a0 outer");
	cr_assert_eq(m.summary.functions, 5);
	cr_assert_eq(m.summary.dropped, 0);
	make_free(&m);
}

Test(settle, rule_1_rank_before_nesting)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 0x100, "outer");
	make_label(&m, 0x1040, 0x1060, "inside");
	make_symbol(&m, 0xff0, 0x20, "before");
	expect_list(&m, "ff0+10 before; 1000+100 outer");
	cr_assert_eq(m.summary.dropped, 1);
	cr_assert_eq(m.summary.contradictions, 0);
	make_free(&m);
}

Test(settle, rule_7_symbols_in_functions)
{
	struct gsym_contradiction first;
	struct make m = make_begin();

	with_rows(&m, 0x1000, 0x100, "outer", 16);
	make_symbol(&m, 0x1020, 0x10, "outer.__part.1");
	make_symbol(&m, 0x1040, 0x20, "inside");
	make_function(&m, 0x1050, 0x4, "inner");
	make_symbol(&m, 0x1050, 0x8, "inner");
	make_symbol(&m, 0x10f0, 0x20, "after");
	cr_assert(!gsym_builder_contradiction(m.builder, &first));
	expect_list(&m, "1000+40 outer; 1040+10 inside; 1050+4 inner; "
			"1054+c inside; 1060+90 outer; 10f0+20 after");
	cr_assert_eq(m.summary.contradictions, 2);
	cr_assert(gsym_builder_contradiction(m.builder, &first));
	cr_expect_eq(first.address, 0x1040);
	cr_expect_str_eq(first.symbol, "inside");
	cr_expect_str_eq(first.function, "outer");
	make_free(&m);
}

/* Aliases alone say nothing: the name that they are aliases of may have been
 * removed. */
Test(settle, rule_7_names)
{
	for (int local = 0; local < 2; local++) {
		struct make m = make_begin();

		make_function(&m, 0x1000, 0x10, "f");
		make_symbol(&m, 0x1000, 0x10, "alias");
		make_symbol(&m, 0x1000, 0x10, "f");
		make_function(&m, 0x2000, 0x10, "f");
		make_symbol(&m, 0x2000, 0x10, "other");
		make_label(&m, 0x2000, UINT64_MAX, "f");
		make_function(&m, 0x3000, 0x10, "a::b<int>");
		make_symbol(&m, 0x3000, 0x10, "_ZN1a1bIiEEvv");
		with_kind(&m, GSYM_RANK_SYMBOL,
			  local ? GSYM_NAME_SYMBOL_LOCAL
				: GSYM_NAME_SYMBOL_GLOBAL,
			  0x4000, 0x10, "g");
		expect_list(&m, local ? "1000+10 f; 2000+10 other; "
					"3000+10 _ZN1a1bIiEEvv; 4000+10 g"
				      : "1000+10 f; 2000+10 f; "
					"3000+10 _ZN1a1bIiEEvv; 4000+10 g");
		cr_assert_eq(m.summary.contradictions, (uint32_t)local);
		make_free(&m);
	}
}

Test(settle, rule_1_later_start_where_they_cross)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 0x30, "a");
	make_function(&m, 0x1020, 0x30, "b");
	expect_list(&m, "1000+20 a; 1020+30 b");
	make_free(&m);
}

Test(settle, rule_1_earlier_end_at_one_start)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 0x30, "long");
	make_function(&m, 0x1000, 0x10, "short");
	expect_list(&m, "1000+10 short; 1010+20 long");
	make_free(&m);
}

Test(settle, rule_1_symbols_nest_too)
{
	struct make m = make_begin();

	make_symbol(&m, 0x1000, 0x30, "outer");
	make_symbol(&m, 0x1010, 0x10, "inner");
	expect_list(&m, "1000+10 outer; 1010+10 inner; 1020+10 outer");
	make_free(&m);
}

/* Of equal ranges the claimed one counts, although it has less. */
Test(settle, rule_1_what_other_units_claim_comes_second)
{
	for (int order = 0; order < 2; order++) {
		struct make m = make_begin();

		for (int i = 0; i < 2; i++) {
			bool unclaimed = i == order;
			struct gsym_row row = { 0, make_file(&m, "f.c"), 7 };

			make_record(&m, &(struct gsym_record){
						.rank = GSYM_RANK_FUNCTION,
						.start = 0x1000,
						.size = 0x10,
						.name = make_string(
							&m, unclaimed
								? "unclaimed"
								: "claimed"),
						.unclaimed = unclaimed,
						.rows = &row,
						.row_count = unclaimed });
		}
		expect_list(&m, "1000+10 claimed");
		make_free(&m);
	}
}

Test(settle, rule_1_the_one_with_more_rows)
{
	struct make m = make_begin();

	with_rows(&m, 0x1000, 0x20, "aa", 2);
	with_rows(&m, 0x1000, 0x20, "zz", 3);
	with_rows(&m, 0x1000, 0x20, "bb", 2);
	expect_list(&m, "1000+20 zz");
	cr_assert_eq(m.summary.dropped, 2);
	cr_assert_eq(m.summary.rows, 3);
	make_free(&m);
}

Test(settle, rule_1_inlines_before_rows_before_calls)
{
	struct make m = make_begin();
	struct gsym_range range = { 0x1004, 0x1008 };
	struct gsym_inline_node node = { 1, make_string(&m, "i"),
					 make_file(&m, "i.c"), 3, 0, 1 };
	struct gsym_call calls[] = { { 4, 0, 0, 0 }, { 8, 0, 0, 0 } };
	struct gsym_row row = { 0, make_file(&m, "f.c"), 1 };

	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000,
					       .size = 0x20,
					       .name = make_string(&m, "z"),
					       .inlines = &node,
					       .inline_count = 1,
					       .inline_ranges = &range });
	with_rows(&m, 0x1000, 0x20, "r", 8);
	with_rows(&m, 0x2000, 0x20, "r", 2);
	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x2000,
					       .size = 0x20,
					       .name = make_string(&m, "c"),
					       .rows = &row,
					       .row_count = 1,
					       .calls = calls,
					       .call_count = 2 });
	expect_list(&m, "1000+20 z; 2000+20 r");
	make_free(&m);
}

Test(settle, rule_1_content_decides_ties)
{
	/* The order of adding does not matter. */
	for (int swap = 0; swap < 2; swap++) {
		struct make m = make_begin();

		with_rows(&m, 0x1000, 0x20, swap ? "b" : "a", 2);
		with_rows(&m, 0x1000, 0x20, swap ? "a" : "b", 2);
		expect_list(&m, "1000+20 a");
		make_free(&m);
	}
}

/* Records that differ in one inlined call, or in the callee of one call. */
Test(settle, rule_1_the_first_difference_decides)
{
	for (uint32_t i = 0; i < 4; i++) {
		struct make m = make_begin();
		struct gsym_range range = { 0x1004, 0x1008 };
		struct gsym_inline_node node = {
			1, make_string(&m, "i"), make_file(&m, "i.c"), 3, 0, 1
		};
		struct gsym_call call = { 4, 0, 0, 1 };
		uint32_t pattern;
		struct gsym_record r = { .rank = GSYM_RANK_FUNCTION,
					 .start = 0x1000,
					 .size = 0x20,
					 .name = make_string(&m, "f"),
					 .inlines = &node,
					 .inline_count = 1,
					 .inline_ranges = &range,
					 .calls = &call,
					 .call_count = 1,
					 .call_patterns = &pattern };

		/* Both orders of adding. */
		for (uint32_t k = 0; k < 2; k++) {
			bool lower = k == i / 2;

			node.call_line = i & 1 || lower ? 3 : 9;
			pattern =
				make_string(&m, !(i & 1) || lower ? "a" : "b");
			make_record(&m, &r);
		}
		make_end(&m);
		cr_expect_str_eq(make_inlines(&m, 0x1000),
				 "1 i [1004,1008) /src/i.c:3");
		cr_expect_str_eq(m.plain.functions->calls[0].patterns[0], "a");
		make_free(&m);
	}
}

Test(settle, rule_1_each_piece_has_its_rows)
{
	struct make m = make_begin();

	with_rows(&m, 0x1000, 0x20, "outer", 8);
	make_function(&m, 0x100a, 0x4, "inner");
	expect_list(&m, "1000+a outer; 100a+4 inner; 100e+12 outer");
	cr_assert_str_eq(make_rows(&m, 0x1000),
			 "0 /src/f.c:1; 4 /src/f.c:2; 8 /src/f.c:3");
	cr_assert_str_eq(make_rows(&m, 0x100a), "no lines");
	cr_assert_str_eq(make_rows(&m, 0x100e),
			 "0 /src/f.c:4; 2 /src/f.c:5; 6 /src/f.c:6; "
			 "a /src/f.c:7; e /src/f.c:8");
	make_free(&m);
}

/* A piece has the row of its last byte, and no row after it. */
Test(settle, rule_1_a_row_at_the_last_byte_of_a_piece)
{
	for (uint64_t end = 0x1007; end <= 0x100a; end++) {
		struct make m = make_begin();

		with_rows(&m, 0x1000, 0x20, "outer", 8);
		make_function(&m, end, 4, "inner");
		make_end(&m);
		cr_assert_str_eq(make_rows(&m, 0x1000),
				 end > 0x1008 ? "0 /src/f.c:1; 4 /src/f.c:2; "
						"8 /src/f.c:3"
					      : "0 /src/f.c:1; 4 /src/f.c:2");
		make_free(&m);
	}
}

/* The content of other records does not get into the rows of a piece. */
Test(settle, rule_1_pieces_after_a_record_with_calls_alone)
{
	struct make m = make_begin();

	with_rows(&m, 0x1000, 0x20, "outer", 8);
	make_function(&m, 0x1008, 0x10, "inner");
	make_record(&m, &(struct gsym_record){
				.rank = GSYM_RANK_FUNCTION,
				.start = 0x2000,
				.size = 0x20,
				.name = make_string(&m, "caller"),
				.calls = &(struct gsym_call){ 4, 1, 0, 0 },
				.call_count = 1 });
	make_end(&m);
	cr_assert_str_eq(make_rows(&m, 0x1000), "0 /src/f.c:1; 4 /src/f.c:2");
	cr_assert_str_eq(make_rows(&m, 0x1018), "0 /src/f.c:7; 4 /src/f.c:8");
	make_free(&m);
}

Test(settle, rule_1_pieces_clip_inlined_calls)
{
	struct make m = make_begin();
	uint32_t file = make_file(&m, "f.c");
	struct gsym_range ranges[] = {
		{ 0x1004, 0x1010 }, { 0x1018, 0x101c }, /* a */
		{ 0x1008, 0x100c },			/* b, in a */
		{ 0x1014, 0x1016 },			/* c */
	};
	struct gsym_inline_node nodes[] = {
		{ 1, make_string(&m, "a"), file, 10, 0, 2 },
		{ 2, make_string(&m, "b"), file, 20, 2, 1 },
		{ 1, make_string(&m, "c"), file, 30, 3, 1 },
	};

	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000,
					       .size = 0x20,
					       .name = make_string(&m, "outer"),
					       .inlines = nodes,
					       .inline_count = 3,
					       .inline_ranges = ranges });
	make_function(&m, 0x100a, 0x4, "inner");
	make_function(&m, 0x101c, 0x2, "last");
	expect_list(&m, "1000+a outer; 100a+4 inner; 100e+e outer; "
			"101c+2 last; 101e+2 outer");
	cr_assert_str_eq(make_inlines(&m, 0x1000),
			 "1 a [1004,100a) /src/f.c:10; "
			 "2 b [1008,100a) /src/f.c:20");
	cr_assert_str_eq(make_inlines(&m, 0x100e),
			 "1 a [100e,1010)[1018,101c) /src/f.c:10; "
			 "1 c [1014,1016) /src/f.c:30");
	cr_assert_str_eq(make_inlines(&m, 0x101e), "");
	/* A piece without inlined calls needs no row. */
	cr_assert_str_eq(make_rows(&m, 0x101e), "no lines");
	cr_assert_str_eq(make_rows(&m, 0x100e), "0 /:0");
	make_free(&m);
}

Test(settle, rule_1_each_piece_has_its_calls)
{
	struct make m = make_begin();
	uint32_t patterns[] = { make_string(&m, "x"), make_string(&m, "y"),
				make_string(&m, "z") };
	struct gsym_call calls[] = {
		{ 0x4, 1, 0, 1 }, { 0x20, 2, 1, 2 }, { 0x10, 0, 0, 3 },
		{ 0xc, 0, 0, 0 }, { 0x8, 0, 0, 1 },
	};
	const struct plain_function *f;

	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000,
					       .size = 0x20,
					       .name = make_string(&m, "outer"),
					       .calls = calls,
					       .call_count = 5,
					       .call_patterns = patterns });
	make_function(&m, 0x1008, 0x8, "inner");
	expect_list(&m, "1000+8 outer; 1008+8 inner; 1010+10 outer");
	/* A call that returns to the end of a piece is not in it. */
	f = plain_at(&m.plain, 0x1000);
	cr_assert_eq(f->call_count, 1);
	cr_assert_eq(f->calls[0].return_offset, 4);
	cr_assert_eq(f->calls[0].flags, 1);
	cr_assert_eq(f->calls[0].pattern_count, 1);
	cr_assert_str_eq(f->calls[0].patterns[0], "x");
	f = plain_at(&m.plain, 0x1010);
	cr_assert_eq(f->call_count, 2);
	/* The last piece has the call that returns to the function's end. */
	cr_assert_eq(f->calls[0].return_offset, 0x10);
	cr_assert_eq(f->calls[0].pattern_count, 2);
	cr_assert_str_eq(f->calls[0].patterns[1], "z");
	cr_assert_eq(f->calls[1].return_offset, 0);
	cr_assert_eq(f->calls[1].pattern_count, 3);
	cr_assert_eq(plain_at(&m.plain, 0x1008)->call_count, 0);
	cr_assert_eq(m.summary.call_sites, 3);
	make_free(&m);
}

/* Room for patterns is made by their number. */
Test(settle, rule_1_calls_with_many_patterns)
{
	enum { PATTERNS = 3000 };
	struct make m = make_begin();
	uint32_t patterns[PATTERNS];
	const struct plain_function *f;

	for (uint32_t i = 0; i < PATTERNS; i++)
		patterns[i] = make_string(&m, i % 2 ? "odd" : "even");
	make_record(&m, &(struct gsym_record){
				.rank = GSYM_RANK_FUNCTION,
				.start = 0x1000,
				.size = 0x20,
				.name = make_string(&m, "outer"),
				.calls = &(struct gsym_call){ 0x14, 0, 0,
							      PATTERNS },
				.call_count = 1,
				.call_patterns = patterns });
	make_function(&m, 0x1008, 0x8, "inner");
	expect_list(&m, "1000+8 outer; 1008+8 inner; 1010+10 outer");
	f = plain_at(&m.plain, 0x1010);
	cr_assert_eq(f->call_count, 1);
	cr_assert_eq(f->calls[0].pattern_count, PATTERNS);
	cr_assert_str_eq(f->calls[0].patterns[PATTERNS - 1], "odd");
	make_free(&m);
}

Test(settle, rule_1_pieces_cut_merged_functions)
{
	struct make m = make_begin();
	struct gsym_row rows[] = { { 0, make_file(&m, "m.c"), 7 },
				   { 0x10, make_file(&m, "m.c"), 8 } };
	struct gsym_record merged = { .rank = GSYM_RANK_FUNCTION,
				      .start = 0x1000,
				      .size = 0x20,
				      .name = make_string(&m, "twin"),
				      .rows = rows,
				      .row_count = 2 };
	const struct plain_function *twin;

	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000,
					       .size = 0x20,
					       .name = make_string(&m, "f"),
					       .merged = &merged,
					       .merged_count = 1 });
	make_function(&m, 0x1004, 0x4, "inner");
	expect_list(&m, "1000+4 f; 1004+4 inner; 1008+18 f");
	cr_assert_eq(plain_at(&m.plain, 0x1000)->merged_count, 1);
	twin = plain_at(&m.plain, 0x1008)->merged;
	cr_assert_str_eq(twin->name, "twin");
	cr_assert_eq(twin->size, 0x18);
	cr_assert_eq(twin->row_count, 2);
	cr_assert_eq(twin->rows[1].address, 0x1010);
	cr_assert_eq(m.summary.merged, 2);
	make_free(&m);
}

/* A function with NODES inlined calls, or a merged function with as many, is
 * cut into INNER pieces. */
static void too_many_pieces(bool in_merged)
{
	enum { NODES = 1000, INNER = 100 };
	struct make m = make_begin();
	struct gsym_range ranges[NODES];
	struct gsym_inline_node nodes[NODES];
	struct gsym_error error = { 0 };
	struct gsym_record r, merged;

	for (uint32_t i = 0; i < NODES; i++) {
		ranges[i] = (struct gsym_range){ i * 2, i * 2 + 1 };
		nodes[i] = (struct gsym_inline_node){ 1, 0, 0, 1, i, 1 };
	}
	r = (struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
				  .size = 2 * NODES,
				  .name = make_string(&m, "f"),
				  .inlines = nodes,
				  .inline_count = NODES,
				  .inline_ranges = ranges };
	merged = r;
	if (in_merged) {
		r.inline_count = 0;
		r.merged = &merged;
		r.merged_count = 1;
	}
	make_record(&m, &r);
	for (uint32_t i = 1; i < INNER; i++)
		make_function(&m, i * 10, 1, "g");
	m.builder->limits.cuts = NODES * INNER;
	cr_assert_eq(gsym_builder_finish(m.builder, NULL, &m.bytes, &m.size,
					 NULL, &error),
		     GSYM_ERR_LIMIT);
	cr_assert_str_eq(error.message, "functions at address 0x0 overlap in "
					"too many pieces");
	cr_assert_eq(error.offset, 0);
	make_free(&m);
}

Test(settle, rule_1_too_many_pieces_are_a_limit)
{
	too_many_pieces(false);
	too_many_pieces(true);
}

/* Pieces are counted even if there is nothing in them to be cut. */
Test(settle, rule_1_the_limit_of_pieces_is_exact)
{
	enum { INNER = 20 };

	for (uint64_t cuts = INNER; cuts <= INNER + 1; cuts++) {
		struct make m = make_begin();
		struct gsym_error error = { 0 };

		make_function(&m, 0x1000, INNER * 8 + 4, "outer");
		for (uint32_t i = 0; i < INNER; i++)
			make_function(&m, 0x1004 + i * 8, 4, "inner");
		m.builder->limits.cuts = cuts;
		if (cuts > INNER) {
			make_end(&m);
			cr_assert_eq(m.summary.functions, 2 * INNER + 1);
		} else {
			cr_assert_eq(gsym_builder_finish(m.builder, NULL,
							 &m.bytes, &m.size,
							 NULL, &error),
				     GSYM_ERR_LIMIT);
		}
		make_free(&m);
	}
}

/* Each label is at the start of a function of another size. */
Test(settle, rule_1_labels_do_not_cut)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 0x20, "outer");
	make_function(&m, 0x1008, 0x10, "inner");
	make_label(&m, 0x1000, UINT64_MAX, "l1");
	make_label(&m, 0x1008, UINT64_MAX, "l2");
	make_function(&m, 0x1008, 0x18, "middle");
	expect_list(&m, "1000+8 outer; 1008+10 inner; 1018+8 middle");
	cr_assert_eq(m.summary.dropped, 2);
	make_free(&m);
}

Test(settle, rule_2a_part_suffix_wins)
{
	struct make m = make_begin();
	enum gsym_rank symbol = GSYM_RANK_SYMBOL, function = GSYM_RANK_FUNCTION;

	with_kind(&m, function, GSYM_NAME_LINKAGE, 0x1000, 16, "_Zf");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_GLOBAL, 0x1000, 16, "_Zg");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_LOCAL, 0x1000, 16, "_Zf.cold");
	with_kind(&m, function, GSYM_NAME_SOURCE, 0x2000, 16, "f");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_GLOBAL, 0x2000, 16, "_Zm");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_LOCAL, 0x2000, 8, "f.part.0");
	/* Names that are not names of parts: the name of a label, of another
	 * function, and without a suffix after the dot. */
	make_label(&m, 0x3000, 0, "f.__part.2");
	with_kind(&m, function, GSYM_NAME_SOURCE, 0x3000, 16, "f");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_LOCAL, 0x3000, 16, "fx.cold");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_LOCAL, 0x3000, 16, "f.");
	/* A function does not name a part of another function, either. */
	with_kind(&m, function, GSYM_NAME_LINKAGE, 0x4000, 16, "f");
	with_kind(&m, function, GSYM_NAME_LINKAGE, 0x4000, 16, "f.cold");
	expect_list(&m, "1000+10 _Zf.cold; 2000+10 f.part.0; 3000+10 f; "
			"4000+10 f");
	make_free(&m);
}

Test(settle, rule_2b_linkage_name_before_symbols)
{
	struct make m = make_begin();

	with_kind(&m, GSYM_RANK_FUNCTION, GSYM_NAME_LINKAGE, 0x1000, 16, "lk");
	make_symbol(&m, 0x1000, 16, "_Zother");
	expect_list(&m, "1000+10 lk");
	make_free(&m);
}

Test(settle, rule_2c_mangled_symbol_before_source_name)
{
	static const char *const mangled[] = { "_Zf", "_RNvf", "?f", "$sf",
						"$Sf", "_$sf", "_$Sf", "_T0f",
						"_D1nQfi" };

	for (size_t i = 0; i < sizeof(mangled) / sizeof(mangled[0]); i++) {
		struct make m = make_begin();
		char list[64];

		with_kind(&m, GSYM_RANK_FUNCTION, GSYM_NAME_SOURCE, 0x1000, 16,
			  "ns::f");
		make_symbol(&m, 0x1000, 16, "alias");
		make_label(&m, 0x1000, 0, mangled[i]);
		snprintf(list, sizeof(list), "1000+10 %s", mangled[i]);
		expect_list(&m, list);
		make_free(&m);
	}
}

Test(settle, rule_2d_own_name_before_plain_symbols)
{
	struct make m = make_begin();

	with_kind(&m, GSYM_RANK_FUNCTION, GSYM_NAME_SOURCE, 0x1000, 16, "zz");
	make_symbol(&m, 0x1000, 16, "aa");
	with_kind(&m, GSYM_RANK_FUNCTION, GSYM_NAME_SOURCE, 0x2000, 16, "_Zb");
	make_symbol(&m, 0x2000, 16, "_Za");
	/* Names that only begin as mangled names do. */
	with_kind(&m, GSYM_RANK_FUNCTION, GSYM_NAME_SOURCE, 0x3000, 16, "f");
	make_symbol(&m, 0x3000, 16, "_f");
	make_symbol(&m, 0x3000, 16, "$x");
	make_symbol(&m, 0x3000, 16, "_DYNAMIC");
	make_symbol(&m, 0x3000, 16, "_Tf");
	make_symbol(&m, 0x3000, 16, "_$x");
	expect_list(&m, "1000+10 zz; 2000+10 _Zb; 3000+10 f");
	make_free(&m);
}

Test(settle, rule_2e_any_symbol_for_the_nameless)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 16, "");
	make_symbol(&m, 0x1000, 4, "sym");
	make_function(&m, 0x2000, 16, "");
	make_function(&m, 0x2000, 32, "other");
	/* Even a label comes before another function. */
	make_function(&m, 0x3000, 16, "");
	make_function(&m, 0x3000, 32, "other");
	make_label(&m, 0x3000, UINT64_MAX, "label");
	expect_list(&m, "1000+10 sym; 2000+10 other; 2010+10 other; "
			"3000+10 label; 3010+10 other");
	make_free(&m);
}

/* A symbol is a record of a rank below function, or a function whose name is
 * from a symbol table. */
Test(settle, rule_2e_what_is_a_symbol)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 16, "");
	make_function(&m, 0x1000, 24, "other");
	with_kind(&m, GSYM_RANK_SYMBOL, GSYM_NAME_SOURCE, 0x1000, 32, "s");
	make_function(&m, 0x2000, 16, "");
	make_function(&m, 0x2000, 24, "other");
	with_kind(&m, GSYM_RANK_FUNCTION, GSYM_NAME_SYMBOL_LOCAL, 0x2000, 32,
		  "f");
	expect_list(&m, "1000+10 s; 1010+8 other; 1018+8 s; "
			"2000+10 f; 2010+8 other; 2018+8 f");
	make_free(&m);
}

/* With lines a function needs no name; without, it says nothing. */
Test(settle, rule_2_lines_without_a_name)
{
	struct make m = make_begin();

	with_rows(&m, 0x1000, 0x10, "", 2);
	make_function(&m, 0x2000, 0x10, "");
	make_function(&m, 0x2008, 0x8, "f");
	with_rows(&m, 0x3000, 0x10, "", 1);
	make_symbol(&m, 0x3000, 0x8, "g");
	expect_list(&m, "1000+10 ??; 2008+8 f; 3000+10 g");
	make_free(&m);
}

Test(settle, rule_2f_what_covers_the_nameless)
{
	struct make m = make_begin();

	make_function(&m, 0x1010, 0x40, "");
	make_symbol(&m, 0x1000, 0x20, "a");
	make_symbol(&m, 0x1030, 0x40, "b");
	make_function(&m, 0x2000, 0x10, "");
	expect_list(&m, "1000+10 a; 1010+10 a; 1030+40 b");
	cr_assert_eq(m.summary.functions, 1);
	cr_assert_eq(m.summary.dropped, 1);
	make_free(&m);
}

Test(settle, rule_2_which_alias)
{
	struct make m = make_begin();
	enum gsym_rank symbol = GSYM_RANK_SYMBOL, label = GSYM_RANK_LABEL;

	/* Sized symbols before labels. */
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_LOCAL, 0x1000, 16, "b");
	with_kind(&m, label, GSYM_NAME_SYMBOL_GLOBAL, 0x1000, 0, "a");
	/* Global before weak before local. */
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_LOCAL, 0x2000, 16, "a");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_WEAK, 0x2000, 16, "b");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_GLOBAL, 0x2000, 16, "c@V");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_LOCAL, 0x3000, 16, "a");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_WEAK, 0x3000, 16, "b");
	/* Without a version before with a version. */
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_GLOBAL, 0x4000, 16, "a@@V");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_GLOBAL, 0x4000, 16, "z");
	/* Then the name that sorts first. */
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_GLOBAL, 0x5000, 16, "y");
	with_kind(&m, symbol, GSYM_NAME_SYMBOL_GLOBAL, 0x5000, 16, "x");
	expect_list(&m, "1000+10 b; 2000+10 c@V; 3000+10 b; 4000+10 z; "
			"5000+10 x");
	make_free(&m);
}

Test(settle, rule_3_labels_inside_go)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 0x10, "f");
	make_label(&m, 0x1000, UINT64_MAX, "at_start");
	make_label(&m, 0x1008, UINT64_MAX, "in_f");
	make_label(&m, 0x1010, 0x1018, "after_f");
	make_symbol(&m, 0x2000, 0x10, "s");
	make_label(&m, 0x200f, UINT64_MAX, "in_s");
	expect_list(&m, "1000+10 f; 1010+8 after_f; 2000+10 s");
	cr_assert_eq(m.summary.labels, 1);
	cr_assert_eq(m.summary.dropped, 3);
	make_free(&m);
}

Test(settle, rule_3_labels_reach_to_next_or_limit)
{
	struct make m = make_begin();

	make_label(&m, 0x1000, 0x3000, "a");
	make_label(&m, 0x1010, 0x3000, "b");
	make_function(&m, 0x1030, 0x10, "f");
	make_label(&m, 0x1040, 0x1050, "c");
	make_label(&m, 0x1060, 0x1060, "at_its_limit");
	make_label(&m, 0x1070, 0x3000, "last");
	expect_list(&m, "1000+10 a; 1010+20 b; 1030+10 f; 1040+10 c; "
			"1070+1f90 last");
	make_free(&m);
}

Test(settle, rule_3_no_limit_and_no_next_record)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 0x10, "f");
	make_label(&m, 0x2000, UINT64_MAX, "l");
	expect_list(&m, "1000+10 f; 2000+0 l");
	make_free(&m);
}

Test(settle, rule_3_labels_of_one_start)
{
	struct make m = make_begin();

	make_label(&m, 0x1000, 0x2000, "b");
	make_label(&m, 0x1000, 0x3000, "a");
	make_label(&m, 0x1000, 0x4000, "c");
	expect_list(&m, "1000+1000 a");
	cr_assert_eq(m.summary.dropped, 2);
	make_free(&m);
}

Test(settle, rule_3_size_0_is_a_label)
{
	struct make m = make_begin();

	make_function(&m, 0x1000, 0, "f");
	make_symbol(&m, 0x1008, 0, "in_nothing");
	make_function(&m, 0x1010, 0x10, "g");
	make_symbol(&m, 0x1018, 0, "in_g");
	expect_list(&m, "1000+8 f; 1008+8 in_nothing; 1010+10 g");
	cr_assert_eq(m.summary.labels, 2);
	make_free(&m);
}

Test(settle, rule_3_far_labels_are_cut_to_32_bits)
{
	struct make m = make_begin();

	make_label(&m, 0x1000, UINT64_MAX, "l");
	make_function(&m, 0x900000000, 0x10, "f");
	expect_list(&m, "1000+ffffffff l; 900000000+10 f");
	make_free(&m);
}

/* Code before data, whatever the rank.  Data are counted apart, and get no
 * loose rows. */
Test(settle, rule_1_data)
{
	struct make m = make_begin();
	struct gsym_loose_row row = { 0x2000, make_file(&m, "d.c"), 1 };
	struct gsym_record data = { .rank = GSYM_RANK_SYMBOL,
				    .name_kind = GSYM_NAME_SYMBOL_GLOBAL,
				    .start = 0x1000,
				    .size = 0x10,
				    .name = make_string(&m, "data"),
				    .data = true };

	make_record(&m, &data);
	with_kind(&m, GSYM_RANK_SYMBOL, GSYM_NAME_SYMBOL_LOCAL, 0x1008, 4,
		  "code");
	data.start = 0x2000;
	make_record(&m, &data);
	cr_assert_eq(gsym_builder_loose_rows(
			     m.builder, (struct gsym_range){ 0x2000, 0x2010 },
			     &row, 1),
		     GSYM_OK);
	expect_list(&m, "1000+8 data; 1008+4 code; 100c+4 data; 2000+10 data");
	cr_assert_eq(m.summary.data, 3);
	cr_assert_eq(m.summary.symbols, 1);
	cr_assert_str_eq(make_rows(&m, 0x2000), "no lines");
	make_free(&m);
}

Test(settle, nothing_at_all)
{
	struct make m = make_begin();

	cr_assert_eq(gsym_builder_finish(m.builder, NULL, &m.bytes, &m.size,
					 NULL, NULL),
		     GSYM_NOT_FOUND);
	make_free(&m);
	m = make_begin();
	make_function(&m, 0x1000, 0x10, "");
	make_label(&m, 0x2000, 0x2000, "end");
	cr_assert_eq(gsym_builder_finish(m.builder, NULL, &m.bytes, &m.size,
					 NULL, NULL),
		     GSYM_NOT_FOUND);
	make_free(&m);
}

Test(settle, many_at_one_start)
{
	/* Symbols of one start and different sizes: each answers for the four
	 * bytes that the next shorter one leaves. */
	enum { COUNT = 3000 };
	struct make m = make_begin();

	for (uint32_t i = 0; i < COUNT; i++)
		make_symbol(&m, 0x1000, (i * 7 % COUNT + 1) * 4, "s");
	make_end(&m);
	cr_assert_eq(m.plain.function_count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		cr_assert_eq(m.plain.functions[i].start, 0x1000 + i * 4);
		cr_assert_eq(m.plain.functions[i].size, 4);
	}
	make_free(&m);
}
