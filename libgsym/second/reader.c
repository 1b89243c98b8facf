/* SPDX-License-Identifier: MIT */
/* The reader that reads through libdwarf: names, functions, inlined calls,
 * variables, split units. */
#include "dwarf/policy.h"
#include "second/libdwarf.h"

/* ---- names --------------------------------------------------------------- */

/* A chain of DIEs (policy.h). */
struct chain {
	size_t count;
	struct step {
		struct libdwarf *s;
		struct libdwarf_unit *u;
		Dwarf_Die die;
	} steps[1 + DW_MAX_ORIGINS];
};

/* The value of a reference into the supplementary file by a form of DWARF 5.
 * Of these forms libdwarf 20210528 tells no more than where they are stored. */
static bool read_sup(struct libdwarf *s, Dwarf_Die die,
		     Dwarf_Attribute attribute, unsigned form, Dwarf_Off *ret)
{
	struct gsym_cursor c =
		gsym_container_named(s->container, ".debug_info");
	Dwarf_Off at;

	if (!libdwarf_ok(s, dwarf_attr_offset, die, attribute, &at))
		return false;
	gsym_cursor_seek(&c, at);
	*ret = gsym_cursor_uint(&c, form == DW_FORM_ref_sup4 ? 4 : 8);
	return !c.failed;
}

/* The offset that ATTRIBUTE, a reference of FORM, leads to. */
static bool read_offset(const struct step *step, Dwarf_Attribute attribute,
			unsigned form, Dwarf_Off *ret)
{
	if (form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8)
		return !step->u->is_types &&
		       read_sup(step->s, step->die, attribute, form, ret);
	return libdwarf_ok(step->s, dwarf_global_formref, attribute, ret);
}

/* The unit that ATTRIBUTE, a reference of FORM, leads to from STEP, and in
 * *OFFSET the DIE.  U is NULL if it leads outside all units. */
static struct step target(const struct step *step, Dwarf_Attribute attribute,
			  unsigned form, uint64_t *offset)
{
	struct step to = *step;
	Dwarf_Sig8 signature;
	Dwarf_Off off = 0;
	uint64_t number;

	if (form == DW_FORM_ref_sig8) {
		if (!libdwarf_ok(to.s, dwarf_formsig8, attribute, &signature))
			return (struct step){ NULL, NULL, NULL };
		number = gsym_libdwarf_number(to.s, &signature);
		to.u = gsym_libdwarf_type(to.s, number);
		if (!to.u && to.s->package)
			to.u = gsym_libdwarf_package_type(to.s->package, number,
							  &to.s);
		*offset = to.u ? to.u->h.type : 0;
		return to;
	}
	if (!read_offset(step, attribute, form, &off))
		return (struct step){ NULL, NULL, NULL };
	*offset = off;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 ||
	    form == DW_FORM_ref_sup8)
		to.s = to.s->alternate;
	if (!to.s || !to.s->dbg)
		to.u = NULL;
	else if (to.s != step->s || form == DW_FORM_ref_addr)
		to.u = gsym_libdwarf_unit_at(to.s, off);
	return to;
}

/* Add the DIE that ATTRIBUTE of the last DIE refers to; false if there is
 * none. */
static bool add_reference(struct chain *c, Dwarf_Attribute attribute)
{
	const struct step *last = &c->steps[c->count - 1];
	uint64_t offset = 0;
	struct step to =
		target(last, attribute, gsym_libdwarf_form(last->s, attribute),
		       &offset);

	to.die = to.u ? gsym_libdwarf_die_at(to.s, to.u, offset) : NULL;
	if (!to.die)
		return false;
	c->steps[c->count++] = to;
	return true;
}

/* Add the DIE that comes after the last DIE of the chain; false at its end. */
static bool add_origin(struct chain *c)
{
	struct libdwarf *s = c->steps[c->count - 1].s;
	Dwarf_Die die = c->steps[c->count - 1].die;
	Dwarf_Attribute attribute;
	bool added;

	if (!gsym_libdwarf_attribute(s, die, DW_AT_abstract_origin,
				     &attribute) &&
	    !gsym_libdwarf_attribute(s, die, DW_AT_specification, &attribute) &&
	    !gsym_libdwarf_attribute(s, die, DW_AT_call_origin, &attribute) &&
	    !gsym_libdwarf_attribute(s, die, DW_AT_signature, &attribute))
		return false;
	added = add_reference(c, attribute);
	dwarf_dealloc_attribute(attribute);
	return added;
}

