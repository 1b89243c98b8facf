/* SPDX-License-Identifier: MIT */
/*
 * elf/dynamic.h - the tables that the dynamic section of a program points to.
 * Reads them by address, through the segments: no section header is needed.
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
	/** No tag tells its size: linkers put the strings after it. */
	struct elf_dynamic_table symbols;
};

/** The tables of the dynamic section of CONTAINER, whose segments are known
 *  already. */
struct elf_dynamic gsym_elf_dynamic(const struct gsym_container *container);

/** A cursor over those bytes of TABLE that lie in one segment. */
struct gsym_cursor gsym_elf_dynamic_cursor(const struct gsym_container *c,
					   struct elf_dynamic_table table);

#endif
