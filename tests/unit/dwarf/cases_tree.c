/* SPDX-License-Identifier: MIT */
/* Which DIEs become nodes, and which nodes are their parents; units. */
#include "cases.h"

static void one_function(struct dwa *a)
{
	case_unit(a, DW_LANG_C99);
	case_function(a, "main", 0x1000, 0x1020);
	case_unit_end(a);
}

static void inline_tree(struct dwa *a)
{
	unsigned f, g;

	case_unit(a, DW_LANG_C99);
	f = case_abstract(a, "f");
	g = case_abstract(a, "g");
	case_parent(a, "main", 0x1000, 0x1100);
	dwa_die(a, DW_TAG_lexical_block, true);
	case_inlined(a, f, true, 5, 0x1010, 0x1040);
	dwa_die(a, DW_TAG_try_block, true);
	dwa_die(a, DW_TAG_lo_user, true);
	case_inlined(a, g, false, 6, 0x1018, 0x1020);
	dwa_end(a);
	dwa_end(a);
	case_inlined(a, g, false, 7, 0x1020, 0x1028);
	dwa_end(a);
	dwa_end(a);
	case_inlined(a, g, false, 8, 0x1050, 0x1060);
	dwa_end(a);
	case_unit_end(a);
}

/* Nodes without code are kept for the inlined calls below them. */
static void hollow_parents(struct dwa *a)
{
	unsigned f;

	case_unit(a, DW_LANG_C99);
	f = case_abstract(a, "f");
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "hollow");
	case_inlined(a, f, true, 1, 0, 0);
	case_inlined(a, f, false, 2, 0x1000, 0x1010);
	dwa_end(a);
	case_inlined(a, f, true, 3, 0, 0);
	case_inlined(a, f, false, 4, 0, 0);
	dwa_end(a);
	dwa_end(a);
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "empty");
	case_inlined(a, f, false, 5, 0, 0);
	dwa_end(a);
	case_unit_end(a);
}

static void nested_functions(struct dwa *a)
{
	unsigned f;

	case_unit(a, DW_LANG_Pascal83);
	f = case_abstract(a, "f");
	case_parent(a, "outer", 0x1000, 0x1100);
	case_parent(a, "inner", 0x1040, 0x1080);
	case_inlined(a, f, false, 1, 0x1050, 0x1060);
	dwa_end(a);
	case_inlined(a, f, false, 2, 0x1090, 0x10a0);
	dwa_end(a);
	/* A function without code is dropped even if one nested in it has
	 * code. */
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "gone");
	case_function(a, "kept", 0x2000, 0x2010);
	dwa_end(a);
	case_unit_end(a);
}

static void functions_in_types(struct dwa *a)
{
	case_unit(a, DW_LANG_Rust);
	dwa_die(a, DW_TAG_namespace, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "krate");
	dwa_die(a, DW_TAG_structure_type, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "S");
	case_function(a, "method", 0x1000, 0x1010);
	dwa_end(a);
	dwa_die(a, DW_TAG_enumeration_type, true);
	case_function(a, "variant", 0x1010, 0x1020);
	dwa_end(a);
	dwa_end(a);
	case_unit_end(a);
}

/* A class with a function in it.  A DW_AT_sibling leads over the function. */
static void class_with_code(struct dwa *a, const char *name, uint64_t start)
{
	unsigned next = dwa_place(a);

	dwa_die(a, DW_TAG_class_type, true);
	dwa_reference(a, DW_AT_sibling, DW_FORM_ref4, next);
	case_function(a, name, start, start + 0x10);
	dwa_end(a);
	dwa_place_here(a, next);
}

static void functions_in_classes(struct dwa *a, const char *producer)
{
	case_unit(a, DW_LANG_C_plus_plus);
	dwa_string(a, DW_AT_producer, DW_FORM_string, producer);
	class_with_code(a, "outside", 0x1000);
	dwa_die(a, DW_TAG_namespace, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "n");
	class_with_code(a, "namespace", 0x1010);
	dwa_end(a);
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "declared");
	class_with_code(a, "local", 0x1020);
	dwa_end(a);
	case_parent(a, "f", 0x1040, 0x1080);
	dwa_die(a, DW_TAG_lexical_block, true);
	class_with_code(a, "in block", 0x1050);
	dwa_end(a);
	dwa_end(a);
	class_with_code(a, "after", 0x1080);
	case_unit_end(a);
}

