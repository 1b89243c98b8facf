/* SPDX-License-Identifier: MIT */
/*
 * The body of a function: line records and INLINE records become rows and an
 * inline tree.
 *
 * A line record has an end, a GSYM row holds until the next one, so what no
 * record covers is written as a row without a source.
 */
#include "breakpad/body.h"

#include "breakpad/line.h"

/* Text between two reports of how far the work is. */
enum { REPORT_BYTES = 1 << 20 };

/* Warnings and files without a definition that are kept for a batch. */
enum { MAX_WARNINGS = 4096, MAX_MISSING = 64 };

void gsym_bp_body_fini(struct bp_body *b)
{
	gsym_vec_fini(&b->lines);
	gsym_vec_fini(&b->sorted);
	gsym_vec_fini(&b->keys);
	gsym_vec_fini(&b->calls);
	gsym_vec_fini(&b->order);
	gsym_vec_fini(&b->first);
	gsym_bp_tree_fini(&b->tree);
}

void gsym_bp_batch_fini(struct bp_batch *batch)
{
	gsym_vec_fini(&batch->items);
	gsym_vec_fini(&batch->rows);
	gsym_vec_fini(&batch->inlines);
	gsym_vec_fini(&batch->ranges);
	gsym_vec_fini(&batch->warnings);
	gsym_vec_fini(&batch->missing);
}

void gsym_bp_note(struct bp_batch *batch, enum gsym_warning kind, uint64_t line,
		  const char *text, uint64_t count)
{
	struct bp_warning *added = NULL;

	if (!count)
		return;
	if (batch->warnings.count < MAX_WARNINGS)
		added = gsym_vec_push(&batch->warnings);
	if (added)
		*added = (struct bp_warning){ kind, line, text, count };
	else
		batch->more[kind] += count;
}

void gsym_bp_note_missing(struct bp_batch *batch, int64_t id)
{
	uint32_t *added;

	if (id < 0 || batch->missing.count >= MAX_MISSING)
		return;
	for (size_t i = 0; i < batch->missing.count; i++)
		if (batch->missing.items[i] == id)
			return;
	added = gsym_vec_push(&batch->missing);
	if (added)
		*added = (uint32_t)id;
}

