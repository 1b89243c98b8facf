/* SPDX-License-Identifier: MIT */
/*
 * Reads line tables: libdwarf reads their headers, the code below runs their
 * programs.
 */
#include "dwarf/second.h"

#include <inttypes.h>

/* ---- files -------------------------------------------------------------- */

static bool add_file(struct second *s, Dwarf_Line_Context table,
		     Dwarf_Signed index, unsigned version,
		     const char *comp_dir, struct dw_unit *unit)
{
	struct dw_file_parts parts = { .version = version,
				       .comp_dir = comp_dir };
	Dwarf_Unsigned number = 0, time, length;
	Dwarf_Form_Data16 *md5;
	Dwarf_Error error = NULL;
	struct dw_file *file = gsym_vec_push(&unit->files);

	if (!file)
		return false;
	*file = (struct dw_file){ NULL, NULL };
	if (gsym_second_checked(s,
				dwarf_srclines_files_data_b(
					table, index, &parts.name, &number,
					&time, &length, &md5, &error),
				&error) != DW_DLV_OK ||
	    !parts.name)
		return true;
	parts.index = number;
	if ((number || version >= 5) && number <= INT32_MAX &&
	    gsym_second_checked(
		    s,
		    dwarf_srclines_include_dir_data(table, (Dwarf_Signed)number,
						    &parts.directory, &error),
		    &error) != DW_DLV_OK)
		parts.directory = NULL;
	return gsym_dw_make_file(unit, &parts, file);
}

static bool read_files(struct second *s, Dwarf_Line_Context table,
		       unsigned version, Dwarf_Die die, struct dw_unit *unit)
{
	const char *comp_dir = gsym_second_string(s, die, DW_AT_comp_dir);
	Dwarf_Signed base, count, end;
	Dwarf_Error error = NULL;

	if (gsym_second_checked(s,
				dwarf_srclines_files_indexes(
					table, &base, &count, &end, &error),
				&error) != DW_DLV_OK)
		return true;
	/* Up to DWARF 4 files count from 1. */
	if (base == 1) {
		struct dw_file *none = gsym_vec_push(&unit->files);

		if (!none)
			return false;
		*none = (struct dw_file){ NULL, NULL };
	}
	for (Dwarf_Signed i = base; i < end; i++)
		if (!add_file(s, table, i, version, comp_dir, unit))
			return false;
	return true;
}

/*
 * The line number program, read once more because libdwarf makes two mistakes.
 * In DWARF 5 the file register of 20210528 starts at 0, not at 1, and a row
 * does not tell whether its file was set.  And a row of a special opcode that
 * begins an epilogue is reported as the end of its sequence (in 0.11, too).
 */
struct program {
	struct gsym_cursor c;
	const uint8_t *operands; /* their number, by opcode from 1 on */
	uint8_t opcode_base;
	bool set;    /* DW_LNS_set_file has come in this sequence */
	bool active; /* the program could be found */
};

static void find_program(struct second *s, Dwarf_Line_Context table,
			 struct program *p)
{
	const struct gsym_container *container = s->container;
	Dwarf_Error error = NULL;
	struct gsym_cursor header;
	unsigned offset_size = 4;
	Dwarf_Unsigned offset;
	uint64_t length;
	uint16_t version;

	p->active =
		gsym_second_checked(
			s, dwarf_srclines_table_offset(table, &offset, &error),
			&error) == DW_DLV_OK;
	if (!p->active)
		return;
	p->c = gsym_container_cursor(
		container, gsym_container_section(container, ".debug_line"));
	gsym_cursor_seek(&p->c, offset);
	length = gsym_cursor_u32(&p->c);
	if (length == UINT32_MAX) {
		offset_size = 8;
		length = gsym_cursor_u64(&p->c);
	}
	if (gsym_cursor_need(&p->c, length))
		p->c.end = p->c.at + length;
	version = gsym_cursor_u16(&p->c);
	/* Address and selector size. */
	gsym_cursor_skip(&p->c, version >= 5 ? 2 : 0);
	length = gsym_cursor_uint(&p->c, offset_size);
	header = p->c;
	gsym_cursor_skip(&p->c, length);
	/* The fields up to line_range. */
	gsym_cursor_skip(&header, version >= 4 ? 5 : 4);
	p->opcode_base = gsym_cursor_u8(&header);
	p->operands = gsym_cursor_bytes(&header,
					p->opcode_base ? p->opcode_base - 1u
						       : 0);
	p->active = !p->c.failed && !header.failed && p->opcode_base;
}

