/* SPDX-License-Identifier: MIT */
/* reader/verify_record: the limits of what a sound record may hold. */
#include "checks.h"

/* A function of SIZE bytes at 0x100, whose one tuple has TYPE and the COUNT
 * bytes at BYTES.  The file table has file 1; the string table has 7 bytes.
 * TEXT is in the message of the first problem, which is at byte AT of the
 * tuple; NULL: there is none. */
static void check(uint32_t type, uint32_t size, const void *bytes,
		  size_t count, uint64_t at, const char *text)
{
	struct gsym_function f;
	struct gsym_reader *reader;
	struct gb b;
	size_t all, tuple;
	uint8_t *data;

	gb_init(&b, 1, false, 4, 0);
	gb_file(&b, "", "a.c");
	gb_record(&b, 0x100, size, "f");
	tuple = gb_tuple(&b, type);
	gsym_emit_bytes(&b.records, bytes, count);
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	data = gb_finish(&b, &all);
	reader = open_bytes(data, all);
	gsym_function_at(reader, 0, &f, NULL);
	gsym_close(reader);
	if (text)
		expect_problem(data, all, f.record_offset + 16 + at, text);
	else
		expect_sound(data, all);
	free(data);
}

#define CHECK(type, size, bytes, at, text) \
	check(type, size, bytes, sizeof(bytes) - 1, at, text)

/* ---- line tables --------------------------------------------------------- */

Test(verify_record, rows_within_the_function)
{
	/* A row at the start and one after 15 or 16 bytes. */
	CHECK(1, 16, "\0\0\1\4\2\xf\0", 0, NULL);
	CHECK(1, 16, "\0\0\1\4\2\x10\0", 4, "beyond the end");
	CHECK(1, 1, "\0\0\1\4\0", 0, NULL);
	/* A function of unknown size has no end. */
	CHECK(1, 0, "\0\0\1\4\2\x10\0", 0, NULL);
	CHECK(1, 16, "\0\0\1\1\2\4\0", 3, "has the file 2");
}

/* ---- inline trees -------------------------------------------------------- */

/* What follows the ranges: no children or children, no name, file and line. */
#define LEAF "\0\0\0\0\0\0\0"
#define PARENT "\1\0\0\0\0\0\0"

Test(verify_record, the_root_lies_within_the_function)
{
	CHECK(2, 16, "\1\0\x10" LEAF, 0, NULL);
	CHECK(2, 16, "\1\x0f\1" LEAF, 0, NULL);
	CHECK(2, 16, "\1\x10\0" LEAF, 0, NULL);
	CHECK(2, 16, "\1\0\x11" LEAF, 0, "outside its parent");
	CHECK(2, 16, "\1\x10\1" LEAF, 0, "outside its parent");
	CHECK(2, 16, "\1\x11\0" LEAF, 0, "outside its parent");
	CHECK(2, 0, "\1\x11\x20" LEAF, 0, NULL);
}

Test(verify_record, ranges_lie_within_one_range_of_the_parent)
{
	/* The parent has 4 to 8 and 9 to 12; its children count from 4. */
#define ROOT "\2\4\4\x9\3" PARENT
	CHECK(2, 16, ROOT "\1\0\4" LEAF "\0", 0, NULL);
	CHECK(2, 16, ROOT "\1\4\0" LEAF "\0", 0, NULL);
	CHECK(2, 16, ROOT "\1\5\3" LEAF "\0", 0, NULL);
	CHECK(2, 16, ROOT "\1\x8\0" LEAF "\0", 0, NULL);
	CHECK(2, 16, ROOT "\1\3\2" LEAF "\0", 12, "outside its parent");
	CHECK(2, 16, ROOT "\1\4\1" LEAF "\0", 12, "outside its parent");
	CHECK(2, 16, ROOT "\1\5\4" LEAF "\0", 12, "outside its parent");
	CHECK(2, 16, ROOT "\1\x9\0" LEAF "\0", 12, "outside its parent");
	CHECK(2, 16, ROOT "\2\0\4\4\1" LEAF "\0", 12,
	      "outside its parent");
	/* A grandchild counts from the start of its parent, 9 here. */
	CHECK(2, 16, ROOT "\1\5\3" PARENT "\1\0\3" LEAF "\0\0", 0, NULL);
	CHECK(2, 16, ROOT "\1\6\2" PARENT "\1\0\2" LEAF "\0\0", 0, NULL);
	CHECK(2, 16, ROOT "\1\6\2" PARENT "\1\0\3" LEAF "\0\0", 22,
	      "outside its parent");
	/* So does a node after it, on the level of its parent. */
	CHECK(2, 16, ROOT "\1\5\3" PARENT "\1\0\3" LEAF "\0"
	      "\1\0\4" LEAF "\0", 0, NULL);
#undef ROOT
}

