/* SPDX-License-Identifier: MIT */
/* Writes function records: inline trees, lists and merged functions; the header
 * of a file, in version 1 or 2, and the checksum.  Packs records into the
 * compact form, measures it and unpacks it. */
#include "format/encode.h"

/* Append NODE.  FIRST is the index in VIEW of its first range, BASE the offset
 * in the function that its ranges are relative to. */
static void encode_node(struct gsym_emit *out,
			const struct gsym_shape_inline *node,
			const struct gsym_shape_view *view, uint32_t first,
			uint32_t base, bool has_children,
			const struct gsym_encode_tables *tables)
{
	gsym_emit_uleb(out, node->range_count);
	for (uint32_t i = first; i < first + node->range_count; i++) {
		struct gsym_shape_range range = gsym_shape_range(view, i);

		gsym_emit_uleb(out, range.start - base);
		gsym_emit_uleb(out, range.size);
	}
	gsym_emit_u8(out, has_children);
	gsym_emit_uint(out, tables->strings[node->name], tables->string_size);
	gsym_emit_uleb(out, tables->files[node->call_file]);
	gsym_emit_uleb(out, node->call_line);
}

/* Append the inline tree of SHAPE.  VIEW is the view of its body. */
static void encode_inlines(struct gsym_emit *out,
			   const struct gsym_shape *shape,
			   const struct gsym_shape_view *view,
			   const struct gsym_encode_tables *tables)
{
	uint32_t count = shape->body->counts[GSYM_INLINES], range = 0;
	/* By level: the start of the first range of the parent, which the
	 * ranges of the level are relative to. */
	uint32_t base[GSYM_MAX_INLINE_DEPTH + 2];

	/* The root stands for the function itself and has no call site. */
	gsym_emit_uleb(out, 1);
	gsym_emit_uleb(out, 0);
	gsym_emit_uleb(out, shape->size);
	gsym_emit_u8(out, 1);
	gsym_emit_uint(out, tables->strings[shape->name], tables->string_size);
	gsym_emit_uleb(out, 0);
	gsym_emit_uleb(out, 0);
	base[1] = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct gsym_shape_inline node = gsym_shape_inline(view, i);
		uint32_t depth = node.depth;
		uint32_t next = i + 1 < count
					? gsym_shape_at(view, GSYM_INLINE_DEPTH,
							i + 1)
					: 0;

		encode_node(out, &node, view, range, base[depth], next > depth,
			    tables);
		base[depth + 1] = gsym_shape_at(view, GSYM_RANGE_START, range);
		range += node.range_count;
		/* A zero ends each list of siblings that ends here. */
		for (; depth > next; depth--)
			gsym_emit_u8(out, 0);
	}
}

/* Append number I of COLUMN of VIEW, which has SIZE bytes in the file; 0: those
 * of a string offset. */
static void encode_field(struct gsym_emit *out,
			 const struct gsym_shape_view *view,
			 enum gsym_column column, uint32_t i, unsigned size,
			 const struct gsym_encode_tables *tables)
{
	uint32_t number = gsym_shape_at(view, column, i);

	if (gsym_columns[column].meaning == GSYM_STRING)
		gsym_emit_uint(out, tables->strings[number],
			       tables->string_size);
	else
		gsym_emit_uint(out, gsym_columns[column].meaning == GSYM_FILE ?
					    tables->files[number] : number,
			       size);
}

static void encode_calls(struct gsym_emit *out,
			 const struct gsym_shape_body *body,
			 const struct gsym_shape_view *view,
			 const struct gsym_encode_tables *tables)
{
	uint32_t pattern = 0;

	gsym_emit_u32(out, body->counts[GSYM_CALLS]);
	for (uint32_t i = 0; i < body->counts[GSYM_CALLS]; i++) {
		uint32_t end =
			pattern + gsym_shape_at(view, GSYM_CALL_PATTERNS, i);

		encode_field(out, view, GSYM_CALL_OFFSET, i, 8, tables);
		encode_field(out, view, GSYM_CALL_FLAGS, i, 1, tables);
		encode_field(out, view, GSYM_CALL_PATTERNS, i, 4, tables);
		for (; pattern < end; pattern++)
			encode_field(out, view, GSYM_PATTERN, pattern, 0,
				     tables);
	}
}

/* Append room for a length, which end_length fills in once the bytes that it
 * counts were written.  Returns the offset of the first of them. */
static size_t begin_length(struct gsym_emit *out)
{
	gsym_emit_u32(out, 0);
	return out->size;
}

