/* SPDX-License-Identifier: MIT */
/* gsym_builder_finish_segments: several files of a limited size. */
#include "support/make.h"
#include "writer/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

enum { FUNCTIONS = 100 };

struct seen {
	unsigned version;
	uint64_t limit;
	/* Segments, those of them that are beyond the limit, and what all of
	 * them have. */
	unsigned segments;
	unsigned larger;
	uint64_t functions;
	uint64_t files;
	/* The address of the last function so far. */
	uint64_t last;
	/* What to return. */
	enum gsym_status answer;
};

/* Count a segment of SIZE bytes with FUNCTIONS functions.  It may be larger
 * than the limit only if it has one function. */
static void count(struct seen *seen, size_t size, size_t functions)
{
	bool larger = seen->limit && size > seen->limit;

	cr_assert(!larger || functions == 1, "%zu bytes, %zu functions", size,
		  functions);
	seen->segments++;
	seen->larger += larger;
	seen->functions += functions;
}

/* A gsym_segment_fn: check a segment of the functions of begin. */
static enum gsym_status take(void *context, uint64_t address,
			     const uint8_t *bytes, size_t size)
{
	struct seen *seen = context;
	struct plain plain;

	plain_decode(&plain, bytes, size);
	cr_assert_null(plain.problem, "%s", plain.problem);
	cr_assert_eq(plain.version, seen->version);
	cr_assert_eq(plain.base, 0x1000);
	cr_assert_eq(plain.uuid_size, 4);
	cr_assert(plain.function_count);
	cr_assert_eq(plain.functions[0].start, address);
	cr_assert_gt(address, seen->last);
	for (size_t i = 0; i < plain.function_count; i++) {
		const struct plain_function *f = &plain.functions[i];
		char name[32];

		snprintf(name, sizeof(name), "function_%u",
			 (unsigned)(f->start - 0x1000) / 16);
		cr_assert_str_eq(f->name, name);
		cr_assert_eq(f->row_count, 2);
		cr_assert_eq(f->call_count, 1);
		cr_assert_str_eq(f->calls[0].patterns[0], name);
		cr_assert_eq(f->merged_count, 1);
		cr_assert_str_eq(f->merged[0].name, "folded");
		cr_assert_eq(f->inline_count, 2);
		snprintf(name, sizeof(name), "inlined_%u",
			 (unsigned)(f->start - 0x1000) / 16);
		cr_assert_str_eq(f->inlines[1].name, name);
		cr_assert(strstr(plain.files[f->inlines[1].call_file].basename,
				 name));
		seen->last = f->start;
	}
	/* A segment has file 0 and the files of its functions, two each. */
	cr_assert_leq(plain.file_count, 2 * plain.function_count + 1);
	seen->files += plain.file_count - 1;
	count(seen, size, plain.function_count);
	plain_free(&plain);
	return seen->answer;
}

/* Functions with all that a record can hold. */
static struct make begin(void)
{
	static const uint8_t uuid[] = { 1, 2, 3, 4 };
	struct make m = make_begin();

	m.options.merge = true;
	cr_assert_eq(gsym_builder_set_uuid(m.builder, uuid, 4), GSYM_OK);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[32], file[128], inlined[32];
		struct gsym_row rows[2];
		struct gsym_inline_node node = { .depth = 1, .range_count = 1 };
		uint32_t number;

		snprintf(name, sizeof(name), "function_%u", i);
		snprintf(file, sizeof(file), "file_%u.c", i / 2);
		rows[0] = (struct gsym_row){ 0, make_file(&m, file), i };
		rows[1] = (struct gsym_row){ 4, rows[0].file, i + 1000 };
		number = make_string(&m, name);
		snprintf(inlined, sizeof(inlined), "inlined_%u", i);
		node.name = make_string(&m, inlined);
		/* The name of a file takes most of a function's bytes. */
		snprintf(file, sizeof(file), "%0*d_%s", 64, 0, inlined);
		node.call_file = make_file(&m, file);
		make_record(&m, &(struct gsym_record){
				.rank = GSYM_RANK_FUNCTION,
				.start = 0x1000 + i * 16, .size = 16,
				.name = number, .rows = rows, .row_count = 2,
				.inlines = &node, .inline_count = 1,
				.inline_ranges = &(struct gsym_range){
					0x1004 + i * 16, 0x1008 + i * 16 },
				.calls = &(struct gsym_call){ 8, 0, 0, 1 },
				.call_count = 1, .call_patterns = &number });
		make_record(&m, &(struct gsym_record){
				.rank = GSYM_RANK_FUNCTION, .folded = true,
				.start = 0x1000 + i * 16, .size = 16,
				.name = make_string(&m, "folded") });
	}
	return m;
}

