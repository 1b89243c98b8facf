/* SPDX-License-Identifier: MIT */
/* The reader through libdwarf: input without debug info, damage that libdwarf
 * must not see, and damage that it reports. */
#include "dwarf/resolve.h"
#include "second/libdwarf.h"
#include "support/dwarf_text.h"
#include "unit/dwarf/cases.h"

#include <criterion/criterion.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>

static void expect(struct dwa *a, unsigned flags, const char *expected)
{
	char *got = dwtext_read(&gsym_libdwarf_reader, dwa_container(a), flags);

	cr_expect_str_eq(got, expected);
	free(got);
}

/* Whether there is a warning of KIND. */
static bool warns(struct dwa *a, enum gsym_warning kind)
{
	struct dw_claims claims = { 0 };
	struct dw_work work = { .limited = false };
	struct dw_unit unit = { 0 };
	bool found = false;
	void *self;

	cr_assert_eq(gsym_libdwarf_reader.open(dwa_container(a), false, 1,
					       &unit, &self, NULL),
		     GSYM_OK);
	for (size_t i = 0; i < gsym_libdwarf_reader.unit_count(self); i++)
		cr_assert_eq(gsym_libdwarf_reader.read_unit(self, i, &unit),
			     GSYM_OK);
	cr_assert_eq(gsym_dw_claims_read(&gsym_libdwarf_reader, self, &work,
					 &claims, &unit),
		     GSYM_OK);
	for (size_t i = 0; i < unit.warnings.count; i++)
		found |= unit.warnings.items[i].kind == kind;
	gsym_libdwarf_reader.close(self);
	gsym_dw_unit_fini(&unit);
	gsym_vec_fini(&claims);
	return found;
}

Test(libdwarf, nothing)
{
	struct gsym_container empty = { .format = GSYM_FORMAT_ELF,
					.address_size = 8 };
	char *got = dwtext_read(&gsym_libdwarf_reader, &empty, DWTEXT_WARNINGS);

	cr_expect_str_eq(got, "");
	free(got);
}

/* Sections that only other sections refer to. */
Test(libdwarf, strings_only)
{
	struct dwa a;

	dwa_init(&a, false, 8, 5);
	dwa_intern(&a, DWA_STR, "text");
	expect(&a, 0, "");
	dwa_fini(&a);
}

static void two_functions(struct dwa *a)
{
	uint64_t list;

	dwa_init(a, false, 8, 5);
	dwa_rnglists(a, 0);
	list = dwa_rnglist(a);
	dwa_rle(a, DW_RLE_start_length, 0x1000, 0x10);
	dwa_rle(a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglists_end(a);
	case_unit(a, DW_LANG_C99);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "listed");
	dwa_value(a, DW_AT_ranges, DW_FORM_sec_offset, list);
	case_function(a, "plain", 0x2000, 0x2010);
	case_unit_end(a);
}

/* libdwarf 20210528 uses freed memory when a header of .debug_rnglists is
 * damaged, so it must not see the section. */
Test(libdwarf, damaged_rnglists)
{
	static const struct {
		size_t offset;
		uint64_t value;
		unsigned size;
	} damage[] = {
		{ 0, 0x1000, 4 },     /* length */
		{ 0, UINT32_MAX, 4 }, /* 64-bit format, and too long */
		{ 4, 4, 2 },	      /* version */
		{ 6, 3, 1 },	      /* address size */
		{ 8, 0x40000000, 4 }, /* offsets */
	};
	struct dwa a;

	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		two_functions(&a);
		expect(&a, 0,
		       "unit 0\n0 fn listed [1000,1010)\n"
		       "1 fn plain [2000,2010)\n");
		dwa_patch(&a, DWA_RNGLISTS, damage[i].offset, damage[i].value,
			  damage[i].size);
		expect(&a, 0, "unit 0\n0 fn plain [2000,2010)\n");
		cr_expect(warns(&a, GSYM_WARN_BAD_RANGES));
		dwa_fini(&a);
	}
}

/* DW_AT_rnglists_base at the end of the first table, where the header of the
 * second one is. */
