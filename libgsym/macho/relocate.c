/* SPDX-License-Identifier: MIT */
/*
 * Relocations of an object's sections of debug info and data.  The sections of
 * an object have addresses already, and a field that refers to a section holds
 * its final value.  A field that refers to a symbol holds the addend alone.
 */
#include "macho/macho_file.h"

enum {
	ENTRY_SIZE = 8,
	/* The type of a relocation that adds a symbol's address; the same on
	 * all processors. */
	TYPE_ADD = 0,
};

struct relocation {
	uint32_t offset;
	uint32_t symbol;
	unsigned size; /* bytes of the field: 4 or 8 */
	bool subtract; /* subtract the symbol's address instead of adding it */
};

/* The type of a relocation that subtracts a symbol's address from the same
 * field as the next relocation; TYPE_ADD if CPU has none. */
static unsigned subtracting_type(uint32_t cpu)
{
	switch (cpu) {
	case CPU_TYPE_X86 | CPU_ARCH_ABI64:
		return 5;
	case CPU_TYPE_ARM | CPU_ARCH_ABI64:
		return 1;
	}
	return TYPE_ADD;
}

/* Read an entry for CPU.  False if it changes no field, or if its type is not
 * known. */
static bool read_relocation(struct gsym_cursor *c, uint32_t cpu,
			    struct relocation *ret)
{
	bool big_endian = c->swap != GSYM_HOST_BIG_ENDIAN;
	uint32_t address = gsym_cursor_u32(c);
	uint32_t word = gsym_cursor_u32(c);
	unsigned length = word >> (big_endian ? 5 : 25) & 3;
	bool relative = word >> (big_endian ? 7 : 24) & 1;
	bool external = word >> (big_endian ? 4 : 27) & 1;
	unsigned type = big_endian ? word & 15 : word >> 28;

	if (address & R_SCATTERED || relative || !external || length < 2 ||
	    (type != TYPE_ADD && type != subtracting_type(cpu)))
		return false;
	*ret = (struct relocation){
		.offset = address,
		.symbol = big_endian ? word >> 8 : word & 0xffffff,
		.size = 1u << length,
		.subtract = type != TYPE_ADD,
	};
	return true;
}

/* Add the address of R's symbol to the field, or subtract it; false if there
 * is no such symbol or field. */
static bool apply(const struct relocation *r,
		  const struct macho_symbols *symbols, bool swap,
		  uint8_t *bytes, uint64_t size)
{
	struct macho_symbol s = gsym_machoview_symbol(symbols, r->symbol);
	uint64_t value = r->subtract ? 0 - s.value : s.value;

	if (r->offset > size || r->size > size - r->offset ||
	    r->symbol >= symbols->count)
		return false;
	/* Symbols of other files have no address yet. */
	if (s.type & N_STAB || (s.type & N_TYPE) != N_SECT)
		return true;
	bytes += r->offset;
	if (r->size == 8)
		gsym_store_u64(bytes, gsym_load_u64(bytes, swap) + value, swap);
	else
		gsym_store_u32(bytes,
			       gsym_load_u32(bytes, swap) + (uint32_t)value,
			       swap);
	return true;
}

/* Relocate a copy of section NUMBER; false without memory.  *BUDGET bounds the
 * bytes that are read and copied: many headers can claim the same bytes. */
static bool relocate_section(struct macho_file *file, size_t number,
			     uint64_t *budget)
{
	const struct machoview_section *from = &file->sections.items[number];
	struct gsym_container *container = file->container;
	struct gsym_container_section *s = &container->sections.items[number];
	struct macho_piece piece = { from->relocations,
				     from->relocation_count };
	struct gsym_cursor c =
		gsym_macho_piece(file, piece, ENTRY_SIZE, "relocations");
	uint64_t cost = s->data_size + gsym_cursor_left(&c);
	uint8_t *copy = NULL;
	size_t bad = 0;

	if (cost > *budget) {
		gsym_container_warn(container, GSYM_WARN_BAD_SECTION,
				    "%s: its relocations overlap others",
				    s->name);
		return true;
	}
	*budget -= cost;
	while (gsym_cursor_left(&c)) {
		struct relocation r;

		if (!read_relocation(&c, file->view.cpu, &r))
			continue;
		if (!copy) {
			copy = gsym_arena_alloc(&container->arena,
						(size_t)s->data_size);
			if (!copy)
				return false;
			memcpy(copy, s->data, (size_t)s->data_size);
			s->data = copy;
		}
		bad += !apply(&r, &file->symbols, file->view.swap, copy,
			      s->data_size);
	}
	if (bad)
		gsym_container_warn(container, GSYM_WARN_BAD_RELOCATION,
				    "%s: %zu relocations have no place or "
				    "symbol",
				    s->name, bad);
	return true;
}

bool gsym_macho_relocate(struct macho_file *file)
{
	/* Each byte belongs to one section, or to one table. */
	uint64_t budget = file->view.size;
	bool ok = true;

	if (file->view.type != MH_OBJECT)
		return true;
	for (size_t i = 0; ok && i < file->sections.count; i++) {
		const struct gsym_container_section *s =
			&file->container->sections.items[i];

		if (!s->executable && s->data &&
		    file->sections.items[i].relocation_count)
			ok = relocate_section(file, i, &budget);
	}
	return ok;
}
