/* SPDX-License-Identifier: MIT */
/* reader/functions: function records, their rows, inlined calls, merged
 * functions and call sites. */
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
	bytes[f.info[GSYM_INFO_CALL_SITES].offset + 3] = 0x7f;
	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	cr_expect(f.call_site_count == 0);
	cr_expect(gsym_call_site_find(&f, 0x1027, &site, NULL) ==
		  GSYM_NOT_FOUND);
	cr_assert(gsym_function_at(reader, 3, &f, NULL) == GSYM_OK);
	bytes[f.info[GSYM_INFO_MERGED].offset + 3] = 0x7f;
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

/* ---- lists end with their tuple ----------------------------------------- */

/* A record with a list of two merged functions and a list of two call sites.
 * The tuple of each list ends CUT bytes before the end of its last entry.  A
 * reader that goes on beyond the tuple finds the missing bytes there. */
static uint8_t *cut_lists(unsigned version, size_t cut, size_t *size)
{
	struct gsym_emit *e;
	size_t tuple;
	struct gb b;

	gb_init(&b, version, false, 4, 0);
	e = gb_record(&b, 0x100, 0x10, "f");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, 2);
	for (int i = 0; i < 2; i++) {
		gsym_emit_u32(e, version == 1 ? 24 : 28);
		gsym_emit_u32(e, 0x10);
		gb_strp(&b, e, gb_string(&b, i ? "second" : "first"));
		/* An empty tuple of unknown kind, and the end. */
		gsym_emit_u64(e, 9);
		gsym_emit_u64(e, 0);
	}
	gsym_emit_patch_u32(e, tuple - 4, (uint32_t)(e->size - tuple - cut));
	/* The zero bytes at the end of the list now belong to the next tuple:
	 * its type and length consist of the bytes after them. */
	e->size -= cut;
	tuple = gb_tuple(&b, 4);
	gsym_emit_u32(e, 2);
	for (int i = 0; i < 2; i++) {
		gsym_emit_u64(e, i ? 8 : 4);
		gsym_emit_u8(e, GSYM_CALL_INTERNAL);
		gsym_emit_u32(e, 2);
		gb_strp(&b, e, gb_string(&b, "x"));
		gb_strp(&b, e, 0);
	}
	gsym_emit_patch_u32(e, tuple - 4, (uint32_t)(e->size - tuple - cut));
	e->size -= cut;
	gb_record_end(&b);
	return gb_finish(&b, size);
}

Test(functions, lists_end_with_their_tuple)
{
	for (unsigned version = 1; version <= 2; version++)
		for (size_t cut = 0; cut < 4; cut++) {
			enum gsym_status last = cut ? GSYM_ERR_CORRUPT :
						      GSYM_OK;
			struct gsym_error error = { 0 };
			struct gsym_function f, merged;
			struct gsym_call_site site;
			struct gsym_reader *reader;
			char wanted[80];
			uint64_t end;
			size_t size;
			uint8_t *bytes = cut_lists(version, cut, &size);

			reader = open_bytes(bytes, size);
			cr_assert(!gsym_function_at(reader, 0, &f, NULL));
			cr_assert(f.merged_count == 2 &&
				  f.call_site_count == 2);
			cr_expect(gsym_merged_at(&f, 1, &merged, &error) ==
				  last);
			snprintf(wanted, sizeof(wanted), "merged functions of "
				 "the record at offset 0x%" PRIx64 " are cut "
				 "off", f.record_offset);
			if (cut)
				cr_expect(error.offset ==
					  f.info[GSYM_INFO_MERGED].offset +
					  (version == 1 ? 36 : 40) &&
					  !strcmp(error.message, wanted),
					  "0x%" PRIx64, error.offset);
			cr_expect(gsym_merged_at(&f, 0, &merged, NULL) ==
				  GSYM_OK);
			cr_expect_str_eq(merged.name, "first");
			cr_expect(gsym_call_site_at(&f, 1, &site, &error) ==
				  last);
			end = f.info[GSYM_INFO_CALL_SITES].offset +
			      f.info[GSYM_INFO_CALL_SITES].size;
			if (cut)
				cr_expect(error.offset <= end);
			cr_expect(gsym_call_site_find(&f, 0x108, &site,
						      &error) == last);
			snprintf(wanted, sizeof(wanted), "call sites of the "
				 "record at offset 0x%" PRIx64 " are cut off",
				 f.record_offset);
			if (cut)
				cr_expect(error.offset <= end &&
					  !strcmp(error.message, wanted));
			cr_expect(gsym_call_site_find(&f, 0x104, &site,
						      NULL) == GSYM_OK);
			gsym_close(reader);
			free(bytes);
		}
}

