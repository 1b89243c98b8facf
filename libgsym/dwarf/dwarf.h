/* SPDX-License-Identifier: MIT */
/* dwarf/dwarf.h - the DWARF room's door.  Knows nothing of file formats:
 * sections come from a container, records go to a sink. */
#ifndef GSYM_DWARF_DWARF_H
#define GSYM_DWARF_DWARF_H

#include "container/container.h"

#include <gsym/convert.h>

/** A variable, by the numbers of a sink. */
struct gsym_variable {
	uint64_t address;
	uint32_t name; /**< 0: none */
	bool linkage;
	/** Where it is declared; LINE 0: not known. */
	uint32_t file;
	uint32_t line;
};

struct gsym_variables { GSYM_VEC(struct gsym_variable); };

/** Whether CONTAINER has debug info. */
bool gsym_dwarf_present(const struct gsym_container *container);

/**
 * Read the debug info of CONTAINER into SINK, with the reader, threads and
 * callbacks of OPTIONS, and the variables into VARIABLES, if
 * that is not NULL; warnings and records come in an order that does not
 * depend on the thread count.  FACTS->units is set and the bytes read are
 * added to FACTS->input_bytes.
 */
enum gsym_status gsym_dwarf_convert(const struct gsym_container *container,
				    const struct gsym_convert_options *options,
				    const struct gsym_sink *sink,
				    struct gsym_variables *variables,
				    struct gsym_convert_facts *facts,
				    struct gsym_error *error);

#endif
