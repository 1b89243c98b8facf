/* SPDX-License-Identifier: MIT */
/* Pack the rows, inlined calls and call sites of a record. */
#include "writer/state.h"

size_t gsym_writer_complete_rows(struct gsym_row *rows, size_t row_count,
				 size_t inline_count)
{
	if (!row_count && inline_count)
		rows[row_count++] = (struct gsym_row){ 0, W_FILE_NOSRC, 0 };
	else if (!inline_count && row_count == 1 && rows->file == W_FILE_NOSRC)
		row_count = 0;
	return row_count;
}

enum gsym_status gsym_writer_pack_body(struct gsym_builder *b,
				       const struct gsym_shape_body *head,
				       const struct gsym_shape_body **ret)
{
	struct gsym_shape_body measured = *head, *body;

	*ret = NULL;
	if (!head->row_count && !head->inline_count && !head->call_count &&
	    !head->merged_count)
		return GSYM_OK;
	gsym_shape_measure(&measured, b->scratch.items);
	body = gsym_arena_alloc(&b->arena,
				offsetof(struct gsym_shape_body, bytes) +
					gsym_shape_bytes(&measured));
	if (!body)
		return GSYM_ERR_MEMORY;
	memcpy(body, &measured, offsetof(struct gsym_shape_body, bytes));
	gsym_shape_pack(body, b->scratch.items, body->bytes);
	*ret = body;
	return GSYM_OK;
}
