/* SPDX-License-Identifier: MIT */
/* Finds the linked address of each function and variable of an object file. */
#include "convert/convert.h"

#include "base/order.h"

/* ---- the program -------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct gsym_symbol *x = *(const struct gsym_symbol *const *)a;
	const struct gsym_symbol *y = *(const struct gsym_symbol *const *)b;
	int order = strcmp(x->name, y->name);

	/* Of equal names, the name of the first symbol in the table comes
	 * first. */
	return order ? order : GSYM_ORDER(x, y);
}

/* The first symbol NAME among COUNT that are sorted by name; NULL if there is
 * none. */
static const struct gsym_symbol *
find_symbol(const struct gsym_symbol *const *sorted, size_t count,
	    const char *name)
{
	size_t found =
		GSYM_FIRST(i, 0, count, strcmp(sorted[i]->name, name) >= 0);

	return found < count && !strcmp(sorted[found]->name, name)
		       ? sorted[found]
		       : NULL;
}

/* A function of the program, and the object that claims its address. */
struct claim {
	uint64_t address;
	size_t object; /* index of program->objects */
	size_t index;  /* of program->linked */
};

static int by_address(const void *a, const void *b)
{
	const struct claim *x = a;
	const struct claim *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return GSYM_ORDER(x->object, y->object);
}

/* Fill PLACES->taken. */
static bool find_taken(struct gsym_places *places,
		       const struct gsym_container *program)
{
	struct claim *claims =
		calloc(program->linked.count + 1, sizeof(*claims));
	size_t count = 0;

	places->taken =
		calloc(program->linked.count + 1, sizeof(*places->taken));
	for (size_t i = 0; claims && i < program->objects.count; i++) {
		const struct gsym_object *o = &program->objects.items[i];

		for (size_t k = o->first; k < o->first + o->count; k++)
			if (program->linked.items[k].function)
				claims[count++] = (struct claim){
					program->linked.items[k].address, i, k
				};
	}
	if (claims && places->taken) {
		size_t first = 0; /* the first claim to this address */

		qsort(claims, count, sizeof(*claims), by_address);
		for (size_t i = 1; i < count; i++) {
			if (claims[i].address != claims[first].address)
				first = i;
			else if (claims[i].object != claims[first].object)
				places->taken[claims[i].index] = true;
		}
	}
	free(claims);
	return claims && places->taken;
}

bool gsym_places_open(struct gsym_places *places,
		      const struct gsym_container *program)
{
	size_t count = program->symbols.count;

	if (!gsym_vec_reserve(&places->symbols, count + 1))
		return false;
	for (size_t i = 0; i < count; i++)
		places->symbols.items[i] = &program->symbols.items[i];
	places->symbols.count = count;
	qsort(places->symbols.items, count, sizeof(*places->symbols.items),
	      by_name);
	return find_taken(places, program);
}

void gsym_places_close(struct gsym_places *places)
{
	gsym_vec_fini(&places->symbols);
	free(places->taken);
	places->taken = NULL;
}

/* ---- an object ---------------------------------------------------------- */

/* The symbols of an object, by name and by address. */
struct object {
	const struct gsym_container *container;
	const struct gsym_symbol **names;
	const struct gsym_symbol **addresses;
	size_t count;
};

static int by_value(const void *a, const void *b)
{
	const struct gsym_symbol *x = *(const struct gsym_symbol *const *)a;
	const struct gsym_symbol *y = *(const struct gsym_symbol *const *)b;

	return GSYM_ORDER(x->value, y->value);
}

static bool sort_symbols(struct object *o)
{
	size_t count = o->container->symbols.count;

	o->names = calloc(count + 1, sizeof(*o->names));
	o->addresses = calloc(count + 1, sizeof(*o->addresses));
	if (!o->names || !o->addresses)
		return false;
	for (size_t i = 0; i < count; i++)
		o->names[i] = o->addresses[i] =
			&o->container->symbols.items[i];
	o->count = count;
	qsort(o->names, count, sizeof(*o->names), by_name);
	qsort(o->addresses, count, sizeof(*o->addresses), by_value);
	return true;
}

/* The highest end that SYMBOL, whose size is not known, can have: the start of
 * the next symbol, or the end of its section. */
