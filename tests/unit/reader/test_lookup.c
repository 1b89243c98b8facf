/* SPDX-License-Identifier: MIT */
/* reader/lookup: from an address to frames. */
#include "answers.h"

static struct gsym_reader *rich(unsigned version, bool big, uint8_t **bytes)
{
	size_t size;

	*bytes = gb_rich(version, big, &size);
	return open_bytes(*bytes, size);
}

static void check_rich(const struct gsym_reader *reader)
{
	expect_answer(reader, 0x100f, "label + 15");
	expect_answer(reader, 0x1010, "outer @ /src/a.c:10");
	expect_answer(reader, 0x1014, "middle @ b.h:3 [inlined]; "
				      "outer + 4 @ /src/a.c:10");
	expect_answer(reader, 0x1016, "inner @ b.h:3 [inlined]; "
				      "middle + 2 @ b.h:2 [inlined]; "
				      "outer + 6 @ /src/a.c:10");
	/* An inlined call without name and call site still has a frame. */
	expect_answer(reader, 0x1019, " + 1 @ b.h:3 [inlined]; "
				      "middle + 5 [inlined]; "
				      "outer + 9 @ /src/a.c:10");
	/* In a later range, too, offsets count from the first range. */
	expect_answer(reader, 0x1020, "nested");
	expect_answer(reader, 0x1028, "outer + 24 @ /src/a.c:11");
	expect_answer(reader, 0x1030, "late @ /src/a.c:11 [inlined]; "
				      "outer + 32 @ /src/a.c:12");
	/* A row whose file has no name. */
	expect_answer(reader, 0x103c, "outer + 44");
	expect_answer(reader, 0x1050, "not found");
	expect_answer(reader, 0x1067, "merged + 7 @ /src/a.c:50");
	expect_answer(reader, 0x1068, "merged + 8 @ /src/a.c:51");
	expect_answer(reader, 0x2003, "short + 3");
	expect_answer(reader, 0x2007, "long + 7");
	expect_answer(reader, 0x2fff, "not found");
	expect_answer(reader, 0xffffff, "last + 16764927");
}

Test(lookup, both_versions_and_byte_orders)
{
	for (unsigned version = 1; version <= 2; version++)
		for (int big = 0; big < 2; big++) {
			uint8_t *bytes;
			struct gsym_reader *reader = rich(version, big, &bytes);

			check_rich(reader);
			gsym_close(reader);
			free(bytes);
		}
}

