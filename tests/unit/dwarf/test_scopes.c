/* SPDX-License-Identifier: MIT */
/* The context around a DIE, with and without DW_AT_sibling. */
#include "dwarf/scan.h"
#include "dwarf/unit.h"
#include "support/dwarf_asm.h"

#include <criterion/criterion.h>

/*
 * namespace outer {
 *	struct type { int member; void method(); };
 *	int between;
 *	namespace inner { { struct local { int field; }; } }
 * }
 * int after;
 *
 * A lexical block, which is no context, is around the structure LOCAL.
 */
struct tree {
	struct dwa a;
	struct dw_info info;
	struct dw_unit payer;
	struct dw_scopes scopes;
	const struct dw_header *header;
	size_t outer, type, member, method, between;
	size_t inner, block, local, field, after;
};

static size_t begin(struct dwa *a, uint64_t tag, bool children, bool siblings,
		    size_t *sibling)
{
	size_t die = dwa_die(a, tag, children);

	if (siblings) {
		*sibling = a->sections[DWA_INFO].size;
		dwa_value(a, DW_AT_sibling, DW_FORM_ref4, 0);
	} else {
		dwa_string(a, DW_AT_name, DW_FORM_string, "name");
	}
	return die;
}

static void build(struct tree *t, bool siblings)
{
	struct dwa *a = &t->a;
	size_t unit, outer = 0, type = 0;

	*t = (struct tree){ .outer = 0 };
	dwa_init(a, false, 8, 4);
	unit = dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "a.cc");
	t->outer = begin(a, DW_TAG_namespace, true, siblings, &outer);
	t->type = begin(a, DW_TAG_structure_type, true, siblings, &type);
	t->member = begin(a, DW_TAG_member, false, false, NULL);
	t->method = begin(a, DW_TAG_subprogram, false, false, NULL);
	dwa_end(a);
	t->between = begin(a, DW_TAG_variable, false, false, NULL);
	t->inner = begin(a, DW_TAG_namespace, true, false, NULL);
	t->block = begin(a, DW_TAG_lexical_block, true, false, NULL);
	t->local = begin(a, DW_TAG_structure_type, true, false, NULL);
	t->field = begin(a, DW_TAG_member, false, false, NULL);
	dwa_end(a);
	dwa_end(a);
	dwa_end(a);
	dwa_end(a);
	t->after = begin(a, DW_TAG_variable, false, false, NULL);
	dwa_end(a);
	dwa_unit_end(a);
	if (siblings) {
		dwa_patch(a, DWA_INFO, outer, t->after - unit, 4);
		dwa_patch(a, DWA_INFO, type, t->between - unit, 4);
	}
	cr_assert(gsym_dw_info_open(&t->info, dwa_container(a), NULL, 1,
				    &t->payer));
	cr_assert_eq(t->info.info.headers.count, 1);
	t->header = &t->info.info.headers.items[0];
}

static void fini(struct tree *t)
{
	gsym_vec_fini(&t->scopes);
	gsym_dw_info_close(&t->info);
	gsym_dw_unit_fini(&t->payer);
	dwa_fini(&t->a);
}

static uint64_t find(struct tree *t, uint64_t die)
{
	uint64_t context = UINT64_MAX;

	cr_assert(gsym_dw_scopes_find(&t->scopes, t->header, die, &t->payer,
				      &context));
	return context;
}

static void expect_contexts(bool siblings)
{
	struct tree t;

	build(&t, siblings);
	/* The innermost scope first: the scopes around it are listed on the
	 * way. */
	cr_expect_eq(find(&t, t.field), t.local);
	cr_expect_eq(find(&t, t.local), t.inner);
	cr_expect_eq(find(&t, t.block), t.inner);
	cr_expect_eq(find(&t, t.inner), t.outer);
	cr_expect_eq(find(&t, t.member), t.type);
	cr_expect_eq(find(&t, t.method), t.type);
	cr_expect_eq(find(&t, t.type), t.outer);
	cr_expect_eq(find(&t, t.between), t.outer);
	cr_expect_eq(find(&t, t.outer), 0);
	cr_expect_eq(find(&t, t.after), 0);
	fini(&t);
}

Test(scopes, with_siblings)
{
	expect_contexts(true);
}

Test(scopes, without_siblings)
{
	expect_contexts(false);
}

/* With DW_AT_sibling, a DIE outside of all contexts is found without a look
 * into them. */
Test(scopes, are_listed_when_needed)
{
	enum { UNIT_AND_OUTER = 2 };
	struct tree t;

	build(&t, true);
	cr_expect_eq(find(&t, t.after), 0);
	cr_expect_eq(t.scopes.count, UNIT_AND_OUTER);
	cr_expect_eq(find(&t, t.field), t.local);
	cr_expect_gt(t.scopes.count, UNIT_AND_OUTER);
	fini(&t);
}

/* Listing a scope is paid for by its bytes. */
Test(scopes, cost_work)
{
	struct tree t;

	build(&t, false);
	t.payer.work.limit =
		t.payer.work.used + (t.header->end - t.header->die);
	cr_expect_eq(find(&t, t.type), 0, "only the unit is paid for");
	t.payer.work.limit += t.after - t.outer;
	cr_expect_eq(find(&t, t.type), t.outer);
	fini(&t);
}
