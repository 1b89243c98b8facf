/* SPDX-License-Identifier: MIT */
/* Makes and frees a builder; adds strings and files; makes a sink of a
 * builder. */
#include "writer/state.h"

#include "base/prefetch.h"
#include "base/sized.h"

#include <stdlib.h>
#include <string.h>

static bool intern_file(struct gsym_builder *b, struct w_file file,
			uint32_t *number)
{
	char bytes[sizeof(file)];

	memcpy(bytes, &file, sizeof(file));
	return gsym_intern_add(&b->files, bytes, sizeof(bytes), number);
}

struct gsym_builder *gsym_builder_new(void)
{
	struct gsym_builder *b = calloc(1, sizeof(*b));
	uint32_t number;

	if (!b)
		return NULL;
	b->limits = (struct w_limits){ UINT32_MAX, UINT32_MAX,
				       (uint64_t)1 << 30 };
	/* The first strings and files get the numbers W_STRING_* and
	 * W_FILE_*. */
	if (!gsym_intern_add(&b->strings, "", 0, &number) ||
	    !gsym_intern_add(&b->strings, "??", 2, &number) ||
	    !intern_file(b, (struct w_file){ 0, 0 }, &number) ||
	    !intern_file(b, (struct w_file){ 0, W_STRING_UNKNOWN }, &number)) {
		gsym_builder_free(b);
		return NULL;
	}
	return b;
}

void gsym_builder_free(struct gsym_builder *b)
{
	if (!b)
		return;
	gsym_intern_fini(&b->strings);
	gsym_intern_fini(&b->files);
	gsym_arena_fini(&b->arena);
	gsym_vec_fini(&b->records);
	gsym_vec_fini(&b->loose);
	gsym_vec_fini(&b->calls);
	gsym_vec_fini(&b->scratch);
	free(b->uuid);
	free(b);
}

enum gsym_status gsym_builder_string(struct gsym_builder *b, const char *bytes,
				     size_t length, uint32_t *number)
{
	if (!b || !number || b->finished ||
	    (length && (!bytes || memchr(bytes, 0, length))))
		return GSYM_ERR_ARGUMENT;
	if (!gsym_intern_add(&b->strings, length ? bytes : "", length, number))
		return GSYM_ERR_MEMORY;
	return GSYM_OK;
}

enum gsym_status gsym_builder_file(struct gsym_builder *b, uint32_t directory,
				   uint32_t basename, uint32_t *number)
{
	if (!b || !number || b->finished || directory >= b->strings.count ||
	    basename >= b->strings.count)
		return GSYM_ERR_ARGUMENT;
	if (!intern_file(b, (struct w_file){ directory, basename }, number))
		return GSYM_ERR_MEMORY;
	/* For callers the number of this file is GSYM_FILE_UNKNOWN. */
	if (*number == W_FILE_UNKNOWN)
		*number = GSYM_FILE_UNKNOWN;
	return GSYM_OK;
}

enum gsym_status gsym_builder_set_uuid(struct gsym_builder *b,
				       const uint8_t *uuid, size_t size)
{
	uint8_t *copy = NULL;

	if (!b || (!uuid && size))
		return GSYM_ERR_ARGUMENT;
	if (size) {
		copy = malloc(size);
		if (!copy)
			return GSYM_ERR_MEMORY;
		memcpy(copy, uuid, size);
	}
	free(b->uuid);
	b->uuid = copy;
	b->uuid_size = size;
	return GSYM_OK;
}

void gsym_builder_set_base(struct gsym_builder *b, uint64_t base)
{
	if (!b)
		return;
	b->base = base;
	b->has_base = true;
}

static enum gsym_status sink_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	return gsym_builder_string(self, bytes, length, number);
}

/* The slots of neighbouring strings lie far apart in a large hash table, and so
 * do the entries and bytes of strings that are there already: each is fetched
 * into the cache some strings before it is used. */
static void fetch(const struct gsym_intern *strings, uint32_t hash, bool bytes)
{
	const struct gsym_intern_entry *entry =
		gsym_intern_guess(strings, hash);

	if (entry && bytes)
		gsym_prefetch_text(entry->bytes);
	else if (entry)
		__builtin_prefetch(entry);
}

static enum gsym_status sink_strings(void *self, const struct gsym_text *texts,
				     size_t count, uint32_t *numbers)
{
	enum { STEP = 8, AHEAD = 3 * STEP };
	struct gsym_builder *b = self;
	uint32_t hashes[AHEAD];

	if (b->finished)
		return GSYM_ERR_ARGUMENT;
	for (size_t i = 0; i < count + AHEAD; i++) {
		uint32_t *hash = &hashes[i % AHEAD];

		if (i >= STEP && i - STEP < count)
			fetch(&b->strings, hashes[(i - STEP) % AHEAD], false);
		if (i >= 2 * STEP && i - 2 * STEP < count)
			fetch(&b->strings, hashes[(i - 2 * STEP) % AHEAD],
			      true);
		if (i >= AHEAD &&
		    !gsym_intern_add_hashed(&b->strings,
					    texts[i - AHEAD].bytes,
					    texts[i - AHEAD].length, *hash,
					    &numbers[i - AHEAD]))
			return GSYM_ERR_MEMORY;
		if (i >= count)
			continue;
		if (memchr(texts[i].bytes, 0, texts[i].length))
			return GSYM_ERR_ARGUMENT;
		*hash = gsym_intern_hash(&b->strings, texts[i].bytes,
					 texts[i].length);
		gsym_intern_expect(&b->strings, *hash);
	}
	return GSYM_OK;
}

static enum gsym_status sink_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	return gsym_builder_file(self, directory, basename, number);
}

static enum gsym_status sink_record(void *self,
				    const struct gsym_record *record,
				    size_t size)
{
	return gsym_builder_record_sized(self, record, size);
}

static enum gsym_status sink_loose_rows(void *self, struct gsym_range range,
					const struct gsym_loose_row *rows,
					size_t count)
{
	return gsym_builder_loose_rows(self, range, rows, count);
}

enum gsym_status gsym_builder_sink_sized(struct gsym_builder *b,
					 struct gsym_sink *ret,
					 size_t ret_size)
{
	const struct gsym_sink sink = { b, sink_string, sink_file, sink_record,
					sink_loose_rows, sink_strings };

	if (!b || !ret ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_sink, strings))
		return GSYM_ERR_ARGUMENT;
	gsym_sized_copy(ret, ret_size, &sink, sizeof(sink));
	return GSYM_OK;
}
