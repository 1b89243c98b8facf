/* SPDX-License-Identifier: MIT */
/* The conversion of debug info as a whole: what the sink gets, whichever reader
 * reads the DWARF and however many threads there are, and how it ends early. */
#include "cases.h"
#include "second/second.h"
#include "support/sink_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sinktext s;

/* FILE is the file of the row at 0x1030. */
static uint64_t line_table(struct dwa *a, unsigned file)
{
	static const char *const directories[] = { "/src", "/inc" };
	static const struct dwa_file files[] = { { "a.c", 0 },
						 { "a.c", 0 },
						 { "b.h", 1 } };
	static const char *const old_directories[] = { "/inc" };
	static const struct dwa_file old_files[] = { { "a.c", 0 },
						     { "b.h", 1 } };
	bool old = a->version < 5;
	uint64_t table = dwa_lines(
		a, &(struct dwa_lines){ .version = a->version,
					.directories = old ? old_directories
							   : directories,
					.directory_count = old ? 1 : 2,
					.files = old ? old_files : files,
					.file_count = old ? 2 : 3 });

	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 1, 10);
	dwa_row(a, 0x1010, 1, 11);
	dwa_row(a, 0x1020, 2, 5);
	dwa_row(a, 0x1030, file, 12);
	dwa_row(a, 0x1060, 1, 30);
	dwa_row(a, 0x1068, 2, 31);
	dwa_row(a, 0x1070, 1, 40);
	dwa_sequence_end(a, 0x1080);
	dwa_lines_end(a);
	return table;
}

static void begin_unit(struct dwa *a, uint64_t table)
{
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "a.c");
	dwa_string(a, DW_AT_comp_dir, DW_FORM_string, "/src");
	dwa_value(a, DW_AT_language, DW_FORM_data1, DW_LANG_C99);
	dwa_value(a, DW_AT_stmt_list, case_section_form(a), table);
	case_range(a, 0x1000, 0x1080);
}

static void call_site(struct dwa *a, uint64_t address, unsigned callee)
{
	bool new = a->version >= 5;

	dwa_die(a, new ? DW_TAG_call_site : DW_TAG_GNU_call_site, false);
	dwa_value(a, new ? DW_AT_call_return_pc : DW_AT_low_pc, DW_FORM_addr,
		  address);
	dwa_reference(a, new ? DW_AT_call_origin : DW_AT_abstract_origin,
		      DW_FORM_ref4, callee);
}

static void variable(struct dwa *a, const char *name, uint8_t low,
		     unsigned file)
{
	const uint8_t bytes[9] = { DW_OP_addr, low, 0x20 };

	dwa_die(a, DW_TAG_variable, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	dwa_block(a, DW_AT_location, DW_FORM_exprloc, bytes, sizeof(bytes));
	dwa_value(a, DW_AT_decl_file, DW_FORM_data1, file);
	dwa_value(a, DW_AT_decl_line, DW_FORM_data1, 3);
}

/* Two units that claim the same addresses. */
static void build(struct dwa *a)
{
	uint64_t table = line_table(a, 1);
	unsigned inlined, one, other;

	begin_unit(a, table);
	inlined = case_abstract(a, "inlined");
	one = case_abstract(a, "one");
	other = case_abstract(a, "other");
	case_parent(a, "main", 0x1000, 0x1060);
	dwa_string(a, DW_AT_linkage_name, DW_FORM_string, "_main");
	call_site(a, 0x1018, other);
	call_site(a, 0x1008, one);
	call_site(a, 0x1018, one);
	dwa_die(a, DW_TAG_inlined_subroutine, true);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, inlined);
	dwa_value(a, DW_AT_call_file, DW_FORM_data1, 2);
	dwa_value(a, DW_AT_call_line, DW_FORM_data1, 11);
	case_range(a, 0x1020, 0x1030);
	case_inlined(a, one, false, 7, 0x1024, 0x1028);
	dwa_end(a);
	dwa_end(a);
	case_function(a, "second", 0x1070, 0x1080);
	variable(a, "v", 0, 1);
	variable(a, "w", 8, 9);
	case_unit_end(a);
	/* The first unit answers for the addresses of this one. */
	begin_unit(a, table);
	case_function(a, "twin", 0x1000, 0x1060);
	case_unit_end(a);
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	case_range(a, 0x3000, 0x3010);
	case_function(a, "last", 0x3000, 0x3010);
	case_unit_end(a);
}