static void classes_by_gcc(struct dwa *a)
{
	functions_in_classes(a, "GNU C++17 12.2.0");
}

static void classes_by_others(struct dwa *a)
{
	functions_in_classes(a, "a compiler");
}

static void inlined_at_top(struct dwa *a)
{
	unsigned f;

	case_unit(a, DW_LANG_C99);
	f = case_abstract(a, "f");
	case_inlined(a, f, false, 9, 0x1000, 0x1010);
	case_unit_end(a);
}

static void call_forms(struct dwa *a)
{
	static const struct {
		unsigned form;
		uint64_t file, line;
	} forms[] = {
		{ DW_FORM_data1, 0xfe, 0xff },
		{ DW_FORM_data2, 0xfffe, 0xffff },
		{ DW_FORM_data4, 0xfffffffe, 0xffffffff },
		{ DW_FORM_data8, 3, 0x80000000 },
		{ DW_FORM_udata, 300, 70000 },
		{ DW_FORM_sdata, 100, 200 },
		{ DW_FORM_sdata, (uint64_t)-1, (uint64_t)-7 },
		{ DW_FORM_data8, 0x100000000, 0x100000001 },
	};

	case_unit(a, DW_LANG_C99);
	case_parent(a, "main", 0x1000, 0x1100);
	for (unsigned i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		dwa_die(a, DW_TAG_inlined_subroutine, false);
		dwa_value(a, DW_AT_call_line, forms[i].form, forms[i].line);
		dwa_value(a, DW_AT_call_file, forms[i].form, forms[i].file);
		case_range(a, 0x1000 + 16 * i, 0x1010 + 16 * i);
	}
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	case_range(a, 0x1080, 0x1090);
	dwa_end(a);
	case_unit_end(a);
}

static void call_implicit(struct dwa *a)
{
	uint64_t code;

	case_unit(a, DW_LANG_C99);
	case_parent(a, "main", 0x1000, 0x1100);
	code = a->next_code;
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_value(a, DW_AT_call_file, DW_FORM_implicit_const, 3);
	dwa_value(a, DW_AT_call_line, DW_FORM_data1, 11);
	case_range(a, 0x1010, 0x1020);
	dwa_die_again(a, code);
	dwa_value(a, DW_AT_call_file, DW_FORM_implicit_const, 3);
	dwa_value(a, DW_AT_call_line, DW_FORM_data1, 12);
	case_range(a, 0x1020, 0x1030);
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_value(a, DW_AT_call_file, DW_FORM_implicit_const, (uint64_t)-3);
	dwa_value(a, DW_AT_call_line, DW_FORM_implicit_const, 70000);
	case_range(a, 0x1030, 0x1040);
	dwa_end(a);
	case_unit_end(a);
}

/* Attributes that no reader knows, of all forms: they are stepped over. */
enum { UNKNOWN = 0x3d00 };

