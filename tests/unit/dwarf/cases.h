/* SPDX-License-Identifier: MIT */
/*
 * tests/unit/dwarf/cases.h - DWARF for both readers, and what both must find
 * in it.  Each case is built for all its versions, in both byte orders, in the
 * 32-bit and the 64-bit format and with both address sizes.
 */
#ifndef GSYM_TESTS_DWARF_CASES_H
#define GSYM_TESTS_DWARF_CASES_H

#include "support/dwarf_files.h"

#include <dwarf.h>

struct dw_case {
	const char *name;
	/** DWARF versions, from and to. */
	unsigned first, last;
	void (*build)(struct dwa *a);
	/** The text that support/dwarf_text.h writes of it.  "%file\n" stands
	 *  for file 1 of the table up to DWARF 4, and for nothing in DWARF 5,
	 *  where no row refers to that file.  Any other "%" stands for
	 *  "ffffffff" if addresses have 8 bytes. */
	const char *expected;
	/** Fill the supplementary file (dwz); NULL: none. */
	void (*build_alternate)(struct dwa *a);
	/** Fill the split unit of a skeleton; NULL: none.  PACKED: the split
	 *  unit is in a package. */
	void (*build_split)(struct dwa *a);
	bool packed;
	bool code_bit0;
	/** Read the unit with all of enum dw_want. */
	bool all;
	/** libdwarf reads the case wrongly: all versions, or 20210528 only. */
	bool second_wrong;
	bool old_wrong;
};

extern const struct dw_case dw_tree_cases[];
extern const struct dw_case dw_name_cases[];
extern const struct dw_case dw_content_cases[];
extern const struct dw_case dw_range_cases[];
extern const struct dw_case dw_line_cases[];
extern const struct dw_case dw_file_cases[];

/** Build all files of C into F; files that others refer to come first. */
static inline void case_build(const struct dw_case *c, struct dwf *f)
{
	f->has_alternate = c->build_alternate;
	f->has_split = c->build_split;
	f->packed = c->packed;
	if (c->build_alternate)
		c->build_alternate(&f->alternate);
	if (c->build_split)
		c->build_split(&f->split);
	c->build(&f->main);
}

/** Let the first unit of A claim the addresses from 0x1000 to 0x5000, unless A
 *  has .debug_aranges.  A conversion leaves out what no unit claims, and most
 *  cases claim nothing. */
static inline void case_claim(struct dwa *a)
{
	static const struct dwa_pair pair = { 0x1000, 0x4000 };

	if (!a->sections[DWA_ARANGES].size)
		dwa_aranges(a, 0, &pair, 1);
}

/** Begin a unit and its DIE, with children, a name and LANGUAGE. */
static inline void case_unit(struct dwa *a, unsigned language)
{
	dwa_unit(a, 0);
	dwa_die(a, DW_TAG_compile_unit, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, "a.c");
	dwa_value(a, DW_AT_language, DW_FORM_data1, language);
}

/** End the unit DIE and the unit. */
static inline void case_unit_end(struct dwa *a)
{
	dwa_end(a);
	dwa_unit_end(a);
}

/** The form of offsets into other sections in A's version. */
static inline unsigned case_section_form(const struct dwa *a)
{
	if (a->version >= 4)
		return DW_FORM_sec_offset;
	return a->dwarf64 ? DW_FORM_data8 : DW_FORM_data4;
}

/** DW_AT_low_pc and DW_AT_high_pc, whose form depends on A's version. */
static inline void case_range(struct dwa *a, uint64_t start, uint64_t end)
{
	dwa_value(a, DW_AT_low_pc, DW_FORM_addr, start);
	if (a->version < 4)
		dwa_value(a, DW_AT_high_pc, DW_FORM_addr, end);
	else
		dwa_value(a, DW_AT_high_pc, DW_FORM_data4, end - start);
}

/** Begin a subprogram with a name, without children; more attributes may
 *  follow. */
static inline void case_function(struct dwa *a, const char *name,
				 uint64_t start, uint64_t end)
{
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	case_range(a, start, end);
}

/** Begin a subprogram with a name and children, which dwa_end ends. */
static inline void case_parent(struct dwa *a, const char *name, uint64_t start,
			       uint64_t end)
{
	dwa_die(a, DW_TAG_subprogram, true);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	case_range(a, start, end);
}

/** An inlined call of ORIGIN in line LINE of file 1. */
static inline void case_inlined(struct dwa *a, unsigned origin, bool children,
				unsigned line, uint64_t start, uint64_t end)
{
	dwa_die(a, DW_TAG_inlined_subroutine, children);
	dwa_reference(a, DW_AT_abstract_origin, DW_FORM_ref4, origin);
	dwa_value(a, DW_AT_call_file, DW_FORM_data1, 1);
	dwa_value(a, DW_AT_call_line, DW_FORM_data1, line);
	if (start < end)
		case_range(a, start, end);
}

/** An abstract function, without code; returns its place. */
static inline unsigned case_abstract(struct dwa *a, const char *name)
{
	unsigned place = dwa_place(a);

	dwa_place_here(a, place);
	dwa_die(a, DW_TAG_subprogram, false);
	dwa_string(a, DW_AT_name, DW_FORM_string, name);
	dwa_value(a, DW_AT_inline, DW_FORM_data1, 1);
	return place;
}

#endif