static const char expected[] = "_main! [1000,1060)\n"
			       "  +0 /src|a.c:10\n"
			       "  +10 /src|a.c:11\n"
			       "  +20 /inc|b.h:5\n"
			       "  +30 /src|a.c:12\n"
			       "  1 inlined at /inc|b.h:11 [1020,1030)\n"
			       "  2 one at /src|a.c:7 [1024,1028)\n"
			       "  call +8: one\n"
			       "  call +18: one\n"
			       "  call +18: other\n"
			       "second [1070,1080)\n"
			       "  +0 /src|a.c:40\n"
			       "loose [1060,1070)\n"
			       "  1060 /src|a.c:30\n"
			       "  1068 /inc|b.h:31\n"
			       "twin [1000,1060) folded\n"
			       "  +0 /src|a.c:10\n"
			       "  +10 /src|a.c:11\n"
			       "  +20 /inc|b.h:5\n"
			       "  +30 /src|a.c:12\n"
			       "last [3000,3010)\n"
			       "data 2000 v /src|a.c:3\n"
			       "data 2008 w ??:3\n";

struct made {
	struct dwa a;
	struct gsym_container *container;
	const struct dw_reader *second; /* NULL: the production reader */
	bool at_once;
	struct gsym_convert_options options;
	struct gsym_variables variables;
	struct gsym_convert_facts facts;
	struct gsym_error error;
};

static void make(struct made *m, unsigned version,
		 const struct dw_reader *second)
{
	*m = (struct made){ .second = second,
			    .options = { .warn = sinktext_warn,
					 .context = &s } };
	dwa_init(&m->a, false, 8, version);
	build(&m->a);
	m->container = dwa_container(&m->a);
	sinktext_init(&s);
}

static enum gsym_status convert(struct made *m)
{
	const struct gsym_sink sink = sinktext_sink(&s);

	return gsym_dwarf_convert(
		m->container, m->second, &m->options, NULL, &sink, m->at_once,
		m->options.data_symbols ? &m->variables : NULL, &m->facts,
		&m->error);
}

static void end(struct made *m)
{
	gsym_vec_fini(&m->variables);
	dwa_fini(&m->a);
}

Test(dwarf, everything)
{
	for (int i = 0; i < 12; i++) {
		struct made m;

		make(&m, i & 1 ? 4 : 5, i & 2 ? &gsym_libdwarf_reader : NULL);
		m.options.threads = i / 4;
		m.options.merged_functions = m.options.call_sites =
			m.options.data_symbols = true;
		cr_assert_eq(convert(&m), GSYM_OK);
		sinktext_variables(&s, &m.variables);
		cr_expect_str_eq(s.text, expected);
		cr_expect_eq(m.facts.units, 3);
		cr_expect_gt(m.facts.input_bytes, 0);
		end(&m);
	}
}

/* Each option adds its part and nothing else. */
Test(dwarf, nothing_that_was_not_asked_for)
{
	for (int i = 0; i < 8; i++) {
		struct made m;

		make(&m, 5, NULL);
		m.options.merged_functions = i & 1;
		m.options.call_sites = i & 2;
		m.options.data_symbols = i & 4;
		cr_assert_eq(convert(&m), GSYM_OK);
		cr_expect_eq(!!strstr(s.text, "twin"), !!(i & 1));
		cr_expect_eq(!!strstr(s.text, "call +"), !!(i & 2));
		cr_expect_eq(m.variables.count, i & 4 ? 2 : 0);
		end(&m);
	}
}

/* Whatever the sink refuses, the conversion ends with the sink's status and
 * calls it no more. */
