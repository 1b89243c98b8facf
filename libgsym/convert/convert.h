/* SPDX-License-Identifier: MIT */
/*
 * convert/convert.h - the sources of records that convert.c puts together, and
 * what loads a program for them.  Knows the bytes of no file format:
 *
 *	program.c      a program with the files that its debug info continues in
 *	symtab.c       records of code symbols, and of functions that no symbol
 *	               names
 *	chain.c        what one sink gets, to another sink; records of code that
 *	               has lines and no function
 *	data.c         records of data symbols and variables
 *	objects.c      the objects that a debug map names
 *	transcode.c    the records of a GSYM file
 */
#ifndef GSYM_CONVERT_CONVERT_H
#define GSYM_CONVERT_CONVERT_H

#include "base/error.h"
#include "base/order.h"
#include "container/container.h"
#include "dwarf/dwarf.h"

#include <gsym/convert.h>

#include <pthread.h>

/* ---- convert.c ---------------------------------------------------------- */

/** As gsym_convert_file, with SECOND as the reader of DWARF; NULL: the
 *  production reader. */
enum gsym_status gsym_convert_by(const struct dw_reader *second,
				 const char *path,
				 const struct gsym_convert_options *options,
				 struct gsym_builder *builder,
				 struct gsym_convert_facts *facts,
				 struct gsym_error *error);

/* ---- program.c ---------------------------------------------------------- */

/*
 * Loads a program with its debug file, supplementary file and split units as
 * one container.  Knows of each format only which functions load it.
 */

enum { GSYM_HEAD_SIZE = 64 };

/** The start of a file, which tells its format. */
struct gsym_head {
	uint8_t bytes[GSYM_HEAD_SIZE];
	size_t size;
	/** As BYTES, from the first byte that is no blank or line break. */
	uint8_t word[GSYM_HEAD_SIZE];
	size_t word_size;
};

/** Read the start of the regular file PATH; RET is zeros on failure.
 *  GSYM_ERR_IO: it is no regular file, or cannot be read. */
enum gsym_status gsym_program_head(const char *path, struct gsym_head *ret,
				   struct gsym_error *error);

/** Whether a file that begins with the SIZE bytes at HEAD may be a program
 *  (ELF, Mach-O, PE, WebAssembly or Plan 9). */
bool gsym_program_matches(const uint8_t *head, size_t size);

/** Load the program at PATH with its debug file, supplementary file (dwz) and
 *  split units.  OPTIONS says where to search for these. */
enum gsym_status gsym_program_load(const char *path,
				   const struct gsym_convert_options *options,
				   struct gsym_container **ret,
				   struct gsym_error *error);

/** Load OPTIONS->program_file, the program of a Breakpad file: build ID, base
 *  address and ranges of code. */
enum gsym_status
gsym_program_open_facts(const struct gsym_convert_options *options,
			struct gsym_container **ret, struct gsym_error *error);

/** Whether OPTIONS is neither NULL nor has an array that is NULL. */
bool gsym_program_options_ok(const struct gsym_convert_options *options);

/* ---- chain.c ------------------------------------------------------------ */

/** The first member of the state of a sink that passes on what it gets. */
struct gsym_relay {
	const struct gsym_sink *inner;
};

/** A sink that passes everything to INNER.  RELAY and INNER have to outlive it.
 *  Members of it may be replaced: their first argument is RELAY. */
struct gsym_sink gsym_relay_to(struct gsym_relay *relay,
			       const struct gsym_sink *inner);

/*
 * One reader over another: the upper reader covers the ranges of its functions.
 * Records of the lower reader that start in a covered range are dropped.
 */

/** The ranges of the functions of one reader, which covers those of another.  A
 *  zeroed struct covers nothing. */
struct gsym_overlay {
	struct gsym_relay relay;
	/** Covered ranges; once SORTED is set, ascending and joined. */
	struct gsym_range_set ranges;
	bool sorted;
	bool failed; /**< no memory for a range */
};

/** Cover RANGE.  SELF is a struct gsym_overlay; it is untyped because the
 *  function serves as a callback. */
void gsym_overlay_cover(void *self, struct gsym_range range);

/** A sink for the upper reader: it passes everything to INNER and covers the
 *  ranges of functions that are not folded.  OVERLAY and INNER have to outlive
 *  it. */
struct gsym_sink gsym_overlay_upper(struct gsym_overlay *overlay,
				    const struct gsym_sink *inner);

/** A sink for the lower reader: it passes everything to INNER but records that
 *  start in a covered range.  No range may be covered after this call.  OVERLAY
 *  and INNER have to outlive it. */
struct gsym_sink gsym_overlay_lower(struct gsym_overlay *overlay,
				    const struct gsym_sink *inner);