static uint64_t end_of(const struct object *o, const struct gsym_symbol *symbol)
{
	const struct gsym_container *c = o->container;
	uint64_t end = UINT64_MAX;
	size_t next = GSYM_FIRST(i, 0, o->count,
				 o->addresses[i]->value > symbol->value);

	if (symbol->section < c->sections.count)
		end = c->sections.items[symbol->section].address +
		      c->sections.items[symbol->section].size;
	if (next < o->count && o->addresses[next]->value < end)
		end = o->addresses[next]->value;
	return end;
}

/* Add the piece of entry INDEX of PROGRAM->linked to RET. */
static bool add_piece(struct gsym_moves *ret, const struct gsym_places *places,
		      const struct gsym_container *program, size_t index,
		      const struct object *o)
{
	const struct gsym_linked *linked = &program->linked.items[index];
	const struct gsym_symbol *from =
		find_symbol(o->names, o->count, linked->name);
	const struct gsym_symbol *to = NULL;
	uint64_t address = linked->address;
	struct gsym_moved *m;

	if (!address) {
		to = find_symbol(places->symbols.items, places->symbols.count,
				 linked->name);
		address = to ? to->value : 0;
	}
	/* Without a symbol in the object the debug info has no address for
	 * the piece. */
	if (!from || (!linked->address && !to) ||
	    (linked->function && !gsym_container_is_code(program, address)))
		return true;
	m = gsym_vec_push(ret);
	if (!m)
		return false;
	*m = (struct gsym_moved){
		.start = from->value,
		.end = linked->size && linked->size <= UINT64_MAX - from->value
			       ? from->value + linked->size
			       : end_of(o, from),
		.address = address,
		.function = linked->function,
		.folded = places->taken[index],
	};
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct gsym_moved *x = a;
	const struct gsym_moved *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* Of several names for one piece prefer the name that is not folded,
	 * then the one with the lower address in the program. */
	if (x->folded != y->folded)
		return x->folded ? 1 : -1;
	return GSYM_ORDER(x->address, y->address);
}

/* Keep the first piece of each start, and end each where the next begins. */
static void settle(struct gsym_moves *moves)
{
	size_t count = 0;

	if (!moves->count)
		return;
	qsort(moves->items, moves->count, sizeof(*moves->items), by_start);
	for (size_t i = 0; i < moves->count; i++) {
		struct gsym_moved m = moves->items[i];

		if (count && moves->items[count - 1].start == m.start)
			continue;
		if (count && moves->items[count - 1].end > m.start)
			moves->items[count - 1].end = m.start;
		moves->items[count++] = m;
	}
	moves->count = count;
}

/* A function, by its address in the program. */
struct twin {
	uint64_t address;
	size_t index;
};

static int by_twin(const void *a, const void *b)
{
	const struct twin *x = a;
	const struct twin *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Several functions of the object may have one address in the program.  Only
 * the last one answers, as the last of several DIEs at one address does. */
static bool fold_twins(struct gsym_moves *moves)
{
	struct twin *twins = calloc(moves->count + 1, sizeof(*twins));
	size_t count = 0;

	if (!twins)
		return false;
	for (size_t i = 0; i < moves->count; i++)
		if (moves->items[i].function)
			twins[count++] =
				(struct twin){ moves->items[i].address, i };
	qsort(twins, count, sizeof(*twins), by_twin);
	for (size_t i = 1; i < count; i++)
		if (twins[i].address == twins[i - 1].address)
			moves->items[twins[i - 1].index].folded = true;
	free(twins);
	return true;
}

bool gsym_moves_find(struct gsym_moves *ret, const struct gsym_places *places,
		     const struct gsym_container *program,
		     const struct gsym_object *info,
		     const struct gsym_container *object)
{
	struct object o = { .container = object };
	bool ok = sort_symbols(&o);

	ret->count = 0;
	for (size_t i = 0; ok && i < info->count; i++)
		ok = add_piece(ret, places, program, info->first + i, &o);
	free(o.names);
	free(o.addresses);
	if (!ok)
		return false;
	settle(ret);
	return fold_twins(ret);
}

size_t gsym_moves_after(const struct gsym_moves *moves, uint64_t address)
{
	return GSYM_FIRST(i, 0, moves->count, moves->items[i].end > address);
}

const struct gsym_moved *gsym_moves_at(const struct gsym_moves *moves,
				       uint64_t address)
{
	size_t i = gsym_moves_after(moves, address);

	return i < moves->count && moves->items[i].start <= address
		       ? &moves->items[i] : NULL;
}
