/* SPDX-License-Identifier: MIT */
/*
 * Writes a file, piece by piece.  The function records come first: workers
 * encode chunks of records, and the chunks are put out in order.  Then come the
 * parts that precede the records in the file, because the table of address info
 * and the header need the sizes of the records.  Only a few pieces and the
 * address info are in memory at once.  The checksum comes last.
 */
#include "writer/state.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/pool.h"

#include <stdlib.h>

enum {
	CHUNK = 1024 /* records */,
	CHUNKS_PER_THREAD = 4,
	PIECE = 1 << 18 /* bytes of strings */,
	/* Bytes of the file after which memory is given back. */
	RELEASED = 64 << 20,
};

/* An encoded chunk, or a piece of the strings, that was not put out yet. */
struct slot {
	struct gsym_emit bytes;
	/* The offset of each record in BYTES. */
	size_t starts[CHUNK];
};

struct output {
	const struct gsym_builder *b;
	const struct gsym_build_options *options;
	struct gsym_error *error;
	struct w_records records;
	struct w_tables tables;
	struct gsym_layout layout;
	struct gsym_encode_tables encode;
	const struct w_pieces *pieces;
	/* The bytes that were put since memory was given back. */
	uint64_t unreleased;
	/* The error of PIECES, if it refused a piece. */
	enum gsym_status refused;
	bool swap;
	/* The file offset after the last record so far, and the table of
	 * address info of the records so far. */
	uint64_t end;
	struct gsym_emit info;
	/* The file offset after the last string so far. */
	uint64_t strings_end;
	struct slot *slots;
	size_t slot_count;
	/* For the checksum, see add_to_checksum; CRC is NULL without one. */
	struct gsym_crc32c *crc;
	uint32_t crc_state;
	uint64_t crc_end;
};

/* Add the SIZE bytes at BYTES, a piece at OFFSET, to the checksum.
 * O->crc_state is the state after the bytes up to O->crc_end, from state 0 on:
 * those of the pieces so far, and zeros between them. */
static void add_to_checksum(struct output *o, uint64_t offset,
			    const uint8_t *bytes, size_t size)
{
	uint32_t piece = gsym_crc32c_add(o->crc, 0, bytes, size);
	uint64_t end = offset + size;

	if (end > o->crc_end) {
		o->crc_state =
			gsym_crc32c_zeros(o->crc_state, end - o->crc_end);
		o->crc_end = end;
	}
	o->crc_state ^= gsym_crc32c_zeros(piece, o->crc_end - end);
}

/* Put BYTES, which may be none, out as the piece at OFFSET. */
static enum gsym_status write_piece(struct output *o, uint64_t offset,
				    const struct gsym_emit *bytes)
{
	enum gsym_status status;

	if (bytes->failed)
		return gsym_fail_memory(o->error);
	if (!bytes->size)
		return GSYM_OK;
	if (o->crc)
		add_to_checksum(o, offset, bytes->data, bytes->size);
	o->unreleased += bytes->size;
	if (o->unreleased > RELEASED) {
		w_release(o->b);
		o->unreleased = 0;
	}
	status = o->pieces->put(o->pieces->context, offset, bytes->data,
				bytes->size);
	if (status == GSYM_OK)
		return GSYM_OK;
	o->refused = status;
	return gsym_fail(o->error, status, offset,
			 "a piece of the file was not taken");
}

static enum gsym_status fail_limit(struct gsym_error *error, const char *what)
{
	return gsym_fail(error, GSYM_ERR_LIMIT, 0,
			 "%s; version 2 has room for them", what);
}

/* Choose the base address and the bytes of an address table entry. */
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

/* Give all parts of the file but the function records their offsets, and check
 * that they fit into the format. */
static enum gsym_status place_parts(struct output *o,
				    struct gsym_build_summary *summary)
{
	const struct w_limits *limits = &o->b->limits;
	struct gsym_layout *layout = &o->layout;
	struct gsym_extent *uuid = &layout->sections[GSYM_SECTION_UUID];
	struct gsym_extent *strings = &layout->sections[GSYM_SECTION_STRINGS];

	/* Both versions have counts of 32 bits. */
	if (o->records.count > limits->count ||
	    o->tables.file_count >= limits->count)
		return gsym_fail(o->error, GSYM_ERR_LIMIT, 0,
				 "more than 2^32 - 1 functions or files");
	choose_base(o);
	layout->version = w_version(o->options);
	layout->count = (uint32_t)o->records.count;
	layout->file_count = (uint32_t)o->tables.file_count + 1;
	strings->size = o->tables.string_bytes;
	uuid->size = o->b->uuid_size;
	if (layout->version == 1 && uuid->size > GSYM_V1_MAX_UUID_SIZE) {
		uuid->size = GSYM_V1_MAX_UUID_SIZE;
		summary->uuid_cut = true;
	}
	gsym_layout_place(layout);
	if (layout->version == 1 && strings->size > limits->offset)
		return fail_limit(o->error, "string table: more than 4 GiB");
	if (layout->version == 1 &&
	    layout->sections[GSYM_SECTION_FUNCTIONS].offset > limits->offset)
		return fail_limit(o->error,
				  "function records: after the first 4 GiB");
	o->encode = (struct gsym_encode_tables){
		o->tables.string_offsets, o->tables.file_indexes,
		layout->string_size
	};
	return GSYM_OK;
}

