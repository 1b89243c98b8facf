/* SPDX-License-Identifier: MIT */
/* Reads range lists and line tables through libdwarf. */
#include "second/libdwarf.h"

#include <inttypes.h>

/* ---- ranges -------------------------------------------------------------- */

/* The ranges of a DIE, while they are being read. */
struct list {
	struct libdwarf *s;
	const struct libdwarf_unit *u;
	struct dw_range_list found;
};

/* Use the budget for COUNT entries; false if they are too much work. */
static bool take_entries(struct list *l, uint64_t count)
{
	return dw_unit_take(l->found.unit, DW_CUT_RANGES,
			    count * DW_COST_RANGE);
}

/* Read the list at OFFSET of .debug_ranges. */
static bool read_old_list(struct list *l, Dwarf_Die die, uint64_t offset,
			  struct dw_unit *unit)
{
	struct libdwarf *s = l->s;
	Dwarf_Ranges *entries;
	Dwarf_Signed count;
	bool fine = true;

	if (!libdwarf_read(s, unit, GSYM_WARN_BAD_RANGES, ".debug_ranges: list",
			   offset, dwarf_get_ranges_b, s->dbg, offset, die,
			   NULL, &entries, &count, NULL))
		return true;
	if (!take_entries(l, (uint64_t)count))
		count = 0;
	for (Dwarf_Signed i = 0; fine && i < count; i++)
		switch (entries[i].dwr_type) {
		case DW_RANGES_ENTRY:
			fine = gsym_dw_range_add_relative(&l->found,
							  entries[i].dwr_addr1,
							  entries[i].dwr_addr2);
			break;
		case DW_RANGES_ADDRESS_SELECTION:
			l->found.base = entries[i].dwr_addr2;
			break;
		case DW_RANGES_END:
			break;
		}
	dwarf_dealloc(s->dbg, entries, DW_DLA_RANGES);
	return fine;
}

/* Add an entry of .debug_rnglists with the operands FIRST and SECOND, as they
 * are stored.  The base is added here: libdwarf knows no tombstones. */
static bool add_entry(struct list *l, Dwarf_Die die, unsigned kind,
		      uint64_t first, uint64_t second)
{
	switch (kind) {
	case DW_RLE_base_addressx:
		if (!gsym_libdwarf_indexed_address(l->s, die, first,
						   &l->found.base))
			l->found.base = UINT64_MAX;
		break;
	case DW_RLE_base_address:
		l->found.base = first;
		break;
	case DW_RLE_startx_endx:
		if (gsym_libdwarf_indexed_address(l->s, die, first, &first) &&
		    gsym_libdwarf_indexed_address(l->s, die, second, &second))
			return gsym_dw_range_add(&l->found, first, second);
		break;
	case DW_RLE_startx_length:
		if (gsym_libdwarf_indexed_address(l->s, die, first, &first))
			return gsym_dw_range_add(&l->found, first,
						 first + second);
		break;
	case DW_RLE_offset_pair:
		return gsym_dw_range_add_relative(&l->found, first, second);
	case DW_RLE_start_end:
		return gsym_dw_range_add(&l->found, first, second);
	case DW_RLE_start_length:
		return gsym_dw_range_add(&l->found, first, first + second);
	}
	return true;
}

/* Whether the list that DW_AT_ranges names by NUMBER, of FORM, begins in the
 * table that libdwarf will read it from; libdwarf does not check it.  In a
 * split unit, where libdwarf finds no list by its index, NUMBER becomes the
 * offset. */
static bool list_exists(const struct list *l, unsigned *form, uint64_t *number)
{
	uint64_t value = *number;
	const struct libdwarf *s = l->s;
	const struct libdwarf_table *t = s->tables.items;
	const struct libdwarf_table *end =
		gsym_vec_from(&s->tables, s->tables.count);
	uint64_t anchor = l->u->has_lists ? l->u->h.rnglists_base : value;

	while (t < end && t->end <= anchor)
		t++;
	if (t == end || t->offsets > anchor)
		return false;
	if (*form == DW_FORM_rnglistx) {
		struct gsym_cursor c =
			gsym_container_named(s->container, ".debug_rnglists");

		if (value >= t->count)
			return false;
		gsym_cursor_seek(&c, t->offsets + value * t->offset_size);
		value = gsym_cursor_uint(&c, t->offset_size);
		if (value >= t->end - t->offsets)
			return false;
		value += t->offsets;
	}
	if (s->split) {
		*form = DW_FORM_sec_offset;
		*number = value;
	}
	return value >= t->offsets && value < t->end;
}

