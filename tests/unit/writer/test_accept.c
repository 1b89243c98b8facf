/* SPDX-License-Identifier: MIT */
/* Records that gsym_builder_record accepts and refuses; how inlined calls, call
 * sites and merged functions are stored. */
#include "support/make.h"

#include <gsym/reader.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* Whether RECORD is refused; if so nothing of it may get into the file. */
static bool refused(const struct gsym_record *record)
{
	struct make m = make_begin();
	enum gsym_status status;

	make_file(&m, "a.c"); /* number 2; its strings are 2 and 3 */
	make_symbol(&m, 0x9000, 1, "s"); /* string 4 */
	status = gsym_builder_record(m.builder, record);
	make_end(&m);
	if (status == GSYM_OK) {
		make_free(&m);
		return false;
	}
	cr_assert_eq(status, GSYM_ERR_ARGUMENT);
	cr_assert_str_eq(make_list(&m), "9000+1 s");
	cr_assert_eq(m.summary.dropped, 0);
	make_free(&m);
	return true;
}

static const struct gsym_record good = { .rank = GSYM_RANK_FUNCTION,
					 .start = 0x1000,
					 .size = 0x20,
					 .name = 1 };

Test(accept, frames)
{
	struct gsym_builder *b = gsym_builder_new();
	struct gsym_record r = good;

	cr_assert_not(refused(&r));
	r.name = 1000;
	cr_assert(refused(&r), "a name that was not given");
	r = good;
	r.rank = (enum gsym_rank)3;
	cr_assert(refused(&r), "an unknown rank");
	r = good;
	r.name_kind = (enum gsym_name_kind)5;
	cr_assert(refused(&r), "an unknown kind of name");
	r = good;
	r.size = (uint64_t)UINT32_MAX + 1;
	cr_assert(refused(&r), "more than 32 bits of size");
	r.size = UINT32_MAX;
	cr_assert_not(refused(&r));
	r.start = UINT64_MAX - r.size + 1;
	cr_assert(refused(&r), "an end beyond the last address");
	r.start--;
	cr_assert_eq(gsym_builder_record(b, &r), GSYM_OK);
	gsym_builder_free(b);
	r = good;
	r.rank = GSYM_RANK_LABEL;
	cr_assert(refused(&r), "a label with a size");
}

/* The numbers after the last string and the last file that refused() adds. */
Test(accept, numbers_that_were_not_given)
{
	enum { STRING = 5, FILE_NUMBER = 3 };
	struct gsym_range range = { 0x1004, 0x1008 };
	struct gsym_row row = { 0, FILE_NUMBER, 1 };
	struct gsym_inline_node node = { 1, 1, 2, 5, 0, 1 };
	uint32_t pattern = STRING;
	struct gsym_record r = good;

	r.name = STRING;
	cr_assert(refused(&r));
	r.name--;
	cr_assert_not(refused(&r));
	r.rows = &row;
	r.row_count = 1;
	cr_assert(refused(&r));
	row.file--;
	cr_assert_not(refused(&r));
	r.inlines = &node;
	r.inline_count = 1;
	r.inline_ranges = &range;
	node.name = STRING;
	cr_assert(refused(&r));
	node.name--;
	node.call_file = FILE_NUMBER;
	cr_assert(refused(&r));
	node.call_file--;
	cr_assert_not(refused(&r));
	r.calls = &(struct gsym_call){ 4, 0, 0, 1 };
	r.call_count = 1;
	r.call_patterns = &pattern;
	cr_assert(refused(&r));
	pattern--;
	cr_assert_not(refused(&r));
}

Test(accept, records_of_no_bytes_have_nothing_but_a_name)
{
	struct gsym_range range = { 0x1000, 0x1000 };
	struct gsym_row row = { 0, 2, 1 };
	struct gsym_inline_node node = { 1, 1, 2, 5, 0, 1 };
	struct gsym_call call = { 0, 0, 0, 0 };
	struct gsym_record empty = good, r;

	empty.size = 0;
	cr_assert_not(refused(&empty));
	r = empty;
	r.rows = &row;
	r.row_count = 1;
	cr_assert(refused(&r));
	r = empty;
	r.inlines = &node;
	r.inline_count = 1;
	r.inline_ranges = &range;
	cr_assert(refused(&r));
	r = empty;
	r.calls = &call;
	r.call_count = 1;
	cr_assert(refused(&r));
	r = empty;
	r.merged = &empty;
	r.merged_count = 1;
	cr_assert(refused(&r));
	r = empty;
	r.folded = true;
	cr_assert(refused(&r));
}

