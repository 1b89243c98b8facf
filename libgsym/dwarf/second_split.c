/* SPDX-License-Identifier: MIT */
/* Reads the split unit of a skeleton with the second reader. */
#include "dwarf/second.h"

/* A skeleton, and the program that it is in. */
struct second_skeleton {
	const struct gsym_container *main;
	const struct second_unit *u;
};

static const char *split_name(struct second *s, Dwarf_Die die)
{
	const char *name = gsym_second_string(s, die, DW_AT_dwo_name);

	return name ? name : gsym_second_string(s, die, DW_AT_GNU_dwo_name);
}

/* The unit with ID, of a skeleton and its split unit; NULL: none. */
static struct second_unit *find_unit(struct second *s, uint64_t id)
{
	for (size_t i = 0; i < s->units.count; i++)
		if (s->units.items[i].has_id && s->units.items[i].id == id)
			return &s->units.items[i];
	return NULL;
}

/* Read the nodes of the skeleton's split unit, if SPLIT holds it. */
static bool read_candidate(void *context, const struct dw_skeleton *skeleton,
			   struct dw_split *split, struct dw_unit *unit,
			   bool *found)
{
	const struct second_skeleton *from = context;
	struct second_types types = { .main = from->main,
				      .skeleton = skeleton };
	struct second *s = NULL;
	struct second_unit *own;
	bool fine = true;

	switch (gsym_second_start(&split->container, true, NULL, &s, NULL)) {
	case GSYM_OK:
		break;
	case GSYM_ERR_MEMORY:
		return false;
	default:
		return true;
	}
	own = find_unit(s, from->u->id);
	if (own) {
		own->base = from->u->base;
		*found = true;
		if (!split->file)
			s->package = &types;
		if (gsym_dw_split_pay(skeleton, split, unit,
				      own->end - own->offset))
			fine = gsym_second_read_nodes(s, own, unit) &&
			       !types.no_memory;
	}
	gsym_second_package_close(&types);
	gsym_second_stop(s);
	return fine;
}

bool gsym_second_read_split(struct second *s, const struct second_unit *u,
			    Dwarf_Die die, struct dw_unit *unit, bool *found)
{
	struct second_skeleton from = { s->container, u };
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

	*found = false;
	return !skeleton.name ||
	       gsym_dw_split_read(s->container, &skeleton, read_candidate,
				  &from, unit, found);
}
