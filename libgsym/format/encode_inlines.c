/* SPDX-License-Identifier: MIT */
#include "format/encode_record.h"

#include <gsym/reader.h>

/* One node: its ranges relative to BASE, whether children follow, name and
 * place of the call. */
static void encode_node(struct gsym_emit *out,
			const struct gsym_shape_inline *node,
			const struct gsym_shape_range *ranges, uint32_t base,
			bool has_children,
			const struct gsym_encode_tables *tables)
{
	gsym_emit_uleb(out, node->range_count);
	for (uint32_t i = 0; i < node->range_count; i++) {
		gsym_emit_uleb(out, ranges[i].start - base);
		gsym_emit_uleb(out, ranges[i].size);
	}
	gsym_emit_u8(out, has_children);
	gsym_emit_uint(out, tables->strings[node->name], tables->string_size);
	gsym_emit_uleb(out, tables->files[node->call_file]);
	gsym_emit_uleb(out, node->call_line);
}

void gsym_encode_inlines(struct gsym_emit *out, const struct gsym_shape *shape,
			 const struct gsym_shape_body *body,
			 const struct gsym_encode_tables *tables)
{
	const struct gsym_shape_inline *nodes = gsym_shape_inlines(body);
	const struct gsym_shape_range *ranges = gsym_shape_ranges(body);
	/* The start of the first range of the node a level above: what the
	 * ranges of that level are relative to. */
	uint32_t base[GSYM_MAX_INLINE_DEPTH + 2];

	/* The root is the function itself, called from nowhere. */
	gsym_emit_uleb(out, 1);
	gsym_emit_uleb(out, 0);
	gsym_emit_uleb(out, shape->size);
	gsym_emit_u8(out, 1);
	gsym_emit_uint(out, tables->strings[shape->name], tables->string_size);
	gsym_emit_uleb(out, 0);
	gsym_emit_uleb(out, 0);
	base[1] = 0;

	for (uint32_t i = 0; i < body->inline_count; i++) {
		uint32_t depth = nodes[i].depth;
		uint32_t next = i + 1 < body->inline_count ? nodes[i + 1].depth
							   : 0;

		encode_node(out, &nodes[i], ranges, base[depth], next > depth,
			    tables);
		base[depth + 1] = ranges->start;
		ranges += nodes[i].range_count;
		/* A zero ends each list of siblings that ends here. */
		for (; depth > next; depth--)
			gsym_emit_u8(out, 0);
	}
}
