/* SPDX-License-Identifier: MIT */
/* From the record of an address to its frames. */
#include "any.h"
#include "layout.h"
#include "reader/lookup.c"

/* A reader of an image of any size, whose paths are not mapped. */
static struct gsym_reader any_reader(void)
{
	struct gsym_reader reader;
	size_t size = any_up_to(ANY_SIZE);

	reader.layout.data = any_bytes(size);
	reader.layout.size = size;
	reader.image_offset = nondet_u64();
	reader.paths = NULL;
	GIVEN(is_layout_sound(&reader.layout));
	return reader;
}

/* Room for any number of frames. */
static struct stack any_stack(const struct gsym_reader *reader)
{
	size_t capacity = any_up_to(ANY_SIZE / sizeof(struct gsym_frame));
	struct gsym_frame *frames = (struct gsym_frame *)any_bytes(
		capacity * sizeof(struct gsym_frame));

	return (struct stack){ reader, frames, capacity, nondet_u32(),
			       (uint32_t)any_up_to(GSYM_MAX_INLINE_DEPTH) };
}

/* A tuple inside the bytes. */
static struct gsym_tuple any_tuple(void)
{
	uint32_t size = nondet_u32();

	return (struct gsym_tuple){ GSYM_INFO_INLINES, size, any_bytes(size) };
}

/*
 * The name of a function lies in the string table, and its frame among the
 * frames.
 *
 * Bound: any size
 * Code: reader/lookup.c
 * Break: reader/lookup.c slot: depth % stack->capacity => depth
 */
void prove_push(void)
{
	const struct gsym_reader reader = any_reader();
	struct stack stack = any_stack(&reader);

	push(&stack, (uint32_t)any_up_to(GSYM_MAX_INLINE_DEPTH), nondet_u64(),
	     nondet_u64());
}

/*
 * The entry of a file, and the strings that it has.
 *
 * Bound: any size
 * Code: reader/lookup.c
 * Model: gsym_load_uint
 * Break: format/layout.h gsym_layout_file: index >= l->file_count =>
 *     index > l->file_count
 */
void prove_set_place(void)
{
	const struct gsym_reader reader = any_reader();
	struct stack stack = any_stack(&reader);

	set_place(&stack, nondet_u32(), nondet_u32());
}

/*
 * The frames in the order of the caller, for any number of them and any room.
 *
 * Bound: any size
 * Code: reader/lookup.c
 * Break: reader/lookup.c finish: count <= capacity => capacity
 */
void prove_finish(void)
{
	struct stack stack = any_stack(NULL);

	finish(&stack);
}

/*
 * The walk over an inline tree ends, and no frame is deeper than is allowed.
 *
 * Bound: any size
 * Code: reader/lookup.c format/record.c
 * Model: gsym_inline_read gsym_inline_skip push set_place
 * Break: reader/lookup.c descend: ++level > GSYM_MAX_INLINE_DEPTH =>
 *     ++level > GSYM_MAX_INLINE_DEPTH + 1
 */
void prove_descend(void)
{
	const struct gsym_reader reader = any_reader();
	const struct gsym_tuple tuple = any_tuple();
	struct stack stack = any_stack(&reader);

	stack.depth = 0;
	descend(&stack, &tuple, nondet_u64(), nondet_u64());
	PROVE(stack.depth <= GSYM_MAX_INLINE_DEPTH);
}

/*
 * The walk over the tuples of a record ends, and what is found lies in it.
 *
 * Bound: any size
 * Code: reader/lookup.c
 * Model: gsym_load_u16 gsym_load_u32 gsym_load_u64
 * Break: base/cursor.h gsym_cursor_need: size <= (uint64_t)(c->end - c->at) =>
 *     size <= (uint64_t)(c->end - c->at) + 8
 */
void prove_gsym_lookup_parts(void)
{
	const struct gsym_reader reader = any_reader();
	struct gsym_cursor c =
		any_cursor(reader.layout.data, reader.layout.size);
	struct gsym_parts parts;

	if (gsym_lookup_parts(&reader, &c, &parts, NULL) != GSYM_OK)
		return;
	PROVE(!parts.lines.type ||
	      __CPROVER_r_ok(parts.lines.data, parts.lines.size));
	PROVE(!parts.inlines.type ||
	      __CPROVER_r_ok(parts.inlines.data, parts.inlines.size));
	PROVE(!parts.merged.type ||
	      __CPROVER_r_ok(parts.merged.data, parts.merged.size));
}

/*
 * All of a lookup, but what the harnesses above and of other files prove.
 *
 * Bound: any size
 * Code: reader/lookup.c format/record.c reader/search.c
 * Model: gsym_search gsym_lookup_parts descend push set_place finish
 *     gsym_line_find gsym_list_count gsym_layout_start
 * Break: reader/lookup.c gsym_lookup: gsym_reader_start(reader, found.index) =>
 *     gsym_reader_start(reader, found.index + 1)
 */
void prove_gsym_lookup(void)
{
	const struct gsym_reader reader = any_reader();
	const struct stack room = any_stack(&reader);
	struct gsym_match match;

	if (gsym_lookup(&reader, nondet_u64(), nondet_u32(), room.frames,
			room.capacity, &match, NULL) == GSYM_OK)
		PROVE(match.frame_count > 0 &&
		      match.frame_count <= GSYM_MAX_INLINE_DEPTH + 1);
}

/*
 * Merged functions: a list that is read on from where MATCH, whatever is in
 * it, says, and the function that is found lies in the record.
 *
 * Bound: any size
 * Code: reader/lookup.c format/record.c
 * Model: gsym_load_uint gsym_lookup_parts gsym_list_count gsym_merged_read
 *     gsym_lookup_record
 * Break: reader/lookup.c find_merged:
 *     match->merged_place.offset > match->merged_place.end => false
 */
void prove_gsym_lookup_merged(void)
{
	const struct gsym_reader reader = any_reader();
	const struct stack room = any_stack(&reader);
	struct gsym_match match, found;

	gsym_lookup_merged(&reader, &match, nondet_u32(), nondet_u32(),
			   room.frames, room.capacity, &found, NULL);
}
