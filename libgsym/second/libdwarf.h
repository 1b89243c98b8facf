/* SPDX-License-Identifier: MIT */
/*
 * second/libdwarf.h - shared by the files of the second reader, which are the
 * only users of libdwarf.  Each file uses those before it:
 *
 *	die.c     errors, attributes, the tree of DIEs, contexts
 *	open.c    sections, units, type units of a package
 *	line.c    range lists and line tables
 *	reader.c  names, functions, inlined calls, variables; split units; the
 *	          reader
 *
 * convert.c, the entry of conversion, uses second.h alone: programs that use
 * the reader without conversion are linked without the writer.
 *
 * Not thread-safe.
 *
 * libdwarf keeps all that it hands out until it is freed one by one.  So each
 * result is freed as soon as it has been used: memory depends on the largest
 * unit, not on the file.
 */
#ifndef GSYM_SECOND_LIBDWARF_H
#define GSYM_SECOND_LIBDWARF_H

#include "base/vec.h"
#include "config.h"
#include "container/container.h"
#include "dwarf/policy.h"
#include "dwarf/unit.h"
#include "second/second.h"

#include <dwarf.h>
#include <libdwarf.h>
#include <stdint.h>

/* ---- differences of versions --------------------------------------------- */

/*
 * The differences between libdwarf 20210528 and libdwarf 0.x, which is later;
 * configure tells them apart.  All other functions that are called are the
 * same in both.
 */

#ifdef HAVE_DWARF_OBJ_ACCESS_INTERFACE_A
typedef Dwarf_Obj_Access_Interface_a libdwarf_interface;
typedef Dwarf_Obj_Access_Methods_a libdwarf_methods;
typedef Dwarf_Obj_Access_Section_a libdwarf_section_info;
typedef Dwarf_Unsigned libdwarf_section_index;
typedef Dwarf_Small libdwarf_byte_order;
#define LIBDWARF_BIG_ENDIAN DW_END_big
#define LIBDWARF_LITTLE_ENDIAN DW_END_little
/* The members have prefixes in 0.x. */
#define LIBDWARF_METHOD(name) om_##name
#define LIBDWARF_SECTION(name) as_##name
#else
typedef Dwarf_Obj_Access_Interface libdwarf_interface;
typedef Dwarf_Obj_Access_Methods libdwarf_methods;
typedef Dwarf_Obj_Access_Section libdwarf_section_info;
typedef Dwarf_Half libdwarf_section_index;
typedef Dwarf_Endianness libdwarf_byte_order;
#define LIBDWARF_BIG_ENDIAN DW_OBJECT_MSB
#define LIBDWARF_LITTLE_ENDIAN DW_OBJECT_LSB
#define LIBDWARF_METHOD(name) name
#define LIBDWARF_SECTION(name) name
#endif

static inline void libdwarf_finish(Dwarf_Debug dbg)
{
#ifdef HAVE_DWARF_OBJECT_FINISH_ALONE
	dwarf_object_finish(dbg);
#else
	Dwarf_Error error = NULL;

	dwarf_object_finish(dbg, &error);
#endif
}

/* Attributes that libdwarf's headers do not have yet. */
enum { LIBDWARF_AT_LLVM_stmt_sequence = 0x3e0c };

/* ---- die.c: contexts ---------------------------------------------------- */

/*
 * The scopes of a unit that qualify names: namespaces, classes, functions.
 * This reader walks a unit once and reports its DIEs in order; the production
 * reader has struct dw_scopes.
 */

/** A zeroed struct is empty; gsym_vec_fini frees it. */
struct libdwarf_contexts {
	/** By offset.  The DIEs inside a context are those in (DIE, END). */
	GSYM_VEC(struct libdwarf_context {
		uint64_t die;
		uint64_t end;
		unsigned depth;	 /**< of its DIE */
		uint32_t parent; /**< the number of the context around */
	});
	/** The number of the innermost context that the walk is inside of.
	 *  Numbers are indexes + 1; 0: there is none. */
	uint32_t open;
};

/** Report the next DIE of the walk: its offset, its depth below the unit DIE,
 *  and its tag.  False without memory. */
bool gsym_libdwarf_contexts_visit(struct libdwarf_contexts *contexts,
				  uint64_t die, unsigned depth, unsigned tag);
