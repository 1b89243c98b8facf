/* SPDX-License-Identifier: MIT */
/* Line tables: the head, and a step from any state. */
#include "any.h"
#include "format/record.h"

/*
 * Bound: any size
 * Code: format/record.h
 * Break: base/cursor.h gsym_cursor_sleb: c->end - p >= 2 => c->end - p >= 0
 */
void prove_gsym_line_begin(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_line_decoder d;

	gsym_line_begin(&d, data, size, nondet_u64());
	PROVE(is_sound(&d.c, data, size));
}

/*
 * The line deltas of special opcodes are divided without overflow, for each
 * window of deltas; LINE and FILE may be any.  A step that returns a row or
 * the end has read a byte.
 *
 * Bound: any size
 * Code: format/record.h
 * Break: format/record.h gsym_line_window: d->range && d->range < 256 =>
 *     d->range < 256
 */
void prove_gsym_line_step(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size), *before;
	bool wraps = false, noting = nondet_bool();
	struct gsym_line_decoder d;
	enum gsym_line_step step;

	GIVEN(gsym_line_window(&d, (int64_t)nondet_u64(),
			       (int64_t)nondet_u64()));
	d.c = any_cursor(data, size);
	d.address = nondet_u64();
	d.file = nondet_u32();
	d.line = nondet_u32();
	before = d.c.at;
	step = gsym_line_step_noting(&d, noting ? &wraps : NULL);
	PROVE(is_sound(&d.c, data, size));
	PROVE(step == GSYM_LINE_STEP_DAMAGE || d.c.at > before);
}

/*
 * The search for the row of an address ends, and reads inside the table alone,
 * whatever the table is.
 *
 * Bound: any size
 * Code: format/record.c
 * Model: gsym_cursor_uleb gsym_cursor_sleb gsym_line_step
 * Break: format/record.c gsym_line_search_go: while (step ==
 *     GSYM_LINE_STEP_ROW && d.address <= address) => while (d.address <=
 *     address)
 */
void prove_gsym_line_find(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	uint32_t file, line;

	gsym_line_find(data, size, nondet_u64(), nondet_u64(), &file, &line);
}
