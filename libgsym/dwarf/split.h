/* SPDX-License-Identifier: MIT */
/*
 * dwarf/split.h - finds the split unit of a skeleton: in a .dwo file, or in a
 * package of .dwo files (.dwp).
 *
 * Either becomes a container in which the split unit looks like any other
 * unit.  Its sections have their plain names.  .debug_addr and .debug_ranges,
 * which the linker left with the skeleton, are cut so that the unit's part is
 * where units without the attributes for it look: after the section's header
 * in DWARF 5, at offset 0 before.  DW_AT_low_pc, the line table and the
 * compilation directory are the skeleton's; readers take them from there.
 */
#ifndef GSYM_DWARF_SPLIT_H
#define GSYM_DWARF_SPLIT_H

#include "dwarf/unit.h"
#include "container/container.h"

#include <string.h>

/** The attributes of a skeleton unit. */
struct dw_skeleton {
	const char *name;      /**< DW_AT_dwo_name */
	const char *directory; /**< DW_AT_comp_dir; NULL: none */
	uint64_t offset;       /**< of its header, for messages */
	uint64_t id;	       /**< the split unit has the same ID */
	unsigned version;
	unsigned offset_size;
	uint64_t addr_base;
	uint64_t ranges_base;
	bool repeated; /**< an earlier skeleton has the same ID */
	bool follows;  /**< the skeleton before this one names the same file */
};

/** Whether A and B, names or folders of skeletons, are equal; NULL is equal to
 *  NULL alone. */
static inline bool dw_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

struct dw_split {
	struct gsym_container container;
	/** The .dwo file that the sections lie in, freed with the split;
	 *  NULL: they lie in the package. */
	struct gsym_container *file;
	/** The work of opening it that is not yet paid for. */
	uint64_t price;
};

/**
 * Open the candidate N, from 0 on, for the split unit of SKELETON, which is in
 * the program MAIN: the package, then each .dwo file that may be meant.  The
 * candidate is the right one if it has a unit with the ID of SKELETON.
 *
 * GSYM_NOT_FOUND: there is no candidate N, and none after it.
 * GSYM_ERR_MEMORY: no memory.  Any other failure: this candidate cannot be
 * used; the next one may be.
 */
enum gsym_status gsym_dw_split_open(const struct gsym_container *main,
				    const struct dw_skeleton *skeleton,
				    unsigned n, struct dw_split *ret);
void gsym_dw_split_close(struct dw_split *split);

/** Open the type unit with SIGNATURE, which the split unit of SKELETON refers
 *  to, from the package of MAIN.  GSYM_ERR_FORMAT: the package does not have
 *  it. */
enum gsym_status gsym_dw_split_open_type(const struct gsym_container *main,
					 const struct dw_skeleton *skeleton,
					 uint64_t signature,
					 struct dw_split *ret);

enum {
	/** Type units of a package that are opened for one split unit.  Each
	 *  costs reading its abbreviations, and only source names need any. */
	DW_SPLIT_MAX_TYPES = 64,
};

/** Let UNIT, which was found in SPLIT by SKELETON and has SIZE bytes there, do
 *  the work of a split unit, and take the price of SPLIT.  False beyond the
 *  budget: UNIT stays without nodes. */
bool gsym_dw_split_pay(const struct dw_skeleton *skeleton,
		       struct dw_split *split, struct dw_unit *unit,
		       uint64_t size);

/** Read the nodes of the split unit of SKELETON into UNIT, if SPLIT holds that
 *  unit and gsym_dw_split_pay agrees; *FOUND, which is false, tells whether
 *  SPLIT holds it.  False without memory. */
typedef bool dw_split_read_fn(void *context, const struct dw_skeleton *skeleton,
			      struct dw_split *split, struct dw_unit *unit,
			      bool *found);

/** Call READ for the candidates for the split unit of SKELETON, which is in
 *  MAIN, until one is the right one.  If none is, the .dwo file is missing, or
 *  the budget of UNIT does not allow to open more: UNIT gets a warning, and
 *  *FOUND is false: the reader reads the DIEs of the skeleton then.  False
 *  without memory. */
bool gsym_dw_split_read(const struct gsym_container *main,
			const struct dw_skeleton *skeleton,
			dw_split_read_fn *read, void *context,
			struct dw_unit *unit, bool *found);

#endif
