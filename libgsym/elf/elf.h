/* SPDX-License-Identifier: MIT */
/*
 * elf/elf.h - an ELF file as a container: sections (debug sections inflated),
 * symbols, build ID, text ranges; and the other files of it.  Knows nothing of
 * DWARF and of GSYM.
 *
 * Reads executables, shared objects, separate debug files and relocatable
 * objects, whose sections are laid out and relocated (elf/contents.c).
 */
#ifndef GSYM_ELF_ELF_H
#define GSYM_ELF_ELF_H

#include "base/emit.h"
#include "base/vec.h"
#include "container/input.h"

/* ---- the supplementary file (dwz) ---------------------------------------- */

/* A candidate counts only if its build ID is the one that the program names,
 * wherever it lies. */

/**
 * If CONTAINER, which was loaded from PATH, refers to a supplementary file
 * (dwz) in .gnu_debugaltlink or .debug_sup, find that file and make it
 * CONTAINER's ALTERNATE.  The candidates are, for the file name NAME with the
 * last component BASE:
 *  1. NAME, relative to the folder of PATH, symbolic links resolved, then not;
 *  2. .build-id/hh/rest.debug in each tree;
 *  3. .dwz/REST in each tree, where REST follows /.dwz/ in NAME; .dwz/BASE;
 *  4. .dwz/BASE in the folder of PATH;
 *  5. if NAME is absolute: NAME below each of the folders above PATH, as in
 *     a package that was unpacked somewhere;
 *  6. the file that the options' callback fetches.
 * If no candidate has the right build ID, that is noted among CONTAINER's
 * warnings.  GSYM_ERR_MEMORY is the only error.
 */
enum gsym_status gsym_elf_find_alternate(const struct gsym_find *find,
					 const char *path,
					 struct gsym_container *container,
					 struct gsym_error *error);

/* ---- private to this room ----------------------------------------------- */

/* Numbers of the System V ABI that object/elfview.h lacks. */
enum {
	/* Bytes of e_ident. */
	EI_VERSION = 6,
	EI_NIDENT = 16,
	ELFCLASS32 = 1,
	ELFCLASS64 = 2,
	ELFDATA2LSB = 1,
	ELFDATA2MSB = 2,
	/* e_version. */
	EV_CURRENT = 1,
	/* File types (e_type). */
	ET_EXEC = 2,
	ET_DYN = 3,
	/* Machines (e_machine). */
	EM_SPARC = 2,
	EM_386 = 3,
	EM_MIPS = 8,
	EM_SPARC32PLUS = 18,
	EM_PPC = 20,
	EM_PPC64 = 21,
	EM_S390 = 22,
	EM_ARM = 40,
	EM_SPARCV9 = 43,
	EM_X86_64 = 62,
	EM_XTENSA = 94,
	EM_QDSP6 = 164, /* Hexagon */
	EM_AARCH64 = 183,
	EM_RISCV = 243,
	EM_BPF = 247,
	EM_LOONGARCH = 258,
	/* Section types (sh_type). */
	SHT_PROGBITS = 1,
	SHT_STRTAB = 3,
	SHT_RELA = 4,
	SHT_REL = 9,
	SHT_CREL = 0x40000014,
	/* Section flags (sh_flags). */
	SHF_INFO_LINK = 0x40,
	SHF_LINK_ORDER = 0x80,
	SHF_GROUP = 0x200,
	/* Section numbers of symbols (st_shndx). */
	SHN_UNDEF = 0,
	SHN_ABS = 0xfff1,
	SHN_COMMON = 0xfff2,
	/* Compression (ch_type). */
	ELFCOMPRESS_ZLIB = 1,
	ELFCOMPRESS_ZSTD = 2,
	/* Segment types (p_type) and flags (p_flags). */
	PN_XNUM = 0xffff, /* e_phnum: the number is stored elsewhere */
	PT_DYNAMIC = 2,
	PF_W = 2,
	/* Types of symbols, the low four bits of st_info. */
	STT_SECTION = 3,
	STT_FILE = 4,
	STT_COMMON = 5,
	STT_TLS = 6,
	STT_ARM_TFUNC = 13,
	/* Bindings of symbols, the high four bits of st_info. */
	STB_LOCAL = 0,
	STB_GLOBAL = 1,
	STB_WEAK = 2,
	STB_GNU_UNIQUE = 10,
	/* Types of notes (n_type). */
	NT_GNU_BUILD_ID = 3,
};

