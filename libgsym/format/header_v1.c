/* SPDX-License-Identifier: MIT */
/* Reads headers of version 1. */
#include "format/header_v1.h"

#include "base/error.h"
#include "format/format.h"
#include "format/sections.h"

#include <inttypes.h>

/* Read the fields of the header.  Sums of them cannot overflow 64 bits: sizes
 * and offsets have 32 bits. */
static enum gsym_status read_fields(struct gsym_layout *l,
				    struct gsym_error *error)
{
	const uint8_t *p = l->data;
	unsigned uuid_size;

	if (l->size < GSYM_V1_HEADER_SIZE)
		return gsym_fail(error, GSYM_ERR_CORRUPT, l->size,
				 "header ends after %" PRIu64 " bytes of %d",
				 l->size, GSYM_V1_HEADER_SIZE);
	l->address_size = p[6];
	if (l->address_size != 1 && l->address_size != 2 &&
	    l->address_size != 4 && l->address_size != 8)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 6,
				 "header has the invalid address size %u",
				 l->address_size);
	uuid_size = p[7];
	if (uuid_size > GSYM_V1_MAX_UUID_SIZE)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 7,
				 "header has the invalid uuid size %u",
				 uuid_size);
	if (uuid_size)
		l->sections[GSYM_SECTION_UUID] =
			(struct gsym_extent){ 28, uuid_size };
	l->base_address = gsym_load_u64(p + 8, l->swap);
	l->count = gsym_load_u32(p + 16, l->swap);
	l->sections[GSYM_SECTION_HEADER].size = GSYM_V1_HEADER_SIZE;
	l->sections[GSYM_SECTION_STRINGS] = (struct gsym_extent){
		gsym_load_u32(p + 20, l->swap), gsym_load_u32(p + 24, l->swap)
	};
	return GSYM_OK;
}

/* Guess where the function records are: version 1 does not say.  They follow
 * the string table, unless the gap between file table and string table is
 * larger than the rest of the file: some writers put the strings last.  The
 * checksum is no part of them. */
static void place_functions(struct gsym_layout *l)
{
	const struct gsym_extent *files = &l->sections[GSYM_SECTION_FILES];
	const struct gsym_extent *strings = &l->sections[GSYM_SECTION_STRINGS];
	struct gsym_extent *functions = &l->sections[GSYM_SECTION_FUNCTIONS];
	uint64_t front = gsym_align_up(files->offset + files->size, 4);
	uint64_t back = gsym_align_up(strings->offset + strings->size, 4);
	uint64_t between = 0;

	if (front < strings->offset)
		between = strings->offset - front;
	if (back < front)
		back = front;
	if (back < l->info_end && l->info_end - back >= between)
		*functions = (struct gsym_extent){ back, l->info_end - back };
	else if (between)
		*functions = (struct gsym_extent){ front, between };
}

enum gsym_status gsym_header_v1_read(struct gsym_layout *l,
				     struct gsym_error *error)
{
	struct gsym_extent *addresses = &l->sections[GSYM_SECTION_ADDRESSES];
	struct gsym_extent *info = &l->sections[GSYM_SECTION_ADDRESS_INFO];
	struct gsym_extent *files = &l->sections[GSYM_SECTION_FILES];
	enum gsym_status status;

	l->string_size = 4;
	l->info_size = 4;
	l->info_base = 0;
	l->info_end = l->size - l->sections[GSYM_SECTION_CHECKSUM].size;
	status = read_fields(l, error);
	if (status != GSYM_OK)
		return status;
	addresses->offset = gsym_align_up(GSYM_V1_HEADER_SIZE,
					  l->address_size);
	addresses->size = (uint64_t)l->count * l->address_size;
	info->offset = gsym_align_up(addresses->offset + addresses->size, 4);
	info->size = (uint64_t)l->count * l->info_size;
	files->offset = gsym_align_up(info->offset + info->size, 4);
	files->size = 4; /* the count; gsym_section_read_files adds the rest */
	if ((status = gsym_section_check(l, GSYM_SECTION_ADDRESSES, error)) ||
	    (status = gsym_section_check(l, GSYM_SECTION_ADDRESS_INFO,
					 error)) ||
	    (status = gsym_section_check(l, GSYM_SECTION_FILES, error)) ||
	    (status = gsym_section_read_files(l, l->size - files->offset,
					      error)) ||
	    (status = gsym_section_check(l, GSYM_SECTION_STRINGS, error)))
		return status;
	place_functions(l);
	return GSYM_OK;
}
