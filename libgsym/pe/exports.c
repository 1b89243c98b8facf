/* SPDX-License-Identifier: MIT */
/*
 * The export table: names of functions and variables for other programs.  It
 * has no sizes; functions end where .pdata says, or at the next function.
 */
#include "pe/pe_file.h"

#include "base/budget.h"

#include <inttypes.h>
#include <string.h>

/* The tables that the export directory leads to. */
struct exports {
	struct pe_file *file;
	struct pe_directory directory;
	struct gsym_cursor addresses;
	uint32_t address_count;
	/* RVAs of names, and for each name the number of its address. */
	struct gsym_cursor names;
	struct gsym_cursor ordinals;
	uint32_t name_count;
	/* The number of the section of the last symbol, which the next symbol
	 * is probably in, too. */
	size_t section;
	/* Sections and bytes of names that may still be searched: many names
	 * can share their bytes. */
	struct gsym_budget budget;
};

/* Find the tables; false if there are none. */
static bool read_directory(struct exports *e)
{
	struct gsym_cursor c;

	e->directory =
		gsym_peview_directory(&e->file->view, PE_EXPORT_DIRECTORY);
	if (!e->directory.size)
		return false;
	c = gsym_pe_memory(e->file, e->directory.rva);
	/* Flags, time, version, name of the library, base of ordinals. */
	gsym_cursor_skip(&c, 5 * 4);
	e->address_count = gsym_cursor_u32(&c);
	e->name_count = gsym_cursor_u32(&c);
	e->addresses = gsym_pe_memory(e->file, gsym_cursor_u32(&c));
	e->names = gsym_pe_memory(e->file, gsym_cursor_u32(&c));
	e->ordinals = gsym_pe_memory(e->file, gsym_cursor_u32(&c));
	if (c.failed)
		gsym_container_warn(e->file->container, GSYM_WARN_BAD_SECTION,
				    "export table: it reaches beyond the end "
				    "of the file");
	return !c.failed;
}

/* The number of the section that ADDRESS is in; SIZE_MAX if in none. */
static size_t find_section(struct exports *e, uint64_t address)
{
	const struct gsym_container *c = e->file->container;

	for (size_t i = 0; i < c->sections.count; i++) {
		/* Most symbols are in the same section as the symbol before. */
		size_t number = (e->section + i) % c->sections.count;
		const struct gsym_container_section *s =
			&c->sections.items[number];

		if (s->loaded && address >= s->address &&
		    address - s->address < s->size) {
			e->section = number;
			return number;
		}
	}
	return SIZE_MAX;
}

/* Append the symbol NAME at RVA; false without memory. */
static bool put_symbol(struct exports *e, const char *name, uint32_t rva)
{
	struct gsym_container *c = e->file->container;
	struct gsym_symbol symbol = {
		.name = name,
		.value = e->file->view.base + rva,
		.section = find_section(e, e->file->view.base + rva),
		.type = GSYM_SYMBOL_OBJECT,
		.binding = GSYM_SYMBOL_GLOBAL,
	};
	struct gsym_symbol *place;

	if (symbol.section == SIZE_MAX)
		return true;
	if (c->sections.items[symbol.section].executable) {
		symbol.type = GSYM_SYMBOL_FUNCTION;
		if (c->code_bit0)
			symbol.value &= ~(uint64_t)1;
		gsym_pe_bound(e->file, &symbol);
	}
	c->symbol_bytes += strlen(name) + 1;
	place = gsym_vec_push(&c->symbols);
	if (place)
		*place = symbol;
	return place != NULL;
}

/* Read the next name at RVA; "" if there is none.  False without budget. */
static bool read_name(struct exports *e, uint32_t rva, const char **ret)
{
	struct gsym_cursor c = gsym_pe_memory(e->file, rva);
	size_t left = gsym_cursor_left(&c);
	uint64_t cost = 2 * e->file->container->sections.count;

	*ret = gsym_cursor_string(&c);
	cost += c.failed ? left : strlen(*ret) + 1;
	return gsym_budget_take(&e->budget, cost);
}

/* Read the next name and append its symbol.  False at the end of a table, if
 * the budget is used up, or without memory; *MEMORY is false in the last
 * case. */
static bool read_export(struct exports *e, bool *memory)
{
	struct gsym_cursor address = e->addresses;
	uint32_t name_rva = gsym_cursor_u32(&e->names);
	uint16_t ordinal = gsym_cursor_u16(&e->ordinals);
	const char *name;
	uint32_t rva;

	if (e->names.failed || e->ordinals.failed ||
	    !read_name(e, name_rva, &name))
		return false;
	gsym_cursor_skip(&address, 4 * (uint64_t)ordinal);
	rva = gsym_cursor_u32(&address);
	/* An address within the export directory is no code: there is the name
	 * of a function in another library, to which the export is
	 * forwarded. */
	if (!*name || ordinal >= e->address_count || address.failed ||
	    rva - e->directory.rva < e->directory.size)
		return true;
	*memory = put_symbol(e, name, rva);
	return *memory;
}

bool gsym_pe_read_exports(struct pe_file *file)
{
	struct exports e = { .file = file,
			     .budget.limit = 16 * (uint64_t)file->view.size };
	bool memory = true;
	uint32_t i = 0;

	if (!read_directory(&e))
		return true;
	while (i < e.name_count && memory && read_export(&e, &memory))
		i++;
	if (memory && i < e.name_count)
		gsym_container_warn(file->container, GSYM_WARN_BAD_SYMBOL,
				    "export table: only %" PRIu32 " of %" PRIu32
				    " names can be read",
				    i, e.name_count);
	return memory;
}