/* A list of COUNT entries in a tuple of too few bytes for them has none; with
 * just enough bytes it has all. */
Test(functions, counts_that_fit_exactly)
{
	for (size_t lacking = 0; lacking < 2; lacking++) {
		struct gsym_emit *e;
		struct gsym_function f;
		struct gsym_reader *reader;
		uint8_t *bytes;
		size_t tuple, size;
		struct gb b;

		gb_init(&b, 2, true, 4, 0);
		e = gb_record(&b, 0x100, 0x10, "f");
		for (uint32_t type = 3; type <= 4; type++) {
			size_t entry = type == 3 ? 4 + 4 + 8 + 8 : 8 + 1 + 4;

			tuple = gb_tuple(&b, type);
			gsym_emit_u32(e, 3);
			for (size_t i = lacking; i < 3 * entry; i++)
				gsym_emit_u8(e, 0);
			gb_tuple_end(&b, tuple);
		}
		gb_record_end(&b);
		bytes = gb_finish(&b, &size);
		reader = open_bytes(bytes, size);
		cr_assert(!gsym_function_at(reader, 0, &f, NULL));
		cr_expect(f.merged_count == (lacking ? 0 : 3));
		cr_expect(f.call_site_count == (lacking ? 0 : 3));
		gsym_close(reader);
		free(bytes);
	}
}

/* ---- walks over trees --------------------------------------------------- */

/* A function at 0x100 whose inline tree is the COUNT bytes at TREE.  String
 * offsets have 4 bytes. */
static struct gsym_reader *with_tree(const void *tree, size_t count,
				     struct gsym_function *f, uint8_t **bytes)
{
	struct gsym_reader *reader;
	struct gsym_emit *e;
	size_t tuple, size;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	e = gb_record(&b, 0x100, 0x10, "f");
	tuple = gb_tuple(&b, 2);
	gsym_emit_bytes(e, tree, count);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	*bytes = gb_finish(&b, &size);
	reader = open_bytes(*bytes, size);
	cr_assert(gsym_function_at(reader, 0, f, NULL) == GSYM_OK);
	return reader;
}

/* The number of nodes of a tree; -1 if it is damaged. */
static int count_nodes(const struct gsym_function *f)
{
	static struct gsym_inline_iter iter;
	struct gsym_inline node;
	enum gsym_status status;
	int count = 0;

	cr_assert(gsym_inlines(f, &iter, NULL) == GSYM_OK);
	while ((status = gsym_inline_next(&iter, &node, NULL)) == GSYM_OK)
		count++;
	for (int i = 0; i < 3; i++)
		cr_expect(gsym_inline_next(&iter, &node, NULL) ==
			  GSYM_NOT_FOUND, "an end remains one");
	return status == GSYM_NOT_FOUND ? count : -1;
}

/* A node of one range, 0 to 16, that has children or not. */
#define LEAF "\1\0\x10\0\0\0\0\0\0\0"
#define PARENT "\1\0\x10\1\0\0\0\0\0\0"
#define END "\0"

