/* SPDX-License-Identifier: MIT */
/* dwarf/nodes.h - reads the functions, inlined calls, call sites and variables
 * of a unit. */
#ifndef GSYM_DWARF_NODES_H
#define GSYM_DWARF_NODES_H

#include "dwarf/names.h"

/** Walk the DIEs of HEADER's unit and fill the nodes, ranges, calls and
 *  variables of UNIT.  Damage becomes warnings.  False without memory. */
bool gsym_dw_nodes_read(const struct dw_header *header, struct dw_unit *unit);

#endif
