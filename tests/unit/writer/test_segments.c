/* SPDX-License-Identifier: MIT */
/* Several files of a limited size instead of one. */
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
	unsigned segments;
	uint64_t functions;
	uint64_t files;
	uint64_t last; /* address of a function */
	enum gsym_status answer;
};

/* Each segment, with a decoder that takes nothing that is not as it should
 * be. */
static enum gsym_status take(void *context, uint64_t address,
			     const uint8_t *bytes, size_t size)
{
	struct seen *seen = context;
	struct plain plain;

	plain_decode(&plain, bytes, size);
	cr_assert_null(plain.problem, "%s", plain.problem);
	cr_assert_eq(plain.version, seen->version);
	cr_assert(!seen->limit || size <= seen->limit, "%zu bytes", size);
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
	/* Nothing but what is used: file 0, a few own ones. */
	cr_assert_leq(plain.file_count, 2 * plain.function_count + 1);
	seen->files += plain.file_count - 1;
	seen->functions += plain.function_count;
	seen->segments++;
	plain_free(&plain);
	return seen->answer;
}

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
		/* Long enough for its room to be missed. */
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

Test(segments, too_small_for_a_function)
{
	struct make m = begin();
	struct seen seen = { .version = 1, .limit = 150 };
	struct gsym_error error = { 0 };

	cr_assert_eq(gsym_builder_finish_segments(m.builder, NULL, 150, take,
						  &seen, NULL, &error),
		     GSYM_ERR_LIMIT);
	cr_assert(strstr(error.message, "0x1000"), "%s", error.message);
	cr_assert_eq(seen.segments, 0);
	/* It is used up. */
	cr_assert_eq(gsym_builder_finish_segments(m.builder, NULL, 0, take,
						  &seen, NULL, NULL),
		     GSYM_ERR_ARGUMENT);
	gsym_builder_free(m.builder);
}

Test(segments, whoever_takes_them_may_have_enough)
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
