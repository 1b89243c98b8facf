/* SPDX-License-Identifier: MIT */
/*
 * What all cases become, compared with files next to this one:
 *
 *	expected.records	the records of each unit of a case, and the work
 *				that they took
 *	expected.cut		checksums of what the reader finds, and of its
 *				warnings, if a section is cut short
 *	expected.changed	the same if a byte of a section is changed
 *	expected.random		checksums of what the sink gets of programs that
 *				are drawn at random
 *
 * expected.libdwarf_records and so on are those of the second reader.  Any
 * change of what a reader finds changes these files.  What is right is tested
 * by the other tests.  If the test fails, the text that was
 * found is in a file of the same name in the build folder.  After a change that
 * is meant, and that was looked at, copy the files from there.
 */
#include "base/order.h"
#include "cases.h"
#include "dwarf/resolve.h"
#include "random_case.h"
#include "second/second.h"
#include "support/dwarf_text.h"
#include "support/sink_text.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <libdwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct dw_case *const tables[] = {
	dw_tree_cases,	dw_name_cases, dw_content_cases,
	dw_range_cases, dw_line_cases, dw_file_cases,
};

enum { TABLES = sizeof(tables) / sizeof(*tables) };

/* FNV-1a. */
static uint64_t add_to_sum(uint64_t sum, const char *text)
{
	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 0x100000001b3u;
	return sum;
}

/* ---- the file ------------------------------------------------------------ */

/* The content of the file expected.SECTION, to be freed. */
static char *expected_text(const char *section)
{
	const char *top = getenv("top_srcdir");
	char path[4096], *text;
	size_t size;
	FILE *in, *out = open_memstream(&text, &size);
	int c;

	snprintf(path, sizeof(path), "%s/tests/unit/dwarf/expected.%s",
		 top ? top : ".", section);
	in = fopen(path, "r");
	cr_assert(in && out, "%s", path);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	fclose(out);
	return text;
}

/* Compare FOUND, which is freed, with the file of SECTION. */
static void compare(const char *section, char *found)
{
	char *expected = expected_text(section);
	size_t at = 0, line = 0;

	while (found[at] && found[at] == expected[at])
		if (found[at++] == '\n')
			line = at;
	if (found[at] != expected[at]) {
		char name[64];
		FILE *out;

		snprintf(name, sizeof(name), "expected.%s", section);
		out = fopen(name, "w");
		if (out) {
			fputs(found, out);
			fclose(out);
		}
		cr_expect(false, "expected: %.*s\nfound:    %.*s\nin %s",
			  (int)strcspn(expected + line, "\n"), expected + line,
			  (int)strcspn(found + line, "\n"), found + line,
			  name);
	}
	free(expected);
	free(found);
}

/* ---- records of the cases ------------------------------------------------ */

static void print_rows(FILE *out, const struct dw_result *r, uint32_t first,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct gsym_row *row = &r->rows.items[first + i];

		fprintf(out, " +%" PRIx32 ":%" PRId32 ":%" PRIu32, row->offset,
			(int32_t)row->file, row->line);
	}
	fprintf(out, "\n");
}

static void print_record(FILE *out, const struct dw_result *r,
			 const struct dw_record *record)
{
	const char *name = r->names.items[record->name].text;

	fprintf(out, "%s [%" PRIx64 ",%" PRIx64 ")%s", name ? name : "-",
		record->range.start, record->range.end,
		record->folded ? " folded" : "");
	print_rows(out, r, record->first_row, record->row_count);
	for (uint32_t i = 0; i < record->inline_count; i++) {
		const struct gsym_inline_node *node =
			&r->inlines.items[record->first_inline + i];

		name = r->names.items[node->name].text;
		fprintf(out, "  %u %s %" PRId32 ":%" PRIu32, node->depth,
			name ? name : "-", (int32_t)node->call_file,
			node->call_line);
		for (uint32_t k = 0; k < node->range_count; k++) {
			const struct gsym_range *range =
				&r->ranges.items[record->first_range +
						 node->first_range + k];

			fprintf(out, " [%" PRIx64 ",%" PRIx64 ")", range->start,
				range->end);
		}
		fprintf(out, "\n");
	}
	if (record->call_count)
		fprintf(out, "  %" PRIu32 " calls\n", record->call_count);
}

