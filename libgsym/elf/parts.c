/* SPDX-License-Identifier: MIT */
/* Joins debug sections of one name. */
#include "elf/parts.h"

#include "elf/debug_sections.h"

/* The debug number of S; ELF_NOT_READ if it is not read, or loaded. */
static int number_of(const struct gsym_container_section *s)
{
	return s->loaded ? ELF_NOT_READ : gsym_elf_debug_number(s->name);
}

void gsym_elf_place_parts(struct gsym_container *c)
{
	uint64_t ends[ELF_DEBUG_NUMBERS] = { 0 };

	for (size_t i = 1; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];
		int number = number_of(s);

		if (number == ELF_NOT_READ)
			continue;
		s->address = ends[number];
		/* A sum that overflows is above gsym_elf_join_parts' limit. */
		ends[number] += s->size;
	}
}

/* Join the sections of debug number NUMBER, SIZE bytes together; FIRST is the
 * first of them. */
static bool join(struct gsym_container *c, int number, size_t first,
		 size_t size)
{
	uint8_t *whole = malloc(size ? size : 1);
	size_t at = 0;
	bool complete = true;

	if (!whole || !gsym_container_own(c, whole)) {
		free(whole);
		return false;
	}
	for (size_t i = first; i < c->sections.count; i++) {
		struct gsym_container_section *s = &c->sections.items[i];

		if (number_of(s) != number)
			continue;
		/* Bytes after a lost part would be in the wrong place. */
		complete = complete && s->data_size == s->size;
		if (complete && s->data_size) {
			memcpy(whole + at, s->data, (size_t)s->data_size);
			at += (size_t)s->data_size;
		}
		s->data = NULL;
		s->data_size = s->size = 0;
	}
	c->sections.items[first].data = whole;
	c->sections.items[first].data_size = at;
	c->sections.items[first].size = at;
	return true;
}

bool gsym_elf_join_parts(struct gsym_container *c, uint64_t limit)
{
	struct {
		size_t first;
		size_t parts;
		uint64_t size;
	} whole[ELF_DEBUG_NUMBERS] = { 0 };
	bool ok = true;

	for (size_t i = 1; i < c->sections.count; i++) {
		const struct gsym_container_section *s = &c->sections.items[i];
		int number = number_of(s);

		if (number == ELF_NOT_READ)
			continue;
		if (!whole[number].parts++)
			whole[number].first = i;
		if (whole[number].size <= limit)
			whole[number].size += s->data_size;
	}
	for (int i = 0; i < ELF_DEBUG_NUMBERS && ok; i++) {
		if (whole[i].parts < 2)
			continue;
		if (whole[i].size <= limit && whole[i].size <= SIZE_MAX)
			ok = join(c, i, whole[i].first, (size_t)whole[i].size);
		else
			gsym_container_warn_section(
				c, &c->sections.items[whole[i].first],
				"its parts overlap in the file");
	}
	return ok;
}
