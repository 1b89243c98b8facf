/* SPDX-License-Identifier: MIT */
/* What the linker and the loader fill in: relocations of objects, and chained
 * fixups of programs. */
#include "macho/macho.h"

/* ---- relocations of objects --------------------------------------------- */

/* Relocations of an object's sections of debug info and data.  The sections of
 * an object have addresses already, and a field that refers to a section holds
 * its final value.  A field that refers to a symbol holds the addend alone. */

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
	if (!macho_is_place(&s))
		return true;
	bytes += r->offset;
	gsym_store_uint(bytes, gsym_load_uint(bytes, r->size, swap) + value,
			r->size, swap);
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

/* ---- chained fixups ----------------------------------------------------- */

/* Each pointer in a segment's bytes holds, in bit fields, its target and the
 * distance to the next pointer of the page; a table says where the chain of
 * each page begins. */

enum {
	NO_CHAIN = 0xffff,
	/* A flag of a page's start: the page has several chains, because
	 * distances of 5 bits are too short for one.  The other bits are the
	 * index of a list of starts. */
	SEVERAL = 0x8000,
	/* A flag of the last start in such a list. */
	LAST_CHAIN = 0x8000,
};

/* The bit fields of a pointer. */
struct form {
	unsigned size;		     /* of a pointer in bytes; 0: not known */
	unsigned stride;	     /* the unit of distances, in bytes */
	unsigned target_bits;	     /* from bit 0 on */
	unsigned next_at, next_bits; /* the distance: first bit, number */
	bool from_base;		     /* the target is an offset from the base */
	bool authenticated; /* if bit 63 is set, the target has 32 bits */
	unsigned bind_at;   /* set: the target is in another image */
};

/* The form of pointer format NUMBER (DYLD_CHAINED_PTR_*); NULL if not known. */
static const struct form *find_form(unsigned number)
{
	static const struct form forms[] = {
		[1] = { 8, 8, 43, 51, 11, false, true, 62 },  /* arm64e */
		[2] = { 8, 4, 36, 51, 12, false, false, 63 }, /* 64 bits */
		[3] = { 4, 4, 26, 26, 5, false, false, 31 },  /* 32 bits */
		[6] = { 8, 4, 36, 51, 12, true, false, 63 },
		[7] = { 8, 4, 43, 51, 11, true, true, 62 },  /* kernel */
		[9] = { 8, 8, 43, 51, 11, true, true, 62 },  /* userland */
		[10] = { 8, 4, 43, 51, 11, false, true, 62 }, /* firmware */
		[12] = { 8, 8, 43, 51, 11, true, true, 62 },
	};

	return number < sizeof(forms) / sizeof(forms[0]) && forms[number].size
		       ? &forms[number]
		       : NULL;
}

struct walk {
	const struct gsym_container *container;
	const struct form *form;
	gsym_pointer_fn *take;
	void *context;
	/* In 32-bit files, values above MOST are no pointers. */
	uint64_t most;
	/* Pointers, pages and segments that may still be looked at. */
	uint64_t budget;
};

static uint64_t bits(uint64_t word, unsigned at, unsigned count)
{
	return (word >> at) & (((uint64_t)1 << count) - 1);
}

/* Report the pointer WORD at address PLACE; false to stop. */
static bool take_pointer(struct walk *w, uint64_t place, uint64_t word)
{
	const struct form *f = w->form;
	bool authenticated = f->authenticated && word >> 63;
	uint64_t target = bits(word, 0, authenticated ? 32 : f->target_bits);

	if (bits(word, f->bind_at, 1) || (f->size == 4 && target > w->most))
		return true;
	if (f->from_base || authenticated)
		target += w->container->base;
	return w->take(w->context, place, target);
}

/* Report the pointers of the chain that begins at OFFSET of the page of SIZE
 * bytes at address PAGE; false to stop. */
static bool walk_chain(struct walk *w, uint64_t page, uint64_t size,
		       uint64_t offset)
{
	const struct form *f = w->form;
	bool swap = w->container->big_endian != GSYM_HOST_BIG_ENDIAN;
	size_t segments = w->container->segments.count;
	uint64_t left = 0;
	const uint8_t *bytes;
	uint64_t next = 1;

	if (w->budget < segments)
		return false;
	w->budget -= segments;
	bytes = gsym_container_bytes(w->container, page, &left);
	if (!bytes)
		return true;
	/* The last pointer of a page may reach into the next page. */
	while (next && offset < size && offset < left &&
	       left - offset >= f->size) {
		uint64_t word = gsym_load_uint(bytes + offset, f->size, swap);

		if (!w->budget-- || !take_pointer(w, page + offset, word))
			return false;
		next = bits(word, f->next_at, f->next_bits);
		offset += next * f->stride;
	}
	return true;
}

/* Report the pointers of a segment; STARTS is its table of chain starts. */
static bool walk_segment(struct walk *w, struct gsym_cursor starts)
{
	uint16_t page_size;
	uint64_t page;
	uint16_t count;

	gsym_cursor_skip(&starts, 4); /* the size of the table */
	page_size = gsym_cursor_u16(&starts);
	w->form = find_form(gsym_cursor_u16(&starts));
	page = w->container->base + gsym_cursor_u64(&starts);
	w->most = gsym_cursor_u32(&starts);
	count = gsym_cursor_u16(&starts);
	for (uint16_t i = 0; i < count && w->form; i++, page += page_size) {
		struct gsym_cursor more = starts;
		uint16_t start = 0;

		gsym_cursor_skip(&more, 2 * (uint64_t)i);
		start = gsym_cursor_u16(&more);
		if (more.failed)
			return true;
		if (!w->budget--)
			return false;
		if (start == NO_CHAIN)
			continue;
		if (!(start & SEVERAL)) {
			if (!walk_chain(w, page, page_size, start))
				return false;
			continue;
		}
		more = starts;
		gsym_cursor_skip(&more, 2 * (uint64_t)(start & ~SEVERAL));
		do {
			start = gsym_cursor_u16(&more);
			if (!w->budget--)
				return false;
			if (!more.failed &&
			    !walk_chain(w, page, page_size,
					start & ~LAST_CHAIN))
				return false;
		} while (!more.failed && !(start & LAST_CHAIN));
	}
	return true;
}

void gsym_macho_each_pointer(const struct gsym_container *container,
			     gsym_pointer_fn *take, void *context)
{
	const struct macho_file *file = container->private_data;
	struct gsym_cursor c = file->fixups;
	/* Each place has at most one pointer, and for each page the segments
	 * are searched once. */
	struct walk w = { .container = container,
			  .take = take,
			  .context = context,
			  .budget = 64 + file->view.size };
	struct gsym_cursor table;
	uint32_t offset;
	uint32_t count;

	gsym_cursor_skip(&c, 4); /* version */
	offset = gsym_cursor_u32(&c);
	gsym_cursor_seek(&c, offset);
	table = gsym_cursor_init(c.at, c.failed ? 0 : gsym_cursor_left(&c),
				 c.swap);
	c = table;
	count = gsym_cursor_u32(&c);
	while (count-- && !c.failed && w.budget--) {
		struct gsym_cursor starts = table;

		offset = gsym_cursor_u32(&c);
		gsym_cursor_seek(&starts, offset);
		if (offset && !c.failed && !walk_segment(&w, starts))
			return;
	}
}