/** The private data of a container that this room makes. */
struct elf_file {
	/** Checked by gsym_elf_read_header: both header tables lie inside the
	 *  file. */
	struct elfview view;
	/** Its sections have the numbers of the file's sections. */
	struct gsym_container *container;
	/** The loaded data of a relocatable object is relocated, and debug
	 *  sections are neither inflated nor relocated.  If false, debug
	 *  sections are inflated and relocated, and nothing else. */
	bool for_data;
	/** .debug_info may stay compressed. */
	bool passing;
	/** The bytes of the file are a mapping of it. */
	bool mapped;
	/** Address and size of the dynamic section; size 0: there is none. */
	uint64_t dynamic;
	uint64_t dynamic_size;
	uint32_t relative, absolute; /**< see gsym_elf_pointer_types */
};

/* ---- elf_image.c -------------------------------------------------------- */

/**
 * Read the file header and check it.  Both header tables of RET lie inside the
 * file; RET's NAMES is the number of a section, or 0.
 *
 * GSYM_ERR_FORMAT: no ELF file; GSYM_ERR_UNSUPPORTED: a class, byte order,
 * version or type that cannot be read; GSYM_ERR_CORRUPT: a table reaches
 * beyond the file, or its entries have the wrong size.
 */
enum gsym_status gsym_elf_read_header(const uint8_t *bytes, size_t size,
				      struct elfview *ret,
				      struct gsym_error *error);

/** Set class, byte order, type and machine of RET to those of a shared object
 *  for ARCHITECTURE, as containers have it.  False if
 *  there is no such architecture. */
bool gsym_elf_header_for(const char *architecture, struct elfview *ret);

/* ---- symbols.c ---------------------------------------------------------- */

/** Append the symbols of .symtab and .dynsym to the container, on THREADS
 *  threads at most; false without memory. */
bool gsym_elf_read_symbols(struct elf_file *file, unsigned threads);

/** Functions of 64-bit PowerPC whose symbols have the addresses of
 *  descriptors. */
struct elf_descriptors {
	/** The section .opd; NULL: symbols have the addresses of code. */
	const struct gsym_container_section *table;
	/** The section of the last function, which is the likeliest. */
	size_t last;
	/** The sections that may still be looked at. */
	uint64_t left;
};

/** If SYMBOL, of CONTAINER, has the address of a descriptor, set its address
 *  and section to those of the code.  A symbol whose descriptor is not in the
 *  file, or is damaged, stays. */
void gsym_elf_follow_descriptor(const struct gsym_container *container,
				struct elf_descriptors *d,
				struct gsym_symbol *symbol);

/** Append the symbols that the dynamic section points to, of a file without
 *  section headers; false without memory. */
bool gsym_elf_read_dynamic_symbols(struct elf_file *file);

/** Set RET to the addresses of all symbols of .symtab, malloc'ed, in table
 *  order; 0 for symbols that are in no section.  COUNT is 0 if there is no
 *  table.  False without memory. */
bool gsym_elf_symbol_values(const struct elf_file *file, uint64_t **ret,
			    size_t *count);

/* ---- plt.c: names of stubs ---------------------------------------------- */

/** Append a symbol NAME@plt for each stub in a PLT of FILE that jumps to the
 *  function NAME, unless a symbol names its code already.  The symbols were
 *  read.  False without memory. */
bool gsym_elf_read_stubs(struct elf_file *file);

/** Whether S is a PLT. */
bool gsym_elf_is_plt(const struct gsym_container_section *s);

/** The code of a PLT. */
struct elf_plt {
	uint16_t machine;
	bool wide;
	const uint8_t *bytes;
	uint64_t size;
	uint64_t address;
	uint64_t got; /**< what %ebx holds on i386; 0: not known */
};

/** A stub: from START up to END, offsets in its PLT, it jumps to the address
 *  that is in the word at SLOT. */
struct elf_plt_stub {
	uint64_t start, end;
	uint64_t slot;
};

/** Set RET to the next stub of PLT from offset *AT on, and *AT to its end.
 *  False after the last one, and for machines whose stubs are not known. */
bool gsym_elf_plt_stub(const struct elf_plt *plt, uint64_t *at,
		       struct elf_plt_stub *ret);

