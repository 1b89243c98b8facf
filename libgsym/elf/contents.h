/* SPDX-License-Identifier: MIT */
/*
 * elf/contents.h - debug sections whose bytes are not in the file as a
 * reader wants them: they are inflated, relocated, and, where a relocatable
 * object has several of one name, put one behind the other.
 */
#ifndef GSYM_ELF_CONTENTS_H
#define GSYM_ELF_CONTENTS_H

#include "elf/elf_file.h"

/** Whether NAME is that of a section that the debug info is read from;
 *  others are neither inflated nor relocated. */
bool gsym_elf_is_read(const char *name);

/** Make the bytes of FILE's debug sections, one section a job.  Loaded
 *  sections have their addresses already.  A damaged section costs that
 *  section and is noted as a warning. */
enum gsym_status gsym_elf_make_contents(struct elf_file *file,
					unsigned threads,
					struct gsym_error *error);

#endif
