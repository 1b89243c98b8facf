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
#include "base/pool.h"

#include <stdlib.h>

/* ---- the offsets of strings --------------------------------------------- */

enum {
	KEY_BYTES = 8,
	/* Strings and groups of one job.  Long strings are on pages of their
	 * own: 4096 of them take 16 MiB. */
	STRINGS = 4096,
	GROUPS = 64,
};

/* COUNT strings from place FIRST on that are equal in their last DEPTH
 * bytes. */
struct string_group {
	uint32_t first;
	uint32_t count;
	uint32_t depth;
};

struct string_groups {
	GSYM_VEC(struct string_group);
};

/* COUNT strings that are sorted by their ends: first all by their last
 * KEY_BYTES, then the groups of equal ones by several threads. */
struct string_sort {
	const struct gsym_builder *b;
	/* Their keys, numbers as indexes, and lengths as extras. */
	struct gsym_sort_item *items;
	struct gsym_sort_item *scratch; /* as many */
	/* By place: whether the string is an end of the next one. */
	bool *shared;
	size_t count;
	struct string_groups groups;
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

/* Fetch what key_at reads of the COUNT strings at ITEMS, of which the first one
 * is due, into the cache. */
static inline void prefetch_string(const struct gsym_builder *b,
				   const struct gsym_sort_item *items,
				   uint32_t count)
{
	enum { ENTRY = 16, TEXT = 8 };
	const struct gsym_intern_entry *entry;

	if (count <= ENTRY)
		return;
	__builtin_prefetch(w_string(b, items[ENTRY].index));
	entry = w_string(b, items[TEXT].index);
	__builtin_prefetch(entry->bytes + entry->length - 1);
}

/* Set the keys and lengths of GROUP. */
static void set_keys(const struct string_sort *s, struct string_group group)
{
	struct gsym_sort_item *items = s->items + group.first;

	for (uint32_t i = 0; i < group.count; i++) {
		const struct gsym_intern_entry *string =
			w_string(s->b, items[i].index);

		prefetch_string(s->b, &items[i], group.count - i);
		items[i].key = key_at(string, group.depth);
		items[i].extra = string->length;
	}
}

/* Add the groups of equal keys within GROUP, which is sorted by its keys, to
 * INNER.  False without memory. */
static bool divide_group(const struct string_sort *s, struct string_group group,
			 struct string_groups *inner)
{
	struct gsym_sort_item *items = s->items + group.first;
	uint32_t next;

	for (uint32_t i = 0; i < group.count; i = next) {
		struct string_group *added;

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
		added = gsym_vec_push(inner);
		if (!added)
			return false;
		*added = (struct string_group){ group.first + i, next - i,
						group.depth + KEY_BYTES };
	}
	return true;
}

/* Set the keys, of the last bytes, of the strings of job INDEX. */
static enum gsym_status set_first_keys(void *context, size_t index,
				       unsigned worker)
{
	const struct string_sort *s = context;
	size_t first = index * STRINGS, left = s->count - first;

	(void)worker;
	set_keys(s, (struct string_group){
			    (uint32_t)first,
			    (uint32_t)(left < STRINGS ? left : STRINGS), 0 });
	w_release(s->b);
	return GSYM_OK;
}

/* Sort the groups of job INDEX, and all groups within them. */
static enum gsym_status sort_inner(void *context, size_t index, unsigned worker)
{
	const struct string_sort *s = context;
	struct string_groups inner = { 0 };
	size_t next = index * GROUPS, end = next + GROUPS, read = 0;
	bool fine = true;

	(void)worker;
	end = end < s->groups.count ? end : s->groups.count;
	while (fine && (inner.count || next < end)) {
		struct string_group group = inner.count
						    ? inner.items[--inner.count]
						    : s->groups.items[next++];

		set_keys(s, group);
		read += group.count;
		if (read >= STRINGS) {
			w_release(s->b);
			read = 0;
		}
		gsym_sort_by_key(s->items + group.first, group.count,
				 s->scratch + group.first);
		fine = divide_group(s, group, &inner);
	}
	gsym_vec_fini(&inner);
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* Sort the strings, and note which are ends of the next one. */
static enum gsym_status sort_strings(struct string_sort *s, unsigned threads)
{
	struct string_group all = { 0, (uint32_t)s->count, 0 };
	enum gsym_status status =
		gsym_pool_run(threads, (s->count + STRINGS - 1) / STRINGS, 0,
			      set_first_keys, NULL, NULL, s);