Test(dwarf, a_sink_that_refuses)
{
	static const enum gsym_status answers[] = {
		GSYM_ERR_ARGUMENT,
		GSYM_ERR_MEMORY,
		GSYM_ERR_LIMIT,
		GSYM_ERR_CANCELLED,
	};
	static const char *const messages[] = {
		"cannot keep what the debug info says of a function",
		"out of memory",
		"cannot keep what the debug info says of a function",
		"cancelled",
	};
	enum gsym_status status = GSYM_ERR_ARGUMENT;
	long calls = 0;

	for (; status != GSYM_OK; calls++) {
		struct made m;

		make(&m, 5, NULL);
		m.options.threads = calls % 3;
		m.options.merged_functions = m.options.call_sites =
			m.options.data_symbols = true;
		s.allowed = calls;
		s.answer = answers[calls % 4];
		status = convert(&m);
		if (status != GSYM_OK) {
			cr_expect_eq(status, s.answer);
			cr_expect_eq(m.error.code, s.answer);
			cr_expect_eq(m.error.offset, 0);
			cr_expect_str_eq(m.error.message, messages[calls % 4]);
			cr_expect_eq(s.allowed, -1, "%ld calls more",
				     -1 - s.allowed);
		}
		end(&m);
	}
	cr_expect_gt(calls, 20);
}

struct progress {
	uint64_t done[8], total;
	unsigned count, most;
};

static bool note_progress(void *context, uint64_t done, uint64_t total)
{
	struct progress *p = context;

	p->done[p->count++] = done;
	p->total = total;
	return p->count < p->most;
}

/* The bytes of the units are the progress; the callback can end the
 * conversion. */
Test(dwarf, progress)
{
	for (unsigned most = 1; most <= 4; most++) {
		struct progress p = { .most = most };
		struct made m;
		size_t size;

		make(&m, 5, most & 1 ? NULL : &gsym_libdwarf_reader);
		size = m.a.sections[DWA_INFO].size;
		m.options.warn = NULL;
		m.options.progress = note_progress;
		m.options.context = &p;
		cr_expect_eq(convert(&m),
			     most > 3 ? GSYM_OK : GSYM_ERR_CANCELLED);
		cr_expect_eq(p.count, most > 3 ? 3 : most);
		cr_expect_eq(p.total, size);
		cr_expect_gt(p.done[0], 0);
		cr_expect(p.count < 2 || p.done[1] > p.done[0]);
		cr_expect(p.count < 3 || p.done[2] == size);
		end(&m);
	}
}

/* Warnings come in the order of the units, all of them. */
Test(dwarf, warnings)
{
	for (int i = 0; i < 4; i++) {
		struct made m;
		const char *first, *second;

		make(&m, 5, i & 1 ? &gsym_libdwarf_reader : NULL);
		/* The line table that two units have is of no version. */
		dwa_patch(&m.a, DWA_LINE, 4, 77, 2);
		m.options.threads = i & 2 ? 3 : 1;
		cr_assert_eq(convert(&m), GSYM_OK);
		first = strstr(s.text, "warning ");
		cr_assert(first);
		second = strstr(first + 1, "warning ");
		cr_assert(second);
		cr_expect_eq(strtol(first + 8, NULL, 10),
			     GSYM_WARN_BAD_LINE_TABLE);
		cr_expect_eq(strtol(second + 8, NULL, 10),
			     GSYM_WARN_BAD_LINE_TABLE);
		cr_expect_null(strstr(second + 1, "warning "));
		end(&m);
	}
}

static void inlined_call(struct dwa *a, const char *name, uint64_t start,
			 uint64_t length)
{
	dwa_die(a, DW_TAG_inlined_subroutine, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, start);
	dwa_value(a, DW_AT_high_pc, DW_FORM_udata, length);
}

/* Lengths that lead around the address space: of a function, which is left out;
 * of calls that lie in a function, in each other, and in nothing. */