static bool read_new_list(struct list *l, Dwarf_Die die,
			  Dwarf_Attribute attribute, unsigned form,
			  uint64_t value, struct dw_unit *unit)
{
	struct libdwarf *s = l->s;
	Dwarf_Rnglists_Head head;
	Dwarf_Unsigned count;
	bool fine = true;

	if (!libdwarf_read(s, unit, GSYM_WARN_BAD_RANGES,
			   ".debug_rnglists: list of the DIE",
			   gsym_libdwarf_offset(s, die),
			   dwarf_rnglists_get_rle_head, attribute,
			   (Dwarf_Half)form, value, &head, &count, NULL))
		return true;
	if (!take_entries(l, count))
		count = 0;
	for (Dwarf_Unsigned i = 0; fine && i < count; i++) {
		Dwarf_Unsigned first, second;
		unsigned kind, length;

		if (!libdwarf_ok(s, dwarf_get_rnglists_entry_fields_a, head, i,
				 &length, &kind, &first, &second, NULL, NULL,
				 NULL))
			break;
		fine = add_entry(l, die, kind, first, second);
	}
	dwarf_dealloc_rnglists_head(head);
	return fine;
}

static bool read_list(struct list *l, Dwarf_Die die, Dwarf_Attribute attribute,
		      struct dw_unit *unit)
{
	unsigned form = gsym_libdwarf_form(l->s, attribute);
	Dwarf_Off offset;
	uint64_t value;

	if (form == DW_FORM_sec_offset || form == DW_FORM_data4 ||
	    form == DW_FORM_data8) {
		if (!libdwarf_read(l->s, unit, GSYM_WARN_BAD_RANGES,
				   ".debug_info: DW_AT_ranges of the DIE",
				   gsym_libdwarf_offset(l->s, die),
				   dwarf_global_formref, attribute, &offset))
			return true;
		value = offset;
	} else if (!gsym_libdwarf_constant_value(l->s, attribute, &value)) {
		return true;
	}
	if (l->u->h.encoding.version < 5)
		return read_old_list(l, die, value, unit);
	if (list_exists(l, &form, &value))
		return read_new_list(l, die, attribute, form, value, unit);
	if (unit)
		gsym_dw_unit_warn(unit, GSYM_WARN_BAD_RANGES,
				  ".debug_rnglists: no list 0x%" PRIx64
				  " for the DIE at "
				  "offset 0x%" PRIx64,
				  value, gsym_libdwarf_offset(l->s, die));
	return true;
}

/* DW_AT_high_pc: the end of a range, or, if *LENGTH, the length. */
static bool read_end(struct libdwarf *s, Dwarf_Die die, uint64_t *ret,
		     bool *length)
{
	Dwarf_Attribute attribute;
	unsigned form;
	bool found;

	if (!gsym_libdwarf_attribute(s, die, DW_AT_high_pc, &attribute))
		return false;
	form = gsym_libdwarf_form(s, attribute);
	*length =
		form != DW_FORM_addr && !dwarf_addr_form_is_indexed((int)form);
	found = *length ? gsym_libdwarf_constant_value(s, attribute, ret)
			: gsym_libdwarf_address_value(s, attribute, ret);
	dwarf_dealloc_attribute(attribute);
	return found;
}

bool gsym_libdwarf_read_ranges(struct libdwarf *s,
			       const struct libdwarf_unit *u, Dwarf_Die die,
			       bool inlined, struct gsym_range_set *ranges,
			       struct dw_unit *unit)
{
	struct list l = {
		.s = s,
		.u = u,
		.found = {
			.code = libdwarf_code(s, u),
			.base = u->h.low_pc,
			.ranges = ranges,
			.unit = unit,
			.inlined = inlined,
		},
	};
	Dwarf_Attribute attribute;
	uint64_t start, end = 0;
	bool length = false, fine;

	if (gsym_libdwarf_address(s, die, DW_AT_low_pc, &start) &&
	    read_end(s, die, &end, &length))
		return !take_entries(&l, 1) ||
		       (length ? gsym_dw_range_add_length(&l.found, start, end)
			       : gsym_dw_range_add(&l.found, start, end));
	/* libdwarf reads a list before its size is known. */
	if (unit->work.exceeded ||
	    !gsym_libdwarf_attribute(s, die, DW_AT_ranges, &attribute))
		return true;
	fine = read_list(&l, die, attribute, unit);
	dwarf_dealloc_attribute(attribute);
	return fine;
}

/* ---- line tables --------------------------------------------------------- */

/* ---- files -------------------------------------------------------------- */

static bool add_file(struct libdwarf *s, Dwarf_Line_Context table,
		     Dwarf_Signed index, unsigned version, const char *comp_dir,
		     struct dw_unit *unit)
{
	struct dw_file_parts parts = { .version = version,
				       .comp_dir = comp_dir };
	Dwarf_Unsigned number = 0, time, length;
	Dwarf_Form_Data16 *md5;

	if (!gsym_vec_add(&unit->files, (struct dw_file){ NULL, NULL }))
		return false;
	if (!libdwarf_ok(s, dwarf_srclines_files_data_b, table, index,
			 &parts.name, &number, &time, &length, &md5) ||
	    !parts.name)
		return true;
	parts.index = number;
	if ((number || version >= 5) && number <= INT32_MAX &&
	    !libdwarf_ok(s, dwarf_srclines_include_dir_data, table,
			 (Dwarf_Signed)number, &parts.directory))
		parts.directory = NULL;
	return gsym_dw_make_file(unit, &parts,
				 &unit->files.items[unit->files.count - 1]);
}

