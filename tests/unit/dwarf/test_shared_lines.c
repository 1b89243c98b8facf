/* SPDX-License-Identifier: MIT */
/* Many units with one long line table: the budget pays for reading the table
 * for as many units as a byte of debug info may use units of work. */
#include "cases.h"
#include "dwarf/resolve.h"
#include "second/second.h"
#include "support/sink_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNITS = 64,
	SIZE = 0x100,		/* addresses of a unit */
	FILLER = 2 << 20,	/* opcodes without effect */
	START = 0x10000,
	UNKNOWN = 0x3ffe,	/* an attribute */
};

static struct sinktext s;

/* The tables lack the files of some rows; only other warnings matter here. */
static void note_warning(void *context, enum gsym_warning kind,
			 const char *text)
{
	if (kind != GSYM_WARN_BAD_FILE_INDEX)
		sinktext_warn(context, kind, text);
}

/* A table with three rows for each unit, in one sequence, or in one for each
 * unit. */
static uint64_t table(struct dwa *a, bool one_sequence)
{
	static const char *const directories[] = { "/d" };
	static const struct dwa_file files[] = { { "x.c", 0 }, { "y.c", 0 } };
	uint64_t offset = dwa_lines(
		a, &(struct dwa_lines){ .version = a->version,
					.directories = directories,
					.directory_count = a->version >= 5,
					.files = files,
					.file_count = 2 });
	struct gsym_emit *line = &a->sections[DWA_LINE];

	memset(gsym_emit_reserve(line, FILLER), DW_LNS_negate_stmt, FILLER);
	for (unsigned i = 0; i < UNITS; i++) {
		uint64_t at = START + SIZE * i;

		if (!i || !one_sequence)
			dwa_sequence(a, at);
		/* The first row of a unit is in force from the end of the unit
		 * before on. */
		dwa_row(a, at, 1, 3 * i + 1);
		dwa_row(a, at + 0x40, 2, 3 * i + 2);
		dwa_row(a, at + 0x80, 1, 3 * i + 3);
		if (i + 1 == UNITS || !one_sequence)
			dwa_sequence_end(a, at + SIZE);
	}
	dwa_lines_end(a);
	return offset;
}

/* UNITS units, each with a function and, after it, addresses without one.  Each
 * unit has an attribute of PADDING bytes that no reader needs. */
static void build(struct dwa *a, bool one_sequence, unsigned folders,
		  size_t padding)
{
	uint64_t offset = table(a, one_sequence);
	char *text = calloc(1, padding + 1);
	char name[16];

	memset(text, 'x', padding);

	for (unsigned i = 0; i < UNITS; i++) {
		uint64_t at = START + SIZE * i;

		snprintf(name, sizeof(name), "/src%u", i % folders);
		dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, true);
		dwa_string(a, DW_AT_comp_dir, DW_FORM_string, name);
		dwa_value(a, DW_AT_stmt_list, case_section_form(a), offset);
		case_range(a, at, at + SIZE);
		if (padding)
			dwa_string(a, UNKNOWN, DW_FORM_string, text);
		snprintf(name, sizeof(name), "f%u", i);
		case_function(a, name, at + 0x20, at + 0x60);
		case_unit_end(a);
	}
	free(text);
}

/* What the sink has to get.  Up to DWARF 4 files without a folder are in the
 * compilation directory. */
static char *expected(unsigned version, unsigned folders)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned i = 0; i < UNITS; i++) {
		unsigned at = START + SIZE * i, line = 3 * i + 1;
		char folder[16] = "/d";
		const char *files[] = { "x.c", "y.c" };

		if (version < 5)
			snprintf(folder, sizeof(folder), "/src%u", i % folders);
		if (version >= 5)
			files[0] = "y.c", files[1] = NULL;
		fprintf(out, "f%u [%x,%x)\n", i, at + 0x20, at + 0x60);
		fprintf(out, "  +0 %s|%s:%u\n", folder, files[0], line);
		if (files[1])
			fprintf(out, "  +20 %s|%s:%u\n", folder, files[1],
				line + 1);
		else
			fprintf(out, "  +20 ??:%u\n", line + 1);
		fprintf(out, "loose [%x,%x)\n", at, at + 0x20);
		fprintf(out, "  %x %s|%s:%u\n", at, folder, files[0], line);
		fprintf(out, "loose [%x,%x)\n", at + 0x60, at + SIZE);
		if (files[1])
			fprintf(out, "  %x %s|%s:%u\n", at + 0x60, folder,
				files[1], line + 1);
		else
			fprintf(out, "  %x ??:%u\n", at + 0x60, line + 1);
		fprintf(out, "  %x %s|%s:%u\n", at + 0x80, folder, files[0],
			line + 2);
	}
	fclose(out);
	return text;
}

static void convert(const struct gsym_container *container,
		    const struct dw_reader *second, bool folded)
{
	const struct gsym_convert_options options = {
		.merged_functions = folded,
		.threads = 3,
		.warn = note_warning,
		.context = &s,
	};
	const struct gsym_sink sink = sinktext_sink(&s);
	struct gsym_convert_facts facts = { 0 };
	struct gsym_error error = { 0 };

	sinktext_init(&s);
	cr_assert_eq(gsym_dwarf_convert(container, second, &options, NULL,
					&sink, false, NULL, &facts, &error),
		     GSYM_OK);
}

