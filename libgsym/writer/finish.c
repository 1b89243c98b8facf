/* SPDX-License-Identifier: MIT */
/* The bytes of the file: tables first, then the records, which workers
 * encode in chunks that are put one behind the other. */
#include "writer/state.h"

#include "base/error.h"
#include "base/pool.h"
#include "format/encode_header.h"
#include "format/encode_record.h"
#include "format/format.h"

#include <stdlib.h>

enum { CHUNK = 256 /* records */, WINDOW_PER_THREAD = 4 };

/* A chunk between its encoding and its place in the file. */
struct slot {
	struct gsym_emit bytes;
	/* Where each record starts in it. */
	size_t starts[CHUNK];
};

struct output {
	const struct gsym_builder *b;
	const struct gsym_build_options *options;
	struct gsym_error *error;
	/* Some records in a row. */
	struct {
		const struct gsym_shape *items;
		size_t count;
	} records;
	struct w_tables tables;
	struct gsym_encode_layout layout;
	struct gsym_encode_tables encode;
	struct gsym_emit bytes;
	struct slot *slots;
	size_t slot_count;
};

static enum gsym_status fail_limit(struct gsym_error *error, const char *what)
{
	return gsym_fail(error, GSYM_ERR_LIMIT, 0,
			 "%s; version 2 has room for them", what);
}

/* The address table: what it counts from, and the bytes of an entry. */
static void choose_base(struct output *o)
{
	const struct gsym_shape *records = o->records.items;
	uint64_t base = records[0].start, span;

	if (o->b->has_base && o->b->base < base)
		base = o->b->base;
	span = records[o->records.count - 1].start - base;
	o->layout.base_address = base;
	o->layout.address_size = span <= UINT8_MAX    ? 1
				 : span <= UINT16_MAX ? 2
				 : span <= UINT32_MAX ? 4
						      : 8;
}

/* Everything but the records is known: check it and give it its place. */
static enum gsym_status place(struct output *o,
			      struct gsym_build_summary *summary)
{
	const struct w_limits *limits = &o->b->limits;
	struct gsym_encode_layout *layout = &o->layout;

	/* Both versions count in 32 bits. */
	if (o->records.count > limits->count ||
	    o->tables.file_count >= limits->count)
		return gsym_fail(o->error, GSYM_ERR_LIMIT, 0,
				 "more than 2^32 - 1 functions or files");
	choose_base(o);
	layout->version = o->options->version == 2 ? 2 : 1;
	layout->address_count = (uint32_t)o->records.count;
	layout->file_count = o->tables.file_count + 1;
	layout->string_bytes = o->tables.string_bytes;
	layout->uuid = o->b->uuid;
	layout->uuid_size = o->b->uuid_size;
	if (layout->version == 1 && layout->uuid_size > GSYM_V1_MAX_UUID_SIZE) {
		layout->uuid_size = GSYM_V1_MAX_UUID_SIZE;
		summary->uuid_cut = true;
	}
	gsym_encode_place(layout);
	if (layout->version == 1 && layout->string_bytes > limits->offset)
		return fail_limit(o->error, "string table: more than 4 GiB");
	if (layout->version == 1 && layout->functions > limits->offset)
		return fail_limit(o->error,
				  "function records: behind the first 4 GiB");
	if (layout->functions > SIZE_MAX / 4)
		return gsym_fail_memory(o->error);
	o->encode = (struct gsym_encode_tables){
		o->tables.string_offsets, o->tables.file_indexes,
		layout->string_size
	};
	return GSYM_OK;
}

/* Addresses, files and strings, and zeros where the rest will be. */
static enum gsym_status put_tables(struct output *o)
{
	const struct gsym_encode_layout *layout = &o->layout;
	uint8_t *front = gsym_emit_reserve(&o->bytes, layout->functions);
	struct gsym_emit part = { .swap = o->bytes.swap };
	bool failed;

	if (!front)
		return gsym_fail_memory(o->error);
	memset(front, 0, layout->functions);
	for (size_t i = 0; i < o->records.count; i++)
		gsym_emit_uint(&part,
			       o->records.items[i].start - layout->base_address,
			       layout->address_size);
	if (part.failed)
		goto out;
	memcpy(front + layout->addresses, part.data, part.size);