Test(libdwarf, base_between_two_tables)
{
	struct dwa a;
	uint64_t base, end;

	dwa_init(&a, false, 8, 5);
	base = dwa_rnglists(&a, 1);
	dwa_rnglist(&a);
	dwa_rle(&a, DW_RLE_start_length, 0x1000, 0x10);
	dwa_rle(&a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglists_end(&a);
	end = a.sections[DWA_RNGLISTS].size;
	dwa_rnglists(&a, 1);
	dwa_rnglist(&a);
	dwa_rle(&a, DW_RLE_start_length, 0x2000, 0x10);
	dwa_rle(&a, DW_RLE_end_of_list, 0, 0);
	dwa_rnglists_end(&a);
	for (unsigned i = 0; i < 2; i++) {
		dwa_unit(&a, 0);
		dwa_die(&a, DW_TAG_compile_unit, true);
		dwa_value(&a, DW_AT_rnglists_base, DW_FORM_sec_offset,
			  i ? end : base);
		dwa_die(&a, DW_TAG_subprogram, false);
		dwa_string(&a, DW_AT_name, DW_FORM_string, "f");
		dwa_value(&a, DW_AT_ranges, DW_FORM_rnglistx, 0);
		case_function(&a, "plain", 0x3000, 0x3010);
		case_unit_end(&a);
	}
	expect(&a, 0,
	       "unit 0\n0 fn f [1000,1010)\n1 fn plain [3000,3010)\n"
	       "unit 1\n0 fn plain [3000,3010)\n");
	cr_expect(warns(&a, GSYM_WARN_BAD_RANGES));
	dwa_fini(&a);
}

#ifdef __GLIBC__
/* Read each unit of the file of SELF. */
static void read_all(void *self)
{
	for (size_t i = 0; i < gsym_libdwarf_reader.unit_count(self); i++) {
		struct dw_unit unit = { .wants = DW_WANT_CALLS | DW_WANT_DATA |
						 DW_WANT_FOLDED };
		struct dw_unit notes = { 0 };
		struct gsym_range_set ranges = { 0 };

		cr_assert_eq(gsym_libdwarf_reader.unit_ranges(self, i, &ranges,
							      &notes),
			     GSYM_OK);
		cr_assert_eq(gsym_libdwarf_reader.read_unit(self, i, &unit),
			     GSYM_OK);
		gsym_vec_fini(&ranges);
		gsym_dw_unit_fini(&notes);
		gsym_dw_unit_fini(&unit);
	}
}

/* libdwarf keeps what it hands out until it is freed.  Units that are read
 * again take no more memory. */
Test(libdwarf, memory_of_units)
{
	enum { ROUNDS = 16 };
	/* libdwarf loses 90 to 120 bytes for a list that breaks off. */
	static const char loses[] = "lists of .debug_ranges";
	static const struct dw_case *const tables[] = {
		dw_tree_cases,	dw_name_cases, dw_content_cases,
		dw_range_cases, dw_line_cases, dw_file_cases,
	};

	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++)
		for (const struct dw_case *c = tables[t]; c->name; c++) {
			struct gsym_container *container;
			struct dwf f;
			unsigned grown = 0;
			size_t used;
			void *self;

			dwf_init(&f, false, 8, c->last, false);
			case_build(c, &f);
			container = dwf_container(&f);
			cr_assert_eq(gsym_libdwarf_reader.open(container, false,
							       1, NULL, &self,
							       NULL),
				     GSYM_OK);
			for (unsigned i = 0; i < 3; i++)
				read_all(self);
			/* Tables of libdwarf that are keyed by pointers grow
			 * now and then.  What is not freed takes more memory
			 * in each round. */
			for (unsigned i = 0; i < ROUNDS; i++) {
				used = mallinfo2().uordblks;
				read_all(self);
				grown += mallinfo2().uordblks > used;
			}
			if (strcmp(c->name, loses) != 0)
				cr_expect_lt(grown, ROUNDS / 2, "%s", c->name);
			gsym_libdwarf_reader.close(self);
			gsym_container_free(container);
			dwf_fini(&f);
		}
}
#endif