/*
 * Where the functions and rows begin that cover some addresses.
 */

struct gsym_watch {
	struct gsym_relay relay;
	const uint64_t *addresses;
	size_t count;
	/** By address: the last start, plus 1, of records that cover it; 0:
	 *  none does. */
	uint64_t *starts;
	bool *rows; /**< by address: loose rows cover it */
};

/** A sink that passes everything to INNER, and fills the arrays of WATCH, which
 *  are zeros, by records that are not folded and loose rows.  WATCH and INNER
 *  have to outlive it. */
struct gsym_sink gsym_watch_sink(struct gsym_watch *watch,
				 const struct gsym_sink *inner);

/*
 * Records, whose name is "??", of code that has lines in the debug info, in
 * sections without any symbol or function.
 */

/** Records and loose rows on their way from a reader of debug info to INNER,
 *  also those of several threads at once. */
struct gsym_unnamed {
	struct gsym_relay relay;
	pthread_mutex_t lock; /**< of NAMED and ROWS */
	/** Sections of code without symbols, joined, and whether a function
	 *  begins in each. */
	struct gsym_range_set sections;
	bool *named;
	/** Where the loose rows in these sections are. */
	struct gsym_range_set rows;
};

/** Append the sections of code of CONTAINER in which no symbol is to RET,
 *  which is empty, and join them.  False without memory. */
bool gsym_unnamed_sections(const struct gsym_container *container,
			   struct gsym_range_set *ret);
/** Set *RET to a sink that passes everything to INNER and tells U about it.  U
 *  and INNER have to outlive it.  False without memory; U has to be freed in
 *  either case. */
bool gsym_unnamed_init(struct gsym_unnamed *u,
		       const struct gsym_container *container,
		       const struct gsym_sink *inner, struct gsym_sink *ret);
void gsym_unnamed_fini(struct gsym_unnamed *u);
/** Push the records to the inner sink.  Returns what that returns. */
enum gsym_status gsym_unnamed_convert(struct gsym_unnamed *u);

/* ---- symtab.c ----------------------------------------------------------- */

/*
 * Makes records of the code symbols of a container.
 *
 * Functions and untyped symbols in executable sections count.  A symbol with a
 * size becomes a record of GSYM_RANK_SYMBOL, cut at the end of its section;
 * every other symbol becomes a label that ends there at the latest, unless
 * it lies in a routine of assembly.
 * Symbols without a name are left out, and untyped symbols whose name begins
 * with '$': they mark where code and data begin on ARM, AArch64 and RISC-V.
 * Symbols that overlap, nest or share a start all go to the sink, which
 * decides between them.  Knows nothing of ELF and of debug info.
 */

/** Push a record for each code symbol of CONTAINER to SINK, in the order of
 *  the symbol table, or, with AT_ONCE, from several threads at once, in any
 *  order; warnings go to OPTIONS->warn.  NEAR, unless it is NULL,
 *  leaves out symbols that lie elsewhere: see gsym_symtab_near.  Unless STUBS,
 *  stubs are left out if there are no other symbols.  The bytes of
 *  the symbol tables are added to FACTS->input_bytes.  Symbols whose names
 *  exceed the budget are left out.  Returns what SINK returns. */
enum gsym_status gsym_symtab_convert(const struct gsym_container *container,
				     const struct gsym_convert_options *options,
				     const struct gsym_range_set *near,
				     bool stubs, const struct gsym_sink *sink,
				     bool at_once,
				     struct gsym_convert_facts *facts,
				     struct gsym_error *error);

/*
 * Conversions in part.  The answer for an address is a function of the debug
 * info around it, or else the symbol around it, which the functions and symbols
 * within its range cut.  So all that decides the answer lies between the starts
 * of the symbols that reach to the address, and their ends; and at the start of
 * the function, whose name the symbols there may replace.
 */

/** Whether CONTAINER can be converted in part, as OPTIONS asks: all addresses
 *  are of code, so no data answer for them, in sections that have symbols. */
bool gsym_symtab_near_serves(const struct gsym_container *container,
			     const struct gsym_convert_options *options);
/** Append to NEAR, which is empty, the ranges around OPTIONS->addresses that
 *  decide their answers.  False without memory. */
bool gsym_symtab_near(const struct gsym_container *container,
		      const struct gsym_convert_options *options,
		      struct gsym_range_set *near);
/** Set *RET to NEAR and the ranges of FUNCTIONS, those of the debug info, that
 *  have an address of NEAR.  False without memory. */
bool gsym_symtab_near_widen(const struct gsym_range_set *near,
			    const struct gsym_overlay *functions,
			    struct gsym_range_set *ret);

