/* SPDX-License-Identifier: MIT */
#include "dwarf/second.h"

#include <stdlib.h>

/* Files. */

static bool add_file(struct second *s, Dwarf_Line_Context table,
		     Dwarf_Signed index, unsigned version,
		     const char *comp_dir, struct dw_unit *unit)
{
	const char *name = NULL, *directory = NULL;
	Dwarf_Unsigned number = 0, time, length;
	Dwarf_Form_Data16 *md5;
	Dwarf_Error error = NULL;
	struct dw_file *file = gsym_vec_push(&unit->files);

	if (!file)
		return false;
	*file = (struct dw_file){ NULL, NULL };
	if (second_checked(s,
			   dwarf_srclines_files_data_b(table, index, &name,
						       &number, &time, &length,
						       &md5, &error),
			   &error) != DW_DLV_OK ||
	    !name)
		return true;
	if ((number || version >= 5) && number <= INT32_MAX &&
	    second_checked(s,
			   dwarf_srclines_include_dir_data(
				   table, (Dwarf_Signed)number, &directory,
				   &error),
			   &error) != DW_DLV_OK)
		directory = NULL;
	if (version >= 5 && !number && directory)
		comp_dir = NULL;
	return dw_make_file(&unit->arena, comp_dir, directory, name, file);
}

