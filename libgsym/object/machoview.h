/* SPDX-License-Identifier: MIT */
/*
 * object/machoview.h - the header, the load commands and the symbol entries of
 * a program in a Mach-O file, read from bytes in memory.  Allocates nothing.
 *
 * The numbers are named as in Apple's <mach-o/loader.h>, <mach-o/fat.h>,
 * <mach-o/nlist.h> and <mach/machine.h>.
 */
#ifndef GSYM_OBJECT_MACHOVIEW_H
#define GSYM_OBJECT_MACHOVIEW_H

#include "base/cursor.h"

#include <gsym/types.h>

/* The first word of a file. */
#define MH_MAGIC 0xfeedfaceu
#define MH_MAGIC_64 0xfeedfacfu
#define FAT_MAGIC 0xcafebabeu
#define FAT_MAGIC_64 0xcafebabfu

/* Protection of a segment. */
enum { VM_PROT_WRITE = 2, VM_PROT_EXECUTE = 4 };

enum macho_file_type {
	MH_OBJECT = 1,
	MH_CORE = 4,
	MH_DYLIB_STUB = 9,
	MH_DSYM = 10,
	MH_FILESET = 12,
};

enum macho_command {
	LC_SEGMENT = 0x1,
	LC_SYMTAB = 0x2,
	LC_DYSYMTAB = 0xb,
	LC_SEGMENT_64 = 0x19,
	LC_UUID = 0x1b,
	LC_FUNCTION_STARTS = 0x26,
	LC_DYLD_CHAINED_FIXUPS = 0x34,
};

/* A flag of a command: a loader that does not know the command does not start
 * the program. */
#define LC_REQ_DYLD 0x80000000u

/* Flags of a section. */
#define SECTION_TYPE 0xffu
#define S_ZEROFILL 0x1u
#define S_SYMBOL_STUBS 0x8u
#define S_GB_ZEROFILL 0xcu
#define S_THREAD_LOCAL_ZEROFILL 0x12u
#define S_ATTR_SOME_INSTRUCTIONS 0x400u
#define S_ATTR_PURE_INSTRUCTIONS 0x80000000u

/* n_type and n_desc of a symbol. */
#define N_STAB 0xe0u
#define N_TYPE 0x0eu
#define N_EXT 0x01u
#define N_SECT 0x0eu
#define N_WEAK_DEF 0x80u

/* n_type of symbols for debuggers, as <mach-o/stab.h> has them. */
enum macho_stab {
	N_GSYM = 0x20,
	N_FUN = 0x24,
	N_STSYM = 0x26,
	N_LCSYM = 0x28,
	N_SO = 0x64,
	N_OSO = 0x66,
};

/* Entries of the indirect symbol table that are no symbol numbers. */
#define INDIRECT_SYMBOL_LOCAL 0x80000000u
#define INDIRECT_SYMBOL_ABS 0x40000000u

#define R_SCATTERED 0x80000000u

#define CPU_ARCH_ABI64 0x01000000u
#define CPU_ARCH_ABI64_32 0x02000000u
#define CPU_SUBTYPE_MASK 0xff000000u

enum macho_cpu {
	CPU_TYPE_X86 = 7,
	CPU_TYPE_ARM = 12,
	CPU_TYPE_POWERPC = 18,
};

enum {
	/** Bytes of the name of a section or segment, and of a UUID. */
	MACHO_NAME = 16,
	MACHO_UUID = 16,
};

/** One of the programs of a Mach-O file. */
struct machoview_slice {
	uint32_t cpu;	  /**< enum macho_cpu, with flags */
	uint32_t subtype; /**< with flags */
	uint64_t offset, size;
};

/** A piece of the file that a load command names. */
struct macho_piece {
	uint32_t offset;
	uint32_t count; /**< number of entries, or of bytes; 0: there is no such
			 *   piece */
};

struct machoview {
	/** The bytes of the program. */
	const uint8_t *bytes;
	size_t size;
	bool wide;
	bool swap;
	uint32_t cpu;
	uint32_t type; /**< enum macho_file_type */
	uint32_t command_count;
	/** The load commands. */
	struct gsym_cursor commands;
	/** Filled by gsym_machoview_note: NULL, or MACHO_UUID bytes; and the
	 *  symbol table, its strings, the indirect symbol table, function
	 *  starts and chained fixups. */
	const uint8_t *uuid;
	struct macho_piece symbols, strings, indirect, starts, fixups;
};

/** A load command: its kind, and what follows its header. */
struct machoview_command {
	uint32_t kind; /**< enum macho_command */
	struct gsym_cursor body;
};