	if (status != GSYM_OK)
		return status;
	gsym_sort_on_threads(s->items, s->count, s->scratch, threads);
	if (!divide_group(s, all, &s->groups))
		return GSYM_ERR_MEMORY;
	return gsym_pool_run(threads, (s->groups.count + GROUPS - 1) / GROUPS,
			     0, sort_inner, NULL, NULL, s);
}

/* A string, and the one that holds its bytes: itself, or one that it is an end
 * of. */
struct string_place {
	uint32_t length;
	uint32_t whole; /* its number */
};

/* Fill PLACES in, by string number. */
static void find_wholes(const struct string_sort *s,
			struct string_place *places)
{
	uint32_t whole = 0;

	/* Backwards: the next string may be an end itself.  The last string
	 * never is. */
	for (size_t i = s->count; i-- > 0;) {
		struct gsym_sort_item item = s->items[i];

		if (!s->shared[i])
			whole = item.index;
		places[item.index] = (struct string_place){ item.extra, whole };
	}
}

/* Put the strings that hold bytes where the first of their ends, or they
 * themselves, are in TABLES->strings. */
static void assign_offsets(const struct string_place *places,
			   struct w_tables *tables)
{
	uint64_t *offsets = tables->string_offsets;
	uint64_t at = 1; /* after the empty string */
	size_t kept = 0;

