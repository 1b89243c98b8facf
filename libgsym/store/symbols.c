/* SPDX-License-Identifier: MIT */
/* The symbols of a program's file, by address and by name. */
#include "store/entry.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/vec.h"
#include "object/object.h"

enum {
	/* The most bytes that a symbol without a size reaches. */
	FARTHEST = 64 << 10,
	/* Longer names are not found by name.  Many symbols may have the same
	 * long one, so this bounds the work for a symbol. */
	LONGEST_NAME = 1024,
};

struct symbol {
	uint64_t start;
	/** 0: not known. */
	uint64_t size;
	const char *name;
	uint32_t section;
};

/* Symbols in an order: their indexes in SYMBOLS, each with a KEY. */
struct order {
	GSYM_VEC(struct gsym_sort_item);
};

struct gsym_symbols {
	struct object object;
	/** The file, if gsym_symbols_open mapped it; else NULL. */
	const uint8_t *bytes;
	size_t byte_count;
	/** In the order of their table. */
	struct {
		GSYM_VEC(struct symbol);
	} symbols;
	/** By start, then size, then place in the table. */
	struct order by_start;
	/** Names that do not end in the file. */
	struct gsym_arena arena;
	/** By the hash of their names, then as BY_START; empty until a name is
	 *  asked for. */
	struct order by_name;
};

/* Append the symbols of table TABLE; false without memory. */
static bool read_table(struct gsym_symbols *s, unsigned table)
{
	struct object_walk walk = { .table = table };
	struct object_symbol from;

	while (gsym_object_symbol(&s->object, &walk, &from)) {
		struct symbol *to = gsym_vec_push(&s->symbols);
		const char *name = from.name.bytes;

		if (to && !from.name.ends)
			name = gsym_arena_string(&s->arena, name,
						 from.name.size);
		if (!to || !name)
			return false;
		*to = (struct symbol){
			.start = from.address,
			.size = from.size,
			.name = name,
			.section = (uint32_t)from.section,
		};
	}
	return s->symbols.count <= UINT32_MAX;
}

/* Sort the items of ORDER by key; those with the same key stay in their order.
 * False without memory. */
static bool sort(struct order *order)
{
	struct gsym_sort_item *scratch =
		calloc(order->count, sizeof(*scratch));

	if (!scratch)
		return false;
	gsym_sort_by_key(order->items, order->count, scratch);
	free(scratch);
	return true;
}

/* Fill in BY_START: gsym_symbols_find takes the last symbol of a start, as
 * llvm-symbolizer does.  False without memory. */
static bool sort_starts(struct gsym_symbols *s)
{
	struct order *o = &s->by_start;

	if (!gsym_vec_reserve(o, s->symbols.count))
		return false;
	for (; o->count < s->symbols.count; o->count++) {
		const struct symbol *symbol = &s->symbols.items[o->count];

		o->items[o->count] = (struct gsym_sort_item){
			.key = symbol->size,
			.index = (uint32_t)o->count,
		};
	}
	if (!sort(o))
		return false;
	for (size_t i = 0; i < o->count; i++)
		o->items[i].key = s->symbols.items[o->items[i].index].start;
	return sort(o);
}

/* Read the first table of symbols; ELF's .dynsym if .symtab is missing or has
 * no symbols that are wanted.  GSYM_NOT_FOUND: there are no symbols at all. */
static enum gsym_status read_all(struct gsym_symbols *s)
{
	bool done = gsym_object_place(&s->object);

	for (unsigned table = 0; done && table < 2 && !s->symbols.count;
	     table++)
		done = read_table(s, table);
	if (!done)
		return GSYM_ERR_MEMORY;
	if (!s->symbols.count)
		return GSYM_NOT_FOUND;
	return sort_starts(s) ? GSYM_OK : GSYM_ERR_MEMORY;
}

enum gsym_status gsym_symbols_open_memory(const uint8_t *data, size_t size,
					  struct gsym_symbols **ret)
{
	struct gsym_symbols *s = calloc(1, sizeof(*s));
	enum gsym_status status = GSYM_NOT_FOUND;

