/* SPDX-License-Identifier: MIT */
/*
 * dwarf/walk.h - goes through the DIEs of a unit in order.
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
	uint64_t die;	/**< offset of the last DIE in its section */
	uint32_t depth; /**< depth of the last DIE; 0 for the unit DIE */
	uint32_t next;  /**< depth of the next DIE */
};

static inline struct dw_walk dw_walk_init(const struct dw_header *header)
{
	struct dw_walk w = { .c = header->sections->info, .header = header };

	gsym_cursor_seek(&w.c, header->die);
	w.c.end = w.c.start + header->end;
	return w;
}

/** The abbreviation of the next DIE; its attributes have to be read or skipped
 *  before the next call.  NULL at the end of the tree, and if the tree breaks
 *  off: the cursor has failed then. */
static inline const struct dw_abbrev *dw_walk_next(struct dw_walk *w)
{
	while (w->c.at < w->c.end) {
		const struct dw_abbrev *abbrev;
		uint64_t code;

		w->die = gsym_cursor_offset(&w->c);
		code = gsym_cursor_uleb(&w->c);
		if (!code) {
			/* A list of children ends; the tree ends with the
			 * children of the unit DIE. */
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
	/* The zero after the children of the unit DIE may be missing. */
	if (!w->c.failed && w->next > 1)
		gsym_cursor_fail(&w->c);
	return NULL;
}

/** Note that the children of the last DIE come next, if it has any. */
static inline void dw_walk_enter(struct dw_walk *w,
				 const struct dw_abbrev *abbrev)
{
	if (abbrev->has_children)
		w->next++;
	else if (!w->next)
		w->c.end = w->c.at; /* the unit DIE is the whole tree */
}

/** Read the attributes of the last DIE; its children come next. */
static inline void dw_walk_read(struct dw_walk *w,
				const struct dw_abbrev *abbrev,
				struct dw_attributes *ret)
{
	gsym_dw_abbrev_read(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, ret);
	dw_walk_enter(w, abbrev);
}

/** Step over the attributes of the last DIE and, if LEAVE_CHILDREN and the DIE
 *  has a DW_AT_sibling, over its children.  Else its children come next. */
static inline void dw_walk_skip(struct dw_walk *w,
				const struct dw_abbrev *abbrev,
				bool leave_children)
{
	uint64_t sibling = 0, here;

	gsym_dw_abbrev_skip(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, &sibling);
	here = gsym_cursor_offset(&w->c) - w->header->offset;
	/* A sibling before this place would make an endless loop. */
	if (leave_children && sibling >= here && !w->c.failed &&
	    sibling <= w->header->end - w->header->offset)
		w->c.at = w->c.start + w->header->offset + sibling;
	else
		dw_walk_enter(w, abbrev);
}

#endif