Test(dwarf, lengths_that_wrap)
{
	static const uint64_t ones[] = { UINT32_MAX, UINT64_MAX };

	for (int i = 0; i < 4; i++) {
		struct made m = {
			.second = i & 1 ? &gsym_libdwarf_reader : NULL,
			.options = { .warn = sinktext_warn, .context = &s }
		};
		uint64_t last = ones[i / 2];

		dwa_init(&m.a, false, i / 2 ? 8 : 4, 4);
		case_unit(&m.a, DW_LANG_C99);
		dwa_die(&m.a, DW_TAG_subprogram, false);
		dwa_string(&m.a, DW_AT_name, DW_FORM_string, "gone");
		dwa_value(&m.a, DW_AT_low_pc, DW_FORM_addr, 0x1000);
		dwa_value(&m.a, DW_AT_high_pc, DW_FORM_udata, last - 0xfff);
		dwa_die(&m.a, DW_TAG_subprogram, true);
		dwa_string(&m.a, DW_AT_name, DW_FORM_string, "f");
		dwa_value(&m.a, DW_AT_low_pc, DW_FORM_addr, 0x2000);
		dwa_value(&m.a, DW_AT_high_pc, DW_FORM_udata, 0x100);
		inlined_call(&m.a, "a", 0x2020, last - 0x201f);
		inlined_call(&m.a, "b", 0x2040, last - 0x1000);
		dwa_end(&m.a);
		dwa_end(&m.a);
		inlined_call(&m.a, "c", 0x3000, last - 0x2fff);
		dwa_end(&m.a);
		dwa_end(&m.a);
		case_unit_end(&m.a);
		m.container = dwa_container(&m.a);
		sinktext_init(&s);
		cr_assert_eq(convert(&m), GSYM_OK);
		cr_expect(strstr(s.text, " was cut\n"
					 "f [2000,2100)\n"
					 "  1 a at ??:0 [2020,2100)\n"
					 "  2 b at ??:0 [2040,2100)\n"));
		cr_expect_eq(strtol(s.text + strlen("warning "), NULL, 10),
			     GSYM_WARN_BAD_RANGES);
		end(&m);
	}
}

/* The file numbers of a row, of a call, and of a declaration, which nobody
 * misses, are not in the line table. */
static void build_missing(struct dwa *a)
{
	uint64_t table = line_table(a, 9);
	unsigned inlined;

	begin_unit(a, table);
	inlined = case_abstract(a, "inlined");
	case_parent(a, "main", 0x1000, 0x1060);
	dwa_value(a, DW_AT_decl_file, DW_FORM_data1, 78);
	dwa_value(a, DW_AT_decl_line, DW_FORM_data1, 1);
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, inlined);
	dwa_value(a, DW_AT_call_file, DW_FORM_data1, 77);
	dwa_value(a, DW_AT_call_line, DW_FORM_data1, 8);
	case_range(a, 0x1010, 0x1020);
	/* Without a number there is none to be missed. */
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, inlined);
	dwa_value(a, DW_AT_call_line, DW_FORM_data1, 9);
	case_range(a, 0x1040, 0x1050);
	dwa_end(a);
	case_unit_end(a);
}

Test(dwarf, missing_files)
{
	for (int i = 0; i < 4; i++) {
		struct made m = {
			.second = i & 1 ? &gsym_libdwarf_reader : NULL,
			.options = { .warn = sinktext_warn, .context = &s }
		};

		dwa_init(&m.a, false, 8, i & 2 ? 4 : 5);
		build_missing(&m.a);
		m.container = dwa_container(&m.a);
		sinktext_init(&s);
		cr_assert_eq(convert(&m), GSYM_OK);
		cr_assert_eq(GSYM_WARN_BAD_FILE_INDEX, 5);
		cr_expect_str_eq(s.text,
				 "warning 5: unit at .debug_info+0x0: the line "
				 "table lacks the files of 1 rows\n"
				 "warning 5: unit at .debug_info+0x0: the line "
				 "table lacks the files of 1 inlined calls\n"
				 "main [1000,1060)\n"
				 "  +0 /src|a.c:10\n"
				 "  +10 /src|a.c:11\n"
				 "  +20 /inc|b.h:5\n"
				 "  +30 ??:12\n"
				 "  1 inlined at ??:8 [1010,1020)\n"
				 "  1 inlined at ??:9 [1040,1050)\n"
				 "loose [1060,1080)\n"
				 "  1060 /src|a.c:30\n"
				 "  1068 /inc|b.h:31\n"
				 "  1070 /src|a.c:40\n");
		end(&m);
	}
}

