/* SPDX-License-Identifier: MIT */
/* Reads headers of line tables, and runs line number programs. */
#include "dwarf/scan.h"

#include "dwarf/policy.h"

#include <inttypes.h>
#include <string.h>

/* The directories and files in the header of a line table. */
struct dw_line_tables {
	GSYM_VEC_OF(const char *) directories;
	struct {
		GSYM_VEC(struct dw_line_file {
			const char *name; /* NULL: no such file */
			uint64_t directory;
		});
	} files;
	uint16_t version;
};

/* The fields of the header that its line number program needs. */
struct program {
	struct dw_encoding encoding;
	uint8_t min_inst_length;
	uint8_t max_ops;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	const uint8_t *opcode_lengths;
};

static bool add_file(struct dw_line_tables *tables, const char *name,
		     uint64_t directory)
{
	return gsym_vec_add(&tables->files,
			    (struct dw_line_file){ name, directory });
}

/* Read the fields after the NAME of a file, as versions 2 to 4 store them. */
static bool read_old_file(struct gsym_cursor *c, const char *name,
			  struct dw_line_tables *tables)
{
	uint64_t directory = gsym_cursor_uleb(c);

	gsym_cursor_skip_leb(c); /* time */
	gsym_cursor_skip_leb(c); /* size */
	return c->failed || add_file(tables, name, directory);
}

/* Read the directories and files of versions 2 to 4.  Directory 0 is the
 * compilation directory, which is not stored; files count from 1. */
static bool read_old_tables(struct gsym_cursor *c,
			    struct dw_line_tables *tables)
{
	const char *name;

	if (!gsym_vec_add(&tables->directories, NULL) ||
	    !add_file(tables, NULL, 0))
		return false;
	while (name = gsym_cursor_string(c), *name)
		if (!gsym_vec_add(&tables->directories, name))
			return false;
	while (name = gsym_cursor_string(c), *name)
		if (!read_old_file(c, name, tables))
			return false;
	return true;
}

/* A field of the entries of a table of version 5. */
struct field {
	uint64_t type; /* DW_LNCT_* */
	uint16_t form; /* 0: unknown */
};

/* Read the COUNT fields at C into FIELDS, but for those that take no bytes:
 * they hold neither a name nor an index, and a header of a few bytes could have
 * 255 of them for each entry.  Returns how many fields there are. */
static unsigned read_fields(struct gsym_cursor *c, unsigned count,
			    struct dw_encoding encoding, struct field *fields)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t type = gsym_cursor_uleb(c);
		uint64_t form = gsym_cursor_uleb(c);

		fields[kept].type = type;
		fields[kept].form = form <= UINT16_MAX ? (uint16_t)form : 0;
		if (gsym_dw_form_size(fields[kept].form, encoding))
			kept++;
	}
	return kept;
}

/* Read the directories or (IS_FILES) the files of version 5. */
static bool read_new_table(const struct dw_header *header,
			   struct dw_encoding encoding, struct gsym_cursor *c,
			   bool is_files, struct dw_line_tables *tables)
{
	struct field fields[UINT8_MAX];
	unsigned field_count =
		read_fields(c, gsym_cursor_u8(c), encoding, fields);
	uint64_t count = gsym_cursor_uleb(c);

	/* Entries take a byte at least.  Entries of no size could have any
	 * count. */
	if (count > gsym_cursor_left(c))
		gsym_cursor_fail(c);
	for (; count && !c->failed; count--) {
		const char *name = NULL;
		uint64_t directory = 0;

		for (unsigned i = 0; i < field_count; i++) {
			struct dw_value value = gsym_dw_value_read(
				c, fields[i].form, encoding);

			if (fields[i].type == DW_LNCT_path)
				name = gsym_dw_value_string(header, value);
			else if (fields[i].type == DW_LNCT_directory_index)
				gsym_dw_value_constant(value, &directory);
		}
		if (c->failed)
			break;
		if (is_files ? !add_file(tables, name, directory)
			     : !gsym_vec_add(&tables->directories, name))
			return false;
	}
	return true;
}

enum outcome { DONE, DAMAGED, NO_MEMORY };

/* Read the header, up to its line number program.  C then ends where the table
 * ends. */
static enum outcome read_header(const struct dw_header *header,
				struct gsym_cursor *c, struct program *p,
				struct dw_line_tables *tables)
{
	uint64_t length, program;
	bool ok;

