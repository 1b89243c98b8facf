/* SPDX-License-Identifier: MIT */
/* If any allocation fails the writer returns an error; it neither crashes nor
 * leaks, nor writes beyond the end of a block. */
#include "support/guarded.h"
#include "support/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#define TRY(call)                                                             \
	do {                                                                  \
		enum gsym_status try_status = (call);                         \
									      \
		if (try_status != GSYM_OK)                                    \
			return try_status;                                    \
	} while (0)

static enum gsym_status add_functions(struct gsym_builder *b, uint32_t file,
				      uint32_t name)
{
	static struct gsym_row rows[8000];
	struct gsym_range range = { 0x1002, 0x100e };
	struct gsym_inline_node node = { 1, name, file, 3, 0, 1 };
	struct gsym_call call = { 4, 0, 0, 1 };
	struct gsym_record merged, r = { .rank = GSYM_RANK_FUNCTION,
					 .start = 0x1000,
					 .size = 0x40000,
					 .name = name,
					 .rows = rows,
					 .row_count = 8000,
					 .inlines = &node,
					 .inline_count = 1,
					 .inline_ranges = &range,
					 .calls = &call,
					 .call_count = 1,
					 .call_patterns = &name };

	for (uint32_t i = 0; i < 8000; i++)
		rows[i] = (struct gsym_row){ i * 8, file, i * i };
	merged = r;
	r.merged = &merged;
	r.merged_count = 1;
	TRY(gsym_builder_record(b, &r));
	r.folded = true;
	r.name = 1; /* "??" */
	TRY(gsym_builder_record(b, &r));
	TRY(gsym_builder_call_site(b, name, &call, &name));
	/* These cut the first function into pieces. */
	for (uint32_t i = 0; i < 40; i++)
		TRY(gsym_builder_record(
			b, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
						  .start = 0x1008 + i * 64,
						  .size = 8,
						  .name = name }));
	return GSYM_OK;
}

static enum gsym_status add_symbols(struct gsym_builder *b)
{
	char text[32];

	for (uint32_t i = 0; i < 600; i++) {
		uint32_t name;

		snprintf(text, sizeof(text), "%u_with_a_long_tail", i);
		TRY(gsym_builder_string(b, text, strlen(text), &name));
		TRY(gsym_builder_record(
			b, &(struct gsym_record){ .rank = GSYM_RANK_SYMBOL,
						  .start = 0x80000 + i * 16,
						  .size = 16,
						  .name = name }));
	}
	return GSYM_OK;
}

static enum gsym_status add_all(struct gsym_builder *b)
{
	uint32_t name, file;
	static const uint8_t uuid[20] = { 1 };
	uint32_t patterns[4];

	TRY(gsym_builder_string(b, "name", 4, &name));
	TRY(gsym_builder_file(b, name, name, &file));
	for (int i = 0; i < 2; i++)
		TRY(gsym_builder_set_uuid(b, uuid, sizeof(uuid)));
	/* Not in the order of their addresses. */
	for (uint64_t i = 20; i-- > 0;)
		TRY(gsym_builder_loose_rows(
			b,
			(struct gsym_range){ 0x80000 + i * 64,
					     0x80020 + i * 64 },
			&(struct gsym_loose_row){ 0x80000 + i * 64, file, 1 },
			1));
	/* Twice the same call site: nothing after its patterns is compared. */
	for (uint32_t i = 0; i < 4; i++)
		patterns[i] = name;
	for (int i = 0; i < 2; i++)
		TRY(gsym_builder_call_site(
			b, name, &(struct gsym_call){ .pattern_count = 4 },
			patterns));
	TRY(add_functions(b, file, name));
	return add_symbols(b);
}

/* Add BYTES, a file, to the checksum of all files of a run. */
static void add_bytes(uint64_t *sum, const uint8_t *bytes, size_t size)
{
	*sum ^= size;
	for (size_t i = 0; i < size; i++)
		*sum = (*sum ^ bytes[i]) * 0x100000001b3;
}

