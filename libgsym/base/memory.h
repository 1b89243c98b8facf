/* SPDX-License-Identifier: MIT */
/* base/memory.h - memory in pieces and in a file without a name, large pages,
 * memory given back early, and prefetching.  Arrays are in vec.h. */
#ifndef GSYM_BASE_MEMORY_H
#define GSYM_BASE_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An arena: pieces that are freed all at once.  A zeroed struct is an empty
 * arena.  Not thread-safe.
 */

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

/*
 * A spill: memory in a file without a name, for data that may be larger than
 * the memory of the machine.  The system writes its pages to the file and reads
 * them again as need be.  Several threads may take blocks.
 */

struct gsym_spill {
	int fd;
	pthread_mutex_t lock; /**< of SIZE */
	/** The size of the file. */
	uint64_t size;
};

/** Make S with a file in FOLDER.  Returns false, with errno set, on failure. */
bool gsym_spill_open(struct gsym_spill *s, const char *folder);
/** Close S.  Its blocks stay valid until they are freed. */
void gsym_spill_close(struct gsym_spill *s);

/*
 * Pages.  The first access to each page costs a page fault, and a large page
 * needs fewer of them.
 */

/** Ask the system to back the SIZE bytes at P, a whole block that came from
 *  malloc and will all be used, with large pages.  Does nothing for blocks of
 *  less than 4 MiB; a refusal of the system is ignored. */
void gsym_pages_large(void *p, size_t size);

/** Have the system back the whole pages among the SIZE bytes at P, which will
 *  all be written, with memory at once: that takes less time than a page fault
 *  for each.  Another thread may write to the bytes meanwhile.  Does nothing
 *  for blocks of less than 1 MiB; a refusal of the system is ignored. */
void gsym_pages_populate(void *p, size_t size);

/** Give the whole pages among the SIZE bytes at P back to the system.  Nobody
 *  may read the bytes after that, unless P lies in a mapped file, whose bytes
 *  are then read from the file again. */
void gsym_pages_release(const void *p, size_t size);

/** Allocate SIZE bytes that will all be used, if possible in large pages.
 *  Freed with free(); NULL without memory. */
void *gsym_pages_alloc(size_t size);

/** Prefetch the text at P, whose length is not known and which need not be
 *  mapped: three cache lines.  Linkage names of C++ have 30 to 120 bytes. */
static inline void gsym_prefetch_text(const void *p)
{
	for (unsigned i = 0; i < 3; i++)
		__builtin_prefetch((const void *)((uintptr_t)p + i * 64));
}

#endif
