/* SPDX-License-Identifier: MIT */
#include "support/gsym_bytes.h"

#include <stdlib.h>

static unsigned strp_size(const struct gb *b)
{
	return b->version == 1 ? 4 : 8;
}

void gb_init(struct gb *b, unsigned version, bool big_endian, unsigned width,
	     uint64_t base)
{
	bool swap = big_endian != GSYM_HOST_BIG_ENDIAN;

	memset(b, 0, sizeof(*b));
	b->version = version;
	b->width = width;
	b->big_endian = big_endian;
	b->base = base;
	b->strings.swap = b->files.swap = b->records.swap = swap;
	gsym_emit_u8(&b->strings, 0);
	gb_file_raw(b, 0, 0);
}

uint64_t gb_string(struct gb *b, const char *text)
{
	uint64_t offset = b->strings.size;

	if (!*text)
		return 0;
	gsym_emit_bytes(&b->strings, text, strlen(text) + 1);
	return offset;
}

void gb_strp(struct gb *b, struct gsym_emit *e, uint64_t offset)
{
	gsym_emit_uint(e, offset, strp_size(b));
}

uint32_t gb_file_raw(struct gb *b, uint64_t directory, uint64_t basename)
{
	gb_strp(b, &b->files, directory);
	gb_strp(b, &b->files, basename);
	return b->file_count++;
}

uint32_t gb_file(struct gb *b, const char *directory, const char *basename)
{
	uint64_t dir = gb_string(b, directory);

	return gb_file_raw(b, dir, gb_string(b, basename));
}

struct gsym_emit *gb_record(struct gb *b, uint64_t start, uint32_t size,
			    const char *name)
{
	if (b->count == GB_MAX_RECORDS)
		abort();
	gsym_emit_align(&b->records, 4);
	b->starts[b->count] = start;
	b->offsets[b->count++] = b->records.size;
	gsym_emit_u32(&b->records, size);
	gb_strp(b, &b->records, gb_string(b, name));
	return &b->records;
}

size_t gb_tuple(struct gb *b, uint32_t type)
{
	gsym_emit_u32(&b->records, type);
	gsym_emit_u32(&b->records, 0);
	return b->records.size;
}

void gb_tuple_end(struct gb *b, size_t tuple)
{
	gsym_emit_patch_u32(&b->records, tuple - 4,
			    (uint32_t)(b->records.size - tuple));
}

void gb_record_end(struct gb *b)
{
	gsym_emit_u64(&b->records, 0);
}

void gb_plain(struct gb *b, uint64_t start, uint32_t size, const char *name)
{
	gb_record(b, start, size, name);
	gb_record_end(b);
}

void gb_lines(struct gb *b, const struct gb_row *rows, size_t count)
{
	struct gsym_emit *e = &b->records;
	size_t tuple = gb_tuple(b, 1);
	uint32_t file = 1, line = 1;

	gsym_emit_sleb(e, -10);
	gsym_emit_sleb(e, 4);
	gsym_emit_uleb(e, line);
	for (size_t i = 0; i < count; i++) {
		int64_t delta = (int64_t)rows[i].line - line;

		if (rows[i].file != file) {
			gsym_emit_u8(e, 1);
			gsym_emit_uleb(e, rows[i].file);
		}
		if (delta >= -10 && delta <= 4 && rows[i].advance < 16) {
			gsym_emit_u8(e, (uint8_t)(4 + delta + 10 +
						  15 * rows[i].advance));
		} else {
			gsym_emit_u8(e, 3);
			gsym_emit_sleb(e, delta);
			gsym_emit_u8(e, 2);
			gsym_emit_uleb(e, rows[i].advance);
		}
		file = rows[i].file;
		line = rows[i].line;
	}
	gsym_emit_u8(e, 0);
	gb_tuple_end(b, tuple);
}

void gb_node(struct gb *b, uint64_t offset, uint64_t size, bool children,
	     uint64_t name, uint32_t call_file, uint64_t call_line)
{
	struct gsym_emit *e = &b->records;

	gsym_emit_uleb(e, 1);
	gsym_emit_uleb(e, offset);
	gsym_emit_uleb(e, size);
	gsym_emit_u8(e, children);
	gb_strp(b, e, name);
	gsym_emit_uleb(e, call_file);
	gsym_emit_uleb(e, call_line);
}

