/* SPDX-License-Identifier: MIT */
/*
 * go/linker.h - finds the sections and symbols that Go's linkers name for the
 * runtime.  Knows the names; never what the sections hold.
 */
#ifndef GSYM_GO_LINKER_H
#define GSYM_GO_LINKER_H

#include "container/container.h"

/** Addresses of the symbols that Go's linkers define; 0: there is no such
 *  symbol. */
struct go_symbols {
	uint64_t table, table_end;     /**< runtime.pclntab, or pclntab */
	uint64_t symbols, symbols_end; /**< symtab, of Go 1.1 and older */
	uint64_t module;	       /**< runtime.firstmoduledata */
	uint64_t text;		       /**< runtime.text */
};

/** Fill RET from the symbols of CONTAINER. */
void gsym_go_find_symbols(const struct gsym_container *container,
			  struct go_symbols *ret);

/** The loaded section with bytes in the file that is named ELF, or, after the
 *  comma of a Mach-O name, MACHO; NULL if there is none. */
const struct gsym_container_section *
gsym_go_section(const struct gsym_container *container, const char *elf,
		const char *macho);

#endif
