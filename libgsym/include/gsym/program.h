/* SPDX-License-Identifier: MIT */
/*
 * gsym/program.h - a program's file, whatever its format: which build it is of,
 * its sections, symbols and pointers; and ELF files that go with GSYM data.
 *
 * ELF files (executables, shared objects, relocatable objects, debug files),
 * Mach-O files, PE files and WebAssembly modules are read, of either byte
 * order.
 *
 *  - gsym_store_read_* and gsym_module_*, in libgsym, say what a symbolizer has
 *    to know besides GSYM data.  They read the file of a path, and open no
 *    other.
 *  - gsym_program_* and gsym_elf_*, in libgsym-convert, read files in memory;
 *    gsym_program_* also universal Mach-O files and programs of Plan 9.
 *
 * Hostile files: no function reads outside the file, whatever its bytes are.
 */
#ifndef GSYM_PROGRAM_H
#define GSYM_PROGRAM_H

#include <gsym/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- which build a file is of ------------------------------------------- */

/**
 * Read what shows which build the file PATH is of to ID, which has room for
 * CAPACITY bytes.  PATH is a program, library, object or debug file.  *SIZE
 * becomes the size of the build ID; 0 on failure.  It is the build ID of ELF,
 * the UUID of Mach-O, the build ID of WebAssembly, or what a PE file says of
 * its PDB: the GUID, in the order of its text, and the age as four big-endian
 * bytes unless that is 0.
 *
 * GSYM_NOT_FOUND: the file has no build ID, or one of more than CAPACITY bytes.
 * GSYM_ERR_FORMAT: it is of no known format.  GSYM_ERR_UNSUPPORTED: it cannot
 * be read, or is a Mach-O file of several programs.  GSYM_ERR_CORRUPT: the file
 * ends in its header.  GSYM_ERR_IO: it cannot be opened or mapped, or is no
 * regular file.  GSYM_ERR_ARGUMENT: PATH, ID or SIZE is NULL.
 */
GSYM_API enum gsym_status gsym_store_read_id(const char *path, uint8_t *id,
					     size_t capacity, size_t *size,
					     struct gsym_error *error);

/**
 * Read the release of the Linux kernel ("6.12.1-amd64") of the ELF file PATH, a
 * kernel, its debug file, a stub of gsym_elf_stub, or a module, to RELEASE,
 * which has room for CAPACITY bytes, the NUL at the end counted.  RELEASE
 * becomes "" on failure.
 *
 * The release is that of the text linux_banner.  Files without that text, as
 * debug files may be, have it in a note with the build salt
 * (CONFIG_BUILD_SALT), which distributions set to the release.  Who builds a
 * kernel with the configuration of a distribution keeps its salt.
 *
 * GSYM_NOT_FOUND: the file has no release, or one of CAPACITY bytes or more.
 * GSYM_ERR_ARGUMENT: PATH or RELEASE is NULL, or CAPACITY is 0.  Else as
 * gsym_store_read_id.
 */
GSYM_API enum gsym_status gsym_store_read_release(const char *path,
						  char *release,
						  size_t capacity,
						  struct gsym_error *error);

/* ---- modules: files by their paths -------------------------------------- */

/*
 *	struct gsym_module *module;
 *	struct gsym_store_symbol symbol;
 *
 *	if (gsym_module_open("prog", &module, NULL) != GSYM_OK)
 *		return;
 *	if (gsym_module_symbol_at(module, 0x4030, 0, &symbol) == GSYM_OK)
 *		puts(symbol.name);
 *	gsym_module_close(module);
 *
 * The file is mapped and not read: opening costs the same for every size.  All
 * pointers that the functions store are valid until gsym_module_close.
 *
 * Threads: a module belongs to one thread at a time.  A file that another
 * process cuts off while it is open ends the reading process with SIGBUS.
 */

/** An open file: a program, library, object, debug file or stub. */
struct gsym_module;

/**
 * Open the file PATH.  The caller hands *RET to gsym_module_close.
 *
 * GSYM_ERR_IO: the file cannot be opened or mapped, or is no regular file.
 * GSYM_ERR_FORMAT: it is of no known format.  GSYM_ERR_UNSUPPORTED: of an
 * unknown class or byte order, or several programs.  GSYM_ERR_CORRUPT: the file
 * ends in its header. GSYM_ERR_ARGUMENT: PATH or RET is NULL.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_module_open(const char *path,
					   struct gsym_module **ret,
					   struct gsym_error *error);
/** Close MODULE, which may be NULL. */
GSYM_API void gsym_module_close(struct gsym_module *module);

