/* SPDX-License-Identifier: MIT */
/*
 * elf/contents.h - sections whose bytes are not in the file as a reader needs
 * them: compressed debug sections are inflated, sections of relocatable objects
 * relocated, and several debug sections of one name joined.
 */
#ifndef GSYM_ELF_CONTENTS_H
#define GSYM_ELF_CONTENTS_H

#include "elf/elf_file.h"

/** Make the bytes of the sections of FILE that are read (gsym_elf_is_read): one
 *  job for each section, on THREADS threads.  Loaded sections must have their
 *  addresses already.  A damaged section loses its bytes, and is noted as a
 *  warning.  GSYM_ERR_MEMORY. */
enum gsym_status gsym_elf_make_contents(struct elf_file *file,
					unsigned threads,
					struct gsym_error *error);

#endif