/* Find the chain that begins at DIE of U.  DIE is still the caller's to
 * free. */
static void follow(struct libdwarf *s, struct libdwarf_unit *u, Dwarf_Die die,
		   struct chain *c)
{
	c->count = 1;
	c->steps[0] = (struct step){ s, u, die };
	while (c->count <= DW_MAX_ORIGINS && add_origin(c))
		;
}

/* Free the DIEs of the chain but the first. */
static void forget(struct chain *c)
{
	while (--c->count)
		dwarf_dealloc_die(c->steps[c->count].die);
}

/* The attribute NAME of the DIE at STEP, a string; NULL: none. */
static const char *own_string(const struct step *step, unsigned name)
{
	return gsym_libdwarf_string(step->s, step->die, name);
}

/* The name that the policy chooses along the chain; without WANT_LINKAGE, among
 * the source names. */
static struct dw_name chain_name(const struct chain *c, bool want_linkage)
{
	struct dw_name name = { NULL, false };

	for (size_t i = 0; i < c->count; i++) {
		const struct step *step = &c->steps[i];
		const char *linkage = NULL;

		if (want_linkage)
			linkage = own_string(step, DW_AT_linkage_name);
		if (want_linkage && !linkage)
			linkage = own_string(step, DW_AT_MIPS_linkage_name);
		if (gsym_dw_name_choose(&name, linkage,
					own_string(step, DW_AT_name)))
			break;
	}
	return name;
}

struct contexts_walk {
	struct libdwarf *s;
	struct libdwarf_contexts *contexts;
};

static bool visit_context(void *context, Dwarf_Die die, unsigned tag,
			  unsigned depth)
{
	struct contexts_walk *walk = context;

	return gsym_libdwarf_contexts_visit(
		walk->contexts, gsym_libdwarf_offset(walk->s, die), depth, tag);
}

/* Note the contexts of U.  False without memory. */
static bool find_contexts(struct libdwarf *s, struct libdwarf_unit *u)
{
	struct contexts_walk walk = { s, &u->contexts };

	u->has_contexts = gsym_libdwarf_walk(s, u, visit_context, &walk, NULL);
	gsym_libdwarf_contexts_end(&u->contexts, u->h.end);
	return u->has_contexts;
}

/* NAME qualified by the contexts around the end of C; NULL without memory. */
static const char *qualify(const struct chain *c, struct dw_unit *unit,
			   const char *name)
{
	struct step at = c->steps[c->count - 1];
	uint64_t offset = gsym_libdwarf_offset(at.s, at.die);

	for (int i = 0; name && i < DW_MAX_CONTEXTS; i++) {
		struct chain around;
		const char *context;
		Dwarf_Die die;

		if (!at.u->has_contexts && !find_contexts(at.s, at.u))
			return NULL;
		offset = gsym_libdwarf_contexts_find(&at.u->contexts, offset);
		die = offset ? gsym_libdwarf_die_at(at.s, at.u, offset) : NULL;
		if (!die)
			break;
		follow(at.s, at.u, die, &around);
		context = chain_name(&around, false).text;
		if (context)
			name = gsym_dw_qualify(unit, context, name);
		at = around.steps[around.count - 1];
		offset = gsym_libdwarf_offset(at.s, at.die);
		forget(&around);
		dwarf_dealloc_die(die);
	}
	return name;
}

/* The name of DIE, by the policy; a qualified name is allocated in the arena
 * of UNIT.  False without memory. */
static bool read_name(struct libdwarf *s, struct libdwarf_unit *u,
		      Dwarf_Die die, struct dw_unit *unit, struct dw_name *ret)
{
	bool fine = true;
	struct chain c;

	follow(s, u, die, &c);
	*ret = chain_name(&c, true);
	if (ret->text && !gsym_dw_unit_take_text(unit, ret->text))
		*ret = (struct dw_name){ NULL, false };
	if (ret->text && !ret->linkage &&
	    gsym_dw_language_is_cplusplus(u->h.language)) {
		ret->text = qualify(&c, unit, ret->text);
		fine = ret->text;
	}
	forget(&c);
	return fine;
}

/* The declaration of DIE, by the policy. */
static struct dw_declaration
read_declaration(struct libdwarf *s, struct libdwarf_unit *u, Dwarf_Die die)
{
	struct dw_declaration_choice choice = DW_NO_DECLARATION;
	struct chain c;

	follow(s, u, die, &c);
	for (size_t i = 0; i < c.count; i++) {
		const struct step *step = &c.steps[i];
		struct dw_constant file = gsym_libdwarf_constant(
			step->s, step->die, DW_AT_decl_file);
		struct dw_constant line = gsym_libdwarf_constant(
			step->s, step->die, DW_AT_decl_line);

		if (gsym_dw_declaration_choose(&choice, &file, &line,
					       step->u == u))
			break;
	}
	forget(&c);
	return choice.found;
}

