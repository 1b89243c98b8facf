/* SPDX-License-Identifier: MIT */
/* Decides which of two records comes first.  The numbers of strings and files
 * depend on the order in which they were added, so contents are compared. */
#include "writer/state.h"

static int compare_files(const struct gsym_builder *b, uint32_t a, uint32_t c)
{
	struct w_file file_a, file_c;
	int order;

	if (a == c)
		return 0;
	file_a = w_file_of(b, a);
	file_c = w_file_of(b, c);
	order = w_compare_strings(b, file_a.directory, file_c.directory);
	return order ? order
		     : w_compare_strings(b, file_a.basename, file_c.basename);
}

int gsym_writer_compare_rows(const struct gsym_builder *b,
			     const struct gsym_row *a, const struct gsym_row *c,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int order = GSYM_ORDER(a[i].offset, c[i].offset);

		if (!order)
			order = GSYM_ORDER(a[i].line, c[i].line);
		if (!order)
			order = compare_files(b, a[i].file, c[i].file);
		if (order)
			return order;
	}
	return 0;
}

/* Bodies with the same numbers of rows, inlined calls and call sites. */
struct pair {
	const struct gsym_builder *b;
	const struct gsym_shape_body *a;
	const struct gsym_shape_body *c;
	struct gsym_shape_view x;
	struct gsym_shape_view y;
};

static int compare_body_rows(const struct pair *p)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < p->a->row_count; i++) {
		struct gsym_row a = gsym_shape_row(&p->x, i);
		struct gsym_row c = gsym_shape_row(&p->y, i);

		order = gsym_writer_compare_rows(p->b, &a, &c, 1);
	}
	return order;
}

static int compare_inlines(const struct pair *p)
{
	int order = GSYM_ORDER(p->a->range_count, p->c->range_count);

	for (uint32_t i = 0; !order && i < p->a->inline_count; i++) {
		struct gsym_shape_inline a = gsym_shape_inline(&p->x, i);
		struct gsym_shape_inline c = gsym_shape_inline(&p->y, i);

		order = GSYM_ORDER(a.depth, c.depth);
		if (!order)
			order = GSYM_ORDER(a.range_count, c.range_count);
		if (!order)
			order = GSYM_ORDER(a.call_line, c.call_line);
		if (!order)
			order = w_compare_strings(p->b, a.name, c.name);
		if (!order)
			order = compare_files(p->b, a.call_file, c.call_file);
	}
	for (uint32_t i = 0; !order && i < p->a->range_count; i++) {
		struct gsym_shape_range a = gsym_shape_range(&p->x, i);
		struct gsym_shape_range c = gsym_shape_range(&p->y, i);

		order = GSYM_ORDER(a.start, c.start);
		if (!order)
			order = GSYM_ORDER(a.size, c.size);
	}
	return order;
}

static int compare_calls(const struct pair *p)
{
	int order = GSYM_ORDER(p->a->pattern_count, p->c->pattern_count);

	for (uint32_t i = 0; !order && i < p->a->call_count; i++) {
		struct gsym_shape_call a = gsym_shape_call(&p->x, i);
		struct gsym_shape_call c = gsym_shape_call(&p->y, i);

		order = GSYM_ORDER(a.return_offset, c.return_offset);
		if (!order)
			order = GSYM_ORDER(a.flags, c.flags);
		if (!order)
			order = GSYM_ORDER(a.pattern_count, c.pattern_count);
	}
	for (uint32_t i = 0; !order && i < p->a->pattern_count; i++)
		order = w_compare_strings(p->b, gsym_shape_pattern(&p->x, i),
					  gsym_shape_pattern(&p->y, i));
	return order;
}

static int compare_content(const struct gsym_builder *b,
			   const struct gsym_shape_body *a,
			   const struct gsym_shape_body *c)
{
	const struct pair p = { b, a, c, gsym_shape_look(a),
				gsym_shape_look(c) };
	int order = compare_body_rows(&p);

	if (!order)
		order = compare_inlines(&p);
	return order ? order : compare_calls(&p);
}

int gsym_writer_compare_bodies(const struct gsym_builder *b,
			       const struct gsym_shape_body *a,
			       const struct gsym_shape_body *c)
{
	int order;

	if (!a || !c)
		return !a - !c;
	order = GSYM_ORDER(c->inline_count, a->inline_count);
	if (!order)
		order = GSYM_ORDER(c->row_count, a->row_count);
	if (!order)
		order = GSYM_ORDER(c->call_count, a->call_count);
	if (!order)
		order = GSYM_ORDER(c->merged_count, a->merged_count);
	if (!order)
		order = compare_content(b, a, c);
	/* Merged functions have none themselves, so the recursion ends. */
	for (uint32_t i = 0; !order && i < a->merged_count; i++)
		order = gsym_writer_compare_records(b, &a->merged[i],
						    &c->merged[i]);
	return order;
}

int gsym_writer_compare_records(const struct gsym_builder *b,
				const struct gsym_shape *a,
				const struct gsym_shape *c)
{
	int order = GSYM_ORDER(a->data, c->data);

	if (!order)
		order = GSYM_ORDER(c->rank, a->rank);
	if (!order)
		order = GSYM_ORDER(a->size, c->size);
	if (!order)
		order = gsym_writer_compare_bodies(b, a->body, c->body);
	if (!order)
		order = w_compare_strings(b, a->name, c->name);
	if (!order)
		order = GSYM_ORDER(c->name_kind, a->name_kind);
	if (!order)
		order = GSYM_ORDER(a->limit, c->limit);
	return order;
}
