/* SPDX-License-Identifier: MIT */
/*
 * reader/image.h - the handle of an open file: its bytes, which are mapped,
 * copied or borrowed, and their layout.  The reader allocates the handle and
 * the copy, and nothing else.  Knows nothing of frames.
 */
#ifndef GSYM_READER_IMAGE_H
#define GSYM_READER_IMAGE_H

#include "base/cursor.h"
#include "format/layout.h"

struct gsym_reader {
	struct gsym_layout layout; /**< without the checksum */
	/** Offset of the image in the file or memory that was opened; not 0
	 *  for an ELF file. */
	uint64_t image_offset;
	/** The mapping to remove on closing; NULL for other bytes. */
	void *map;
	size_t map_size;
	/** The bytes to free on closing; NULL for other bytes. */
	void *copy;
};

/** The layout of the image with its checksum, which opening does not find. */
struct gsym_layout gsym_reader_layout(const struct gsym_reader *reader);

/** The offset of the byte at P, which is in the image, from the start of the
 *  file: the offset that errors name. */
static inline uint64_t gsym_reader_place(const struct gsym_reader *reader,
					 const uint8_t *p)
{
	return reader->image_offset + (uint64_t)(p - reader->layout.data);
}

/** A cursor over the SIZE bytes at OFFSET of the image.  They have to lie
 *  within it. */
static inline struct gsym_cursor gsym_reader_cursor(
	const struct gsym_reader *reader, uint64_t offset, uint64_t size)
{
	return gsym_cursor_init(reader->layout.data + offset, (size_t)size,
				reader->layout.swap);
}

/** Set RET to a cursor from the start of record INDEX (below the count) to the
 *  last byte that a record may have.  Returns false if the record starts
 *  beyond that byte. */
static inline bool gsym_reader_record(const struct gsym_reader *reader,
				      uint32_t index, struct gsym_cursor *ret)
{
	const struct gsym_layout *l = &reader->layout;
	uint64_t at = gsym_layout_record(l, index);

	if (at >= l->info_end)
		return false;
	*ret = gsym_reader_cursor(reader, at, l->info_end - at);
	return true;
}

/** The start address of function INDEX (below the count). */
static inline uint64_t gsym_reader_start(const struct gsym_reader *reader,
					 uint32_t index)
{
	return reader->layout.base_address +
	       gsym_layout_start(&reader->layout, index);
}

/** The string at OFFSET of the string table; "" beyond the table. */
static inline const char *gsym_reader_string(const struct gsym_reader *reader,
					     uint64_t offset)
{
	const char *s = gsym_layout_string(&reader->layout, offset);

	return s ? s : "";
}

#endif