/** What is known of a module as a whole. */
struct gsym_module_facts {
	/** The build ID, BUILD_ID_SIZE bytes, as gsym_store_read_id reads it;
	 *  NULL and 0 if there is none. */
	const uint8_t *build_id;
	size_t build_id_size;
	/** Bytes of an address: 4 or 8. */
	unsigned address_size;
	/** The file is an object that is not linked yet: its sections have no
	 *  addresses. */
	bool relocatable;
	/** Section headers of an ELF file lie beyond the end of the file, as
	 *  if the file was cut short.  What the file has left is read. */
	bool cut_off;
	/** The processor, as ELF numbers it (e_machine: 62 is x86-64, 183
	 *  AArch64); 0 in other formats. */
	uint16_t machine;
	/** The lowest address of the loaded segments; 0 if there are none. */
	uint64_t lowest_address;
	/** PE: the address that the program is linked to be loaded at; 0 in
	 *  other formats. */
	uint64_t image_base;
};

/** Fill FACTS from MODULE. */
GSYM_API enum gsym_status
gsym_module_get_facts(const struct gsym_module *module,
		      struct gsym_module_facts *facts);

/** A section of a module. */
struct gsym_module_section {
	/** Of a relocatable object the address that gsym_convert_file gives
	 *  the section if its caller names none. */
	uint64_t address;
	/** Bytes in memory. */
	uint64_t size;
	/** The bytes as they are in the file; NULL if the file has none. */
	const uint8_t *data;
	size_t data_size;
};

/** Store the first section of MODULE that is called NAME in RET.
 *  GSYM_NOT_FOUND: there is none.  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status
gsym_module_find_section(const struct gsym_module *module, const char *name,
			 struct gsym_module_section *ret);

/** Set *ADDRESS to the address that the byte at OFFSET of the file of MODULE
 *  was linked to.  In a WebAssembly module only code has addresses.
 *  GSYM_NOT_FOUND: the byte has no address, or MODULE is a debug file. */
GSYM_API enum gsym_status
gsym_module_address_of(const struct gsym_module *module, uint64_t offset,
		       uint64_t *address);

/** As gsym_store_symbol_at, for the symbols of MODULE itself.  Those of a
 *  relocatable object have the addresses of gsym_module_find_section. */
GSYM_API enum gsym_status gsym_module_symbol_at(struct gsym_module *module,
						uint64_t address,
						unsigned flags,
						struct gsym_store_symbol *ret);

/** Flags of gsym_module_file_at. */
enum {
	/** Of a global symbol the last file before it counts, if all files are
	 *  named before all other symbols, as in objects.  addr2line of
	 *  binutils does so, llvm-symbolizer does not. */
	GSYM_MODULE_GLOBAL = 1 << 0,
};

/** Store in *FILE the name of the source file that the local symbol at ADDRESS
 *  is from: of the last symbol of the type STT_FILE before it in the ELF symbol
 *  table.  It is the name of the compiled file, as a rule without folders, and
 *  never "".  The symbol is the one that gsym_module_symbol_at finds without
 *  flags.
 *
 *  GSYM_NOT_FOUND: no symbol lies there, it is not local, or no file is named.
 *  GSYM_ERR_MEMORY. */
GSYM_API enum gsym_status gsym_module_file_at(struct gsym_module *module,
					      uint64_t address, unsigned flags,
					      const char **file);

/* ---- programs: files in memory, of libgsym-convert ----------------------- */

/*
 * Universal Mach-O files and Plan 9's programs are read, too.
 *
 * A program does not change once it is open: any number of threads may use it
 * at once.  All pointers that the functions store lead into the program or
 * into the bytes that it was opened on; they last until gsym_program_close.
 */

struct gsym_program;

/**
 * Open program NUMBER of the SIZE bytes of a file at BYTES, which the caller
 * keeps unchanged until gsym_program_close.  Programs are numbered from 0; a
 * universal Mach-O file may hold several, any other file holds one.
 *
 * The sections of a relocatable object are given addresses as
 * gsym_convert_file gives them: the sections with code first, from 0 on.  The
 * relocations of its loaded sections without code are applied.
 *
 * The caller hands *RET to gsym_program_close.  A damaged section or symbol
 * table is left out.  GSYM_NOT_FOUND: the file holds NUMBER programs or fewer.
 * GSYM_ERR_FORMAT: the file is of another format.  GSYM_ERR_UNSUPPORTED: it is
 * of a kind that cannot be read, such as a core file.  GSYM_ERR_CORRUPT: its
 * headers are damaged.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_program_open(const uint8_t *bytes, size_t size,
					    size_t number,
					    struct gsym_program **ret,
					    struct gsym_error *error);

/** Close PROGRAM.  NULL is fine. */
GSYM_API void gsym_program_close(struct gsym_program *program);

