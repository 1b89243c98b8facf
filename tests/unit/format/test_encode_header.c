/* SPDX-License-Identifier: MIT */
/* format/layout, format/encode: where the sections of a file that is written
 * lie, and the bytes of the header and of the directory. */
#include "format/encode.h"
#include "support/gsym_bytes.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

static const uint8_t uuid[20] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
				  0x77, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
				  18, 19 };

/* The example of gsym(5). */
static struct gsym_layout example(uint16_t version)
{
	return (struct gsym_layout){
		.version = version, .base_address = 0x400000,
		.count = 2, .address_size = 2, .file_count = 2,
		.sections[GSYM_SECTION_STRINGS].size = 26,
		.sections[GSYM_SECTION_UUID].size = 8,
		.sections[GSYM_SECTION_FUNCTIONS].size = 0x75,
	};
}

/* The offset of SECTION of L. */
#define AT(l, section) ((l).sections[GSYM_SECTION_##section].offset)

Test(encode_header, the_example_of_version_1)
{
	struct gsym_layout l = example(1);
	struct gsym_emit e = { .swap = GSYM_HOST_BIG_ENDIAN };

	gsym_layout_place(&l);
	cr_expect(AT(l, UUID) == 28 && AT(l, ADDRESSES) == 0x30 &&
		  AT(l, ADDRESS_INFO) == 0x34 && AT(l, FILES) == 0x3c &&
		  AT(l, STRINGS) == 0x50 && AT(l, FUNCTIONS) == 0x6c &&
		  l.info_base == 0);
	cr_expect(l.info_size == 4 && l.string_size == 4);
	gsym_encode_header(&e, &l, uuid);
	cr_expect(e.size == 48 && !memcmp(e.data, gb_example_v1, 48));
	gsym_emit_fini(&e);
}

Test(encode_header, the_example_of_version_2)
{
	struct gsym_layout l = example(2);
	struct gsym_emit e = { .swap = GSYM_HOST_BIG_ENDIAN };
	size_t size;
	uint8_t *wanted = gb_example_v2(&size);

	gsym_layout_place(&l);
	cr_expect(AT(l, UUID) == 0xa0 && AT(l, ADDRESSES) == 0xa8 &&
		  AT(l, ADDRESS_INFO) == 0xb0 && AT(l, FILES) == 0xc0 &&
		  AT(l, STRINGS) == 0xe4 && AT(l, FUNCTIONS) == 0x100 &&
		  l.info_base == 0x100);
	cr_expect(l.info_size == 8 && l.string_size == 8);
	gsym_encode_header(&e, &l, uuid);
	cr_expect(e.size == 0xa8 && !memcmp(e.data, wanted, 0xa8));
	gsym_emit_fini(&e);
	free(wanted);
}

/* Every field in its place, in the other byte order, too. */
Test(encode_header, fields_of_version_1)
{
	struct gsym_layout l = {
		.version = 1, .base_address = 0x0102030405060708,
		.count = 0x11121314, .address_size = 1, .file_count = 1,
		.sections[GSYM_SECTION_STRINGS].size = 0x31323334,
		.sections[GSYM_SECTION_UUID].size = 20,
		.sections[GSYM_SECTION_FUNCTIONS].size = 5,
	};
	struct gsym_emit e = { .swap = !GSYM_HOST_BIG_ENDIAN };

	gsym_layout_place(&l);
	gsym_encode_header(&e, &l, uuid);
	cr_assert(e.size == 48);
	cr_expect(!memcmp(e.data, "GSYM\0\1\1\x14\1\2\3\4\5\6\7\x8"
				  "\x11\x12\x13\x14", 20));
	cr_expect(gsym_load_u32(e.data + 20, e.swap) ==
		  (uint32_t)AT(l, STRINGS));
	cr_expect(!memcmp(e.data + 24, "\x31\x32\x33\x34", 4));
	cr_expect(!memcmp(e.data + 28, uuid, 20));
	gsym_emit_fini(&e);
}

