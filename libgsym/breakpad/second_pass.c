/* SPDX-License-Identifier: MIT */
/*
 * The second pass: reads the bodies of functions, makes rows of their line
 * records, and hands the functions to the sink.
 *
 * Each batch has some functions.  Workers read the bodies of a batch.  The
 * merge, in the order of the file, replaces indexes by the sink's numbers and
 * hands the records over.
 */
#include "breakpad/file.h"

#include "base/pool.h"

/* ---- the body of a function ---------------------------------------------- */

/* Bytes of text between two reports of the progress. */
enum { REPORT_BYTES = 1 << 20 };

static void body_fini(struct bp_body *b)
{
	gsym_vec_fini(&b->lines);
	gsym_vec_fini(&b->sorted);
	gsym_vec_fini(&b->keys);
	gsym_vec_fini(&b->inlines);
	gsym_vec_fini(&b->order);
	gsym_vec_fini(&b->first);
	gsym_bp_tree_fini(&b->tree);
}

/* Whether LINE, without leading blanks, may begin with a line record: its first
 * field may be a number.  The first pass has reported lines of any other
 * kind. */
static bool is_line_record(struct bp_text line)
{
	struct bp_text field;

	if (bp_class(*line.at) >= BP_STOP)
		return false;
	if (*line.at < 'A' || *line.at > 'F')
		return true;
	/* FILE, FUNC and unknown keywords begin with a hexadecimal digit, too:
	 * look at the whole field. */
	field = bp_field(&line);
	for (; field.at < field.end; field.at++)
		if (bp_class(*field.at) >= BP_STOP)
			return false;
	return true;
}

/* Remove the fields of a line record from TEXT.  False if they cannot be
 * read. */
static bool read_line(struct bp_text *text, struct bp_line *ret)
{
	uint64_t size;

	return bp_hex(text, &ret->start) && bp_hex(text, &size) &&
	       bp_signed(text, &ret->line) && bp_signed(text, &ret->file) &&
	       !__builtin_add_overflow(ret->start, size, &ret->end);
}

uint64_t gsym_bp_lines_end(const struct bp_file *file,
			   const struct bp_function *function)
{
	struct bp_text body = function->body;
	struct bp_line line;
	uint64_t last = 0;

	for (; body.at < body.end; bp_skip_line(&body, file->has_carriages)) {
		bp_skip_blanks(&body);
		if (!bp_at_end(body) && is_line_record(body) &&
		    read_line(&body, &line) && line.start >= function->start &&
		    line.end > last)
			last = line.end;
	}
	return last > function->start ? last : 0;
}

/* ---- reading ------------------------------------------------------------- */

/* Add LINE, cut to the function, to B->lines, which have room for it.  Records
 * outside of the function and those without code are ignored. */
static inline void add_line(struct bp_body *b, const struct bp_line *line)
{
	const struct bp_function *f = b->function;
	uint64_t limit = f->start + f->size;

	if (line->start == line->end || line->start < f->start ||
	    line->start >= limit)
		return;
	b->lines.items[b->lines.count++] = (struct bp_body_line){
		.start = (uint32_t)(line->start - f->start),
		.end = (uint32_t)((line->end < limit ? line->end : limit) -
				  f->start),
		.line = line->line < 0 ? 0 : (uint32_t)line->line,
		.file = bp_file_index(b, line->file),
	};
}

/* Read the record that TEXT begins with, line number NUMBER of the file; TEXT
 * is moved to a place in that line.  False without memory. */
