/* SPDX-License-Identifier: MIT */
/* elf/descriptors.c - function descriptors: by the first ABI of 64-bit PowerPC
 * (ELFv1) the symbol of a function has the address of a descriptor in .opd,
 * whose first word is the address of the code. */
#include "elf/elf_file.h"

/* The sections that may be looked at for all symbols together. */
#define MOST_STEPS (UINT64_C(1) << 24)

void gsym_elf_find_descriptors(const struct elf_file *file,
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
static size_t section_of(const struct gsym_container *c,
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
	section = section_of(c, d, code);
	if (section == SIZE_MAX)
		return;
	symbol->value = code;
	symbol->section = section;
}