/* Fill in the length of the bytes from BEGIN to the end of OUT.  It fits into
 * 32 bits if that of the whole record does. */
static void end_length(struct gsym_emit *out, size_t begin)
{
	gsym_emit_patch_u32(out, begin - 4, (uint32_t)(out->size - begin));
}

static void encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			  const struct gsym_encode_tables *tables);

/* A merged function has no merged functions of its own, so the recursion is one
 * level deep. */
static void encode_merged(struct gsym_emit *out,
			  const struct gsym_shape_body *body,
			  const struct gsym_encode_tables *tables)
{
	gsym_emit_u32(out, body->merged_count);
	for (uint32_t i = 0; i < body->merged_count; i++) {
		size_t begin = begin_length(out);

		encode_record(out, &body->merged[i], tables);
		end_length(out, begin);
	}
}

/* Append the data of TYPE of SHAPE, whose body has such data. */
static void encode_data(struct gsym_emit *out, enum gsym_info type,
			const struct gsym_shape *shape,
			const struct gsym_shape_view *view,
			const struct gsym_encode_tables *tables)
{
	const struct gsym_shape_body *body = shape->body;

	switch (type) {
	case GSYM_INFO_LINES:
		gsym_encode_lines(out, view, body->counts[GSYM_ROWS],
				  tables->files);
		break;
	case GSYM_INFO_INLINES:
		encode_inlines(out, shape, view, tables);
		break;
	case GSYM_INFO_MERGED:
		encode_merged(out, body, tables);
		break;
	default:
		encode_calls(out, body, view, tables);
		break;
	}
}

/* The number of items of TYPE in BODY. */
static uint32_t count_of(const struct gsym_shape_body *body,
			 enum gsym_info type)
{
	return type == GSYM_INFO_LINES	   ? body->counts[GSYM_ROWS]
	       : type == GSYM_INFO_INLINES ? body->counts[GSYM_INLINES]
	       : type == GSYM_INFO_MERGED  ? body->merged_count
					   : body->counts[GSYM_CALLS];
}

static void encode_tuples(struct gsym_emit *out, const struct gsym_shape *shape,
			  const struct gsym_encode_tables *tables)
{
	struct gsym_shape_view view = gsym_shape_look(shape->body);

	for (enum gsym_info i = GSYM_INFO_LINES; i < GSYM_INFO_COUNT; i++) {
		size_t begin;

		if (!count_of(shape->body, i))
			continue;
		gsym_emit_u32(out, i);
		begin = begin_length(out);
		encode_data(out, i, shape, &view, tables);
		end_length(out, begin);
	}
}

static void encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			  const struct gsym_encode_tables *tables)
{
	gsym_emit_u32(out, shape->size);
	gsym_emit_uint(out, tables->strings[shape->name], tables->string_size);
	if (shape->body)
		encode_tuples(out, shape, tables);
	gsym_emit_u32(out, GSYM_INFO_END);
	gsym_emit_u32(out, 0);
}

bool gsym_encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			const struct gsym_encode_tables *tables)
{
	size_t begin = out->size;

	encode_record(out, shape, tables);
	return out->size - begin <= UINT32_MAX;
}

/* ---- the header ---------------------------------------------------------- */

static void encode_directory(struct gsym_emit *out, const struct gsym_layout *l)
{
	for (unsigned i = 0; i < GSYM_SECTION_COUNT; i++) {
		if (!gsym_layout_types[i] ||
		    (i == GSYM_SECTION_UUID && !l->sections[i].size))
			continue;
		gsym_emit_u32(out, gsym_layout_types[i]);
		gsym_emit_u64(out, l->sections[i].offset);
		gsym_emit_u64(out, l->sections[i].size);
	}
	/* The end of the list. */
	gsym_emit_u32(out, 0);
	gsym_emit_u64(out, 0);
	gsym_emit_u64(out, 0);
}

