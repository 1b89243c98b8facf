/* SPDX-License-Identifier: MIT */
/* The search of the address table, in any image whose layout is sound.  Tables
 * need not be in order: an image is not checked before it is searched. */
#include "any.h"
#include "layout.h"
#include "reader/search.c"

/* A reader of an image of any size, whose addresses have WIDTH bytes. */
static struct gsym_reader any_reader(uint8_t width)
{
	struct gsym_reader reader;
	size_t size = any_up_to(ANY_SIZE);

	reader.layout.data = any_bytes(size);
	reader.layout.size = size;
	reader.layout.address_size = width;
	GIVEN(is_layout_sound(&reader.layout));
	return reader;
}

/*
 * An entry of the table of addresses lies in the image.
 *
 * Bound: any size
 * Code: format/layout.h
 * Model: gsym_load_uint
 * Break: format/layout.h gsym_layout_start: index * l->address_size =>
 *     (index + 1) * l->address_size
 */
void prove_gsym_layout_start(void)
{
	for (unsigned width = 1; width <= 8; width *= 2) {
		const struct gsym_reader reader = any_reader((uint8_t)width);
		uint32_t index = nondet_u32();

		GIVEN(index < reader.layout.count);
		gsym_layout_start(&reader.layout, index);
	}
}

/*
 * The steps that guess the page of an entry: the part that is left lies in the
 * table.  It is empty only if bytes change meanwhile.
 *
 * Bound: any size, addresses of 4 bytes
 * Code: reader/search.c
 * Model: gsym_layout_start at_most
 * Break: reader/search.c find_page: high - 1 - at => high - at
 */
void prove_find_page(void)
{
	const struct gsym_reader reader = any_reader(4);
	uint32_t count = reader.layout.count, low;

	GIVEN(count > 0);
	low = find_page(&reader.layout, nondet_u64(), &count);
	PROVE(low < reader.layout.count &&
	      count <= reader.layout.count - low);
}

/*
 * The binary search of a table for one key.
 *
 * Bound: any size
 * Code: reader/search.c
 * Model: gsym_load_uint
 * Break: reader/search.c last_at_most: indexes[i] + left / 2 =>
 *     indexes[i] + left
 */
void prove_last_at_most(void)
{
	uint32_t entries = nondet_u32(), index = 0;
	uint64_t key = nondet_u64();

	GIVEN(entries > 0);
	for (unsigned width = 1; width <= 8; width *= 2) {
		const uint8_t *table = any_bytes((size_t)entries * width);

		index = 0;
		last_at_most(table, entries, &key, 1, &index, width, false);
		PROVE(index < entries);
	}
}

/*
 * The whole search: what is found is an entry of the table.
 *
 * Bound: any size
 * Code: reader/search.c
 * Model: gsym_layout_start find_page find_one read_size
 * Break: reader/search.c gsym_search_at: *index = i => *index = i + 1
 */
void prove_gsym_search(void)
{
	const struct gsym_reader reader = any_reader(4);
	struct gsym_cursor record;
	uint32_t index;

	if (gsym_search(&reader, nondet_u64(), &index, &record, NULL) ==
	    GSYM_OK)
		PROVE(index < reader.layout.count);
}
