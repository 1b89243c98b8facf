/* SPDX-License-Identifier: MIT */
/* Line tables: files, rows, sequences. */
#include "cases.h"

static const char *const old_directories[] = { "inc", "/abs/inc/", "../up" };
static const struct dwa_file old_files[] = {
	{ "a.c", 0 },     { "b.h", 1 },    { "c.h", 2 },
	{ "sub/d.h", 3 }, { "/e/f.h", 1 }, { "/root.h", 0 },
};

/* A unit for the table at OFFSET, with a compilation directory. */
static void table_unit(struct dwa *a, uint64_t offset)
{
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, false);
	dwa_string(a, DW_AT_comp_dir, DW_FORM_string, "/src");
	dwa_value(a, DW_AT_stmt_list, case_section_form(a), offset);
	dwa_unit_end(a);
}

/* End the table with a row for each of COUNT files from FIRST on. */
static void use_files(struct dwa *a, unsigned first, unsigned count)
{
	dwa_sequence(a, 0x1000);
	for (unsigned i = 0; i < count; i++)
		dwa_row(a, 0x1000 + i, first + i, 1);
	dwa_sequence_end(a, 0x1000 + count);
	dwa_lines_end(a);
}

static void old_tables(struct dwa *a)
{
	const struct dwa_lines lines = {
		.version = a->version,
		.directories = old_directories,
		.directory_count = 3,
		.files = old_files,
		.file_count = 6,
	};
	uint64_t offset = dwa_lines(a, &lines);

	use_files(a, 1, 6);
	table_unit(a, offset);
	/* Without a compilation directory. */
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, false);
	dwa_value(a, DW_AT_stmt_list, case_section_form(a), offset);
	dwa_unit_end(a);
	/* Without a table. */
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "no lines here");
	dwa_unit_end(a);
}

static const char *const new_directories[] = { "/src", "inc", "/abs/inc",
					       "" };
static const struct dwa_file new_files[] = {
	{ "a.c", 0 }, { "a.c", 0 },    { "b.h", 1 }, { "c.h", 2 },
	{ "d.h", 9 }, { "/e/f.h", 1 }, { "g.h", 3 },
};

static void new_tables(struct dwa *a, unsigned form, bool md5, bool vendor)
{
	const struct dwa_lines lines = {
		.version = 5,
		.directories = new_directories,
		.directory_count = 4,
		.files = new_files,
		.file_count = 7,
		.name_form = form,
		.md5 = md5,
		.vendor_field = vendor,
	};
	uint64_t offset = dwa_lines(a, &lines);

	use_files(a, 0, 7);
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, false);
	dwa_string(a, DW_AT_comp_dir, DW_FORM_string, "/other");
	dwa_value(a, DW_AT_stmt_list, DW_FORM_sec_offset, offset);
	dwa_unit_end(a);
}

static void new_tables_plain(struct dwa *a)
{
	new_tables(a, DW_FORM_string, false, false);
}

static void new_tables_md5(struct dwa *a)
{
	new_tables(a, DW_FORM_line_strp, true, false);
}

static void new_tables_strp(struct dwa *a)
{
	new_tables(a, DW_FORM_strp, false, false);
}

static void new_tables_vendor(struct dwa *a)
{
	new_tables(a, DW_FORM_line_strp, true, true);
}

/* Begin a table with the standard opcodes and two files. */
static uint64_t begin(struct dwa *a)
{
	static const char *const directories[] = { "/s" };
	static const struct dwa_file files[] = { { "x.c", 0 }, { "y.c", 0 } };
	const struct dwa_lines lines = {
		.version = a->version,
		.directories = directories,
		.directory_count = a->version >= 5,
		.files = files,
		.file_count = 2,
	};

	return dwa_lines(a, &lines);
}

