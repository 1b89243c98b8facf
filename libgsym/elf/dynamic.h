/* SPDX-License-Identifier: MIT */
/*
 * elf/dynamic.h - the tables that the dynamic section of a program points to.
 * They are found by address, through the segments, without section headers.
 */
#ifndef GSYM_ELF_DYNAMIC_H
#define GSYM_ELF_DYNAMIC_H

#include "elf/elf_file.h"

/** A table in memory; size 0: there is none. */
struct elf_dynamic_table {
	uint64_t address;
	uint64_t size; /**< in bytes */
};

struct elf_dynamic {
	struct elf_dynamic_table rela, rel;
	/** Packed relocations (Android's). */
	struct elf_dynamic_table packed;
	struct elf_dynamic_table strings;
	/** No tag has the size of this table.  It ends where the string table
	 *  begins, because linkers put the strings after the symbols. */
	struct elf_dynamic_table symbols;
};

/** Read the dynamic section of CONTAINER, whose segments are filled in. */
struct elf_dynamic gsym_elf_dynamic(const struct gsym_container *container);

/** A cursor over TABLE, up to the end of the segment that it begins in. */
struct gsym_cursor gsym_elf_dynamic_cursor(const struct gsym_container *c,
					   struct elf_dynamic_table table);

#endif
