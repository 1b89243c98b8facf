/* SPDX-License-Identifier: MIT */
/* Which sections are read; reads relocation tables and applies them to these
 * sections. */
#include "elf/elf.h"

#include <inttypes.h>
#include <string.h>

/* ---- which sections are read -------------------------------------------- */

static const char *const debug_names[ELF_DEBUG_NAMES] = {
	"info",	       "abbrev",   "line",     "str",	   "line_str",
	"str_offsets", "addr",	   "ranges",   "rnglists", "aranges",
	"types",       "cu_index", "tu_index",
};

int gsym_elf_debug_number(const char *name)
{
	int number = 0;

	if (!strncmp(name, ".debug_", 7)) {
		name += 7;
	} else if (!strncmp(name, ".zdebug_", 8)) {
		name += 8;
		number = ELF_DEBUG_NAMES * 2;
	} else {
		return ELF_NOT_READ;
	}
	for (int i = 0; i < ELF_DEBUG_NAMES; i++) {
		size_t length = strlen(debug_names[i]);

		if (strncmp(name, debug_names[i], length) != 0)
			continue;
		if (!name[length])
			return number + i;
		if (!strcmp(name + length, ".dwo"))
			return number + ELF_DEBUG_NAMES + i;
	}
	return ELF_NOT_READ;
}

bool gsym_elf_is_read(const struct elf_file *file, size_t number)
{
	const struct gsym_container_section *s =
		&file->container->sections.items[number];

	if (file->for_data)
		return s->loaded && !s->executable;
	return gsym_elf_debug_number(s->name) != ELF_NOT_READ;
}

enum {
	/* A bit in the header of a table of type SHT_CREL: entries have
	 * addends. */
	CREL_ADDENDS = 4,
};

struct relocation {
	uint64_t place; /* an offset in the section */
	uint64_t symbol;
	uint64_t type;
	uint64_t addend; /* 0 if the table has none */
};

/* ---- compact tables ----------------------------------------------------- */

/*
 * A compact table begins with a ULEB128 number: the number of entries, whether
 * they have addends, and how many low bits are zero in all places.  Each entry
 * holds differences to the entry before it: the place, with bits that say
 * which other fields change, then symbol, type and addend.
 */
struct crel {
	struct gsym_cursor c;
	uint64_t left; /* entries to come */
	bool addends;
	unsigned shift;
	uint64_t offset; /* the place, shifted right by SHIFT */
	struct relocation last;
};

static struct crel crel_open(const uint8_t *bytes, size_t size)
{
	struct crel crel = { .c = gsym_cursor_init(bytes, size, false) };
	uint64_t header = gsym_cursor_uleb(&crel.c);

	crel.left = header / 8;
	crel.addends = header & CREL_ADDENDS;
	crel.shift = header % CREL_ADDENDS;
	return crel;
}

/* Read the next entry to CREL->last.  False after the last entry, and if the
 * table is cut off; the cursor has failed in that case. */
static bool crel_next(struct crel *crel)
{
	struct relocation *e = &crel->last;
	unsigned flags = crel->addends ? 3 : 2;
	uint8_t first;

	if (!crel->left)
		return false;
	crel->left--;
	first = gsym_cursor_u8(&crel->c);
	crel->offset += first >> flags;
	if (first & 0x80)
		crel->offset += (gsym_cursor_uleb(&crel->c) << (7 - flags)) -
				(0x80u >> flags);
	if (first & 1)
		e->symbol += (uint64_t)gsym_cursor_sleb(&crel->c);
	if (first & 2)
		e->type += (uint64_t)gsym_cursor_sleb(&crel->c);
	if (crel->addends && first & 4)
		e->addend += (uint64_t)gsym_cursor_sleb(&crel->c);
	e->symbol &= UINT32_MAX;
	e->type &= UINT32_MAX;
	e->place = crel->offset << crel->shift;
	return !crel->c.failed;
}

/* ---- tables ----------------------------------------------------------- */

static size_t entry_size(bool wide, bool addends)
{
	return (wide ? 8u : 4u) * (addends ? 3u : 2u);
}

