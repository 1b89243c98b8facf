/* SPDX-License-Identifier: MIT */
/* If any allocation fails the writer returns an error; it neither crashes nor
 * leaks.  The linker redirects the writer's allocations to this file
 * (--wrap). */
#include "support/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* Allocations that still succeed; negative: all. */
static long allowed = -1;
/* Blocks that were allocated and not freed. */
static long blocks;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);

static bool may_allocate(void)
{
	if (allowed < 0)
		return true;
	if (!allowed)
		return false;
	allowed--;
	return true;
}

void *__wrap_malloc(size_t size)
{
	void *p = may_allocate() ? __real_malloc(size) : NULL;

	blocks += p != NULL;
	return p;
}

void *__wrap_calloc(size_t count, size_t size)
{
	void *p = may_allocate() ? __real_calloc(count, size) : NULL;

	blocks += p != NULL;
	return p;
}

void *__wrap_realloc(void *old, size_t size)
{
	bool is_new = !old;
	void *p = may_allocate() ? __real_realloc(old, size) : NULL;

	blocks += p && is_new;
	return p;
}

void __wrap_free(void *p)
{
	blocks -= p != NULL;
	__real_free(p);
}

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

	TRY(gsym_builder_string(b, "name", 4, &name));
	TRY(gsym_builder_file(b, name, name, &file));
	TRY(gsym_builder_set_uuid(b, uuid, sizeof(uuid)));
	for (uint64_t i = 0; i < 20; i++)
		TRY(gsym_builder_loose_rows(
			b,
			(struct gsym_range){ 0x80000 + i * 64,
					     0x80020 + i * 64 },
			&(struct gsym_loose_row){ 0x80000 + i * 64, file, 1 },
			1));
	TRY(add_functions(b, file, name));
	return add_symbols(b);
}

static void decode(const uint8_t *bytes, size_t size)
{
	struct plain plain;

	plain_decode(&plain, bytes, size);
	cr_assert_null(plain.problem);
	plain_free(&plain);
}

static enum gsym_status take_segment(void *context, uint64_t address,
				     const uint8_t *bytes, size_t size)
{
	long before = allowed;

	(void)context;
	(void)address;
	allowed = -1;
	decode(bytes, size);
	allowed = before;
	return GSYM_OK;
}

static enum gsym_status finish(struct gsym_builder *b,
			       const struct gsym_build_options *options,
			       bool segments, struct gsym_error *error)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum gsym_status status;

	if (segments)
		return gsym_builder_finish_segments(
			b, options, 20000, take_segment, NULL, NULL, error);
	status = gsym_builder_finish(b, options, &bytes, &size, NULL, error);
	allowed = -1;
	if (status == GSYM_OK)
		decode(bytes, size);
	else
		cr_assert_null(bytes);
	free(bytes);
	return status;
}

/* Build a file, or segments, with LIMIT successful allocations.  True if it was
 * written, false if memory ran out. */
static bool run(long limit, const struct gsym_build_options *options,
		bool segments)
{
	struct gsym_error error = { 0 };
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct gsym_builder *b;

	blocks = 0;
	allowed = limit;
	b = gsym_builder_new();
	if (b)
		status = add_all(b);
	if (b && status == GSYM_OK) {
		status = finish(b, options, segments, &error);
		if (status != GSYM_OK)
			cr_assert_eq(error.code, GSYM_ERR_MEMORY);
	}
	gsym_builder_free(b);
	allowed = -1;
	cr_assert_eq(blocks, 0, "%ld blocks are lost", blocks);
	if (status == GSYM_OK)
		return true;
	cr_assert_eq(status, GSYM_ERR_MEMORY);
	return false;
}

Test(memory, every_allocation_may_fail)
{
	for (int i = 0; i < 8; i++) {
		const struct gsym_build_options options = {
			.version = i & 1 ? 2 : 1, .merge = i & 2
		};
		long limit = 0;

		while (!run(limit, &options, i & 4))
			limit++;
		/* The last allocation of a file in memory, the realloc that
		 * frees the capacity beyond the file's size, may fail. */
		cr_assert_gt(limit, 50);
	}
}
