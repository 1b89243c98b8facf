/* SPDX-License-Identifier: MIT */
/*
 * tests/support/dwarf_asm.h - assembles DWARF in memory: versions 2 to 5, 32-
 * and 64-bit format, both byte orders, addresses of 4 and 8 bytes.  Of the
 * code under test it uses only base/emit.h and the section list of a
 * container.
 *
 *	struct dwa a;
 *	dwa_init(&a, false, 8, 5);
 *	dwa_unit(&a, 0);
 *	dwa_die(&a, DW_TAG_compile_unit, true);
 *	dwa_string(&a, DW_AT_name, DW_FORM_strp, "a.c");
 *	dwa_die(&a, DW_TAG_subprogram, false);
 *	dwa_string(&a, DW_AT_name, DW_FORM_string, "main");
 *	dwa_value(&a, DW_AT_low_pc, DW_FORM_addr, 0x1000);
 *	dwa_value(&a, DW_AT_high_pc, DW_FORM_data4, 0x20);
 *	dwa_end(&a);
 *	dwa_unit_end(&a);
 *	struct gsym_container *c = dwa_container(&a);
 *	...
 *	dwa_fini(&a);
 *
 * Nothing is checked: the caller chooses forms, versions and order, and may
 * change the bytes of all sections (dwa_patch, a.sections) to damage them.
 * Without memory all functions abort.
 */
#ifndef GSYM_TESTS_DWARF_ASM_H
#define GSYM_TESTS_DWARF_ASM_H

#include "base/emit.h"
#include "base/vec.h"
#include "container/container.h"

enum dwa_section {
	DWA_INFO,
	DWA_ABBREV,
	DWA_LINE,
	DWA_LINE_STR,
	DWA_STR,
	DWA_STR_OFFSETS,
	DWA_ADDR,
	DWA_RANGES,
	DWA_RNGLISTS,
	DWA_ARANGES,
	DWA_TYPES,
	DWA_SECTIONS
};

extern const char *const dwa_section_names[DWA_SECTIONS];

struct dwa_place {
	size_t offset; /* in .debug_info; SIZE_MAX: not known yet */
};

/* A reference whose value is stored when its place is known. */
struct dwa_reference {
	size_t at;	   /* offset of the value in .debug_info */
	unsigned size;	   /* bytes of the value; 0: ULEB128 of five bytes */
	uint64_t relative; /* what the value counts from: the unit, or 0 */
	unsigned place;
};

struct dwa {
	/* For the next unit, list or table; the caller may change them between
	 * units, lists and tables. */
	unsigned version;
	bool dwarf64;
	unsigned address_size;
	/* The abbreviation code of the next DIE, and how much greater the code
	 * of the DIE after that is (1). */
	uint64_t next_code;
	uint64_t code_step;

	struct gsym_emit sections[DWA_SECTIONS];

	/* The rest is for the assembler only. */
	bool big_endian;
	size_t unit_offset;
	size_t unit_body;
	size_t abbrev_offset;
	bool abbrev_open;
	bool code_known; /* the DIE uses an abbreviation of an earlier DIE */
	struct { GSYM_VEC(struct dwa_place); } places;
	struct { GSYM_VEC(struct dwa_reference); } references;
	size_t str_count, addr_count;
	size_t table_offset, table_body; /* of the list or line table */
	size_t table_lists, table_list_count;
	unsigned line_version;
	uint64_t row_address;
	uint64_t row_file;
	int64_t row_line;
	struct gsym_container container;
};

void dwa_init(struct dwa *a, bool big_endian, unsigned address_size,
	      unsigned version);
void dwa_fini(struct dwa *a);

/** The sections that are not empty, as a container without code.  It belongs to
 *  A; do not free it. */
struct gsym_container *dwa_container(struct dwa *a);

/** Overwrite the number of SIZE bytes (1, 2, 4, 8) at OFFSET of SECTION. */
void dwa_patch(struct dwa *a, enum dwa_section section, size_t offset,
	       uint64_t value, unsigned size);

/* Units.  Each unit has an abbreviation table of its own. */

/** Begin a unit; TYPE is DW_UT_* (DWARF 5 only, 0: compile).  Returns its
 *  offset. */
size_t dwa_unit(struct dwa *a, unsigned type);
/** End the unit: lengths and references are filled in. */
void dwa_unit_end(struct dwa *a);
/** The size of a section offset: 4 or 8 bytes. */
unsigned dwa_offset_size(const struct dwa *a);

/** Begin a DIE with a new abbreviation; attributes follow.  With CHILDREN,
 *  dwa_end ends the list of its children.  Returns its offset. */
size_t dwa_die(struct dwa *a, unsigned tag, bool children);
/** Begin a DIE with the abbreviation CODE of an earlier DIE: the same
 *  attributes have to follow.  Returns its offset. */
size_t dwa_die_again(struct dwa *a, uint64_t code);
void dwa_end(struct dwa *a);