/** End the walk: the unit ends at offset END. */
void gsym_libdwarf_contexts_end(struct libdwarf_contexts *contexts,
				uint64_t end);

/** The offset of the innermost context around the DIE at offset DIE; 0 if
 *  there is none (a unit header is at 0, and no DIE). */
uint64_t gsym_libdwarf_contexts_find(const struct libdwarf_contexts *contexts,
				     uint64_t die);

/* ---- the reader ---------------------------------------------------------- */

struct libdwarf_unit {
	struct dw_header h;
	bool is_types;	   /**< it is in .debug_types, not in .debug_info */
	bool is_type;	   /**< a type unit */
	bool has_lists;	   /**< the unit has DW_AT_rnglists_base */
	bool has_contexts; /**< CONTEXTS has been filled */
	struct libdwarf_contexts contexts;
};

/** A table of .debug_rnglists. */
struct libdwarf_table {
	uint64_t offsets; /**< where its array of COUNT offsets begins */
	uint64_t count;
	uint64_t end; /**< where the table ends */
	unsigned offset_size;
};

enum { LIBDWARF_SECTIONS = 11 };

/** A file that libdwarf has open. */
struct libdwarf {
	const struct gsym_container *container;
	/** The supplementary file; NULL: none. */
	struct libdwarf *alternate;
	/** It holds a split unit, made by dwarf/split.c. */
	bool split;
	/** Of a split unit from a package: its type units; else NULL. */
	struct dw_package *package;
	Dwarf_Debug dbg;
	libdwarf_interface interface;
	/** The sections for libdwarf, from index 1 on: to libdwarf 0 means no
	 *  section.  NAMES are plain, even of sections that were inflated from
	 *  .zdebug_info and the like. */
	const char *names[1 + LIBDWARF_SECTIONS];
	const struct gsym_container_section *sections[1 + LIBDWARF_SECTIONS];
	size_t section_count;
	GSYM_VEC_OF(struct libdwarf_unit) units; /**< sorted by offset */
	/** Type units, sorted by signature. */
	GSYM_VEC_OF(struct libdwarf_unit) types;
	GSYM_VEC_OF(struct libdwarf_table) tables; /**< by offset */
	/** Scratch of reading nodes. */
	GSYM_VEC_OF(uint32_t) map;
};

/* ---- die.c -------------------------------------------------------------- */

/** Whether RESULT, which libdwarf returned together with ERROR, is DW_DLV_OK.
 *  If it is an error, UNIT (NULL: none) gets a warning of KIND, "WHAT at offset
 *  OFFSET: libdwarf's message".  ERROR is freed. */
bool gsym_libdwarf_checked(struct libdwarf *s, int result, Dwarf_Error error,
			   struct dw_unit *unit, enum gsym_warning kind,
			   const char *what, uint64_t offset);
/** As gsym_libdwarf_checked, for the result of libdwarf's function CALL with
 *  the arguments after it. */
#define libdwarf_read(s, unit, kind, what, offset, call, ...)               \
	__extension__({                                                     \
		Dwarf_Error error_ = NULL;                                  \
		int result_ = call(__VA_ARGS__, &error_);                   \
                                                                            \
		gsym_libdwarf_checked((s), result_, error_, (unit), (kind), \
				      (what), (offset));                    \
	})
#define libdwarf_ok(s, call, ...) \
	libdwarf_read(s, NULL, GSYM_WARN_BAD_DIE, "", 0, call, __VA_ARGS__)

/* ---- open.c ------------------------------------------------------------- */

/** Open CONTAINER; SPLIT: it is the container of a split unit.  Damage becomes
 *  warnings in OUTSIDE (NULL: it is not reported). */
enum gsym_status gsym_libdwarf_start(const struct gsym_container *container,
				     bool split, struct dw_unit *outside,
				     struct libdwarf **ret,
				     struct gsym_error *error);
void gsym_libdwarf_stop(struct libdwarf *s);

/** The unit around OFFSET of .debug_info, unless it is a type unit; NULL:
 *  none. */
struct libdwarf_unit *gsym_libdwarf_unit_at(struct libdwarf *s,
					    uint64_t offset);
/** The type unit with SIGNATURE; NULL: none. */
struct libdwarf_unit *gsym_libdwarf_type(struct libdwarf *s,
					 uint64_t signature);

