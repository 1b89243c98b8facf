/* SPDX-License-Identifier: MIT */
/* reader/lookup: from an address to frames. */
#include "answers.h"
#include "support/guard.h"

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
	at = f.inlines_offset;
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

/* A record with COUNT merged functions, of which the last CUT have a length
 * beyond the list. */
static struct gsym_reader *many_merged(uint32_t count, uint32_t cut,
				       uint8_t **bytes)
{
	struct gsym_emit *e;
	size_t tuple, size;
	struct gb b;
	char name[16];

	gb_init(&b, 1, false, 4, 0);
	e = gb_record(&b, 0x100, 0x10, "f");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, count);
	for (uint32_t i = 0; i < count; i++) {
		gsym_emit_u32(e, i < count - cut ? 16 : UINT32_MAX);
		gsym_emit_u32(e, 0x10);
		snprintf(name, sizeof(name), "f%u", i);
		gb_strp(&b, e, gb_string(&b, name));
		gsym_emit_u64(e, 0);
	}
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	*bytes = gb_finish(&b, &size);
	return open_bytes(*bytes, size);
}

static void expect_merged(const struct gsym_reader *reader,
			  struct gsym_match *match, uint32_t which, bool there)
{
	struct gsym_frame frames[1] = { { .function = "" } };
	char name[16];

	snprintf(name, sizeof(name), "f%u", which);
	cr_expect_eq(gsym_lookup_merged(reader, match, which, 0, frames, 1,
					NULL, NULL),
		     there ? GSYM_OK : GSYM_NOT_FOUND, "%s", name);
	if (there)
		cr_expect_str_eq(frames[0].function, name);
}

Test(lookup, merged_functions_in_any_order)
{
	enum { COUNT = 20 };

	for (uint32_t cut = 0; cut <= COUNT; cut += 5) {
		struct gsym_match match;
		uint8_t *bytes;
		struct gsym_reader *reader = many_merged(COUNT, cut, &bytes);

		cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match,
				      NULL) == GSYM_OK);
		cr_expect_eq(match.merged_count, COUNT);
		for (uint32_t i = 0; i < COUNT + 2; i++)
			expect_merged(reader, &match, i, i < COUNT - cut);
		for (uint32_t i = COUNT + 2; i--;)
			expect_merged(reader, &match, i, i < COUNT - cut);
		for (uint32_t i = 0; i < 3 * COUNT; i++) {
			uint32_t which = i * 7 % COUNT;

			expect_merged(reader, &match, which,
				      which < COUNT - cut);
			expect_merged(reader, &match, which,
				      which < COUNT - cut);
		}
		gsym_close(reader);
		free(bytes);
	}
}

/* A merged_place that does not belong to the record is refused. */
Test(lookup, places_of_merged_functions_are_bounded)
{
	struct gsym_match match;
	uint8_t *bytes;
	struct gsym_reader *reader = many_merged(3, 0, &bytes);

	cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match, NULL) ==
		  GSYM_OK);
	expect_merged(reader, &match, 0, true);
	match.merged_place.end = UINT64_MAX;
	expect_merged(reader, &match, 1, false);
	match.merged_place.end = match.merged_place.offset - 1;
	expect_merged(reader, &match, 1, false);
	gsym_close(reader);
	free(bytes);
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

/* The data may end with the list of merged functions. */
Test(lookup, merged_functions_at_the_end_of_the_data)
{
	for (size_t cut = 0; cut < 4; cut++) {
		struct gsym_match match;
		struct gsym_reader *reader;
		struct gsym_emit *e;
		struct gb b;
		uint8_t *bytes;
		size_t size, tuple;

		gb_init(&b, 1, false, 4, 0);
		e = gb_record(&b, 0x100, 0x10, "f");
		tuple = gb_tuple(&b, 3);
		gsym_emit_u32(e, 2);
		for (int i = 0; i < 2; i++) {
			gsym_emit_u32(e, 16);
			gsym_emit_u32(e, 0x10);
			gb_strp(&b, e, gb_string(&b, i ? "f1" : "f0"));
			gsym_emit_u64(e, 0);
		}
		gb_tuple_end(&b, tuple);
		bytes = gb_finish(&b, &size);
		reader = open_bytes(guard_end(bytes, size - cut), size - cut);
		cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match,
				      NULL) == GSYM_OK);
		/* A tuple that is cut off counts as missing. */
		cr_expect(match.merged_count == (cut ? 0 : 2));
		expect_merged(reader, &match, 1, !cut);
		expect_merged(reader, &match, 0, !cut);
		expect_merged(reader, &match, 1, !cut);
		gsym_close(reader);
		free(bytes);
	}
}

