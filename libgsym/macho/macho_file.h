/* SPDX-License-Identifier: MIT */
/*
 * macho/macho_file.h - the state of loading one program of a Mach-O file into a
 * container, and the functions of this room that several of its files use.
 */
#ifndef GSYM_MACHO_MACHO_FILE_H
#define GSYM_MACHO_MACHO_FILE_H

#include "container/container.h"
#include "object/machoview.h"

/** The private data of a container that this room makes. */
struct macho_image {
	/** The chained fixups; empty if there are none. */
	struct gsym_cursor fixups;
	/** The size of the program in the file, a bound for the number of
	 * pointers. */
	uint64_t size;
	/** gsym_macho_load, to open objects of the debug map with. */
	gsym_container_load_fn *load;
	/** Archives that objects were opened from; NULL: none yet. */
	struct macho_archives *archives;
};

/** A piece of the file that a load command names. */
struct macho_piece {
	uint32_t offset;
	uint32_t count; /**< number of entries, or of bytes; 0: there is no such
			 *   piece */
};

struct macho_file {
	/** The program, which may be one of several in a universal file. */
	struct machoview view;
	/** The offset of the program in the whole file. */
	uint64_t offset;
	/** The headers of the container's sections. */
	struct {
		GSYM_VEC(struct machoview_section);
	} sections;
	struct macho_piece symbol_table;
	struct macho_piece string_table;
	struct macho_piece indirect;
	struct macho_piece starts; /**< function starts */
	struct macho_piece fixups; /**< chained fixups */
	/** Filled by gsym_macho_read_symbols. */
	struct macho_symbols symbols;
	struct gsym_container *container;
};

/** A cursor over PIECE, whose entries have SIZE bytes.  If PIECE is not in the
 *  file the cursor is empty, and a warning calls the piece NAME. */
struct gsym_cursor gsym_macho_piece(const struct macho_file *file,
				    struct macho_piece piece, size_t size,
				    const char *name);

/** The container's POINTERS, of chained fixups. */
void gsym_macho_each_pointer(const struct gsym_container *container,
			     gsym_pointer_fn *take, void *context);

/** Append the symbols in sections, and one for each stub; false without
 *  memory. */
bool gsym_macho_read_symbols(struct macho_file *file);

/** Fill the container's debug map, OBJECTS and LINKED; false without
 *  memory. */
bool gsym_macho_read_debug_map(struct macho_file *file);

/** The container's OPEN_OBJECT. */
enum gsym_status gsym_macho_open_object(const struct gsym_container *container,
					const struct gsym_object *object,
					const char *path, uint64_t identity[3],
					struct gsym_container **ret,
					struct gsym_error *error);
/** Close all archives.  NULL is fine. */
void gsym_macho_archives_free(struct macho_archives *archives);

/** Apply the relocations of an object's debug and data sections, whose bytes
 *  become copies; does nothing for other files.  False without memory. */
bool gsym_macho_relocate(struct macho_file *file);

#endif