static void skipped_forms(struct dwa *a)
{
	static const uint8_t bytes[300] = { 1, 2, 3 };

	case_unit(a, DW_LANG_C99);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_block(a, UNKNOWN, DW_FORM_block1, bytes, 255);
	dwa_block(a, UNKNOWN + 1, DW_FORM_block2, bytes, 300);
	dwa_block(a, UNKNOWN + 2, DW_FORM_block4, bytes, 3);
	dwa_block(a, UNKNOWN + 3, DW_FORM_block, bytes, 200);
	dwa_value(a, UNKNOWN + 4, DW_FORM_flag, 1);
	dwa_value(a, UNKNOWN + 5, DW_FORM_udata, UINT64_MAX);
	dwa_value(a, UNKNOWN + 6, DW_FORM_sdata, (uint64_t)INT64_MIN);
	dwa_value(a, UNKNOWN + 7, DW_FORM_ref1, 1);
	dwa_value(a, UNKNOWN + 8, DW_FORM_ref2, 1);
	dwa_value(a, UNKNOWN + 9, DW_FORM_ref4, 1);
	dwa_value(a, UNKNOWN + 10, DW_FORM_ref8, 1);
	dwa_value(a, UNKNOWN + 11, DW_FORM_ref_udata, 300);
	dwa_value(a, UNKNOWN + 12, DW_FORM_ref_addr, 1);
	dwa_value(a, UNKNOWN + 13, DW_FORM_data8, 1);
	dwa_indirect(a, UNKNOWN + 14, DW_FORM_udata, 1000);
	if (a->version >= 4) {
		dwa_block(a, UNKNOWN + 15, DW_FORM_exprloc, bytes, 130);
		dwa_value(a, UNKNOWN + 16, DW_FORM_flag_present, 0);
		dwa_value(a, UNKNOWN + 17, DW_FORM_ref_sig8, 77);
		dwa_value(a, UNKNOWN + 18, DW_FORM_sec_offset, 0);
	}
	if (a->version >= 5) {
		dwa_block(a, UNKNOWN + 19, DW_FORM_data16, bytes, 16);
		dwa_value(a, UNKNOWN + 20, DW_FORM_loclistx, 300);
		dwa_value(a, UNKNOWN + 21, DW_FORM_implicit_const, 1);
		dwa_value(a, UNKNOWN + 22, DW_FORM_addrx2, 0x102);
		dwa_value(a, UNKNOWN + 23, DW_FORM_strx4, 0x10203);
		dwa_value(a, UNKNOWN + 24, DW_FORM_ref_sup4, 1);
		dwa_value(a, UNKNOWN + 25, DW_FORM_ref_sup8, 1);
		dwa_value(a, UNKNOWN + 26, DW_FORM_strp_sup, 1);
	}
	dwa_string(a, DW_AT_name, DW_FORM_string, "after");
	case_range(a, 0x1000, 0x1020);
	case_unit_end(a);
}

static void siblings(struct dwa *a)
{
	unsigned next[2], f;

	case_unit(a, DW_LANG_C99);
	f = case_abstract(a, "f");
	for (unsigned i = 0; i < 2; i++) {
		next[i] = dwa_place(a);
		dwa_die(a, DW_TAG_subprogram, true);
		dwa_reference(a, DW_AT_sibling,
			      i ? DW_FORM_ref_udata : DW_FORM_ref4, next[i]);
		dwa_string(a, DW_AT_name, DW_FORM_string, i ? "two" : "one");
		case_range(a, 0x1000 + i * 0x100, 0x1080 + i * 0x100);
		dwa_die(a, DW_TAG_lexical_block, true);
		case_inlined(a, f, false, 3 + i, 0x1010 + i * 0x100,
			     0x1020 + i * 0x100);
		dwa_end(a);
		dwa_end(a);
		dwa_place_here(a, next[i]);
	}
	dwa_die(a, DW_TAG_structure_type, true);
	dwa_die(a, DW_TAG_member, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "m");
	dwa_end(a);
	case_function(a, "three", 0x1200, 0x1280);
	case_unit_end(a);
}

/* Types are stepped over by their siblings: what is in them is not read.  The
 * second unit does not begin at offset 0, which siblings count from. */
static void siblings_over_damage(struct dwa *a)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned next = dwa_place(a);

		case_unit(a, DW_LANG_C99);
		dwa_die(a, DW_TAG_structure_type, true);
		dwa_reference(a, DW_AT_sibling, DW_FORM_ref4, next);
		dwa_die_again(a, 99);
		dwa_end(a);
		dwa_place_here(a, next);
		case_function(a, "after", 0x1000 + 16 * i, 0x1010 + 16 * i);
		case_unit_end(a);
	}
}

