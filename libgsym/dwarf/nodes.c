/* SPDX-License-Identifier: MIT */
/* Reads functions, inlined calls, call sites and variables; ranges of DIEs. */
#include "dwarf/scan.h"

#include "dwarf/policy.h"
#include "dwarf/sections.h"

#include <inttypes.h>
#include <string.h>

/* ---- ranges -------------------------------------------------------------- */

/* Read the list at OFFSET of .debug_ranges (DWARF 2 to 4). */
static enum dw_ranges_status read_old(const struct dw_header *unit,
				      uint64_t offset,
				      struct dw_range_list *list)
{
	unsigned size = list->code.address_size;
	uint64_t all_ones = dw_wrap(&list->code, UINT64_MAX);
	struct gsym_cursor c = unit->sections->ranges;

	gsym_cursor_seek(&c, offset);
	for (;;) {
		uint64_t start = gsym_cursor_uint(&c, size);
		uint64_t end = gsym_cursor_uint(&c, size);

		if (c.failed)
			return DW_RANGES_BAD;
		if (!dw_unit_take(list->unit, DW_CUT_RANGES, DW_COST_RANGE))
			return DW_RANGES_CUT;
		if (!start && !end)
			return DW_RANGES_OK;
		if (start == all_ones)
			list->base = end;
		else if (!gsym_dw_range_add_relative(list, start, end))
			return DW_RANGES_MEMORY;
	}
}

/* Read the operands of an entry of KIND that is a range: addresses, or offsets
 * from the base for DW_RLE_offset_pair.  False if they cannot be read. */
static bool read_operands(const struct dw_header *unit, struct gsym_cursor *c,
			  uint8_t kind, struct gsym_range *ret)
{
	unsigned size = unit->encoding.address_size;

	switch (kind) {
	case DW_RLE_startx_endx:
		return gsym_dw_address_at(unit, gsym_cursor_uleb(c),
					  &ret->start) &&
		       gsym_dw_address_at(unit, gsym_cursor_uleb(c), &ret->end);
	case DW_RLE_startx_length:
		if (!gsym_dw_address_at(unit, gsym_cursor_uleb(c), &ret->start))
			return false;
		ret->end = ret->start + gsym_cursor_uleb(c);
		return true;
	case DW_RLE_offset_pair:
		ret->start = gsym_cursor_uleb(c);
		ret->end = gsym_cursor_uleb(c);
		return true;
	case DW_RLE_start_end:
		ret->start = gsym_cursor_uint(c, size);
		ret->end = gsym_cursor_uint(c, size);
		return true;
	case DW_RLE_start_length:
		ret->start = gsym_cursor_uint(c, size);
		ret->end = ret->start + gsym_cursor_uleb(c);
		return true;
	}
	return false;
}

/* Read an entry of KIND: a range, or a new base. */
static enum dw_ranges_status read_entry(const struct dw_header *unit,
					struct gsym_cursor *c, uint8_t kind,
					struct dw_range_list *list)
{
	struct gsym_range range;
	bool ok;

	switch (kind) {
	case DW_RLE_base_addressx:
		return gsym_dw_address_at(unit,
					  gsym_cursor_uleb(c), &list->base)
			       ? DW_RANGES_OK
			       : DW_RANGES_BAD;
	case DW_RLE_base_address:
		list->base = gsym_cursor_uint(c, list->code.address_size);
		return DW_RANGES_OK;
	}
	if (!read_operands(unit, c, kind, &range) || c->failed)
		return DW_RANGES_BAD;
	ok = kind == DW_RLE_offset_pair
		     ? gsym_dw_range_add_relative(list, range.start, range.end)
		     : gsym_dw_range_add(list, range.start, range.end);
	return ok ? DW_RANGES_OK : DW_RANGES_MEMORY;
}

/* Read the list at OFFSET of .debug_rnglists (DWARF 5). */
static enum dw_ranges_status read_new(const struct dw_header *unit,
				      uint64_t offset,
				      struct dw_range_list *list)
{
	struct gsym_cursor c = unit->sections->rnglists;

	gsym_cursor_seek(&c, offset);
	for (;;) {
		uint8_t kind = gsym_cursor_u8(&c);
		enum dw_ranges_status status;

		if (c.failed)
			return DW_RANGES_BAD;
		if (!dw_unit_take(list->unit, DW_CUT_RANGES, DW_COST_RANGE))
			return DW_RANGES_CUT;
		if (kind == DW_RLE_end_of_list)
			return DW_RANGES_OK;
		status = read_entry(unit, &c, kind, list);
		if (status != DW_RANGES_OK)
			return status;
		if (c.failed)
			return DW_RANGES_BAD;
	}
}

static enum dw_ranges_status read_list(const struct dw_header *unit,
				       struct dw_value value,
				       struct dw_range_list *list)
{
	uint64_t offset;

