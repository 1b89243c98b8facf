/* SPDX-License-Identifier: MIT */
/* The walk over the DIEs of a unit, and the jumps by DW_AT_sibling. */
#include "dwarf/scan.h"
#include "dwarf/sections.h"
#include "support/dwarf_asm.h"

#include <criterion/criterion.h>

/* What build() makes: a structure with two members, and a variable. */
struct tree {
	struct dwa a;
	size_t unit, structure, members, variable, end;
	size_t value; /* where the structure's DW_AT_sibling is stored */
};

static void build(struct tree *t)
{
	struct dwa *a = &t->a;

	dwa_init(a, false, 8, 4);
	t->unit = dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "a.c");
	t->structure = dwa_die(a, DW_TAG_structure_type, true);
	t->value = a->sections[DWA_INFO].size;
	dwa_value(a, DW_AT_sibling, DW_FORM_ref4, 0);
	t->members = dwa_die(a, DW_TAG_member, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "first");
	dwa_die(a, DW_TAG_member, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "second");
	dwa_end(a);
	t->variable = dwa_die(a, DW_TAG_variable, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "variable");
	dwa_end(a);
	dwa_unit_end(a);
	t->end = a->sections[DWA_INFO].size;
}

enum { ALL = 5, SKIPPED = 3, TOO_MANY = 20 };

/* How many DIEs a walk passes that may leave children out, DW_AT_sibling of
 * the structure being the offset SIBLING of the section.  A walk that does not
 * come to an end is stopped at TOO_MANY. */
static unsigned count(struct tree *t, uint64_t sibling)
{
	struct dw_info info = { 0 };
	struct dw_unit notes = { 0 };
	const struct dw_abbrev *abbrev;
	unsigned dies = 0;
	struct dw_walk w;

	dwa_patch(&t->a, DWA_INFO, t->value, sibling - t->unit, 4);
	cr_assert(gsym_dw_info_open(&info, dwa_container(&t->a), NULL, 1,
				    &notes));
	cr_assert_eq(info.info.headers.count, 1);
	w = dw_walk_init(&info.info.headers.items[0],
			 info.info.headers.items[0].die);
	while (dies < TOO_MANY &&
	       (abbrev = gsym_dw_walk_find(&w, DW_KIND_ANY))) {
		dies++;
		dw_walk_skip(&w, abbrev, abbrev->tag == DW_TAG_structure_type);
	}
	gsym_dw_info_close(&info);
	gsym_dw_unit_fini(&notes);
	return dies;
}

Test(walk, a_sibling_leads_past_the_children)
{
	struct tree t;

	build(&t);
	cr_expect_eq(count(&t, t.variable), SKIPPED);
	dwa_fini(&t.a);
}

/* A sibling before the end of the DIE's attributes would be a loop. */
Test(walk, a_sibling_that_leads_back_does_not_count)
{
	struct tree t;

	build(&t);
	cr_expect_eq(count(&t, t.structure), ALL);
	cr_expect_eq(count(&t, t.unit), ALL);
	cr_expect_eq(count(&t, t.members - 1), ALL);
	cr_expect_eq(count(&t, t.members), ALL - 1,
		     "the next DIE's own offset is no loop");
	dwa_fini(&t.a);
}

Test(walk, a_sibling_outside_the_unit_does_not_count)
{
	struct tree t;

	build(&t);
	cr_expect_eq(count(&t, t.end + 1), ALL);
	cr_expect_eq(count(&t, t.unit + UINT32_MAX), ALL);
	dwa_fini(&t.a);
}