	*ret = NULL;
	if (!s)
		return GSYM_ERR_MEMORY;
	if (gsym_object_open(data, size, &s->object, NULL) == GSYM_OK)
		status = read_all(s);
	if (status == GSYM_OK)
		*ret = s;
	else
		gsym_symbols_close(s);
	return status;
}

enum gsym_status gsym_symbols_open(const char *path, bool copied,
				   struct gsym_symbols **ret,
				   struct gsym_error *error)
{
	enum gsym_status status;
	const uint8_t *bytes;
	size_t size;

	*ret = NULL;
	status = gsym_mapped_open(path, copied, &bytes, &size, error);
	if (status != GSYM_OK)
		return status;
	status = gsym_symbols_open_memory(bytes, size, ret);
	if (status != GSYM_OK) {
		gsym_mapped_close(bytes, size);
		return status;
	}
	(*ret)->bytes = bytes;
	(*ret)->byte_count = size;
	return GSYM_OK;
}

void gsym_symbols_close(struct gsym_symbols *s)
{
	if (!s)
		return;
	gsym_mapped_close(s->bytes, s->byte_count);
	free(s->object.places);
	gsym_arena_fini(&s->arena);
	gsym_vec_fini(&s->symbols);
	gsym_vec_fini(&s->by_start);
	gsym_vec_fini(&s->by_name);
	free(s);
}

/* Whether SYMBOL, which has no size, reaches ADDRESS: that is at most FARTHEST
 * bytes away and in the same section. */
static bool reaches(const struct gsym_symbols *s, const struct symbol *symbol,
		    uint64_t address)
{
	struct object_section in;

	if (address == symbol->start)
		return true;
	if (address - symbol->start > FARTHEST ||
	    !gsym_object_section(&s->object, symbol->section, &in))
		return false;
	return symbol->start >= in.address &&
	       symbol->start - in.address < in.size &&
	       address - in.address < in.size;
}

bool gsym_symbols_find(const struct gsym_symbols *s, uint64_t address,
		       unsigned flags, struct gsym_store_symbol *ret)
{
	size_t after = GSYM_FIRST(i, 0, s->by_start.count,
				  s->by_start.items[i].key > address);
	const struct symbol *symbol;

	if (!after)
		return false;
	symbol = &s->symbols.items[s->by_start.items[after - 1].index];
	if (symbol->size ? address - symbol->start >= symbol->size
			 : !(flags & GSYM_STORE_FAR) &&
				  !reaches(s, symbol, address))
		return false;
	*ret = (struct gsym_store_symbol){ symbol->name,
					   symbol->start, symbol->size };
	return true;
}

/* ---- names ------------------------------------------------------------- */

static uint64_t hash_of(const struct gsym_symbols *s, const char *name,
			size_t size)
{
	return gsym_hash_bytes((uintptr_t)s, name, size);
}

bool gsym_symbols_sort_names(struct gsym_symbols *s)
{
	struct order *o = &s->by_name;

	if (o->count)
		return true;
	if (!gsym_vec_reserve(o, s->symbols.count))
		return false;
	for (; o->count < s->symbols.count; o->count++) {
		uint32_t index = s->by_start.items[o->count].index;
		const char *name = s->symbols.items[index].name;

		o->items[o->count] = (struct gsym_sort_item){
			.key = hash_of(s, name, strnlen(name, LONGEST_NAME)),
			.index = index,
		};
	}
	if (sort(o))
		return true;
	o->count = 0;
	return false;
}

bool gsym_symbols_named(const struct gsym_symbols *s, const char *name,
			size_t size, size_t skip,
			struct gsym_store_symbol *ret)
{
	uint64_t hash;
	size_t count = s->by_name.count, at;

	if (size > LONGEST_NAME)
		return false;
	hash = hash_of(s, name, size);
	at = GSYM_FIRST(i, 0, count, s->by_name.items[i].key >= hash);
	for (; at < count && s->by_name.items[at].key == hash; at++) {
		const struct symbol *symbol =
			&s->symbols.items[s->by_name.items[at].index];
		const char *found = symbol->name;

		if (strnlen(found, LONGEST_NAME + 1) != size ||
		    memcmp(found, name, size) != 0 || skip--)
			continue;
		*ret = (struct gsym_store_symbol){ found, symbol->start,
						   symbol->size };
		return true;
	}
	return false;
}