void gsym_encode_header(struct gsym_emit *out, const struct gsym_layout *l,
			const uint8_t *uuid)
{
	static const uint8_t zeros[GSYM_V1_MAX_UUID_SIZE];
	const struct gsym_extent *strings = &l->sections[GSYM_SECTION_STRINGS];
	size_t uuid_size = (size_t)l->sections[GSYM_SECTION_UUID].size;
	bool v1 = l->version == 1;

	gsym_emit_u32(out, GSYM_MAGIC);
	gsym_emit_u16(out, l->version);
	gsym_emit_u8(out, l->address_size);
	/* In version 2: strings end in NUL. */
	gsym_emit_u8(out, v1 ? (uint8_t)uuid_size : 0);
	gsym_emit_u64(out, l->base_address);
	gsym_emit_u32(out, l->count);
	if (v1) {
		gsym_emit_u32(out, (uint32_t)strings->offset);
		gsym_emit_u32(out, (uint32_t)strings->size);
	} else {
		encode_directory(out, l);
	}
	gsym_emit_bytes(out, uuid, uuid_size);
	if (v1)
		gsym_emit_bytes(out, zeros, sizeof(zeros) - uuid_size);
}

void gsym_encode_checksum(struct gsym_emit *out, uint64_t covered, uint32_t crc)
{
	gsym_emit_u64(out, covered);
	gsym_emit_u32(out, crc);
	gsym_emit_u32(out, GSYM_CHECKSUM_MAGIC);
}

/* ---- the compact form ---------------------------------------------------- */

/* Bytes of a number of COLUMN. */
static unsigned width_of(const struct gsym_shape_body *body, unsigned column)
{
	return (body->widths >> 2 * column & 3) + 1;
}

size_t gsym_shape_bytes(const struct gsym_shape_body *body)
{
	size_t bytes = GSYM_SHAPE_SLACK;

	for (unsigned i = 0; i < GSYM_COLUMNS; i++)
		bytes += (size_t)body->counts[gsym_columns[i].array] *
			 width_of(body, i);
	return bytes;
}

void gsym_shape_measure(struct gsym_shape_body *body, const uint32_t *words)
{
	unsigned column = 0;

	body->widths = 0;
	for (unsigned i = 0; i < GSYM_ARRAYS; i++) {
		size_t all = gsym_shape_array_words(body, i);
		unsigned fields = gsym_arrays[i].columns;

		for (unsigned k = 0; k < fields; k++, column++) {
			uint32_t bits = 0;

			for (size_t j = k; j < all; j += fields)
				bits |= words[j];
			body->widths |=
				(uint64_t)((bits > 0xff) + (bits > 0xffff) +
					   (bits > 0xffffff))
				<< 2 * column;
		}
		/* Without items WORDS may be NULL, and C does not define NULL
		 * + 0. */
		words = all ? words + all : words;
	}
}

void gsym_shape_pack(const struct gsym_shape_body *body, const uint32_t *words,
		     uint8_t *bytes)
{
	unsigned column = 0;

	for (unsigned i = 0; i < GSYM_ARRAYS; i++) {
		size_t all = gsym_shape_array_words(body, i);
		unsigned fields = gsym_arrays[i].columns;

		for (unsigned k = 0; k < fields; k++) {
			unsigned width = width_of(body, column++);

			/* Each store writes four bytes.  The next store
			 * overwrites the bytes beyond WIDTH; those of the last
			 * store are in the slack. */
			for (size_t j = k; j < all; j += fields, bytes += width)
				gsym_store_u32(bytes, words[j],
					       GSYM_HOST_BIG_ENDIAN);
		}
		words = all ? words + all : words;
	}
}

void gsym_shape_unpack(const struct gsym_shape_body *body, uint32_t *words)
{
	struct gsym_shape_view view = gsym_shape_look(body);
	unsigned column = 0;

	for (unsigned i = 0; i < GSYM_ARRAYS; i++) {
		unsigned fields = gsym_arrays[i].columns;

		for (unsigned k = 0; k < fields; k++, column++)
			for (uint32_t j = 0; j < body->counts[i]; j++)
				words[(size_t)j * fields + k] =
					gsym_shape_at(&view, column, j);
		words += (size_t)body->counts[i] * fields;
	}
}

struct gsym_shape_view gsym_shape_look(const struct gsym_shape_body *body)
{
	struct gsym_shape_view view;
	const uint8_t *bytes = body->bytes;
	unsigned column = 0;

	for (unsigned i = 0; i < GSYM_ARRAYS; i++) {
		/* A column without numbers is never read. */
		if (!body->counts[i]) {
			column += gsym_arrays[i].columns;
			continue;
		}
		for (unsigned k = 0; k < gsym_arrays[i].columns;
		     k++, column++) {
			unsigned width = width_of(body, column);

			view.columns[column].bytes = bytes;
			view.columns[column].width = width;
			view.columns[column].mask =
				UINT32_MAX >> 8 * (4 - width);
			bytes += (size_t)body->counts[i] * width;
		}
	}
	return view;
}
