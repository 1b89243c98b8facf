/* SPDX-License-Identifier: MIT */
/*
 * go/golang.h - finds the tables of the Go runtime in a program, whatever
 * its sections are called and whatever was stripped from it, and hands over
 * to the readers of the tables (pclntab.h, plan9.h).  Knows where Go's
 * linkers put things; never what the records say.
 */
#ifndef GSYM_GO_GOLANG_H
#define GSYM_GO_GOLANG_H

#include "go/pclntab.h"
#include "go/plan9.h"

struct gsym_golang {
	struct gsym_memory memory;
	/** The tables of Go 1.1 and older, or the one of later releases. */
	bool is_old;
	struct gsym_plan9 old;
	struct gsym_pclntab table;
	struct pclntab_text texts[64];
	/** Where the text begins is not known, but taken for granted. */
	bool is_guess;
};

/**
 * Find the table in CONTAINER, which has to outlive it.  DEEP: also by
 * searching all of the program's memory.  Facts worth knowing go to OPTIONS.
 * GSYM_NOT_FOUND: there is none, and ERROR is filled in if something else is in
 * its place; GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_golang_open(const struct gsym_container *container,
				  const struct gsym_convert_options *options,
				  bool deep, struct gsym_golang **ret,
				  struct gsym_error *error);
void gsym_golang_close(struct gsym_golang *golang);

/** Hand its functions to SINK; see gsym_pclntab_convert. */
enum gsym_status
gsym_golang_convert(const struct gsym_golang *golang,
		    const struct gsym_convert_options *options,
		    const struct gsym_sink *sink,
		    void (*hide)(void *context, struct gsym_range range),
		    void *hide_context, struct gsym_convert_facts *facts,
		    struct gsym_error *error);

/* ---- for the files of this room alone --------------------------------- */

/** The symbols that Go's linkers have for their tables; 0: not there. */
struct golang_symbols {
	uint64_t table, table_end;
	uint64_t symbols, symbols_end; /**< of Go 1.1 and older */
	uint64_t module, text;
};

/** Fill in what module data, symbols and code tell of the table: where its
 *  text begins, and where its inline trees are.  False if its functions are
 *  not in code: it only looks like a table. */
bool gsym_golang_place(struct gsym_golang *golang,
		       const struct gsym_container *container,
		       const struct golang_symbols *symbols);

/** The section that ELF calls ELF and Mach-O calls MACHO. */
const struct gsym_container_section *
gsym_golang_section(const struct gsym_container *container, const char *elf,
		    const char *macho);

#endif
