/* SPDX-License-Identifier: MIT */
/* reader/functions and reader/walks: function records, their rows, inlined
 * calls, merged functions and call sites. */
#include "answers.h"

Test(functions, call_sites_in_any_order)
{
	for (unsigned version = 1; version <= 2; version++) {
		struct gsym_call_site site;
		struct gsym_function f;
		size_t size;
		uint8_t *bytes = gb_rich(version, version == 2, &size);
		struct gsym_reader *reader = open_bytes(bytes, size);

		cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
		cr_assert(f.call_site_count == 2);
		for (int round = 0; round < 2; round++) {
			cr_assert(gsym_call_site_at(&f, 1, &site, NULL) ==
				  GSYM_OK);
			cr_expect(site.return_offset == 0x17 &&
				  site.flags == (GSYM_CALL_INTERNAL |
						 GSYM_CALL_EXTERNAL) &&
				  site.pattern_count == 1);
			cr_expect_str_eq(gsym_call_site_pattern(&site, 0),
					 "cc");
			cr_assert(gsym_call_site_at(&f, 0, &site, NULL) ==
				  GSYM_OK);
			cr_expect(site.return_offset == 0x0d &&
				  site.flags == GSYM_CALL_INTERNAL);
			cr_expect_str_eq(gsym_call_site_pattern(&site, 0),
					 "^aa$");
			cr_expect_str_eq(gsym_call_site_pattern(&site, 1),
					 "bb.*");
			cr_expect(!gsym_call_site_pattern(&site, 2));
		}
		cr_expect(gsym_call_site_at(&f, 2, &site, NULL) ==
			  GSYM_NOT_FOUND);
		cr_assert(gsym_call_site_find(&f, 0x1027, &site, NULL) ==
			  GSYM_OK);
		cr_expect_str_eq(gsym_call_site_pattern(&site, 0), "cc");
		cr_expect(gsym_call_site_find(&f, 0x1028, &site, NULL) ==
			  GSYM_NOT_FOUND);
		gsym_close(reader);
		free(bytes);
	}
}

Test(functions, merged_ones_in_any_order)
{
	struct gsym_function f, merged;
	struct gsym_line_iter iter;
	struct gsym_line row;
	size_t size;
	uint8_t *bytes = gb_rich(2, false, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);

	cr_assert(gsym_function_at(reader, 3, &f, NULL) == GSYM_OK);
	cr_expect(f.merged_count == 2 && f.unknown_count == 1);
	cr_assert(gsym_merged_at(&f, 1, &merged, NULL) == GSYM_OK);
	cr_expect_str_eq(merged.name, "triplet");
	cr_expect(merged.start == 0x1060 && merged.size == 0x10);
	cr_assert(gsym_lines(&merged, &iter, NULL) == GSYM_OK);
	cr_assert(gsym_line_next(&iter, &row, NULL) == GSYM_OK);
	cr_expect(row.address == 0x1060 && row.line == 70);
	cr_assert(gsym_merged_at(&f, 0, &merged, NULL) == GSYM_OK);
	cr_expect_str_eq(merged.name, "twin");
	cr_expect(!merged.has_lines);
	cr_assert(gsym_lines(&merged, &iter, NULL) == GSYM_OK);
	cr_expect(gsym_line_next(&iter, &row, NULL) == GSYM_NOT_FOUND);
	cr_assert(gsym_merged_at(&f, 1, &merged, NULL) == GSYM_OK);
	cr_expect_str_eq(merged.name, "triplet");
	cr_expect(gsym_merged_at(&f, 2, &merged, NULL) == GSYM_NOT_FOUND);
	gsym_close(reader);
	free(bytes);
}

Test(functions, inline_tree_with_ranges_in_any_order)
{
	static const struct { uint32_t depth; const char *name; } wanted[] = {
		{ 0, "outer" }, { 1, "late" }, { 1, "middle" },
		{ 2, "inner" }, { 2, "" },
	};
	static struct gsym_inline_iter iter;
	struct gsym_function f;
	struct gsym_inline node;
	struct gsym_range range;
	size_t size;
	uint8_t *bytes = gb_rich(1, true, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);

	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	cr_assert(gsym_inlines(&f, &iter, NULL) == GSYM_OK);
	for (size_t i = 0; i < 5; i++) {
		cr_assert(gsym_inline_next(&iter, &node, NULL) == GSYM_OK);
		cr_expect(node.depth == wanted[i].depth &&
			  !strcmp(node.name, wanted[i].name), "%zu", i);
		if (i != 2)
			continue;
		cr_assert(node.range_count == 2);
		for (int round = 0; round < 2; round++) {
			cr_expect(!gsym_inline_range(&node, 1, &range));
			cr_expect(range.start == 0x1020 &&
				  range.end == 0x1024);
			cr_expect(!gsym_inline_range(&node, 0, &range));
			cr_expect(range.start == 0x1014 &&
				  range.end == 0x101c);
		}
	}
	/* The range of the last node is relative to the first range of its
	 * parent. */
	cr_expect(!gsym_inline_range(&node, 0, &range));
	cr_expect(range.start == 0x1018 && range.end == 0x101a);
	cr_expect(gsym_inline_next(&iter, &node, NULL) == GSYM_NOT_FOUND);
	gsym_close(reader);
	free(bytes);
}