static bool hex_start(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* Whether a line of a body, blanks taken off, can be a line record.  The
 * first pass has dealt with all else. */
static bool is_line_record(struct bp_text line)
{
	struct bp_text rest = line, field;

	if (line.at == line.end || !hex_start(*line.at))
		return false;
	if (*line.at < 'A' || *line.at > 'F')
		return true;
	/* FILE, FUNC and unknown keywords start like numbers. */
	field = bp_field(&rest);
	for (; field.at < field.end; field.at++)
		if (!hex_start(*field.at))
			return false;
	return true;
}

/* A line record, however it is written.  Files are given by their id. */
static bool parse_line(struct bp_text text, uint64_t *start, uint64_t *end,
		       int64_t *line, int64_t *file)
{
	uint64_t size;

	return gsym_bp_hex(bp_field(&text), start) &&
	       gsym_bp_hex(bp_field(&text), &size) &&
	       gsym_bp_signed(bp_field(&text), line) &&
	       gsym_bp_signed(bp_field(&text), file) &&
	       !__builtin_add_overflow(*start, size, end);
}

uint64_t gsym_bp_last_end(struct bp_file *file,
			  const struct bp_function *function)
{
	struct bp_text body = function->body, text;
	uint64_t last = 0, start, end;
	int64_t line, source;

	while (bp_next_line(&body, &text, file->has_carriages)) {
		bp_skip_blanks(&text);
		if (is_line_record(text) &&
		    parse_line(text, &start, &end, &line, &source) &&
		    start >= function->start && end > last)
			last = end;
	}
	return last > function->start ? last : 0;
}

/* ---- reading --------------------------------------------------------------- */

/* Take a line record; those outside the function and empty ones say
 * nothing. */
static inline bool add_line(struct bp_body *b, uint64_t start, uint64_t end,
			    uint32_t line, int64_t file)
{
	const struct bp_function *f = b->function;
	struct bp_body_line *added;
	uint64_t limit = f->start + f->size;

	if (start == end || start < f->start || start >= limit)
		return true;
	added = gsym_vec_push(&b->lines);
	if (!added)
		return false;
	*added = (struct bp_body_line){
		.start = (uint32_t)(start - f->start),
		.end = (uint32_t)((end < limit ? end : limit) - f->start),
		.line = line,
		.file = bp_source(b, file),
	};
	if (b->lines.count > 1 && added->start < added[-1].start)
		b->unsorted = true;
	return true;
}

/* A line of the body that is not as most are. */
static bool read_carefully(struct bp_body *b, struct bp_text text,
			   uint64_t number)
{
	struct bp_text rest;
	uint64_t start, end;
	int64_t line, file;
	bool ok = true;

	bp_skip_blanks(&text);
	if (text.at == text.end)
		return true;
	if (is_line_record(text)) {
		b->batch->line_records++;
		if (parse_line(text, &start, &end, &line, &file))
			return add_line(b, start, end,
					line < 0 ? 0 : (uint32_t)line, file);
		gsym_bp_note(b->batch, GSYM_WARN_BAD_RECORD, number,
			     "a line record that cannot be read", 1);
		return true;
	}
	rest = text;
	if (*text.at == 'I' && bp_is(bp_field(&rest), "INLINE") &&
	    !gsym_bp_add_call(b, rest, &ok))
		gsym_bp_note(b->batch, GSYM_WARN_BAD_RECORD, number,
			     "an INLINE record that cannot be read", 1);
	return ok;
}

/* Read the records at BODY that are written as producers do, either INLINE or
 * line records, and step over them; NUMBER is that of the line. */
static bool read_quickly(struct bp_body *b, struct bp_text *body,
			 uint64_t *number)
{
	struct bp_numbers n;
	struct bp_line line;
	const char *next;
	bool ok = true;

	if (*body->at == 'I') {
		next = b->file->text.end - body->at < BP_NUMBER_ROOM ||
				       memcmp(body->at, "INLINE ", 7) != 0
			       ? NULL
			       : gsym_bp_read_call(b, body->at + 7, &ok);
		body->at = next ? next : body->at;
		*number += next != NULL;
		return ok;
	}
	if (!bp_numbers_init(&n, body->at, b->file->text.end))
		return true;
	while (ok && body->at < body->end && *body->at != 'I' &&
	       bp_read_line(&n, &line)) {
		ok = add_line(b, line.start, line.start + line.size, line.line,
			      line.file);
		body->at = n.block + n.at;
		++*number;
		b->batch->line_records++;
	}
	return ok;
}

/* Read the body into lines and ranges. */
static bool read_body(struct bp_body *b)
{
	struct bp_text body = b->function->body, text;
	const char *end = body.end, *told = body.at;
	uint64_t number = b->function->line;
	bool ok = true;

	b->lines.count = b->calls.count = b->tree.given.count = 0;
	b->unsorted = false;
	while (ok && body.at < end) {
		const char *before = body.at;

		if (b->reports && before - told >= REPORT_BYTES) {
			told = before;
			b->cancelled = !gsym_bp_go_on(b->reports, before, 1);
			if (b->cancelled)
				return false;
		}
		if (end - before > REPORT_BYTES)
			body.end = before + REPORT_BYTES;
		ok = read_quickly(b, &body, &number);
		body.end = end;
		if (!ok || body.at != before)
			continue;
		if (bp_next_line(&body, &text, b->file->has_carriages))
			ok = read_carefully(b, text, number++);
	}
	return ok;
}

/* ---- rows ------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* By start; what starts at the same place stays in its order. */
static bool sort_lines(struct bp_body *b)
{
	size_t count = b->lines.count;
	struct bp_lines swap = b->lines;

	if (!b->unsorted)
		return true;
	b->keys.count = b->sorted.count = 0;
	if (count > UINT32_MAX || !gsym_vec_reserve(&b->keys, count) ||
	    !gsym_vec_reserve(&b->sorted, count))
		return false;
	for (size_t i = 0; i < count; i++)
		b->keys.items[i] = (uint64_t)b->lines.items[i].start << 32 | i;
	qsort(b->keys.items, count, sizeof(*b->keys.items), by_value);
	for (size_t i = 0; i < count; i++)
		b->sorted.items[i] =
			b->lines.items[(uint32_t)b->keys.items[i]];
	b->lines = b->sorted;
	b->sorted = swap;
	b->lines.count = count;
	return true;
}

/* Rows have room for two for each line, and one more. */
static bool make_rows(struct bp_body *b, struct bp_item *item)
{
	struct bp_batch *batch = b->batch;
	uint64_t overlaps = 0;
	uint32_t none = bp_no_source(b->file), at = 0;
	struct gsym_row *rows, *row;

	if (!sort_lines(b) || b->lines.count > SIZE_MAX / 4 ||
	    !gsym_vec_reserve(&batch->rows, 2 * b->lines.count + 1))
		return false;
	rows = row = batch->rows.items + batch->rows.count;
	for (size_t i = 0; i < b->lines.count; i++) {
		const struct bp_body_line *line = &b->lines.items[i];

		/* The first record wins. */
		overlaps += line->start < at;
		if (line->end <= at)
			continue;
		if (line->start > at) {
			*row++ = (struct gsym_row){ at, none, 0 };
			at = line->start;
		}
		*row++ = (struct gsym_row){ at, line->file, line->line };
		at = line->end;
	}
	if (row > rows && at < b->function->size)
		*row++ = (struct gsym_row){ at, none, 0 };
	gsym_bp_note(batch, GSYM_WARN_CONFLICT, b->function->line,
		     "line records over each other in a function", overlaps);
	item->first_row = batch->rows.count;
	item->row_count = (size_t)(row - rows);
	batch->rows.count += item->row_count;
	return true;
}

/* ---- the whole ------------------------------------------------------------- */

bool gsym_bp_read_function(struct bp_body *b,
			   const struct bp_function *function,
			   struct bp_batch *batch)
{
	struct bp_item *item = gsym_vec_push(&batch->items);

	if (!item)
		return false;
	*item = (struct bp_item){ .function = function };
	b->function = function;
	b->batch = batch;
	return read_body(b) && make_rows(b, item) &&
	       gsym_bp_make_inlines(b, item);
}
