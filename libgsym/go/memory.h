/* SPDX-License-Identifier: MIT */
/*
 * go/memory.h - the memory of a program that is loaded at the addresses that
 * it was linked for: segments by address, with their relative relocations
 * applied.  Knows containers; never what the memory holds.
 */
#ifndef GSYM_GO_MEMORY_H
#define GSYM_GO_MEMORY_H

#include "container/container.h"

/** The most pieces.  Real programs have far fewer segments; further segments of
 *  a hostile file are ignored. */
enum { GSYM_MEMORY_PIECES = 64 };

struct gsym_memory {
	bool swap;
	uint8_t address_size;
	/** Ascending and not overlapping. */
	struct gsym_segment pieces[GSYM_MEMORY_PIECES];
	size_t count;
	/** For each piece: its bytes, malloc'ed, if relocations changed any;
	 *  else NULL. */
	uint8_t *copies[GSYM_MEMORY_PIECES];
};

/** Fill MEMORY with the segments of CONTAINER, which has to outlive it.  False
 *  without memory; gsym_memory_fini has to be called in either case. */
bool gsym_memory_init(struct gsym_memory *memory,
		      const struct gsym_container *container);
void gsym_memory_fini(struct gsym_memory *memory);

/** The piece that holds ADDRESS; NULL if none does. */
const struct gsym_segment *gsym_memory_piece(const struct gsym_memory *memory,
					     uint64_t address);

/** A cursor from ADDRESS to the end of its piece; over nothing if no piece
 *  holds ADDRESS. */
struct gsym_cursor gsym_memory_cursor(const struct gsym_memory *memory,
				      uint64_t address);

/** Whether [START, END) lies in executable memory. */
bool gsym_memory_is_code(const struct gsym_memory *memory, uint64_t start,
			 uint64_t end);

#endif