/* Offsets of tables that need padding, and of such that need none. */
Test(encode_header, alignment)
{
	static const struct {
		uint16_t version;
		uint8_t width;
		uint32_t count, files;
		uint64_t string_bytes;
		size_t uuid_size;
		/* Addresses, address info, files, strings, records. */
		uint64_t wanted[5];
	} cases[] = {
		{ 1, 1, 0, 1, 1, 0, { 48, 48, 48, 60, 64 } },
		{ 1, 1, 1, 1, 4, 20, { 48, 52, 56, 68, 72 } },
		{ 1, 1, 5, 2, 5, 1, { 48, 56, 76, 96, 104 } },
		{ 1, 2, 3, 1, 8, 0, { 48, 56, 68, 80, 88 } },
		{ 1, 4, 3, 3, 3, 0, { 48, 60, 72, 100, 104 } },
		{ 1, 8, 3, 1, 1, 0, { 48, 72, 84, 96, 100 } },
		/* Without a UUID the directory ends at 140. */
		{ 2, 1, 1, 1, 1, 0, { 140, 144, 152, 172, 176 } },
		{ 2, 8, 1, 1, 4, 0, { 144, 152, 160, 180, 184 } },
		{ 2, 4, 1, 2, 8, 0, { 140, 144, 152, 188, 196 } },
		{ 2, 1, 1, 1, 1, 1, { 161, 168, 176, 196, 200 } },
		{ 2, 2, 1, 1, 1, 1, { 162, 168, 176, 196, 200 } },
		{ 2, 4, 2, 1, 1, 5, { 168, 176, 192, 212, 216 } },
		{ 2, 8, 2, 1, 5, 20, { 184, 200, 216, 236, 244 } },
		{ 2, 1, 9, 1, 5, 20, { 180, 192, 264, 284, 292 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct gsym_layout l = {
			.version = cases[i].version,
			.count = cases[i].count,
			.address_size = cases[i].width,
			.file_count = cases[i].files,
			.sections[GSYM_SECTION_STRINGS].size =
				cases[i].string_bytes,
			.sections[GSYM_SECTION_UUID].size = cases[i].uuid_size,
		};
		static const enum gsym_section sections[] = {
			GSYM_SECTION_ADDRESSES, GSYM_SECTION_ADDRESS_INFO,
			GSYM_SECTION_FILES, GSYM_SECTION_STRINGS,
			GSYM_SECTION_FUNCTIONS,
		};
		const uint64_t *wanted = cases[i].wanted;

		gsym_layout_place(&l);
		for (unsigned k = 0; k < 5; k++)
			cr_expect(l.sections[sections[k]].offset == wanted[k],
				  "case %zu, %u: %" PRIu64, i, k,
				  l.sections[sections[k]].offset);
		cr_expect(l.info_base == (l.version == 1 ? 0 : wanted[4]));
	}
}

/* Sizes beyond 32 bits, which version 2 has. */
Test(encode_header, large_sections_of_version_2)
{
	struct gsym_layout l = {
		.version = 2, .count = UINT32_MAX, .address_size = 8,
		.file_count = UINT32_MAX,
		.sections[GSYM_SECTION_STRINGS].size = 0x200000003,
		.sections[GSYM_SECTION_FUNCTIONS].size = 0x300000005,
	};
	struct gsym_emit e = { .swap = !GSYM_HOST_BIG_ENDIAN };
	uint64_t sizes[] = { 8 * (uint64_t)UINT32_MAX, 8 * (uint64_t)UINT32_MAX,
			     4 + 16 * (uint64_t)UINT32_MAX, 0x200000003,
			     0x300000005 };
	static const uint32_t types[] = { 1, 2, 4, 3, 5 };

	gsym_layout_place(&l);
	gsym_encode_header(&e, &l, uuid);
	cr_assert(e.size == 140);
	for (unsigned i = 0; i < 5; i++) {
		const uint8_t *p = e.data + 20 + 20 * i;

		cr_expect(gsym_load_u32(p, e.swap) == types[i]);
		cr_expect(gsym_load_u64(p + 12, e.swap) == sizes[i], "%u", i);
	}
	cr_expect(gsym_load_u64(e.data + 24, e.swap) == AT(l, ADDRESSES));
	cr_expect(gsym_load_u64(e.data + 44, e.swap) ==
		  AT(l, ADDRESS_INFO));
	cr_expect(gsym_load_u64(e.data + 64, e.swap) == AT(l, FILES));
	cr_expect(gsym_load_u64(e.data + 84, e.swap) == AT(l, STRINGS));
	cr_expect(gsym_load_u64(e.data + 104, e.swap) ==
		  AT(l, FUNCTIONS));
	gsym_emit_fini(&e);
}
