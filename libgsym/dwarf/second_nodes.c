/* SPDX-License-Identifier: MIT */
/* Functions, inlined calls, call sites and variables. */
#include "dwarf/second.h"

struct nodes {
	struct second *s;
	struct second_unit *u;
	struct dw_unit *unit;
	/* By depth: the node of the last DIE there, or the nearest above it. */
	uint32_t innermost[DW_MAX_DEPTH];
};

/* Read the ranges of DIE into NODE.  False without memory. */
static bool copy_ranges(struct nodes *n, Dwarf_Die die, struct dw_node *node)
{
	struct dw_unit *unit = n->unit;
	struct dw_ranges *ranges = &n->s->ranges;

	ranges->count = 0;
	if (!gsym_second_read_ranges(n->s, n->u, die, ranges, unit))
		return false;
	if (ranges->count && !dw_unit_take(unit, DW_CUT_NODES, DW_COST_NODE))
		ranges->count = 0;
	if (!gsym_vec_reserve(&unit->ranges, ranges->count))
		return false;
	node->first_range = (uint32_t)unit->ranges.count;
	node->range_count = (uint32_t)ranges->count;
	for (size_t i = 0; i < ranges->count; i++)
		unit->ranges.items[unit->ranges.count++] = ranges->items[i];
	return true;
}

/* The constant NAME of DIE, or MISSING. */
static uint32_t call_attribute(struct second *s, Dwarf_Die die, unsigned name,
			       uint32_t missing)
{
	struct dw_constant value = gsym_second_constant(s, die, name);

	return gsym_dw_constant_u32(&value, missing);
}

static bool visit_call(struct nodes *n, Dwarf_Die die, unsigned tag,
		       uint32_t above)
{
	const struct dw_node *nodes = n->unit->nodes.items;
	unsigned where = tag == DW_TAG_call_site ? DW_AT_call_return_pc
						 : DW_AT_low_pc;
	struct dw_code code = second_code(n->s, n->u);
	struct dw_call *call;
	uint64_t address;

	while (above != DW_NO_NODE && nodes[above].inlined)
		above = nodes[above].parent;
	if (above == DW_NO_NODE || !nodes[above].range_count ||
	    !gsym_second_address(n->s, die, where, &address) ||
	    !dw_unit_take(n->unit, DW_CUT_CALLS, DW_COST_CALL))
		return true;
	call = gsym_vec_push(&n->unit->calls);
	if (!call)
		return false;
	*call = (struct dw_call){
		.address = dw_code_address(&code, address),
		.function = above,
	};
	return gsym_second_read_name(n->s, n->u, die, n->unit,
				     &call->callee);
}

/* The address of the variable DIE, if its location is one address. */
static bool find_location(struct nodes *n, Dwarf_Die die, uint64_t *ret)
{
	struct second *s = n->s;
	uint64_t address = 0, addend = 0;
	Dwarf_Error error = NULL;
	Dwarf_Attribute attribute;
	Dwarf_Unsigned size = 0;
	struct gsym_cursor c;
	Dwarf_Block *block = NULL;
	Dwarf_Ptr bytes = NULL;
	bool found = true;

	if (!gsym_second_attribute(s, die, DW_AT_location, &attribute))
		return false;
	if (gsym_second_form(s, attribute) == DW_FORM_exprloc) {
		gsym_second_checked(
			s, dwarf_formexprloc(attribute, &size, &bytes, &error),
			&error);
	} else if (gsym_second_checked(
			   s, dwarf_formblock(attribute, &block, &error),
			   &error) == DW_DLV_OK) {
		bytes = block->bl_data;
		size = block->bl_len;
	}
	if (!bytes)
		size = 0;
	c = gsym_cursor_init(bytes, (size_t)size,
			     s->container->big_endian != GSYM_HOST_BIG_ENDIAN);
	switch (size ? gsym_cursor_u8(&c) : 0) {
	case DW_OP_addr:
		address = gsym_cursor_uint(&c, n->u->address_size);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		found = gsym_second_indexed_address(
			s, die, gsym_cursor_uleb(&c), &address);
		break;
	default:
		found = false;
	}
	/* Other operations make another location, or a value. */
	if (found && gsym_cursor_left(&c)) {
		found = gsym_cursor_u8(&c) == DW_OP_plus_uconst;
		addend = gsym_cursor_uleb(&c);
	}
	found = found && !c.failed && !gsym_cursor_left(&c) &&
		gsym_dw_data_address(address, addend, n->u->address_size, ret);
	if (block)
		dwarf_dealloc(s->dbg, block, DW_DLA_BLOCK);
	dwarf_dealloc_attribute(attribute);
	return found;
}