static void rows(struct dwa *a)
{
	uint64_t offset = begin(a);

	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 1, 10);
	dwa_row(a, 0x1004, 1, 12);
	dwa_row(a, 0x1004, 2, 3);
	dwa_row(a, 0x1008, 1, 0);
	dwa_row(a, 0x1010, 1, 100000);
	dwa_sequence_end(a, 0x1020);
	dwa_lines_end(a);
	table_unit(a, offset);
}

static void opcodes(struct dwa *a)
{
	uint64_t offset = begin(a);

	dwa_set_address(a, 0x1000);
	/* Line -5 + 8 and address 0: line 4. */
	dwa_special(a, 13 + 8);
	/* Address + 3, line - 5 + 6. */
	dwa_special(a, 13 + 3 * 14 + 6);
	dwa_lns(a, DW_LNS_set_column, 1, 300);
	dwa_lns(a, DW_LNS_negate_stmt, 0);
	dwa_lns(a, DW_LNS_set_basic_block, 0);
	dwa_lns(a, DW_LNS_const_add_pc, 0); /* (255 - 13) / 14 = 17 */
	dwa_lns(a, DW_LNS_set_prologue_end, 0);
	dwa_lns(a, DW_LNS_set_epilogue_begin, 0);
	dwa_lns(a, DW_LNS_set_isa, 1, 3);
	dwa_lne(a, DW_LNE_set_discriminator, "\x87\x01", 2);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_fixed_advance(a, 0x1ec);
	dwa_advance_line(a, 1000);
	dwa_lns(a, DW_LNS_set_file, 1, 2);
	/* Unknown extended opcodes. */
	dwa_lne(a, 0x80, "abc", 3);
	dwa_lne(a, 0x70, NULL, 0);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_advance_line(a, -900);
	dwa_lns(a, DW_LNS_advance_pc, 1, 0x100);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_lns(a, DW_LNS_advance_pc, 1, 0x10);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	/* The next sequence begins with fresh registers. */
	dwa_set_address(a, 0x3000);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_lns(a, DW_LNS_advance_pc, 1, 1);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

/* A header with more standard opcodes than DWARF defines. */
static void unknown_standard(struct dwa *a)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0,
					   1, 0, 0, 1, 2, 0, 1 };
	static const struct dwa_file files[] = { { "x.c", 0 } };
	const struct dwa_lines lines = {
		.version = a->version,
		.opcode_base = 16,
		.opcode_lengths = lengths,
		.files = files,
		.file_count = 1,
		.line_base = -3,
		.line_range = 12,
	};
	uint64_t offset = dwa_lines(a, &lines);

	dwa_set_address(a, 0x1000);
	dwa_lns(a, 13, 2, 300, 400);
	dwa_lns(a, 14, 0);
	dwa_lns(a, 15, 1, 500);
	dwa_special(a, 16 + 12 * 4 + 5);
	dwa_lns(a, DW_LNS_const_add_pc, 0); /* (255 - 16) / 12 = 19 */
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

