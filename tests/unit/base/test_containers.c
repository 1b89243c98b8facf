/* SPDX-License-Identifier: MIT */
/* Arrays, arenas, numbers for strings, and the join of ranges: base/vec,
 * base/memory, base/intern, base/order. */
#include "base/intern.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/vec.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- vec --------------------------------------------------------------- */

struct item {
	char bytes[24];
	uint32_t number;
};

Test(vec, grows_and_keeps_what_it_has)
{
	struct { GSYM_VEC(struct item); } v = { 0 };

	cr_expect_null(gsym_vec_from(&v, 0));
	for (uint32_t i = 0; i < 50000; i++) {
		struct item *item = gsym_vec_push(&v);

		cr_assert_not_null(item);
		item->number = i;
	}
	cr_assert_eq(v.count, 50000);
	cr_assert_geq(v.capacity, v.count);
	for (uint32_t i = 0; i < 50000; i++)
		cr_assert_eq(v.items[i].number, i);
	cr_expect_eq(gsym_vec_from(&v, 7)->number, 7);
	gsym_vec_fini(&v);
	cr_expect(!v.items && !v.count && !v.capacity);
}

Test(vec, room)
{
	struct { GSYM_VEC(struct item); } v = { 0 };
	struct item *before;

	cr_assert(gsym_vec_reserve(&v, 1000));
	cr_assert_geq(v.capacity, 1000);
	cr_expect_eq(v.count, 0);
	before = v.items;
	for (int i = 0; i < 1000; i++)
		cr_assert_not_null(gsym_vec_push(&v));
	cr_expect_eq(v.items, before);
	/* A refused reservation changes nothing. */
	cr_expect(!gsym_vec_reserve(&v, SIZE_MAX));
	cr_expect(!gsym_vec_reserve(&v, SIZE_MAX / 8));
	cr_expect(v.items == before && v.count == 1000);
	gsym_vec_fini(&v);
}

/* ---- arena ------------------------------------------------------------- */

Test(arena, pieces_are_aligned_and_apart)
{
	static const size_t sizes[] = { 1, 3, 8, 17, 100, 5000, 20000, 70000 };
	enum { PIECES = 400 };
	struct gsym_arena a = { 0 };
	uint8_t *pieces[PIECES];

	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = gsym_arena_alloc(&a, sizes[i % 8]);
		cr_assert_not_null(pieces[i]);
		cr_expect_eq((uintptr_t)pieces[i] % alignof(max_align_t), 0);
		memset(pieces[i], (int)i, sizes[i % 8]);
		cr_assert_not_null(gsym_arena_string(&a, "x", 1));
	}
	for (size_t i = 0; i < PIECES; i++)
		for (size_t k = 0; k < sizes[i % 8]; k++)
			cr_assert_eq(pieces[i][k], (uint8_t)i);
	gsym_arena_fini(&a);
	cr_expect(!a.chunks && !a.taken);
	cr_expect_not_null(gsym_arena_alloc(&a, 1));
	gsym_arena_fini(&a);
}

Test(arena, strings)
{
	struct gsym_arena a = { 0 };
	char *one = gsym_arena_string(&a, "onetwo", 3);
	char *none = gsym_arena_string(&a, "onetwo", 0);

	cr_expect_str_eq(one, "one");
	cr_expect_str_eq(none, "");
	cr_expect_null(gsym_arena_string(&a, "", SIZE_MAX));
	cr_expect_null(gsym_arena_alloc(&a, SIZE_MAX));
	cr_expect_str_eq(one, "one");
	gsym_arena_fini(&a);
}

Test(arena, large_ones_keep_their_pieces)
{
	enum { COUNT = 40, SIZE = 1 << 20 };
	struct gsym_arena a = { 0 };
	uint8_t *pieces[COUNT];

	for (int i = 0; i < COUNT; i++) {
		pieces[i] = gsym_arena_alloc(&a, SIZE);
		cr_assert_not_null(pieces[i]);
		memset(pieces[i], i, SIZE);
	}
	for (int i = 0; i < COUNT; i++)
		cr_expect(pieces[i][0] == i && pieces[i][SIZE - 1] == i);
	/* At most about one chunk of the memory taken is unused. */
	cr_expect_leq(a.taken, (size_t)COUNT * SIZE + (18 << 20));
	gsym_arena_fini(&a);
}

/* Pieces that are as large as a chunk, a little smaller and a little larger. */
Test(arena, pieces_of_all_that_a_chunk_has)
{
	for (size_t chunk = 64 << 10; chunk <= 32 << 20; chunk *= 2)
		for (size_t size = chunk - 32; size <= chunk + 32; size += 16) {
			struct gsym_arena a = { 0 };
			uint8_t *large = gsym_arena_alloc(&a, size), *small;

			cr_assert_not_null(large);
			large[size - 1] = 1;
			/* TAKEN counts the piece, and the next piece does not
			 * overlap it. */
			cr_expect_geq(a.taken, size);
			small = gsym_arena_alloc(&a, 1 << 10);
			cr_assert_not_null(small);
			cr_expect_geq(a.taken, size + (1 << 10));
			cr_expect(small >= large + size ||
				  small + (1 << 10) <= large);
			gsym_arena_fini(&a);
		}
}

