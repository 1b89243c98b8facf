/* SPDX-License-Identifier: MIT */
/* dwarf/ranges.h - the addresses of a DIE: DW_AT_low_pc and high_pc, and
 * range lists of .debug_ranges and .debug_rnglists. */
#ifndef GSYM_DWARF_RANGES_H
#define GSYM_DWARF_RANGES_H

#include "dwarf/abbrev.h"
#include "dwarf/policy.h"

enum dw_ranges_status {
	DW_RANGES_OK,
	DW_RANGES_BAD,    /**< cannot be read, or not to the end */
	DW_RANGES_MEMORY,
};

/** Append the ranges of a DIE with ATTRIBUTES, by the policy: none empty,
 *  none tombstoned, instruction set bits removed. */
enum dw_ranges_status
gsym_dw_ranges_read(const struct dw_sections *s, const struct dw_header *unit,
		    const struct dw_attributes *attributes,
		    struct dw_ranges *ranges);

#endif
