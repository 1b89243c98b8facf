/* SPDX-License-Identifier: MIT */
/* The symbol tables .symtab and .dynsym; symbols that are in both count once.
 * */
#include "elf/elf.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- symbols of both tables --------------------------------------------- */

/* As a rule every symbol of .dynsym is in .symtab; such a symbol would cost
 * memory and time again, and change nothing. */

/* Slots that are tried for one symbol: in a hostile file all symbols may have
 * one address. */
enum { MOST_TRIES = 16 };

/* The symbols of CONTAINER that are in a section, by address. */
struct repeats {
	const struct gsym_container *container;
	/* Hash table of the indexes of symbols + 1; 0: a free slot.  NULL:
	 * there is no table, and no symbol is repeated. */
	uint32_t *slots;
	size_t mask;
};

/* Set R to the symbols that CONTAINER has, of tables that were read before.
 * Without memory R has no hash table.  The hash has no secret: with a secret it
 * would depend on the run which symbols are found. */
static void find_addresses(struct repeats *r,
			   const struct gsym_container *container)
{
	const struct gsym_symbol *symbols = container->symbols.items;
	size_t count = container->symbols.count, slots = 64;

	*r = (struct repeats){ .container = container };
	if (!count || count >= UINT32_MAX / 4)
		return;
	while (slots < 2 * count)
		slots *= 2;
	r->mask = slots - 1;
	r->slots = calloc(slots, sizeof(*r->slots));
	for (size_t i = 0; r->slots && i < count; i++) {
		size_t slot = gsym_hash_mix(symbols[i].value) & r->mask;
		bool placed = symbols[i].section != GSYM_NO_SECTION;
		int tries = placed ? MOST_TRIES : 0;

		while (tries && r->slots[slot]) {
			slot = (slot + 1) & r->mask;
			tries--;
		}
		if (tries)
			r->slots[slot] = (uint32_t)i + 1;
	}
}

static bool is_same(const struct gsym_symbol *a, const struct gsym_symbol *b)
{
	return a->value == b->value && a->size == b->size &&
	       a->reach == b->reach && a->section == b->section &&
	       a->type == b->type && a->binding == b->binding &&
	       !strcmp(a->name, b->name);
}

/* Whether R has a symbol that is equal to SYMBOL in everything.  If very many
 * symbols have one address, R knows only some of them. */
static bool is_repeated(const struct repeats *r,
			const struct gsym_symbol *symbol)
{
	size_t slot;

	if (!r->slots || symbol->section == GSYM_NO_SECTION)
		return false;
	slot = gsym_hash_mix(symbol->value) & r->mask;
	for (int i = 0; i < MOST_TRIES && r->slots[slot]; i++) {
		if (is_same(symbol, &r->container->symbols
					     .items[r->slots[slot] - 1]))
			return true;
		slot = (slot + 1) & r->mask;
	}
	return false;
}

/* ---- function descriptors ----------------------------------------------- */

/* By the first ABI of 64-bit PowerPC (ELFv1) the symbol of a function has the
 * address of a descriptor in .opd, whose first word is the address of the
 * code. */

/* The sections that may be looked at for all symbols together. */
#define MOST_STEPS (UINT64_C(1) << 24)

/* Set RET to the descriptors of FILE, whose sections were read. */
static void find_descriptors(const struct elf_file *file,
			     struct elf_descriptors *ret)
{
	const struct gsym_container *c = file->container;
	const struct gsym_container_section *table;

	*ret = (struct elf_descriptors){ .left = MOST_STEPS };
	/* In relocatable objects the relocations have the addresses. */
	if (file->view.machine != EM_PPC64 || c->relocatable)
		return;
	table = gsym_container_section(c, ".opd");
	if (table && table->data && !table->executable)
		ret->table = table;
}

static bool has_code_at(const struct gsym_container_section *s,
			uint64_t address)
{
	return s->loaded && s->executable && address >= s->address &&
	       address - s->address < s->size;
}

/* The section of CODE, an address; SIZE_MAX if there is none. */
static size_t code_section(const struct gsym_container *c,
			 struct elf_descriptors *d, uint64_t code)
{
	if (d->last < c->sections.count &&
	    has_code_at(&c->sections.items[d->last], code))
		return d->last;
	for (size_t i = 0; i < c->sections.count && d->left; i++, d->left--)
		if (has_code_at(&c->sections.items[i], code))
			return d->last = i;
	return SIZE_MAX;
}

