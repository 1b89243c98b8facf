/* SPDX-License-Identifier: MIT */
/*
 * dwarf/scan.h - what the files of the production reader share, above the
 * bytes (sections.h):
 *
 *	info.c     all units of a file: headers, abbreviations, unit DIEs
 *	names.c    scopes, found when they are needed; names of DIEs
 *	nodes.c    functions, inlined calls, call sites, variables; ranges
 *	lines.c    line tables
 *	aranges.c  claims of units in .debug_aranges
 *	scan.c     the reader
 *	passing.c  the reader of units that are inflated while they are read
 */
#ifndef GSYM_DWARF_SCAN_H
#define GSYM_DWARF_SCAN_H

#include "base/intern.h"
#include "base/vec.h"
#include "dwarf/policy.h"
#include "dwarf/sections.h"
#include "dwarf/unit.h"

/* ---- info.c -------------------------------------------------------------- */

/*
 * All units of a file: headers, abbreviations, unit DIEs.
 *
 * They are read when the file is opened and do not change after that, so any
 * number of threads may use them and follow references from one unit into
 * another, of the same file or of its supplementary file (dwz).
 */

/** An abbreviation table, and its users: COUNT units from FIRST on in the ORDER
 *  of struct dw_info. */
struct dw_table {
	struct dw_abbrevs abbrevs;
	bool read; /**< ABBREVS is filled */
	size_t first;
	size_t count;
};

/** The units of one section.  Up to DWARF 4 type units are in .debug_types, in
 *  which their offsets count; all other sections are the same. */
struct dw_part {
	struct dw_sections sections; /**< INFO is the section of the units */
	struct dw_headers headers;
};

/** An open struct has pointers into itself, so it must not be moved. */
struct dw_info {
	struct dw_part info;  /**< .debug_info */
	struct dw_part types; /**< .debug_types */
	struct dw_signatures signatures;
	/** The headers of both parts, sorted by abbreviation table. */
	GSYM_VEC_OF(struct dw_header *) order;
	GSYM_VEC_OF(struct dw_table) tables;
};

/** Open INFO, which is zeroed: read the unit headers of CONTAINER.  References
 *  into the supplementary file lead into ALTERNATE (NULL: nowhere).  Damage
 *  becomes warnings in OUTSIDE.  False without memory.  INFO has to be closed
 *  in either case. */
bool gsym_dw_info_headers(struct dw_info *info,
			  const struct gsym_container *container,
			  const struct dw_info *alternate,
			  struct dw_unit *outside);
/** Make the units of INFO usable that do not wait: read their abbreviation
 *  tables and unit DIEs.  Units that are usable already stay as they are.
 *  Damage becomes warnings in OUTSIDE.  False without memory. */
bool gsym_dw_info_prepare(struct dw_info *info, unsigned threads,
			  struct dw_unit *outside);
/** Both at once: all units become usable. */
bool gsym_dw_info_open(struct dw_info *info,
		       const struct gsym_container *container,
		       const struct dw_info *alternate, unsigned threads,
		       struct dw_unit *outside);
/** Open INFO for the bytes at UNIT alone, which are one unit, with its other
 *  SECTIONS.  Its references lead to itself.  Otherwise as
 *  gsym_dw_info_open. */
bool gsym_dw_info_open_unit(struct dw_info *info,
			    const struct dw_sections *sections,
			    struct gsym_cursor unit, struct dw_unit *outside);
void gsym_dw_info_close(struct dw_info *info);

/** The bytes of the longest header: of a type unit of version 5, whose length
 *  has 12. */
enum { DW_LONGEST_HEADER = 40 };

/** Read the header that begins at C and at OFFSET of its section, of which LEFT
 *  bytes follow; IS_TYPES: it is in .debug_types.  False if the unit cannot be
 *  used.  The cursor has failed if the end of the unit is not known, so that no
 *  later unit can be used either. */
bool gsym_dw_header_read(struct gsym_cursor *c, uint64_t offset, uint64_t left,
			 bool is_types, struct dw_header *h);

/** Read the unit DIE of HEADER; false if it cannot be read. */
bool gsym_dw_unit_die_read(const struct dw_header *header,
			   struct dw_attributes *ret);

/* ---- names.c: scopes ----------------------------------------------------- */