/** The bytes that names of symbols of CONTAINER may have together: several
 *  times those of its symbol tables.  In a hostile table every symbol could
 *  have the same name of megabytes. */
struct gsym_budget gsym_symtab_budget(const struct gsym_container *container);
/** Use LENGTH bytes of BUDGET for the name of a symbol.  False, with a warning
 *  to OPTIONS->warn, if they exceed BUDGET: this symbol and the following ones
 *  must be left out. */
bool gsym_symtab_take_name(struct gsym_budget *budget, size_t length,
			   const struct gsym_convert_options *options);

/** The kind of name that a symbol has, by its binding. */
enum gsym_name_kind gsym_symtab_name_kind(const struct gsym_symbol *symbol);

/** The executable section of SYMBOL; NULL if SYMBOL becomes no record. */
static inline const struct gsym_container_section *
gsym_symtab_section(const struct gsym_container *c,
		    const struct gsym_symbol *symbol)
{
	const struct gsym_container_section *s;

	if (symbol->section >= c->sections.count || !symbol->name[0])
		return NULL;
	if (symbol->type != GSYM_SYMBOL_FUNCTION &&
	    (symbol->type != GSYM_SYMBOL_NONE || symbol->name[0] == '$'))
		return NULL;
	s = &c->sections.items[symbol->section];
	return s->loaded && s->executable ? s : NULL;
}

/** Push a record, whose name is "??", for each function of CONTAINER, as the
 *  table for unwinding has them, of which no symbol names a byte.  For programs
 *  without debug info.  Returns what SINK returns. */
enum gsym_status gsym_nameless_convert(const struct gsym_container *container,
				       const struct gsym_sink *sink,
				       struct gsym_error *error);

/* ---- data.c ------------------------------------------------------------- */

/*
 * Makes records of data symbols and variables.
 *
 * The symbol table has the sizes of data, the debug info their declarations.
 * Data symbols with a size count, and variables with a fixed address, if they
 * lie in a loaded section without code, at or above the base address.  (Data
 * below it, such as the per-CPU data of kernels, have no address in the
 * running program.)  A symbol gets the declaration of the variable at its
 * address; of several, of the variable with its name.  A variable gets the
 * size of the symbol at its address; of several, of the symbol with its name.
 * A variable without a symbol reaches to the next symbol or variable, or to the
 * end of its section.  So does a variable whose symbol has size 0, but only if
 * no other symbol or variable covers its address.  Knows nothing of ELF, nor of
 * how debug info is read.
 */

/** Push a record for each data symbol of CONTAINER and each of VARIABLES,
 *  whose numbers are SINK's, to SINK.  Symbols whose names exceed the budget
 *  are left out, with a warning to OPTIONS->warn.  Returns GSYM_ERR_MEMORY or
 *  what SINK returns. */
enum gsym_status gsym_data_convert(const struct gsym_container *container,
				   const struct gsym_convert_options *options,
				   const struct gsym_variables *variables,
				   const struct gsym_sink *sink,
				   struct gsym_error *error);

/* ---- objects.c ---------------------------------------------------------- */

/*
 * Reads the debug info that stayed in the object files of a program, by way of
 * the program's debug map.  Knows neither Mach-O nor DWARF.
 */

/** Whether PROGRAM has a debug map. */
bool gsym_objects_present(const struct gsym_container *program);

/** As gsym_dwarf_convert, for the objects of PROGRAM, which was loaded from
 *  PATH.  An object that cannot be used costs a GSYM_WARN_MISSING_FILE. */
enum gsym_status gsym_objects_convert(
	const struct gsym_container *program, const char *path,
	const struct dw_reader *second,
	const struct gsym_convert_options *options,
	const struct gsym_sink *sink, struct gsym_variables *variables,
	struct gsym_convert_facts *facts, struct gsym_error *error);

/* ---- transcode.c -------------------------------------------------------- */

/*
 * Reads a GSYM file as the input of a conversion.
 *
 * Every record of the file becomes a record of GSYM_RANK_FUNCTION.  A record
 * without a size reaches to the next one.  Inlined calls outside their callers
 * and rows after the end of a function are left out, with a warning: GSYM
 * files may have them, but sinks refuse them.  Uses the public reader alone.
 */

/** Whether a file that begins with the SIZE BYTES may be a GSYM file. */
bool gsym_transcode_matches(const uint8_t *bytes, size_t size);

/** Read the GSYM file at PATH into BUILDER and FACTS, as gsym_convert_file
 *  does. */
enum gsym_status
gsym_transcode_file(const char *path,
		    const struct gsym_convert_options *options,
		    struct gsym_builder *builder,
		    struct gsym_convert_facts *facts, struct gsym_error *error);

#endif
