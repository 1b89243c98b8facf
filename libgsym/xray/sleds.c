/* SPDX-License-Identifier: MIT */
/* Instrumentation maps: sleds, which tell the number of each function in a
 * trace.  They are read from a section here, and from text in sledtext.c. */
#include "xray/log.h"

#include "base/cursor.h"
#include "base/error.h"
#include "base/order.h"

#include <inttypes.h>
#include <string.h>

/* ---- sections ------------------------------------------------------------ */

/* By function, then by address. */
static int by_function(const void *x, const void *y)
{
	const struct gsym_xray_sled *a = x, *b = y;

	int order = GSYM_ORDER(a->function, b->function);

	if (!order)
		order = GSYM_ORDER(a->address, b->address);
	return order ? order : GSYM_ORDER(a->kind, b->kind);
}

/* Sort the sleds by function if they are not, and fill MAP->first.  False
 * without memory. */
static bool note_functions(struct gsym_xray_map *map)
{
	const struct gsym_xray_sled *sleds = map->sleds.items;
	bool sorted = true;

	for (size_t i = 1; sorted && i < map->sleds.count; i++)
		sorted = sleds[i - 1].function <= sleds[i].function;
	if (!sorted)
		qsort(map->sleds.items, map->sleds.count,
		      sizeof(*map->sleds.items), by_function);
	for (size_t i = 0; i < map->sleds.count; i++) {
		if (i && sleds[i].function == sleds[i - 1].function)
			continue;
		uint32_t *first = gsym_vec_push(&map->first);
		if (!first)
			return false;
		*first = (uint32_t)i;
	}
	return true;
}

enum gsym_status gsym_xray_map_finish(struct gsym_xray_map *map,
				      enum gsym_status status,
				      struct gsym_xray_map **ret,
				      struct gsym_error *error)
{
	if (status == GSYM_OK && !note_functions(map))
		status = gsym_fail_memory(error);
	if (status == GSYM_OK)
		*ret = map;
	else
		gsym_xray_map_close(map);
	return status;
}

/* Read an address of a sled of VERSION: relative to its own place from version
 * 2 on, else absolute; an absolute one that is 0 may have a relocation. */
static uint64_t address_word(const struct gsym_xray_section *s,
			     struct gsym_cursor *c, unsigned version)
{
	uint64_t place = s->address + gsym_cursor_offset(c);
	uint64_t value = gsym_cursor_uint(c, s->word);

	if (version >= 2)
		value += place;
	return s->word == 4 ? (uint32_t)value : value;
}

/* Read the sled at C and append it to MAP.  The sleds of a function have the
 * same address of the function and are adjacent. */
static enum gsym_status add_sled(struct gsym_xray_map *map,
				 const struct gsym_xray_section *s,
				 struct gsym_cursor *c,
				 struct gsym_error *error)
{
	size_t at = gsym_cursor_offset(c);
	unsigned version = c->at[2 * s->word + 2];
	struct gsym_xray_sled *sled;

	if (version > 2)
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, at,
				 "xray_instr_map at offset 0x%zx: sled version "
				 "%u", at, version);
	sled = gsym_vec_push(&map->sleds);
	if (!sled)
		return gsym_fail_memory(error);
	*sled = (struct gsym_xray_sled){ .version = version };
	sled->address = address_word(s, c, version);
	sled->function_address = address_word(s, c, version);
	sled->kind = gsym_cursor_u8(c);
	sled->always = gsym_cursor_u8(c) != 0;
	gsym_cursor_seek(c, at + 4 * (uint64_t)s->word);
	sled->function = 1;
	if (map->sleds.count > 1)
		sled->function = sled[-1].function +
				 (sled[-1].function_address !=
				  sled->function_address);
	return GSYM_OK;
}

static enum gsym_status add_sleds(struct gsym_xray_map *map,
				  const struct gsym_xray_section *section,
				  struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct gsym_cursor c;

	if (!section->data && section->size)
		return gsym_fail_argument(error);
	if (section->word != 4 && section->word != 8)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "addresses of %u bytes", section->word);
	if (section->size % (4 * section->word) ||
	    section->size / (4 * section->word) >=
		    UINT32_MAX - map->sleds.count)
		return gsym_fail(error, GSYM_ERR_CORRUPT, section->size,
				 "xray_instr_map of %" PRIu64 " bytes is no "
				 "whole number of sleds",
				 section->size);
	c = gsym_cursor_init(section->data, section->size,
			     section->big_endian != GSYM_HOST_BIG_ENDIAN);
	while (status == GSYM_OK && gsym_cursor_left(&c))
		status = add_sled(map, section, &c, error);
	return status;
}

