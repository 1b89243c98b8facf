/* SPDX-License-Identifier: MIT */
/*
 * object/object.h - one view of a program's file, whatever its format:
 * identity, sections, segments and symbols, read from bytes in memory.
 *
 * A format is a row of functions (struct object_kind) over a view of its own,
 * and is added to the table in object.c.  Libraries that convert programs fill
 * their containers from the same views.
 *
 * An object points into the bytes that it was opened on, which have to outlive
 * it.  No function reads beyond them, whatever the file says.  Nothing is
 * allocated, but for the addresses of the sections of a relocatable object.
 */
#ifndef GSYM_OBJECT_OBJECT_H
#define GSYM_OBJECT_OBJECT_H

#include "object/elfview.h"
#include "object/machoview.h"
#include "object/peview.h"
#include "object/wasmview.h"

struct object_kind;

/** A program's file: a program, library, object or debug file. */
struct object {
	const struct object_kind *kind;
	union {
		struct elfview elf;
		struct machoview macho;
		struct peview pe;
		struct wasmview wasm;
	};
	/** The names of the sections of an ELF file. */
	struct elfview_strings names;
	/** Bytes of an address: 4 or 8. */
	uint8_t address_size;
	/** An ELF object that is not linked yet. */
	bool relocatable;
	/** Headers of sections and segments that the file has: what a walk over
	 *  both reads. */
	uint64_t header_count;
	/** The addresses of the sections, once gsym_object_place was called for
	 *  a relocatable object; else NULL. */
	uint64_t *places;
};

struct object_section {
	/** Of Mach-O without the segment's name; "" if it is not in the file.
	 *  */
	struct object_name name;
	uint64_t address;
	uint64_t size; /**< in memory */
	/** The bytes as they are in the file; NULL if it has none. */
	const uint8_t *data;
	uint64_t data_size;
};

/** A segment, or what stands for one in the format: in PE the headers, and each
 *  section. */
struct object_segment {
	uint64_t address;
	uint64_t offset;
	uint64_t file_size;
	bool loaded; /**< if false, the other members mean nothing */
	bool executable;
};

struct object_symbol {
	struct object_name name;
	uint64_t address;
	uint64_t size; /**< 0: not known */
	/** The number of its section, for gsym_object_section. */
	uint64_t section;
};

/** A walk over the symbols of an object. */
struct object_walk {
	bool begun;
	uint64_t next;
	/** Which table: ELF's .symtab, then its .dynsym; others have one. */
	unsigned table;
	union {
		struct elfview_table elf;
		struct macho_symbols macho;
		struct gsym_cursor pe;
		struct {
			struct gsym_cursor names;
			struct wasmview_walk functions;
		} wasm;
	};
};

/** What a format does. */
struct object_kind {
	/** Whether a file that begins with SIZE bytes at BYTES may be of the
	 *  format. */
	bool (*matches)(const uint8_t *bytes, size_t size);
	/** Open the view in RET, whose KIND is set. */
	enum gsym_status (*open)(const uint8_t *bytes, size_t size,
				 struct object *ret, struct gsym_error *error);
	const uint8_t *(*id)(const struct object *object,
			     uint8_t room[PE_PDB_SIZE], size_t *size);
	bool (*section)(const struct object *object, uint64_t number,
			struct object_section *ret);
	bool (*segment)(const struct object *object, uint64_t number,
			struct object_segment *ret);
	/** Begin WALK over table WALK->table; false if there is none. */
	bool (*begin)(const struct object *object, struct object_walk *walk);
	bool (*symbol)(const struct object *object, struct object_walk *walk,
		       struct object_symbol *ret);
	/** Whether the segments are those of the program, and not of a debug
	 *  file, in which offsets differ. */
	bool (*is_program)(const struct object *object);
};

extern const struct object_kind gsym_object_elf, gsym_object_macho,
	gsym_object_pe, gsym_object_wasm;

/**
 * Open the SIZE bytes at BYTES.  A universal Mach-O file has to hold a single
 * program.
 *
 * GSYM_ERR_FORMAT: of no known format.  GSYM_ERR_UNSUPPORTED: of an unknown
 * kind, or with several programs.  GSYM_ERR_CORRUPT: the file ends in its
 * headers.
 */
enum gsym_status gsym_object_open(const uint8_t *bytes, size_t size,
				  struct object *ret, struct gsym_error *error);

/** Give the sections of a relocatable object the addresses that conversion
 *  gives them; does nothing for other files.  The caller frees PLACES.  False
 *  without memory. */
bool gsym_object_place(struct object *object);

/** What shows which build OBJECT is of: ELF's build ID, Mach-O's UUID, the
 *  identity of a PE file's PDB (gsym_peview_pdb), or WebAssembly's build ID.
 *  Points into the bytes of OBJECT, or to ROOM.  NULL if there is none; *SIZE
 *  is 0 then. */
const uint8_t *gsym_object_id(const struct object *object,
			      uint8_t room[PE_PDB_SIZE], size_t *size);

/** Set RET to section NUMBER; false after the last one.  ELF counts from 1. */
static inline bool gsym_object_section(const struct object *object,
				       uint64_t number,
				       struct object_section *ret)
{
	return object->kind->section(object, number, ret);
}

/** Set RET to segment NUMBER, from 0 on; false after the last one. */
static inline bool gsym_object_segment(const struct object *object,
				       uint64_t number,
				       struct object_segment *ret)
{
	return object->kind->segment(object, number, ret);
}

/** Set RET to the next symbol of WALK, which is zeros but for TABLE at the
 *  beginning: a function, a variable or a label in a section.  False after the
 *  last one. */
bool gsym_object_symbol(const struct object *object, struct object_walk *walk,
			struct object_symbol *ret);

/** The loaded segments of a program. */
struct object_loads {
	size_t count;
	struct object_segment items[ELFVIEW_MOST_LOADS];
};

/** Set RET to the loaded segments of the program that OBJECT belongs to.  False
 *  if its segments are not those of the program, as in a debug file, or more
 *  than RET holds. */
bool gsym_object_loads(const struct object *object, struct object_loads *ret);

/** Set *ADDRESS to the address that the program was linked to have the byte at
 *  OFFSET of its file at.  Of several segments with the byte those with code
 *  count.  False if no segment has the byte, or several have it at different
 *  addresses. */
bool gsym_object_linked(const struct object_loads *loads, uint64_t offset,
			uint64_t *address);

#endif
