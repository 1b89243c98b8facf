/* SPDX-License-Identifier: MIT */
/*
 * go/linker.h - finds what Go's linkers leave in a program: sections and
 * symbols for the runtime, and marks that the program is Go's.  Knows names and
 * marks; never what the sections hold.
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
	/** There is a symbol of the runtime or of cgo. */
	bool any;
};

/** Fill RET from the symbols of CONTAINER. */
void gsym_go_find_symbols(const struct gsym_container *container,
			  struct go_symbols *ret);

/** The loaded section with bytes in the file that is named ELF, or, after the
 *  comma of a Mach-O name, MACHO; NULL if there is none. */
const struct gsym_container_section *
gsym_go_section(const struct gsym_container *container, const char *elf,
		const char *macho);

/** Whether a section of CONTAINER has a name that only Go's linkers give. */
bool gsym_go_has_sections(const struct gsym_container *container);

/** Whether CONTAINER has the mark of Go's build ID or build info, which tools
 *  such as "go version" read.  Only the start of each segment is searched. */
bool gsym_go_has_marks(const struct gsym_container *container);

#endif