	if (value.form == DW_FORM_rnglistx) {
		/* The table at the unit's base has offsets from that base. */
		if (!gsym_dw_entry_at(unit->sections->rnglists,
				      unit->rnglists_base, value.u,
				      unit->encoding.offset_size, &offset) ||
		    offset > UINT64_MAX - unit->rnglists_base)
			return DW_RANGES_BAD;
		offset += unit->rnglists_base;
	} else if (!gsym_dw_value_offset(value, &offset)) {
		return DW_RANGES_BAD;
	}
	return unit->encoding.version >= 5 ? read_new(unit, offset, list)
					   : read_old(unit, offset, list);
}

/* Read the range of DW_AT_low_pc and DW_AT_high_pc. */
static enum dw_ranges_status read_pair(const struct dw_header *unit,
				       const struct dw_value *slots,
				       struct dw_range_list *list)
{
	uint64_t low, high;
	bool length, ok;

	if (!gsym_dw_value_address(unit, slots[DW_SLOT_LOW_PC], &low))
		return DW_RANGES_BAD;
	length = gsym_dw_value_constant(slots[DW_SLOT_HIGH_PC], &high);
	if (!length &&
	    !gsym_dw_value_address(unit, slots[DW_SLOT_HIGH_PC], &high))
		return DW_RANGES_BAD;
	if (!dw_unit_take(list->unit, DW_CUT_RANGES, DW_COST_RANGE))
		return DW_RANGES_CUT;
	ok = length ? gsym_dw_range_add_length(list, low, high)
		    : gsym_dw_range_add(list, low, high);
	return ok ? DW_RANGES_OK : DW_RANGES_MEMORY;
}

enum dw_ranges_status
gsym_dw_ranges_read(const struct dw_header *header,
		    const struct dw_attributes *attributes, bool inlined,
		    struct gsym_range_set *ranges, struct dw_unit *unit)
{
	const struct dw_value *slots = attributes->slots;
	struct dw_range_list list = {
		.code = { header->encoding.address_size,
			  header->sections->code_bit0 },
		.base = header->low_pc,
		.ranges = ranges,
		.unit = unit,
		.inlined = inlined,
	};
	size_t count = ranges->count;
	enum dw_ranges_status status = DW_RANGES_OK;

	if (slots[DW_SLOT_LOW_PC].form && slots[DW_SLOT_HIGH_PC].form)
		status = read_pair(header, slots, &list);
	else if (slots[DW_SLOT_RANGES].form)
		status = read_list(header, slots[DW_SLOT_RANGES], &list);
	if (status == DW_RANGES_CUT)
		ranges->count = count;
	return status;
}

/* ---- nodes --------------------------------------------------------------- */

/* A function or an inlined call that the walk is inside of. */
struct ancestor {
	uint64_t die;
	uint32_t depth;
	/* DW_NO_NODE: it has no code, nor an inlined call below it so far. */
	uint32_t node;
	bool inlined;
	bool dropped; /* it has ranges, none of which is real */
};

struct reader {
	const struct dw_header *header;
	struct dw_unit *unit;
	struct dw_names names;
	struct ancestor ancestors[DW_MAX_DEPTH]; /* outermost first */
	size_t ancestor_count;
};

static uint32_t constant_u32(struct dw_value value, uint32_t missing)
{
	struct dw_constant constant = dw_constant_of(value);

	return gsym_dw_constant_u32(&constant, missing);
}

/* Add a node for the DIE at offset DIE, whose ranges are those of the unit from
 * FIRST up to END. */
static bool add_node(struct reader *r, uint64_t die, bool inlined,
		     uint32_t parent, const struct dw_attributes *attributes,
		     size_t first, size_t end)
{
	const struct dw_value *slots = attributes->slots;
	struct dw_unit *unit = r->unit;
	struct dw_node *node = gsym_vec_push(&unit->nodes);

	if (!node)
		return false;
	*node = (struct dw_node){
		.die = die,
		.parent = parent,
		.inlined = inlined,
		.name = gsym_dw_names_find(&r->names, die, attributes),
		.call_file = DW_NO_FILE,
		.declared = { DW_NO_FILE, 0 },
		.first_range = (uint32_t)first,
		.range_count = (uint32_t)(end - first),
	};
	if (inlined) {
		node->call_file = constant_u32(slots[DW_SLOT_CALL_FILE],
					       DW_NO_FILE);
		node->call_line = constant_u32(slots[DW_SLOT_CALL_LINE], 0);
	} else {
		node->has_sequence = gsym_dw_value_offset(
			slots[DW_SLOT_STMT_SEQUENCE], &node->sequence);
		node->declared.line =
			constant_u32(slots[DW_SLOT_DECL_LINE], 0);
		if (unit->wants & DW_WANT_FOLDED)
			node->declared = gsym_dw_names_declaration(&r->names,
								   attributes);
	}
	return !r->names.no_memory;
}

