/* SPDX-License-Identifier: MIT */
/*
 * format/encode.h - writes function records, and the header and directory of a
 * file, in both versions; decides where the sections lie (gsym(5)).  Knows the
 * final offsets of strings and numbers of files, but not how they were chosen.
 */
#ifndef GSYM_FORMAT_ENCODE_H
#define GSYM_FORMAT_ENCODE_H

#include "base/emit.h"
#include "format/shape.h"

/* ---- function records ---------------------------------------------------- */

/** By number in a shape: the offset of the string in the file, or the index of
 * the file. */
struct gsym_encode_tables {
	/** Offset in the string table, by string number. */
	const uint64_t *strings;
	/** Index in the file table, by file number. */
	const uint32_t *files;
	/** Bytes of a string offset: 4 in version 1, 8 in version 2. */
	unsigned string_size;
};

/** Append the record of SHAPE to OUT; the caller aligns OUT.  Returns false if
 *  the record has 4 GiB or more.  If memory runs out, OUT is marked as
 *  failed. */
bool gsym_encode_record(struct gsym_emit *out, const struct gsym_shape *shape,
			const struct gsym_encode_tables *tables);

/** Append the line table of the COUNT (not 0) rows of VIEW.  FILES is the
 *  index in the file table, by file number. */
void gsym_encode_lines(struct gsym_emit *out,
		       const struct gsym_shape_view *view, uint32_t count,
		       const uint32_t *files);

/* ---- the header ---------------------------------------------------------- */

/** The layout of a file that is being written.  Offsets count from its
 *  start. */
struct gsym_encode_layout {
	/* Set by the caller. */
	unsigned version; /**< 1 or 2 */
	uint64_t base_address;
	uint32_t address_count;
	uint8_t address_size; /**< 1, 2, 4 or 8 */
	uint64_t file_count;  /**< entry 0 included */
	uint64_t string_bytes;
	const uint8_t *uuid;
	size_t uuid_size; /**< at most 20 in version 1 */
	/** Bytes of the function records; may be set after gsym_encode_place,
	 *  but before gsym_encode_header. */
	uint64_t function_bytes;

	/* Set by gsym_encode_place. */
	uint64_t uuid_offset;
	uint64_t addresses;
	uint64_t address_info;
	uint64_t files;
	uint64_t strings;
	uint64_t functions;
	/** Entries of the address info count from this offset. */
	uint64_t info_base;
	unsigned info_size;   /**< bytes of an address info entry */
	unsigned string_size; /**< bytes of a string offset */
};

/** Compute the offsets of all sections of LAYOUT. */
void gsym_encode_place(struct gsym_encode_layout *layout);

/** Append the checksum of a file to OUT: CRC is that of the COVERED bytes
 *  before. */
void gsym_encode_checksum(struct gsym_emit *out, uint64_t covered,
			  uint32_t crc);

/** Append the header to OUT; for version 2 also the directory and the UUID. */
void gsym_encode_header(struct gsym_emit *out,
			const struct gsym_encode_layout *layout);

#endif
