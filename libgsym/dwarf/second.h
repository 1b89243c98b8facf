/* SPDX-License-Identifier: MIT */
/*
 * dwarf/second.h - shared by the files of the second reader, which are the
 * only users of libdwarf.  Each file uses those before it: second_error.c,
 * second_die.c (attributes, the tree), second_open.c (sections, units),
 * second_package.c (type units of a package), second_name.c,
 * second_ranges.c, second_nodes.c (functions, inlined calls, variables),
 * second_line.c (line tables), second_split.c (split units), second.c (the
 * reader).  Not thread-safe.
 *
 * libdwarf keeps all that it hands out until it is freed one by one.  So each
 * result is freed as soon as it has been used: memory depends on the largest
 * unit, not on the file.
 */
#ifndef GSYM_DWARF_SECOND_H
#define GSYM_DWARF_SECOND_H

#include "dwarf/contexts.h"
#include "dwarf/policy.h"
#include "dwarf/second_compat.h"
#include "dwarf/split.h"
#include "dwarf/unit.h"
#include "container/container.h"

/** A unit header, and attributes of the unit DIE. */
struct second_unit {
	bool is_types;	 /**< it is in .debug_types, not in .debug_info */
	uint64_t offset; /**< of the header */
	uint64_t end;	 /**< where the unit ends */
	uint64_t die;	 /**< offset of the unit DIE */
	uint64_t base;	 /**< DW_AT_low_pc, else 0 */
	bool has_lists;	 /**< the unit has DW_AT_rnglists_base; LISTS is its
			  *   value */
	uint64_t lists;
	/** HAS_ID: the ID of a skeleton or split unit.  Of a type unit: its
	 *  signature. */
	bool has_id;
	uint64_t id;
	bool is_type; /**< a type unit, whose type is at offset TYPE */
	uint64_t type;
	uint64_t addr_base;   /**< DW_AT_addr_base, or its default */
	uint64_t ranges_base; /**< DW_AT_GNU_ranges_base, else 0 */
	unsigned version;
	unsigned address_size;
	unsigned offset_size;
	unsigned language;
	bool has_contexts; /**< CONTEXTS has been filled */
	struct dw_contexts contexts;
};

/** A table of .debug_rnglists. */
struct second_table {
	uint64_t offsets; /**< where its array of COUNT offsets begins */
	uint64_t count;
	uint64_t end; /**< where the table ends */
	unsigned offset_size;
};

enum { SECOND_SECTIONS = 11 };

/** A file that libdwarf has open. */
struct second {
	const struct gsym_container *container;
	/** The supplementary file; NULL: none. */
	struct second *alternate;
	/** It holds a split unit, made by dwarf/split.h. */
	bool split;
	/** Of a split unit from a package: its type units; else NULL. */
	struct second_types *package;
	Dwarf_Debug dbg;
	second_interface interface;
	/** The sections for libdwarf, from index 1 on: to libdwarf 0 means no
	 *  section.  NAMES are plain, even of sections that were inflated from
	 *  .zdebug_info and the like. */
	const char *names[1 + SECOND_SECTIONS];
	const struct gsym_container_section *sections[1 + SECOND_SECTIONS];
	size_t section_count;
	struct {
		GSYM_VEC(struct second_unit);
	} units; /**< sorted by offset */
	/** Type units, sorted by signature. */
	struct { GSYM_VEC(struct second_unit); } types;
	struct {
		GSYM_VEC(struct second_table);
	} tables; /**< by offset */
	/** Scratch of reading nodes. */
	struct dw_ranges ranges;
	struct { GSYM_VEC(uint32_t); } map;
};

/** The type units of a package that one split unit refers to. */
struct second_types {
	const struct gsym_container *main;
	const struct dw_skeleton *skeleton;
	size_t count;
	struct {
		uint64_t signature;
		struct dw_split split;
		struct second *s; /**< NULL: the type unit cannot be read */
	} items[DW_SPLIT_MAX_TYPES];
	bool no_memory;
};

/* second_error.c */

/** RESULT, a DW_DLV_* that libdwarf returned together with *ERROR, which is
 *  freed. */
int gsym_second_checked(struct second *s, int result, Dwarf_Error *error);
/** RESULT likewise.  If it is an error, UNIT (NULL: none) gets a warning of
 *  KIND, "WHAT at offset OFFSET: libdwarf's message". */
int gsym_second_warned(struct second *s, int result, Dwarf_Error *error,
		       struct dw_unit *unit, enum gsym_warning kind,
		       const char *what, uint64_t offset);

/* second_open.c */

/** Open CONTAINER; SPLIT: it is the container of a split unit.  Damage becomes
 *  warnings in NOTES (NULL: it is not reported). */
enum gsym_status gsym_second_start(const struct gsym_container *container,
				   bool split, struct dw_unit *notes,
				   struct second **ret,
				   struct gsym_error *error);
void gsym_second_stop(struct second *s);

/** The unit around OFFSET of .debug_info, unless it is a type unit; NULL:
 *  none. */
