/* SPDX-License-Identifier: MIT */
/*
 * dwarf/info.h - all units of a file: headers, abbreviations, unit DIEs.
 *
 * They are read when the file is opened and do not change after that, so any
 * number of threads may use them and follow references from one unit into
 * another, of the same file or of its supplementary file (dwz).
 */
#ifndef GSYM_DWARF_INFO_H
#define GSYM_DWARF_INFO_H

#include "dwarf/abbrev.h"
#include "dwarf/unit.h"

/** An abbreviation table, and its users: COUNT units from FIRST on in the ORDER
 *  of struct dw_info. */
struct dw_table {
	struct dw_abbrevs abbrevs;
	size_t first;
	size_t count;
};

/** The units of one section.  Up to DWARF 4 type units are in .debug_types, in
 *  which their offsets count; all other sections are the same. */
struct dw_part {
	struct dw_sections sections; /**< INFO is the section of the units */
	struct dw_headers headers;
};

/** An open struct has pointers into itself, so it must not be moved. */
struct dw_info {
	struct dw_part info;  /**< .debug_info */
	struct dw_part types; /**< .debug_types */
	struct dw_signatures signatures;
	/** The headers of both parts, sorted by abbreviation table. */
	struct { GSYM_VEC(struct dw_header *); } order;
	struct { GSYM_VEC(struct dw_table); } tables;
};

/** Open INFO, which is zeroed: read the units of CONTAINER.  References into
 *  the supplementary file lead into ALTERNATE (NULL: nowhere).  Damage becomes
 *  warnings in NOTES.  False without memory.  INFO has to be closed in either
 *  case. */
bool gsym_dw_info_open(struct dw_info *info,
		       const struct gsym_container *container,
		       const struct dw_info *alternate, unsigned threads,
		       struct dw_unit *notes);
void gsym_dw_info_close(struct dw_info *info);

/** Read the unit DIE of HEADER; false if it cannot be read. */
bool gsym_dw_unit_die_read(const struct dw_header *header,
			   struct dw_attributes *ret);

#endif