Test(accept, rows)
{
	struct gsym_row rows[2] = { { 0, 2, 1 }, { 4, 2, 2 } };
	struct gsym_record r = good;

	r.rows = rows;
	r.row_count = 2;
	cr_assert_not(refused(&r));
	rows[1].offset = 0x20;
	cr_assert(refused(&r), "a row after the end of the function");
	rows[1].offset = 4;
	rows[0].offset = 5;
	cr_assert(refused(&r), "rows out of order");
	rows[0].offset = 0;
	rows[1].file = 77;
	cr_assert(refused(&r), "a file that was not given");
	rows[1].file = GSYM_FILE_UNKNOWN;
	cr_assert_not(refused(&r));
	/* The file of a row that the next row replaces is checked, too. */
	rows[0].file = 77;
	rows[1].offset = 0;
	cr_assert(refused(&r), "a file that was not given");
	rows[0].file = 2;
	r.size = 0;
	cr_assert(refused(&r), "rows of no bytes");
}

Test(accept, inlines)
{
	struct gsym_range ranges[] = { { 0x1004, 0x1010 }, { 0x1014, 0x1018 },
				       { 0x1006, 0x1008 } };
	struct gsym_inline_node nodes[] = { { 1, 1, 2, 5, 0, 2 },
					    { 2, 1, 2, 6, 2, 1 } };
	struct gsym_record r = good;

	r.inlines = nodes;
	r.inline_count = 2;
	r.inline_ranges = ranges;
	cr_assert_not(refused(&r));
	nodes[0].depth = 0;
	cr_assert(refused(&r), "the depth of the function itself");
	nodes[0].depth = 2;
	cr_assert(refused(&r), "a child without a parent");
	nodes[0].depth = 1;
	nodes[1].depth = 3;
	cr_assert(refused(&r), "a level is missing");
	nodes[1].depth = 2;
	nodes[1].name = 1000;
	cr_assert(refused(&r), "a name that was not given");
	nodes[1].name = 0;
	nodes[1].call_file = 77;
	cr_assert(refused(&r), "a file that was not given");
	nodes[1].call_file = GSYM_FILE_UNKNOWN;
	cr_assert_not(refused(&r));
	nodes[1].range_count = 0;
	cr_assert(refused(&r), "a node without a range");
	nodes[1].range_count = 1;
	ranges[2] = (struct gsym_range){ 0x1008, 0x1008 };
	cr_assert(refused(&r), "an empty range");
	ranges[2] = (struct gsym_range){ 0x1008, 0x1011 };
	cr_assert(refused(&r), "a range that leaves the parent");
	ranges[2] = (struct gsym_range){ 0x1008, 0x1018 };
	cr_assert(refused(&r), "a range across two of the parent");
	ranges[2] = (struct gsym_range){ 0x1002, 0x1006 };
	cr_assert(refused(&r), "a range before the parent");
	ranges[2] = (struct gsym_range){ 0x1011, 0x1013 };
	cr_assert(refused(&r), "a range between those of the parent");
	ranges[2] = (struct gsym_range){ 0x1014, 0x1018 };
	cr_assert_not(refused(&r));
	ranges[1] = (struct gsym_range){ 0x1014, 0x1021 };
	cr_assert(refused(&r), "a range beyond the end of the function");
	ranges[1] = (struct gsym_range){ 0xffc, 0x1002 };
	cr_assert(refused(&r), "a range before the function");
	ranges[1] = (struct gsym_range){ 0x100e, 0x1018 };
	cr_assert(refused(&r), "ranges that overlap");
	ranges[0] = (struct gsym_range){ 0x1018, 0x101c };
	cr_assert(refused(&r), "ranges out of order");
}

Test(accept, touching_ranges_are_joined)
{
	struct make m = make_begin();
	struct gsym_range ranges[] = { { 0x1004, 0x1008 }, { 0x1008, 0x100c },
				       { 0x1010, 0x1014 }, { 0x1006, 0x100a } };
	struct gsym_inline_node nodes[] = {
		{ 1, make_string(&m, "a"), GSYM_FILE_UNKNOWN, 5, 0, 3 },
		{ 2, make_string(&m, "b"), GSYM_FILE_UNKNOWN, 6, 3, 1 }
	};
	struct gsym_record r = good;

	r.inlines = nodes;
	r.inline_count = 2;
	r.inline_ranges = ranges;
	make_record(&m, &r);
	make_end(&m);
	cr_assert_str_eq(make_inlines(&m, 0x1000),
			 "1 a [1004,100c)[1010,1014) /??:5; "
			 "2 b [1006,100a) /??:6");
	make_free(&m);
}