static bool read_record(struct bp_body *b, struct bp_text *text,
			uint64_t number)
{
	struct bp_line line;
	bool ok = true;

	bp_skip_blanks(text);
	if (bp_at_end(*text))
		return true;
	if (is_line_record(*text)) {
		b->batch->line_records++;
		if (!gsym_vec_reserve(&b->lines, 1))
			return false;
		if (read_line(text, &line))
			add_line(b, &line);
		else
			gsym_bp_batch_warn(b->batch, GSYM_WARN_BAD_RECORD,
					   number,
					   "a line record that cannot be read",
					   1);
	} else if (bp_skip_word(text, "INLINE") &&
		   !gsym_bp_read_inline(b, text, &ok)) {
		gsym_bp_batch_warn(b->batch, GSYM_WARN_BAD_RECORD, number,
				   "an INLINE record that cannot be read", 1);
	}
	return ok;
}

/* Read line records from the start of TEXT on, up to END, as long as they have
 * the form that producers write.  TEXT and the line number *NUMBER are moved
 * past them.  False without memory. */
static bool read_lines(struct bp_body *b, struct bp_text *text,
		       const char *end, uint64_t *number)
{
	enum { SHORTEST = 8 }; /* "0 0 0 0\n" */
	struct bp_line_walk walk;
	struct bp_line line;
	uint64_t read = 0;

	if (!bp_walk_init(&walk, text->at, b->file->text.end))
		return true;
	if (!gsym_vec_reserve(&b->lines,
			      (size_t)(end - text->at) / SHORTEST + 1))
		return false;
	for (; walk.block + walk.at < end && bp_walk_line(&walk, &line); read++)
		add_line(b, &line);
	text->at = walk.block + walk.at;
	*number += read;
	b->batch->line_records += read;
	return true;
}

/* Read the body into B->lines and B->inlines.  False without memory, or if
 * CANCELLED is set. */
static bool read_body(struct bp_body *b)
{
	struct bp_text text = b->function->body;
	const char *reported = text.at;
	uint64_t number = b->function->line;

	b->lines.count = b->inlines.count = b->tree.given.count = 0;
	while (text.at < text.end) {
		const char *end = text.end;

		if (b->reports && text.at - reported >= REPORT_BYTES) {
			reported = text.at;
			b->cancelled =
				!gsym_bp_progress(b->reports, reported, 1);
			if (b->cancelled)
				return false;
		}
		if (end - text.at > REPORT_BYTES)
			end = text.at + REPORT_BYTES;
		if (bp_class(*text.at) < BP_STOP &&
		    !read_lines(b, &text, end, &number))
			return false;
		if (text.at >= end)
			continue;
		if (!read_record(b, &text, number++))
			return false;
		bp_skip_line(&text, b->file->has_carriages);
	}
	return true;
}

/* ---- rows ---------------------------------------------------------------- */

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

/* Read FUNCTION's body into BATCH.  False without memory, or if B->cancelled is
 * set. */
