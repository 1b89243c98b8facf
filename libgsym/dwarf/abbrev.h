/* SPDX-License-Identifier: MIT */
/*
 * dwarf/abbrev.h - abbreviation tables, compiled.
 *
 * Most DIEs of a unit are not needed.  So each abbreviation is compiled into
 * programs of bytes.  The skip program steps over the attributes of a DIE whose
 * size varies: neighbouring fixed sizes are one instruction, and DW_AT_sibling
 * is noted.  The read program, for tags that are needed, reads the needed
 * attributes into slots and steps over the others.  The programs depend on the
 * encoding of the unit.
 */
#ifndef GSYM_DWARF_ABBREV_H
#define GSYM_DWARF_ABBREV_H

#include "base/vec.h"
#include "dwarf/sections.h"

/** The attributes that are read.  DW_AT_call_origin of a call site is read to
 *  DW_SLOT_ORIGIN, and DW_AT_call_return_pc to DW_SLOT_LOW_PC. */
enum dw_slot {
	DW_SLOT_NAME,
	DW_SLOT_LINKAGE_NAME,
	DW_SLOT_LOW_PC,
	DW_SLOT_HIGH_PC,
	DW_SLOT_RANGES,
	DW_SLOT_ORIGIN,
	DW_SLOT_SPECIFICATION,
	DW_SLOT_SIGNATURE,
	DW_SLOT_CALL_FILE,
	DW_SLOT_CALL_LINE,
	DW_SLOT_DECL_FILE,
	DW_SLOT_DECL_LINE,
	DW_SLOT_STMT_SEQUENCE,
	DW_SLOT_LOCATION,
	DW_SLOT_DIE_COUNT,
	/* Of unit DIEs only. */
	DW_SLOT_COMP_DIR = DW_SLOT_DIE_COUNT,
	DW_SLOT_STMT_LIST,
	DW_SLOT_LANGUAGE,
	DW_SLOT_PRODUCER,
	DW_SLOT_STR_OFFSETS_BASE,
	DW_SLOT_ADDR_BASE,
	DW_SLOT_RNGLISTS_BASE,
	DW_SLOT_RANGES_BASE,
	DW_SLOT_SPLIT_NAME,
	DW_SLOT_SPLIT_ID,
	DW_SLOT_COUNT
};

struct dw_attributes {
	struct dw_value slots[DW_SLOT_COUNT];
};

/** Kinds of DIEs that a walk may look for, as bits. */
enum dw_kind {
	DW_KIND_CODE = 1,    /**< a function or an inlined call */
	DW_KIND_CONTEXT = 2, /**< qualifies the names of the DIEs in it */
	DW_KIND_TYPE = 4,    /**< a type that has no code in it */
	DW_KIND_CLASS = 8,   /**< a type that may have code in it */
	DW_KIND_CALL = 16,   /**< a call site */
	DW_KIND_VARIABLE = 32,
	DW_KIND_OTHER = 64,
	DW_KIND_ANY = 127,
};

struct dw_abbrev {
	/** Offsets of the skip program and of the read program; they are equal
	 *  if the tag is not needed.  The skip program is not used if SIZE is
	 *  known. */
	uint32_t skip, read;
	uint16_t tag;
	/** The bytes of all attributes; UINT16_MAX if their number depends on
	 *  the DIE, or is as large, or if DW_AT_sibling is not one value of
	 *  DW_FORM_ref4. */
	uint16_t size;
	/** If SIZE is known: where in the attributes DW_AT_sibling is;
	 *  UINT16_MAX: there is none. */
	uint16_t sibling;
	uint8_t kinds; /**< enum dw_kind */
	bool has_children : 1;
	bool has_code : 1; /**< the DIE has DW_AT_low_pc or DW_AT_ranges */
};

/* A walk reads an abbreviation for each DIE: four of them fill a cache line. */
_Static_assert(sizeof(struct dw_abbrev) == 16, "size of an abbreviation");

/** The code of an abbreviation, and its place in the list of its table. */
struct dw_abbrev_code {
	uint64_t code;
	size_t place;
};

struct dw_abbrevs {
	struct { GSYM_VEC(struct dw_abbrev); } list;
	/** The codes in ascending order, if they are not SEQUENTIAL. */
	struct { GSYM_VEC(struct dw_abbrev_code); } codes;
	struct { GSYM_VEC(uint8_t); } programs;
	bool sequential; /**< codes count from 1 */
	/** A name or a declaration may be in another unit of the file. */
	bool refers_out;
	bool damaged;    /**< the table broke off */
};

/** Compile the table at OFFSET of .debug_abbrev, which ends at END at the
 *  latest (UINT64_MAX: at the end of the section), for units of ENCODING.
 *  Abbreviations before damage are kept.  False without memory. */
bool gsym_dw_abbrevs_read(struct dw_abbrevs *table, const struct dw_sections *s,
			  uint64_t offset, uint64_t end,
			  struct dw_encoding encoding);
void gsym_dw_abbrevs_fini(struct dw_abbrevs *table);

const struct dw_abbrev *gsym_dw_abbrev_search(const struct dw_abbrevs *table,
					      uint64_t code);

/** The abbreviation CODE; NULL if there is none. */
static inline const struct dw_abbrev *
dw_abbrev_find(const struct dw_abbrevs *table, uint64_t code)
{
	if (table->sequential)
		return code - 1 < table->list.count ?
			       &table->list.items[code - 1] :
			       NULL;
	return gsym_dw_abbrev_search(table, code);
}

/** The byte after the attributes at AT of a DIE of known size, of which LEFT
 *  bytes can be read; NULL if the size is not known or more than LEFT.
 *  *SIBLING becomes the value of DW_AT_sibling if the DIE has it. */
static inline const uint8_t *dw_abbrev_step(const struct dw_abbrev *abbrev,
					    const uint8_t *at, size_t left,
					    bool swap, uint64_t *sibling)
{
	if (abbrev->size == UINT16_MAX || abbrev->size > left)
		return NULL;
	if (abbrev->sibling < UINT16_MAX)
		*sibling = gsym_load_u32(at + abbrev->sibling, swap);
	return at + abbrev->size;
}

/** Step over the attributes of a DIE.  *SIBLING becomes the value of
 *  DW_AT_sibling, an offset from the unit header, if the DIE has one whose form
 *  refers into the unit. */
void gsym_dw_abbrev_skip(const struct dw_abbrevs *table,
			 const struct dw_abbrev *abbrev, struct gsym_cursor *c,
			 struct dw_encoding encoding, uint64_t *sibling);

/** Read the needed attributes of a DIE, and step over the others.  The slots
 *  of unit DIEs, from DW_SLOT_DIE_COUNT on, are left alone where the DIE does
 *  not have the attribute: clearing them takes longer than reading most
 *  DIEs. */
void gsym_dw_abbrev_read(const struct dw_abbrevs *table,
			 const struct dw_abbrev *abbrev, struct gsym_cursor *c,
			 struct dw_encoding encoding,
			 struct dw_attributes *ret);

#endif
