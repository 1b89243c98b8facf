/* SPDX-License-Identifier: MIT */
/* Parts of a unit that are read only on request: call sites, declarations,
 * variables. */
#include "unit/dwarf/cases.h"

#define AT_LLVM_STMT_SEQUENCE 0x3e0c

static void call(struct dwa *a, uint64_t address, unsigned callee)
{
	bool new = a->version >= 5;

	dwa_die(a, new ? DW_TAG_call_site : DW_TAG_GNU_call_site, false);
	dwa_value(a, new ? DW_AT_call_return_pc : DW_AT_low_pc, DW_FORM_addr,
		  address);
	if (callee != UINT32_MAX)
		dwa_reference(a,
			      new ? DW_AT_call_origin : DW_AT_abstract_origin,
			      DW_FORM_ref4, callee);
}

static void calls(struct dwa *a)
{
	unsigned f, mangled, plain;

	case_unit(a, DW_LANG_C_plus_plus);
	plain = case_abstract(a, "plain");
	dwa_die(a, DW_TAG_namespace, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "ns");
	f = dwa_place(a);
	dwa_place_here(a, f);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "f");
	dwa_end(a);
	mangled = dwa_place(a);
	dwa_place_here(a, mangled);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "g");
	dwa_string(a, DW_AT_linkage_name, DW_FORM_string, "_Z1gv");

	case_parent(a, "main", 0x1000, 0x1100);
	call(a, 0x1010, plain);
	dwa_die(a, DW_TAG_lexical_block, true);
	call(a, 0x1020, f);
	dwa_end(a);
	case_inlined(a, plain, true, 7, 0x1030, 0x1040);
	call(a, 0x1034, mangled);
	dwa_die(a, DW_TAG_lexical_block, true);
	call(a, 0x1038, UINT32_MAX);
	dwa_end(a);
	dwa_end(a);
	/* A local class has functions of its own. */
	dwa_die(a, DW_TAG_class_type, true);
	case_parent(a, "nested", 0x2000, 0x2010);
	call(a, 0x2004, plain);
	dwa_end(a);
	dwa_end(a);
	call(a, 0x1100, plain);
	dwa_end(a);

	/* Call sites in functions without code are left out. */
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "declared");
	call(a, 0x3000, plain);
	dwa_end(a);
	call(a, 0x4000, plain);
	case_unit_end(a);
}

static void declare(struct dwa *a, unsigned file, unsigned line)
{
	if (file)
		dwa_value(a, DW_AT_decl_file, DW_FORM_data1, file);
	if (line)
		dwa_value(a, DW_AT_decl_line, DW_FORM_udata, line);
}

static void declarations(struct dwa *a)
{
	unsigned f, g;

	case_unit(a, DW_LANG_C99);
	f = case_abstract(a, "f");
	declare(a, 1, 300);
	g = dwa_place(a);
	dwa_place_here(a, g);
	dwa_die(a, DW_TAG_subprogram, false);
	declare(a, 0, 8);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, f);

	case_function(a, "own", 0x1000, 0x1010);
	declare(a, 2, 70000);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, f);
	case_range(a, 0x1010, 0x1020);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, g);
	case_range(a, 0x1020, 0x1030);
	case_function(a, "line alone", 0x1030, 0x1040);
	declare(a, 0, 5);
	case_function(a, "nothing", 0x1040, 0x1050);
	case_unit_end(a);

	/* If a declaration is in another unit its file is not known. */
	case_unit(a, DW_LANG_C99);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref_addr, f);
	case_range(a, 0x2000, 0x2010);
	case_unit_end(a);
}

/* The location DW_OP_addr ADDRESS, and DW_OP_plus_uconst MORE unless MORE is
 * 0. */
static void place(struct dwa *a, uint64_t address, unsigned more)
{
	uint8_t bytes[16] = { DW_OP_addr };
	size_t size = 1;

	for (unsigned i = 0; i < a->address_size; i++)
		bytes[size + (a->big_endian ? a->address_size - 1 - i : i)] =
			(uint8_t)(address >> 8 * i);
	size += a->address_size;
	if (more) {
		bytes[size++] = DW_OP_plus_uconst;
		bytes[size++] = (uint8_t)more;
	}
	dwa_block(a, DW_AT_location,
		  a->version >= 4 ? DW_FORM_exprloc : DW_FORM_block1, bytes,
		  size);
}

