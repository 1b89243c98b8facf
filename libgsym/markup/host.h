/* SPDX-License-Identifier: MIT */
/*
 * markup/host.h - asks the host about addresses (host.c), and writes functions
 * and places in the source (place.c).
 */
#ifndef GSYM_MARKUP_HOST_H
#define GSYM_MARKUP_HOST_H

#include <gsym/markup.h>

#include "markup/context.h"

struct gsym_markup;
struct gsym_mk_out;

/** The mapping of *ADDRESS, or NULL.  *ADDRESS is changed if the program cut
 *  it to 32 bits.  Kernel addresses are looked up in the process of the
 *  kernel, too. */
const struct gsym_mk_mapping *gsym_mk_locate(struct gsym_markup *f,
					     uint64_t *address);
/** The host's symbols of MODULE; NULL, with a message the first time. */
void *gsym_mk_symbols(struct gsym_markup *f, struct gsym_mk_module *module);
/** Fill up to GSYM_MARKUP_MAX_FRAMES of FRAMES for ADDRESS in the module of
 *  SYMBOLS, innermost first; returns their number, 0 if SYMBOLS is NULL. */
size_t gsym_mk_frames(struct gsym_markup *f, void *symbols, uint64_t address,
		      struct gsym_markup_frame *frames);
/** The same for ADDRESS in MAPPING. */
size_t gsym_mk_code(struct gsym_markup *f,
		    const struct gsym_mk_mapping *mapping, uint64_t address,
		    struct gsym_markup_frame *frames);
/** The variable at ADDRESS in MAPPING; false if it is unknown. */
bool gsym_mk_data(struct gsym_markup *f, const struct gsym_mk_mapping *mapping,
		  uint64_t address, struct gsym_markup_datum *ret);
/** NAME, which the host gave, demangled; valid until the next call. */
const char *gsym_mk_demangle(struct gsym_markup *f, const char *name);

/** The file of FRAME as it is shown; valid until the next call. */
struct gsym_mk_slice gsym_mk_path(struct gsym_markup *f,
				  const struct gsym_markup_frame *frame);
/** The name of FRAME's function as it is shown, without colours: "<invalid>" if
 *  it has none.  Valid until the next call of a function of this header. */
struct gsym_mk_slice
gsym_mk_function_text(struct gsym_markup *f,
		      const struct gsym_markup_frame *frame);
/** The file of FRAME, likewise. */
struct gsym_mk_slice gsym_mk_file_text(struct gsym_markup *f,
				       const struct gsym_markup_frame *frame);
/** Write the file of FRAME, with a link to it in HTML; "<invalid>" if it is
 *  unknown. */
void gsym_mk_put_file(struct gsym_markup *f,
		      const struct gsym_markup_frame *frame);
/** Write ":line:column" of FRAME, as far as they are known. */
void gsym_mk_put_row(struct gsym_mk_out *o,
		     const struct gsym_markup_frame *frame);
/** Write SEPARATOR and "file:line:column", as far as they are known.  Writes
 *  nothing if the file is unknown. */
void gsym_mk_put_place(struct gsym_markup *f, const char *separator,
		       const struct gsym_markup_frame *frame);
/** Write the name of FRAME's function; "<invalid>" if it has none. */
void gsym_mk_put_function(struct gsym_markup *f,
			  const struct gsym_markup_frame *frame);

#endif
