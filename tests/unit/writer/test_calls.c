/* SPDX-License-Identifier: MIT */
/* Call sites that are added by the name of their function. */
#include "support/make.h"
#include "writer/state.h"

#include <stdio.h>

#include <criterion/criterion.h>

/* Add a call site to the function called NAME; PATTERN may be NULL. */
static enum gsym_status call(struct make *m, const char *name, uint64_t offset,
			     uint8_t flags, const char *pattern)
{
	uint32_t patterns[2] = { 0, pattern ? make_string(m, pattern) : 0 };

	return gsym_builder_call_site(m->builder, make_string(m, name),
				      &(struct gsym_call){
					      .return_offset = offset,
					      .flags = flags,
					      .first_pattern = 1,
					      .pattern_count = pattern ? 1 : 0,
				      },
				      patterns);
}

/* The call sites of F, as "OFFSET FLAGS PATTERN.."; OFFSET is hexadecimal. */
static const char *calls(const struct plain_function *f)
{
	static char text[512];
	size_t at = 0;

	cr_assert(f);
	text[0] = 0;
	for (size_t i = 0; i < f->call_count; i++) {
		const struct plain_call *c = &f->calls[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "%s%x %u", i ? "; " : "",
				       (unsigned)c->return_offset, c->flags);
		for (size_t k = 0; k < c->pattern_count; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       " %s", c->patterns[k]);
	}
	return text;
}

Test(calls, the_order_of_adding_does_not_matter)
{
	for (int turn = 0; turn < 2; turn++) {
		struct make m = make_begin();
		uint32_t own = make_string(&m, "own");

		make_record(&m, &(struct gsym_record){
				.rank = GSYM_RANK_FUNCTION, .start = 0x1000,
				.size = 16, .name = make_string(&m, "f"),
				.calls = &(struct gsym_call){ 6, 0, 0, 1 },
				.call_count = 1, .call_patterns = &own });
		make_symbol(&m, 0x2000, 16, "g");
		call(&m, turn ? "f" : "g", 8, 3, "x");
		call(&m, turn ? "g" : "f", 8, 3, "x");
		call(&m, "f", turn ? 4 : 6, 1, "y");
		call(&m, "f", turn ? 6 : 4, 1, "y");
		call(&m, "f", 8, 0, NULL);
		call(&m, "f", 16, 0, NULL);
		make_end(&m);
		cr_assert_str_eq(calls(plain_at(&m.plain, 0x1000)),
				 "4 1 y; 6 1 y; 8 0; 8 3 x; 10 0; 6 0 own");
		cr_assert_str_eq(calls(plain_at(&m.plain, 0x2000)), "8 3 x");
		cr_assert_eq(m.summary.call_sites, 7);
		make_free(&m);
	}
}

/* The one with fewer patterns is first. */
Test(calls, one_offset_and_different_numbers_of_patterns)
{
	for (int turn = 0; turn < 2; turn++) {
		struct make m = make_begin();

		make_function(&m, 0x1000, 16, "f");
		call(&m, "f", 8, 1, turn ? "x" : NULL);
		call(&m, "f", 8, 1, turn ? NULL : "x");
		make_end(&m);
		cr_assert_str_eq(calls(plain_at(&m.plain, 0x1000)),
				 "8 1; 8 1 x");
		make_free(&m);
	}
}

/* The first pattern that differs decides. */
Test(calls, one_offset_and_different_patterns)
{
	for (int turn = 0; turn < 2; turn++) {
		struct make m = make_begin();
		uint32_t f = make_string(&m, "f");
		const uint32_t patterns[] = {
			make_string(&m, "x"), make_string(&m, turn ? "a" : "b"),
			make_string(&m, "x"), make_string(&m, turn ? "b" : "a")
		};

		make_function(&m, 0x1000, 16, "f");
		for (uint32_t i = 0; i < 2; i++)
			cr_assert_eq(gsym_builder_call_site(
					     m.builder, f,
					     &(struct gsym_call){
						     .return_offset = 8,
						     .first_pattern = 2 * i,
						     .pattern_count = 2 },
					     patterns),
				     GSYM_OK);
		make_end(&m);
		cr_assert_str_eq(calls(plain_at(&m.plain, 0x1000)),
				 "8 0 x a; 8 0 x b");
		make_free(&m);
	}
}

/* A body has 32 bits for the numbers of its call sites and patterns. */
Test(calls, too_many_call_sites)
{
	for (int turn = 0; turn < 2; turn++) {
		struct make m = make_begin();
		struct gsym_shape_body body = {
			.counts[GSYM_CALLS] = turn ? 7 : UINT32_MAX,
			.counts[GSYM_PATTERNS] = turn ? UINT32_MAX : 7,
		};
		struct gsym_shape shape = { .start = 0x1000,
					    .size = 16,
					    .name = make_string(&m, "f"),
					    .body = &body };
		struct w_shapes records = { &shape, 1, 1 };
		struct gsym_error error = { 0 };

		call(&m, "f", 8, 0, "x");
		cr_assert_eq(gsym_writer_place_calls(m.builder, &records,
						     &error),
			     GSYM_ERR_LIMIT);
		cr_assert_str_eq(error.message, "too many call sites");
		cr_assert_eq(error.offset, 0);
		make_free(&m);
	}
}

