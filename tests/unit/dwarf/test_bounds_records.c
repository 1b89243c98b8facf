/* SPDX-License-Identifier: MIT */
/* Bounds of work: records that need more work than the debug info of their unit
 * allows. */
#include "cases.h"
#include "dwarf/policy.h"
#include "dwarf/resolve.h"
#include "dwarf/unit.h"

#include <criterion/criterion.h>

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
	cr_assert(gsym_dw_extents_paint(&unit, &extents));
	/* One stretch for each of a leaf's ancestors, and its own. */
	cr_expect_eq(extents.stretches.count, LEAVES * (DEPTH + 1));
	unit.work = (struct gsym_budget){
		.limit = FULL * (DEPTH + 1) * DW_COST_STRETCH
	};
	cr_assert(gsym_dw_extents_paint(&unit, &extents));
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
	struct dw_open_sequence open = { .first_row = unit->lines.rows.count };

	for (unsigned i = 0; i < rows; i++)
		cr_assert(dw_row_add(unit, &open, 0x1000 + i, 1, i + 1));
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
