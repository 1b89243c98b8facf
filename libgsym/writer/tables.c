/* SPDX-License-Identifier: MIT */
/* Collects the strings and files that the records use.  Files are ordered by
 * the number of their uses, then by their names: frequent files have small
 * indexes, which take fewer bytes.  Strings are ordered by their bytes.  So the
 * order does not depend on the order in which records were added. */
#include "writer/state.h"

#include <stdlib.h>

/* By number: whether a string is used, and how often a file is used. */
struct usage {
	bool *strings;
	uint64_t *files;
	struct gsym_build_summary *summary;
};

/* A used file and its sort keys.  Ranks are places in the order of strings. */
struct ranked_file {
	uint64_t uses;
	uint32_t directory_rank;
	uint32_t basename_rank;
	uint32_t number;
};

static void use_shape(struct usage *u, const struct gsym_shape *shape);

static void use_body(struct usage *u, const struct gsym_shape_body *body)
{
	struct gsym_shape_view view = gsym_shape_look(body);

	for (uint32_t i = 0; i < body->row_count; i++)
		u->files[gsym_shape_at(&view, GSYM_ROW_FILE, i)]++;
	for (uint32_t i = 0; i < body->inline_count; i++) {
		u->strings[gsym_shape_at(&view, GSYM_INLINE_NAME, i)] = true;
		u->files[gsym_shape_at(&view, GSYM_INLINE_FILE, i)]++;
	}
	for (uint32_t i = 0; i < body->pattern_count; i++)
		u->strings[gsym_shape_pattern(&view, i)] = true;
	for (uint32_t i = 0; i < body->merged_count; i++)
		use_shape(u, &body->merged[i]);
	u->summary->rows += body->row_count;
	u->summary->inlined_calls += body->inline_count;
	u->summary->call_sites += body->call_count;
	u->summary->merged += body->merged_count;
}

static void use_shape(struct usage *u, const struct gsym_shape *shape)
{
	u->strings[shape->name] = true;
	if (shape->body)
		use_body(u, shape->body);
}

/* Mark the strings of the used files as used, and list the used strings and
 * files in TABLES, in the order of their numbers. */
static void list_used(const struct gsym_builder *b, const struct usage *u,
		      struct w_tables *tables)
{
	for (size_t i = 0; i < b->files.count; i++) {
		struct w_file file = w_file_of(b, (uint32_t)i);

		if (!u->files[i])
			continue;
		u->strings[file.directory] = true;
		u->strings[file.basename] = true;
		tables->files[tables->file_count++] = (uint32_t)i;
	}
	u->strings[W_STRING_EMPTY] = false;
	for (size_t i = 0; i < b->strings.count; i++)
		if (u->strings[i])
			tables->strings[tables->string_count++] = (uint32_t)i;
}

static int compare_files(const void *a, const void *c)
{
	const struct ranked_file *x = a, *y = c;

	if (x->uses != y->uses)
		return GSYM_ORDER(y->uses, x->uses);
	if (x->directory_rank != y->directory_rank)
		return GSYM_ORDER(x->directory_rank, y->directory_rank);
	return GSYM_ORDER(x->basename_rank, y->basename_rank);
}

/* Sort the used files and number them.  TABLES->strings is sorted, so that
 * places in it can be compared instead of the bytes of strings. */
static enum gsym_status order_files(const struct gsym_builder *b,
				    const struct usage *u,
				    struct w_tables *tables)
{
	struct ranked_file *files = calloc(b->files.count, sizeof(*files));
	uint32_t *ranks = calloc(b->strings.count, sizeof(*ranks));

	if (files && ranks) {
		for (size_t i = 0; i < tables->string_count; i++)
			ranks[tables->strings[i]] = (uint32_t)i + 1;
		for (size_t i = 0; i < tables->file_count; i++) {
			uint32_t number = tables->files[i];
			struct w_file file = w_file_of(b, number);

			files[i] = (struct ranked_file){
				u->files[number], ranks[file.directory],
				ranks[file.basename], number
			};
		}
		qsort(files, tables->file_count, sizeof(*files), compare_files);
		for (size_t i = 0; i < tables->file_count; i++) {
			tables->files[i] = files[i].number;
			tables->file_indexes[files[i].number] = (uint32_t)i + 1;
		}
	}
	free(files);
	free(ranks);
	return files && ranks ? GSYM_OK : GSYM_ERR_MEMORY;
}

enum gsym_status gsym_writer_make_tables(const struct gsym_builder *b,
					 struct w_records records,
					 struct w_tables *tables,
					 struct gsym_build_summary *summary)
{
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct usage u = {
		.strings = calloc(b->strings.count, sizeof(bool)),
		.files = calloc(b->files.count, sizeof(*u.files)),
		.summary = summary,
	};

	*tables = (struct w_tables){
		.string_offsets = calloc(b->strings.count,
					 sizeof(*tables->string_offsets)),
		.strings = calloc(b->strings.count, sizeof(*tables->strings)),
		.file_indexes =
			calloc(b->files.count, sizeof(*tables->file_indexes)),
		.files = calloc(b->files.count, sizeof(*tables->files)),
	};
	if (u.strings && u.files && tables->string_offsets && tables->strings &&
	    tables->file_indexes && tables->files) {
		for (size_t i = 0; i < records.count; i++)
			use_shape(&u, &records.items[i]);
		list_used(b, &u, tables);
		status = gsym_writer_place_strings(b, tables);
	}
	if (status == GSYM_OK)
		status = order_files(b, &u, tables);
	summary->strings = tables->string_count;
	summary->files = tables->file_count;
	free(u.strings);
	free(u.files);
	return status;
}

void gsym_writer_tables_fini(struct w_tables *tables)
{
	free(tables->string_offsets);
	free(tables->strings);
	free(tables->string_shared);
	free(tables->file_indexes);
	free(tables->files);
	*tables = (struct w_tables){ 0 };
}