static void warn_table(struct elf_file *file, size_t number,
		       const char *problem)
{
	gsym_container_warn_section(file->container,
				    &file->container->sections.items[number],
				    problem);
}

/* The reason why the relocations in section NUMBER, whose header is HEADER,
 * cannot be used; NULL if they can.  Adds their bytes to TOTAL. */
static const char *check_table(const struct elf_file *file, size_t number,
			       size_t symtab,
			       const struct elfview_section *header,
			       uint64_t *total)
{
	const struct gsym_container_section *s =
		&file->container->sections.items[number];
	size_t size = entry_size(file->view.wide, header->type == SHT_RELA);

	if (!s->data || (header->flags & ELFVIEW_COMPRESSED))
		return "its bytes cannot be read";
	if (header->type != SHT_CREL && header->entry_size != size)
		return "its entries have the wrong size";
	if (!symtab || header->link != symtab)
		return "its symbols are not those of .symtab";
	/* Many tables may claim the same bytes, which would be read again and
	 * again.  Sound tables do not overlap. */
	if (s->data_size > file->view.size - *total)
		return "it overlaps other sections";
	*total += s->data_size;
	return NULL;
}

/* Add section NUMBER, whose header is HEADER, as a table; false without
 * memory. */
static bool add_table(struct elf_relocator *r, struct elf_file *file,
		      size_t number, const struct elfview_section *header)
{
	const struct gsym_container_section *s =
		&file->container->sections.items[number];
	struct elf_relocation_table *t = gsym_vec_push(&r->tables);
	bool addends = header->type == SHT_RELA;
	struct crel crel;

	if (!t)
		return false;
	*t = (struct elf_relocation_table){
		.target = header->info,
		.bytes = s->data,
	};
	if (header->type != SHT_CREL) {
		t->addends = addends;
		t->count = s->data_size / entry_size(r->wide, addends);
		return true;
	}
	crel = crel_open(s->data, (size_t)s->data_size);
	t->compact = true;
	t->addends = crel.addends;
	t->size = (size_t)s->data_size;
	while (crel_next(&crel))
		;
	if (crel.c.failed)
		warn_table(file, number, "it breaks off");
	return true;
}

/* Add all tables whose target is a section that is read. */
static bool find_tables(struct elf_relocator *r, struct elf_file *file)
{
	const struct gsym_container *c = file->container;
	size_t symtab = gsym_elfview_find(&file->view, ELFVIEW_SYMTAB, 0);
	uint64_t total = 0;

	for (size_t i = 1; i < c->sections.count; i++) {
		struct elfview_section s = gsym_elfview_section(&file->view, i);
		const char *problem;

		if (s.type != SHT_REL && s.type != SHT_RELA &&
		    s.type != SHT_CREL)
			continue;
		if (!s.info || s.info >= c->sections.count) {
			warn_table(file, i,
				   "the section that it relocates does not "
				   "exist");
			continue;
		}
		if (!s.size || !gsym_elf_is_read(file, s.info))
			continue;
		problem = check_table(file, i, symtab, &s, &total);
		if (problem)
			warn_table(file, i, problem);
		else if (!add_table(r, file, i, &s))
			return false;
	}
	return true;
}

bool gsym_elf_relocator_init(struct elf_relocator *r, struct elf_file *file)
{
	*r = (struct elf_relocator){
		.swap = file->view.swap,
		.wide = file->view.wide,
		.mips64 = file->view.machine == EM_MIPS && file->view.wide,
	};
	r->mips64el = r->mips64 && !file->container->big_endian;
	gsym_elf_relocation_kinds(file->view.machine, r->kinds);
	if (!find_tables(r, file))
		return false;
	if (!r->tables.count)
		return true;
	r->first = calloc(file->container->sections.count, sizeof(*r->first));
	if (!r->first)
		return false;
	for (size_t i = r->tables.count; i; i--) {
		struct elf_relocation_table *t = &r->tables.items[i - 1];

		t->next = r->first[t->target];
		r->first[t->target] = (uint32_t)i;
	}
	return true;
}

