/* SPDX-License-Identifier: MIT */
/* The symbol tables .symtab and .dynsym. */
#include "elf/dynamic.h"
#include "elf/elf_file.h"
#include "elf/repeats.h"

#include "base/prefetch.h"

struct table {
	const uint8_t *bytes;
	size_t size;
	size_t entry_size;
	size_t count;
	struct elfview_strings strings;
	/* SHT_SYMTAB_SHNDX: the section number of each entry, in 4 bytes, for
	 * entries whose own field is too small.  Empty if there is none. */
	struct gsym_cursor long_numbers;
	/* Names end with a version: "memcpy@@GLIBC_2.14". */
	bool versions;
};

/* The number of the first section of TYPE, or 0.  If LINK is not 0, the
 * section's sh_link has to be LINK. */
static size_t find_section(const struct elf_file *file, uint32_t type,
			   size_t link)
{
	for (size_t i = 1; i < file->view.section_count; i++) {
		struct elfview_section s = gsym_elfview_section(&file->view, i);

		if (s.type == type && (!link || s.link == link))
			return i;
	}
	return 0;
}

/* The strings of section NUMBER. */
static struct elfview_strings find_strings(const struct elf_file *file,
					   size_t number)
{
	const struct gsym_container *c = file->container;
	const struct gsym_container_section *s;

	if (!number || number >= c->sections.count)
		return gsym_elfview_strings(NULL, 0);
	s = &c->sections.items[number];
	return gsym_elfview_strings(s->data, s->data_size);
}

/* The length of NAME without its version; 0 if NAME has no version.
 *
 * GNU ld, lld and gold append the version of a symbol to its name in .symtab.
 * The text after the @ has to look like a version, because mangled names can
 * have an @ of their own (?f@@YAXXZ, _f@8). */
