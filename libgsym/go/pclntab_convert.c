/* SPDX-License-Identifier: MIT */
/* Makes records of the functions of a table. */
#include "go/go.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

/* Damaged functions.  Each kind of damage is reported once, with the number of
 * functions and the address of the first. */
struct problems {
	struct problem {
		uint64_t count;
		uint64_t first;
	} records, places, values, trees;
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
	snprintf(text, sizeof(text),
		 "go table: %s: %" PRIu64 ", the first one at 0x%" PRIx64, what,
		 problem->count, problem->first);
	options->warn(options->context, GSYM_WARN_BAD_GO_TABLE, text);
}

static void warn_all(const struct conversion *c,
		     const struct gsym_convert_options *options)
{
	const struct problem strings = { c->strings.bad, c->table->address };

	warn(options, &c->problems.records,
	     "functions whose records are not in the table");
	warn(options, &c->problems.places, "functions that are not in code");
	warn(options, &c->problems.values, "functions with damaged lines");
	warn(options, &c->problems.trees,
	     "functions with damaged inlined calls");
	warn(options, &strings, "names and files that are not in the table");
}

/* Returns true if NAME belongs to entries of the table that are no
 * functions. */
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

static uint32_t end_of(const struct pclntab_values *values)
{
	return values->count ? values->items[values->count - 1].end : 0;
}

/* Decode the pc-value tables of F.  *SIZE is the distance to the next function;
 * it becomes the size of the code, without padding. */
static enum gsym_status read_values(struct conversion *c,
				    const struct pclntab_function *f,
				    uint32_t *size)
{
	const struct gsym_pclntab *t = c->table;
	struct pclntab_inlines *in = &c->inlines;
	enum pclntab_result lines, files, indexes;
	uint32_t end;

	files = gsym_pclntab_values(t, f->file_values, *size, &in->files);
	lines = gsym_pclntab_values(t, f->line_values, *size, &in->lines);
	indexes = gsym_pclntab_values(t, gsym_pclntab_tree_values(t, f), *size,
				      &in->indexes);
	if (files == PCLNTAB_NO_MEMORY || lines == PCLNTAB_NO_MEMORY ||
	    indexes == PCLNTAB_NO_MEMORY)
		return GSYM_ERR_MEMORY;
	if (files != PCLNTAB_OK || lines != PCLNTAB_OK ||
	    indexes != PCLNTAB_OK)
		note(&c->problems.values, f->start);
	end = end_of(&in->lines);
	if (end_of(&in->files) > end)
		end = end_of(&in->files);
	if (end)
		*size = end;
	return GSYM_OK;
}

/* Make the rows of F: one wherever a file or line value begins. */
static enum gsym_status make_rows(struct conversion *c,
				  const struct pclntab_function *f,
				  uint32_t size)
{
	const struct pclntab_values *files = &c->inlines.files;
	const struct pclntab_values *lines = &c->inlines.lines;
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
	enum gsym_status status = read_values(c, f, &size);

	if (status == GSYM_OK)
		status = make_rows(c, f, size);
	if (status == GSYM_OK)
		status = gsym_pclntab_make_inlines(&c->inlines, &c->strings, f,
						   size, &damaged);
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
	return gsym_sink_record(c->sink, &record);
}

/* ---- all functions ---------------------------------------------------- */

/* Convert function NUMBER. *END is the highest end of the functions so far.  A
 * function that begins before *END is refused, so the time is bounded by the
 * size of the code. */
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
		gsym_fail(error, status, t->address,
			  "go table at 0x%" PRIx64 ": %s", t->address,
			  gsym_status_text(status));
	gsym_pclntab_strings_fini(&c.strings);
	gsym_pclntab_inlines_fini(&c.inlines);
	gsym_vec_fini(&c.rows);
	return status;
}
