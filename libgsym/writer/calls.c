/* SPDX-License-Identifier: MIT */
/* Places call sites that were added by the name of their function.  They are
 * given to records after settling, when the names of all records are known. */
#include "writer/state.h"

#include "base/error.h"

#include <stdlib.h>

enum gsym_status gsym_builder_call_site(struct gsym_builder *b, uint32_t name,
					const struct gsym_call *call,
					const uint32_t *patterns)
{
	struct w_call *item;
	uint32_t *copy = NULL;
	size_t count;

	if (!b || !call || (!patterns && call->pattern_count))
		return GSYM_ERR_ARGUMENT;
	count = call->pattern_count;
	if (b->finished || !name || name >= b->strings.count ||
	    call->return_offset > UINT32_MAX)
		return GSYM_ERR_ARGUMENT;
	for (size_t i = 0; i < count; i++)
		if (patterns[call->first_pattern + i] >= b->strings.count)
			return GSYM_ERR_ARGUMENT;
	if (count) {
		copy = gsym_arena_alloc(&b->arena, count * sizeof(*copy));
		if (!copy)
			return GSYM_ERR_MEMORY;
		memcpy(copy, patterns + call->first_pattern,
		       count * sizeof(*copy));
	}
	item = gsym_vec_push(&b->calls);
	if (!item)
		return GSYM_ERR_MEMORY;
	*item = (struct w_call){
		.b = b,
		.name = name,
		.call = { (uint32_t)call->return_offset, call->flags,
			  (uint32_t)count },
		.patterns = copy,
	};
	return GSYM_OK;
}

/* By name, then return offset, then the rest of the content. */
static int by_content(const void *a, const void *c)
{
	const struct w_call *x = a, *y = c;
	int order = w_compare_strings(x->b, x->name, y->name);
	uint32_t count = x->call.pattern_count;

	if (!order)
		order = GSYM_ORDER(x->call.return_offset,
				   y->call.return_offset);
	if (!order)
		order = GSYM_ORDER(x->call.flags, y->call.flags);
	if (!order)
		order = GSYM_ORDER(count, y->call.pattern_count);
	for (uint32_t i = 0; !order && i < count; i++)
		order = w_compare_strings(x->b, x->patterns[i], y->patterns[i]);
	return order;
}

/* WORDS are the call sites of HEAD, after them their patterns, and after these
 * the other words of HEAD.  Insert the COUNT call sites at FROM before the call
 * sites, and their PATTERNS patterns before the patterns. */
static void insert_calls(uint32_t *words, const struct gsym_shape_body *head,
			 struct w_call *from, size_t count, size_t patterns)
{
	size_t old = gsym_shape_array_words(head, GSYM_CALLS);
	size_t after = gsym_shape_words(head, GSYM_ARRAYS) -
		       gsym_shape_words(head, GSYM_PATTERNS);
	uint32_t *pattern = words + count * GSYM_SHAPE_CALL_WORDS + old;

	memmove(pattern + patterns, words + old, after * sizeof(*words));
	memmove(pattern - old, words, old * sizeof(*words));
	for (size_t i = 0; i < count; i++) {
		from[i].placed = true;
		memcpy(words, &from[i].call, sizeof(from[i].call));
		words += GSYM_SHAPE_CALL_WORDS;
		for (uint32_t k = 0; k < from[i].call.pattern_count; k++)
			*pattern++ = from[i].patterns[k];
	}
}

/* Give SHAPE the COUNT (not 0) call sites at FROM, before its own. */
static enum gsym_status give_calls(struct gsym_builder *b,
				   struct gsym_shape *shape,
				   struct w_call *from, size_t count)
{
	const struct gsym_shape_body *old = shape->body;
	struct gsym_shape_body head = { 0 };
	size_t before, patterns = 0; /* words before the call sites */

