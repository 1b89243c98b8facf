/* SPDX-License-Identifier: MIT */
/*
 * format/layout.h - one view of a GSYM image for both versions: what the
 * header says and where each table lies.  Once gsym_layout_read accepted an
 * image, every entry of its tables can be read without a further check;
 * what the entries refer to is checked here as well, when it is used.
 * Knows nothing of lookups, and of no byte outside the image.
 */
#ifndef GSYM_FORMAT_LAYOUT_H
#define GSYM_FORMAT_LAYOUT_H

#include "base/bytes.h"

#include <gsym/reader.h>

/** SIZE bytes at OFFSET, counted from the start of the image. */
struct gsym_extent {
	uint64_t offset;
	uint64_t size;
};

struct gsym_layout {
	const uint8_t *data;
	uint64_t size;
	uint16_t version;
	/** The image is not in the byte order of this machine. */
	bool swap;
	/** Bytes of an address offset, of a string offset, and of an entry of
	 *  the address-info table. */
	uint8_t address_size;
	uint8_t string_size;
	uint8_t info_size;
	/** Bytes of the string table up to its last NUL, which is its last
	 *  byte unless the table is damaged: every string that starts within
	 *  them ends within them. */
	uint64_t strings_size;
	uint32_t count;
	uint32_t file_count;
	uint64_t base_address;
	/** Where record offsets count from, and where records have to end. */
	uint64_t info_base;
	uint64_t info_end;
	struct gsym_extent sections[GSYM_SECTION_COUNT];
};

/** Fill RET from the SIZE bytes at DATA.  Offsets in ERROR count from
 *  DATA. */
enum gsym_status gsym_layout_read(const uint8_t *data, uint64_t size,
				  struct gsym_layout *ret,
				  struct gsym_error *error);

/** Whether the bytes start with the magic number, in either order. */
bool gsym_layout_is_gsym(const uint8_t *data, uint64_t size);

/** Check that SECTION lies within the image. */
enum gsym_status gsym_layout_check(const struct gsym_layout *l,
				   enum gsym_section section,
				   struct gsym_error *error);

/** Read the number of files, and check that the file table holds them. */
enum gsym_status gsym_layout_read_files(struct gsym_layout *l,
					uint64_t available,
					struct gsym_error *error);

/** The name of SECTION for messages. */
const char *gsym_section_name(enum gsym_section section);

/** An unsigned integer of SIZE bytes: 1, 2, 4 or 8. */
static inline uint64_t gsym_load_uint(const uint8_t *p, unsigned size,
				      bool swap)
{
	switch (size) {
	case 1:
		return *p;
	case 2:
		return gsym_load_u16(p, swap);
	case 4:
		return gsym_load_u32(p, swap);
	default:
		return gsym_load_u64(p, swap);
	}
}

/** Entry INDEX (below COUNT) of the address table: start minus base. */
static inline uint64_t gsym_layout_start(const struct gsym_layout *l,
					 uint32_t index)
{
	const uint8_t *table =
		l->data + l->sections[GSYM_SECTION_ADDRESSES].offset;

	return gsym_load_uint(table + (uint64_t)index * l->address_size,
			      l->address_size, l->swap);
}

/** Where the record of entry INDEX (below COUNT) is said to start.
 *  UINT64_MAX stands for an offset that wraps around. */
static inline uint64_t gsym_layout_record(const struct gsym_layout *l,
					  uint32_t index)
{
	const uint8_t *table =
		l->data + l->sections[GSYM_SECTION_ADDRESS_INFO].offset;
	uint64_t offset = gsym_load_uint(table + (uint64_t)index * l->info_size,
					 l->info_size, l->swap);

	return offset > UINT64_MAX - l->info_base ? UINT64_MAX :
						    offset + l->info_base;
}

/** The string at OFFSET of the string table; NULL if there is none. */
static inline const char *gsym_layout_string(const struct gsym_layout *l,
					     uint64_t offset)
{
	if (offset >= l->strings_size)
		return NULL;
	return (const char *)l->data +
	       l->sections[GSYM_SECTION_STRINGS].offset + offset;
}

/** The string offsets of file INDEX; false if there is no such file. */
static inline bool gsym_layout_file(const struct gsym_layout *l,
				    uint32_t index, uint64_t *directory,
				    uint64_t *basename)
{
	const uint8_t *p = l->data + l->sections[GSYM_SECTION_FILES].offset + 4;

	if (index >= l->file_count)
		return false;
	p += (uint64_t)index * 2 * l->string_size;
	*directory = gsym_load_uint(p, l->string_size, l->swap);
	*basename = gsym_load_uint(p + l->string_size, l->string_size, l->swap);
	return true;
}

#endif
