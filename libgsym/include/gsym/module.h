/* SPDX-License-Identifier: MIT */
/*
 * gsym/module.h - what a symbolizer has to know of a program's file besides its
 * GSYM data: build ID, width of addresses, sections by name, symbols.
 *
 * Files are read as gsym_store_read_id reads them: ELF, Mach-O with one
 * program, PE, WebAssembly.
 *
 *	struct gsym_module *module;
 *	struct gsym_store_symbol symbol;
 *
 *	if (gsym_module_open("prog", &module, NULL) != GSYM_OK)
 *		return;
 *	if (gsym_module_symbol_at(module, 0x4030, 0, &symbol) == GSYM_OK)
 *		puts(symbol.name);
 *	gsym_module_close(module);
 *
 * The file is mapped and not read: opening costs the same for every size.  No
 * other file is opened.  All pointers that the functions store are valid until
 * gsym_module_close.
 *
 * Threads: a module belongs to one thread at a time.  Hostile files: no
 * function reads outside the file, whatever its bytes are.  A file that another
 * process cuts off while it is open ends the reading process with SIGBUS.
 */
#ifndef GSYM_MODULE_H
#define GSYM_MODULE_H

#include <gsym/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open file: a program, library, object, debug file or stub. */
struct gsym_module;

/**
 * Open the file PATH.  The caller hands *RET to gsym_module_close.
 *
 * GSYM_ERR_IO: the file cannot be opened or mapped, or is no regular file.
 * GSYM_ERR_FORMAT: it is of no known format.  GSYM_ERR_UNSUPPORTED: of an
 * unknown class or byte order, or several programs.  GSYM_ERR_CORRUPT: the file
 * ends in its header. GSYM_ERR_ARGUMENT: PATH or RET is NULL.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_module_open(const char *path,
					   struct gsym_module **ret,
					   struct gsym_error *error);
/** Close MODULE, which may be NULL. */
GSYM_API void gsym_module_close(struct gsym_module *module);

/** What is known of a module as a whole. */
struct gsym_module_facts {
	/** The build ID, BUILD_ID_SIZE bytes, as gsym_store_read_id reads it;
	 *  NULL and 0 if there is none. */
	const uint8_t *build_id;
	size_t build_id_size;
	/** Bytes of an address: 4 or 8. */
	unsigned address_size;
	/** The file is an object that is not linked yet: its sections have no
	 *  addresses. */
	bool relocatable;
	/** The processor, as ELF numbers it (e_machine: 62 is x86-64, 183
	 *  AArch64); 0 in other formats. */
	uint16_t machine;
	/** The lowest address of the loaded segments; 0 if there are none. */
	uint64_t lowest_address;
	/** PE: the address that the program is linked to be loaded at; 0 in
	 *  other formats. */
	uint64_t image_base;
};

/** Fill FACTS from MODULE. */
GSYM_API enum gsym_status
gsym_module_get_facts(const struct gsym_module *module,
		      struct gsym_module_facts *facts);

/** A section of a module. */
struct gsym_module_section {
	/** Of a relocatable object the address that gsym_convert_file gives
	 *  the section if its caller names none. */
	uint64_t address;
	/** Bytes in memory. */
	uint64_t size;
	/** The bytes as they are in the file; NULL if the file has none. */
	const uint8_t *data;
	size_t data_size;
};

/** Store the first section of MODULE that is called NAME in RET.
 *  GSYM_NOT_FOUND: there is none.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status
gsym_module_find_section(const struct gsym_module *module, const char *name,
			 struct gsym_module_section *ret);

/** Set *ADDRESS to the address that the byte at OFFSET of the file of MODULE
 *  was linked to.  In a WebAssembly module only code has addresses.
 *  GSYM_NOT_FOUND: the byte has no address, or MODULE is a debug file. */
GSYM_API enum gsym_status
gsym_module_address_of(const struct gsym_module *module, uint64_t offset,
		       uint64_t *address);

/** As gsym_store_symbol_at, for the symbols of MODULE itself.  Those of a
 *  relocatable object have the addresses of gsym_module_find_section. */
GSYM_API enum gsym_status gsym_module_symbol_at(struct gsym_module *module,
						uint64_t address,
						unsigned flags,
						struct gsym_store_symbol *ret);

/** Flags of gsym_module_file_at. */
enum {
	/** Of a global symbol the last file before it counts, if all files are
	 *  named before all other symbols, as in objects.  addr2line of
	 *  binutils does so, llvm-symbolizer does not. */
	GSYM_MODULE_GLOBAL = 1 << 0,
};

/** Store in *FILE the name of the source file that the local symbol at ADDRESS
 *  is from: of the last symbol of the type STT_FILE before it in the ELF symbol
 *  table.  It is the name of the compiled file, as a rule without folders, and
 *  never "".  The symbol is the one that gsym_module_symbol_at finds without
 *  flags.
 *
 *  GSYM_NOT_FOUND: no symbol lies there, it is not local, or no file is named.
 *  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_module_file_at(struct gsym_module *module,
					      uint64_t address, unsigned flags,
					      const char **file);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_MODULE_H */
