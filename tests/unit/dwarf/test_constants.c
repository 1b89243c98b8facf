/* SPDX-License-Identifier: MIT */
/* The numbers of the production reader are those of libdwarf's <dwarf.h>.  Both
 * have the same names: enumerators there, macros here.  So the list is used
 * once before <dwarf.h> is included and once after. */
#include "dwarf/sections.h"

#include <criterion/criterion.h>
#include <stddef.h>

#define ALL \
	X(DW_TAG_array_type) X(DW_TAG_class_type) \
	X(DW_TAG_enumeration_type) X(DW_TAG_lexical_block) X(DW_TAG_member) \
	X(DW_TAG_compile_unit) X(DW_TAG_structure_type) \
	X(DW_TAG_subroutine_type) X(DW_TAG_union_type) \
	X(DW_TAG_inlined_subroutine) X(DW_TAG_module) X(DW_TAG_subprogram) \
	X(DW_TAG_variable) X(DW_TAG_interface_type) X(DW_TAG_namespace) \
	X(DW_TAG_partial_unit) X(DW_TAG_type_unit) X(DW_TAG_call_site) \
	X(DW_TAG_skeleton_unit) X(DW_TAG_GNU_call_site) X(DW_AT_sibling) \
	X(DW_AT_location) X(DW_AT_name) X(DW_AT_stmt_list) X(DW_AT_low_pc) \
	X(DW_AT_high_pc) X(DW_AT_language) X(DW_AT_comp_dir) \
	X(DW_AT_producer) \
	X(DW_AT_abstract_origin) X(DW_AT_decl_file) X(DW_AT_decl_line) \
	X(DW_AT_specification) X(DW_AT_ranges) X(DW_AT_call_file) \
	X(DW_AT_call_line) X(DW_AT_signature) X(DW_AT_linkage_name) \
	X(DW_AT_str_offsets_base) X(DW_AT_addr_base) X(DW_AT_rnglists_base) \
	X(DW_AT_dwo_name) X(DW_AT_call_return_pc) X(DW_AT_call_origin) \
	X(DW_AT_MIPS_linkage_name) X(DW_AT_GNU_dwo_name) \
	X(DW_AT_GNU_dwo_id) X(DW_AT_GNU_ranges_base) X(DW_AT_GNU_addr_base) \
	X(DW_FORM_addr) X(DW_FORM_block2) X(DW_FORM_block4) \
	X(DW_FORM_data2) X(DW_FORM_data4) X(DW_FORM_data8) \
	X(DW_FORM_string) X(DW_FORM_block) X(DW_FORM_block1) \
	X(DW_FORM_data1) X(DW_FORM_flag) X(DW_FORM_sdata) X(DW_FORM_strp) \
	X(DW_FORM_udata) X(DW_FORM_ref_addr) X(DW_FORM_ref1) \
	X(DW_FORM_ref2) X(DW_FORM_ref4) X(DW_FORM_ref8) \
	X(DW_FORM_ref_udata) X(DW_FORM_indirect) X(DW_FORM_sec_offset) \
	X(DW_FORM_exprloc) X(DW_FORM_flag_present) X(DW_FORM_strx) \
	X(DW_FORM_addrx) X(DW_FORM_ref_sup4) X(DW_FORM_strp_sup) \
	X(DW_FORM_data16) X(DW_FORM_line_strp) X(DW_FORM_ref_sig8) \
	X(DW_FORM_implicit_const) X(DW_FORM_loclistx) X(DW_FORM_rnglistx) \
	X(DW_FORM_ref_sup8) X(DW_FORM_strx1) X(DW_FORM_strx2) \
	X(DW_FORM_strx3) X(DW_FORM_strx4) X(DW_FORM_addrx1) \
	X(DW_FORM_addrx2) X(DW_FORM_addrx3) X(DW_FORM_addrx4) \
	X(DW_FORM_GNU_addr_index) X(DW_FORM_GNU_str_index) \
	X(DW_FORM_GNU_ref_alt) X(DW_FORM_GNU_strp_alt) X(DW_OP_addr) \
	X(DW_OP_plus_uconst) X(DW_OP_addrx) X(DW_OP_GNU_addr_index) \
	X(DW_UT_compile) X(DW_UT_type) X(DW_UT_partial) X(DW_UT_skeleton) \
	X(DW_UT_split_compile) X(DW_UT_split_type) X(DW_RLE_end_of_list) \
	X(DW_RLE_base_addressx) X(DW_RLE_startx_endx) \
	X(DW_RLE_startx_length) X(DW_RLE_offset_pair) \
	X(DW_RLE_base_address) X(DW_RLE_start_end) X(DW_RLE_start_length) \
	X(DW_LNS_copy) X(DW_LNS_advance_pc) X(DW_LNS_advance_line) \
	X(DW_LNS_set_file) X(DW_LNS_set_column) X(DW_LNS_negate_stmt) \
	X(DW_LNS_set_basic_block) X(DW_LNS_const_add_pc) \
	X(DW_LNS_fixed_advance_pc) X(DW_LNS_set_prologue_end) \
	X(DW_LNS_set_epilogue_begin) X(DW_LNS_set_isa) \
	X(DW_LNE_end_sequence) X(DW_LNE_set_address) X(DW_LNE_define_file) \
	X(DW_LNE_set_discriminator) X(DW_LNCT_path) \
	X(DW_LNCT_directory_index)

#define X(name) name,
static const unsigned own[] = { ALL };
/* libdwarf does not know this one. */
static const unsigned sequence = DW_AT_LLVM_stmt_sequence;

#include <dwarf.h>

static const unsigned wanted[] = { ALL };
#undef X

#define X(name) #name,
static const char *const names[] = { ALL };

Test(constants, are_those_of_libdwarf)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		cr_expect_eq(own[i], wanted[i], "number %zu (%s): 0x%x", i,
			     names[i], own[i]);
	cr_expect_eq(sequence, 0x3e0c);
}
