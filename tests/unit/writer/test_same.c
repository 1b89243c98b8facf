/* SPDX-License-Identifier: MIT */
/* The bytes of a file depend on the set of records alone, not on the order in
 * which records, strings and files are added, and not on threads.  Strings
 * share their ends. */
#include "support/make.h"
#include "writer/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

enum { RECORDS = 1200, RANGES = 60, FILES = 40 };

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Add record WHICH, whose content depends on WHICH alone.  Many of the records
 * overlap, and many differ in few members. */
static void add_record(struct make *m, uint32_t which)
{
	uint32_t state = which * 2654435761u;
	struct gsym_row rows[20];
	struct gsym_range ranges[2];
	struct gsym_inline_node nodes[2];
	struct gsym_call call;
	struct gsym_record merged, r = { 0 };
	uint32_t pattern, at = 0;
	char name[64];

	r.rank = next(&state) % 3;
	r.name_kind = next(&state) % 5;
	r.start = 0x1000 + next(&state) % 3000 * 16;
	r.size = next(&state) % 4 ? 16 + next(&state) % 20 : 200;
	if (r.rank == GSYM_RANK_LABEL)
		r.size = 0;
	r.limit = r.start + next(&state) % 3 * 0x100;
	snprintf(name, sizeof(name), "%s%u%s", next(&state) % 2 ? "_Z" : "",
		 next(&state) % 300,
		 next(&state) % 4 ? "shared_tail" : ".cold");
	r.name = next(&state) % 16 ? make_string(m, name) : 0;
	if (r.rank == GSYM_RANK_FUNCTION) {
		for (; r.row_count < 20 && at < r.size; r.row_count++) {
			snprintf(name, sizeof(name), "%u.c",
				 next(&state) % FILES);
			rows[r.row_count] = (struct gsym_row){
				at, make_file(m, name), next(&state) % 9
			};
			at += next(&state) % 4;
		}
		r.rows = rows;
		ranges[0] = (struct gsym_range){ r.start + 4, r.start + 12 };
		ranges[1] = (struct gsym_range){ r.start + 6, r.start + 8 };
		for (uint32_t i = 0; i < 2; i++)
			nodes[i] = (struct gsym_inline_node){
				i + 1, make_string(m, name), make_file(m, name),
				next(&state) % 5, i, 1
			};
		r.inlines = nodes;
		r.inline_ranges = ranges;
		r.inline_count = next(&state) % 3;
		pattern = make_string(m, "callee");
		call = (struct gsym_call){ next(&state) % 16, 1, 0, 1 };
		r.calls = &call;
		r.call_patterns = &pattern;
		r.call_count = next(&state) % 2;
		merged = r;
		r.merged = &merged;
		r.merged_count = next(&state) % 8 == 0;
	}
	make_record(m, &r);
}

static void add_loose(struct make *m, uint32_t which)
{
	uint32_t state = which * 2654435761u;
	uint64_t start = 0x1000 + next(&state) % 60 * 0x300;
	struct gsym_loose_row rows[8];
	char name[16];

	for (uint32_t i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "%u.s", next(&state) % 3);
		rows[i] = (struct gsym_loose_row){
			start + i * 16, make_file(m, name), next(&state) % 5
		};
	}
	cr_assert_eq(gsym_builder_loose_rows(
			     m->builder,
			     (struct gsym_range){
				     start, start + 0x100 +
						    next(&state) % 3 * 0x100 },
			     rows, 8),
		     GSYM_OK);
}

static void shuffle(uint32_t *order, uint32_t count, uint32_t seed)
{
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = count; seed && i > 1; i--) {
		uint32_t other = next(&seed) % i, swap = order[i - 1];

		order[i - 1] = order[other];
		order[other] = swap;
	}
}

/* Finish a builder with all records, which settles JOB records at once; 0: as
 * many as it likes.  SEED chooses their order, and the order in which strings
 * and files get their numbers. */