/* Write segments of LIMIT bytes: LEAST to MOST of them, and none larger. */
static void check(unsigned version, uint64_t limit, unsigned least,
		  unsigned most)
{
	struct make m = begin();
	struct seen seen = { .version = version, .limit = limit };
	struct gsym_build_summary summary;
	struct gsym_error error = { 0 };

	m.options.version = version;
	cr_assert_eq(gsym_builder_finish_segments(m.builder, &m.options, limit,
						  take, &seen, &summary,
						  &error),
		     GSYM_OK, "%s", error.message);
	cr_assert_eq(seen.functions, FUNCTIONS);
	cr_assert_eq(seen.larger, 0);
	cr_assert_geq(seen.segments, least);
	cr_assert_leq(seen.segments, most, "%u", seen.segments);
	cr_assert_eq(summary.functions, FUNCTIONS);
	cr_assert_eq(summary.files, seen.files);
	cr_assert_geq(summary.strings, 3 * FUNCTIONS);
	cr_assert_eq(summary.rows, 2 * FUNCTIONS);
	cr_assert_eq(summary.merged, FUNCTIONS);
	cr_assert_eq(summary.call_sites, FUNCTIONS);
	gsym_builder_free(m.builder);
}

Test(segments, of_many_sizes)
{
	for (unsigned version = 1; version <= 2; version++) {
		check(version, 0, 1, 1);
		check(version, 1000000, 1, 1);
		check(version, 4000, 4, 10);
		check(version, 1000, 15, 50);
		check(version, 600, 25, 100);
	}
}

/* The first function is below the preferred base address, the others are
 * not. */
Test(segments, one_base_address)
{
	struct make m = begin();
	struct seen seen = { .version = 1, .limit = 1000 };

	m.options.version = 1;
	gsym_builder_set_base(m.builder, 0x1008);
	cr_assert_eq(gsym_builder_finish_segments(m.builder, &m.options, 1000,
						  take, &seen, NULL, NULL),
		     GSYM_OK);
	cr_assert_gt(seen.segments, 1);
	gsym_builder_free(m.builder);
}

/* If the limit is less than a function takes each function has a segment. */
Test(segments, smaller_than_a_function)
{
	struct make m = begin();
	struct seen seen = { .version = 1, .limit = 150 };

	m.options.version = 1;
	cr_assert_eq(gsym_builder_finish_segments(m.builder, &m.options, 150,
						  take, &seen, NULL, NULL),
		     GSYM_OK);
	cr_assert_eq(seen.segments, FUNCTIONS);
	cr_assert_eq(seen.larger, FUNCTIONS);
	/* The builder is used up. */
	cr_assert_eq(gsym_builder_finish_segments(m.builder, NULL, 0, take,
						  &seen, NULL, NULL),
		     GSYM_ERR_ARGUMENT);
	gsym_builder_free(m.builder);
}

static enum gsym_status count_segment(void *context, uint64_t address,
				      const uint8_t *bytes, size_t size)
{
	struct seen *seen = context;
	struct plain plain;

	plain_decode(&plain, bytes, size);
	cr_assert_null(plain.problem, "%s", plain.problem);
	cr_assert_gt(address, seen->last);
	seen->last = address;
	count(seen, size, plain.function_count);
	plain_free(&plain);
	return GSYM_OK;
}

/* A function of SIZE rows, one for each byte; neighbours are of different
 * files. */
static void add_switching(struct make *m, uint64_t start, uint32_t size)
{
	struct gsym_row rows[1000];
	uint32_t files[] = { make_file(m, "a.c"), make_file(m, "b.c"),
			     make_file(m, "c.c") };

	for (uint32_t i = 0; i < size; i++)
		rows[i] = (struct gsym_row){ i, files[i % 3], 1 };
	make_record(m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					      .start = start,
					      .size = size,
					      .name = make_string(m, "f"),
					      .rows = rows,
					      .row_count = size });
}

