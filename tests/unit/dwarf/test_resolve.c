/* SPDX-License-Identifier: MIT */
/* How the nodes and rows of a unit become records: painting, cutting, rows. */
#include "dwarf/policy.h"
#include "dwarf/resolve.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static uint32_t node(struct dw_unit *unit, uint32_t parent, bool inlined,
		     const char *name)
{
	struct dw_node *n = gsym_vec_push(&unit->nodes);

	*n = (struct dw_node){
		.die = 0x100 + unit->nodes.count,
		.parent = parent,
		.inlined = inlined,
		.name = { name, false },
		.call_file = inlined ? 1 : DW_NO_FILE,
		.call_line = inlined ? 10 + (uint32_t)unit->nodes.count : 0,
		.first_range = (uint32_t)unit->ranges.count,
	};
	return (uint32_t)unit->nodes.count - 1;
}

/* Add a range to the last node. */
static void range(struct dw_unit *unit, uint64_t start, uint64_t end)
{
	struct gsym_range *r = gsym_vec_push(&unit->ranges);

	*r = (struct gsym_range){ start, end };
	unit->nodes.items[unit->nodes.count - 1].range_count++;
}

static void sequence(struct dw_unit *unit, uint64_t end, size_t count,
		     const struct dw_row *rows)
{
	struct dw_open_sequence open = { .first_row = unit->lines.rows.count };

	for (size_t i = 0; i < count; i++)
		cr_assert(dw_row_add(unit, &open, rows[i].address, rows[i].file,
				     rows[i].line));
	cr_assert(gsym_dw_sequence_end(unit, &open, end, 8));
	cr_assert(gsym_dw_sequences_sort(unit));
}

#define SEQUENCE(unit, end, ...)                                              \
	sequence(unit, end,                                                   \
		 sizeof((struct dw_row[]){ __VA_ARGS__ }) /                   \
			 sizeof(struct dw_row),                               \
		 (struct dw_row[]){ __VA_ARGS__ })

static const char *name_of(const struct dw_result *r, uint32_t index)
{
	const char *text = r->names.items[index].text;

	return text ? text : "-";
}

enum { TEXT_SIZE = 256 };

/* Put NAME and a "<" in front of TEXT. */
static void add_frame(char *text, const char *name)
{
	char outer[TEXT_SIZE];

	strcpy(outer, text);
	cr_assert_lt(snprintf(text, TEXT_SIZE, "%s<%s", name, outer),
		     TEXT_SIZE);
}

/* The frames at the address AT, innermost first, as "inner<outer"; "" if there
 * is no record. */
static void frames(const struct dw_result *r, uint64_t at, char *text)
{
	*text = 0;
	for (size_t i = 0; i < r->records.count; i++) {
		const struct dw_record *record = &r->records.items[i];

		if (at < record->range.start || at >= record->range.end)
			continue;
		cr_assert(!*text, "two records at %d", (int)at);
		strcpy(text, name_of(r, record->name));
		for (uint32_t k = 0; k < record->inline_count; k++) {
			const struct gsym_inline_node *n =
				&r->inlines.items[record->first_inline + k];
			const struct gsym_range *q = r->ranges.items +
						     record->first_range +
						     n->first_range;

			for (uint32_t j = 0; j < n->range_count; j++)
				if (q[j].start <= at && at < q[j].end)
					add_frame(text, name_of(r, n->name));
		}
	}
}

static void expect_frames(const struct dw_result *r, uint64_t at,
			  const char *want)
{
	char text[TEXT_SIZE];

	frames(r, at, text);
	cr_assert_str_eq(text, want, "at 0x%x: %s, not %s", (unsigned)at, text,
			 want);
}

static const struct gsym_range all[] = { { 0, 0x10000 } };

static void resolve_owned(struct dw_unit *unit, const struct gsym_range *owned,
			  size_t count, struct dw_result *r)
{
	struct dw_resolver *resolver = gsym_dw_resolver_new();

	cr_assert(resolver);
	cr_assert(gsym_dw_resolve(resolver, unit, owned, count, r));
	gsym_dw_resolver_free(resolver);
}

