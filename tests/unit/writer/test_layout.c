/* SPDX-License-Identifier: MIT */
/* The bytes around the records: headers, directory, tables, alignment, in
 * both versions and byte orders.  The expected bytes were derived from gsym(5)
 * by hand. */
#include "support/make.h"
#include "writer/state.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static const uint8_t uuid[32] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
				  0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd,
				  0xee, 0xff, 0x10, 0x21, 0x32, 0x43, 0x54 };

/* A loop that calls an inlined function, and the function that calls it. */
static struct make example(unsigned version, bool big_endian)
{
	struct make m = make_begin();
	uint32_t f = make_file(&m, "ex.c");
	struct gsym_row work[] = { { 0x00, f, 6 }, { 0x09, f, 5 },
				   { 0x0e, f, 7 }, { 0x0e, f, 1 },
				   { 0x0e, f, 2 }, { 0x13, f, 7 },
				   { 0x17, f, 6 }, { 0x1e, f, 9 },
				   { 0x21, f, 5 }, { 0x26, f, 8 } };
	struct gsym_row start[] = { { 0x00, f, 10 }, { 0x04, f, 11 },
				    { 0x12, f, 12 }, { 0x12, f, 13 },
				    { 0x1a, f, 12 } };
	struct gsym_range range = { 0x40100e, 0x401013 };
	struct gsym_inline_node node = { 1, make_string(&m, "sq"), f, 7, 0, 1 };

	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x401000,
					       .size = 0x28,
					       .name = make_string(&m, "work"),
					       .rows = work,
					       .row_count = 10,
					       .inlines = &node,
					       .inline_count = 1,
					       .inline_ranges = &range });
	make_record(&m, &(struct gsym_record){
				.rank = GSYM_RANK_FUNCTION,
				.start = 0x401028,
				.size = 0x1c,
				.name = make_string(&m, "_start"),
				.rows = start,
				.row_count = 5 });
	gsym_builder_set_base(m.builder, 0x400000);
	gsym_builder_set_uuid(m.builder, uuid, 8);
	m.options.version = version;
	m.options.big_endian = big_endian;
	make_end(&m);
	return m;
}

static const uint8_t example_v1[] = {
	/* header */
	0x4d, 0x59, 0x53, 0x47, 1, 0, 2, 8,
	0x00, 0x00, 0x40, 0, 0, 0, 0, 0,
	2, 0, 0, 0, 0x50, 0, 0, 0, 0x1a, 0, 0, 0,
	0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0,
	/* 30: addresses, their info, files */
	0x00, 0x10, 0x28, 0x10,
	0x6c, 0, 0, 0, 0xb0, 0, 0, 0,
	2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0x15, 0, 0, 0,
	/* 50: strings: names by first use, then those of the file */
	0, 'w', 'o', 'r', 'k', 0, 's', 'q', 0,
	'_', 's', 't', 'a', 'r', 't', 0,
	'/', 's', 'r', 'c', 0, 'e', 'x', '.', 'c', 0, 0, 0,
	/* 6c: work */
	0x28, 0, 0, 0, 1, 0, 0, 0,
	1, 0, 0, 0, 0x0c, 0, 0, 0,
	0x7c, 0x05, 0x06, /* window -4 .. 5, line 6 */
	0x08, /* 4: +0 */ 0x61, /* 93: +9 -1 */ 0x37, /* 51: +5 -3 */
	0x3f, /* 59: +5 +5 */ 0x2f, /* 43: +4 -1 */ 0x51, /* 77: +7 +3 */
	0x22, /* 30: +3 -4 */ 0x3d, /* 57: +5 +3 */ 0,
	2, 0, 0, 0, 0x15, 0, 0, 0,
	1, 0, 0x28, 1, 1, 0, 0, 0, 0, 0,
	1, 0x0e, 5, 0, 6, 0, 0, 0, 1, 7, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* b0: _start */
	0x1c, 0, 0, 0, 9, 0, 0, 0,
	1, 0, 0, 0, 8, 0, 0, 0,
	0x7f, 0x02, 0x0a, 0x05, 0x16, 0x3f, 0x24, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
};