/* ---- frames.c: functions of .eh_frame ----------------------------------- */

/** Fill in the functions of FILE's container from .eh_frame.  Entries that are
 *  damaged, or of no code, are left out.  False without memory. */
bool gsym_elf_read_frames(struct elf_file *file);

/* ---- dynamic.c: segments, pointers -------------------------------------- */

/** Fill the container's segments, and what its POINTERS needs; false without
 *  memory. */
bool gsym_elf_read_segments(struct elf_file *file);

/* ---- contents.c: bytes that are not in the file as a reader needs them -- */

/** Make the bytes of the sections of FILE that are read (gsym_elf_is_read): one
 *  job for each section, on THREADS threads.  Loaded sections must have their
 *  addresses already.  A damaged section loses its bytes, and is noted as a
 *  warning.  GSYM_ERR_MEMORY. */
enum gsym_status gsym_elf_make_contents(struct elf_file *file,
					unsigned threads,
					struct gsym_error *error);

/* ---- relocate.c: which sections are read -------------------------------- */

enum {
	/** Each name has two more forms: with ".dwo" at its end, and with
	 *  ".zdebug_" in place of ".debug_". */
	ELF_DEBUG_NAMES = 13,
	ELF_DEBUG_NUMBERS = ELF_DEBUG_NAMES * 4,
	ELF_NOT_READ = -1,
};

/** The number of the debug section NAME, below ELF_DEBUG_NUMBERS; ELF_NOT_READ
 *  if it is not read. */
int gsym_elf_debug_number(const char *name);

/** Whether section NUMBER of FILE is inflated and relocated: a debug section
 *  that conversion reads; if FILE is loaded for its data, a loaded section
 *  without code. */
bool gsym_elf_is_read(const struct elf_file *file, size_t number);

/* ---- relocate.c, relocation_kinds.c: relocations ------------------------ */

/* One relocator serves a file.  It is made on one thread, before the first
 * section is relocated; then any threads may relocate sections. */

enum elf_relocation_action {
	ELF_RELOC_UNKNOWN,
	ELF_RELOC_NONE,	    /**< changes nothing in debug sections */
	ELF_RELOC_ABSOLUTE, /**< symbol + addend */
	ELF_RELOC_RELATIVE, /**< symbol + addend - address of the place */
	ELF_RELOC_ADD,	    /**< old value + symbol + addend */
	ELF_RELOC_SUBTRACT, /**< old value - symbol - addend */
};

enum {
	/** Widths of a place that are no number of bytes. */
	ELF_WIDTH_6_BITS = 6,
	ELF_WIDTH_ULEB = 0,
	/** Types from here on are unknown. */
	ELF_RELOC_TYPES = 1040,
	/** A type of MIPS. */
	ELF_R_MIPS_64 = 18,
};

struct elf_relocation_kind {
	uint8_t action; /**< enum elf_relocation_action */
	uint8_t width;	/**< of the place: 1, 2, 4 or 8 bytes, or ELF_WIDTH_* */
};

/** Fill the ELF_RELOC_TYPES entries of KINDS, which are zeros before, for
 *  MACHINE (EM_*). */
void gsym_elf_relocation_kinds(unsigned machine,
			       struct elf_relocation_kind *kinds);
/** The relocation types of MACHINE whose value is load bias + addend and symbol
 *  + addend; 0: they are not known. */
void gsym_elf_pointer_types(unsigned machine, uint32_t *relative,
			    uint32_t *absolute);

/** A section of relocations. */
struct elf_relocation_table {
	size_t target; /**< number of the section to relocate */
	const uint8_t *bytes;
	size_t count;  /**< entries, unless COMPACT */
	size_t size;   /**< of BYTES, if COMPACT */
	bool compact;  /**< of type SHT_CREL: a header, then differences */
	bool addends;  /**< entries have addends; else the places have them */
	uint32_t next; /**< next table for TARGET, + 1; 0: none */
};

struct elf_relocator {
	bool swap;
	bool wide;
	/** 64-bit MIPS: an entry has three types. */
	bool mips64;
	/** Little-endian, too: symbol number and types have an order of their
	 *  own. */
	bool mips64el;
	GSYM_VEC_OF(struct elf_relocation_table) tables;
	/** For each section its first table, + 1; 0: none.  NULL if there are
	 *  no tables. */
	uint32_t *first;
	/** Addresses of the symbols of .symtab, by number. */
	uint64_t *symbols;
	size_t symbol_count;
	struct elf_relocation_kind kinds[ELF_RELOC_TYPES];
};

