/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "support/dwarf_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes before each part of a package, so that no offset is 0. */
enum { PADDING = 24 };

void dwf_init(struct dwf *f, bool big_endian, unsigned address_size,
	      unsigned version, bool dwarf64)
{
	struct dwa *all[] = { &f->main, &f->alternate, &f->split };

	*f = (struct dwf){ .packed = false };
	for (int i = 0; i < 3; i++) {
		dwa_init(all[i], big_endian, address_size, version);
		all[i]->dwarf64 = dwarf64;
	}
}

void dwf_fini(struct dwf *f)
{
	dwa_fini(&f->main);
	dwa_fini(&f->alternate);
	dwa_fini(&f->split);
}

static void free_sections(void *p)
{
	struct gsym_container *c = p;

	for (size_t i = 0; i < c->sections.count; i++) {
		free((void *)(uintptr_t)c->sections.items[i].data);
		free((void *)(uintptr_t)c->sections.items[i].name);
	}
	gsym_vec_fini(&c->sections);
	free(c);
}

/* A container that owns its sections.  Its private data is a second list of the
 * sections, by which they are freed: tests may change the first list. */
static struct gsym_container *new_container(const struct dwa *a)
{
	struct gsym_container *c = calloc(1, sizeof(*c));
	struct gsym_container *owned = calloc(1, sizeof(*owned));

	if (!c || !owned)
		abort();
	c->format = GSYM_FORMAT_ELF;
	c->big_endian = a->big_endian;
	c->address_size = (uint8_t)a->address_size;
	c->private_data = owned;
	c->free_private = free_sections;
	return c;
}

static void add_section(struct gsym_container *c, const char *name,
			const char *suffix, const void *bytes, size_t size)
{
	struct gsym_container *owned = c->private_data;
	struct gsym_container_section *section = gsym_vec_push(&c->sections);
	struct gsym_container_section *own = gsym_vec_push(&owned->sections);
	uint8_t *copy = malloc(size ? size : 1);
	size_t length = strlen(name) + strlen(suffix) + 1;
	char *full = malloc(length);

	if (!section || !own || !copy || !full)
		abort();
	snprintf(full, length, "%s%s", name, suffix);
	if (size)
		memcpy(copy, bytes, size);
	*section = (struct gsym_container_section){ .name = full,
					  .size = size,
					  .data = copy,
					  .data_size = size };
	*own = *section;
}

static struct gsym_container *copy(struct dwa *a, const char *suffix)
{
	struct gsym_container *c = new_container(a);

	for (int i = 0; i < DWA_SECTIONS; i++)
		if (a->sections[i].size)
			add_section(c, dwa_section_names[i], suffix,
				    a->sections[i].data, a->sections[i].size);
	return c;
}

static enum gsym_status open_split(const struct gsym_container *container,
				   const char *directory, const char *name,
				   unsigned n, struct gsym_container **ret)
{
	const struct gsym_container *owned = container->private_data;
	struct dwf *f = owned->private_data;

	(void)directory;
	if (n == 0 || !strcmp(name, "missing.dwo"))
		return n ? GSYM_NOT_FOUND : GSYM_ERR_IO;
	if (n > 1 || !f->has_split || f->packed)
		return GSYM_NOT_FOUND;
	*ret = copy(&f->split, ".dwo");
	return GSYM_OK;
}

/* ---- packages ----------------------------------------------------------- */

/* The columns of an index. */
static const struct column {
	int section;
	uint8_t old, new; /* DW_SECT_* of version 2, and of 5 */
} columns[] = {
	{ DWA_INFO, 1, 1 },
	{ DWA_ABBREV, 3, 3 },
	{ DWA_STR_OFFSETS, 6, 6 },
	{ DWA_RNGLISTS, 8, 8 },
	/* Only of version 2: from DWARF 5 on type units are in
	 * .debug_info.dwo. */
	{ DWA_TYPES, 2, 1 },
};

enum { UNIT_COLUMNS = 4, TYPE_COLUMNS = 4 };

/* Add the index NAME.  The parts of the unit with ID, by the COUNT columns
 * KINDS, are whole sections of A at OFFSETS. */
