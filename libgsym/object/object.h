/* SPDX-License-Identifier: MIT */
/*
 * object/object.h - one view of a program's file, whatever its format:
 * identity, sections, segments and symbols, read from bytes in memory.
 *
 * A format is a row of functions (struct object_kind) over a view of its own,
 * in OBJECT_KINDS.  Rooms that convert programs fill their containers from the
 * same views.  The views of ELF and Mach-O have headers of their own
 * (elfview.h, machoview.h), those of PE and WebAssembly stand here.
 *
 * An object points into the bytes that it was opened on, which have to outlive
 * it.  No function reads beyond them, whatever the file says.  Nothing is
 * allocated, but for the addresses of the sections of a relocatable object.
 */
#ifndef GSYM_OBJECT_OBJECT_H
#define GSYM_OBJECT_OBJECT_H

#include "object/elfview.h"
#include "object/machoview.h"

#include <string.h>

/** If ENDS, the bytes up to a NUL; SIZE says nothing then, because many symbols
 *  may share one long name that nobody measures.  Else SIZE bytes. */
struct object_name {
	const char *bytes;
	size_t size;
	bool ends;
};

/** The name TEXT, or the empty one for NULL. */
static inline struct object_name object_name_of(const char *text)
{
	return (struct object_name){ text ? text : "", 0, true };
}

/** The number of bytes of NAME. */
static inline size_t object_name_size(const struct object_name *name)
{
	return name->ends ? strlen(name->bytes) : name->size;
}

/** Whether NAME is TEXT. */
static inline bool object_name_is(const struct object_name *name,
				  const char *text)
{
	if (name->ends)
		return !strcmp(name->bytes, text);
	return strlen(text) == name->size &&
	       !memcmp(name->bytes, text, name->size);
}

/* ---- PE ------------------------------------------------------------------ */

/* An RVA is an address without the image base. */

enum {
	/** Machines (IMAGE_FILE_MACHINE_*). */
	PE_MACHINE_I386 = 0x14c,
	PE_MACHINE_ARM = 0x1c0,
	PE_MACHINE_ARMNT = 0x1c4,
	PE_MACHINE_X86_64 = 0x8664,
	PE_MACHINE_ARM64 = 0xaa64,
	/** Numbers of data directories (IMAGE_DIRECTORY_ENTRY_*). */
	PE_EXPORT_DIRECTORY = 0,
	PE_EXCEPTION_DIRECTORY = 3,
	PE_DEBUG_DIRECTORY = 6,
	/** Flags of sections. */
	PE_HAS_CODE = 0x20,
	PE_HAS_NO_BYTES = 0x80,
	PE_EXECUTABLE = 0x20000000,
	/** Storage classes and types of symbols. */
	PE_CLASS_EXTERNAL = 2,
	PE_CLASS_STATIC = 3,
	PE_CLASS_LABEL = 6,
	PE_CLASS_WEAK = 105,
	PE_TYPE_FUNCTION = 0x20,
	/** Bytes of a section header, of a symbol, and of a short name. */
	PE_SECTION_SIZE = 40,
	PE_SYMBOL_SIZE = 18,
	PE_NAME = 8,
	/** The GUID of a PDB and its age. */
	PE_PDB_SIZE = 20,
};

/** A flag of sections. */
#define PE_WRITABLE 0x80000000u

struct peview {
	const uint8_t *bytes;
	size_t size;
	bool wide;	   /**< PE32+: addresses have 64 bits */
	uint32_t header;   /**< offset of the PE header */
	uint64_t optional; /**< offset of the optional header */
	uint16_t optional_size;
	uint16_t machine;
	uint16_t section_count;
	/** Offset of the section headers, of which the file may have fewer. */
	uint64_t section_table;
	uint32_t symbols; /**< offset of the COFF symbols; 0: none */
	uint32_t symbol_count;
	uint64_t base;
	uint32_t entry; /**< RVA where the program starts; 0: not known */
	/** Strings of the COFF symbols; empty if there are none. */
	struct gsym_cursor strings;
};

struct peview_section {
	struct object_name name;
	uint32_t rva;
	/** Bytes in memory, and those of them that the file has at OFFSET. */
	uint32_t size, stored;
	uint32_t offset;
	uint32_t flags;
};

