/* SPDX-License-Identifier: MIT */
/* Errors, attributes and the tree of DIEs, by libdwarf; the contexts in which
 * DIEs lie. */
#include "second/libdwarf.h"

#include "base/order.h"

#include <inttypes.h>

/* ---- errors -------------------------------------------------------------- */

bool gsym_libdwarf_checked(struct libdwarf *s, int result, Dwarf_Error error,
			   struct dw_unit *unit, enum gsym_warning kind,
			   const char *what, uint64_t offset)
{
	if (result == DW_DLV_ERROR && unit)
		gsym_dw_unit_warn(unit, kind, "%s at offset 0x%" PRIx64 ": %s",
				  what, offset,
				  error ? dwarf_errmsg(error) : "damaged");
	if (result == DW_DLV_ERROR && error)
		dwarf_dealloc_error(s->dbg, error);
	return result == DW_DLV_OK;
}

/* ---- attributes --------------------------------------------------------- */

bool gsym_libdwarf_attribute(struct libdwarf *s, Dwarf_Die die, unsigned name,
			     Dwarf_Attribute *attribute)
{
	return libdwarf_ok(s, dwarf_attr, die, (Dwarf_Half)name, attribute);
}

unsigned gsym_libdwarf_form(struct libdwarf *s, Dwarf_Attribute attribute)
{
	Dwarf_Half form = 0;

	return libdwarf_ok(s, dwarf_whatform, attribute, &form) ? form : 0;
}

/* libdwarf has one function for unsigned forms and one for signed forms. */
bool gsym_libdwarf_constant_value(struct libdwarf *s, Dwarf_Attribute attribute,
				  uint64_t *ret)
{
	Dwarf_Unsigned unsigned_value;
	Dwarf_Signed signed_value;

	if (libdwarf_ok(s, dwarf_formudata, attribute, &unsigned_value)) {
		*ret = unsigned_value;
		return true;
	}
	if (!libdwarf_ok(s, dwarf_formsdata, attribute, &signed_value) ||
	    signed_value < 0)
		return false;
	*ret = (uint64_t)signed_value;
	return true;
}

/* The address with INDEX of a split unit's .debug_addr, which libdwarf does not
 * know to be the program's.  From DWARF 5 on addresses begin after a
 * header. */
static bool split_address(struct libdwarf *s, uint64_t index, uint64_t *ret)
{
	struct gsym_cursor c =
		gsym_container_named(s->container, ".debug_addr");
	const struct dw_encoding *e;

	if (!s->units.count || index > UINT32_MAX)
		return false;
	e = &s->units.items[0].h.encoding;
	gsym_cursor_seek(&c, (e->version < 5 ? 0 : e->offset_size * 2u) +
				     index * e->address_size);
	*ret = gsym_cursor_uint(&c, e->address_size);
	return !c.failed;
}

bool gsym_libdwarf_address_value(struct libdwarf *s, Dwarf_Attribute attribute,
				 uint64_t *ret)
{
	unsigned form = gsym_libdwarf_form(s, attribute);
	Dwarf_Unsigned index;
	Dwarf_Addr address;

	if (s->split && dwarf_addr_form_is_indexed((int)form))
		return libdwarf_ok(s, dwarf_get_debug_addr_index, attribute,
				   &index) &&
		       split_address(s, index, ret);
	if (!libdwarf_ok(s, dwarf_formaddr, attribute, &address))
		return false;
	*ret = address;
	return true;
}

bool gsym_libdwarf_indexed_address(struct libdwarf *s, Dwarf_Die die,
				   uint64_t index, uint64_t *ret)
{
	Dwarf_Addr address;

	if (s->split)
		return split_address(s, index, ret);
	if (!libdwarf_ok(s, dwarf_debug_addr_index_to_addr, die, index,
			 &address))
		return false;
	*ret = address;
	return true;
}

struct dw_constant gsym_libdwarf_constant(struct libdwarf *s, Dwarf_Die die,
					  unsigned name)
{
	struct dw_constant constant = { .present = false };
	Dwarf_Attribute attribute;

	if (!gsym_libdwarf_attribute(s, die, name, &attribute))
		return constant;
	constant.present = true;
	constant.valid =
		gsym_libdwarf_constant_value(s, attribute, &constant.value);
	dwarf_dealloc_attribute(attribute);
	return constant;
}

bool gsym_libdwarf_address(struct libdwarf *s, Dwarf_Die die, unsigned name,
			   uint64_t *ret)
{
	Dwarf_Attribute attribute;
	bool found;

	if (!gsym_libdwarf_attribute(s, die, name, &attribute))
		return false;
	found = gsym_libdwarf_address_value(s, attribute, ret);
	dwarf_dealloc_attribute(attribute);
	return found;
}

bool gsym_libdwarf_section_offset(struct libdwarf *s, Dwarf_Die die,
				  unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Off offset;
	bool found;

	if (!gsym_libdwarf_attribute(s, die, name, &attribute))
		return false;
	found = libdwarf_ok(s, dwarf_global_formref, attribute, &offset);
	if (found)
		*ret = offset;
	dwarf_dealloc_attribute(attribute);
	return found;
}

