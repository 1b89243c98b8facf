/* SPDX-License-Identifier: MIT */
/*
 * elf/parts.h - debug sections of one name in a relocatable object, as one.
 *
 * A compiler that puts types, or macros, into section groups makes several
 * sections of one name.  A linker appends them in the order of their headers;
 * so do these functions.
 */
#ifndef GSYM_ELF_PARTS_H
#define GSYM_ELF_PARTS_H

#include "container/container.h"

/** Make the address of each debug section that is read its offset among all
 *  sections of its name. */
void gsym_elf_place_parts(struct gsym_container *container);

/** Give the first section of each name the bytes of all; the others become
 *  empty.  Sections of one name with more than LIMIT bytes together overlap in
 *  the file: they are left alone, with a warning.  False without memory. */
bool gsym_elf_join_parts(struct gsym_container *container, uint64_t limit);

#endif
