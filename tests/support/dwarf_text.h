/* SPDX-License-Identifier: MIT */
/*
 * tests/support/dwarf_text.h - what a reader of DWARF found, as text, to be
 * compared with what a test expects or what another reader found.
 *
 * A line for each node, in order: its number, "fn" or "in" and the number of
 * its parent (- for none), the name (a ! behind linkage names; - for none),
 * for inlined calls "call FILE:LINE", and the ranges.  Then the files ("file
 * 1 DIRECTORY|NAME") that rows and calls refer to, and the sequences with
 * their rows ("ADDRESS:FILE:LINE").  Addresses are hexadecimal.
 */
#ifndef GSYM_TESTS_DWARF_TEXT_H
#define GSYM_TESTS_DWARF_TEXT_H

#include "dwarf/unit.h"

#include <stdio.h>

enum {
	DWTEXT_DIES = 1,     /**< offsets of the nodes' DIEs, too */
	DWTEXT_WARNINGS = 2, /**< and the warnings */
	/** Ask for all that a unit may be asked for: declarations, "decl
	 *  FILE:LINE" and "seq OFFSET" behind a function; "returns ADDRESS in
	 *  NODE NAME" for each call and "data ADDRESS NAME" for each variable,
	 *  behind the nodes. */
	DWTEXT_ALL = 4,
};

void dwtext_unit(FILE *out, const struct dw_unit *unit, unsigned flags);

/** "claim UNIT [START,END)" for each, by unit and start. */
void dwtext_claims(FILE *out, struct dw_claims *claims);

/** All that READER finds in CONTAINER: "unit 0" and its content, and so on,
 *  then the claims.  Aborts where the reader fails.  To be freed. */
char *dwtext_read(const struct dw_reader *reader,
		  const struct gsym_container *container, unsigned flags);

#endif
