/* SPDX-License-Identifier: MIT */
/*
 * tests/support/dwarf_text.h - writes what a reader of DWARF found as text, to
 * be compared.
 *
 * Each node is a line: its number; "fn" for a function, "in" and the parent's
 * number (- for none) for an inlined call; the name (linkage names end with !,
 * - for none); for inlined calls "call FILE:LINE"; the ranges.  After the nodes
 * come the files that rows and calls refer to ("file 1 DIRECTORY|NAME"), and
 * the sequences with their rows ("ADDRESS:FILE:LINE").  Addresses are
 * hexadecimal.
 */
#ifndef GSYM_TESTS_DWARF_TEXT_H
#define GSYM_TESTS_DWARF_TEXT_H

#include "dwarf/unit.h"

#include <stdio.h>

enum {
	DWTEXT_DIES = 1,     /**< with the offsets of the nodes' DIEs */
	DWTEXT_WARNINGS = 2, /**< with the warnings */
	/** Read units with all of enum dw_want.  Functions end with "decl
	 *  FILE:LINE" and "seq OFFSET"; after the nodes come "returns ADDRESS
	 *  in NODE NAME" for each call and "data ADDRESS NAME" for each
	 *  variable. */
	DWTEXT_ALL = 4,
};

void dwtext_unit(FILE *out, const struct dw_unit *unit, unsigned flags);

/** Write "claim UNIT [START,END)" for each of CLAIMS, which are sorted by unit
 *  and start. */
void dwtext_claims(FILE *out, struct dw_claims *claims);

/** All that READER finds in CONTAINER, to be freed: "unit 0" and its content,
 *  and so on, then the claims.  Aborts if the reader fails. */
char *dwtext_read(const struct dw_reader *reader,
		  const struct gsym_container *container, unsigned flags);

#endif
