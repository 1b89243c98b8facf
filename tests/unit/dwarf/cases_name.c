/* SPDX-License-Identifier: MIT */
/* Where names come from. */
#include "cases.h"

static void string_forms(struct dwa *a)
{
	static const struct {
		unsigned form, first, last;
		const char *name;
	} forms[] = {
		{ DW_FORM_string, 2, 5, "string" },
		{ DW_FORM_strp, 2, 5, "strp" },
		{ DW_FORM_GNU_str_index, 4, 4, "gnu_str_index" },
		{ DW_FORM_line_strp, 5, 5, "line_strp" },
		{ DW_FORM_strx, 5, 5, "strx" },
		{ DW_FORM_strx1, 5, 5, "strx1" },
		{ DW_FORM_strx2, 5, 5, "strx2" },
		{ DW_FORM_strx4, 5, 5, "strx4" },
	};
	uint64_t at = 0x1000;

	case_unit(a, DW_LANG_C99);
	if (a->version >= 5)
		dwa_value(a, DW_AT_str_offsets_base, DW_FORM_sec_offset,
			  dwa_table_base(a));
	for (unsigned i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (a->version < forms[i].first || a->version > forms[i].last)
			continue;
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_string(a, DW_AT_name, forms[i].form, forms[i].name);
		case_range(a, at, at + 16);
		at += 16;
	}
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_indirect(a, DW_AT_name, DW_FORM_strp,
		     dwa_intern(a, DWA_STR, "indirect"));
	case_range(a, at, at + 16);
	case_unit_end(a);
}

static void three_bytes(struct dwa *a)
{
	case_unit(a, DW_LANG_C99);
	dwa_value(a, DW_AT_str_offsets_base, DW_FORM_sec_offset,
		  dwa_table_base(a));
	dwa_value(a, DW_AT_addr_base, DW_FORM_sec_offset, dwa_table_base(a));
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_strx3, "strx3");
	dwa_value(a, DW_AT_low_pc, DW_FORM_addrx3, dwa_address(a, 0x1000));
	dwa_value(a, DW_AT_high_pc, DW_FORM_data1, 0x30);
	case_function(a, "last", 0x2000, 0x2010);
	case_unit_end(a);
}

static void linkage_names(struct dwa *a)
{
	unsigned linkage =
		a->version >= 4 ? DW_AT_linkage_name : DW_AT_MIPS_linkage_name;

	case_unit(a, DW_LANG_C_plus_plus);
	case_function(a, "both", 0x1000, 0x1010);
	dwa_string(a, linkage, DW_FORM_string, "_Z4bothv");
	case_function(a, "empty", 0x1010, 0x1020);
	dwa_string(a, linkage, DW_FORM_string, "");
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, linkage, DW_FORM_strp, "_Z4onlyv");
	case_range(a, 0x1020, 0x1030);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "");
	case_range(a, 0x1030, 0x1040);
	dwa_die(a, DW_TAG_subprogram, false);
	case_range(a, 0x1040, 0x1050);
	case_unit_end(a);
}

static void origins(struct dwa *a)
{
	static const unsigned forms[] = { DW_FORM_ref1, DW_FORM_ref2,
					  DW_FORM_ref4, DW_FORM_ref8,
					  DW_FORM_ref_udata, DW_FORM_ref_addr };
	unsigned declared = dwa_place(a), abstract = dwa_place(a);

	case_unit(a, DW_LANG_C99);
	dwa_place_here(a, declared);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "plain");
	dwa_string(a, DW_AT_linkage_name, DW_FORM_string, "_Z5plainv");
	dwa_value(a, DW_AT_declaration, DW_FORM_flag, 1);
	dwa_place_here(a, abstract);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, declared);
	dwa_value(a, DW_AT_inline, DW_FORM_data1, 1);
	for (unsigned i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_reference(a, i & 1 ? DW_AT_specification
				       : DW_AT_abstract_origin,
			      forms[i], i & 1 ? declared : abstract);
		case_range(a, 0x1000 + 16 * i, 0x1010 + 16 * i);
	}
	case_unit_end(a);
}

/* The first linkage name of the chain, else the first source name. */
static void nearest(struct dwa *a)
{
	unsigned far = dwa_place(a), near = dwa_place(a);

	case_unit(a, DW_LANG_C99);
	dwa_place_here(a, far);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "far");
	dwa_string(a, DW_AT_linkage_name, DW_FORM_string, "_Z3farv");
	dwa_place_here(a, near);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "near");
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "here");
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, far);
	case_range(a, 0x1000, 0x1010);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "here");
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, near);
	case_range(a, 0x1010, 0x1020);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, far);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, near);
	case_range(a, 0x1020, 0x1030);
	case_unit_end(a);
}

