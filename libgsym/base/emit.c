/* SPDX-License-Identifier: MIT */
/* Appends numbers, bytes and padding to a buffer that grows. */
#include "base/emit.h"

#include "base/memory.h"

#include <stdlib.h>

void gsym_emit_fini(struct gsym_emit *e)
{
	free(e->data);
	e->data = NULL;
	e->size = e->capacity = 0;
	e->failed = false;
}

/* From now on nothing fits. */
static bool fail(struct gsym_emit *e)
{
	e->failed = true;
	e->capacity = e->size;
	return false;
}

bool gsym_emit_grow(struct gsym_emit *e, size_t size)
{
	size_t want, capacity = e->capacity ? e->capacity : 256;
	uint8_t *data;

	if (e->failed || size > SIZE_MAX / 4 - e->size)
		return fail(e);
	want = e->size + size;
	while (capacity < want)
		capacity += capacity / 2;
	data = realloc(e->data, capacity);
	if (!data)
		return fail(e);
	gsym_pages_large(data, capacity);
	e->data = data;
	e->capacity = capacity;
	return true;
}

void gsym_emit_uint(struct gsym_emit *e, uint64_t v, unsigned size)
{
	uint8_t *p = gsym_emit_reserve(e, size);

	if (p)
		gsym_store_uint(p, v, size, e->swap);
}

void gsym_emit_bytes(struct gsym_emit *e, const void *bytes, size_t size)
{
	uint8_t *p;

	if (!size)
		return;
	p = gsym_emit_reserve(e, size);
	if (p)
		memcpy(p, bytes, size);
}

void gsym_emit_align(struct gsym_emit *e, size_t alignment)
{
	size_t over = e->size % alignment;
	uint8_t *p;

	if (!over)
		return;
	p = gsym_emit_reserve(e, alignment - over);
	if (p)
		memset(p, 0, alignment - over);
}

void gsym_emit_patch_u32(struct gsym_emit *e, size_t offset, uint32_t v)
{
	if (!e->failed && offset <= e->size && e->size - offset >= 4)
		gsym_store_u32(e->data + offset, v, e->swap);
}
