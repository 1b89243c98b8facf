/* SPDX-License-Identifier: MIT */
/* Everything that the reader says about a file, problems and answers, as one
 * text. */
#ifndef GSYM_TESTS_PROBLEMS_H
#define GSYM_TESTS_PROBLEMS_H

#include "answers.h"

#include <stdarg.h>

struct problems {
	/* The offset of the image in the opened bytes: it is subtracted from
	 * all offsets, so that the texts of embedded images are those of the
	 * same image alone. */
	uint64_t image_offset;
	size_t used;
	char text[1 << 16];
};

static inline __attribute__((format(printf, 2, 3))) void
problems_add(struct problems *p, const char *format, ...)
{
	va_list arguments;

	if (p->used > sizeof(p->text) - 1024)
		return;
	va_start(arguments, format);
	p->used += (size_t)vsnprintf(p->text + p->used, 1024, format,
				     arguments);
	va_end(arguments);
}

/* Add the message of ERROR.  Numbers after "at offset " count from the start of
 * the image then. */
static inline void problems_message(struct problems *p,
				    const struct gsym_error *error)
{
	static const char at[] = "at offset 0x";
	const char *rest = error->message, *found;

	while ((found = strstr(rest, at))) {
		char *end;
		uint64_t offset;

		found += strlen(at);
		offset = strtoull(found, &end, 16);
		cr_expect(offset - p->image_offset < 0x10000, "%s",
			  error->message);
		problems_add(p, "%.*s%" PRIx64, (int)(found - rest), rest,
			     offset - p->image_offset);
		rest = end;
	}
	problems_add(p, "%s\n", rest);
}

static inline bool problems_hear(void *context,
				 const struct gsym_error *problem)
{
	struct problems *p = context;

	problems_add(p, "%d 0x%" PRIx64 " ", problem->code,
		     problem->offset - p->image_offset);
	problems_message(p, problem);
	return true;
}

/* Add ERROR, if STATUS is that of an error. */
static inline void problems_error(struct problems *p, enum gsym_status status,
				  const struct gsym_error *error)
{
	if (status == GSYM_OK || status == GSYM_NOT_FOUND)
		problems_add(p, "%d\n", status);
	else
		problems_hear(p, error);
}

static inline void problems_walks(struct problems *p,
				  const struct gsym_function *f)
{
	static struct gsym_inline_iter nodes;
	struct gsym_error error = { 0 };
	struct gsym_line_iter rows;
	struct gsym_inline node;
	struct gsym_range range;
	struct gsym_line row;
	enum gsym_status status;

	status = gsym_lines(f, &rows, &error);
	while (status == GSYM_OK) {
		status = gsym_line_next(&rows, &row, &error);
		if (status == GSYM_OK)
			problems_add(p, "%" PRIx64 ":%" PRIu32 ":%" PRIu32 " ",
				     row.address, row.file, row.line);
	}
	problems_error(p, status, &error);
	status = gsym_inlines(f, &nodes, &error);
	while (status == GSYM_OK) {
		status = gsym_inline_next(&nodes, &node, &error);
		if (status != GSYM_OK)
			break;
		problems_add(p, "%" PRIu32 ":%s:%" PRIu32 ":%" PRIu32,
			     node.depth, node.name, node.call_file,
			     node.call_line);
		for (uint32_t i = 0; i < node.range_count && i < 8; i++) {
			cr_assert(!gsym_inline_range(&node, i, &range));
			problems_add(p, " %" PRIx64 "-%" PRIx64, range.start,
				     range.end);
		}
		problems_add(p, "\n");
	}
	problems_error(p, status, &error);
}

static inline void problems_function(struct problems *p,
				     struct gsym_function *f)
{
	struct gsym_error error = { 0 };
	struct gsym_call_site site;
	struct gsym_function merged;
	enum gsym_status status;

	problems_add(p, "%s %" PRIx64 "+%" PRIu64 " at %" PRIx64 "+%" PRIx64
		     " unknown %" PRIu32 "\n", f->name, f->start, f->size,
		     f->record_offset, f->record_size, f->unknown_count);
	problems_walks(p, f);
	for (uint32_t i = 0; i <= f->merged_count && i < 4; i++) {
		status = gsym_merged_at(f, i, &merged, &error);
		problems_error(p, status, &error);
		if (status != GSYM_OK)
			continue;
		problems_add(p, "%s %" PRIx64 "+%" PRIu64 "\n", merged.name,
			     merged.start, merged.size);
		problems_walks(p, &merged);
	}
	for (uint32_t i = 0; i <= f->call_site_count && i < 4; i++) {
		status = gsym_call_site_at(f, i, &site, &error);
		problems_error(p, status, &error);
		for (uint32_t k = 0; status == GSYM_OK && k < 3; k++) {
			const char *pattern = gsym_call_site_pattern(&site, k);

			problems_add(p, "%s\n", pattern ? pattern : "-");
		}
	}
	status = gsym_call_site_find(f, f->start + 0x17, &site, &error);
	problems_error(p, status, &error);
	status = gsym_call_site_find(f, UINT64_MAX, &site, &error);
	problems_error(p, status, &error);
}

/* Add what READER says about function INDEX. */
static inline void problems_index(struct problems *p,
				  const struct gsym_reader *reader,
				  uint32_t index)
{
	struct gsym_error error = { 0 };
	struct gsym_frame frames[8] = { { .function = "" } };
	struct gsym_function f;
	struct gsym_match match;
	enum gsym_status status;
	uint64_t start = gsym_address_at(reader, index);

	status = gsym_function_at(reader, index, &f, &error);
	problems_error(p, status, &error);
	if (status != GSYM_NOT_FOUND)
		problems_function(p, &f);
	for (uint64_t address = start; address < start + 24; address += 4) {
		status = gsym_lookup(reader, address, 0, frames, 8, &match,
				     &error);
		problems_error(p, status, &error);
		if (status == GSYM_OK && match.frame_count <= 8)
			problems_add(p, "%" PRIu32 " %s, %" PRIu32
				     " merged\n", match.index,
				     frames_text(frames, match.frame_count,
						 "; "), match.merged_count);
	}
}

/* Set P to all that can be found out about the SIZE bytes at DATA. */
static inline void problems_find(struct problems *p, const uint8_t *data,
				 size_t size)
{
	struct gsym_error error = { 0 };
	struct gsym_reader *reader;
	struct gsym_header h;
	enum gsym_status status;

	p->used = 0;
	p->text[0] = 0;
	status = gsym_open_memory(data, size, &reader, &error);
	if (status != GSYM_OK) {
		problems_add(p, "%d 0x%" PRIx64 " %s\n", status,
			     error.offset - p->image_offset, error.message);
		return;
	}
	gsym_get_header(reader, &h);
	for (int i = 0; i < GSYM_SECTION_COUNT; i++)
		problems_add(p, "%" PRIx64 "+%" PRIx64 "\n",
			     h.sections[i].offset, h.sections[i].size);
	problems_add(p, "verify %d\n", gsym_verify(reader, problems_hear, p));
	for (uint32_t i = 0; i <= h.function_count && i < 10; i++)
		problems_index(p, reader, i);
	gsym_close(reader);
}

#endif
