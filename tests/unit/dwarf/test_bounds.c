/* SPDX-License-Identifier: MIT */
/* A few bytes of debug info that describe very many records: the results stay
 * in proportion to the size of the file, and the rest of it is read. */
#include "cases.h"
#include "dwarf/resolve.h"
#include "dwarf/dwarf.h"
#include "dwarf/unit.h"
#include "second/second.h"

#include <criterion/criterion.h>
#include <string.h>

/* ---- range lists that many DIEs refer to -------------------------------- */

enum { LIST = 50, DIES = 40 };

static void shared_list(struct dwa *a)
{
	struct dwa_pair pairs[LIST];
	uint64_t list;

	for (unsigned i = 0; i < LIST; i++)
		pairs[i] = (struct dwa_pair){ 0x1000 + 4 * i, 0x1002 + 4 * i };
	list = dwa_ranges(a, pairs, LIST);
	case_unit(a, DW_LANG_C99);
	for (unsigned i = 0; i < DIES; i++) {
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_string(a, DW_AT_name, DW_FORM_string, "f");
		dwa_value(a, DW_AT_ranges, DW_FORM_sec_offset, list);
	}
	case_unit_end(a);
}

static const struct dw_reader *const readers[] = { &gsym_dwarf_scan,
						   &gsym_libdwarf_reader };

/* Read the unit of A with LIMIT units of work for each entry of its lists, and
 * MORE; 0: without limit.  Expect EXPECTED lists to be read. */
static void expect_lists(const struct dw_reader *reader, struct dwa *a,
			 uint64_t limit, size_t expected)
{
	struct dw_unit unit = { .work = { .limit = limit } };
	struct dw_unit notes = { 0 };
	void *self;

	cr_assert_eq(reader->open(dwa_container(a), false, 1,
				  &notes, &self, NULL),
		     GSYM_OK);
	cr_assert_eq(reader->read_unit(self, 0, &unit), GSYM_OK);
	cr_expect_eq(unit.ranges.count, expected * LIST);
	/* All DIEs are left out with one warning. */
	cr_expect_eq(unit.warnings.count, expected < DIES);
	if (unit.warnings.count)
		cr_expect_eq(unit.warnings.items[0].kind, GSYM_WARN_WORK_LIMIT);
	if (limit)
		cr_expect_leq(unit.work.used, limit);
	reader->close(self);
	gsym_dw_unit_fini(&unit);
	gsym_dw_unit_fini(&notes);
}

Test(bounds, ranges_of_a_unit)
{
	struct dwa a;
	uint64_t walk;
	const uint64_t list = (LIST + 1) * DW_COST_RANGE + DW_COST_NODE +
			      DW_COST_TEXT;

	dwa_init(&a, false, 8, 4);
	shared_list(&a);
	/* A little more than what walking the DIEs takes. */
	walk = a.sections[DWA_INFO].size * DW_COST_DIE_BYTE;
	for (size_t i = 0; i < 2; i++) {
		expect_lists(readers[i], &a, 0, DIES);
		expect_lists(readers[i], &a, walk + DIES * list, DIES);
		expect_lists(readers[i], &a, walk + 3 * list, 3);
		expect_lists(readers[i], &a, walk + list / 2, 0);
	}
	dwa_fini(&a);
}

/* A line table of a MiB that is quick to read, with one row at its end, and
 * UNITS units that share it. */
static void shared_table(struct dwa *a, unsigned units)
{
	enum { LENGTH = 1 << 20 };
	static const uint8_t start[] = { 2, 0, 21, 0, 0, 0, 1, 1, 0xfb, 14, 10,
					 0, 1, 1, 1, 1, 0, 0, 0, 1,
					 0, 'a', 0, 0, 0, 0, 0 };
	static const uint8_t end[] = { 0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0,
				       1, 2, 0x10, 0, 1, 1 };
	struct gsym_emit *line = &a->sections[DWA_LINE];

	gsym_emit_u32(line, sizeof(start) + LENGTH + sizeof(end));
	gsym_emit_bytes(line, start, sizeof(start));
	memset(gsym_emit_reserve(line, LENGTH), DW_LNS_negate_stmt, LENGTH);
	gsym_emit_bytes(line, end, sizeof(end));
	for (unsigned i = 0; i < units; i++) {
		case_unit(a, DW_LANG_C99);
		dwa_value(a, DW_AT_stmt_list, DW_FORM_sec_offset, 0);
		case_range(a, 0x1000, 0x1010);
		case_unit_end(a);
	}
}

