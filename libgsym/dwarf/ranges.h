/* SPDX-License-Identifier: MIT */
/* dwarf/ranges.h - reads the ranges of a DIE: DW_AT_low_pc and DW_AT_high_pc,
 * or a range list of .debug_ranges or .debug_rnglists. */
#ifndef GSYM_DWARF_RANGES_H
#define GSYM_DWARF_RANGES_H

#include "dwarf/abbrev.h"
#include "dwarf/policy.h"

enum dw_ranges_status {
	DW_RANGES_OK,
	DW_RANGES_BAD, /**< damaged: some ranges may be missing */
	DW_RANGES_MEMORY,
};

/** Append the ranges of a DIE of UNIT with ATTRIBUTES to RANGES, by the
 *  policy. */
enum dw_ranges_status
gsym_dw_ranges_read(const struct dw_sections *s, const struct dw_header *unit,
		    const struct dw_attributes *attributes,
		    struct dw_ranges *ranges);

#endif
