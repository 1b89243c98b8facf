/* SPDX-License-Identifier: MIT */
/* A few bytes of debug info that describe very many records: the results stay
 * in proportion to the size of the file, and the rest of it is read. */
#include "cases.h"
#include "dwarf/claims.h"
#include "dwarf/dwarf.h"
#include "dwarf/line_budget.h"
#include "dwarf/paint.h"
#include "dwarf/resolve.h"
#include "dwarf/split.h"
#include "dwarf/unit.h"

#include <criterion/criterion.h>
#include <stdlib.h>
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
						   &gsym_dwarf_second };

/* Read the unit of A with LIMIT units of work for each entry of its lists, and
 * MORE; 0: without limit.  Expect EXPECTED lists to be read. */
static void expect_lists(const struct dw_reader *reader, struct dwa *a,
			 uint64_t limit, size_t expected)
{
	struct dw_unit unit = { .work = { .limit = limit } };
	struct dw_unit notes = { 0 };
	void *self;

	cr_assert_eq(reader->open(dwa_container(a), 1, &notes, &self, NULL),
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
 * units that share it: WITHOUT units without code, then WITH units with
 * code. */
static void shared_table(struct dwa *a, unsigned without, unsigned with)
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
	for (unsigned i = 0; i < without + with; i++) {
		case_unit(a, DW_LANG_C99);
		dwa_value(a, DW_AT_stmt_list, DW_FORM_sec_offset, 0);
		if (i >= without)
			case_range(a, 0x1000, 0x1010);
		case_unit_end(a);
	}
}

/* How many of the units have rows, once their line tables were shared out;
 * WARNINGS counts the tables that are reported as left out. */
static unsigned count_read(const struct dw_reader *reader, void *self,
			   const struct dw_line_use *uses, size_t *warnings)
{
	struct dw_unit unit = { 0 };
	unsigned count = 0;

	for (size_t i = 0; i < reader->unit_count(self); i++) {
		gsym_dw_unit_clear(&unit);
		unit.no_lines = uses[i].refused;
		cr_assert_eq(reader->read_unit(self, i, &unit), GSYM_OK);
		if (uses[i].refused)
			gsym_dw_line_budget_warn(&unit, &uses[i]);
		*warnings += unit.warnings.count;
		if (unit.sequences.count) {
			cr_expect(uses[i].claims);
			count++;
		}
	}
	gsym_dw_unit_fini(&unit);
	return count;
}

Test(bounds, line_tables)
{
	/* 16 times the section, which has a little over a MiB, and 16 MiB: not
	 * quite enough for 32 tables. */
	enum { WITHOUT = 20, WITH = 40, READ = 31 };
	struct gsym_container *container;
	struct gsym_cursor line;
	struct dwa a;

	dwa_init(&a, false, 8, 4);
	shared_table(&a, WITHOUT, WITH);
	container = dwa_container(&a);
	line = gsym_container_cursor(
		container, gsym_container_section(container, ".debug_line"));
	for (size_t i = 0; i < 2; i++) {
		struct dw_line_use uses[WITHOUT + WITH];
		struct dw_work work = { .limited = false };
		struct dw_claims claims = { 0 };
		struct dw_unit notes = { 0 };
		size_t warnings = 0;
		void *self;

		cr_assert_eq(readers[i]->open(container, 1, &notes, &self,
					      NULL),
			     GSYM_OK);
		cr_assert_eq(gsym_dw_claims_read(readers[i], self, &work,
						 &claims, &notes),
			     GSYM_OK);
		gsym_dw_line_budget_share(readers[i], self, &work, line,
					  &claims, uses);
		cr_expect_eq(count_read(readers[i], self, uses, &warnings),
			     READ);
		cr_expect_eq(warnings, WITH - READ);
		readers[i]->close(self);
		gsym_vec_fini(&claims);
		gsym_dw_unit_fini(&notes);
	}
	dwa_fini(&a);
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
	cr_assert_eq(gsym_dwarf_scan.open(dwa_container(&a), 1, &unit, &self,
					  NULL),
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

		cr_assert_eq(readers[i]->open(dwa_container(&a), 1, &notes,
					      &self, NULL),
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
	cr_assert_eq(gsym_dwarf_scan.open(dwa_container(&a), 1, &notes, &self,
					  NULL),
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
	/* A limit is one more than what is left. */
	struct dw_work work = { .limited = true,
				.left = READ * DW_COST_CLAIM - 1 };
	struct dwa a;
	void *self;

	for (unsigned i = 0; i < PAIRS; i++)
		pairs[i] = (struct dwa_pair){ 0x1000 + 8 * i, 4 };
	dwa_init(&a, false, 8, 4);
	case_unit(&a, DW_LANG_C99);
	case_unit_end(&a);
	dwa_aranges(&a, 0, pairs, PAIRS);
	cr_assert_eq(gsym_dwarf_scan.open(dwa_container(&a), 1, &notes, &self,
					  NULL),
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
	cr_assert_eq(gsym_dwarf_scan.open(dwa_container(&a), 1, &notes, &self,
					  NULL),
		     GSYM_OK);
	for (unsigned more = 0; more < 2; more++) {
		struct dw_unit unit = {
			.work = { .limit = (ROWS - 1 + more) *
					   DW_COST_ROW_READ },
		};

		cr_assert_eq(gsym_dwarf_scan.read_unit(self, 0, &unit),
			     GSYM_OK);
		cr_expect_eq(unit.rows.count, more ? ROWS : 0);
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

/* The shared line tables of debug info that is compressed exceptionally well
 * are read less often. */
Test(bounds, line_tables_of_compressed_debug_info)
{
	enum { UNITS = 40, PACKING = 4, READ = 19 };
	struct dw_line_use uses[UNITS];
	struct dw_work work = { .packing = PACKING };
	struct dw_claims claims = { 0 };
	struct dw_unit notes = { 0 };
	struct gsym_container *container;
	struct gsym_cursor line;
	unsigned read = 0;
	struct dwa a;
	void *self;

	dwa_init(&a, false, 8, 4);
	shared_table(&a, 0, UNITS);
	container = dwa_container(&a);
	line = gsym_container_cursor(
		container, gsym_container_section(container, ".debug_line"));
	cr_assert_eq(gsym_dwarf_scan.open(container, 1, &notes, &self, NULL),
		     GSYM_OK);
	gsym_dw_line_budget_share(&gsym_dwarf_scan, self, &work, line, &claims,
				  uses);
	for (unsigned i = 0; i < UNITS; i++)
		read += !uses[i].refused;
	cr_expect_eq(read, READ);
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
	gsym_dw_unit_fini(&unit);
}

/* ---- .dwo files that many skeletons name -------------------------------- */

enum { DWO_BYTES = 5000, DWO_UNIT = 1000 };
static const uint8_t dwo_bytes[DWO_BYTES];
static unsigned opened;

/* A .dwo file of DWO_BYTES bytes, by any name; the only candidate. */
static enum gsym_status open_dwo(const struct gsym_container *container,
				 const char *directory, const char *name,
				 unsigned n, struct gsym_container **ret)
{
	struct gsym_container_section *s;

	(void)container;
	(void)directory;
	(void)name;
	if (n)
		return GSYM_NOT_FOUND;
	opened++;
	*ret = calloc(1, sizeof(**ret));
	cr_assert(*ret);
	s = gsym_vec_push(&(*ret)->sections);
	*s = (struct gsym_container_section){
		.name = ".debug_info.dwo",
		.data = dwo_bytes,
		.data_size = DWO_BYTES,
	};
	return GSYM_OK;
}

/* How often a candidate was read, and whether it is the right one. */
struct candidates {
	unsigned read;
	bool are_right;
	bool paid;
};

static bool read_dwo(void *context, const struct dw_skeleton *skeleton,
		     struct dw_split *split, struct dw_unit *unit, bool *found)
{
	struct candidates *c = context;

	c->read++;
	*found = c->are_right;
	c->paid = *found &&
		  gsym_dw_split_pay(skeleton, split, unit, DWO_UNIT);
	return true;
}

/* Search the split unit of SKELETON for UNIT, without the package. */
static bool search(const struct dw_skeleton *skeleton, struct candidates *c,
		   struct dw_unit *unit)
{
	const struct gsym_container program = { .address_size = 8,
						.open_split = open_dwo };
	bool found;

	cr_assert(gsym_dw_split_read(&program, skeleton, read_dwo, c, unit,
				     &found));
	return found;
}

/* A unit with LIMIT units of work, OWN of them for its own bytes. */
static void limit_unit(struct dw_unit *unit, uint64_t limit, uint64_t own)
{
	gsym_dw_unit_clear(unit);
	unit->work.limit = limit;
	unit->own_work = own;
}

/* A file is open for the skeletons after each other that name it. */
Test(bounds, dwo_files_stay_open)
{
	struct dw_skeleton skeleton = { .name = "a.dwo", .directory = "d" };
	struct candidates c = { .are_right = true };
	struct dw_unit unit = { 0 };

	opened = 0;
	for (unsigned i = 0; i < 3; i++)
		cr_expect(search(&skeleton, &c, &unit));
	cr_expect_eq(opened, 1);
	skeleton.directory = "e";
	cr_expect(search(&skeleton, &c, &unit));
	cr_expect_eq(opened, 2);
	skeleton.name = "b.dwo";
	c.are_right = false;
	cr_expect(!search(&skeleton, &c, &unit));
	cr_expect(!search(&skeleton, &c, &unit));
	cr_expect_eq(opened, 3);
	cr_expect_eq(c.read, 6);
	gsym_dw_unit_fini(&unit);
}

/* The first skeleton of a split unit has work for its bytes; it pays for the
 * file, unless the skeleton before it did. */
Test(bounds, dwo_files_are_paid)
{
	enum { LIMIT = 100000, SHARE = DWO_UNIT * DW_WORK_SHARE };
	static const struct {
		bool repeated, follows;
		uint64_t limit, used;
	} cases[] = {
		{ false, false, LIMIT + SHARE, DW_COST_OPEN + DWO_BYTES },
		{ false, true, LIMIT + SHARE, DW_COST_OPEN },
		{ true, false, LIMIT, DW_COST_OPEN + DWO_BYTES },
	};
	struct dw_unit unit = { 0 };

	for (size_t i = 0; i < 3; i++) {
		struct dw_skeleton skeleton = {
			.name = "a.dwo",
			.repeated = cases[i].repeated,
			.follows = cases[i].follows,
		};
		struct candidates c = { .are_right = true };

		limit_unit(&unit, LIMIT, 0);
		cr_expect(search(&skeleton, &c, &unit));
		cr_expect(c.paid);
		cr_expect_eq(unit.work.limit, cases[i].limit);
		cr_expect_eq(unit.work.used, cases[i].used);
		cr_expect_eq(unit.split_work, cases[i].limit - LIMIT);
	}
	gsym_dw_unit_fini(&unit);
}

/* Beyond the budget no file is opened, or a file is not read. */
Test(bounds, dwo_files_beyond_the_budget)
{
	enum { LEAST = DW_COST_UNSEEN };
	struct dw_skeleton skeleton = { .name = "a.dwo" };
	struct candidates c = { .are_right = false };
	struct dw_unit unit = { 0 };

	/* The work that a unit has for its own bytes opens no file. */
	opened = 0;
	limit_unit(&unit, LEAST + 9, 10);
	cr_expect(!search(&skeleton, &c, &unit));
	cr_expect_eq(opened, 0);
	cr_assert_eq(unit.warnings.count, 1);
	cr_expect_eq(unit.warnings.items[0].kind, GSYM_WARN_WORK_LIMIT);
	cr_expect(unit.work.exceeded);
	limit_unit(&unit, LEAST + 10, 10);
	cr_expect(!search(&skeleton, &c, &unit));
	cr_expect_eq(opened, 1);
	cr_expect_eq(c.read, 1);
	cr_expect_eq(unit.work.used, 2 * DW_COST_OPEN + DWO_BYTES);
	/* What was opened is paid, with all that is left if need be, and a
	 * skeleton that is not the first of its unit pays in advance. */
	skeleton.repeated = true;
	limit_unit(&unit, LEAST, 0);
	unit.work.used = LEAST - DW_COST_OPEN - DWO_BYTES + 1;
	cr_expect(!search(&skeleton, &c, &unit));
	cr_expect_eq(c.read, 1);
	cr_expect_eq(unit.work.used, unit.work.limit);
	gsym_dw_unit_fini(&unit);
}

/* ---- many calls below many that have no ranges -------------------------- */

Test(bounds, stretches)
{
	enum { DEPTH = 1000, LEAVES = 2000, FULL = 20 };
	struct dw_extents extents = { 0 };
	struct dw_unit unit = { 0 };

	for (unsigned i = 0; i < DEPTH + LEAVES; i++) {
		struct dw_node *node = gsym_vec_push(&unit.nodes);
		bool leaf = i >= DEPTH;

		*node = (struct dw_node){
			.parent = !i ? DW_NO_NODE : leaf ? DEPTH - 1 : i - 1,
			.inlined = i > 0,
			.first_range = (uint32_t)unit.ranges.count,
			.range_count = leaf,
		};
		if (leaf)
			*gsym_vec_push(&unit.ranges) =
				(struct gsym_range){ 4 * i, 4 * i + 2 };
	}
	cr_assert(gsym_dw_extents_paint(&unit, &unit, &extents));
	/* One stretch for each of a leaf's ancestors, and its own. */
	cr_expect_eq(extents.stretches.count, LEAVES * (DEPTH + 1));
	unit.work = (struct gsym_budget){
		.limit = FULL * (DEPTH + 1) * DW_COST_STRETCH
	};
	cr_assert(gsym_dw_extents_paint(&unit, &unit, &extents));
	cr_expect_eq(extents.stretches.count,
		     FULL * (DEPTH + 1) + LEAVES - FULL);
	cr_expect_eq(unit.warnings.count, 1);
	cr_expect_eq(unit.warnings.items[0].kind, GSYM_WARN_WORK_LIMIT);
	/* No range of the function itself is left out. */
	size_t own = 0;
	for (size_t i = 0; i < extents.stretches.count; i++)
		own += extents.stretches.items[i].node == 0;
	cr_expect_eq(own, LEAVES);
	gsym_dw_extents_fini(&extents);
	gsym_dw_unit_fini(&unit);
}

/* ---- records that repeat what is in the unit ---------------------------- */

/* Resolve UNIT, which owns all addresses. */
static void resolve(struct dw_unit *unit, struct dw_result *r)
{
	static const struct gsym_range all[] = { { 0, 0x100000 } };
	struct dw_resolver *resolver = gsym_dw_resolver_new();

	cr_assert(resolver);
	cr_assert(gsym_dw_resolve(resolver, unit, all, 1, r));
	gsym_dw_resolver_free(resolver);
}

static void add_node(struct dw_unit *unit, uint32_t parent, uint64_t start,
		     uint64_t end)
{
	*gsym_vec_push(&unit->nodes) = (struct dw_node){
		.name = { "f", false },
		.parent = parent,
		.inlined = parent != DW_NO_NODE,
		.first_range = (uint32_t)unit->ranges.count,
		.range_count = 1,
	};
	*gsym_vec_push(&unit->ranges) = (struct gsym_range){ start, end };
}

static void add_sequence(struct dw_unit *unit, unsigned rows)
{
	struct dw_open_sequence open = { .first_row = unit->rows.count };

	for (unsigned i = 0; i < rows; i++)
		cr_assert(gsym_dw_row_add(unit, &open, 0x1000 + i, 1, i + 1));
	cr_assert(gsym_dw_sequence_end(unit, &open, 0x1000 + rows, 8));
}

/* Functions with one range have the same rows, each a copy of them. */
Test(bounds, rows_of_folded_functions)
{
	enum { FUNCTIONS = 30, ROWS = 1000, FULL = 5 };
	struct dw_unit unit = { .wants = DW_WANT_FOLDED };
	struct dw_result r = { 0 };

	for (unsigned i = 0; i < FUNCTIONS; i++)
		add_node(&unit, DW_NO_NODE, 0x1000, 0x1000 + ROWS);
	add_sequence(&unit, ROWS);
	resolve(&unit, &r);
	cr_expect_eq(r.records.count, FUNCTIONS);
	cr_expect_eq(r.rows.count, FUNCTIONS * ROWS);
	cr_expect_eq(unit.warnings.count, 0);
	/* Half a copy more than FULL of them. */
	unit.work = (struct gsym_budget){
		.limit = (2 * FULL + 1) * ROWS * DW_COST_ROW / 2
	};
	resolve(&unit, &r);
	cr_expect_eq(r.rows.count, FULL * ROWS);
	cr_expect_leq(unit.work.used, unit.work.limit);
	/* A record has all of its rows or none. */
	for (size_t i = 0; i < r.records.count; i++)
		cr_expect(!r.records.items[i].row_count ||
			  r.records.items[i].row_count == ROWS);
	cr_expect_geq(unit.warnings.count, 1);
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}

/* Functions cut another one, with many inlined calls, into many records. */
Test(bounds, inlined_calls_of_many_records)
{
	enum { DEPTH = 50, CUTS = 100, FULL = 7 };
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	for (uint32_t i = 0; i <= DEPTH; i++)
		add_node(&unit, i ? i - 1 : DW_NO_NODE, 0x1000,
			 0x1000 + 4 * CUTS);
	for (unsigned i = 0; i < CUTS; i++)
		add_node(&unit, DW_NO_NODE, 0x1000 + 4 * i, 0x1002 + 4 * i);
	resolve(&unit, &r);
	cr_expect_eq(r.records.count, 2 * CUTS);
	cr_expect_eq(r.inlines.count, CUTS * DEPTH);
	cr_expect_eq(unit.warnings.count, 0);
	unit.work.limit = unit.work.used -
			  (CUTS - FULL) * DEPTH * DW_COST_INLINE;
	unit.work.used = 0;
	resolve(&unit, &r);
	cr_expect_eq(r.records.count, 2 * CUTS);
	/* A record has all of its inlined calls or none. */
	cr_expect_eq(r.inlines.count % DEPTH, 0);
	cr_expect_geq(r.inlines.count, FULL * DEPTH);
	cr_expect_leq(r.inlines.count * DW_COST_INLINE, unit.work.limit);
	cr_expect_leq(unit.work.used, unit.work.limit);
	cr_expect_eq(unit.warnings.count, 1);
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}

/* Calls that one function's overlapping ranges have all in common. */
Test(bounds, calls_of_folded_ranges)
{
	enum { RANGES = 20, CALLS = 100, FULL = 4 };
	struct dw_unit unit = { .wants = DW_WANT_FOLDED | DW_WANT_CALLS };
	struct dw_result r = { 0 };

	add_node(&unit, DW_NO_NODE, 0x1000, 0x2000);
	for (unsigned i = 1; i < RANGES; i++)
		*gsym_vec_push(&unit.ranges) =
			(struct gsym_range){ 0x1000, 0x2000 + i };
	unit.nodes.items[0].range_count = RANGES;
	for (unsigned i = 0; i < CALLS; i++)
		*gsym_vec_push(&unit.calls) =
			(struct dw_call){ .address = 0x1001 + i };
	resolve(&unit, &r);
	/* A record for each range, and one for what only later ranges have. */
	cr_expect_eq(r.records.count, RANGES + 1);
	cr_expect_eq(r.calls.count, RANGES * CALLS);
	cr_expect_eq(unit.warnings.count, 0);
	unit.work.limit = FULL * CALLS * DW_COST_CALL +
			  RANGES * DW_COST_FOLDED;
	unit.work.used = 0;
	resolve(&unit, &r);
	cr_expect_leq(r.calls.count * DW_COST_CALL, unit.work.limit);
	cr_expect_geq(r.calls.count, CALLS);
	cr_expect_leq(unit.work.used, unit.work.limit);
	cr_expect_geq(unit.warnings.count, 1);
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}

/* A function with many ranges and many calls: whether a call ends in a record
 * is found by a binary search.  Repeated calls are dropped before records are
 * made. */
Test(bounds, calls_at_the_ends_of_many_ranges)
{
	enum { RANGES = 2000, REPEATED = 5 };
	struct dw_unit unit = { .wants = DW_WANT_CALLS };
	struct dw_result r = { 0 };

	add_node(&unit, DW_NO_NODE, 0x1000, 0x1002);
	for (unsigned i = 1; i < RANGES; i++)
		*gsym_vec_push(&unit.ranges) =
			(struct gsym_range){ 0x1000 + 4 * i, 0x1002 + 4 * i };
	unit.nodes.items[0].range_count = RANGES;
	for (unsigned i = 0; i < RANGES * REPEATED; i++)
		*gsym_vec_push(&unit.calls) = (struct dw_call){
			.address = 0x1002 + 4 * (i % RANGES)
		};
	resolve(&unit, &r);
	cr_expect_eq(r.records.count, RANGES);
	cr_expect_eq(r.calls.count, RANGES);
	cr_expect_eq(unit.calls.count, RANGES);
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}

/* ---- whole conversions -------------------------------------------------- */

struct taken {
	unsigned strings, records, limits;
	size_t bytes; /* of strings */
	uint32_t depth;
};

static enum gsym_status take_string(void *self, const char *bytes,
				    size_t length, uint32_t *number)
{
	struct taken *taken = self;

	(void)bytes;
	taken->bytes += length;
	*number = ++taken->strings;
	return GSYM_OK;
}

static enum gsym_status take_file(void *self, uint32_t directory,
				  uint32_t basename, uint32_t *number)
{
	(void)self;
	*number = directory + basename;
	return GSYM_OK;
}

static void take_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	struct taken *taken = context;

	(void)text;
	taken->limits += kind == GSYM_WARN_WORK_LIMIT;
}

static enum gsym_status take_record(void *self,
				    const struct gsym_record *record,
				    size_t size)
{
	struct taken *taken = self;

	(void)size;
	taken->records++;
	for (size_t i = 0; i < record->inline_count; i++)
		if (record->inlines[i].depth > taken->depth)
			taken->depth = record->inlines[i].depth;
	return GSYM_OK;
}

static enum gsym_status convert(struct dwa *a, enum gsym_dwarf_reader reader,
				struct taken *taken,
				struct gsym_variables *variables)
{
	struct gsym_sink sink = { .self = taken, .string = take_string,
				  .file = take_file, .record = take_record };
	struct gsym_convert_options options = { .reader = reader,
						.warn = take_warning,
						.context = taken };
	struct gsym_convert_facts facts = { 0 };

	*taken = (struct taken){ 0 };
	return gsym_dwarf_convert(dwa_container(a), &options, &sink,
				  variables, &facts, NULL);
}

/* GSYM_MAX_INLINE_DEPTH; gsym/reader.h has a gsym_section of its own. */
enum { LEVELS = 1024 };

/* Calls that nest deeper than the inline trees of GSYM may. */
Test(bounds, depth_of_calls)
{
	enum { DEPTH = LEVELS + 100 };
	struct dwa a;

	dwa_init(&a, false, 8, 4);
	case_unit(&a, DW_LANG_C99);
	case_range(&a, 0x1000, 0x2000);
	case_parent(&a, "f", 0x1000, 0x1800);
	for (unsigned i = 0; i < DEPTH; i++) {
		dwa_die(&a, DW_TAG_inlined_subroutine, true);
		case_range(&a, 0x1000, 0x1100);
	}
	for (unsigned i = 0; i < DEPTH; i++)
		dwa_end(&a);
	dwa_end(&a);
	case_function(&a, "g", 0x1800, 0x2000);
	case_unit_end(&a);
	for (int i = 0; i < 2; i++) {
		struct taken taken;

		cr_expect_eq(convert(&a, i ? GSYM_READER_LIBDWARF :
					     GSYM_READER_OWN, &taken, NULL),
			     GSYM_OK);
		cr_expect_eq(taken.records, 2);
		cr_expect_gt(taken.depth, 1000);
		cr_expect_leq(taken.depth, LEVELS);
	}
	dwa_fini(&a);
}

enum { LENGTH = 1 << 20, NAMES = 200 };

/* Begin a unit of 64-bit code, in A, that can refer to a string of LENGTH
 * bytes.  Returns the offset of the string. */
static uint64_t begin_long_string(struct dwa *a)
{
	char *text = malloc(LENGTH + 1);
	uint64_t offset;

	memset(text, 'a', LENGTH);
	text[LENGTH] = 0;
	dwa_init(a, false, 8, 4);
	offset = dwa_intern(a, DWA_STR, text);
	free(text);
	case_unit(a, DW_LANG_C_plus_plus);
	case_range(a, 0x1000, 0x9000);
	return offset;
}

/* Convert A, whose names would take NAMES * LENGTH bytes, with both readers.
 * Expect names in proportion to A's size, and a warning. */
static void expect_few_names(struct dwa *a, struct gsym_variables *variables)
{
	for (int i = 0; i < 2; i++) {
		struct taken taken;

		cr_assert_eq(convert(a, i ? GSYM_READER_LIBDWARF :
					    GSYM_READER_OWN, &taken, variables),
			     GSYM_OK);
		cr_expect_gt(taken.bytes, LENGTH);
		cr_expect_lt(taken.bytes, (DW_WORK_SHARE / DW_COST_TEXT + 2) *
						  (size_t)LENGTH);
		cr_expect_eq(taken.limits, 1);
	}
}

/* Names of functions that are ends of one long string. */
Test(bounds, names_of_functions)
{
	struct dwa a;
	uint64_t offset = begin_long_string(&a);

	for (unsigned i = 0; i < NAMES; i++) {
		dwa_die(&a, DW_TAG_subprogram, false);
		dwa_value(&a, DW_AT_linkage_name, DW_FORM_strp, offset + i);
		case_range(&a, 0x1000 + 16 * i, 0x1010 + 16 * i);
	}
	case_unit_end(&a);
	expect_few_names(&a, NULL);
	dwa_fini(&a);
}

/* Names of functions that are qualified by a long name of a namespace. */
Test(bounds, names_that_are_qualified)
{
	struct dwa a;
	uint64_t offset = begin_long_string(&a);

	dwa_die(&a, DW_TAG_namespace, true);
	dwa_value(&a, DW_AT_name, DW_FORM_strp, offset);
	for (unsigned i = 0; i < NAMES; i++) {
		dwa_die(&a, DW_TAG_subprogram, false);
		dwa_string(&a, DW_AT_name, DW_FORM_string, "f");
		case_range(&a, 0x1000 + 16 * i, 0x1010 + 16 * i);
	}
	dwa_end(&a);
	case_unit_end(&a);
	expect_few_names(&a, NULL);
	dwa_fini(&a);
}

Test(bounds, names_of_variables)
{
	struct gsym_variables variables = { 0 };
	struct dwa a;
	uint64_t offset = begin_long_string(&a);

	for (unsigned i = 0; i < NAMES; i++) {
		uint8_t address[] = { 3, (uint8_t)i, 0x10, 0, 0, 0, 0, 0, 0 };

		dwa_die(&a, DW_TAG_variable, false);
		dwa_value(&a, DW_AT_linkage_name, DW_FORM_strp, offset + i);
		dwa_block(&a, DW_AT_location, DW_FORM_exprloc, address,
			  sizeof(address));
	}
	case_unit_end(&a);
	expect_few_names(&a, &variables);
	/* Variables without a name are there. */
	cr_expect_eq(variables.count, 2 * NAMES);
	gsym_vec_fini(&variables);
	dwa_fini(&a);
}
