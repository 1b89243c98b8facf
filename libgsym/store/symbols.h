/* SPDX-License-Identifier: MIT */
/*
 * store/symbols.h - the symbols of an ELF file, by address.  Knows section
 * headers and symbol tables, and nothing else of ELF.
 */
#ifndef GSYM_STORE_SYMBOLS_H
#define GSYM_STORE_SYMBOLS_H

#include <gsym/store.h>

struct gsym_symbols;

/** The symbols of the file PATH; NULL if it has none, or cannot be read. */
struct gsym_symbols *gsym_symbols_open(const char *path);
/** The same of SIZE bytes, which have to outlive what is returned. */
struct gsym_symbols *gsym_symbols_open_memory(const uint8_t *data,
					      size_t size);
void gsym_symbols_close(struct gsym_symbols *symbols);
/** The symbol that ADDRESS lies in. */
bool gsym_symbols_find(const struct gsym_symbols *symbols, uint64_t address,
		       unsigned flags, struct gsym_store_symbol *ret);

#endif