static void resolve(struct dw_unit *unit, struct dw_result *r)
{
	resolve_owned(unit, all, 1, r);
}

static void expect_rows(const struct dw_result *r, uint32_t first,
			uint32_t count, size_t want_count,
			const struct gsym_row *want)
{
	cr_assert_eq(count, want_count);
	for (size_t i = 0; i < want_count; i++) {
		const struct gsym_row *row = &r->rows.items[first + i];

		cr_assert_eq(row->offset, want[i].offset, "row %zu", i);
		cr_assert_eq(row->file, want[i].file, "row %zu", i);
		cr_assert_eq(row->line, want[i].line, "row %zu", i);
	}
}

#define EXPECT_ROWS(r, thing, ...)                                            \
	expect_rows(r, (thing)->first_row, (thing)->row_count,                \
		    sizeof((struct gsym_row[]){ __VA_ARGS__ }) /              \
			    sizeof(struct gsym_row),                          \
		    (struct gsym_row[]){ __VA_ARGS__ })

Test(resolve, nested_calls)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t f = node(&unit, DW_NO_NODE, false, "f"), a;

	range(&unit, 0x100, 0x200);
	a = node(&unit, f, true, "a");
	range(&unit, 0x110, 0x150);
	node(&unit, a, true, "b");
	range(&unit, 0x140, 0x150);
	range(&unit, 0x118, 0x120);
	node(&unit, f, true, "c");
	range(&unit, 0x150, 0x160);
	resolve(&unit, &r);
	cr_assert_eq(r.records.count, 1);
	expect_frames(&r, 0x100, "f");
	expect_frames(&r, 0x110, "a<f");
	expect_frames(&r, 0x118, "b<a<f");
	expect_frames(&r, 0x120, "a<f");
	expect_frames(&r, 0x14f, "b<a<f");
	expect_frames(&r, 0x150, "c<f");
	expect_frames(&r, 0x160, "f");
	expect_frames(&r, 0x200, "");
	cr_assert_eq(r.inlines.items[1].depth, 2);
	cr_assert_eq(r.inlines.items[0].call_line, 12);
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, hot_and_cold_parts_are_two_records)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t f = node(&unit, DW_NO_NODE, false, "f");

	range(&unit, 0x900, 0x920);
	range(&unit, 0x100, 0x200);
	node(&unit, f, true, "a");
	range(&unit, 0x180, 0x190);
	range(&unit, 0x910, 0x920);
	resolve(&unit, &r);
	cr_assert_eq(r.records.count, 2);
	expect_frames(&r, 0x17f, "f");
	expect_frames(&r, 0x180, "a<f");
	expect_frames(&r, 0x900, "f");
	expect_frames(&r, 0x91f, "a<f");
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, touching_ranges_are_one)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t f = node(&unit, DW_NO_NODE, false, "f");

	range(&unit, 0x200, 0x210);
	range(&unit, 0x100, 0x110);
	range(&unit, 0x110, 0x120);
	node(&unit, f, true, "a");
	range(&unit, 0x108, 0x110);
	range(&unit, 0x110, 0x118);
	resolve(&unit, &r);
	cr_assert_eq(r.records.count, 2);
	cr_assert_eq(r.inlines.count, 1);
	cr_assert_eq(r.inlines.items[0].range_count, 1);
	expect_frames(&r, 0x107, "f");
	expect_frames(&r, 0x117, "a<f");
	expect_frames(&r, 0x20f, "f");
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, the_entered_range_is_a_record_of_its_own)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t f = node(&unit, DW_NO_NODE, false, "f");

	range(&unit, 0x110, 0x120);
	range(&unit, 0x100, 0x110);
	range(&unit, 0x120, 0x130);
	node(&unit, f, true, "a");
	range(&unit, 0x108, 0x128);
	resolve(&unit, &r);
	cr_assert_eq(r.records.count, 3);
	cr_assert_eq(r.records.items[1].range.start, 0x110);
	cr_assert_eq(r.records.items[1].range.end, 0x120);
	expect_frames(&r, 0x107, "f");
	expect_frames(&r, 0x108, "a<f");
	expect_frames(&r, 0x118, "a<f");
	expect_frames(&r, 0x127, "a<f");
	expect_frames(&r, 0x128, "f");
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, later_function_covers_earlier)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x200);
	node(&unit, DW_NO_NODE, false, "g");
	range(&unit, 0x140, 0x160);
	node(&unit, DW_NO_NODE, false, "h");
	range(&unit, 0x1f0, 0x210);
	resolve(&unit, &r);
	cr_assert_eq(r.records.count, 4);
	expect_frames(&r, 0x13f, "f");
	expect_frames(&r, 0x140, "g");
	expect_frames(&r, 0x160, "f");
	expect_frames(&r, 0x1f0, "h");
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, later_sibling_covers_earlier)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t f = node(&unit, DW_NO_NODE, false, "f");

	range(&unit, 0x100, 0x200);
	node(&unit, f, true, "a");
	range(&unit, 0x110, 0x130);
	node(&unit, f, true, "b");
	range(&unit, 0x120, 0x140);
	resolve(&unit, &r);
	expect_frames(&r, 0x11f, "a<f");
	expect_frames(&r, 0x120, "b<f");
	expect_frames(&r, 0x140, "f");
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, call_outside_its_caller_extends_it)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t f = node(&unit, DW_NO_NODE, false, "f"), a;

	range(&unit, 0x100, 0x120);
	a = node(&unit, f, true, "a");
	range(&unit, 0x110, 0x118);
	node(&unit, a, true, "b");
	range(&unit, 0x114, 0x130);
	resolve(&unit, &r);
	expect_frames(&r, 0x113, "a<f");
	expect_frames(&r, 0x118, "b<a<f");
	expect_frames(&r, 0x12f, "b<a<f");
	cr_assert_eq(unit.warnings.count, 1);
	cr_assert_eq(unit.warnings.items[0].kind,
		     GSYM_WARN_UNCONTAINED_INLINE);
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, caller_without_ranges_gets_those_of_its_calls)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t f = node(&unit, DW_NO_NODE, false, "f"), a;

	range(&unit, 0x100, 0x120);
	a = node(&unit, f, true, "a");
	node(&unit, a, true, "b");
	range(&unit, 0x110, 0x118);
	resolve(&unit, &r);
	expect_frames(&r, 0x110, "b<a<f");
	expect_frames(&r, 0x118, "f");
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

