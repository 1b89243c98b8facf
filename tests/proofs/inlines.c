/* SPDX-License-Identifier: MIT */
/* Inline trees: a node, and a list of siblings with all that is below them. */
#include "any.h"
#include "format/record.h"

/*
 * A node has read a byte at least, and its ranges lie inside the bytes.
 *
 * Bound: any size
 * Code: format/record.c
 * Model: gsym_cursor_uleb gsym_cursor_u8 gsym_load_u32 gsym_load_u64
 * Break: format/record.c gsym_inline_read: i < count => i <= count
 */
void prove_gsym_inline_read(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;
	struct gsym_inline_entry node;
	enum gsym_inline_step step = gsym_inline_read(
		&c, nondet_bool() ? 4 : 8, nondet_u64(), &node);

	PROVE(is_sound(&c, data, size));
	PROVE(step == GSYM_INLINE_STEP_DAMAGE ? c.at == before.at
					      : c.at > before.at);
	PROVE(step != GSYM_INLINE_STEP_NODE ||
	      (node.ranges > before.at && node.ranges < c.at));
}

/*
 * A list that is whole has moved the cursor forward; else the cursor stays.
 * The siblings are below the root, so that LEVEL is 1 at least.
 *
 * Bound: any size
 * Code: format/record.c
 * Model: gsym_cursor_uleb gsym_cursor_u8 gsym_cursor_skip_leb
 * Break: format/record.c gsym_inline_skip: if (c.failed) return false; =>
 */
void prove_gsym_inline_skip(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;
	unsigned level = 1 + any_up_to(GSYM_MAX_INLINE_DEPTH);
	bool whole = gsym_inline_skip(&c, nondet_bool() ? 4 : 8, level);

	PROVE(is_sound(&c, data, size));
	PROVE(whole ? c.at > before.at : c.at == before.at);
}
