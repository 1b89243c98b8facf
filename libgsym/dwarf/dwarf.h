/* SPDX-License-Identifier: MIT */
/* dwarf/dwarf.h - the DWARF room's door.  Knows nothing of file formats:
 * sections come from a container, records go to a sink. */
#ifndef GSYM_DWARF_DWARF_H
#define GSYM_DWARF_DWARF_H

#include "input/container.h"

#include <gsym/convert.h>

/** Whether CONTAINER has debug info. */
bool gsym_dwarf_present(const struct gsym_container *container);

/**
 * Read the debug info of CONTAINER into SINK, with the reader, threads and
 * callbacks of OPTIONS; warnings and records come in an order that does not
 * depend on the thread count.  FACTS->units is set and the bytes read are
 * added to FACTS->input_bytes.
 */
enum gsym_status gsym_dwarf_convert(const struct gsym_container *container,
				    const struct gsym_convert_options *options,
				    const struct gsym_sink *sink,
				    struct gsym_convert_facts *facts,
				    struct gsym_error *error);

#endif
