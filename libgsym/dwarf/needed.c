/* SPDX-License-Identifier: MIT */
/* Which tags and attributes are read. */
#include "dwarf/needed.h"

#include "dwarf/policy.h"

/* The slot of attribute AT of a unit DIE; DW_SLOT_COUNT if it is not needed. */
static enum dw_slot unit_slot_of(uint64_t at)
{
	switch (at) {
	case DW_AT_comp_dir:
		return DW_SLOT_COMP_DIR;
	case DW_AT_stmt_list:
		return DW_SLOT_STMT_LIST;
	case DW_AT_language:
		return DW_SLOT_LANGUAGE;
	case DW_AT_producer:
		return DW_SLOT_PRODUCER;
	case DW_AT_str_offsets_base:
		return DW_SLOT_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return DW_SLOT_ADDR_BASE;
	case DW_AT_rnglists_base:
		return DW_SLOT_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return DW_SLOT_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return DW_SLOT_SPLIT_NAME;
	case DW_AT_GNU_dwo_id:
		return DW_SLOT_SPLIT_ID;
	}
	return DW_SLOT_COUNT;
}

enum dw_slot gsym_dw_slot_of(uint16_t tag, uint64_t at)
{
	bool is_unit = tag == DW_TAG_compile_unit ||
		       tag == DW_TAG_partial_unit ||
		       tag == DW_TAG_skeleton_unit ||
		       tag == DW_TAG_type_unit;

	switch (at) {
	case DW_AT_name:
		return DW_SLOT_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return DW_SLOT_LINKAGE_NAME;
	case DW_AT_low_pc:
		return DW_SLOT_LOW_PC;
	case DW_AT_high_pc:
		return DW_SLOT_HIGH_PC;
	case DW_AT_ranges:
		return DW_SLOT_RANGES;
	case DW_AT_abstract_origin:
		return DW_SLOT_ORIGIN;
	case DW_AT_specification:
		return DW_SLOT_SPECIFICATION;
	case DW_AT_signature:
		return DW_SLOT_SIGNATURE;
	case DW_AT_call_file:
		return DW_SLOT_CALL_FILE;
	case DW_AT_call_line:
		return DW_SLOT_CALL_LINE;
	case DW_AT_decl_file:
		return DW_SLOT_DECL_FILE;
	case DW_AT_decl_line:
		return DW_SLOT_DECL_LINE;
	case DW_AT_LLVM_stmt_sequence:
		return DW_SLOT_STMT_SEQUENCE;
	case DW_AT_location:
		return DW_SLOT_LOCATION;
	case DW_AT_call_return_pc:
		return DW_SLOT_LOW_PC;
	case DW_AT_call_origin:
		return DW_SLOT_ORIGIN;
	}
	return is_unit ? unit_slot_of(at) : DW_SLOT_COUNT;
}

bool gsym_dw_is_needed(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_type_unit:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_module:
	case DW_TAG_interface_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
	case DW_TAG_variable:
	case DW_TAG_member: /* the declaration of static data of a class */
		return true;
	}
	return false;
}

uint8_t gsym_dw_kinds_of(uint16_t tag)
{
	uint8_t kinds = gsym_dw_is_context(tag) ? DW_KIND_CONTEXT : 0;

	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		return kinds | DW_KIND_CODE;
	case DW_TAG_array_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
		return kinds | DW_KIND_TYPE;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return kinds | DW_KIND_CLASS;
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return kinds | DW_KIND_CALL;
	case DW_TAG_variable:
		return kinds | DW_KIND_VARIABLE;
	}
	return kinds ? kinds : DW_KIND_OTHER;
}
