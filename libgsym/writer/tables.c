/* SPDX-License-Identifier: MIT */
/*
 * Collects the strings and files that the records use.  Files are ordered by
 * the number of their uses: frequent files have small indexes, which take fewer
 * bytes.
 *
 * Names are ordered by their first use, so that those of one function, and of
 * the calls inlined into it, are on few pages of the file.  The strings of
 * files follow, except those that a name is an end of.  Neither order depends
 * on the order in which records were added.
 *
 * A string that another one ends with takes no bytes of its own in the string
 * table ("bar" of "foobar").
 * When strings are sorted by their reversed bytes, a string that others end
 * with comes right before one of them.  The sort compares eight bytes at a
 * time, from the end of the strings: a 64-bit key has the last byte in its
 * most significant byte.  Strings with equal keys form a group, which is
 * sorted by the eight bytes before those.  The key of a string with fewer
 * bytes left is filled up with zeros; as no string holds a NUL, it differs
 * from the keys of all other strings of the group.
 */
#include "writer/state.h"

#include "base/cursor.h"
#include "base/memory.h"

#include <stdlib.h>

/* ---- the offsets of strings --------------------------------------------- */

enum {
	KEY_BYTES = 8,
	/* Strings that were read after which their memory is given back: most
	 * are on pages of their own if they are long. */
	RELEASED = 16384,
};

/* COUNT strings from place FIRST on that are equal in their last DEPTH
 * bytes. */
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
	/* Groups that are still to be sorted. */
	struct { GSYM_VEC(struct string_group); } groups;
	/* The strings that were read since memory was given back. */
	uint64_t unreleased;
};

/* The key of the bytes of STRING that come before its last DEPTH bytes. */
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

/* Whether the string with the key A is the end of the string with the greater
 * key C of the same group.  Strings with more bytes than A holds are not
 * ends. */
static bool is_end_of(uint64_t a, uint64_t c)
{
	unsigned zeros;

	if (!a)
		return true; /* the bytes that all of the group end with */
	zeros = (unsigned)__builtin_ctzll(a) / 8 * 8;
	return zeros && (a ^ c) >> zeros == 0;
}

/* Sort GROUP by the next key, and add the groups of equal keys within it to
 * s->groups.  False without memory. */