static size_t versionless_length(const char *name)
{
	const char *at = strchr(name, '@');
	const char *version;

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
	case STT_NOTYPE:
		return GSYM_SYMBOL_NONE;
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return GSYM_SYMBOL_FUNCTION;
	case STT_OBJECT:
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

static struct elfview_symbol read_symbol(const struct elf_file *file,
					 const struct table *t, size_t index)
{
	return elfview_symbol(&file->view, t->bytes + index * t->entry_size);
}

/* The section of SYMBOL, which is entry INDEX; SIZE_MAX if in none. */
static size_t symbol_section(const struct elf_file *file, const struct table *t,
			     const struct elfview_symbol *symbol, size_t index)
{
	struct gsym_cursor c = t->long_numbers;
	size_t number = symbol->section;

	if (number == SHN_XINDEX) {
		gsym_cursor_seek(&c, 4 * (uint64_t)index);
		number = gsym_cursor_u32(&c);
	} else if (number >= SHN_LORESERVE) {
		return SIZE_MAX;
	}
	if (!number || number >= file->view.section_count)
		return SIZE_MAX;
	return number;
}

/* The name of SYMBOL; NULL if it is not in the strings.  *MEMORY becomes
 * false without memory. */
static const char *symbol_name(struct elf_file *file, const struct table *t,
			       const struct elfview_symbol *symbol,
			       bool *memory)
{
	const char *name = elfview_string(&t->strings, symbol->name);
	size_t length;

	if (!name || !t->versions)
		return name;
	length = versionless_length(name);
	if (!length)
		return name;
	name = gsym_arena_string(&file->container->arena, name, length);
	*memory = name != NULL;
	return name;
}

enum {
	/* Each step of a comparison is prefetched so many entries before the
	 * next step. */
	AHEAD = 10,
	/* A power of two, more than all steps together. */
	HASHES = 32,
};

/* Prefetch what read_table reads of the entries after entry I of T: their
 * names, and what it compares with R, which may be NULL.  HASHES has the hash
 * of entry K at K modulo HASHES, from step to step. */
static void prefetch(const struct elf_file *file, const struct table *t,
		     size_t i, const struct elf_repeats *r,
		     uint64_t hashes[HASHES])
{
	size_t name = i + AHEAD, symbol = name + AHEAD, slot = symbol + AHEAD;

	if (name < t->count) {
		uint32_t at = read_symbol(file, t, name).name;

		if (at < t->strings.limit)
			gsym_prefetch_text(t->strings.bytes + at);
	}
	if (!r)
		return;
	if (name < t->count)
		gsym_elf_repeats_prefetch(r, hashes[name % HASHES],
					  REPEATS_NAME);
	if (symbol < t->count)
		gsym_elf_repeats_prefetch(r, hashes[symbol % HASHES],
					  REPEATS_SYMBOL);
	if (slot < t->count) {
		uint64_t *hash = &hashes[slot % HASHES];

		*hash = gsym_elf_repeats_hash(read_symbol(file, t, slot).value);
		gsym_elf_repeats_prefetch(r, *hash, REPEATS_SLOT);
	}
}

/* Read T, but for symbols that REPEATS has; REPEATS may be NULL. */
static bool read_table(struct elf_file *file, const struct table *t,
		       const struct elf_repeats *repeats,
		       const char *table_name)
{
	struct gsym_container *c = file->container;
	uint64_t hashes[HASHES] = { 0 };
	size_t nameless = 0;

	if (!gsym_vec_reserve(&c->symbols, t->count))
		return false;
	/* Entry 0 stands for "no symbol". */
	for (size_t i = 1; i < t->count; i++) {
		struct elfview_symbol from = read_symbol(file, t, i);
		struct gsym_symbol s = { 0 };
		bool memory = true;

		prefetch(file, t, i, repeats, hashes);
		s.name = symbol_name(file, t, &from, &memory);
		if (!memory)
			return false;
		if (!s.name) {
			nameless++;
			continue;
		}
		s.value = from.value;
		s.size = from.size;
		s.section = symbol_section(file, t, &from, i);
		s.type = symbol_type(from.info & 15, file->view.machine);
		s.binding = symbol_binding(from.info >> 4);
		if (c->code_bit0 && s.type == GSYM_SYMBOL_FUNCTION)
			s.value &= ~(uint64_t)1;
		if (c->relocatable && s.section != SIZE_MAX)
			s.value += c->sections.items[s.section].address;
		if (!repeats || !gsym_elf_repeats_has(repeats, &s))
			*gsym_vec_push(&c->symbols) = s;
	}
	if (nameless)
		gsym_container_warn(c, GSYM_WARN_BAD_SYMBOL,
				    "%s: %zu symbols have no name in the "
				    "string table",
				    table_name, nameless);
	return true;
}

/* Find the table of TYPE; false if there is none with bytes.  Debug files have
 * a .dynsym without bytes.  For a table beyond the end of the file,
 * read_section has warned already. */
static bool find_table(const struct elf_file *file, uint32_t type,
		       struct table *t)
{
	const struct gsym_container *c = file->container;
	size_t number = find_section(file, type, 0);
	size_t numbers;

	if (!number || !c->sections.items[number].data)
		return false;
	*t = (struct table){
		.bytes = c->sections.items[number].data,
		.size = (size_t)c->sections.items[number].data_size,
		.entry_size = elfview_symbol_size(&file->view),
		.versions = type == SHT_SYMTAB,
	};
	t->count = t->size / t->entry_size;
	t->strings = find_strings(
		file, gsym_elfview_section(&file->view, number).link);
	numbers = find_section(file, SHT_SYMTAB_SHNDX, number);
	t->long_numbers = gsym_container_cursor(
		c, numbers ? &c->sections.items[numbers] : NULL);
	return true;
}

static bool read_symbols(struct elf_file *file, uint32_t type,
			 const struct elf_repeats *repeats,
			 const char *table_name)
{
	struct table t;

	if (!find_table(file, type, &t))
		return true;
	file->container->symbol_bytes += t.size + t.strings.limit;
	return read_table(file, &t, repeats, table_name);
}

bool gsym_elf_read_symbols(struct elf_file *file)
{
	struct elf_repeats repeats;
	bool done;

	if (!read_symbols(file, SHT_SYMTAB, NULL, ".symtab"))
		return false;
	gsym_elf_repeats_init(&repeats, file->container);
	done = read_symbols(file, SHT_DYNSYM, &repeats, ".dynsym");
	gsym_elf_repeats_fini(&repeats);
	return done;
}

bool gsym_elf_read_dynamic_symbols(struct elf_file *file)
{
	const struct gsym_container *c = file->container;
	struct elf_dynamic d = gsym_elf_dynamic(c);
	struct gsym_cursor symbols = gsym_elf_dynamic_cursor(c, d.symbols);
	struct gsym_cursor names = gsym_elf_dynamic_cursor(c, d.strings);
	struct table t = {
		.bytes = symbols.at,
		.size = gsym_cursor_left(&symbols),
		.entry_size = elfview_symbol_size(&file->view),
		.strings = gsym_elfview_strings(names.at,
						gsym_cursor_left(&names)),
	};

	t.count = t.size / t.entry_size;
	return read_table(file, &t, NULL, "dynamic symbol table");
}

size_t gsym_elf_symtab(const struct elf_file *file)
{
	return find_section(file, SHT_SYMTAB, 0);
}

bool gsym_elf_symbol_values(const struct elf_file *file, uint64_t **ret,
			    size_t *count)
{
	const struct gsym_container_section *sections =
		file->container->sections.items;
	struct table t;

	*ret = NULL;
	*count = 0;
	if (!find_table(file, SHT_SYMTAB, &t))
		return true;
	*ret = calloc(t.count ? t.count : 1, sizeof(**ret));
	if (!*ret)
		return false;
	*count = t.count;
	for (size_t i = 1; i < t.count; i++) {
		struct elfview_symbol s = read_symbol(file, &t, i);
		size_t section = symbol_section(file, &t, &s, i);

		if (section != SIZE_MAX)
			(*ret)[i] = s.value + sections[section].address;
		else if (s.section == SHN_ABS)
			(*ret)[i] = s.value;
		/* The value of a common symbol is an alignment: it stays 0. */
	}
	return true;
}
