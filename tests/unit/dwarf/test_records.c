/* SPDX-License-Identifier: MIT */
/* Which record gets a call site. */
#include "dwarf/resolve.h"
#include "dwarf/unit.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Add a function called NAME with COUNT RANGES; returns its number. */
static uint32_t add_function(struct dw_unit *unit, const char *name,
			     const struct gsym_range *ranges, uint32_t count)
{
	*gsym_vec_push(&unit->nodes) = (struct dw_node){
		.name = { name, false },
		.parent = DW_NO_NODE,
		.first_range = (uint32_t)unit->ranges.count,
		.range_count = count,
	};
	for (uint32_t i = 0; i < count; i++)
		*gsym_vec_push(&unit->ranges) = ranges[i];
	return (uint32_t)unit->nodes.count - 1;
}

static void add_call(struct dw_unit *unit, uint32_t function, uint64_t address,
		     const char *callee)
{
	*gsym_vec_push(&unit->calls) = (struct dw_call){
		.function = function,
		.address = address,
		.callee = { callee, false },
	};
}

/* Resolve UNIT, which owns OWNED, and free it.  Returns its records with their
 * calls, as "NAME [START,END) +OFFSET CALLEE ..". */
static const char *records(struct dw_unit *unit, struct gsym_range owned)
{
	static char text[1024];
	struct dw_resolver *resolver = gsym_dw_resolver_new();
	struct dw_result r = { 0 };
	size_t at = 0;

	unit->wants = DW_WANT_CALLS;
	cr_assert(resolver);
	cr_assert(gsym_dw_resolve(resolver, unit, &owned, 1, &r));
	for (size_t i = 0; i < r.records.count; i++) {
		const struct dw_record *record = &r.records.items[i];

		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "%s%s [%x,%x)",
			i ? "; " : "", r.names.items[record->name].text,
			(unsigned)record->range.start,
			(unsigned)record->range.end);
		for (uint32_t k = 0; k < record->call_count; k++) {
			const struct gsym_call *call =
				&r.calls.items[record->first_call + k];
			uint32_t callee = r.callees.count;

			if (call->pattern_count)
				callee = r.callees.items[call->first_pattern];
			at += (size_t)snprintf(
				text + at, sizeof(text) - at, " +%x %s",
				(unsigned)call->return_offset,
				call->pattern_count
					? r.names.items[callee].text
					: "-");
		}
	}
	gsym_dw_result_fini(&r);
	gsym_dw_resolver_free(resolver);
	gsym_dw_unit_fini(unit);
	return text;
}

static const struct gsym_range everything = { 0, 0x10000 };

/* A call that does not return may be the last instruction of a function, even
 * where the next function begins. */
Test(records, a_call_that_returns_to_the_end_of_a_function)
{
	static const struct gsym_range f = { 0x1000, 0x1010 };
	static const struct gsym_range g = { 0x1010, 0x1020 };
	struct dw_unit unit = { 0 };
	uint32_t first = add_function(&unit, "f", &f, 1);
	uint32_t second = add_function(&unit, "g", &g, 1);

	add_call(&unit, second, 0x1014, "c");
	add_call(&unit, first, 0x1010, "abort");
	add_call(&unit, first, 0x1011, "after");
	add_call(&unit, second, 0x1010, "start");
	add_call(&unit, second, 0x100f, "before");
	add_call(&unit, first, 0x1008, NULL);
	cr_expect_str_eq(records(&unit, everything),
			 "f [1000,1010) +8 - +10 abort; "
			 "g [1010,1020) +0 start +4 c");
}

/* Where a range of the function begins at the return address, the call is in
 * the record of that range alone. */
Test(records, a_call_that_returns_into_the_next_range)
{
	static const struct gsym_range ranges[] = { { 0x1000, 0x1010 },
						    { 0x1030, 0x1040 },
						    { 0x1010, 0x1020 } };
	struct dw_unit unit = { 0 };
	uint32_t f = add_function(&unit, "f", ranges, 3);

	add_call(&unit, f, 0x1010, "a");
	add_call(&unit, f, 0x1020, "b");
	add_call(&unit, f, 0x1040, "c");
	add_call(&unit, f, 0x1028, "outside");
	cr_expect_str_eq(records(&unit, everything),
			 "f [1000,1010); f [1010,1020) +0 a +10 b; "
			 "f [1030,1040) +10 c");
}

/* g lies in f.  A call of f that returns to the start of g is in the rest of
 * f. */
Test(records, a_call_that_returns_to_where_another_function_begins)
{
	static const struct gsym_range outer = { 0x1000, 0x1020 };
	static const struct gsym_range inner = { 0x1010, 0x1018 };
	struct dw_unit unit = { 0 };
	uint32_t f = add_function(&unit, "f", &outer, 1);

	add_function(&unit, "g", &inner, 1);
	add_call(&unit, f, 0x1004, "a");
	add_call(&unit, f, 0x1010, "late");
	add_call(&unit, f, 0x1019, "b");
	cr_expect_str_eq(records(&unit, everything),
			 "f [1000,1010) +4 a; f [1018,1020) +1 b; "
			 "g [1010,1018)");
}

/* An inlined call that begins in the only range of its function and ends after
 * it makes the record longer. */
Test(records, an_inlined_call_beyond_the_end)
{
	static const struct gsym_range range = { 0x1000, 0x1010 };
	struct dw_unit unit = { 0 };

	add_function(&unit, "f", &range, 1);
	*gsym_vec_push(&unit.nodes) = (struct dw_node){
		.name = { "i", false },
		.parent = 0,
		.inlined = true,
		.first_range = 1,
		.range_count = 1,
	};
	*gsym_vec_push(&unit.ranges) = (struct gsym_range){ 0x1008, 0x1018 };
	cr_expect_str_eq(records(&unit, everything), "f [1000,1018)");
}

/* Callees of one call are sorted by name; each is there once. */
Test(records, several_callees)
{
	static const struct gsym_range range = { 0x1000, 0x1020 };
	static const char copy[] = "b";
	struct dw_unit unit = { 0 };
	uint32_t f = add_function(&unit, "f", &range, 1);

	add_call(&unit, f, 0x1008, "c");
	add_call(&unit, f, 0x1008, "b");
	add_call(&unit, f, 0x1004, "b");
	add_call(&unit, f, 0x1008, copy);
	add_call(&unit, f, 0x1008, NULL);
	cr_expect_str_eq(records(&unit, everything),
			 "f [1000,1020) +4 b +8 - +8 b +8 c");
}
