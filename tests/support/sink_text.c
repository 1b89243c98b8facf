/* SPDX-License-Identifier: MIT */
#include "support/sink_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct sinktext *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct sinktext *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	s->used += (size_t)vsnprintf(s->text + s->used,
				     sizeof(s->text) - s->used, format, args);
	va_end(args);
	if (s->used >= sizeof(s->text))
		abort();
}

static enum gsym_status answer(struct sinktext *s)
{
	return s->allowed < 0 || s->allowed-- ? GSYM_OK : s->answer;
}

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	struct sinktext *s = self;
	uint32_t n;

	if (answer(s) != GSYM_OK)
		return s->answer;
	for (n = 0; n < s->string_count; n++)
		if (strlen(s->bytes + s->starts[n]) == length &&
		    !memcmp(s->bytes + s->starts[n], bytes, length))
			break;
	*number = n;
	if (n < s->string_count)
		return GSYM_OK;
	if (n >= 4096 || length >= sizeof(s->bytes) - s->byte_count)
		abort();
	s->starts[s->string_count++] = s->byte_count;
	memcpy(s->bytes + s->byte_count, bytes, length);
	s->byte_count += length;
	s->bytes[s->byte_count++] = 0;
	return GSYM_OK;
}

static enum gsym_status take_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	struct sinktext *s = self;

	if (answer(s) != GSYM_OK)
		return s->answer;
	if (s->file_count >= 1024 || directory >= s->string_count ||
	    basename >= s->string_count)
		abort();
	*number = s->file_count;
	s->files[s->file_count][0] = directory;
	s->files[s->file_count++][1] = basename;
	return GSYM_OK;
}

static const char *string(const struct sinktext *s, uint32_t number)
{
	if (number >= s->string_count)
		abort();
	return s->bytes + s->starts[number];
}

static void put_place(struct sinktext *s, uint32_t file, uint32_t line)
{
	if (file == GSYM_FILE_NOSRC) {
		put(s, "-");
	} else if (file == GSYM_FILE_UNKNOWN) {
		put(s, "??:%u", line);
	} else {
		if (file >= s->file_count)
			abort();
		put(s, "%s|%s:%u", string(s, s->files[file][0]),
		    string(s, s->files[file][1]), line);
	}
}

static void put_inlines(struct sinktext *s, const struct gsym_record *r)
{
	for (size_t i = 0; i < r->inline_count; i++) {
		const struct gsym_inline_node *node = &r->inlines[i];

		put(s, "  %u %s at ", node->depth, string(s, node->name));
		put_place(s, node->call_file, node->call_line);
		for (uint32_t k = 0; k < node->range_count; k++) {
			const struct gsym_range *range =
				&r->inline_ranges[node->first_range + k];

			put(s, " [%" PRIx64 ",%" PRIx64 ")", range->start,
			    range->end);
		}
		put(s, "\n");
	}
}

static enum gsym_status take_record(void *self, const struct gsym_record *r)
{
	struct sinktext *s = self;

	if (answer(s) != GSYM_OK)
		return s->answer;
	put(s, "%s%s [%" PRIx64 ",%" PRIx64 ")%s\n", string(s, r->name),
	    r->name_kind == GSYM_NAME_LINKAGE ? "!" : "", r->start,
	    r->start + r->size, r->folded ? " folded" : "");
	if (r->rank != GSYM_RANK_FUNCTION || r->limit != UINT64_MAX ||
	    r->data || r->merged_count)
		put(s, "  is no function\n");
	for (size_t i = 0; i < r->row_count; i++) {
		put(s, "  +%x ", r->rows[i].offset);
		put_place(s, r->rows[i].file, r->rows[i].line);
		put(s, "\n");
	}
	put_inlines(s, r);
	for (size_t i = 0; i < r->call_count; i++) {
		const struct gsym_call *call = &r->calls[i];

		put(s, "  call +%" PRIx64 ":", call->return_offset);
		for (uint32_t k = 0; k < call->pattern_count; k++)
			put(s, " %s",
			    string(s,
				   r->call_patterns[call->first_pattern + k]));
		put(s, "\n");
	}
	return GSYM_OK;
}

static enum gsym_status take_loose(void *self, struct gsym_range range,
				   const struct gsym_loose_row *rows,
				   size_t count)
{
	struct sinktext *s = self;

	if (answer(s) != GSYM_OK)
		return s->answer;
	put(s, "loose [%" PRIx64 ",%" PRIx64 ")\n", range.start, range.end);
	for (size_t i = 0; i < count; i++) {
		put(s, "  %" PRIx64 " ", rows[i].address);
		put_place(s, rows[i].file, rows[i].line);
		put(s, "\n");
	}
	return GSYM_OK;
}

void sinktext_init(struct sinktext *s)
{
	uint32_t number;

	s->used = s->byte_count = 0;
	*s->text = 0;
	s->allowed = -1;
	s->answer = GSYM_ERR_ARGUMENT;
	/* String 0 and file 0, as a sink has them. */
	s->string_count = s->file_count = 0;
	take_string(s, "", 0, &number);
	take_file(s, 0, 0, &number);
}

struct gsym_sink sinktext_sink(struct sinktext *s)
{
	return (struct gsym_sink){ .self = s,
				   .string = take_string,
				   .file = take_file,
				   .record = take_record,
				   .loose_rows = take_loose };
}

void sinktext_warn(void *context, enum gsym_warning kind, const char *text)
{
	put(context, "warning %d: %s\n", kind, text);
}

void sinktext_variables(struct sinktext *s,
			const struct gsym_variables *variables)
{
	for (size_t i = 0; i < variables->count; i++) {
		const struct gsym_variable *v = &variables->items[i];

		put(s, "data %" PRIx64 " %s%s ", v->address, string(s, v->name),
		    v->linkage ? "!" : "");
		put_place(s, v->file, v->line);
		put(s, "\n");
	}
}