/* The rest of the body of each function stays as it was. */
Test(calls, functions_keep_their_rows_and_inlined_calls)
{
	struct make m = make_begin();
	uint32_t pattern = make_string(&m, "own");

	for (uint32_t i = 0; i < 3; i++) {
		uint64_t start = 0x1000 * (i + 1);
		const struct gsym_row rows[] = {
			{ 0, make_file(&m, "f.c"), i + 1 },
			{ i + 4, make_file(&m, "g.c"), 9 }
		};

		make_record(&m,
			    &(struct gsym_record){
				    .rank = GSYM_RANK_FUNCTION,
				    .start = start,
				    .size = 16,
				    .name = make_string(&m, i ? "g" : "f"),
				    .rows = rows,
				    .row_count = 2,
				    .inlines =
					    &(struct gsym_inline_node){
						    1, pattern,
						    GSYM_FILE_UNKNOWN, i, 0,
						    1 },
				    .inline_count = 1,
				    .inline_ranges =
					    &(struct gsym_range){ start + i,
								  start + 8 },
				    .calls = &(struct gsym_call){ i, 0, 0, 1 },
				    .call_count = 1,
				    .call_patterns = &pattern });
	}
	call(&m, "f", 8, 3, "x");
	call(&m, "g", 8, 2, NULL);
	make_end(&m);
	cr_assert_str_eq(make_rows(&m, 0x1000), "0 /src/f.c:1; 4 /src/g.c:9");
	cr_assert_str_eq(make_rows(&m, 0x2000), "0 /src/f.c:2; 5 /src/g.c:9");
	cr_assert_str_eq(make_rows(&m, 0x3000), "0 /src/f.c:3; 6 /src/g.c:9");
	cr_assert_str_eq(make_inlines(&m, 0x1000), "1 own [1000,1008) /??:0");
	cr_assert_str_eq(make_inlines(&m, 0x2000), "1 own [2001,2008) /??:1");
	cr_assert_str_eq(calls(plain_at(&m.plain, 0x1000)), "8 3 x; 0 0 own");
	cr_assert_str_eq(calls(plain_at(&m.plain, 0x2000)), "8 2; 1 0 own");
	cr_assert_str_eq(calls(plain_at(&m.plain, 0x3000)), "2 0 own");
	make_free(&m);
}

Test(calls, the_first_function_that_reaches_the_offset)
{
	struct make m = make_begin();

	make_function(&m, 0x3000, 64, "f");
	make_function(&m, 0x1000, 16, "f");
	make_function(&m, 0x2000, 32, "f");
	call(&m, "f", 16, 0, "a");
	call(&m, "f", 17, 0, "b");
	call(&m, "f", 40, 0, "c");
	make_end(&m);
	cr_assert_str_eq(calls(plain_at(&m.plain, 0x1000)), "10 0 a");
	cr_assert_str_eq(calls(plain_at(&m.plain, 0x2000)), "11 0 b");
	cr_assert_str_eq(calls(plain_at(&m.plain, 0x3000)), "28 0 c");
	make_free(&m);
}

/* All call sites are in the last of many functions of one name.  If each
 * function looked at all of them this would take minutes. */
Test(calls, many_functions_of_one_name)
{
	enum { MANY = 300000 };
	struct make m = make_begin();

	for (uint32_t i = 0; i < MANY; i++)
		make_function(&m, 0x1000 + i * 16, 16, "f");
	make_function(&m, 0x10000000, 2 * MANY, "f");
	for (uint32_t i = 0; i < MANY; i++)
		call(&m, "f", MANY + i, 0, NULL);
	make_end(&m);
	cr_assert_eq(plain_at(&m.plain, 0x1000)->call_count, 0);
	cr_assert_eq(plain_at(&m.plain, 0x10000000)->call_count, MANY);
	make_free(&m);
}

Test(calls, merged_functions_get_call_sites_too)
{
	struct make m = make_begin();

	m.options.merge = true;
	make_function(&m, 0x1000, 16, "a");
	make_function(&m, 0x1000, 16, "b");
	call(&m, "b", 8, 0, "x");
	make_end(&m);
	cr_assert_str_eq(calls(plain_at(&m.plain, 0x1000)), "");
	cr_assert_eq(plain_at(&m.plain, 0x1000)->merged_count, 1);
	cr_assert_str_eq(calls(&plain_at(&m.plain, 0x1000)->merged[0]),
			 "8 0 x");
	make_free(&m);
}

/* The call site NAME+OFFSET is accepted, but finishing fails. */
static void expect_refused(const char *name, uint64_t offset)
{
	struct make m = make_begin();
	struct gsym_error error = { 0 };

	make_function(&m, 0x1000, 16, "f");
	call(&m, "f", 1, 0, NULL); /* this one has a function */
	cr_assert_eq(call(&m, name, offset, 0, NULL), GSYM_OK);
	cr_assert_eq(gsym_builder_finish(m.builder, NULL, &m.bytes, &m.size,
					 NULL, &error), GSYM_ERR_ARGUMENT);
	cr_assert(strstr(error.message, name), "%s", error.message);
	cr_assert_eq(error.offset, 0);
	gsym_builder_free(m.builder);
}

Test(calls, no_such_function)
{
	expect_refused("missing", 1);
	expect_refused("f", 17);
}

Test(calls, invalid_arguments)
{
	struct make m = make_begin();
	uint32_t none = make_string(&m, "f") + 1;

	make_function(&m, 0x1000, 16, "f");
	cr_assert_eq(call(&m, "", 1, 0, NULL), GSYM_ERR_ARGUMENT);
	cr_assert_eq(call(&m, "f", (uint64_t)1 << 32, 0, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_call_site(m.builder, none,
					    &(struct gsym_call){ 0 }, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_call_site(m.builder, make_string(&m, "f"),
					    &(struct gsym_call){
						    .pattern_count = 1 },
					    &none),
		     GSYM_ERR_ARGUMENT);
	make_end(&m);
	cr_assert_eq(m.summary.call_sites, 0);
	make_free(&m);
}