enum gsym_status gsym_xray_map_open(const struct gsym_xray_section *sections,
				    size_t count, struct gsym_xray_map **ret,
				    struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct gsym_xray_map *map;

	if ((!sections && count) || !ret)
		return gsym_fail_argument(error);
	map = calloc(1, sizeof(*map));
	if (!map)
		return gsym_fail_memory(error);
	for (size_t i = 0; i < count && status == GSYM_OK; i++)
		status = add_sleds(map, &sections[i], error);
	return gsym_xray_map_finish(map, status, ret, error);
}

/* Entries of an index have two words: in today's format the address of the
 * function's first sled, relative to the entry, and their number; in the old
 * format the addresses where the function's sleds begin and end. */
enum gsym_status
gsym_xray_map_check_index(const struct gsym_xray_map *map,
			  const struct gsym_xray_section *section,
			  const struct gsym_xray_section *index,
			  struct gsym_error *error)
{
	unsigned sled, word;
	size_t count;
	/* All entries so far agree with MAP in today's format; in the old
	 * format. */
	bool today = true, old = true;
	uint32_t last = 0;
	struct gsym_cursor c;

	if (!map || !section || !index || (!index->data && index->size) ||
	    (index->word != 4 && index->word != 8))
		return gsym_fail_argument(error);
	sled = 4 * section->word;
	word = index->word;
	count = map->first.count;
	if (index->size / (2 * word) != count)
		return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
				 "xray_fn_idx has %" PRIu64 " functions, "
				 "xray_instr_map %zu",
				 index->size / (2 * word), count);
	c = gsym_cursor_init(index->data, index->size,
			     index->big_endian != GSYM_HOST_BIG_ENDIAN);
	for (size_t i = 0; i < count && (today || old); i++) {
		size_t first = map->first.items[i];
		size_t next = i + 1 < count ? map->first.items[i + 1]
					    : map->sleds.count;
		uint64_t place = index->address + gsym_cursor_offset(&c);
		uint64_t start = gsym_cursor_uint(&c, word);
		uint64_t end = gsym_cursor_uint(&c, word);
		uint64_t begin = section->address + first * sled;

		place += start;
		today = today && end == next - first &&
			(word == 4 ? (uint32_t)place : place) == begin;
		old = old && start == begin &&
		      end == section->address + next * sled;
		last = (uint32_t)i + 1;
	}
	if (today || old)
		return GSYM_OK;
	return gsym_fail(error, GSYM_ERR_CORRUPT, 0,
			 "xray_fn_idx has other sleds for function #%" PRIu32
			 " than xray_instr_map",
			 last);
}

void gsym_xray_map_close(struct gsym_xray_map *map)
{
	if (!map)
		return;
	gsym_vec_fini(&map->sleds);
	gsym_vec_fini(&map->first);
	gsym_arena_fini(&map->names);
	free(map);
}

uint32_t gsym_xray_map_functions(const struct gsym_xray_map *map)
{
	return map ? map->first.count : 0;
}

uint32_t gsym_xray_map_sleds(const struct gsym_xray_map *map)
{
	return map ? map->sleds.count : 0;
}

enum gsym_status gsym_xray_map_sled_at(const struct gsym_xray_map *map,
				       uint32_t index,
				       struct gsym_xray_sled *ret)
{
	if (!map || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= map->sleds.count)
		return GSYM_NOT_FOUND;
	*ret = map->sleds.items[index];
	return GSYM_OK;
}

static uint32_t number_at(const struct gsym_xray_map *map, size_t index)
{
	return map->sleds.items[map->first.items[index]].function;
}

uint32_t gsym_xray_map_index(const struct gsym_xray_map *map,
			     uint32_t function)
{
	size_t count = map ? map->first.count : 0, i = function - (size_t)1;

	/* Only numbers from a text can have gaps. */
	if (i >= count || number_at(map, i) != function)
		i = GSYM_FIRST(k, 0, count, number_at(map, k) >= function);
	return i < count && number_at(map, i) == function ? (uint32_t)i
							  : GSYM_XRAY_NO_INDEX;
}

enum gsym_status gsym_xray_map_function(const struct gsym_xray_map *map,
					uint32_t function, uint64_t *address,
					unsigned *kinds)
{
	uint32_t i = gsym_xray_map_index(map, function);

	if (!map || !address || !kinds)
		return GSYM_ERR_ARGUMENT;
	if (i == GSYM_XRAY_NO_INDEX)
		return GSYM_NOT_FOUND;
	i = map->first.items[i];
	*address = map->sleds.items[i].function_address;
	*kinds = 0;
	for (; i < map->sleds.count &&
	       map->sleds.items[i].function == function; i++)
		*kinds |= 1u << (map->sleds.items[i].kind & 31);
	return GSYM_OK;
}

const char *gsym_xray_map_name(const struct gsym_xray_map *map,
			       uint32_t function)
{
	uint32_t i = gsym_xray_map_index(map, function);

	return i == GSYM_XRAY_NO_INDEX
		       ? NULL
		       : map->sleds.items[map->first.items[i]].name;
}
