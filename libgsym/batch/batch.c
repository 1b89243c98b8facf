/* SPDX-License-Identifier: MIT */
/* A batch: collects addresses, and has them looked up and made columns. */
#include "batch/batch.h"

#include "base/error.h"

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
	run = gsym_vec_push(&batch->runs);
	*run = (struct batch_run){ (uint8_t *)copy, id_size, first, count };
	return true;
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
	status = gsym_batch_look_up(batch, &answers, error);
	if (status == GSYM_OK)
		status = gsym_batch_make_array(array, batch->flags, &answers,
					       error);
	gsym_batch_answers_fini(&answers);
	if (status != GSYM_OK) {
		description.release(&description);
		return status;
	}
	*schema = description;
	empty(batch);
	return GSYM_OK;
}