/** An attribute whose form stores a number: constants, addresses, flags,
 *  section offsets, references and indexes. */
void dwa_value(struct dwa *a, unsigned attribute, unsigned form,
	       uint64_t value);
/** An attribute of DW_FORM_indirect: FORM is stored with VALUE. */
void dwa_indirect(struct dwa *a, unsigned attribute, unsigned form,
		  uint64_t value);
/** An attribute whose form is a string's: the string itself, an offset into
 *  .debug_str or .debug_line_str, or an index. */
void dwa_string(struct dwa *a, unsigned attribute, unsigned form,
		const char *text);
/** An attribute of a block form, DW_FORM_exprloc or DW_FORM_data16 (SIZE is
 *  16). */
void dwa_block(struct dwa *a, unsigned attribute, unsigned form,
	       const void *bytes, size_t size);

/** A new place, which may be referred to before it is known. */
unsigned dwa_place(struct dwa *a);
/** Set PLACE to the start of the next DIE. */
void dwa_place_here(struct dwa *a, unsigned place);
/** An attribute that refers to PLACE; DW_FORM_ref_udata takes five bytes. */
void dwa_reference(struct dwa *a, unsigned attribute, unsigned form,
		   unsigned place);

/* One table of indexed strings and one of addresses; in DWARF 5 they have
 * headers. */

/** Store TEXT in SECTION, DWA_STR or DWA_LINE_STR.  Returns its offset. */
uint64_t dwa_intern(struct dwa *a, enum dwa_section section, const char *text);
/** Store ADDRESS in .debug_addr.  Returns its index. */
uint64_t dwa_address(struct dwa *a, uint64_t address);
/** The value of DW_AT_str_offsets_base and DW_AT_addr_base. */
uint64_t dwa_table_base(const struct dwa *a);

/* Range lists. */

struct dwa_pair {
	uint64_t first, second;
};

/** A list of .debug_ranges: the pairs, then two zeros.  Returns its offset. */
uint64_t dwa_ranges(struct dwa *a, const struct dwa_pair *pairs,
		    size_t count);
/** Begin a table in .debug_rnglists with LISTS offsets.  Returns the value of
 *  DW_AT_rnglists_base. */
uint64_t dwa_rnglists(struct dwa *a, size_t lists);
/** Begin the next list.  Returns its offset in the section. */
uint64_t dwa_rnglist(struct dwa *a);
/** An entry of KIND, a DW_RLE_*.  Operands that KIND does not have are
 *  ignored. */
void dwa_rle(struct dwa *a, unsigned kind, uint64_t first, uint64_t second);
void dwa_rnglists_end(struct dwa *a);
/** A set of .debug_aranges for the unit at UNIT_OFFSET: PAIRS of address and
 *  length, then two zeros. */
void dwa_aranges(struct dwa *a, uint64_t unit_offset,
		 const struct dwa_pair *pairs, size_t count);

/* Line tables. */

struct dwa_file {
	const char *name;
	uint64_t directory;
};

struct dwa_lines {
	unsigned version;
	unsigned min_inst_length; /**< 0: 1 */
	unsigned max_ops;         /**< 0: 1 */
	int line_base;            /**< both 0: -5 and 14 */
	unsigned line_range;
	unsigned opcode_base;     /**< 0: 13 */
	/** NULL: the standard's operand counts. */
	const uint8_t *opcode_lengths;
	const char *const *directories;
	size_t directory_count;
	const struct dwa_file *files;
	size_t file_count;
	/** DWARF 5: the form of names (0: DW_FORM_string), and whether files
	 *  have an MD5 sum, and a field of an unknown kind. */
	unsigned name_form;
	bool md5;
	bool vendor_field;
};

/** Begin a line table; opcodes follow.  Returns the value of
 *  DW_AT_stmt_list. */
uint64_t dwa_lines(struct dwa *a, const struct dwa_lines *lines);
void dwa_lines_end(struct dwa *a);

/** A standard opcode with COUNT operands of the type unsigned, in ULEB128
 *  (DW_LNS_advance_line and DW_LNS_fixed_advance_pc have functions of their
 *  own). */
void dwa_lns(struct dwa *a, unsigned opcode, unsigned count, ...);
/** A special opcode, by its number. */
void dwa_special(struct dwa *a, unsigned opcode);
void dwa_advance_line(struct dwa *a, int64_t delta);
void dwa_fixed_advance(struct dwa *a, uint16_t delta);
/** An extended opcode with SIZE bytes of operands. */
void dwa_lne(struct dwa *a, unsigned opcode, const void *bytes, size_t size);
void dwa_set_address(struct dwa *a, uint64_t address);

/** A whole sequence: its start, rows with ascending addresses, its end.  For
 *  min_inst_length and max_ops of 1. */
void dwa_sequence(struct dwa *a, uint64_t address);
void dwa_row(struct dwa *a, uint64_t address, uint64_t file, int64_t line);
void dwa_sequence_end(struct dwa *a, uint64_t address);

#endif