static void across_units(struct dwa *a)
{
	unsigned later = dwa_place(a), earlier = dwa_place(a);

	case_unit(a, DW_LANG_C99);
	dwa_place_here(a, earlier);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "earlier");
	case_parent(a, "main", 0x1000, 0x1100);
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref_addr, later);
	case_range(a, 0x1010, 0x1020);
	dwa_end(a);
	case_unit_end(a);
	/* A unit with other abbreviations. */
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_partial_unit, true);
	dwa_value(a, DW_AT_language, DW_FORM_data1, DW_LANG_C99);
	dwa_place_here(a, later);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_inline, DW_FORM_data1, 1);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "later");
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref_addr, earlier);
	case_range(a, 0x2000, 0x2010);
	case_unit_end(a);
}

static void origin_loops(struct dwa *a)
{
	unsigned self = dwa_place(a), one = dwa_place(a), two = dwa_place(a);

	case_unit(a, DW_LANG_C_plus_plus);
	dwa_place_here(a, self);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, self);
	case_range(a, 0x1000, 0x1010);
	dwa_place_here(a, one);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, two);
	case_range(a, 0x1010, 0x1020);
	dwa_place_here(a, two);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, one);
	dwa_string(a, DW_AT_name, DW_FORM_string, "two");
	case_range(a, 0x1020, 0x1030);
	/* References outside the section. */
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_specification, DW_FORM_ref4, 0x7fffffff);
	dwa_string(a, DW_AT_name, DW_FORM_string, "three");
	case_range(a, 0x1030, 0x1040);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_abstract_origin, DW_FORM_ref_addr, 0x7fffffff);
	dwa_string(a, DW_AT_name, DW_FORM_string, "four");
	case_range(a, 0x1040, 0x1050);
	case_unit_end(a);
}

/* A name 16 steps away is found, a name 18 steps away is not. */
static void long_chains(struct dwa *a)
{
	unsigned last = dwa_place(a), next = last;

	case_unit(a, DW_LANG_C99);
	dwa_place_here(a, last);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "end");
	for (unsigned i = 1; i <= 18; i++) {
		unsigned here = dwa_place(a);

		dwa_place_here(a, here);
		dwa_die(a, DW_TAG_subprogram, false);
		dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, next);
		if (i == 16 || i == 18)
			case_range(a, 0x1000 * i, 0x1000 * i + 16);
		next = here;
	}
	case_unit_end(a);
}

static void scope(struct dwa *a, unsigned tag, const char *name)
{
	dwa_die(a, tag, true);
	if (name)
		dwa_string(a, DW_AT_name, DW_FORM_string, name);
}

/* namespace ns { namespace { struct S { m, n }; } } */
static void contexts(struct dwa *a, unsigned language)
{
	unsigned m = dwa_place(a), n = dwa_place(a), lambda = dwa_place(a);

	case_unit(a, language);
	scope(a, DW_TAG_namespace, "ns");
	scope(a, DW_TAG_namespace, NULL);
	scope(a, DW_TAG_structure_type, "S");
	dwa_place_here(a, m);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "m");
	dwa_place_here(a, n);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "n");
	dwa_end(a);
	dwa_end(a);
	case_function(a, "direct", 0x1000, 0x1010);
	dwa_end(a);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, m);
	case_range(a, 0x1010, 0x1020);
	case_parent(a, "main", 0x1020, 0x1080);
	scope(a, DW_TAG_lexical_block, NULL);
	scope(a, DW_TAG_class_type, "<lambda(int)>");
	dwa_place_here(a, lambda);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "operator()");
	dwa_end(a);
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, lambda);
	case_range(a, 0x1030, 0x1040);
	dwa_end(a);
	dwa_end(a);
	scope(a, DW_TAG_union_type, "U");
	case_function(a, "u", 0x1080, 0x1090);
	dwa_end(a);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_linkage_name, DW_FORM_string, "_Zn");
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, n);
	case_range(a, 0x1090, 0x10a0);
	case_unit_end(a);
}

static void contexts_cplusplus(struct dwa *a)
{
	contexts(a, a->version >= 5 ? DW_LANG_C_plus_plus_14
				    : DW_LANG_C_plus_plus);
}

static void contexts_rust(struct dwa *a)
{
	contexts(a, DW_LANG_Rust);
}