/* Abbreviation codes that are not 1, 2, 3 and so on. */
static void odd_codes(struct dwa *a)
{
	uint64_t code;

	dwa_unit(a, 0);
	a->next_code = 70000;
	a->code_step = (uint64_t)-7;
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "a.c");
	code = a->next_code;
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1000);
	dwa_value(a, DW_AT_high_pc, DW_FORM_addr, 0x1010);
	dwa_string(a, DW_AT_name, DW_FORM_string, "one");
	dwa_die_again(a, code);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1010);
	dwa_value(a, DW_AT_high_pc, DW_FORM_addr, 0x1020);
	dwa_string(a, DW_AT_name, DW_FORM_string, "two");
	case_unit_end(a);
	a->code_step = 1;
}

static void several_units(struct dwa *a)
{
	for (unsigned i = 0; i < 3; i++) {
		dwa_unit(a, 0);
		dwa_die(a, DW_TAG_compile_unit, i != 1);
		dwa_string(a, DW_AT_name, DW_FORM_string, "a.c");
		if (i != 1) {
			case_function(a, i ? "third" : "first",
				      0x1000 * (i + 1), 0x1010 * (i + 1));
			dwa_end(a);
		}
		dwa_unit_end(a);
	}
}

/* Type units and split units are no units of the reader. */
static void unit_kinds(struct dwa *a)
{
	static const unsigned kinds[] = { DW_UT_type, DW_UT_partial,
					  DW_UT_skeleton, DW_UT_split_compile,
					  DW_UT_compile };

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		dwa_unit(a, kinds[i]);
		dwa_die(a,
			kinds[i] == DW_UT_type       ? DW_TAG_type_unit
			: kinds[i] == DW_UT_partial  ? DW_TAG_partial_unit
			: kinds[i] == DW_UT_skeleton ? DW_TAG_skeleton_unit
						     : DW_TAG_compile_unit,
			kinds[i] != DW_UT_skeleton);
		dwa_string(a, DW_AT_comp_dir, DW_FORM_string, "/");
		if (kinds[i] != DW_UT_skeleton) {
			case_function(a, "f", 0x1000 * i, 0x1000 * i + 16);
			dwa_end(a);
		}
		dwa_unit_end(a);
	}
}

static void too_deep(struct dwa *a)
{
	enum { DEPTH = 1100 };

	case_unit(a, DW_LANG_C99);
	for (unsigned i = 0; i < DEPTH; i++)
		dwa_die(a, DW_TAG_lexical_block, true);
	case_function(a, "unseen", 0x1000, 0x1010);
	for (unsigned i = 0; i < DEPTH; i++)
		dwa_end(a);
	case_function(a, "seen", 0x2000, 0x2010);
	case_unit_end(a);
}

/* The unit DIE is level 1, so level 1024 is the last one. */
static void just_deep_enough(struct dwa *a)
{
	case_unit(a, DW_LANG_C99);
	for (unsigned i = 0; i < 1022; i++)
		dwa_die(a, DW_TAG_lexical_block, true);
	case_parent(a, "seen", 0x1000, 0x1010);
	case_function(a, "unseen", 0x2000, 0x2010);
	dwa_end(a);
	for (unsigned i = 0; i < 1022; i++)
		dwa_end(a);
	case_unit_end(a);
}

/* A unit whose DIEs have offsets into .debug_str. */
static size_t offsets_unit(struct dwa *a, const char *name, uint64_t start)
{
	size_t unit = dwa_unit(a, 0);

	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "a.c");
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_strp, name);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, start);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data8,
		  a->version < 4 ? start + 16 : 16);
	case_unit_end(a);
	return unit;
}

/* Units of DWARF 2 and 4 with one abbreviation table: up to DWARF 2
 * DW_FORM_ref_addr has the size of an address. */
