/* SPDX-License-Identifier: MIT */
/*
 * aout/aout.h - a program of Plan 9 (a.out) as a container: text, data,
 * symbols, and the tables of Go 1.1 and older.  Knows nothing of GSYM.
 *
 * Reads programs for the processors of Go on Plan 9: 386, amd64, arm, arm64.
 * Headers are big-endian, the programs little-endian.  The format has neither
 * a build ID nor DWARF.
 */
#ifndef GSYM_AOUT_AOUT_H
#define GSYM_AOUT_AOUT_H

#include "container/container.h"
#include "base/cursor.h"

/** Names of the sections with the symbol table and with the line table. */
#define GSYM_AOUT_SYMBOLS "symbols"
#define GSYM_AOUT_LINES "lines"

/* ---- symbol tables ------------------------------------------------------ */

/* Go 1.1 and older wrote Plan 9's symbol table on all systems, in several
 * dialects. */

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