/* ---- records ----------------------------------------------------------- */

static enum gsym_status encode_chunk(void *context, size_t index,
				     unsigned worker)
{
	struct output *o = context;
	struct slot *slot = &o->slots[index % o->slot_count];
	size_t first = index * CHUNK, count = o->records.count - first;
	const struct gsym_shape *records = &o->records.items[first];

	(void)worker;
	if (count > CHUNK)
		count = CHUNK;
	slot->bytes.size = 0;
	slot->bytes.swap = o->swap;
	for (size_t i = 0; i < count; i++) {
		/* Each chunk is aligned in the file, so this aligns each
		 * record. */
		gsym_emit_align(&slot->bytes, 4);
		slot->starts[i] = slot->bytes.size;
		if (!gsym_encode_record(&slot->bytes, &records[i], &o->encode))
			return GSYM_ERR_LIMIT;
	}
	return slot->bytes.failed ? GSYM_ERR_MEMORY : GSYM_OK;
}

static enum gsym_status put_chunk(void *context, size_t index,
				  unsigned worker)
{
	struct output *o = context;
	struct slot *slot = &o->slots[index % o->slot_count];
	size_t first = index * CHUNK, count = o->records.count - first;
	uint64_t at = o->end, base = at - o->layout.info_base;

	(void)worker;
	if (count > CHUNK)
		count = CHUNK;
	if (o->layout.version == 1 &&
	    base + slot->starts[count - 1] > o->b->limits.offset)
		return GSYM_ERR_LIMIT;
	/* Nothing follows the last chunk. */
	if (first + count < o->records.count)
		gsym_emit_align(&slot->bytes, 4);
	for (size_t i = 0; i < count; i++)
		gsym_emit_uint(&o->info, base + slot->starts[i],
			       o->layout.info_size);
	if (slot->bytes.failed || o->info.failed)
		return GSYM_ERR_MEMORY;
	o->end += slot->bytes.size;
	return write_piece(o, at, &slot->bytes);
}

static enum gsym_status put_records(struct output *o)
{
	size_t chunks = (o->records.count + CHUNK - 1) / CHUNK;
	unsigned threads = gsym_pool_threads(o->options->threads, chunks);
	enum gsym_status status;

	o->end = o->layout.sections[GSYM_SECTION_FUNCTIONS].offset;
	o->info.swap = o->swap;
	o->slot_count = (size_t)threads * CHUNKS_PER_THREAD;
	o->slots = calloc(o->slot_count, sizeof(*o->slots));
	if (!o->slots)
		return gsym_fail_memory(o->error);
	status = gsym_pool_run(threads, chunks, o->slot_count, encode_chunk,
			       put_chunk, NULL, o);
	if (o->refused)
		return o->refused;
	if (status == GSYM_ERR_LIMIT && o->layout.version == 1)
		return fail_limit(o->error,
				  "function records: more than 4 GiB");
	if (status == GSYM_ERR_LIMIT)
		return gsym_fail(o->error, status, 0,
				 "function record: more than 4 GiB");
	return status == GSYM_OK ? GSYM_OK : gsym_fail_memory(o->error);
}

/* Put BYTES out as SECTION, and free them. */
static enum gsym_status put_section(struct output *o, enum gsym_section section,
				    struct gsym_emit *bytes)
{
	enum gsym_status status =
		write_piece(o, o->layout.sections[section].offset, bytes);

	gsym_emit_fini(bytes);
	return status;
}

/* ---- the parts before the records -------------------------------------- */

static enum gsym_status put_addresses(struct output *o)
{
	struct gsym_emit part = { .swap = o->swap };

	for (size_t i = 0; i < o->records.count; i++)
		gsym_emit_uint(&part,
			       o->records.items[i].start -
				       o->layout.base_address,
			       o->layout.address_size);
	return put_section(o, GSYM_SECTION_ADDRESSES, &part);
}

static enum gsym_status put_files(struct output *o)
{
	struct gsym_emit part = { .swap = o->swap };
	unsigned size = o->layout.string_size;

	gsym_emit_u32(&part, o->layout.file_count);
	gsym_emit_uint(&part, 0, size);
	gsym_emit_uint(&part, 0, size);
	for (size_t i = 0; i < o->tables.file_count; i++) {
		struct w_file file = w_file_of(o->b, o->tables.files[i]);

		gsym_emit_uint(&part, o->encode.strings[file.directory], size);
		gsym_emit_uint(&part, o->encode.strings[file.basename], size);
	}
	return put_section(o, GSYM_SECTION_FILES, &part);
}

/* The place in O->tables.strings of the first string that begins in piece INDEX
 * or a later one. */
static size_t first_string(const struct output *o, size_t index)
{
	return GSYM_FIRST(i, 0, o->tables.string_count,
			  o->encode.strings[o->tables.strings[i]] >=
				  (uint64_t)index * PIECE);
}