Test(lookup, second_range_of_an_inlined_call)
{
	struct gsym_reader *reader;
	struct gsym_frame frames[4];
	struct gsym_match match;
	uint8_t *bytes;
	struct gb b;
	size_t size, tuple;

	gb_init(&b, 1, false, 4, 0);
	gb_file(&b, "", "a.c");
	struct gsym_emit *e = gb_record(&b, 0x100, 0x100, "f");

	tuple = gb_tuple(&b, 2);
	gb_node(&b, 0, 0x100, true, 0, 0, 0);
	gsym_emit_uleb(e, 2);
	gsym_emit_uleb(e, 0x10);
	gsym_emit_uleb(e, 4);
	gsym_emit_uleb(e, 0x80);
	gsym_emit_uleb(e, 4);
	gsym_emit_u8(e, 0);
	gb_strp(&b, e, gb_string(&b, "g"));
	gsym_emit_uleb(e, 1);
	gsym_emit_uleb(e, 5);
	gsym_emit_u8(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	/* There is no line table; the call still has a line. */
	cr_assert(gsym_lookup(reader, 0x182, 0, frames, 4, &match, NULL) ==
		  GSYM_OK);
	cr_expect(match.frame_count == 2);
	cr_expect(frames[0].offset == 0x72 && frames[0].inlined);
	cr_expect(frames[1].offset == 0x82 && frames[1].line == 5);
	expect_answer(reader, 0x114, "f + 20");
	gsym_close(reader);
	free(bytes);
}

Test(lookup, flags_and_small_arrays)
{
	struct gsym_frame frames[4];
	struct gsym_match match;
	uint8_t *bytes;
	struct gsym_reader *reader = rich(1, false, &bytes);

	cr_assert(gsym_lookup(reader, 0x1016, GSYM_LOOKUP_NO_INLINES, frames,
			      4, &match, NULL) == GSYM_OK);
	cr_expect(match.frame_count == 1);
	cr_expect_str_eq(frames_text(frames, 1, "; "), "outer + 6 @ b.h:3");
	/* Of three frames the innermost ROOM are filled in. */
	for (size_t room = 0; room <= 3; room++) {
		memset(frames, 0xee, sizeof(frames));
		cr_assert(gsym_lookup(reader, 0x1016, 0, frames, room, &match,
				      NULL) == GSYM_OK);
		cr_expect(match.frame_count == 3);
		if (room > 0)
			cr_expect(!strcmp(frames[0].function, "inner") &&
				  frames[0].line == 3);
		if (room > 1)
			cr_expect(!strcmp(frames[1].function, "middle") &&
				  frames[1].line == 2);
		cr_expect(*(unsigned char *)&frames[room] == 0xee,
			  "wrote beyond the array");
	}
	cr_expect(gsym_lookup(reader, 0x1016, 0, NULL, 1, &match, NULL) ==
		  GSYM_ERR_ARGUMENT);
	cr_expect(gsym_lookup(reader, 0x1016, 0, NULL, 0, NULL, NULL) ==
		  GSYM_OK);
	gsym_close(reader);
	free(bytes);
}

/* A function with an inline tree of DEPTH levels below the root.  Each level
 * has one node, of the range of the function; that of level N is called from
 * line N. */
static uint8_t *deep(uint32_t depth, size_t *size)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	uint64_t offsets[5];
	size_t tuple;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	gb_file(&b, "", "a.c");
	for (int i = 0; i < 5; i++)
		offsets[i] = gb_string(&b, names[i]);
	struct gsym_emit *e = gb_record(&b, 0x100, 0x10, "f");

	gb_lines(&b, (struct gb_row[]){ { 0, 1, 99999 } }, 1);
	tuple = gb_tuple(&b, 2);
	for (uint32_t i = 0; i <= depth; i++)
		gb_node(&b, 0, 0x10, i < depth, offsets[i % 5], i != 0, i);
	for (uint32_t i = 0; i < depth; i++)
		gsym_emit_u8(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	return gb_finish(&b, size);
}

Test(lookup, rings_of_every_size)
{
	static struct gsym_frame frames[70];
	struct gsym_match match;
	size_t size;
	uint8_t *bytes = deep(60, &size);
	struct gsym_reader *reader = open_bytes(bytes, size);

	for (size_t room = 1; room <= 70; room++) {
		size_t filled = room < 61 ? room : 61;

		cr_assert(gsym_lookup(reader, 0x105, 0, frames, room, &match,
				      NULL) == GSYM_OK);
		cr_assert(match.frame_count == 61);
		for (size_t i = 0; i < filled; i++) {
			char name[2] = { (char)('a' + (60 - i) % 5), 0 };

			cr_expect(frames[i].line == (i ? 61 - i : 99999) &&
				  !strcmp(frames[i].function,
					  i == 60 ? "f" : name) &&
				  frames[i].inlined == (i != 60),
				  "room %zu, frame %zu", room, i);
		}
	}
	gsym_close(reader);
	free(bytes);
}

Test(lookup, depth_is_bounded)
{
	struct gsym_match match;
	struct gsym_frame frame;

	for (uint32_t depth = GSYM_MAX_INLINE_DEPTH - 1;
	     depth <= GSYM_MAX_INLINE_DEPTH + 2; depth++) {
		size_t size;
		uint8_t *bytes = deep(depth, &size);
		struct gsym_reader *reader = open_bytes(bytes, size);
		bool fits = depth <= GSYM_MAX_INLINE_DEPTH;

		cr_assert(gsym_lookup(reader, 0x105, 0, &frame, 1, &match,
				      NULL) == GSYM_OK);
		cr_expect(match.frame_count == (fits ? depth : 1024) + 1);
		cr_expect(gsym_verify(reader, NULL, NULL) ==
			  (fits ? GSYM_OK : GSYM_ERR_CORRUPT));
		gsym_close(reader);
		free(bytes);
	}
}

/* A function at 0x100 of 16 bytes with the line table BYTES; file 1 is a.c,
 * file 2 has its strings beyond the table, file 3 is "??". */
static void check_lines(const char *wanted, const void *bytes, size_t count)
{
	struct gsym_reader *reader;
	uint8_t *data;
	struct gb b;
	size_t size, tuple;

	gb_init(&b, 1, false, 4, 0);
	gb_file(&b, "/d", "a.c");
	gb_file_raw(&b, 0xffffff, 0xffffffff);
	gb_file(&b, "", "\?\?");
	struct gsym_emit *e = gb_record(&b, 0x100, 0x10, "f");

	tuple = gb_tuple(&b, 1);
	gsym_emit_bytes(e, bytes, count);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	data = gb_finish(&b, &size);
	reader = open_bytes(data, size);
	expect_answer(reader, 0x104, wanted);
	gsym_close(reader);
	free(data);
}

Test(lookup, lines_that_do_not_help_cost_no_more_than_the_line)
{
	check_lines("f + 4 @ /d/a.c:10", "\0\0\x0a\4\0", 5);
	check_lines("f + 4", "", 0);                   /* no head */
	check_lines("f + 4", "\0\0\x0a\0", 4);         /* no rows */
	check_lines("f + 4", "\0\0\x0a\x14\0", 5);     /* first row later */
	check_lines("f + 4", "\0\0\x0a\1\0\4\0", 7);   /* file 0 */
	check_lines("f + 4", "\0\0\x0a\1\x2a\4\0", 7); /* no such file */
	check_lines("f + 4", "\0\0\x0a\1\2\4\0", 7);   /* no such strings */
	check_lines("f + 4 @ ?\?:10", "\0\0\x0a\1\3\4\0", 7);
	check_lines("f + 4", "\5\4\x0a\4\0", 5);       /* empty window */
	check_lines("f + 4", "\0\0\x0a\4", 4);         /* no end */
}

/* The inline tree of function 1 of gb_rich, with a node damaged. */
Test(lookup, damage_in_a_tree_ends_the_descent)
{
	struct gsym_function f;
	uint8_t *bytes;
	struct gsym_reader *reader = rich(1, false, &bytes);
	uint64_t at;

	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	at = f.info[GSYM_INFO_INLINES].offset;
	/* Root 10 bytes, "late" 10 bytes, "middle" 12 bytes; then "inner"
	 * claims more ranges than there are bytes. */
	cr_assert(bytes[at + 32] == 1);
	bytes[at + 32] = 0x7f;
	expect_answer(reader, 0x1016, "middle + 2 @ b.h:3 [inlined]; "
				      "outer + 6 @ /src/a.c:10");
	bytes[at + 20] = 0x7f; /* "middle" */
	expect_answer(reader, 0x1016, "outer + 6 @ b.h:3");
	expect_answer(reader, 0x1030, "late @ /src/a.c:11 [inlined]; "
				      "outer + 32 @ /src/a.c:12");
	bytes[at] = 0; /* the root */
	expect_answer(reader, 0x1030, "outer + 32 @ /src/a.c:11");
	gsym_close(reader);
	free(bytes);
}

Test(lookup, a_function_without_a_name_is_damage)
{
	static const uint8_t names[] = { 0, 0x1a, 0xff };

	for (size_t i = 0; i < sizeof(names); i++) {
		struct gsym_error error = { 0 };
		struct gsym_match match = { .index = 77 };
		uint8_t bytes[sizeof(gb_example_v1)];
		struct gsym_reader *reader;

		memcpy(bytes, gb_example_v1, sizeof(bytes));
		bytes[0x70] = names[i];
		reader = open_bytes(bytes, sizeof(bytes));
		cr_expect(gsym_lookup(reader, 0x401000, 0, NULL, 0, &match,
				      &error) == GSYM_ERR_CORRUPT);
		cr_expect(error.offset == 0x70 && match.index == 77);
		gsym_close(reader);
	}
}

Test(lookup, merged_functions)
{
	for (unsigned version = 1; version <= 2; version++) {
		struct gsym_match match, other;
		struct gsym_frame frames[2];
		uint8_t *bytes;
		struct gsym_reader *reader = rich(version, true, &bytes);

		cr_assert(gsym_lookup(reader, 0x1065, 0, frames, 2, &match,
				      NULL) == GSYM_OK);
		cr_expect(match.merged_count == 2);
		cr_assert(gsym_lookup_merged(reader, &match, 0, 0, frames, 2,
					     &other, NULL) == GSYM_OK);
		cr_expect(other.merged_count == 0 && other.start == 0x1060 &&
			  other.size == 0x10 && other.index == match.index);
		cr_expect_str_eq(frames_text(frames, 1, ""), "twin + 5");
		cr_assert(gsym_lookup_merged(reader, &match, 1, 0, frames, 2,
					     NULL, NULL) == GSYM_OK);
		cr_expect_str_eq(frames_text(frames, 1, ""),
				 "triplet + 5 @ /src/a.c:70");
		cr_expect(gsym_lookup_merged(reader, &match, 2, 0, frames, 2,
					     NULL, NULL) == GSYM_NOT_FOUND);
		match.index = 0;
		cr_expect(gsym_lookup_merged(reader, &match, 0, 0, frames, 2,
					     NULL, NULL) == GSYM_NOT_FOUND);
		match.index = 1000;
		cr_expect(gsym_lookup_merged(reader, &match, 0, 0, frames, 2,
					     NULL, NULL) == GSYM_NOT_FOUND);
		gsym_close(reader);
		free(bytes);
	}
}

Test(lookup, arguments_without_sense)
{
	struct gsym_error error = { .offset = 7 };
	struct gsym_match match = { .index = 3 };
	uint8_t *bytes;
	struct gsym_reader *reader = rich(1, false, &bytes);

	cr_expect(gsym_lookup(reader, 0x1016, 0, NULL, 1, NULL, &error) ==
		  GSYM_ERR_ARGUMENT);
	cr_expect(error.code == GSYM_ERR_ARGUMENT && error.offset == 0);
	error.offset = 7;
	cr_expect(gsym_lookup_merged(reader, &match, 0, 0, NULL, 1, NULL,
				     &error) == GSYM_ERR_ARGUMENT);
	cr_expect(error.code == GSYM_ERR_ARGUMENT && error.offset == 0);
	cr_expect(gsym_lookup_merged(reader, &match, 0, 0, NULL, 0, NULL,
				     &error) == GSYM_OK);
	gsym_close(reader);
	free(bytes);
}

/* A node that does not hold the address has DEPTH levels below it; the next
 * node of its level, "here", holds the address. */
static uint8_t *deep_neighbour(uint32_t depth, size_t *size)
{
	struct gsym_emit *e;
	size_t tuple;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	e = gb_record(&b, 0x100, 0x10, "f");
	tuple = gb_tuple(&b, 2);
	gb_node(&b, 0, 0x10, true, 0, 0, 0);
	for (uint32_t i = 0; i <= depth; i++)
		gb_node(&b, 0, 4, i < depth, 0, 0, 0);
	for (uint32_t i = 0; i < depth; i++)
		gsym_emit_u8(e, 0);
	gb_node(&b, 4, 4, false, gb_string(&b, "here"), 0, 0);
	gsym_emit_u8(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	return gb_finish(&b, size);
}

/* The bound on the depth of a tree is the same where nodes are skipped. */
Test(lookup, depth_is_bounded_where_nodes_are_skipped)
{
	for (uint32_t depth = GSYM_MAX_INLINE_DEPTH - 3;
	     depth < GSYM_MAX_INLINE_DEPTH + 2; depth++) {
		size_t size;
		uint8_t *bytes = deep_neighbour(depth, &size);
		struct gsym_reader *reader = open_bytes(bytes, size);
		/* The neighbour is one level below the root. */
		bool fits = depth + 1 <= GSYM_MAX_INLINE_DEPTH;

		expect_answer(reader, 0x105, fits ?
			      "here + 1 [inlined]; f + 5" : "f + 5");
		cr_expect(gsym_verify(reader, NULL, NULL) ==
			  (fits ? GSYM_OK : GSYM_ERR_CORRUPT));
		gsym_close(reader);
		free(bytes);
	}
}

/* The place of a name in the string table; 0 if there is none. */
Test(lookup, places_of_names)
{
	struct gsym_frame frames[4];
	struct gsym_match match;
	struct gsym_function f;
	uint8_t *bytes;
	struct gsym_reader *reader = rich(1, false, &bytes);

	cr_assert(gsym_lookup(reader, 0x1016, 0, frames, 4, &match, NULL) ==
		  GSYM_OK);
	cr_assert(match.frame_count == 3);
	for (int i = 0; i < 3; i++)
		cr_expect(gsym_string_at(reader, frames[i].function_string) ==
			  frames[i].function);
	/* A call without a name. */
	cr_assert(gsym_lookup(reader, 0x1019, 0, frames, 4, &match, NULL) ==
		  GSYM_OK);
	cr_assert(match.frame_count == 3);
	cr_expect(frames[0].function_string == 0);
	cr_expect_str_eq(frames[0].function, "");
	/* A call whose name is beyond the string table: "inner". */
	cr_assert(gsym_function_at(reader, 1, &f, NULL) == GSYM_OK);
	memset(bytes + f.info[GSYM_INFO_INLINES].offset + 36, 0xff, 4);
	cr_assert(gsym_lookup(reader, 0x1016, 0, frames, 4, &match, NULL) ==
		  GSYM_OK);
	cr_assert(match.frame_count == 3);
	cr_expect(frames[0].function_string == 0);
	cr_expect_str_eq(frames[0].function, "");
	gsym_close(reader);
	free(bytes);
}