/** What is known of a program as a whole. */
struct gsym_program_facts {
	enum gsym_format format;
	/** As LLVM names it: "x86_64"; "machine 4711" or "cpu7-3" if it has
	 *  no name. */
	const char *architecture;
	/** The build ID of ELF and WebAssembly, the UUID of Mach-O, of PE the
	 *  GUID and age of its PDB; NULL if there is none. */
	const uint8_t *uuid;
	size_t uuid_size;
	/** Bytes of an address: 4 or 8. */
	unsigned address_size;
	bool big_endian;
	/** The program is an ELF object that is not linked yet, to whose
	 *  sections gsym_program_open gave addresses. */
	bool relocatable;
	/** 0. */
	uint8_t reserved[2];
};

/** Fill FACTS for PROGRAM. */
GSYM_API enum gsym_status
gsym_program_get_facts(const struct gsym_program *program,
		       struct gsym_program_facts *facts);

/** A section of a program. */
struct gsym_program_section {
	/** ".text"; of Mach-O "__TEXT,__text". */
	const char *name;
	uint64_t address;
	/** Bytes in memory. */
	uint64_t size;
	/** The bytes of the section in the file, DATA_SIZE of them; NULL if
	 *  there are none, if they are compressed, if the file is cut off
	 *  before them, or if UNRELOCATED. */
	const uint8_t *data;
	uint64_t data_size;
	/** Where the section begins in the file. */
	uint64_t file_offset;
	/** The section is part of the running program. */
	bool loaded;
	/** The section holds code. */
	bool executable;
	/** The section of a relocatable object has relocations whose types
	 *  are not known for its architecture. */
	bool unrelocated;
	/** 0. */
	uint8_t reserved[5];
};

/**
 * Store the next section of PROGRAM called NAME in RET.  *AT is 0 for the first
 * call; it becomes the place where the next call goes on.  A Mach-O section
 * has two names: "SEGMENT,SECTION" and "SECTION".
 *
 * GSYM_NOT_FOUND: there is no further section with that name.
 */
GSYM_API enum gsym_status
gsym_program_find_section(const struct gsym_program *program, const char *name,
			  size_t *at, struct gsym_program_section *ret);

/** Store the address of the first symbol NAME in *ADDRESS.  The names of
 *  Mach-O symbols are without their first '_'.
 *
 *  GSYM_NOT_FOUND: there is no symbol NAME with a value other than 0. */
GSYM_API enum gsym_status
gsym_program_symbol(const struct gsym_program *program, const char *name,
		    uint64_t *address);

/** The bytes at ADDRESS in the segments of PROGRAM; *LEFT becomes their number.
 *  NULL, with *LEFT unchanged, if the file has no bytes there.  Relocatable
 *  objects have no segments. */
GSYM_API const uint8_t *gsym_program_bytes(const struct gsym_program *program,
					   uint64_t address, uint64_t *left);

/** COPY has a copy of the SIZE bytes of PROGRAM at ADDRESS.  Write to COPY the
 *  pointers that the loader fills there, with the values that they have if
 *  the program is loaded at the address that it was linked to.  Pointers to
 *  symbols of other programs are left as they are. */
GSYM_API void gsym_program_fill_pointers(const struct gsym_program *program,
					 uint64_t address, uint8_t *copy,
					 size_t size);

/* ---- ELF files that go with GSYM data, of libgsym-convert ---------------- */

/*
 * A program with the data in a section of it, and a stub to lie beside a GSYM
 * file.  All functions take a whole ELF file in memory: a program, library or
 * object (ET_EXEC, ET_DYN, ET_REL) of either class and byte order.  The format
 * is that of the System V ABI (gABI); build IDs are notes of the name "GNU" and
 * type NT_GNU_BUILD_ID.
 *
 * Memory: a file that a function makes is malloc'ed, *RET_SIZE bytes at *RET,
 * and the caller frees it.  The input is not needed after the call, except by
 * gsym_elf_build_id.  Threads: all functions may be called from any number of
 * threads at once.
 *
 * Errors of every function that takes an ELF file.  GSYM_ERR_FORMAT: it is no
 * ELF file.  GSYM_ERR_UNSUPPORTED: its class, byte order, version or type (a
 * core file) is not known.  GSYM_ERR_CORRUPT: its header is cut off, or its
 * tables of headers reach beyond the file.  GSYM_ERR_ARGUMENT: a pointer is
 * NULL.  GSYM_ERR_MEMORY.  Others are named with the function.
 */

