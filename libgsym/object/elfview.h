/* SPDX-License-Identifier: MIT */
/*
 * object/elfview.h - headers, symbol entries and notes of an ELF file, read
 * from bytes in memory.  Allocates nothing.  Knows no section by its name and
 * no machine.
 *
 * A view points into the bytes that it was opened on, which have to outlive
 * it.  No function here reads beyond them, whatever the file says.
 */
#ifndef GSYM_OBJECT_ELFVIEW_H
#define GSYM_OBJECT_ELFVIEW_H

#include "base/cursor.h"

#include <gsym/types.h>

/* Constants of the System V ABI: <elf.h> is not on every system. */
enum {
	/* Section types (sh_type). */
	ELFVIEW_NULL = 0,
	ELFVIEW_SYMTAB = 2,
	ELFVIEW_NOTE = 7,
	ELFVIEW_NOBITS = 8,
	ELFVIEW_DYNSYM = 11,
	ELFVIEW_SYMTAB_NUMBERS = 18, /* SHT_SYMTAB_SHNDX */
	/* Segment types (p_type) and flags (p_flags). */
	ELFVIEW_LOAD = 1,
	ELFVIEW_NOTES = 4,
	/* Of gsym's own, among those that the ABI leaves to systems ("gsym" as
	 * a number): the other program headers of this stub are those of its
	 * program. */
	ELFVIEW_OF_PROGRAM = 0x6773796d,
	ELFVIEW_OF_STUB = 0x6773796e, /* this is a stub */
	ELFVIEW_SEGMENT_CODE = 1,
	/* Loaded segments of a program at most: programs have about five. */
	ELFVIEW_MOST_LOADS = 64,
	/* Section flags (sh_flags). */
	ELFVIEW_ALLOC = 2,
	ELFVIEW_CODE = 4,
	ELFVIEW_COMPRESSED = 0x800,
	/* File types (e_type). */
	ELFVIEW_RELOCATABLE = 1,
	/* Machines (e_machine). */
	ELFVIEW_MIPS = 8,
	ELFVIEW_ARM = 40,
	/* Section numbers (st_shndx).  Numbers from ELFVIEW_RESERVED on are no
	 * sections.  ELFVIEW_EXTENDED: the number is stored elsewhere. */
	ELFVIEW_RESERVED = 0xff00,
	ELFVIEW_EXTENDED = 0xffff,
	/* Symbol types, the low four bits of st_info. */
	ELFVIEW_NOTYPE = 0,
	ELFVIEW_OBJECT = 1,
	ELFVIEW_FUNCTION = 2,
	ELFVIEW_FILE = 4,
	ELFVIEW_IFUNC = 10,
};

struct elfview {
	const uint8_t *bytes;
	size_t size;
	bool wide;	  /**< a 64-bit file */
	bool swap;	  /**< its byte order is not that of this machine */
	uint16_t type;	  /**< ET_* */
	uint16_t machine; /**< EM_* */
	uint64_t entry;	  /**< the address where the program starts */
	/** The section headers: file offset (0: none), number, and bytes from
	 *  one to the next. */
	uint64_t section_table;
	uint64_t section_count;
	unsigned section_stride;
	/** The number of the section that has the names of sections; 0: none.
	 *  It may be SECTION_COUNT or more. */
	uint64_t names;
	/** The program headers: file offset, number, and bytes from one to the
	 * next. */
	uint64_t segment_table;
	uint64_t segment_count;
	unsigned segment_stride;
	/** Section header 0, which has numbers that do not fit into the file
	 *  header, lies beyond the end of the file: SECTION_COUNT is 0. */
	bool numbers_lost;
	/** Section headers lie beyond the end of the file, and SECTION_COUNT
	 *  does not count them.  Set by gsym_elfview_open. */
	bool cut_off;
};

/** A section header. */
struct elfview_section {
	uint32_t name; /**< offset in the table of names */
	uint32_t type;
	uint64_t flags;
	uint64_t address;
	uint64_t offset;
	uint64_t size;
	uint32_t link;
	uint32_t info;
	uint64_t align;
	uint64_t entry_size;
};

/** A program header. */
struct elfview_segment {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t address;
	uint64_t file_size;
	uint64_t memory_size;
	uint64_t align;
};

/** An entry of a symbol table. */
struct elfview_symbol {
	uint32_t name; /**< offset in the linked table of strings */
	uint8_t info;  /**< binding * 16 + type */
	uint16_t section;
	uint64_t value;
	uint64_t size;
};

/** A table of NUL-terminated strings. */
struct elfview_strings {
	const char *bytes;
	/** Strings that begin below LIMIT end in the table. */
	uint64_t limit;
};

/** Whether a file that begins with the SIZE bytes at BYTES is an ELF file. */
bool gsym_elfview_matches(const uint8_t *bytes, size_t size);