/* Line tables that switch files with each row are within the limit, too, and
 * fill the segments. */
Test(segments, rows_that_switch_files)
{
	for (uint64_t limit = 1000; limit < 10000; limit += 1234) {
		struct make m = make_begin();
		struct seen seen = { .limit = limit };

		for (uint32_t i = 0; i < FUNCTIONS; i++)
			add_switching(&m, 0x1000 + i * 0x100, 50);
		cr_assert_eq(gsym_builder_finish_segments(m.builder, NULL,
							  limit, count_segment,
							  &seen, NULL, NULL),
			     GSYM_OK);
		cr_assert_eq(seen.functions, FUNCTIONS);
		cr_assert_eq(seen.larger, 0);
		/* A function takes some 190 bytes. */
		cr_assert_leq(seen.segments, FUNCTIONS * 250 / limit + 1,
			      "%u segments of %zu bytes", seen.segments,
			      (size_t)limit);
		gsym_builder_free(m.builder);
	}
}

/* A function that is larger than the limit is alone in its segment; those
 * before and after it share segments. */
Test(segments, one_large_function)
{
	struct make m = make_begin();
	struct seen seen = { .limit = 1000 };

	for (uint32_t i = 0; i < 5; i++)
		add_switching(&m, 0x1000 + i * 0x400, i == 2 ? 1000 : 50);
	cr_assert_eq(gsym_builder_finish_segments(m.builder, NULL, 1000,
						  count_segment, &seen, NULL,
						  NULL),
		     GSYM_OK);
	cr_assert_eq(seen.functions, 5);
	cr_assert_eq(seen.segments, 3);
	cr_assert_eq(seen.larger, 1);
	gsym_builder_free(m.builder);
}

/* What the functions have strings or files of their own in, besides their
 * names. */
enum part {
	FIRST_ROWS,
	SECOND_ROWS,
	INLINED_CALLS,
	PATTERNS,
	MERGED,
	PARTS,
};

/* The number of the string "WHAT_INDEX_", made longer. */
static uint32_t unique(struct make *m, const char *what, uint32_t index)
{
	char name[64];

	/* Strings that end differently share no bytes. */
	snprintf(name, sizeof(name), "%-30s_%c%c", what, (int)('a' + index % 8),
		 (int)('A' + index / 8));
	return make_string(m, name);
}

static uint32_t unique_file(struct make *m, const char *what, uint32_t index)
{
	uint32_t number;

	cr_assert_eq(gsym_builder_file(m->builder, 0, unique(m, what, index),
				       &number),
		     GSYM_OK);
	return number;
}

/* Add function INDEX, whose record takes a multiple of four bytes and one, so
 * that it is followed by three bytes of padding. */
static void add_part(struct make *m, enum part part, uint32_t index)
{
	/* Chosen for the size of the record; a row takes a byte. */
	static const uint32_t row_counts[] = { 5, 7, 5, 4, 5 };
	uint64_t start = (uint64_t)(index + 1) << 32;
	uint32_t shared = make_string(m, "shared");
	struct gsym_row rows[8];
	struct gsym_range ranges[] = { { start, start + 8 },
				       { start, start + 4 } };
	struct gsym_inline_node nodes[2];
	uint32_t patterns[2] = { shared, shared };
	struct gsym_record merged,
		r = { .rank = GSYM_RANK_FUNCTION,
		      .start = start,
		      .size = 64,
		      .rows = rows,
		      .row_count = row_counts[part],
		      .inlines = nodes,
		      .inline_ranges = ranges,
		      .calls = &(struct gsym_call){ 8, 0, 0, 2 },
		      .call_patterns = patterns,
		      .merged = &merged };

	(void)merged;
	r.name = unique(m, "function", index);
	/* The most frequent file has index 1, which line tables start with:
	 * no table begins with this file, so all of them switch to it. */
	for (uint32_t i = 0; i < 8; i++)
		rows[i] = (struct gsym_row){
			i, i ? GSYM_FILE_UNKNOWN : make_file(m, "a.c"), 10 + i
		};
	if (part == FIRST_ROWS)
		rows[0].file = unique_file(m, "first", index);
	if (part == SECOND_ROWS)
		rows[1].file = unique_file(m, "second", index);
	for (uint32_t i = 0; i < 2; i++)
		nodes[i] = (struct gsym_inline_node){
			i + 1, shared, GSYM_FILE_UNKNOWN, 7, i, 1
		};
	if (part == INLINED_CALLS) {
		r.inline_count = 2;
		nodes[1].name = unique(m, "inlined", index);
		nodes[1].call_file = unique_file(m, "caller", index);
	}
	if (part == PATTERNS) {
		r.call_count = 1;
		patterns[0] = unique(m, "pattern", index);
	}
	merged = (struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
				       .start = start,
				       .size = 64 };
	if (part == MERGED) {
		r.merged_count = 1;
		merged.name = unique(m, "merged", index);
	}
	make_record(m, &r);
}

