/* SPDX-License-Identifier: MIT */
/*
 * Reads line records and makes rows of them.  A line record has an end, but a
 * GSYM row holds until the next row.  So a row without a source ends the row
 * before it if no line record follows.
 */
#include "breakpad/body.h"

#include "breakpad/numbers.h"

/* Bytes of text between two reports of the progress. */
enum { REPORT_BYTES = 1 << 20 };

void gsym_bp_body_fini(struct bp_body *b)
{
	gsym_vec_fini(&b->lines);
	gsym_vec_fini(&b->sorted);
	gsym_vec_fini(&b->keys);
	gsym_vec_fini(&b->inlines);
	gsym_vec_fini(&b->order);
	gsym_vec_fini(&b->first);
	gsym_bp_tree_fini(&b->tree);
}

static bool hex_start(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/* Whether LINE, without leading blanks, may be a line record: its first field
 * may be a number.  The first pass has reported lines of any other kind. */
static bool is_line_record(struct bp_text line)
{
	struct bp_text rest = line, field;

	if (line.at == line.end || !hex_start(*line.at))
		return false;
	if (*line.at < 'A' || *line.at > 'F')
		return true;
	/* FILE, FUNC and unknown keywords begin with a hexadecimal digit, too:
	 * look at the whole field. */
	field = bp_field(&rest);
	for (; field.at < field.end; field.at++)
		if (!hex_start(*field.at))
			return false;
	return true;
}

/* Read the line record TEXT in any form; *FILE is the id of its file. */
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

uint64_t gsym_bp_lines_end(const struct bp_file *file,
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

/* ---- reading ---------------------------------------------------------- */

/* Add a line record, cut to the function, to B->lines, which have room for it.
 * Records outside of the function and those without code are ignored. */
static inline void add_line(struct bp_body *b, uint64_t start, uint64_t end,
			    uint32_t line, int64_t file)
{
	const struct bp_function *f = b->function;
	uint64_t limit = f->start + f->size;

	if (start == end || start < f->start || start >= limit)
		return;
	b->lines.items[b->lines.count++] = (struct bp_body_line){
		.start = (uint32_t)(start - f->start),
		.end = (uint32_t)((end < limit ? end : limit) - f->start),
		.line = line,
		.file = bp_file_index(b, file),
	};
}

/* Read line number NUMBER of the body, TEXT, in any form.  False without
 * memory. */
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
		if (!gsym_vec_reserve(&b->lines, 1))
			return false;
		if (parse_line(text, &start, &end, &line, &file))
			add_line(b, start, end, line < 0 ? 0 : (uint32_t)line,
				 file);
		else
			gsym_bp_batch_warn(b->batch, GSYM_WARN_BAD_RECORD,
					   number,
					   "a line record that cannot be read",
					   1);
		return true;
	}
	rest = text;
	if (*text.at == 'I' && bp_is(bp_field(&rest), "INLINE") &&
	    !gsym_bp_inline_carefully(b, rest, &ok))
		gsym_bp_batch_warn(b->batch, GSYM_WARN_BAD_RECORD, number,
				   "an INLINE record that cannot be read", 1);
	return ok;
}

/* Read line records from the start of BODY on, as long as they have the form
 * that producers write.  BODY and the line number *NUMBER are moved past them.
 * False without memory. */
static bool read_lines(struct bp_body *b, struct bp_text *body,
		       uint64_t *number)
{
	enum { SHORTEST = 8 }; /* "0 0 0 0\n" */
	const char *end = body->end;
	uint64_t read = 0;
	struct bp_numbers n;
	struct bp_line line;

	if (!bp_numbers_init(&n, body->at, b->file->text.end))
		return true;
	if (!gsym_vec_reserve(&b->lines, bp_length(*body) / SHORTEST + 1))
		return false;
	while (n.block + n.at < end && bp_read_line(&n, &line)) {
		add_line(b, line.start, line.start + line.size, line.line,
			 line.file);
		read++;
	}
	body->at = n.block + n.at;
	*number += read;
	b->batch->line_records += read;
	return true;
}

/* Read records from the start of BODY on, as long as they have the form that
 * producers write: one INLINE record, or several line records.  BODY and the
 * line number *NUMBER are moved past them.  False without memory. */
static bool read_quickly(struct bp_body *b, struct bp_text *body,
			 uint64_t *number)
{
	const char *next;
	bool ok = true;

	if (*body->at != 'I')
		return read_lines(b, body, number);
	next = b->file->text.end - body->at < BP_NUMBER_ROOM ||
			       memcmp(body->at, "INLINE ", 7) != 0
		       ? NULL
		       : gsym_bp_inline_quickly(b, body->at + 7, &ok);
	body->at = next ? next : body->at;
	*number += next != NULL;
	return ok;
}

/* Read the body into B->lines and B->inlines.  False without memory, or if
 * CANCELLED is set. */
static bool read_body(struct bp_body *b)
{
	struct bp_text body = b->function->body, text;
	const char *end = body.end, *reported = body.at;
	uint64_t number = b->function->line;
	bool ok = true;

	b->lines.count = b->inlines.count = b->tree.given.count = 0;
	while (ok && body.at < end) {
		const char *before = body.at;

		if (b->reports && before - reported >= REPORT_BYTES) {
			reported = before;
			b->cancelled = !gsym_bp_progress(b->reports, before, 1);
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

/* ---- rows ------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static bool are_sorted(const struct bp_lines *lines)
{
	for (size_t i = 1; i < lines->count; i++)
		if (lines->items[i].start < lines->items[i - 1].start)
			return false;
	return true;
}

/* Sort the lines by start; those of one start keep their order. */
static bool sort_lines(struct bp_body *b)
{
	size_t count = b->lines.count;
	struct bp_lines swap = b->lines;

	if (are_sorted(&b->lines))
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

/* Make rows of the lines: at most two for each, and one more. */
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

		/* Of line records that overlap the first one counts. */
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
	gsym_bp_batch_warn(batch, GSYM_WARN_CONFLICT, b->function->line,
			   "overlapping line records in a function", overlaps);
	item->first_row = batch->rows.count;
	item->row_count = (size_t)(row - rows);
	batch->rows.count += item->row_count;
	return true;
}

bool gsym_bp_read_body(struct bp_body *b, const struct bp_function *function,
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