static void emit_tables(struct gb *b, struct gsym_emit *e, uint64_t info_base)
{
	gsym_emit_align(e, b->version == 1 ? 4 : 8);
	for (uint32_t i = 0; i < b->count; i++)
		gsym_emit_uint(e, b->offsets[i] + info_base, strp_size(b));
	gsym_emit_align(e, 4);
	gsym_emit_u32(e, b->file_count);
	gsym_emit_bytes(e, b->files.data, b->files.size);
	gsym_emit_bytes(e, b->strings.data, b->strings.size);
	gsym_emit_align(e, 4);
	gsym_emit_bytes(e, b->records.data, b->records.size);
}

static void emit_addresses(struct gb *b, struct gsym_emit *e)
{
	gsym_emit_align(e, b->width);
	for (uint32_t i = 0; i < b->count; i++)
		gsym_emit_uint(e, b->starts[i] - b->base, b->width);
}

static uint64_t align_up(uint64_t x, unsigned n)
{
	return (x + n - 1) / n * n;
}

static void emit_v1(struct gb *b, struct gsym_emit *e)
{
	uint64_t info = align_up(48 + (uint64_t)b->count * b->width, 4);
	uint64_t files = info + 4ull * b->count;
	uint64_t strings = files + 4 + b->files.size;
	uint8_t uuid[20] = { 0 };

	if (b->uuid)
		memcpy(uuid, b->uuid, b->uuid_size);
	gsym_emit_u32(e, 0x4753594d);
	gsym_emit_u16(e, 1);
	gsym_emit_u8(e, (uint8_t)b->width);
	gsym_emit_u8(e, (uint8_t)b->uuid_size);
	gsym_emit_u64(e, b->base);
	gsym_emit_u32(e, b->count);
	gsym_emit_u32(e, (uint32_t)strings);
	gsym_emit_u32(e, (uint32_t)b->strings.size);
	gsym_emit_bytes(e, uuid, sizeof(uuid));
	emit_addresses(b, e);
	emit_tables(b, e, align_up(strings + b->strings.size, 4));
}

static void emit_entry(struct gsym_emit *e, uint32_t type, uint64_t offset,
		       uint64_t size)
{
	gsym_emit_u32(e, type);
	gsym_emit_u64(e, offset);
	gsym_emit_u64(e, size);
}

static void emit_v2(struct gb *b, struct gsym_emit *e)
{
	uint64_t uuid = 20 + 20 * (b->uuid_size ? 7 : 6);
	uint64_t addresses = align_up(uuid + b->uuid_size, b->width);
	uint64_t info = align_up(addresses + (uint64_t)b->count * b->width, 8);
	uint64_t files = info + 8ull * b->count;
	uint64_t strings = files + 4 + b->files.size;
	uint64_t records = align_up(strings + b->strings.size, 4);

	gsym_emit_u32(e, 0x4753594d);
	gsym_emit_u16(e, 2);
	gsym_emit_u8(e, (uint8_t)b->width);
	gsym_emit_u8(e, 0);
	gsym_emit_u64(e, b->base);
	gsym_emit_u32(e, b->count);
	if (b->uuid_size)
		emit_entry(e, 6, uuid, b->uuid_size);
	emit_entry(e, 1, addresses, (uint64_t)b->count * b->width);
	emit_entry(e, 2, info, 8ull * b->count);
	emit_entry(e, 4, files, 4 + b->files.size);
	emit_entry(e, 3, strings, b->strings.size);
	emit_entry(e, 5, records, b->records.size);
	emit_entry(e, 0, 0, 0);
	gsym_emit_bytes(e, b->uuid, b->uuid_size);
	emit_addresses(b, e);
	emit_tables(b, e, 0);
}

uint8_t *gb_finish(struct gb *b, size_t *size)
{
	struct gsym_emit e = { .swap = b->strings.swap };

	if (b->version == 1)
		emit_v1(b, &e);
	else
		emit_v2(b, &e);
	if (e.failed || b->strings.failed || b->files.failed ||
	    b->records.failed)
		abort();
	gsym_emit_fini(&b->strings);
	gsym_emit_fini(&b->files);
	gsym_emit_fini(&b->records);
	*size = e.size;
	return e.data;
}