static void add_index(struct gsym_container *c, const struct dwa *a,
		      const char *name, uint64_t id,
		      const struct column *const *kinds, unsigned count,
		      const uint32_t *offsets)
{
	struct gsym_emit index = {
		.swap = a->big_endian != GSYM_HOST_BIG_ENDIAN
	};

	if (a->version >= 5) {
		gsym_emit_u16(&index, 5);
		gsym_emit_u16(&index, 0);
	} else {
		gsym_emit_u32(&index, 2);
	}
	gsym_emit_u32(&index, count);
	gsym_emit_u32(&index, 2); /* two units; the first one has the size 0 */
	gsym_emit_u32(&index, 4);
	/* The first slot for ID has another ID, so a search has to go on to the
	 * next. */
	for (unsigned slot = 0, first = id & 3; slot < 4; slot++) {
		unsigned step = (id >> 32 & 3) | 1;

		gsym_emit_u64(&index, slot == first ? id + 0x100 :
				      slot == ((first + step) & 3) ? id : 0);
	}
	for (unsigned slot = 0, first = id & 3; slot < 4; slot++) {
		unsigned step = (id >> 32 & 3) | 1;

		gsym_emit_u32(&index, slot == first ? 1 :
				      slot == ((first + step) & 3) ? 2 : 0);
	}
	for (unsigned i = 0; i < count; i++)
		gsym_emit_u32(&index, a->version >= 5 ? kinds[i]->new
						      : kinds[i]->old);
	for (unsigned i = 0; i < count; i++)
		gsym_emit_u32(&index, 0);
	for (unsigned i = 0; i < count; i++)
		gsym_emit_u32(&index, offsets[i]);
	for (unsigned i = 0; i < count; i++)
		gsym_emit_u32(&index, 0);
	for (unsigned i = 0; i < count; i++)
		gsym_emit_u32(&index,
			      (uint32_t)a->sections[kinds[i]->section].size);
	add_section(c, name, "", index.data, index.size);
	gsym_emit_fini(&index);
}

/* Add SECTION of A after the padding, and the section MORE (-1: none) after
 * that. */
static void add_padded(struct gsym_container *c, const struct dwa *a,
		       int section, int more)
{
	const struct gsym_emit *e = &a->sections[section];
	size_t size = PADDING + e->size;
	size_t more_size = more < 0 ? 0 : a->sections[more].size;
	uint8_t *padded = calloc(1, size + more_size);

	if (!padded)
		abort();
	if (e->size)
		memcpy(padded + PADDING, e->data, e->size);
	if (more_size)
		memcpy(padded + size, a->sections[more].data, more_size);
	add_section(c, dwa_section_names[section], ".dwo", padded,
		    size + more_size);
	free(padded);
}

struct gsym_container *dwf_package(struct dwf *f)
{
	static const uint32_t offsets[] = { PADDING, PADDING, PADDING,
					    PADDING };
	const struct column *units[UNIT_COLUMNS], *types[TYPE_COLUMNS];
	struct dwa *a = &f->split;
	struct gsym_container *c = new_container(a);
	uint32_t type_offsets[] = { PADDING, PADDING, PADDING, PADDING };
	bool has_types = a->sections[DWA_TYPES].size;

	for (int i = 0; i < UNIT_COLUMNS; i++) {
		units[i] = types[i] = &columns[i];
		add_padded(c, a, columns[i].section,
			   i == 0 && a->version >= 5 ? DWA_TYPES : -1);
	}
	add_index(c, a, ".debug_cu_index", 0x1122334455667788, units,
		  UNIT_COLUMNS, offsets);
	if (has_types) {
		types[0] = &columns[UNIT_COLUMNS];
		if (a->version >= 5)
			type_offsets[0] += (uint32_t)a->sections[DWA_INFO].size;
		else
			add_padded(c, a, DWA_TYPES, -1);
		add_index(c, a, ".debug_tu_index", 0x0123456789abcdef, types,
			  TYPE_COLUMNS, type_offsets);
	}
	add_section(c, ".debug_str", ".dwo", a->sections[DWA_STR].data,
		    a->sections[DWA_STR].size);
	return c;
}

struct gsym_container *dwf_container(struct dwf *f)
{
	struct gsym_container *c = copy(&f->main, ""), *owned;

	c->open_split = open_split;
	owned = c->private_data;
	owned->private_data = f;
	if (f->has_alternate)
		c->alternate = copy(&f->alternate, "");
	if (f->has_split && f->packed)
		c->package = dwf_package(f);
	return c;
}