static struct make build(uint32_t seed, unsigned threads, unsigned version,
			 size_t job)
{
	uint32_t order[RECORDS];
	struct make m = make_begin();
	char name[64];

	shuffle(order, FILES, seed * 7);
	for (uint32_t i = 0; seed && i < FILES; i++) {
		snprintf(name, sizeof(name), "%u.c", order[i]);
		make_file(&m, name);
		snprintf(name, sizeof(name), "unused %u", order[i]);
		make_string(&m, name);
	}
	shuffle(order, RECORDS, seed);
	for (uint32_t i = 0; i < RECORDS; i++)
		add_record(&m, order[i]);
	shuffle(order, RANGES, seed);
	for (uint32_t i = 0; i < RANGES; i++)
		add_loose(&m, order[i]);
	m.options.threads = threads;
	m.options.version = version;
	if (job)
		m.builder->job = job;
	make_end(&m);
	return m;
}

static void expect_same(struct make *a, struct make *b, const char *what,
			uint32_t which)
{
	cr_assert_eq(a->size, b->size, "%s %u: %zu and %zu bytes", what, which,
		     a->size, b->size);
	cr_assert_arr_eq(a->bytes, b->bytes, a->size, "%s %u", what, which);
	cr_assert_arr_eq(&a->summary, &b->summary, sizeof(a->summary));
}

Test(same, order_of_adding)
{
	for (unsigned version = 1; version <= 2; version++) {
		struct make first = build(0, 1, version, 0);

		cr_assert_gt(first.plain.function_count, 500);
		cr_assert_gt(first.summary.dropped, 50);
		for (uint32_t seed = 1; seed < 12; seed++) {
			struct make other = build(seed, 1, version, 0);

			expect_same(&first, &other, "seed", seed);
			make_free(&other);
		}
		make_free(&first);
	}
}

Test(same, threads)
{
	static const size_t jobs[] = { 0, 1, 2, 7, 50 };
	struct make one = build(3, 1, 1, 0);

	for (unsigned threads = 0; threads <= 7; threads++)
		for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
			struct make other = build(3, threads, 1, jobs[i]);

			expect_same(&one, &other, "threads", threads);
			make_free(&other);
		}
	make_free(&one);
}

/* The string table, with '|' in place of each NUL. */
static const char *table(const struct make *m)
{
	static char text[1 << 12];
	const char *bytes = (const char *)m->bytes + m->plain.strings;

	for (uint64_t i = 0; i < m->plain.string_bytes; i++)
		text[i] = bytes[i] ? bytes[i] : '|';
	text[m->plain.string_bytes] = 0;
	return text;
}

enum { SIBLINGS = 14, VARIANTS = 19 };

/* Add a record of two rows, two inlined calls, two call sites and two merged
 * functions.  WHICH of its numbers differs from that of the other variants;
 * VARIANTS: none. */
