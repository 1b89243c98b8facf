/* SPDX-License-Identifier: MIT */
/*
 * dwarf/walk.h - the DIEs of a unit, one after another.
 *
 *	struct dw_walk w = dw_walk_init(header);
 *	while ((abbrev = dw_walk_next(&w)))
 *		if (abbrev->tag == DW_TAG_subprogram)
 *			dw_walk_read(&w, abbrev, &attributes);
 *		else
 *			dw_walk_skip(&w, abbrev, false);
 */
#ifndef GSYM_DWARF_WALK_H
#define GSYM_DWARF_WALK_H

#include "dwarf/abbrev.h"

struct dw_walk {
	struct gsym_cursor c;
	const struct dw_header *header;
	uint64_t die;   /**< offset of the DIE at hand */
	uint32_t depth; /**< its depth; 0 for the unit DIE */
	uint32_t next;  /**< depth of the next DIE */
};

static inline struct dw_walk dw_walk_init(const struct dw_header *header)
{
	struct dw_walk w = { .c = header->sections->info, .header = header };

	gsym_cursor_seek(&w.c, header->die);
	w.c.end = w.c.start + header->end;
	return w;
}

/** The next DIE's abbreviation; the cursor stands at its attributes.  NULL
 *  at the end, and when the tree breaks off: then the cursor has failed. */
static inline const struct dw_abbrev *dw_walk_next(struct dw_walk *w)
{
	while (w->c.at < w->c.end) {
		const struct dw_abbrev *abbrev;
		uint64_t code;

		w->die = gsym_cursor_offset(&w->c);
		code = gsym_cursor_uleb(&w->c);
		if (!code) {
			/* A list of siblings ends; with that of the unit
			 * DIE's children ends the tree. */
			if (w->next <= 1)
				return NULL;
			w->next--;
			continue;
		}
		abbrev = dw_abbrev_find(w->header->abbrevs, code);
		if (!abbrev)
			gsym_cursor_fail(&w->c);
		w->depth = w->next;
		return w->c.failed ? NULL : abbrev;
	}
	/* Trailing zeros may be missing, DIEs may not. */
	if (!w->c.failed && w->next > 1)
		gsym_cursor_fail(&w->c);
	return NULL;
}

static inline void dw_walk_enter(struct dw_walk *w,
				 const struct dw_abbrev *abbrev)
{
	/* A unit DIE without children is the whole tree. */
	if (abbrev->has_children)
		w->next++;
	else if (!w->next)
		w->c.end = w->c.at;
}

/** Read the attributes of the DIE at hand and enter its children. */
static inline void dw_walk_read(struct dw_walk *w,
				const struct dw_abbrev *abbrev,
				struct dw_attributes *ret)
{
	gsym_dw_abbrev_read(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, ret);
	dw_walk_enter(w, abbrev);
}

/** Step over the attributes of the DIE at hand and, if LEAVE_CHILDREN and
 *  DW_AT_sibling permit, over its children; else enter them. */
static inline void dw_walk_skip(struct dw_walk *w,
				const struct dw_abbrev *abbrev,
				bool leave_children)
{
	uint64_t sibling = 0, here;

	gsym_dw_abbrev_skip(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, &sibling);
	here = gsym_cursor_offset(&w->c) - w->header->offset;
	if (leave_children && sibling >= here && !w->c.failed &&
	    sibling <= w->header->end - w->header->offset)
		w->c.at = w->c.start + w->header->offset + sibling;
	else
		dw_walk_enter(w, abbrev);
}

#endif
