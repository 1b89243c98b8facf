/* SPDX-License-Identifier: MIT */
/*
 * The order of the strings and the sharing of ends.
 *
 * Sorted by their reversed bytes, a string that another one ends with comes
 * right before one that it ends.  The sort takes eight bytes at a time, from
 * the end: as a 64-bit key with the last byte on top they compare as
 * integers.  Strings whose keys are equal form a group, which is sorted by
 * the eight bytes before.  A string that is used up has zeros in its key;
 * no string holds a NUL, so all keys with one are different.
 */
#include "writer/state.h"

#include "base/bytes.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 8 };

/* Strings FIRST to FIRST + COUNT - 1 are equal in their last DEPTH bytes. */
struct string_group {
	uint32_t first;
	uint32_t count;
	uint32_t depth;
};

struct string_sort {
	const struct gsym_builder *b;
	struct gsym_sort_item *items;
	struct gsym_sort_item *scratch;
	bool *shared;
	struct { GSYM_VEC(struct string_group); } groups;
};

/* The bytes of STRING that come before its last DEPTH. */
static uint64_t key_at(const struct gsym_intern_entry *string, uint32_t depth)
{
	uint32_t left = string->length - depth;
	uint32_t size = left < KEY_BYTES ? left : KEY_BYTES;
	const char *from = string->bytes + left - size;
	uint64_t key = 0;

	if (size == KEY_BYTES) {
		memcpy(&key, from, sizeof(key));
		return GSYM_HOST_BIG_ENDIAN ? __builtin_bswap64(key) : key;
	}
	for (uint32_t i = size; i--;)
		key = key << 8 | (uint8_t)from[i];
	return size ? key << (KEY_BYTES - size) * 8 : 0;
}

/* Whether the string with the key A, all of whose bytes are in it, is the
 * end of the one with the greater key C. */
static bool is_end_of(uint64_t a, uint64_t c)
{
	unsigned zeros;

	if (!a)
		return true;
	zeros = (unsigned)__builtin_ctzll(a) / 8 * 8;
	return zeros && (a ^ c) >> zeros == 0;
}

/* What the COUNT items at ITEMS need soon lies all over the memory. */
static inline void fetch_ahead(const struct gsym_intern_entry *strings,
			       const struct gsym_sort_item *items,
			       uint32_t count)
{
	enum { SOON = 8 };

	if (count > 2 * SOON)
		__builtin_prefetch(&strings[items[2 * SOON].index]);
	if (count > SOON) {
		const struct gsym_intern_entry *string =
			&strings[items[SOON].index];

		__builtin_prefetch(string->bytes + string->length);
	}
}

/* Sort GROUP, and note the groups within it. */
static bool sort_group(struct string_sort *s, struct string_group group)
{
	struct gsym_sort_item *items = s->items + group.first;
	uint32_t next;

	for (uint32_t i = 0; i < group.count; i++) {
		fetch_ahead(s->b->strings.entries, items + i, group.count - i);
		items[i].key = key_at(&s->b->strings.entries[items[i].index],
				      group.depth);
	}
	gsym_sort_by_key(items, group.count, s->scratch);
	for (uint32_t i = 0; i < group.count; i = next) {
		struct string_group *inner;

		next = i + 1;
		while (next < group.count && items[next].key == items[i].key)
			next++;
		/* Whatever the sort of a group that follows brings to NEXT
		 * has this key. */
		if (next == i + 1) {
			if (next < group.count)
				s->shared[group.first + i] =
					is_end_of(items[i].key, items[next].key);
			continue;
		}
		inner = gsym_vec_push(&s->groups);
		if (!inner)
			return false;
		*inner = (struct string_group){ group.first + i, next - i,
						group.depth + KEY_BYTES };
	}
	return true;
}

static bool sort_strings(struct string_sort *s, struct w_tables *tables)
{
	size_t count = tables->string_count;
	struct string_group group = { 0, (uint32_t)count, 0 };

	for (size_t i = 0; i < count; i++)
		s->items[i].index = tables->strings[i];
	for (;;) {
		if (!sort_group(s, group))
			return false;
		if (!s->groups.count)
			break;
		group = s->groups.items[--s->groups.count];
	}
	for (size_t i = 0; i < count; i++)
		tables->strings[i] = s->items[i].index;
	return true;
}

static void assign_offsets(const struct gsym_builder *b,
			   struct w_tables *tables)
{
	const struct gsym_intern_entry *entries = b->strings.entries;
	uint64_t at = 1; /* the empty string */

	for (size_t i = 0; i < tables->string_count; i++) {
		uint32_t number = tables->strings[i];

		if (tables->string_shared[i])
			continue;
		tables->string_offsets[number] = at;
		at += (uint64_t)entries[number].length + 1;
	}
	tables->string_bytes = at;
	/* Backwards, as a string may share with one that shares itself.  The
	 * last one never does. */
	for (size_t i = tables->string_count; i-- > 0;) {
		uint32_t number = tables->strings[i], next;

		if (!tables->string_shared[i])
			continue;
		next = tables->strings[i + 1];
		tables->string_offsets[number] =
			tables->string_offsets[next] + entries[next].length -
			entries[number].length;
	}
}

enum gsym_status gsym_writer_place_strings(const struct gsym_builder *b,
					   struct w_tables *tables)
{
	size_t count = tables->string_count;
	struct string_sort s = { .b = b };
	bool sorted = false;

	s.items = calloc(count + 1, 2 * sizeof(*s.items));
	s.shared = tables->string_shared = calloc(count + 1, sizeof(bool));
	if (s.items && s.shared) {
		s.scratch = s.items + count;
		sorted = sort_strings(&s, tables);
	}
	free(s.items);
	gsym_vec_fini(&s.groups);
	if (!sorted)
		return GSYM_ERR_MEMORY;
	assign_offsets(b, tables);
	return GSYM_OK;
}
