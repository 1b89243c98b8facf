/* SPDX-License-Identifier: MIT */
/*
 * container/symbol.h - a symbol of a program, in one form for all file formats.
 * Knows nothing of any one format.
 */
#ifndef GSYM_CONTAINER_SYMBOL_H
#define GSYM_CONTAINER_SYMBOL_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum gsym_symbol_type {
	GSYM_SYMBOL_NONE,     /**< untyped: labels of assembly */
	GSYM_SYMBOL_FUNCTION, /**< also indirect functions */
	GSYM_SYMBOL_OBJECT,   /**< data */
	GSYM_SYMBOL_OTHER,    /**< sections, files, thread-local data */
};

enum gsym_symbol_binding {
	GSYM_SYMBOL_LOCAL,
	GSYM_SYMBOL_WEAK,
	GSYM_SYMBOL_GLOBAL,
};

enum {
	/** The section of a symbol that is in none. */
	GSYM_NO_SECTION = (1 << 27) - 1,
};

/** Large libraries have millions of symbols, so a symbol takes 32 bytes. */
struct gsym_symbol {
	/** Without the version that .symtab appends (@GLIBC_2.2.5); never
	 *  NULL. */
	const char *name;
	/** The address, without a bit for the instruction set (Thumb,
	 *  microMIPS). */
	uint64_t value;
	uint64_t size; /**< 0: not known */
	/** The bytes that a symbol without size has at most; 0: up to the end
	 *  of its section. */
	uint32_t reach;
	/** Index into the sections; GSYM_NO_SECTION if in none. */
	uint32_t section : 27;
	/** A stub: a program with nothing else has no functions. */
	bool stub : 1;
	enum gsym_symbol_type type : 2;
	enum gsym_symbol_binding binding : 2;
};

/** The member SECTION of a symbol in section NUMBER; SIZE_MAX means none. */
static inline uint32_t gsym_symbol_home(size_t number)
{
	return number < GSYM_NO_SECTION ? (uint32_t)number : GSYM_NO_SECTION;
}

/** The reach of a symbol at VALUE that ends at LIMIT.  It is 0 if LIMIT lies
 *  not above VALUE, or 4 GiB above it, where labels end anyway. */
static inline uint32_t gsym_symbol_reach(uint64_t value, uint64_t limit)
{
	return limit > value && limit - value <= UINT32_MAX
		       ? (uint32_t)(limit - value)
		       : 0;
}

struct gsym_symbol_list {
	GSYM_VEC(struct gsym_symbol);
};

#endif
