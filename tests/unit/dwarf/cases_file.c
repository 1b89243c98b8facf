/* SPDX-License-Identifier: MIT */
/* Debug info in several files, and type units. */
#include "cases.h"

/* ---- supplementary files (dwz) ------------------------------------------ */

/* Offsets in the supplementary file, which is built first. */
static uint64_t away, member, loop, deep;

/* A class and its function in two units, a loop of references, and a reference
 * to the supplementary file, which this file itself does not have. */
static void supplement(struct dwa *a)
{
	unsigned declared = dwa_place(a), again = dwa_place(a);

	dwa_unit(a, DW_UT_partial);
	dwa_die(a, DW_TAG_partial_unit, true);
	dwa_die(a, DW_TAG_namespace, true);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "far");
	dwa_die(a, DW_TAG_class_type, true);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "C");
	dwa_place_here(a, declared);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "member");
	dwa_end(a);
	away = dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_strp, "away");
	dwa_end(a);
	case_unit_end(a);
	dwa_unit(a, DW_UT_partial);
	dwa_die(a, DW_TAG_partial_unit, true);
	member = dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref_addr, declared);
	dwa_place_here(a, again);
	loop = dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, again);
	deep = dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, away);
	case_unit_end(a);
}

static void origin(struct dwa *a, unsigned form, uint64_t offset,
		   uint64_t start)
{
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_abstract_origin, form, offset);
	case_range(a, start, start + 0x10);
}

static void chains(struct dwa *a)
{
	case_unit(a, DW_LANG_C_plus_plus);
	origin(a, DW_FORM_GNU_ref_alt, away, 0x1000);
	origin(a, DW_FORM_GNU_ref_alt, member, 0x1010);
	origin(a, DW_FORM_GNU_ref_alt, loop, 0x1020);
	origin(a, DW_FORM_GNU_ref_alt, deep, 0x1030);
	/* References to a unit header, and to two places outside. */
	origin(a, DW_FORM_GNU_ref_alt, 2, 0x1040);
	origin(a, DW_FORM_GNU_ref_alt, deep + 0x20, 0x1050);
	origin(a, DW_FORM_GNU_ref_alt, 0xfffffff0, 0x1060);
	case_unit_end(a);
}

static void supplementary_forms(struct dwa *a)
{
	case_unit(a, DW_LANG_C_plus_plus);
	origin(a, DW_FORM_ref_sup4, away, 0x1000);
	origin(a, DW_FORM_ref_sup8, member, 0x1010);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_name, DW_FORM_strp_sup, 1);
	case_range(a, 0x1020, 0x1030);
	case_unit_end(a);
}

/* The compilation directory and the name of a context are in the supplementary
 * file. */
static void strings_elsewhere(struct dwa *a)
{
	const struct dwa_file file = { "a.c", 0 };
	const struct dwa_lines lines = { .version = a->version,
					 .files = &file,
					 .file_count = 1 };
	uint64_t table = dwa_lines(a, &lines);

	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 1, 7);
	dwa_sequence_end(a, 0x1010);
	dwa_lines_end(a);
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_value(a, DW_AT_comp_dir, DW_FORM_GNU_strp_alt, 1);
	dwa_value(a, DW_AT_language, DW_FORM_data1, DW_LANG_C_plus_plus);
	dwa_value(a, DW_AT_stmt_list, case_section_form(a), table);
	dwa_die(a, DW_TAG_namespace, true);
	dwa_value(a, DW_AT_name, DW_FORM_GNU_strp_alt, 5);
	case_function(a, "f", 0x1000, 0x1010);
	dwa_end(a);
	case_unit_end(a);
}

static void directory_strings(struct dwa *a)
{
	dwa_unit(a, DW_UT_partial);
	dwa_die(a, DW_TAG_partial_unit, false);
	dwa_unit_end(a);
	dwa_intern(a, DWA_STR, "/up");
	dwa_intern(a, DWA_STR, "ns");
}

/* ---- type units --------------------------------------------------------- */

static const uint64_t signature = 0x0123456789abcdef;

