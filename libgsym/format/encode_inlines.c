/* SPDX-License-Identifier: MIT */
/* Writes inline trees. */
#include "format/encode_record.h"

/* Append NODE.  FIRST is the index in VIEW of its first range, BASE the offset
 * in the function that its ranges are relative to. */
static void encode_node(struct gsym_emit *out,
			const struct gsym_shape_inline *node,
			const struct gsym_shape_view *view, uint32_t first,
			uint32_t base, bool has_children,
			const struct gsym_encode_tables *tables)
{
	gsym_emit_uleb(out, node->range_count);
	for (uint32_t i = first; i < first + node->range_count; i++) {
		struct gsym_shape_range range = gsym_shape_range(view, i);

		gsym_emit_uleb(out, range.start - base);
		gsym_emit_uleb(out, range.size);
	}
	gsym_emit_u8(out, has_children);
	gsym_emit_uint(out, tables->strings[node->name], tables->string_size);
	gsym_emit_uleb(out, tables->files[node->call_file]);
	gsym_emit_uleb(out, node->call_line);
}

void gsym_encode_inlines(struct gsym_emit *out, const struct gsym_shape *shape,
			 const struct gsym_shape_view *view,
			 const struct gsym_encode_tables *tables)
{
	uint32_t count = shape->body->counts[GSYM_INLINES], range = 0;
	/* By level: the start of the first range of the parent, which the
	 * ranges of the level are relative to. */
	uint32_t base[GSYM_MAX_INLINE_DEPTH + 2];

	/* The root stands for the function itself and has no call site. */
	gsym_emit_uleb(out, 1);
	gsym_emit_uleb(out, 0);
	gsym_emit_uleb(out, shape->size);
	gsym_emit_u8(out, 1);
	gsym_emit_uint(out, tables->strings[shape->name], tables->string_size);
	gsym_emit_uleb(out, 0);
	gsym_emit_uleb(out, 0);
	base[1] = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct gsym_shape_inline node = gsym_shape_inline(view, i);
		uint32_t depth = node.depth;
		uint32_t next = i + 1 < count
					? gsym_shape_at(view, GSYM_INLINE_DEPTH,
							i + 1)
					: 0;

		encode_node(out, &node, view, range, base[depth], next > depth,
			    tables);
		base[depth + 1] = gsym_shape_at(view, GSYM_RANGE_START, range);
		range += node.range_count;
		/* A zero ends each list of siblings that ends here. */
		for (; depth > next; depth--)
			gsym_emit_u8(out, 0);
	}
}
