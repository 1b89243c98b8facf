/* SPDX-License-Identifier: MIT */
/* Functions that share a range: which of them become records, and with which
 * rows; and the calls of functions. */
#include "dwarf/policy.h"
#include "dwarf/resolve.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dw_node *node(struct dw_unit *unit, uint32_t parent,
			    const char *name, uint64_t start, uint64_t end)
{
	struct dw_node *n = gsym_vec_push(&unit->nodes);

	*n = (struct dw_node){
		.die = unit->nodes.count,
		.parent = parent,
		.inlined = parent != DW_NO_NODE,
		.name = { name, false },
		.call_file = DW_NO_FILE,
		.first_range = (uint32_t)unit->ranges.count,
		.range_count = 1,
		.declared = { DW_NO_FILE, 0 },
	};
	*(struct gsym_range *)gsym_vec_push(&unit->ranges) =
		(struct gsym_range){ start, end };
	return n;
}

/* Add a sequence over [START, END) with two rows: LINE at START, and LINE + 1
 * in the middle. */
static void sequence(struct dw_unit *unit, uint64_t start, uint64_t end,
		     uint32_t file, uint32_t line, uint64_t offset)
{
	struct dw_open_sequence open = { .first_row = unit->lines.rows.count,
					 .offset = offset };

	cr_assert(dw_row_add(unit, &open, start, file, line));
	cr_assert(dw_row_add(unit, &open, start + (end - start) / 2, file,
			     line + 1));
	cr_assert(gsym_dw_sequence_end(unit, &open, end, 8));
	cr_assert(gsym_dw_sequences_sort(unit));
}

/* "[start,end) name:lines" of each record, with an F before folded records and
 * the number of inlined calls after a +. */
static const char *records(const struct dw_result *r)
{
	static char text[1024];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < r->records.count; i++) {
		const struct dw_record *record = &r->records.items[i];
		const char *name = r->names.items[record->name].text;

		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "%s%s[%x,%x) %s", i ? "; " : "",
				       record->folded ? "F" : "",
				       (unsigned)record->range.start,
				       (unsigned)record->range.end,
				       name ? name : "-");
		for (uint32_t k = 0; k < record->row_count; k++)
			at += (size_t)snprintf(
				text + at, sizeof(text) - at, ":%u",
				r->rows.items[record->first_row + k].line);
		if (record->inline_count)
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       " +%u", record->inline_count);
	}
	return text;
}

static const struct gsym_range all[] = { { 0, 0x10000 } };

static void resolve(struct dw_unit *unit, const struct gsym_range *owned,
		    size_t count, struct dw_result *r)
{
	struct dw_resolver *resolver = gsym_dw_resolver_new();

	cr_assert(resolver);
	cr_assert(gsym_dw_resolve(resolver, unit, owned, count, r));
	gsym_dw_resolver_free(resolver);
}

static void expect(struct dw_unit *unit, bool owned, const char *want)
{
	struct dw_result r = { 0 };

	resolve(unit, all, owned, &r);
	cr_assert_str_eq(records(&r), want);
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(unit);
}

Test(folded, not_asked_for)
{
	struct dw_unit unit = { 0 };

	node(&unit, DW_NO_NODE, "a", 0x100, 0x110)->declared.line = 5;
	node(&unit, DW_NO_NODE, "b", 0x100, 0x110)->declared.line = 9;
	sequence(&unit, 0x100, 0x110, 0, 5, 0);
	sequence(&unit, 0x100, 0x110, 0, 9, 0);
	/* The last DIE answers, with its own lines. */
	expect(&unit, true, "[100,110) b:9:10");
}

Test(folded, rows_by_declaration)
{
	struct dw_unit unit = { .wants = DW_WANT_FOLDED };

	node(&unit, DW_NO_NODE, "a", 0x100, 0x110)->declared.line = 14;
	node(&unit, DW_NO_NODE, "b", 0x100, 0x110)->declared.line = 9;
	node(&unit, DW_NO_NODE, "c", 0x100, 0x110)->declared.line = 4;
	node(&unit, DW_NO_NODE, "other", 0x200, 0x210)->declared.line = 4;
	sequence(&unit, 0x100, 0x110, 0, 5, 0);
	sequence(&unit, 0x100, 0x110, 0, 10, 0);
	sequence(&unit, 0x100, 0x110, 0, 15, 0);
	sequence(&unit, 0x200, 0x210, 0, 20, 0);
	expect(&unit, true, "[100,110) c:5:6; [200,210) other:20:21; "
			    "F[100,110) a:15:16; F[100,110) b:10:11");
}