static bool read_function(struct bp_body *b, const struct bp_function *function,
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

/* ---- batches ------------------------------------------------------------- */

enum {
	/* A batch ends at so many bytes of text or so many functions. */
	BATCH_BYTES = 256 << 10,
	BATCH_FUNCTIONS = 1024,
	/* For each thread: batches that are being read or wait for the
	 * merge. */
	WINDOW_PER_THREAD = 4,
	/* A function with a longer text is read by the merge, which can report
	 * progress while it reads. */
	LARGE_BYTES = 4 << 20,
};

struct push {
	struct bp_file *file;
	/* By batch: the index of its first function.  The last element is the
	 * number of functions. */
	GSYM_VEC_OF(size_t) firsts;
	struct bp_body *bodies;	  /* one for each worker */
	struct bp_batch *batches; /* WINDOW of them; batch N is N % WINDOW */
	size_t window;
};

/* Fill P->firsts.  False without memory. */
static bool divide(struct push *p)
{
	const struct bp_file *file = p->file;
	size_t bytes = 0, functions = 0;

	if (!gsym_vec_add(&p->firsts, 0))
		return false;
	for (size_t i = 0; i < file->functions.count; i++) {
		const struct bp_function *f = &file->functions.items[i];

		bytes += f->dropped ? 0 : bp_length(f->body);
		if (++functions < BATCH_FUNCTIONS && bytes < BATCH_BYTES &&
		    i + 1 < file->functions.count)
			continue;
		if (!gsym_vec_add(&p->firsts, i + 1))
			return false;
		bytes = functions = 0;
	}
	return true;
}

static bool is_large(const struct bp_function *f)
{
	return !f->dropped && bp_length(f->body) >= LARGE_BYTES;
}

/* A worker's job: read the bodies of batch INDEX. */
static enum gsym_status read_batch(void *context, size_t index,
				   unsigned worker)
{
	struct push *p = context;
	struct bp_batch *batch = &p->batches[index % p->window];
	size_t first = p->firsts.items[index];

	batch->items.count = batch->rows.count = batch->inlines.count = 0;
	batch->ranges.count = batch->warnings.count = batch->missing.count = 0;
	memset(batch->more, 0, sizeof(batch->more));
	batch->line_records = 0;
	for (size_t i = first; i < p->firsts.items[index + 1]; i++) {
		const struct bp_function *f = &p->file->functions.items[i];

		if (!f->dropped && !is_large(f) &&
		    !read_function(&p->bodies[worker], f, batch))
			return GSYM_ERR_MEMORY;
	}
	return GSYM_OK;
}

static void pass_warnings(struct bp_file *file, const struct bp_batch *batch)
{
	for (size_t i = 0; i < batch->warnings.count; i++) {
		const struct bp_warning *warning = &batch->warnings.items[i];

		for (uint64_t k = 0; k < warning->count; k++)
			gsym_bp_warn(file, warning->kind, warning->line,
				     warning->text);
	}
	for (unsigned kind = 0; kind < GSYM_WARN_COUNT; kind++)
		for (uint64_t i = 0; i < batch->more[kind]; i++)
			gsym_bp_warn(
				file, kind, 0,
				"more warnings of this kind, without details");
	for (size_t i = 0; i < batch->missing.count; i++)
		gsym_bp_warn_missing_file(file, batch->missing.items[i]);
}

/* Replace indexes of files by the sink's numbers. */
static enum gsym_status number_rows(struct bp_file *file, struct gsym_row *rows,
				    size_t count)
{
	const uint32_t *numbers = file->files.numbers;

	for (size_t i = 0; i < count; i++) {
		uint32_t number = numbers[rows[i].file];
		enum gsym_status status;

		if (number == BP_NO_NUMBER) {
			status = gsym_bp_file_number(file, rows[i].file,
						     &number);
			if (status != GSYM_OK)
				return status;
		}
		/* A row with neither file nor line has no source. */
		if (number == GSYM_FILE_UNKNOWN && !rows[i].line)
			number = GSYM_FILE_NOSRC;
		rows[i].file = number;
	}
	return GSYM_OK;
}

static enum gsym_status number_inlines(struct bp_file *file,
				       struct gsym_inline_node *nodes,
				       size_t count)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < count && status == GSYM_OK; i++) {
		status = gsym_bp_file_number(file, nodes[i].call_file,
					     &nodes[i].call_file);
		if (status == GSYM_OK)
			status = gsym_bp_origin_number(file, nodes[i].name,
						       &nodes[i].name);
	}
	return status;
}

static enum gsym_status push_item(struct bp_file *file,
				  const struct bp_batch *batch,
				  const struct bp_item *item, uint32_t name)
{
	const struct gsym_record record = {
		.name = name,
		.rank = GSYM_RANK_FUNCTION,
		.name_kind = GSYM_NAME_LINKAGE,
		.start = item->function->start + file->base,
		.size = item->function->size,
		.limit = UINT64_MAX,
		.folded = item->function->folded,
		.rows = gsym_vec_from(&batch->rows, item->first_row),
		.row_count = item->row_count,
		.inlines = gsym_vec_from(&batch->inlines, item->first_inline),
		.inline_count = item->inline_count,
		.inline_ranges =
			gsym_vec_from(&batch->ranges, item->first_range),
	};

	return gsym_sink_record(&file->sink, &record);
}

