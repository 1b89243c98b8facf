/* SPDX-License-Identifier: MIT */
/*
 * Names the sections of an image, checks that a section lies within the image,
 * and measures the file table.
 */
#include "format/sections.h"

#include "base/error.h"

#include <inttypes.h>

const char *gsym_section_name(enum gsym_section section)
{
	static const char *const names[GSYM_SECTION_COUNT] = {
		[GSYM_SECTION_HEADER] = "header",
		[GSYM_SECTION_DIRECTORY] = "section directory",
		[GSYM_SECTION_UUID] = "uuid",
		[GSYM_SECTION_ADDRESSES] = "address table",
		[GSYM_SECTION_ADDRESS_INFO] = "address info table",
		[GSYM_SECTION_FILES] = "file table",
		[GSYM_SECTION_STRINGS] = "string table",
		[GSYM_SECTION_FUNCTIONS] = "function records",
		[GSYM_SECTION_CHECKSUM] = "checksum",
	};

	return names[section];
}

enum gsym_status gsym_section_check(const struct gsym_layout *l,
				    enum gsym_section section,
				    struct gsym_error *error)
{
	const struct gsym_extent *e = &l->sections[section];

	if (e->offset <= l->size && e->size <= l->size - e->offset)
		return GSYM_OK;
	return gsym_fail(error, GSYM_ERR_CORRUPT,
			 e->offset < l->size ? e->offset : l->size,
			 "%s at offset 0x%" PRIx64 " with %" PRIu64
			 " bytes reaches beyond the %" PRIu64 " bytes of data",
			 gsym_section_name(section), e->offset, e->size,
			 l->size);
}

enum gsym_status gsym_section_read_files(struct gsym_layout *l,
					 uint64_t available,
					 struct gsym_error *error)
{
	struct gsym_extent *e = &l->sections[GSYM_SECTION_FILES];
	unsigned entry = 2u * l->string_size;

	if (available < 4)
		return gsym_fail(error, GSYM_ERR_CORRUPT, e->offset,
				 "file table at offset 0x%" PRIx64
				 " has no room for its count", e->offset);
	l->file_count = gsym_load_u32(l->data + e->offset, l->swap);
	if (l->file_count > (available - 4) / entry)
		return gsym_fail(error, GSYM_ERR_CORRUPT, e->offset,
				 "file table at offset 0x%" PRIx64
				 " has no room for its %" PRIu32 " files",
				 e->offset, l->file_count);
	e->size = 4 + (uint64_t)l->file_count * entry;
	return GSYM_OK;
}
