/* SPDX-License-Identifier: MIT */
/*
 * aout/plan9_symbols.h - reading the symbol table of Plan 9, symbol by symbol.
 * Go 1.1 and older wrote it on all systems, in several dialects.  Knows nothing
 * of the file that holds the table.
 */
#ifndef GSYM_AOUT_PLAN9_SYMBOLS_H
#define GSYM_AOUT_PLAN9_SYMBOLS_H

#include "base/cursor.h"

/** Encodings of symbols. */
enum plan9_dialect {
	PLAN9_ANY, /**< not known: gsym_plan9_open finds it out */
	PLAN9_2008,
	PLAN9_GO_1_0,
	PLAN9_32,
	PLAN9_64,
	PLAN9_GO_1_0_LITTLE,
	PLAN9_GO_1_1,
};

/** A program's tables. */
struct gsym_plan9 {
	const uint8_t *symbols;
	size_t symbol_size;
	const uint8_t *lines;
	size_t line_size;
	enum plan9_dialect dialect;
	/** Bytes of the smallest instruction, in which the line table
	 * counts. */
	unsigned quantum;
};

struct plan9_symbol {
	char kind;
	uint64_t value;
	/** COUNT bytes: the name.  If KIND is 'z' or 'Z': COUNT numbers of path
	 *  elements, each of two bytes in big-endian order. */
	const uint8_t *bytes;
	size_t count;
};

struct plan9_reader {
	struct gsym_cursor cursor;
	enum plan9_dialect dialect;
	unsigned pointer_size; /**< bytes of a pointer, in PLAN9_GO_1_1 */
};

/** Start READER at the first symbol of TABLES; false if the dialect is not
 *  known. */
bool gsym_plan9_open(const struct gsym_plan9 *tables,
		     struct plan9_reader *reader);
/** Read the next symbol to RET.  False after the last symbol, and where the
 *  table is damaged: then READER's cursor has failed, or has bytes left. */
bool gsym_plan9_next(struct plan9_reader *reader, struct plan9_symbol *ret);
/** Returns true if SYMBOL, a function by its kind, marks the end of the
 *  text. */
bool gsym_plan9_is_end(const struct plan9_symbol *symbol);

#endif