static enum gsym_status push_items(struct bp_file *file,
				   const struct bp_batch *batch)
{
	const struct bp_item *items = batch->items.items;
	size_t left = batch->items.count, count;
	enum gsym_status status = GSYM_OK;
	struct bp_text names[BP_TOGETHER];
	uint32_t numbers[BP_TOGETHER];

	for (; left && status == GSYM_OK; items += count, left -= count) {
		count = left < BP_TOGETHER ? left : BP_TOGETHER;
		for (size_t i = 0; i < count; i++)
			names[i] = items[i].function->name;
		status = gsym_bp_strings(file, names, count, numbers);
		for (size_t i = 0; i < count && status == GSYM_OK; i++)
			status = push_item(file, batch, &items[i], numbers[i]);
	}
	return status;
}

/* Read the body of the last function of batch INDEX if it is a large one: a
 * batch ends with each large function. */
static enum gsym_status read_large(struct push *p, size_t index,
				   struct bp_body *body)
{
	const struct bp_function *f =
		&p->file->functions.items[p->firsts.items[index + 1] - 1];
	bool fine;

	if (!is_large(f))
		return GSYM_OK;
	body->reports = p->file;
	fine = read_function(body, f, &p->batches[index % p->window]);
	body->reports = NULL;
	return fine ? GSYM_OK :
	       body->cancelled ? GSYM_ERR_CANCELLED : GSYM_ERR_MEMORY;
}

/* The merge: hand the records of batch INDEX to the sink. */
static enum gsym_status merge_batch(void *context, size_t index,
				    unsigned worker)
{
	struct push *p = context;
	struct bp_file *file = p->file;
	struct bp_batch *batch = &p->batches[index % p->window];
	enum gsym_status status = read_large(p, index, &p->bodies[worker]);

	if (status != GSYM_OK)
		return status;
	pass_warnings(file, batch);
	file->records.lines += batch->line_records;
	for (size_t i = 0; file->base && i < batch->ranges.count; i++) {
		batch->ranges.items[i].start += file->base;
		batch->ranges.items[i].end += file->base;
	}
	status = number_rows(file, batch->rows.items, batch->rows.count);
	if (status == GSYM_OK)
		status = number_inlines(file, batch->inlines.items,
					batch->inlines.count);
	if (status == GSYM_OK)
		status = push_items(file, batch);
	if (status == GSYM_OK && batch->items.count &&
	    !gsym_bp_progress(file,
			      batch->items.items[batch->items.count - 1]
				      .function->body.end,
			      1))
		status = GSYM_ERR_CANCELLED;
	return status;
}

enum gsym_status gsym_bp_push_functions(struct bp_file *file)
{
	struct push p = { .file = file };
	enum gsym_status status = GSYM_ERR_MEMORY;
	unsigned threads;
	size_t count = 0;

	if (divide(&p))
		count = p.firsts.count - 1;
	threads = gsym_pool_threads(file->options->threads, count);
	p.window = threads > 1 ? (size_t)threads * WINDOW_PER_THREAD : 1;
	p.bodies = calloc(threads, sizeof(*p.bodies));
	p.batches = calloc(p.window, sizeof(*p.batches));
	if (p.firsts.count && p.bodies && p.batches) {
		for (unsigned i = 0; i < threads; i++)
			p.bodies[i].file = file;
		status = gsym_pool_run(threads, count, p.window, read_batch,
				       merge_batch, NULL, &p);
	}
	for (unsigned i = 0; p.bodies && i < threads; i++)
		body_fini(&p.bodies[i]);
	for (size_t i = 0; p.batches && i < p.window; i++)
		gsym_bp_batch_fini(&p.batches[i]);
	free(p.bodies);
	free(p.batches);
	gsym_vec_fini(&p.firsts);
	return status;
}
