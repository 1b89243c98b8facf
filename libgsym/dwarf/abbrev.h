/* SPDX-License-Identifier: MIT */
/*
 * dwarf/abbrev.h - abbreviation tables, compiled.
 *
 * Nearly all DIEs of a unit are of no interest.  So each abbreviation is
 * turned into two byte programs when its table is read: one that steps over
 * the attributes of a DIE, neighbouring fixed sizes summed into one
 * instruction, and noting DW_AT_sibling on the way; and one, for the tags
 * that matter, that reads the attributes which matter into slots and steps
 * over the rest.  A table depends on the encoding of its unit.
 */
#ifndef GSYM_DWARF_ABBREV_H
#define GSYM_DWARF_ABBREV_H

#include "base/vec.h"
#include "dwarf/sections.h"

/** The attributes that are read.  A call site's callee is its ORIGIN, and
 *  where it returns to its LOW_PC. */
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
	/* Of unit DIEs. */
	DW_SLOT_COMP_DIR,
	DW_SLOT_STMT_LIST,
	DW_SLOT_LANGUAGE,
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

struct dw_abbrev {
	uint64_t code;
	uint32_t skip; /**< the program that steps over */
	uint32_t read; /**< the program that reads; as SKIP if none is needed */
	uint16_t tag;
	bool has_children;
	bool has_code; /**< DW_AT_low_pc or DW_AT_ranges is there */
};

struct dw_abbrevs {
	struct { GSYM_VEC(struct dw_abbrev); } list;
	struct { GSYM_VEC(uint8_t); } programs;
	bool sequential; /**< codes count from 1 */
	bool damaged;    /**< the table broke off */
};

/** Compile the table at OFFSET of .debug_abbrev for units of ENCODING.  It
 *  ends at END (UINT64_MAX: of the section) at the latest.  What comes
 *  before damage is kept.  False without memory. */
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

/** Step over the attributes of a DIE.  *SIBLING becomes the offset within
 *  the unit of DW_AT_sibling, if it is there and is a plain reference. */
void gsym_dw_abbrev_skip(const struct dw_abbrevs *table,
			 const struct dw_abbrev *abbrev, struct gsym_cursor *c,
			 struct dw_encoding encoding, uint64_t *sibling);

/** Read the attributes of a DIE. */
void gsym_dw_abbrev_read(const struct dw_abbrevs *table,
			 const struct dw_abbrev *abbrev, struct gsym_cursor *c,
			 struct dw_encoding encoding,
			 struct dw_attributes *ret);

#endif
