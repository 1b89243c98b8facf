/* SPDX-License-Identifier: MIT */
/*
 * format/layout.h - the header fields of a GSYM image and the extents of its
 * tables, in one struct for both versions, read or to be written.  An image is
 * the GSYM data without the ELF file that may hold them.
 *
 * gsym_layout_read checks that the tables lie within the image, so that every
 * entry can be read without a check.  The functions below that follow an
 * entry, to a string for instance, check where it leads.
 */
#ifndef GSYM_FORMAT_LAYOUT_H
#define GSYM_FORMAT_LAYOUT_H

#include "base/cursor.h"

#include <gsym/reader.h>

/* The constants of version 1 and 2, as gsym(5) describes them and
 * llvm/DebugInfo/GSYM (Header.h, HeaderV2.h, GlobalData.h) defines them. */

#define GSYM_MAGIC 0x4753594du

enum {
	GSYM_V1_HEADER_SIZE = 48,
	GSYM_V1_MAX_UUID_SIZE = 20,
	GSYM_V2_HEADER_SIZE = 20,
	GSYM_V2_DIRECTORY_ENTRY_SIZE = 20,
	GSYM_CHECKSUM_SIZE = 16,
};

/* The last field of a checksum: "CRCG" in a little-endian file. */
#define GSYM_CHECKSUM_MAGIC 0x47435243u

/** By section: the type of its entry in a directory of version 2, where 0 ends
 *  the list; 0: it has no entry. */
extern const uint8_t gsym_layout_types[GSYM_SECTION_COUNT];

/** OFFSET, or the next multiple of ALIGNMENT, a power of two, after it. */
static inline uint64_t gsym_align_up(uint64_t offset, unsigned alignment)
{
	return (offset + alignment - 1) & ~(uint64_t)(alignment - 1);
}

/** SIZE bytes at OFFSET, counted from the start of the image. */
struct gsym_extent {
	uint64_t offset;
	uint64_t size;
};

struct gsym_layout {
	const uint8_t *data;
	uint64_t size;
	uint16_t version;
	/** The byte order of the image is not that of this machine. */
	bool swap;
	uint8_t address_size; /**< bytes of an entry of the address table */
	uint8_t string_size;  /**< bytes of a string offset */
	uint8_t info_size;    /**< bytes of an address info entry */
	/** Bytes of the string table up to and including its last NUL: a
	 *  string that starts within them ends within them.  In a sound file
	 *  the last byte of the table is a NUL. */
	uint64_t strings_size;
	uint32_t count; /**< functions: entries of the address table */
	uint32_t file_count;
	uint64_t base_address;
	/** Address info entries count from INFO_BASE, and no record reaches
	 *  beyond INFO_END: both are offsets in the image. */
	uint64_t info_base;
	uint64_t info_end;
	/** GSYM_SECTION_CHECKSUM is empty if gsym_layout_read was not to find
	 *  the checksum.  Then INFO_END of version 1 is the end of the
	 *  image. */
	struct gsym_extent sections[GSYM_SECTION_COUNT];
};

/**
 * Fill RET from the image of SIZE bytes at DATA, which has to outlive RET.
 * CHECKSUM: find the checksum, too, which reads the last page of the image.
 * Lookups do not need the checksum.
 * Offsets in ERROR count from DATA.
 *
 * GSYM_ERR_FORMAT: no magic number.  GSYM_ERR_UNSUPPORTED: an unknown version,
 * string encoding or address size.  GSYM_ERR_CORRUPT: the header is cut off or
 * has an impossible field, or a table reaches beyond the data.
 */
enum gsym_status gsym_layout_read(const uint8_t *data, uint64_t size,
				  bool checksum, struct gsym_layout *ret,
				  struct gsym_error *error);

/** Place the tables of an image as they are written: set the sizes of offsets,
 *  INFO_BASE and SECTIONS of L, by its version, address size and counts, and by
 *  the sizes of the UUID, the strings and the functions. */
void gsym_layout_place(struct gsym_layout *l);

/** Whether the SIZE bytes at DATA start with the magic number, in either byte
 *  order. */
bool gsym_layout_is_gsym(const uint8_t *data, uint64_t size);

/** The name of SECTION for messages: "string table". */
const char *gsym_layout_section_name(enum gsym_section section);

/** Entry INDEX (below COUNT) of the address table: the start of a function
 *  minus the base address. */
static inline uint64_t gsym_layout_start(const struct gsym_layout *l,
					 uint32_t index)
{
	const uint8_t *table =
		l->data + l->sections[GSYM_SECTION_ADDRESSES].offset;

	return gsym_load_uint(table + (uint64_t)index * l->address_size,
			      l->address_size, l->swap);
}

/** The offset of record INDEX (below COUNT), as the address info has it: it may
 *  lie beyond INFO_END.  UINT64_MAX if the sum with INFO_BASE overflows. */
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

/** The string at OFFSET of the string table; NULL beyond the table. */
static inline const char *gsym_layout_string(const struct gsym_layout *l,
					     uint64_t offset)
{
	if (offset >= l->strings_size)
		return NULL;
	return (const char *)l->data +
	       l->sections[GSYM_SECTION_STRINGS].offset + offset;
}

/** The string offsets of directory and base name of file INDEX; false if the
 *  file table has no such entry. */
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