/* Read the attributes of an ancestor: its node is added late, when an inlined
 * call with code is found below it. */
static bool read_again(struct reader *r, uint64_t die,
		       struct dw_attributes *ret)
{
	const struct dw_abbrevs *abbrevs = r->header->abbrevs;
	struct gsym_cursor c = r->header->sections->info;

	gsym_cursor_seek(&c, die);
	gsym_dw_abbrev_read(abbrevs,
			    dw_abbrev_find(abbrevs, gsym_cursor_uleb(&c)), &c,
			    r->header->encoding, ret);
	return !c.failed;
}

/* Find the node that a call inside of all ancestors was inlined into.  The
 * innermost function and the inlined calls in it get nodes, if they have
 * none. */
static bool parent_node(struct reader *r, uint32_t *ret)
{
	size_t i = r->ancestor_count;

	*ret = DW_NO_NODE;
	while (i && r->ancestors[i - 1].node == DW_NO_NODE &&
	       r->ancestors[i - 1].inlined)
		i--;
	if (i && r->ancestors[i - 1].node != DW_NO_NODE)
		*ret = r->ancestors[i - 1].node;
	else if (i)
		i--; /* the innermost function needs a node, too */
	for (; i < r->ancestor_count; i++) {
		struct ancestor *ancestor = &r->ancestors[i];
		struct dw_attributes attributes;

		if (!dw_unit_take(r->unit, DW_CUT_NODES, DW_COST_NODE) ||
		    !read_again(r, ancestor->die, &attributes))
			break;
		if (!add_node(r, ancestor->die, ancestor->inlined, *ret,
			      &attributes, 0, 0))
			return false;
		*ret = ancestor->node = (uint32_t)r->unit->nodes.count - 1;
		r->unit->nodes.items[*ret].dropped = ancestor->dropped;
		r->unit->drops |= ancestor->dropped;
	}
	return true;
}

/* Make the last DIE an ancestor of the DIEs that follow.  Ancestors that turn
 * out not to be around a DIE are removed before it is read. */
static void push(struct reader *r, const struct dw_walk *w, uint32_t node,
		 bool inlined, bool dropped)
{
	if (r->ancestor_count < DW_MAX_DEPTH)
		r->ancestors[r->ancestor_count++] = (struct ancestor){
			w->die, w->depth, node, inlined, dropped
		};
}

/* Whether a function with ATTRIBUTES, none of whose ranges is real, has any. */
static bool is_dropped(const struct dw_attributes *attributes)
{
	const struct dw_value *slots = attributes->slots;

	return slots[DW_SLOT_HIGH_PC].form || slots[DW_SLOT_RANGES].form;
}

/* Read a function or an inlined call that may have code. */
static bool read_function(struct reader *r, struct dw_walk *w,
			  const struct dw_abbrev *abbrev)
{
	bool inlined = abbrev->tag == DW_TAG_inlined_subroutine;
	struct gsym_range_set *ranges = &r->unit->ranges;
	size_t first = ranges->count, end;
	struct dw_attributes attributes;
	uint32_t parent = DW_NO_NODE;

	dw_walk_read(w, abbrev, &attributes);
	if (w->c.failed)
		return true;
	switch (gsym_dw_ranges_read(r->header, &attributes, inlined, ranges,
				    r->unit)) {
	case DW_RANGES_OK:
	case DW_RANGES_CUT:
		break;
	case DW_RANGES_BAD:
		gsym_dw_unit_warn(r->unit, GSYM_WARN_BAD_RANGES,
				  "ranges of the DIE at .debug_info+0x%" PRIx64
				  " break off",
				  w->die);
		break;
	case DW_RANGES_MEMORY:
		return false;
	}
	end = ranges->count;
	if (first == end ||
	    !dw_unit_take(r->unit, DW_CUT_NODES, DW_COST_NODE)) {
		ranges->count = first;
		push(r, w, DW_NO_NODE, inlined,
		     !inlined && first == end && is_dropped(&attributes));
		return true;
	}
	if ((inlined && !parent_node(r, &parent)) ||
	    !add_node(r, w->die, inlined, parent, &attributes, first, end))
		return false;
	push(r, w, (uint32_t)r->unit->nodes.count - 1, inlined, false);
	return true;
}