/* A unit that claims no address is read if its abbreviations have functions
 * with code: they claim their addresses themselves. */
Test(dwarf, units_without_claims)
{
	for (int i = 0; i < 6; i++) {
		struct made m = { .second =
					  i & 1 ? &gsym_libdwarf_reader : NULL,
				  .options = { .merged_functions = i / 2 == 1,
					       .data_symbols = i / 2 == 2,
					       .warn = sinktext_warn,
					       .context = &s } };
		uint64_t table;

		dwa_init(&m.a, false, 8, 5);
		table = line_table(&m.a, 1);
		dwa_unit(&m.a, 0);
		dwa_die(&m.a, DW_TAG_partial_unit, true);
		dwa_value(&m.a, DW_AT_stmt_list, DW_FORM_sec_offset, table);
		case_function(&m.a, "unclaimed", 0x1000, 0x1080);
		case_unit_end(&m.a);
		dwa_patch(&m.a, DWA_LINE, 4, 77, 2);
		m.container = dwa_container(&m.a);
		sinktext_init(&s);
		cr_assert_eq(convert(&m), GSYM_OK);
		cr_expect(strstr(s.text, "warning "));
		cr_expect(strstr(s.text, "unclaimed"));
		end(&m);
	}
}

/* Each inlined call has the name of its own function, however many there are;
 * two calls of a function have the same name. */
Test(dwarf, many_names)
{
	enum { MANY = 400 };

	for (int i = 0; i < 2; i++) {
		const char *at = s.text;
		struct made m = { .second = i ? &gsym_libdwarf_reader : NULL };
		unsigned places[MANY];

		dwa_init(&m.a, false, 8, 5);
		dwa_unit(&m.a, 0);
		dwa_die(&m.a, DW_TAG_compile_unit, true);
		case_range(&m.a, 0x1000, 0x9000);
		for (unsigned k = 0; k < MANY; k++) {
			char name[16];

			snprintf(name, sizeof(name), "f%u", k);
			places[k] = case_abstract(&m.a, name);
		}
		case_parent(&m.a, "main", 0x1000, 0x9000);
		for (unsigned k = 0; k < 2 * MANY; k++)
			case_inlined(&m.a, places[k % MANY], false, 7,
				     0x1000 + 8 * k, 0x1004 + 8 * k);
		dwa_end(&m.a);
		case_unit_end(&m.a);
		m.container = dwa_container(&m.a);
		sinktext_init(&s);
		cr_assert_eq(convert(&m), GSYM_OK);
		for (unsigned k = 0; k < 2 * MANY; k++) {
			char line[64];

			snprintf(line, sizeof(line),
				 "  1 f%u at ??:7 [%x,%x)\n", k % MANY,
				 0x1000 + 8 * k, 0x1004 + 8 * k);
			at = strstr(at, line);
			cr_assert(at, "%s", line);
		}
		end(&m);
	}
}

/* Indexes of strings and addresses count from the bases that the unit names,
 * not from the beginning of the sections. */
