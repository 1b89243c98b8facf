/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the encoders: bodies of functions, and buffers that
 * show bytes written beyond their capacity. */
#ifndef GSYM_TESTS_BODIES_H
#define GSYM_TESTS_BODIES_H

#include "format/encode.h"
#include "support/guard.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct body_content {
	const struct gsym_row *rows;
	uint32_t row_count;
	const struct gsym_shape_inline *inlines;
	uint32_t inline_count;
	const struct gsym_shape_range *ranges;
	uint32_t range_count;
	const struct gsym_shape_call *calls;
	uint32_t call_count;
	const uint32_t *patterns;
	uint32_t pattern_count;
};

/* A body, to be freed. */
static inline struct gsym_shape_body *body_make(const struct body_content *c)
{
	struct gsym_shape_body counts = {
		.counts[GSYM_ROWS] = c->row_count,
		.counts[GSYM_INLINES] = c->inline_count,
		.counts[GSYM_RANGES] = c->range_count,
		.counts[GSYM_CALLS] = c->call_count,
		.counts[GSYM_PATTERNS] = c->pattern_count,
	}, *body;
	size_t count = gsym_shape_words(&counts, GSYM_ARRAYS);
	uint32_t *words = malloc(4 * count + 1), *w = words;

	cr_assert(words);
#define APPEND(items, count)                                         \
	do {                                                         \
		if (count)                                           \
			memcpy(w, items, (count) * sizeof(*(items))); \
		w += (count) * sizeof(*(items)) / 4;                 \
	} while (0)
	APPEND(c->rows, c->row_count);
	APPEND(c->inlines, c->inline_count);
	APPEND(c->ranges, c->range_count);
	APPEND(c->calls, c->call_count);
	APPEND(c->patterns, c->pattern_count);
#undef APPEND
	gsym_shape_measure(&counts, words);
	body = malloc(sizeof(*body) + gsym_shape_bytes(&counts));
	cr_assert(body);
	*body = counts;
	gsym_shape_pack(body, words, body->bytes);
	free(words);
	return body;
}

enum { BODY_SPARE = 4096 };

/* An empty buffer of CAPACITY (2 or more) bytes.  BODY_SPARE bytes more are
 * there, so that an encoder that writes beyond the capacity does no harm. */
static inline struct gsym_emit body_buffer(size_t capacity, bool swap)
{
	struct gsym_emit e = { .data = malloc(capacity + BODY_SPARE),
			       .capacity = capacity, .swap = swap };

	cr_assert(e.data);
	memset(e.data, 0xa5, capacity + BODY_SPARE);
	return e;
}

/* Expect that E has the SIZE bytes at WANTED; E is freed. */
static inline void body_expect(struct gsym_emit *e, const void *wanted,
			       size_t size)
{
	cr_assert(!e->failed && e->size <= e->capacity,
		  "%zu bytes in %zu", e->size, e->capacity);
	cr_assert(e->size == size && !memcmp(e->data, wanted, size),
		  "%zu bytes, not %zu", e->size, size);
	gsym_emit_fini(e);
}

#endif