void gsym_elf_follow_descriptor(const struct gsym_container *c,
				struct elf_descriptors *d,
				struct gsym_symbol *symbol)
{
	const struct gsym_container_section *t = d->table;
	struct gsym_cursor cursor;
	uint64_t code;
	size_t section;

	if (!t || symbol->type != GSYM_SYMBOL_FUNCTION ||
	    symbol->section != (size_t)(t - c->sections.items) ||
	    symbol->value < t->address)
		return;
	cursor = gsym_container_cursor(c, t);
	gsym_cursor_seek(&cursor, symbol->value - t->address);
	code = gsym_cursor_u64(&cursor);
	if (cursor.failed)
		return;
	section = code_section(c, d, code);
	if (section == SIZE_MAX)
		return;
	symbol->value = code;
	symbol->section = gsym_symbol_home(section);
}

/* ---- symbol tables ------------------------------------------------------ */

enum {
	/* Entries of a job. */
	ENTRIES = 8192,
	/* Jobs after which the pages of their entries are given back. */
	RELEASED = 8,
	/* The names that a job searches for versions may have SEARCH_SHARE
	 * times the bytes of its share of the table and of the strings, and
	 * SPARE_BYTES more: many symbols may share a long name. */
	SEARCH_SHARE = 16,
	SPARE_BYTES = 1 << 22,
};

/* The symbols that a job has read. */
struct symbols_read {
	GSYM_VEC(struct gsym_symbol);
	size_t nameless; /* entries whose name is not in the strings */
};

/* A symbol table that is being read. */
struct reading {
	struct elf_file *file;
	const struct elfview_table *table;
	bool versions; /* names end with a version ("memcpy@@GLIBC_2.14") */
	const struct repeats *repeats;
	struct elf_descriptors descriptors;
	uint64_t search; /* bytes that a job may search for versions */
	/* Of the jobs that are read or wait, by index modulo SLOT_COUNT. */
	struct symbols_read *slots;
	size_t slot_count;
	size_t nameless;
	pthread_mutex_t lock; /* of the container's arena */
};

/* The length of NAME without its version; 0 if NAME has no version, or if
 * SEARCH is used up.
 *
 * GNU ld, lld and gold append the version of a symbol to its name in .symtab.
 * The text after the @ has to look like a version, because mangled names can
 * have an @ of their own (?f@@YAXXZ, _f@8). */
static size_t versionless_length(const char *name, struct gsym_budget *search)
{
	const char *at, *version;

	if (search->exceeded)
		return 0;
	at = strchr(name, '@');
	gsym_budget_take(search, at ? (uint64_t)(at - name) : strlen(name));
	if (!at || at == name || name[0] == '?')
		return 0;
	version = at + (at[1] == '@' ? 2 : 1);
	if (!((*version >= 'A' && *version <= 'Z') ||
	      (*version >= 'a' && *version <= 'z') || *version == '_'))
		return 0;
	return (size_t)(at - name);
}

static enum gsym_symbol_type symbol_type(unsigned type, unsigned machine)
{
	switch (type) {
	case ELFVIEW_NOTYPE:
		return GSYM_SYMBOL_NONE;
	case ELFVIEW_FUNCTION:
	case ELFVIEW_IFUNC:
		return GSYM_SYMBOL_FUNCTION;
	case ELFVIEW_OBJECT:
	case STT_COMMON:
		return GSYM_SYMBOL_OBJECT;
	case STT_ARM_TFUNC:
		return machine == EM_ARM ? GSYM_SYMBOL_FUNCTION
					 : GSYM_SYMBOL_OTHER;
	}
	return GSYM_SYMBOL_OTHER;
}

static enum gsym_symbol_binding symbol_binding(unsigned binding)
{
	switch (binding) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return GSYM_SYMBOL_GLOBAL;
	case STB_WEAK:
		return GSYM_SYMBOL_WEAK;
	}
	return GSYM_SYMBOL_LOCAL;
}

/* Whether the entry SYMBOL may become a symbol of the container: it has a name
 * and is defined here, and it is no section, no file and no thread-local
 * variable, whose value is no address.  Objects of RISC-V have hundreds of
 * thousands of labels without a name, for relocations. */