	for (size_t i = 0; i < count; i++)
		patterns += from[i].call.pattern_count;
	if (old)
		head = *old;
	if (count > UINT32_MAX - head.counts[GSYM_CALLS] ||
	    patterns > UINT32_MAX - head.counts[GSYM_PATTERNS])
		return GSYM_ERR_LIMIT;
	before = gsym_shape_words(&head, GSYM_CALLS);
	b->scratch.count = 0;
	if (!gsym_vec_reserve(&b->scratch,
			      gsym_shape_words(&head, GSYM_ARRAYS) + patterns +
				      count * GSYM_SHAPE_CALL_WORDS))
		return GSYM_ERR_MEMORY;
	if (old)
		gsym_shape_unpack(old, b->scratch.items);
	insert_calls(b->scratch.items + before, &head, from, count, patterns);
	head.counts[GSYM_CALLS] += (uint32_t)count;
	head.counts[GSYM_PATTERNS] += (uint32_t)patterns;
	return gsym_writer_pack_body(b, &head, &shape->body);
}

/* The call sites of one name that are not placed yet: COUNT of the builder's
 * calls from FIRST on, by return offset. */
struct waiting {
	size_t first;
	size_t count;
};

/* Give SHAPE and its merged functions the call sites that wait for their
 * names and whose return offsets they reach. */
static enum gsym_status place_in(struct gsym_builder *b,
				 struct gsym_shape *shape,
				 struct waiting *by_name)
{
	struct waiting *calls = &by_name[shape->name];
	struct w_call *from = b->calls.items + calls->first;
	struct gsym_shape_body *body;
	struct gsym_shape *merged;
	enum gsym_status status = GSYM_OK;
	size_t count = 0;

	while (count < calls->count &&
	       from[count].call.return_offset <= shape->size)
		count++;
	if (count)
		status = give_calls(b, shape, from, count);
	/* Many functions may have this name: later ones need not look at the
	 * call sites that were just placed. */
	calls->first += count;
	calls->count -= count;
	if (status != GSYM_OK || !shape->body)
		return status;
	/* The body and its merged functions are in the builder's arena, where
	 * they may be written to. */
	body = (struct gsym_shape_body *)(uintptr_t)shape->body;
	merged = (struct gsym_shape *)(uintptr_t)body->merged;
	for (uint32_t i = 0; i < body->merged_count && status == GSYM_OK; i++)
		status = place_in(b, &merged[i], by_name);
	return status;
}

static enum gsym_status place_all(struct gsym_builder *b,
				  struct w_shapes *records,
				  struct waiting *by_name,
				  struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < records->count && status == GSYM_OK; i++)
		status = place_in(b, &records->items[i], by_name);
	if (status == GSYM_ERR_LIMIT)
		return gsym_fail(error, status, 0, "too many call sites");
	if (status != GSYM_OK)
		return gsym_fail_memory(error);
	for (size_t i = 0; i < b->calls.count; i++) {
		const struct w_call *call = &b->calls.items[i];

		if (!call->placed)
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "call sites: no function is called "
					 "'%.120s' and has offset 0x%x",
					 w_text(b, call->name),
					 call->call.return_offset);
	}
	return GSYM_OK;
}

enum gsym_status gsym_writer_place_calls(struct gsym_builder *b,
					 struct w_shapes *records,
					 struct gsym_error *error)
{
	struct waiting *by_name;
	enum gsym_status status;

	if (!b->calls.count)
		return GSYM_OK;
	by_name = calloc(b->strings.count, sizeof(*by_name));
	if (!by_name)
		return gsym_fail_memory(error);
	qsort(b->calls.items, b->calls.count, sizeof(*b->calls.items),
	      by_content);
	for (size_t i = 0; i < b->calls.count; i++) {
		struct waiting *calls = &by_name[b->calls.items[i].name];

		if (!calls->count++)
			calls->first = i;
	}
	status = place_all(b, records, by_name, error);
	free(by_name);
	return status;
}
