/* SPDX-License-Identifier: MIT */
/* dwarf/lines.h - line number programs, DWARF 2 to 5. */
#ifndef GSYM_DWARF_LINES_H
#define GSYM_DWARF_LINES_H

#include "dwarf/sections.h"
#include "dwarf/unit.h"

/** The tables of a line program's header.  A zeroed struct is empty; it can
 *  be filled again and again. */
struct dw_line_tables {
	struct { GSYM_VEC(const char *); } directories;
	struct {
		GSYM_VEC(struct dw_line_file {
			const char *name; /* NULL: no such file */
			uint64_t directory;
		});
	} files;
	uint16_t version;
};

void gsym_dw_line_tables_fini(struct dw_line_tables *tables);

/** Run the line program of HEADER's unit: rows and sequences go to UNIT, the
 *  tables to TABLES.  Damage becomes a warning.  False without memory. */
bool gsym_dw_lines_read(const struct dw_sections *s,
			const struct dw_header *header,
			struct dw_line_tables *tables, struct dw_unit *unit);

/** Fill in those of UNIT's files that its rows and calls refer to.  False
 *  without memory. */
bool gsym_dw_lines_name_files(const struct dw_header *header,
			      const struct dw_line_tables *tables,
			      struct dw_unit *unit);

#endif