uint64_t gsym_libdwarf_offset(struct libdwarf *s, Dwarf_Die die)
{
	Dwarf_Off offset = 0;

	return libdwarf_ok(s, dwarf_dieoffset, die, &offset) ? offset : 0;
}

Dwarf_Die gsym_libdwarf_die_at(struct libdwarf *s,
			       const struct libdwarf_unit *u, uint64_t offset)
{
	Dwarf_Die die;

	return libdwarf_ok(s, dwarf_offdie_b, s->dbg, offset, !u->is_types,
			   &die)
		       ? die
		       : NULL;
}

uint64_t gsym_libdwarf_number(const struct libdwarf *s, const Dwarf_Sig8 *bytes)
{
	return gsym_load_u64((const uint8_t *)bytes->signature,
			     s->container->big_endian != GSYM_HOST_BIG_ENDIAN);
}

/* ---- strings ------------------------------------------------------------ */

/* A string of the supplementary file, which ATTRIBUTE has as an offset.
 * libdwarf reads it only if the two files are tied, which has side effects. */
static const char *alternate_string(struct libdwarf *s,
				    Dwarf_Attribute attribute)
{
	const struct gsym_container *alternate = s->container->alternate;
	struct gsym_cursor c;
	Dwarf_Off offset;

	if (!alternate ||
	    !libdwarf_ok(s, dwarf_global_formref, attribute, &offset))
		return NULL;
	c = gsym_container_named(alternate, ".debug_str");
	gsym_cursor_seek(&c, offset);
	return gsym_cursor_string(&c);
}

const char *gsym_libdwarf_string(struct libdwarf *s, Dwarf_Die die,
				 unsigned name)
{
	Dwarf_Attribute attribute;
	const char *text = NULL;
	unsigned form;
	char *string;

	if (!gsym_libdwarf_attribute(s, die, name, &attribute))
		return NULL;
	form = gsym_libdwarf_form(s, attribute);
	if (form == DW_FORM_GNU_strp_alt || form == DW_FORM_strp_sup)
		text = alternate_string(s, attribute);
	else if (libdwarf_ok(s, dwarf_formstring, attribute, &string))
		text = string;
	dwarf_dealloc_attribute(attribute);
	return text && *text ? text : NULL;
}

/* ---- the tree ----------------------------------------------------------- */

struct walk {
	struct libdwarf *s;
	const struct libdwarf_unit *u;
	struct dw_unit *unit;
	unsigned depth;
	Dwarf_Die open[DW_MAX_DEPTH]; /* the DIE and its ancestors, by depth */
};

/* Go to the next DIE; false at the end, and after damage. */
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
	return gsym_libdwarf_checked(
		w->s, res, error, w->unit, GSYM_WARN_BAD_DIE,
		".debug_info: after the DIE",
		gsym_libdwarf_offset(w->s, w->open[w->depth]));
}

bool gsym_libdwarf_walk(struct libdwarf *s, const struct libdwarf_unit *u,
			libdwarf_visit_fn *visit, void *context,
			struct dw_unit *unit)
{
	struct walk w;
	bool going = true;

	w.s = s;
	w.u = u;
	w.unit = unit;
	w.depth = 0;
	w.open[0] = gsym_libdwarf_die_at(s, u, u->h.die);
	if (!w.open[0])
		return true;
	do {
		Dwarf_Die die = w.open[w.depth];
		Dwarf_Half tag = 0;

		going = visit(context, die,
			      libdwarf_ok(s, dwarf_tag, die, &tag) ? tag : 0,
			      w.depth);
	} while (going && step(&w));
	for (unsigned i = 0; i <= w.depth; i++)
		dwarf_dealloc_die(w.open[i]);
	return going;
}

/* ---- contexts ------------------------------------------------------------ */

/* Close the contexts that a DIE at offset DIE and DEPTH is outside of. */
static void close_contexts(struct libdwarf_contexts *contexts, uint64_t die,
			   unsigned depth)
{
	while (contexts->open) {
		struct libdwarf_context *innermost =
			&contexts->items[contexts->open - 1];

		if (innermost->depth < depth)
			break;
		innermost->end = die;
		contexts->open = innermost->parent;
	}
}

bool gsym_libdwarf_contexts_visit(struct libdwarf_contexts *contexts,
				  uint64_t die, unsigned depth, unsigned tag)
{
	close_contexts(contexts, die, depth);
	if (!gsym_dw_is_context(tag) || depth >= DW_MAX_DEPTH)
		return true;
	if (!gsym_vec_add(contexts, (struct libdwarf_context){
					    .die = die,
					    .depth = depth,
					    .parent = contexts->open }))
		return false;
	contexts->open = (uint32_t)contexts->count;
	return true;
}

void gsym_libdwarf_contexts_end(struct libdwarf_contexts *contexts,
				uint64_t end)
{
	close_contexts(contexts, end, 0);
}

uint64_t gsym_libdwarf_contexts_find(const struct libdwarf_contexts *contexts,
				     uint64_t die)
{
	uint32_t at = (uint32_t)GSYM_FIRST(i, 0, contexts->count,
					   contexts->items[i].die >= die);

	/* A context that has ended leads to the context around it. */
	while (at && contexts->items[at - 1].end <= die)
		at = contexts->items[at - 1].parent;
	return at ? contexts->items[at - 1].die : 0;
}
