/* SPDX-License-Identifier: MIT */
/*
 * tests/support/dwarf_asm.h - assemble DWARF in memory: any version from 2
 * to 5, 32- and 64-bit format, both byte orders, addresses of 4 and 8 bytes.
 * Knows nothing of the code under test, but for base/emit.h and the section
 * list of a container.
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
 * Nothing is checked: forms, versions and order are the caller's, and the
 * bytes of all sections can be changed (dwa_patch, a.sections).  What has to
 * be unsound is written by hand.  Without memory everything here aborts.
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
	size_t offset; /* in .debug_info; SIZE_MAX: not yet known */
};

struct dwa_reference {
	size_t at;         /* where the value is stored */
	unsigned size;     /* 0: ULEB128 of five bytes */
	uint64_t relative; /* subtracted: the unit's offset, or 0 */
	unsigned place;
};

struct dwa {
	/* What the next unit, list or table is written as; may be changed
	 * between them. */
	unsigned version;
	bool dwarf64;
	unsigned address_size;
	/* The abbreviation code that the next DIE gets, and what is added
	 * to it afterwards (1). */
	uint64_t next_code;
	uint64_t code_step;

	struct gsym_emit sections[DWA_SECTIONS];

	/* All of this is the assembler's own. */
	bool big_endian;
	size_t unit_offset;
	size_t unit_body;
	size_t abbrev_offset;
	bool abbrev_open;
	bool code_known; /* the DIE uses an abbreviation that is there */
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

/** The sections that hold something, as a container without any code, of
 *  format ELF.  It belongs to A; do not free it. */
struct gsym_container *dwa_container(struct dwa *a);

/** Write SIZE bytes (1, 2, 4, 8) at OFFSET of SECTION. */
void dwa_patch(struct dwa *a, enum dwa_section section, size_t offset,
	       uint64_t value, unsigned size);

/* Units.  A unit gets abbreviations of its own. */

/** Begin a unit; TYPE is DW_UT_* (DWARF 5 only, 0: compile).  Returns its
 *  offset. */
size_t dwa_unit(struct dwa *a, unsigned type);
/** End it: lengths and references are filled in. */
void dwa_unit_end(struct dwa *a);
/** Bytes of a section offset: 4 or 8. */
unsigned dwa_offset_size(const struct dwa *a);

/** Begin a DIE with an abbreviation of its own; attributes follow.  Returns
 *  its offset.  With CHILDREN, dwa_end ends the list of its children. */
size_t dwa_die(struct dwa *a, unsigned tag, bool children);
/** Begin a DIE with the abbreviation CODE, which an earlier one got: the
 *  same attributes must follow. */
size_t dwa_die_again(struct dwa *a, uint64_t code);
void dwa_end(struct dwa *a);

/** An attribute of any form that holds a number: constants, addresses,
 *  flags, section offsets, references and indexes as they are stored. */
void dwa_value(struct dwa *a, unsigned attribute, unsigned form,
	       uint64_t value);
/** The same, the form stored as DW_FORM_indirect. */
void dwa_indirect(struct dwa *a, unsigned attribute, unsigned form,
		  uint64_t value);
/** Forms of strings: in place, .debug_str, .debug_line_str, or by index. */
void dwa_string(struct dwa *a, unsigned attribute, unsigned form,
		const char *text);
/** Block forms, DW_FORM_exprloc and DW_FORM_data16 (SIZE is 16). */
void dwa_block(struct dwa *a, unsigned attribute, unsigned form,
	       const void *bytes, size_t size);

/** A place that can be referred to before it is known. */
unsigned dwa_place(struct dwa *a);
/** It is where the next DIE begins. */
void dwa_place_here(struct dwa *a, unsigned place);
/** A reference to PLACE; ref_udata takes five bytes. */
void dwa_reference(struct dwa *a, unsigned attribute, unsigned form,
		   unsigned place);

/* Tables of strings and addresses, one of each; in DWARF 5 with a header. */

/** Offset of TEXT, newly stored in DWA_STR or DWA_LINE_STR. */
uint64_t dwa_intern(struct dwa *a, enum dwa_section section, const char *text);
/** The index of ADDRESS, newly stored in .debug_addr. */
uint64_t dwa_address(struct dwa *a, uint64_t address);
/** Value for DW_AT_str_offsets_base and DW_AT_addr_base. */
uint64_t dwa_table_base(const struct dwa *a);

/* Range lists. */

struct dwa_pair {
	uint64_t first, second;
};

/** .debug_ranges: the pairs as they are, and two zeros.  Returns the
 *  list's offset. */
uint64_t dwa_ranges(struct dwa *a, const struct dwa_pair *pairs,
		    size_t count);
/** Begin a table in .debug_rnglists with room for LISTS offsets.  Returns
 *  the value for DW_AT_rnglists_base. */
uint64_t dwa_rnglists(struct dwa *a, size_t lists);
/** Begin the next list; returns its offset in the section. */
uint64_t dwa_rnglist(struct dwa *a);
/** An entry DW_RLE_*; the operands that it has not are ignored. */
void dwa_rle(struct dwa *a, unsigned kind, uint64_t first, uint64_t second);
void dwa_rnglists_end(struct dwa *a);
/** A set of .debug_aranges: address and length each, then two zeros. */
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
	/** DWARF 5: DW_FORM_* of names (0: in place), whether entries have
	 *  an MD5 sum, and whether one of a vendor's own kinds. */
	unsigned name_form;
	bool md5;
	bool vendor_field;
};

/** Begin a line table; returns its offset for DW_AT_stmt_list.  Opcodes
 *  follow. */
uint64_t dwa_lines(struct dwa *a, const struct dwa_lines *lines);
void dwa_lines_end(struct dwa *a);

/** A standard opcode with COUNT operands, as ULEB128 (DW_LNS_advance_line
 *  and DW_LNS_fixed_advance_pc have functions below). */
void dwa_lns(struct dwa *a, unsigned opcode, unsigned count, ...);
/** A special opcode, as stored. */
void dwa_special(struct dwa *a, unsigned opcode);
void dwa_advance_line(struct dwa *a, int64_t delta);
void dwa_fixed_advance(struct dwa *a, uint16_t delta);
/** An extended opcode with SIZE bytes of operands. */
void dwa_lne(struct dwa *a, unsigned opcode, const void *bytes, size_t size);
void dwa_set_address(struct dwa *a, uint64_t address);

/** The plain way: begin a sequence, rows (their addresses do not fall),
 *  the end.  For min_inst_length and max_ops of 1. */
void dwa_sequence(struct dwa *a, uint64_t address);
void dwa_row(struct dwa *a, uint64_t address, uint64_t file, int64_t line);
void dwa_sequence_end(struct dwa *a, uint64_t address);

#endif
