/* SPDX-License-Identifier: MIT */
/* dwarf/needed.h - which DIEs and attributes are read; all others are stepped
 * over. */
#ifndef GSYM_DWARF_NEEDED_H
#define GSYM_DWARF_NEEDED_H

#include "dwarf/abbrev.h"

/** Whether attributes of DIEs with TAG are read. */
bool gsym_dw_is_needed(uint16_t tag);
/** The slot of attribute AT of a DIE with TAG; DW_SLOT_COUNT if the attribute
 *  is not read. */
enum dw_slot gsym_dw_slot_of(uint16_t tag, uint64_t at);
/** The kinds (enum dw_kind) of DIEs with TAG. */
uint8_t gsym_dw_kinds_of(uint16_t tag);

#endif