static bool read_files(struct libdwarf *s, Dwarf_Line_Context table,
		       unsigned version, Dwarf_Die die, struct dw_unit *unit)
{
	const char *comp_dir = gsym_libdwarf_string(s, die, DW_AT_comp_dir);
	Dwarf_Signed base, count, end;

	if (!libdwarf_ok(s, dwarf_srclines_files_indexes, table, &base, &count,
			 &end))
		return true;
	/* Up to DWARF 4 files count from 1. */
	if (base == 1 &&
	    !gsym_vec_add(&unit->files, (struct dw_file){ NULL, NULL }))
		return false;
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

static void find_program(struct libdwarf *s, Dwarf_Line_Context table,
			 struct program *p)
{
	const struct gsym_container *container = s->container;
	struct gsym_cursor header;
	unsigned offset_size = 4;
	Dwarf_Unsigned offset;
	uint64_t length;
	uint16_t version;

	p->active = libdwarf_ok(s, dwarf_srclines_table_offset, table, &offset);
	if (!p->active)
		return;
	p->c = gsym_container_named(container, ".debug_line");
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
	p->operands = gsym_cursor_bytes(
		&header, p->opcode_base ? p->opcode_base - 1u : 0);
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

static bool get_row(struct libdwarf *s, Dwarf_Line line, struct row *ret)
{
	Dwarf_Unsigned file = 0, number = 0;
	Dwarf_Addr address = 0;
	Dwarf_Bool end = 0;

	if (!libdwarf_ok(s, dwarf_lineaddr, line, &address) ||
	    !libdwarf_ok(s, dwarf_line_srcfileno, line, &file) ||
	    !libdwarf_ok(s, dwarf_lineno, line, &number) ||
	    !libdwarf_ok(s, dwarf_lineendsequence, line, &end))
		return false;
	*ret = (struct row){ address, file, number, end };
	return true;
}

static bool read_rows(struct libdwarf *s, const struct libdwarf_unit *u,
		      Dwarf_Line *lines, Dwarf_Signed count,
		      struct program *program, struct dw_unit *unit)
{
	struct dw_open_sequence open = {
		.first_row = unit->lines.rows.count,
		.offset = gsym_cursor_offset(&program->c),
	};
	struct dw_code code = libdwarf_code(s, u);
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
						    u->h.encoding.address_size);
			open.offset = gsym_cursor_offset(&program->c);
		} else {
			fine = dw_row_add(unit, &open, row.address,
					  (uint32_t)row.file,
					  (uint32_t)row.line);
		}
		if (!fine)
			return false;
	}
	if (unit->lines.rows.count > open.first_row)
		gsym_dw_unit_warn(
			unit, GSYM_WARN_BAD_LINE_TABLE,
			".debug_line: a sequence of the unit at 0x%" PRIx64
			" has no end",
			u->h.offset);
	unit->lines.rows.count = open.first_row;
	return gsym_dw_sequences_sort(unit);
}

/* Use the work of reading the line table of the unit with the unit DIE DIE.
 * False if there is none, and beyond the budget of UNIT. */
static bool take_table(struct libdwarf *s, Dwarf_Die die, struct dw_unit *unit)
{
	const struct gsym_container *c = s->container;
	uint64_t offset;

	return gsym_libdwarf_section_offset(s, die, DW_AT_stmt_list, &offset) &&
	       gsym_dw_unit_take_lines(
		       unit, gsym_container_named(c, ".debug_line"), offset);
}

bool gsym_libdwarf_read_lines(struct libdwarf *s, const struct libdwarf_unit *u,
			      Dwarf_Die die, struct dw_unit *unit)
{
	struct program program = { .active = false };
	Dwarf_Line_Context table;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Line *lines;
	Dwarf_Signed count;
	bool fine, has_rows;

	if (!take_table(s, die, unit) ||
	    !libdwarf_read(s, unit, GSYM_WARN_BAD_LINE_TABLE,
			   ".debug_line: table of the unit", u->h.offset,
			   dwarf_srclines_b, die, &version, &tables, &table))
		return true;
	has_rows = libdwarf_read(s, unit, GSYM_WARN_BAD_LINE_TABLE,
				 ".debug_line: rows of the unit", u->h.offset,
				 dwarf_srclines_from_linecontext, table, &lines,
				 &count);
	/* Files come after rows: the program may have added some. */
	fine = read_files(s, table, (unsigned)version, die, unit);
	find_program(s, table, &program);
	if (fine && has_rows)
		fine = read_rows(s, u, lines, count, &program, unit);
	dwarf_srclines_dealloc_b(table);
	return fine;
}