/** A segment; what the command has after it are COUNT sections. */
struct machoview_segment {
	char name[MACHO_NAME + 1];
	uint64_t address, memory_size;
	uint64_t offset, file_size;
	uint32_t protection; /**< VM_PROT_* */
	uint32_t count;
};

struct machoview_section {
	char name[MACHO_NAME + 1], segment[MACHO_NAME + 1];
	uint64_t address, size;
	uint32_t offset;
	uint32_t flags;
	/** The offset and the number of its relocations. */
	uint32_t relocations;
	uint32_t relocation_count;
	/** A section of stubs: its first entry in the indirect symbol table
	 *  (reserved1), and the size of a stub (reserved2). */
	uint32_t first_indirect;
	uint32_t stub_size;
};

/** The symbol table and its strings. */
struct macho_symbols {
	struct gsym_cursor table;
	struct gsym_cursor strings;
	/** Strings that begin below LIMIT end in the table. */
	size_t limit;
	size_t count;
	bool wide;
};

/** An entry of the symbol table. */
struct macho_symbol {
	const char *name; /**< with its '_'; NULL if not in the strings */
	uint8_t type;
	uint8_t section;
	uint16_t description;
	uint64_t value;
};

/** Whether S is in a section of this file.  Other symbols belong to other
 *  files, or are for debuggers (N_STAB). */
static inline bool macho_is_place(const struct macho_symbol *s)
{
	return !(s->type & N_STAB) && (s->type & N_TYPE) == N_SECT;
}

/** Whether a file that begins with the SIZE bytes at BYTES is a Mach-O file. */
bool gsym_machoview_matches(const uint8_t *bytes, size_t size);

/** Whether a file that begins with the SIZE bytes at BYTES is universal. */
bool gsym_machoview_is_universal(const uint8_t *bytes, size_t size);

/** How many programs the file of SIZE bytes at BYTES holds, as its header says:
 *  1 unless it is universal; 0 if it is no Mach-O file. */
uint32_t gsym_machoview_count(const uint8_t *bytes, size_t size);

/** Set RET to program NUMBER of the file, whatever the header says about its
 *  place.  False if the header breaks off. */
bool gsym_machoview_slice(const uint8_t *bytes, size_t size, uint32_t number,
			  struct machoview_slice *ret);

/** Read the header of the program in the SIZE bytes at BYTES to RET.
 *  GSYM_ERR_FORMAT: there is none.  GSYM_ERR_CORRUPT: the file ends in its
 *  header or its load commands. */
enum gsym_status gsym_machoview_open(const uint8_t *bytes, size_t size,
				     struct machoview *ret,
				     struct gsym_error *error);

/** Read the load command at C, a copy of the view's COMMANDS, to RET.  False if
 *  its size is wrong. */
bool gsym_machoview_command(struct gsym_cursor *c,
			    struct machoview_command *ret);

/** Note what COMMAND names: the members of VIEW above.  The body of COMMAND
 *  fails if it breaks off. */
void gsym_machoview_note(struct machoview *view,
			 struct machoview_command *command);

/** A cursor over PIECE, whose entries have SIZE bytes; empty if PIECE is not in
 *  the file. */
struct gsym_cursor gsym_machoview_piece(const struct machoview *view,
					struct macho_piece piece, size_t size);

/** Read the segment at C, the body of its command, up to its sections. */
void gsym_machoview_segment(const struct machoview *view, struct gsym_cursor *c,
			    struct machoview_segment *ret);

/** Read the next section of a segment.  False if the command breaks off. */
bool gsym_machoview_section(const struct machoview *view, struct gsym_cursor *c,
			    struct machoview_section *ret);

/** Whether sections with FLAGS have bytes in the file, and hold code. */
static inline bool machoview_has_bytes(uint32_t flags)
{
	uint32_t type = flags & SECTION_TYPE;

	return type != S_ZEROFILL && type != S_GB_ZEROFILL &&
	       type != S_THREAD_LOCAL_ZEROFILL;
}

static inline bool machoview_is_code(uint32_t flags)
{
	return flags & (S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS);
}

/** The symbols of TABLE, entries of a symbol table, and STRINGS. */
struct macho_symbols gsym_machoview_symbols(const struct machoview *view,
					    struct gsym_cursor table,
					    struct gsym_cursor strings);

/** Entry NUMBER of the symbol table; zeros after its end. */
struct macho_symbol gsym_machoview_symbol(const struct macho_symbols *symbols,
					  size_t number);

#endif