	part.size = 0;
	gsym_emit_u32(&part, (uint32_t)layout->file_count);
	gsym_emit_uint(&part, 0, layout->string_size);
	gsym_emit_uint(&part, 0, layout->string_size);
	for (size_t i = 0; i < o->tables.file_count; i++) {
		struct w_file file = w_file_of(o->b, o->tables.files[i]);

		gsym_emit_uint(&part, o->encode.strings[file.directory],
			       layout->string_size);
		gsym_emit_uint(&part, o->encode.strings[file.basename],
			       layout->string_size);
	}
	if (part.failed)
		goto out;
	memcpy(front + layout->files, part.data, part.size);
	gsym_writer_put_strings(o->b, &o->tables, front + layout->strings);
out:
	failed = part.failed;
	gsym_emit_fini(&part);
	return failed ? gsym_fail_memory(o->error) : GSYM_OK;
}

static enum gsym_status encode_chunk(void *context, size_t index,
				     unsigned worker)
{
	struct output *o = context;
	struct slot *slot = &o->slots[index % o->slot_count];
	size_t first = index * CHUNK, count = o->records.count - first;

	(void)worker;
	if (count > CHUNK)
		count = CHUNK;
	slot->bytes.size = 0;
	slot->bytes.swap = o->bytes.swap;
	for (size_t i = 0; i < count; i++) {
		/* Chunks begin aligned, so that this aligns in the file. */
		gsym_emit_align(&slot->bytes, 4);
		slot->starts[i] = slot->bytes.size;
		if (!gsym_encode_record(&slot->bytes,
					&o->records.items[first + i],
					&o->encode))
			return GSYM_ERR_LIMIT;
	}
	return slot->bytes.failed ? GSYM_ERR_MEMORY : GSYM_OK;
}

static enum gsym_status append_chunk(void *context, size_t index,
				     unsigned worker)
{
	struct output *o = context;
	struct slot *slot = &o->slots[index % o->slot_count];
	size_t first = index * CHUNK, count = o->records.count - first;
	uint8_t *info;
	uint64_t base;

	(void)worker;
	if (count > CHUNK)
		count = CHUNK;
	gsym_emit_align(&o->bytes, 4);
	base = o->bytes.size - o->layout.info_base;
	if (o->layout.version == 1 &&
	    base + slot->starts[count - 1] > o->b->limits.offset)
		return GSYM_ERR_LIMIT;
	gsym_emit_bytes(&o->bytes, slot->bytes.data, slot->bytes.size);
	if (o->bytes.failed)
		return GSYM_ERR_MEMORY;
	info = o->bytes.data + o->layout.address_info +
	       first * o->layout.info_size;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = base + slot->starts[i];

		if (o->layout.version == 1)
			gsym_store_u32(info + i * 4, (uint32_t)at,
				       o->bytes.swap);
		else
			gsym_store_u64(info + i * 8, at, o->bytes.swap);
	}
	return GSYM_OK;
}

static enum gsym_status put_records(struct output *o)
{
	unsigned threads = o->options->threads ? o->options->threads : 1;
	size_t chunks = (o->records.count + CHUNK - 1) / CHUNK;
	enum gsym_status status;

	o->slot_count = threads < chunks ? threads : chunks;
	o->slot_count *= WINDOW_PER_THREAD;
	o->slots = calloc(o->slot_count, sizeof(*o->slots));
	if (!o->slots)
		return gsym_fail_memory(o->error);
	status = gsym_pool_run(threads, chunks, o->slot_count, encode_chunk,
			       append_chunk, o);
	if (status == GSYM_ERR_LIMIT && o->layout.version == 1)
		return fail_limit(o->error, "function records: more than 4 GiB");
	if (status == GSYM_ERR_LIMIT)
		return gsym_fail(o->error, status, 0,
				 "function record: more than 4 GiB");
	return status == GSYM_OK ? GSYM_OK : gsym_fail_memory(o->error);
}

static enum gsym_status put_header(struct output *o)
{
	struct gsym_emit header = { .swap = o->bytes.swap };

