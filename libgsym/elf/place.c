/* SPDX-License-Identifier: MIT */
/* Lays out the sections of a relocatable object. */
#include "elf/elf.h"

#include "base/error.h"

#include <inttypes.h>

struct layout {
	struct elf_file *file;
	/* The end of the address space, exclusive. */
	uint64_t limit;
	/* The address after the last section that was placed. */
	uint64_t position;
	const struct gsym_section_base *bases;
	size_t base_count;
	/* For each of BASES the number of its section. */
	size_t *named;
};

static struct gsym_container_section *section_of(const struct layout *l,
						 size_t base)
{
	return &l->file->container->sections.items[l->named[base]];
}

/* ---- named sections ------------------------------------------------------ */

/* Set *RET to the number of the section NAME. */
static enum gsym_status find_named(const struct layout *l, const char *name,
				   size_t *ret, struct gsym_error *error)
{
	const struct gsym_container *c = l->file->container;
	size_t found = 0;
	size_t count = 0;

	for (size_t i = 1; i < c->sections.count; i++) {
		if (strcmp(c->sections.items[i].name, name) != 0)
			continue;
		found = i;
		count++;
	}
	if (!count)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "there is no section '%.100s' to place", name);
	if (count > 1)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "there are %zu sections '%.100s': no name "
				 "tells them apart",
				 count, name);
	if (!c->sections.items[found].loaded)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "section '%.100s' is never loaded and cannot "
				 "be placed", name);
	*ret = found;
	return GSYM_OK;
}

static bool overlap(const struct gsym_container_section *a,
		    const struct gsym_container_section *b)
{
	return a->address < b->address + b->size &&
	       b->address < a->address + a->size;
}

/* Check base NUMBER against those before it. */
static enum gsym_status check_named(const struct layout *l, size_t number,
				    struct gsym_error *error)
{
	const struct gsym_container_section *s = section_of(l, number);

	for (size_t i = 0; i < number; i++) {
		const struct gsym_container_section *other = section_of(l, i);

		if (s == other)
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "section '%.100s' is placed twice",
					 s->name);
		if (overlap(s, other))
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "section '%.60s' at 0x%" PRIx64
					 " overlaps '%.60s' at 0x%" PRIx64,
					 s->name, s->address, other->name,
					 other->address);
	}
	return GSYM_OK;
}

static enum gsym_status place_named(struct layout *l, struct gsym_error *error)
{
	for (size_t i = 0; i < l->base_count; i++) {
		uint64_t address = l->bases[i].address;
		enum gsym_status status;
		struct gsym_container_section *s;

		status = find_named(l, l->bases[i].name, &l->named[i], error);
		if (status != GSYM_OK)
			return status;
		s = section_of(l, i);
		if (address > l->limit || s->size > l->limit - address)
			return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
					 "section '%.100s' at 0x%" PRIx64
					 " reaches beyond the last address",
					 s->name, address);
		s->address = address;
		status = check_named(l, i, error);
		if (status != GSYM_OK)
			return status;
	}
	return GSYM_OK;
}

/* ---- all other sections -------------------------------------------------- */

static bool is_named(const struct layout *l, size_t number)
{
	for (size_t i = 0; i < l->base_count; i++)
		if (l->named[i] == number)
			return true;
	return false;
}

/* Move S, whose alignment is ALIGN, to an address after the named sections that
 * it overlaps.  False if it does not fit there. */
static bool step_aside(const struct layout *l, struct gsym_container_section *s,
		       uint64_t align)
{
	for (size_t i = 0; i < l->base_count; i++) {
		const struct gsym_container_section *other = section_of(l, i);

		if (!overlap(s, other))
			continue;
		s->address = other->address + other->size;
		if (!gsym_elfview_fit(&s->address, s->size, align, l->limit))
			return false;
		/* S may overlap a section that was compared before: start
		 * again.  This ends, as S passes one more section each time. */
		i = SIZE_MAX;
	}
	return true;
}

/* Place section NUMBER, whose alignment is ALIGN.  A named section stays at its
 * address, but the sections after it go where they would go if it had no
 * name. */
static void place_section(struct layout *l, size_t number, uint64_t align)
{
	struct gsym_container_section *s =
		&l->file->container->sections.items[number];
	bool named = is_named(l, number);
	uint64_t address = l->position;
	bool ok = gsym_elfview_fit(&address, s->size, align, l->limit);

	if (ok && !named) {
		s->address = address;
		ok = step_aside(l, s, align);
		address = s->address;
	}
	if (ok) {
		l->position = address + s->size;
	} else if (!named) {
		gsym_container_warn(l->file->container, GSYM_WARN_BAD_SECTION,
				    "section %zu: 0x%" PRIx64
				    " bytes do not fit into the address space",
				    number, s->size);
		s->address = 0;
		s->loaded = false;
		s->executable = false;
	}
}

static void place_rest(struct layout *l, bool executable)
{
	struct gsym_container *c = l->file->container;

	for (size_t i = 1; i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];

		if (s->loaded && s->executable == executable)
			place_section(
				l, i,
				gsym_elfview_section(&l->file->view, i).align);
	}
}

enum gsym_status gsym_elf_place(struct elf_file *file,
				const struct gsym_section_base *bases,
				size_t count, struct gsym_error *error)
{
	struct layout l = {
		.file = file,
		.limit = elfview_limit(&file->view),
		.bases = bases,
		.base_count = count,
	};
	struct gsym_container *c = file->container;
	enum gsym_status status;

	/* Some tools write addresses into the headers; they mean nothing. */
	for (size_t i = 0; i < c->sections.count; i++)
		c->sections.items[i].address = 0;
	l.named = calloc(count ? count : 1, sizeof(*l.named));
	if (!l.named)
		return gsym_fail_memory(error);
	status = place_named(&l, error);
	if (status == GSYM_OK) {
		place_rest(&l, true);
		place_rest(&l, false);
	}
	free(l.named);
	return status;
}
