/* SPDX-License-Identifier: MIT */
/* dwarf/lines.h - reads line tables: headers and line number programs of
 * DWARF 2 to 5. */
#ifndef GSYM_DWARF_LINES_H
#define GSYM_DWARF_LINES_H

#include "dwarf/sections.h"
#include "dwarf/unit.h"

/** The directories and files in the header of a line table.  A zeroed struct
 *  is empty, and it can be filled any number of times. */
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

/** Read the line table of HEADER's unit: rows and sequences into UNIT,
 *  directories and files into TABLES.  Damage becomes a warning.  False without
 *  memory. */
bool gsym_dw_lines_read(const struct dw_sections *s,
			const struct dw_header *header,
			struct dw_line_tables *tables, struct dw_unit *unit);

/** Fill the files of UNIT that its rows, nodes and variables refer to, or ALL
 *  files.  False without memory. */
bool gsym_dw_lines_name_files(const struct dw_header *header,
			      const struct dw_line_tables *tables, bool all,
			      struct dw_unit *unit);

#endif