static void two_versions(struct dwa *a)
{
	a->dwarf64 = false;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t start = 0x1000 * (i + 1);
		unsigned place = dwa_place(a);
		size_t unit;

		a->version = i == 1 ? 4 : 2;
		unit = dwa_unit(a, 0);
		dwa_place_here(a, place);
		dwa_die(a, DW_TAG_compile_unit, true);
		dwa_string(a, DW_AT_name, DW_FORM_string, "a.c");
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_reference(a, DW_AT_type, DW_FORM_ref_addr, place);
		dwa_string(a, DW_AT_name, DW_FORM_string, "f");
		dwa_value(a, DW_AT_low_pc, DW_FORM_addr, start);
		dwa_value(a, DW_AT_high_pc, DW_FORM_addr, start + 16);
		case_unit_end(a);
		/* The offset of the abbreviations comes after the length and
		 * the version. */
		dwa_patch(a, DWA_INFO, unit + 6, 0, 4);
	}
}

/* Units of 32-bit and 64-bit format with one abbreviation table. */
static void two_formats(struct dwa *a)
{
	size_t at;

	offsets_unit(a, "one", 0x1000);
	a->dwarf64 = !a->dwarf64;
	at = offsets_unit(a, "two", 0x2000) + (a->dwarf64 ? 12 : 4) +
	     (a->version < 5 ? 2 : 4);
	dwa_patch(a, DWA_INFO, at, 0, a->dwarf64 ? 8 : 4);
	a->dwarf64 = !a->dwarf64;
	offsets_unit(a, "three", 0x3000);
}

