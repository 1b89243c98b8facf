/* SPDX-License-Identifier: MIT */
/*
 * elf/place.h - addresses for the sections of a relocatable object, whose
 * headers have none.  This is the only place that decides about them.
 *
 * Executable sections come first, from address 0 on, in the order of their
 * headers and each at its own alignment; then, in the same way, all other
 * loaded sections.  An alignment that is no power of two is damage, and counts
 * as 1.  Sections that the caller names lie where the caller says.  They do not
 * move the other sections, but for those that would overlap a named one: these
 * go after it.
 */
#ifndef GSYM_ELF_PLACE_H
#define GSYM_ELF_PLACE_H

#include "elf/elf_file.h"

/**
 * Set the address of each loaded section; BASES are COUNT named sections with
 * their addresses.  A section that does not fit into the address space becomes
 * one that is not loaded, and is noted as a warning.
 *
 * GSYM_ERR_ARGUMENT: BASES name a section that does not exist, exists several
 * times or is not loaded, name one twice, or overlap; GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_elf_place(struct elf_file *file,
				const struct gsym_section_base *bases,
				size_t count, struct gsym_error *error);

#endif