Test(functions, a_walk_ends_with_the_tree)
{
	static const struct {
		const char *tree;
		size_t size;
		int nodes;
	} cases[] = {
#define CASE(tree, nodes) { tree, sizeof(tree) - 1, nodes }
		CASE("", -1), CASE(END, 0), CASE(LEAF, 1),
		/* The root has no siblings: what follows is not read. */
		CASE(LEAF LEAF, 1), CASE(LEAF END LEAF, 1),
		CASE(END LEAF, 0), CASE(END END LEAF, 0),
		CASE(PARENT END, 1), CASE(PARENT END LEAF, 1),
		CASE(PARENT END END LEAF, 1),
		CASE(PARENT LEAF LEAF END, 3),
		CASE(PARENT LEAF LEAF END LEAF, 3),
		CASE(PARENT PARENT LEAF END LEAF END LEAF, 4),
		CASE(PARENT PARENT END END, 2),
		CASE(PARENT, -1), CASE(PARENT LEAF, -1),
		CASE(PARENT PARENT END, -1),
#undef CASE
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct gsym_function f;
		uint8_t *bytes;
		struct gsym_reader *reader = with_tree(
			cases[i].tree, cases[i].size, &f, &bytes);

		cr_expect(count_nodes(&f) == cases[i].nodes, "case %zu", i);
		gsym_close(reader);
		free(bytes);
	}
}

/* A second tuple of one kind replaces the first. */
Test(functions, the_last_tuple_of_a_kind_counts)
{
	struct gsym_function f;
	struct gsym_line_iter rows;
	struct gsym_line row;
	struct gsym_reader *reader;
	uint8_t *bytes;
	size_t size;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	gb_file(&b, "", "a.c");
	gb_record(&b, 0x100, 0x10, "f");
	gb_lines(&b, (struct gb_row[]){ { 0, 1, 10 } }, 1);
	gb_lines(&b, (struct gb_row[]){ { 0, 1, 20 } }, 1);
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
	cr_assert(gsym_lines(&f, &rows, NULL) == GSYM_OK);
	cr_assert(gsym_line_next(&rows, &row, NULL) == GSYM_OK);
	cr_expect(row.line == 20);
	expect_answer(reader, 0x101, "f + 1 @ a.c:20");
	gsym_close(reader);
	free(bytes);
}

/* The extents of the sections, as the header has them. */
Test(functions, sections_of_the_header)
{
	static const struct {
		uint64_t offset, size;
	} wanted[GSYM_SECTION_COUNT] = {
		[GSYM_SECTION_HEADER] = { 0, 48 },
		[GSYM_SECTION_DIRECTORY] = { 0, 0 },
		[GSYM_SECTION_UUID] = { 28, 8 },
		[GSYM_SECTION_ADDRESSES] = { 0x30, 4 },
		[GSYM_SECTION_ADDRESS_INFO] = { 0x34, 8 },
		[GSYM_SECTION_FILES] = { 0x3c, 20 },
		[GSYM_SECTION_STRINGS] = { 0x50, 26 },
		[GSYM_SECTION_FUNCTIONS] = { 0x6c, 209 - 0x6c },
		[GSYM_SECTION_CHECKSUM] = { 0, 0 },
	};
	struct gsym_reader *reader = open_bytes(gb_example_v1,
						sizeof(gb_example_v1));
	struct gsym_header h;

	gsym_get_header(reader, &h);
	for (int i = 0; i < GSYM_SECTION_COUNT; i++)
		cr_expect(h.sections[i].offset == wanted[i].offset &&
			  h.sections[i].size == wanted[i].size, "%d", i);
	cr_expect(h.image_offset == 0 && h.image_size == 209);
	gsym_close(reader);
}

/* A tuple says something about its own kind alone. */
Test(functions, kinds_of_tuples)
{
	for (uint32_t type = 1; type <= 5; type++) {
		struct gsym_function f;
		struct gsym_reader *reader;
		uint8_t *bytes;
		size_t size, tuple;
		struct gb b;

		gb_init(&b, 1, false, 4, 0);
		gb_record(&b, 0x100, 0x10, "f");
		tuple = gb_tuple(&b, type);
		/* As a list: one entry. */
		gsym_emit_u32(&b.records, 1);
		for (int i = 0; i < 40; i++)
			gsym_emit_u8(&b.records, 0);
		gb_tuple_end(&b, tuple);
		gb_record_end(&b);
		bytes = gb_finish(&b, &size);
		reader = open_bytes(bytes, size);
		cr_assert(gsym_function_at(reader, 0, &f, NULL) == GSYM_OK);
		cr_expect(f.has_lines == (type == 1));
		cr_expect(f.info[GSYM_INFO_LINES].size == (type == 1 ? 44 : 0));
		cr_expect(f.has_inlines == (type == 2));
		cr_expect(f.info[GSYM_INFO_INLINES].size ==
			  (type == 2 ? 44 : 0));
		cr_expect(f.merged_count == (type == 3));
		cr_expect(f.info[GSYM_INFO_MERGED].size ==
			  (type == 3 ? 44 : 0));
		cr_expect(f.call_site_count == (type == 4));
		cr_expect(f.info[GSYM_INFO_CALL_SITES].size ==
			  (type == 4 ? 44 : 0));
		cr_expect(f.unknown_count == (type == 5));
		gsym_close(reader);
		free(bytes);
	}
}