static bool wants_all(void *context, struct dw_unit *unit,
		      const struct dw_name *n, struct gsym_range range,
		      bool *wanted)
{
	const struct gsym_range *but = context;

	(void)unit;
	(void)n;
	*wanted = !but || range.start != but->start || range.end != but->end;
	return true;
}

/* f has two pieces that the unit owns, g one of two, h none. */
Test(resolve, functions_of_which_others_own_a_part_come_second)
{
	static const struct gsym_range owned[] = { { 0x100, 0x120 },
						   { 0x120, 0x180 },
						   { 0x200, 0x210 } };
	struct dw_resolver *resolver = gsym_dw_resolver_new();
	struct gsym_range h = { 0x300, 0x320 };
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t g;

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x180);
	g = node(&unit, DW_NO_NODE, false, "g");
	range(&unit, 0x200, 0x280);
	node(&unit, g, true, "a");
	range(&unit, 0x208, 0x220);
	node(&unit, DW_NO_NODE, false, "h");
	range(&unit, h.start, h.end);
	cr_assert(gsym_dw_resolve(resolver, &unit, owned, 3, &r));
	cr_assert_eq(r.records.count, 1);
	cr_expect(!r.records.items[0].unclaimed);
	cr_assert(gsym_dw_unclaimed_resolve(resolver, wants_all, &h));
	cr_assert_eq(r.records.count, 2);
	cr_expect(r.records.items[1].unclaimed);
	expect_frames(&r, 0x100, "f");
	expect_frames(&r, 0x17f, "f");
	expect_frames(&r, 0x207, "g");
	expect_frames(&r, 0x21f, "a<g");
	expect_frames(&r, 0x27f, "g");
	expect_frames(&r, 0x300, "");
	gsym_dw_resolver_free(resolver);
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, rows_of_a_function)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x104, 0x110);
	SEQUENCE(&unit, 0x200, { 0x100, 1, 5 }, { 0x104, 1, 6 },
		 { 0x104, 1, 7 }, { 0x108, 1, 7 }, { 0x10c, 2, 7 },
		 { 0x110, 1, 9 });
	resolve(&unit, &r);
	cr_assert_eq(r.records.count, 1);
	EXPECT_ROWS(&r, &r.records.items[0], { 0, 1, 7 }, { 8, 2, 7 });
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, row_before_the_start_covers_it)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x104, 0x110);
	SEQUENCE(&unit, 0x200, { 0x100, 1, 5 }, { 0x108, 1, 6 });
	resolve(&unit, &r);
	EXPECT_ROWS(&r, &r.records.items[0], { 0, 1, 5 }, { 4, 1, 6 });
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, bytes_without_a_sequence_have_no_source)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x140);
	SEQUENCE(&unit, 0x110, { 0x108, 1, 5 });
	SEQUENCE(&unit, 0x130, { 0x120, 1, 6 });
	resolve(&unit, &r);
	EXPECT_ROWS(&r, &r.records.items[0], { 0, DW_NO_FILE, 0 }, { 8, 1, 5 },
		    { 0x10, DW_NO_FILE, 0 }, { 0x20, 1, 6 },
		    { 0x30, DW_NO_FILE, 0 });
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, function_without_any_row_has_no_table)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x140);
	SEQUENCE(&unit, 0x210, { 0x200, 1, 5 });
	resolve(&unit, &r);
	cr_assert_eq(r.records.items[0].row_count, 0);
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, of_overlapping_sequences_the_last_row_counts)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x140);
	SEQUENCE(&unit, 0x140, { 0x100, 1, 5 }, { 0x120, 1, 6 });
	SEQUENCE(&unit, 0x118, { 0x110, 2, 7 });
	resolve(&unit, &r);
	EXPECT_ROWS(&r, &r.records.items[0], { 0, 1, 5 }, { 0x10, 2, 7 },
		    { 0x18, 1, 5 }, { 0x20, 1, 6 });
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