/*
 * The contexts of a unit that qualify names (namespaces, classes, functions),
 * found when they are needed.
 *
 * A scope is a context, or the whole unit.  The contexts directly inside of a
 * scope are listed when the first DIE inside of it is looked for.  Where DIEs
 * have a DW_AT_sibling, most of the unit is never walked.
 */

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

/* ---- names.c: names ------------------------------------------------------ */

/** Finds the names of one unit, and remembers them. */
struct dw_names {
	const struct dw_header *header; /**< the unit that is read */
	struct dw_unit *unit; /**< gets qualified names, pays for all names */
	bool qualify;			/**< the unit's language is C++ */
	/** DIEs that were referred to, by the addresses of their first bytes,
	 *  and their names. */
	struct gsym_keys dies;
	GSYM_VEC_OF(struct dw_name) known;
	/** The units that names were looked for in, by the addresses of their
	 *  headers, and their contexts. */
	struct gsym_keys units;
	GSYM_VEC_OF(struct dw_scopes) scopes;
	bool no_memory;
};

/** VALUE as an attribute of the class constant. */
static inline struct dw_constant dw_constant_of(struct dw_value value)
{
	struct dw_constant constant = { .present = value.form };

	constant.valid = gsym_dw_value_constant(value, &constant.value);
	return constant;
}

/** Begin to find the names of the unit at HEADER for UNIT. */
void gsym_dw_names_init(struct dw_names *names, const struct dw_header *header,
			struct dw_unit *unit);
void gsym_dw_names_fini(struct dw_names *names);

/** The name of the DIE at offset DIE, which has ATTRIBUTES.  Without memory
 *  NAMES->no_memory becomes true. */
struct dw_name gsym_dw_names_find(struct dw_names *names, uint64_t die,
				  const struct dw_attributes *attributes);

/** The declaration of the DIE with ATTRIBUTES. */
struct dw_declaration
gsym_dw_names_declaration(const struct dw_names *names,
			  const struct dw_attributes *attributes);

/* ---- nodes.c ------------------------------------------------------------- */

enum dw_ranges_status {
	DW_RANGES_OK,
	DW_RANGES_BAD, /**< damaged: some ranges may be missing */
	DW_RANGES_CUT, /**< too much work: there are no ranges */
	DW_RANGES_MEMORY,
};

/** Append the ranges of a DIE of HEADER's unit with ATTRIBUTES to RANGES, by
 *  the policy: DW_AT_low_pc and DW_AT_high_pc, or a range list.  INLINED: the
 *  DIE is an inlined call.  Uses the budget of UNIT. */
enum dw_ranges_status
gsym_dw_ranges_read(const struct dw_header *header,
		    const struct dw_attributes *attributes, bool inlined,
		    struct gsym_range_set *ranges, struct dw_unit *unit);

/** Walk the DIEs of HEADER's unit and fill the nodes, ranges, calls and
 *  variables of UNIT.  Damage becomes warnings.  False without memory. */
bool gsym_dw_nodes_read(const struct dw_header *header, struct dw_unit *unit);

/* ---- lines.c ------------------------------------------------------------- */

/** Read the line table of HEADER's unit, of DWARF 2 to 5: rows, sequences, and
 *  the files that the rows, nodes and variables of UNIT refer to.  Damage
 *  becomes a warning.  False without memory. */
bool gsym_dw_lines_read(const struct dw_header *header, struct dw_unit *unit);

/* ---- aranges.c ----------------------------------------------------------- */

/** A set of .debug_aranges: the addresses that a unit claims. */
struct dw_set {
	uint64_t unit;		  /**< offset of the unit's header */
	uint8_t address_size;	  /**< 4 or 8 */
	struct gsym_cursor pairs; /**< addresses and sizes, to its end */
};

/** Read the set at C, and move C behind the set.  False if the set is damaged:
 *  C has failed, as no later set can be read either. */
bool gsym_dw_set_read(struct gsym_cursor *c, struct dw_set *ret);
/** Append the claims of SET to CLAIMS as those of unit NUMBER of a program with
 *  CODE_BIT0.  *CUT becomes true beyond the budget of OUTSIDE.  False without
 *  memory. */
bool gsym_dw_set_claim(const struct dw_set *set, uint32_t number,
		       bool code_bit0, struct dw_claims *claims,
		       struct dw_unit *outside, bool *cut);

#endif