/* ---- nodes: functions, inlined calls, variables -------------------------- */

struct nodes {
	struct libdwarf *s;
	struct libdwarf_unit *u;
	struct dw_unit *unit;
	/* By depth: the node of the last DIE there, or the nearest above it. */
	uint32_t innermost[DW_MAX_DEPTH];
};

static bool has_attribute(struct libdwarf *s, Dwarf_Die die, unsigned name)
{
	Dwarf_Attribute attribute;

	if (!gsym_libdwarf_attribute(s, die, name, &attribute))
		return false;
	dwarf_dealloc_attribute(attribute);
	return true;
}

/* Read the ranges of DIE for NODE.  False without memory. */
static bool take_ranges(struct nodes *n, Dwarf_Die die, struct dw_node *node)
{
	struct dw_unit *unit = n->unit;
	size_t first = unit->ranges.count;

	if (!gsym_libdwarf_read_ranges(n->s, n->u, die, node->inlined,
				       &unit->ranges, unit))
		return false;
	if (unit->ranges.count > first &&
	    !dw_unit_take(unit, DW_CUT_NODES, DW_COST_NODE))
		unit->ranges.count = first;
	node->first_range = (uint32_t)first;
	node->range_count = (uint32_t)(unit->ranges.count - first);
	if (node->inlined || node->range_count)
		return true;
	node->dropped = has_attribute(n->s, die, DW_AT_high_pc) ||
			has_attribute(n->s, die, DW_AT_ranges);
	unit->drops |= node->dropped;
	return true;
}

/* The constant NAME of DIE, or MISSING. */
static uint32_t own_constant(struct libdwarf *s, Dwarf_Die die, unsigned name,
			     uint32_t missing)
{
	struct dw_constant value = gsym_libdwarf_constant(s, die, name);

	return gsym_dw_constant_u32(&value, missing);
}

static bool visit_call(struct nodes *n, Dwarf_Die die, unsigned tag,
		       uint32_t above)
{
	const struct dw_node *nodes = n->unit->nodes.items;
	unsigned where =
		tag == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc;
	struct dw_code code = libdwarf_code(n->s, n->u);
	struct dw_call *call;
	uint64_t address;

	while (above != DW_NO_NODE && nodes[above].inlined)
		above = nodes[above].parent;
	if (above == DW_NO_NODE || !nodes[above].range_count ||
	    !gsym_libdwarf_address(n->s, die, where, &address) ||
	    !dw_unit_take(n->unit, DW_CUT_CALLS, DW_COST_CALL))
		return true;
	call = gsym_vec_push(&n->unit->calls);
	if (!call)
		return false;
	*call = (struct dw_call){
		.address = dw_code_address(&code, address),
		.function = above,
	};
	return read_name(n->s, n->u, die, n->unit, &call->callee);
}

/* The address of the variable DIE, if its location is one address. */
static bool find_location(struct nodes *n, Dwarf_Die die, uint64_t *ret)
{
	struct libdwarf *s = n->s;
	unsigned width = n->u->h.encoding.address_size;
	struct dw_location location;
	Dwarf_Attribute attribute;
	Dwarf_Unsigned size = 0;
	Dwarf_Block *block = NULL;
	Dwarf_Ptr bytes = NULL;
	bool found;

	if (!gsym_libdwarf_attribute(s, die, DW_AT_location, &attribute))
		return false;
	if (gsym_libdwarf_form(s, attribute) == DW_FORM_exprloc) {
		if (!libdwarf_ok(s, dwarf_formexprloc, attribute, &size,
				 &bytes))
			size = 0;
	} else if (libdwarf_ok(s, dwarf_formblock, attribute, &block)) {
		bytes = block->bl_data;
		size = block->bl_len;
	}
	found = gsym_dw_location_read(
			gsym_cursor_init(bytes, bytes ? (size_t)size : 0,
					 s->container->big_endian !=
						 GSYM_HOST_BIG_ENDIAN),
			width, &location) &&
		(!location.indexed ||
		 gsym_libdwarf_indexed_address(s, die, location.address,
					       &location.address)) &&
		gsym_dw_data_address(location.address, location.addend, width,
				     ret);
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
		.declared = read_declaration(n->s, n->u, die),
	};
	return read_name(n->s, n->u, die, n->unit, &variable->name);
}