Test(arena, limit)
{
	enum { LIMIT = 1 << 20 };
	struct gsym_arena a = { .limit = LIMIT };
	size_t got = 0;

	cr_expect_null(gsym_arena_alloc(&a, LIMIT + 1));
	while (gsym_arena_alloc(&a, 1000))
		cr_assert_lt(got += 1000, LIMIT);
	/* The strings use at least nine tenths of the limit. */
	cr_expect_gt(got, LIMIT * 9 / 10);
	cr_expect_leq(a.taken, LIMIT);
	gsym_arena_fini(&a);
	cr_expect_not_null(gsym_arena_alloc(&a, 1000));
	gsym_arena_fini(&a);
}

/* ---- intern ------------------------------------------------------------ */

Test(intern, numbers_in_the_order_of_coming)
{
	enum { COUNT = 20000 };
	struct gsym_intern in = { 0 };
	char text[16];
	uint32_t number;

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < COUNT; i++) {
			size_t length = (size_t)snprintf(text, sizeof(text),
							 "n%u", i);

			number = UINT32_MAX;
			cr_assert(gsym_intern_add(&in, text, length, &number));
			cr_assert_eq(number, i);
		}
	cr_assert_eq(in.count, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "n%u", i);
		cr_assert_str_eq(gsym_intern_entry(&in, i)->bytes, text);
		cr_assert_eq(gsym_intern_entry(&in, i)->length, strlen(text));
	}
	gsym_intern_fini(&in);
	cr_expect(!in.count && !in.slots);
}

/* Strings that are equal up to a NUL differ. */
Test(intern, tells_bytes_apart)
{
	static const struct { const char *bytes; size_t length; } texts[] = {
		{ "", 0 }, { "a", 1 }, { "ab", 2 }, { "a\0", 2 },
		{ "a\0b", 3 }, { "\0", 1 }, { "\0\0", 2 }, { "b", 1 },
	};
	enum { COUNT = sizeof(texts) / sizeof(*texts) };
	struct gsym_intern in = { 0 };
	uint32_t number;

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < COUNT; i++) {
			cr_assert(gsym_intern_add(&in, texts[i].bytes,
						  texts[i].length, &number));
			cr_expect_eq(number, i);
			cr_expect_eq(gsym_intern_entry(&in, i)
					     ->bytes[texts[i].length],
				     0);
		}
	cr_expect_eq(in.count, COUNT);
	gsym_intern_fini(&in);
}

Test(intern, finds_and_does_not_add)
{
	struct gsym_intern in = { 0 };
	uint32_t number;

	cr_expect_not(gsym_intern_find(&in, "", 0, &number));
	cr_assert(gsym_intern_add(&in, "a", 1, &number));
	cr_assert(gsym_intern_add(&in, "b", 1, &number));
	cr_expect_not(gsym_intern_find(&in, "c", 1, &number));
	cr_expect_eq(in.count, 2);
	cr_assert(gsym_intern_find(&in, "a", 1, &number));
	cr_expect_eq(number, 0);
	gsym_intern_fini(&in);
}

/* Among so many strings some have the same hash of 32 bits. */
Test(intern, tells_equal_hashes_apart)
{
	enum { COUNT = 400000 };
	struct gsym_intern in = { 0 };
	uint32_t number;

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < COUNT; i++) {
			cr_assert(gsym_intern_add(&in, (const char *)&i,
						  sizeof(i), &number));
			cr_assert_eq(number, i);
		}
	gsym_intern_fini(&in);
}

/* A text that another thread changes all the time. */
static char changing[8];
static atomic_bool changed_enough;

static void *change(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; !changed_enough; i++)
		((volatile char *)changing)[i % 8] = "ab\0"[i / 8 % 3];
	return NULL;
}

Test(intern, changing_bytes_are_no_equal_entries)
{
	struct gsym_intern in = { 0 }, again = { 0 };
	pthread_t thread;
	uint32_t number;

	memset(changing, 'a', sizeof(changing));
	cr_assert_eq(pthread_create(&thread, NULL, change, NULL), 0);
	for (unsigned i = 0; i < 2000000; i++)
		cr_assert(gsym_intern_add(&in, changing, sizeof(changing),
					  &number));
	changed_enough = true;
	pthread_join(thread, NULL);
	for (uint32_t i = 0; i < in.count; i++) {
		cr_assert(gsym_intern_add(&again,
					  gsym_intern_entry(&in, i)->bytes,
					  sizeof(changing), &number));
		cr_expect_eq(number, i, "an entry equals an earlier one");
	}
	cr_expect(in.count > 1);
	gsym_intern_fini(&in);
	gsym_intern_fini(&again);
}

/* What several threads add: each of them all STRINGS strings, beginning with
 * different ones. */
enum { ADDERS = 4, STRINGS = 20000 };

static struct gsym_intern common;
static uint32_t numbers[ADDERS][STRINGS];

