/* SPDX-License-Identifier: MIT */
/*
 * Hands the functions to the sink.  Each batch has some functions.  Workers
 * read the bodies of a batch.  The merge, in the order of the file, replaces
 * indexes by the sink's numbers and hands the records over.
 */
#include "base/pool.h"
#include "breakpad/body.h"

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
	struct { GSYM_VEC(size_t); } firsts;
	struct bp_body *bodies;	  /* one for each worker */
	struct bp_batch *batches; /* WINDOW of them; batch N is N % WINDOW */
	size_t window;
};

/* Fill P->firsts.  False without memory. */
static bool divide(struct push *p)
{
	const struct bp_file *file = p->file;
	size_t bytes = 0, functions = 0, *first = gsym_vec_push(&p->firsts);

	if (!first)
		return false;
	*first = 0;
	for (size_t i = 0; i < file->functions.count; i++) {
		const struct bp_function *f = &file->functions.items[i];

		bytes += f->dropped ? 0 : bp_length(f->body);
		if (++functions < BATCH_FUNCTIONS && bytes < BATCH_BYTES &&
		    i + 1 < file->functions.count)
			continue;
		first = gsym_vec_push(&p->firsts);
		if (!first)
			return false;
		*first = i + 1;
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
		    !gsym_bp_read_body(&p->bodies[worker], f, batch))
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
	fine = gsym_bp_read_body(body, f, &p->batches[index % p->window]);
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
	unsigned threads = file->options->threads ? file->options->threads : 1;
	struct push p = { .file = file };
	enum gsym_status status = GSYM_ERR_MEMORY;
	size_t count = 0;

	if (divide(&p))
		count = p.firsts.count - 1;
	if (threads > count)
		threads = count ? (unsigned)count : 1;
	p.window = threads > 1 ? (size_t)threads * WINDOW_PER_THREAD : 1;
	p.bodies = calloc(threads, sizeof(*p.bodies));
	p.batches = calloc(p.window, sizeof(*p.batches));
	if (p.firsts.count && p.bodies && p.batches) {
		for (unsigned i = 0; i < threads; i++)
			p.bodies[i].file = file;
		status = gsym_pool_run(threads, count, p.window, read_batch,
				       merge_batch, &p);
	}
	for (unsigned i = 0; p.bodies && i < threads; i++)
		gsym_bp_body_fini(&p.bodies[i]);
	for (size_t i = 0; p.batches && i < p.window; i++)
		gsym_bp_batch_fini(&p.batches[i]);
	free(p.bodies);
	free(p.batches);
	gsym_vec_fini(&p.firsts);
	return status;
}
