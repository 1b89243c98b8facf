/* SPDX-License-Identifier: MIT */
/*
 * elf/edit.h - section headers as they are read and written where ELF files
 * are made of others.  Plain bytes; knows nothing of what sections hold.
 */
#ifndef GSYM_ELF_EDIT_H
#define GSYM_ELF_EDIT_H

#include "base/emit.h"
#include "base/vec.h"
#include "elf/elf_file.h"

struct elf_edit_table {
	GSYM_VEC(struct elfview_section);
};

/** Append all section headers of VIEW, which gsym_elf_read_header checked, to
 *  RET; false without memory. */
bool gsym_elf_edit_read(const struct elfview *view, struct elf_edit_table *ret);

/** Append TABLE to OUT, which begins with the file header of a file of H's
 *  class and byte order, and have that lead to it; section NAMES has the
 *  names. */
enum gsym_status gsym_elf_edit_write(struct gsym_emit *out,
				     const struct elfview *h,
				     struct elf_edit_table *table, size_t names,
				     struct gsym_error *error);

#endif