Test(dwarf, bases)
{
	for (int i = 0; i < 2; i++) {
		struct made m = { .second = i ? &gsym_libdwarf_reader : NULL };

		dwa_init(&m.a, false, 8, 5);
		dwa_unit(&m.a, 0);
		dwa_die(&m.a, DW_TAG_compile_unit, true);
		dwa_value(&m.a, DW_AT_str_offsets_base, DW_FORM_sec_offset,
			  dwa_table_base(&m.a) + 4);
		dwa_value(&m.a, DW_AT_addr_base, DW_FORM_sec_offset,
			  dwa_table_base(&m.a) + 8);
		case_range(&m.a, 0x1000, 0x3000);
		dwa_address(&m.a, 0x1000);
		dwa_address(&m.a, 0x2000);
		/* This name has index 0, the next one index 1. */
		dwa_die(&m.a, DW_TAG_subprogram, false);
		dwa_string(&m.a, DW_AT_name, DW_FORM_strx, "first");
		dwa_die(&m.a, DW_TAG_subprogram, false);
		dwa_string(&m.a, DW_AT_name, DW_FORM_strx, "second");
		dwa_die(&m.a, DW_TAG_subprogram, false);
		dwa_value(&m.a, DW_AT_name, DW_FORM_strx, 0);
		dwa_value(&m.a, DW_AT_low_pc, DW_FORM_addrx, 0);
		dwa_value(&m.a, DW_AT_high_pc, DW_FORM_data4, 0x10);
		case_unit_end(&m.a);
		m.container = dwa_container(&m.a);
		sinktext_init(&s);
		cr_assert_eq(convert(&m), GSYM_OK);
		cr_expect_str_eq(s.text, "second [2000,2010)\n");
		end(&m);
	}
}

/* ---- work --------------------------------------------------------------- */

/* A unit that needs more than half of all work, among others. */
static void heavy(struct dwa *a)
{
	enum { LIST = 200, DIES = 100, UNITS = 12 };
	struct dwa_pair pairs[LIST];
	uint64_t list;

	for (unsigned i = 0; i < LIST; i++)
		pairs[i] = (struct dwa_pair){ 0x1000 + 4 * i, 0x1002 + 4 * i };
	list = dwa_ranges(a, pairs, LIST);
	for (unsigned unit = 0; unit < UNITS; unit++) {
		dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, true);
		case_range(a, 0x1000, 0x1000 + 4 * LIST);
		for (unsigned i = 0; unit == 3 && i < DIES; i++) {
			dwa_die(a, DW_TAG_subprogram, false);
			dwa_value(a, DW_AT_ranges, DW_FORM_sec_offset, list);
		}
		case_function(a, "last", 0x1000, 0x1004);
		case_unit_end(a);
	}
}

/* Units that are read at once have a part of the work each.  A unit for which
 * the part is not enough is read again, with all that is left. */
Test(dwarf, a_unit_with_most_of_the_work)
{
	char *alone = NULL;

	for (unsigned threads = 1; threads <= 3; threads++) {
		struct made m = { .options = { .threads = threads,
					       .warn = sinktext_warn,
					       .context = &s } };

		dwa_init(&m.a, false, 8, 4);
		heavy(&m.a);
		m.container = dwa_container(&m.a);
		sinktext_init(&s);
		cr_assert_eq(convert(&m), GSYM_OK);
		cr_expect_null(strstr(s.text, "warning "), "%s",
			       strstr(s.text, "warning "));
		if (!alone)
			alone = strdup(s.text);
		cr_expect_str_eq(s.text, alone, "%u threads", threads);
		end(&m);
	}
	free(alone);
}

/* Units without claims; OTHERS: more units with claims follow. */
static void claimless(struct dwa *a, bool others)
{
	enum { UNITS = 100 };

	for (unsigned unit = 0; unit < UNITS; unit++) {
		uint64_t start = 0x2000 + unit / 2 * 0x10;

		dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, true);
		case_function(a, unit % 2 ? "second" : "first", start,
			      start + 8);
		case_function(a, "common", 0x1000, 0x1010);
		case_unit_end(a);
	}
	for (unsigned unit = 0; others && unit < UNITS + 1; unit++) {
		uint64_t start = 0x3000 + unit * 0x10;

		dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, true);
		case_range(a, start, start + 8);
		case_function(a, "other", start, start + 8);
		case_unit_end(a);
	}
}

/* Of functions that no unit claims, the first unit counts that has them, also
 * if units wait for the units before them: if most units have no claims, they
 * wait with all that was read, and else they are read again. */
