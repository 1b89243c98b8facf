/* SPDX-License-Identifier: MIT */
/*
 * The sleds of a binary: which function a number of a trace means.  Knows the
 * bytes of one section, and nothing of the file around it.
 */
#include "xray/log.h"

#include "base/cursor.h"
#include "base/error.h"

#include <inttypes.h>

struct gsym_xray_map {
	struct { GSYM_VEC(struct gsym_xray_sled); } sleds;
	/* Function N starts with sled FIRST[N - 1]. */
	struct { GSYM_VEC(uint32_t); } first;
};

/* The value of the address word at AT of the section, as VERSION means it. */
static uint64_t address_word(const struct gsym_xray_section *s,
			     struct gsym_cursor *c, unsigned version)
{
	uint64_t place = s->address + gsym_cursor_offset(c), relocated;
	uint64_t value = gsym_cursor_uint(c, s->word);

	if (version >= 2)
		value += place;
	else if (!value && s->relocated &&
		 s->relocated(s->context, place, &relocated))
		value = relocated;
	return s->word == 4 ? (uint32_t)value : value;
}

static enum gsym_status add_sled(struct gsym_xray_map *map,
				 const struct gsym_xray_section *s,
				 struct gsym_cursor *c,
				 struct gsym_error *error)
{
	size_t at = gsym_cursor_offset(c);
	unsigned version = c->at[2 * s->word + 2];
	struct gsym_xray_sled *sled, *before;

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
	before = map->sleds.count > 1 ? sled - 1 : NULL;
	if (!before || before->function_address != sled->function_address) {
		uint32_t *first = gsym_vec_push(&map->first);

		if (!first)
			return gsym_fail_memory(error);
		*first = map->sleds.count - 1;
	}
	sled->function = map->first.count;
	return GSYM_OK;
}

enum gsym_status gsym_xray_map_open(const struct gsym_xray_section *section,
				    struct gsym_xray_map **ret,
				    struct gsym_error *error)
{
	enum gsym_status status = GSYM_OK;
	struct gsym_xray_map *map;
	struct gsym_cursor c;

	if (section->word != 4 && section->word != 8)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "addresses of %u bytes", section->word);
	if (section->size % (4 * section->word) ||
	    section->size / (4 * section->word) >= UINT32_MAX)
		return gsym_fail(error, GSYM_ERR_CORRUPT, section->size,
				 "xray_instr_map of %" PRIu64 " bytes is no "
				 "whole number of sleds", section->size);
	map = calloc(1, sizeof(*map));
	if (!map)
		return gsym_fail_memory(error);
	c = gsym_cursor_init(section->data, section->size,
			     section->big_endian != GSYM_HOST_BIG_ENDIAN);
	while (status == GSYM_OK && gsym_cursor_left(&c))
		status = add_sled(map, section, &c, error);
	if (status != GSYM_OK) {
		gsym_xray_map_close(map);
		return status;
	}
	*ret = map;
	return GSYM_OK;
}

void gsym_xray_map_close(struct gsym_xray_map *map)
{
	if (!map)
		return;
	gsym_vec_fini(&map->sleds);
	gsym_vec_fini(&map->first);
	free(map);
}

uint32_t gsym_xray_map_functions(const struct gsym_xray_map *map)
{
	return map->first.count;
}

uint32_t gsym_xray_map_sleds(const struct gsym_xray_map *map)
{
	return map->sleds.count;
}

enum gsym_status gsym_xray_map_sled_at(const struct gsym_xray_map *map,
				       uint32_t index,
				       struct gsym_xray_sled *ret)
{
	if (index >= map->sleds.count)
		return GSYM_NOT_FOUND;
	*ret = map->sleds.items[index];
	return GSYM_OK;
}

enum gsym_status gsym_xray_map_function(const struct gsym_xray_map *map,
					uint32_t function, uint64_t *address,
					unsigned *kinds)
{
	uint32_t i;

	if (!function || function > map->first.count)
		return GSYM_NOT_FOUND;
	i = map->first.items[function - 1];
	*address = map->sleds.items[i].function_address;
	*kinds = 0;
	for (; i < map->sleds.count &&
	       map->sleds.items[i].function == function; i++)
		*kinds |= 1u << (map->sleds.items[i].kind & 31);
	return GSYM_OK;
}
