/* SPDX-License-Identifier: MIT */
/*
 * store/symbols.h - finds symbols by address and by name in the symbol table of
 * an ELF file.
 */
#ifndef GSYM_STORE_SYMBOLS_H
#define GSYM_STORE_SYMBOLS_H

#include <gsym/store.h>

struct gsym_symbols;

/** Map the ELF file PATH, or read it if COPIED, and sort its symbols; *RET has
 *  them.  GSYM_NOT_FOUND: the file is damaged, no ELF file, or has no symbols.
 *  GSYM_ERR_IO: it cannot be opened.  GSYM_ERR_MEMORY.  *RET is NULL on
 *  failure. */
enum gsym_status gsym_symbols_open(const char *path, bool copied,
				   struct gsym_symbols **ret,
				   struct gsym_error *error);
/** As gsym_symbols_open, for the ELF file of SIZE bytes at DATA, which have to
 *  outlive *RET. */
enum gsym_status gsym_symbols_open_memory(const uint8_t *data, size_t size,
					  struct gsym_symbols **ret);
/** Free SYMBOLS.  NULL is fine. */
void gsym_symbols_close(struct gsym_symbols *symbols);
/** Fill RET with the symbol that ADDRESS lies in; FLAGS as for
 *  gsym_store_symbol_at.  False if there is none.  The name lives as long as
 *  SYMBOLS. */
bool gsym_symbols_find(const struct gsym_symbols *symbols, uint64_t address,
		       unsigned flags, struct gsym_store_symbol *ret);

/** Sort the names of SYMBOLS, unless they are; false without memory. */
bool gsym_symbols_sort_names(struct gsym_symbols *symbols);
/** Fill RET with the symbol whose name is the SIZE bytes at NAME, after SKIP
 *  others that have it.  False if there is none.  The names are sorted. */
bool gsym_symbols_named(const struct gsym_symbols *symbols, const char *name,
			size_t size, size_t skip,
			struct gsym_store_symbol *ret);

#endif
