/* SPDX-License-Identifier: MIT */
/* reader/together.c - looks addresses up, with the record of the last one at
 * hand. */
#include "reader/together.h"

void gsym_together_begin(struct gsym_together *t,
			 const struct gsym_reader *reader, unsigned flags,
			 struct gsym_node *memory, uint32_t capacity)
{
	t->reader = reader;
	t->flags = flags;
	t->status = GSYM_NOT_FOUND;
	t->missing = false;
	t->nodes.items = memory;
	t->nodes.capacity = capacity;
	for (unsigned i = 0; i < GSYM_TOGETHER_FILES; i++)
		t->files[i].known = false;
}

/* Begin to decode the record at RECORD. */
static enum gsym_status begin_record(struct gsym_together *t)
{
	struct gsym_cursor c = t->record;
	enum gsym_status status = gsym_lookup_parts(t->reader, &c, &t->parts,
						    NULL);

	if (status != GSYM_OK)
		return status;
	gsym_line_search_begin(&t->rows, t->parts.lines.data,
			       t->flags & GSYM_LOOKUP_NO_LINES ?
				       0 : t->parts.lines.size, t->start);
	t->nodes.end = NULL;
	if (t->parts.inlines.type && !(t->flags & GSYM_LOOKUP_NO_INLINES))
		gsym_nodes_begin(&t->nodes, t->reader, t->parts.inlines.data,
				 t->parts.inlines.size, t->start);
	return GSYM_OK;
}

/* Find the record of ADDRESS, and begin to decode it, unless it is that of the
 * last address. */
static enum gsym_status find_record(struct gsym_together *t, uint64_t address,
				    uint32_t last)
{
	const struct gsym_layout *l = &t->reader->layout;
	uint64_t relative = address - l->base_address;
	enum gsym_status status;
	uint32_t index;

	t->missing = false;
	if (address < l->base_address || relative < gsym_layout_start(l, 0))
		return GSYM_NOT_FOUND;
	status = gsym_search_at(t->reader, last, relative, &index, &t->record,
				NULL);
	/* The records that were tried start at or before LAST, and end at or
	 * before ADDRESS. */
	t->missing = status == GSYM_NOT_FOUND && gsym_search_in_order(l, last);
	if (status != GSYM_OK)
		return status;
	if (t->status == GSYM_OK && index == t->index && address >= t->address)
		return GSYM_OK;
	t->index = index;
	t->start = gsym_reader_start(t->reader, index);
	t->nearest = t->start ==
		     l->base_address + gsym_layout_start(l, last);
	return begin_record(t);
}

/*
 * Whether the record of the last address is certainly that of ADDRESS, too.  A
 * search with the same LAST tries the records that start where LAST starts, in
 * the same order.  Those before the record of the last address end at or before
 * that address, and ADDRESS is not below it.
 */
static bool is_same(const struct gsym_together *t, uint64_t address,
		    uint32_t last)
{
	return last == t->last && t->status == GSYM_OK && t->nearest &&
	       address >= t->address &&
	       (!t->parts.size || address - t->start < t->parts.size);
}

/* Set file and line of FRAME. */
static void place(struct gsym_together *t, struct gsym_frame *frame,
		  uint32_t file, uint32_t line)
{
	unsigned slot = file % GSYM_TOGETHER_FILES;

	if (t->flags & GSYM_LOOKUP_NO_LINES)
		return;
	if (!t->files[slot].known || t->files[slot].file != file) {
		t->files[slot].known = true;
		t->files[slot].file = file;
		t->files[slot].exists = gsym_frame_file(
			t->reader, t->flags, file, &t->files[slot].directory,
			&t->files[slot].basename);
	}
	if (!t->files[slot].exists)
		return;
	frame->directory = t->files[slot].directory;
	frame->basename = t->files[slot].basename;
	frame->line = line;
	frame->file = file;
}

/* Store the frames of the inlined call AT, of the calls around it, and of the
 * function, innermost first.  AT may be GSYM_NODE_NONE. */
static void store(struct gsym_together *t, uint64_t address, uint32_t at,
		  const struct gsym_frames_out *out)
{
	bool has_place = gsym_line_search_go(&t->rows, address);
	uint32_t file = t->rows.file, line = t->rows.line;
	char *to = out->frames;

	for (;;) {
		const struct gsym_node *node = NULL;
		struct gsym_frame frame;

		if (at != GSYM_NODE_NONE) {
			node = &t->nodes.items[at];
			gsym_frame_set(t->reader, &frame, node->name,
				       address - node->base, true);
		} else {
			gsym_frame_set(t->reader, &frame, t->parts.name,
				       address - t->start, false);
		}
		if (has_place)
			place(t, &frame, file, line);
		gsym_sized_copy(to, out->frame_size, &frame, sizeof(frame));
		if (!node)
			return;
		to += out->frame_size;
		has_place = true;
		file = node->call_file;
		line = node->call_line;
		/* The root stands for the function. */
		at = node->level > 1 ? node->parent : GSYM_NODE_NONE;
	}
}

/* gsym_together_look_up without the memory for the inline tree. */
static uint32_t look_up_alone(const struct gsym_together *t, uint64_t address,
			      const struct gsym_frames_out *out)
{
	struct gsym_match match = { .address = address, .start = t->start };
	struct gsym_cursor record = t->record;

	return gsym_lookup_record(t->reader, &record, out, &match, NULL) ==
			       GSYM_OK ? match.frame_count : 0;
}

uint32_t gsym_together_look_up(struct gsym_together *t, uint64_t address,
			       uint32_t last,
			       const struct gsym_frames_out *out)
{
	uint32_t at, count;

	if (t->missing && last == t->last && address >= t->address) {
		t->address = address;
		return 0;
	}
	if (!is_same(t, address, last)) {
		t->status = find_record(t, address, last);
		t->last = last;
	}
	t->address = address;
	if (t->status != GSYM_OK)
		return 0;
	at = gsym_nodes_find(&t->nodes, address);
	if (at == GSYM_NODE_FULL)
		return look_up_alone(t, address, out);
	count = at == GSYM_NODE_NONE ? 1 : t->nodes.items[at].level + 1;
	if (count <= out->capacity)
		store(t, address, at, out);
	return count;
}
