/* SPDX-License-Identifier: MIT */
/*
 * base/cursor.h - bounded reads of untrusted bytes; integers at any alignment,
 * in either byte order.
 *
 * A read that would go beyond the end of the bytes sets FAILED.  That read and
 * all later ones return 0, NULL or "", so a parser may read several fields and
 * check FAILED once.  Only a read of 0 bytes never fails.  Knows no format.
 */
#ifndef GSYM_BASE_CURSOR_H
#define GSYM_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Loads and stores.  SWAP: the byte order is not that of this machine. */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define GSYM_HOST_BIG_ENDIAN true
#else
#define GSYM_HOST_BIG_ENDIAN false
#endif

static inline uint16_t gsym_load_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t gsym_load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t gsym_load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static inline void gsym_store_u16(void *p, uint16_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void gsym_store_u32(void *p, uint32_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void gsym_store_u64(void *p, uint64_t v, bool swap)
{
	if (swap)
		v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

/** The unsigned integer of SIZE (1, 2, 4 or 8) bytes at P. */
static inline uint64_t gsym_load_uint(const uint8_t *p, unsigned size,
				      bool swap)
{
	switch (size) {
	case 1:
		return *p;
	case 2:
		return gsym_load_u16(p, swap);
	case 4:
		return gsym_load_u32(p, swap);
	default:
		return gsym_load_u64(p, swap);
	}
}

/** Store the low SIZE (1, 2, 4 or 8) bytes of V at P. */
static inline void gsym_store_uint(uint8_t *p, uint64_t v, unsigned size,
				   bool swap)
{
	switch (size) {
	case 1:
		*p = (uint8_t)v;
		break;
	case 2:
		gsym_store_u16(p, (uint16_t)v, swap);
		break;
	case 4:
		gsym_store_u32(p, (uint32_t)v, swap);
		break;
	default:
		gsym_store_u64(p, v, swap);
	}
}

struct gsym_cursor {
	const uint8_t *start;
	const uint8_t *at; /**< the next byte to read */
	const uint8_t *end;
	bool swap; /**< integers are not in the byte order of this machine */
	bool failed;
};

/** A cursor over the SIZE bytes at DATA, which have to outlive it.  DATA may
 *  be NULL if SIZE is 0. */
static inline struct gsym_cursor gsym_cursor_init(const void *data, size_t size,
						  bool swap)
{
	const uint8_t *bytes = data ? data : (const uint8_t *)"";

	return (struct gsym_cursor){ bytes, bytes, bytes + size, swap, false };
}

/** Offset of the next byte to read, from the start. */
static inline size_t gsym_cursor_offset(const struct gsym_cursor *c)
{
	return (size_t)(c->at - c->start);
}

/** Bytes from the next one to read up to the end; 0 after a failure. */
static inline size_t gsym_cursor_left(const struct gsym_cursor *c)
{
	return (size_t)(c->end - c->at);
}

/** Make the cursor fail at its present offset. */
static inline void gsym_cursor_fail(struct gsym_cursor *c)
{
	c->failed = true;
	c->end = c->at;
}

/** Whether SIZE more bytes are there; the cursor fails if not. */
static inline bool gsym_cursor_need(struct gsym_cursor *c, uint64_t size)
{
	if (size <= (uint64_t)(c->end - c->at))
		return true;
	gsym_cursor_fail(c);
	return false;
}

/** Go to OFFSET, counted from the start.  Fails beyond the end; does nothing
 *  after a failure. */
static inline void gsym_cursor_seek(struct gsym_cursor *c, uint64_t offset)
{
	if (c->failed)
		return;
	if (offset > (uint64_t)(c->end - c->start))
		gsym_cursor_fail(c);
	else
		c->at = c->start + offset;
}

/** The next SIZE bytes; NULL if fewer are left. */
static inline const uint8_t *gsym_cursor_bytes(struct gsym_cursor *c,
					       uint64_t size)
{
	const uint8_t *p = c->at;

	if (!gsym_cursor_need(c, size))
		return NULL;
	c->at += size;
	return p;
}

/** Skip SIZE bytes; fails if fewer are left. */
static inline void gsym_cursor_skip(struct gsym_cursor *c, uint64_t size)
{
	if (gsym_cursor_need(c, size))
		c->at += size;
}

static inline uint8_t gsym_cursor_u8(struct gsym_cursor *c)
{
	return gsym_cursor_need(c, 1) ? *c->at++ : 0;
}

static inline uint16_t gsym_cursor_u16(struct gsym_cursor *c)
{
	const uint8_t *p = gsym_cursor_bytes(c, 2);

	return p ? gsym_load_u16(p, c->swap) : 0;
}

/** An unsigned integer of three bytes (DW_FORM_strx3, DW_FORM_addrx3). */
static inline uint32_t gsym_cursor_u24(struct gsym_cursor *c)
{
	const uint8_t *p = gsym_cursor_bytes(c, 3);

	if (!p)
		return 0;
	if (c->swap != GSYM_HOST_BIG_ENDIAN)
		return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
	return (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static inline uint32_t gsym_cursor_u32(struct gsym_cursor *c)
{
	const uint8_t *p = gsym_cursor_bytes(c, 4);

	return p ? gsym_load_u32(p, c->swap) : 0;
}

static inline uint64_t gsym_cursor_u64(struct gsym_cursor *c)
{
	const uint8_t *p = gsym_cursor_bytes(c, 8);

	return p ? gsym_load_u64(p, c->swap) : 0;
}

/** An unsigned integer of SIZE bytes: 1, 2, 3, 4 or 8; any other SIZE
 *  fails. */
static inline uint64_t gsym_cursor_uint(struct gsym_cursor *c, unsigned size)
{
	switch (size) {
	case 1:
		return gsym_cursor_u8(c);
	case 2:
		return gsym_cursor_u16(c);
	case 3:
		return gsym_cursor_u24(c);
	case 4:
		return gsym_cursor_u32(c);
	case 8:
		return gsym_cursor_u64(c);
	}
	gsym_cursor_fail(c);
	return 0;
}

/* Read the LEB128 at P, which ends before END, to *VALUE.  Padding bytes are
 * accepted.  Return the byte after the number, or NULL if the number does not
 * end before END or needs more than 64 bits.  The parameters are no cursor, so
 * that the compiler can keep the caller's cursor in registers. */
const uint8_t *gsym_uleb_read(const uint8_t *p, const uint8_t *end,
			      uint64_t *value);
const uint8_t *gsym_sleb_read(const uint8_t *p, const uint8_t *end,
			      int64_t *value);

/** Read a ULEB128.  Fails if the number needs more than 64 bits. */
static inline uint64_t gsym_cursor_uleb(struct gsym_cursor *c)
{
	const uint8_t *p = c->at;
	uint64_t value;

	/* Nearly all numbers have one byte or two. */
	if (c->end - p >= 2) {
		if (p[0] < 0x80) {
			c->at = p + 1;
			return p[0];
		}
		if (p[1] < 0x80) {
			c->at = p + 2;
			return (uint64_t)p[1] << 7 | (p[0] & 0x7f);
		}
	}
	p = gsym_uleb_read(p, c->end, &value);
	if (!p) {
		gsym_cursor_fail(c);
		return 0;
	}
	c->at = p;
	return value;
}

/** Read a SLEB128.  Fails if the number needs more than 64 bits. */
static inline int64_t gsym_cursor_sleb(struct gsym_cursor *c)
{
	const uint8_t *p = c->at;
	int64_t value;

	if (c->end - p >= 2) {
		if (p[0] < 0x80) {
			c->at = p + 1;
			return (int64_t)(p[0] ^ 0x40) - 0x40;
		}
		if (p[1] < 0x80) {
			c->at = p + 2;
			return (int64_t)((uint64_t)(p[1] ^ 0x40) << 7 |
					 (p[0] & 0x7f)) - 0x2000;
		}
	}
	p = gsym_sleb_read(p, c->end, &value);
	if (!p) {
		gsym_cursor_fail(c);
		return 0;
	}
	c->at = p;
	return value;
}

/** Skip a LEB128 of any length. */
static inline void gsym_cursor_skip_leb(struct gsym_cursor *c)
{
	while (c->at < c->end)
		if (*c->at++ < 0x80)
			return;
	gsym_cursor_fail(c);
}

/** Read a string up to and including its NUL.  The result points into the
 *  bytes of the cursor; "" and a failed cursor if there is no NUL. */
static inline const char *gsym_cursor_string(struct gsym_cursor *c)
{
	const uint8_t *p = c->at;
	const uint8_t *nul = memchr(p, 0, (size_t)(c->end - p));

	if (!nul) {
		gsym_cursor_fail(c);
		return "";
	}
	c->at = nul + 1;
	return (const char *)p;
}

#endif
