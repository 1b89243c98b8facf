/* SPDX-License-Identifier: MIT */
#include "dwarf/second.h"

#include "dwarf/split.h"

bool gsym_second_split_entry(struct second *s, const char *name, uint64_t index,
			     unsigned size, uint64_t *ret)
{
	struct gsym_cursor c = gsym_container_cursor(
		s->container, gsym_container_section(s->container, name));
	const struct second_unit *u = s->units.items;

	if (!s->units.count || index > UINT32_MAX)
		return false;
	gsym_cursor_seek(&c, (u->version < 5 ? 0 : u->offset_size * 2u) +
				     index * size);
	*ret = gsym_cursor_uint(&c, size);
	return !c.failed;
}

static const char *split_name(struct second *s, Dwarf_Die die)
{
	const char *name = gsym_second_string(s, die, DW_AT_dwo_name);

	return name ? name : gsym_second_string(s, die, DW_AT_GNU_dwo_name);
}

static struct second_unit *find_unit(struct second *s, uint64_t id)
{
	for (size_t i = 0; i < s->units.count; i++)
		if (s->units.items[i].has_id && s->units.items[i].id == id)
			return &s->units.items[i];
	return NULL;
}

/* ---- types of a package -------------------------------------------------- */

struct second_types {
	const struct gsym_container *main;
	const struct dw_skeleton *skeleton;
	size_t count;
	struct {
		uint64_t signature;
		struct dw_split split;
		struct second *s; /* NULL: it cannot be read */
	} items[DW_SPLIT_MAX_TYPES];
	bool no_memory;
};

struct second_unit *gsym_second_package_type(struct second_types *all,
					     uint64_t signature,
					     struct second **s)
{
	enum gsym_status status;
	size_t i = 0;

	while (i < all->count && all->items[i].signature != signature)
		i++;
	if (i == DW_SPLIT_MAX_TYPES)
		return NULL;
	if (i == all->count) {
		status = gsym_dw_split_open_type(all->main, all->skeleton,
						 signature,
						 &all->items[i].split);
		if (status == GSYM_OK) {
			all->items[i].signature = signature;
			all->items[i].s = NULL;
			all->count++;
			status = gsym_second_start(
				&all->items[i].split.container, true,
				&all->items[i].s, NULL);
		}
		all->no_memory |= status == GSYM_ERR_MEMORY;
		if (status != GSYM_OK)
			return NULL;
		all->items[i].s->package = all;
	}
	*s = all->items[i].s;
	return *s ? gsym_second_type(*s, signature) : NULL;
}

static void close_types(struct second_types *all)
{
	for (size_t i = 0; i < all->count; i++) {
		if (all->items[i].s)
			gsym_second_stop(all->items[i].s);
		gsym_dw_split_close(&all->items[i].split);
	}
}

/* ---- the unit ------------------------------------------------------------ */

/* Read what SPLIT has of the skeleton U, which says WHAT. */
static bool read_candidate(const struct gsym_container *main,
			   const struct second_unit *u,
			   const struct dw_skeleton *what,
			   struct dw_split *split, struct dw_unit *unit,
			   bool *found)
{
	struct second_types types = { .main = main, .skeleton = what };
	struct second *s = NULL;
	struct second_unit *own;
	bool fine = true;

	switch (gsym_second_start(&split->container, true, &s, NULL)) {
	case GSYM_OK:
		break;
	case GSYM_ERR_MEMORY:
		return false;
	default:
		return true;
	}
	own = find_unit(s, u->id);
	if (own) {
		own->base = u->base;
		*found = true;
		if (!split->file)
			s->package = &types;
		fine = gsym_second_read_nodes(s, own, unit) && !types.no_memory;
		unit->held = split->file;
		split->file = NULL;
	}
	close_types(&types);
	gsym_second_stop(s);
	return fine;
}

bool gsym_second_read_split(struct second *s, const struct second_unit *u,
			    Dwarf_Die die, struct dw_unit *unit, bool *found)
{
	struct dw_skeleton skeleton = {
		.name = split_name(s, die),
		.directory = gsym_second_string(s, die, DW_AT_comp_dir),
		.offset = u->offset,
		.id = u->id,
		.version = u->version,
		.offset_size = u->offset_size,
		.addr_base = u->addr_base,
		.ranges_base = u->ranges_base,
	};
	bool other_id = false, fine = true;

	if (!skeleton.name)
		return true;
	for (unsigned n = 0; fine && !*found; n++) {
		struct dw_split split;
		enum gsym_status status =
			gsym_dw_split_open(s->container, &skeleton, n, &split);

		if (status == GSYM_NOT_FOUND)
			break;
		if (status == GSYM_ERR_MEMORY)
			return false;
		if (status != GSYM_OK)
			continue;
		fine = read_candidate(s->container, u, &skeleton, &split, unit,
				      found);
		gsym_dw_split_close(&split);
		other_id |= !*found;
	}
	if (fine && !*found)
		gsym_dw_split_warn(unit, &skeleton, other_id);
	return fine;
}
