/* SPDX-License-Identifier: MIT */
/* base/emit: integers, LEB128, alignment, growth, and memory that runs out. */
#include "base/cursor.h"
#include "base/emit.h"

#include <criterion/criterion.h>
#include <inttypes.h>

Test(emit, integers_in_both_byte_orders)
{
	static const uint8_t big[] = { 0x12, 0x34, 0x56, 0x78,
				       0x9a, 0xbc, 0xde, 0xf0 };

	for (int order = 0; order < 2; order++)
		for (unsigned size = 1; size <= 8; size *= 2) {
			struct gsym_emit e = {
				.swap = order != GSYM_HOST_BIG_ENDIAN
			};
			uint64_t value = 0x123456789abcdef0u >>
					 8 * (8 - size);

			gsym_emit_uint(&e, value, size);
			cr_assert_eq(e.size, size);
			for (unsigned i = 0; i < size; i++)
				cr_expect_eq(e.data[i],
					     big[order ? i : size - 1 - i]);
			gsym_emit_fini(&e);
		}
}

static void expect_leb(uint64_t value, size_t unsigned_size,
		       size_t signed_size)
{
	struct gsym_emit e = { 0 };
	struct gsym_cursor c;

	gsym_emit_uleb(&e, value);
	cr_expect_eq(e.size, unsigned_size, "%#" PRIx64 ": %zu bytes", value,
		     e.size);
	gsym_emit_sleb(&e, (int64_t)value);
	cr_expect_eq(e.size - unsigned_size, signed_size,
		     "%" PRId64 ": %zu bytes", (int64_t)value,
		     e.size - unsigned_size);
	c = gsym_cursor_init(e.data, e.size, false);
	cr_expect_eq(gsym_cursor_uleb(&c), value);
	cr_expect_eq(gsym_cursor_sleb(&c), (int64_t)value);
	cr_expect(!c.failed && !gsym_cursor_left(&c));
	gsym_emit_fini(&e);
}

Test(emit, leb128_is_as_short_as_can_be)
{
	expect_leb(0, 1, 1);
	expect_leb(UINT64_MAX, 10, 1);
	for (unsigned bits = 1; bits < 64; bits++) {
		uint64_t least = (uint64_t)1 << (bits - 1);
		uint64_t most = least + (least - 1);

		/* A signed number needs one bit more, for the sign. */
		expect_leb(least, (bits + 6) / 7, (bits + 7) / 7);
		expect_leb(most, (bits + 6) / 7, (bits + 7) / 7);
		expect_leb(~most, 10, (bits + 7) / 7);
	}
	expect_leb((uint64_t)1 << 63, 10, 10);
}

Test(emit, grows_and_keeps_what_it_has)
{
	struct gsym_emit e = { 0 };

	for (uint32_t i = 0; i < 100000; i++)
		gsym_emit_u32(&e, i);
	cr_assert_eq(e.size, 400000);
	for (uint32_t i = 0; i < 100000; i++)
		cr_assert_eq(gsym_load_u32(e.data + 4 * i, false), i);
	gsym_emit_bytes(&e, NULL, 0);
	cr_expect_eq(e.size, 400000);
	gsym_emit_fini(&e);
	cr_expect(!e.data && !e.size && !e.capacity);
	gsym_emit_u8(&e, 7);
	cr_expect(e.size == 1 && *e.data == 7);
	gsym_emit_fini(&e);
}

Test(emit, alignment)
{
	for (size_t alignment = 1; alignment <= 16; alignment *= 2)
		for (size_t size = 0; size < 40; size++) {
			struct gsym_emit e = { 0 };
			size_t want = (size + alignment - 1) / alignment *
				      alignment;

			for (size_t i = 0; i < size; i++)
				gsym_emit_u8(&e, 0xff);
			gsym_emit_align(&e, alignment);
			cr_expect_eq(e.size, want);
			for (size_t i = size; i < e.size; i++)
				cr_expect_eq(e.data[i], 0);
			gsym_emit_fini(&e);
		}
}

Test(emit, patches_within_its_bytes)
{
	struct gsym_emit e = { .swap = false };

	gsym_emit_u64(&e, 0);
	gsym_emit_patch_u32(&e, 4, 0xaabbccdd);
	cr_expect_eq(gsym_load_u32(e.data, false), 0);
	cr_expect_eq(gsym_load_u32(e.data + 4, false), 0xaabbccdd);
	gsym_emit_patch_u32(&e, 5, 1);
	gsym_emit_patch_u32(&e, 8, 1);
	gsym_emit_patch_u32(&e, SIZE_MAX, 1);
	cr_expect_eq(gsym_load_u32(e.data + 4, false), 0xaabbccdd);
	gsym_emit_fini(&e);
}

Test(emit, no_memory_is_for_good)
{
	struct gsym_emit e = { 0 };

	gsym_emit_u8(&e, 1);
	cr_expect_null(gsym_emit_reserve(&e, SIZE_MAX - 100));
	cr_expect(e.failed && e.size == 1);
	/* Later bytes that fit are refused: they would follow a gap. */
	cr_expect(!gsym_emit_grow(&e, 1));
	gsym_emit_u8(&e, 2);
	cr_expect(e.failed && e.size == 1);
	gsym_emit_fini(&e);
	cr_expect(!e.failed);
}
