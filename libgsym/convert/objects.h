/* SPDX-License-Identifier: MIT */
/*
 * convert/objects.h - debug info that stayed with the objects a program was
 * linked from, by way of its debug map.
 *
 * An object's debug info speaks of the object's own addresses.  The map says
 * by name where its functions and variables went; whatever lies in none of
 * them was left out by the linker.  Where two have one address, the one of the
 * first object answers, of one object the last one, as with any debug info.
 * Knows neither Mach-O nor DWARF.
 */
#ifndef GSYM_CONVERT_OBJECTS_H
#define GSYM_CONVERT_OBJECTS_H

#include "dwarf/dwarf.h"

/** Whether PROGRAM has a debug map. */
bool gsym_objects_present(const struct gsym_container *program);

/** As gsym_dwarf_convert, for the objects of PROGRAM, which was loaded from
 *  PATH.  What is wrong with one of them is a warning. */
enum gsym_status gsym_objects_convert(const struct gsym_container *program,
				      const char *path,
				      const struct gsym_convert_options *options,
				      const struct gsym_sink *sink,
				      struct gsym_variables *variables,
				      struct gsym_convert_facts *facts,
				      struct gsym_error *error);

#endif