/* A merged function whose length reaches beyond the list, but not beyond the
 * record, cannot be read, and neither can those after it. */
Test(lookup, merged_functions_that_leave_their_list)
{
	struct gsym_match match;
	struct gsym_reader *reader;
	struct gsym_emit *e;
	struct gb b;
	uint8_t *bytes;
	size_t size, tuple;

	gb_init(&b, 1, false, 4, 0);
	e = gb_record(&b, 0x100, 0x10, "f");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, 3);
	for (int i = 0; i < 3; i++) {
		gsym_emit_u32(e, i == 2 ? 17 : 16);
		gsym_emit_u32(e, 0x10);
		gb_strp(&b, e, gb_string(&b, i == 0 ? "f0" : i == 1 ? "f1" :
					 "f2"));
		gsym_emit_u64(e, 0);
	}
	gb_tuple_end(&b, tuple);
	gb_lines(&b, (struct gb_row[]){ { 0, 0, 10 } }, 1);
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match, NULL) ==
		  GSYM_OK);
	cr_expect(match.merged_count == 3);
	for (int round = 0; round < 2; round++) {
		expect_merged(reader, &match, 0, true);
		expect_merged(reader, &match, 2, false);
		expect_merged(reader, &match, 1, true);
		expect_merged(reader, &match, 2, false);
	}
	gsym_close(reader);
	free(bytes);
}

/* An index beyond the last function is refused, also where the bytes after the
 * table would lead to a record. */
Test(lookup, merged_functions_of_an_index_beyond_the_last)
{
	struct gsym_match match = { .index = 2 }, first;
	struct gsym_reader *reader;
	struct gsym_emit *e;
	struct gb b;
	uint8_t *bytes;
	size_t size, tuple;
	uint32_t index;

	/* After the address info comes the number of files, 20, which is the
	 * offset of the second record. */
	gb_init(&b, 2, false, 4, 0);
	for (int i = 1; i < 20; i++)
		gb_file_raw(&b, 0, 0);
	gb_plain(&b, 0x100, 0x10, "plain");
	e = gb_record(&b, 0x110, 0x10, "f");
	tuple = gb_tuple(&b, 3);
	gsym_emit_u32(e, 1);
	gsym_emit_u32(e, 20);
	gsym_emit_u32(e, 0x10);
	gb_strp(&b, e, gb_string(&b, "f0"));
	gsym_emit_u64(e, 0);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_lookup(reader, 0x110, 0, NULL, 0, &first, NULL) ==
		  GSYM_OK);
	cr_assert(first.index == 1);
	expect_merged(reader, &first, 0, true);
	expect_merged(reader, &match, 0, false);
	cr_expect(gsym_find_function(reader, "f", 1, &index) == GSYM_OK &&
		  index == 1);
	cr_expect(gsym_find_function(reader, "f", 2, &index) ==
		  GSYM_NOT_FOUND);
	gsym_close(reader);
	free(bytes);
}

/* A match of another function that is given another index is searched anew. */
Test(lookup, a_place_of_another_function_is_not_used)
{
	struct gsym_match match;
	struct gsym_reader *reader;
	uint8_t *bytes;
	size_t size;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	for (int i = 0; i < 2; i++) {
		struct gsym_emit *e = gb_record(&b, 0x100 + 16 * i, 16, "f");
		size_t tuple = gb_tuple(&b, 3);

		gsym_emit_u32(e, 2);
		for (int k = 0; k < 2; k++) {
			gsym_emit_u32(e, 16);
			gsym_emit_u32(e, 0x10);
			gb_strp(&b, e, gb_string(&b, k ? "f1" : "f0"));
			gsym_emit_u64(e, 0);
		}
		gb_tuple_end(&b, tuple);
		gb_record_end(&b);
	}
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_assert(gsym_lookup(reader, 0x100, 0, NULL, 0, &match, NULL) ==
		  GSYM_OK);
	expect_merged(reader, &match, 0, true);
	match.index = 1;
	expect_merged(reader, &match, 1, true);
	cr_expect(match.merged_place.index == 1);
	expect_merged(reader, &match, 0, true);
	gsym_close(reader);
	free(bytes);
}
