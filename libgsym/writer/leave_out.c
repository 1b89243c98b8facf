/* SPDX-License-Identifier: MIT */
/* Leaves lines or inlined calls out of settled records.  Settling looks at
 * them, so the same records answer as in a file that has everything. */
#include "writer/state.h"

/* Remove the inlined calls and their ranges from WORDS, the content of HEAD. */
static void remove_inlines(struct gsym_shape_body *head, uint32_t *words)
{
	size_t size = head->inline_count * (size_t)GSYM_SHAPE_INLINE_WORDS +
		      head->range_count * (size_t)GSYM_SHAPE_RANGE_WORDS;
	size_t all = gsym_shape_words(head);
	uint32_t *at = words + head->row_count * (size_t)GSYM_SHAPE_ROW_WORDS;

	memmove(at, at + size, (size_t)(words + all - at - size) * 4);
	head->inline_count = head->range_count = 0;
}

/* Remove the places of the inlined calls from WORDS, the content of HEAD. */
static void remove_places(const struct gsym_shape_body *head, uint32_t *words)
{
	struct gsym_shape_inline *inlines = (struct gsym_shape_inline *)
		(words + head->row_count * (size_t)GSYM_SHAPE_ROW_WORDS);

	for (uint32_t i = 0; i < head->inline_count; i++) {
		inlines[i].call_file = W_FILE_UNKNOWN;
		inlines[i].call_line = 0;
	}
}

/* Replace the rows in WORDS, the content of HEAD, by those that a body needs:
 * KEPT of them, or more or less. */
static void complete(struct gsym_shape_body *head, uint32_t *words,
		     uint32_t kept)
{
	size_t all = gsym_shape_words(head);
	size_t rows = head->row_count * (size_t)GSYM_SHAPE_ROW_WORDS;
	struct gsym_row first[2] = { 0 };
	size_t count;

	/* Completing changes nothing but a single row. */
	if (kept > 1)
		return;
	if (kept)
		memcpy(first, words, sizeof(*first));
	count = gsym_writer_complete_rows(first, kept, head->inline_count);
	memmove(words + count * GSYM_SHAPE_ROW_WORDS, words + rows,
		(all - rows) * 4);
	memcpy(words, first, count * sizeof(*first));
	head->row_count = (uint32_t)count;
}

/* Leave out what OPTIONS say from SHAPE itself. */
static enum gsym_status strip(struct gsym_builder *b,
			      const struct gsym_build_options *options,
			      struct gsym_shape *shape)
{
	struct gsym_shape_body head = *shape->body;
	uint32_t *words;

	b->scratch.count = 0;
	if (!gsym_vec_reserve(&b->scratch, gsym_shape_words(&head) +
						   GSYM_SHAPE_ROW_WORDS))
		return GSYM_ERR_MEMORY;
	words = b->scratch.items;
	gsym_shape_unpack(shape->body, words);
	if (options->no_inlines)
		remove_inlines(&head, words);
	if (options->no_lines)
		remove_places(&head, words);
	complete(&head, words, options->no_lines ? 0 : head.row_count);
	return gsym_writer_pack_body(b, &head, &shape->body);
}

enum gsym_status
gsym_writer_leave_out(struct gsym_builder *b,
		      const struct gsym_build_options *options,
		      struct gsym_shape *shapes, size_t count)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < count && status == GSYM_OK; i++) {
		if (!shapes[i].body)
			continue;
		/* Merged functions are in the builder's arena. */
		status = gsym_writer_leave_out(
			b, options, (struct gsym_shape *)shapes[i].body->merged,
			shapes[i].body->merged_count);
		if (status == GSYM_OK)
			status = strip(b, options, &shapes[i]);
	}
	return status;
}
