/* SPDX-License-Identifier: MIT */
#include "dwarf/second.h"

/* Attributes. */

bool second_attribute(struct second *s, Dwarf_Die die, unsigned name,
		      Dwarf_Attribute *attribute)
{
	Dwarf_Error error = NULL;

	return second_checked(s,
			      dwarf_attr(die, (Dwarf_Half)name, attribute,
					 &error),
			      &error) == DW_DLV_OK;
}

static unsigned form_of(struct second *s, Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Half form = 0;

	second_checked(s, dwarf_whatform(attribute, &form, &error), &error);
	return form;
}

/* libdwarf has one function for what is stored without a sign and one for
 * what is stored with it. */
static bool constant_value(struct second *s, Dwarf_Attribute attribute,
			   uint64_t *ret)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned unsigned_value;
	Dwarf_Signed signed_value;

	if (second_checked(s,
			   dwarf_formudata(attribute, &unsigned_value, &error),
			   &error) == DW_DLV_OK) {
		*ret = unsigned_value;
		return true;
	}
	if (second_checked(s,
			   dwarf_formsdata(attribute, &signed_value, &error),
			   &error) != DW_DLV_OK ||
	    signed_value < 0)
		return false;
	*ret = (uint64_t)signed_value;
	return true;
}

static bool split_address(struct second *s, uint64_t index, uint64_t *ret)
{
	return s->units.count &&
	       second_split_entry(s, ".debug_addr", index,
				  s->units.items[0].address_size, ret);
}

static bool address_value(struct second *s, Dwarf_Attribute attribute,
			  uint64_t *ret)
{
	unsigned form = form_of(s, attribute);
	Dwarf_Error error = NULL;
	Dwarf_Unsigned index;
	Dwarf_Addr address;

	/* Which file the addresses are in only we know. */
	if (s->split && dwarf_addr_form_is_indexed((int)form))
		return second_checked(s,
				      dwarf_get_debug_addr_index(
					      attribute, &index, &error),
				      &error) == DW_DLV_OK &&
		       split_address(s, index, ret);
	if (second_checked(s, dwarf_formaddr(attribute, &address, &error),
			   &error) != DW_DLV_OK)
		return false;
	*ret = address;
	return true;
}

bool second_constant(struct second *s, Dwarf_Die die, unsigned name,
		     uint64_t *ret)
{
	Dwarf_Attribute attribute;
	bool found;

	if (!second_attribute(s, die, name, &attribute))
		return false;
	found = constant_value(s, attribute, ret);
	dwarf_dealloc_attribute(attribute);
	return found;
}

bool second_address(struct second *s, Dwarf_Die die, unsigned name,
		    uint64_t *ret)
{
	Dwarf_Attribute attribute;
	bool found;

	if (!second_attribute(s, die, name, &attribute))
		return false;
	found = address_value(s, attribute, ret);
	dwarf_dealloc_attribute(attribute);
	return found;
}

bool second_section_offset(struct second *s, Dwarf_Die die, unsigned name,
			   uint64_t *ret)
{
	Dwarf_Error error = NULL;
	Dwarf_Attribute attribute;
	Dwarf_Off offset;
	bool found;

	if (!second_attribute(s, die, name, &attribute))
		return false;
	found = second_checked(s,
			       dwarf_global_formref(attribute, &offset,
						    &error),
			       &error) == DW_DLV_OK;
	if (found)
		*ret = offset;
	dwarf_dealloc_attribute(attribute);
	return found;
}

uint64_t second_offset(struct second *s, Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	Dwarf_Off offset = 0;

	second_checked(s, dwarf_dieoffset(die, &offset, &error), &error);
	return offset;
}

unsigned second_tag(struct second *s, Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;

	second_checked(s, dwarf_tag(die, &tag, &error), &error);
	return tag;
}

Dwarf_Die second_die_at(struct second *s, const struct second_unit *u,
			uint64_t offset)
{
	Dwarf_Error error = NULL;
	Dwarf_Die die;

	return second_checked(s,
			      dwarf_offdie_b(s->dbg, offset,
					     !u->is_types, &die,
					     &error),
			      &error) == DW_DLV_OK
		       ? die
		       : NULL;
}

/* The tree. */