/* Read the attributes that only functions have. */
static void read_function(struct nodes *n, Dwarf_Die die, struct dw_node *node)
{
	node->has_sequence = gsym_libdwarf_section_offset(
		n->s, die, LIBDWARF_AT_LLVM_stmt_sequence, &node->sequence);
	node->declared.line = own_constant(n->s, die, DW_AT_decl_line, 0);
	if (n->unit->wants & DW_WANT_FOLDED)
		node->declared = read_declaration(n->s, n->u, die);
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
	*node = (struct dw_node){ .die = gsym_libdwarf_offset(n->s, die),
				  .parent = inlined ? above : DW_NO_NODE,
				  .inlined = inlined,
				  .call_file = DW_NO_FILE,
				  .declared = { DW_NO_FILE, 0 } };
	if (!take_ranges(n, die, node))
		return false;
	if (inlined) {
		node->call_file =
			own_constant(n->s, die, DW_AT_call_file, DW_NO_FILE);
		node->call_line = own_constant(n->s, die, DW_AT_call_line, 0);
	} else {
		read_function(n, die, node);
	}
	/* Most nodes without ranges are declarations, which will be dropped. */
	return !node->range_count ||
	       read_name(n->s, n->u, die, n->unit, &node->name);
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
		die = gsym_libdwarf_die_at(n->s, n->u, node->die);
		if (!die)
			continue;
		fine = read_name(n->s, n->u, die, n->unit, &node->name);
		dwarf_dealloc_die(die);
		if (!fine)
			return false;
	}
	return true;
}

/* Fill the nodes, calls and variables of UNIT.  False without memory. */
static bool read_nodes(struct libdwarf *s, struct libdwarf_unit *u,
		       struct dw_unit *unit)
{
	uint64_t bytes = u->h.end - u->h.die;
	struct nodes n;

	if (!dw_unit_take(unit, DW_CUT_DIES, bytes * DW_COST_DIE_BYTE))
		return true;
	n.s = s;
	n.u = u;
	n.unit = unit;
	if (!gsym_libdwarf_walk(s, u, visit_node, &n, unit) ||
	    !drop_empty(&n) || !name_parents(&n))
		return false;
	gsym_dw_unit_unwrap(unit);
	return true;
}

/* ---- split units --------------------------------------------------------- */

static const char *split_name(struct libdwarf *s, Dwarf_Die die)
{
	const char *name = gsym_libdwarf_string(s, die, DW_AT_dwo_name);

	return name ? name : gsym_libdwarf_string(s, die, DW_AT_GNU_dwo_name);
}

/* The unit with ID, of a skeleton and its split unit; NULL: none. */
static struct libdwarf_unit *find_unit(struct libdwarf *s, uint64_t id)
{
	for (size_t i = 0; i < s->units.count; i++)
		if (s->units.items[i].h.has_id && s->units.items[i].h.id == id)
			return &s->units.items[i];
	return NULL;
}

static void libdwarf_close(void *self)
{
	gsym_libdwarf_stop(self);
}

/* Read the nodes of the skeleton's split unit, if SPLIT holds it. */
static bool read_candidate(void *context, const struct dw_header *skeleton,
			   struct dw_split *split, struct dw_unit *unit,
			   bool *found)
{
	const struct libdwarf *main = context;
	struct dw_package types = { .main = main->container,
				    .skeleton = skeleton };
	struct libdwarf *s = NULL;
	struct libdwarf_unit *own;
	bool fine = true;

	switch (gsym_libdwarf_start(&split->container, true, NULL, &s, NULL)) {
	case GSYM_OK:
		break;
	case GSYM_ERR_MEMORY:
		return false;
	default:
		return true;
	}
	own = find_unit(s, skeleton->id);
	if (own) {
		own->h.low_pc = skeleton->low_pc;
		*found = true;
		if (!split->file)
			s->package = &types;
		if (gsym_dw_split_pay(skeleton, split, unit,
				      dw_unit_bytes(&own->h)))
			fine = read_nodes(s, own, unit) && !types.no_memory;
	}
	gsym_dw_package_close(&types, libdwarf_close);
	gsym_libdwarf_stop(s);
	return fine;
}

/* Read the nodes of the split unit of U, whose unit DIE is DIE.  *FOUND is
 * false if U is no skeleton or the .dwo file is missing.  False without
 * memory. */
