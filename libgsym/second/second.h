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

#include <gsym/convert.h>

struct dw_reader;

/** The second reader.  Slow and on one thread. */
extern const struct dw_reader gsym_libdwarf_reader;

/** gsym_convert_file, or a function like it. */
typedef enum gsym_status
gsym_second_fn(const char *path, const struct gsym_convert_options *options,
	       struct gsym_builder *builder, struct gsym_convert_facts *facts,
	       struct gsym_error *error);

/** As gsym_convert_file, by the second reader. */
extern gsym_second_fn gsym_second_convert;

#endif
