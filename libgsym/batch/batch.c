/* SPDX-License-Identifier: MIT */
/* A batch: takes addresses, and looks them up, those of one build ID
 * together. */
#include "batch/batch.h"
#include "base/error.h"
#include "base/order.h"

#include <string.h>

struct gsym_batch *gsym_batch_new(struct gsym_store *store, unsigned flags)
{
	struct gsym_batch *batch;

	if (!store || flags & ~(unsigned)(GSYM_BATCH_FRAMES |
					  GSYM_BATCH_FOLDED | GSYM_BATCH_LEAF))
		return NULL;
	batch = calloc(1, sizeof(*batch));
	if (batch) {
		batch->store = store;
		batch->flags = flags;
		batch->most_text = INT32_MAX;
	}
	return batch;
}

/* Forget all addresses of BATCH. */
static void empty(struct gsym_batch *batch)
{
	gsym_vec_fini(&batch->addresses);
	gsym_vec_fini(&batch->runs);
	gsym_arena_fini(&batch->ids);
}

void gsym_batch_free(struct gsym_batch *batch)
{
	if (!batch)
		return;
	empty(batch);
	free(batch);
}

/* Let a run of BATCH have the COUNT addresses that are added next; false
 * without memory. */
static bool add_run(struct gsym_batch *batch, const uint8_t *id, size_t id_size,
		    size_t count)
{
	size_t first = batch->addresses.count;
	struct batch_run *run = gsym_vec_from(&batch->runs, batch->runs.count);

	/* The last run, unless a gsym_batch_finish that failed sorted them. */
	if (batch->runs.count && run[-1].first + run[-1].count == first &&
	    run[-1].id_size == id_size &&
	    (!id_size || !memcmp(run[-1].id, id, id_size))) {
		run[-1].count += count;
		return true;
	}
	if (!gsym_vec_reserve(&batch->runs, 1))
		return false;
	char *copy = gsym_arena_string(&batch->ids, id_size ? (char *)id : "",
				       id_size);

	if (!copy)
		return false;
	return gsym_vec_add(&batch->runs,
			    (struct batch_run){ (uint8_t *)copy, id_size, first,
						count });
}

enum gsym_status gsym_batch_add(struct gsym_batch *batch, const uint8_t *id,
				size_t id_size, const uint64_t *addresses,
				size_t count)
{
	if (!batch || (!id && id_size) || (!addresses && count))
		return GSYM_ERR_ARGUMENT;
	if (!count)
		return GSYM_OK;
	if (count > INT32_MAX - batch->addresses.count)
		return GSYM_ERR_LIMIT;
	/* Build IDs that no store takes need not be told apart. */
	if (id_size > 256)
		id_size = 0;
	if (!gsym_vec_reserve(&batch->addresses, count) ||
	    !add_run(batch, id, id_size, count))
		return GSYM_ERR_MEMORY;
	memcpy(batch->addresses.items + batch->addresses.count, addresses,
	       count * sizeof(*addresses));
	batch->addresses.count += count;
	return GSYM_OK;
}

/* ---- looking up --------------------------------------------------------- */

/* The most addresses in one call of gsym_lookup_many. */
enum { CHUNK = 1 << 16 };

/* The addresses that are looked up together: the rows that they belong to, and
 * the arguments of gsym_lookup_many. */
struct chunk {
	const struct gsym_reader *reader;
	unsigned flags;
	size_t count;
	uint32_t *rows;
	uint64_t *addresses;
	uint32_t *first;
	struct gsym_frame *frames;
	size_t capacity;
};

static bool chunk_init(struct chunk *c, size_t addresses, unsigned flags)
{
	size_t most = addresses < CHUNK ? addresses : CHUNK;

	/* No address has more than GSYM_MAX_INLINE_DEPTH + 1 frames. */
	c->capacity = 6 * most + GSYM_MAX_INLINE_DEPTH + 1;
	c->flags = flags & GSYM_BATCH_FRAMES ? 0 : GSYM_LOOKUP_NO_LINES;
	c->rows = malloc((most + 1) * sizeof(*c->rows));
	c->addresses = malloc((most + 1) * sizeof(*c->addresses));
	c->first = malloc((most + 1) * sizeof(*c->first));
	c->frames = malloc(c->capacity * sizeof(*c->frames));
	return c->rows && c->addresses && c->first && c->frames;
}

static void chunk_fini(struct chunk *c)
{
	free(c->rows);
	free(c->addresses);
	free(c->first);
	free(c->frames);
}

/* Why gsym_lookup_many found no frames of ADDRESS. */
static enum batch_status why_none(const struct chunk *c, uint64_t address)
{
	return gsym_lookup(c->reader, address, c->flags, NULL, 0, NULL, NULL) ==
			       GSYM_NOT_FOUND
		       ? BATCH_NOT_COVERED
		       : BATCH_DAMAGED;
}

/* Hand the frames of the first DONE addresses of C, from FROM on, over. */
static enum gsym_status take_frames(const struct chunk *c, size_t from,
				    size_t done, struct batch_answers *answers)
{
	size_t before = answers->frames.count, count = c->first[done];

	if (count > INT32_MAX - before)
		return GSYM_ERR_LIMIT;
	if (!gsym_vec_reserve(&answers->frames, count))
		return GSYM_ERR_MEMORY;
	if (count)
		memcpy(answers->frames.items + before, c->frames,
		       count * sizeof(*c->frames));
	answers->frames.count += count;
	for (size_t i = 0; i < done; i++) {
		struct batch_row *row = &answers->rows[c->rows[from + i]];

		row->first = (uint32_t)before + c->first[i];
		row->count = c->first[i + 1] - c->first[i];
		row->status = row->count ? BATCH_OK
					 : why_none(c, c->addresses[from + i]);
	}
	return GSYM_OK;
}