static bool sort_group(struct string_sort *s, struct string_group group)
{
	struct gsym_sort_item *items = s->items + group.first;
	uint32_t next;

	for (uint32_t i = 0; i < group.count; i++) {
		items[i].key = key_at(w_string(s->b, items[i].index),
				      group.depth);
		if (++s->unreleased > RELEASED) {
			w_release(s->b);
			s->unreleased = 0;
		}
	}
	gsym_sort_by_key(items, group.count, s->scratch);
	for (uint32_t i = 0; i < group.count; i = next) {
		struct string_group *inner;

		next = i + 1;
		while (next < group.count && items[next].key == items[i].key)
			next++;
		/* A string alone with its key can be the end of the next
		 * one.  If that belongs to a group, any string that comes
		 * first there has the key of the group. */
		if (next == i + 1) {
			if (next < group.count)
				s->shared[group.first + i] = is_end_of(
					items[i].key, items[next].key);
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

static bool sort_strings(struct string_sort *s, const struct w_tables *tables)
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
	return true;
}

/* Set WHOLES, by string number, to the string that holds its bytes: itself, or
 * one that it is an end of. */
static void find_wholes(const struct string_sort *s, size_t count,
			uint32_t *wholes)
{
	/* Backwards: the next string may be an end itself.  The last string
	 * never is. */
	for (size_t i = count; i-- > 0;)
		wholes[s->items[i].index] =
			s->shared[i] ? wholes[s->items[i + 1].index] :
				       s->items[i].index;
}

/* Put the strings that hold bytes where the first of their ends, or they
 * themselves, are in TABLES->strings. */
static void assign_offsets(const struct gsym_builder *b, const uint32_t *wholes,
			   struct w_tables *tables)
{
	uint64_t *offsets = tables->string_offsets;
	uint64_t at = 1; /* after the empty string */
	size_t kept = 0;

	for (size_t i = 0; i < tables->string_count; i++) {
		uint32_t number = tables->strings[i], whole = wholes[number];

		if (!offsets[whole]) {
			offsets[whole] = at;
			at += (uint64_t)w_string(b, whole)->length + 1;
			tables->strings[kept++] = whole;
		}
		offsets[number] = offsets[whole] +
				  w_string(b, whole)->length -
				  w_string(b, number)->length;
	}
	tables->string_count = kept;
	tables->string_bytes = at;
}

/* Fill string_offsets and string_bytes in.  TABLES->strings are all strings, in
 * the order wanted for the table.  A string that others are ends of takes the
 * place of the first of them; strings that are ends of others are removed. */
static enum gsym_status place_strings(const struct gsym_builder *b,
				      struct w_tables *tables)
{
	size_t count = tables->string_count;
	struct string_sort s = { .b = b };
	uint32_t *wholes = calloc(b->strings.count, sizeof(*wholes));
	bool sorted = false;

	s.items = calloc(count, 2 * sizeof(*s.items));
	s.shared = calloc(count, sizeof(bool));
	if (s.items && s.shared && wholes) {
		gsym_pages_large(s.items, count * 2 * sizeof(*s.items));
		s.scratch = s.items + count;
		sorted = sort_strings(&s, tables);
	}
	if (sorted) {
		find_wholes(&s, count, wholes);
		assign_offsets(b, wholes, tables);
	}
	free(s.items);
	free(s.shared);
	free(wholes);
	gsym_vec_fini(&s.groups);
	return sorted ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* ---- the strings and files that are used -------------------------------- */

/* By number: whether a string is used, and how often a file is used.  Used
 * strings and files are appended to the lists of TABLES. */
struct usage {
	const struct gsym_builder *b;
	struct w_tables *tables;
	bool *strings;
	uint64_t *files;
	struct gsym_build_summary *summary;
};

/* A used file, and its place in the order of first use. */
struct ranked_file {
	uint64_t uses;
	uint32_t place;
	uint32_t number;
};

static void use_string(struct usage *u, uint32_t number)
{
	if (u->strings[number] || number == W_STRING_EMPTY)
		return;
	u->strings[number] = true;
	u->tables->strings[u->tables->string_count++] = number;
}

static void use_file(struct usage *u, uint32_t number)
{
	if (!u->files[number]++)
		u->tables->files[u->tables->file_count++] = number;
}

static void use_shape(struct usage *u, const struct gsym_shape *shape);

static void use_body(struct usage *u, const struct gsym_shape_body *body)
{
	struct gsym_shape_view view = gsym_shape_look(body);

	for (unsigned k = 0; k < GSYM_COLUMNS; k++) {
		uint32_t count = body->counts[gsym_columns[k].array];

		if (gsym_columns[k].meaning == GSYM_FILE)
			for (uint32_t i = 0; i < count; i++)
				use_file(u, gsym_shape_at(&view, k, i));
		else if (gsym_columns[k].meaning == GSYM_STRING)
			for (uint32_t i = 0; i < count; i++)
				use_string(u, gsym_shape_at(&view, k, i));
	}
	for (uint32_t i = 0; i < body->merged_count; i++)
		use_shape(u, &body->merged[i]);
	u->summary->rows += body->counts[GSYM_ROWS];
	u->summary->inlined_calls += body->counts[GSYM_INLINES];
	u->summary->call_sites += body->counts[GSYM_CALLS];
	u->summary->merged += body->merged_count;
}

static void use_shape(struct usage *u, const struct gsym_shape *shape)
{
	use_string(u, shape->name);
	if (shape->body)
		use_body(u, shape->body);
}

static int compare_files(const void *a, const void *c)
{
	const struct ranked_file *x = a, *y = c;

	if (x->uses != y->uses)
		return GSYM_ORDER(y->uses, x->uses);
	return GSYM_ORDER(x->place, y->place);
}

/* Sort the used files and number them. */
static enum gsym_status order_files(const struct usage *u)
{
	struct w_tables *tables = u->tables;
	size_t count = tables->file_count;
	struct ranked_file *files = calloc(count + 1, sizeof(*files));

	if (!files)
		return GSYM_ERR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		uint32_t number = tables->files[i];

		files[i] = (struct ranked_file){ u->files[number], (uint32_t)i,
						 number };
	}
	qsort(files, count, sizeof(*files), compare_files);
	for (size_t i = 0; i < count; i++) {
		tables->files[i] = files[i].number;
		tables->file_indexes[files[i].number] = (uint32_t)i + 1;
	}
	free(files);
	return GSYM_OK;
}

/* Use the strings of the used files.  Those of the most frequent file come
 * last: a reader looks at the last string when it opens the file. */
static void use_names_of_files(struct usage *u)
{
	struct w_tables *tables = u->tables;
	uint32_t *first = tables->strings + tables->string_count, *last;

	for (size_t i = 0; i < tables->file_count; i++) {
		struct w_file file = w_file_of(u->b, tables->files[i]);

		use_string(u, file.basename);
		use_string(u, file.directory);
	}
	last = tables->strings + tables->string_count;
	while (first < last) {
		uint32_t number = *first;

		*first++ = *--last;
		*last = number;
	}
}

enum gsym_status gsym_writer_make_tables(const struct gsym_builder *b,
					 struct w_records records,
					 struct w_tables *tables,
					 struct gsym_build_summary *summary)
{
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct usage u = {
		.b = b,
		.tables = tables,
		.strings = calloc(b->strings.count, sizeof(bool)),
		.files = calloc(b->files.count, sizeof(*u.files)),
		.summary = summary,
	};

	*tables = (struct w_tables){
		.string_offsets = calloc(b->strings.count,
					 sizeof(*tables->string_offsets)),
		.strings = calloc(b->strings.count, sizeof(*tables->strings)),
		.file_indexes =
			calloc(b->files.count, sizeof(*tables->file_indexes)),
		.files = calloc(b->files.count, sizeof(*tables->files)),
	};
	if (u.strings && u.files && tables->string_offsets && tables->strings &&
	    tables->file_indexes && tables->files) {
		for (size_t i = 0; i < records.count; i++)
			use_shape(&u, &records.items[i]);
		status = order_files(&u);
	}
	if (status == GSYM_OK) {
		use_names_of_files(&u);
		summary->strings = tables->string_count;
		summary->files = tables->file_count;
		status = place_strings(b, tables);
	}
	free(u.strings);
	free(u.files);
	return status;
}

void gsym_writer_tables_fini(struct w_tables *tables)
{
	free(tables->string_offsets);
	free(tables->strings);
	free(tables->file_indexes);
	free(tables->files);
	*tables = (struct w_tables){ 0 };
}
