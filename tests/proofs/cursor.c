/* SPDX-License-Identifier: MIT */
/* The cursor: from any state, each read stays inside the bytes, moves forward,
 * and leaves a sound cursor.  A read that fails leaves no bytes. */
#include "any.h"

/*
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_init: bytes + size => bytes + size + 1
 */
void prove_gsym_cursor_init(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = nondet_bool() ? NULL : any_bytes(size);
	struct gsym_cursor c;

	GIVEN(data || !size);
	c = gsym_cursor_init(data, size, nondet_bool());
	PROVE(is_sound(&c, c.start, size));
	PROVE(gsym_cursor_offset(&c) == 0 && gsym_cursor_left(&c) == size);
}

/*
 * And with it gsym_cursor_u8, _u16, _u24, _u32 and _u64.
 *
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_u24: gsym_cursor_bytes(c, 3) =>
 *     gsym_cursor_bytes(c, 2)
 */
void prove_gsym_cursor_uint(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;
	unsigned width = nondet_u32();
	uint64_t number = gsym_cursor_uint(&c, width);

	PROVE(is_sound(&c, data, size));
	PROVE(c.failed || c.at == before.at + width);
	PROVE(!c.failed || (c.at == before.at && !number));
	PROVE(width >= 8 || !(number >> 8 * width));
}

/*
 * And with it gsym_cursor_need.
 *
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_need: size <= (uint64_t)(c->end - c->at) =>
 *     c->at + size <= c->end
 */
void prove_gsym_cursor_bytes(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;
	uint64_t wanted = nondet_u64();
	const uint8_t *bytes = gsym_cursor_bytes(&c, wanted);

	PROVE(is_sound(&c, data, size));
	PROVE(!bytes || (bytes == before.at && c.at == bytes + wanted));
	PROVE(bytes || (c.failed && c.at == before.at));
	PROVE(!bytes || __CPROVER_r_ok(bytes, wanted));
}

/*
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_skip: if (gsym_cursor_need(c, size)) =>
 */
void prove_gsym_cursor_skip(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;

	gsym_cursor_skip(&c, nondet_u64());
	PROVE(is_sound(&c, data, size) && c.at >= before.at);
}

/*
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_seek: offset > (uint64_t)(c->end - c->start)
 *     => offset > (uint64_t)(c->end - c->start) + 1
 */
void prove_gsym_cursor_seek(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size);
	uint64_t offset = nondet_u64();

	gsym_cursor_seek(&c, offset);
	PROVE(is_sound(&c, data, size));
	PROVE(c.failed || gsym_cursor_offset(&c) == offset);
}

/*
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_string: (size_t)(c->end - p) =>
 *     (size_t)(c->end - p) + 1
 */
void prove_gsym_cursor_string(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;
	const char *string = gsym_cursor_string(&c);

	PROVE(is_sound(&c, data, size));
	PROVE(c.failed ? !*string
		       : string == (const char *)before.at &&
				 c.at > before.at && !c.at[-1]);
}

/* ---- LEB128 ------------------------------------------------------------- */

/*
 * A number of any length, padding included.
 *
 * Bound: any size
 * Code: base/cursor.c
 * Break: base/cursor.c gsym_uleb_read: while (p < end) => while (p <= end)
 */
void prove_gsym_uleb_read(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	const uint8_t *at = data + any_up_to(size);
	uint64_t value;
	const uint8_t *after = gsym_uleb_read(at, data + size, &value);

	PROVE(is_after(after, at, data + size));
}

/*
 * Bound: any size
 * Code: base/cursor.c
 * Break: base/cursor.c gsym_sleb_read: if (shift < 63 && (byte & 0x40)) =>
 *     if (byte & 0x40)
 */
void prove_gsym_sleb_read(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	const uint8_t *at = data + any_up_to(size);
	int64_t value;
	const uint8_t *after = gsym_sleb_read(at, data + size, &value);

	PROVE(is_after(after, at, data + size));
}

/*
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_uleb: c->end - p >= 2 => c->end - p >= 1
 */
void prove_gsym_cursor_uleb(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;

	gsym_cursor_uleb(&c);
	PROVE(is_sound(&c, data, size));
	PROVE(c.failed ? c.at == before.at : c.at > before.at);
}

/*
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_sleb: c->end - p >= 2 => c->end - p >= 1
 */
void prove_gsym_cursor_sleb(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;

	gsym_cursor_sleb(&c);
	PROVE(is_sound(&c, data, size));
	PROVE(c.failed ? c.at == before.at : c.at > before.at);
}

/*
 * Bound: any size
 * Code: base/cursor.h
 * Break: base/cursor.h gsym_cursor_skip_leb: c->at < c->end => c->at <= c->end
 */
void prove_gsym_cursor_skip_leb(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;

	gsym_cursor_skip_leb(&c);
	PROVE(is_sound(&c, data, size));
	PROVE(c.failed || c.at > before.at);
}