/* Step over an extended opcode; true if it ends the sequence. */
static bool extended_opcode(struct program *p)
{
	uint64_t length = gsym_cursor_uleb(&p->c);
	const uint8_t *bytes = gsym_cursor_bytes(&p->c, length);

	return bytes && length && *bytes == DW_LNE_end_sequence;
}

/* Go to the next row.  *FIRST_FILE: its file was not set in this sequence.
 * *END: it is an end_sequence.  False if there is no row. */
static bool next_row(struct program *p, bool *first_file, bool *end)
{
	while (p->active && gsym_cursor_left(&p->c)) {
		uint8_t opcode = gsym_cursor_u8(&p->c);

		*first_file = !p->set;
		*end = false;
		if (opcode >= p->opcode_base || opcode == DW_LNS_copy)
			return true;
		if (!opcode) {
			*end = extended_opcode(p);
			if (*end) {
				p->set = false;
				return true;
			}
		} else if (opcode == DW_LNS_fixed_advance_pc) {
			gsym_cursor_skip(&p->c, 2);
		} else {
			for (int i = p->operands[opcode - 1]; i; i--)
				gsym_cursor_skip_leb(&p->c);
			p->set |= opcode == DW_LNS_set_file;
		}
	}
	return false;
}

/* ---- rows --------------------------------------------------------------- */

struct row {
	uint64_t address, file, line;
	bool end;
};

static bool get_row(struct second *s, Dwarf_Line line, struct row *ret)
{
	Dwarf_Unsigned file = 0, number = 0;
	Dwarf_Error error = NULL;
	Dwarf_Addr address = 0;
	Dwarf_Bool end = 0;

	if (dwarf_lineaddr(line, &address, &error) != DW_DLV_OK ||
	    dwarf_line_srcfileno(line, &file, &error) != DW_DLV_OK ||
	    dwarf_lineno(line, &number, &error) != DW_DLV_OK ||
	    dwarf_lineendsequence(line, &end, &error) != DW_DLV_OK) {
		gsym_second_checked(s, DW_DLV_ERROR, &error);
		return false;
	}
	*ret = (struct row){ address, file, number, end };
	return true;
}

static bool read_rows(struct second *s, const struct second_unit *u,
		      Dwarf_Line *lines, Dwarf_Signed count,
		      struct program *program, struct dw_unit *unit)
{
	struct dw_open_sequence open = {
		.first_row = unit->rows.count,
		.offset = gsym_cursor_offset(&program->c),
	};
	struct dw_code code = second_code(s, u);
	struct row row;

	for (Dwarf_Signed i = 0; i < count; i++) {
		bool fine, first_file, end;

		if (!get_row(s, lines[i], &row))
			break;
		if (next_row(program, &first_file, &end)) {
			row.file = first_file ? 1 : row.file;
			row.end = end;
		}
		row.address = dw_code_address(&code, row.address);
		if (row.end) {
			fine = gsym_dw_sequence_end(unit, &open, row.address,
						    u->address_size);
			open.offset = gsym_cursor_offset(&program->c);
		} else {
			fine = dw_row_add(unit, &open, row.address,
					  (uint32_t)row.file,
					  (uint32_t)row.line);
		}
		if (!fine)
			return false;
	}
	if (unit->rows.count > open.first_row)
		gsym_dw_unit_warn(
			unit, GSYM_WARN_BAD_LINE_TABLE,
			".debug_line: a sequence of the unit at 0x%" PRIx64
			" has no end",
			u->offset);
	unit->rows.count = open.first_row;
	gsym_dw_sequences_sort(unit);
	return true;
}

bool gsym_second_read_lines(struct second *s, const struct second_unit *u,
			    Dwarf_Die die, struct dw_unit *unit)
{
	struct program program = { .active = false };
	Dwarf_Line_Context table;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Line *lines;
	Dwarf_Signed count;
	bool fine = true;
	int res;

	res = dwarf_srclines_b(die, &version, &tables, &table, &error);
	if (gsym_second_warned(s, res, &error, unit, GSYM_WARN_BAD_LINE_TABLE,
			       ".debug_line: table of the unit",
			       u->offset) != DW_DLV_OK)
		return true;
	res = dwarf_srclines_from_linecontext(table, &lines, &count, &error);
	/* Files come after rows: the program may have added some. */
	fine = read_files(s, table, (unsigned)version, die, unit);
	find_program(s, table, &program);
	if (fine &&
	    gsym_second_warned(s, res, &error, unit, GSYM_WARN_BAD_LINE_TABLE,
			       ".debug_line: rows of the unit",
			       u->offset) == DW_DLV_OK)
		fine = read_rows(s, u, lines, count, &program, unit);
	dwarf_srclines_dealloc_b(table);
	return fine;
}