/** Relocations of one section that could not be applied. */
struct elf_relocation_problems {
	struct elf_relocation_problem {
		uint64_t count;
		/** The place of the first such relocation, and its type or the
		 *  number of its symbol. */
		uint64_t place;
		uint64_t value;
	} types, symbols, places;
};

/** Find the tables that relocate debug sections of FILE.  Tables that cannot be
 *  used are noted as warnings.  False without memory. */
bool gsym_elf_relocator_init(struct elf_relocator *r, struct elf_file *file);
void gsym_elf_relocator_fini(struct elf_relocator *r);

/** Compute the symbols' addresses, once FILE's sections have theirs; false
 *  without memory. */
bool gsym_elf_relocator_learn(struct elf_relocator *r,
			      const struct elf_file *file);

/** Whether there are relocations for section NUMBER. */
static inline bool elf_is_relocated(const struct elf_relocator *r,
				    size_t number)
{
	return r->first && r->first[number];
}

/** Apply the relocations of section NUMBER, whose address is ADDRESS, to its
 *  SIZE bytes at BYTES.  A relocation that cannot be applied leaves its place
 *  unchanged, and is counted in PROBLEMS. */
void gsym_elf_relocate(const struct elf_relocator *r, size_t number,
		       uint64_t address, uint8_t *bytes, size_t size,
		       struct elf_relocation_problems *problems);

/** Note PROBLEMS of section NUMBER as warnings.  Returns false if relocations
 *  have unknown types, so that the section must not be used. */
bool gsym_elf_warn_relocations(struct gsym_container *container, size_t number,
			       const struct elf_relocation_problems *problems);

/* ---- dynamic.c: tables that the dynamic section points to --------------- */

/** A table in memory; size 0: there is none. */
struct elf_dynamic_table {
	uint64_t address;
	uint64_t size; /**< in bytes */
};

struct elf_dynamic {
	struct elf_dynamic_table rela, rel;
	/** Packed relocations (Android's). */
	struct elf_dynamic_table packed;
	struct elf_dynamic_table strings;
	/** No tag has the size of this table.  It ends where the string table
	 *  begins, because linkers put the strings after the symbols. */
	struct elf_dynamic_table symbols;
};

/** Read the dynamic section of CONTAINER, whose segments are filled in. */
struct elf_dynamic gsym_elf_dynamic(const struct gsym_container *container);

/** A cursor over TABLE, up to the end of the segment that it begins in. */
struct gsym_cursor gsym_elf_dynamic_cursor(const struct gsym_container *c,
					   struct elf_dynamic_table table);

/* ---- contents.c: addresses of a relocatable object ---------------------- */

/**
 * Set the address of each loaded section, as gsym_elfview_place does; BASES are
 * COUNT named sections with their addresses.  A section that does not fit into
 * the address space becomes one that is not loaded, and is noted as a warning.
 *
 * GSYM_ERR_ARGUMENT: BASES name a section that does not exist, exists several
 * times or is not loaded, name one twice, or overlap; GSYM_ERR_MEMORY.
 */
enum gsym_status gsym_elf_place(struct elf_file *file,
				const struct gsym_section_base *bases,
				size_t count, struct gsym_error *error);

/* ---- embed.c: section headers of files that are made from others -------- */

struct elf_edit_table {
	GSYM_VEC(struct elfview_section);
};

/** Append all section headers of VIEW, which gsym_elf_read_header checked, to
 *  RET; false without memory. */
bool gsym_elf_edit_read(const struct elfview *view, struct elf_edit_table *ret);

/**
 * Append the section headers TABLE to OUT, and store their place, their number
 * and NAMES, the number of the section with their names, in the file header at
 * the start of OUT.  VIEW says the class and byte order.
 *
 * GSYM_ERR_MEMORY; GSYM_ERR_LIMIT: the file is too large for its class.
 */
enum gsym_status gsym_elf_edit_write(struct gsym_emit *out,
				     const struct elfview *view,
				     struct elf_edit_table *table, size_t names,
				     struct gsym_error *error);

#endif