/* Read and resolve unit INDEX, which may do LIMIT work.  Returns the work that
 * it did; OUT gets its records unless it is NULL. */
static uint64_t resolve(FILE *out, const struct dw_reader *reader, void *self,
			size_t index, uint64_t limit, bool *exceeded)
{
	static const struct gsym_range all = { 0, UINT64_MAX };
	struct dw_resolver *resolver = gsym_dw_resolver_new();
	struct dw_unit unit = {
		.work = { .limit = limit },
		.own_work = 0,
		.wants = DW_WANT_FOLDED | DW_WANT_CALLS | DW_WANT_DATA,
	};
	struct dw_result result = { 0 };
	uint64_t used;

	cr_assert_eq(reader->read_unit(self, index, &unit), GSYM_OK);
	cr_assert(gsym_dw_resolve(resolver, &unit, &all, 1, &result));
	for (size_t i = 0; out && i < result.records.count; i++)
		print_record(out, &result, &result.records.items[i]);
	for (size_t i = 0; out && i < result.loose.count; i++) {
		const struct dw_loose *loose = &result.loose.items[i];

		fprintf(out, "loose [%" PRIx64 ",%" PRIx64 ")",
			loose->range.start, loose->range.end);
		print_rows(out, &result, loose->first_row, loose->row_count);
	}
	*exceeded = unit.work.exceeded;
	used = unit.work.used;
	gsym_dw_result_fini(&result);
	gsym_dw_unit_fini(&unit);
	gsym_dw_resolver_free(resolver);
	return used;
}

static bool is_enough(const struct dw_reader *reader, void *self, size_t index,
		      uint64_t limit)
{
	bool exceeded;

	resolve(NULL, reader, self, index, limit, &exceeded);
	return !exceeded;
}

/* The least limit with which unit INDEX does all its work.  It may be more than
 * the work, a part of which is given back. */
static uint64_t least_limit(const struct dw_reader *reader, void *self,
			    size_t index, uint64_t used)
{
	return GSYM_FIRST(limit, (size_t)used + !used, 2 * (size_t)used + 1,
			  is_enough(reader, self, index, limit));
}

/* Print the work of unit INDEX, and what is left of its records if it may do
 * less. */
static void print_work(FILE *out, const struct dw_reader *reader, void *self,
		       size_t index, uint64_t used)
{
	uint64_t least = least_limit(reader, self, index, used);
	bool exceeded;

	fprintf(out, "unit %zu: work %" PRIu64 ", limit %" PRIu64 "\n", index,
		used, least);
	for (unsigned part = 1; part < 4; part++) {
		uint64_t limit = part < 3 ? least * part / 3 : least - 1;
		char *text;
		size_t size;
		FILE *less = open_memstream(&text, &size);

		used = limit ? resolve(less, reader, self, index, limit,
				       &exceeded)
			     : 0;
		fclose(less);
		fprintf(out, "  limit %" PRIu64 ": work %" PRIu64
			     ", records %016" PRIx64 "\n",
			limit, used, add_to_sum(0, text));
		free(text);
	}
}

static void print_case(FILE *out, const struct dw_reader *reader,
		       const struct dw_case *c, unsigned version)
{
	const uint64_t plenty = (uint64_t)1 << 40;
	struct gsym_container *container;
	struct dw_unit notes = { .work = { .limit = plenty } };
	struct dwf f;
	void *self;

	dwf_init(&f, false, 8, version, false);
	case_build(c, &f);
	container = dwf_container(&f);
	container->code_bit0 = c->code_bit0;
	cr_assert_eq(reader->open(container, false, 1,
				  &notes, &self, NULL),
		     GSYM_OK);
	fprintf(out, "-- %s, DWARF %u: work %" PRIu64 "\n", c->name, version,
		notes.work.used);
	for (size_t i = 0; i < reader->unit_count(self); i++) {
		bool exceeded;
		uint64_t used = resolve(out, reader, self, i, plenty,
					&exceeded);

		cr_expect(!exceeded, "%s", c->name);
		print_work(out, reader, self, i, used);
	}
	reader->close(self);
	gsym_dw_unit_fini(&notes);
	gsym_container_free(container);
	dwf_fini(&f);
}

