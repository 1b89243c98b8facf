/* SPDX-License-Identifier: MIT */
/* Recognises a GSYM image, and reads its header in either version. */
#include "format/layout.h"

#include "base/cursor.h"
#include "base/error.h"

#include <inttypes.h>

const char *gsym_layout_section_name(enum gsym_section section)
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

const uint8_t gsym_layout_types[GSYM_SECTION_COUNT] = {
	[GSYM_SECTION_UUID] = 6,
	[GSYM_SECTION_ADDRESSES] = 1,
	[GSYM_SECTION_ADDRESS_INFO] = 2,
	[GSYM_SECTION_FILES] = 4,
	[GSYM_SECTION_STRINGS] = 3,
	[GSYM_SECTION_FUNCTIONS] = 5,
};

/* Place SECTION of L, of SIZE bytes, at AT or the next multiple of ALIGNMENT
 * after it.  Returns the offset after the section. */
static uint64_t place_section(struct gsym_layout *l, enum gsym_section section,
			      uint64_t at, unsigned alignment, uint64_t size)
{
	at = gsym_align_up(at, alignment);
	l->sections[section] = (struct gsym_extent){ at, size };
	return at + size;
}

void gsym_layout_place(struct gsym_layout *l)
{
	bool v1 = l->version == 1;
	struct gsym_extent *uuid = &l->sections[GSYM_SECTION_UUID];
	uint64_t count = l->count, at;

	l->string_size = l->info_size = v1 ? 4 : 8;
	/* Entries of a directory: five sections, the UUID if there is one, and
	 * the end of the list. */
	at = v1 ? GSYM_V1_HEADER_SIZE - GSYM_V1_MAX_UUID_SIZE
		: GSYM_V2_HEADER_SIZE + GSYM_V2_DIRECTORY_ENTRY_SIZE *
						(uuid->size ? 7 : 6);
	if (uuid->size)
		uuid->offset = at;
	at = v1 ? GSYM_V1_HEADER_SIZE : at + uuid->size;
	at = place_section(l, GSYM_SECTION_ADDRESSES, at, l->address_size,
			   count * l->address_size);
	at = place_section(l, GSYM_SECTION_ADDRESS_INFO, at, l->info_size,
			   count * l->info_size);
	at = place_section(l, GSYM_SECTION_FILES, at, 4,
			   4 + (uint64_t)l->file_count * 2 * l->string_size);
	at = place_section(l, GSYM_SECTION_STRINGS, at, 1,
			   l->sections[GSYM_SECTION_STRINGS].size);
	place_section(l, GSYM_SECTION_FUNCTIONS, at, 4,
		      l->sections[GSYM_SECTION_FUNCTIONS].size);
	l->info_base = v1 ? 0 : l->sections[GSYM_SECTION_FUNCTIONS].offset;
}

/* Check that SECTION of L lies within the image; GSYM_ERR_CORRUPT if not. */
static enum gsym_status check_section(const struct gsym_layout *l,
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
			 gsym_layout_section_name(section), e->offset, e->size,
			 l->size);
}

/* Read the number of files at the offset of the file table of L, and set the
 * size of that table from it.  GSYM_ERR_CORRUPT if the table needs more than
 * AVAILABLE bytes. */
static enum gsym_status read_files(struct gsym_layout *l, uint64_t available,
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

/* Read the fields that both versions have in their header, which has SIZE
 * bytes. */
static enum gsym_status read_fields(struct gsym_layout *l, unsigned size,
				    struct gsym_error *error)
{
	const uint8_t *p = l->data;
	bool odd;

	if (l->size < size)
		return gsym_fail(error, GSYM_ERR_CORRUPT, l->size,
				 "header ends after %" PRIu64 " bytes of %u",
				 l->size, size);
	l->address_size = p[6];
	odd = l->address_size & (l->address_size - 1);
	if (!l->address_size || l->address_size > 8 || (odd && l->version == 1))
		return gsym_fail(error, GSYM_ERR_CORRUPT, 6,
				 "header has the invalid address size %u",
				 l->address_size);
	if (odd)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 6,
				 "header has the unsupported address size %u",
				 l->address_size);
	l->base_address = gsym_load_u64(p + 8, l->swap);
	l->count = gsym_load_u32(p + 16, l->swap);
	l->sections[GSYM_SECTION_HEADER].size = size;
	return GSYM_OK;
}

/* ---- version 1 ---------------------------------------------------------- */

/* Read the fields of version 1 alone.  Sums of them cannot overflow 64 bits:
 * sizes and offsets have 32 bits. */
static enum gsym_status read_fields_v1(struct gsym_layout *l,
				       struct gsym_error *error)
{
	const uint8_t *p = l->data;
	unsigned uuid_size = p[7];

	if (uuid_size > GSYM_V1_MAX_UUID_SIZE)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 7,
				 "header has the invalid uuid size %u",
				 uuid_size);
	if (uuid_size)
		l->sections[GSYM_SECTION_UUID] =
			(struct gsym_extent){ 28, uuid_size };
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
	*functions = (struct gsym_extent){ 0 };
	if (back < l->info_end && l->info_end - back >= between)
		*functions = (struct gsym_extent){ back, l->info_end - back };
	else if (between)
		*functions = (struct gsym_extent){ front, between };
}