/* A type unit of a package is opened once; beyond the limit, none is. */
Test(libdwarf, types_of_a_package)
{
	struct dw_package types = { .count = 0 };
	const struct dw_header skeleton = {
		.encoding = { .version = 5, .offset_size = 4 },
	};
	const struct dw_case *c = dw_file_cases;
	const uint64_t signature = 0x0123456789abcdef;
	struct gsym_container *program;
	struct libdwarf_unit *u;
	struct libdwarf *s;
	struct dwf f;

	while (!c->name || strcmp(c->name, "type units in a package") != 0)
		c++;
	dwf_init(&f, false, 8, 5, false);
	case_build(c, &f);
	program = dwf_container(&f);
	types.main = program;
	types.skeleton = &skeleton;
	u = gsym_libdwarf_package_type(&types, signature, &s);
	cr_assert(u);
	cr_expect_eq(u->h.id, signature);
	cr_expect_eq(s, types.types[0]->unit);
	cr_expect_eq(s->package, &types);
	cr_expect_null(gsym_libdwarf_package_type(&types, signature + 1, &s));
	cr_expect_eq(gsym_libdwarf_package_type(&types, signature, &s), u);
	cr_expect_eq(types.count, 1);
	/* The place of the first type unit is another's now. */
	types.types[0]->signature = signature + 1;
	for (; types.count < DW_SPLIT_MAX_TYPES - 1; types.count++) {
		types.types[types.count] = calloc(1, sizeof(*types.types[0]));
		cr_assert(types.types[types.count]);
	}
	u = gsym_libdwarf_package_type(&types, signature, &s);
	cr_assert(u);
	cr_expect_eq(types.count, DW_SPLIT_MAX_TYPES);
	cr_expect_eq(s, types.types[DW_SPLIT_MAX_TYPES - 1]->unit);
	types.types[DW_SPLIT_MAX_TYPES - 1]->signature = signature + 1;
	cr_expect_null(gsym_libdwarf_package_type(&types, signature, &s));
	cr_expect_eq(types.count, DW_SPLIT_MAX_TYPES);
	gsym_dw_package_close(&types, gsym_libdwarf_reader.close);
	gsym_container_free(program);
	dwf_fini(&f);
}

Test(libdwarf, damaged_unit)
{
	struct dwa a;
	size_t second;

	dwa_init(&a, false, 8, 4);
	case_unit(&a, DW_LANG_C99);
	case_function(&a, "first", 0x1000, 0x1010);
	case_unit_end(&a);
	second = a.sections[DWA_INFO].size;
	case_unit(&a, DW_LANG_C99);
	case_function(&a, "second", 0x2000, 0x2010);
	case_unit_end(&a);
	expect(&a, 0,
	       "unit 0\n0 fn first [1000,1010)\n"
	       "unit 1\n0 fn second [2000,2010)\n");
	cr_expect(!warns(&a, GSYM_WARN_BAD_UNIT));
	/* An unknown version. */
	dwa_patch(&a, DWA_INFO, second + 4, 77, 2);
	expect(&a, 0, "unit 0\n0 fn first [1000,1010)\n");
	cr_expect(warns(&a, GSYM_WARN_BAD_UNIT));
	dwa_fini(&a);
}

/* A code without an abbreviation ends the tree. */
Test(libdwarf, damaged_tree)
{
	struct dwa a;
	size_t at;

	dwa_init(&a, true, 4, 4);
	case_unit(&a, DW_LANG_C99);
	case_function(&a, "first", 0x1000, 0x1010);
	at = dwa_die(&a, DW_TAG_lexical_block, false);
	case_function(&a, "second", 0x2000, 0x2010);
	case_unit_end(&a);
	dwa_patch(&a, DWA_INFO, at, 0x70, 1);
	expect(&a, 0, "unit 0\n0 fn first [1000,1010)\n");
	cr_expect(warns(&a, GSYM_WARN_BAD_DIE));
	dwa_fini(&a);
}

Test(libdwarf, damaged_lines)
{
	static const struct dwa_file files[] = { { "x.c", 0 } };
	const struct dwa_lines lines = {
		.version = 4,
		.files = files,
		.file_count = 1,
	};
	struct dwa a;
	uint64_t table;

	dwa_init(&a, false, 8, 4);
	table = dwa_lines(&a, &lines);
	dwa_sequence(&a, 0x1000);
	dwa_row(&a, 0x1000, 1, 1);
	dwa_sequence_end(&a, 0x1010);
	dwa_lines_end(&a);
	dwa_unit(&a, 0);
	dwa_die(&a, DW_TAG_compile_unit, true);
	dwa_value(&a, DW_AT_stmt_list, DW_FORM_sec_offset, table);
	case_function(&a, "f", 0x1000, 0x1010);
	case_unit_end(&a);
	expect(&a, 0,
	       "unit 0\n0 fn f [1000,1010)\nfile 1 |x.c\n"
	       "seq [1000,1010) 1000:1:1\n");
	dwa_patch(&a, DWA_LINE, table + 4, 9, 2);
	expect(&a, 0, "unit 0\n0 fn f [1000,1010)\n");
	cr_expect(warns(&a, GSYM_WARN_BAD_LINE_TABLE));
	dwa_fini(&a);
}