static struct make parts(unsigned version, enum part part, uint32_t count)
{
	struct make m = make_begin();

	m.options.version = version;
	for (uint32_t i = 0; i < count; i++)
		add_part(&m, part, i);
	return m;
}

static enum gsym_status first_segment(void *context, uint64_t address,
				      const uint8_t *bytes, size_t size)
{
	struct seen *seen = context;

	(void)address;
	if (!seen->segments) {
		struct plain plain;

		plain_decode(&plain, bytes, size);
		cr_assert_null(plain.problem, "%s", plain.problem);
		count(seen, size, plain.function_count);
		plain_free(&plain);
	}
	return GSYM_OK;
}

/* The number of functions in the first segment of at most LIMIT bytes. */
static uint64_t fit(unsigned version, bool checksum, enum part part,
		    uint32_t all, uint64_t limit)
{
	struct make m = parts(version, part, all);
	struct seen seen = { .limit = limit };

	m.options.checksum = checksum;

	cr_assert_eq(gsym_builder_finish_segments(m.builder, &m.options, limit,
						  first_segment, &seen, NULL,
						  NULL),
		     GSYM_OK);
	gsym_builder_free(m.builder);
	return seen.functions;
}

/* The size of a segment is estimated before it is laid out.  A function of
 * add_part takes as many bytes as estimated; only padding before and after all
 * records may be less.  One byte too many for each function would be
 * noticed. */
Test(segments, estimates_are_close)
{
	/* The estimate has the padding of a file, and PADDING (20) besides. */
	enum { FIT = 32, LEAST = 15, SLACK = 7 + 7 + 3 + 3 + 3 + 3 };

	for (unsigned i = 0; i < 4 * PARTS; i++) {
		const unsigned version = 1 + i % 2;
		const bool checksum = i / 2 % 2;
		const enum part part = i / 4;
		struct make m = parts(version, part, FIT);
		uint64_t size;

		m.options.checksum = checksum;
		make_end(&m);
		size = m.size;
		make_free(&m);
		/* This would also be too much if the checksum were not
		 * estimated. */
		cr_expect_lt(fit(version, checksum, part, FIT + 4,
				 size + LEAST),
			     FIT, "version %u, part %d", version, part);
		cr_expect_geq(fit(version, checksum, part, FIT + 4,
				  size + SLACK),
			      FIT, "version %u, part %d: %u of %u", version,
			      part,
			      (unsigned)fit(version, checksum, part, FIT + 4,
					    size + SLACK),
			      (unsigned)size);
	}
}

Test(segments, a_refused_segment_ends_the_writing)
{
	struct make m = begin();
	struct seen seen = { .version = 1, .limit = 1000,
			     .answer = GSYM_ERR_CANCELLED };

	m.options.version = 1;
	cr_assert_eq(gsym_builder_finish_segments(m.builder, &m.options, 1000,
						  take, &seen, NULL, NULL),
		     GSYM_ERR_CANCELLED);
	cr_assert_eq(seen.segments, 1);
	gsym_builder_free(m.builder);
}

Test(segments, none_without_functions)
{
	struct gsym_builder *b = gsym_builder_new();

	cr_assert_eq(gsym_builder_finish_segments(b, NULL, 100, take, NULL,
						  NULL, NULL),
		     GSYM_NOT_FOUND);
	gsym_builder_free(b);
}