/**
 * Read the file header of the SIZE bytes at BYTES to RET, extended numbering
 * included.  The counts of RET are as the file has them: nothing says that the
 * tables lie inside the file.
 *
 * GSYM_ERR_FORMAT: no ELF file; GSYM_ERR_UNSUPPORTED: an unknown class or byte
 * order; GSYM_ERR_CORRUPT: the file ends in its header.
 */
enum gsym_status gsym_elfview_header(const uint8_t *bytes, size_t size,
				     struct elfview *ret,
				     struct gsym_error *error);

/**
 * As gsym_elfview_header, with counts cut down to the headers that lie inside
 * the file; 0 if the stride is too small for a header.
 */
enum gsym_status gsym_elfview_open(const uint8_t *bytes, size_t size,
				   struct elfview *ret,
				   struct gsym_error *error);

/** The header of section NUMBER; zeros if it lies beyond the file. */
struct elfview_section gsym_elfview_section(const struct elfview *view,
					    uint64_t number);

/** Program header NUMBER; zeros if it lies beyond the file. */
struct elfview_segment gsym_elfview_segment(const struct elfview *view,
					    uint64_t number);

/** The SIZE bytes at BYTES (NULL: none) as a table of strings.  A last string
 *  without NUL is left out. */
struct elfview_strings gsym_elfview_strings(const uint8_t *bytes,
					    uint64_t size);

/** Whether SECTION is of a type that takes bytes of the file. */
static inline bool elfview_has_bytes(const struct elfview_section *section)
{
	return section->type != ELFVIEW_NOBITS && section->type != ELFVIEW_NULL;
}

/** Whether SECTION has bytes, and they lie inside the file. */
static inline bool elfview_in_file(const struct elfview *view,
				   const struct elfview_section *section)
{
	return elfview_has_bytes(section) && section->offset <= view->size &&
	       section->size <= view->size - section->offset;
}

/** The string at OFFSET; NULL if STRINGS has none there. */
static inline const char *elfview_string(const struct elfview_strings *strings,
					 uint64_t offset)
{
	return offset < strings->limit ? strings->bytes + offset : NULL;
}

/** The names of VIEW's sections; empty if they are not in the file. */
static inline struct elfview_strings elfview_names(const struct elfview *view)
{
	struct elfview_section s = gsym_elfview_section(view, view->names);
	bool found = view->names && view->names < view->section_count &&
		     elfview_in_file(view, &s);

	return gsym_elfview_strings(found ? view->bytes + s.offset : NULL,
				    s.size);
}

/** Bytes of a section header, a program header, a symbol and an address. */
static inline unsigned elfview_section_size(const struct elfview *view)
{
	return view->wide ? 64 : 40;
}

static inline unsigned elfview_segment_size(const struct elfview *view)
{
	return view->wide ? 56 : 32;
}

static inline unsigned elfview_symbol_size(const struct elfview *view)
{
	return view->wide ? 24 : 16;
}

static inline unsigned elfview_word(const struct elfview *view)
{
	return view->wide ? 8 : 4;
}

/** The symbol in the elfview_symbol_size bytes at AT. */
static inline struct elfview_symbol elfview_symbol(const struct elfview *view,
						   const uint8_t *at)
{
	bool swap = view->swap;

	if (view->wide)
		return (struct elfview_symbol){
			.name = gsym_load_u32(at, swap),
			.info = at[4],
			.section = gsym_load_u16(at + 6, swap),
			.value = gsym_load_u64(at + 8, swap),
			.size = gsym_load_u64(at + 16, swap),
		};
	return (struct elfview_symbol){
		.name = gsym_load_u32(at, swap),
		.value = gsym_load_u32(at + 4, swap),
		.size = gsym_load_u32(at + 8, swap),
		.info = at[12],
		.section = gsym_load_u16(at + 14, swap),
	};
}

/** Find the first build ID in the SIZE bytes of notes at DATA, which are
 *  aligned to ALIGN and of another byte order if SWAP; ID points into them.
 *  False if there is none. */
bool gsym_elfview_search_notes(const uint8_t *data, uint64_t size,
			       uint64_t align, bool swap, const uint8_t **id,
			       size_t *id_size);

/** What a note is: the name of its owner, and a type of that owner. */
struct elfview_note {
	const char *owner;
	uint32_t type;
};

/** The note of a stub with the release of the kernel that it was made of. */
#define ELFVIEW_RELEASE ((struct elfview_note){ "gsym", 1 })

/** Find the build ID among the notes of VIEW's sections, else of its segments;
 *  RET points into VIEW's bytes.  False if there is none.  The work is bounded:
 *  of headers that name the same notes many times only the first count. */
bool gsym_elfview_build_id(const struct elfview *view, const uint8_t **ret,
			   size_t *ret_size);

