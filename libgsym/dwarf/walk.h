/* SPDX-License-Identifier: MIT */
/*
 * dwarf/walk.h - goes through the DIEs of a unit in order, and stops at those
 * of some kinds.
 *
 *	struct dw_walk w = dw_walk_init(header, header->die);
 *	while ((abbrev = gsym_dw_walk_find(&w, KINDS)))
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
	uint32_t depth; /**< depth of the last DIE; 0 for the first DIE */
	uint32_t next;  /**< depth of the next DIE */
	/** The lowest depth that the walk came back to between the last two
	 *  DIEs: DIEs at this depth or below have ended. */
	uint32_t low;
	/** Kinds of DIEs whose children are stepped over, too, where a
	 *  DW_AT_sibling says where they end; and kinds for which this is so
	 *  outside of functions only. */
	unsigned leave, leave_outside;
	/** The depth of the outermost function around the last DIE, or of that
	 *  DIE if it is one; UINT32_MAX: there is none. */
	uint32_t function;
};

/** A walk over the DIE at offset DIE of the unit at HEADER, and all DIEs in
 *  it. */
static inline struct dw_walk dw_walk_init(const struct dw_header *header,
					  uint64_t die)
{
	struct dw_walk w = { .c = header->sections->info, .header = header };

	gsym_cursor_seek(&w.c, die);
	w.c.end = w.c.start + header->end;
	return w;
}

/** Go on to the next DIE of one of KINDS (enum dw_kind); other DIEs are stepped
 *  over, and their children are not, unless W->leave says so.  Returns the
 *  abbreviation of the DIE, whose attributes have to be read or skipped before
 *  the next call.  NULL at the end of the tree, and if the tree breaks off: the
 *  cursor has failed then. */
const struct dw_abbrev *gsym_dw_walk_find(struct dw_walk *w, unsigned kinds);

/** Step over the children of the last DIE if they come next: its attributes
 *  were read or skipped.  W->die is an offset among the children then. */
void gsym_dw_walk_leave(struct dw_walk *w);

/** Note that the children of the last DIE come next, if it has any. */
static inline void dw_walk_enter(struct dw_walk *w,
				 const struct dw_abbrev *abbrev)
{
	if (abbrev->has_children)
		w->next++;
	else if (!w->next)
		w->c.end = w->c.at; /* the first DIE is the whole tree */
}

/** Where the children of a DIE end whose attributes end at AT, and whose
 *  DW_AT_sibling is SIBLING, 0 for none; NULL if that is not known. */
static inline const uint8_t *dw_walk_sibling(const struct dw_walk *w,
					     const uint8_t *at,
					     uint64_t sibling)
{
	const struct dw_header *header = w->header;
	uint64_t here = (uint64_t)(at - w->c.start) - header->offset;

	/* A sibling before this place would make an endless loop. */
	return sibling >= here && sibling <= header->end - header->offset
		       ? w->c.start + header->offset + sibling
		       : NULL;
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
	const uint8_t *end = NULL;
	uint64_t sibling = 0;

	gsym_dw_abbrev_skip(w->header->abbrevs, abbrev, &w->c,
			    w->header->encoding, &sibling);
	if (leave_children && !w->c.failed)
		end = dw_walk_sibling(w, w->c.at, sibling);
	if (end)
		w->c.at = end;
	else
		dw_walk_enter(w, abbrev);
}

#endif
