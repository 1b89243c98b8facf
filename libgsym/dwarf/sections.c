/* SPDX-License-Identifier: MIT */
/* Sections as cursors, values of attributes, and which DIEs and attributes are
 * read. */
#include "dwarf/sections.h"

#include "base/order.h"
#include "dwarf/policy.h"

/* ---- what is read -------------------------------------------------------- */

enum dw_slot gsym_dw_slot_of(uint8_t kinds, uint64_t at)
{
	/* One more than the slot; 0: the attribute is not read. */
	static const uint8_t slots[] = {
		[DW_AT_name] = 1 + DW_SLOT_NAME,
		[DW_AT_decl_file] = 1 + DW_SLOT_DECL_FILE,
		[DW_AT_decl_line] = 1 + DW_SLOT_DECL_LINE,
		[DW_AT_linkage_name] = 1 + DW_SLOT_LINKAGE_NAME,
		[DW_AT_low_pc] = 1 + DW_SLOT_LOW_PC,
		[DW_AT_call_return_pc] = 1 + DW_SLOT_LOW_PC,
		[DW_AT_high_pc] = 1 + DW_SLOT_HIGH_PC,
		[DW_AT_ranges] = 1 + DW_SLOT_RANGES,
		[DW_AT_abstract_origin] = 1 + DW_SLOT_ORIGIN,
		[DW_AT_call_origin] = 1 + DW_SLOT_ORIGIN,
		[DW_AT_specification] = 1 + DW_SLOT_SPECIFICATION,
		[DW_AT_signature] = 1 + DW_SLOT_SIGNATURE,
		[DW_AT_call_file] = 1 + DW_SLOT_CALL_FILE,
		[DW_AT_call_line] = 1 + DW_SLOT_CALL_LINE,
		[DW_AT_location] = 1 + DW_SLOT_LOCATION,
		[DW_AT_comp_dir] = 1 + DW_SLOT_COMP_DIR,
		[DW_AT_stmt_list] = 1 + DW_SLOT_STMT_LIST,
		[DW_AT_language] = 1 + DW_SLOT_LANGUAGE,
		[DW_AT_producer] = 1 + DW_SLOT_PRODUCER,
		[DW_AT_str_offsets_base] = 1 + DW_SLOT_STR_OFFSETS_BASE,
		[DW_AT_addr_base] = 1 + DW_SLOT_ADDR_BASE,
		[DW_AT_rnglists_base] = 1 + DW_SLOT_RNGLISTS_BASE,
		[DW_AT_entry_pc] = 1 + DW_SLOT_ENTRY_PC,
		[DW_AT_dwo_name] = 1 + DW_SLOT_SPLIT_NAME,
	};
	static const struct {
		uint16_t at, slot;
	} vendors[] = {
		{ DW_AT_MIPS_linkage_name, DW_SLOT_LINKAGE_NAME },
		{ DW_AT_LLVM_stmt_sequence, DW_SLOT_STMT_SEQUENCE },
		{ DW_AT_GNU_addr_base, DW_SLOT_ADDR_BASE },
		{ DW_AT_GNU_ranges_base, DW_SLOT_RANGES_BASE },
		{ DW_AT_GNU_dwo_name, DW_SLOT_SPLIT_NAME },
		{ DW_AT_GNU_dwo_id, DW_SLOT_SPLIT_ID },
	};
	enum dw_slot slot = DW_SLOT_COUNT;

