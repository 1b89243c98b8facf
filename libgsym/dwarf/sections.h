/* SPDX-License-Identifier: MIT */
/*
 * dwarf/sections.h - what all files of the production reader share: the debug
 * sections as cursors, unit headers, and values of attributes.  All of it is
 * read-only after gsym_dw_info_open, so any number of threads may use it.
 */
#ifndef GSYM_DWARF_SECTIONS_H
#define GSYM_DWARF_SECTIONS_H

#include "dwarf/constants.h"
#include "container/container.h"

/** Cursors at the start of each section; empty for a missing section.  STR and
 *  LINE_STR end at their last NUL. */
struct dw_sections {
	struct gsym_cursor info;
	struct gsym_cursor abbrev;
	struct gsym_cursor line;
	struct gsym_cursor str;
	struct gsym_cursor line_str;
	struct gsym_cursor str_offsets;
	struct gsym_cursor addr;
	struct gsym_cursor ranges;
	struct gsym_cursor rnglists;
	struct gsym_cursor aranges;
	bool code_bit0;

	/* gsym_dw_info_open sets the rest. */
	/** The units in INFO. */
	const struct dw_headers *headers;
	/** The sections whose INFO DW_FORM_ref_addr leads into: .debug_info,
	 *  even from .debug_types. */
	const struct dw_sections *global;
	/** The type units. */
	const struct dw_signatures *signatures;
	/** The sections of the supplementary file (dwz); NULL: none. */
	const struct dw_sections *alternate;
};

void gsym_dw_sections_init(struct dw_sections *sections,
			   const struct gsym_container *container);

/** What the sizes of forms depend on. */
struct dw_encoding {
	uint16_t version;
	uint8_t address_size; /**< 4 or 8 */
	uint8_t offset_size;  /**< 4, or 8 in 64-bit DWARF */
};

struct dw_abbrevs;

/** A unit header, and the attributes of the unit DIE that are needed to read
 *  the unit.  Offsets are in the section of the unit, .debug_info or
 *  .debug_types. */
struct dw_header {
	const struct dw_sections *sections; /**< INFO is the unit's section */
	uint64_t offset;		    /**< of the header */
	uint64_t die;    /**< of the unit DIE */
	uint64_t end;	 /**< where the unit ends */
	struct dw_encoding encoding;
	uint64_t abbrev_offset;
	uint8_t unit_type;
	bool usable; /**< the unit DIE could be read */
	/** HAS_ID: the ID that a skeleton and its split unit have in common.
	 *  Of a type unit: its signature. */
	bool has_id;
	uint64_t id;
	uint64_t type; /**< offset of a type unit's type; 0: no type unit */
	const struct dw_abbrevs *abbrevs;

	uint16_t language;
	const char *producer; /**< NULL: not known */
	const char *comp_dir; /**< NULL: none */
	bool has_lines;	      /**< the unit has a line table, at STMT_LIST */
	uint64_t stmt_list;
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t low_pc; /**< base address of its range lists */

	/** Of a skeleton: the .dwo file of its split unit; NULL: none. */
	const char *split_name;
	bool repeated; /**< an earlier skeleton has the same ID */
	bool follows;  /**< the skeleton before names the same file */
	/** Of a skeleton, DWARF 4: where the split unit's part of
	 *  .debug_ranges begins. */
	uint64_t ranges_base;
};

/** All units of a section, sorted by offset. */
struct dw_headers { GSYM_VEC(struct dw_header); };

/** The unit whose DIEs are around OFFSET of its section; NULL if there is none
 *  or it is not usable. */
const struct dw_header *gsym_dw_headers_find(const struct dw_headers *headers,
					     uint64_t offset);

/** Type units, sorted by signature. */
struct dw_signatures {
	GSYM_VEC(struct dw_signature {
		uint64_t signature;
		const struct dw_header *header;
	});
	/** Finds type units that are not among these (packed.h); NULL: there
	 *  are no others. */
	const struct dw_header *(*find)(void *context, uint64_t signature);
	void *context;
};

/** The first type unit with SIGNATURE; NULL: none. */
const struct dw_header *gsym_dw_signatures_find(const struct dw_signatures *all,
						uint64_t signature);

/** A DIE of any unit. */
struct dw_place {
	const struct dw_header *header; /**< its unit */
	uint64_t die;			/**< offset in the unit's section */
};

/** The value of an attribute, as its form stores it. */
struct dw_value {
	/** The form (enum dw_form); 0: the DIE does not have the
	 *  attribute. */
	uint16_t form;
	union {
		uint64_t u;
		int64_t s;
		const char *string; /**< DW_FORM_string */
		struct {
			const uint8_t *bytes;
			uint64_t size;
		} block; /**< DW_FORM_exprloc and blocks */
	};
};

/** Read a value of FORM at the cursor.  Unknown forms fail the cursor, and so
 *  does DW_FORM_implicit_const, whose value is in the abbreviation. */
struct dw_value gsym_dw_value_read(struct gsym_cursor *c, uint16_t form,
				   struct dw_encoding encoding);

/** The bytes that a value of FORM takes; -1: their number depends on the
 *  value, -2: the form is not known. */
int gsym_dw_form_size(uint16_t form, struct dw_encoding encoding);

/** VALUE as a string; NULL if its form is not a string's or it lies outside
 *  its section. */
const char *gsym_dw_value_string(const struct dw_sections *s,
				 const struct dw_header *unit,
				 struct dw_value value);

/** VALUE as an address; false if its form is not an address's or its index has
 *  no address. */
bool gsym_dw_value_address(const struct dw_sections *s,
			   const struct dw_header *unit, struct dw_value value,
			   uint64_t *ret);

/** VALUE as a constant; false if its form is not a constant's or it is
 *  negative. */
bool gsym_dw_value_constant(struct dw_value value, uint64_t *ret);

/** VALUE as a location expression that is one address for the whole life of
 *  the program, by the policy; false if it is no such expression. */
bool gsym_dw_value_location(const struct dw_sections *s,
			    const struct dw_header *unit, struct dw_value value,
			    uint64_t *ret);

/** VALUE as an offset into another section; false if its form is not an
 *  offset's. */
bool gsym_dw_value_offset(struct dw_value value, uint64_t *ret);

/** The address with INDEX in UNIT's part of .debug_addr; false if there is
 *  none. */
bool gsym_dw_address_at(const struct dw_sections *s,
			const struct dw_header *unit, uint64_t index,
			uint64_t *ret);

/** The place that VALUE, a reference, leads to: in UNIT, in another unit of the
 *  file, in a type unit or in the supplementary file.  False if it leads
 *  outside all units.  Whether a DIE begins at the place is not checked. */
bool gsym_dw_value_reference(const struct dw_header *unit,
			     struct dw_value value, struct dw_place *ret);

#endif
