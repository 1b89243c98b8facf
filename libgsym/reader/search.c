/* SPDX-License-Identifier: MIT */
/* Searches the address table, for one address or for many at once. */
#include "reader/reader.h"

#include <inttypes.h>

/*
 * For each of COUNT keys, set INDEXES to the last of the ENTRIES (not 0)
 * entries at TABLE that is at most the key, and to 0 if there is none.  If
 * entries are out of order, the result is some entry that is at most the key,
 * or 0.
 * INDEXES are 0 before.
 *
 * This loop is not GSYM_FIRST of base/order.h: each step takes a conditional
 * move instead of a branch that half of the lookups mispredict, and WIDTH and
 * SWAP are constants in inlined copies.  The outer loop goes over the steps of
 * the search, the inner one over the keys, so that their waits for memory
 * overlap.
 */
static inline __attribute__((always_inline)) void
last_at_most(const uint8_t *table, uint32_t entries, const uint64_t *keys,
	     size_t count, uint32_t *indexes, unsigned width, bool swap)
{
	for (uint32_t left = entries; left > 1; left -= left / 2)
		for (size_t i = 0; i < count; i++) {
			uint32_t middle = indexes[i] + left / 2;
			const uint8_t *at = table + (size_t)middle * width;

			indexes[i] = gsym_load_uint(at, width, swap) <=
				     keys[i] ? middle : indexes[i];
		}
}

/* last_at_most for the ENTRIES entries of the address table from FIRST on. */
static inline __attribute__((always_inline)) void
find_among(const struct gsym_layout *l, uint32_t first, uint32_t entries,
	   const uint64_t *keys, size_t count, uint32_t *indexes)
{
	const uint8_t *t = l->data +
			   l->sections[GSYM_SECTION_ADDRESSES].offset +
			   (uint64_t)first * l->address_size;

	if (l->address_size == 4 && !l->swap)
		last_at_most(t, entries, keys, count, indexes, 4, false);
	else if (l->address_size == 8 && !l->swap)
		last_at_most(t, entries, keys, count, indexes, 8, false);
	else
		last_at_most(t, entries, keys, count, indexes, l->address_size,
			     l->swap);
}

/* The last of the COUNT (not 0) entries from FIRST on that is at most KEY.
 * Entry FIRST has to be at most KEY. */
static uint32_t find_one(const struct gsym_layout *l, uint32_t first,
			 uint32_t count, uint64_t key)
{
	uint32_t index = 0;

	find_among(l, first, count, &key, 1, &index);
	return first + index;
}

