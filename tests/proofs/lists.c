/* SPDX-License-Identifier: MIT */
/* The parts of a record: head, tuples, lists, merged functions. */
#include "any.h"
#include "format/record.h"

/* The sizes of string offsets that a layout can have. */
static unsigned any_string_size(void)
{
	return nondet_bool() ? 4 : 8;
}

/*
 * Bound: any size
 * Code: format/record.h
 * Break: base/cursor.h gsym_cursor_bytes: if (!gsym_cursor_need(c, size))
 *     return NULL; =>
 */
void prove_gsym_record_read(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size);
	struct gsym_record_head head;
	bool whole = gsym_record_read(&c, any_string_size(), &head);

	PROVE(is_sound(&c, data, size) && whole == !c.failed);
}

/*
 * The data of a tuple lie inside the bytes; each tuple moves the cursor, so
 * that a loop over tuples ends.
 *
 * Bound: any size
 * Code: format/record.h
 * Break: base/cursor.h gsym_cursor_need: size <= (uint64_t)(c->end - c->at) =>
 *     size <= (uint64_t)(c->end - c->at) + 8
 */
void prove_gsym_tuple_read(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;
	struct gsym_tuple tuple;
	enum gsym_tuple_step step = gsym_tuple_read(&c, &tuple);

	PROVE(is_sound(&c, data, size));
	PROVE((step == GSYM_TUPLE_STEP_DAMAGE) == c.failed);
	PROVE(c.failed || c.at >= before.at + 8);
	PROVE(step != GSYM_TUPLE_STEP_TUPLE ||
	      __CPROVER_r_ok(tuple.data, tuple.size));
}

/*
 * A call site.
 *
 * Bound: any size
 * Code: format/record.c
 * Break: format/record.c gsym_call_read: * string_size => * 1
 */
void prove_gsym_call_read(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c;
	unsigned width = any_string_size();
	struct gsym_call_item item;
	bool whole = gsym_call_read(&c, width, &item);

	PROVE(is_sound(&c, data, size) && whole == !c.failed);
	PROVE(!whole || c.at > before.at);
	PROVE(!whole || __CPROVER_r_ok(item.patterns,
				       (uint64_t)item.pattern_count * width));
}

/*
 * A count that is accepted is at most the bytes that are left.
 *
 * Bound: any size
 * Code: format/record.c
 * Break: format/record.c gsym_list_count: if (!smallest) return 0; =>
 */
void prove_gsym_list_count(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size);
	uint32_t count = gsym_list_count(&c, nondet_u32(), any_string_size());

	PROVE(is_sound(&c, data, size));
	PROVE(count <= gsym_cursor_left(&c));
}

/*
 * Bound: any size
 * Code: format/record.c
 * Break: format/record.c gsym_merged_read: if (c->failed) => if (!data)
 */
void prove_gsym_merged_read(void)
{
	size_t size = any_up_to(ANY_SIZE);
	const uint8_t *data = any_bytes(size);
	struct gsym_cursor c = any_cursor(data, size), before = c, merged;
	bool whole = gsym_merged_read(&c, &merged);

	PROVE(is_sound(&c, data, size) && whole == !c.failed);
	PROVE(!whole || c.at >= before.at + 4);
	PROVE(!whole ||
	      is_sound(&merged, before.at + 4, (size_t)(c.at - before.at) - 4));
}