Test(verify_record, ranges_up_to_the_last_address)
{
#define MOST "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"
	CHECK(2, 0, "\1\0" MOST LEAF, 0, NULL);
	CHECK(2, 0, "\1\1" MOST LEAF, 0, "out of order");
	CHECK(2, 0, "\1" MOST "\0" LEAF, 0, NULL);
	CHECK(2, 0, "\1" MOST "\1" LEAF, 0, "out of order");
#undef MOST
}

/* The root has no call site; its file and line mean nothing. */
Test(verify_record, files_of_inlined_calls)
{
	CHECK(2, 16, "\1\0\x10\0\0\0\0\0\x63\0", 0, NULL);
	CHECK(2, 16, "\1\0\x10" PARENT "\1\0\1\0\0\0\0\0\1\0\0", 0, NULL);
	CHECK(2, 16, "\1\0\x10" PARENT "\1\0\1\0\0\0\0\0\2\0\0", 10,
	      "has the file 2");
}

Test(verify_record, names_of_inlined_calls)
{
	CHECK(2, 16, "\1\0\x10\0\6\0\0\0\0\0", 0, NULL);
	CHECK(2, 16, "\1\0\x10\0\7\0\0\0\0\0", 0, "name of an inline node");
}

Test(verify_record, the_tree_ends_with_its_tuple)
{
	CHECK(2, 16, "\1\0\x10" LEAF "\0", 10, "stray bytes");
	CHECK(2, 16, "\1\0\x10" PARENT "\0", 0, NULL);
	CHECK(2, 16, "\1\0\x10" PARENT "\0\0", 11, "stray bytes");
	CHECK(2, 16, "\1\0\x10" PARENT "\1\0\1" LEAF "\0\1", 21,
	      "stray bytes");
	CHECK(2, 16, "\1\0\x10" PARENT, 10, "inline tree is damaged");
	CHECK(2, 16, "\0", 1, "inline tree is damaged");
	CHECK(2, 16, "", 0, "inline tree is damaged");
}

/* ---- call sites ---------------------------------------------------------- */

Test(verify_record, call_sites_within_the_function)
{
	CHECK(4, 16, "\1\0\0\0\x10\0\0\0\0\0\0\0\1\0\0\0\0", 0, NULL);
	CHECK(4, 16, "\1\0\0\0\x11\0\0\0\0\0\0\0\1\0\0\0\0", 4,
	      "returns beyond the end");
	CHECK(4, 0, "\1\0\0\0\x11\0\0\0\0\0\0\0\1\0\0\0\0", 0, NULL);
	CHECK(4, 16, "\0\0\0\0", 0, NULL);
	CHECK(4, 16, "\0\0\0\0\0", 4, "stray bytes");
	CHECK(4, 16, "\0\0\0", 0, "cut off");
}

/* The bytes after the patterns of a site are the next site. */
Test(verify_record, patterns_of_call_sites)
{
	CHECK(4, 0, "\2\0\0\0"
	      "\0\0\0\0\0\0\0\0\1\2\0\0\0\6\0\0\0\5\0\0\0"
	      "\7\0\0\0\0\0\0\0\1\1\0\0\0\6\0\0\0", 0, NULL);
	CHECK(4, 0, "\2\0\0\0"
	      "\0\0\0\0\0\0\0\0\1\2\0\0\0\6\0\0\0\7\0\0\0"
	      "\7\0\0\0\0\0\0\0\1\1\0\0\0\6\0\0\0", 21,
	      "pattern of a call site");
}

/* ---- merged functions ---------------------------------------------------- */

Test(verify_record, merged_functions_fill_their_length)
{
#define RECORD "\x10\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0"
	CHECK(3, 16, "\1\0\0\0\x10\0\0\0" RECORD, 0, NULL);
	CHECK(3, 16, "\1\0\0\0\x11\0\0\0" RECORD "\0", 24,
	      "merged function is followed by stray bytes");
	CHECK(3, 16, "\2\0\0\0\x10\0\0\0" RECORD "\x10\0\0\0" RECORD, 0,
	      NULL);
	CHECK(3, 17, "\1\0\0\0\x10\0\0\0" RECORD, 4, "another size");
	CHECK(3, 16, "\1\0\0\0\x0f\0\0\0" RECORD, 20, "has no end");
	CHECK(3, 16, "\1\0\0\0\x11\0\0\0" RECORD, 8, "cut off");
#undef RECORD
	/* A merged function of which only the head is there. */
	CHECK(3, 16, "\1\0\0\0\x08\0\0\0\x10\0\0\0\5\0\0\0"
	      "\0\0\0\0\0\0\0\0", 16, "has no end");
	/* The rows of a merged function, too, start where it starts. */
	CHECK(3, 16, "\1\0\0\0\x1e\0\0\0\x10\0\0\0\5\0\0\0"
	      "\1\0\0\0\6\0\0\0\0\0\1\2\xf\0\0\0\0\0\0\0\0\0", 0,
	      NULL);
	CHECK(3, 16, "\1\0\0\0\x1e\0\0\0\x10\0\0\0\5\0\0\0"
	      "\1\0\0\0\6\0\0\0\0\0\1\2\x10\0\0\0\0\0\0\0\0\0", 27,
	      "beyond the end");
}