/* An estimate, but at most MOST. */
static uint32_t at_most(double estimate, uint32_t most)
{
	return estimate < most ? (uint32_t)estimate : most;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Find the part of the address table, at best the entries of one page, that
 * holds the last entry that is at most KEY: the *COUNT entries from the
 * returned one on.  *COUNT is that of the table before.  The first entry of the
 * table, and of the part, is at most KEY.
 *
 * Each step of a binary search of a large table reads another page.  Here, each
 * step reads the first and the last entry of a page, and how dense the entries
 * between them are says which page is read next.  Where density varies too much
 * for that, a few steps are lost.
 */
static uint32_t find_page(const struct gsym_layout *l, uint64_t key,
			  uint32_t *count)
{
	enum { PAGE = 4096, STEPS = 4 };
	const uint8_t *t = l->data + l->sections[GSYM_SECTION_ADDRESSES].offset;
	uint32_t width = l->address_size, low = 0, high = *count;
	uint32_t at = high / 2;

	for (unsigned i = 0; i < STEPS && high - low > PAGE / width; i++) {
		uint32_t before = (uintptr_t)(t + (uint64_t)at * width) % PAGE;
		uint32_t first = at - smaller(before / width, at - low);
		uint32_t last = at + smaller((PAGE - 1 - before) / width,
					     high - 1 - at);
		uint64_t start = gsym_layout_start(l, first);
		uint64_t end = gsym_layout_start(l, last);
		double density = (last - first + 1) /
				 ((double)(end - start) + 1);

		if (key < start) {
			/* FIRST is not LOW, whose start is at most KEY, unless
			 * the bytes change: then the loop ends. */
			high = first;
			at = first - 1 - at_most((double)(start - key) *
						 density, first - 1 - low);
		} else if (key >= end) {
			low = last;
			at = last + at_most((double)(key - end) * density + 1,
					    high - 1 - last);
		} else {
			low = first;
			high = last;
		}
	}
	*count = high - low;
	return low;
}

/* Set *INDEX to the last entry of the address table that is at most KEY.
 * Returns false if there is none. */
static bool find_last(const struct gsym_layout *l, uint64_t key,
		      uint32_t *index)
{
	uint32_t count = l->count, first;

	if (!count || gsym_layout_start(l, 0) > key)
		return false;
	first = find_page(l, key, &count);
	*index = find_one(l, first, count, key);
	return true;
}

/* The index of the first entry with the start of entry INDEX. */
static uint32_t first_equal(const struct gsym_layout *l, uint32_t index)
{
	uint64_t start = gsym_layout_start(l, index);

	if (!index || gsym_layout_start(l, index - 1) != start)
		return index;
	return gsym_layout_start(l, 0) < start ?
		       find_one(l, 0, index, start - 1) + 1 : 0;
}

/* Set RECORD to a cursor over record INDEX and *SIZE to the bytes of its
 * function.  Returns false if the record lies beyond the data. */
static bool read_size(const struct gsym_reader *reader, uint32_t index,
		      struct gsym_cursor *record, uint32_t *size)
{
	if (!gsym_reader_record(reader, index, record) ||
	    gsym_cursor_left(record) < 4)
		return false;
	*size = gsym_load_u32(record->at, record->swap);
	return true;
}

/* Find the nearest record before FIRST that covers RELATIVE, an address minus
 * the base address.  Of several such records with one start, the first is
 * taken. */
static bool look_back(const struct gsym_reader *reader, uint32_t first,
		      uint64_t relative, uint32_t *index,
		      struct gsym_cursor *record)
{
	uint32_t last = first > GSYM_SEARCH_LOOK_BACK ?
				first - GSYM_SEARCH_LOOK_BACK : 0;
	uint64_t found = 0;
	bool any = false;

	for (uint32_t i = first; i-- > last;) {
		uint64_t start = gsym_layout_start(&reader->layout, i);
		struct gsym_cursor c;
		uint32_t size;

		if (any && start != found)
			break;
		if (!read_size(reader, i, &c, &size) || start > relative ||
		    relative - start >= size)
			continue;
		*index = i;
		*record = c;
		found = start;
		any = true;
	}
	return any;
}

enum gsym_status gsym_search_fail(const struct gsym_reader *reader,
				  uint32_t index, struct gsym_error *error)
{
	const struct gsym_layout *l = &reader->layout;

	return gsym_fail(error, GSYM_ERR_CORRUPT, reader->image_offset +
			 l->sections[GSYM_SECTION_ADDRESS_INFO].offset +
			 (uint64_t)index * l->info_size,
			 "address info entry %" PRIu32
			 " points beyond the function records, to offset 0x%"
			 PRIx64, index, gsym_layout_record(l, index));
}

enum gsym_status gsym_search_at(const struct gsym_reader *reader,
				uint32_t last, uint64_t relative,
				uint32_t *index, struct gsym_cursor *record,
				struct gsym_error *error)
{
	const struct gsym_layout *l = &reader->layout;
	uint32_t first = first_equal(l, last), size, damaged = UINT32_MAX;
	uint64_t start = gsym_layout_start(l, last);

	if (last - first >= GSYM_SEARCH_EQUAL)
		last = first + GSYM_SEARCH_EQUAL - 1;
	for (uint32_t i = first; i <= last; i++) {
		if (!read_size(reader, i, record, &size)) {
			damaged = i;
		} else if (!size || relative - start < size) {
			*index = i;
			return GSYM_OK;
		}
	}
	if (damaged != UINT32_MAX)
		return gsym_search_fail(reader, damaged, error);
	return look_back(reader, first, relative, index, record) ?
		       GSYM_OK : GSYM_NOT_FOUND;
}

bool gsym_search_in_order(const struct gsym_layout *l, uint32_t last)
{
	uint32_t first = first_equal(l, last);
	uint32_t end = first > GSYM_SEARCH_LOOK_BACK ?
			       first - GSYM_SEARCH_LOOK_BACK : 0;
	uint64_t start = gsym_layout_start(l, last);

	for (uint32_t i = first; i-- > end;)
		if (gsym_layout_start(l, i) > start)
			return false;
	return true;
}

enum gsym_status gsym_search(const struct gsym_reader *reader,
			     uint64_t address, uint32_t *index,
			     struct gsym_cursor *record,
			     struct gsym_error *error)
{
	const struct gsym_layout *l = &reader->layout;
	uint64_t relative = address - l->base_address;
	uint32_t last;

	if (address < l->base_address ||
	    !find_last(l, relative, &last))
		return GSYM_NOT_FOUND;
	return gsym_search_at(reader, last, relative, index, record, error);
}

void gsym_search_abreast(const struct gsym_layout *l, const uint64_t *addresses,
			 size_t count, uint32_t *indexes)
{
	uint64_t keys[GSYM_SEARCH_ABREAST];

	for (size_t i = 0; i < count; i++) {
		keys[i] = addresses[i] - l->base_address;
		indexes[i] = 0;
	}
	find_among(l, 0, l->count, keys, count, indexes);
}