Test(dwarf, functions_that_no_unit_claims)
{
	for (unsigned others = 0; others < 2; others++) {
		char *alone = NULL;

		for (unsigned threads = 1; threads <= 5; threads += 2) {
			struct made m = { .options = { .threads = threads,
						       .warn = sinktext_warn,
						       .context = &s } };

			dwa_init(&m.a, false, 8, 4);
			claimless(&m.a, others);
			m.container = dwa_container(&m.a);
			sinktext_init(&s);
			cr_assert_eq(convert(&m), GSYM_OK);
			cr_expect(strstr(s.text, "first [2310,2318)"));
			cr_expect(!strstr(s.text, "other") == !others);
			cr_expect_null(strstr(s.text, "second"));
			if (!alone)
				alone = strdup(s.text);
			cr_expect_str_eq(s.text, alone, "%u threads", threads);
			end(&m);
		}
		free(alone);
	}
}

/* ---- memory that is given back ------------------------------------------ */

enum { LONG = 4 << 20 };

/* A unit with a function at ADDRESS between two strings LONG_TEXT, so that it
 * is on no page of the section's start or end.  Returns the place of the
 * function. */
static unsigned long_unit(struct dwa *a, const char *long_text,
			  uint64_t address)
{
	unsigned function = dwa_place(a);

	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_value(a, DW_AT_language, DW_FORM_data1, DW_LANG_C99);
	case_range(a, address, address + 0x100);
	dwa_die(a, DW_TAG_base_type, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, long_text);
	dwa_place_here(a, function);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "first");
	case_range(a, address, address + 0x40);
	dwa_die(a, DW_TAG_base_type, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, long_text);
	dwa_end(a);
	dwa_unit_end(a);
	return function;
}

/* Convert two units of LONG bytes, and if REFERS a third one that refers to the
 * first.  Returns .debug_info as it is afterwards, which A's container has to
 * own. */
static const uint8_t *convert_long(struct made *m, bool refers)
{
	struct gsym_container_section *info;
	char *text = malloc(LONG + 1);
	struct dwa *a = &m->a;
	unsigned function;
	uint8_t *bytes;

	memset(text, 'x', LONG);
	text[LONG] = 0;
	dwa_init(a, false, 8, 5);
	function = long_unit(a, text, 0x1000);
	long_unit(a, text, 0x2000);
	free(text);
	if (refers) {
		dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, true);
		case_range(a, 0x3000, 0x3100);
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref_addr,
			      function);
		case_range(a, 0x3000, 0x3040);
		dwa_end(a);
		dwa_unit_end(a);
	}
	m->container = dwa_container(a);
	info = (struct gsym_container_section *)gsym_container_section(
		m->container, ".debug_info");
	bytes = malloc(info->data_size);
	memcpy(bytes, info->data, info->data_size);
	cr_assert(gsym_vec_add(&m->container->made, bytes));
	info->data = bytes;
	m->options = (struct gsym_convert_options){ .threads = 1 };
	sinktext_init(&s);
	cr_assert_eq(convert(m), GSYM_OK);
	return bytes;
}

/* A unit that nobody refers to is given back when it was handed over, not
 * before: its names are in .debug_info. */
Test(dwarf, gives_memory_back)
{
	for (int at_once = 0; at_once < 2; at_once++) {
		struct made m = { .at_once = at_once };
		const uint8_t *info = convert_long(&m, false);

		cr_expect_not_null(strstr(s.text, "first [1000,1040)"), "%s",
				   s.text);
		cr_expect_not_null(strstr(s.text, "first [2000,2040)"), "%s",
				   s.text);
#ifdef __linux__
		cr_expect_eq(info[LONG / 2], 0);
#else
		(void)info;
#endif
		end(&m);
	}
}

/* A unit that a later unit refers to is kept until then. */
Test(dwarf, keeps_units_that_are_referred_to)
{
	struct made m = { 0 };

	convert_long(&m, true);
	cr_expect_not_null(strstr(s.text, "first [3000,3040)"), "%s", s.text);
	end(&m);
}
