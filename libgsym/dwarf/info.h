/* SPDX-License-Identifier: MIT */
/*
 * dwarf/info.h - all units of a file: headers, abbreviations, unit DIEs.
 *
 * They are read once, when the file is opened; nothing changes from then on,
 * so that workers share them and follow references from one unit into
 * another, of the file itself or of the one that it refers to (dwz).
 */
#ifndef GSYM_DWARF_INFO_H
#define GSYM_DWARF_INFO_H

#include "dwarf/abbrev.h"
#include "dwarf/unit.h"

/** An abbreviation table and the units that use it, next to each other in
 *  ORDER. */
struct dw_table {
	struct dw_abbrevs abbrevs;
	size_t first;
	size_t count;
};

/** Offsets of DIEs count from the start of a section, and DWARF 4 has type
 *  units in one of their own: the same sections but for that one. */
struct dw_part {
	struct dw_sections sections;
	struct dw_headers headers;
};

/** It must not be moved once it is open. */
struct dw_info {
	struct dw_part info;  /**< .debug_info */
	struct dw_part types; /**< .debug_types */
	struct dw_signatures signatures;
	/* All headers, by abbreviation table. */
	struct { GSYM_VEC(struct dw_header *); } order;
	struct { GSYM_VEC(struct dw_table); } tables;
};

/** Read CONTAINER's units, with references into ALTERNATE (may be NULL).
 *  Damage becomes warnings in NOTES.  False without memory; INFO, a zeroed
 *  one, has to be closed in any case. */
bool gsym_dw_info_open(struct dw_info *info,
		       const struct gsym_container *container,
		       const struct dw_info *alternate, unsigned threads,
		       struct dw_unit *notes);
void gsym_dw_info_close(struct dw_info *info);

/** Read the unit DIE of HEADER; false if it cannot be read. */
bool gsym_dw_unit_die_read(const struct dw_header *header,
			   struct dw_attributes *ret);

#endif
