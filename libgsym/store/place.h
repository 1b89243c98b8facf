/* SPDX-License-Identifier: MIT */
/* store/place.h - addresses of the sections of a relocatable object. */
#ifndef GSYM_STORE_PLACE_H
#define GSYM_STORE_PLACE_H

#include "elfview/elfview.h"

/** The addresses that gsym_convert_file gives the sections of ELF, a
 *  relocatable object, if its caller names none.  Returns a malloc'ed array
 *  with a number for each section, 0 for those that are not loaded; NULL if
 *  memory runs out. */
uint64_t *gsym_place_sections(const struct elfview *elf);

#endif /* GSYM_STORE_PLACE_H */
