/* SPDX-License-Identifier: MIT */
/* The symbols of a program's file, sorted by address. */
#include "store/entry.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/search.h"
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
	/** Where it stands in the symbol table, among those that are kept. */
	uint32_t index;
};

/* The hash of a symbol's name, and the symbol's index in SYMBOLS. */
struct name {
	uint64_t hash;
	size_t index;
};

struct gsym_symbols {
	struct object object;
	/** The file, if gsym_symbols_open mapped it; else NULL. */
	const uint8_t *bytes;
	size_t byte_count;
	struct {
		GSYM_VEC(struct symbol);
	} symbols;
	/** Names that do not end in the file. */
	struct gsym_arena arena;
	/** By hash, then index; empty until a name is asked for. */
	struct {
		GSYM_VEC(struct name);
	} by_name;
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
			.index = (uint32_t)s->symbols.count,
		};
	}
	return true;
}

/* By start, then size, then index: gsym_symbols_find takes the last symbol of
 * a start, as llvm-symbolizer does. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
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
	qsort(s->symbols.items, s->symbols.count, sizeof(*s->symbols.items),
	      by_address);
	return GSYM_OK;
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
	size_t after = GSYM_FIRST(i, 0, s->symbols.count,
				  s->symbols.items[i].start > address);
	const struct symbol *symbol;

	if (!after)
		return false;
	symbol = &s->symbols.items[after - 1];
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

static int by_hash(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

bool gsym_symbols_sort_names(struct gsym_symbols *s)
{
	if (s->by_name.count)
		return true;
	if (!gsym_vec_reserve(&s->by_name, s->symbols.count))
		return false;
	for (size_t i = 0; i < s->symbols.count; i++) {
		const char *name = s->symbols.items[i].name;

		s->by_name.items[i] = (struct name){
			hash_of(s, name, strnlen(name, LONGEST_NAME)),
			i,
		};
	}
	s->by_name.count = s->symbols.count;
	qsort(s->by_name.items, s->by_name.count, sizeof(*s->by_name.items),
	      by_hash);
	return true;
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
	at = GSYM_FIRST(i, 0, count, s->by_name.items[i].hash >= hash);
	for (; at < count && s->by_name.items[at].hash == hash; at++) {
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
