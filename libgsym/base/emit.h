/* SPDX-License-Identifier: MIT */
/*
 * base/emit.h - a buffer that grows: append integers in either byte order,
 * LEB128 and padding.  Once memory runs out, FAILED is set, and nothing more
 * is appended until gsym_emit_fini: check FAILED once at the end.  A zeroed
 * struct is an empty buffer.  Knows no format.
 */
#ifndef GSYM_BASE_EMIT_H
#define GSYM_BASE_EMIT_H

#include "base/cursor.h"

#include <stddef.h>

/** The most bytes that the LEB128 of a 64-bit number takes. */
enum { GSYM_LEB_BYTES = 10 };

struct gsym_emit {
	uint8_t *data;   /**< moves when the buffer grows */
	size_t size;     /**< bytes appended so far */
	size_t capacity; /**< bytes allocated at DATA */
	bool swap;       /**< write in the other byte order */
	bool failed;     /**< memory ran out */
};

/** Free the bytes of E, which is empty then and can be used again. */
void gsym_emit_fini(struct gsym_emit *e);

/** Make room for SIZE bytes after those of E.  Returns false if memory runs
 *  out, and after any failure. */
bool gsym_emit_grow(struct gsym_emit *e, size_t size);

/** The end of the bytes of E, with room for SIZE more; NULL after any failure.
 *  The caller writes there and then calls gsym_emit_until. */
static inline uint8_t *gsym_emit_room(struct gsym_emit *e, size_t size)
{
	if (size > e->capacity - e->size && !gsym_emit_grow(e, size))
		return NULL;
	return e->data + e->size;
}

/** Append SIZE undefined bytes, for the caller to write; NULL after any
 *  failure. */
static inline uint8_t *gsym_emit_reserve(struct gsym_emit *e, size_t size)
{
	uint8_t *p = gsym_emit_room(e, size);

	if (p)
		e->size += size;
	return p;
}

/** Let the bytes of E end at P, which is in the room that gsym_emit_room
 *  gave. */
static inline void gsym_emit_until(struct gsym_emit *e, const uint8_t *p)
{
	e->size = (size_t)(p - e->data);
}

/* Write V as a LEB128 to P, which has room for GSYM_LEB_BYTES.  Return the
 * byte after the number. */
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

/** Append the low SIZE (1, 2, 4 or 8) bytes of V. */
void gsym_emit_uint(struct gsym_emit *e, uint64_t v, unsigned size);
/** Append a copy of the SIZE bytes at BYTES, which may be NULL if SIZE is
 *  0. */
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

/** Append zero bytes until the size is a multiple of ALIGNMENT. */
void gsym_emit_align(struct gsym_emit *e, size_t alignment);
/** Overwrite the u32 at OFFSET with V; nothing happens if OFFSET + 4 is beyond
 *  the bytes of E. */
void gsym_emit_patch_u32(struct gsym_emit *e, size_t offset, uint32_t v);

#endif