/* Two call sites, the first with two patterns. */
static void emit_call_sites(struct gb *b)
{
	struct gsym_emit *e = &b->records;
	size_t tuple = gb_tuple(b, 4);

	gsym_emit_u32(e, 2);
	gsym_emit_u64(e, 0x0d);
	gsym_emit_u8(e, 1);
	gsym_emit_u32(e, 2);
	gb_strp(b, e, gb_string(b, "^aa$"));
	gb_strp(b, e, gb_string(b, "bb.*"));
	gsym_emit_u64(e, 0x17);
	gsym_emit_u8(e, 3);
	gsym_emit_u32(e, 1);
	gb_strp(b, e, gb_string(b, "cc"));
	gb_tuple_end(b, tuple);
}

/* Two functions merged into the present one; the second has a line. */
static void emit_merged(struct gb *b, uint32_t size)
{
	struct gsym_emit *e = &b->records;
	size_t tuple = gb_tuple(b, 3), record;

	gsym_emit_u32(e, 2);
	gsym_emit_u32(e, 4 + strp_size(b) + 8);
	gsym_emit_u32(e, size);
	gb_strp(b, e, gb_string(b, "twin"));
	gsym_emit_u64(e, 0);
	gsym_emit_u32(e, 0);
	record = e->size;
	gsym_emit_u32(e, size);
	gb_strp(b, e, gb_string(b, "triplet"));
	gb_lines(b, (struct gb_row[]){ { 0, 1, 70 } }, 1);
	gsym_emit_u64(e, 0);
	gsym_emit_patch_u32(e, record - 4, (uint32_t)(e->size - record));
	gb_tuple_end(b, tuple);
}

