/* SPDX-License-Identifier: MIT */
/* If an allocation fails, the conversion of debug info returns an error or
 * finds everything all the same; it neither crashes nor leaks, nor writes
 * beyond the end of a block. */
#include "cases.h"
#include "dwarf/resolve.h"
#include "random_case.h"
#include "second/second.h"
#include "support/guarded.h"
#include "support/sink_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct sinktext found, expected;

/* The container's way to open .dwo files, which must not fail. */
static enum gsym_status (*open_split)(const struct gsym_container *,
				      const char *, const char *, unsigned,
				      struct gsym_container **);

static enum gsym_status open_always(const struct gsym_container *container,
				    const char *directory, const char *name,
				    unsigned n, struct gsym_container **ret)
{
	long failing = guarded.failing, made = guarded.made;
	enum gsym_status status;

	guarded.failing = -1;
	status = open_split(container, directory, name, n, ret);
	guarded.failing = failing;
	guarded.made = made;
	return status;
}

/* Convert CONTAINER to the text of S; the warnings are left out. */
static enum gsym_status convert(const struct gsym_container *container,
				const struct dw_reader *second,
				struct sinktext *s)
{
	const struct gsym_convert_options options = { .merged_functions = true,
						      .call_sites = true };
	const struct gsym_sink sink = sinktext_sink(s);
	struct gsym_variables variables = { 0 };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_error error = { 0 };
	enum gsym_status status;

	sinktext_init(s);
	guarded.made = 0;
	status = gsym_dwarf_convert(container, second, &options, NULL, &sink,
				    false, &variables, &facts, &error);
	guarded.failing = -1;
	if (status == GSYM_OK)
		sinktext_variables(s, &variables);
	else
		cr_assert_eq(error.code, status);
	gsym_vec_fini(&variables);
	return status;
}

static void check(const struct dw_case *c, const struct dw_reader *second)
{
	struct gsym_container *container;
	struct dwf files;
	long blocks, all;

	dwf_init(&files, false, 8, c->last, false);
	case_build(c, &files);
	container = dwf_container(&files);
	open_split = container->open_split;
	container->open_split = open_always;
	blocks = guarded.blocks;
	cr_assert_eq(convert(container, second, &expected), GSYM_OK);
	all = guarded.made;
	cr_assert_eq(guarded.blocks, blocks, "%s: %ld blocks are lost", c->name,
		     guarded.blocks - blocks);
	for (long number = 0; number < all; number++) {
		enum gsym_status status;

		guarded.failing = number;
		status = convert(container, second, &found);
		cr_assert_eq(guarded.blocks, blocks,
			     "%s, allocation %ld: %ld blocks are lost", c->name,
			     number, guarded.blocks - blocks);
		if (status == GSYM_OK)
			cr_assert_str_eq(found.text, expected.text,
					 "%s, allocation %ld of %ld\n%s",
					 c->name, number, all, found.text);
		else
			cr_assert_eq(status, GSYM_ERR_MEMORY);
	}
	gsym_container_free(container);
	dwf_fini(&files);
}

/* Units that claim the same addresses, with so many functions and gaps between
 * them that all arrays grow more than once. */
static void many(struct dwa *a)
{
	enum { MANY = 40 };
	static const struct dwa_file files[] = { { "x.c", 0 } };
	uint64_t table = dwa_lines(a, &(struct dwa_lines){ .version = 4,
							   .files = files,
							   .file_count = 1 });

	dwa_sequence(a, 0x1000);
	for (unsigned i = 0; i < MANY; i++)
		dwa_row(a, 0x1000 + 16 * i, 1, 1 + i);
	dwa_sequence_end(a, 0x1000 + 16 * MANY);
	dwa_lines_end(a);
	for (unsigned unit = 0; unit < 3; unit++) {
		dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, true);
		dwa_value(a, DW_AT_stmt_list, DW_FORM_sec_offset, table);
		case_range(a, 0x1000 + 64 * unit, 0x1000 + 16 * MANY);
		for (unsigned i = 0; i < MANY; i++) {
			uint64_t at = 0x1000 + 16 * i;
			const struct dwa_pair pairs[] = { { at, at + 4 },
							  { at + 4, at + 8 } };
			uint64_t list = dwa_ranges(a, pairs, 2);

			dwa_die(a, DW_TAG_subprogram, false);
			dwa_string(a, DW_AT_name, DW_FORM_string, "f");
			dwa_value(a, DW_AT_ranges, DW_FORM_sec_offset, list);
		}
		case_unit_end(a);
	}
}

/* A function of two ranges that touch, with a call that returns to where they
 * do, and so many inlined calls that the tables of names grow. */
static void many_names(struct dwa *a)
{
	enum { NAMES = 300 };
	unsigned places[NAMES];
	const struct dwa_pair pairs[] = { { 0x1000, 0x1000 + 8 * NAMES },
					  { 0x1000 + 8 * NAMES, 0x8000 } };
	uint64_t list = dwa_ranges(a, pairs, 2);

	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	case_range(a, 0x1000, 0x8000);
	for (unsigned i = 0; i < NAMES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		places[i] = case_abstract(a, name);
	}
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "main");
	dwa_value(a, DW_AT_ranges, DW_FORM_sec_offset, list);
	for (unsigned i = 0; i < NAMES; i++)
		case_inlined(a, places[i], false, 7, 0x1000 + 8 * i,
			     0x1004 + 8 * i);
	dwa_die(a, DW_TAG_GNU_call_site, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1000 + 8 * NAMES);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, places[1]);
	dwa_end(a);
	case_unit_end(a);
}

static void random_program(struct dwa *a)
{
	random_case(a, 2);
}

static void another_program(struct dwa *a)
{
	random_case(a, 7);
}

static void check_all(const struct dw_reader *second)
{
	const struct dw_case random = { .name = "random program",
					.last = 4,
					.build = random_program };
	const struct dw_case another = { .name = "another random program",
					 .last = 5,
					 .build = another_program };
	const struct dw_case overlapping = { .name = "overlapping units",
					     .last = 4,
					     .build = many };
	const struct dw_case names = { .name = "many names",
				       .last = 4,
				       .build = many_names };
	const struct dw_case *const tables[] = {
		dw_tree_cases,	dw_name_cases, dw_content_cases,
		dw_range_cases, dw_line_cases, dw_file_cases,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct dw_case *c = tables[i]; c->name; c++)
			check(c, second);
	check(&overlapping, second);
	check(&names, second);
	check(&random, second);
	check(&another, second);
}

Test(memory, scan)
{
	check_all(NULL);
}

Test(memory, second)
{
	check_all(&gsym_libdwarf_reader);
}
