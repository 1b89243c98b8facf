/* SPDX-License-Identifier: MIT */
/* The annotated example of the format's description, field by field. */
#include "answers.h"

static void check_header(const struct gsym_reader *reader, unsigned version)
{
	struct gsym_header h;

	gsym_get_header(reader, &h);
	cr_expect(h.version == version && !h.big_endian);
	cr_expect(h.address_size == 2 && h.base_address == 0x400000);
	cr_expect(h.string_offset_size == (version == 1 ? 4 : 8));
	cr_expect(h.function_count == 2 && h.file_count == 2);
	cr_assert(h.uuid_size == 8);
	cr_expect(!memcmp(h.uuid, "\x00\x11\x22\x33\x44\x55\x66\x77", 8));
	cr_expect(gsym_function_count(reader) == 2);
	cr_expect(gsym_address_at(reader, 0) == 0x401000);
	cr_expect(gsym_address_at(reader, 1) == 0x401028);
	cr_expect(gsym_address_at(reader, 2) == 0);
}

static void check_tables(const struct gsym_reader *reader)
{
	const char *directory, *basename;

	cr_expect(gsym_file_at(reader, 0, &directory, &basename) == GSYM_OK);
	cr_expect(!*directory && !*basename);
	cr_expect(gsym_file_at(reader, 1, &directory, &basename) == GSYM_OK);
	cr_expect_str_eq(directory, "/src");
	cr_expect_str_eq(basename, "ex.c");
	cr_expect(gsym_file_at(reader, 2, &directory, &basename) ==
		  GSYM_NOT_FOUND);
	cr_expect(!*directory && !*basename);
	cr_expect_str_eq(gsym_string_at(reader, 0x12), "work");
	cr_expect_str_eq(gsym_string_at(reader, 0x13), "ork");
	cr_expect(gsym_string_at(reader, 0x1a) == NULL);
	cr_expect(gsym_string_at(reader, UINT64_MAX) == NULL);
}

static void check_rows(const struct gsym_function *f)
{
	static const struct gsym_line wanted[] = {
		{ 0x401000, 1, 6 }, { 0x401009, 1, 5 }, { 0x40100e, 1, 7 },
		{ 0x40100e, 1, 1 }, { 0x40100e, 1, 2 }, { 0x401013, 1, 7 },
		{ 0x401017, 1, 6 }, { 0x40101e, 1, 9 }, { 0x401021, 1, 5 },
		{ 0x401026, 1, 8 },
	};
	struct gsym_line_iter iter;
	struct gsym_line row;

	cr_assert(gsym_lines(f, &iter, NULL) == GSYM_OK);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		cr_assert(gsym_line_next(&iter, &row, NULL) == GSYM_OK);
		cr_expect(row.address == wanted[i].address &&
			  row.file == 1 && row.line == wanted[i].line,
			  "row %zu", i);
	}
	cr_expect(gsym_line_next(&iter, &row, NULL) == GSYM_NOT_FOUND);
	cr_expect(gsym_line_next(&iter, &row, NULL) == GSYM_NOT_FOUND);
}

static void check_inlines(const struct gsym_function *f)
{
	static struct gsym_inline_iter iter;
	struct gsym_inline node;
	struct gsym_range range;

	cr_assert(gsym_inlines(f, &iter, NULL) == GSYM_OK);
	cr_assert(gsym_inline_next(&iter, &node, NULL) == GSYM_OK);
	cr_expect(node.depth == 0 && node.range_count == 1);
	cr_expect_str_eq(node.name, "work");
	cr_expect(gsym_inline_range(&node, 0, &range) == GSYM_OK);
	cr_expect(range.start == 0x401000 && range.end == 0x401028);
	cr_assert(gsym_inline_next(&iter, &node, NULL) == GSYM_OK);
	cr_expect(node.depth == 1 && node.call_file == 1 &&
		  node.call_line == 7);
	cr_expect_str_eq(node.name, "sq");
	cr_expect(gsym_inline_range(&node, 0, &range) == GSYM_OK);
	cr_expect(range.start == 0x40100e && range.end == 0x401013);
	cr_expect(gsym_inline_range(&node, 1, &range) == GSYM_NOT_FOUND);
	cr_expect(gsym_inline_next(&iter, &node, NULL) == GSYM_NOT_FOUND);
}

static void check_functions(const struct gsym_reader *reader,
			    uint64_t offset, uint64_t size)
{
	struct gsym_function f;
	uint32_t index;

	cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
	cr_expect(f.start == 0x401000 && f.size == 0x28);
	cr_expect_str_eq(f.name, "work");
	cr_expect(f.has_lines && f.has_inlines && !f.merged_count &&
		  !f.call_site_count && !f.unknown_count);
	cr_expect(f.record_offset == offset && f.record_size == size,
		  "record at %" PRIx64 ", %" PRIu64 " bytes",
		  f.record_offset, f.record_size);
	check_rows(&f);
	check_inlines(&f);
	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	cr_expect_str_eq(f.name, "_start");
	cr_expect(f.has_lines && !f.has_inlines);
	cr_expect(gsym_function_at(reader, 2, &f, NULL) == GSYM_NOT_FOUND);
	cr_expect(gsym_find_function(reader, "_start", 0, &index) == GSYM_OK);
	cr_expect(index == 1);
	cr_expect(gsym_find_function(reader, "work", 1, &index) ==
		  GSYM_NOT_FOUND);
}

static void check_answers(const struct gsym_reader *reader)
{
	expect_answer(reader, 0x3fffff, "not found");
	expect_answer(reader, 0x400fff, "not found");
	expect_answer(reader, 0x401000, "work @ /src/ex.c:6");
	expect_answer(reader, 0x40100d, "work + 13 @ /src/ex.c:5");
	expect_answer(reader, 0x40100e, "sq @ /src/ex.c:2 [inlined]; "
					"work + 14 @ /src/ex.c:7");
	expect_answer(reader, 0x401012, "sq + 4 @ /src/ex.c:2 [inlined]; "
					"work + 18 @ /src/ex.c:7");
	expect_answer(reader, 0x401013, "work + 19 @ /src/ex.c:7");
	expect_answer(reader, 0x401027, "work + 39 @ /src/ex.c:8");
	expect_answer(reader, 0x401028, "_start @ /src/ex.c:10");
	expect_answer(reader, 0x401043, "_start + 27 @ /src/ex.c:12");
	expect_answer(reader, 0x401044, "not found");
	expect_answer(reader, UINT64_MAX, "not found");
}

Test(example, version_1)
{
	struct gsym_reader *reader = open_bytes(gb_example_v1,
						sizeof(gb_example_v1));

	check_header(reader, 1);
	check_tables(reader);
	check_functions(reader, 0x6c, 0x43);
	check_answers(reader);
	cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
	gsym_close(reader);
}

Test(example, version_2)
{
	size_t size;
	uint8_t *bytes = gb_example_v2(&size);
	struct gsym_reader *reader = open_bytes(bytes, size);

	check_header(reader, 2);
	check_tables(reader);
	check_functions(reader, 0x100, 0x4f);
	check_answers(reader);
	cr_expect(gsym_verify(reader, NULL, NULL) == GSYM_OK);
	gsym_close(reader);
	free(bytes);
}