struct walk {
	struct second *s;
	const struct second_unit *u;
	struct dw_unit *unit;
	unsigned depth;
	Dwarf_Die open[DW_MAX_DEPTH]; /* from the unit DIE on */
};

/* Go to the next DIE; false if there is none. */
static bool step(struct walk *w)
{
	Dwarf_Error error = NULL;
	Dwarf_Die next;
	int res = DW_DLV_NO_ENTRY;

	if (w->depth + 1 < DW_MAX_DEPTH)
		res = dwarf_child(w->open[w->depth], &next, &error);
	if (res == DW_DLV_OK) {
		w->open[++w->depth] = next;
		return true;
	}
	while (res == DW_DLV_NO_ENTRY && w->depth) {
		Dwarf_Die die = w->open[w->depth];

		res = dwarf_siblingof_b(w->s->dbg, die, !w->u->is_types, &next,
					&error);
		if (res == DW_DLV_ERROR)
			break;
		dwarf_dealloc_die(die);
		if (res == DW_DLV_OK) {
			w->open[w->depth] = next;
			return true;
		}
		w->depth--;
	}
	if (res == DW_DLV_ERROR)
		second_warned(w->s, res, &error, w->unit, GSYM_WARN_BAD_DIE,
			      ".debug_info: behind the DIE",
			      second_offset(w->s, w->open[w->depth]));
	return false;
}

bool second_walk(struct second *s, const struct second_unit *u,
		 second_visit_fn *visit, void *context, struct dw_unit *unit)
{
	struct walk w;
	bool going = true;

	w.s = s;
	w.u = u;
	w.unit = unit;
	w.depth = 0;
	w.open[0] = second_die_at(s, u, u->die);
	if (!w.open[0])
		return true;
	do {
		Dwarf_Die die = w.open[w.depth];

		going = visit(context, die, second_tag(s, die), w.depth);
	} while (going && step(&w));
	for (unsigned i = 0; i <= w.depth; i++)
		dwarf_dealloc_die(w.open[i]);
	return going;
}

/* Ranges. */

static uint64_t wrap(const struct second_unit *u, uint64_t address)
{
	return u->address_size < 8 ? address & UINT32_MAX : address;
}

uint64_t second_code_address(const struct second *s,
			     const struct second_unit *u, uint64_t address)
{
	address = wrap(u, address);
	return s->container->code_bit0 ? address & ~(uint64_t)1 : address;
}

/* A list in the making. */
struct list {
	struct second *s;
	const struct second_unit *u;
	struct second_ranges *ranges;
	uint64_t base;
};

static bool add_range(struct list *l, uint64_t start, uint64_t end)
{
	struct gsym_range *range;

	start = second_code_address(l->s, l->u, start);
	end = second_code_address(l->s, l->u, end);
	if (!dw_range_is_real(start, end, l->u->address_size))
		return true;
	range = gsym_vec_push(l->ranges);
	if (range)
		*range = (struct gsym_range){ start, end };
	return range;
}

static bool add_relative(struct list *l, uint64_t start, uint64_t end)
{
	if (dw_is_tombstone(l->base, l->u->address_size))
		return true;
	return add_range(l, l->base + start, l->base + end);
}

/* A list of .debug_ranges. */
static bool read_old_list(struct list *l, Dwarf_Die die, uint64_t offset,
			  struct dw_unit *unit)
{
	struct second *s = l->s;
	Dwarf_Error error = NULL;
	Dwarf_Ranges *entries;
	Dwarf_Signed count;
	bool fine = true;

	if (second_warned(s,
			  dwarf_get_ranges_b(s->dbg, offset, die, NULL,
					     &entries, &count, NULL, &error),
			  &error, unit, GSYM_WARN_BAD_RANGES,
			  ".debug_ranges: list", offset) != DW_DLV_OK)
		return true;
	for (Dwarf_Signed i = 0; fine && i < count; i++)
		switch (entries[i].dwr_type) {
		case DW_RANGES_ENTRY:
			fine = add_relative(l, entries[i].dwr_addr1,
					    entries[i].dwr_addr2);
			break;
		case DW_RANGES_ADDRESS_SELECTION:
			l->base = entries[i].dwr_addr2;
			break;
		case DW_RANGES_END:
			break;
		}
	dwarf_dealloc(s->dbg, entries, DW_DLA_RANGES);
	return fine;
}

