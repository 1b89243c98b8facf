/* SPDX-License-Identifier: MIT */
#include "support/make.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static char text[1 << 16];
static size_t used;

static void append(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void append(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, format,
				  args);
	va_end(args);
	cr_assert_lt(used, sizeof(text), "the text is too long");
}

static void begin_text(void)
{
	used = 0;
	*text = 0;
}

struct make make_begin(void)
{
	struct make m = { .builder = gsym_builder_new() };

	cr_assert_not_null(m.builder);
	return m;
}

uint32_t make_string(struct make *m, const char *string)
{
	uint32_t number;

	cr_assert_eq(gsym_builder_string(m->builder, string, strlen(string),
					 &number),
		     GSYM_OK);
	return number;
}

uint32_t make_file(struct make *m, const char *name)
{
	uint32_t number;

	cr_assert_eq(gsym_builder_file(m->builder, make_string(m, "/src"),
				       make_string(m, name), &number),
		     GSYM_OK);
	return number;
}

void make_record(struct make *m, const struct gsym_record *record)
{
	cr_assert_eq(gsym_builder_record(m->builder, record), GSYM_OK);
}

void make_function(struct make *m, uint64_t start, uint64_t size,
		   const char *name)
{
	make_record(m, &(struct gsym_record){
			       .rank = GSYM_RANK_FUNCTION,
			       .start = start,
			       .size = size,
			       .name = make_string(m, name) });
}

void make_symbol(struct make *m, uint64_t start, uint64_t size,
		 const char *name)
{
	make_record(m, &(struct gsym_record){
			       .rank = GSYM_RANK_SYMBOL,
			       .name_kind = GSYM_NAME_SYMBOL_GLOBAL,
			       .start = start,
			       .size = size,
			       .name = make_string(m, name) });
}

void make_label(struct make *m, uint64_t start, uint64_t limit,
		const char *name)
{
	make_record(m, &(struct gsym_record){
			       .rank = GSYM_RANK_LABEL,
			       .name_kind = GSYM_NAME_SYMBOL_LOCAL,
			       .start = start,
			       .limit = limit,
			       .name = make_string(m, name) });
}

void make_end(struct make *m)
{
	struct gsym_error error = { 0 };
	enum gsym_status status;

	status = gsym_builder_finish(m->builder, &m->options, &m->bytes,
				     &m->size, &m->summary, &error);
	cr_assert_eq(status, GSYM_OK, "%s: %s", gsym_status_text(status),
		     error.message);
	plain_decode(&m->plain, m->bytes, m->size);
	cr_assert_null(m->plain.problem, "at 0x%" PRIx64 ": %s",
		       m->plain.problem_offset,
		       m->plain.problem);
}

void make_free(struct make *m)
{
	plain_free(&m->plain);
	free(m->bytes);
	gsym_builder_free(m->builder);
	*m = (struct make){ 0 };
}

const char *make_list(const struct make *m)
{
	begin_text();
	for (size_t i = 0; i < m->plain.function_count; i++) {
		const struct plain_function *f = &m->plain.functions[i];

		append("%s%" PRIx64 "+%" PRIx64 " %s", i ? "; " : "", f->start,
		       f->size, f->name);
	}
	return text;
}

const char *make_rows(const struct make *m, uint64_t address)
{
	const struct plain_function *f = plain_at(&m->plain, address);

	begin_text();
	if (!f)
		return "no function";
	if (!f->has_lines)
		return "no lines";
	for (size_t i = 0; i < f->row_count; i++)
		append("%s%" PRIx64 " %s", i ? "; " : "",
		       f->rows[i].address - f->start,
		       plain_place(&m->plain, &f->rows[i]));
	return text;
}

const char *make_inlines(const struct make *m, uint64_t address)
{
	const struct plain_function *f = plain_at(&m->plain, address);

	begin_text();
	if (!f)
		return "no function";
	for (size_t i = 1; i < f->inline_count; i++) {
		const struct plain_inline *node = &f->inlines[i];
		const struct plain_file *file =
			&m->plain.files[node->call_file];

		append("%s%u %s ", i > 1 ? "; " : "", node->depth, node->name);
		for (size_t k = 0; k < node->range_count; k++)
			append("[%" PRIx64 ",%" PRIx64 ")",
			       node->ranges[k].start, node->ranges[k].end);
		append(" %s/%s:%" PRIu64, file->directory, file->basename,
		       node->call_line);
	}
	return text;
}
