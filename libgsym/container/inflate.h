/* SPDX-License-Identifier: MIT */
/* container/inflate.h - inflating compressed sections of any file format.
 * Knows nothing of what the sections hold. */
#ifndef GSYM_CONTAINER_INFLATE_H
#define GSYM_CONTAINER_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The bytes of a section, and what is to be done with them. */
struct gsym_inflate_job {
	enum {
		GSYM_INFLATE_STORED, /**< copied as they are */
		GSYM_INFLATE_ZLIB,
		GSYM_INFLATE_ZSTD,
	} method;
	const uint8_t *in;
	size_t in_size;
	/** The size of OUT; a stream that makes more or fewer bytes counts as
	 *  damaged. */
	size_t out_size;
	uint8_t *out;	     /**< malloc'ed; NULL until it is allocated */
	const char *problem; /**< what is wrong; NULL: nothing */
};

/** Allocate JOB's OUT; false without memory. */
bool gsym_inflate_allocate(struct gsym_inflate_job *job);
/** Fill JOB's OUT, which was allocated, or set its PROBLEM; false without
 *  memory.  OUT belongs to the caller in any case. */
bool gsym_inflate_fill(struct gsym_inflate_job *job);
/** Allocate and fill JOB's OUT.  It is NULL after that if JOB has a PROBLEM.
 *  False without memory. */
bool gsym_inflate(struct gsym_inflate_job *job);

enum {
	/** All sections of a file together may become as many times its size,
	 *  or as many bytes, whichever is more.  The debug sections of
	 *  compilers become up to 5 times as large. */
	GSYM_INFLATE_RATIO = 32,
	GSYM_INFLATE_FLOOR = 64 << 20,
};

/** Whether the input of JOB can and may become OUT_SIZE bytes.  *TOTAL counts
 *  the bytes that were admitted of the same file, which has FILE_SIZE bytes;
 *  OUT_SIZE is added.  If the result is false, PROBLEM of JOB tells why. */
bool gsym_inflate_admit(struct gsym_inflate_job *job, uint64_t file_size,
			uint64_t *total);

/** Fill JOB from the SIZE bytes at BYTES of a section .zdebug_*: the letters
 *  "ZLIB", the size of the output as 64 bits in big-endian order, a zlib
 *  stream.  False if the header is damaged. */
bool gsym_inflate_read_zdebug(const uint8_t *bytes, size_t size,
			      struct gsym_inflate_job *job);

struct gsym_container;

/** Inflate the sections .zdebug_* of CONTAINER, whose file has FILE_SIZE
 *  bytes.  A damaged section loses its bytes, and is noted as a warning.  False
 *  without memory. */
bool gsym_inflate_zdebug(struct gsym_container *container, uint64_t file_size);

/** The CRC-32 of SIZE bytes at BYTES, as .gnu_debuglink has it. */
uint32_t gsym_container_crc32(const uint8_t *bytes, size_t size);

#endif
