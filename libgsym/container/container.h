/* SPDX-License-Identifier: MIT */
/*
 * container/container.h - sections, symbols and identity of a program, whatever
 * file format holds them.  Made by elf/, macho/, pe/ and aout/ of the bytes of
 * a file, read by input/ and dwarf/.  Knows nothing of ELF, DWARF or GSYM.
 *
 * A container owns the mapped file and everything inflated from it; all
 * pointers below live as long as it.  Once loaded it never changes, so any
 * number of threads may read it.
 */
#ifndef GSYM_CONTAINER_CONTAINER_H
#define GSYM_CONTAINER_CONTAINER_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/vec.h"
#include "container/mapping.h"

#include <gsym/convert.h>

/** A section of the program. */
struct gsym_container_section {
	const char *name;
	uint64_t address;
	/** Size in memory; DATA may hold fewer bytes (none, if the section
	 *  takes no room in the file). */
	uint64_t size;
	const uint8_t *data;
	uint64_t data_size;
	/** Where DATA (perhaps compressed) lies in the file. */
	uint64_t file_offset;
	bool loaded;     /**< part of the running program (SHF_ALLOC) */
	bool executable; /**< holds code */
};

/** A piece of memory, as the program's loader makes it from the file. */
struct gsym_segment {
	uint64_t address;
	/** What the file holds of it. */
	const uint8_t *data;
	uint64_t data_size;
	bool writable;
	bool executable;
};

/** Told that the word at PLACE holds VALUE once the program is loaded where
 *  it was linked.  Returns false to hear no more. */
typedef bool gsym_pointer_fn(void *context, uint64_t place, uint64_t value);

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

struct gsym_symbol {
	/** As stored, a version (@GLIBC_2.2.5) removed that the table
	 *  appended; never NULL. */
	const char *name;
	/** Instruction set bits (Thumb, microMIPS) removed. */
	uint64_t value;
	uint64_t size;
	/** Where a symbol without a size ends at the latest; 0: with its
	 *  section. */
	uint64_t limit;
	/** Index into the sections; SIZE_MAX if in none. */
	size_t section;
	enum gsym_symbol_type type;
	enum gsym_symbol_binding binding;
};

/** An object that the program was linked from, and that kept its debug info:
 *  COUNT of the container's linked pieces, from FIRST on, are its. */
struct gsym_object {
	const char *path;
	/** When it was last changed, in seconds since 1970; 0: not known. */
	uint64_t time;
	size_t first;
	size_t count;
};

/** A function or variable that the program has from an object. */
struct gsym_linked {
	const char *name;
	uint64_t address; /**< in the program; 0: that of its symbol */
	uint64_t size;    /**< 0: not known */
	bool function;
};

struct gsym_container {
	enum gsym_format format;
	/** As LLVM names it ("x86_64"), for whatever it runs on. */
	char architecture[GSYM_ARCHITECTURE_NAME_SIZE];
	bool big_endian;
	uint8_t address_size; /**< 4 or 8 */
	/** A relocatable object: sections were laid out by the container, and
	 *  their relocations applied.  (Addresses of sections that are not
	 *  loaded mean nothing to others.) */
	bool relocatable;
	/** Bit 0 of code addresses says which instruction set (ARM, MIPS) and
	 *  is no part of the address. */
	bool code_bit0;

	struct { GSYM_VEC(struct gsym_container_section); } sections;
	/** .symtab, then .dynsym; in table order. */
	struct { GSYM_VEC(struct gsym_symbol); } symbols;
	/** Those with bytes in the file; in file order. */
	struct { GSYM_VEC(struct gsym_segment); } segments;
	/** Tells TAKE of the words whose values the segments' bytes do not
	 *  have, but relocations.  NULL: there are none. */
	void (*pointers)(const struct gsym_container *container,
			 gsym_pointer_fn *take, void *context);
	/** Where the program starts; 0 if not known. */
	uint64_t entry;
	/** The container with the segments of this program, where a debug
	 *  file joined it; NULL: this one. */
	const struct gsym_container *mapped;
	/** Bytes of the tables that they come from, strings included. */
	uint64_t symbol_bytes;
	/** Executable sections that are loaded and not empty, touching ones
	 *  joined; ascending. */
	struct { GSYM_VEC(struct gsym_range); } text;

	const uint8_t *uuid;
	size_t uuid_size;
	/** Of PE: the GUID of the PDB as it is printed, and its age as four
	 *  big-endian bytes where it is not 0; PDB_SIZE 0: it names none.  And
	 *  when it was linked, and the size of its image (0: not PE). */
	uint8_t pdb[20];
	size_t pdb_size;
	uint32_t time_stamp;
	uint32_t image_size;
	/** The address of the first segment, if there are segments. */
	bool has_base;
	uint64_t base;