static bool indexed_address(struct second *s, Dwarf_Die die, uint64_t index,
			    uint64_t *ret)
{
	Dwarf_Error error = NULL;
	Dwarf_Addr address;

	if (s->split)
		return split_address(s, index, ret);
	if (second_checked(s,
			   dwarf_debug_addr_index_to_addr(die, index, &address,
							  &error),
			   &error) != DW_DLV_OK)
		return false;
	*ret = address;
	return true;
}

/* An entry of .debug_rnglists, its operands as they are stored: what base
 * applies is decided here and not by libdwarf, which knows no tombstones. */
static bool add_entry(struct list *l, Dwarf_Die die, unsigned kind,
		      uint64_t first, uint64_t second)
{
	switch (kind) {
	case DW_RLE_base_addressx:
		if (!indexed_address(l->s, die, first, &l->base))
			l->base = UINT64_MAX;
		break;
	case DW_RLE_base_address:
		l->base = first;
		break;
	case DW_RLE_startx_endx:
		if (indexed_address(l->s, die, first, &first) &&
		    indexed_address(l->s, die, second, &second))
			return add_range(l, first, second);
		break;
	case DW_RLE_startx_length:
		if (indexed_address(l->s, die, first, &first))
			return add_range(l, first, first + second);
		break;
	case DW_RLE_offset_pair:
		return add_relative(l, first, second);
	case DW_RLE_start_end:
		return add_range(l, first, second);
	case DW_RLE_start_length:
		return add_range(l, first, first + second);
	}
	return true;
}

/* Whether the list that DW_AT_ranges names by NUMBER begins in the table that
 * libdwarf will look into, which it does not ask itself.  In a split unit,
 * where libdwarf finds no list by its index, it gets the offset. */
static bool list_exists(const struct list *l, unsigned *form, uint64_t *number)
{
	uint64_t value = *number;
	const struct second *s = l->s;
	const struct second_table *t = s->tables.items;
	const struct second_table *end =
		gsym_vec_from(&s->tables, s->tables.count);
	uint64_t anchor = l->u->has_lists ? l->u->lists : value;

	while (t < end && t->end <= anchor)
		t++;
	if (t == end || t->offsets > anchor)
		return false;
	if (*form == DW_FORM_rnglistx) {
		struct gsym_cursor c = gsym_container_cursor(
			s->container, gsym_container_section(
					      s->container, ".debug_rnglists"));

		if (value >= t->count)
			return false;
		gsym_cursor_seek(&c, t->offsets + value * t->offset_size);
		value = gsym_cursor_uint(&c, t->offset_size);
		if (value >= t->end - t->offsets)
			return false;
		value += t->offsets;
	}
	if (s->split) {
		*form = DW_FORM_sec_offset;
		*number = value;
	}
	return value >= t->offsets && value < t->end;
}

static bool read_new_list(struct list *l, Dwarf_Die die,
			  Dwarf_Attribute attribute, unsigned form,
			  uint64_t value, struct dw_unit *unit)
{
	struct second *s = l->s;
	Dwarf_Rnglists_Head head;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned count;
	bool fine = true;

	if (second_warned(s,
			  dwarf_rnglists_get_rle_head(attribute,
						      (Dwarf_Half)form, value,
						      &head, &count, NULL,
						      &error),
			  &error, unit, GSYM_WARN_BAD_RANGES,
			  ".debug_rnglists: list of the DIE",
			  second_offset(s, die)) != DW_DLV_OK)
		return true;
	for (Dwarf_Unsigned i = 0; fine && i < count; i++) {
		Dwarf_Unsigned first, second;
		unsigned kind, length;

		if (second_checked(s,
				   dwarf_get_rnglists_entry_fields_a(
					   head, i, &length, &kind, &first,
					   &second, NULL, NULL, NULL, &error),
				   &error) != DW_DLV_OK)
			break;
		fine = add_entry(l, die, kind, first, second);
	}
	dwarf_dealloc_rnglists_head(head);
	return fine;
}

static bool read_list(struct list *l, Dwarf_Die die, Dwarf_Attribute attribute,
		      struct dw_unit *unit)
{
	unsigned form = form_of(l->s, attribute);
	Dwarf_Error error = NULL;
	Dwarf_Off offset;
	uint64_t value;

