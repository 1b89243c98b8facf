/* SPDX-License-Identifier: MIT */
#include "format/layout.h"

#include "base/error.h"
#include "format/format.h"
#include "format/header_v1.h"
#include "format/header_v2.h"

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
	};

	return names[section];
}

bool gsym_layout_is_gsym(const uint8_t *data, uint64_t size)
{
	return size >= 4 && (gsym_load_u32(data, false) == GSYM_MAGIC ||
			     gsym_load_u32(data, true) == GSYM_MAGIC);
}

enum gsym_status gsym_layout_check(const struct gsym_layout *l,
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

enum gsym_status gsym_layout_read_files(struct gsym_layout *l,
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

static enum gsym_status read_version(struct gsym_layout *l,
				     struct gsym_error *error)
{
	if (l->size < 6)
		return gsym_fail(error, GSYM_ERR_CORRUPT, l->size,
				 "header ends after %" PRIu64 " bytes",
				 l->size);
	l->version = gsym_load_u16(l->data + 4, l->swap);
	switch (l->version) {
	case 1:
		return gsym_header_v1_read(l, error);
	case 2:
		return gsym_header_v2_read(l, error);
	}
	return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 4,
			 "header has the unknown version %u", l->version);
}

enum gsym_status gsym_layout_read(const uint8_t *data, uint64_t size,
				  struct gsym_layout *ret,
				  struct gsym_error *error)
{
	const struct gsym_extent *strings = &ret->sections[GSYM_SECTION_STRINGS];
	enum gsym_status status;

	*ret = (struct gsym_layout){ .data = data, .size = size };
	if (!gsym_layout_is_gsym(data, size))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "header does not start with the gsym magic");
	ret->swap = gsym_load_u32(data, false) != GSYM_MAGIC;
	status = read_version(ret, error);
	if (status != GSYM_OK)
		return status;
	ret->strings_size = strings->size;
	while (ret->strings_size &&
	       data[strings->offset + ret->strings_size - 1])
		ret->strings_size--;
	return GSYM_OK;
}