	p->encoding = header->encoding;
	length = dw_length_read(c, &p->encoding.offset_size);
	if (!gsym_cursor_need(c, length))
		return DAMAGED;
	c->end = c->at + length;
	p->encoding.version = gsym_cursor_u16(c);
	tables->version = p->encoding.version;
	if (p->encoding.version < 2 || p->encoding.version > 5)
		return DAMAGED;
	if (p->encoding.version >= 5) {
		p->encoding.address_size = gsym_cursor_u8(c);
		gsym_cursor_u8(c); /* segment selector size */
	}
	program = gsym_cursor_uint(c, p->encoding.offset_size);
	if (!gsym_cursor_need(c, program))
		return DAMAGED;
	program += gsym_cursor_offset(c);
	p->min_inst_length = gsym_cursor_u8(c);
	p->max_ops = p->encoding.version >= 4 ? gsym_cursor_u8(c) : 1;
	gsym_cursor_u8(c); /* default_is_stmt */
	p->line_base = (int8_t)gsym_cursor_u8(c);
	p->line_range = gsym_cursor_u8(c);
	p->opcode_base = gsym_cursor_u8(c);
	p->opcode_lengths = gsym_cursor_bytes(
		c, p->opcode_base ? p->opcode_base - 1u : 0);
	if (p->encoding.version >= 5)
		ok = read_new_table(header, p->encoding, c, false, tables) &&
		     read_new_table(header, p->encoding, c, true, tables);
	else
		ok = read_old_tables(c, tables);
	if (!ok)
		return NO_MEMORY;
	gsym_cursor_seek(c, program);
	return c->failed ? DAMAGED : DONE;
}

/* The registers of the state machine that look-ups need. */
struct machine {
	const struct program *program;
	uint64_t address;
	uint64_t op_index;
	uint32_t file;
	uint32_t line;
	/* The bits of addresses: without those beyond the address size, and
	 * without the instruction set bit. */
	uint64_t mask;
};

static void reset(struct machine *m)
{
	m->address = m->op_index = 0;
	m->file = m->line = 1;
}

/* Advance by OPERATIONS.  They are instructions of the minimum length, unless
 * instructions hold several operations (VLIW). */
static inline void advance(struct machine *m, uint64_t operations)
{
	const struct program *p = m->program;

	if (p->max_ops > 1) {
		operations += m->op_index;
		m->op_index = operations % p->max_ops;
		operations /= p->max_ops;
	}
	m->address += operations * p->min_inst_length;
}

static enum outcome extended(struct machine *m, struct gsym_cursor *c,
			     struct dw_unit *unit,
			     struct dw_open_sequence *open,
			     struct dw_line_tables *tables)
{
	const struct program *p = m->program;
	uint64_t length = gsym_cursor_uleb(c);
	const uint8_t *bytes = gsym_cursor_bytes(c, length);
	struct gsym_cursor op;

	if (!bytes)
		return DAMAGED;
	op = gsym_cursor_init(bytes, length, c->swap);
	switch (gsym_cursor_u8(&op)) {
	case DW_LNE_end_sequence:
		if (!gsym_dw_sequence_end(unit, open, m->address & m->mask,
					  p->encoding.address_size))
			return NO_MEMORY;
		open->offset = gsym_cursor_offset(c);
		reset(m);
		break;
	case DW_LNE_set_address:
		m->address = gsym_cursor_uint(&op, (unsigned)length - 1);
		m->op_index = 0;
		break;
	case DW_LNE_define_file:
		if (!read_old_file(&op, gsym_cursor_string(&op), tables))
			return NO_MEMORY;
		break;
	}
	return op.failed ? DAMAGED : DONE;
}

/* Step over an extended opcode that changes nothing here.  In the output of
 * compilers every other opcode can be such a one, DW_LNE_set_discriminator. */
static inline bool skip_extended(struct gsym_cursor *c)
{
	/* The length counts the opcode, too. */
	if (c->end - c->at < 2 || !c->at[0] || c->at[0] >= 0x80 ||
	    c->at[0] >= c->end - c->at || c->at[1] <= DW_LNE_define_file)
		return false;
	c->at += 1 + c->at[0];
	return true;
}

static inline void standard(struct machine *m, struct gsym_cursor *c,
			    uint8_t opcode)
{
	const struct program *p = m->program;

	switch (opcode) {
	case DW_LNS_advance_pc:
		advance(m, gsym_cursor_uleb(c));
		break;
	case DW_LNS_advance_line:
		m->line += (uint32_t)gsym_cursor_sleb(c);
		break;
	case DW_LNS_set_file:
		m->file = (uint32_t)gsym_cursor_uleb(c);
		break;
	case DW_LNS_set_column:
	case DW_LNS_set_isa:
		gsym_cursor_skip_leb(c);
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	case DW_LNS_const_add_pc:
		if (p->line_range)
			advance(m, (255u - p->opcode_base) / p->line_range);
		else
			gsym_cursor_fail(c);
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += gsym_cursor_u16(c);
		m->op_index = 0;
		break;
	default:
		for (unsigned n = p->opcode_lengths[opcode - 1]; n; n--)
			gsym_cursor_skip_leb(c);
	}
}

/* Run the program of P at CURSOR.  The loop works on copies of the cursor and
 * the machine whose address no function has, so that they are in registers. */
static enum outcome run(const struct program *p, struct gsym_cursor *cursor,
			bool code_bit0, struct dw_unit *unit,
			struct dw_line_tables *tables)
{
	struct dw_open_sequence open = { .first_row = unit->lines.rows.count };
	struct machine m = { .program = p }, copy;
	struct gsym_cursor c = *cursor;
	enum outcome outcome = DONE;
	/* Only debug info that was compressed exceptionally well has as many
	 * rows. */
	uint64_t most = unit->work.limit ? unit->work.limit / DW_COST_ROW_READ
					 : UINT64_MAX;

