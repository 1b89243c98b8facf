/* SPDX-License-Identifier: MIT */
#include "support/guarded.h"

#include <stdint.h>
#include <string.h>

#include <criterion/criterion.h>

struct guarded guarded = { .failing = -1 };

/* Before and after each block are GUARD bytes: its size, and MARK bytes. */
enum { GUARD = 16, MARK = 0x5c };

void *__real_malloc(size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);

static bool may_allocate(void)
{
	return !guarded.no_memory && guarded.made++ != guarded.failing;
}

/* The size of the block P, whose guards have to be as they were made. */
static size_t check_guards(const uint8_t *p)
{
	size_t size;

	memcpy(&size, p - GUARD, sizeof(size));
	for (size_t i = 0; i < GUARD; i++)
		cr_assert_eq(p[size + i], MARK,
			     "byte %zu after a block of %zu bytes", i, size);
	return size;
}

/* A block of SIZE bytes, whose content no test would expect. */
void *__wrap_malloc(size_t size)
{
	uint8_t *p;

	if (!may_allocate() || size > SIZE_MAX - 2 * GUARD)
		return NULL;
	p = __real_malloc(size + 2 * GUARD);
	if (!p)
		return NULL;
	memcpy(p, &size, sizeof(size));
	memset(p + GUARD, 0xa5, size);
	memset(p + GUARD + size, MARK, GUARD);
	guarded.blocks++;
	return p + GUARD;
}

void *__wrap_calloc(size_t count, size_t size)
{
	void *p = NULL;
	size_t bytes;

	if (!__builtin_mul_overflow(count, size, &bytes))
		p = __wrap_malloc(bytes);
	if (p)
		memset(p, 0, bytes);
	return p;
}

void *__wrap_realloc(void *old, size_t size)
{
	void *p = __wrap_malloc(size);
	size_t kept;

	if (!p || !old)
		return p;
	kept = check_guards(old);
	memcpy(p, old, kept < size ? kept : size);
	__wrap_free(old);
	return p;
}

void __wrap_free(void *p)
{
	size_t size;

	if (!p)
		return;
	size = check_guards(p);
	memset(p, 0xdd, size);
	guarded.blocks--;
	__real_free((uint8_t *)p - GUARD);
}
