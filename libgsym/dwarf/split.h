/* SPDX-License-Identifier: MIT */
/*
 * dwarf/split.h - the rest of a skeleton unit: a split unit in a .dwo file or
 * in a package of them (.dwp).
 *
 * Either becomes a container in which the unit looks like any other: its
 * sections have their plain names, and of .debug_addr and .debug_ranges,
 * which stayed behind with the skeleton, there is the unit's part, so that
 * the bases of DWARF 5 without attributes, and 0 before, hold.  What the
 * skeleton alone knows is for the reader to see to: DW_AT_low_pc, the line
 * table and the compilation directory.
 */
#ifndef GSYM_DWARF_SPLIT_H
#define GSYM_DWARF_SPLIT_H

#include "dwarf/unit.h"
#include "container/container.h"

/** What a skeleton says. */
struct dw_skeleton {
	const char *name;      /**< DW_AT_dwo_name */
	const char *directory; /**< DW_AT_comp_dir; NULL: none */
	uint64_t offset;       /**< for messages */
	uint64_t id;
	unsigned version;
	unsigned offset_size;
	uint64_t addr_base;
	uint64_t ranges_base;
};

struct dw_split {
	struct gsym_container container;
	/** The .dwo file that the sections lie in; NULL: they lie in the
	 *  package. */
	struct gsym_container *file;
};

/**
 * Open candidate N, from 0 on, for the split unit of SKELETON, which is in
 * MAIN.  It is the right one if a unit in it has the same ID.
 *
 * GSYM_NOT_FOUND: there are no more; GSYM_ERR_MEMORY; any other failure is
 * that of the one candidate.
 */
enum gsym_status gsym_dw_split_open(const struct gsym_container *main,
				    const struct dw_skeleton *skeleton,
				    unsigned n, struct dw_split *ret);
void gsym_dw_split_close(struct dw_split *split);

/** The same for the type unit SIGNATURE, to which the split unit of SKELETON
 *  refers: if that is in a package, so are its types.  GSYM_ERR_FORMAT: the
 *  package does not have it. */
enum gsym_status gsym_dw_split_open_type(const struct gsym_container *main,
					 const struct dw_skeleton *skeleton,
					 uint64_t signature,
					 struct dw_split *ret);

enum {
	/** Type units of a package that are opened for one split unit: each
	 *  has a table of abbreviations to be read.  Only names that are not
	 *  mangled need any. */
	DW_SPLIT_MAX_TYPES = 64,
};

/** Read the nodes of the split unit of SKELETON into UNIT, if SPLIT holds that
 *  unit; *FOUND, which is false, tells whether it does.  False without
 *  memory. */
typedef bool dw_split_read_fn(void *context, const struct dw_skeleton *skeleton,
			      struct dw_split *split, struct dw_unit *unit,
			      bool *found);

/** Have READ try the candidates for the split unit of SKELETON, which is in
 *  MAIN, one after another.  A missing .dwo file is a warning in UNIT, and
 *  *FOUND is false: the DIEs of the skeleton count then.  False without
 *  memory. */
bool gsym_dw_split_read(const struct gsym_container *main,
			const struct dw_skeleton *skeleton,
			dw_split_read_fn *read, void *context,
			struct dw_unit *unit, bool *found);

#endif