	if (at < sizeof(slots) && slots[at])
		slot = slots[at] - 1u;
	for (size_t i = 0; at > sizeof(slots) &&
			   i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (vendors[i].at == at)
			slot = vendors[i].slot;
	/* Unit DIEs are among those of no other kind. */
	return slot < DW_SLOT_DIE_COUNT || kinds & DW_KIND_OTHER
		       ? slot
		       : DW_SLOT_COUNT;
}

uint8_t gsym_dw_kinds_of(uint16_t tag)
{
	static const struct {
		uint16_t tag;
		uint8_t kinds;
	} tags[] = {
		{ DW_TAG_variable, DW_KIND_VARIABLE | DW_KIND_READ },
		{ DW_TAG_member, DW_KIND_OTHER | DW_KIND_READ },
		{ DW_TAG_subprogram, DW_KIND_CODE | DW_KIND_READ },
		{ DW_TAG_inlined_subroutine, DW_KIND_CODE | DW_KIND_READ },
		{ DW_TAG_call_site, DW_KIND_CALL | DW_KIND_READ },
		{ DW_TAG_GNU_call_site, DW_KIND_CALL | DW_KIND_READ },
		{ DW_TAG_structure_type, DW_KIND_CLASS | DW_KIND_READ },
		{ DW_TAG_union_type, DW_KIND_CLASS | DW_KIND_READ },
		{ DW_TAG_class_type, DW_KIND_CLASS | DW_KIND_READ },
		{ DW_TAG_array_type, DW_KIND_TYPE },
		{ DW_TAG_enumeration_type, DW_KIND_TYPE },
		{ DW_TAG_subroutine_type, DW_KIND_TYPE },
		{ DW_TAG_namespace, DW_KIND_READ },
		{ DW_TAG_module, DW_KIND_OTHER | DW_KIND_READ },
		{ DW_TAG_interface_type, DW_KIND_OTHER | DW_KIND_READ },
		{ DW_TAG_compile_unit, DW_KIND_OTHER | DW_KIND_READ },
		{ DW_TAG_partial_unit, DW_KIND_OTHER | DW_KIND_READ },
		{ DW_TAG_skeleton_unit, DW_KIND_OTHER | DW_KIND_READ },
		{ DW_TAG_type_unit, DW_KIND_OTHER | DW_KIND_READ },
	};

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (tags[i].tag == tag)
			return tags[i].kinds | (gsym_dw_is_context(tag)
							? DW_KIND_CONTEXT
							: 0);
	return DW_KIND_OTHER;
}

/* ---- sections and values ------------------------------------------------- */

/* A section of strings, up to the last NUL, so that there is one at or after
 * each of its offsets. */
static struct gsym_cursor string_section(const struct gsym_container *container,
					 const char *name)
{
	struct gsym_cursor c = gsym_container_named(container, name);

	while (c.end > c.at && c.end[-1])
		c.end--;
	return c;
}

void gsym_dw_sections_init(struct dw_sections *s,
			   const struct gsym_container *container)
{
	*s = (struct dw_sections){
		.info = gsym_container_named(container, ".debug_info"),
		.abbrev = gsym_container_named(container, ".debug_abbrev"),
		.line = gsym_container_named(container, ".debug_line"),
		.str = string_section(container, ".debug_str"),
		.line_str = string_section(container, ".debug_line_str"),
		.str_offsets =
			gsym_container_named(container, ".debug_str_offsets"),
		.addr = gsym_container_named(container, ".debug_addr"),
		.ranges = gsym_container_named(container, ".debug_ranges"),
		.rnglists = gsym_container_named(container, ".debug_rnglists"),
		.aranges = gsym_container_named(container, ".debug_aranges"),
		.code_bit0 = container->code_bit0,
	};
}

int gsym_dw_form_size(uint16_t form, struct dw_encoding encoding)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return encoding.address_size;
	case DW_FORM_ref_addr:
		return encoding.version == 2 ? encoding.address_size :
					       encoding.offset_size;
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_line_strp:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return encoding.offset_size;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
	case DW_FORM_exprloc:
	case DW_FORM_string:
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_indirect:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return -1;
	}
	return -2;
}

static void read_block(struct gsym_cursor *c, uint64_t size,
		       struct dw_value *value)
{
	value->block.bytes = gsym_cursor_bytes(c, size);
	value->block.size = value->block.bytes ? size : 0;
}

struct dw_value gsym_dw_value_read(struct gsym_cursor *c, uint16_t form,
				   struct dw_encoding encoding)
{
	struct dw_value value = { .form = form };
	int size;

	switch (form) {
	case DW_FORM_flag_present:
		value.u = 1;
		return value;
	case DW_FORM_string:
		value.string = gsym_cursor_string(c);
		return value;
	case DW_FORM_sdata:
		value.s = gsym_cursor_sleb(c);
		return value;
	case DW_FORM_block1:
		read_block(c, gsym_cursor_u8(c), &value);
		return value;
	case DW_FORM_block2:
		read_block(c, gsym_cursor_u16(c), &value);
		return value;
	case DW_FORM_block4:
		read_block(c, gsym_cursor_u32(c), &value);
		return value;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		read_block(c, gsym_cursor_uleb(c), &value);
		return value;
	case DW_FORM_data16:
		gsym_cursor_skip(c, 16);
		return value;
	case DW_FORM_indirect:
		form = (uint16_t)gsym_cursor_uleb(c);
		if (form == DW_FORM_indirect) {
			gsym_cursor_fail(c);
			return value;
		}
		return gsym_dw_value_read(c, form, encoding);
	}
	size = gsym_dw_form_size(form, encoding);
	if (size == -1)
		value.u = gsym_cursor_uleb(c);
	else if (size > 0)
		value.u = gsym_cursor_uint(c, (unsigned)size);
	else
		gsym_cursor_fail(c);
	return value;
}

/* The string at OFFSET of a string section; NULL: there is none.  It is not
 * searched for its end, as any number of DIEs may have a part of it. */