static const uint8_t example_v2[] = {
	/* header and directory */
	0x4d, 0x59, 0x53, 0x47, 2, 0, 2, 0,
	0x00, 0x00, 0x40, 0, 0, 0, 0, 0, 2, 0, 0, 0,
	6, 0, 0, 0, 0xa0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 0xa8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
	2, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0,
	4, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0,
	3, 0, 0, 0, 0xe4, 0, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0,
	5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x74, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* a0: UUID, addresses, their info, files */
	0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
	0x00, 0x10, 0x28, 0x10, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0, 0, 0, 0, 0, 0, 0,
	2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x10, 0, 0, 0, 0, 0, 0, 0, 0x15, 0, 0, 0, 0, 0, 0, 0,
	/* e4: strings */
	0, 'w', 'o', 'r', 'k', 0, 's', 'q', 0,
	'_', 's', 't', 'a', 'r', 't', 0,
	'/', 's', 'r', 'c', 0, 'e', 'x', '.', 'c', 0, 0, 0,
	/* 100: work */
	0x28, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 0x0c, 0, 0, 0,
	0x7c, 0x05, 0x06, 0x08, 0x61, 0x37, 0x3f, 0x2f, 0x51, 0x22, 0x3d, 0,
	2, 0, 0, 0, 0x1d, 0, 0, 0,
	1, 0, 0x28, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 0x0e, 5, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1, 7, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 150: _start */
	0x1c, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 8, 0, 0, 0,
	0x7f, 0x02, 0x0a, 0x05, 0x16, 0x3f, 0x24, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
};

/* The fixed-size fields of the examples that are not 0. */
struct field {
	uint16_t offset;
	uint16_t size;
};

static const struct field fields_v1[] = {
	{ 0x00, 4 }, { 0x04, 2 }, { 0x08, 8 }, { 0x10, 4 }, { 0x14, 4 },
	{ 0x18, 4 }, { 0x30, 2 }, { 0x32, 2 }, { 0x34, 4 }, { 0x38, 4 },
	{ 0x3c, 4 }, { 0x48, 4 }, { 0x4c, 4 }, { 0x6c, 4 }, { 0x70, 4 },
	{ 0x74, 4 }, { 0x78, 4 }, { 0x88, 4 }, { 0x8c, 4 }, { 0x94, 4 },
	{ 0x9e, 4 }, { 0xb0, 4 }, { 0xb4, 4 }, { 0xb8, 4 }, { 0xbc, 4 },
	{ 0, 0 },
};

static const struct field fields_v2[] = {
	{ 0x00, 4 },  { 0x04, 2 },  { 0x08, 8 },  { 0x10, 4 },  { 0x14, 4 },
	{ 0x18, 8 },  { 0x20, 8 },  { 0x28, 4 },  { 0x2c, 8 },  { 0x34, 8 },
	{ 0x3c, 4 },  { 0x40, 8 },  { 0x48, 8 },  { 0x50, 4 },  { 0x54, 8 },
	{ 0x5c, 8 },  { 0x64, 4 },  { 0x68, 8 },  { 0x70, 8 },  { 0x78, 4 },
	{ 0x7c, 8 },  { 0x84, 8 },  { 0xa8, 2 },  { 0xaa, 2 },  { 0xb8, 8 },
	{ 0xc0, 4 },  { 0xd4, 8 },  { 0xdc, 8 },  { 0x100, 4 }, { 0x104, 8 },
	{ 0x10c, 4 }, { 0x110, 4 }, { 0x120, 4 }, { 0x124, 4 }, { 0x12c, 8 },
	{ 0x13a, 8 }, { 0x150, 4 }, { 0x154, 8 }, { 0x15c, 4 }, { 0x160, 4 },
	{ 0, 0 },
};

static void expect_bytes(const struct make *m, const uint8_t *expected,
			 size_t size, const struct field *fields)
{
	uint8_t bytes[512];

	cr_assert_eq(m->size, size, "%zu bytes, not %zu", m->size, size);
	memcpy(bytes, expected, size);
	for (; m->options.big_endian && fields->size; fields++)
		for (unsigned i = 0; i < fields->size; i++)
			bytes[fields->offset + i] =
				expected[fields->offset + fields->size - 1 - i];
	for (size_t i = 0; i < size; i++)
		cr_assert_eq(m->bytes[i], bytes[i], "0x%zx: 0x%02x, not 0x%02x",
			     i, m->bytes[i], bytes[i]);
}