static void check_records(const char *section, const struct dw_reader *reader)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	for (size_t t = 0; t < TABLES; t++)
		for (const struct dw_case *c = tables[t]; c->name; c++) {
			print_case(out, reader, c, c->last);
			if (c->first < c->last)
				print_case(out, reader, c, c->first);
		}
	fclose(out);
	compare(section, text);
}

Test(expected, records)
{
	check_records("records", &gsym_dwarf_scan);
}

/* What the second reader finds in damaged debug info depends on libdwarf. */
static void need_version(void)
{
	if (strcmp(dwarf_package_version(), "20210528") != 0)
		cr_skip("this is not libdwarf 20210528");
}

Test(expected, libdwarf_records)
{
	need_version();
	check_records("libdwarf_records", &gsym_libdwarf_reader);
}

/* ---- damaged cases ------------------------------------------------------- */

/* Larger sections are left out: the tests would take minutes. */
enum { MAX_SIZE = 2000 };

/* As add_to_sum.  An error of libdwarf has the order of this machine in its
 * name. */
static uint64_t add_report(uint64_t sum, char *text)
{
	for (char *big; (big = strstr(text, "BIGENDIAN")); text = big + 3) {
		*big = 0;
		sum = add_to_sum(add_to_sum(sum, text), "LITTLE");
		*big = 'B';
	}
	return add_to_sum(sum, text);
}

static uint64_t read_copy(const struct dw_reader *reader, struct dwf *f,
			  uint64_t sum)
{
	struct gsym_container *c = dwf_container(f);
	char *text = dwtext_read(reader, c,
				 DWTEXT_WARNINGS | DWTEXT_ALL | DWTEXT_DIES);

	sum = add_report(sum, text);
	free(text);
	gsym_container_free(c);
	return sum;
}

static uint64_t cut(const struct dw_reader *reader, struct dwf *f,
		    struct gsym_emit *section)
{
	size_t size = section->size;
	uint64_t sum = 0;

	for (section->size = 0; section->size < size; section->size++)
		sum = read_copy(reader, f, sum);
	section->size = size;
	return sum;
}

static uint64_t change(const struct dw_reader *reader, struct dwf *f,
		       struct gsym_emit *section)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < section->size; i++) {
		static const uint8_t masks[] = { 0xff, 0x01, 0x80 };
		uint8_t byte = section->data[i];

		for (size_t k = 0; k < sizeof(masks); k++) {
			section->data[i] = byte ^ masks[k];
			sum = read_copy(reader, f, sum);
		}
		section->data[i] = byte;
	}
	return sum;
}

typedef uint64_t damage_fn(const struct dw_reader *reader, struct dwf *f,
			   struct gsym_emit *section);

/* Whether libdwarf reads no memory that was not set if a byte of SECTION is
 * changed. */
static bool is_defined(int section)
{
	return section != DWA_INFO && section != DWA_ABBREV &&
	       section != DWA_RNGLISTS && section != DWA_TYPES;
}

static void damage(FILE *out, const struct dw_reader *reader,
		   const struct dw_case *c, struct dwf *f, damage_fn *how)
{
	static const char *const names[] = { "", " of the alternate file",
					     " of the split unit" };
	struct dwa *const all[] = { &f->main, &f->alternate, &f->split };

	for (int k = 0; k < 3; k++)
		for (int i = 0; i < DWA_SECTIONS; i++) {
			struct gsym_emit *section = &all[k]->sections[i];

			if (section->size && section->size <= MAX_SIZE &&
			    (reader == &gsym_dwarf_scan || how == cut ||
			     is_defined(i)))
				fprintf(out, "%s: %s%s %016" PRIx64 "\n",
					c->name, dwa_section_names[i], names[k],
					how(reader, f, section));
		}
}

static void check_damage(const char *section, const struct dw_reader *reader,
			 damage_fn *how)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	/* Sizes beyond the address space are cut to it. */
	if (sizeof(size_t) < sizeof(uint64_t))
		cr_skip("checksums are those of hosts with 64 bits");
	for (size_t t = 0; t < TABLES; t++)
		for (const struct dw_case *c = tables[t]; c->name; c++) {
			struct dwf f;

			dwf_init(&f, t & 1, t & 2 ? 4 : 8, c->last, false);
			case_build(c, &f);
			damage(out, reader, c, &f, how);
			dwf_fini(&f);
		}
	fclose(out);
	compare(section, text);
}