static void add_variant(struct make *m, unsigned which)
{
	uint32_t f = make_file(m, "f.c"), a = make_string(m, "a");
	struct gsym_row rows[] = { { 0, f, 1 }, { 8, f, 2 } };
	struct gsym_range ranges[] = { { 0x1004, 0x100c },
				       { 0x1006, 0x1008 },
				       { 0x100c, 0x100e } };
	struct gsym_inline_node nodes[] = { { 1, a, f, 3, 0, 1 },
					    { 2, a, f, 4, 1, 1 } };
	struct gsym_call calls[] = { { 4, 0, 0, 1 }, { 8, 0, 1, 2 } };
	uint32_t patterns[] = { a, a, a };
	struct gsym_record merged[] = {
		{ .rank = GSYM_RANK_FUNCTION,
		  .start = 0x1000,
		  .size = 16,
		  .name = a,
		  .rows = rows,
		  .row_count = 1 },
		{ .rank = GSYM_RANK_FUNCTION,
		  .start = 0x1000,
		  .size = 16,
		  .name = a,
		  .rows = rows,
		  .row_count = 2 },
	};
	struct gsym_record r = { .rank = GSYM_RANK_FUNCTION,
				 .start = 0x1000,
				 .size = 16,
				 .name = a,
				 .rows = rows,
				 .row_count = 2,
				 .inlines = nodes,
				 .inline_count = 2,
				 .inline_ranges = ranges,
				 .calls = calls,
				 .call_count = 2,
				 .call_patterns = patterns,
				 .merged = merged,
				 .merged_count = 2 };

	switch (which) {
	case 0: rows[1].offset = 9; break;
	case 1: rows[1].line = 5; break;
	case 2: rows[1].file = make_file(m, "g.c"); break;
	case 3: nodes[1].depth = 1; nodes[1].first_range = 1;
		ranges[0].end = 0x1006; break;
	case 4: nodes[1].name = make_string(m, "b"); break;
	case 5: nodes[1].call_file = make_file(m, "g.c"); break;
	case 6: nodes[1].call_line = 5; break;
	case 7: ranges[1].start++; ranges[1].end++; break;
	case 8: ranges[1].end++; break;
	case 9: calls[1].return_offset = 9; break;
	case 10: calls[1].flags = 1; break;
	case 11: patterns[2] = make_string(m, "b"); break;
	case 12: calls[0].pattern_count = 2;
		calls[1].pattern_count = 1; break;
	case 13: calls[1].pattern_count = 1; break;
	case SIBLINGS:
	case SIBLINGS + 1:
		/* Two siblings have three ranges: one has two of them. */
		ranges[0].end = 0x1005;
		nodes[1].depth = 1;
		nodes[which == SIBLINGS].range_count = 2;
		nodes[1].first_range = which == SIBLINGS ? 1 : 2;
		break;
	case 16:
		ranges[0].start--;
		break;
	case 17:
		merged[0].name = make_string(m, "b");
		break;
	case 18:
		merged[1].name = make_string(m, "b");
		break;
	default: break;
	}
	make_record(m, &r);
}

Test(same, one_different_number_decides)
{
	enum { TURNS = 2 };

	for (unsigned which = 0; which < VARIANTS; which++) {
		unsigned other = which == SIBLINGS ? which + 1 : VARIANTS;
		struct make made[TURNS];

		for (unsigned turn = 0; turn < TURNS; turn++) {
			made[turn] = make_begin();
			add_variant(&made[turn], turn ? which : other);
			add_variant(&made[turn], turn ? other : which);
			make_end(&made[turn]);
		}
		expect_same(&made[0], &made[1], "variant", which);
		make_free(&made[0]);
		make_free(&made[1]);
	}
}

/* Of two functions of one range that do not answer at their start, either one
 * may come first: whether a symbol in them contradicts depends on its name. */
Test(same, functions_of_equal_range_behind_a_smaller_one)
{
	static const char *const names[] = { "a", "b" };
	struct make made[2];

	for (unsigned turn = 0; turn < 2; turn++) {
		struct make *m = &made[turn];

		*m = make_begin();
		make_function(m, 0x1000, 4, "small");
		for (unsigned i = 0; i < 2; i++)
			make_function(m, 0x1000, 0x20, names[i ^ turn]);
		make_symbol(m, 0x1010, 8, "b.part.0");
		make_end(m);
		cr_expect_eq(m->summary.contradictions, 1);
	}
	expect_same(&made[0], &made[1], "turn", 1);
	make_free(&made[0]);
	make_free(&made[1]);
}

/* Files that are used equally often are in the order of their first use. */
Test(same, files_used_equally_often)
{
	struct make made[2];

	for (unsigned turn = 0; turn < 2; turn++) {
		struct make *m = &made[turn];
		uint32_t name, directories[2] = { 0 }, files[2];

		*m = make_begin();
		name = make_string(m, "b");
		directories[1] = make_string(m, "a");
		for (unsigned i = 0; i < 2; i++)
			cr_assert_eq(gsym_builder_file(m->builder,
						       directories[i ^ turn],
						       name, &files[i ^ turn]),
				     GSYM_OK);
		for (unsigned i = 0; i < 2; i++)
			make_record(m, &(struct gsym_record){
					       .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000 + i * 16,
					       .size = 16,
					       .name = name,
					       .row_count = 1,
					       .rows = &(struct gsym_row){
						       0, files[i], 1 } });
		make_end(m);
		cr_assert_str_eq(m->plain.files[1].directory, "");
		cr_assert_str_eq(m->plain.files[2].directory, "a");
	}
	expect_same(&made[0], &made[1], "turn", 1);
	make_free(&made[0]);
	make_free(&made[1]);
}

