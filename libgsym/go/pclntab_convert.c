/* SPDX-License-Identifier: MIT */
/* Functions of the table, one by one, as records. */
#include "go/pclntab.h"

#include "base/error.h"

#include <stdio.h>

/* What is wrong with functions; each kind is reported once, with the number
 * of them. */
struct problems {
	struct problem {
		uint64_t count;
		uint64_t first;
	} records, places, lists, trees;
};

struct conversion {
	const struct gsym_pclntab *table;
	const struct gsym_sink *sink;
	struct pclntab_strings strings;
	struct pclntab_inlines inlines;
	struct { GSYM_VEC(struct gsym_row); } rows;
	struct problems problems;
};

static void note(struct problem *problem, uint64_t address)
{
	if (!problem->count++)
		problem->first = address;
}

static void warn(const struct gsym_convert_options *options,
		 const struct problem *problem, const char *what)
{
	char text[GSYM_ERROR_MESSAGE_SIZE];

	if (!problem->count || !options->warn)
		return;
	snprintf(text, sizeof(text), "go table: %s: %llu, the first one at "
		 "0x%llx", what, (unsigned long long)problem->count,
		 (unsigned long long)problem->first);
	options->warn(options->context, GSYM_WARN_BAD_GO_TABLE, text);
}

static void warn_all(const struct conversion *c,
		     const struct gsym_convert_options *options)
{
	const struct problem strings = { c->strings.bad, c->table->address };

	warn(options, &c->problems.records,
	     "functions whose records are not in it");
	warn(options, &c->problems.places, "functions that are not in code");
	warn(options, &c->problems.lists, "functions with damaged lines");
	warn(options, &c->problems.trees,
	     "functions with damaged inlined calls");
	warn(options, &strings, "names and files that are not in it");
}