/* class Outer { class Inner; }; class Outer::Inner { f }; */
static void contexts_apart(struct dwa *a)
{
	unsigned inner = dwa_place(a);

	case_unit(a, DW_LANG_C_plus_plus);
	scope(a, DW_TAG_class_type, "Outer");
	dwa_place_here(a, inner);
	dwa_die(a, DW_TAG_class_type, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "Inner");
	dwa_value(a, DW_AT_declaration, DW_FORM_flag, 1);
	dwa_end(a);
	dwa_die(a, DW_TAG_class_type, true);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, inner);
	case_function(a, "f", 0x1000, 0x1010);
	dwa_end(a);
	case_unit_end(a);
}

/* A class whose declaration is inside the class. */
static void context_loop(struct dwa *a)
{
	unsigned inner = dwa_place(a);

	case_unit(a, DW_LANG_C_plus_plus);
	dwa_die(a, DW_TAG_class_type, true);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, inner);
	dwa_place_here(a, inner);
	dwa_die(a, DW_TAG_class_type, false);
	case_function(a, "f", 0x1000, 0x1010);
	dwa_end(a);
	case_unit_end(a);
}

/* A unit in C++ takes a name from a unit in C, and the other way round. */
static void context_language(struct dwa *a)
{
	unsigned f = dwa_place(a), g = dwa_place(a);

	case_unit(a, DW_LANG_C_plus_plus);
	scope(a, DW_TAG_namespace, "ns");
	dwa_place_here(a, f);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "f");
	dwa_end(a);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref_addr, g);
	case_range(a, 0x1000, 0x1010);
	case_unit_end(a);
	case_unit(a, DW_LANG_C99);
	scope(a, DW_TAG_structure_type, "s");
	dwa_place_here(a, g);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "g");
	dwa_end(a);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref_addr, f);
	case_range(a, 0x2000, 0x2010);
	case_unit_end(a);
}

/* The supplementary file that dwz writes: strings and abstract functions. */
static void alternate_file(struct dwa *a)
{
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_partial_unit, true);
	dwa_die(a, DW_TAG_namespace, true);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "far");
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "away");
	dwa_end(a);
	case_unit_end(a);
}

/* The offset of "away" in the supplementary file: after the unit header, the
 * unit DIE and the namespace. */
static uint64_t alternate_function(const struct dwa *a)
{
	uint64_t header = a->version >= 5 ? 4 + 2 + 2 + 4 : 4 + 2 + 4 + 1;

	if (a->dwarf64)
		header += 8 + 4;
	return header + 1 + 1 + dwa_offset_size(a);
}

static void alternate(struct dwa *a)
{
	case_unit(a, DW_LANG_C_plus_plus);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_name, DW_FORM_GNU_strp_alt, 1);
	case_range(a, 0x1000, 0x1010);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_abstract_origin, DW_FORM_GNU_ref_alt,
		  alternate_function(a));
	case_range(a, 0x1010, 0x1020);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_name, DW_FORM_GNU_strp_alt, 1000);
	case_range(a, 0x1020, 0x1030);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, 1000);
	case_range(a, 0x1030, 0x1040);
	case_unit_end(a);
}

static const char contexts_in_c[] =
	"unit 0\n"
	"0 fn direct [1000,1010)\n"
	"1 fn m [1010,1020)\n"
	"2 fn main [1020,1080)\n"
	"3 in 2 operator() call -:0 [1030,1040)\n"
	"4 fn u [1080,1090)\n"
	"5 fn _Zn! [1090,10a0)\n";

