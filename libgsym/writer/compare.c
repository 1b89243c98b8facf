/* SPDX-License-Identifier: MIT */
/* Which of two records comes first.  Numbers of strings and files hang on
 * the order of arrival, so content is compared, never numbers. */
#include "writer/state.h"

#include <string.h>

/* -1, 0 or 1: less comes first. */
#define ORDER(a, c) (((a) > (c)) - ((a) < (c)))

static int compare_strings(const struct gsym_builder *b, uint32_t a, uint32_t c)
{
	return a == c ? 0 : strcmp(w_text(b, a), w_text(b, c));
}

static int compare_files(const struct gsym_builder *b, uint32_t a, uint32_t c)
{
	struct w_file file_a, file_c;
	int order;

	if (a == c)
		return 0;
	file_a = w_file_of(b, a);
	file_c = w_file_of(b, c);
	order = compare_strings(b, file_a.directory, file_c.directory);
	return order ? order
		     : compare_strings(b, file_a.basename, file_c.basename);
}

int gsym_writer_compare_rows(const struct gsym_builder *b,
			     const struct gsym_row *a, const struct gsym_row *c,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int order = ORDER(a[i].offset, c[i].offset);

		if (!order)
			order = ORDER(a[i].line, c[i].line);
		if (!order)
			order = compare_files(b, a[i].file, c[i].file);
		if (order)
			return order;
	}
	return 0;
}

static int compare_inlines(const struct gsym_builder *b,
			   const struct gsym_shape_body *a,
			   const struct gsym_shape_body *c)
{
	const struct gsym_shape_inline *x = gsym_shape_inlines(a);
	const struct gsym_shape_inline *y = gsym_shape_inlines(c);
	int order = ORDER(a->range_count, c->range_count);

	for (uint32_t i = 0; !order && i < a->inline_count; i++) {
		order = ORDER(x[i].depth, y[i].depth);
		if (!order)
			order = ORDER(x[i].range_count, y[i].range_count);
		if (!order)
			order = ORDER(x[i].call_line, y[i].call_line);
		if (!order)
			order = compare_strings(b, x[i].name, y[i].name);
		if (!order)
			order = compare_files(b, x[i].call_file,
					      y[i].call_file);
	}
	for (uint32_t i = 0; !order && i < a->range_count; i++) {
		order = ORDER(gsym_shape_ranges(a)[i].start,
			      gsym_shape_ranges(c)[i].start);
		if (!order)
			order = ORDER(gsym_shape_ranges(a)[i].size,
				      gsym_shape_ranges(c)[i].size);
	}
	return order;
}

static int compare_calls(const struct gsym_builder *b,
			 const struct gsym_shape_body *a,
			 const struct gsym_shape_body *c)
{
	const struct gsym_shape_call *x = gsym_shape_calls(a);
	const struct gsym_shape_call *y = gsym_shape_calls(c);
	int order = ORDER(a->pattern_count, c->pattern_count);

	for (uint32_t i = 0; !order && i < a->call_count; i++) {
		order = ORDER(x[i].return_offset, y[i].return_offset);
		if (!order)
			order = ORDER(x[i].flags, y[i].flags);
		if (!order)
			order = ORDER(x[i].pattern_count, y[i].pattern_count);
	}
	for (uint32_t i = 0; !order && i < a->pattern_count; i++)
		order = compare_strings(b, gsym_shape_patterns(a)[i],
					gsym_shape_patterns(c)[i]);
	return order;
}

/* More comes first; then content. */
int gsym_writer_compare_bodies(const struct gsym_builder *b,
			       const struct gsym_shape_body *a,
			       const struct gsym_shape_body *c)
{
	int order;

	if (!a || !c)
		return !a - !c;
	order = ORDER(c->inline_count, a->inline_count);
	if (!order)
		order = ORDER(c->row_count, a->row_count);
	if (!order)
		order = ORDER(c->call_count, a->call_count);
	if (!order)
		order = ORDER(c->merged_count, a->merged_count);
	if (!order)
		order = gsym_writer_compare_rows(b, gsym_shape_rows(a),
						 gsym_shape_rows(c),
						 a->row_count);
	if (!order)
		order = compare_inlines(b, a, c);
	if (!order)
		order = compare_calls(b, a, c);
	/* Merged functions hold none themselves, which ends this. */
	for (uint32_t i = 0; !order && i < a->merged_count; i++)
		order = gsym_writer_compare(b, &a->merged[i], &c->merged[i]);
	return order;
}

int gsym_writer_compare(const struct gsym_builder *b,
			const struct gsym_shape *a, const struct gsym_shape *c)
{
	int order = ORDER(a->data, c->data);

	if (!order)
		order = ORDER(c->rank, a->rank);
	if (!order)
		order = ORDER(a->size, c->size);
	if (!order)
		order = gsym_writer_compare_bodies(b, a->body, c->body);
	if (!order)
		order = compare_strings(b, a->name, c->name);
	if (!order)
		order = ORDER(c->name_kind, a->name_kind);
	if (!order)
		order = ORDER(a->limit, c->limit);
	return order;
}
