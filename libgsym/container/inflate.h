/* SPDX-License-Identifier: MIT */
/* container/inflate.h - inflating sections, of whatever file format.  Knows
 * nothing of files and of what is in them. */
#ifndef GSYM_CONTAINER_INFLATE_H
#define GSYM_CONTAINER_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A section whose bytes have to be made. */
struct gsym_inflate_job {
	size_t section;
	/** GSYM_INFLATE_STORED: they are copied. */
	enum {
		GSYM_INFLATE_STORED,
		GSYM_INFLATE_ZLIB,
		GSYM_INFLATE_ZSTD,
	} method;
	const uint8_t *in;
	size_t in_size;
	size_t out_size; /**< exactly */
	uint8_t *out;
	const char *problem; /**< why there is no OUT */
};

/** Fill JOB's OUT (malloc'ed) or PROBLEM; false without memory. */
bool gsym_inflate(struct gsym_inflate_job *job);

/** Whether IN_SIZE compressed bytes can become OUT_SIZE. */
bool gsym_inflate_plausible(uint64_t in_size, uint64_t out_size);

/** The checksum that .gnu_debuglink has, of SIZE bytes at BYTES. */
uint32_t gsym_container_crc32(const uint8_t *bytes, size_t size);

struct gsym_container;

/** Inflate the sections .zdebug_* of CONTAINER, which has FILE_SIZE bytes;
 *  what cannot be is noted as a warning.  False without memory. */
bool gsym_inflate_zdebug(struct gsym_container *container, uint64_t file_size);

#endif