/* Read a call site, if it is in a function with ranges of its own. */
static bool read_call(struct reader *r, struct dw_walk *w,
		      const struct dw_abbrev *abbrev)
{
	struct dw_attributes attributes;
	struct dw_code code = { r->header->encoding.address_size,
				r->header->sections->code_bit0 };
	size_t i = r->ancestor_count;
	struct dw_call *call;
	uint64_t address;

	dw_walk_read(w, abbrev, &attributes);
	while (i && r->ancestors[i - 1].inlined)
		i--;
	if (w->c.failed || !i || r->ancestors[i - 1].node == DW_NO_NODE ||
	    !r->unit->nodes.items[r->ancestors[i - 1].node].range_count ||
	    !gsym_dw_value_address(r->header, attributes.slots[DW_SLOT_LOW_PC],
				   &address) ||
	    !dw_unit_take(r->unit, DW_CUT_CALLS, DW_COST_CALL))
		return true;
	call = gsym_vec_push(&r->unit->calls);
	if (!call)
		return false;
	*call = (struct dw_call){
		.address = dw_code_address(&code, address),
		.function = r->ancestors[i - 1].node,
		.callee = gsym_dw_names_find(&r->names, w->die, &attributes),
	};
	return !r->names.no_memory;
}

/* Read a variable, if it has one address. */
static bool read_variable(struct reader *r, struct dw_walk *w,
			  const struct dw_abbrev *abbrev)
{
	struct dw_attributes attributes;
	struct dw_variable *variable;
	uint64_t address;

	dw_walk_read(w, abbrev, &attributes);
	if (w->c.failed ||
	    !gsym_dw_value_location(r->header,
				    attributes.slots[DW_SLOT_LOCATION],
				    &address) ||
	    !dw_unit_take(r->unit, DW_CUT_NODES, DW_COST_NODE))
		return true;
	variable = gsym_vec_push(&r->unit->variables);
	if (!variable)
		return false;
	*variable = (struct dw_variable){
		.address = address,
		.name = gsym_dw_names_find(&r->names, w->die, &attributes),
		.declared = gsym_dw_names_declaration(&r->names, &attributes),
	};
	return !r->names.no_memory;
}

/* The kinds of DIEs of HEADER's unit that UNIT wants.  W steps over types that
 * have no code in them; a variable may be in any class. */
static unsigned choose_kinds(const struct dw_header *header,
			     const struct dw_unit *unit, struct dw_walk *w)
{
	bool data = unit->wants & DW_WANT_DATA;

	w->leave = DW_KIND_TYPE;
	switch (gsym_dw_class_code(header->language, header->producer)) {
	case DW_CLASS_CODE_NONE:
		w->leave |= DW_KIND_CLASS;
		break;
	case DW_CLASS_CODE_LOCAL:
		w->leave_outside = data ? 0 : DW_KIND_CLASS;
		break;
	case DW_CLASS_CODE_ALL:
		break;
	}
	return DW_KIND_CODE | (data ? DW_KIND_VARIABLE : 0u) |
	       (unit->wants & DW_WANT_CALLS ? DW_KIND_CALL : 0u);
}

/* Read a DIE of one of the kinds that are needed. */
static bool read_die(struct reader *r, struct dw_walk *w,
		     const struct dw_abbrev *abbrev)
{
	if (abbrev->kinds & DW_KIND_VARIABLE)
		return read_variable(r, w, abbrev);
	if (abbrev->kinds & DW_KIND_CALL)
		return read_call(r, w, abbrev);
	if (abbrev->has_code && w->depth < DW_MAX_DEPTH)
		return read_function(r, w, abbrev);
	if (abbrev->has_children)
		push(r, w, DW_NO_NODE,
		     abbrev->tag == DW_TAG_inlined_subroutine, false);
	dw_walk_skip(w, abbrev, false);
	return true;
}

bool gsym_dw_nodes_read(const struct dw_header *header, struct dw_unit *unit)
{
	uint64_t bytes = header->end - header->die;
	struct dw_walk w = dw_walk_init(header, header->die);
	unsigned kinds = choose_kinds(header, unit, &w);
	const struct dw_abbrev *abbrev;
	bool ok = true;
	struct reader r;

	r.header = header;
	r.unit = unit;
	r.ancestor_count = 0;
	if (!dw_unit_take(unit, DW_CUT_DIES, bytes * DW_COST_DIE_BYTE))
		return true;
	gsym_dw_names_init(&r.names, header, unit);
	w.function = UINT32_MAX;
	while (ok && (abbrev = gsym_dw_walk_find(&w, kinds))) {
		while (r.ancestor_count &&
		       r.ancestors[r.ancestor_count - 1].depth >= w.low)
			r.ancestor_count--;
		ok = read_die(&r, &w, abbrev);
		w.function = r.ancestor_count ? r.ancestors[0].depth
					      : UINT32_MAX;
	}
	if (w.c.failed)
		gsym_dw_unit_warn(unit, GSYM_WARN_BAD_DIE,
				  "DIEs of the unit at .debug_info+0x%" PRIx64
				  " break off at +0x%" PRIx64,
				  header->offset, w.die);
	gsym_dw_names_fini(&r.names);
	gsym_dw_unit_unwrap(unit);
	return ok;
}
