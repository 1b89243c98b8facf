/* SPDX-License-Identifier: MIT */
/*
 * format/encode_header.h - where the parts of a GSYM file lie, and the bytes
 * of its header and directory, for both versions.  Knows counts and sizes,
 * never contents.
 */
#ifndef GSYM_FORMAT_ENCODE_HEADER_H
#define GSYM_FORMAT_ENCODE_HEADER_H

#include "base/emit.h"

/** A file that is to be laid out. */
struct gsym_encode_layout {
	/* The caller's. */
	unsigned version; /**< 1 or 2 */
	uint64_t base_address;
	uint32_t address_count;
	uint8_t address_size; /**< 1, 2, 4 or 8 */
	uint64_t file_count;  /**< entry 0 included */
	uint64_t string_bytes;
	const uint8_t *uuid;
	size_t uuid_size; /**< at most 20 in version 1 */
	/** Bytes of the function records; needed for the header only. */
	uint64_t function_bytes;

	/* Filled by gsym_encode_place. */
	uint64_t uuid_offset;
	uint64_t addresses;
	uint64_t address_info;
	uint64_t files;
	uint64_t strings;
	uint64_t functions;
	/** What the address info counts from. */
	uint64_t info_base;
	unsigned info_size;   /**< bytes of an entry */
	unsigned string_size; /**< bytes of a string offset */
};

/** Fill the places in. */
void gsym_encode_place(struct gsym_encode_layout *layout);

/** Append header and directory, and in version 2 the UUID. */
void gsym_encode_header(struct gsym_emit *out,
			const struct gsym_encode_layout *layout);

#endif