/* Look the addresses of C up; C is empty then. */
static enum gsym_status flush(struct chunk *c, struct batch_answers *answers)
{
	enum gsym_status status = GSYM_OK;
	size_t done;

	for (size_t at = 0; at < c->count && status == GSYM_OK; at += done) {
		status = gsym_lookup_many(c->reader, c->addresses + at,
					  c->count - at, c->flags, c->frames,
					  c->capacity, c->first, &done);
		if (status == GSYM_OK)
			status = take_frames(c, at, done, answers);
	}
	c->count = 0;
	return status;
}

/* The COUNT runs at RUNS have the build ID whose file C reads. */
static enum gsym_status look_runs_up(struct gsym_batch *batch, struct chunk *c,
				     const struct batch_run *runs, size_t count,
				     struct batch_answers *answers)
{
	enum gsym_status status = GSYM_OK;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++) {
			size_t row = runs[i].first + j;

			c->rows[c->count] = (uint32_t)row;
			c->addresses[c->count] = batch->addresses.items[row];
			if (++c->count < CHUNK)
				continue;
			status = flush(c, answers);
			if (status != GSYM_OK)
				return status;
		}
	return flush(c, answers);
}

/* Give all rows of the COUNT runs at RUNS the status STATUS and no frames. */
static void fill_rows(const struct batch_run *runs, size_t count,
		      enum batch_status status, struct batch_answers *answers)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++)
			answers->rows[runs[i].first + j].status = status;
}

/* Answer the COUNT runs at RUNS, which have one build ID. */
static enum gsym_status answer(struct gsym_batch *batch, struct chunk *c,
			       const struct batch_run *runs, size_t count,
			       struct batch_answers *answers)
{
	const struct gsym_store_entry *entry;
	enum gsym_status status;

	if (!runs->id_size) {
		fill_rows(runs, count, BATCH_BAD_INPUT, answers);
		return GSYM_OK;
	}
	if (!gsym_vec_reserve(&answers->entries, 1))
		return GSYM_ERR_MEMORY;
	status = gsym_store_find(batch->store, runs->id, runs->id_size, &entry,
				 NULL);
	if (status == GSYM_NOT_FOUND || status == GSYM_ERR_IO) {
		fill_rows(runs, count,
			  status == GSYM_ERR_IO ? BATCH_UNREADABLE
						: BATCH_NO_FILE,
			  answers);
		return GSYM_OK;
	}
	if (status != GSYM_OK)
		return status;
	*gsym_vec_push(&answers->entries) = entry;
	c->reader = gsym_store_reader(entry);
	return look_runs_up(batch, c, runs, count, answers);
}

/* By build ID, then in the order in which they were added. */
static int compare_runs(const void *a, const void *b)
{
	const struct batch_run *x = a, *y = b;
	int order = GSYM_ORDER(x->id_size, y->id_size);

	if (!order)
		order = memcmp(x->id, y->id, x->id_size);
	return order ? order : GSYM_ORDER(x->first, y->first);
}

/* The number of runs of RUNS, of COUNT, that have the build ID of the first. */
static size_t same_id(const struct batch_run *runs, size_t count)
{
	size_t same = 1;

	while (same < count && runs[same].id_size == runs->id_size &&
	       !memcmp(runs[same].id, runs->id, runs->id_size))
		same++;
	return same;
}

/* Look the addresses of BATCH up; sorts the runs of BATCH by build ID.  The
 * caller calls answers_fini, whatever the result. */
static enum gsym_status look_up(struct gsym_batch *batch,
				struct batch_answers *answers,
				struct gsym_error *error)
{
	struct batch_run *runs = batch->runs.items;
	enum gsym_status status = GSYM_OK;
	struct chunk c = { 0 };

	answers->count = batch->addresses.count;
	answers->rows = calloc(answers->count + 1, sizeof(*answers->rows));
	if (!chunk_init(&c, answers->count, batch->flags) || !answers->rows)
		status = GSYM_ERR_MEMORY;
	gsym_vec_sort(&batch->runs, compare_runs);
	for (size_t i = 0; i < batch->runs.count && status == GSYM_OK;) {
		size_t count = same_id(runs + i, batch->runs.count - i);

		status = answer(batch, &c, runs + i, count, answers);
		i += count;
	}
	chunk_fini(&c);
	if (status == GSYM_ERR_MEMORY)
		return gsym_fail_memory(error);
	if (status != GSYM_OK)
		return gsym_fail(error, status, 0,
				 "the answers have more than 2^31-1 frames");
	return GSYM_OK;
}

/* Free ANSWERS, and end the use of their files. */
static void answers_fini(struct batch_answers *answers)
{
	for (size_t i = 0; i < answers->entries.count; i++)
		gsym_store_release(answers->entries.items[i]);
	gsym_vec_fini(&answers->entries);
	gsym_vec_fini(&answers->frames);
	free(answers->rows);
}

enum gsym_status gsym_batch_finish(struct gsym_batch *batch,
				   struct ArrowArray *array,
				   struct ArrowSchema *schema,
				   struct gsym_error *error)
{
	struct batch_answers answers = { 0 };
	struct ArrowSchema description;
	enum gsym_status status;

	if (!batch || !array || !schema)
		return gsym_fail_argument(error);
	if (!gsym_batch_make_schema(&description, batch->flags))
		return gsym_fail_memory(error);
	answers.most_text = batch->most_text;
	status = look_up(batch, &answers, error);
	if (status == GSYM_OK)
		status = gsym_batch_make_array(array, batch->flags, &answers,
					       error);
	answers_fini(&answers);
	if (status != GSYM_OK) {
		description.release(&description);
		return status;
	}
	*schema = description;
	empty(batch);
	return GSYM_OK;
}