Test(libdwarf, sizes)
{
	struct dwa a;
	void *self;
	size_t end;

	dwa_init(&a, false, 8, 4);
	case_unit(&a, DW_LANG_C99);
	case_unit_end(&a);
	end = a.sections[DWA_INFO].size;
	case_unit(&a, DW_LANG_C99);
	case_function(&a, "f", 0x2000, 0x2010);
	case_unit_end(&a);
	cr_assert_eq(gsym_libdwarf_reader.open(dwa_container(&a), false, 1,
					       NULL, &self, NULL),
		     GSYM_OK);
	cr_expect_eq(gsym_libdwarf_reader.unit_count(self), 2);
	cr_expect_eq(dw_unit_bytes(gsym_libdwarf_reader.unit(self, 0)), end);
	cr_expect_eq(dw_unit_bytes(gsym_libdwarf_reader.unit(self, 1)),
		     a.sections[DWA_INFO].size - end);
	gsym_libdwarf_reader.close(self);
	dwa_fini(&a);
}

/* A namespace with two classes, of which the first has a function.  A block is
 * no context. */
Test(libdwarf, innermost_context)
{
	static const struct {
		uint64_t die;
		unsigned depth, tag;
	} dies[] = {
		{ 0x10, 0, DW_TAG_compile_unit },
		{ 0x20, 1, DW_TAG_namespace },
		{ 0x30, 2, DW_TAG_class_type },
		{ 0x40, 3, DW_TAG_subprogram },
		{ 0x50, 4, DW_TAG_lexical_block },
		{ 0x60, 5, DW_TAG_variable },
		{ 0x70, 3, DW_TAG_subprogram },
		{ 0x78, 3, DW_TAG_member },
		{ 0x80, 2, DW_TAG_structure_type },
		{ 0x90, 3, DW_TAG_member },
		{ 0xa0, 1, DW_TAG_variable },
	};
	static const struct {
		uint64_t die, context;
	} expected[] = {
		{ 0x10, 0 },	{ 0x20, 0 },	{ 0x30, 0x20 }, { 0x40, 0x30 },
		{ 0x50, 0x40 }, { 0x60, 0x40 }, { 0x70, 0x30 }, { 0x80, 0x20 },
		{ 0x78, 0x30 }, { 0x90, 0x80 }, { 0xa0, 0 },	{ 0xb0, 0 },
	};
	struct libdwarf_contexts contexts = { 0 };

	for (size_t i = 0; i < sizeof(dies) / sizeof(*dies); i++)
		cr_assert(gsym_libdwarf_contexts_visit(
			&contexts, dies[i].die, dies[i].depth, dies[i].tag));
	gsym_libdwarf_contexts_end(&contexts, 0xc0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		cr_expect_eq(gsym_libdwarf_contexts_find(&contexts,
							 expected[i].die),
			     expected[i].context);
	gsym_vec_fini(&contexts);
}

/* Contexts that are open at the end of the walk reach to the unit's end. */
Test(libdwarf, open_contexts_end_with_the_unit)
{
	struct libdwarf_contexts contexts = { 0 };

	cr_assert(gsym_libdwarf_contexts_visit(&contexts, 0x20, 1,
					       DW_TAG_namespace));
	cr_assert(gsym_libdwarf_contexts_visit(&contexts, 0x30, 2,
					       DW_TAG_union_type));
	gsym_libdwarf_contexts_end(&contexts, 0x80);
	cr_expect_eq(gsym_libdwarf_contexts_find(&contexts, 0x7f), 0x30);
	cr_expect_eq(gsym_libdwarf_contexts_find(&contexts, 0x80), 0);
	gsym_vec_fini(&contexts);
}
