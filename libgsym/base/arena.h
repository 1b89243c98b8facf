/* SPDX-License-Identifier: MIT */
/* base/arena.h - memory that is handed out piece by piece and freed in one
 * stroke.  A zeroed struct is an empty arena.  Not thread-safe. */
#ifndef GSYM_BASE_ARENA_H
#define GSYM_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct gsym_arena_chunk;

struct gsym_arena {
	struct gsym_arena_chunk *chunks;
	uint8_t *at;
	uint8_t *end;
	/** Bytes that it may take from the system (0: any number), and those
	 *  that it has taken. */
	size_t limit;
	size_t taken;
};

void gsym_arena_fini(struct gsym_arena *a);
/** SIZE bytes, aligned for any type; NULL without memory. */
void *gsym_arena_alloc(struct gsym_arena *a, size_t size);
/** A copy of LENGTH bytes with a NUL behind them, not aligned. */
char *gsym_arena_string(struct gsym_arena *a, const char *bytes, size_t length);

#endif
