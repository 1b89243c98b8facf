/* SPDX-License-Identifier: MIT */
/*
 * macho/macho.h - a program in a Mach-O file as a container: sections, symbols,
 * UUID, text ranges.  Knows nothing of DWARF and of GSYM.
 *
 * Reads executables, libraries, bundles, objects and dsymutil's debug files, of
 * 32 and 64 bits and both byte orders, alone or in a universal file.  Sections
 * are named "__TEXT,__text"; debug sections have ELF's names (".debug_info").
 * Names of symbols lose their first '_'.
 */
#ifndef GSYM_MACHO_MACHO_H
#define GSYM_MACHO_MACHO_H

#include "container/input.h"

/** Drop the symbols of PROGRAM, which was filled, but for its
 *  stubs. */
void gsym_macho_keep_stubs(struct gsym_container *program);

/** The programs in a Mach-O file. */
struct macho_slices {
	GSYM_VEC(struct machoview_slice);
};

/** The architecture of the program at SLICE. */
struct gsym_architecture
gsym_macho_architecture(const struct machoview_slice *slice);

/**
 * Append the programs of the file of SIZE bytes at BYTES: the only one of a
 * thin file, or all of a universal file.  They lie inside the file and do not
 * overlap, and no two are for the same architecture.
 *
 * GSYM_ERR_FORMAT: no Mach-O file; GSYM_ERR_CORRUPT; GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_macho_slices(const uint8_t *bytes, size_t size,
				   struct macho_slices *ret,
				   struct gsym_error *error);

/** Set *RET to the program for the architecture NAME in the file of SIZE bytes
 *  at BYTES; NULL means the only program.  GSYM_ERR_ARGUMENT: there is none, or
 *  NAME is NULL and there are several; the message lists the architectures.
 *  Else as gsym_macho_slices. */
enum gsym_status gsym_macho_choose(const uint8_t *bytes, size_t size,
				   const char *name,
				   struct machoview_slice *ret,
				   struct gsym_error *error);

/** Store the architectures of the programs in the file PATH to ARRAY, CAPACITY
 *  at most, and their number to *COUNT.  GSYM_ERR_IO; GSYM_ERR_FORMAT: no
 *  Mach-O file; GSYM_ERR_CORRUPT; GSYM_ERR_MEMORY. */
enum gsym_status
gsym_macho_architectures(const char *path, struct gsym_architecture *array,
			 size_t capacity, size_t *count,
			 struct gsym_error *error);

/** Set *RET to the path, malloc'ed, of the debug file in PATH, a folder that
 *  dsymutil made; to NULL if PATH is no such folder.  GSYM_ERR_FORMAT: there is
 *  no file in the folder, or several; GSYM_ERR_IO; GSYM_ERR_MEMORY. */
enum gsym_status gsym_macho_bundle(const char *path, char **ret,
				   struct gsym_error *error);

/* ---- private to this room ----------------------------------------------- */

/** The private data of a container that this room makes. */
struct macho_file {
	/** The program, which may be one of several in a universal file. */
	struct machoview view;
	/** The offset of the program in the whole file. */
	uint64_t offset;
	/** The headers of the container's sections; empty after loading. */
	GSYM_VEC_OF(struct machoview_section) sections;
	/** Filled by gsym_macho_read_symbols. */
	struct macho_symbols symbols;
	struct gsym_container *container;
	/** The chained fixups; empty if there are none. */
	struct gsym_cursor fixups;
	/** Archives that objects were opened from; NULL: none yet. */
	struct macho_archives *archives;
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