static bool visit_variable(struct nodes *n, Dwarf_Die die)
{
	struct dw_variable *variable;
	uint64_t address;

	if (!find_location(n, die, &address) ||
	    !dw_unit_take(n->unit, DW_CUT_NODES, DW_COST_NODE))
		return true;
	variable = gsym_vec_push(&n->unit->variables);
	if (!variable)
		return false;
	*variable = (struct dw_variable){
		.address = address,
		.declared = gsym_second_read_declaration(n->s, n->u, die),
	};
	return gsym_second_read_name(n->s, n->u, die, n->unit,
				     &variable->name);
}

/* Read the attributes that only functions have. */
static void read_function(struct nodes *n, Dwarf_Die die, struct dw_node *node)
{
	node->has_sequence = gsym_second_section_offset(
		n->s, die, SECOND_AT_LLVM_stmt_sequence, &node->sequence);
	if (n->unit->wants & DW_WANT_FOLDED)
		node->declared = gsym_second_read_declaration(n->s, n->u, die);
}

static bool visit_node(void *context, Dwarf_Die die, unsigned tag,
		       unsigned depth)
{
	struct nodes *n = context;
	uint32_t above = depth ? n->innermost[depth - 1] : DW_NO_NODE;
	bool inlined = tag == DW_TAG_inlined_subroutine;
	struct dw_node *node;

	n->innermost[depth] = above;
	if (tag == DW_TAG_variable)
		return !(n->unit->wants & DW_WANT_DATA) ||
		       visit_variable(n, die);
	if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
		return !(n->unit->wants & DW_WANT_CALLS) ||
		       visit_call(n, die, tag, above);
	if (tag != DW_TAG_subprogram && !inlined)
		return true;
	node = gsym_vec_push(&n->unit->nodes);
	if (!node)
		return false;
	n->innermost[depth] = (uint32_t)n->unit->nodes.count - 1;
	*node = (struct dw_node){ .die = gsym_second_offset(n->s, die),
				  .parent = inlined ? above : DW_NO_NODE,
				  .inlined = inlined,
				  .call_file = DW_NO_FILE,
				  .declared = { DW_NO_FILE, 0 } };
	if (!copy_ranges(n, die, node))
		return false;
	if (inlined) {
		node->call_file = call_attribute(n->s, die, DW_AT_call_file,
						 DW_NO_FILE);
		node->call_line =
			call_attribute(n->s, die, DW_AT_call_line, 0);
	} else {
		read_function(n, die, node);
	}
	/* Most nodes without ranges are declarations, which will be dropped. */
	return !node->range_count ||
	       gsym_second_read_name(n->s, n->u, die, n->unit,
				     &node->name);
}

/* Drop the nodes that have no code, nor inlined calls with code below. */
static bool drop_empty(struct nodes *n)
{
	struct dw_node *nodes = n->unit->nodes.items;
	size_t count = n->unit->nodes.count, left = 0;
	uint32_t *map;

	if (!gsym_vec_reserve(&n->s->map, count))
		return false;
	map = n->s->map.items;
	for (size_t i = 0; i < count; i++)
		map[i] = nodes[i].range_count ? 0 : DW_NO_NODE;
	for (size_t i = count; i--;)
		if (map[i] != DW_NO_NODE && nodes[i].parent != DW_NO_NODE)
			map[nodes[i].parent] = 0;
	for (size_t i = 0; i < count; i++) {
		if (map[i] == DW_NO_NODE)
			continue;
		map[i] = (uint32_t)left;
		nodes[left] = nodes[i];
		if (nodes[left].parent != DW_NO_NODE)
			nodes[left].parent = map[nodes[left].parent];
		left++;
	}
	n->unit->nodes.count = left;
	/* Nodes of call sites have ranges, so none was dropped. */
	for (size_t i = 0; i < n->unit->calls.count; i++)
		n->unit->calls.items[i].function =
			map[n->unit->calls.items[i].function];
	return true;
}

/* Name the nodes without ranges, which were kept for their inlined calls. */
static bool name_parents(struct nodes *n)
{
	for (size_t i = 0; i < n->unit->nodes.count; i++) {
		struct dw_node *node = &n->unit->nodes.items[i];
		Dwarf_Die die;
		bool fine;

		if (node->range_count)
			continue;
		die = gsym_second_die_at(n->s, n->u, node->die);
		if (!die)
			continue;
		fine = gsym_second_read_name(n->s, n->u, die, n->unit,
					     &node->name);
		dwarf_dealloc_die(die);
		if (!fine)
			return false;
	}
	return true;
}

bool gsym_second_read_nodes(struct second *s, struct second_unit *u,
			    struct dw_unit *unit)
{
	uint64_t bytes = u->end - u->die;
	struct nodes n;

	if (!dw_unit_take(unit, DW_CUT_DIES, bytes * DW_COST_DIE_BYTE))
		return true;
	n.s = s;
	n.u = u;
	n.unit = unit;
	return gsym_second_walk(s, u, visit_node, &n, unit) && drop_empty(&n) &&
	       name_parents(&n);
}