/* Names of what is no function. */
static bool is_marker(const char *name)
{
	static const char *const names[] = {
		"go.buildid", "go:buildid", "go:textfipsstart",
		"go:textfipsend",
	};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* ---- one function ----------------------------------------------------- */

static uint32_t list_end(const struct pclntab_list *list)
{
	return list->count ? list->items[list->count - 1].end : 0;
}

/* Decode what FUNCTION has; *SIZE goes from its room to that of its code. */
static enum gsym_status read_lists(struct conversion *c,
				   const struct pclntab_function *f,
				   uint32_t *size)
{
	const struct gsym_pclntab *t = c->table;
	struct pclntab_inlines *in = &c->inlines;
	enum pclntab_result lines, files, indexes;
	uint32_t end;

	files = gsym_pclntab_list(t, f->file_list, *size, &in->files);
	lines = gsym_pclntab_list(t, f->line_list, *size, &in->lines);
	indexes = gsym_pclntab_list(t, gsym_pclntab_tree_list(t, f), *size,
				    &in->indexes);
	if (files == PCLNTAB_NO_MEMORY || lines == PCLNTAB_NO_MEMORY ||
	    indexes == PCLNTAB_NO_MEMORY)
		return GSYM_ERR_MEMORY;
	if (files != PCLNTAB_OK || lines != PCLNTAB_OK ||
	    indexes != PCLNTAB_OK)
		note(&c->problems.lists, f->start);
	end = list_end(&in->lines);
	if (list_end(&in->files) > end)
		end = list_end(&in->files);
	if (end)
		*size = end;
	return GSYM_OK;
}

/* The rows: a new one wherever the file or the line may change. */
static enum gsym_status make_rows(struct conversion *c,
				  const struct pclntab_function *f,
				  uint32_t size)
{
	const struct pclntab_list *files = &c->inlines.files;
	const struct pclntab_list *lines = &c->inlines.lines;
	size_t file = 0;
	size_t line = 0;

	c->rows.count = 0;
	if (!files->count && !lines->count)
		return GSYM_OK;
	for (uint32_t at = 0; at < size;) {
		struct gsym_row row = { at, GSYM_FILE_NOSRC, 0 };
		uint32_t next = size;
		struct gsym_row *place;
		int32_t number = -1;
		int32_t value = -1;

		if (file < files->count) {
			number = files->items[file].value;
			next = files->items[file].end;
		}
		if (line < lines->count) {
			value = lines->items[line].value;
			if (lines->items[line].end < next)
				next = lines->items[line].end;
		}
		if (value >= 0) {
			enum gsym_status status = gsym_pclntab_take_file(
				&c->strings, f->unit, number, &row.file);

			if (status != GSYM_OK)
				return status;
			row.line = row.file ? (uint32_t)value : 0;
		}
		place = gsym_vec_push(&c->rows);
		if (!place)
			return GSYM_ERR_MEMORY;
		*place = row;
		at = next;
		if (file < files->count && files->items[file].end == at)
			file++;
		if (line < lines->count && lines->items[line].end == at)
			line++;
	}
	return GSYM_OK;
}

static enum gsym_status put_function(struct conversion *c,
				     const struct pclntab_function *f)
{
	uint32_t size = f->limit - f->start > UINT32_MAX
				? UINT32_MAX
				: (uint32_t)(f->limit - f->start);
	struct gsym_record record = {
		.rank = GSYM_RANK_FUNCTION,
		.name_kind = GSYM_NAME_LINKAGE,
		.start = f->start,
	};
	bool damaged = false;
	enum gsym_status status = read_lists(c, f, &size);

	if (status == GSYM_OK)
		status = make_rows(c, f, size);
	if (status == GSYM_OK)
		status = gsym_pclntab_unwind(&c->inlines, &c->strings, f, size,
					     &damaged);
	if (status == GSYM_OK)
		status = gsym_pclntab_take_name(&c->strings, f->name,
						&record.name);
	if (status != GSYM_OK)
		return status;
	if (damaged)
		note(&c->problems.trees, f->start);
	record.size = size;
	record.rows = c->rows.items;
	record.row_count = c->rows.count;
	if (!damaged) {
		record.inlines = c->inlines.nodes.items;
		record.inline_count = c->inlines.nodes.count;
		record.inline_ranges = c->inlines.ranges.items;
	}
	return c->sink->record(c->sink->self, &record);
}

/* ---- all of them ------------------------------------------------------ */

/* Function NUMBER, behind [*END], so that no two overlap and all that is done
 * for them together is bounded by the code that there is. */
static enum gsym_status
convert_function(struct conversion *c, uint64_t number, uint64_t *end,
		 void (*hide)(void *context, struct gsym_range range),
		 void *hide_context)
{
	const struct gsym_pclntab *t = c->table;
	struct pclntab_function f;

	if (!gsym_pclntab_function(t, number, &f)) {
		note(&c->problems.records, gsym_pclntab_address(t, number));
		return GSYM_OK;
	}
	if (f.start == f.limit)
		return GSYM_OK;
	if (f.limit < f.start || f.start < *end ||
	    !gsym_memory_is_code(t->memory, f.start, f.limit)) {
		note(&c->problems.places, f.start);
		return GSYM_OK;
	}
	*end = f.limit;
	if (is_marker(gsym_pclntab_name(t, f.name))) {
		if (hide)
			hide(hide_context,
			     (struct gsym_range){ f.start, f.limit });
		return GSYM_OK;
	}
	return put_function(c, &f);
}

enum gsym_status
gsym_pclntab_convert(const struct gsym_pclntab *t,
		     const struct gsym_convert_options *options,
		     const struct gsym_sink *sink,
		     void (*hide)(void *context, struct gsym_range range),
		     void *hide_context, struct gsym_error *error)
{
	struct conversion c = {
		.table = t,
		.sink = sink,
		.strings = { .table = t, .sink = sink,
			     .budget = 4 * (uint64_t)t->size + (1 << 20) },
	};
	enum gsym_status status = GSYM_OK;
	uint64_t end = 0;

	for (uint64_t i = 0; i < t->count && status == GSYM_OK; i++)
		status = convert_function(&c, i, &end, hide, hide_context);
	if (status == GSYM_OK)
		warn_all(&c, options);
	else
		gsym_fail(error, status, t->address, "go table at 0x%llx: %s",
			  (unsigned long long)t->address,
			  gsym_status_text(status));
	gsym_pclntab_strings_fini(&c.strings);
	gsym_pclntab_inlines_fini(&c.inlines);
	gsym_vec_fini(&c.rows);
	return status;
}