static void variable(struct dwa *a, const char *name, uint64_t address,
		     unsigned more)
{
	dwa_die(a, DW_TAG_variable, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	place(a, address, more);
}

static void location(struct dwa *a, const char *name, const void *bytes,
		     size_t size)
{
	dwa_die(a, DW_TAG_variable, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	dwa_block(a, DW_AT_location,
		  a->version >= 4 ? DW_FORM_exprloc : DW_FORM_block1, bytes,
		  size);
}

static void variables(struct dwa *a)
{
	static const uint8_t tls[] = { DW_OP_const1u, 4,
				       DW_OP_GNU_push_tls_address };
	static const uint8_t cut[] = { DW_OP_addr, 1 };
	uint8_t value[16] = { DW_OP_addr, 0, 0, 0x20, 0 };
	unsigned declared;

	value[1 + a->address_size] = DW_OP_stack_value;

	case_unit(a, DW_LANG_C_plus_plus);
	variable(a, "plain", 0x2000, 0);
	declare(a, 1, 12);
	dwa_die(a, DW_TAG_namespace, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "ns");
	declared = dwa_place(a);
	dwa_place_here(a, declared);
	dwa_die(a, DW_TAG_variable, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "inside");
	declare(a, 1, 20);
	variable(a, "merged", 0x2010, 8);
	dwa_end(a);
	/* The definition of the variable that the namespace declares. */
	dwa_die(a, DW_TAG_variable, false);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, declared);
	declare(a, 0, 30);
	place(a, 0x2030, 0);
	case_parent(a, "f", 0x1000, 0x1010);
	dwa_die(a, DW_TAG_lexical_block, true);
	variable(a, "counter", 0x2040, 0);
	dwa_end(a);
	dwa_end(a);
	location(a, "thread", tls, sizeof(tls));
	location(a, "cut", cut, sizeof(cut));
	location(a, "none", cut, 0);
	/* The value of the variable is an address; it has no place itself. */
	location(a, "pointer", value, 2 + a->address_size);
	dwa_die(a, DW_TAG_variable, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "declared");
	variable(a, "dropped",
		 a->address_size == 8 ? UINT64_MAX : UINT32_MAX, 0);
	case_unit_end(a);
}

/* Static data of a class: declared as a member up to DWARF 4, as a variable
 * since. */
static void members(struct dwa *a)
{
	unsigned tags[] = { DW_TAG_member, DW_TAG_variable };
	unsigned declared[2];

	case_unit(a, DW_LANG_C_plus_plus);
	dwa_die(a, DW_TAG_structure_type, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "S");
	for (unsigned i = 0; i < 2; i++) {
		declared[i] = dwa_place(a);
		dwa_place_here(a, declared[i]);
		dwa_die(a, tags[i], false);
		dwa_string(a, DW_AT_name, DW_FORM_string, i ? "new" : "old");
		declare(a, 1, 7 + i);
	}
	dwa_end(a);
	for (unsigned i = 0; i < 2; i++) {
		dwa_die(a, DW_TAG_variable, false);
		dwa_reference(a, DW_AT_specification, DW_FORM_ref4,
			      declared[i]);
		place(a, 0x2000 + 16 * i, 0);
	}
	case_unit_end(a);
}

static void sequences(struct dwa *a)
{
	case_unit(a, DW_LANG_C99);
	case_function(a, "f", 0x1000, 0x1010);
	dwa_value(a, AT_LLVM_STMT_SEQUENCE, case_section_form(a), 0x123);
	case_unit_end(a);
}

const struct dw_case dw_content_cases[] = {
	{ .name = "call sites",
	  .first = 3, .last = 5, .all = true,
	  .build = calls,
	  .expected = "unit 0\n"
		      "0 fn main [1000,1100)\n"
		      "1 in 0 plain call 1:7 [1030,1040)\n"
		      "2 fn main::nested [2000,2010)\n"
		      "returns 1010 in 0 plain\n"
		      "returns 1020 in 0 ns::f\n"
		      "returns 1034 in 0 _Z1gv!\n"
		      "returns 1038 in 0 -\n"
		      "returns 2004 in 2 plain\n"
		      "returns 1100 in 0 plain\n" },
	{ .name = "call sites, not asked for",
	  .first = 3, .last = 5,
	  .build = calls,
	  .expected = "unit 0\n"
		      "0 fn main [1000,1100)\n"
		      "1 in 0 plain call 1:7 [1030,1040)\n"
		      "2 fn main::nested [2000,2010)\n" },
	{ .name = "declarations",
	  .first = 3, .last = 5, .all = true,
	  .build = declarations,
	  .expected = "unit 0\n"
		      "0 fn own [1000,1010) decl 2:70000\n"
		      "1 fn f [1010,1020) decl 1:300\n"
		      "2 fn f [1020,1030) decl 1:8\n"
		      "3 fn line alone [1030,1040) decl -:5\n"
		      "4 fn nothing [1040,1050)\n"
		      "unit 1\n"
		      "0 fn f [2000,2010) decl -:300\n" },
	{ .name = "variables",
	  .first = 2, .last = 5, .all = true,
	  .build = variables,
	  .expected = "unit 0\n"
		      "0 fn f [1000,1010)\n"
		      "data 2000 plain decl 1:12\n"
		      "data 2018 ns::merged\n"
		      "data 2030 ns::inside decl 1:30\n"
		      "data 2040 f::counter\n" },
	{ .name = "static members",
	  .first = 2, .last = 5, .all = true,
	  .build = members,
	  .expected = "unit 0\n"
		      "data 2000 S::old decl 1:7\n"
		      "data 2010 S::new decl 1:8\n" },
	{ .name = "variables, not asked for",
	  .first = 2, .last = 5,
	  .build = variables,
	  .expected = "unit 0\n"
		      "0 fn f [1000,1010)\n" },
	{ .name = "a sequence of its own",
	  .first = 2, .last = 5,
	  .build = sequences,
	  .expected = "unit 0\n"
		      "0 fn f [1000,1010) seq 123\n" },
	{ .name = NULL },
};