static void check(unsigned version, bool one_sequence, unsigned folders,
		  const struct dw_reader *second)
{
	struct dwa a;
	char *text = expected(version, folders);

	dwa_init(&a, false, 8, version);
	build(&a, one_sequence, folders, 0);
	convert(dwa_container(&a), second, false);
	cr_expect_str_eq(s.text, text);
	free(text);
	dwa_fini(&a);
}

Test(shared_lines, one_sequence)
{
	check(4, true, 1, NULL);
	check(5, true, 1, NULL);
}

Test(shared_lines, two_folders)
{
	check(4, true, 2, NULL);
	check(3, false, 2, &gsym_libdwarf_reader);
}

Test(shared_lines, sequence_for_each_unit)
{
	check(2, false, 1, NULL);
	check(5, false, 1, NULL);
}

Test(shared_lines, second)
{
	check(4, true, 1, &gsym_libdwarf_reader);
	check(4, false, 1, &gsym_libdwarf_reader);
}

/* The names of the files stay when the memory of .debug_info, which has the
 * compilation directory, is given back. */
Test(shared_lines, released_sections)
{
	struct gsym_container *c;
	struct gsym_container_section *info;
	char *text = expected(4, 1);
	uint8_t *copy;
	struct dwa a;

	dwa_init(&a, false, 8, 4);
	build(&a, true, 1, 1 << 17);
	c = dwa_container(&a);
	for (info = c->sections.items; strcmp(info->name, ".debug_info");)
		info++;
	copy = malloc(info->data_size);
	memcpy(copy, info->data, info->data_size);
	cr_assert(gsym_vec_add(&c->made, copy));
	info->data = copy;
	convert(c, NULL, false);
	cr_expect_str_eq(s.text, text);
	gsym_vec_fini(&c->made);
	free(copy);
	free(text);
	dwa_fini(&a);
}

/* ---- sequences that overlap ---------------------------------------------- */

/* A table with two sequences for each unit, which overlap, and COUNT opcodes
 * without effect. */
static uint64_t overlapping_table(struct dwa *a, size_t count)
{
	static const struct dwa_file files[] = { { "x.c", 0 }, { "y.c", 0 } };
	uint64_t offset = dwa_lines(
		a, &(struct dwa_lines){ .version = 4,
					.files = files,
					.file_count = 2 });

	memset(gsym_emit_reserve(&a->sections[DWA_LINE], count),
	       DW_LNS_negate_stmt, count);
	for (unsigned i = 0; i < UNITS; i++) {
		uint64_t at = START + SIZE * i;

		dwa_sequence(a, at);
		for (unsigned k = 0; k < 16; k++)
			dwa_row(a, at + 16 * k, 1, 100 * i + k);
		dwa_sequence_end(a, at + SIZE);
		dwa_sequence(a, at + 0x20);
		for (unsigned k = 0; k < 10; k++)
			dwa_row(a, at + 0x20 + 16 * k, 2, 100 * i + k);
		dwa_sequence_end(a, at + 0xc0);
	}
	dwa_lines_end(a);
	return offset;
}

/* Units with two ranges, a function in each of them, and a function that covers
 * both and the addresses of the next unit. */
static void overlapping(struct dwa *a, size_t count)
{
	uint64_t offset = overlapping_table(a, count);
	char name[16];

	for (unsigned i = 0; i < UNITS; i++) {
		uint64_t at = START + SIZE * i;
		const struct dwa_pair pairs[] = { { at + 0x90, at + SIZE },
						  { at + 8, at + 0x50 } };

		dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, true);
		dwa_string(a, DW_AT_comp_dir, DW_FORM_string, "/src");
		dwa_value(a, DW_AT_stmt_list, DW_FORM_sec_offset, offset);
		dwa_value(a, DW_AT_ranges, DW_FORM_sec_offset,
			  dwa_ranges(a, pairs, 2));
		snprintf(name, sizeof(name), "a%u", i);
		case_function(a, name, at + 0x18, at + 0x38);
		snprintf(name, sizeof(name), "b%u", i);
		case_function(a, name, at + 0x98, at + 0xd8);
		snprintf(name, sizeof(name), "c%u", i);
		case_function(a, name, at + 8, at + SIZE + 0x28);
		snprintf(name, sizeof(name), "d%u", i);
		case_function(a, name, at + 0xa8, at + 0xb8);
		case_unit_end(a);
	}
}

static void same_as_alone(const struct dw_reader *second, bool folded)
{
	struct dwa whole, shared;
	char *text;

	dwa_init(&whole, false, 8, 4);
	overlapping(&whole, 1);
	convert(dwa_container(&whole), second, folded);
	text = strdup(s.text);
	dwa_init(&shared, false, 8, 4);
	overlapping(&shared, FILLER);
	convert(dwa_container(&shared), second, folded);
	cr_expect_str_eq(s.text, text);
	free(text);
	dwa_fini(&whole);
	dwa_fini(&shared);
}

Test(shared_lines, same_as_alone)
{
	same_as_alone(NULL, false);
	same_as_alone(NULL, true);
}

Test(shared_lines, second_same_as_alone)
{
	same_as_alone(&gsym_libdwarf_reader, false);
	same_as_alone(&gsym_libdwarf_reader, true);
}