struct second_unit *gsym_second_unit_at(struct second *s, uint64_t offset);
/** The type unit with SIGNATURE; NULL: none. */
struct second_unit *gsym_second_type(struct second *s, uint64_t signature);

/* second_die.c */

/** Called for each DIE, in order.  The unit DIE has DEPTH 0.  False stops
 *  the walk. */
typedef bool second_visit_fn(void *context, Dwarf_Die die, unsigned tag,
			     unsigned depth);

/** Visit the DIEs of U.  False if VISIT stopped it; damage is reported to
 *  UNIT (may be NULL) and ends the walk. */
bool gsym_second_walk(struct second *s, const struct second_unit *u,
		      second_visit_fn *visit, void *context,
		      struct dw_unit *unit);

/** The attribute NAME of DIE, to be freed; false if there is none. */
bool gsym_second_attribute(struct second *s, Dwarf_Die die, unsigned name,
			   Dwarf_Attribute *attribute);
unsigned gsym_second_form(struct second *s, Dwarf_Attribute attribute);
/** ATTRIBUTE as a constant; false if it is none or negative. */
bool gsym_second_constant_value(struct second *s, Dwarf_Attribute attribute,
				uint64_t *ret);
/** ATTRIBUTE as an address; false if it is none. */
bool gsym_second_address_value(struct second *s, Dwarf_Attribute attribute,
			       uint64_t *ret);
/** The attribute NAME of DIE, as a constant. */
struct dw_constant gsym_second_constant(struct second *s, Dwarf_Die die,
					unsigned name);
/** The attribute NAME of DIE, as an address; false if there is none. */
bool gsym_second_address(struct second *s, Dwarf_Die die, unsigned name,
			 uint64_t *ret);
/** The attribute NAME of DIE, as an offset into another section; false if there
 *  is none. */
bool gsym_second_section_offset(struct second *s, Dwarf_Die die, unsigned name,
				uint64_t *ret);
/** The offset of DIE in its section. */
uint64_t gsym_second_offset(struct second *s, Dwarf_Die die);
unsigned gsym_second_tag(struct second *s, Dwarf_Die die);
/** The DIE of U at OFFSET of its section, to be freed; NULL: none. */
Dwarf_Die gsym_second_die_at(struct second *s, const struct second_unit *u,
			     uint64_t offset);

/** A signature or an ID, which libdwarf hands out as BYTES. */
uint64_t gsym_second_number(const struct second *s, const Dwarf_Sig8 *bytes);

/** A string attribute of DIE; NULL if it is missing or empty. */
const char *gsym_second_string(struct second *s, Dwarf_Die die, unsigned name);

/** The address with INDEX in the part of .debug_addr of DIE's unit; false if
 *  there is none. */
bool gsym_second_indexed_address(struct second *s, Dwarf_Die die,
				 uint64_t index, uint64_t *ret);
/** How U writes addresses of code. */
static inline struct dw_code second_code(const struct second *s,
					 const struct second_unit *u)
{
	return (struct dw_code){ (uint8_t)u->address_size,
				 s->container->code_bit0 };
}

/* second_package.c */

/** The type unit with SIGNATURE of PACKAGE, and in *S the reader that has it
 *  open; NULL: none. */
struct second_unit *gsym_second_package_type(struct second_types *package,
					     uint64_t signature,
					     struct second **s);
void gsym_second_package_close(struct second_types *package);

/* second_ranges.c */

/** Append the ranges of DIE to RANGES.  Damage becomes a warning in UNIT, whose
 *  budget is used.  False without memory. */
bool gsym_second_read_ranges(struct second *s, const struct second_unit *u,
			     Dwarf_Die die, struct dw_ranges *ranges,
			     struct dw_unit *unit);

/* second_nodes.c */

/** Fill the nodes, calls and variables of UNIT.  False without memory. */
bool gsym_second_read_nodes(struct second *s, struct second_unit *u,
			    struct dw_unit *unit);

/* second_split.c */

/** Read the nodes of the split unit of U, whose unit DIE is DIE.  *FOUND is
 *  false if U is no skeleton or the .dwo file is missing.  False without
 *  memory. */
bool gsym_second_read_split(struct second *s, const struct second_unit *u,
			    Dwarf_Die die, struct dw_unit *unit, bool *found);
/* second_name.c */

/** The name of DIE, by the policy; a qualified name is allocated in the arena
 *  of UNIT.  False without memory. */
bool gsym_second_read_name(struct second *s, struct second_unit *u,
			   Dwarf_Die die, struct dw_unit *unit,
			   struct dw_name *ret);

/** The declaration of DIE, by the policy. */
struct dw_declaration gsym_second_read_declaration(struct second *s,
						   struct second_unit *u,
						   Dwarf_Die die);

/* second_line.c */

/** Fill files, rows and sequences of UNIT.  DIE is the unit DIE of U.  False
 *  without memory. */
bool gsym_second_read_lines(struct second *s, const struct second_unit *u,
			    Dwarf_Die die, struct dw_unit *unit);

#endif
