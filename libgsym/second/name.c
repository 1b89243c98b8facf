/* SPDX-License-Identifier: MIT */
/* Names and declarations of DIEs, found along their references by libdwarf. */
#include "second/libdwarf.h"

#include "dwarf/policy.h"

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
	struct gsym_cursor c = gsym_container_cursor(
		s->container,
		gsym_container_section(s->container, ".debug_info"));
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

bool gsym_libdwarf_read_name(struct libdwarf *s, struct libdwarf_unit *u,
			     Dwarf_Die die, struct dw_unit *unit,
			     struct dw_name *ret)
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

struct dw_declaration gsym_libdwarf_read_declaration(struct libdwarf *s,
						     struct libdwarf_unit *u,
						     Dwarf_Die die)
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
