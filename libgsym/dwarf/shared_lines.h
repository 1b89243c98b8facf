/* SPDX-License-Identifier: MIT */
/*
 * dwarf/shared_lines.h - line tables that so many units refer to that each unit
 * cannot read them whole (line_budget.h).
 *
 * Such a table is read once, before the units, and each unit takes the rows of
 * its own addresses.  The tables together may have twice the bytes of
 * .debug_line, because they stay in memory.
 */
#ifndef GSYM_DWARF_SHARED_LINES_H
#define GSYM_DWARF_SHARED_LINES_H

#include "dwarf/line_budget.h"

/** A zeroed struct has no tables. */
struct dw_shared_lines {
	struct {
		GSYM_VEC(struct dw_unit); /**< rows, sequences and files */
	} tables;
};

/** Read the tables that USES refuses to units with claims, and let these units
 *  refer to them (struct dw_line_use).  The other arguments are those of
 *  gsym_dw_line_budget_share.  Work is taken from WORK.  False without
 *  memory. */
bool gsym_dw_shared_lines_read(const struct dw_reader *reader, void *self,
			       struct dw_work *work, struct gsym_cursor line,
			       struct dw_line_use *uses,
			       struct dw_shared_lines *ret);
/** Give UNIT, which has nodes and no lines, the files of TABLE, and the rows
 *  for the COUNT ranges at OWNED; with DW_WANT_FOLDED also those of its
 *  functions.  TABLE has to outlive the content of UNIT.  False without
 *  memory. */
bool gsym_dw_shared_lines_take(struct dw_unit *unit,
			       const struct dw_unit *table,
			       const struct gsym_range *owned, size_t count);
void gsym_dw_shared_lines_fini(struct dw_shared_lines *shared);

#endif