static bool is_wanted(const struct elfview_symbol *symbol)
{
	unsigned type = symbol->info & 15;

	return symbol->name && symbol->section != SHN_UNDEF &&
	       type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

/* The section of SYMBOL, which is entry INDEX; SIZE_MAX if in none. */
static size_t symbol_section(const struct elf_file *file,
			     const struct elfview_table *t,
			     const struct elfview_symbol *symbol, size_t index)
{
	size_t number = elfview_home(&file->view, t, symbol, index);

	return number ? number : SIZE_MAX;
}

/* The name of SYMBOL; NULL if it is not in the strings.  A version is left out,
 * unless SEARCH is used up.  *MEMORY becomes false without memory. */
static const char *symbol_name(struct reading *r, struct gsym_budget *search,
			       const struct elfview_symbol *symbol,
			       bool *memory)
{
	const char *name = elfview_string(&r->table->strings, symbol->name);
	size_t length;

	if (!name || !r->versions)
		return name;
	length = versionless_length(name, search);
	if (!length)
		return name;
	pthread_mutex_lock(&r->lock);
	name = gsym_arena_string(&r->file->container->arena, name, length);
	pthread_mutex_unlock(&r->lock);
	*memory = name != NULL;
	return name;
}

/* The symbol NAME of FROM, entry INDEX of T. */
static struct gsym_symbol make_symbol(const struct elf_file *file,
				      const struct elfview_table *t,
				      const struct elfview_symbol *from,
				      size_t index, const char *name)
{
	const struct gsym_container *c = file->container;
	size_t section = symbol_section(file, t, from, index);
	struct gsym_symbol s = {
		.name = name,
		.value = from->value,
		.size = from->size,
		.section = gsym_symbol_home(section),
		.type = symbol_type(from->info & 15, file->view.machine),
		.binding = symbol_binding(from->info >> 4),
	};

	if (c->code_bit0 && s.type == GSYM_SYMBOL_FUNCTION)
		s.value &= ~(uint64_t)1;
	if (c->relocatable && section != SIZE_MAX)
		s.value += c->sections.items[section].address;
	return s;
}

/* Read the entries of job INDEX. */
static enum gsym_status read_entries(void *context, size_t index,
				     unsigned worker)
{
	struct reading *r = context;
	const struct elfview_table *t = r->table;
	struct symbols_read *slot = &r->slots[index % r->slot_count];
	struct gsym_budget search = { .limit = r->search };
	size_t first = index * ENTRIES, end = t->count;

	(void)worker;
	if (end - first > ENTRIES)
		end = first + ENTRIES;
	slot->count = slot->nameless = 0;
	if (!gsym_vec_reserve(slot, end - first))
		return GSYM_ERR_MEMORY;
	/* Entry 0 stands for "no symbol". */
	for (size_t i = first ? first : 1; i < end; i++) {
		struct elfview_symbol from =
			elfview_entry(&r->file->view, t, i);
		struct gsym_symbol s;
		const char *name;
		bool memory = true;

		if (!is_wanted(&from))
			continue;
		name = symbol_name(r, &search, &from, &memory);
		if (!memory)
			return GSYM_ERR_MEMORY;
		slot->nameless += !name;
		if (!name || !*name || elfview_is_mark(&from, name))
			continue;
		s = make_symbol(r->file, t, &from, i, name);
		if (r->descriptors.table)
			gsym_elf_follow_descriptor(r->file->container,
						   &r->descriptors, &s);
		slot->items[slot->count++] = s;
	}
	return GSYM_OK;
}

/* Append the symbols of job INDEX to those of the container, but for symbols
 * that R->repeats has. */
static enum gsym_status append(void *context, size_t index, unsigned worker)
{
	struct reading *r = context;
	const struct elfview_table *t = r->table;
	const struct symbols_read *slot = &r->slots[index % r->slot_count];
	struct gsym_container *c = r->file->container;
	size_t step = RELEASED * ENTRIES * t->entry_size;

	(void)worker;
	r->nameless += slot->nameless;
	if (!gsym_vec_reserve(&c->symbols, slot->count))
		return GSYM_ERR_MEMORY;
	if (!r->repeats->slots && slot->count) {
		memcpy(c->symbols.items + c->symbols.count, slot->items,
		       slot->count * sizeof(*slot->items));
		c->symbols.count += slot->count;
	}
	for (size_t i = 0; r->repeats->slots && i < slot->count; i++)
		if (!is_repeated(r->repeats, &slot->items[i]))
			c->symbols.items[c->symbols.count++] = slot->items[i];
	/* Of symbols that are left out nothing stays in memory. */
	if (r->file->mapped && (index + 1) % RELEASED == 0)
		gsym_pages_release(t->bytes + index / RELEASED * step, step);
	return GSYM_OK;
}

/* Read T, but for symbols that REPEATS has.  VERSIONS: names end with a
 * version. */
static bool read_table(struct elf_file *file, const struct elfview_table *t,
		       bool versions, const struct repeats *repeats,
		       unsigned threads, const char *table_name)
{
	struct reading r = {
		.file = file,
		.table = t,
		.versions = versions,
		.repeats = repeats,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	enum gsym_status status = GSYM_ERR_MEMORY;
	size_t jobs = (t->count + ENTRIES - 1) / ENTRIES;

	find_descriptors(file, &r.descriptors);
	/* All symbols share the budget for descriptors (MOST_STEPS). */
	if (r.descriptors.table)
		threads = 1;
	threads = gsym_pool_threads(threads, jobs);
	r.search = SPARE_BYTES +
		   SEARCH_SHARE * (ENTRIES * t->entry_size +
				   t->strings.limit / (jobs ? jobs : 1));
	r.slot_count = threads > 1 ? (size_t)threads * 2 : 1;
	r.slots = calloc(r.slot_count, sizeof(*r.slots));
	if (r.slots)
		status = gsym_pool_run(threads, jobs, r.slot_count,
				       read_entries, append, NULL, &r);
	for (size_t i = 0; r.slots && i < r.slot_count; i++)
		gsym_vec_fini(&r.slots[i]);
	free(r.slots);
	pthread_mutex_destroy(&r.lock);
	if (status == GSYM_OK && r.nameless)
		gsym_container_warn(file->container, GSYM_WARN_BAD_SYMBOL,
				    "%s: %zu symbols have no name in the "
				    "string table",
				    table_name, r.nameless);
	return status == GSYM_OK;
}

static bool read_symbols(struct elf_file *file, uint32_t type, unsigned threads,
			 const char *table_name)
{
	struct elfview_table t;
	struct repeats repeats;
	bool done;

	/* For a table beyond the end of the file, read_section has warned
	 * already. */
	if (!gsym_elfview_table(&file->view, type, &t))
		return true;
	file->container->symbol_bytes +=
		t.count * t.entry_size + t.strings.limit;
	find_addresses(&repeats, file->container);
	done = read_table(file, &t, type == ELFVIEW_SYMTAB, &repeats, threads,
			  table_name);
	free(repeats.slots);
	return done;
}

bool gsym_elf_read_symbols(struct elf_file *file, unsigned threads)
{
	return read_symbols(file, ELFVIEW_SYMTAB, threads, ".symtab") &&
	       read_symbols(file, ELFVIEW_DYNSYM, threads, ".dynsym");
}

bool gsym_elf_read_dynamic_symbols(struct elf_file *file)
{
	const struct gsym_container *c = file->container;
	const struct repeats none = { .container = c };
	struct elf_dynamic d = gsym_elf_dynamic(c);
	struct gsym_cursor symbols = gsym_elf_dynamic_cursor(c, d.symbols);
	struct gsym_cursor names = gsym_elf_dynamic_cursor(c, d.strings);
	struct elfview_table t = {
		.bytes = symbols.at,
		.entry_size = elfview_symbol_size(&file->view),
		.count = gsym_cursor_left(&symbols) /
			 elfview_symbol_size(&file->view),
		.strings = gsym_elfview_strings(names.at,
						gsym_cursor_left(&names)),
		.long_numbers = gsym_cursor_init(NULL, 0, false),
	};

	return read_table(file, &t, false, &none, 1, "dynamic symbol table");
}

bool gsym_elf_symbol_values(const struct elf_file *file, uint64_t **ret,
			    size_t *count)
{
	const struct gsym_container_section *sections =
		file->container->sections.items;
	struct elfview_table t;

	*ret = NULL;
	*count = 0;
	if (!gsym_elfview_table(&file->view, ELFVIEW_SYMTAB, &t))
		return true;
	*ret = calloc(t.count ? t.count : 1, sizeof(**ret));
	if (!*ret)
		return false;
	*count = t.count;
	for (size_t i = 1; i < t.count; i++) {
		struct elfview_symbol s = elfview_entry(&file->view, &t, i);
		size_t section = symbol_section(file, &t, &s, i);

		if (section != SIZE_MAX)
			(*ret)[i] = s.value + sections[section].address;
		else if (s.section == SHN_ABS)
			(*ret)[i] = s.value;
		/* The value of a common symbol is an alignment: it stays 0. */
	}
	return true;
}