	/** The debug file that holds what this one refers to (dwz), or NULL. */
	struct gsym_container *alternate;
	/** The package of split units (.dwp) that goes with it, or NULL. */
	struct gsym_container *package;
	/** Another file that some of the pointers here lead into, or NULL. */
	struct gsym_container *part;
	/** Where it was loaded from; NULL if OPEN_SPLIT is. */
	const char *path;
	/**
	 * Opens the file NAME with a split unit (.dwo), which was compiled in
	 * DIRECTORY (NULL: not known): candidate N of several, from 0 on.
	 * GSYM_NOT_FOUND: there are not as many; GSYM_ERR_MEMORY; any other
	 * failure is that of this candidate alone.  May be called by several
	 * threads.  NULL: no such file can be opened.
	 */
	enum gsym_status (*open_split)(const struct gsym_container *container,
				       const char *directory, const char *name,
				       unsigned n, struct gsym_container **ret);

	/** Objects with debug info that the program itself does not have, and
	 *  what of them is where (the debug map of Mach-O's linkers). */
	struct { GSYM_VEC(struct gsym_object); } objects;
	struct { GSYM_VEC(struct gsym_linked); } linked;
	/**
	 * Opens OBJECT, one of the above, from the file PATH, which may name a
	 * member of an archive ("lib.a(member.o)"), and says in IDENTITY which
	 * bytes it is.  Not GSYM_OK: it cannot be used, and ERROR says why.
	 * From one thread at a time; the result must not outlive CONTAINER.
	 */
	enum gsym_status (*open_object)(const struct gsym_container *container,
					const struct gsym_object *object,
					const char *path, uint64_t identity[3],
					struct gsym_container **ret,
					struct gsym_error *error);

	/** What could not be loaded; for whoever converts to hand on. */
	struct {
		GSYM_VEC(struct gsym_container_warning {
			enum gsym_warning kind;
			const char *text; /* in the arena */
		});
	} warnings;

	/** Names and texts that were put together. */
	struct gsym_arena arena;

	/** The file, if gsym_container_open mapped it. */
	struct gsym_mapping file;
	/** Bytes of sections that are not as in the file. */
	struct { GSYM_VEC(uint8_t *); } made;

	/** Belongs to the maker; FREE_PRIVATE frees it. */
	void *private_data;
	void (*free_private)(void *private_data);
};

/** Makes a container of the SIZE bytes of a file at BYTES, which have to
 *  outlive it and stay unchanged.  OPTIONS NULL: the usual ones, and one
 *  thread. */
typedef enum gsym_status
gsym_container_load_fn(const uint8_t *bytes, size_t size,
		       const struct gsym_convert_options *options,
		       struct gsym_container **ret, struct gsym_error *error);

/** Map the file PATH, which becomes the container's, and LOAD it.
 *  GSYM_ERR_IO; GSYM_ERR_FORMAT: it is empty; what LOAD returns. */
enum gsym_status
gsym_container_open(const char *path, gsym_container_load_fn *load,
		    const struct gsym_convert_options *options,
		    struct gsym_container **ret, struct gsym_error *error);

/** Have CONTAINER free BYTES (malloc'ed); false, with nothing done, without
 *  memory. */
bool gsym_container_own(struct gsym_container *container, uint8_t *bytes);

/** Free CONTAINER, its alternate, package and part.  NULL is fine. */
void gsym_container_free(struct gsym_container *container);

/** Note a warning; quietly dropped without memory. */
void gsym_container_warn(struct gsym_container *container,
			 enum gsym_warning kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Note a warning that names SECTION and where in the file it lies. */
void gsym_container_warn_section(struct gsym_container *container,
				 const struct gsym_container_section *section,
				 const char *problem);

/**
 * Append SEGMENT, whose DATA_SIZE bytes begin at OFFSET in the FILE_SIZE bytes
 * of a file at FILE.  Bytes that the file does not have, as in debug files and
 * truncated ones, are cut off.  A segment that has no bytes then, or that
 * reaches around the address space, is left out.  False without memory.
 */
bool gsym_container_add_segment(struct gsym_container *container,
				struct gsym_segment segment,
				const uint8_t *file, size_t file_size,
				uint64_t offset);

/** The section NAME; NULL if there is none.  A debug section that is stored
 *  under its old compressed name (.zdebug_info) is found under its plain
 *  one. */
const struct gsym_container_section *
gsym_container_section(const struct gsym_container *container,
		       const char *name);

/** Fill the text ranges of CONTAINER from its sections; for those who make
 *  one.  False without memory. */
bool gsym_container_collect_text(struct gsym_container *container);

/** Whether ADDRESS lies in executable code; always so for a container
 *  without any executable section. */
bool gsym_container_is_code(const struct gsym_container *container,
			    uint64_t address);

/** The byte at ADDRESS in the segments and, to *LEFT, how many there are from
 *  it on; NULL if the file holds none. */
const uint8_t *gsym_container_bytes(const struct gsym_container *container,
				    uint64_t address, uint64_t *left);

/** A cursor over SECTION (NULL: over nothing), in the file's byte order. */
struct gsym_cursor gsym_container_cursor(const struct gsym_container *container,
					 const struct gsym_container_section *section);

#endif