Test(expected, cut)
{
	check_damage("cut", &gsym_dwarf_scan, cut);
}

Test(expected, changed)
{
	check_damage("changed", &gsym_dwarf_scan, change);
}

Test(expected, libdwarf_cut)
{
	need_version();
	check_damage("libdwarf_cut", &gsym_libdwarf_reader, cut);
}

Test(expected, libdwarf_changed)
{
	need_version();
	/* Two of 17,568 damaged programs: .debug_aranges with a wrong size of
	 * addresses, of which libdwarf takes other bytes there. */
	if (GSYM_HOST_BIG_ENDIAN)
		cr_skip("the file was made on a little-endian machine");
	check_damage("libdwarf_changed", &gsym_libdwarf_reader, change);
}

/* ---- random programs ----------------------------------------------------- */

enum { SEEDS = 200 };

static struct sinktext s;

static void convert(const struct gsym_container *container,
		    const struct dw_reader *second, bool folded, bool details)
{
	const struct gsym_convert_options options = {
		.merged_functions = folded,
		.call_sites = details,
		.threads = 2,
		.warn = sinktext_warn,
		.context = &s,
	};
	const struct gsym_sink sink = sinktext_sink(&s);
	struct gsym_variables variables = { 0 };
	struct gsym_convert_facts facts = { 0 };
	struct gsym_error error = { 0 };

	sinktext_init(&s);
	cr_assert_eq(gsym_dwarf_convert(
			     container, second, &options, NULL, &sink, false,
			     details ? &variables : NULL, &facts, &error),
		     GSYM_OK);
	sinktext_variables(&s, &variables);
	gsym_vec_fini(&variables);
}

/* A checksum of the text that does not depend on the order of the records.  The
 * readers differ in the order if a function without ranges has functions and
 * inlined calls in it (struct dw_node). */
static uint64_t unordered_sum(const char *text)
{
	uint64_t sum = 0, block = 0;

	for (; *text; text++) {
		block = (block ^ (unsigned char)*text) * 0x100000001b3u;
		if (*text == '\n' && text[1] != ' ') {
			sum += block;
			block = 0;
		}
	}
	return sum;
}

/* Print the work of the units of CONTAINER. */
static void print_unit_work(FILE *out, const struct gsym_container *container)
{
	const struct dw_reader *reader = &gsym_dwarf_scan;
	struct dw_unit notes = { .work = { .limit = UINT32_MAX } };
	bool exceeded;
	void *self;

	cr_assert_eq(reader->open(container, false, 1,
				  &notes, &self, NULL),
		     GSYM_OK);
	for (size_t i = 0; i < reader->unit_count(self); i++)
		fprintf(out, " %" PRIu64,
			resolve(NULL, reader, self, i, UINT32_MAX, &exceeded));
	fprintf(out, "\n");
	reader->close(self);
	gsym_dw_unit_fini(&notes);
}

/* Print checksums of what becomes of the program that BUILD makes of SEED:
 * plain, with folded functions, and with all details. */
static void print_program(FILE *out, const char *name,
			  void (*build)(struct dwa *, uint64_t), unsigned seed)
{
	struct gsym_container *container;
	struct dwf f;

	dwf_init(&f, seed & 1, 8, 2 + seed % 4, false);
	build(&f.main, seed);
	container = dwf_container(&f);
	fprintf(out, "%s %u:", name, seed);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t own;

		convert(container, NULL, i > 0, i > 1);
		fprintf(out, " %016" PRIx64, add_to_sum(0, s.text));
		own = unordered_sum(s.text);
		convert(container, &gsym_libdwarf_reader, i > 0, i > 1);
		cr_expect_eq(unordered_sum(s.text), own,
			     "%s, seed %u: the readers disagree", name, seed);
	}
	print_unit_work(out, container);
	gsym_container_free(container);
	dwf_fini(&f);
}

Test(expected, random)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	for (unsigned seed = 0; seed < SEEDS; seed++)
		print_program(out, "random", random_case, seed);
	for (unsigned seed = 0; seed < 4; seed++) {
		print_program(out, "many names", many_case, seed);
		print_program(out, "wide", wide_case, seed);
	}
	fclose(out);
	compare("random", text);
}
