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
	DW_RANGES_CUT, /**< too much work: there are no ranges */
	DW_RANGES_MEMORY,
};

/** Append the ranges of a DIE of HEADER's unit with ATTRIBUTES to RANGES, by
 *  the policy.  Uses the budget of UNIT. */
enum dw_ranges_status
gsym_dw_ranges_read(const struct dw_header *header,
		    const struct dw_attributes *attributes,
		    struct dw_ranges *ranges, struct dw_unit *unit);

#endif
