/* SPDX-License-Identifier: MIT */
/* Bounds of work of whole conversions, which both readers make: names and depth
 * of calls. */
#include "cases.h"
#include "dwarf/dwarf.h"
#include "dwarf/unit.h"
#include "second/second.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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
				    const struct gsym_record *record)
{
	struct taken *taken = self;

	taken->records++;
	for (size_t i = 0; i < record->inline_count; i++)
		if (record->inlines[i].depth > taken->depth)
			taken->depth = record->inlines[i].depth;
	return GSYM_OK;
}

static enum gsym_status convert(struct dwa *a, const struct dw_reader *second,
				struct taken *taken,
				struct gsym_variables *variables)
{
	struct gsym_sink sink = { .self = taken, .string = take_string,
				  .file = take_file, .record = take_record };
	struct gsym_convert_options options = { .warn = take_warning,
						.context = taken };
	struct gsym_convert_facts facts = { 0 };

	*taken = (struct taken){ 0 };
	return gsym_dwarf_convert(dwa_container(a), second, &options, NULL,
				  &sink, false, variables, &facts, NULL);
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

		cr_expect_eq(convert(&a, i ? &gsym_libdwarf_reader : NULL,
				     &taken, NULL),
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

		cr_assert_eq(convert(a, i ? &gsym_libdwarf_reader : NULL,
				     &taken, variables),
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
