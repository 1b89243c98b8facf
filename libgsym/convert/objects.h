/* SPDX-License-Identifier: MIT */
/*
 * convert/objects.h - reads the debug info that stayed in the object files of
 * a program, by way of the program's debug map.
 *
 * Debug info of an object has the object's addresses.  The debug map says by
 * name where each function and variable of the object lies in the program.
 * Code in none of these functions was left out by the linker.  Of functions
 * of several objects at one address that of the first object answers; of
 * several in one object the last one, as with any debug info.  Knows neither
 * Mach-O nor DWARF.
 */
#ifndef GSYM_CONVERT_OBJECTS_H
#define GSYM_CONVERT_OBJECTS_H

#include "dwarf/dwarf.h"

/** Whether PROGRAM has a debug map. */
bool gsym_objects_present(const struct gsym_container *program);

/** As gsym_dwarf_convert, for the objects of PROGRAM, which was loaded from
 *  PATH.  An object that cannot be used costs a GSYM_WARN_MISSING_FILE. */
enum gsym_status gsym_objects_convert(
	const struct gsym_container *program, const char *path,
	const struct gsym_convert_options *options,
	const struct gsym_sink *sink, struct gsym_variables *variables,
	struct gsym_convert_facts *facts, struct gsym_error *error);

#endif
