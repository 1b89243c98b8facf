/* SPDX-License-Identifier: MIT */
/*
 * dwarf/packed.h - opens the type units of a package (.dwp) that one split unit
 * refers to.
 *
 * A package may have thousands of type units, and few are needed for names: so
 * a type unit is opened when a reference to its signature is followed.  Not
 * thread-safe.
 */
#ifndef GSYM_DWARF_PACKED_H
#define GSYM_DWARF_PACKED_H

#include "dwarf/info.h"
#include "dwarf/split.h"

struct dw_packed {
	const struct gsym_container *main;  /**< the program */
	const struct dw_skeleton *skeleton; /**< of the split unit */
	const struct dw_info *alternate;    /**< supplementary; NULL: none */
	struct { GSYM_VEC(struct dw_packed_type *); } types;
	bool no_memory;
};

/** Let references of the units of INFO lead to type units of PACKED, too.
 *  PACKED has to outlive the use of INFO. */
void gsym_dw_packed_attach(struct dw_packed *packed, struct dw_info *info);
void gsym_dw_packed_close(struct dw_packed *packed);

#endif
