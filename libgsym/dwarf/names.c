/* SPDX-License-Identifier: MIT */
/*
 * Finds names and declarations of DIEs along their references, and the scopes
 * that qualify names, for the production reader.
 */
#include "dwarf/scan.h"

#include "base/order.h"
#include "dwarf/policy.h"
#include "dwarf/unit.h"

#include <stdlib.h>

enum {
	/* Units whose contexts are collected for the names of one unit. */
	MAX_CONTEXT_UNITS = 64,
};

void gsym_dw_names_init(struct dw_names *names, const struct dw_header *header,
			struct dw_unit *unit)
{
	*names = (struct dw_names){
		.header = header,
		.unit = unit,
		.qualify = gsym_dw_language_is_cplusplus(header->language),
	};
}

/* ---- scopes -------------------------------------------------------------- */

/* List the scopes directly inside of SCOPE, by offset.  False without
 * memory. */
static bool list(struct dw_scopes *scopes, const struct dw_header *header,
		 uint32_t scope)
{
	uint32_t depth = scopes->items[scope].depth;
	size_t first = scopes->count;
	struct dw_walk w = dw_walk_init(header, scopes->items[scope].die);
	const struct dw_abbrev *abbrev = gsym_dw_walk_find(&w, DW_KIND_ANY);

	if (abbrev)
		dw_walk_skip(&w, abbrev, false);
	while ((abbrev = gsym_dw_walk_find(&w, DW_KIND_CONTEXT))) {
		struct dw_scope inner = { .die = w.die,
					  .depth = depth + w.depth };

		dw_walk_skip(&w, abbrev, true);
		gsym_dw_walk_leave(&w);
		inner.end = w.c.failed ? header->end : gsym_cursor_offset(&w.c);
		/* A DIE without children is the context of no other. */
		if (!abbrev->has_children || inner.depth >= DW_MAX_DEPTH)
			continue;
		if (!gsym_vec_add(scopes, inner))
			return false;
	}
	scopes->items[scope].first = (uint32_t)first;
	scopes->items[scope].count = (uint32_t)(scopes->count - first);
	scopes->items[scope].listed = true;
	return true;
}

bool gsym_dw_scopes_find(struct dw_scopes *scopes,
			 const struct dw_header *header, uint64_t die,
			 struct dw_unit *payer, uint64_t *ret)
{
	uint32_t at = 0;

	*ret = 0;
	if (!scopes->count &&
	    !gsym_vec_add(scopes, (struct dw_scope){ .die = header->die,
						     .end = header->end }))
		return false;
	for (;;) {
		struct dw_scope scope = scopes->items[at];
		size_t after;

		if (!scope.listed) {
			if (!dw_unit_take(payer, DW_CUT_NAMES,
					  (scope.end - scope.die) *
						  DW_COST_DIE_BYTE))
				return true;
			if (!list(scopes, header, at))
				return false;
			scope = scopes->items[at];
		}
		after = GSYM_FIRST(i, scope.first, scope.first + scope.count,
				   scopes->items[i].die >= die);
		if (after == scope.first || scopes->items[after - 1].end <= die)
			break;
		at = (uint32_t)after - 1;
	}
	if (at)
		*ret = scopes->items[at].die;
	return true;
}

/* ---- contexts ----------------------------------------------------------- */

void gsym_dw_names_fini(struct dw_names *names)
{
	for (size_t i = 0; i < names->scopes.count; i++)
		gsym_vec_fini(&names->scopes.items[i]);
	gsym_vec_fini(&names->scopes);
	gsym_keys_fini(&names->units);
	gsym_keys_fini(&names->dies);
	gsym_vec_fini(&names->known);
}

/* The contexts of the unit at HEADER; NULL without memory, and beyond
 * MAX_CONTEXT_UNITS units. */
static struct dw_scopes *scopes_of(struct dw_names *names,
				   const struct dw_header *header)
{
	struct dw_scopes *scopes = NULL;
	uint32_t number = 0;

	if (gsym_keys_add(&names->units, (uintptr_t)header, &number)) {
		if (number < names->scopes.count)
			return &names->scopes.items[number];
		if (number > MAX_CONTEXT_UNITS)
			return NULL;
		scopes = gsym_vec_push(&names->scopes);
	}
	if (scopes)
		*scopes = (struct dw_scopes){ .count = 0 };
	else
		names->no_memory = true;
	return scopes;
}

/* The offset of the innermost context around the DIE; 0 if there is none. */
static uint64_t context_of(struct dw_names *names,
			   const struct dw_header *header, uint64_t die)
{
	struct dw_scopes *scopes = scopes_of(names, header);
	uint64_t context = 0;

	if (scopes &&
	    !gsym_dw_scopes_find(scopes, header, die, names->unit, &context))
		names->no_memory = true;
	return context;
}

/* ---- chains of references ----------------------------------------------- */

/* A DIE of a chain. */
struct link {
	const struct dw_header *header;
	uint64_t die;
	struct dw_attributes attributes;
};

/* Read the DIE at PLACE for NAMES.  False if it is damaged, or beyond the
 * unit's budget: DIEs that are referred to may overlap, so that each has the
 * same long block or string.  RET keeps its unit and its offset then, but not
 * its attributes. */