	o->layout.function_bytes = o->bytes.size - o->layout.functions;
	gsym_encode_header(&header, &o->layout);
	if (header.failed) {
		gsym_emit_fini(&header);
		return gsym_fail_memory(o->error);
	}
	memcpy(o->bytes.data, header.data, header.size);
	gsym_emit_fini(&header);
	return GSYM_OK;
}

/* Room for about as many bytes as there will be with ROWS and CALLS, so that
 * they need not be moved.  What is too much is never touched. */
static void make_room(struct output *o, uint64_t rows, uint64_t calls)
{
	uint64_t size = o->layout.functions + o->records.count * 24 +
			rows * 6 + calls * 24;

	if (size < SIZE_MAX / 4)
		gsym_emit_grow(&o->bytes, size);
}

static enum gsym_status write_all(struct output *o,
				  struct gsym_build_summary *summary)
{
	uint64_t rows = summary->rows, calls = summary->inlined_calls;
	enum gsym_status status;

	if (gsym_writer_make_tables(o->b, o->records.items, o->records.count,
				    &o->tables, summary) != GSYM_OK)
		return gsym_fail_memory(o->error);
	status = place(o, summary);
	if (status == GSYM_OK) {
		make_room(o, summary->rows - rows,
			  summary->inlined_calls - calls);
		status = put_tables(o);
	}
	if (status == GSYM_OK)
		status = put_records(o);
	if (status == GSYM_OK)
		status = put_header(o);
	return status;
}

static void output_fini(struct output *o)
{
	for (size_t i = 0; o->slots && i < o->slot_count; i++)
		gsym_emit_fini(&o->slots[i].bytes);
	free(o->slots);
	gsym_emit_fini(&o->bytes);
	gsym_writer_tables_fini(&o->tables);
}

enum gsym_status gsym_writer_lay_out(const struct gsym_builder *b,
				     const struct gsym_build_options *options,
				     const struct gsym_shape *records,
				     size_t count, uint8_t **bytes,
				     size_t *size,
				     struct gsym_build_summary *summary,
				     struct gsym_error *error)
{
	struct output o = {
		.b = b,
		.options = options,
		.error = error,
		.records = { records, count },
	};
	enum gsym_status status;
	uint8_t *fitting;

	o.bytes.swap = options->big_endian != GSYM_HOST_BIG_ENDIAN;
	status = write_all(&o, summary);
	if (status == GSYM_OK) {
		/* Give back what growing ahead took; the bytes stay good if
		 * that fails. */
		fitting = realloc(o.bytes.data, o.bytes.size);
		*bytes = fitting ? fitting : o.bytes.data;
		*size = o.bytes.size;
		o.bytes = (struct gsym_emit){ 0 };
	}
	output_fini(&o);
	return status;
}

enum gsym_status gsym_writer_end(struct gsym_builder *b,
				 const struct gsym_build_options *options,
				 struct w_shapes *records,
				 struct gsym_build_summary *summary,
				 struct gsym_error *error)
{
	enum gsym_status status;

	if (b->finished)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "the builder is used up");
	if (options->version > 2)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "there is no version %u", options->version);
	b->finished = true;
	status = gsym_writer_settle(b, options, records, summary, error);
	if (status == GSYM_OK && !records->count)
		status = GSYM_NOT_FOUND;
	if (status == GSYM_OK)
		status = gsym_writer_place_calls(b, records, error);
	return status;
}

enum gsym_status gsym_builder_finish(struct gsym_builder *b,
				     const struct gsym_build_options *options,
				     uint8_t **bytes, size_t *size,
				     struct gsym_build_summary *summary,
				     struct gsym_error *error)
{
	static const struct gsym_build_options defaults;
	struct gsym_build_summary counts = { 0 };
	struct w_shapes records = { 0 };
	enum gsym_status status;

	if (!options)
		options = &defaults;
	status = gsym_writer_end(b, options, &records, &counts, error);
	if (status == GSYM_OK)
		status = gsym_writer_lay_out(b, options, records.items,
					     records.count, bytes, size,
					     &counts, error);
	gsym_vec_fini(&records);
	if (status == GSYM_OK && summary)
		*summary = counts;
	return status;
}