/** Find the release in the text linux_banner of the kernel VIEW, which a debug
 *  file without contents lacks; RET points into VIEW's bytes.  False if there
 *  is none. */
bool gsym_elfview_banner(const struct elfview *view, const uint8_t **ret,
			 size_t *ret_size);

/** Find the release of the kernel, or of the kernel's module, VIEW: in its
 *  banner, in the note that a stub has of the banner, or in the note with the
 *  build salt, which distributions set to the release; RET points into VIEW's
 *  bytes.  False if there is none. */
bool gsym_elfview_release(const struct elfview *view, const uint8_t **ret,
			  size_t *ret_size);

/** Whether the program headers of VIEW are those of its program.  They are not
 *  in a debug file: objcopy --only-keep-debug changes file offsets and sizes
 *  there.  They are if VIEW has all of its code, or if it is a stub with
 *  ELFVIEW_OF_PROGRAM.  False for more loaded segments than
 *  ELFVIEW_MOST_LOADS. */
bool gsym_elfview_is_program(const struct elfview *view);

/* ---- symbol tables ------------------------------------------------------- */

/** A symbol table, which lies inside the file. */
struct elfview_table {
	const uint8_t *bytes;
	/** Bytes of an entry, and the number of entries. */
	size_t entry_size;
	size_t count;
	struct elfview_strings strings;
	/** The section number of each entry in 4 bytes, for entries whose own
	 *  field is too small (ELFVIEW_EXTENDED).  Empty if there are none. */
	struct gsym_cursor long_numbers;
};

/** The number of the first section of TYPE, of those with the link LINK unless
 *  that is 0; 0 if there is none. */
size_t gsym_elfview_find(const struct elfview *view, uint32_t type,
			 size_t link);

/** Set RET to the first symbol table of TYPE (ELFVIEW_SYMTAB, ELFVIEW_DYNSYM).
 *  False if there is none with bytes in the file, as in a debug file, whose
 *  .dynsym has no bytes. */
bool gsym_elfview_table(const struct elfview *view, uint32_t type,
			struct elfview_table *ret);

/** Entry INDEX, below the count, of TABLE. */
static inline struct elfview_symbol
elfview_entry(const struct elfview *view, const struct elfview_table *table,
	      size_t index)
{
	return elfview_symbol(view, table->bytes + index * table->entry_size);
}

/** Whether NAME is that of a local label that an assembler or a compiler makes:
 *  ".Ltmp17", ".L0 ", "L0", "L0^A", "L1^B7" (^A and ^B are the bytes 1 and
 *  2).  The kernel's table of symbols has none of them either. */
bool gsym_elfview_is_made(const char *name);

/** Whether SYMBOL, called NAME, is a mark for tools and names no place of the
 *  program: it says where code and data begin ("$x"), or is a local label that
 *  was made.  Only symbols without a type are marks. */
static inline bool elfview_is_mark(const struct elfview_symbol *symbol,
				   const char *name)
{
	if ((symbol->info & 15) != ELFVIEW_NOTYPE)
		return false;
	return *name == '$' || (!(symbol->info >> 4) && !symbol->size &&
				gsym_elfview_is_made(name));
}

/** The number of the section that SYMBOL, entry INDEX of TABLE, is in; 0 if it
 *  is in none. */
static inline size_t elfview_home(const struct elfview *view,
				  const struct elfview_table *table,
				  const struct elfview_symbol *symbol,
				  size_t index)
{
	struct gsym_cursor c = table->long_numbers;
	size_t number = symbol->section;

	if (number == ELFVIEW_EXTENDED) {
		gsym_cursor_seek(&c, 4 * (uint64_t)index);
		number = gsym_cursor_u32(&c);
	} else if (number >= ELFVIEW_RESERVED) {
		return 0;
	}
	return number < view->section_count ? number : 0;
}

/* ---- relocatable objects ------------------------------------------------- */

/** A section that lies where somebody says. */
struct elfview_named {
	size_t section;
	uint64_t address;
};

/** The end of the addresses of VIEW's class. */
static inline uint64_t elfview_limit(const struct elfview *view)
{
	return view->wide ? UINT64_MAX : (uint64_t)UINT32_MAX + 1;
}

/**
 * Set RET, which has room for a number for each section of VIEW, a relocatable
 * object, to the addresses of the sections: those with code come first, from
 * address 0 on, in the order of their headers and each at its own alignment;
 * then, in the same way, all other loaded sections.  An alignment that is no
 * power of two counts as 1.  Sections that are not loaded get 0, those that do
 * not fit into the address space UINT64_MAX.
 *
 * The COUNT sections in NAMED, which do not overlap, lie where NAMED says.
 * They do not move the other sections, but for those that would overlap a named
 * one: these go after it.
 */
void gsym_elfview_place(const struct elfview *view,
			const struct elfview_named *named, size_t count,
			uint64_t *ret);

#endif
