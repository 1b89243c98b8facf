/* SPDX-License-Identifier: MIT */
/*
 * markup/host.h - asks the host about addresses (host.c), and writes functions
 * and places in the source (place.c).
 */
#ifndef GSYM_MARKUP_HOST_H
#define GSYM_MARKUP_HOST_H

#include <gsym/markup.h>

#include "markup/context.h"
#include "markup/memo.h"

struct gsym_markup;
struct gsym_mk_out;

/** A level of an address: what the host answered, and how it is shown. */
struct gsym_mk_level {
	struct gsym_markup_frame frame;
	/** The texts of function and file in the memo; 0: not known. */
	gsym_mk_memo_place function, file;
};

/** The levels of an address, innermost first.  Valid until the next call of
 *  gsym_mk_levels_of or gsym_mk_code with another address, or the end of the
 *  line. */
struct gsym_mk_levels {
	struct gsym_mk_level *items;
	size_t count;
};

/** The last answer of gsym_mk_levels_of. */
struct gsym_mk_answer {
	void *symbols;
	uint64_t address;
	struct gsym_mk_levels levels;
	/** The levels, if the memo did not take them. */
	struct gsym_mk_level own[GSYM_MARKUP_MAX_FRAMES];
};

/** The mapping of *ADDRESS, or NULL.  *ADDRESS is changed if the program cut
 *  it to 32 bits.  Kernel addresses are looked up in the process of the
 *  kernel, too. */
const struct gsym_mk_mapping *gsym_mk_locate(struct gsym_markup *f,
					     uint64_t *address);
/** The host's symbols of MODULE; NULL, with a message the first time. */
void *gsym_mk_symbols(struct gsym_markup *f, struct gsym_mk_module *module);
/** The levels of ADDRESS in the module of SYMBOLS; none if SYMBOLS is NULL. */
struct gsym_mk_levels gsym_mk_levels_of(struct gsym_markup *f, void *symbols,
					uint64_t address);
/** The levels of ADDRESS in MAPPING. */
struct gsym_mk_levels gsym_mk_code(struct gsym_markup *f,
				   const struct gsym_mk_mapping *mapping,
				   uint64_t address);
/** The variable at ADDRESS in MAPPING; false if it is unknown. */
bool gsym_mk_data(struct gsym_markup *f, const struct gsym_mk_mapping *mapping,
		  uint64_t address, struct gsym_markup_datum *ret);
/** NAME, which the host gave, demangled; valid until the next call. */
const char *gsym_mk_demangle(struct gsym_markup *f, const char *name);

/** The file of FRAME as it is shown; valid until the next call. */
struct gsym_mk_slice gsym_mk_path(struct gsym_markup *f,
				  const struct gsym_markup_frame *frame);
/** The name of LEVEL's function as it is shown, without colours: "<invalid>" if
 *  it has none.  Valid until the next call of a function of this header. */
struct gsym_mk_slice gsym_mk_function_text(struct gsym_markup *f,
					   struct gsym_mk_level *level);
/** The file of LEVEL, likewise. */
struct gsym_mk_slice gsym_mk_file_text(struct gsym_markup *f,
				       struct gsym_mk_level *level);
/** Write the file of LEVEL, with a link to it in HTML; "<invalid>" if it is
 *  unknown. */
void gsym_mk_put_file(struct gsym_markup *f, struct gsym_mk_level *level);
/** Write ":line:column" of FRAME, as far as they are known. */
void gsym_mk_put_row(struct gsym_mk_out *o,
		     const struct gsym_markup_frame *frame);
/** Write SEPARATOR and "file:line:column" of LEVEL, as far as they are known.
 *  Writes nothing if the file is unknown. */
void gsym_mk_put_place(struct gsym_markup *f, const char *separator,
		       struct gsym_mk_level *level);
/** Write the name of LEVEL's function; "<invalid>" if it has none. */
void gsym_mk_put_function(struct gsym_markup *f, struct gsym_mk_level *level);

#endif
