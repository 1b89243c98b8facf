/* SPDX-License-Identifier: MIT */
/* elf/debug_sections.h - the names of the debug sections that conversion
 * reads.  All others are neither inflated nor relocated. */
#ifndef GSYM_ELF_DEBUG_SECTIONS_H
#define GSYM_ELF_DEBUG_SECTIONS_H

enum {
	/** Every name also counts with .dwo at its end, and with the z of
	 *  ".zdebug_". */
	ELF_DEBUG_NAMES = 13,
	ELF_DEBUG_NUMBERS = ELF_DEBUG_NAMES * 4,
	ELF_NOT_READ = -1,
};

/** The number of the debug section NAME, below ELF_DEBUG_NUMBERS; ELF_NOT_READ
 *  if it is not read. */
int gsym_elf_debug_number(const char *name);

#endif