/* A type unit with ID of a class in the namespace NAME. */
static void type_unit_named(struct dwa *a, unsigned kind, unsigned declared,
			    const char *name, uint64_t id)
{
	struct gsym_emit *info = &a->sections[DWA_INFO];
	size_t unit = dwa_unit(a, kind), type;

	if (a->version < 5) {
		gsym_emit_u64(info, 0);
		gsym_emit_uint(info, 0, dwa_offset_size(a));
	}
	dwa_patch(a, DWA_INFO, info->size - dwa_offset_size(a) - 8, id, 8);
	dwa_die(a, DW_TAG_type_unit, true);
	dwa_value(a, DW_AT_language, DW_FORM_data1, DW_LANG_C_plus_plus);
	dwa_die(a, DW_TAG_namespace, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	type = dwa_die(a, DW_TAG_structure_type, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "S");
	dwa_place_here(a, declared);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "inner");
	dwa_end(a);
	dwa_end(a);
	dwa_end(a);
	dwa_unit_end(a);
	dwa_patch(a, DWA_INFO,
		  unit + (a->dwarf64 ? 12 : 4) + (a->version < 5 ? 3 : 4) +
			  dwa_offset_size(a) + 8,
		  type - unit, dwa_offset_size(a));
}

static void type_unit(struct dwa *a, unsigned kind, unsigned declared)
{
	type_unit_named(a, kind, declared, "typed", signature);
}

/* A declaration of the class of the type unit, with a function, and functions
 * that refer to the type unit directly. */
static void typed_functions(struct dwa *a)
{
	unsigned declared = dwa_place(a);

	dwa_die(a, DW_TAG_structure_type, true);
	dwa_value(a, DW_AT_signature, DW_FORM_ref_sig8, signature);
	dwa_place_here(a, declared);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "f");
	dwa_end(a);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_reference(a, DW_AT_specification, DW_FORM_ref4, declared);
	case_range(a, 0x1000, 0x1010);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_specification, DW_FORM_ref_sig8, signature);
	case_range(a, 0x1010, 0x1020);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_value(a, DW_AT_specification, DW_FORM_ref_sig8, signature + 1);
	case_range(a, 0x1020, 0x1030);
}

static void typed_unit(struct dwa *a)
{
	case_unit(a, DW_LANG_C_plus_plus);
	typed_functions(a);
	case_unit_end(a);
}

static void types_here(struct dwa *a)
{
	type_unit(a, DW_UT_type, dwa_place(a));
	typed_unit(a);
}

/* Make the bytes of .debug_info those of .debug_types. */
static void move_types(struct dwa *a)
{
	a->sections[DWA_TYPES] = a->sections[DWA_INFO];
	a->sections[DWA_INFO] = (struct gsym_emit){
		.swap = a->sections[DWA_TYPES].swap
	};
}

static void types_apart(struct dwa *a)
{
	type_unit(a, DW_UT_type, dwa_place(a));
	move_types(a);
	typed_unit(a);
}

/* Of type units with one signature the one of the lowest version counts, and
 * then the first one. */
static void types_of_two_versions(struct dwa *a)
{
	a->version = 4;
	type_unit_named(a, DW_UT_type, dwa_place(a), "other", signature - 1);
	type_unit_named(a, DW_UT_type, dwa_place(a), "typed", signature);
	type_unit_named(a, DW_UT_type, dwa_place(a), "third", signature);
	move_types(a);
	a->version = 5;
	type_unit_named(a, DW_UT_type, dwa_place(a), "new", signature);
	typed_unit(a);
}

static const char typed[] = "unit 0\n"
			    "0 fn typed::S::f [1000,1010)\n"
			    "1 fn typed::S [1010,1020)\n"
			    "2 fn - [1020,1030)\n";

/* ---- split units -------------------------------------------------------- */

/* The ID that dwa_unit writes into headers. */
static const uint64_t split_id = 0x1122334455667788;

/* A skeleton with a line table and a function, which only counts if the split
 * unit is missing. */