	m.mask = p->encoding.address_size < 8 ? UINT32_MAX : UINT64_MAX;
	m.mask &= ~(uint64_t)code_bit0;
	reset(&m);
	open.offset = gsym_cursor_offset(&c);
	while (outcome == DONE && c.at < c.end) {
		uint8_t opcode = *c.at++;

		if (opcode >= p->opcode_base) {
			unsigned special = opcode - p->opcode_base;

			if (!p->line_range) {
				*cursor = c;
				return DAMAGED;
			}
			advance(&m, special / p->line_range);
			m.line += (uint32_t)(p->line_base +
					     (int)(special % p->line_range));
		} else if (!opcode) {
			if (skip_extended(&c))
				continue;
			*cursor = c;
			copy = m;
			outcome = extended(&copy, cursor, unit, &open, tables);
			m = copy;
			c = *cursor;
			continue;
		} else if (opcode != DW_LNS_copy) {
			standard(&m, &c, opcode);
			continue;
		}
		if (unit->lines.rows.count >= most) {
			dw_unit_refuse(unit, DW_CUT_ROWS);
			unit->lines.rows.count = open.first_row;
			return DONE;
		}
		if (!dw_row_add(unit, &open, m.address & m.mask, m.file,
				m.line))
			return NO_MEMORY;
	}
	*cursor = c;
	if (outcome == DONE &&
	    (c.failed || unit->lines.rows.count > open.first_row))
		outcome = DAMAGED;
	/* Rows without an end_sequence are in no sequence. */
	unit->lines.rows.count = open.first_row;
	return outcome;
}

/* Read the line table of HEADER's unit: rows and sequences into UNIT,
 * directories and files into TABLES.  False without memory. */
static bool read_table(const struct dw_header *header,
		       struct dw_line_tables *tables, struct dw_unit *unit)
{
	const struct dw_sections *s = header->sections;
	struct gsym_cursor c = s->line;
	struct program program = { 0 };
	enum outcome outcome;

	if (!header->has_lines ||
	    !gsym_dw_unit_take_lines(unit, c, header->stmt_list))
		return true;
	gsym_cursor_seek(&c, header->stmt_list);
	outcome = read_header(header, &c, &program, tables);
	if (outcome == DONE)
		outcome = run(&program, &c, s->code_bit0, unit, tables);
	if (outcome == DAMAGED)
		gsym_dw_unit_warn(unit, GSYM_WARN_BAD_LINE_TABLE,
				  "line table at .debug_line+0x%" PRIx64
				  ", of the unit at .debug_info+0x%" PRIx64
				  ", breaks off at +0x%zx",
				  header->stmt_list, header->offset,
				  gsym_cursor_offset(&c));
	return outcome != NO_MEMORY && gsym_dw_sequences_sort(unit);
}

static bool name_file(const struct dw_header *header,
		      const struct dw_line_tables *tables, uint32_t index,
		      struct dw_unit *unit)
{
	const struct dw_line_file *file;
	struct dw_file_parts parts;

	if (index >= tables->files.count || unit->files.items[index].basename)
		return true;
	file = &tables->files.items[index];
	if (!file->name)
		return true;
	parts = (struct dw_file_parts){
		.version = tables->version,
		.comp_dir = header->comp_dir,
		.index = file->directory,
		.name = file->name,
	};
	if (file->directory < tables->directories.count)
		parts.directory = tables->directories.items[file->directory];
	return gsym_dw_make_file(unit, &parts, &unit->files.items[index]);
}

/* Fill the files of UNIT that its rows, nodes and variables refer to.  False
 * without memory. */
static bool name_files(const struct dw_header *header,
		       const struct dw_line_tables *tables,
		       struct dw_unit *unit)
{
	uint32_t last = DW_NO_FILE;

	if (!gsym_vec_reserve(&unit->files, tables->files.count))
		return false;
	unit->files.count = tables->files.count;
	if (unit->files.count)
		memset(unit->files.items, 0,
		       unit->files.count * sizeof(*unit->files.items));
	for (size_t i = 0; i < unit->lines.rows.count; i++) {
		uint32_t file = unit->lines.rows.items[i].file;

		if (file != last && !name_file(header, tables, file, unit))
			return false;
		last = file;
	}
	for (size_t i = 0; i < unit->nodes.count; i++)
		if (!name_file(header, tables, unit->nodes.items[i].call_file,
			       unit) ||
		    !name_file(header, tables,
			       unit->nodes.items[i].declared.file, unit))
			return false;
	for (size_t i = 0; i < unit->variables.count; i++)
		if (!name_file(header, tables,
			       unit->variables.items[i].declared.file, unit))
			return false;
	return true;
}

bool gsym_dw_lines_read(const struct dw_header *header, struct dw_unit *unit)
{
	struct dw_line_tables tables = { .version = 0 };
	bool ok = read_table(header, &tables, unit) &&
		  name_files(header, &tables, unit);

	gsym_vec_fini(&tables.directories);
	gsym_vec_fini(&tables.files);
	return ok;
}
