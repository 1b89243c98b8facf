/* SPDX-License-Identifier: MIT */
/* Hands out memory from blocks that are freed together. */
#include "base/arena.h"

#include "base/pages.h"
#include "base/spill.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct gsym_arena_chunk {
	struct gsym_arena_chunk *next;
	/* Of a block of the spill; 0: it came from malloc. */
	size_t spilled;
	alignas(max_align_t) uint8_t bytes[];
};

enum {
	CHUNK_SIZE = 64 * 1024,
	/* An arena without limit that took more than LARGE bytes goes on in
	 * chunks of this size, a multiple of the system's large pages. */
	LARGE_CHUNK_SIZE = 16 * 1024 * 1024,
	LARGE = 4 * 1024 * 1024,
};

void gsym_arena_fini(struct gsym_arena *a)
{
	while (a->chunks) {
		struct gsym_arena_chunk *next = a->chunks->next;

		if (a->chunks->spilled)
			gsym_spill_free(a->chunks, a->chunks->spilled);
		else
			free(a->chunks);
		a->chunks = next;
	}
	a->at = a->end = NULL;
	a->taken = 0;
}

void gsym_arena_release(const struct gsym_arena *a)
{
	for (struct gsym_arena_chunk *c = a->chunks; c; c = c->next)
		if (c->spilled)
			gsym_pages_release(c, c->spilled);
}

/* A chunk with room for SIZE bytes, to be added to A.  NULL without memory. */
static struct gsym_arena_chunk *new_chunk(const struct gsym_arena *a,
					  size_t size)
{
	struct gsym_arena_chunk *chunk;
	size_t spilled = sizeof(*chunk) + size;

	if (a->spill) {
		gsym_arena_release(a);
		chunk = gsym_spill_alloc(a->spill, &spilled);
	} else {
		chunk = gsym_pages_alloc(spilled);
		spilled = 0;
	}
	if (chunk)
		chunk->spilled = spilled;
	return chunk;
}

static void *take(struct gsym_arena *a, size_t size, size_t alignment)
{
	size_t pad = -(uintptr_t)a->at & (alignment - 1);
	struct gsym_arena_chunk *chunk;
	/* Header and content of a large chunk together fill large pages. */
	size_t room = a->taken > LARGE && !a->limit
			      ? LARGE_CHUNK_SIZE - sizeof(*chunk)
			      : CHUNK_SIZE;
	uint8_t *p;

	if ((size_t)(a->end - a->at) >= pad &&
	    (size_t)(a->end - a->at) - pad >= size) {
		p = a->at + pad;
		a->at = p + size;
		return p;
	}
	if (size > SIZE_MAX / 2)
		return NULL;
	if (size > room / 4)
		room = size;
	if (a->limit && (a->taken > a->limit || room > a->limit - a->taken))
		return NULL;
	chunk = new_chunk(a, room);
	if (!chunk)
		return NULL;
	a->taken += room;
	chunk->next = a->chunks;
	a->chunks = chunk;
	/* A piece larger than a quarter of a chunk got a chunk of its own.
	 * The chunk with more unused bytes becomes the current one. */
	if (room - size >= (size_t)(a->end - a->at)) {
		a->at = chunk->bytes + size;
		a->end = chunk->bytes + room;
	}
	return chunk->bytes;
}

void *gsym_arena_alloc(struct gsym_arena *a, size_t size)
{
	return take(a, size, alignof(max_align_t));
}

char *gsym_arena_string(struct gsym_arena *a, const char *bytes, size_t length)
{
	char *p = length < SIZE_MAX ? take(a, length + 1, 1) : NULL;

	if (p) {
		memcpy(p, bytes, length);
		p[length] = 0;
	}
	return p;
}
