/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "support/dwarf_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands before each part of a package, so that no offset is 0. */
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

/* A container that owns its sections.  What frees it frees what it remembers
 * them by. */
static struct gsym_container *new_container(const struct dwa *a)
{
	struct gsym_container *c = calloc(1, sizeof(*c));
	struct gsym_container *owned = calloc(1, sizeof(*owned));

	if (!c || !owned)
		abort();
	c->format = "DWARF";
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
	char *full;

	if (!section || !own || !copy ||
	    asprintf(&full, "%s%s", name, suffix) < 0)
		abort();
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

/* ---- packages ------------------------------------------------------------ */

struct gsym_container *dwf_package(struct dwf *f)
{
	static const struct {
		int section;
		uint8_t old, new;
	} kinds[] = {
		{ DWA_INFO, 1, 1 },
		{ DWA_ABBREV, 3, 3 },
		{ DWA_STR_OFFSETS, 6, 6 },
		{ DWA_RNGLISTS, 8, 8 },
	};
	enum { COLUMNS = sizeof(kinds) / sizeof(*kinds) };
	struct dwa *a = &f->split;
	struct gsym_container *c = new_container(a);
	struct gsym_emit index = {
		.swap = a->big_endian != GSYM_HOST_BIG_ENDIAN
	};
	const uint64_t id = 0x1122334455667788;

	if (a->version >= 5) {
		gsym_emit_u16(&index, 5);
		gsym_emit_u16(&index, 0);
	} else {
		gsym_emit_u32(&index, 2);
	}
	gsym_emit_u32(&index, COLUMNS);
	gsym_emit_u32(&index, 2); /* units; the other one is of no size */
	gsym_emit_u32(&index, 4);
	/* Slot 0 is where the ID belongs; another has it, so that the step
	 * counts: it is (0x11223344 & 3) | 1. */
	gsym_emit_u64(&index, id + 0x100);
	gsym_emit_u64(&index, id);
	gsym_emit_u64(&index, 0);
	gsym_emit_u64(&index, 0);
	gsym_emit_u32(&index, 1);
	gsym_emit_u32(&index, 2);
	gsym_emit_u32(&index, 0);
	gsym_emit_u32(&index, 0);
	for (int i = 0; i < COLUMNS; i++)
		gsym_emit_u32(&index, a->version >= 5 ? kinds[i].new
						      : kinds[i].old);
	for (int i = 0; i < COLUMNS; i++)
		gsym_emit_u32(&index, 0);
	for (int i = 0; i < COLUMNS; i++)
		gsym_emit_u32(&index, PADDING);
	for (int i = 0; i < COLUMNS; i++)
		gsym_emit_u32(&index, 0);
	for (int i = 0; i < COLUMNS; i++)
		gsym_emit_u32(&index,
			      (uint32_t)a->sections[kinds[i].section].size);
	add_section(c, ".debug_cu_index", "", index.data, index.size);
	gsym_emit_fini(&index);
	for (int i = 0; i < COLUMNS; i++) {
		struct gsym_emit *e = &a->sections[kinds[i].section];
		uint8_t *padded = calloc(1, PADDING + e->size);

		if (!padded)
			abort();
		if (e->size)
			memcpy(padded + PADDING, e->data, e->size);
		add_section(c, dwa_section_names[kinds[i].section], ".dwo",
			    padded, PADDING + e->size);
		free(padded);
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