/* The end of the first sequence lies far beyond its last row. */
Test(resolve, a_sequence_that_ends_late_hides_no_other)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x140);
	SEQUENCE(&unit, 0x900, { 0x100, 1, 5 }, { 0x108, 1, 6 });
	SEQUENCE(&unit, 0x120, { 0x110, 1, 20 }, { 0x118, 1, 21 });
	SEQUENCE(&unit, 0x200, { 0x128, 1, 30 }, { 0x210, 1, 31 });
	resolve(&unit, &r);
	EXPECT_ROWS(&r, &r.records.items[0], { 0, 1, 5 }, { 8, 1, 6 },
		    { 0x10, 1, 20 }, { 0x18, 1, 21 }, { 0x20, 1, 6 },
		    { 0x28, 1, 30 });
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

/* Two functions that the linker folded: their rows do not mix. */
Test(resolve, of_sequences_with_one_range_the_first_counts)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x120);
	SEQUENCE(&unit, 0x120, { 0x100, 1, 5 }, { 0x110, 1, 6 });
	SEQUENCE(&unit, 0x120, { 0x100, 1, 8 }, { 0x114, 1, 9 });
	resolve(&unit, &r);
	EXPECT_ROWS(&r, &r.records.items[0], { 0, 1, 5 }, { 0x10, 1, 6 });
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, a_row_that_comes_late_cuts_a_run_of_equal_ones)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x200);
	SEQUENCE(&unit, 0x200, { 0x100, 1, 5 }, { 0x120, 1, 5 },
		 { 0x130, 1, 5 }, { 0x118, 1, 7 }, { 0x140, 1, 7 },
		 { 0x130, 1, 9 });
	resolve(&unit, &r);
	EXPECT_ROWS(&r, &r.records.items[0], { 0, 1, 5 }, { 0x18, 1, 7 },
		    { 0x20, 1, 5 }, { 0x30, 1, 9 }, { 0x40, 1, 7 });
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}

