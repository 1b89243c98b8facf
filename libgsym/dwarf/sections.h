/* SPDX-License-Identifier: MIT */
/*
 * dwarf/sections.h - the debug sections of a container as cursors, the
 * fixed facts of a unit, and values of attributes.  Shared by all files of
 * the production reader; everything here is read-only once it was set up,
 * so workers share it.
 */
#ifndef GSYM_DWARF_SECTIONS_H
#define GSYM_DWARF_SECTIONS_H

#include "dwarf/constants.h"
#include "container/container.h"

/** Cursors at the start of each section; empty where there is none. */
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

	/* All of this is set by gsym_dw_info_open. */
	/** The units in INFO. */
	const struct dw_headers *headers;
	/** Those that DW_FORM_ref_addr leads to: these, but for type units
	 *  in a section of their own. */
	const struct dw_sections *global;
	/** The type units. */
	const struct dw_signatures *signatures;
	/** Those of the supplementary file (dwz), or NULL. */
	const struct dw_sections *alternate;
};

void gsym_dw_sections_init(struct dw_sections *sections,
			   const struct gsym_container *container);

/** How integers of a unit look. */
struct dw_encoding {
	uint16_t version;
	uint8_t address_size; /**< 4 or 8 */
	uint8_t offset_size;  /**< 4, or 8 in 64-bit DWARF */
};

struct dw_abbrevs;

/** A unit's header, and what its unit DIE says about reading it. */
struct dw_header {
	const struct dw_sections *sections; /**< that it lies in */
	uint64_t offset; /**< of the header in .debug_info */
	uint64_t die;    /**< of the unit DIE */
	uint64_t end;    /**< of the next unit */
	struct dw_encoding encoding;
	uint64_t abbrev_offset;
	uint8_t unit_type;
	bool usable; /**< the unit DIE could be read */
	bool has_id;
	/** The signature of a type unit; HAS_ID: what skeleton and split unit
	 *  have in common. */
	uint64_t id;
	uint64_t type; /**< the DIE of a type unit's type; 0: no type unit */
	const struct dw_abbrevs *abbrevs;

	uint16_t language;
	const char *comp_dir; /**< NULL: none */
	bool has_lines;
	uint64_t stmt_list;
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t low_pc; /**< base address of its range lists */

	/** The file with the split unit that this is the skeleton of. */
	const char *split_name;
	/** Where that one's part of .debug_ranges begins (DWARF 4). */
	uint64_t ranges_base;
};

/** All units of a section, by offset. */
struct dw_headers { GSYM_VEC(struct dw_header); };

/** The unit that holds OFFSET of its section; NULL if none does or it is not
 *  usable. */
const struct dw_header *gsym_dw_headers_find(const struct dw_headers *headers,
					     uint64_t offset);

/** Type units, by signature. */
struct dw_signatures {
	GSYM_VEC(struct dw_signature {
		uint64_t signature;
		const struct dw_header *header;
	});
	/** Finds those that are not here; NULL: there are none. */
	const struct dw_header *(*find)(void *context, uint64_t signature);
	void *context;
};

/** The type unit with SIGNATURE; of several the first.  NULL: none. */
const struct dw_header *gsym_dw_signatures_find(const struct dw_signatures *all,
						uint64_t signature);

/** A DIE, somewhere. */
struct dw_place {
	const struct dw_header *header; /**< of its unit */
	uint64_t die;                   /**< offset in its section */
};

/** An attribute's value, as its form stores it. */
struct dw_value {
	/** The form (enum dw_form); 0: the attribute is not there. */
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

/** Read one value of FORM.    IMPLICIT is the value
 *  of DW_FORM_implicit_const.  Unknown forms fail the cursor. */
struct dw_value gsym_dw_value_read(struct gsym_cursor *c, uint16_t form,
				   struct dw_encoding encoding,
				   int64_t implicit);

/** The bytes that a value of FORM takes; -1 if that depends on the value,
 *  -2 if the form is not known. */
int gsym_dw_form_size(uint16_t form, struct dw_encoding encoding);

/** VALUE as a string; NULL if it is none or lies outside its section. */
const char *gsym_dw_value_string(const struct dw_sections *s,
				 const struct dw_header *unit,
				 struct dw_value value);

/** VALUE as an address; false if it is none. */
bool gsym_dw_value_address(const struct dw_sections *s,
			   const struct dw_header *unit, struct dw_value value,
			   uint64_t *ret);

/** VALUE as a constant; false if it is none or negative. */
bool gsym_dw_value_constant(struct dw_value value, uint64_t *ret);

/** VALUE as the expression of a variable's location, if that is one address
 *  for good: DW_OP_addr or an index of one, perhaps with a constant added. */
bool gsym_dw_value_location(const struct dw_sections *s,
			    const struct dw_header *unit, struct dw_value value,
			    uint64_t *ret);

/** VALUE as an offset into another section. */
bool gsym_dw_value_offset(struct dw_value value, uint64_t *ret);

/** The address with INDEX in UNIT's part of .debug_addr. */
bool gsym_dw_address_at(const struct dw_sections *s,
			const struct dw_header *unit, uint64_t index,
			uint64_t *ret);

/** Where VALUE, a reference, leads to: into the unit, another one of the
 *  file, a type unit or the supplementary file.  False if there is no such
 *  place; that a DIE begins there is not known. */
bool gsym_dw_value_reference(const struct dw_header *unit,
			     struct dw_value value, struct dw_place *ret);

#endif
