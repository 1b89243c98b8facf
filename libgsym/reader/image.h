/* SPDX-License-Identifier: MIT */
/*
 * reader/image.h - the opened data: mapped or borrowed bytes, and the
 * layout that was found valid.  The handle is the one thing that the reader
 * allocates.  Knows nothing of frames.
 */
#ifndef GSYM_READER_IMAGE_H
#define GSYM_READER_IMAGE_H

#include "base/cursor.h"
#include "format/layout.h"

struct gsym_reader {
	struct gsym_layout layout;
	/** Where the image starts in the bytes that were opened. */
	uint64_t image_offset;
	/** What to unmap; NULL for borrowed bytes. */
	void *map;
	size_t map_size;
};

/** The place of the byte P of the image, as errors give it. */
static inline uint64_t gsym_reader_place(const struct gsym_reader *reader,
					 const uint8_t *p)
{
	return reader->image_offset + (uint64_t)(p - reader->layout.data);
}

/** A cursor over [OFFSET, OFFSET + SIZE) of the image, which holds it. */
static inline struct gsym_cursor gsym_reader_cursor(
	const struct gsym_reader *reader, uint64_t offset, uint64_t size)
{
	return gsym_cursor_init(reader->layout.data + offset, (size_t)size,
				reader->layout.swap);
}

/** A cursor over the record of entry INDEX (below the count), up to where
 *  records have to end; false if it does not even start there. */
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

/** The start address of entry INDEX (below the count). */
static inline uint64_t gsym_reader_start(const struct gsym_reader *reader,
					 uint32_t index)
{
	return reader->layout.base_address +
	       gsym_layout_start(&reader->layout, index);
}

/** The string at OFFSET; "" if there is none. */
static inline const char *gsym_reader_string(const struct gsym_reader *reader,
					     uint64_t offset)
{
	const char *s = gsym_layout_string(&reader->layout, offset);

	return s ? s : "";
}

#endif
