/* SPDX-License-Identifier: MIT */
/*
 * object/peview.h - the headers, sections and COFF symbols of a PE file, and
 * the identity of its PDB, read from bytes in memory.  Allocates nothing.  An
 * RVA is an address without the image base.
 */
#ifndef GSYM_OBJECT_PEVIEW_H
#define GSYM_OBJECT_PEVIEW_H

#include "base/cursor.h"
#include "object/name.h"

#include <gsym/types.h>

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
	/** NULL if it is not in the strings. */
	struct object_name name;
	uint32_t value;
	uint16_t section; /**< from 1 on; others are no sections */
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

/** Read the COFF symbol at C. */
struct peview_symbol gsym_peview_symbol(const struct peview *view,
					struct gsym_cursor *c);

/** Whether SYMBOL names a place in a section: neither a section, nor a file,
 *  nor a number. */
bool gsym_peview_is_place(const struct peview_symbol *symbol);

/** Store the identity of the PDB in RET: its GUID in the order of its text,
 *  then its age as four big-endian bytes unless the age is 0.  Returns the
 *  number of bytes; 0 if the file names no PDB. */
size_t gsym_peview_pdb(const struct peview *view, uint8_t ret[PE_PDB_SIZE]);

/** The time stamp of the header, and the size of the image in memory; 0 if the
 *  header lacks them. */
void gsym_peview_stamps(const struct peview *view, uint32_t *time_stamp,
			uint32_t *image_size);

#endif
