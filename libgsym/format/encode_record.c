/* SPDX-License-Identifier: MIT */
/* Writes function records. */
#include "format/encode_record.h"

#include "format/format.h"

static void encode_calls(struct gsym_emit *out,
			 const struct gsym_shape_body *body,
			 const struct gsym_shape_view *view,
			 const struct gsym_encode_tables *tables)
{
	uint32_t pattern = 0;

	gsym_emit_u32(out, body->call_count);
	for (uint32_t i = 0; i < body->call_count; i++) {
		struct gsym_shape_call call = gsym_shape_call(view, i);
		uint32_t end = pattern + call.pattern_count;

		gsym_emit_u64(out, call.return_offset);
		gsym_emit_u8(out, (uint8_t)call.flags);
		gsym_emit_u32(out, call.pattern_count);
		for (; pattern < end; pattern++)
			gsym_emit_uint(out,
				       tables->strings[gsym_shape_pattern(
					       view, pattern)],
				       tables->string_size);
	}
}

/* Append room for a length, which end_length fills in once the bytes that it
 * counts were written.  Returns the offset of the first of them. */
static size_t begin_length(struct gsym_emit *out)
{
	gsym_emit_u32(out, 0);
	return out->size;
}

/* Fill in the length of the bytes from BEGIN to the end of OUT.  It fits into
 * 32 bits if that of the whole record does. */
static void end_length(struct gsym_emit *out, size_t begin)
{
	gsym_emit_patch_u32(out, begin - 4, (uint32_t)(out->size - begin));
}

static size_t begin_tuple(struct gsym_emit *out, uint32_t type)
{
	gsym_emit_u32(out, type);
	return begin_length(out);
}

static void encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			  const struct gsym_encode_tables *tables);

/* A merged function has no merged functions of its own, so the recursion is one
 * level deep. */
static void encode_merged(struct gsym_emit *out,
			  const struct gsym_shape_body *body,
			  const struct gsym_encode_tables *tables)
{
	gsym_emit_u32(out, body->merged_count);
	for (uint32_t i = 0; i < body->merged_count; i++) {
		size_t begin = begin_length(out);

		encode_record(out, &body->merged[i], tables);
		end_length(out, begin);
	}
}

static void encode_tuples(struct gsym_emit *out, const struct gsym_shape *shape,
			  const struct gsym_shape_body *body,
			  const struct gsym_encode_tables *tables)
{
	struct gsym_shape_view view = gsym_shape_look(body);
	size_t begin;

	if (body->row_count) {
		begin = begin_tuple(out, GSYM_INFO_LINES);
		gsym_encode_lines(out, &view, body->row_count, tables->files);
		end_length(out, begin);
	}
	if (body->inline_count) {
		begin = begin_tuple(out, GSYM_INFO_INLINES);
		gsym_encode_inlines(out, shape, &view, tables);
		end_length(out, begin);
	}
	if (body->merged_count) {
		begin = begin_tuple(out, GSYM_INFO_MERGED);
		encode_merged(out, body, tables);
		end_length(out, begin);
	}
	if (body->call_count) {
		begin = begin_tuple(out, GSYM_INFO_CALL_SITES);
		encode_calls(out, body, &view, tables);
		end_length(out, begin);
	}
}

static void encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			  const struct gsym_encode_tables *tables)
{
	gsym_emit_u32(out, shape->size);
	gsym_emit_uint(out, tables->strings[shape->name], tables->string_size);
	if (shape->body)
		encode_tuples(out, shape, shape->body, tables);
	gsym_emit_u32(out, GSYM_INFO_END_OF_LIST);
	gsym_emit_u32(out, 0);
}

bool gsym_encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			const struct gsym_encode_tables *tables)
{
	size_t begin = out->size;

	encode_record(out, shape, tables);
	return out->size - begin <= UINT32_MAX;
}