static void *add_all(void *first)
{
	uint32_t *to = first;
	size_t begin = (size_t)(to - numbers[0]) / ADDERS;
	char text[16];

	for (size_t i = 0; i < STRINGS; i++) {
		size_t k = (begin + i) % STRINGS;
		size_t length = (size_t)snprintf(text, sizeof(text), "s%zu", k);

		if (!gsym_intern_add(&common, text, length, &to[k]))
			return first;
	}
	return NULL;
}

Test(intern, several_threads_add_each_string_once)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t threads[ADDERS];
	uint32_t number;
	char text[16];
	void *failed;

	common.lock = &lock;
	cr_assert(gsym_intern_add(&common, "first", 5, &number));
	for (unsigned i = 0; i < ADDERS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, add_all,
					    numbers[i]),
			     0);
	for (unsigned i = 0; i < ADDERS; i++) {
		cr_assert_eq(pthread_join(threads[i], &failed), 0);
		cr_expect_null(failed);
	}
	cr_expect_eq(common.count, STRINGS + 1u);
	for (unsigned i = 0; i < STRINGS; i++) {
		snprintf(text, sizeof(text), "s%u", i);
		for (unsigned k = 1; k < ADDERS; k++)
			cr_expect_eq(numbers[k][i], numbers[0][i]);
		cr_expect_str_eq(
			gsym_intern_entry(&common, numbers[0][i])->bytes, text);
	}
	gsym_intern_fini(&common);
}

/* The first eight bytes are a constant of XXH3.  Without a seed all strings of
 * 17 to 128 bytes that begin with them and differ in the next eight have one
 * hash. */
Test(intern, no_string_is_known_to_collide)
{
	enum { COUNT = 1000 };
	char text[] = "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe"
			"........and more bytes";
	struct gsym_intern in = { 0 };
	uint32_t first = 0, equal = 0, number;

	for (uint32_t i = 0; i < COUNT; i++) {
		char digits[9];
		uint32_t hash;

		snprintf(digits, sizeof(digits), "%08" PRIu32, i);
		memcpy(text + 8, digits, 8);
		cr_assert(gsym_intern_add(&in, text, sizeof(text) - 1,
					  &number));
		hash = gsym_intern_entry(&in, number)->hash;
		first = i ? first : hash;
		equal += hash == first;
	}
	cr_expect_leq(equal, 2);
	gsym_intern_fini(&in);
}

/* ---- sort -------------------------------------------------------------- */

Test(sort, join)
{
	struct gsym_range ranges[] = {
		{ 30, 40 }, { 10, 12 }, { 15, 20 }, { 31, 35 },
		{ 12, 14 }, { 38, 50 }, { 60, 60 },
	};
	static const struct gsym_range joined[] = {
		{ 10, 14 }, { 15, 20 }, { 30, 50 }, { 60, 60 },
	};
	struct gsym_range_set set = { 0 };

	gsym_range_set_join(&set);
	cr_expect_eq(set.count, 0);
	set = (struct gsym_range_set){ ranges, 7, 7 };
	gsym_range_set_join(&set);
	cr_assert_eq(set.count, 4);
	for (size_t i = 0; i < 4; i++)
		cr_expect(ranges[i].start == joined[i].start &&
			  ranges[i].end == joined[i].end);
}

/* Few structs are sorted in another way than many. */
Test(sort, structs_with_equal_keys_keep_their_order)
{
	enum { MOST = 1000 };
	struct numbered {
		uint32_t number;
		uint64_t key;
	};
	struct {
		GSYM_VEC(struct numbered);
	} all = { 0 };
	struct numbered room[MOST];
	uint64_t random = 1;

	all.items = room;
	for (all.count = 0; all.count < MOST; all.count += 1 + all.count / 3) {
		for (uint32_t i = 0; i < all.count; i++) {
			random = random * 6364136223846793005u + 1;
			room[i] =
				(struct numbered){ i, (random >> 33) % all.count
							      << 50 };
		}
		for (int again = 0; again < 2; again++) {
			cr_assert(gsym_vec_sort_by(&all, key));
			for (size_t i = 1; i < all.count; i++)
				cr_assert(
					room[i - 1].key < room[i].key ||
					(room[i - 1].key == room[i].key &&
					 room[i - 1].number < room[i].number));
		}
	}
}

/* ---- keys -------------------------------------------------------------- */

Test(keys, numbers_in_the_order_of_coming)
{
	enum { COUNT = 5000 };
	struct gsym_keys keys = { 0 };
	uint32_t number;

	for (unsigned round = 0; round < 2; round++) {
		/* Each key comes twice; the second time it is known. */
		for (uint64_t i = 0; i < 2 * COUNT; i++) {
			uint64_t key = i % COUNT * UINT64_C(0x100000001);

			cr_assert(gsym_keys_add(&keys, key, &number));
			cr_assert_eq(number, i % COUNT);
		}
		cr_assert_eq(keys.keys.count, COUNT);
		cr_assert_geq(keys.slots.count, 2 * COUNT);
		gsym_keys_clear(&keys);
	}
	gsym_keys_fini(&keys);
	cr_assert_eq(keys.slots.count, 0);
	gsym_keys_clear(&keys);
}