const struct dw_case dw_name_cases[] = {
	{ .name = "string forms of DWARF 2 and 3",
	  .first = 2,
	  .last = 3,
	  .build = string_forms,
	  .expected = "unit 0\n"
		      "0 fn string [1000,1010)\n"
		      "1 fn strp [1010,1020)\n"
		      "2 fn indirect [1020,1030)\n" },
	{ .name = "string forms of DWARF 4",
	  .first = 4,
	  .last = 4,
	  .build = string_forms,
	  .expected = "unit 0\n"
		      "0 fn string [1000,1010)\n"
		      "1 fn strp [1010,1020)\n"
		      "2 fn gnu_str_index [1020,1030)\n"
		      "3 fn indirect [1030,1040)\n" },
	{ .name = "string forms of DWARF 5",
	  .first = 5,
	  .last = 5,
	  .build = string_forms,
	  .expected = "unit 0\n"
		      "0 fn string [1000,1010)\n"
		      "1 fn strp [1010,1020)\n"
		      "2 fn line_strp [1020,1030)\n"
		      "3 fn strx [1030,1040)\n"
		      "4 fn strx1 [1040,1050)\n"
		      "5 fn strx2 [1050,1060)\n"
		      "6 fn strx4 [1060,1070)\n"
		      "7 fn indirect [1070,1080)\n" },
	{ .name = "three bytes",
	  .first = 5,
	  .last = 5,
	  .build = three_bytes,
	  .old_wrong = true, /* it reads four bytes */
	  .expected = "unit 0\n"
		      "0 fn strx3 [1000,1030)\n"
		      "1 fn last [2000,2010)\n" },
	{ .name = "linkage names",
	  .first = 2,
	  .last = 5,
	  .build = linkage_names,
	  .expected = "unit 0\n"
		      "0 fn _Z4bothv! [1000,1010)\n"
		      "1 fn empty [1010,1020)\n"
		      "2 fn _Z4onlyv! [1020,1030)\n"
		      "3 fn - [1030,1040)\n"
		      "4 fn - [1040,1050)\n" },
	{ .name = "origins",
	  .first = 2,
	  .last = 5,
	  .build = origins,
	  .expected = "unit 0\n"
		      "0 fn _Z5plainv! [1000,1010)\n"
		      "1 fn _Z5plainv! [1010,1020)\n"
		      "2 fn _Z5plainv! [1020,1030)\n"
		      "3 fn _Z5plainv! [1030,1040)\n"
		      "4 fn _Z5plainv! [1040,1050)\n"
		      "5 fn _Z5plainv! [1050,1060)\n" },
	{ .name = "nearest name",
	  .first = 2,
	  .last = 5,
	  .build = nearest,
	  .expected = "unit 0\n"
		      "0 fn _Z3farv! [1000,1010)\n"
		      "1 fn here [1010,1020)\n"
		      "2 fn near [1020,1030)\n" },
	{ .name = "across units",
	  .first = 2,
	  .last = 5,
	  .build = across_units,
	  .expected = "unit 0\n"
		      "0 fn main [1000,1100)\n"
		      "1 in 0 later call -:0 [1010,1020)\n"
		      "unit 1\n"
		      "0 fn earlier [2000,2010)\n" },
	{ .name = "origin loops",
	  .first = 2,
	  .last = 5,
	  .build = origin_loops,
	  .expected = "unit 0\n"
		      "0 fn - [1000,1010)\n"
		      "1 fn two [1010,1020)\n"
		      "2 fn two [1020,1030)\n"
		      "3 fn three [1030,1040)\n"
		      "4 fn four [1040,1050)\n" },
	{ .name = "long chains",
	  .first = 2,
	  .last = 5,
	  .build = long_chains,
	  .expected = "unit 0\n"
		      "0 fn end [10000,10010)\n"
		      "1 fn - [12000,12010)\n" },
	{ .name = "contexts in C++",
	  .first = 2,
	  .last = 5,
	  .build = contexts_cplusplus,
	  .expected = "unit 0\n"
		      "0 fn ns::direct [1000,1010)\n"
		      "1 fn ns::S::m [1010,1020)\n"
		      "2 fn main [1020,1080)\n"
		      "3 in 2 main::{lambda(int)}::operator() call -:0 "
		      "[1030,1040)\n"
		      "4 fn U::u [1080,1090)\n"
		      "5 fn _Zn! [1090,10a0)\n" },
	{ .name = "contexts in Rust",
	  .first = 2,
	  .last = 5,
	  .build = contexts_rust,
	  .expected = contexts_in_c },
	{ .name = "contexts declared elsewhere",
	  .first = 2,
	  .last = 5,
	  .build = contexts_apart,
	  .expected = "unit 0\n0 fn Outer::Inner::f [1000,1010)\n" },
	{ .name = "context loop",
	  .first = 2,
	  .last = 5,
	  .build = context_loop,
	  .expected = "unit 0\n0 fn f [1000,1010)\n" },
	{ .name = "context language",
	  .first = 2,
	  .last = 5,
	  .build = context_language,
	  .expected = "unit 0\n0 fn s::g [1000,1010)\n"
		      "unit 1\n0 fn f [2000,2010)\n" },
	{ .name = "alternate file",
	  .first = 4,
	  .last = 5,
	  .build = alternate,
	  .build_alternate = alternate_file,
	  .expected = "unit 0\n"
		      "0 fn far [1000,1010)\n"
		      "1 fn far::away [1010,1020)\n"
		      "2 fn - [1020,1030)\n"
		      "3 fn - [1030,1040)\n" },
	{ .name = "alternate file that is missing",
	  .first = 4,
	  .last = 5,
	  .build = alternate,
	  .expected = "unit 0\n"
		      "0 fn - [1000,1010)\n"
		      "1 fn - [1010,1020)\n"
		      "2 fn - [1020,1030)\n"
		      "3 fn - [1030,1040)\n" },
	{ .name = NULL },
};
