/* SPDX-License-Identifier: MIT */
/* dwarf/nodes.h - the functions and inlined calls of a unit. */
#ifndef GSYM_DWARF_NODES_H
#define GSYM_DWARF_NODES_H

#include "dwarf/names.h"

/** Walk the DIEs of HEADER's unit and put its nodes and their ranges into
 *  UNIT.  Damage becomes warnings.  False without memory. */
bool gsym_dw_nodes_read(const struct dw_header *header, struct dw_unit *unit);

#endif