	if (form == DW_FORM_sec_offset || form == DW_FORM_data4 ||
	    form == DW_FORM_data8) {
		if (second_warned(l->s,
				  dwarf_global_formref(attribute, &offset,
						       &error),
				  &error, unit, GSYM_WARN_BAD_RANGES,
				  ".debug_info: DW_AT_ranges of the DIE",
				  second_offset(l->s, die)) != DW_DLV_OK)
			return true;
		value = offset;
	} else if (!constant_value(l->s, attribute, &value)) {
		return true;
	}
	if (l->u->version < 5)
		return read_old_list(l, die, value, unit);
	if (list_exists(l, &form, &value))
		return read_new_list(l, die, attribute, form, value, unit);
	if (unit)
		dw_unit_warn(unit, GSYM_WARN_BAD_RANGES,
			     ".debug_rnglists: no list 0x%llx for the DIE at "
			     "offset 0x%llx",
			     (unsigned long long)value,
			     (unsigned long long)second_offset(l->s, die));
	return true;
}

/* DW_AT_high_pc is the end or a length. */
static bool read_end(struct second *s, Dwarf_Die die, uint64_t start,
		     uint64_t *ret)
{
	Dwarf_Attribute attribute;
	unsigned form;
	bool found;

	if (!second_attribute(s, die, DW_AT_high_pc, &attribute))
		return false;
	form = form_of(s, attribute);
	if (form == DW_FORM_addr || dwarf_addr_form_is_indexed((int)form)) {
		found = address_value(s, attribute, ret);
	} else {
		found = constant_value(s, attribute, ret);
		*ret += start;
	}
	dwarf_dealloc_attribute(attribute);
	return found;
}

bool second_read_ranges(struct second *s, const struct second_unit *u,
			Dwarf_Die die, struct second_ranges *ranges,
			struct dw_unit *unit)
{
	struct list l = { s, u, ranges, u->base };
	Dwarf_Attribute attribute;
	uint64_t start, end = 0;
	bool fine;

	if (second_address(s, die, DW_AT_low_pc, &start) &&
	    read_end(s, die, start, &end))
		return add_range(&l, start, end);
	if (!second_attribute(s, die, DW_AT_ranges, &attribute))
		return true;
	fine = read_list(&l, die, attribute, unit);
	dwarf_dealloc_attribute(attribute);
	return fine;
}

/* Nodes. */

struct nodes {
	struct second *s;
	struct second_unit *u;
	struct dw_unit *unit;
	uint32_t innermost[DW_MAX_DEPTH]; /* node at or above each level */
};

static bool copy_ranges(struct nodes *n, Dwarf_Die die, struct dw_node *node)
{
	struct dw_unit *unit = n->unit;
	struct second_ranges *ranges = &n->s->ranges;

	ranges->count = 0;
	if (!second_read_ranges(n->s, n->u, die, ranges, unit))
		return false;
	if (!dw_ranges_fit(unit->ranges.count, ranges->count, unit->max_ranges,
			   unit, node->die))
		ranges->count = 0;
	if (!gsym_vec_reserve(&unit->ranges, ranges->count))
		return false;
	node->first_range = (uint32_t)unit->ranges.count;
	node->range_count = (uint32_t)ranges->count;
	for (size_t i = 0; i < ranges->count; i++)
		unit->ranges.items[unit->ranges.count++] = ranges->items[i];
	return true;
}

static uint32_t call_attribute(struct second *s, Dwarf_Die die, unsigned name,
			       uint32_t missing)
{
	uint64_t value;

	if (!second_constant(s, die, name, &value) || value > UINT32_MAX)
		return missing;
	return (uint32_t)value;
}

static bool visit_call(struct nodes *n, Dwarf_Die die, unsigned tag,
		       uint32_t above)
{
	const struct dw_node *nodes = n->unit->nodes.items;
	unsigned where = tag == DW_TAG_call_site ? DW_AT_call_return_pc
						 : DW_AT_low_pc;
	struct dw_call *call;
	uint64_t address;

	while (above != DW_NO_NODE && nodes[above].inlined)
		above = nodes[above].parent;
	if (above == DW_NO_NODE || !nodes[above].range_count ||
	    !second_address(n->s, die, where, &address))
		return true;
	call = gsym_vec_push(&n->unit->calls);
	if (!call)
		return false;
	*call = (struct dw_call){
		.address = second_code_address(n->s, n->u, address),
		.function = above,
	};
	return second_read_name(n->s, n->u, die, &n->unit->arena,
				&call->callee);
}

