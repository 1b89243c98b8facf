/* SPDX-License-Identifier: MIT */
/*
 * reader/lookup.c - makes frames, innermost first, of a function record and an
 * address.  Knows nothing of how frames are printed.
 *
 * Nothing here allocates, and a lookup needs less than 1 KiB of stack: it may
 * run in a signal handler.
 */
#include "reader/reader.h"

#include <inttypes.h>

/*
 * The frames during the descent of the inline tree.  Frame 0 is the function
 * of the record, and frame N was inlined into frame N - 1: frames are found
 * outermost first, and their number is known only at the end.  Frame N is in
 * slot N modulo the capacity, so that the innermost frames remain if there are
 * more frames than slots.
 */
struct stack {
	const struct gsym_reader *reader;
	struct gsym_frame *frames;
	size_t capacity;
	unsigned flags;
	uint32_t depth;
};

/* The slot of frame DEPTH; NULL if the capacity is 0. */
static inline struct gsym_frame *slot(const struct stack *stack, uint32_t depth)
{
	if (depth < stack->capacity)
		return &stack->frames[depth];
	return stack->capacity ? &stack->frames[depth % stack->capacity] : NULL;
}

/* Push frame DEPTH, without file and line.  FUNCTION is a string offset, and
 * OFFSET that of struct gsym_frame. */
static inline void push(struct stack *stack, uint32_t depth, uint64_t function,
			uint64_t offset)
{
	struct gsym_frame *to = slot(stack, depth);

	stack->depth = depth;
	if (to)
		gsym_frame_set(stack->reader, to, function, offset, depth > 0);
}

/* Set file and line of the frame that was pushed last, unless the file has no
 * name. */
static inline void set_place(struct stack *stack, uint32_t file, uint32_t line)
{
	struct gsym_frame *frame = slot(stack, stack->depth);

	if (frame)
		gsym_frame_place(stack->reader, stack->flags, frame, file,
				 line);
}

/* Reverse the COUNT frames from slot FIRST on. */
static inline void reverse(struct stack *stack, size_t first, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct gsym_frame *a = &stack->frames[first + i];
		struct gsym_frame *b = &stack->frames[first + count - 1 - i];
		struct gsym_frame frame = *a;

		*a = *b;
		*b = frame;
	}
}

/* Reverse the frames, so that the innermost comes first.  If there are more
 * frames than slots, the innermost is in slot FRONT - 1 and the outermost that
 * remains is in slot FRONT: the slots before FRONT and those from FRONT on are
 * reversed separately. */
static inline void finish(struct stack *stack)
{
	size_t count = (size_t)stack->depth + 1;
	size_t capacity = stack->capacity;

	if (count <= capacity) {
		reverse(stack, 0, count);
	} else if (capacity) {
		size_t front = stack->depth % capacity + 1;

		reverse(stack, 0, front);
		reverse(stack, front, capacity - front);
	}
}

/*
 * Push a frame for each node of the inline tree that holds ADDRESS.  START is
 * the start of the function.  Damage ends the descent: the frames found so far
 * remain, and the innermost of them gets the line of the line table, as if
 * nothing had been inlined there.
 */
static inline void descend(struct stack *stack, const struct gsym_tuple *tuple,
			   uint64_t start, uint64_t address)
{
	unsigned width = stack->reader->layout.string_size;
	struct gsym_cursor c = gsym_cursor_init(tuple->data, tuple->size,
						stack->reader->layout.swap);
	struct gsym_inline_entry node;
	uint64_t base = start;
	uint32_t level = 0;

	while (gsym_inline_read(&c, width, address - base, &node) ==
	       GSYM_INLINE_STEP_NODE) {
		if (node.holds) {
			base += node.first;
			if (level) {
				set_place(stack, node.call_file,
					  (uint32_t)node.call_line);
				push(stack, level, node.name, address - base);
			}
			if (!node.has_children ||
			    ++level > GSYM_MAX_INLINE_DEPTH)
				return;
		} else if (!level || (node.has_children &&
				      !gsym_inline_skip(&c, width,
							level + 1))) {
			/* The root, which has no siblings, does not hold the
			 * address; or the children are damaged. */
			return;
		}
	}
}

enum gsym_status gsym_lookup_head(const struct gsym_reader *reader,
				  struct gsym_cursor *c,
				  struct gsym_record_head *ret,
				  struct gsym_error *error)
{
	uint64_t place = gsym_reader_place(reader, c->at);

	if (!gsym_record_read(c, reader->layout.string_size, ret))
		return gsym_fail(error, GSYM_ERR_CORRUPT, place,
				 "function record at offset 0x%" PRIx64
				 " is cut off", place);
	if (!ret->name || !gsym_layout_string(&reader->layout, ret->name))
		return gsym_fail(error, GSYM_ERR_CORRUPT, place + 4,
				 "function record at offset 0x%" PRIx64
				 " has no name: string offset 0x%" PRIx64,
				 place, ret->name);
	return GSYM_OK;
}

enum gsym_status gsym_lookup_parts(const struct gsym_reader *reader,
				   struct gsym_cursor *c,
				   struct gsym_parts *parts,
				   struct gsym_error *error)
{
	enum gsym_status status;
	struct gsym_tuple tuple;

	*parts = (struct gsym_parts){ 0 };
	status = gsym_lookup_head(reader, c, &parts->head, error);
	if (status != GSYM_OK)
		return status;
	while (gsym_tuple_read(c, &tuple) == GSYM_TUPLE_STEP_TUPLE) {
		if (tuple.type == GSYM_INFO_LINES)
			parts->lines = tuple;
		else if (tuple.type == GSYM_INFO_INLINES)
			parts->inlines = tuple;
		else if (tuple.type == GSYM_INFO_MERGED)
			parts->merged = tuple;
	}
	return GSYM_OK;
}

