/* SPDX-License-Identifier: MIT */
/* Grows arrays, hands out memory from blocks that are freed together, maps
 * pieces of a file that has no name, and asks the kernel for large pages. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise */
#endif
#include "config.h"

#include "base/memory.h"
#include "base/system.h"
#include "base/vec.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool gsym_vec_grow(void **items, size_t count, size_t *capacity, size_t more,
		   size_t item_size)
{
	size_t want, bytes;
	void *grown, *old;

	if (more > SIZE_MAX / 4 - count)
		return false;
	want = *capacity + *capacity / 2;
	if (want < count + more)
		want = count + more;
	if (want < 16)
		want = 16;
	if (__builtin_mul_overflow(want, item_size, &bytes))
		return false;
	/* *ITEMS is a pointer of another type than void *: it must not be
	 * accessed as one, so copy its bytes. */
	memcpy(&old, items, sizeof(old));
	grown = realloc(old, bytes);
	if (!grown)
		return false;
	gsym_pages_large(grown, bytes);
	memcpy(items, &grown, sizeof(grown));
	*capacity = want;
	return true;
}

enum { LARGE_PAGE = 2 << 20, LEAST_POPULATED = 1 << 20 };

void gsym_pages_large(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	/* All pages of the block get the advice, those of its ends, too: a
	 * mapping of pages with and without it cannot be moved as one, and
	 * realloc would copy the block. */
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)p & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + size + page - 1) & ~(page - 1);

	if (size >= 2 * LARGE_PAGE)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
	(void)p;
	(void)size;
#endif
}

#ifdef MADV_DONTNEED
/* Give ADVICE for the whole pages among the SIZE bytes at P. */
static void advise_inside(const void *p, size_t size, int advice)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(page - 1);

	if (start < end)
		madvise((void *)start, end - start, advice);
}
#endif

void gsym_pages_populate(void *p, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	if (size >= LEAST_POPULATED)
		advise_inside(p, size, MADV_POPULATE_WRITE);
#else
	(void)p;
	(void)size;
#endif
}

void gsym_pages_release(const void *p, size_t size)
{
#ifdef MADV_DONTNEED
	advise_inside(p, size, MADV_DONTNEED);
#else
	(void)p;
	(void)size;
#endif
}

void *gsym_pages_alloc(size_t size)
{
	void *p;

	if (size < 2 * LARGE_PAGE)
		return malloc(size);
	if (posix_memalign(&p, LARGE_PAGE, size) != 0)
		return NULL;
	gsym_pages_large(p, size);
	return p;
}

bool gsym_spill_open(struct gsym_spill *s, const char *folder)
{
	*s = (struct gsym_spill){ .fd = gsym_system_nameless(folder),
				  .lock = PTHREAD_MUTEX_INITIALIZER };
	return s->fd >= 0;
}

void gsym_spill_close(struct gsym_spill *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	pthread_mutex_destroy(&s->lock);
}

/* spill_alloc, by the one thread that has the lock. */
static void *extend(struct gsym_spill *s, size_t *size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t whole = (*size + page - 1) & ~(page - 1);
	void *block;

	/* A file with holes would end the process by SIGBUS where the folder
	 * has no room for a page. */
	if (whole < *size || s->size > INT64_MAX - whole ||
	    !gsym_system_reserve(s->fd, s->size, whole))
		return NULL;
	block = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd,
		     (off_t)s->size);
	if (block == MAP_FAILED)
		return NULL;
	s->size += whole;
	*size = whole;
	return block;
}

/* A block of *SIZE bytes, which are rounded up to whole pages, to be freed
 * with spill_free.  NULL if the folder is full, or without memory. */
static void *spill_alloc(struct gsym_spill *s, size_t *size)
{
	void *block;

	pthread_mutex_lock(&s->lock);
	block = extend(s, size);
	pthread_mutex_unlock(&s->lock);
	return block;
}

static void spill_free(void *block, size_t size)
{
	munmap(block, size);
}

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
			spill_free(a->chunks, a->chunks->spilled);
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
		chunk = spill_alloc(a->spill, &spilled);
	} else {
		chunk = gsym_pages_alloc(spilled);
		spilled = 0;
	}
	if (chunk)
		chunk->spilled = spilled;
	return chunk;
}

static void *take_piece(struct gsym_arena *a, size_t size, size_t alignment)
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
	return take_piece(a, size, alignof(max_align_t));
}

char *gsym_arena_string(struct gsym_arena *a, const char *bytes, size_t length)
{
	char *p = length < SIZE_MAX ? take_piece(a, length + 1, 1) : NULL;

	if (p) {
		memcpy(p, bytes, length);
		p[length] = 0;
	}
	return p;
}