Test(accept, depth_of_inlines)
{
	enum { MOST = GSYM_MAX_INLINE_DEPTH };
	struct gsym_range range = { 0x1000, 0x1004 };
	struct gsym_inline_node *nodes = calloc(MOST + 1, sizeof(*nodes));
	struct gsym_record r = good;
	struct make m = make_begin();

	cr_assert_not_null(nodes);
	for (uint32_t i = 0; i <= MOST; i++)
		nodes[i] = (struct gsym_inline_node){
			i + 1, 0, GSYM_FILE_UNKNOWN, i, 0, 1
		};
	r.inlines = nodes;
	r.inline_ranges = &range;
	r.inline_count = MOST + 1;
	cr_assert(refused(&r), "a level too many");
	r.inline_count = MOST;
	make_record(&m, &r);
	make_end(&m);
	cr_assert_eq(m.plain.functions->inline_count, MOST + 1);
	cr_assert_eq(m.plain.functions->inlines[MOST].depth, MOST);
	make_free(&m);
	free(nodes);
}

Test(accept, siblings_at_all_levels)
{
	struct make m = make_begin();
	struct gsym_range range = { 0x1000, 0x1004 };
	uint32_t n = make_string(&m, "n"), file = make_file(&m, "a.c");
	static const uint32_t depths[] = { 1, 2, 3, 3, 2, 1, 1, 2 };
	struct gsym_inline_node nodes[8];
	struct gsym_record r = good;

	for (uint32_t i = 0; i < 8; i++)
		nodes[i] = (struct gsym_inline_node){ depths[i], n, file, i,
						      0, 1 };
	r.inlines = nodes;
	r.inline_count = 8;
	r.inline_ranges = &range;
	make_record(&m, &r);
	make_end(&m);
	for (uint32_t i = 0; i < 8; i++) {
		cr_assert_eq(m.plain.functions->inlines[i + 1].depth,
			     depths[i]);
		cr_assert_eq(m.plain.functions->inlines[i + 1].call_line, i);
	}
	make_free(&m);
}

Test(accept, call_sites)
{
	struct make m = make_begin();
	uint32_t patterns[] = { make_string(&m, "^aa$"),
				make_string(&m, "bb.*"),
				make_string(&m, "cc") };
	struct gsym_call calls[] = {
		{ 0x17, 3, 2, 1 }, { 0x0d, 1, 0, 2 }, { 0x20, 0, 0, 0 }
	};
	struct gsym_record r = good;
	const struct plain_call *out;

	r.calls = calls;
	r.call_count = 3;
	r.call_patterns = patterns;
	calls[2].return_offset = 0x21;
	cr_assert_eq(gsym_builder_record(m.builder, &r), GSYM_ERR_ARGUMENT);
	calls[2].return_offset = 0x20;
	patterns[2] = 1000;
	cr_assert_eq(gsym_builder_record(m.builder, &r), GSYM_ERR_ARGUMENT);
	patterns[2] = patterns[0];
	make_record(&m, &r);
	make_end(&m);
	cr_assert_eq(m.summary.call_sites, 3);
	cr_assert_eq(m.plain.functions->call_count, 3);
	out = m.plain.functions->calls;
	cr_assert_eq(out[0].return_offset, 0x17);
	cr_assert_eq(out[0].flags, 3);
	cr_assert_eq(out[0].pattern_count, 1);
	cr_assert_str_eq(out[0].patterns[0], "^aa$");
	cr_assert_eq(out[1].return_offset, 0x0d);
	cr_assert_eq(out[1].pattern_count, 2);
	cr_assert_str_eq(out[1].patterns[1], "bb.*");
	cr_assert_eq(out[2].return_offset, 0x20);
	cr_assert_eq(out[2].pattern_count, 0);
	make_free(&m);
}

/* Room for patterns is made by their number. */
Test(accept, calls_with_many_patterns)
{
	enum { PATTERNS = 3000 };
	struct make m = make_begin();
	uint32_t patterns[PATTERNS];
	struct gsym_call call = { 4, 0, 0, PATTERNS };
	struct gsym_record r = good;

	for (uint32_t i = 0; i < PATTERNS; i++)
		patterns[i] = make_string(&m, i % 2 ? "odd" : "even");
	r.calls = &call;
	r.call_count = 1;
	r.call_patterns = patterns;
	make_record(&m, &r);
	make_end(&m);
	cr_assert_eq(m.plain.functions->calls[0].pattern_count, PATTERNS);
	for (uint32_t i = 0; i < PATTERNS; i++)
		cr_assert_str_eq(m.plain.functions->calls[0].patterns[i],
				 i % 2 ? "odd" : "even");
	make_free(&m);
}