Test(resolve, rows_outside_functions_are_loose)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	static const struct gsym_range owned[] = { { 0x0f0, 0x150 },
						   { 0x400, 0x500 } };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x110, 0x120);
	SEQUENCE(&unit, 0x200, { 0x100, 1, 5 }, { 0x118, 1, 6 },
		 { 0x130, 1, 7 });
	resolve_owned(&unit, owned, 2, &r);
	cr_assert_eq(r.loose.count, 2);
	cr_assert_eq(r.loose.items[0].range.start, 0xf0);
	cr_assert_eq(r.loose.items[0].range.end, 0x110);
	EXPECT_ROWS(&r, &r.loose.items[0], { 0, DW_NO_FILE, 0 },
		    { 0x10, 1, 5 });
	cr_assert_eq(r.loose.items[1].range.start, 0x120);
	cr_assert_eq(r.loose.items[1].range.end, 0x150);
	EXPECT_ROWS(&r, &r.loose.items[1], { 0, 1, 6 }, { 0x10, 1, 7 });
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

/* Two owned ranges that touch hold one record.  Only the addresses after the
 * record have loose rows. */
Test(resolve, rows_after_a_record_over_several_owned_ranges)
{
	static const struct gsym_range owned[] = { { 0x100, 0x110 },
						   { 0x110, 0x120 } };
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x118);
	SEQUENCE(&unit, 0x120, { 0x100, 1, 5 });
	resolve_owned(&unit, owned, 2, &r);
	cr_assert_eq(r.records.count, 1);
	cr_assert_eq(r.loose.count, 1);
	cr_assert_eq(r.loose.items[0].range.start, 0x118);
	cr_assert_eq(r.loose.items[0].range.end, 0x120);
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

Test(resolve, unowned_units_give_nothing)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	range(&unit, 0x100, 0x140);
	SEQUENCE(&unit, 0x210, { 0x100, 1, 5 });
	resolve_owned(&unit, NULL, 0, &r);
	cr_assert_eq(r.records.count, 0);
	cr_assert_eq(r.loose.count, 0);
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

/* A unit whose functions have no ranges.  Without the check for it,
 * UndefinedBehaviorSanitizer sees 0 added to a null pointer. */
Test(resolve, no_ranges)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "f");
	resolve(&unit, &r);
	cr_assert_eq(r.records.count, 0);
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

/* gcc describes the cold part of a function in strict DWARF 2 by a function of
 * its own, which follows the inlined calls in that part. */
Test(resolve, later_function_around_an_earlier_call_does_not_cover_it)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };
	uint32_t f = node(&unit, DW_NO_NODE, false, "f");

	range(&unit, 0x100, 0x200);
	node(&unit, f, true, "a");
	range(&unit, 0x30, 0x40);
	node(&unit, DW_NO_NODE, false, "cold");
	range(&unit, 0x20, 0x50);
	resolve(&unit, &r);
	expect_frames(&r, 0x2f, "cold");
	expect_frames(&r, 0x30, "a<f");
	expect_frames(&r, 0x3f, "a<f");
	expect_frames(&r, 0x40, "cold");
	cr_assert_eq(unit.warnings.count, 2);
	cr_assert_eq(unit.warnings.items[1].kind, GSYM_WARN_OVERLAP);
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

/* The C library of riscv64: clone reaches into __thread_start, and comes later
 * in the unit. */
Test(resolve, of_functions_that_overlap_the_one_that_begins_last_answers)
{
	struct dw_unit unit = { 0 };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, false, "start");
	range(&unit, 0x120, 0x140);
	node(&unit, DW_NO_NODE, false, "clone");
	range(&unit, 0x100, 0x130);
	resolve(&unit, &r);
	expect_frames(&r, 0x11f, "clone");
	expect_frames(&r, 0x120, "start");
	expect_frames(&r, 0x12f, "start");
	expect_frames(&r, 0x13f, "start");
	cr_assert_eq(unit.warnings.count, 1);
	cr_assert_eq(unit.warnings.items[0].kind, GSYM_WARN_OVERLAP);
	cr_assert_str_eq(unit.warnings.items[0].text,
			 "the ranges of the functions at .debug_info+0x102 and "
			 "+0x101 overlap at 0x120");
	gsym_dw_unit_fini(&unit);
	gsym_dw_result_fini(&r);
}