void gsym_elf_relocator_fini(struct elf_relocator *r)
{
	gsym_vec_fini(&r->tables);
	free(r->first);
	free(r->symbols);
	r->first = NULL;
	r->symbols = NULL;
}

bool gsym_elf_relocator_learn(struct elf_relocator *r,
			      const struct elf_file *file)
{
	return !r->tables.count ||
	       gsym_elf_symbol_values(file, &r->symbols, &r->symbol_count);
}

/* ---- places ------------------------------------------------------------- */

/* The length of the ULEB128 number at AT; 0 if it does not end within SIZE
 * bytes, or within the 10 bytes that 64 bits take. */
static size_t uleb_length(const uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size && i < 10; i++)
		if (!(at[i] & 0x80))
			return i + 1;
	return 0;
}

static uint64_t read_uleb(const uint8_t *at, size_t length)
{
	uint64_t value = 0;

	for (size_t i = 0; i < length; i++)
		value |= (uint64_t)(at[i] & 0x7f) << 7 * i;
	return value;
}

/* The number keeps its LENGTH, because offsets of what follows depend on it;
 * linkers do the same. */
static void write_uleb(uint8_t *at, size_t length, uint64_t value)
{
	for (size_t i = 0; i < length; i++) {
		at[i] = (uint8_t)((value & 0x7f) |
				  (i + 1 < length ? 0x80 : 0));
		value >>= 7;
	}
}

/* The length of the place of WIDTH at AT; 0 if it does not fit into SIZE
 * bytes. */
static size_t place_length(const uint8_t *at, size_t size, unsigned width)
{
	switch (width) {
	case ELF_WIDTH_ULEB:
		return uleb_length(at, size);
	case ELF_WIDTH_6_BITS:
		return size ? 1 : 0;
	}
	return size >= width ? width : 0;
}

static uint64_t read_place(const uint8_t *at, size_t length, unsigned width,
			   bool swap)
{
	switch (width) {
	case ELF_WIDTH_ULEB:
		return read_uleb(at, length);
	case ELF_WIDTH_6_BITS:
		return *at & 0x3f;
	}
	return gsym_load_uint(at, width, swap);
}

static void write_place(uint8_t *at, size_t length, unsigned width, bool swap,
			uint64_t value)
{
	switch (width) {
	case ELF_WIDTH_ULEB:
		write_uleb(at, length, value);
		break;
	case ELF_WIDTH_6_BITS:
		*at = (uint8_t)((*at & 0xc0) | (value & 0x3f));
		break;
	default:
		gsym_store_uint(at, value, width, swap);
	}
}

static void count_problem(struct elf_relocation_problem *problem,
			  uint64_t place, uint64_t value)
{
	if (problem->count++ == 0) {
		problem->place = place;
		problem->value = value;
	}
}

/* ---- applying ----------------------------------------------------------- */

static inline struct relocation
read_relocation(const struct elf_relocator *r,
		const struct elf_relocation_table *t, size_t index)
{
	const uint8_t *at =
		t->bytes + index * entry_size(r->wide, t->addends);
	struct relocation e = { 0 };
	uint64_t info;

	if (!r->wide) {
		e.place = gsym_load_u32(at, r->swap);
		info = gsym_load_u32(at + 4, r->swap);
		e.symbol = info >> 8;
		e.type = info & 0xff;
		if (t->addends)
			e.addend = (uint64_t)(int32_t)gsym_load_u32(at + 8,
								    r->swap);
		return e;
	}
	e.place = gsym_load_u64(at, r->swap);
	info = gsym_load_u64(at + 8, r->swap);
	if (r->mips64el)
		/* The word of the symbol's number comes first; then come three
		 * types, in reverse order. */
		info = info << 32 | __builtin_bswap32((uint32_t)(info >> 32));
	e.symbol = info >> 32;
	e.type = info & UINT32_MAX;
	if (t->addends)
		e.addend = gsym_load_u64(at + 16, r->swap);
	return e;
}

/* The section that is relocated. */
struct target {
	uint64_t address;
	uint8_t *bytes;
	size_t size;
	struct elf_relocation_problems *problems;
};

