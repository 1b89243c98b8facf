/* SPDX-License-Identifier: MIT */
/*
 * dwarf/line_budget.h - limits how often the bytes of .debug_line are read.
 *
 * Each unit reads its line table, and any number of units may refer to one
 * table.  From compilers few units do, but for partial units (dwz), which have
 * no code; many units with one long table would take hours.  So all units
 * together may read a multiple of the section's size: first the units that
 * claim addresses, in the order of .debug_info, then the others.  Units beyond
 * that take their rows from a table that is read once (shared_lines.h).
 */
#ifndef GSYM_DWARF_LINE_BUDGET_H
#define GSYM_DWARF_LINE_BUDGET_H

#include "base/cursor.h"
#include "dwarf/unit.h"

/** The line table of a unit. */
struct dw_line_use {
	bool has_lines;	 /**< the unit has a line table, at OFFSET */
	uint64_t offset; /**< in .debug_line */
	bool claims;	 /**< the unit claims addresses */
	bool refused;	 /**< the budget was used up: do not read the table */
	/** What relative names in the table start from; NULL: nothing. */
	const char *directory;
	/** If refused: the number of the table among those that are read once
	 *  (shared_lines.h), from 1 on; 0: there is none. */
	uint32_t table;
};

/** Fill USES, one for each unit that READER has open as SELF, and decide which
 *  units may read their table.  LINE is .debug_line; CLAIMS are those of the
 *  units.  WORK tells how many bytes count as one. */
void gsym_dw_line_budget_share(const struct dw_reader *reader, void *self,
			       const struct dw_work *work,
			       struct gsym_cursor line,
			       const struct dw_claims *claims,
			       struct dw_line_use *uses);
/** The size of the line table at OFFSET of LINE, without its length field. */
uint64_t gsym_dw_line_table_size(struct gsym_cursor line, uint64_t offset);
/** Warn in UNIT that its table, USE, was refused, unless the unit has no code
 *  that needs rows. */
void gsym_dw_line_budget_warn(struct dw_unit *unit,
			      const struct dw_line_use *use);

#endif
