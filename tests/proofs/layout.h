/* SPDX-License-Identifier: MIT */
/* proofs/layout.h - what the reader demands of the layout of an image. */
#ifndef GSYM_PROOFS_LAYOUT_H
#define GSYM_PROOFS_LAYOUT_H

#include "format/layout.h"

/** Whether SIZE bytes from the start of SECTION on lie inside the image. */
static inline bool fits(const struct gsym_layout *l, enum gsym_section section,
			uint64_t size)
{
	uint64_t offset = l->sections[section].offset;

	return offset <= l->size && size <= l->size - offset;
}

static inline bool is_layout_sound(const struct gsym_layout *l)
{
	return (l->address_size == 1 || l->address_size == 2 ||
		l->address_size == 4 || l->address_size == 8) &&
	       (l->info_size == 4 || l->info_size == 8) &&
	       (l->string_size == 4 || l->string_size == 8) &&
	       fits(l, GSYM_SECTION_ADDRESSES,
		    (uint64_t)l->count * l->address_size) &&
	       fits(l, GSYM_SECTION_ADDRESS_INFO,
		    (uint64_t)l->count * l->info_size) &&
	       fits(l, GSYM_SECTION_FILES,
		    4 + (uint64_t)l->file_count * 2 * l->string_size) &&
	       fits(l, GSYM_SECTION_STRINGS, l->strings_size) &&
	       l->info_end <= l->size;
}

#endif