/* Names come in the order of their first use.  The strings of files follow,
 * those of the most frequent file at the end. */
Test(same, order_of_strings)
{
	static const char *const names[] = { "first", "inlined", "second" };
	struct make m = make_begin();
	uint32_t rare = make_file(&m, "r.c"), often = make_file(&m, "o.c");
	struct gsym_row rows[] = { { 0, often, 1 }, { 2, often, 2 },
				   { 4, often, 3 }, { 6, rare, 4 } };
	struct gsym_range range = { 0x1002, 0x1004 };
	struct gsym_inline_node node = { 1, make_string(&m, names[1]), rare, 7,
					 0, 1 };

	make_symbol(&m, 0x2000, 16, names[2]);
	make_record(&m, &(struct gsym_record){
				.rank = GSYM_RANK_FUNCTION,
				.start = 0x1000, .size = 16,
				.name = make_string(&m, names[0]),
				.rows = rows, .row_count = 4,
				.inlines = &node, .inline_count = 1,
				.inline_ranges = &range });
	make_end(&m);
	cr_assert_str_eq(table(&m), "|first|inlined|second|r.c|/src|o.c|");
	make_free(&m);
}

Test(same, strings_share_their_ends)
{
	static const char *const names[] = {
		"foo", "barfoo", "oo", "o", "xfoo", "f", "aaaaaaaafoo",
		"_pfx_aaaaaaaafoo", "zaaaaaaaafoo", "12345678", "912345678",
		"0912345678", "\xff\x80o", "\x80o",
	};
	enum { COUNT = sizeof(names) / sizeof(*names) };
	struct make m = make_begin();

	for (size_t i = 0; i < COUNT; i++)
		make_symbol(&m, 0x1000 + i * 16, 16, names[i]);
	make_string(&m, "unused");
	make_end(&m);
	for (size_t i = 0; i < COUNT; i++)
		cr_assert_str_eq(m.plain.functions[i].name, names[i]);
	cr_assert_str_eq(table(&m), "|_pfx_aaaaaaaafoo|barfoo|xfoo|f|"
				    "zaaaaaaaafoo|0912345678|\xff\x80o|");
	cr_assert_eq(m.summary.strings, COUNT);
	make_free(&m);
}

/* Strings of all lengths that differ in their first bytes alone: all of them
 * are in the file, and each end is stored once. */
Test(same, long_common_ends)
{
	enum { COUNT = 300 };
	struct make m = make_begin();
	char text[COUNT + 2];
	uint64_t bytes = 1;

	memset(text, 'a', sizeof(text));
	text[COUNT + 1] = 0;
	for (size_t i = 0; i < COUNT; i++) {
		make_symbol(&m, 0x1000 + i * 32, 16, text + i + 1);
		/* One byte more, in front. */
		text[i] = 'b';
		make_symbol(&m, 0x1010 + i * 32, 16, text + i);
		text[i] = 'a';
		bytes += COUNT + 2 - i;
	}
	make_end(&m);
	cr_assert_eq(m.plain.function_count, 2 * COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		cr_assert_eq(strlen(m.plain.functions[i * 2].name), COUNT - i);
		cr_assert_eq(strlen(m.plain.functions[i * 2 + 1].name),
			     COUNT + 1 - i);
		cr_assert_eq(*m.plain.functions[i * 2 + 1].name, 'b');
	}
	/* Stored are "baa..a" of all lengths; each "aa..a" is the end of one
	 * of them. */
	cr_assert_eq(m.plain.string_bytes, bytes);
	make_free(&m);
}
