/* SPDX-License-Identifier: MIT */
/* base/arena.h - memory that is handed out in pieces and freed all at once.
 * A zeroed struct is an empty arena.  Not thread-safe. */
#ifndef GSYM_BASE_ARENA_H
#define GSYM_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct gsym_arena_chunk;
struct gsym_spill;

struct gsym_arena {
	/** All chunks, the newest first. */
	struct gsym_arena_chunk *chunks;
	/** The unused bytes of the current chunk: from AT up to END. */
	uint8_t *at;
	uint8_t *end;
	/** The most bytes that the arena takes from the system; 0: no limit.
	 *  Set by the caller. */
	size_t limit;
	/** Where chunks are taken from; NULL: malloc.  Set by the caller, at
	 *  any time. */
	struct gsym_spill *spill;
	/** Bytes that the arena took from the system, the headers of its
	 *  chunks not counted. */
	size_t taken;
};

/** Free all pieces of A.  A is empty then, with the same LIMIT and SPILL, and
 *  can be used again. */
void gsym_arena_fini(struct gsym_arena *a);
/** Give the memory of pieces that lie in a spill back to the system, which
 *  reads them again when they are used.  Done for each new chunk, too. */
void gsym_arena_release(const struct gsym_arena *a);
/** A piece of SIZE bytes, of undefined content and aligned for any type, that
 *  lives until gsym_arena_fini.  NULL if memory or LIMIT is exhausted. */
void *gsym_arena_alloc(struct gsym_arena *a, size_t size);
/** As gsym_arena_alloc, a piece of LENGTH + 1 bytes, unaligned: a copy of the
 *  LENGTH bytes at BYTES and a NUL. */
char *gsym_arena_string(struct gsym_arena *a, const char *bytes, size_t length);

#endif
