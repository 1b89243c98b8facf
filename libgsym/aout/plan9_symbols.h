/* SPDX-License-Identifier: MIT */
/*
 * aout/plan9_symbols.h - the symbol table of Plan 9, which Go 1.1 and older
 * wrote, too: one symbol after the other, in any of its dialects.  Knows the
 * bytes; never how they were found.
 */
#ifndef GSYM_AOUT_PLAN9_SYMBOLS_H
#define GSYM_AOUT_PLAN9_SYMBOLS_H

#include "base/cursor.h"

/** How symbols are written. */
enum plan9_dialect {
	PLAN9_ANY, /**< to be found out */
	PLAN9_2008,
	PLAN9_GO_1_0,
	PLAN9_32,
	PLAN9_64,
	PLAN9_GO_1_0_LITTLE,
	PLAN9_GO_1_1,
};

struct gsym_plan9 {
	const uint8_t *symbols;
	size_t symbol_size;
	const uint8_t *lines;
	size_t line_size;
	enum plan9_dialect dialect;
	/** Bytes of the smallest instruction. */
	unsigned quantum;
};

struct plan9_symbol {
	char kind;
	uint64_t value;
	/** The name; of 'z' and 'Z': COUNT numbers of path elements, two
	 *  bytes each, the higher one first. */
	const uint8_t *bytes;
	size_t count;
};

struct plan9_reader {
	struct gsym_cursor cursor;
	enum plan9_dialect dialect;
	unsigned pointer_size; /**< of PLAN9_GO_1_1 */
};

/** Start reading TABLES; false if the dialect cannot be told. */
bool gsym_plan9_open(const struct gsym_plan9 *tables,
		     struct plan9_reader *reader);
/** The next symbol; false behind the last one, and where the table is
 *  damaged: then the cursor is not at its end. */
bool gsym_plan9_next(struct plan9_reader *reader, struct plan9_symbol *ret);
/** Whether SYMBOL, of a function's kind, is the end of the text instead. */
bool gsym_plan9_is_end(const struct plan9_symbol *symbol);

#endif