enum gsym_status gsym_lookup_record(const struct gsym_reader *reader,
				    struct gsym_cursor *record,
				    const struct gsym_frames_out *out,
				    struct gsym_match *match,
				    struct gsym_error *error)
{
	struct stack stack = { reader, out->frames, out->capacity, out->flags,
			       0 };
	enum gsym_status status;
	struct gsym_parts parts;
	uint32_t file, line;

	status = gsym_lookup_parts(reader, record, &parts, error);
	if (status != GSYM_OK)
		return status;
	push(&stack, 0, parts.head.name, match->address - match->start);
	if (parts.inlines.type && !(out->flags & GSYM_LOOKUP_NO_INLINES))
		descend(&stack, &parts.inlines, match->start, match->address);
	if (parts.lines.type && !(out->flags & GSYM_LOOKUP_NO_LINES) &&
	    gsym_line_find(parts.lines.data, parts.lines.size, match->start,
			   match->address, &file, &line))
		set_place(&stack, file, line);
	finish(&stack);
	match->size = parts.head.size;
	match->frame_count = stack.depth + 1;
	match->merged_count = 0;
	if (parts.merged.type) {
		struct gsym_cursor c = gsym_cursor_init(parts.merged.data,
							parts.merged.size,
							reader->layout.swap);

		match->merged_count = gsym_list_count(
			&c, GSYM_INFO_MERGED, reader->layout.string_size);
	}
	return GSYM_OK;
}

enum gsym_status gsym_lookup(const struct gsym_reader *reader, uint64_t address,
			     unsigned flags, struct gsym_frame *frames,
			     size_t capacity, struct gsym_match *match,
			     struct gsym_error *error)
{
	struct gsym_frames_out out = { frames, capacity, flags };
	struct gsym_match found = { .address = address };
	struct gsym_cursor record;
	enum gsym_status status;

	if (!reader || !gsym_frames_out_ok(&out))
		return gsym_fail_argument(error);
	status = gsym_search(reader, address, &found.index, &record, error);
	if (status != GSYM_OK)
		return status;
	found.start = gsym_reader_start(reader, found.index);
	status = gsym_lookup_record(reader, &record, &out, &found, error);
	if (status == GSYM_OK && match)
		*match = found;
	return status;
}

/* Set MATCH->merged_place to entry 0 of the list of merged functions of the
 * record at RECORD.  Returns false if the record has no such list. */
static bool find_list(const struct gsym_reader *reader,
		      const struct gsym_cursor *record,
		      struct gsym_match *match)
{
	unsigned width = reader->layout.string_size;
	struct gsym_cursor c = *record, list;
	struct gsym_parts parts;

	if (gsym_lookup_parts(reader, &c, &parts, NULL) != GSYM_OK ||
	    !parts.merged.type)
		return false;
	list = gsym_cursor_init(parts.merged.data, parts.merged.size,
				reader->layout.swap);
	match->merged_place.index = match->index;
	match->merged_place.next = 0;
	match->merged_place.count =
		gsym_list_count(&list, GSYM_INFO_MERGED, width);
	match->merged_place.offset = (uint64_t)(list.at - record->at);
	match->merged_place.end = (uint64_t)(list.end - record->at);
	return true;
}

/* Set RET to a cursor over merged function WHICH of the record at RECORD.  The
 * list is read on from MATCH->merged_place, or from its start if WHICH is
 * before that place.  Returns false if the list has no such function. */
static bool find_merged(const struct gsym_reader *reader,
			const struct gsym_cursor *record,
			struct gsym_match *match, uint32_t which,
			struct gsym_cursor *ret)
{
	struct gsym_cursor list = *record;

	if ((!match->merged_place.end ||
	     match->merged_place.next > which ||
	     match->merged_place.index != match->index) &&
	    !find_list(reader, record, match))
		return false;
	if (which >= match->merged_place.count ||
	    match->merged_place.end > gsym_cursor_left(record) ||
	    match->merged_place.offset > match->merged_place.end)
		return false;
	list.end = list.at + match->merged_place.end;
	list.at += match->merged_place.offset;
	for (; match->merged_place.next <= which; match->merged_place.next++)
		if (!gsym_merged_read(&list, ret)) {
			/* No later entry can be read, either. */
			match->merged_place.count = match->merged_place.next;
			return false;
		}
	match->merged_place.offset = (uint64_t)(list.at - record->at);
	return true;
}

enum gsym_status gsym_lookup_merged(const struct gsym_reader *reader,
				    struct gsym_match *match, uint32_t which,
				    unsigned flags, struct gsym_frame *frames,
				    size_t capacity, struct gsym_match *ret,
				    struct gsym_error *error)
{
	struct gsym_frames_out out = { frames, capacity, flags };
	struct gsym_cursor record, merged;
	struct gsym_match found;
	enum gsym_status status;

	if (!reader || !match || !gsym_frames_out_ok(&out))
		return gsym_fail_argument(error);
	if (match->index >= reader->layout.count ||
	    !gsym_reader_record(reader, match->index, &record) ||
	    !find_merged(reader, &record, match, which, &merged))
		return GSYM_NOT_FOUND;
	found = (struct gsym_match){
		.address = match->address,
		.start = match->start,
		.index = match->index,
		.merged_place = match->merged_place,
	};
	status = gsym_lookup_record(reader, &merged, &out, &found, error);
	/* Merged functions do not nest. */
	found.merged_count = 0;
	if (status == GSYM_OK && ret)
		*ret = found;
	return status;
}
