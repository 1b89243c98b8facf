/* SPDX-License-Identifier: MIT */
/* How many records the first walk over a trace decodes, where the extents of
 * blocks reach over other blocks. */
#include "traces.h"
#include "xray/log.h"

/* Calls of gsym_xray_decode by the first walk; the linker redirects them
 * (--wrap). */
static size_t decoded;

enum gsym_xray_damage __real_gsym_xray_decode(const struct gsym_xray_log *log,
					      uint64_t at, uint64_t end,
					      struct gsym_xray_record *record,
					      uint64_t *next);
enum gsym_xray_damage __wrap_gsym_xray_decode(const struct gsym_xray_log *log,
					      uint64_t at, uint64_t end,
					      struct gsym_xray_record *record,
					      uint64_t *next);

enum gsym_xray_damage __wrap_gsym_xray_decode(const struct gsym_xray_log *log,
					      uint64_t at, uint64_t end,
					      struct gsym_xray_record *record,
					      uint64_t *next)
{
	decoded++;
	return __real_gsym_xray_decode(log, at, end, record, next);
}

/* The extents of each block reach over all blocks after it, and each block has
 * an event whose bytes may have been overwritten.  To find that out, records up
 * to the end of the block are decoded once more.  All blocks together may not
 * do so for more records than the file has bytes. */
Test(nested, nested_blocks_are_not_read_to_the_end_each)
{
	enum { UNIT = 72, COUNT = 4000 };
	struct gsym_xray_options options = { .damage = note_damage };
	struct trace t = { 0 };
	struct gsym_xray_log *log;
	struct damages d = { 0 };
	size_t size = 32 + (size_t)UNIT * COUNT + 8;
	uint8_t *bytes = malloc(size);

	options.context = &d;
	cr_assert(bytes);
	put_header(&t, 2, 1, 1000000000, 4096);
	memcpy(bytes, t.bytes, 32);
	for (size_t i = 0; i < COUNT; i++) {
		t.size = 0;
		EXTENTS(&t, UNIT * (COUNT - i) - 16);
		NEW_BUFFER(&t, 2);
		put_meta(&t, 5, 16, 4, 100, 8, 0, 0);
		/* The bytes of this event end at the same event of the next
		 * block. */
		put_meta(&t, 5, UNIT - 16, 4, 100, 8, 0, 0);
		put_function(&t, 5, 1, 0);
		memcpy(bytes + 32 + i * UNIT, t.bytes, UNIT);
	}
	memcpy(bytes + size - 8, t.bytes + UNIT - 8, 8);
	decoded = 0;
	cr_assert(gsym_xray_open(bytes, size, &options, &log, NULL) ==
		  GSYM_OK);
	/* Without the limit it would be COUNT * COUNT / 2 and more. */
	cr_expect(decoded < 2 * size, "%zu", decoded);
	cr_expect(d.count >= COUNT && d.kinds[0] == GSYM_XRAY_BAD_ACTION &&
		  d.offsets[0] == 32 + UNIT - 8);
	gsym_xray_close(log);
	free(bytes);
}
