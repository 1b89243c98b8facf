/* SPDX-License-Identifier: MIT */
/*
 * Collects the strings and files that the records use.  Files are ordered by
 * the number of their uses: frequent files have small indexes, which take fewer
 * bytes.
 *
 * Names are ordered by their first use, so that those of one function, and of
 * the calls inlined into it, are on few pages of the file.  The strings of
 * files follow, except those that a name is an end of.  Neither order depends
 * on the order in which records were added.
 */
#include "writer/state.h"

#include <stdlib.h>

/* By number: whether a string is used, and how often a file is used.  Used
 * strings and files are appended to the lists of TABLES. */
struct usage {
	const struct gsym_builder *b;
	struct w_tables *tables;
	bool *strings;
	uint64_t *files;
	struct gsym_build_summary *summary;
};

/* A used file, and its place in the order of first use. */
struct ranked_file {
	uint64_t uses;
	uint32_t place;
	uint32_t number;
};

static void use_string(struct usage *u, uint32_t number)
{
	if (u->strings[number] || number == W_STRING_EMPTY)
		return;
	u->strings[number] = true;
	u->tables->strings[u->tables->string_count++] = number;
}

static void use_file(struct usage *u, uint32_t number)
{
	if (!u->files[number]++)
		u->tables->files[u->tables->file_count++] = number;
}

static void use_shape(struct usage *u, const struct gsym_shape *shape);

static void use_body(struct usage *u, const struct gsym_shape_body *body)
{
	struct gsym_shape_view view = gsym_shape_look(body);

	for (unsigned k = 0; k < GSYM_COLUMNS; k++) {
		uint32_t count = body->counts[gsym_columns[k].array];

		if (gsym_columns[k].meaning == GSYM_FILE)
			for (uint32_t i = 0; i < count; i++)
				use_file(u, gsym_shape_at(&view, k, i));
		else if (gsym_columns[k].meaning == GSYM_STRING)
			for (uint32_t i = 0; i < count; i++)
				use_string(u, gsym_shape_at(&view, k, i));
	}
	for (uint32_t i = 0; i < body->merged_count; i++)
		use_shape(u, &body->merged[i]);
	u->summary->rows += body->counts[GSYM_ROWS];
	u->summary->inlined_calls += body->counts[GSYM_INLINES];
	u->summary->call_sites += body->counts[GSYM_CALLS];
	u->summary->merged += body->merged_count;
}

static void use_shape(struct usage *u, const struct gsym_shape *shape)
{
	use_string(u, shape->name);
	if (shape->body)
		use_body(u, shape->body);
}

static int compare_files(const void *a, const void *c)
{
	const struct ranked_file *x = a, *y = c;

	if (x->uses != y->uses)
		return GSYM_ORDER(y->uses, x->uses);
	return GSYM_ORDER(x->place, y->place);
}

/* Sort the used files and number them. */
static enum gsym_status order_files(const struct usage *u)
{
	struct w_tables *tables = u->tables;
	size_t count = tables->file_count;
	struct ranked_file *files = calloc(count + 1, sizeof(*files));

	if (!files)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		uint32_t number = tables->files[i];

		files[i] = (struct ranked_file){ u->files[number], (uint32_t)i,
						 number };
	}
	qsort(files, count, sizeof(*files), compare_files);
	for (size_t i = 0; i < count; i++) {
		tables->files[i] = files[i].number;
		tables->file_indexes[files[i].number] = (uint32_t)i + 1;
	}
	free(files);
	return GSYM_OK;
}

/* Use the strings of the used files.  Those of the most frequent file come
 * last: a reader looks at the last string when it opens the file. */
static void use_names_of_files(struct usage *u)
{
	struct w_tables *tables = u->tables;
	uint32_t *first = tables->strings + tables->string_count, *last;

	for (size_t i = 0; i < tables->file_count; i++) {
		struct w_file file = w_file_of(u->b, tables->files[i]);

		use_string(u, file.basename);
		use_string(u, file.directory);
	}
	last = tables->strings + tables->string_count;
	while (first < last) {
		uint32_t number = *first;

		*first++ = *--last;
		*last = number;
	}
}

enum gsym_status gsym_writer_make_tables(const struct gsym_builder *b,
					 struct w_records records,
					 struct w_tables *tables,
					 struct gsym_build_summary *summary)
{
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct usage u = {
		.b = b,
		.tables = tables,
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
		status = order_files(&u);
	}
	if (status == GSYM_OK) {
		use_names_of_files(&u);
		summary->strings = tables->string_count;
		summary->files = tables->file_count;
		status = gsym_writer_place_strings(b, tables);
	}
	free(u.strings);
	free(u.files);
	return status;
}

void gsym_writer_tables_fini(struct w_tables *tables)
{
	free(tables->string_offsets);
	free(tables->strings);
	free(tables->file_indexes);
	free(tables->files);
	*tables = (struct w_tables){ 0 };
}