	for (size_t i = 0; i < tables->string_count; i++) {
		uint32_t number = tables->strings[i];
		struct string_place place = places[number];
		uint32_t length = places[place.whole].length;

		if (!offsets[place.whole]) {
			offsets[place.whole] = at;
			at += (uint64_t)length + 1;
			tables->strings[kept++] = place.whole;
		}
		offsets[number] = offsets[place.whole] + length - place.length;
	}
	tables->string_count = kept;
	tables->string_bytes = at;
}

/* Fill string_offsets and string_bytes in.  TABLES->strings are all strings, in
 * the order wanted for the table.  A string that others are ends of takes the
 * place of the first of them; strings that are ends of others are removed. */
static enum gsym_status place_strings(const struct gsym_builder *b,
				      unsigned threads, struct w_tables *tables)
{
	size_t count = tables->string_count;
	struct string_sort s = { .b = b, .count = count };
	struct string_place *places =
		malloc(b->strings.count * sizeof(*places));
	enum gsym_status status = GSYM_ERR_MEMORY;

	s.items = calloc(count, 2 * sizeof(*s.items));
	s.shared = calloc(count, sizeof(bool));
	if (s.items && s.shared && places) {
		gsym_pages_large(s.items, count * 2 * sizeof(*s.items));
		s.scratch = s.items + count;
		for (size_t i = 0; i < count; i++)
			s.items[i].index = tables->strings[i];
		status = sort_strings(&s, threads);
	}
	if (status == GSYM_OK) {
		find_wholes(&s, places);
		assign_offsets(places, tables);
	}
	free(s.items);
	free(s.shared);
	free(places);
	gsym_vec_fini(&s.groups);
	return status;
}

/* ---- the strings and files that are used -------------------------------- */

/* What one thread has seen. */
struct seen {
	/* By number: the last part that uses the string or file. */
	uint32_t *strings;
	uint32_t *files;
	/* By number: how often a file is used. */
	uint64_t *uses;
	struct gsym_build_summary counts;
};

/* A part of the records: the strings and files that it uses, each once, in the
 * order of their first use.  A thread collects them, and the parts are joined
 * in the order of the records. */
struct part {
	uint32_t number;   /* from 1 on */
	struct seen *seen; /* by the thread that collects */
	struct w_words strings;
	struct w_words files;
};

struct usage {
	const struct gsym_builder *b;
	struct w_records records;
	struct w_tables *tables;
	struct gsym_build_summary *summary;
	unsigned threads;
	struct seen *seen; /* by worker */
	/* The parts that are collected or wait, by number modulo
	 * PART_COUNT. */
	struct part *parts;
	size_t part_count;
	size_t part_size; /* records of a part */
	/* By number: whether a string is in TABLES. */
	bool *strings;
};

/* A used file, and its place in the order of first use. */
struct ranked_file {
	uint64_t uses;
	uint32_t place;
	uint32_t number;
};

/* Append NUMBER to WORDS, which has room, unless part PART has it.  LAST is by
 * number: the last part that has the string or file. */
static inline void see(uint32_t *last, uint32_t part, struct w_words *words,
		       uint32_t number)
{
	if (last[number] == part)
		return;
	last[number] = part;
	words->items[words->count++] = number;
}

static bool use_shape(struct part *p, const struct gsym_shape *shape);

static bool use_body(struct part *p, const struct gsym_shape_body *body)
{
	struct gsym_shape_view view = gsym_shape_look(body);
	struct seen *seen = p->seen;
	bool fine = true;

	for (unsigned k = 0; k < GSYM_COLUMNS; k++) {
		uint32_t count = body->counts[gsym_columns[k].array];
		bool files = gsym_columns[k].meaning == GSYM_FILE;
		struct w_words *words = files ? &p->files : &p->strings;

		if (!files && gsym_columns[k].meaning != GSYM_STRING)
			continue;
		if (!gsym_vec_reserve(words, count))
			return false;
		for (uint32_t i = 0; i < count; i++) {
			uint32_t number = gsym_shape_at(&view, k, i);

			if (files)
				seen->uses[number]++;
			see(files ? seen->files : seen->strings, p->number,
			    words, number);
		}
	}
	for (uint32_t i = 0; i < body->merged_count && fine; i++)
		fine = use_shape(p, &body->merged[i]);
	seen->counts.rows += body->counts[GSYM_ROWS];
	seen->counts.inlined_calls += body->counts[GSYM_INLINES];
	seen->counts.call_sites += body->counts[GSYM_CALLS];
	seen->counts.merged += body->merged_count;
	return fine;
}

static bool use_shape(struct part *p, const struct gsym_shape *shape)
{
	if (!gsym_vec_reserve(&p->strings, 1))
		return false;
	see(p->seen->strings, p->number, &p->strings, shape->name);
	return !shape->body || use_body(p, shape->body);
}

/* Collect what the records of part INDEX use. */
static enum gsym_status collect(void *context, size_t index, unsigned worker)
{
	/* The body of a record is prefetched so many records before. */
	enum { AHEAD = 8 };
	const struct usage *u = context;
	struct part *part = &u->parts[index % u->part_count];
	const struct gsym_shape *at = u->records.items + index * u->part_size;
	size_t count = u->records.count - index * u->part_size;
	bool fine = true;

	if (count > u->part_size)
		count = u->part_size;
	part->number = (uint32_t)index + 1;
	part->seen = &u->seen[worker];
	part->strings.count = part->files.count = 0;
	for (size_t i = 0; i < count && fine; i++) {
		if (i + AHEAD < count)
			__builtin_prefetch(at[i + AHEAD].body);
		fine = use_shape(part, &at[i]);
	}
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

static void use_string(struct usage *u, uint32_t number)
{
	if (u->strings[number] || number == W_STRING_EMPTY)
		return;
	u->strings[number] = true;
	u->tables->strings[u->tables->string_count++] = number;
}

/* Append the strings and files that are first used in part INDEX to the
 * tables. */
static enum gsym_status append(void *context, size_t index, unsigned worker)
{
	struct usage *u = context;
	const struct part *part = &u->parts[index % u->part_count];

