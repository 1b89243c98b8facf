/* SPDX-License-Identifier: MIT */
/*
 * macho/macho_file.h - what the files of this room share while one program
 * is being loaded.
 */
#ifndef GSYM_MACHO_MACHO_FILE_H
#define GSYM_MACHO_MACHO_FILE_H

#include "container/container.h"
#include "macho/constants.h"

/** What a container of this room keeps. */
struct macho_image {
	/** Over the chained fixups; over nothing if there are none. */
	struct gsym_cursor fixups;
	/** Bytes of the program: it has no more pointers. */
	uint64_t size;
	/** Archives that objects were taken from. */
	struct macho_archives *archives;
};

/** What the container's section of the same number does not say. */
struct macho_section {
	uint32_t flags;
	uint32_t first_indirect; /**< of stubs (reserved1) */
	uint32_t stub_size;      /**< reserved2 */
	uint32_t relocations;    /**< offset */
	uint32_t relocation_count;
};

/** A piece of the file that a load command names. */
struct macho_piece {
	uint32_t offset;
	uint32_t count; /**< of entries or bytes; 0: there is none */
};

/** The symbol table and its strings. */
struct macho_symbols {
	struct gsym_cursor table;
	struct gsym_cursor strings;
	/** Strings that begin below it end in the table. */
	size_t limit;
	size_t count;
	bool wide;
};

struct macho_file {
	/** Of the program, not of the universal file around it. */
	const uint8_t *bytes;
	size_t size;
	/** Where BYTES are in the whole file. */
	uint64_t offset;
	bool wide;
	bool swap;
	uint32_t cpu;  /**< enum macho_cpu, with flags */
	uint32_t type; /**< enum macho_file_type */
	uint32_t command_count;
	uint32_t command_bytes;
	struct { GSYM_VEC(struct macho_section); } sections;
	struct macho_piece symbol_table;
	struct macho_piece string_table;
	struct macho_piece indirect;
	struct macho_piece starts; /**< of functions */
	struct macho_piece fixups; /**< chained */
	/** Ready once gsym_macho_read_symbols was there. */
	struct macho_symbols symbols;
	struct gsym_container *container;
};

/** A cursor over PIECE, whose entries have SIZE bytes; over nothing, with a
 *  warning that names it WHAT, if it is not in the file. */
struct gsym_cursor gsym_macho_piece(const struct macho_file *file,
				    struct macho_piece piece, size_t size,
				    const char *what);

/** The container's POINTERS, of chained fixups. */
void gsym_macho_each_pointer(const struct gsym_container *container,
			     gsym_pointer_fn *take, void *context);

/** An entry of the symbol table. */
struct macho_symbol {
	const char *name; /**< as stored; NULL if not in the strings */
	uint8_t type;
	uint8_t section;
	uint16_t description;
	uint64_t value;
};

/** Entry NUMBER; zeros behind the end of the table. */
struct macho_symbol gsym_macho_symbol(const struct macho_symbols *symbols,
				      size_t number);

/** Append the symbols, and those of stubs; false without memory. */
bool gsym_macho_read_symbols(struct macho_file *file);

/** Read which objects the program was linked from, and what of them is where;
 *  false without memory. */
bool gsym_macho_read_debug_map(struct macho_file *file);

/** The container's OPEN_OBJECT. */
enum gsym_status gsym_macho_open_object(const struct gsym_container *container,
					const struct gsym_object *object,
					const char *path, uint64_t identity[3],
					struct gsym_container **ret,
					struct gsym_error *error);
void gsym_macho_archives_free(struct macho_archives *archives);

/** Apply the relocations of an object's sections of debug info and data, whose
 *  bytes become copies; false without memory. */
bool gsym_macho_relocate(struct macho_file *file);

#endif