/* Whether a range of node N of UNIT covers AT.  *START is its start; ranges
 * that touch or overlap are one. */
static bool covers(const struct dw_unit *unit, uint32_t n, uint64_t at,
		   uint64_t *start)
{
	const struct dw_node *m = &unit->nodes.items[n];
	const struct gsym_range *q = unit->ranges.items + m->first_range;
	bool found = false;

	/* Go down while a range covers the byte before *START. */
	for (*start = at + 1; *start; --*start) {
		bool covered = false;

		for (uint32_t k = 0; k < m->range_count; k++)
			covered |= q[k].start < *start && *start <= q[k].end;
		if (!covered)
			break;
		found = true;
	}
	return found;
}

/* A range that may be on top: the outermost range around it and that range's
 * node, its own start and node. */
struct candidate {
	uint64_t outer_start, outer, start, node;
};

/* Find the outermost range around the range of C, as far as the ranges are in
 * callers of its node without a gap. */
static void find_outermost(const struct dw_unit *unit, struct candidate *c)
{
	uint64_t start;
	uint32_t n = (uint32_t)c->node;

	c->outer_start = c->start;
	c->outer = n;
	for (;;) {
		n = unit->nodes.items[n].parent;
		if (n == DW_NO_NODE)
			return;
		if (!unit->nodes.items[n].range_count)
			continue;
		if (!covers(unit, n, c->outer_start, &start))
			return;
		c->outer_start = start;
		c->outer = n;
	}
}

/* The node on top at AT by the rules of dwarf/paint.c. */
static uint32_t top_at(const struct dw_unit *unit, uint64_t at)
{
	struct candidate top = { 0 }, c = { 0 };
	uint32_t found = DW_NO_NODE;

	for (uint32_t n = 0; n < unit->nodes.count; n++) {
		c.node = n;
		if (!covers(unit, n, at, &c.start))
			continue;
		find_outermost(unit, &c);
		if (found == DW_NO_NODE || c.outer_start > top.outer_start ||
		    (c.outer_start == top.outer_start &&
		     (c.outer > top.outer ||
		      (c.outer == top.outer && c.start >= top.start)))) {
			found = n;
			top = c;
		}
	}
	return found;
}

/* Any tree with any ranges gives at each byte the node that the rules
 * choose. */
Test(resolve, agrees_with_a_choice_for_each_byte)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f",
					     "g", "h", "i", "j" };
	uint32_t random = 99;

	for (int round = 0; round < 500; round++) {
		struct dw_unit unit = { 0 };
		struct dw_result r = { 0 };

		for (uint32_t n = 0; n < 10; n++) {
			uint32_t parent = DW_NO_NODE;

			random = random * 1664525 + 1013904223;
			if (n && random >> 30)
				parent = (random >> 8) % n;
			node(&unit, parent, parent != DW_NO_NODE, names[n]);
			for (uint32_t k = random >> 24 & 3; k; k--) {
				uint64_t start;

				random = random * 1664525 + 1013904223;
				start = random >> 20 & 63;
				range(&unit, start,
				      start + 1 + (random >> 10 & 15));
			}
		}
		resolve(&unit, &r);
		for (uint64_t at = 0; at < 96; at++) {
			uint32_t top = top_at(&unit, at);
			char want[64] = "";

			for (; top != DW_NO_NODE;
			     top = unit.nodes.items[top].parent) {
				if (*want)
					strcat(want, "<");
				strcat(want, names[top]);
			}
			expect_frames(&r, at, want);
		}
		gsym_dw_unit_fini(&unit);
		gsym_dw_result_fini(&r);
	}
}
