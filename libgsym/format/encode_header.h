/* SPDX-License-Identifier: MIT */
/*
 * format/encode_header.h - decides where the sections of a GSYM file lie, and
 * writes its header and directory, for both versions.  Knows the counts and
 * sizes of sections, never their contents.
 */
#ifndef GSYM_FORMAT_ENCODE_HEADER_H
#define GSYM_FORMAT_ENCODE_HEADER_H

#include "base/emit.h"

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