struct peview_symbol {
	struct object_name name;
	uint32_t value;
	uint16_t section; /**< from 1 on */
	uint16_t type;
	uint8_t class;
	uint8_t more; /**< auxiliary records after this one */
};

/** A piece of memory that a data directory names; size 0: there is none. */
struct pe_directory {
	uint32_t rva;
	uint32_t size;
};

/** Whether a file that begins with the SIZE bytes at BYTES may be a PE file. */
bool gsym_peview_matches(const uint8_t *bytes, size_t size);

/** Read the headers to RET.  GSYM_ERR_FORMAT: no PE file; GSYM_ERR_UNSUPPORTED:
 *  neither PE32 nor PE32+; GSYM_ERR_CORRUPT: the file ends in its headers. */
enum gsym_status gsym_peview_open(const uint8_t *bytes, size_t size,
				  struct peview *ret, struct gsym_error *error);

/** Set RET to the headers of the COFF object file of SIZE bytes at BYTES: its
 *  machine, sections, symbols and strings; the rest is 0.
 *
 *  GSYM_ERR_FORMAT: it is no object file, or one for very many sections. */
enum gsym_status gsym_peview_open_object(const uint8_t *bytes, size_t size,
					 struct peview *ret,
					 struct gsym_error *error);

/** A cursor at OFFSET of the file; failed if it has fewer bytes. */
struct gsym_cursor gsym_peview_cursor(const struct peview *view,
				      uint64_t offset);

/** Section NUMBER, from 0 on; zeros if its header is not in the file. */
struct peview_section gsym_peview_section(const struct peview *view,
					  unsigned number);

/** The STORED bytes of SECTION; NULL if there are none, or if they are not in
 *  the file. */
static inline const uint8_t *
peview_bytes(const struct peview *view, const struct peview_section *section)
{
	return section->stored && section->offset <= view->size &&
			       section->stored <= view->size - section->offset
		       ? view->bytes + section->offset
		       : NULL;
}

/** Data directory NUMBER. */
struct pe_directory gsym_peview_directory(const struct peview *view,
					  unsigned number);

/** A walk over the COFF symbols. */
struct peview_walk {
	struct gsym_cursor at;
	uint32_t left; /**< records that are not read yet */
};

/** A walk from the first symbol on. */
struct peview_walk gsym_peview_walk(const struct peview *view);

/** Set RET to the next symbol with a name that names a place in a section:
 *  neither a section, nor a file, nor a number.  False after the last one, or
 *  where the file ends. */
bool gsym_peview_symbol(const struct peview *view, struct peview_walk *walk,
			struct peview_symbol *ret);

/** Store the identity of the PDB in RET: its GUID in the order of its text,
 *  then its age as four big-endian bytes unless the age is 0.  Returns the
 *  number of bytes; 0 if there is none.  *NAMED becomes whether the path of the
 *  PDB is there, too: an identity alone serves as a build ID. */
size_t gsym_peview_pdb(const struct peview *view, uint8_t ret[PE_PDB_SIZE],
		       bool *named);

/** The time stamp of the header, and the size of the image in memory; 0 if the
 *  header lacks them. */
void gsym_peview_stamps(const struct peview *view, uint32_t *time_stamp,
			uint32_t *image_size);

/* ---- WebAssembly --------------------------------------------------------- */

/* Code has the addresses that DWARF gives it: offsets within the code section,
 * whose first bytes are the number of functions.  A function begins after the
 * bytes that have its size. */

enum {
	/** Numbers of sections. */
	WASM_CUSTOM = 0,
	WASM_CODE = 10,
	/** Kinds of imports and exports. */
	WASM_FUNCTION = 0,
};

struct wasmview_section {
	uint8_t number;
	/** ".debug_info"; "CODE" for a section that the standard numbers. */
	struct object_name name;
	/** The bytes, after the name. */
	const uint8_t *data;
	size_t size;
	uint64_t offset; /**< of DATA in the file */
};