/* The address that the location expression of DIE is. */
static bool find_location(struct nodes *n, Dwarf_Die die, uint64_t *ret)
{
	struct second *s = n->s;
	Dwarf_Error error = NULL;
	Dwarf_Attribute attribute;
	Dwarf_Unsigned size = 0;
	struct gsym_cursor c;
	Dwarf_Block *block = NULL;
	Dwarf_Ptr bytes = NULL;
	bool found = true;

	if (!second_attribute(s, die, DW_AT_location, &attribute))
		return false;
	if (form_of(s, attribute) == DW_FORM_exprloc) {
		second_checked(s, dwarf_formexprloc(attribute, &size, &bytes,
						    &error), &error);
	} else if (second_checked(s, dwarf_formblock(attribute, &block, &error),
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
		*ret = gsym_cursor_uint(&c, n->u->address_size);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		found = indexed_address(s, die, gsym_cursor_uleb(&c), ret);
		break;
	default:
		found = false;
	}
	found = found && !dw_is_tombstone(*ret, n->u->address_size);
	if (found && gsym_cursor_left(&c) &&
	    gsym_cursor_u8(&c) == DW_OP_plus_uconst)
		*ret += gsym_cursor_uleb(&c);
	found = found && !c.failed && !gsym_cursor_left(&c);
	if (found)
		*ret = wrap(n->u, *ret);
	if (block)
		dwarf_dealloc(s->dbg, block, DW_DLA_BLOCK);
	dwarf_dealloc_attribute(attribute);
	return found;
}

static bool visit_variable(struct nodes *n, Dwarf_Die die)
{
	struct dw_variable *variable;
	uint64_t address;

	if (!find_location(n, die, &address))
		return true;
	variable = gsym_vec_push(&n->unit->variables);
	if (!variable)
		return false;
	*variable = (struct dw_variable){
		.address = address,
		.declared = second_read_declaration(n->s, n->u, die),
	};
	return second_read_name(n->s, n->u, die, &n->unit->arena,
				&variable->name);
}

/* What is said of functions alone. */
static void read_function(struct nodes *n, Dwarf_Die die, struct dw_node *node)
{
	node->has_sequence = second_section_offset(
		n->s, die, SECOND_AT_LLVM_stmt_sequence, &node->sequence);
	if (n->unit->wants & DW_WANT_FOLDED)
		node->declared = second_read_declaration(n->s, n->u, die);
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
	*node = (struct dw_node){ .die = second_offset(n->s, die),
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
	/* Most of the others are declarations, to be dropped. */
	return !node->range_count ||
	       second_read_name(n->s, n->u, die, &n->unit->arena, &node->name);
}

/* Keep what has code or leads to inlined calls that have. */
static bool drop_empty(struct nodes *n)
{
	struct dw_node *nodes = n->unit->nodes.items;
	size_t count = n->unit->nodes.count, left = 0;
	uint32_t *map;

	n->s->map.count = 0;
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
	/* Functions with calls have code. */
	for (size_t i = 0; i < n->unit->calls.count; i++)
		n->unit->calls.items[i].function =
			map[n->unit->calls.items[i].function];
	return true;
}

/* Names of those that were kept for what was inlined into them. */
static bool name_parents(struct nodes *n)
{
	for (size_t i = 0; i < n->unit->nodes.count; i++) {
		struct dw_node *node = &n->unit->nodes.items[i];
		Dwarf_Die die;
		bool fine;

		if (node->range_count)
			continue;
		die = second_die_at(n->s, n->u, node->die);
		if (!die)
			continue;
		fine = second_read_name(n->s, n->u, die, &n->unit->arena,
					&node->name);
		dwarf_dealloc_die(die);
		if (!fine)
			return false;
	}
	return true;
}

bool second_read_nodes(struct second *s, struct second_unit *u,
		       struct dw_unit *unit)
{
	struct nodes n;

	n.s = s;
	n.u = u;
	n.unit = unit;
	return second_walk(s, u, visit_node, &n, unit) && drop_empty(&n) &&
	       name_parents(&n);
}