static enum gsym_status take_segment(void *context, uint64_t address,
				     const uint8_t *bytes, size_t size)
{
	(void)address;
	add_bytes(context, bytes, size);
	return GSYM_OK;
}

static enum gsym_status finish(struct gsym_builder *b,
			       const struct gsym_build_options *options,
			       bool segments, uint64_t *sum,
			       struct gsym_error *error)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum gsym_status status;

	if (segments)
		return gsym_builder_finish_segments(
			b, options, 20000, take_segment, sum, NULL, error);
	status = gsym_builder_finish(b, options, &bytes, &size, NULL, error);
	if (status == GSYM_OK)
		add_bytes(sum, bytes, size);
	else
		cr_assert_null(bytes);
	free(bytes);
	return status;
}

/* Build a file, or segments, while allocation NUMBER fails.  True if the file
 * was written, false if the writer ran out of memory.  *SUM becomes the
 * checksum of the bytes. */
static bool run(long number, const struct gsym_build_options *options,
		bool segments, uint64_t *sum)
{
	struct gsym_error error = { 0 };
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct gsym_builder *b;

	*sum = 0;
	guarded.blocks = guarded.made = 0;
	guarded.failing = number;
	b = gsym_builder_new();
	if (b)
		status = add_all(b);
	if (b && status == GSYM_OK) {
		status = finish(b, options, segments, sum, &error);
		if (status != GSYM_OK)
			cr_assert_eq(error.code, GSYM_ERR_MEMORY);
	}
	gsym_builder_free(b);
	guarded.failing = -1;
	cr_assert_eq(guarded.blocks, 0, "%ld blocks are lost",
		     guarded.blocks);
	if (status == GSYM_OK)
		return true;
	cr_assert_eq(status, GSYM_ERR_MEMORY);
	return false;
}

/* One allocation fails, those after it do not.  No failure goes unnoticed: a
 * file that is written is complete.  (The realloc that frees the capacity
 * beyond a file's size may fail.) */
Test(memory, every_allocation_may_fail)
{
	for (int i = 0; i < 8; i++) {
		const struct gsym_build_options options = {
			.version = i & 1 ? 2 : 1,
			.merge = i & 2,
			.checksum = i & 1,
		};
		bool segments = i & 4;
		uint64_t expected, sum;
		long all;

		cr_assert(run(-1, &options, segments, &expected));
		all = guarded.made;
		cr_assert_gt(all, 50);
		for (long number = 0; number < all; number++)
			if (run(number, &options, segments, &sum))
				cr_assert_eq(sum, expected,
					     "allocation %ld of %ld", number,
					     all);
	}
}

/* What the records of room_is_exact have MANY of. */
enum part {
	ROWS,
	INLINED_CALLS,
	CALL_SITES,
	NAMED_CALL_SITES,
	LOOSE_ROWS,
	PARTS
};

/* Add a record with so much of PART that room is made for as much as is
 * needed and no more: small numbers of words are rounded up. */
