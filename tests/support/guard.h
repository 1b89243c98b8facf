/* SPDX-License-Identifier: MIT */
/*
 * support/guard.h - copies of bytes beside memory that cannot be accessed: a
 * read or write beyond the bytes ends the test with a signal, also in builds
 * without a sanitizer.
 */
#ifndef GSYM_TESTS_GUARD_H
#define GSYM_TESTS_GUARD_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD_ROOM = 1 << 18 };

/* GUARD_ROOM bytes.  Neither the byte before them nor the byte after them can
 * be accessed. */
static inline uint8_t *guard_room(void)
{
	static uint8_t *room;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (room)
		return room;
	room = mmap(NULL, GUARD_ROOM + 2 * page, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED ||
	    mprotect(room + page, GUARD_ROOM, PROT_READ | PROT_WRITE) != 0)
		abort();
	room += page;
	return room;
}

/* A copy of the SIZE bytes at BYTES.  The byte after the copy cannot be
 * accessed.  The copy is valid until the next call of a function below. */
static inline uint8_t *guard_end(const void *bytes, size_t size)
{
	if (size > GUARD_ROOM)
		abort();
	return memcpy(guard_room() + GUARD_ROOM - size, bytes, size);
}

/* The same, but the byte before the copy cannot be accessed. */
static inline uint8_t *guard_start(const void *bytes, size_t size)
{
	if (size > GUARD_ROOM)
		abort();
	return memcpy(guard_room(), bytes, size);
}

/* Fill the stack that the next calls will use, so that a variable without a
 * value is noticed: its value is not 0 and no valid address, and neighbouring
 * variables differ. */
static __attribute__((noinline, unused)) void guard_dirty_stack(void)
{
	uint64_t stack[1 << 12];

	for (size_t i = 0; i < sizeof(stack) / sizeof(*stack); i++)
		stack[i] = UINT64_C(0xa5a5a5a500000000) + i * 64;
	__asm__ volatile("" : : "r"(stack) : "memory");
}

#endif