Test(folded, declarations_in_other_files_do_not_count)
{
	struct dw_unit unit = { .wants = DW_WANT_FOLDED };
	struct dw_node *b;

	for (int i = 0; i < 3; i++)
		*(struct dw_file *)gsym_vec_push(&unit.files) =
			(struct dw_file){ i == 2 ? NULL : "d", i ? "x" : "y" };
	node(&unit, DW_NO_NODE, "a", 0x100, 0x110)->declared =
		(struct dw_declaration){ 1, 4 };
	b = node(&unit, DW_NO_NODE, "b", 0x100, 0x110);
	b->declared = (struct dw_declaration){ 2, 4 };
	sequence(&unit, 0x100, 0x110, 0, 4, 0);
	sequence(&unit, 0x100, 0x110, 1, 6, 0);
	/* No sequence is in B's file.  B is the second function, so it gets the
	 * second sequence. */
	expect(&unit, true, "[100,110) b:6:7; F[100,110) a:6:7");
}

Test(folded, rows_by_order)
{
	struct dw_unit unit = { .wants = DW_WANT_FOLDED };

	node(&unit, DW_NO_NODE, "a", 0x100, 0x110);
	node(&unit, DW_NO_NODE, "between", 0x200, 0x210);
	node(&unit, DW_NO_NODE, "b", 0x100, 0x110);
	node(&unit, DW_NO_NODE, "c", 0x100, 0x110);
	sequence(&unit, 0x100, 0x110, 0, 5, 0);
	sequence(&unit, 0x100, 0x110, 0, 10, 0);
	/* There is no third sequence for C, so C gets all rows; the first
	 * sequence hides the others. */
	expect(&unit, true, "[200,210) between; [100,110) c:5:6; "
			    "F[100,110) a:5:6; F[100,110) b:10:11");
}

Test(folded, rows_by_stmt_sequence)
{
	for (int wants = 0; wants < 2; wants++) {
		struct dw_unit unit = { .wants = wants ? DW_WANT_FOLDED : 0 };
		struct dw_node *n = node(&unit, DW_NO_NODE, "a", 0x100, 0x110);

		n->has_sequence = true;
		n->sequence = 0x77;
		n = node(&unit, DW_NO_NODE, "b", 0x100, 0x110);
		n->has_sequence = true;
		n->sequence = 0x55;
		n->declared.line = 5;
		sequence(&unit, 0x100, 0x110, 0, 5, 0x33);
		sequence(&unit, 0x100, 0x110, 0, 10, 0x55);
		sequence(&unit, 0x100, 0x110, 0, 15, 0x77);
		expect(&unit, true, wants ? "[100,110) b:10:11; "
					    "F[100,110) a:15:16"
					  : "[100,110) b:10:11");
	}
}

Test(folded, a_stmt_sequence_that_is_not_there_does_not_count)
{
	struct dw_unit unit = { 0 };
	struct dw_node *n = node(&unit, DW_NO_NODE, "a", 0x100, 0x110);

	n->has_sequence = true;
	n->sequence = 0x99;
	sequence(&unit, 0x100, 0x110, 0, 5, 0x33);
	expect(&unit, true, "[100,110) a:5:6");
}

Test(folded, sequence_of_a_part)
{
	struct dw_unit unit = { 0 };
	struct dw_node *n = node(&unit, DW_NO_NODE, "a", 0x100, 0x120);

	n->has_sequence = true;
	n->sequence = 0x33;
	sequence(&unit, 0x108, 0x110, 0, 5, 0x33);
	/* The function has no source before the sequence and after it. */
	expect(&unit, true, "[100,120) a:0:5:6:0");
}

Test(folded, another_unit_owns_the_address)
{
	struct dw_unit unit = { .wants = DW_WANT_FOLDED };

	node(&unit, DW_NO_NODE, "a", 0x100, 0x110);
	node(&unit, 0, "in a", 0x104, 0x108);
	sequence(&unit, 0x100, 0x110, 0, 5, 0);
	expect(&unit, false, "F[100,110) a:5:6 +1");
}

Test(folded, each_with_the_calls_inlined_into_it)
{
	struct dw_unit unit = { .wants = DW_WANT_FOLDED };

	node(&unit, DW_NO_NODE, "a", 0x100, 0x110);
	node(&unit, 0, "in a", 0x104, 0x10c);
	node(&unit, 1, "in in a", 0x104, 0x108);
	node(&unit, DW_NO_NODE, "b", 0x100, 0x110);
	node(&unit, 3, "in b", 0x100, 0x104);
	expect(&unit, true, "[100,110) b +1; F[100,110) a +2");
}

