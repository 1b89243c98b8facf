/* SPDX-License-Identifier: MIT */
/* reader/tables.c - the header, and single entries of the tables.  Knows
 * nothing of function records. */
#include "base/sized.h"
#include "reader/image.h"

enum gsym_status gsym_get_header_sized(const struct gsym_reader *reader,
				       struct gsym_header *ret,
				       size_t ret_size)
{
	const struct gsym_extent *uuid, *sum;
	struct gsym_header header;
	struct gsym_layout l;

	if (!reader || !ret ||
	    ret_size < GSYM_SIZE_THROUGH(struct gsym_header, sections))
		return GSYM_ERR_ARGUMENT;
	l = gsym_reader_layout(reader);
	uuid = &l.sections[GSYM_SECTION_UUID];
	sum = &l.sections[GSYM_SECTION_CHECKSUM];
	header = (struct gsym_header){
		.version = l.version,
		.big_endian = l.swap != GSYM_HOST_BIG_ENDIAN,
		.address_size = l.address_size,
		.string_offset_size = l.string_size,
		.base_address = l.base_address,
		.function_count = l.count,
		.file_count = l.file_count,
		.uuid = uuid->size ? l.data + uuid->offset : NULL,
		.uuid_size = (size_t)uuid->size,
		.image_offset = reader->image_offset,
		.image_size = l.size,
		.checksum = sum->size ? gsym_load_u32(l.data + sum->offset + 8,
						      l.swap)
				      : 0,
	};
	for (int i = 0; i < GSYM_SECTION_COUNT; i++) {
		header.sections[i].offset = l.sections[i].offset;
		header.sections[i].size = l.sections[i].size;
	}
	gsym_sized_copy(ret, ret_size, &header, sizeof(header));
	return GSYM_OK;
}

uint32_t gsym_function_count(const struct gsym_reader *reader)
{
	return reader ? reader->layout.count : 0;
}

uint64_t gsym_address_at(const struct gsym_reader *reader, uint32_t index)
{
	return reader && index < reader->layout.count ?
		       gsym_reader_start(reader, index) : 0;
}

enum gsym_status gsym_file_at(const struct gsym_reader *reader,
			      uint32_t index, const char **directory,
			      const char **basename)
{
	uint64_t dir, base;

	if (!reader || !directory || !basename)
		return GSYM_ERR_ARGUMENT;
	if (!gsym_layout_file(&reader->layout, index, &dir, &base)) {
		*directory = *basename = "";
		return GSYM_NOT_FOUND;
	}
	*directory = gsym_reader_string(reader, dir);
	*basename = gsym_reader_string(reader, base);
	return GSYM_OK;
}

const char *gsym_string_at(const struct gsym_reader *reader, uint64_t offset)
{
	return reader ? gsym_layout_string(&reader->layout, offset) : NULL;
}

bool gsym_uuid_matches(const uint8_t *a, size_t a_size, const uint8_t *b,
		       size_t b_size)
{
	size_t shorter = a_size < b_size ? a_size : b_size;

	if (!a || !b || !shorter || (a_size != b_size && shorter < 8))
		return false;
	return !memcmp(a, b, shorter);
}