const struct dw_case dw_tree_cases[] = {
	{ .name = "one abbreviation table for two versions",
	  .first = 4,
	  .last = 4,
	  .build = two_versions,
	  .expected = "unit 0\n0 fn f [1000,1010)\n"
		      "unit 1\n0 fn f [2000,2010)\n"
		      "unit 2\n0 fn f [3000,3010)\n" },
	{ .name = "one abbreviation table for two formats",
	  .first = 4,
	  .last = 5,
	  .build = two_formats,
	  .expected = "unit 0\n0 fn one [1000,1010)\n"
		      "unit 1\n0 fn two [2000,2010)\n"
		      "unit 2\n0 fn three [3000,3010)\n" },
	{ .name = "one function",
	  .first = 2,
	  .last = 5,
	  .build = one_function,
	  .expected = "unit 0\n0 fn main [1000,1020)\n" },
	{ .name = "inline tree",
	  .first = 2,
	  .last = 5,
	  .build = inline_tree,
	  .expected = "unit 0\n"
		      "0 fn main [1000,1100)\n"
		      "1 in 0 f call 1:5 [1010,1040)\n"
		      "2 in 1 g call 1:6 [1018,1020)\n"
		      "3 in 1 g call 1:7 [1020,1028)\n"
		      "4 in 0 g call 1:8 [1050,1060)\n" },
	{ .name = "hollow parents",
	  .first = 2,
	  .last = 5,
	  .build = hollow_parents,
	  .expected = "unit 0\n"
		      "0 fn hollow\n"
		      "1 in 0 f call 1:1\n"
		      "2 in 1 f call 1:2 [1000,1010)\n" },
	{ .name = "nested functions",
	  .first = 2,
	  .last = 5,
	  .build = nested_functions,
	  .expected = "unit 0\n"
		      "0 fn outer [1000,1100)\n"
		      "1 fn inner [1040,1080)\n"
		      "2 in 1 f call 1:1 [1050,1060)\n"
		      "3 in 0 f call 1:2 [1090,10a0)\n"
		      "4 fn kept [2000,2010)\n" },
	{ .name = "functions in types",
	  .first = 2,
	  .last = 5,
	  .build = functions_in_types,
	  .expected = "unit 0\n"
		      "0 fn method [1000,1010)\n"
		      "1 fn variant [1010,1020)\n" },
	{ .name = "functions in classes, by GCC",
	  .first = 2,
	  .last = 5,
	  .second_wrong = true,
	  .build = classes_by_gcc,
	  .expected = "unit 0\n"
		      "0 fn declared::local [1020,1030)\n"
		      "1 fn f [1040,1080)\n"
		      "2 fn f::in block [1050,1060)\n" },
	{ .name = "functions in classes, by others",
	  .first = 2,
	  .last = 5,
	  .build = classes_by_others,
	  .expected = "unit 0\n"
		      "0 fn outside [1000,1010)\n"
		      "1 fn n::namespace [1010,1020)\n"
		      "2 fn declared::local [1020,1030)\n"
		      "3 fn f [1040,1080)\n"
		      "4 fn f::in block [1050,1060)\n"
		      "5 fn after [1080,1090)\n" },
	{ .name = "inlined at top",
	  .first = 2,
	  .last = 5,
	  .build = inlined_at_top,
	  .expected = "unit 0\n0 in - f call 1:9 [1000,1010)\n" },
	{ .name = "call forms",
	  .first = 2,
	  .last = 5,
	  .build = call_forms,
	  .expected = "unit 0\n"
		      "0 fn main [1000,1100)\n"
		      "1 in 0 - call 254:255 [1000,1010)\n"
		      "2 in 0 - call 65534:65535 [1010,1020)\n"
		      "3 in 0 - call 4294967294:4294967295 [1020,1030)\n"
		      "4 in 0 - call 3:2147483648 [1030,1040)\n"
		      "5 in 0 - call 300:70000 [1040,1050)\n"
		      "6 in 0 - call 100:200 [1050,1060)\n"
		      "7 in 0 - call -:0 [1060,1070)\n"
		      "8 in 0 - call -:0 [1070,1080)\n"
		      "9 in 0 - call -:0 [1080,1090)\n" },
	{ .name = "call file in the abbreviation",
	  .first = 5,
	  .last = 5,
	  .build = call_implicit,
	  .expected = "unit 0\n"
		      "0 fn main [1000,1100)\n"
		      "1 in 0 - call 3:11 [1010,1020)\n"
		      "2 in 0 - call 3:12 [1020,1030)\n"
		      "3 in 0 - call -:70000 [1030,1040)\n" },
	{ .name = "skipped forms",
	  .first = 2,
	  .last = 5,
	  .build = skipped_forms,
	  .expected = "unit 0\n0 fn after [1000,1020)\n" },
	{ .name = "siblings",
	  .first = 2,
	  .last = 5,
	  .build = siblings,
	  .expected = "unit 0\n"
		      "0 fn one [1000,1080)\n"
		      "1 in 0 f call 1:3 [1010,1020)\n"
		      "2 fn two [1100,1180)\n"
		      "3 in 2 f call 1:4 [1110,1120)\n"
		      "4 fn three [1200,1280)\n" },
	{ .name = "siblings over damage",
	  .first = 2,
	  .last = 5,
	  .second_wrong = true,
	  .build = siblings_over_damage,
	  .expected = "unit 0\n0 fn after [1000,1010)\n"
		      "unit 1\n0 fn after [1010,1020)\n" },
	{ .name = "odd abbreviation codes",
	  .first = 2,
	  .last = 5,
	  .build = odd_codes,
	  .expected = "unit 0\n"
		      "0 fn one [1000,1010)\n"
		      "1 fn two [1010,1020)\n" },
	{ .name = "several units",
	  .first = 2,
	  .last = 5,
	  .build = several_units,
	  .expected = "unit 0\n0 fn first [1000,1010)\n"
		      "unit 1\n"
		      "unit 2\n0 fn third [3000,3030)\n" },
	{ .name = "unit kinds",
	  .first = 5,
	  .last = 5,
	  .build = unit_kinds,
	  .expected = "unit 0\n0 fn f [1000,1010)\n"
		      "unit 1\n"
		      "unit 2\n0 fn f [4000,4010)\n" },
	{ .name = "too deep",
	  .first = 4,
	  .last = 5,
	  .build = too_deep,
	  .expected = "unit 0\n0 fn seen [2000,2010)\n" },
	{ .name = "just deep enough",
	  .first = 4,
	  .last = 5,
	  .build = just_deep_enough,
	  .expected = "unit 0\n0 fn seen [1000,1010)\n" },
	{ .name = NULL },
};