/* Copy the strings that begin in piece INDEX. */
static enum gsym_status copy_strings(void *context, size_t index,
				     unsigned worker)
{
	/* The entry of a string, and its text, are prefetched so many strings
	 * before the string is copied. */
	enum { ENTRY = 16, TEXT = 8 };
	struct output *o = context;
	struct gsym_emit *bytes = &o->slots[index % o->slot_count].bytes;
	size_t end = first_string(o, index + 1);
	const uint32_t *strings = o->tables.strings;

	(void)worker;
	bytes->size = 0;
	if (!index)
		gsym_emit_u8(bytes, 0);
	for (size_t i = first_string(o, index); i < end; i++) {
		const struct gsym_intern_entry *string =
			w_string(o->b, strings[i]);

		if (i + ENTRY < end) {
			__builtin_prefetch(w_string(o->b, strings[i + ENTRY]));
			__builtin_prefetch(w_text(o->b, strings[i + TEXT]));
		}
		gsym_emit_bytes(bytes, string->bytes,
				(size_t)string->length + 1);
	}
	return bytes->failed ? GSYM_ERR_MEMORY : GSYM_OK;
}

static enum gsym_status put_piece(void *context, size_t index, unsigned worker)
{
	struct output *o = context;
	const struct gsym_emit *bytes = &o->slots[index % o->slot_count].bytes;
	uint64_t at = o->strings_end;

	(void)worker;
	o->strings_end += bytes->size;
	return write_piece(o, at, bytes);
}

/* To be called when the records were put: their slots are used again. */
static enum gsym_status put_strings(struct output *o)
{
	enum gsym_status status;

	o->strings_end = o->layout.sections[GSYM_SECTION_STRINGS].offset;
	status = gsym_pool_run(
		o->options->threads,
		(size_t)((o->tables.string_bytes + PIECE - 1) / PIECE),
		o->slot_count, copy_strings, put_piece, NULL, o);
	if (o->refused)
		return o->refused;
	return status == GSYM_OK ? GSYM_OK : gsym_fail_memory(o->error);
}

static enum gsym_status put_header(struct output *o)
{
	struct gsym_emit header = { .swap = o->swap };
	struct gsym_extent *functions =
		&o->layout.sections[GSYM_SECTION_FUNCTIONS];

	functions->size = o->end - functions->offset;
	gsym_encode_header(&header, &o->layout, o->b->uuid);
	return put_section(o, GSYM_SECTION_HEADER, &header);
}

static enum gsym_status put_checksum(struct output *o)
{
	struct gsym_emit checksum = { .swap = o->swap };
	enum gsym_status status;
	uint64_t at = gsym_align_up(o->end, 4);
	uint32_t state = gsym_crc32c_zeros(o->crc_state, at - o->crc_end) ^
			 gsym_crc32c_zeros(UINT32_MAX, at);

	gsym_encode_checksum(&checksum, at, ~state);
	o->end = at + checksum.size;
	status = write_piece(o, at, &checksum);
	gsym_emit_fini(&checksum);
	return status;
}

/* ---- the whole file ---------------------------------------------------- */

static enum gsym_status write_all(struct output *o,
				  struct gsym_build_summary *summary)
{
	enum gsym_status status;

	if (o->options->checksum) {
		o->crc = malloc(sizeof(*o->crc));
		if (!o->crc)
			return gsym_fail_memory(o->error);
		gsym_crc32c_init(o->crc);
	}
	if (gsym_writer_make_tables(o->b, o->records, o->options->threads,
				    &o->tables, summary) != GSYM_OK)
		return gsym_fail_memory(o->error);
	if ((status = place_parts(o, summary)) ||
	    (status = put_records(o)) ||
	    (status = put_addresses(o)) ||
	    (status = put_section(o, GSYM_SECTION_ADDRESS_INFO, &o->info)) ||
	    (status = put_files(o)) ||
	    (status = put_strings(o)) ||
	    (status = put_header(o)))
		return status;
	return o->crc ? put_checksum(o) : GSYM_OK;
}

static void output_fini(struct output *o)
{
	for (size_t i = 0; o->slots && i < o->slot_count; i++)
		gsym_emit_fini(&o->slots[i].bytes);
	free(o->slots);
	free(o->crc);
	gsym_emit_fini(&o->info);
	gsym_writer_tables_fini(&o->tables);
}

enum gsym_status gsym_writer_lay_out(const struct gsym_builder *b,
				     const struct gsym_build_options *options,
				     struct w_records records,
				     const struct w_pieces *pieces,
				     uint64_t *size,
				     struct gsym_build_summary *summary,
				     struct gsym_error *error)
{
	struct output o = {
		.b = b,
		.options = options,
		.error = error,
		.records = records,
		.pieces = pieces,
		.swap = options->big_endian != GSYM_HOST_BIG_ENDIAN,
	};
	enum gsym_status status = write_all(&o, summary);

	*size = o.end;
	output_fini(&o);
	return status;
}