static bool read_die(const struct dw_names *names,
		     const struct dw_place *place, struct link *ret)
{
	const struct dw_header *header = place->header;
	const struct dw_abbrev *abbrev;
	struct gsym_cursor c = header->sections->info;

	c.end = c.start + header->end;
	gsym_cursor_seek(&c, place->die);
	abbrev = dw_abbrev_find(header->abbrevs, gsym_cursor_uleb(&c));
	if (!abbrev)
		return false;
	gsym_dw_abbrev_read(header->abbrevs, abbrev, &c, header->encoding,
			    &ret->attributes);
	if (c.failed ||
	    !dw_unit_take(names->unit, DW_CUT_NAMES,
			  (gsym_cursor_offset(&c) - place->die) *
				  DW_COST_DIE_BYTE))
		return false;
	ret->header = header;
	ret->die = place->die;
	return true;
}

/* The DIE that comes after the DIE with ATTRIBUTES, of the unit at HEADER, in
 * the chain; false if the chain ends. */
static bool next_die(const struct dw_header *header,
		     const struct dw_attributes *attributes,
		     struct dw_place *ret)
{
	static const enum dw_slot order[] = { DW_SLOT_ORIGIN,
					      DW_SLOT_SPECIFICATION,
					      DW_SLOT_SIGNATURE };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		struct dw_value value = attributes->slots[order[i]];

		if (value.form)
			return gsym_dw_value_reference(header, value, ret);
	}
	return false;
}

static const char *string_of(const struct link *link, enum dw_slot slot)
{
	struct dw_value value = link->attributes.slots[slot];

	return value.form ? gsym_dw_value_string(link->header, value)
			  : NULL;
}

/* Follow the chain from LINK, which becomes its end, for a name: a linkage
 * name, if WANT_LINKAGE, else the first source name. */
static struct dw_name follow(const struct dw_names *names, struct link *link,
			     bool want_linkage)
{
	struct dw_name name = { NULL, false };
	struct dw_place place;

	for (unsigned step = 0;; step++) {
		const char *linkage = NULL, *source = NULL;

		if (want_linkage)
			linkage = string_of(link, DW_SLOT_LINKAGE_NAME);
		if (!name.text)
			source = string_of(link, DW_SLOT_NAME);
		if (gsym_dw_name_choose(&name, linkage, source) ||
		    step == DW_MAX_ORIGINS ||
		    !next_die(link->header, &link->attributes, &place) ||
		    !read_die(names, &place, link))
			return name;
	}
}

struct dw_declaration
gsym_dw_names_declaration(const struct dw_names *names,
			  const struct dw_attributes *attributes)
{
	struct link link = { names->header, 0, *attributes };
	struct dw_declaration_choice choice = DW_NO_DECLARATION;
	struct dw_place next;

	for (unsigned step = 0;; step++) {
		const struct dw_value *slots = link.attributes.slots;
		struct dw_constant file =
			dw_constant_of(slots[DW_SLOT_DECL_FILE]);
		struct dw_constant line =
			dw_constant_of(slots[DW_SLOT_DECL_LINE]);

		if (gsym_dw_declaration_choose(&choice, &file, &line,
					       link.header == names->header) ||
		    step == DW_MAX_ORIGINS ||
		    !next_die(link.header, &link.attributes, &next) ||
		    !read_die(names, &next, &link))
			return choice.found;
	}
}

/* NAME qualified by the contexts around LINK, which becomes the end of the last
 * context's chain. */
static const char *qualify(struct dw_names *names, struct link *link,
			   const char *name)
{
	for (unsigned i = 0; i < DW_MAX_CONTEXTS; i++) {
		struct dw_place place = { link->header, 0 };
		const char *qualified, *context;

		place.die = context_of(names, link->header, link->die);
		if (!place.die || !read_die(names, &place, link))
			break;
		context = follow(names, link, false).text;
		if (!context)
			continue;
		qualified = gsym_dw_qualify(names->unit, context, name);
		if (!qualified) {
			names->no_memory = true;
			break;
		}
		name = qualified;
	}
	return name;
}

static struct dw_name find(struct dw_names *names, struct link *link)
{
	struct dw_name name = follow(names, link, true);

	if (name.text && !gsym_dw_unit_take_text(names->unit, name.text))
		return (struct dw_name){ NULL, false };
	if (name.text && !name.linkage && names->qualify)
		name.text = qualify(names, link, name.text);
	return name;
}

/* ---- names of DIEs that are referred to --------------------------------- */

/* The name of the DIE at PLACE, found once and then remembered: many inlined
 * calls refer to one function. */
static struct dw_name find_known(struct dw_names *names,
				 const struct dw_place *place)
{
	const uint8_t *die =
		place->header->sections->info.start + place->die;
	struct dw_name name = { NULL, false };
	struct link link;
	uint32_t number;

	if (!gsym_keys_add(&names->dies, (uintptr_t)die, &number)) {
		names->no_memory = true;
		return name;
	}
	if (number < names->known.count)
		return names->known.items[number];
	if (read_die(names, place, &link))
		name = find(names, &link);
	if (!gsym_vec_add(&names->known, name))
		names->no_memory = true;
	return name;
}

struct dw_name gsym_dw_names_find(struct dw_names *names, uint64_t die,
				  const struct dw_attributes *attributes)
{
	struct dw_place target;

	if (attributes->slots[DW_SLOT_NAME].form ||
	    attributes->slots[DW_SLOT_LINKAGE_NAME].form)
		return find(names, &(struct link){ names->header, die,
						   *attributes });
	if (next_die(names->header, attributes, &target))
		return find_known(names, &target);
	return (struct dw_name){ NULL, false };
}
