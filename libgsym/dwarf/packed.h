/* SPDX-License-Identifier: MIT */
/*
 * dwarf/packed.h - the type units that a split unit of a package refers to.
 *
 * In a package (.dwp) each type unit lies on its own, and there may be more of
 * them than anybody wants to read for a few names: they are opened as they are
 * asked for, by their signatures.  For one worker.
 */
#ifndef GSYM_DWARF_PACKED_H
#define GSYM_DWARF_PACKED_H

#include "dwarf/info.h"
#include "dwarf/split.h"

struct dw_packed {
	/** The program with the package, the skeleton of the split unit, and
	 *  the supplementary file (NULL: none). */
	const struct gsym_container *main;
	const struct dw_skeleton *skeleton;
	const struct dw_info *alternate;
	struct { GSYM_VEC(struct dw_packed_type *); } types;
	bool no_memory;
};

/** Have references of the units of INFO lead to PACKED, too. */
void gsym_dw_packed_attach(struct dw_packed *packed, struct dw_info *info);
void gsym_dw_packed_close(struct dw_packed *packed);

#endif
