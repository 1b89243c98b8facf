/* SPDX-License-Identifier: MIT */
/*
 * elf/place.h - where the sections of a relocatable object lie.  Its own
 * headers leave all of them at 0.
 *
 * Code first: the first executable section at 0, the others behind it in
 * the order of their headers, each at its own alignment; then, in the same
 * way, everything else that is loaded.  A section that somebody has named
 * lies where he says; the others stay where they would be without that,
 * unless a named one is in their way: then they go behind it.
 */
#ifndef GSYM_ELF_PLACE_H
#define GSYM_ELF_PLACE_H

#include "elf/elf_file.h"

/**
 * Give every loaded section its address.  One that does not fit into the
 * address space is not loaded then, and noted as a warning.
 *
 * GSYM_ERR_ARGUMENT: BASES name what is not there, not loaded or there
 * several times, name it twice, or lie over each other.
 */
enum gsym_status gsym_elf_place(struct elf_file *file,
				const struct gsym_section_base *bases,
				size_t count, struct gsym_error *error);

#endif