static const char *string_at(const struct gsym_cursor *section, uint64_t offset)
{
	struct gsym_cursor c = *section;

	gsym_cursor_seek(&c, offset);
	return c.at < c.end ? (const char *)c.at : NULL;
}

bool gsym_dw_entry_at(struct gsym_cursor c, uint64_t base, uint64_t index,
		      unsigned size, uint64_t *ret)
{
	if (index > UINT32_MAX || base > UINT64_MAX - index * size)
		return false;
	gsym_cursor_seek(&c, base + index * size);
	*ret = gsym_cursor_uint(&c, size);
	return !c.failed;
}

const char *gsym_dw_value_string(const struct dw_header *unit,
				 struct dw_value value)
{
	const struct dw_sections *s = unit->sections;
	uint64_t offset;

	switch (value.form) {
	case DW_FORM_string:
		return value.string;
	case DW_FORM_strp:
		return string_at(&s->str, value.u);
	case DW_FORM_line_strp:
		return string_at(&s->line_str, value.u);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return gsym_dw_entry_at(s->str_offsets, unit->str_offsets_base,
					value.u, unit->encoding.offset_size,
					&offset)
			       ? string_at(&s->str, offset)
			       : NULL;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return s->alternate ? string_at(&s->alternate->str, value.u) :
				      NULL;
	}
	return NULL;
}

bool gsym_dw_address_at(const struct dw_header *unit, uint64_t index,
			uint64_t *ret)
{
	return gsym_dw_entry_at(unit->sections->addr, unit->addr_base, index,
				unit->encoding.address_size, ret);
}

bool gsym_dw_value_address(const struct dw_header *unit, struct dw_value value,
			   uint64_t *ret)
{
	switch (value.form) {
	case DW_FORM_addr:
		*ret = value.u;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return gsym_dw_address_at(unit, value.u, ret);
	}
	return false;
}

bool gsym_dw_value_location(const struct dw_header *unit, struct dw_value value,
			    uint64_t *ret)
{
	unsigned size = unit->encoding.address_size;
	struct dw_location location;
	struct gsym_cursor c;

	switch (value.form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		break;
	default:
		return false;
	}
	c = gsym_cursor_init(value.block.bytes, (size_t)value.block.size,
			     unit->sections->info.swap);
	return gsym_dw_location_read(c, size, &location) &&
	       (!location.indexed ||
		gsym_dw_address_at(unit, location.address,
				   &location.address)) &&
	       gsym_dw_data_address(location.address, location.addend, size,
				    ret);
}

bool gsym_dw_value_constant(struct dw_value value, uint64_t *ret)
{
	switch (value.form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
		*ret = value.u;
		return true;
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		*ret = value.u;
		return value.s >= 0;
	}
	return false;
}

bool gsym_dw_value_offset(struct dw_value value, uint64_t *ret)
{
	*ret = value.u;
	return value.form == DW_FORM_sec_offset ||
	       value.form == DW_FORM_data4 || value.form == DW_FORM_data8;
}

const struct dw_header *gsym_dw_headers_find(const struct dw_headers *headers,
					     uint64_t offset)
{
	size_t at = GSYM_FIRST(i, 0, headers->count,
			       headers->items[i].end > offset);

	if (at == headers->count || offset < headers->items[at].die ||
	    !headers->items[at].usable)
		return NULL;
	return &headers->items[at];
}

const struct dw_header *gsym_dw_signatures_find(const struct dw_signatures *all,
						uint64_t signature)
{
	size_t at = GSYM_FIRST(i, 0, all->count,
			       all->items[i].signature >= signature);

	if (at < all->count && all->items[at].signature == signature)
		return all->items[at].header;
	return all->find ? all->find(all->context, signature) : NULL;
}

/* The place at OFFSET of the units of S (NULL: there are no units). */
static bool place_at(const struct dw_sections *s, uint64_t offset,
		     struct dw_place *ret)
{
	*ret = (struct dw_place){ s ? gsym_dw_headers_find(s->headers, offset)
				    : NULL,
				  offset };
	return ret->header;
}

bool gsym_dw_value_reference(const struct dw_header *unit,
			     struct dw_value value, struct dw_place *ret)
{
	const struct dw_sections *s = unit->sections;

	switch (value.form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		if (value.u >= unit->end - unit->offset)
			return false;
		*ret = (struct dw_place){ unit, unit->offset + value.u };
		return ret->die >= unit->die;
	case DW_FORM_ref_addr:
		return place_at(s->global, value.u, ret);
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		return place_at(s->alternate, value.u, ret);
	case DW_FORM_ref_sig8:
		ret->header = gsym_dw_signatures_find(s->signatures, value.u);
		ret->die = ret->header ? ret->header->type : 0;
		return ret->header && ret->header->usable &&
		       ret->die >= ret->header->die &&
		       ret->die < ret->header->end;
	}
	return false;
}