/* ---- die.c: DIEs and their attributes ----------------------------------- */

/** Called for each DIE, in order.  The unit DIE has DEPTH 0.  False stops
 *  the walk. */
typedef bool libdwarf_visit_fn(void *context, Dwarf_Die die, unsigned tag,
			       unsigned depth);

/** Visit the DIEs of U.  False if VISIT stopped it; damage is reported to
 *  UNIT (may be NULL) and ends the walk. */
bool gsym_libdwarf_walk(struct libdwarf *s, const struct libdwarf_unit *u,
			libdwarf_visit_fn *visit, void *context,
			struct dw_unit *unit);

/** The attribute NAME of DIE, to be freed; false if there is none. */
bool gsym_libdwarf_attribute(struct libdwarf *s, Dwarf_Die die, unsigned name,
			     Dwarf_Attribute *attribute);
unsigned gsym_libdwarf_form(struct libdwarf *s, Dwarf_Attribute attribute);
/** ATTRIBUTE as a constant; false if it is none or negative. */
bool gsym_libdwarf_constant_value(struct libdwarf *s, Dwarf_Attribute attribute,
				  uint64_t *ret);
/** ATTRIBUTE as an address; false if it is none. */
bool gsym_libdwarf_address_value(struct libdwarf *s, Dwarf_Attribute attribute,
				 uint64_t *ret);
/** The attribute NAME of DIE, as a constant. */
struct dw_constant gsym_libdwarf_constant(struct libdwarf *s, Dwarf_Die die,
					  unsigned name);
/** The attribute NAME of DIE, as an address; false if there is none. */
bool gsym_libdwarf_address(struct libdwarf *s, Dwarf_Die die, unsigned name,
			   uint64_t *ret);
/** The attribute NAME of DIE, as an offset into another section; false if there
 *  is none. */
bool gsym_libdwarf_section_offset(struct libdwarf *s, Dwarf_Die die,
				  unsigned name, uint64_t *ret);
/** The offset of DIE in its section. */
uint64_t gsym_libdwarf_offset(struct libdwarf *s, Dwarf_Die die);
/** The DIE of U at OFFSET of its section, to be freed; NULL: none. */
Dwarf_Die gsym_libdwarf_die_at(struct libdwarf *s,
			       const struct libdwarf_unit *u, uint64_t offset);

/** A signature or an ID, which libdwarf hands out as BYTES. */
uint64_t gsym_libdwarf_number(const struct libdwarf *s,
			      const Dwarf_Sig8 *bytes);

/** A string attribute of DIE; NULL if it is missing or empty. */
const char *gsym_libdwarf_string(struct libdwarf *s, Dwarf_Die die,
				 unsigned name);

/** The address with INDEX in the part of .debug_addr of DIE's unit; false if
 *  there is none. */
bool gsym_libdwarf_indexed_address(struct libdwarf *s, Dwarf_Die die,
				   uint64_t index, uint64_t *ret);
/** How U writes addresses of code. */
static inline struct dw_code libdwarf_code(const struct libdwarf *s,
					   const struct libdwarf_unit *u)
{
	return (struct dw_code){ u->h.encoding.address_size,
				 s->container->code_bit0 };
}

/* ---- open.c: type units of a package ------------------------------------ */

/** The type unit with SIGNATURE of PACKAGE, and in *S the reader that has it
 *  open; NULL: none. */
struct libdwarf_unit *gsym_libdwarf_package_type(struct dw_package *package,
						 uint64_t signature,
						 struct libdwarf **s);

/* ---- line.c ------------------------------------------------------------- */

/** Append the ranges of DIE to RANGES.  INLINED: it is an inlined call.  Damage
 *  becomes a warning in UNIT, whose budget is used.  False without memory. */
bool gsym_libdwarf_read_ranges(struct libdwarf *s,
			       const struct libdwarf_unit *u, Dwarf_Die die,
			       bool inlined, struct gsym_range_set *ranges,
			       struct dw_unit *unit);
/** Fill files, rows and sequences of UNIT.  DIE is the unit DIE of U.  False
 *  without memory. */
bool gsym_libdwarf_read_lines(struct libdwarf *s, const struct libdwarf_unit *u,
			      Dwarf_Die die, struct dw_unit *unit);

#endif