/* ---- tuples -------------------------------------------------------------- */

/* Two tuples of TYPE, without data. */
static void check_twice(uint32_t type, bool reported)
{
	struct gsym_reader *reader;
	struct heard h = { .damage = 0 };
	struct gb b;
	size_t size;
	uint8_t *bytes;

	gb_init(&b, 2, false, 4, 0);
	gb_record(&b, 0, 1, "f");
	for (int i = 0; i < 2; i++)
		gb_tuple_end(&b, gb_tuple(&b, type));
	gb_record_end(&b);
	bytes = gb_finish(&b, &size);
	reader = open_bytes(bytes, size);
	cr_expect(gsym_verify(reader, hear, &h) ==
		  (reported ? GSYM_ERR_CORRUPT : GSYM_OK));
	cr_expect(h.notes == 2, "two tuples of unknown kind");
	if (reported)
		cr_expect(h.damage == 1 && strstr(h.first, "twice"), "%s",
			  h.first);
	gsym_close(reader);
	free(bytes);
}

/* Of kinds up to 31 there is one tuple; nothing is known about others. */
Test(verify_record, kinds_that_occur_twice)
{
	check_twice(5, true);
	check_twice(31, true);
	check_twice(32, false);
	check_twice(33, false);
	check_twice(UINT32_MAX, false);
}

/* ---- hostile trees ------------------------------------------------------- */

/* A root with RANGES ranges of one byte each, every second byte, and NODES
 * nodes in its last range; then a node in range LAST.  Finding the range of a
 * node takes a step for each range before it.  *TREE: the bytes of the tree. */
static uint8_t *wide_tree(uint32_t ranges, uint32_t nodes, uint32_t last,
			  size_t *tree, size_t *size)
{
	struct gsym_emit *e;
	size_t tuple;
	struct gb b;

	gb_init(&b, 1, false, 4, 0);
	gb_file(&b, "", "a.c");
	e = gb_record(&b, 0, 2 * ranges, "f");
	tuple = gb_tuple(&b, 2);
	gsym_emit_uleb(e, ranges);
	for (uint32_t i = 0; i < ranges; i++) {
		gsym_emit_uleb(e, 2 * i);
		gsym_emit_uleb(e, 1);
	}
	gsym_emit_bytes(e, PARENT, 7);
	for (uint32_t i = 0; i <= nodes; i++) {
		uint32_t start = 2 * (i < nodes ? ranges - 1 : last);
		/* Three bytes for any start. */
		uint8_t uleb[] = { start | 0x80, start >> 7 | 0x80,
				   start >> 14 };

		gsym_emit_uleb(e, 1);
		gsym_emit_bytes(e, uleb, 3);
		gsym_emit_uleb(e, 1);
		gsym_emit_bytes(e, LEAF, 7);
	}
	gsym_emit_u8(e, 0);
	*tree = e->size - tuple;
	gb_tuple_end(&b, tuple);
	gb_record_end(&b);
	return gb_finish(&b, size);
}

/* A tree may take 64 steps for each of its bytes and 4096 more.  Sound trees
 * stay far below that; a hostile one would take hours. */
Test(verify_record, steps_of_a_tree_are_bounded)
{
	enum { RANGES = 2000 };
	size_t size, tree, steps = 0;
	uint32_t nodes = 0;
	uint8_t *bytes;

	free(wide_tree(RANGES, 0, 0, &tree, &size));
	/* Each node takes RANGES - 1 steps and adds 12 bytes. */
	for (;; nodes++) {
		steps = 64 * (tree + 12 * nodes) + 4096 -
			nodes * (RANGES - 1);
		if (steps < RANGES)
			break;
	}
	bytes = wide_tree(RANGES, nodes, (uint32_t)steps - 1, &tree, &size);
	expect_sound(bytes, size);
	free(bytes);
	bytes = wide_tree(RANGES, nodes, (uint32_t)steps, &tree, &size);
	/* At the last node, before two ends. */
	expect_problem(bytes, size, size - 8 - 1 - 12,
		       "too many ranges to check");
	free(bytes);
}