static bool read_split(struct libdwarf *s, struct libdwarf_unit *u,
		       Dwarf_Die die, struct dw_unit *unit, bool *found)
{
	u->h.split_name = split_name(s, die);
	u->h.comp_dir = gsym_libdwarf_string(s, die, DW_AT_comp_dir);
	*found = false;
	return !u->h.split_name ||
	       gsym_dw_split_read(s->container, &u->h, read_candidate, s, unit,
				  found);
}

/* ---- the reader ---------------------------------------------------------- */

static enum gsym_status libdwarf_open(const struct gsym_container *container,
				      bool few, unsigned threads,
				      struct dw_unit *outside, void **self,
				      struct gsym_error *error)
{
	struct libdwarf *s = NULL;
	enum gsym_status status =
		gsym_libdwarf_start(container, false, outside, &s, error);

	(void)few, (void)threads;
	*self = s;
	return status;
}

static size_t unit_count(void *self)
{
	const struct libdwarf *s = self;

	return s->units.count;
}

static const struct dw_header *unit_header(void *self, size_t index)
{
	const struct libdwarf *s = self;

	return &s->units.items[index].h;
}

/* ---- claims ------------------------------------------------------------- */

/* Add the claim of ARANGE, a pair of .debug_aranges.  False without memory. */
static bool claim_arange(struct libdwarf *s, Dwarf_Arange arange,
			 struct dw_claims *claims, bool *has_set)
{
	Dwarf_Unsigned length;
	struct libdwarf_unit *u;
	Dwarf_Off offset;
	Dwarf_Addr start;

	if (!libdwarf_ok(s, dwarf_get_arange_cu_header_offset, arange,
			 &offset) ||
	    !libdwarf_ok(s, dwarf_get_arange_info_b, arange, NULL, NULL, &start,
			 &length, NULL))
		return true;
	u = gsym_libdwarf_unit_at(s, offset);
	if (!u || u->h.offset != offset)
		return true;
	has_set[u - s->units.items] = true;
	return gsym_dw_claim_add(claims, (uint32_t)(u - s->units.items),
				 libdwarf_code(s, u), start, start + length);
}

static enum gsym_status claim_aranges(void *self, struct dw_claims *claims,
				      bool *has_set, struct dw_unit *outside)
{
	struct libdwarf *s = self;
	Dwarf_Arange *aranges;
	Dwarf_Signed count;
	bool fine = true;

	if (!s->dbg ||
	    !libdwarf_read(s, outside, GSYM_WARN_BAD_UNIT, ".debug_aranges", 0,
			   dwarf_get_aranges, s->dbg, &aranges, &count))
		return GSYM_OK;
	for (Dwarf_Signed i = 0; i < count; i++) {
		fine = fine && claim_arange(s, aranges[i], claims, has_set);
		dwarf_dealloc(s->dbg, aranges[i], DW_DLA_ARANGE);
	}
	dwarf_dealloc(s->dbg, aranges, DW_DLA_LIST);
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

static enum gsym_status unit_ranges(void *self, size_t index,
				    struct gsym_range_set *ranges,
				    struct dw_unit *outside)
{
	struct libdwarf *s = self;
	struct libdwarf_unit *u = &s->units.items[index];
	Dwarf_Die die = gsym_libdwarf_die_at(s, u, u->h.die);
	bool fine;

	if (!die)
		return GSYM_OK;
	fine = gsym_libdwarf_read_ranges(s, u, die, false, ranges, outside);
	dwarf_dealloc_die(die);
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

/* ---- units -------------------------------------------------------------- */

static enum gsym_status read_unit(void *self, size_t index,
				  struct dw_unit *unit)
{
	struct libdwarf *s = self;
	struct libdwarf_unit *u = &s->units.items[index];
	Dwarf_Die die = gsym_libdwarf_die_at(s, u, u->h.die);
	bool fine = true, found = false;

	unit->offset = u->h.offset;
	if (die) {
		fine = gsym_libdwarf_read_lines(s, u, die, unit) &&
		       read_split(s, u, die, unit, &found);
		dwarf_dealloc_die(die);
	}
	if (fine && !found)
		fine = read_nodes(s, u, unit);
	return fine ? GSYM_OK : GSYM_ERR_MEMORY;
}

const struct dw_reader gsym_libdwarf_reader = {
	.open = libdwarf_open,
	.close = libdwarf_close,
	.unit_count = unit_count,
	.unit = unit_header,
	.aranges = claim_aranges,
	.unit_ranges = unit_ranges,
	.read_unit = read_unit,
};
