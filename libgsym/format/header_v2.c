/* SPDX-License-Identifier: MIT */
/* Reads headers and section directories of version 2. */
#include "format/header_v2.h"

#include "base/cursor.h"
#include "base/error.h"
#include "format/format.h"
#include "format/sections.h"

#include <inttypes.h>

/* The section that a directory entry of TYPE describes; GSYM_SECTION_HEADER
 * for an unknown TYPE. */
static enum gsym_section section_of(uint32_t type)
{
	switch (type) {
	case GSYM_V2_ADDRESSES:
		return GSYM_SECTION_ADDRESSES;
	case GSYM_V2_ADDRESS_INFO:
		return GSYM_SECTION_ADDRESS_INFO;
	case GSYM_V2_STRINGS:
		return GSYM_SECTION_STRINGS;
	case GSYM_V2_FILES:
		return GSYM_SECTION_FILES;
	case GSYM_V2_FUNCTIONS:
		return GSYM_SECTION_FUNCTIONS;
	case GSYM_V2_UUID:
		return GSYM_SECTION_UUID;
	}
	return GSYM_SECTION_HEADER;
}

static enum gsym_status read_fields(struct gsym_layout *l,
				    struct gsym_error *error)
{
	const uint8_t *p = l->data;

	if (l->size < GSYM_V2_HEADER_SIZE)
		return gsym_fail(error, GSYM_ERR_CORRUPT, l->size,
				 "header ends after %" PRIu64 " bytes of %d",
				 l->size, GSYM_V2_HEADER_SIZE);
	l->address_size = p[6];
	if (l->address_size == 0 || l->address_size > 8)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 6,
				 "header has the invalid address size %u",
				 l->address_size);
	if (l->address_size & (l->address_size - 1))
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 6,
				 "header has the unsupported address size %u",
				 l->address_size);
	if (p[7])
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 7,
				 "header has the unknown string encoding %u",
				 p[7]);
	l->base_address = gsym_load_u64(p + 8, l->swap);
	l->count = gsym_load_u32(p + 16, l->swap);
	l->sections[GSYM_SECTION_HEADER].size = GSYM_V2_HEADER_SIZE;
	return GSYM_OK;
}

/* Take a directory entry at offset AT.  Entries of unknown types are checked
 * and skipped. */
static enum gsym_status take_entry(struct gsym_layout *l, uint64_t at,
				   uint32_t type, struct gsym_extent extent,
				   struct gsym_error *error)
{
	enum gsym_section section = section_of(type);

	if (!extent.size)
		return gsym_fail(error, GSYM_ERR_CORRUPT, at,
				 "section directory entry of type %" PRIu32
				 " at offset 0x%" PRIx64 " is empty", type, at);
	if (extent.offset > l->size || extent.size > l->size - extent.offset)
		return gsym_fail(error, GSYM_ERR_CORRUPT, at,
				 "section directory entry of type %" PRIu32
				 " at offset 0x%" PRIx64
				 " reaches beyond the %" PRIu64
				 " bytes of data", type, at, l->size);
	if (section == GSYM_SECTION_HEADER)
		return GSYM_OK;
	if (l->sections[section].size)
		return gsym_fail(error, GSYM_ERR_CORRUPT, at,
				 "section directory entry at offset 0x%" PRIx64
				 " is a second %s", at,
				 gsym_section_name(section));
	l->sections[section] = extent;
	return GSYM_OK;
}

static enum gsym_status read_directory(struct gsym_layout *l,
				       struct gsym_error *error)
{
	struct gsym_cursor c = gsym_cursor_init(l->data, (size_t)l->size,
						l->swap);
	struct gsym_extent *directory = &l->sections[GSYM_SECTION_DIRECTORY];

	gsym_cursor_seek(&c, GSYM_V2_HEADER_SIZE);
	for (;;) {
		uint64_t at = gsym_cursor_offset(&c);
		uint32_t type = gsym_cursor_u32(&c);
		uint64_t offset = gsym_cursor_u64(&c);
		uint64_t size = gsym_cursor_u64(&c);

		if (c.failed)
			return gsym_fail(error, GSYM_ERR_CORRUPT, at,
					 "section directory has no end");
		if (type == GSYM_V2_END_OF_LIST)
			break;
		enum gsym_status status = take_entry(
			l, at, type, (struct gsym_extent){ offset, size },
			error);

		if (status != GSYM_OK)
			return status;
	}
	directory->offset = GSYM_V2_HEADER_SIZE;
	directory->size = gsym_cursor_offset(&c) - directory->offset;
	return GSYM_OK;
}

/* Check that SECTION holds an entry of WIDTH bytes for each function, and
 * nothing else. */
static enum gsym_status check_table(const struct gsym_layout *l,
				    enum gsym_section section, unsigned width,
				    struct gsym_error *error)
{
	const struct gsym_extent *e = &l->sections[section];

	if (e->size == (uint64_t)l->count * width)
		return GSYM_OK;
	return gsym_fail(error, GSYM_ERR_CORRUPT, e->offset,
			 "%s at offset 0x%" PRIx64 " has %" PRIu64
			 " bytes for %" PRIu32 " addresses",
			 gsym_section_name(section), e->offset, e->size,
			 l->count);
}

enum gsym_status gsym_header_v2_read(struct gsym_layout *l,
				     struct gsym_error *error)
{
	static const enum gsym_section required[] = {
		GSYM_SECTION_ADDRESSES, GSYM_SECTION_ADDRESS_INFO,
		GSYM_SECTION_STRINGS, GSYM_SECTION_FILES,
		GSYM_SECTION_FUNCTIONS,
	};
	enum gsym_status status;

	l->string_size = 8;
	l->info_size = 8;
	if ((status = read_fields(l, error)) ||
	    (status = read_directory(l, error)))
		return status;
	for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++)
		if (!l->sections[required[i]].size)
			return gsym_fail(error, GSYM_ERR_CORRUPT,
					 GSYM_V2_HEADER_SIZE,
					 "section directory has no %s",
					 gsym_section_name(required[i]));
	if ((status = check_table(l, GSYM_SECTION_ADDRESSES, l->address_size,
				  error)) ||
	    (status = check_table(l, GSYM_SECTION_ADDRESS_INFO, l->info_size,
				  error)) ||
	    (status = gsym_section_read_files(
		     l, l->sections[GSYM_SECTION_FILES].size, error)))
		return status;
	l->info_base = l->sections[GSYM_SECTION_FUNCTIONS].offset;
	l->info_end = l->info_base + l->sections[GSYM_SECTION_FUNCTIONS].size;
	return GSYM_OK;
}
