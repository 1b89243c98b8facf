/* SPDX-License-Identifier: MIT */
/* reader/checksum.c - compares the checksum of a file with its data. */
#include "base/crc32c.h"
#include "base/error.h"
#include "reader/image.h"

#include <inttypes.h>

enum gsym_status gsym_checksum(const struct gsym_reader *reader,
			       struct gsym_error *error)
{
	const struct gsym_extent *e;
	struct gsym_layout l;
	struct gsym_crc32c crc;
	uint64_t place, covered;
	uint32_t sum;

	if (!reader)
		return gsym_fail_argument(error);
	l = gsym_reader_layout(reader);
	e = &l.sections[GSYM_SECTION_CHECKSUM];
	place = reader->image_offset + e->offset;
	if (!e->size)
		return GSYM_NOT_FOUND;
	covered = gsym_load_u64(l.data + e->offset, l.swap);
	if (covered != e->offset)
		return gsym_fail(error, GSYM_ERR_CORRUPT, place,
				 "checksum at offset 0x%" PRIx64
				 " is that of %" PRIu64 " bytes, but %" PRIu64
				 " bytes are before it", place, covered,
				 e->offset);
	gsym_crc32c_init(&crc);
	sum = ~gsym_crc32c_add(&crc, UINT32_MAX, l.data, (size_t)covered);
	if (sum != gsym_load_u32(l.data + e->offset + 8, l.swap))
		return gsym_fail(error, GSYM_ERR_CORRUPT, place,
				 "checksum at offset 0x%" PRIx64
				 " is %08" PRIx32 ", but that of the data is "
				 "%08" PRIx32,
				 place,
				 gsym_load_u32(l.data + e->offset + 8, l.swap),
				 sum);
	return GSYM_OK;
}