Test(accept, merged_functions)
{
	struct make m = make_begin();
	struct gsym_row row = { 4, make_file(&m, "m.c"), 7 };
	struct gsym_record merged[] = { good, good, good };
	struct gsym_record inner = good, r = good;

	r.merged = merged;
	r.merged_count = 3;
	merged[0].name = make_string(&m, "bb");
	merged[0].rows = &row;
	merged[0].row_count = 1;
	merged[1].name = 0; /* is dropped */
	merged[2].name = make_string(&m, "cc");

	merged[2].size = 0x10;
	cr_assert_eq(gsym_builder_record(m.builder, &r), GSYM_ERR_ARGUMENT);
	merged[2].size = 0x20;
	merged[2].start = 0x1004;
	cr_assert_eq(gsym_builder_record(m.builder, &r), GSYM_ERR_ARGUMENT);
	merged[2].start = 0x1000;
	merged[2].merged = &inner;
	merged[2].merged_count = 1;
	cr_assert_eq(gsym_builder_record(m.builder, &r), GSYM_ERR_ARGUMENT);
	merged[2].merged_count = 0;
	row.offset = 0x20;
	cr_assert_eq(gsym_builder_record(m.builder, &r), GSYM_ERR_ARGUMENT);
	row.offset = 4;
	make_record(&m, &r);
	make_end(&m);
	cr_assert_eq(m.summary.merged, 2);
	cr_assert_eq(m.plain.functions->merged_count, 2);
	cr_assert_str_eq(m.plain.functions->merged[0].name, "bb");
	cr_assert_eq(m.plain.functions->merged[0].row_count, 2);
	cr_assert_str_eq(m.plain.functions->merged[1].name, "cc");
	cr_assert_not(m.plain.functions->merged[1].has_lines);
	make_free(&m);
}

Test(accept, strings_and_files)
{
	struct make m = make_begin();
	uint32_t a, b, file;

	cr_assert_eq(gsym_builder_string(m.builder, NULL, 0, &a), GSYM_OK);
	cr_assert_eq(a, 0);
	cr_assert_eq(gsym_builder_string(m.builder, "a\0b", 3, &a),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_string(m.builder, "abc", 2, &a), GSYM_OK);
	cr_assert_eq(gsym_builder_string(m.builder, "ab", 2, &b), GSYM_OK);
	cr_assert_eq(a, b);
	/* The next string would get the number after A. */
	cr_assert_eq(gsym_builder_file(m.builder, a, a + 1, &file),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_file(m.builder, a + 1, a, &file),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_file(m.builder, a, a, &file), GSYM_OK);
	make_free(&m);
}

Test(accept, many_strings_at_once_get_the_numbers_of_single_ones)
{
	enum { COUNT = 1000 };
	struct make m = make_begin();
	struct gsym_sink sink = gsym_builder_sink(m.builder);
	struct gsym_text texts[COUNT];
	uint32_t numbers[COUNT];
	char bytes[COUNT][8];

	/* Each string comes twice; one was added before. */
	make_string(&m, "n7");
	for (uint32_t i = 0; i < COUNT; i++) {
		int length = snprintf(bytes[i], sizeof(bytes[i]), "n%u",
				      i % (COUNT / 2));

		texts[i] = (struct gsym_text){ bytes[i], (size_t)length };
	}
	cr_assert_eq(sink.strings(sink.self, texts, COUNT, numbers), GSYM_OK);
	for (uint32_t i = 0; i < COUNT; i++)
		cr_assert_eq(numbers[i], make_string(&m, bytes[i]));
	cr_assert_eq(sink.strings(sink.self, texts, 0, NULL), GSYM_OK);
	/* A string with a NUL is refused, even if it is the last one. */
	texts[COUNT - 1] = (struct gsym_text){ "a\0b", 3 };
	cr_expect_eq(sink.strings(sink.self, texts, COUNT, numbers),
		     GSYM_ERR_ARGUMENT);
	make_free(&m);
}

Test(accept, a_temporary_directory)
{
	struct make m = make_begin();
	struct gsym_error error;

	cr_expect(gsym_builder_set_temporary_directory(m.builder, NULL,
						       &error) ==
		  GSYM_ERR_ARGUMENT);
	cr_expect(gsym_builder_set_temporary_directory(
			  m.builder, "/dev/null/none", &error) == GSYM_ERR_IO);
	cr_expect(strstr(error.message, "Not a directory"), "%s",
		  error.message);
	/* The builder is unchanged. */
	cr_expect(gsym_builder_set_temporary_directory(m.builder, ".",
						       &error) == GSYM_OK);
	cr_expect(gsym_builder_set_temporary_directory(m.builder, ".",
						       &error) ==
		  GSYM_ERR_ARGUMENT);
	make_symbol(&m, 0x1000, 1, "s");
	make_end(&m);
	cr_expect_str_eq(make_list(&m), "1000+1 s");
	cr_expect(gsym_builder_set_temporary_directory(m.builder, ".", NULL) ==
		  GSYM_ERR_ARGUMENT);
	make_free(&m);
}