Test(layout, example_bytes)
{
	for (int big = 0; big < 2; big++) {
		struct make m = example(1, big);

		expect_bytes(&m, example_v1, sizeof(example_v1), fields_v1);
		make_free(&m);
		m = example(2, big);
		expect_bytes(&m, example_v2, sizeof(example_v2), fields_v2);
		make_free(&m);
	}
}

Test(layout, example_content)
{
	for (unsigned i = 0; i < 4; i++) {
		struct make m = example(1 + i / 2, i % 2);

		cr_assert_eq(m.plain.base, 0x400000);
		cr_assert_eq(m.plain.uuid_size, 8);
		cr_assert_arr_eq(m.plain.uuid, uuid, 8);
		cr_assert_str_eq(make_list(&m),
				 "401000+28 work; 401028+1c _start");
		cr_assert_str_eq(make_rows(&m, 0x401000),
				 "0 /src/ex.c:6; 9 /src/ex.c:5; "
				 "e /src/ex.c:2; 13 /src/ex.c:7; "
				 "17 /src/ex.c:6; 1e /src/ex.c:9; "
				 "21 /src/ex.c:5; 26 /src/ex.c:8");
		cr_assert_str_eq(make_rows(&m, 0x401028),
				 "0 /src/ex.c:10; 4 /src/ex.c:11; "
				 "12 /src/ex.c:13; 1a /src/ex.c:12");
		cr_assert_str_eq(make_inlines(&m, 0x401000),
				 "1 sq [40100e,401013) /src/ex.c:7");
		cr_assert_eq(m.summary.functions, 2);
		cr_assert_eq(m.summary.rows, 12);
		cr_assert_eq(m.summary.inlined_calls, 1);
		cr_assert_eq(m.summary.strings, 5);
		cr_assert_eq(m.summary.files, 1);
		cr_assert_not(m.summary.uuid_cut);
		make_free(&m);
	}
}

/* A checksum comes after the bytes of the file without it, and zeros that align
 * it; make_end compares it.  With many records there are several pieces. */
Test(layout, checksum)
{
	for (unsigned i = 0; i < 8; i++) {
		uint8_t *bytes[2];
		size_t size[2], end;

		for (int sum = 0; sum < 2; sum++) {
			struct make m = make_begin();
			uint32_t file = make_file(&m, "a.c");
			struct gsym_row row = { 0, file, 7 };
			char name[16];

			/* The last record has 29 bytes. */
			make_record(&m, &(struct gsym_record){
				.rank = GSYM_RANK_FUNCTION, .start = 0x100000,
				.size = 16, .name = make_string(&m, "last"),
				.rows = &row, .row_count = 1 });
			for (unsigned k = 0; k < (i < 4 ? 1 : 3000); k++) {
				snprintf(name, sizeof(name), "f%u", k);
				make_symbol(&m, 0x1000 + 16 * k, 16, name);
			}
			m.options.version = 1 + i / 2 % 2;
			m.options.big_endian = i % 2;
			m.options.threads = 2;
			m.options.checksum = sum;
			make_end(&m);
			cr_expect_eq(m.plain.has_checksum, sum);
			bytes[sum] = m.bytes;
			size[sum] = m.size;
			m.bytes = NULL;
			make_free(&m);
		}
		end = (size[0] + 3) & ~(size_t)3;
		cr_assert_neq(size[0], end);
		cr_assert_eq(size[1], end + 16);
		cr_assert_arr_eq(bytes[1], bytes[0], size[0]);
		free(bytes[0]);
		free(bytes[1]);
	}
}