/* Each pointer that has to be there is NULL once. */
Test(functions, arguments_that_are_missing)
{
	static struct gsym_inline_iter nodes;
	const enum gsym_status bad = GSYM_ERR_ARGUMENT;
	struct gsym_frame frame;
	struct gsym_match match = { .index = 3 };
	struct gsym_function f, merged;
	struct gsym_line_iter rows;
	struct gsym_call_site site;
	struct gsym_inline node;
	struct gsym_range range;
	struct gsym_line row;
	const char *text;
	uint32_t index;
	size_t size;
	uint8_t *bytes = gb_rich(1, false, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);

	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	cr_assert(gsym_lines(&f, &rows, NULL) == GSYM_OK);
	cr_assert(gsym_inlines(&f, &nodes, NULL) == GSYM_OK);
	cr_assert(gsym_inline_next(&nodes, &node, NULL) == GSYM_OK);
	cr_expect(gsym_function_at(NULL, 1, &f, NULL) == bad);
	cr_expect(gsym_function_at(reader, 1, NULL, NULL) == bad);
	cr_expect(gsym_find_function(NULL, "f", 0, &index) == bad);
	cr_expect(gsym_find_function(reader, NULL, 0, &index) == bad);
	cr_expect(gsym_find_function(reader, "f", 0, NULL) == bad);
	cr_expect(gsym_merged_at(NULL, 0, &merged, NULL) == bad);
	cr_expect(gsym_merged_at(&f, 0, NULL, NULL) == bad);
	cr_expect(gsym_call_site_at(NULL, 0, &site, NULL) == bad);
	cr_expect(gsym_call_site_at(&f, 0, NULL, NULL) == bad);
	cr_expect(gsym_call_site_find(NULL, 0, &site, NULL) == bad);
	cr_expect(gsym_call_site_find(&f, 0, NULL, NULL) == bad);
	cr_expect(gsym_call_site_pattern(NULL, 0) == NULL);
	cr_expect(gsym_lookup(NULL, 0, 0, &frame, 1, &match, NULL) == bad);
	cr_expect(gsym_lookup_merged(NULL, &match, 0, 0, &frame, 1, NULL,
				     NULL) == bad);
	cr_expect(gsym_lookup_merged(reader, NULL, 0, 0, &frame, 1, NULL,
				     NULL) == bad);
	cr_expect(gsym_file_at(NULL, 0, &text, &text) == bad);
	cr_expect(gsym_file_at(reader, 0, NULL, &text) == bad);
	cr_expect(gsym_file_at(reader, 0, &text, NULL) == bad);
	cr_expect(gsym_lines(NULL, &rows, NULL) == bad);
	cr_expect(gsym_lines(&f, NULL, NULL) == bad);
	cr_expect(gsym_line_next(NULL, &row, NULL) == bad);
	cr_expect(gsym_line_next(&rows, NULL, NULL) == bad);
	cr_expect(gsym_inlines(NULL, &nodes, NULL) == bad);
	cr_expect(gsym_inlines(&f, NULL, NULL) == bad);
	cr_expect(gsym_inline_next(NULL, &node, NULL) == bad);
	cr_expect(gsym_inline_next(&nodes, NULL, NULL) == bad);
	cr_expect(gsym_inline_range(NULL, 0, &range) == bad);
	cr_expect(gsym_inline_range(&node, 0, NULL) == bad);
	cr_expect(gsym_verify(NULL, NULL, NULL) == bad);
	gsym_close(reader);
	free(bytes);
}