/* Read the header of version 1, and find the tables after it. */
static enum gsym_status read_v1(struct gsym_layout *l, struct gsym_error *error)
{
	const struct gsym_extent *files = &l->sections[GSYM_SECTION_FILES];
	enum gsym_status status;

	l->info_end = l->size - l->sections[GSYM_SECTION_CHECKSUM].size;
	status = read_fields(l, GSYM_V1_HEADER_SIZE, error);
	if (status != GSYM_OK)
		return status;
	/* The number of files is not known yet: read_files adds them. */
	gsym_layout_place(l);
	if ((status = read_fields_v1(l, error)) ||
	    (status = check_section(l, GSYM_SECTION_ADDRESSES, error)) ||
	    (status = check_section(l, GSYM_SECTION_ADDRESS_INFO, error)) ||
	    (status = check_section(l, GSYM_SECTION_FILES, error)) ||
	    (status = read_files(l, l->size - files->offset, error)) ||
	    (status = check_section(l, GSYM_SECTION_STRINGS, error)))
		return status;
	place_functions(l);
	return GSYM_OK;
}

/* ---- version 2 ---------------------------------------------------------- */

/* The section that a directory entry of TYPE describes; GSYM_SECTION_HEADER
 * for an unknown TYPE. */
static enum gsym_section section_of(uint32_t type)
{
	unsigned i = GSYM_SECTION_COUNT - 1;

	while (i > GSYM_SECTION_HEADER && gsym_layout_types[i] != type)
		i--;
	return i;
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
				 gsym_layout_section_name(section));
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
		if (!type)
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
			 gsym_layout_section_name(section), e->offset, e->size,
			 l->count);
}

/* Read the header and the section directory of version 2. */
static enum gsym_status read_v2(struct gsym_layout *l, struct gsym_error *error)
{
	static const enum gsym_section required[] = {
		GSYM_SECTION_ADDRESSES, GSYM_SECTION_ADDRESS_INFO,
		GSYM_SECTION_STRINGS, GSYM_SECTION_FILES,
		GSYM_SECTION_FUNCTIONS,
	};
	enum gsym_status status;

	l->string_size = 8;
	l->info_size = 8;
	status = read_fields(l, GSYM_V2_HEADER_SIZE, error);
	if (status != GSYM_OK)
		return status;
	if (l->data[7])
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 7,
				 "header has the unknown string encoding %u",
				 l->data[7]);
	status = read_directory(l, error);
	if (status != GSYM_OK)
		return status;
	for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++)
		if (!l->sections[required[i]].size)
			return gsym_fail(error, GSYM_ERR_CORRUPT,
					 GSYM_V2_HEADER_SIZE,
					 "section directory has no %s",
					 gsym_layout_section_name(required[i]));
	if ((status = check_table(l, GSYM_SECTION_ADDRESSES, l->address_size,
				  error)) ||
	    (status = check_table(l, GSYM_SECTION_ADDRESS_INFO, l->info_size,
				  error)) ||
	    (status = read_files(l, l->sections[GSYM_SECTION_FILES].size,
				 error)))
		return status;
	l->info_base = l->sections[GSYM_SECTION_FUNCTIONS].offset;
	l->info_end = l->info_base + l->sections[GSYM_SECTION_FUNCTIONS].size;
	return GSYM_OK;
}

/* ---- either version ----------------------------------------------------- */

bool gsym_layout_is_gsym(const uint8_t *data, uint64_t size)
{
	return size >= 4 && (gsym_load_u32(data, false) == GSYM_MAGIC ||
			     gsym_load_u32(data, true) == GSYM_MAGIC);
}

/* Read the version, and the rest of the header as that version has it. */
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
		return read_v1(l, error);
	case 2:
		return read_v2(l, error);
	}
	return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 4,
			 "header has the unknown version %u", l->version);
}

/* Find the checksum, the last bytes of the image. */
static void find_checksum(struct gsym_layout *l)
{
	uint64_t at = l->size - GSYM_CHECKSUM_SIZE;

	if (l->size >= GSYM_CHECKSUM_SIZE &&
	    gsym_load_u32(l->data + l->size - 4, l->swap) ==
		    GSYM_CHECKSUM_MAGIC)
		l->sections[GSYM_SECTION_CHECKSUM] =
			(struct gsym_extent){ at, GSYM_CHECKSUM_SIZE };
}

enum gsym_status gsym_layout_read(const uint8_t *data, uint64_t size,
				  bool checksum, struct gsym_layout *ret,
				  struct gsym_error *error)
{
	const struct gsym_extent *strings;
	enum gsym_status status;

	*ret = (struct gsym_layout){ .data = data, .size = size };
	if (!gsym_layout_is_gsym(data, size))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "header does not start with the gsym magic");
	ret->swap = gsym_load_u32(data, false) != GSYM_MAGIC;
	if (checksum)
		find_checksum(ret);
	status = read_version(ret, error);
	if (status != GSYM_OK)
		return status;
	strings = &ret->sections[GSYM_SECTION_STRINGS];
	ret->strings_size = strings->size;
	while (ret->strings_size &&
	       data[strings->offset + ret->strings_size - 1])
		ret->strings_size--;
	return GSYM_OK;
}