static void add_many(struct make *m, enum part part)
{
	enum { MANY = 40 };
	struct gsym_row rows[MANY];
	struct gsym_loose_row loose[MANY];
	struct gsym_inline_node nodes[MANY];
	struct gsym_range range = { 0x1000, 0x1001 };
	struct gsym_call calls[MANY];
	uint32_t file = make_file(m, "f.c"), name = make_string(m, "f");
	uint32_t patterns[MANY];
	struct gsym_record r = { .rank = part == LOOSE_ROWS
						 ? GSYM_RANK_SYMBOL
						 : GSYM_RANK_FUNCTION,
				 .start = 0x1000,
				 .size = 0x1000,
				 .name = name,
				 .rows = rows,
				 .inlines = nodes,
				 .inline_ranges = &range,
				 .calls = calls,
				 .call_patterns = patterns };

	for (uint32_t i = 0; i < MANY; i++) {
		/* A row before the first one and, if they are loose, one after
		 * the last one are added. */
		rows[i] = (struct gsym_row){ 4 + i, file, i };
		loose[i] = (struct gsym_loose_row){ 0x1004 + i, file, i };
		nodes[i] = (struct gsym_inline_node){ 1, name, file, i, 0, 1 };
		calls[i] = (struct gsym_call){ i, 0, i, 1 };
		patterns[i] = name;
	}
	r.row_count = part == ROWS ? MANY : 0;
	r.inline_count = part == INLINED_CALLS ? MANY : 0;
	r.call_count = part == CALL_SITES ? MANY : 0;
	make_record(m, &r);
	for (uint32_t i = 0; part == NAMED_CALL_SITES && i < MANY; i++)
		cr_assert_eq(gsym_builder_call_site(m->builder, name, &calls[i],
						    patterns),
			     GSYM_OK);
	if (part == LOOSE_ROWS)
		cr_assert_eq(gsym_builder_loose_rows(
				     m->builder,
				     (struct gsym_range){ 0x1004, 0x1100 },
				     loose, MANY),
			     GSYM_OK);
	for (uint32_t i = 0; i < MANY; i++)
		loose[i].address += 0x200;
	if (part == LOOSE_ROWS)
		cr_assert_eq(gsym_builder_loose_rows(
				     m->builder,
				     (struct gsym_range){ 0x1204, 0x1300 },
				     loose, MANY),
			     GSYM_OK);
}

Test(memory, room_is_exact)
{
	for (enum part part = 0; part < PARTS; part++) {
		struct make m;

		guarded.blocks = 0;
		m = make_begin();
		add_many(&m, part);
		make_end(&m);
		make_free(&m);
		cr_assert_eq(guarded.blocks, 0);
	}
}

/* What can be copied at most: room for these would be made, beyond them they
 * are refused before. */
Test(memory, counts_of_a_record_have_32_bits)
{
	static const struct gsym_record good = { .rank = GSYM_RANK_FUNCTION,
						 .size = 16,
						 .name = 1 };
	const size_t most = UINT32_MAX;
	struct gsym_inline_node nodes[] = { { 1, 0, 0, 0, 0, UINT32_MAX },
					    { 1, 0, 0, 0, 0, 1 } };
	struct gsym_call calls[] = { { 0, 0, 0, UINT32_MAX }, { 0, 0, 0, 1 } };
	struct gsym_range range = { 0, 1 };
	struct gsym_row row = { 0 };
	uint32_t pattern = 0;
	struct gsym_builder *b = gsym_builder_new();
	struct gsym_record r = good;

	guarded.no_memory = true;
	r.rows = &row;
	r.row_count = most;
	cr_expect_eq(gsym_builder_record(b, &r), GSYM_ERR_MEMORY);
	/* With 32 bits for sizes there is no more. */
	r.row_count = most + 1;
	if (r.row_count)
		cr_expect_eq(gsym_builder_record(b, &r), GSYM_ERR_ARGUMENT);
	r = good;
	r.inlines = nodes;
	r.inline_ranges = &range;
	r.inline_count = most + 1;
	if (r.inline_count)
		cr_expect_eq(gsym_builder_record(b, &r), GSYM_ERR_ARGUMENT);
	r.inline_count = 1;
	cr_expect_eq(gsym_builder_record(b, &r), GSYM_ERR_MEMORY);
	r.inline_count = 2;
	cr_expect_eq(gsym_builder_record(b, &r), GSYM_ERR_ARGUMENT);
	r = good;
	r.calls = calls;
	r.call_patterns = &pattern;
	r.call_count = most + 1;
	if (r.call_count)
		cr_expect_eq(gsym_builder_record(b, &r), GSYM_ERR_ARGUMENT);
	r.call_count = 1;
	cr_expect_eq(gsym_builder_record(b, &r), GSYM_ERR_MEMORY);
	r.call_count = 2;
	cr_expect_eq(gsym_builder_record(b, &r), GSYM_ERR_ARGUMENT);
	guarded.no_memory = false;
	gsym_builder_free(b);
}
