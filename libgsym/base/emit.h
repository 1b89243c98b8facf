/* SPDX-License-Identifier: MIT */
/*
 * base/emit.h - bytes that grow: integers in either byte order, LEB128,
 * alignment.  Running out of memory is sticky, like a cursor's failure.
 * Knows no format.
 */
#ifndef GSYM_BASE_EMIT_H
#define GSYM_BASE_EMIT_H

#include "base/bytes.h"

#include <stddef.h>

/** The most that a LEB128 of 64 bits takes. */
enum { GSYM_LEB_BYTES = 10 };

struct gsym_emit {
	uint8_t *data;
	size_t size;
	size_t capacity;
	bool swap;
	bool failed;
};

/** Free the bytes; EMIT can be used again. */
void gsym_emit_fini(struct gsym_emit *e);

/** Room for SIZE more bytes; false without memory. */
bool gsym_emit_grow(struct gsym_emit *e, size_t size);

/** Where the next bytes go, with room for SIZE; NULL without memory.  Who has
 *  written some says so with gsym_emit_until. */
static inline uint8_t *gsym_emit_room(struct gsym_emit *e, size_t size)
{
	if (size > e->capacity - e->size && !gsym_emit_grow(e, size))
		return NULL;
	return e->data + e->size;
}

/** SIZE new bytes to be written by the caller; NULL without memory. */
static inline uint8_t *gsym_emit_reserve(struct gsym_emit *e, size_t size)
{
	uint8_t *p = gsym_emit_room(e, size);

	if (p)
		e->size += size;
	return p;
}

/** The bytes go up to P, in the room that was given. */
static inline void gsym_emit_until(struct gsym_emit *e, const uint8_t *p)
{
	e->size = (size_t)(p - e->data);
}

/** Write V to P; what follows. */
static inline uint8_t *gsym_put_uleb(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)v | 0x80;
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static inline uint8_t *gsym_put_sleb(uint8_t *p, int64_t v)
{
	while (v < -0x40 || v > 0x3f) {
		*p++ = (uint8_t)((uint64_t)v & 0x7f) | 0x80;
		v >>= 7;
	}
	*p++ = (uint8_t)((uint64_t)v & 0x7f);
	return p;
}

static inline void gsym_emit_u8(struct gsym_emit *e, uint8_t v)
{
	uint8_t *p = gsym_emit_reserve(e, 1);

	if (p)
		*p = v;
}

static inline void gsym_emit_u16(struct gsym_emit *e, uint16_t v)
{
	uint8_t *p = gsym_emit_reserve(e, 2);

	if (p)
		gsym_store_u16(p, v, e->swap);
}

static inline void gsym_emit_u32(struct gsym_emit *e, uint32_t v)
{
	uint8_t *p = gsym_emit_reserve(e, 4);

	if (p)
		gsym_store_u32(p, v, e->swap);
}

static inline void gsym_emit_u64(struct gsym_emit *e, uint64_t v)
{
	uint8_t *p = gsym_emit_reserve(e, 8);

	if (p)
		gsym_store_u64(p, v, e->swap);
}

/** SIZE is 1, 2, 4 or 8. */
void gsym_emit_uint(struct gsym_emit *e, uint64_t v, unsigned size);
void gsym_emit_bytes(struct gsym_emit *e, const void *bytes, size_t size);

static inline void gsym_emit_uleb(struct gsym_emit *e, uint64_t v)
{
	uint8_t *p = gsym_emit_room(e, GSYM_LEB_BYTES);

	if (p)
		gsym_emit_until(e, gsym_put_uleb(p, v));
}

static inline void gsym_emit_sleb(struct gsym_emit *e, int64_t v)
{
	uint8_t *p = gsym_emit_room(e, GSYM_LEB_BYTES);

	if (p)
		gsym_emit_until(e, gsym_put_sleb(p, v));
}

/** Zero bytes up to a multiple of ALIGNMENT. */
void gsym_emit_align(struct gsym_emit *e, size_t alignment);
/** Overwrite the u32 at OFFSET. */
void gsym_emit_patch_u32(struct gsym_emit *e, size_t offset, uint32_t v);

#endif