static void skeleton_named(struct dwa *a, const char *name, uint64_t id)
{
	static const struct dwa_pair others[] = { { 0x9000, 0x9100 } };
	static const struct dwa_pair pairs[] = { { 0x10, 0x20 },
						 { 0x40, 0x50 } };
	static const char *const directories[] = { "/comp" };
	static const struct dwa_file files[] = { { "a.c", 0 }, { "a.c", 0 } };
	bool v5 = a->version >= 5;
	const struct dwa_lines lines = {
		.version = a->version,
		.directories = directories,
		.directory_count = v5,
		.files = files,
		.file_count = v5 ? 2 : 1,
	};
	uint64_t table = dwa_lines(a, &lines), base;

	dwa_sequence(a, 0x1000);
	dwa_row(a, 0x1000, 1, 7);
	dwa_sequence_end(a, 0x1100);
	dwa_lines_end(a);
	/* The first address is another unit's. */
	dwa_address(a, 0x7000);
	base = dwa_table_base(a) + a->address_size;
	if (v5)
		base = dwa_table_base(a);
	dwa_unit(a, DW_UT_skeleton);
	dwa_die(a, v5 ? DW_TAG_skeleton_unit : DW_TAG_compile_unit, true);
	dwa_string(a, v5 ? DW_AT_dwo_name : DW_AT_GNU_dwo_name, DW_FORM_strp,
		   name);
	dwa_string(a, DW_AT_comp_dir, DW_FORM_string, "/comp");
	dwa_value(a, DW_AT_stmt_list, case_section_form(a), table);
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, 0x1000);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data2, 0x100);
	dwa_value(a, v5 ? DW_AT_addr_base : DW_AT_GNU_addr_base,
		  DW_FORM_sec_offset, base);
	if (!v5) {
		dwa_value(a, DW_AT_GNU_dwo_id, DW_FORM_data8, id);
		dwa_ranges(a, others, 1);
		dwa_value(a, DW_AT_GNU_ranges_base, DW_FORM_sec_offset,
			  a->sections[DWA_RANGES].size);
		dwa_ranges(a, pairs, 2);
	}
	case_function(a, "own", 0x1000, 0x1008);
	case_unit_end(a);
	dwa_address(a, 0x1000);
	dwa_address(a, 0x1060);
}

static void skeleton(struct dwa *a)
{
	skeleton_named(a, "a.dwo", split_id);
}

static void skeleton_alone(struct dwa *a)
{
	skeleton_named(a, "missing.dwo", split_id);
}

static void skeleton_of_other(struct dwa *a)
{
	skeleton_named(a, "a.dwo", split_id + 1);
}

/* Skeletons of one split unit: two with one name, one with another, and one
 * whose split unit is missing. */
static void skeletons(struct dwa *a)
{
	skeleton_named(a, "a.dwo", split_id);
	skeleton_named(a, "a.dwo", split_id);
	skeleton_named(a, "b.dwo", split_id);
	skeleton_named(a, "missing.dwo", split_id);
}

/* The split unit of the skeleton above.  Its addresses 0x1000 and 0x1060 have
 * the indexes 1 and 2; before DWARF 5, where the base is after the first
 * address, 0 and 1. */
static void split_unit(struct dwa *a)
{
	bool v5 = a->version >= 5;
	unsigned addr = v5 ? DW_FORM_addrx : DW_FORM_GNU_addr_index;
	unsigned str = v5 ? DW_FORM_strx : DW_FORM_GNU_str_index;
	unsigned abstract;

	dwa_unit(a, DW_UT_split_compile);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_value(a, DW_AT_language, DW_FORM_data1, DW_LANG_C_plus_plus);
	if (!v5)
		dwa_value(a, DW_AT_GNU_dwo_id, DW_FORM_data8, split_id);
	abstract = case_abstract(a, "small");
	dwa_die(a, DW_TAG_namespace, true);
	dwa_string(a, DW_AT_name, str, "ns");
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, str, "f");
	dwa_value(a, DW_AT_low_pc, addr, v5);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data1, 0x60);
	dwa_die(a, DW_TAG_inlined_subroutine, false);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, abstract);
	dwa_value(a, DW_AT_call_file, DW_FORM_data1, 1);
	dwa_value(a, DW_AT_call_line, DW_FORM_data1, 9);
	if (v5) {
		dwa_rnglists(a, 1);
		dwa_rnglist(a);
		dwa_rle(a, DW_RLE_offset_pair, 0x10, 0x20);
		dwa_rle(a, DW_RLE_base_addressx, 1, 0);
		dwa_rle(a, DW_RLE_offset_pair, 0x40, 0x50);
		dwa_rle(a, DW_RLE_end_of_list, 0, 0);
		dwa_rnglists_end(a);
	}
	dwa_value(a, DW_AT_ranges, v5 ? DW_FORM_rnglistx : DW_FORM_sec_offset,
		  0);
	dwa_end(a);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, str, "g");
	dwa_value(a, DW_AT_low_pc, addr, v5 + 1);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data1, 0x10);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, "no such address");
	dwa_value(a, DW_AT_low_pc, addr, 1000);
	dwa_value(a, DW_AT_high_pc, DW_FORM_data1, 0x10);
	dwa_end(a);
	case_unit_end(a);
}

