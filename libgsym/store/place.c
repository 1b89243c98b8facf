/* SPDX-License-Identifier: MIT */
/* Places the sections of a relocatable object, as elf/place.c does. */
#include "store/place.h"

#include <stdlib.h>

uint64_t *gsym_place_sections(const struct elfview *elf)
{
	uint64_t *places = calloc(elf->section_count + 1, sizeof(*places));
	uint64_t position = 0;

	/* The loaded sections with code come first, then the other loaded
	 * ones, each aligned. */
	for (int pass = 0; places && pass < 2; pass++)
		for (uint64_t i = 1; i < elf->section_count; i++) {
			struct elfview_section s = gsym_elfview_section(elf, i);
			uint64_t mask = s.align ? s.align - 1 : 0;
			bool code = s.flags & ELFVIEW_CODE;

			if (!(s.flags & ELFVIEW_ALLOC) || code != (pass == 0))
				continue;
			if (!(s.align & mask))
				position = (position + mask) & ~mask;
			places[i] = position;
			position += s.size;
		}
	return places;
}
