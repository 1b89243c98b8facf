/* SPDX-License-Identifier: MIT */
/*
 * go/memory.h - the memory of a program that was loaded where it was
 * linked, as far as the file tells: segments by address, with their
 * pointers in place.  Knows containers; never what the memory means.
 */
#ifndef GSYM_GO_MEMORY_H
#define GSYM_GO_MEMORY_H

#include "container/container.h"

/** No program has nearly as many.  The rest of what a hostile one claims is
 *  not looked at. */
enum { GSYM_MEMORY_PIECES = 64 };

struct gsym_memory {
	bool swap;
	uint8_t address_size;
	/** Ascending and not overlapping. */
	struct gsym_segment pieces[GSYM_MEMORY_PIECES];
	size_t count;
	/** By piece: its bytes if they had to be changed; malloc'ed. */
	uint8_t *copies[GSYM_MEMORY_PIECES];
};

/** The memory of CONTAINER, which has to outlive it; to be given back with
 *  gsym_memory_fini also after a failure.  False without memory. */
bool gsym_memory_init(struct gsym_memory *memory,
		      const struct gsym_container *container);
void gsym_memory_fini(struct gsym_memory *memory);

/** The piece that ADDRESS lies in; NULL if there is none. */
const struct gsym_segment *gsym_memory_piece(const struct gsym_memory *memory,
					     uint64_t address);

/** A cursor at ADDRESS, over the rest of its piece (over nothing, if it has
 *  none). */
struct gsym_cursor gsym_memory_cursor(const struct gsym_memory *memory,
				      uint64_t address);

/** Whether [START, END) lies in executable memory. */
bool gsym_memory_is_code(const struct gsym_memory *memory, uint64_t start,
			 uint64_t end);

#endif
