/* SPDX-License-Identifier: MIT */
/*
 * second/second.h - the only header of this room for others: conversions whose
 * DWARF is read by the second reader, through libdwarf.
 *
 * They check the production reader.  The room is linked into gsym-create and
 * tests alone, with the objects of the rooms below it, most of whose functions
 * libgsym-convert.so does not export.
 */
#ifndef GSYM_SECOND_SECOND_H
#define GSYM_SECOND_SECOND_H

#include "config.h"

#include <gsym/convert.h>

struct dw_reader;

/** The second reader.  Slow and on one thread. */
extern const struct dw_reader gsym_libdwarf_reader;

/** gsym_convert_file, or a function like it. */
typedef enum gsym_status
gsym_second_fn(const char *path, const struct gsym_convert_options *options,
	       struct gsym_builder *builder, struct gsym_convert_facts *facts,
	       struct gsym_error *error);

/** As gsym_convert_file, by the second reader; NULL: built without libdwarf. */
#ifdef HAVE_LIBDWARF
extern gsym_second_fn *const gsym_second_convert;
#else
static gsym_second_fn *const gsym_second_convert = NULL;
#endif

#endif
