/* SPDX-License-Identifier: MIT */
/* The symbols of an ELF file, sorted by address. */
#include "store/symbols.h"

#include "base/hash.h"
#include "base/search.h"
#include "base/vec.h"
#include "elfview/elfview.h"
#include "store/mapped.h"
#include "store/place.h"

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
	/** Offset of the name in the string table. */
	uint32_t name;
	uint32_t section;
	/** Index in the symbol table. */
	uint64_t index;
};

/* The hash of a symbol's name, and the symbol's index in SYMBOLS. */
struct name {
	uint64_t hash;
	size_t index;
};

struct gsym_symbols {
	struct elfview elf;
	bool mapped;
	struct {
		GSYM_VEC(struct symbol);
	} symbols;
	struct elfview_strings names;
	/** By hash, then index; empty until a name is asked for. */
	struct {
		GSYM_VEC(struct name);
	} by_name;
};

/* Whether SYMBOL names code or data: it is defined, of a type for either, and
 * has a name that is no mapping symbol ("$x"). */
static bool is_wanted(const struct gsym_symbols *s,
		      const struct elfview_symbol *symbol)
{
	unsigned type = symbol->info & 15;
	const char *name = elfview_string(&s->names, symbol->name);

	if (type != ELFVIEW_NOTYPE && type != ELFVIEW_OBJECT &&
	    type != ELFVIEW_FUNCTION && type != ELFVIEW_IFUNC)
		return false;
	return symbol->section &&
	       (symbol->section < ELFVIEW_RESERVED ||
		symbol->section == ELFVIEW_EXTENDED) &&
	       name && *name && *name != '$';
}

/* Append the wanted symbols of TABLE to S; none if TABLE is damaged.  PLACES
 * has the addresses of the sections that symbols count from, or is NULL.
 * False without memory. */
static bool read_symbols(struct gsym_symbols *s,
			 const struct elfview_section *table,
			 const uint64_t *places)
{
	const struct elfview *elf = &s->elf;
	struct elfview_section names;

	if (table->link >= elf->section_count || !elfview_in_file(elf, table) ||
	    table->entry_size < elfview_symbol_size(elf))
		return true;
	names = gsym_elfview_section(elf, table->link);
	if (!elfview_in_file(elf, &names))
		return true;
	s->names = gsym_elfview_strings(elf->bytes + names.offset, names.size);
	for (uint64_t i = 0; i < table->size / table->entry_size; i++) {
		struct elfview_symbol symbol =
			elfview_symbol(elf, elf->bytes + table->offset +
						    i * table->entry_size);
		struct symbol *to;

		if (!is_wanted(s, &symbol))
			continue;
		to = gsym_vec_push(&s->symbols);
		if (!to)
			return false;
		*to = (struct symbol){
			.start = symbol.value +
				 (places && symbol.section < elf->section_count
					  ? places[symbol.section]
					  : 0),
			.size = symbol.size,
			.name = symbol.name,
			.section = symbol.section,
			.index = i,
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

/* Read the first symbol table of TYPE.  Files have one of each type; a
 * malicious file could have many section headers for the same table.  False
 * without memory. */
static bool read_table(struct gsym_symbols *s, uint32_t type)
{
	bool relocatable = s->elf.type == ELFVIEW_RELOCATABLE;
	uint64_t *places = relocatable ? gsym_place_sections(&s->elf) : NULL;
	bool done = !relocatable || places;

	for (uint64_t i = 0; i < s->elf.section_count; i++) {
		struct elfview_section table = gsym_elfview_section(&s->elf, i);

		if (!done || table.type != type)
			continue;
		done = read_symbols(s, &table, places);
		break;
	}
	free(places);
	return done;
}

/* Read .symtab, or .dynsym if .symtab is missing or has no wanted symbols.
 * GSYM_NOT_FOUND: there are no symbols at all. */
static enum gsym_status read_all(struct gsym_symbols *s)
{
	bool done = read_table(s, ELFVIEW_SYMTAB);

	if (done && !s->symbols.count)
		done = read_table(s, ELFVIEW_DYNSYM);
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
	if (gsym_elfview_open(data, size, &s->elf, NULL) == GSYM_OK)
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
	if (status == GSYM_OK)
		(*ret)->mapped = true;
	else
		gsym_mapped_close(bytes, size);
	return status;
}

void gsym_symbols_close(struct gsym_symbols *s)
{
	if (!s)
		return;
	if (s->mapped)
		gsym_mapped_close(s->elf.bytes, s->elf.size);
	gsym_vec_fini(&s->symbols);
	gsym_vec_fini(&s->by_name);
	free(s);
}

/* Whether SYMBOL, which has no size, reaches ADDRESS: that is at most FARTHEST
 * bytes away and in the same section. */
static bool reaches(const struct gsym_symbols *s, const struct symbol *symbol,
		    uint64_t address)
{
	struct elfview_section in;

	if (address == symbol->start)
		return true;
	if (address - symbol->start > FARTHEST ||
	    symbol->section >= s->elf.section_count)
		return false;
	in = gsym_elfview_section(&s->elf, symbol->section);
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
	*ret = (struct gsym_store_symbol){ s->names.bytes + symbol->name,
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
		const char *name = s->names.bytes + s->symbols.items[i].name;

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
		const char *found = s->names.bytes + symbol->name;

		if (strnlen(found, LONGEST_NAME + 1) != size ||
		    memcmp(found, name, size) != 0 || skip--)
			continue;
		*ret = (struct gsym_store_symbol){ found, symbol->start,
						   symbol->size };
		return true;
	}
	return false;
}