uint8_t *gb_rich(unsigned version, bool big_endian, size_t *size)
{
	static const uint8_t uuid[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct gsym_emit *e;
	size_t tuple;
	struct gb b;

	gb_init(&b, version, big_endian, 2, 0x1000);
	b.uuid = uuid;
	b.uuid_size = sizeof(uuid);
	gb_file(&b, "/src", "a.c");
	gb_file(&b, "", "b.h");
	gb_file_raw(&b, 0, 0);
	gb_plain(&b, 0x1000, 0, "label");
	e = gb_record(&b, 0x1010, 0x40, "outer");
	gb_lines(&b, (struct gb_row[]){ { 0, 1, 10 }, { 4, 2, 3 },
					{ 8, 1, 11 }, { 0x20, 3, 0 } }, 4);
	tuple = gb_tuple(&b, 2);
	gb_node(&b, 0, 0x40, true, gb_string(&b, "outer"), 0, 0);
	gb_node(&b, 0x20, 8, false, gb_string(&b, "late"), 1, 12);
	gsym_emit_uleb(e, 2); /* ranges */
	gsym_emit_uleb(e, 4);
	gsym_emit_uleb(e, 8);
	gsym_emit_uleb(e, 0x10);
	gsym_emit_uleb(e, 4);
	gsym_emit_u8(e, 1);
	gb_strp(&b, e, gb_string(&b, "middle"));
	gsym_emit_uleb(e, 1);
	gsym_emit_uleb(e, 10);
	gb_node(&b, 2, 2, false, gb_string(&b, "inner"), 2, 2);
	gb_node(&b, 4, 2, false, 0, 0, 7);
	gsym_emit_u8(e, 0);
	gsym_emit_u8(e, 0);
	gb_tuple_end(&b, tuple);
	emit_call_sites(&b);
	gb_record_end(&b);
	gb_plain(&b, 0x1020, 8, "nested");
	e = gb_record(&b, 0x1060, 0x10, "merged");
	tuple = gb_tuple(&b, 9);
	gsym_emit_bytes(e, "unknown", 7);
	gb_tuple_end(&b, tuple);
	gb_lines(&b, (struct gb_row[]){ { 0, 1, 50 }, { 8, 1, 51 } }, 2);
	emit_merged(&b, 0x10);
	gb_record_end(&b);
	gb_plain(&b, 0x2000, 4, "short");
	gb_plain(&b, 0x2000, 8, "long");
	gb_plain(&b, 0x3000, 0, "last");
	return gb_finish(&b, size);
}

const uint8_t gb_example_v1[209] = {
	0x4d, 0x59, 0x53, 0x47, 0x01, 0x00, 0x02, 0x08, 0x00, 0x00, 0x40, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x50, 0x00, 0x00, 0x00,
	0x1a, 0x00, 0x00, 0x00, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x10, 0x28, 0x10, 0x6c, 0x00, 0x00, 0x00, 0xb0, 0x00, 0x00, 0x00,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x08, 0x00, 0x00, 0x00, 0x0d, 0x00, 0x00, 0x00, 0x00, 0x5f, 0x73, 0x74,
	0x61, 0x72, 0x74, 0x00, 0x2f, 0x73, 0x72, 0x63, 0x00, 0x65, 0x78, 0x2e,
	0x63, 0x00, 0x77, 0x6f, 0x72, 0x6b, 0x00, 0x73, 0x71, 0x00, 0x00, 0x00,
	0x28, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
	0x0e, 0x00, 0x00, 0x00, 0x7a, 0x05, 0x06, 0x0a, 0x75, 0x48, 0x04, 0x0b,
	0x4b, 0x39, 0x61, 0x2a, 0x49, 0x00, 0x02, 0x00, 0x00, 0x00, 0x15, 0x00,
	0x00, 0x00, 0x01, 0x00, 0x28, 0x01, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x01, 0x0e, 0x05, 0x00, 0x17, 0x00, 0x00, 0x00, 0x01, 0x07, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00,
	0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00,
	0x7f, 0x01, 0x0a, 0x05, 0x12, 0x30, 0x06, 0x1c, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00,
};

/* The hex digits of the version 2 file up to the records, as gsym(5)'s
 * table has them; the line tables are those of version 1. */
uint8_t *gb_example_v2(size_t *size)
{
	static const uint8_t uuid[8] = { 0x00, 0x11, 0x22, 0x33,
					 0x44, 0x55, 0x66, 0x77 };
	struct gsym_emit e = { .swap = GSYM_HOST_BIG_ENDIAN };
	static const struct { uint32_t type; uint64_t at, bytes; } entries[] = {
		{ 6, 0xa0, 8 },	   { 1, 0xa8, 4 },	{ 2, 0xb0, 0x10 },
		{ 4, 0xc0, 0x24 }, { 3, 0xe4, 0x1a }, { 5, 0x100, 0x75 },
		{ 0, 0, 0 },
	};

	gsym_emit_bytes(&e, "\x4d\x59\x53\x47\x02\x00\x02\x00", 8);
	gsym_emit_u64(&e, 0x400000);
	gsym_emit_u32(&e, 2);
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		emit_entry(&e, entries[i].type, entries[i].at,
			   entries[i].bytes);
	gsym_emit_bytes(&e, uuid, sizeof(uuid));
	gsym_emit_u16(&e, 0x1000);
	gsym_emit_u16(&e, 0x1028);
	gsym_emit_u32(&e, 0);
	gsym_emit_u64(&e, 0);
	gsym_emit_u64(&e, 0x50);
	gsym_emit_u32(&e, 2);
	gsym_emit_u64(&e, 0);
	gsym_emit_u64(&e, 0);
	gsym_emit_u64(&e, 8);
	gsym_emit_u64(&e, 0x0d);
	gsym_emit_bytes(&e, gb_example_v1 + 0x50, 0x1a);
	gsym_emit_u16(&e, 0);
	gsym_emit_u32(&e, 0x28);
	gsym_emit_u64(&e, 0x12);
	gsym_emit_bytes(&e, gb_example_v1 + 0x74, 8 + 0x0e);
	gsym_emit_u32(&e, 2);
	gsym_emit_u32(&e, 0x1d);
	gsym_emit_bytes(&e, "\x01\x00\x28\x01", 4);
	gsym_emit_u64(&e, 0x12);
	gsym_emit_bytes(&e, "\x00\x00\x01\x0e\x05\x00", 6);
	gsym_emit_u64(&e, 0x17);
	gsym_emit_bytes(&e, "\x01\x07\x00", 3);
	gsym_emit_u64(&e, 0);
	gsym_emit_align(&e, 4);
	gsym_emit_u32(&e, 0x1c);
	gsym_emit_u64(&e, 1);
	gsym_emit_bytes(&e, gb_example_v1 + 0xb8, 8 + 9);
	gsym_emit_u64(&e, 0);
	if (e.failed)
		abort();
	*size = e.size;
	return e.data;
}