/* The standard opcodes of DWARF 2 only; other special opcodes than usual. */
static void fewer_standard(struct dwa *a)
{
	static const struct dwa_file files[] = { { "x.c", 0 } };
	const struct dwa_lines lines = {
		.version = a->version,
		.opcode_base = 10,
		.files = files,
		.file_count = 1,
		.line_base = -3,
		.line_range = 12,
	};
	uint64_t offset = dwa_lines(a, &lines);

	dwa_set_address(a, 0x2000);
	dwa_special(a, 10 + 3 + 1);
	dwa_special(a, 12);
	dwa_special(a, 10 + 24 + 11);
	dwa_lns(a, DW_LNS_advance_pc, 1, 4);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

/* A directory index without an entry counts as no directory. */
static void no_directory(struct dwa *a)
{
	static const struct dwa_file files[] = { { "x.c", 9 }, { "x.c", 9 } };
	const struct dwa_lines lines = {
		.version = a->version,
		.files = files,
		.file_count = 2,
	};
	uint64_t offset = dwa_lines(a, &lines);

	use_files(a, 1, 1);
	table_unit(a, offset);
}

static void long_instructions(struct dwa *a)
{
	static const struct dwa_file files[] = { { "x.c", 0 } };
	const struct dwa_lines lines = {
		.version = a->version,
		.min_inst_length = 4,
		.files = files,
		.file_count = 1,
	};
	uint64_t offset = dwa_lines(a, &lines);

	dwa_set_address(a, 0x1000);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_special(a, 13 + 14 * 2 + 6); /* 8 bytes, a line */
	dwa_lns(a, DW_LNS_advance_pc, 1, 3);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_lns(a, DW_LNS_const_add_pc, 0); /* 17 * 4 */
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_fixed_advance(a, 5); /* not multiplied */
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

/* Instructions of 16 bytes that hold three operations. */
static void several_operations(struct dwa *a)
{
	static const struct dwa_file files[] = { { "x.c", 0 } };
	const struct dwa_lines lines = {
		.version = a->version,
		.min_inst_length = 16,
		.max_ops = 3,
		.files = files,
		.file_count = 1,
	};
	uint64_t offset = dwa_lines(a, &lines);

	dwa_set_address(a, 0x1000);
	dwa_special(a, 13 + 14 * 2 + 6);
	dwa_special(a, 13 + 14 * 2 + 6);
	dwa_lns(a, DW_LNS_const_add_pc, 0); /* 17 more: 21 operations */
	dwa_special(a, 13 + 6);
	dwa_fixed_advance(a, 0x10);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

/* The file register starts at 1 in all versions. */
static void file_register(struct dwa *a)
{
	uint64_t offset = begin(a);

	dwa_set_address(a, 0x1000);
	dwa_special(a, 13 + 5);
	dwa_lns(a, DW_LNS_set_file, 1, 0);
	dwa_special(a, 13 + 14 + 5);
	dwa_lns(a, DW_LNS_set_file, 1, 7);
	dwa_special(a, 13 + 14 + 5);
	dwa_lns(a, DW_LNS_advance_pc, 1, 4);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_set_address(a, 0x2000);
	dwa_special(a, 13 + 5);
	dwa_lns(a, DW_LNS_advance_pc, 1, 4);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

/* A row that begins an epilogue does not end its sequence, by whatever opcode
 * it was made. */
static void epilogues(struct dwa *a)
{
	uint64_t offset = begin(a);

	dwa_set_address(a, 0x1000);
	dwa_special(a, 13 + 6);
	dwa_lns(a, DW_LNS_set_prologue_end, 0);
	dwa_special(a, 13 + 14 + 6);
	dwa_lns(a, DW_LNS_set_epilogue_begin, 0);
	dwa_special(a, 13 + 14 + 6);
	dwa_lns(a, DW_LNS_set_epilogue_begin, 0);
	dwa_lns(a, DW_LNS_advance_pc, 1, 1);
	dwa_advance_line(a, 1);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_lns(a, DW_LNS_advance_pc, 1, 1);
	dwa_lns(a, DW_LNS_set_epilogue_begin, 0);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

static void defined_files(struct dwa *a)
{
	uint64_t offset = begin(a);

	dwa_lne(a, DW_LNE_define_file, "new.c\0\0\0", 9);
	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 3, 5);
	dwa_sequence_end(a, 0x1010);
	dwa_lines_end(a);
	table_unit(a, offset);
}

/* Sequences in any order, rows in any order. */
static void sorting(struct dwa *a)
{
	uint64_t offset = begin(a);

	dwa_sequence(a, 0x3000);
	dwa_row(a, 0x3000, 1, 30);
	dwa_sequence_end(a, 0x3010);
	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 1, 10);
	dwa_sequence_end(a, 0x1010);
	/* Another sequence with the same end. */
	dwa_sequence(a, 0x1008);
	dwa_row(a, 0x1008, 2, 11);
	dwa_sequence_end(a, 0x1010);
	dwa_sequence(a, 0x2008);
	dwa_row(a, 0x2008, 1, 2);
	dwa_row(a, 0x200c, 1, 1);
	dwa_set_address(a, 0x2000);
	dwa_advance_line(a, 2);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_lns(a, DW_LNS_advance_pc, 1, 8);
	dwa_advance_line(a, 1);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_advance_line(a, 1);
	dwa_lns(a, DW_LNS_copy, 0);
	dwa_set_address(a, 0x2010);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

static void left_out(struct dwa *a)
{
	uint64_t ones = a->address_size == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t offset = begin(a);

	for (unsigned i = 0; i < 2; i++) {
		dwa_sequence(a, ones - i);
		dwa_row(a, ones - i, 1, 1);
		/* Its address wraps. */
		dwa_row(a, ones - i + 0x20, 1, 2);
		dwa_sequence_end(a, ones - i + 0x30);
	}
	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 1, 3);
	dwa_sequence_end(a, 0x1000);
	dwa_sequence(a, 0x1000);
	dwa_sequence_end(a, 0x1100);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_sequence(a, 0x5000);
	dwa_row(a, 0x5000, 1, 5);
	dwa_sequence_end(a, 0x5008);
	/* The program stops before end_sequence. */
	dwa_sequence(a, 0x6000);
	dwa_row(a, 0x6000, 1, 6);
	dwa_lines_end(a);
	table_unit(a, offset);
}

/* Rows at addresses after the end of their sequence are kept. */
static void rows_after_end(struct dwa *a)
{
	uint64_t offset = begin(a);

	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 1, 1);
	dwa_row(a, 0x1020, 1, 2);
	dwa_set_address(a, 0x1010);
	dwa_lne(a, DW_LNE_end_sequence, NULL, 0);
	dwa_lines_end(a);
	table_unit(a, offset);
}

static void thumb_rows(struct dwa *a)
{
	uint64_t offset = begin(a);

	dwa_sequence(a, 0x1001);
	dwa_row(a, 0x1001, 1, 1);
	dwa_row(a, 0x1003, 1, 2);
	dwa_sequence_end(a, 0x1009);
	dwa_lines_end(a);
	table_unit(a, offset);
}

static void shared_table(struct dwa *a)
{
	uint64_t offsets[2];

	for (unsigned i = 0; i < 2; i++) {
		offsets[i] = begin(a);
		dwa_sequence(a, 0x1000 * (i + 1));
		dwa_row(a, 0x1000 * (i + 1), 1, i + 1);
		dwa_sequence_end(a, 0x1010 * (i + 1));
		dwa_lines_end(a);
	}
	table_unit(a, offsets[1]);
	table_unit(a, offsets[1]);
	table_unit(a, offsets[0]);
}

/* A table of another version than its unit, as GNU as writes it. */
static void mixed_versions(struct dwa *a)
{
	unsigned version = a->version;
	uint64_t offset;

	a->version = version == 5 ? 3 : 2;
	offset = begin(a);
	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 2, 1);
	dwa_sequence_end(a, 0x1010);
	dwa_lines_end(a);
	a->version = version;
	table_unit(a, offset);
}

#define OLD_X "file 1 /src|x.c\n"
#define OLD_Y "file 2 /src|y.c\n"
#define NEW_X "file 0 /s|x.c\n"
#define NEW_Y "file 1 /s|y.c\n"

/* A case for DWARF 2 to 4, and one for DWARF 5, which numbers files
 * differently. */
#define BOTH(text, function, old_files, new_files, sequences)            \
	{ .name = text, .first = 2, .last = 4, .build = function,        \
	  .expected = "unit 0\n" old_files sequences },                  \
	{ .name = text " of DWARF 5", .first = 5, .last = 5,             \
	  .build = function, .expected = "unit 0\n" new_files sequences }

#define OLD_ROWS                                                      \
	"seq [1000,1006) 1000:1:1 1001:2:1 1002:3:1 1003:4:1 1004:5:1 " \
	"1005:6:1\n"

/* The table has the other format than the unit: 64-bit and 32-bit. */
static void other_format(struct dwa *a)
{
	static const char *const directories[] = { "/s" };
	static const struct dwa_file files[] = { { "x.c", 0 }, { "y.c", 0 } };
	uint64_t offset;

	a->dwarf64 = !a->dwarf64;
	offset = dwa_lines(a, &(struct dwa_lines){
				      .version = a->version,
				      .directories = directories,
				      .directory_count = a->version >= 5,
				      .files = files,
				      .file_count = 2,
				      .name_form = a->version >= 5 ?
							   DW_FORM_line_strp :
							   0,
			      });
	use_files(a, 1, 1);
	a->dwarf64 = !a->dwarf64;
	table_unit(a, offset);
}

const struct dw_case dw_line_cases[] = {
	{ .name = "table of the other format",
	  .first = 3,
	  .last = 4,
	  .build = other_format,
	  .expected = "unit 0\n"
		      "file 1 /src|x.c\n"
		      "seq [1000,1001) 1000:1:1\n" },
	{ .name = "table of the other format, DWARF 5",
	  .first = 5,
	  .last = 5,
	  .build = other_format,
	  .expected = "unit 0\n"
		      "file 1 /s|y.c\n"
		      "seq [1000,1001) 1000:1:1\n" },
	{ .name = "files",
	  .first = 2,
	  .last = 4,
	  .build = old_tables,
	  .expected = "unit 0\n"
		      "file 1 /src|a.c\n"
		      "file 2 /src/inc|b.h\n"
		      "file 3 /abs/inc/|c.h\n"
		      "file 4 /src/../up/sub|d.h\n"
		      "file 5 /e|f.h\n"
		      "file 6 /|root.h\n" OLD_ROWS "unit 1\n"
		      "file 1 |a.c\n"
		      "file 2 inc|b.h\n"
		      "file 3 /abs/inc/|c.h\n"
		      "file 4 ../up/sub|d.h\n"
		      "file 5 /e|f.h\n"
		      "file 6 /|root.h\n" OLD_ROWS "unit 2\n" },
#define NEW_TABLES                        \
	"unit 0\n"                        \
	"file 0 /src|a.c\n"               \
	"file 1 /src|a.c\n"               \
	"file 2 /other/inc|b.h\n"         \
	"file 3 /abs/inc|c.h\n"           \
	"file 4 /other|d.h\n"             \
	"file 5 /e|f.h\n"                 \
	"file 6 /other|g.h\n"             \
	"seq [1000,1007) 1000:0:1 1001:1:1 1002:2:1 1003:3:1 1004:4:1 " \
	"1005:5:1 1006:6:1\n"
	{ .name = "files of DWARF 5",
	  .first = 5,
	  .last = 5,
	  .build = new_tables_plain,
	  .expected = NEW_TABLES },
	{ .name = "files with MD5 sums",
	  .first = 5,
	  .last = 5,
	  .build = new_tables_md5,
	  .expected = NEW_TABLES },
	{ .name = "files in .debug_str",
	  .first = 5,
	  .last = 5,
	  .second_wrong = true, /* 0.11 refuses DW_FORM_strp there */
	  .build = new_tables_strp,
	  .expected = NEW_TABLES },
	{ .name = "files with unknown fields",
	  .first = 5,
	  .last = 5,
	  .second_wrong = true,
	  .build = new_tables_vendor,
	  .expected = NEW_TABLES },
	BOTH("rows", rows, OLD_X OLD_Y, NEW_Y,
	     "seq [1000,1020) 1000:1:10 1004:2:3 1008:1:0 "
	     "1010:1:100000\n"),
	BOTH("opcodes", opcodes, OLD_X OLD_Y, NEW_Y,
	     "seq [1000,1310) 1000:1:4 1003:1:5 1200:2:1005 "
	     "1300:2:105\n"
	     "seq [3000,3001) 3000:1:1\n"),
	{ .name = "unknown standard opcodes",
	  .first = 2,
	  .last = 5,
	  .build = unknown_standard,
	  .second_wrong = true,
	  .expected = "unit 0\n"
		      "%file\n"
		      "seq [1004,1017) 1004:1:3\n" },
	{ .name = "fewer standard opcodes",
	  .first = 2,
	  .last = 5,
	  .build = fewer_standard,
	  .expected = "unit 0\n"
		      "%file\n"
		      "seq [2000,2006) 2000:1:1 2002:1:9\n" },
	{ .name = "no such directory",
	  .first = 2,
	  .last = 5,
	  .build = no_directory,
	  .second_wrong = true,
	  .expected = "unit 0\n"
		      "file 1 /src|x.c\n"
		      "seq [1000,1001) 1000:1:1\n" },
	{ .name = "long instructions",
	  .first = 2,
	  .last = 5,
	  .build = long_instructions,
	  .expected = "unit 0\n"
		      "%file\n"
		      "seq [1000,105d) 1000:1:1 1008:1:2\n" },
	{ .name = "several operations an instruction",
	  .first = 4,
	  .last = 5,
	  .build = several_operations,
	  .expected = "unit 0\n"
		      "%file\n"
		      "seq [1000,1080) 1000:1:2 1010:1:3 1070:1:4\n" },
	BOTH("file register", file_register, OLD_X, NEW_X NEW_Y,
	     "seq [1000,1006) 1000:1:1 1001:0:1 1002:7:1\n"
	     "seq [2000,2004) 2000:1:1\n"),
	BOTH("epilogues", epilogues, OLD_X, NEW_Y,
	     "seq [1000,1004) 1000:1:2 1001:1:3 1002:1:4 1003:1:5\n"),
	{ .name = "defined files",
	  .first = 2,
	  .last = 4,
	  .build = defined_files,
	  .expected = "unit 0\n"
		      "file 3 /src|new.c\n"
		      "seq [1000,1010) 1000:3:5\n" },
	BOTH("sorting", sorting, OLD_X OLD_Y, NEW_Y,
	     "seq [1000,1010) 1000:1:10\n"
	     "seq [1008,1010) 1008:2:11\n"
	     "seq [2000,2010) 2000:1:3 2008:1:5 200c:1:1\n"
	     "seq [3000,3010) 3000:1:30\n"),
	BOTH("left out", left_out, OLD_X, NEW_Y, "seq [5000,5008) 5000:1:5\n"),
	BOTH("rows after the end", rows_after_end, OLD_X, NEW_Y,
	     "seq [1000,1010) 1000:1:1 1020:1:2\n"),
	{ .name = "bit 0 of rows",
	  .first = 2,
	  .last = 4,
	  .build = thumb_rows,
	  .code_bit0 = true,
	  .expected = "unit 0\n" OLD_X "seq [1000,1008) 1000:1:1 1002:1:2\n" },
	{ .name = "shared table",
	  .first = 2,
	  .last = 4,
	  .build = shared_table,
	  .expected = "unit 0\n" OLD_X "seq [2000,2020) 2000:1:2\n"
		      "unit 1\n" OLD_X "seq [2000,2020) 2000:1:2\n"
		      "unit 2\n" OLD_X "seq [1000,1010) 1000:1:1\n" },
	{ .name = "mixed versions",
	  .first = 3,
	  .last = 5,
	  .build = mixed_versions,
	  .expected = "unit 0\n" OLD_Y "seq [1000,1010) 1000:2:1\n" },
	{ .name = NULL },
};
