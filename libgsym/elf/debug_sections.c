/* SPDX-License-Identifier: MIT */
/* elf/debug_sections.c - names of debug sections, and whether a section is read
 * at all. */
#include "elf/elf_file.h"

#include <string.h>

static const char *const names[ELF_DEBUG_NAMES] = {
	"info",	       "abbrev",   "line",     "str",	   "line_str",
	"str_offsets", "addr",	   "ranges",   "rnglists", "aranges",
	"types",       "cu_index", "tu_index",
};

int gsym_elf_debug_number(const char *name)
{
	int number = 0;

	if (!strncmp(name, ".debug_", 7)) {
		name += 7;
	} else if (!strncmp(name, ".zdebug_", 8)) {
		name += 8;
		number = ELF_DEBUG_NAMES * 2;
	} else {
		return ELF_NOT_READ;
	}
	for (int i = 0; i < ELF_DEBUG_NAMES; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(name, names[i], length) != 0)
			continue;
		if (!name[length])
			return number + i;
		if (!strcmp(name + length, ".dwo"))
			return number + ELF_DEBUG_NAMES + i;
	}
	return ELF_NOT_READ;
}

bool gsym_elf_is_read(const struct elf_file *file, size_t number)
{
	const struct gsym_container_section *s =
		&file->container->sections.items[number];

	if (file->for_data)
		return s->loaded && !s->executable;
	return gsym_elf_debug_number(s->name) != ELF_NOT_READ;
}