static bool read_files(struct second *s, Dwarf_Line_Context table,
		       unsigned version, Dwarf_Die die, struct dw_unit *unit)
{
	const char *comp_dir = second_string(s, die, DW_AT_comp_dir);
	Dwarf_Signed base, count, end;
	Dwarf_Error error = NULL;

	if (second_checked(s,
			   dwarf_srclines_files_indexes(table, &base, &count,
							&end, &error),
			   &error) != DW_DLV_OK)
		return true;
	/* Up to DWARF 4 they are counted from 1 on. */
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
 * The file register.  It starts at 1; libdwarf 20210528 lets it start at 0
 * in DWARF 5, and a row does not say whether its file was set.  So the
 * program is followed once more, for nothing but that question.
 */
struct program {
	struct gsym_cursor c;
	const uint8_t *operands; /* count for opcode 1 and on */
	uint8_t opcode_base;
	bool set; /* DW_LNS_set_file came in this sequence */
	bool active;
};

static void find_program(struct second *s, Dwarf_Line_Context table,
			 struct program *p)
{
	const struct gsym_container *container = s->container;
	Dwarf_Error error = NULL;
	unsigned offset_size = 4;
	Dwarf_Unsigned offset;
	uint64_t length;

	p->active = second_checked(s,
				   dwarf_srclines_table_offset(table, &offset,
							       &error),
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
	gsym_cursor_skip(&p->c, 4); /* version, address and selector size */
	length = gsym_cursor_uint(&p->c, offset_size);

	struct gsym_cursor header = p->c;

	gsym_cursor_skip(&p->c, length);
	gsym_cursor_skip(&header, 5);
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

/* Go past the next row; whether no file was set for it. */
static bool row_has_first_file(struct program *p)
{
	while (p->active && gsym_cursor_left(&p->c)) {
		uint8_t opcode = gsym_cursor_u8(&p->c);

		if (opcode >= p->opcode_base || opcode == DW_LNS_copy)
			return !p->set;
		if (!opcode) {
			if (extended_opcode(p)) {
				bool set = p->set;

				p->set = false;
				return !set;
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

/* Sorting that keeps the order of equals. */

struct numbered_row {
	struct dw_row row;
	size_t number;
};

static int compare_rows(const void *a, const void *b)
{
	const struct numbered_row *x = a, *y = b;

	if (x->row.address != y->row.address)
		return x->row.address < y->row.address ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool sort_rows(struct dw_row *rows, size_t count)
{
	struct numbered_row *sorted;
	bool in_order = true;

	for (size_t i = 1; i < count; i++)
		in_order &= rows[i - 1].address <= rows[i].address;
	if (in_order)
		return true;
	sorted = malloc(count * sizeof(*sorted));
	if (!sorted)
		return false;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct numbered_row){ rows[i], i };
	qsort(sorted, count, sizeof(*sorted), compare_rows);
	for (size_t i = 0; i < count; i++)
		rows[i] = sorted[i].row;
	free(sorted);
	return true;
}

/* No two sequences begin at the same row. */
static int compare_sequences(const void *a, const void *b)
{
	const struct dw_sequence *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->first_row < y->first_row ? -1 : x->first_row > y->first_row;
}

/* Rows. */

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
		second_checked(s, DW_DLV_ERROR, &error);
		return false;
	}
	*ret = (struct row){ address, file, number, end };
	return true;
}

/* The rows from FIRST on are a sequence that ends at END: keep it or drop
 * it.  UNTOUCHED is the address of the first row as it is stored. */
static bool end_sequence(const struct second_unit *u, struct dw_unit *unit,
			 size_t first, uint64_t untouched, uint64_t end)
{
	size_t count = unit->rows.count - first;
	struct dw_sequence *sequence;
	struct dw_row *rows;

	if (!count)
		return true;
	rows = unit->rows.items + first;
	if (!sort_rows(rows, count))
		return false;
	if (dw_is_tombstone(untouched, u->address_size) ||
	    rows[0].address >= end) {
		unit->rows.count = first;
		return true;
	}
	sequence = gsym_vec_push(&unit->sequences);
	if (!sequence)
		return false;
	*sequence = (struct dw_sequence){ rows[0].address, end,
					  (uint32_t)first, (uint32_t)count };
	return true;
}

static bool read_rows(struct second *s, const struct second_unit *u,
		      Dwarf_Line *lines, Dwarf_Signed count,
		      struct program *program, struct dw_unit *unit)
{
	size_t first = unit->rows.count;
	uint64_t untouched = 0;
	struct row row;

	for (Dwarf_Signed i = 0; i < count; i++) {
		struct dw_row *item;

		if (!get_row(s, lines[i], &row))
			break;
		if (program->active && row_has_first_file(program))
			row.file = 1;
		if (unit->rows.count == first)
			untouched = row.address;
		row.address = second_code_address(s, u, row.address);
		if (row.end) {
			if (!end_sequence(u, unit, first, untouched,
					  row.address))
				return false;
			first = unit->rows.count;
			continue;
		}
		item = gsym_vec_push(&unit->rows);
		if (!item)
			return false;
		*item = (struct dw_row){
			row.address,
			row.file > UINT32_MAX ? DW_NO_FILE : (uint32_t)row.file,
			(uint32_t)row.line
		};
	}
	if (unit->rows.count > first)
		dw_unit_warn(unit, GSYM_WARN_BAD_LINE_TABLE,
			     ".debug_line: a sequence of the unit at 0x%llx "
			     "has no end",
			     (unsigned long long)u->offset);
	unit->rows.count = first;
	if (unit->sequences.count > 1)
		qsort(unit->sequences.items, unit->sequences.count,
		      sizeof(*unit->sequences.items), compare_sequences);
	return true;
}

bool second_read_lines(struct second *s, const struct second_unit *u,
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
	if (second_warned(s, res, &error, unit, GSYM_WARN_BAD_LINE_TABLE,
			  ".debug_line: table of the unit",
			  u->offset) != DW_DLV_OK)
		return true;
	res = dwarf_srclines_from_linecontext(table, &lines, &count, &error);
	/* The files come after the rows, which may have added some. */
	fine = read_files(s, table, (unsigned)version, die, unit);
	if (version == 5)
		find_program(s, table, &program);
	if (fine && second_warned(s, res, &error, unit,
				  GSYM_WARN_BAD_LINE_TABLE,
				  ".debug_line: rows of the unit",
				  u->offset) == DW_DLV_OK)
		fine = read_rows(s, u, lines, count, &program, unit);
	dwarf_srclines_dealloc_b(table);
	return fine;
}
