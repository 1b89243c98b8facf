/* SPDX-License-Identifier: MIT */
/* format/record: nodes of inline trees read and skipped, sound and damaged. */
#include "format/record.h"

#include <criterion/criterion.h>
#include <gsym/reader.h>
#include <stdlib.h>

/* Two ranges, children, name 0x12, call file 300, call line 7. */
static const uint8_t node[] = { 0x02, 0x10, 0x08, 0x20, 0x90, 0x01,
				0x01, 0x12, 0x00, 0x00, 0x00, 0xac,
				0x02, 0x07 };

static enum gsym_inline_step read_node(size_t size, uint64_t relative,
				       struct gsym_inline_entry *entry,
				       size_t *used)
{
	struct gsym_cursor c = gsym_cursor_init(node, size,
						GSYM_HOST_BIG_ENDIAN);
	enum gsym_inline_step step = gsym_inline_read(&c, 4, relative, entry);

	*used = gsym_cursor_offset(&c);
	return step;
}

Test(inlines, fields_of_a_node)
{
	struct gsym_inline_entry entry;
	size_t used;

	cr_assert(read_node(sizeof(node), 0, &entry, &used) ==
		  GSYM_INLINE_STEP_NODE);
	cr_expect(used == sizeof(node));
	cr_expect(entry.range_count == 2 && entry.ranges == node + 1);
	cr_expect(entry.first == 0x10);
	cr_expect(entry.has_children);
	cr_expect(entry.name == 0x12);
	cr_expect(entry.call_file == 300 && entry.call_line == 7);
}

Test(inlines, ranges_are_half_open)
{
	static const struct { uint64_t at; bool holds; } cases[] = {
		{ 0x0f, false }, { 0x10, true }, { 0x17, true },
		{ 0x18, false }, { 0x1f, false }, { 0x20, true },
		{ 0xaf, true }, { 0xb0, false }, { UINT64_MAX, false },
	};
	struct gsym_inline_entry entry;
	size_t used;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		read_node(sizeof(node), cases[i].at, &entry, &used);
		cr_expect(entry.holds == cases[i].holds, "%zu", i);
	}
}

Test(inlines, a_node_that_is_cut_off_is_damage)
{
	struct gsym_inline_entry entry;
	size_t used;

	for (size_t size = 0; size < sizeof(node); size++) {
		cr_expect(read_node(size, 0, &entry, &used) ==
			  GSYM_INLINE_STEP_DAMAGE, "%zu", size);
		cr_expect(used == 0, "the cursor moved");
	}
}

Test(inlines, more_ranges_than_bytes_are_damage)
{
	static const uint8_t many[] = { 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0 };
	struct gsym_cursor c = gsym_cursor_init(many, sizeof(many), false);
	struct gsym_inline_entry entry;

	cr_expect(gsym_inline_read(&c, 4, 0, &entry) ==
		  GSYM_INLINE_STEP_DAMAGE);
	cr_expect(!gsym_inline_skip(&c, 4, 1));
}

/* A chain of DEPTH nodes, each the only child of the one before, and the end
 * of each of the DEPTH lists.  The innermost node has no children. */
static uint8_t *chain(unsigned depth, size_t *size)
{
	uint8_t *bytes = calloc(depth, 11), *p = bytes;

	for (unsigned i = 0; i < depth; i++, p += 10) {
		p[0] = 1;
		p[2] = 1;
		p[3] = i + 1 < depth;
	}
	*size = (size_t)depth * 11;
	return bytes;
}

Test(inlines, skip_steps_over_all_below)
{
	size_t size;
	uint8_t *bytes = chain(GSYM_MAX_INLINE_DEPTH, &size);
	struct gsym_cursor c = gsym_cursor_init(bytes, size, false);

	cr_expect(gsym_inline_skip(&c, 4, 1));
	cr_expect(gsym_cursor_left(&c) == 0);
	for (size_t cut = 0; cut < size; cut++) {
		c = gsym_cursor_init(bytes, cut, false);
		cr_expect(!gsym_inline_skip(&c, 4, 1), "%zu", cut);
	}
	free(bytes);
}

Test(inlines, skip_refuses_trees_that_are_too_deep)
{
	size_t size;
	uint8_t *bytes = chain(GSYM_MAX_INLINE_DEPTH + 1, &size);
	struct gsym_cursor c = gsym_cursor_init(bytes, size, false);

	cr_expect(!gsym_inline_skip(&c, 4, 1));
	free(bytes);
}