/* The kind of an entry with TYPE. */
static inline struct elf_relocation_kind
kind_of(const struct elf_relocator *r, uint64_t type)
{
	struct elf_relocation_kind kind = { ELF_RELOC_UNKNOWN, 0 };
	/* The byte after the first type is the second one, which works on the
	 * result of the first: R_MIPS_64 stores it in 8 bytes. */
	bool longer = r->mips64 && type >> 8 == ELF_R_MIPS_64;

	if (longer)
		type &= 0xff;
	if (type < ELF_RELOC_TYPES)
		kind = r->kinds[type];
	if (longer && kind.action != ELF_RELOC_UNKNOWN)
		kind.width = 8;
	return kind;
}

static inline void apply(const struct elf_relocator *r,
			 const struct elf_relocation_table *t,
			 const struct relocation *e, struct target *target)
{
	struct elf_relocation_kind kind = kind_of(r, e->type);
	size_t length;
	uint64_t value;
	uint8_t *at;

	if (kind.action == ELF_RELOC_NONE)
		return;
	if (kind.action == ELF_RELOC_UNKNOWN) {
		count_problem(&target->problems->types, e->place, e->type);
		return;
	}
	if (e->symbol >= r->symbol_count && e->symbol) {
		count_problem(&target->problems->symbols, e->place, e->symbol);
		return;
	}
	if (e->place >= target->size) {
		count_problem(&target->problems->places, e->place, e->type);
		return;
	}
	at = target->bytes + e->place;
	length = place_length(at, target->size - e->place, kind.width);
	if (!length) {
		count_problem(&target->problems->places, e->place, e->type);
		return;
	}
	value = e->addend + (e->symbol ? r->symbols[e->symbol] : 0);
	if (kind.action == ELF_RELOC_SUBTRACT)
		value = 0 - value;
	else if (kind.action == ELF_RELOC_RELATIVE)
		value -= target->address + e->place;
	if (!t->addends || kind.action >= ELF_RELOC_ADD)
		value += read_place(at, length, kind.width, r->swap);
	write_place(at, length, kind.width, r->swap, value);
}

void gsym_elf_relocate(const struct elf_relocator *r, size_t number,
		       uint64_t address, uint8_t *bytes, size_t size,
		       struct elf_relocation_problems *problems)
{
	struct target target = { address, bytes, size, problems };

	for (uint32_t next = r->first[number]; next;) {
		const struct elf_relocation_table *t =
			&r->tables.items[next - 1];
		struct crel crel;

		if (t->compact) {
			crel = crel_open(t->bytes, t->size);
			while (crel_next(&crel))
				apply(r, t, &crel.last, &target);
		}
		for (size_t i = 0; i < t->count; i++) {
			struct relocation e = read_relocation(r, t, i);

			apply(r, t, &e, &target);
		}
		next = t->next;
	}
}

static void warn_problem(struct gsym_container *c, size_t number,
			 const struct elf_relocation_problem *problem,
			 const char *what, const char *machine,
			 const char *result)
{
	const struct gsym_container_section *s = &c->sections.items[number];

	if (!problem->count)
		return;
	gsym_container_warn(c, GSYM_WARN_BAD_RELOCATION,
			    "%.64s at 0x%" PRIx64 ": %" PRIu64
			    " relocations of %s%s, the first (%" PRIu64
			    ") at 0x%" PRIx64 "%s",
			    s->name, s->file_offset, problem->count, what,
			    machine, problem->value, problem->place, result);
}

bool gsym_elf_warn_relocations(struct gsym_container *c, size_t number,
			       const struct elf_relocation_problems *problems)
{
	warn_problem(c, number, &problems->types,
		     "types that are not known for ", c->architecture,
		     c->sections.items[number].loaded
			     ? "; the section is not used"
			     : "; no debug info is used");
	warn_problem(c, number, &problems->symbols, "missing symbols", "", "");
	warn_problem(c, number, &problems->places,
		     "places beyond the section", "", "");
	return !problems->types.count;
}
