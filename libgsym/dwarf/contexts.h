/* SPDX-License-Identifier: MIT */
/*
 * dwarf/contexts.h - the scopes of a unit that qualify names: namespaces,
 * classes, functions.  For the second reader, which walks a unit once and
 * reports its DIEs in order; the first reader has scopes.h.
 */
#ifndef GSYM_DWARF_CONTEXTS_H
#define GSYM_DWARF_CONTEXTS_H

#include "base/vec.h"

#include <stdint.h>

/** A zeroed struct is empty. */
struct dw_contexts {
	/** By offset.  The DIEs inside a context are those in (DIE, END). */
	GSYM_VEC(struct dw_context {
		uint64_t die;
		uint64_t end;
		uint32_t parent; /**< index of the context around; or none */
	});
	/** The contexts that the walk is inside of, outermost first. */
	struct {
		GSYM_VEC(struct dw_open_context {
			uint32_t context; /**< its index */
			unsigned depth;	  /**< of its DIE */
		});
	} open;
};

bool gsym_dw_contexts_enter(struct dw_contexts *contexts, uint64_t die,
			    unsigned depth, unsigned tag, bool has_children);

/** Report the next DIE of the walk: its offset, its depth below the unit DIE,
 *  its tag, and whether it may have children, which have to follow before its
 *  siblings do.  False without memory. */
static inline bool dw_contexts_visit(struct dw_contexts *contexts, uint64_t die,
				     unsigned depth, unsigned tag,
				     bool has_children)
{
	size_t count = contexts->open.count;

	/* Nearly all DIEs neither begin a context nor end one. */
	if (!has_children &&
	    (!count || contexts->open.items[count - 1].depth < depth))
		return true;
	return gsym_dw_contexts_enter(contexts, die, depth, tag, has_children);
}
/** End the walk: the unit ends at offset END. */
void gsym_dw_contexts_end(struct dw_contexts *contexts, uint64_t end);
void gsym_dw_contexts_fini(struct dw_contexts *contexts);

/** The offset of the innermost context around the DIE at offset DIE; 0 if
 *  there is none (a unit header is at 0, and no DIE). */
uint64_t gsym_dw_contexts_find(const struct dw_contexts *contexts,
			       uint64_t die);

#endif