	(void)worker;
	for (size_t i = 0; i < part->strings.count; i++)
		use_string(u, part->strings.items[i]);
	for (size_t i = 0; i < part->files.count; i++) {
		uint32_t number = part->files.items[i];

		if (!u->tables->file_indexes[number])
			u->tables->files[u->tables->file_count++] = number;
		/* Until the files are in order. */
		u->tables->file_indexes[number] = 1;
	}
	return GSYM_OK;
}

/* Add the counts of what one thread has SEEN. */
static void add_counts(struct usage *u, const struct seen *seen)
{
	u->summary->rows += seen->counts.rows;
	u->summary->inlined_calls += seen->counts.inlined_calls;
	u->summary->call_sites += seen->counts.call_sites;
	u->summary->merged += seen->counts.merged;
	for (size_t i = 0; seen != u->seen && i < u->b->files.count; i++)
		u->seen->uses[i] += seen->uses[i];
}

/* Collect what all records use.  The uses of files are those of the first
 * thread then. */
static enum gsym_status collect_all(struct usage *u)
{
	/* Each thread takes 4 bytes for each string and 12 for each file. */
	enum { RECORDS = 1024, THREADS = 8 };
	size_t jobs = (u->records.count + RECORDS - 1) / RECORDS;
	enum gsym_status status = GSYM_ERR_MEMORY;
	unsigned threads = gsym_pool_threads(
		u->threads < THREADS ? u->threads : THREADS, jobs);
	bool fine;

	u->threads = threads;
	u->part_size = threads > 1 ? RECORDS : u->records.count;
	u->part_count = threads > 1 ? (size_t)threads * 2 : 1;
	u->seen = calloc(threads, sizeof(*u->seen));
	u->parts = calloc(u->part_count, sizeof(*u->parts));
	fine = u->seen && u->parts;
	for (unsigned i = 0; fine && i < threads; i++) {
		struct seen *seen = &u->seen[i];

		seen->strings =
			calloc(u->b->strings.count, sizeof(*seen->strings));
		seen->files = calloc(u->b->files.count, sizeof(*seen->files));
		seen->uses = calloc(u->b->files.count, sizeof(*seen->uses));
		fine = seen->strings && seen->files && seen->uses;
	}
	if (fine)
		status = gsym_pool_run(threads, threads > 1 ? jobs : 1,
				       u->part_count, collect, append, NULL, u);
	for (unsigned i = 0; status == GSYM_OK && i < threads; i++)
		add_counts(u, &u->seen[i]);
	for (size_t i = 0; u->parts && i < u->part_count; i++) {
		gsym_vec_fini(&u->parts[i].strings);
		gsym_vec_fini(&u->parts[i].files);
	}
	return status;
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

		files[i] = (struct ranked_file){ u->seen->uses[number],
						 (uint32_t)i, number };
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

static void usage_fini(struct usage *u)
{
	for (unsigned i = 0; u->seen && i < u->threads; i++) {
		free(u->seen[i].strings);
		free(u->seen[i].files);
		free(u->seen[i].uses);
	}
	free(u->seen);
	free(u->parts);
	free(u->strings);
}

enum gsym_status gsym_writer_make_tables(const struct gsym_builder *b,
					 struct w_records records,
					 unsigned threads,
					 struct w_tables *tables,
					 struct gsym_build_summary *summary)
{
	enum gsym_status status = GSYM_ERR_MEMORY;
	struct usage u = {
		.b = b,
		.records = records,
		.threads = threads,
		.tables = tables,
		.summary = summary,
		.strings = calloc(b->strings.count, sizeof(bool)),
	};

	*tables = (struct w_tables){
		.string_offsets = calloc(b->strings.count,
					 sizeof(*tables->string_offsets)),
		.strings = calloc(b->strings.count, sizeof(*tables->strings)),
		.file_indexes =
			calloc(b->files.count, sizeof(*tables->file_indexes)),
		.files = calloc(b->files.count, sizeof(*tables->files)),
	};
	if (u.strings && tables->string_offsets && tables->strings &&
	    tables->file_indexes && tables->files)
		status = collect_all(&u);
	if (status == GSYM_OK)
		status = order_files(&u);
	if (status == GSYM_OK) {
		use_names_of_files(&u);
		summary->strings = tables->string_count;
		summary->files = tables->file_count;
		status = place_strings(b, threads, tables);
	}
	usage_fini(&u);
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