Test(layout, address_width_boundaries)
{
	static const struct {
		uint64_t last;
		unsigned width;
	} cases[] = {
		{ 0x0, 1 },	   { 0xff, 1 },	       { 0x100, 2 },
		{ 0xffff, 2 },	   { 0x10000, 4 },     { 0xffffffff, 4 },
		{ 0x100000000, 8 }, { UINT64_MAX - 0x2000, 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (unsigned k = 0; k < 4; k++) {
			struct make m = make_begin();

			make_symbol(&m, 0x1000 + cases[i].last, 1, "last");
			if (cases[i].last)
				make_symbol(&m, 0x1000, 1, "first");
			m.options.version = 1 + k / 2;
			m.options.big_endian = k % 2;
			make_end(&m);
			cr_assert_eq(m.plain.address_size, cases[i].width);
			cr_assert_eq(m.plain.base, 0x1000);
			cr_assert_not_null(
				plain_at(&m.plain, 0x1000 + cases[i].last));
			cr_assert_eq(m.plain.address_info %
					     (m.plain.version == 1 ? 4 : 8),
				     0);
			cr_assert_eq(m.plain.addresses % cases[i].width, 0);
			cr_assert_eq(m.plain.files_offset % 4, 0);
			cr_assert_eq(m.plain.functions_offset % 4, 0);
			make_free(&m);
		}
}

Test(layout, base_address)
{
	struct make m = make_begin();

	/* The preferred base address is used if nothing is below it. */
	make_symbol(&m, 0x1000, 1, "f");
	gsym_builder_set_base(m.builder, 0x400);
	make_end(&m);
	cr_assert_eq(m.plain.base, 0x400);
	make_free(&m);

	m = make_begin();
	make_symbol(&m, 0x1000, 1, "f");
	gsym_builder_set_base(m.builder, 0x2000);
	make_end(&m);
	cr_assert_eq(m.plain.base, 0x1000);
	make_free(&m);

	m = make_begin();
	make_symbol(&m, 0x1000, 1, "f");
	make_end(&m);
	cr_assert_eq(m.plain.base, 0x1000);
	make_free(&m);
}

Test(layout, uuid_sizes)
{
	static const size_t sizes[] = { 0, 1, 16, 19, 20, 21, 32 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (unsigned version = 1; version <= 2; version++) {
			size_t kept = sizes[i];
			struct make m = make_begin();

			if (version == 1 && kept > 20)
				kept = 20;
			make_symbol(&m, 0x1000, 1, "f");
			gsym_builder_set_uuid(m.builder, uuid, 3);
			gsym_builder_set_uuid(m.builder, uuid, sizes[i]);
			m.options.version = version;
			make_end(&m);
			cr_assert_eq(m.plain.uuid_size, kept);
			if (kept)
				cr_assert_arr_eq(m.plain.uuid, uuid, kept);
			cr_assert_eq(m.summary.uuid_cut, kept < sizes[i]);
			make_free(&m);
		}
}

Test(layout, section_sizes_of_v2)
{
	/* One address: header 20, directory 120, addresses 1 at 140, info at
	 * 144, files at 152, strings at 172 "\0f\0", records at 176. */
	struct make m = make_begin();

	make_symbol(&m, 0x1000, 1, "f");
	m.options.version = 2;
	make_end(&m);
	cr_assert_eq(m.plain.addresses, 140);
	cr_assert_eq(m.plain.address_info, 144);
	cr_assert_eq(m.plain.files_offset, 152);
	cr_assert_eq(m.plain.strings, 172);
	cr_assert_eq(m.plain.string_bytes, 3);
	cr_assert_eq(m.plain.functions_offset, 176);
	cr_assert_eq(m.size, 176 + 20);
	make_free(&m);
}

/* Finish M with lowered LIMITS, which has to fail; returns the message. */
static const char *fail_limit(struct make *m, struct w_limits limits)
{
	static struct gsym_error error;

	m->builder->limits = limits;
	m->bytes = NULL;
	cr_assert_eq(gsym_builder_finish(m->builder, &m->options, &m->bytes,
					 &m->size, &m->summary, &error),
		     GSYM_ERR_LIMIT);
	cr_assert_eq(error.code, GSYM_ERR_LIMIT);
	cr_assert_eq(error.offset, 0);
	cr_assert_null(m->bytes);
	make_free(m);
	return error.message;
}

static struct make limited(unsigned version)
{
	struct make m = make_begin();

	m.options.version = version;
	for (uint32_t i = 0; i < 1000; i++)
		make_symbol(&m, 0x1000 + i * 4, 4, i % 2 ? "a" : "b");
	make_symbol(&m, 0x8000, 4, "a long name, beyond the string limit");
	return m;
}

Test(layout, limits_of_v1)
{
	struct make m = limited(1);

	cr_assert_str_eq(
		fail_limit(&m, (struct w_limits){ 30, UINT32_MAX, 1000 }),
		"string table: more than 4 GiB; version 2 has room for them");
	m = limited(1);
	cr_assert_str_eq(
		fail_limit(&m, (struct w_limits){ 5000, UINT32_MAX, 1000 }),
		"function records: after the first 4 GiB; version 2 has room "
		"for them");
	/* Header and tables take more than 48 + 1001 * 6 bytes, so some
	 * records begin after 10,000 bytes. */
	m = limited(1);
	cr_assert_str_eq(
		fail_limit(&m, (struct w_limits){ 10000, UINT32_MAX, 1000 }),
		"function records: more than 4 GiB; version 2 has room for "
		"them");
	m = limited(1);
	cr_assert_str_eq(fail_limit(&m, (struct w_limits){ UINT32_MAX, 1000,
							   1000 }),
			 "more than 2^32 - 1 functions or files");
}

/* What lies at a limit is still allowed. */
Test(layout, limits_are_exact)
{
	struct make m = limited(1);
	const struct w_limits no_limits = m.builder->limits;
	uint64_t strings, functions;

	make_end(&m);
	strings = m.plain.string_bytes;
	functions = m.plain.functions_offset;
	make_free(&m);
	for (uint64_t less = 0; less < 2; less++) {
		struct w_limits l = no_limits;
		const char *message;

		/* Of the function records, one begins at the first offset and
		 * all others later. */
		l.offset = functions - less;
		m = limited(1);
		message = fail_limit(&m, l);
		cr_expect(strstr(message, less ? "after the first 4 GiB"
					       : "more than 4 GiB"),
			  "%s", message);
		l.offset = strings - less;
		m = limited(1);
		message = fail_limit(&m, l);
		cr_expect(strstr(message, less ? "string table"
					       : "after the first 4 GiB"),
			  "%s", message);
	}
	/* File 0 counts as well. */
	for (uint64_t count = 3; count < 5; count++) {
		struct gsym_row rows[] = { { 0, 0, 1 },
					   { 1, 0, 1 },
					   { 2, 0, 1 } };

		m = make_begin();
		rows[0].file = make_file(&m, "a.c");
		rows[1].file = make_file(&m, "b.c");
		rows[2].file = make_file(&m, "c.c");
		make_record(&m,
			    &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
						   .start = 0x1000,
						   .size = 8,
						   .name = rows[0].file,
						   .rows = rows,
						   .row_count = 3 });
		m.builder->limits.count = count;
		if (count > 3) {
			make_end(&m);
			make_free(&m);
		} else {
			fail_limit(&m, m.builder->limits);
		}
	}
	m = limited(1);
	m.builder->limits.count = 1001;
	make_end(&m);
	make_free(&m);
}

/* The last record, too, has to begin within the limit. */
Test(layout, the_last_record_within_the_limit)
{
	struct make m = limited(1);
	const struct plain_function *last;
	uint64_t offset;

	make_end(&m);
	last = &m.plain.functions[m.plain.function_count - 1];
	offset = last->record_offset;
	make_free(&m);
	m = limited(1);
	m.builder->limits.offset = offset;
	make_end(&m);
	make_free(&m);
	m = limited(1);
	cr_assert_str_eq(
		fail_limit(&m, (struct w_limits){ offset - 1, UINT32_MAX,
						  1000 }),
		"function records: more than 4 GiB; version 2 has room for "
		"them");
}

Test(layout, limits_of_v2)
{
	struct make m = limited(2);

	/* Version 2 has 64 bits for offsets. */
	m.builder->limits.offset = 30;
	make_end(&m);
	cr_assert_eq(m.plain.function_count, 1001);
	make_free(&m);
	m = limited(2);
	cr_assert_str_eq(fail_limit(&m, (struct w_limits){ UINT32_MAX, 1000,
							   1000 }),
			 "more than 2^32 - 1 functions or files");
}

Test(layout, a_builder_is_used_up)
{
	struct make m = make_begin();
	struct gsym_error error;
	uint8_t *bytes = NULL;
	uint32_t number;
	size_t size;

	make_symbol(&m, 0x1000, 1, "f");
	make_end(&m);
	cr_assert_eq(gsym_builder_finish(m.builder, NULL, &bytes, &size, NULL,
					 &error),
		     GSYM_ERR_ARGUMENT);
	cr_assert_str_eq(error.message, "the builder is used up");
	cr_assert_eq(error.offset, 0);
	cr_assert_eq(gsym_builder_string(m.builder, "x", 1, &number),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_file(m.builder, 0, 1, &number),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_call_site(m.builder, 1,
					    &(struct gsym_call){ 0 }, NULL),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_loose_rows(
			     m.builder, (struct gsym_range){ 1, 2 }, NULL, 0),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_sink(m.builder).strings(
			     m.builder, &(struct gsym_text){ "x", 1 }, 1,
			     &number),
		     GSYM_ERR_ARGUMENT);
	cr_assert_eq(gsym_builder_record(m.builder,
					 &(struct gsym_record){ .size = 0 }),
		     GSYM_ERR_ARGUMENT);
	make_free(&m);
	gsym_builder_free(NULL);
}

/* Records are encoded in chunks of 256. */
Test(layout, numbers_of_records_around_a_chunk)
{
	for (uint32_t count = 254; count < 259; count++)
		for (unsigned threads = 1; threads < 3; threads++) {
			struct make m = make_begin();

			for (uint32_t i = 0; i < count; i++)
				make_symbol(&m, 0x1000 + i * 8, 8, "f");
			m.options.threads = threads;
			make_end(&m);
			cr_assert_eq(m.plain.function_count, count);
			for (uint32_t i = 0; i < count; i++)
				cr_assert_eq(m.plain.functions[i].start,
					     0x1000 + i * 8);
			make_free(&m);
		}
}

Test(layout, unknown_version)
{
	struct make m = make_begin();
	struct gsym_error error;

	make_symbol(&m, 0x1000, 1, "f");
	m.options.version = 3;
	cr_assert_eq(gsym_builder_finish(m.builder, &m.options, &m.bytes,
					 &m.size, NULL, &error),
		     GSYM_ERR_ARGUMENT);
	cr_assert_str_eq(error.message, "there is no version 3");
	cr_assert_eq(error.offset, 0);
	/* The builder can still be finished. */
	m.options.version = 0;
	make_end(&m);
	cr_assert_eq(m.plain.version, 1);
	make_free(&m);
}

/* Files that are used equally often are ordered by directory, then by name.  No
 * directory comes before every directory. */
Test(layout, files_used_once)
{
	static const char *const parts[][2] = {
		{ "", "z" },
		{ "!", "a" },
		{ "!", "b" },
		{ "/b", "a" },
	};
	enum { COUNT = sizeof(parts) / sizeof(*parts) };
	struct make m = make_begin();
	struct gsym_row rows[COUNT];

	for (uint32_t i = COUNT; i-- > 0;) {
		rows[i] = (struct gsym_row){ i, 0, 1 };
		cr_assert_eq(gsym_builder_file(m.builder,
					       make_string(&m, parts[i][0]),
					       make_string(&m, parts[i][1]),
					       &rows[i].file),
			     GSYM_OK);
	}
	make_record(&m, &(struct gsym_record){ .rank = GSYM_RANK_FUNCTION,
					       .start = 0x1000,
					       .size = 8,
					       .name = make_string(&m, "f"),
					       .rows = rows,
					       .row_count = COUNT });
	make_end(&m);
	cr_assert_eq(m.plain.file_count, COUNT + 1);
	for (uint32_t i = 0; i < COUNT; i++) {
		cr_expect_str_eq(m.plain.files[i + 1].directory, parts[i][0]);
		cr_expect_str_eq(m.plain.files[i + 1].basename, parts[i][1]);
	}
	make_free(&m);
}

/* A piece whose end is no number of the host is refused. */
Test(layout, pieces_beyond_the_memory)
{
	struct gsym_emit image = { 0 };
	const uint8_t bytes[4] = { 1, 2, 3, 4 };

	cr_assert_eq(gsym_writer_put_image(&image, 4, bytes, 4), GSYM_OK);
	cr_assert_eq(image.size, 8);
	cr_assert_arr_eq(image.data, ((uint8_t[]){ 0, 0, 0, 0, 1, 2, 3, 4 }),
			 8);
	cr_assert_eq(gsym_writer_put_image(&image, SIZE_MAX - 1, bytes, 4),
		     GSYM_ERR_MEMORY);
	cr_assert_eq(gsym_writer_put_image(&image, SIZE_MAX / 2, bytes, 4),
		     GSYM_ERR_MEMORY);
	cr_assert_eq(image.size, 8);
	gsym_emit_fini(&image);
}