Test(folded, a_function_that_is_owned_in_part_is_folded_whole)
{
	static const struct gsym_range owned[] = { { 0x100, 0x108 } };
	struct dw_unit unit = { .wants = DW_WANT_FOLDED };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, "a", 0x100, 0x110);
	resolve(&unit, owned, 1, &r);
	cr_assert_str_eq(records(&r), "F[100,110) a");
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}

/* A line table may list a file twice.  That decides between the sequences of
 * two functions with one range, and again in the next unit of the resolver. */
Test(folded, declarations_in_a_file_that_is_listed_twice)
{
	struct dw_resolver *resolver = gsym_dw_resolver_new();
	struct dw_result r = { 0 };

	for (unsigned again = 0; again < 3; again++) {
		struct dw_unit unit = { .wants = DW_WANT_FOLDED };
		/* In the second unit files 1 and 2 are not the same. */
		bool same = again != 1;

		for (unsigned i = 0; i < 3; i++)
			*(struct dw_file *)gsym_vec_push(&unit.files) =
				(struct dw_file){ "d", !i ? "x" :
						       i == 1 || same ? "y" :
									"z" };
		node(&unit, DW_NO_NODE, "a", 0x100, 0x110)->declared =
			(struct dw_declaration){ 2, 9 };
		node(&unit, DW_NO_NODE, "b", 0x100, 0x110)->declared =
			(struct dw_declaration){ 1, 4 };
		sequence(&unit, 0x100, 0x110, 1, 5, 0);
		sequence(&unit, 0x100, 0x110, 1, 10, 0);
		cr_assert(gsym_dw_resolve(resolver, &unit, all, 1, &r));
		/* Without a sequence in its file, A has the first one. */
		cr_expect_str_eq(records(&r),
				 same ? "[100,110) b:5:6; F[100,110) a:10:11"
				      : "[100,110) b:5:6; F[100,110) a:5:6");
		gsym_dw_unit_fini(&unit);
	}
	gsym_dw_resolver_free(resolver);
	gsym_dw_result_fini(&r);
}

/* Names of files are compared, but not those that are longer than any path: the
 * names may overlap, so that the file is small and each look is long. */
Test(folded, declarations_in_files_with_long_names)
{
	enum { PATH = 4096, LONG = 1 << 20 };
	static const unsigned lengths[] = { PATH - 1, PATH, LONG };
	char *names = malloc(2 * (LONG + 1));

	for (unsigned i = 0; i < 3; i++) {
		struct dw_unit unit = { .wants = DW_WANT_FOLDED,
					.work.limit = 1 << 20 };
		struct dw_result r = { 0 };

		memset(names, 'x', 2 * (LONG + 1));
		names[lengths[i]] = names[LONG + 1 + lengths[i]] = 0;
		for (unsigned k = 0; k < 2; k++)
			*(struct dw_file *)gsym_vec_push(&unit.files) =
				(struct dw_file){ "d", names + k * (LONG + 1) };
		node(&unit, DW_NO_NODE, "a", 0x100, 0x110)->declared =
			(struct dw_declaration){ 1, 9 };
		node(&unit, DW_NO_NODE, "b", 0x100, 0x110)->declared =
			(struct dw_declaration){ 0, 4 };
		sequence(&unit, 0x100, 0x110, 0, 5, 0);
		sequence(&unit, 0x100, 0x110, 0, 10, 0);
		resolve(&unit, all, 1, &r);
		cr_expect_str_eq(records(&r),
				 lengths[i] < PATH
					 ? "[100,110) b:5:6; F[100,110) a:10:11"
					 : "[100,110) b:5:6; F[100,110) a:5:6");
		cr_expect_lt(unit.work.used, 2048);
		gsym_dw_result_fini(&r);
		gsym_dw_unit_fini(&unit);
	}
	free(names);
}

/* At most 1024 sequences of one range are looked at. */
Test(folded, very_many_sequences)
{
	enum { MOST = 1024 };

	for (unsigned more = 0; more < 2; more++) {
		struct dw_unit unit = { .wants = DW_WANT_FOLDED };

		node(&unit, DW_NO_NODE, "a", 0x100, 0x110)->declared.line =
			9000;
		node(&unit, DW_NO_NODE, "b", 0x100, 0x110)->declared.line = 1;
		for (unsigned i = 1; i < MOST + more; i++)
			sequence(&unit, 0x100, 0x110, 0, 7, 0);
		sequence(&unit, 0x100, 0x110, 0, 9000, 0);
		expect(&unit, true, more ? "[100,110) b:7:8; F[100,110) a:7:8"
					 : "[100,110) b:7:8; "
					   "F[100,110) a:9000:9001");
	}
}

/* Each folded function is painted alone, even if the next one has as many
 * stretches, further on. */
