/* SPDX-License-Identifier: MIT */
/* elf/debug_sections.h - which sections are inflated and relocated, and the
 * names of the debug sections that conversion reads. */
#ifndef GSYM_ELF_DEBUG_SECTIONS_H
#define GSYM_ELF_DEBUG_SECTIONS_H

#include "elf/elf_file.h"

enum {
	/** Each name has two more forms: with ".dwo" at its end, and with
	 *  ".zdebug_" in place of ".debug_". */
	ELF_DEBUG_NAMES = 13,
	ELF_DEBUG_NUMBERS = ELF_DEBUG_NAMES * 4,
	ELF_NOT_READ = -1,
};

/** The number of the debug section NAME, below ELF_DEBUG_NUMBERS; ELF_NOT_READ
 *  if it is not read. */
int gsym_elf_debug_number(const char *name);

/** Whether section NUMBER of FILE is inflated and relocated: a debug section
 *  that conversion reads; if FILE is loaded for its data, a loaded section
 *  without code. */
bool gsym_elf_is_read(const struct elf_file *file, size_t number);

#endif
