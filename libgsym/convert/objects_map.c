/* SPDX-License-Identifier: MIT */
#include "convert/objects_map.h"

/* ---- the program -------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct gsym_symbol *x = *(const struct gsym_symbol *const *)a;
	const struct gsym_symbol *y = *(const struct gsym_symbol *const *)b;
	int order = strcmp(x->name, y->name);

	/* They lie in one array. */
	return order ? order : (x > y) - (x < y);
}

/* The first symbol NAME of COUNT sorted ones. */
static const struct gsym_symbol *
find_symbol(const struct gsym_symbol *const *sorted, size_t count,
	    const char *name)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(sorted[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && !strcmp(sorted[low]->name, name) ? sorted[low]
							       : NULL;
}

/* A piece and the object that it is of. */
struct claim {
	uint64_t address;
	size_t object;
	size_t index;
};

static int by_address(const void *a, const void *b)
{
	const struct claim *x = a;
	const struct claim *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->object > y->object) - (x->object < y->object);
}

/* Find the functions whose address is that of one of an earlier object. */
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
		size_t first = 0; /* of its address */

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

	return (x->value > y->value) - (x->value < y->value);
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

/* Where SYMBOL, of which nobody knows the size, ends at the latest. */
static uint64_t end_of(const struct object *o, const struct gsym_symbol *symbol)
{
	const struct gsym_container *c = o->container;
	uint64_t end = UINT64_MAX;
	size_t low = 0, high = o->count;

	if (symbol->section < c->sections.count)
		end = c->sections.items[symbol->section].address +
		      c->sections.items[symbol->section].size;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->addresses[middle]->value <= symbol->value)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < o->count && o->addresses[low]->value < end)
		end = o->addresses[low]->value;
	return end;
}

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
	/* Of what is in no object there is nothing to say. */
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
	/* The same one under several names: all say the same, or one was
	 * left out. */
	if (x->folded != y->folded)
		return x->folded ? 1 : -1;
	return (x->address > y->address) - (x->address < y->address);
}

/* One piece for each start, and each up to the next. */
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

/* Of pieces with one address in the program the last one of the object
 * answers, as the last DIE does. */
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

size_t gsym_moves_behind(const struct gsym_moves *moves, uint64_t address)
{
	size_t low = 0, high = moves->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (moves->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct gsym_moved *gsym_moves_at(const struct gsym_moves *moves,
				       uint64_t address)
{
	size_t i = gsym_moves_behind(moves, address);

	return i < moves->count && moves->items[i].start <= address
		       ? &moves->items[i] : NULL;
}
