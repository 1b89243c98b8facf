/* SPDX-License-Identifier: MIT */
/* Bounds of work: .dwo files that many skeletons name. */
#include "cases.h"
#include "dwarf/unit.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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

static bool read_dwo(void *context, const struct dw_header *skeleton,
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
static bool search(const struct dw_header *skeleton, struct candidates *c,
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
	struct dw_header skeleton = { .split_name = "a.dwo", .comp_dir = "d" };
	struct candidates c = { .are_right = true };
	struct dw_unit unit = { 0 };

	opened = 0;
	for (unsigned i = 0; i < 3; i++)
		cr_expect(search(&skeleton, &c, &unit));
	cr_expect_eq(opened, 1);
	skeleton.comp_dir = "e";
	cr_expect(search(&skeleton, &c, &unit));
	cr_expect_eq(opened, 2);
	skeleton.split_name = "b.dwo";
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
		struct dw_header skeleton = {
			.split_name = "a.dwo",
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
	struct dw_header skeleton = { .split_name = "a.dwo" };
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

/* ---- files that are freed ------------------------------------------------ */

enum { CANDIDATES = 4 };
static unsigned open_now, opened_by_number[CANDIDATES];

static void count_free(void *private_data)
{
	(void)private_data;
	open_now--;
}

/* One of CANDIDATES .dwo files, of which the first has another byte order. */
static enum gsym_status open_counted(const struct gsym_container *container,
				     const char *directory, const char *name,
				     unsigned n, struct gsym_container **ret)
{
	enum gsym_status status;

	if (n >= CANDIDATES)
		return GSYM_NOT_FOUND;
	status = open_dwo(container, directory, name, 0, ret);
	(*ret)->big_endian = !n;
	(*ret)->private_data = *ret;
	(*ret)->free_private = count_free;
	open_now++;
	opened_by_number[n]++;
	return status;
}

/* The unit of which candidate, from 0 on, READ_NTH finds. */
static unsigned right, tried;

static bool read_nth(void *context, const struct dw_header *skeleton,
		     struct dw_split *split, struct dw_unit *unit, bool *found)
{
	(void)context;
	(void)skeleton;
	(void)split;
	(void)unit;
	*found = tried++ == right;
	return true;
}

/* A unit holds the first candidate, and the last of the others, until it opens
 * another in their place. */
Test(bounds, files_that_a_unit_holds)
{
	const struct gsym_container program = { .address_size = 8,
						.open_split = open_counted };
	struct dw_header skeleton = { .split_name = "a.dwo" };
	struct dw_unit unit = { 0 };
	bool found;

	/* The second file of the right byte order is the right one. */
	right = 1;
	cr_assert(gsym_dw_split_read(&program, &skeleton, read_nth, NULL, &unit,
				     &found));
	cr_expect(found);
	cr_expect_eq(tried, 2);
	cr_expect_eq(open_now, 1);
	/* It is candidate 3 and is open; candidates 1 and 2 are not. */
	tried = 0;
	cr_assert(gsym_dw_split_read(&program, &skeleton, read_nth, NULL, &unit,
				     &found));
	cr_expect(found);
	cr_expect_eq(opened_by_number[0], 2);
	cr_expect_eq(opened_by_number[1], 2);
	cr_expect_eq(open_now, 1);
	gsym_dw_unit_clear(&unit);
	cr_expect_eq(open_now, 1);
	gsym_dw_unit_fini(&unit);
	cr_expect_eq(open_now, 0);
	gsym_dw_unit_fini(&unit);
	cr_expect_eq(open_now, 0);
}

/* The search ends without a unit after the last candidate. */
Test(bounds, no_candidate_is_the_right_one)
{
	const struct gsym_container program = { .address_size = 8,
						.open_split = open_counted };
	struct dw_header skeleton = { .split_name = "a.dwo",
				      .repeated = true };
	struct dw_unit unit = { .work = { .limit = 1 << 20 } };
	bool found;

	right = CANDIDATES;
	cr_assert(gsym_dw_split_read(&program, &skeleton, read_nth, NULL, &unit,
				     &found));
	cr_expect(!found);
	cr_expect_eq(tried, CANDIDATES - 1);
	cr_assert_eq(unit.warnings.count, 1);
	cr_expect_eq(unit.warnings.items[0].kind, GSYM_WARN_MISSING_FILE);
	/* Each search, and the bytes of each file of the right byte order. */
	cr_expect_eq(unit.work.used, (CANDIDATES + 1) * DW_COST_OPEN +
					     (CANDIDATES - 1) * DWO_BYTES);
	gsym_dw_unit_fini(&unit);
	cr_expect_eq(open_now, 0);
}

/* The work for a split unit is the share of its file that the unit has, and
 * only the first skeleton of a unit gets it. */
Test(bounds, work_of_a_split_unit)
{
	enum { LIMIT = 1 << 20 };
	const struct dw_case *c = dw_file_cases;
	struct gsym_container *program;
	uint64_t bytes = 0, info;
	struct dw_unit notes = { 0 };
	struct dwf f;
	void *self;

	while (!c->name || strcmp(c->name, "skeletons of one split unit") != 0)
		c++;
	dwf_init(&f, false, 8, 5, false);
	/* A unit before the split unit. */
	dwa_unit(&f.split, DW_UT_split_compile);
	dwa_patch(&f.split, DWA_INFO, f.split.sections[DWA_INFO].size - 8, 1,
		  8);
	dwa_die(&f.split, DW_TAG_compile_unit, true);
	dwa_end(&f.split);
	dwa_unit_end(&f.split);
	info = f.split.sections[DWA_INFO].size;
	case_build(c, &f);
	for (int i = 0; i < DWA_SECTIONS; i++)
		bytes += f.split.sections[i].size;
	info = f.split.sections[DWA_INFO].size /
	       (f.split.sections[DWA_INFO].size - info);
	program = dwf_container(&f);
	cr_assert_eq(gsym_dwarf_scan.open(program, false, 1,
					  &notes, &self, NULL),
		     GSYM_OK);
	for (size_t i = 0; i < 3; i++) {
		struct dw_unit unit = { .work = { .limit = LIMIT } };
		uint64_t more = i ? 0 : bytes / info * DW_WORK_SHARE;

		cr_assert_eq(gsym_dwarf_scan.read_unit(self, i, &unit),
			     GSYM_OK);
		cr_expect_gt(unit.nodes.count, 1);
		cr_expect_eq(unit.split_work, more);
		cr_expect_eq(unit.work.limit, LIMIT + more);
		gsym_dw_unit_fini(&unit);
	}
	gsym_dwarf_scan.close(self);
	gsym_dw_unit_fini(&notes);
	gsym_container_free(program);
	dwf_fini(&f);
}
