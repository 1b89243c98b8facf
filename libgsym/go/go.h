/* SPDX-License-Identifier: MIT */
/*
 * go/go.h - the function table of the Go runtime in a program, even if its
 * sections were renamed or its symbols stripped:
 *
 *	go.c               finds the table
 *	program.c          the program's memory; what Go's linkers leave in it
 *	moduledata.c       the module data of the runtime
 *	pclntab.h          the table of Go 1.2 and later
 *	plan9.c            the tables of Go 1.1 and older
 */
#ifndef GSYM_GO_GO_H
#define GSYM_GO_GO_H

#include "aout/aout.h"
#include "go/pclntab.h"

#include <gsym/convert.h>

/* ---- plan9.c ------------------------------------------------------------- */

/*
 * The tables of Go 1.1 and older have the format of Plan 9.  The table of
 * symbols also has the history of each object's source files.  The table of
 * lines is a list of bytes, from which pc and line are computed.  Lines are
 * counted as if all included files were pasted into the source file.
 */

/** Push a record for each function of TABLES to SINK; damage goes to
 *  OPTIONS->warn.  GSYM_ERR_CORRUPT: the symbols are of no known dialect;
 *  GSYM_ERR_MEMORY; what SINK returns. */
enum gsym_status gsym_plan9_convert(const struct gsym_plan9 *tables,
				    const struct gsym_convert_options *options,
				    const struct gsym_sink *sink,
				    struct gsym_error *error);

/* ---- go.c ---------------------------------------------------------------- */

struct gsym_go {
	struct gsym_memory memory;
	/** The program has the tables of Go 1.1 and older, OLD; if false,
	 * TABLE. */
	bool is_old;
	struct gsym_plan9 old;
	struct gsym_pclntab table;
	struct pclntab_text texts[64]; /**< for TABLE.texts */
	/** TABLE.text is a guess: nothing says where the text begins. */
	bool text_is_guess;
};

/** Where to look for the table. */
enum gsym_go_search {
	/** Only at the places that sections and symbols name. */
	GSYM_GO_NAMED,
	/** Also in all of the program's memory, if the program may be Go's: it
	 *  has names or marks of Go's linkers, or no symbols in its code.  The
	 *  memory of other programs is not read. */
	GSYM_GO_LIKELY,
	/** Also in all of the program's memory, whatever program it is. */
	GSYM_GO_ANYWHERE,
};

/**
 * Find the function table of CONTAINER, which has to outlive *RET.  Warnings go
 * to OPTIONS->warn.
 *
 * GSYM_NOT_FOUND: there is none; ERROR is filled in if a section is named like
 * the table but holds none.  GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_go_open(const struct gsym_container *container,
			      const struct gsym_convert_options *options,
			      enum gsym_go_search search, struct gsym_go **ret,
			      struct gsym_error *error);
/** Free GO.  NULL is fine. */
void gsym_go_close(struct gsym_go *go);

/** Push a record for each function of the table to SINK, and add the bytes of
 *  the table to FACTS->input_bytes.  HIDE is as in gsym_pclntab_convert. */
enum gsym_status
gsym_go_convert(const struct gsym_go *go,
		const struct gsym_convert_options *options,
		const struct gsym_sink *sink,
		void (*hide)(void *context, struct gsym_range range),
		void *hide_context, struct gsym_convert_facts *facts,
		struct gsym_error *error);

/* ---- program.c: what Go's linkers leave ---------------------------------- */

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

/* ---- moduledata.c -------------------------------------------------------- */

/*
 * The module data is a struct, laid out differently in each release since Go
 * 1.18, that says where the text and the inline trees of a function table lie.
 */

/** Complete GO->table, whose header was read, from the module data, symbols
 *  and code of CONTAINER: the address of the text and of the inline trees.
 *  False if the table's functions do not lie in code: it is no function
 *  table. */
bool gsym_moduledata_apply(struct gsym_go *go,
			   const struct gsym_container *container,
			   const struct go_symbols *symbols);

#endif
