/* SPDX-License-Identifier: MIT */
/*
 * elf/edit.h - reading and writing section headers, for ELF files that are
 * made from other ELF files.  Knows nothing of what sections hold.
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

/**
 * Append the section headers TABLE to OUT, and store their place, their number
 * and NAMES, the number of the section with their names, in the file header at
 * the start of OUT.  VIEW says the class and byte order.
 *
 * GSYM_ERR_MEMORY; GSYM_ERR_LIMIT: the file is too large for its class.
 */
enum gsym_status gsym_elf_edit_write(struct gsym_emit *out,
				     const struct elfview *view,
				     struct elf_edit_table *table, size_t names,
				     struct gsym_error *error);

#endif