/* How many of the units of CONTAINER have rows if they may use WORK units of
 * work together; WARNINGS counts the tables that are reported as left out. */
static unsigned count_read(const struct dw_reader *reader,
			   const struct gsym_container *container,
			   uint64_t work, unsigned *warnings)
{
	struct dw_unit unit = { .work = { .limit = work } };
	unsigned count = 0;
	uint64_t used = 0;
	void *self;

	cr_assert_eq(reader->open(container, false, 1,
				  &unit, &self, NULL),
		     GSYM_OK);
	for (size_t i = 0; i < reader->unit_count(self); i++) {
		gsym_dw_unit_clear(&unit);
		unit.work = (struct gsym_budget){ .limit = work,
						  .used = used };
		cr_assert_eq(reader->read_unit(self, i, &unit), GSYM_OK);
		used = unit.work.used;
		count += unit.lines.sequences.count > 0;
		*warnings += unit.cuts == 1u << DW_CUT_ROWS;
	}
	reader->close(self);
	gsym_dw_unit_fini(&unit);
	return count;
}

/* Each unit pays for all bytes of its line table. */
Test(bounds, line_tables)
{
	enum { UNITS = 40, READ = 31, OTHER_WORK = 1 << 19 };
	struct gsym_container *container;
	uint64_t table;
	struct dwa a;

	dwa_init(&a, false, 8, 4);
	shared_table(&a, UNITS);
	container = dwa_container(&a);
	table = a.sections[DWA_LINE].size - 4;
	for (size_t i = 0; i < 2; i++) {
		unsigned warnings = 0;

		cr_expect_eq(count_read(readers[i], container,
					READ * table + OTHER_WORK, &warnings),
			     READ);
		cr_expect_eq(warnings, UNITS - READ);
		cr_expect_eq(count_read(readers[i], container, 0, &warnings),
			     UNITS);
	}
	dwa_fini(&a);
}

