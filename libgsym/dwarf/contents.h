/* SPDX-License-Identifier: MIT */
/*
 * dwarf/contents.h - memory for reading units, and what is kept of a unit that
 * was read until it is handed over.
 *
 * Units are read at once and wait for the units before them.  Reading a unit
 * takes many times the memory of what is kept of it.  So a thread has that
 * memory, and uses it for one unit after another.
 */
#ifndef GSYM_DWARF_CONTENTS_H
#define GSYM_DWARF_CONTENTS_H

#include "base/order.h"
#include "dwarf/resolve.h"

/** The records of a unit, and its measured names.  Entry 0 of the names is no
 *  name. */
struct dw_contents {
	struct dw_result result;
	struct {
		GSYM_VEC(struct gsym_text);
	} texts;
	/** In packed contents: the ranges that the resolver has noted. */
	struct dw_unclaimed_list unclaimed;
};

/** Memory for reading and resolving one unit after another. */
struct dw_reading {
	struct dw_resolver *resolver;
	struct dw_contents contents;
	/** The nodes, calls, ranges and lines of a unit that is not being
	 *  read; all else is zeroed. */
	struct dw_unit arrays;
};

/** NULL without memory. */
struct dw_reading *gsym_dw_reading_new(void);
void gsym_dw_reading_free(struct dw_reading *reading);
/** Exchange the nodes, calls, ranges and lines of READING for those of UNIT. */
void gsym_dw_reading_swap(struct dw_reading *reading, struct dw_unit *unit);

/** Let RET, which cannot grow, have copies of the contents of FROM.  Returns
 *  their memory, to be freed; NULL without memory. */
void *gsym_dw_contents_pack(const struct dw_reading *from,
			    struct dw_contents *ret);

#endif
