/* SPDX-License-Identifier: MIT */
/*
 * rank.h - which of two GSYM files of one program is the better one.  The order
 * is total and depends on the bytes alone, so that a store does not depend on
 * the order in which its files were made.
 */
#ifndef TOOLS_CREATE_RANK_H
#define TOOLS_CREATE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The rank of GSYM data.  Zeros are the rank of a file that is not there. */
struct rank {
	/** Functions with lines, lines, inlined calls, and functions. */
	uint64_t counts[4];
	/** XXH3-128 of the data, the more significant half first. */
	uint64_t hash[2];
};

/** The hash of the SIZE bytes at BYTES, of which RET becomes the more
 *  significant half first. */
void rank_hash(const uint8_t *bytes, size_t size, uint64_t ret[2]);
/** The rank of the SIZE bytes of GSYM data at BYTES; zeros if they are not GSYM
 *  data, have another build ID than the ID_SIZE bytes at ID, or have so many
 *  functions with one record that to count their lines is out of proportion. */
struct rank rank_of(const uint8_t *bytes, size_t size, const uint8_t *id,
		    size_t id_size);
/** rank_of for the open file FD; zeros if it cannot be read. */
struct rank rank_of_file(int fd, const uint8_t *id, size_t id_size);
/** Whether data of the rank A are better than data of the rank B. */
bool rank_better(const struct rank *a, const struct rank *b);

#endif /* TOOLS_CREATE_RANK_H */
