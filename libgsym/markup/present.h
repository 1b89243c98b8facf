/* SPDX-License-Identifier: MIT */
/*
 * markup/present.h - what is shown in place of an element.
 *
 *	present.c	symbol, data; finds the others
 *	code.c		pc; what is known about an address of code
 *	frames.c	bt
 *	dumpfile.c	dumpfile
 *	fallback.c	what is shown when nothing is known
 */
#ifndef GSYM_MARKUP_PRESENT_H
#define GSYM_MARKUP_PRESENT_H

#include <gsym/markup.h>

#include "markup/context.h"
#include "markup/host.h"
#include "markup/out.h"

struct gsym_markup;

/** Write the output for E; false if E is to be written as it is in the log. */
bool gsym_mk_present(struct gsym_markup *f, const struct gsym_mk_element *e);

void gsym_mk_present_pc(struct gsym_markup *f, const struct gsym_mk_element *e);
void gsym_mk_present_bt(struct gsym_markup *f, const struct gsym_mk_element *e);
void gsym_mk_present_dumpfile(struct gsym_markup *f,
			      const struct gsym_mk_element *e);

/** What is known about an address of code. */
struct gsym_mk_known {
	const struct gsym_mk_mapping *mapping;
	/** The address that is looked up. */
	uint64_t address;
	/** The address in the log, which is in MAPPING. */
	uint64_t logged;
	struct gsym_mk_levels levels;
};

/** Set mapping and addresses for E; false if no mapping covers its address. */
bool gsym_mk_code_locate(struct gsym_markup *f, const struct gsym_mk_element *e,
			 struct gsym_mk_known *code);
/** Set the levels of a located address. */
void gsym_mk_code_look_up(struct gsym_markup *f, struct gsym_mk_known *code);
/** Write function and place of level I, with BEFORE before the place and AFTER
 *  after it. */
void gsym_mk_put_level(struct gsym_markup *f, const struct gsym_mk_known *code,
		       size_t i, const char *before, const char *after);

/** Write E as "[[[tag:fields]]]". */
void gsym_mk_raw(struct gsym_markup *f, const struct gsym_mk_element *e);
/** Report that no mapping covers the address of E, and write E raw. */
void gsym_mk_uncovered(struct gsym_markup *f, const struct gsym_mk_element *e);
/** Write the name of MODULE; "#0x1", by its ID, if it has none. */
void gsym_mk_put_module_name(struct gsym_mk_out *o,
			     const struct gsym_mk_module *module);
/** Write "module+0x10". */
void gsym_mk_put_offset(struct gsym_mk_out *o,
			const struct gsym_mk_mapping *mapping,
			uint64_t address);

#endif