struct wasmview {
	const uint8_t *bytes;
	size_t size;
	bool wide; /**< memory with addresses of 64 bits (wasm64) */
	/** Where a section breaks off, with all after it; 0: nowhere. */
	uint64_t damaged_at;
	/** The code section, from the number of functions on, and where it is
	 *  in the file. */
	struct gsym_cursor code;
	uint64_t code_offset;
	/** Functions of other modules: they have the first numbers. */
	uint32_t imported;
	/** The contents of the sections "name" and of the exports; empty if
	 *  there are none. */
	struct gsym_cursor names, exports;
};

/** A function, as bytes of the code section. */
struct wasmview_function {
	uint32_t number;
	uint64_t start, end;
};

/** A walk over the functions of a module. */
struct wasmview_walk {
	struct gsym_cursor code;
	uint32_t next;
	uint32_t end;
};

/** Whether a file that begins with the SIZE bytes at BYTES is a module. */
bool gsym_wasmview_matches(const uint8_t *bytes, size_t size);

/** Find the sections of the module in the SIZE bytes at BYTES.
 *  GSYM_ERR_UNSUPPORTED: a component, or another version. */
enum gsym_status gsym_wasmview_open(const uint8_t *bytes, size_t size,
				    struct wasmview *ret,
				    struct gsym_error *error);

/** A cursor at the first section. */
struct gsym_cursor gsym_wasmview_sections(const struct wasmview *view);
/** Read the section at C.  False at the end, or if it breaks off. */
bool gsym_wasmview_section(struct gsym_cursor *c, struct wasmview_section *ret);

/** The address of the first function: the bytes before it are their number. */
uint64_t gsym_wasmview_first(const struct wasmview *view);

struct wasmview_walk gsym_wasmview_functions(const struct wasmview *view);
/** Read the next function.  False after the last one, or where the section
 *  breaks off; the CODE of WALK has failed then. */
bool gsym_wasmview_function(struct wasmview_walk *walk,
			    struct wasmview_function *ret);

/** The build ID; SIZE 0: there is none. */
struct object_name gsym_wasmview_id(const struct wasmview *view);

/** A cursor over the names of functions in the section "name"; empty if there
 *  are none. */
struct gsym_cursor gsym_wasmview_names(const struct wasmview *view);
/** Read the next name, of function *NUMBER.  False after the last one. */
bool gsym_wasmview_name(struct gsym_cursor *c, uint32_t *number,
			struct object_name *ret);

/** A cursor over the exports. */
struct gsym_cursor gsym_wasmview_exports(const struct wasmview *view);
/** Read the next export of function *NUMBER.  False after the last one. */
bool gsym_wasmview_export(struct gsym_cursor *c, uint32_t *number,
			  struct object_name *ret);

/** The bytes that C, the contents of a section, begins with, after their
 *  number: a name, a build ID.  SIZE 0 if they break off. */
struct object_name gsym_wasmview_text(struct gsym_cursor *c);

/* ---- objects ------------------------------------------------------------- */

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
	/** Section headers of an ELF file lie beyond the end of the file. */
	bool cut_off;
	uint16_t machine; /**< of ELF: EM_*; else 0 */
	uint64_t base;	  /**< of PE: the image base; else 0 */
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
	/** The last symbol of ELF before this one that names a source file;
	 *  NULL if there is none.  This symbol is LOCAL: it is from that file.
	 *  FIRST: no file's symbol came after another symbol. */
	const char *file;
	bool local, first;
};

/** A walk over the symbols of an object. */
struct object_walk {
	bool begun;
	uint64_t next;
	/** Which table: ELF's .symtab, then its .dynsym; others have one. */
	unsigned table;
	/** Of ELF: the last file, whether another symbol came so far, and
	 *  whether a file came after it. */
	const char *file;
	bool other, late;
	union {
		struct elfview_table elf;
		struct macho_symbols macho;
		struct peview_walk pe;
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
	/** As gsym_object_id, gsym_object_section, gsym_object_segment and
	 *  gsym_object_symbol. */
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

/** The formats, of which each has a row here, and one in container/input.h. */
#define OBJECT_KINDS(ROW) ROW(elf) ROW(macho) ROW(pe) ROW(wasm)

#define OBJECT_KIND(name) extern const struct object_kind gsym_object_##name;
OBJECT_KINDS(OBJECT_KIND)
#undef OBJECT_KIND

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
