/* SPDX-License-Identifier: MIT */
/*
 * The debug map.  Apple's linkers leave the debug info in the objects.  In the
 * symbol table they note the objects, and the addresses that the objects'
 * functions and variables got:
 *
 *	N_SO    a source file
 *	N_OSO   the object's path and modification time
 *	N_FUN   a function's name and address; then, without name, its size
 *	N_STSYM a static variable (N_LCSYM: one in zero-filled memory)
 *	N_GSYM  a global variable; the address may be 0, and in its symbol
 *	N_SO    without a name: the end of the object's entries
 */
#include "macho/macho_file.h"

struct reading {
	struct gsym_container *container;
	bool in_object;
	/** The last entry was a function, whose size comes next. */
	bool is_open;
};

static bool begin_object(struct reading *r, const struct macho_symbol *s)
{
	struct gsym_object *object = gsym_vec_push(&r->container->objects);

	if (!object)
		return false;
	*object = (struct gsym_object){
		.path = s->name,
		.time = s->value,
		.first = r->container->linked.count,
	};
	r->in_object = true;
	return true;
}

static bool add_linked(struct reading *r, const struct macho_symbol *s,
		       bool function)
{
	struct gsym_container *c = r->container;
	struct gsym_linked *linked = gsym_vec_push(&c->linked);

	if (!linked)
		return false;
	*linked = (struct gsym_linked){
		.name = s->name + (s->name[0] == '_'),
		.address = s->value,
		.function = function,
	};
	if (function && c->code_bit0)
		linked->address &= ~(uint64_t)1;
	c->objects.items[c->objects.count - 1].count++;
	return true;
}

static bool read_function(struct reading *r, const struct macho_symbol *s)
{
	struct gsym_container *c = r->container;

	if (!*s->name) {
		if (r->is_open)
			c->linked.items[c->linked.count - 1].size = s->value;
		r->is_open = false;
		return true;
	}
	r->is_open = true;
	return add_linked(r, s, true);
}

static bool read_entry(struct reading *r, const struct macho_symbol *s)
{
	switch (s->type) {
	case N_SO:
		r->in_object = r->is_open = false;
		return true;
	case N_OSO:
		r->is_open = false;
		return !*s->name || begin_object(r, s);
	}
	if (!r->in_object)
		return true;
	switch (s->type) {
	case N_FUN:
		return read_function(r, s);
	case N_STSYM:
	case N_LCSYM:
	case N_GSYM:
		return !*s->name || add_linked(r, s, false);
	}
	return true;
}

bool gsym_macho_read_debug_map(struct macho_file *file)
{
	const struct macho_symbols *symbols = &file->symbols;
	struct reading r = { .container = file->container };
	bool ok = true;

	for (size_t i = 0; ok && i < symbols->count; i++) {
		struct macho_symbol s = gsym_macho_symbol(symbols, i);

		if (s.type & N_STAB && s.name)
			ok = read_entry(&r, &s);
	}
	if (file->container->objects.count)
		file->container->open_object = gsym_macho_open_object;
	return ok;
}