Test(functions, damage_leaves_what_could_be_read)
{
	uint8_t bytes[sizeof(gb_example_v1)];
	struct gsym_error error = { 0 };
	struct gsym_function f;
	struct gsym_reader *reader;

	memcpy(bytes, gb_example_v1, sizeof(bytes));
	bytes[0x8f] = 0xff; /* the length of the inline tree */
	reader = open_bytes(bytes, sizeof(bytes));
	cr_expect(gsym_function_at(reader, 0, &f, &error) == GSYM_ERR_CORRUPT);
	cr_expect(error.offset == 0x8a, "%" PRIx64, error.offset);
	cr_expect_str_eq(f.name, "work");
	cr_expect(f.has_lines && !f.has_inlines);
	bytes[0x71] = 0xff; /* its name */
	cr_expect(gsym_function_at(reader, 0, &f, &error) == GSYM_ERR_CORRUPT);
	cr_expect(error.offset == 0x70);
	cr_expect_str_eq(f.name, "");
	bytes[0x35] = 0xff; /* its place */
	cr_expect(gsym_function_at(reader, 0, &f, &error) == GSYM_ERR_CORRUPT);
	cr_expect(error.offset == 0x34);
	cr_expect_str_eq(f.name, "");
	cr_expect(f.start == 0x401000);
	gsym_close(reader);
}

Test(functions, counts_that_cannot_be_true_count_nothing)
{
	struct gsym_function f;
	struct gsym_call_site site;
	struct gsym_match match;
	size_t size;
	uint8_t *bytes = gb_rich(1, false, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);

	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	bytes[f.call_sites_offset + 3] = 0x7f;
	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	cr_expect(f.call_site_count == 0);
	cr_expect(gsym_call_site_find(&f, 0x1027, &site, NULL) ==
		  GSYM_NOT_FOUND);
	cr_assert(gsym_function_at(reader, 3, &f, NULL) == GSYM_OK);
	bytes[f.merged_offset + 3] = 0x7f;
	cr_assert(gsym_function_at(reader, 3, &f, NULL) == GSYM_OK);
	cr_expect(f.merged_count == 0);
	cr_assert(gsym_lookup(reader, 0x1060, 0, NULL, 0, &match, NULL) ==
		  GSYM_OK);
	cr_expect(match.merged_count == 0);
	gsym_close(reader);
	free(bytes);
}

Test(functions, damaged_walks_say_so_once)
{
	static struct gsym_inline_iter nodes;
	struct gsym_error error = { 0 };
	struct gsym_line_iter rows;
	struct gsym_inline node;
	struct gsym_function f;
	struct gsym_line row;
	uint8_t bytes[sizeof(gb_example_v1)];
	struct gsym_reader *reader;

	memcpy(bytes, gb_example_v1, sizeof(bytes));
	bytes[0x89] = 4; /* the end of the rows */
	bytes[0x9c] = 9; /* ranges of "sq" */
	reader = open_bytes(bytes, sizeof(bytes));
	cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
	cr_assert(gsym_lines(&f, &rows, NULL) == GSYM_OK);
	for (int i = 0; i < 11; i++)
		cr_assert(gsym_line_next(&rows, &row, NULL) == GSYM_OK);
	cr_expect(gsym_line_next(&rows, &row, &error) == GSYM_ERR_CORRUPT);
	cr_expect(error.offset == 0x8a);
	cr_expect(gsym_line_next(&rows, &row, NULL) == GSYM_NOT_FOUND);
	cr_assert(gsym_inlines(&f, &nodes, NULL) == GSYM_OK);
	cr_assert(gsym_inline_next(&nodes, &node, NULL) == GSYM_OK);
	cr_expect(gsym_inline_next(&nodes, &node, &error) ==
		  GSYM_ERR_CORRUPT);
	cr_expect(error.offset == 0x9c);
	cr_expect(gsym_inline_next(&nodes, &node, NULL) == GSYM_NOT_FOUND);
	gsym_close(reader);
}

Test(functions, finding_a_name_passes_over_damage)
{
	uint8_t bytes[sizeof(gb_example_v1)];
	struct gsym_reader *reader;
	uint32_t index = 9;

	memcpy(bytes, gb_example_v1, sizeof(bytes));
	bytes[0x35] = 0xff;
	reader = open_bytes(bytes, sizeof(bytes));
	cr_expect(gsym_find_function(reader, "work", 0, &index) ==
		  GSYM_NOT_FOUND);
	cr_expect(index == 9);
	cr_expect(gsym_find_function(reader, "_start", 0, &index) == GSYM_OK);
	cr_expect(index == 1);
	gsym_close(reader);
}

Test(functions, build_ids)
{
	static const uint8_t id[24] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const uint8_t other[24] = { 1, 2, 3, 4, 5, 6, 7, 9, 9, 10 };

	cr_expect(gsym_uuid_matches(id, 20, id, 20));
	cr_expect(gsym_uuid_matches(id, 20, id, 24));
	cr_expect(gsym_uuid_matches(id, 24, id, 8));
	cr_expect(!gsym_uuid_matches(id, 24, id, 7));
	cr_expect(gsym_uuid_matches(id, 7, other, 7));
	cr_expect(!gsym_uuid_matches(id, 8, other, 8));
	cr_expect(!gsym_uuid_matches(id, 20, other, 8));
	cr_expect(!gsym_uuid_matches(NULL, 0, id, 20));
	cr_expect(!gsym_uuid_matches(NULL, 0, NULL, 0));
}