Test(folded, two_with_as_many_calls)
{
	struct dw_unit unit = { .wants = DW_WANT_FOLDED };

	node(&unit, DW_NO_NODE, "a", 0x100, 0x110);
	node(&unit, 0, "in a", 0x104, 0x108);
	node(&unit, DW_NO_NODE, "b", 0x200, 0x210);
	node(&unit, 2, "in b", 0x204, 0x208);
	expect(&unit, false, "F[100,110) a +1; F[200,210) b +1");
}

/* A folded record has at most 4 GiB - 1, as offsets have 32 bits. */
Test(folded, functions_of_4_gib)
{
	for (unsigned more = 0; more < 2; more++) {
		struct dw_unit unit = { .wants = DW_WANT_FOLDED };

		node(&unit, DW_NO_NODE, "a", 0x100,
		     0x100 + UINT64_C(0xffffffff) + more);
		expect(&unit, false, more ? "" : "F[100,ff) a");
	}
}

/* "offset name" of the calls of the record. */
static const char *calls(const struct dw_result *r, size_t index)
{
	static char text[256];
	const struct dw_record *record = &r->records.items[index];
	size_t at = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < record->call_count; i++) {
		const struct gsym_call *c =
			&r->calls.items[record->first_call + i];
		uint32_t name = c->pattern_count ?
					r->callees.items[c->first_pattern] :
					0;

		cr_assert_eq(c->flags, 0);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%x %s",
				       i ? "; " : "",
				       (unsigned)c->return_offset,
				       name ? r->names.items[name].text : "-");
	}
	return text;
}

static void call(struct dw_unit *unit, uint32_t function, uint64_t address,
		 const char *name)
{
	*(struct dw_call *)gsym_vec_push(&unit->calls) =
		(struct dw_call){ address, function, { name, false } };
}

Test(calls, go_where_they_return_to)
{
	struct dw_unit unit = { .wants = DW_WANT_CALLS };
	struct dw_result r = { 0 };
	struct gsym_range *cold;

	node(&unit, DW_NO_NODE, "a", 0x100, 0x110);
	cold = gsym_vec_push(&unit.ranges);
	*cold = (struct gsym_range){ 0x200, 0x210 };
	unit.nodes.items[0].range_count = 2;
	node(&unit, DW_NO_NODE, "b", 0x110, 0x120);
	call(&unit, 0, 0x110, "noreturn");
	call(&unit, 0, 0x108, "f");
	call(&unit, 0, 0x104, NULL);
	call(&unit, 1, 0x118, "g");
	call(&unit, 0, 0x208, "h");
	call(&unit, 0, 0x208, "h");
	call(&unit, 0, 0x208, "i");
	call(&unit, 0, 0x300, "nowhere");
	call(&unit, 0, 0x0, "nowhere");
	resolve(&unit, all, 1, &r);
	cr_assert_eq(r.records.count, 3);
	cr_assert_str_eq(calls(&r, 0), "4 -; 8 f; 10 noreturn");
	cr_assert_str_eq(calls(&r, 1), "8 h; 8 i");
	cr_assert_str_eq(calls(&r, 2), "8 g");
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}

/* A call returns to 0x110, where one range of the function ends and another
 * begins.  The function is entered there, so that each is a record. */
Test(calls, return_to_the_start_of_the_next_range)
{
	struct dw_unit unit = { .wants = DW_WANT_CALLS };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, "a", 0x110, 0x120);
	*gsym_vec_push(&unit.ranges) = (struct gsym_range){ 0x100, 0x110 };
	unit.nodes.items[0].range_count = 2;
	call(&unit, 0, 0x110, "f");
	resolve(&unit, all, 1, &r);
	cr_assert_eq(r.records.count, 2);
	cr_assert_str_eq(calls(&r, 0), "");
	cr_assert_str_eq(calls(&r, 1), "0 f");
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}

Test(calls, return_to_the_end_of_a_record_inside_the_function)
{
	struct dw_unit unit = { .wants = DW_WANT_CALLS };
	struct dw_result r = { 0 };

	node(&unit, DW_NO_NODE, "a", 0x100, 0x120);
	/* B cuts A into two records. */
	node(&unit, DW_NO_NODE, "b", 0x108, 0x110);
	call(&unit, 0, 0x108, "f");
	call(&unit, 0, 0x110, "g");
	resolve(&unit, all, 1, &r);
	cr_assert_eq(r.records.count, 3);
	cr_assert_str_eq(calls(&r, 0), "");
	cr_assert_str_eq(calls(&r, 1), "0 g");
	gsym_dw_result_fini(&r);
	gsym_dw_unit_fini(&unit);
}