/* A split unit that refers to a type unit of its own in the package. */
static void split_typed(struct dwa *a)
{
	type_unit(a, DW_UT_split_type, dwa_place(a));
	move_types(a);
	dwa_unit(a, DW_UT_split_compile);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_value(a, DW_AT_language, DW_FORM_data1, DW_LANG_C_plus_plus);
	if (a->version < 5)
		dwa_value(a, DW_AT_GNU_dwo_id, DW_FORM_data8, split_id);
	typed_functions(a);
	case_unit_end(a);
}

#define LINES                                                                 \
	"file 1 /comp|a.c\n"                                                  \
	"seq [1000,1100) 1000:1:7\n"
#define CLAIM(unit) "claim " #unit " [1000,1100)\n"
#define SPLIT(unit)                                                           \
	"unit " #unit "\n"                                                    \
	"0 fn ns::f [1000,1060)\n"                                            \
	"1 in 0 small call 1:9 [1010,1020) [1040,1050)\n"                     \
	"2 fn ns::g [1060,1070)\n" LINES
#define OWN(unit) "unit " #unit "\n0 fn own [1000,1008)\n" LINES

static const char split[] = SPLIT(0) CLAIM(0), own[] = OWN(0) CLAIM(0);

const struct dw_case dw_file_cases[] = {
	{ .name = "chains in the supplementary file",
	  .first = 4, .last = 5,
	  .build = chains,
	  .build_alternate = supplement,
	  .expected = "unit 0\n"
		      "0 fn far::away [1000,1010)\n"
		      "1 fn far::C::member [1010,1020)\n"
		      "2 fn - [1020,1030)\n"
		      "3 fn - [1030,1040)\n"
		      "4 fn - [1040,1050)\n"
		      "5 fn - [1050,1060)\n"
		      "6 fn - [1060,1070)\n" },
	{ .name = "supplementary forms of DWARF 5",
	  .first = 5, .last = 5,
	  .build = supplementary_forms,
	  .build_alternate = supplement,
	  .expected = "unit 0\n"
		      "0 fn far::away [1000,1010)\n"
		      "1 fn far::C::member [1010,1020)\n"
		      "2 fn far [1020,1030)\n" },
	{ .name = "strings of the supplementary file",
	  .first = 4, .last = 4,
	  .build = strings_elsewhere,
	  .build_alternate = directory_strings,
	  .expected = "unit 0\n"
		      "0 fn ns::f [1000,1010)\n"
		      "file 1 /up|a.c\n"
		      "seq [1000,1010) 1000:1:7\n" },
	{ .name = "type units",
	  .first = 5, .last = 5,
	  .build = types_here,
	  .expected = typed },
	{ .name = "type units in .debug_types",
	  .first = 4, .last = 4,
	  .build = types_apart,
	  .expected = typed },
	{ .name = "type units of two versions",
	  .first = 5, .last = 5,
	  .build = types_of_two_versions,
	  .expected = typed },
	{ .name = "skeletons of one split unit",
	  .first = 4, .last = 5,
	  .build = skeletons,
	  .build_split = split_unit,
	  .expected = SPLIT(0) SPLIT(1) SPLIT(2) OWN(3)
		      CLAIM(0) CLAIM(1) CLAIM(2) CLAIM(3) },
	{ .name = "split unit",
	  .first = 4, .last = 5,
	  .build = skeleton,
	  .build_split = split_unit,
	  .expected = split },
	{ .name = "split unit in a package",
	  .first = 4, .last = 5,
	  .build = skeleton,
	  .build_split = split_unit,
	  .packed = true,
	  .expected = split },
	{ .name = "type units in a package",
	  .first = 4, .last = 5,
	  .build = skeleton,
	  .build_split = split_typed,
	  .packed = true,
	  .expected = "unit 0\n"
		      "0 fn typed::S::f [1000,1010)\n"
		      "1 fn typed::S [1010,1020)\n"
		      "2 fn - [1020,1030)\n"
		      "file 1 /comp|a.c\n"
		      "seq [1000,1100) 1000:1:7\n"
		      "claim 0 [1000,1100)\n" },
	{ .name = "split unit that is missing",
	  .first = 4, .last = 5,
	  .build = skeleton_alone,
	  .build_split = split_unit,
	  .expected = own },
	{ .name = "split unit of another skeleton",
	  .first = 4, .last = 4,
	  .build = skeleton_of_other,
	  .build_split = split_unit,
	  .expected = own },
	{ .name = NULL },
};
