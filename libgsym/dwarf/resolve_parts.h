/* SPDX-License-Identifier: MIT */
/*
 * dwarf/resolve_parts.h - what resolve.c shares with the files that do parts
 * of its work: rows.c, which rows are in force where, and folded.c, the
 * functions that others hide.
 */
#ifndef GSYM_DWARF_RESOLVE_PARTS_H
#define GSYM_DWARF_RESOLVE_PARTS_H

#include "dwarf/resolve.h"

/* rows.c */

/** The rows in force in RANGE, of the function at hand. */
bool gsym_dw_resolve_rows(struct dw_result *r, const struct dw_unit *unit,
			  struct gsym_range range, uint32_t *row_count);

/* resolve.c */

/** Find the depth of each node in the tree of its function. */
bool gsym_dw_resolve_depths(struct dw_result *r, const struct dw_unit *unit);
/** Records for the stretch RANGE of the function ROOT, where it is owned;
 *  of the stretches of the extents, FIRST to LAST lie in it. */
bool gsym_dw_resolve_stretch(struct dw_result *r, struct dw_unit *unit,
			     const struct gsym_range *owned, size_t count,
			     uint32_t root, size_t first, size_t last,
			     struct gsym_range range);

/* folded.c */

/** Note the ranges of the function NODE for which there is no record like
 *  them among those from FIRST_RECORD on. */
bool gsym_dw_note_hidden(struct dw_result *r, const struct dw_unit *unit,
			 uint32_t node, size_t first_record);
/** Folded records for the ranges that were noted. */
bool gsym_dw_resolve_hidden(struct dw_result *r, const struct dw_unit *unit);

#endif
