/* SPDX-License-Identifier: MIT */
/* dwarf/dwarf.h - the only header of this room for other rooms: converts the
 * debug info of a container to records for a sink.  Knows nothing of file
 * formats. */
#ifndef GSYM_DWARF_DWARF_H
#define GSYM_DWARF_DWARF_H

#include "base/order.h"
#include "container/container.h"

#include <gsym/convert.h>

/** A variable; its name and file are numbers of a sink. */
struct gsym_variable {
	uint64_t address;
	uint32_t name; /**< 0: none */
	bool linkage;
	uint32_t file; /**< of its declaration; GSYM_FILE_UNKNOWN */
	uint32_t line; /**< of its declaration; 0: not known */
};

struct gsym_variables { GSYM_VEC(struct gsym_variable); };

/** A reader of DWARF (unit.h). */
struct dw_reader;

/** Whether CONTAINER has debug info. */
bool gsym_dwarf_present(const struct gsym_container *container);

/**
 * Hand the records of CONTAINER's debug info to SINK, and append its variables
 * to VARIABLES (NULL: they are not read).  SECOND is the reader; NULL: the
 * production reader.  OPTIONS has the number of threads and the callbacks.  The
 * order of records and warnings does not depend on the number of threads.  With
 * AT_ONCE, all that SINK gets comes from several threads at once, in any order.
 * The number of units is added to FACTS->units, and the bytes of the debug
 * sections to FACTS->input_bytes.
 *
 * NEAR, or NULL: only units that own an address of NEAR, or claim none at all,
 * are read.  Which unit owns an address is decided by all units, so the records
 * within NEAR are the same as without it, unless a unit describes functions
 * beside its claims.  The caller has to notice: an address of a symbol that
 * gets neither a function which begins there nor lines may have them without
 * NEAR.  Folded functions and variables may come from any
 * unit: they need NEAR to be NULL.
 *
 * If .debug_info of CONTAINER is compressed (member PASSING), the units are
 * read while it is inflated, unless SECOND reads them.  GSYM_NOT_FOUND: the
 * units cannot be read so.  No warning was given, but SINK, VARIABLES and
 * FACTS may have got something.  The caller has to take that back, to inflate
 * the whole section (gsym_passing_complete), and to call again.
 *
 * GSYM_ERR_CANCELLED: the progress callback stopped the conversion.
 * Any status of SINK is returned, too.
 */
enum gsym_status gsym_dwarf_convert(const struct gsym_container *container,
				    const struct dw_reader *second,
				    const struct gsym_convert_options *options,
				    const struct gsym_range_set *near,
				    const struct gsym_sink *sink, bool at_once,
				    struct gsym_variables *variables,
				    struct gsym_convert_facts *facts,
				    struct gsym_error *error);

#endif
