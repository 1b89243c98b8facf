/* SPDX-License-Identifier: MIT */
/*
 * dwarf/scopes.h - the contexts of a unit that qualify names (namespaces,
 * classes, functions), found when they are needed.
 *
 * A scope is a context, or the whole unit.  The contexts directly inside of a
 * scope are listed when the first DIE inside of it is looked for.  Where DIEs
 * have a DW_AT_sibling, most of the unit is never walked.
 */
#ifndef GSYM_DWARF_SCOPES_H
#define GSYM_DWARF_SCOPES_H

#include "base/vec.h"
#include "dwarf/sections.h"

struct dw_unit;

/** A zeroed struct is empty; gsym_vec_fini frees it. */
struct dw_scopes {
	GSYM_VEC(struct dw_scope {
		uint64_t die; /**< offset of its DIE */
		/** The DIEs inside of the scope are those in (DIE, END). */
		uint64_t end;
		uint32_t depth; /**< of its DIE; 0 for the unit */
		bool listed;	/**< FIRST and COUNT are known */
		uint32_t first; /**< the first scope directly inside */
		uint32_t count; /**< how many are directly inside */
	});
};

/** Set *RET to the offset of the innermost context around the DIE at offset DIE
 *  of the unit at HEADER; 0 if there is none, and beyond the budget of PAYER.
 *  False without memory. */
bool gsym_dw_scopes_find(struct dw_scopes *scopes,
			 const struct dw_header *header, uint64_t die,
			 struct dw_unit *payer, uint64_t *ret);

#endif