/* A table is as long as its header says, but no longer than its section. */
Test(bounds, sizes_of_line_tables)
{
	static const struct {
		uint8_t bytes[16];
		uint64_t offset, used;
	} cases[] = {
		{ { 5 }, 0, 5 },
		{ { 12 }, 0, 12 },
		{ { 13 }, 0, 12 },
		{ { 0, 0, 3 }, 2, 3 },
		{ { 0xff, 0xff, 0xff, 0xff, 2 }, 0, 2 },
		{ { 0xff, 0xff, 0xff, 0xff, 9 }, 0, 4 },
		{ { 7 }, 14, 0 },
		{ { 7 }, 17, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dw_unit unit = { 0 };
		struct gsym_cursor line = gsym_cursor_init(
			cases[i].bytes, 16, GSYM_HOST_BIG_ENDIAN);

		cr_expect(gsym_dw_unit_take_lines(&unit, line,
						  cases[i].offset));
		cr_expect_eq(unit.work.used,
			     cases[i].used * DW_COST_LINE_BYTE, "case %zu", i);
		gsym_dw_unit_fini(&unit);
	}
}

/* Files of a line table of version 5 with 254 fields that take no bytes, which
 * would be looked at for each of any number of files: they are ignored, even as
 * names of files. */
Test(bounds, line_table_fields)
{
	static const uint8_t start[] = { 5, 0, 8, 0, 0, 0, 0, 0, 1, 1, 1, 0xfb,
					 14, 1, 1, DW_LNCT_path,
					 DW_FORM_string, 1, '/', 'd', 0 };
	static const uint8_t end[] = { 2, 'a', 0, 'b', 0, 0, 9,
				       2, 0, 0x10, 0, 0, 0, 0,
				       0, 0, 1, 15, 0, 1, 1 };
	struct dw_unit unit = { 0 };
	struct gsym_emit *line;
	struct dwa a;
	void *self;

	dwa_init(&a, false, 8, 5);
	line = &a.sections[DWA_LINE];
	gsym_emit_u32(line, sizeof(start) + 1 + 2 * 255 + sizeof(end));
	gsym_emit_bytes(line, start, sizeof(start));
	gsym_emit_u8(line, 255);
	gsym_emit_u8(line, DW_LNCT_path);
	gsym_emit_u8(line, DW_FORM_string);
	for (unsigned i = 1; i < 255; i++) {
		gsym_emit_u8(line, DW_LNCT_path);
		gsym_emit_u8(line, DW_FORM_flag_present);
	}
	gsym_emit_bytes(line, end, sizeof(end));
	/* The length of the header, after its own place. */
	line->data[8] = (uint8_t)(sizeof(start) - 8 + 1 + 2 * 255 + 5);
	line->data[9] = (sizeof(start) - 8 + 1 + 2 * 255 + 5) >> 8;
	case_unit(&a, DW_LANG_C99);
	dwa_value(&a, DW_AT_stmt_list, DW_FORM_sec_offset, 0);
	case_range(&a, 0x1000, 0x1010);
	case_unit_end(&a);
	cr_assert_eq(gsym_dwarf_scan.open(dwa_container(&a), false, 1,
					  &unit, &self, NULL),
		     GSYM_OK);
	cr_assert_eq(gsym_dwarf_scan.read_unit(self, 0, &unit), GSYM_OK);
	cr_assert_eq(unit.warnings.count, 0);
	cr_assert_eq(unit.files.count, 2);
	cr_assert(unit.files.items[1].basename);
	cr_expect_str_eq(unit.files.items[1].basename, "b");
	gsym_dwarf_scan.close(self);
	gsym_dw_unit_fini(&unit);
	dwa_fini(&a);
}

/* Units whose DIEs refer to one list claim it as long as there is work left. */
Test(bounds, claims)
{
	enum { UNITS = 6, PAIRS = 100, READ = 3 };
	struct dwa_pair pairs[PAIRS];
	struct dwa a;
	uint64_t list;

	for (unsigned i = 0; i < PAIRS; i++)
		pairs[i] = (struct dwa_pair){ 0x1000 + 4 * i, 0x1002 + 4 * i };
	dwa_init(&a, false, 8, 4);
	list = dwa_ranges(&a, pairs, PAIRS);
	for (unsigned i = 0; i < UNITS; i++) {
		dwa_unit(&a, 0);
		dwa_die(&a, DW_TAG_compile_unit, false);
		/* libdwarf passes over a last unit of few bytes. */
		dwa_string(&a, DW_AT_name, DW_FORM_string, "directory/a.c");
		dwa_value(&a, DW_AT_ranges, DW_FORM_sec_offset, list);
		dwa_unit_end(&a);
	}
	for (size_t i = 0; i < 2; i++) {
		struct dw_claims claims = { 0 };
		struct dw_unit notes = { 0 };
		/* Each unit has a share of its own as well. */
		struct dw_work work = {
			.limited = true,
			.left = READ * (PAIRS + 1) *
				(DW_COST_RANGE + DW_COST_CLAIM),
		};
		void *self;

		cr_assert_eq(readers[i]->open(dwa_container(&a), false, 1,
					      &notes, &self, NULL),
			     GSYM_OK);
		cr_assert_eq(gsym_dw_claims_read(readers[i], self, &work,
						 &claims, &notes),
			     GSYM_OK);
		cr_expect_eq(claims.count, READ * PAIRS);
		cr_expect_eq(notes.warnings.count, UNITS - READ);
		cr_expect_eq(notes.warnings.items[0].kind,
			     GSYM_WARN_WORK_LIMIT);
		readers[i]->close(self);
		gsym_vec_fini(&claims);
		gsym_dw_unit_fini(&notes);
	}
	dwa_fini(&a);
}

/* ---- more units, claims and rows than debug info of its size has --------- */

Test(bounds, units)
{
	enum { UNITS = 10, READ = 4 };
	struct dw_unit notes = { .work = { .limit = READ * DW_COST_UNIT } };
	struct dwa a;
	void *self;

	dwa_init(&a, false, 8, 4);
	for (unsigned i = 0; i < UNITS; i++) {
		case_unit(&a, DW_LANG_C99);
		case_unit_end(&a);
	}
	cr_assert_eq(gsym_dwarf_scan.open(dwa_container(&a), false, 1,
					  &notes, &self, NULL),
		     GSYM_OK);
	cr_expect_eq(gsym_dwarf_scan.unit_count(self), READ);
	cr_assert_eq(notes.warnings.count, 1);
	cr_expect_eq(notes.warnings.items[0].kind, GSYM_WARN_WORK_LIMIT);
	gsym_dwarf_scan.close(self);
	gsym_dw_unit_fini(&notes);
	dwa_fini(&a);
}

Test(bounds, claims_of_aranges)
{
	enum { PAIRS = 10, READ = 4 };
	struct dwa_pair pairs[PAIRS];
	struct dw_claims claims = { 0 };
	struct dw_unit notes = { 0 };
	/* One unit of work less than one claim more takes; a limit is one more
	 * than what is left. */
	struct dw_work work = { .limited = true,
				.left = (READ + 1) * DW_COST_CLAIM - 2 };
	struct dwa a;
	void *self;

	for (unsigned i = 0; i < PAIRS; i++)
		pairs[i] = (struct dwa_pair){ 0x1000 + 8 * i, 4 };
	dwa_init(&a, false, 8, 4);
	case_unit(&a, DW_LANG_C99);
	case_unit_end(&a);
	dwa_aranges(&a, 0, pairs, PAIRS);
	cr_assert_eq(gsym_dwarf_scan.open(dwa_container(&a), false, 1,
					  &notes, &self, NULL),
		     GSYM_OK);
	cr_assert_eq(gsym_dw_claims_read(&gsym_dwarf_scan, self, &work, &claims,
					 &notes),
		     GSYM_OK);
	cr_expect_eq(claims.count, READ);
	cr_assert_eq(notes.warnings.count, 1);
	cr_expect_eq(notes.warnings.items[0].kind, GSYM_WARN_WORK_LIMIT);
	gsym_dwarf_scan.close(self);
	gsym_vec_fini(&claims);
	gsym_dw_unit_fini(&notes);
	dwa_fini(&a);
}

/* A unit has no more rows in memory than its budget pays for. */
Test(bounds, rows_of_a_table)
{
	enum { ROWS = 100 };
	struct dw_unit notes = { 0 };
	struct dwa a;
	void *self;

	dwa_init(&a, false, 8, 4);
	case_unit(&a, DW_LANG_C99);
	dwa_value(&a, DW_AT_stmt_list, DW_FORM_sec_offset,
		  dwa_lines(&a, &(struct dwa_lines){ .version = 4 }));
	dwa_sequence(&a, 0x1000);
	for (unsigned i = 0; i < ROWS; i++)
		dwa_row(&a, 0x1000 + i, 1, i + 1);
	dwa_sequence_end(&a, 0x1000 + ROWS);
	dwa_lines_end(&a);
	case_unit_end(&a);
	cr_assert_eq(gsym_dwarf_scan.open(dwa_container(&a), false, 1,
					  &notes, &self, NULL),
		     GSYM_OK);
	for (unsigned more = 0; more < 2; more++) {
		struct dw_unit unit = {
			.work = { .limit = (ROWS - 1 + more) *
					   DW_COST_ROW_READ },
		};

		cr_assert_eq(gsym_dwarf_scan.read_unit(self, 0, &unit),
			     GSYM_OK);
		cr_expect_eq(unit.lines.rows.count, more ? ROWS : 0);
		cr_assert_eq(unit.warnings.count, !more);
		if (!more)
			cr_expect_eq(unit.warnings.items[0].kind,
				     GSYM_WARN_WORK_LIMIT);
		cr_expect_eq(unit.work.exceeded, !more);
		gsym_dw_unit_fini(&unit);
	}
	gsym_dwarf_scan.close(self);
	gsym_dw_unit_fini(&notes);
	dwa_fini(&a);
}

Test(bounds, warnings)
{
	enum { MOST = 100000 };
	struct dw_unit unit = { 0 };

	for (unsigned i = 0; i < MOST + 10; i++)
		gsym_dw_unit_warn(&unit, GSYM_WARN_BAD_DIE, "%u", i);
	cr_expect_eq(unit.warnings.count, MOST);
	gsym_dw_unit_clear(&unit);
	/* A text has at most 255 bytes. */
	gsym_dw_unit_warn(&unit, GSYM_WARN_BAD_DIE, "%300s", "");
	cr_assert_eq(unit.warnings.count, 1);
	cr_expect_eq(strlen(unit.warnings.items[0].text), 255);
	gsym_dw_unit_fini(&unit);
}