/**
 * Make a copy of the ELF file of ELF_SIZE bytes at ELF with the GSYM_SIZE (not
 * 0) bytes at GSYM as the section ".gsym", which replaces a section of that
 * name.  gsym_open reads such a file.  The content of GSYM is not checked.
 *
 * The new section is not loaded, and all bytes of the program stay where they
 * are: after them come the data, a new table of section names and new section
 * headers.  What an earlier call appended to the file is removed first.
 *
 * GSYM_ERR_CORRUPT: also if the file has sections but no table of their names.
 * GSYM_ERR_LIMIT: a 32-bit file would have more than 4 GiB.
 */
GSYM_API enum gsym_status gsym_elf_embed(const uint8_t *elf, size_t elf_size,
					 const uint8_t *gsym, size_t gsym_size,
					 uint8_t **ret, size_t *ret_size,
					 struct gsym_error *error);

/**
 * Make a stub: an ELF file that has the headers of the loaded sections, the
 * notes, and the symbol table (.symtab, or .dynsym without it) with its strings
 * of the ELF file of ELF_SIZE bytes at ELF, and the program headers of the ELF
 * file of PROGRAM_SIZE bytes at PROGRAM, but no code, data and debug info.
 *
 * The file offsets in the program headers are those of the program, so that
 * gsym_store_address_of can find the address of a byte of the program's file.
 * A debug file has other offsets: if ELF is one, PROGRAM has to be the program,
 * or another stub of the program.  There are no program headers in the stub if
 * PROGRAM is NULL, is no ELF file of the same kind as ELF, or
 * gsym_elf_is_program is false for it.  A program header of type 0x6773796d
 * says that the others are those of a program, and one of type 0x6773796e that
 * the file is a stub.
 *
 * A stub is no debug file.  Only a program header leads to the note with its
 * build ID: debuggers, which look at sections, do not take the stub for the
 * debug file of its program.
 *
 * The release of a Linux kernel, which its data have, becomes a note:
 * gsym_store_read_release reads it.
 *
 * An empty section .debug_line makes perf ask a symbolizer about the stub.
 * Symbolizers that need an ELF file beside a GSYM file accept it.
 *
 * GSYM_ERR_UNSUPPORTED: also for more than 65,271 sections.  GSYM_ERR_LIMIT: a
 * 32-bit stub would have more than 4 GiB.
 */
GSYM_API enum gsym_status gsym_elf_stub(const uint8_t *elf, size_t elf_size,
					const uint8_t *program,
					size_t program_size, uint8_t **ret,
					size_t *ret_size,
					struct gsym_error *error);

/** Whether the program headers in the ELF file of ELF_SIZE bytes at ELF are
 *  those of a program: it is a program or library with its code, or a stub that
 *  gsym_elf_stub made with program headers.  False for a debug file, and for
 *  a file that cannot be read or has more than 64 loaded segments. */
GSYM_API bool gsym_elf_is_program(const uint8_t *elf, size_t elf_size);

/** Whether the ELF file of ELF_SIZE bytes at ELF is a stub (gsym_elf_stub,
 *  gsym_elf_bare_stub).  False also for a file that cannot be read. */
GSYM_API bool gsym_elf_is_stub(const uint8_t *elf, size_t elf_size);

/**
 * Make a stub for a program that is not at hand.  It has a note with the build
 * ID of ID_SIZE (1 to 1024) bytes at ID, and an empty section .debug_line, but
 * nothing else.  ARCHITECTURE is the
 * name of the processor, as struct gsym_convert_facts has it: "x86_64".
 *
 * GSYM_ERR_ARGUMENT: no architecture, or a build ID of another size.
 * GSYM_ERR_UNSUPPORTED: the processor is not known, or has no ELF files here.
 */
GSYM_API enum gsym_status gsym_elf_bare_stub(const char *architecture,
					     const uint8_t *id, size_t id_size,
					     uint8_t **ret, size_t *ret_size,
					     struct gsym_error *error);

/**
 * Find the build ID of the ELF file of ELF_SIZE bytes at ELF: the first one in
 * a note section, else in a note segment.  *RET points into ELF and is valid as
 * long as that.
 *
 * GSYM_NOT_FOUND: the file has no build ID.
 */
GSYM_API enum gsym_status gsym_elf_build_id(const uint8_t *elf, size_t elf_size,
					    const uint8_t **ret,
					    size_t *ret_size,
					    struct gsym_error *error);

/** Whether the ELF file of ELF_SIZE bytes at ELF has a section called NAME with
 *  contents in the file.  False also for a file that cannot be read. */
GSYM_API bool gsym_elf_has_section(const uint8_t *elf, size_t elf_size,
				   const char *name);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_PROGRAM_H */
