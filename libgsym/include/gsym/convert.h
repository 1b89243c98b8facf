/* SPDX-License-Identifier: MIT */
/*
 * gsym/convert.h - read the debug info and symbols of a program into a
 * gsym_builder.  The header of libgsym-convert.
 *
 *	struct gsym_convert_options options = { .threads = 4 };
 *	struct gsym_build_options layout = { .threads = 4 };
 *	struct gsym_builder *builder = gsym_builder_new();
 *
 *	if (gsym_convert_file("a.out", &options, builder, NULL, &error) ==
 *		GSYM_OK &&
 *	    gsym_builder_finish(builder, &layout, &bytes, &size, NULL,
 *				&error) == GSYM_OK) {
 *		fwrite(bytes, 1, size, stdout);
 *		free(bytes);
 *	}
 *	gsym_builder_free(builder);
 *
 * Formats: ELF (System V ABI), Mach-O (mach-o/loader.h of Apple's XNU), PE
 * (Microsoft's PE/COFF specification), Plan 9's a.out(6), WebAssembly (the
 * binary format of its core specification 3), GSYM (gsym(5)), and
 * Breakpad's symbol files (docs/symbol_files.md of Breakpad).  In programs:
 * DWARF versions 2 to 5, with split units (.dwo, .dwp) and dwz's supplementary
 * files; symbol tables; and the function table of Go's runtime (pclntab).
 *
 * Threads: conversions that share neither builder nor options may run in
 * several threads at once.  A conversion uses as many threads as its options
 * allow, and calls all callbacks from one thread at a time.
 */
#ifndef GSYM_CONVERT_H
#define GSYM_CONVERT_H

#include <gsym/builder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The name of FORMAT as reports show it: "ELF", "Mach-O", "PE", "Plan 9",
 *  "GSYM", "Breakpad" or "WebAssembly"; NULL for GSYM_FORMAT_NONE and unknown
 *  values. */
GSYM_API const char *gsym_format_name(enum gsym_format format);

/** Kinds of warnings.  A warning costs only what it names: the conversion
 *  goes on. */
enum gsym_warning {
	/** The program has no debug info: records come from symbols alone. */
	GSYM_WARN_NO_DEBUG_INFO,
	/** A unit's header, or a table that it needs, is damaged. */
	GSYM_WARN_BAD_UNIT,
	/** A tree of DIEs breaks off. */
	GSYM_WARN_BAD_DIE,
	/** A range list cannot be read. */
	GSYM_WARN_BAD_RANGES,
	/** A line program cannot be read to its end. */
	GSYM_WARN_BAD_LINE_TABLE,
	/** A row or call names a file that the file table does not have. */
	GSYM_WARN_BAD_FILE_INDEX,
	/** A function has no name.  This release does not warn of that. */
	GSYM_WARN_NO_NAME,
	/** Several functions have one range.  This release does not warn of
	 *  that. */
	GSYM_WARN_DUPLICATE_RANGE,
	/** An inlined call lies outside its caller. */
	GSYM_WARN_UNCONTAINED_INLINE,
	/** A function lies outside the executable sections. */
	GSYM_WARN_DEAD_CODE,
	/** A split unit, supplementary file, debug file or object is
	 *  missing. */
	GSYM_WARN_MISSING_FILE,
	/** A section cannot be read. */
	GSYM_WARN_BAD_SECTION,
	/** A symbol has an impossible name or address. */
	GSYM_WARN_BAD_SYMBOL,
	/** A function of more than 4 GiB was cut. */
	GSYM_WARN_SIZE_LIMIT,
	/** A relocation cannot be applied. */
	GSYM_WARN_BAD_RELOCATION,
	/** A record of a Breakpad or GSYM file cannot be read. */
	GSYM_WARN_BAD_RECORD,
	/** A record of a Breakpad file belongs to no function or caller. */
	GSYM_WARN_ORPHAN,
	/** Records of a Breakpad file contradict each other. */
	GSYM_WARN_CONFLICT,
	/** A Breakpad file has records of an unknown kind. */
	GSYM_WARN_UNKNOWN_RECORD,
	/** Go's function table does not tell everything: a part was guessed,
	 *  or is missing. */
	GSYM_WARN_GO_TABLE,
	/** Go's function table is damaged. */
	GSYM_WARN_BAD_GO_TABLE,
	/** A Breakpad file does not say which program it describes, or says so
	 *  in two ways that differ. */
	GSYM_WARN_IDENTITY,
	/** Debug info would take far more work than debug info of its size
	 *  should; a part of it was left out. */
	GSYM_WARN_WORK_LIMIT,
	/** The ranges of two functions overlap, and the order of their DIEs
	 *  does not tell which one lies in the other.  The one that begins
	 *  last answers. */
	GSYM_WARN_OVERLAP,
	/** A symbol and a function of the debug info contradict each other, see
	 *  gsym_builder_contradiction.  Nothing in the library gives this
	 *  warning: it is for callers who tell of contradictions. */
	GSYM_WARN_CONTRADICTION,
	GSYM_WARN_COUNT
};

/** A short, stable name of KIND ("bad-unit"), for summaries; NULL for unknown
 *  values.  The text lives as long as the program. */
GSYM_API const char *gsym_warning_name(enum gsym_warning kind);

/** Called for each warning, in an order that does not depend on the thread
 *  count.  TEXT names section and offset where there are such, and is valid
 *  during the call only. */
typedef void gsym_warn_fn(void *context, enum gsym_warning kind,
			  const char *text);

/** Called now and then: DONE of TOTAL units of work, of no fixed size, are
 *  done.  DONE may fall once: a program that cannot be read while it is
 *  inflated is read again from the start.  Returns false to stop the
 *  conversion, which then fails with GSYM_ERR_CANCELLED. */
typedef bool gsym_progress_fn(void *context, uint64_t done, uint64_t total);

/** Bytes of the name of an architecture, with its NUL. */
#define GSYM_ARCHITECTURE_NAME_SIZE 24

/** The processor that one of the programs in a Mach-O file is for. */
struct gsym_architecture {
	/** "x86_64", "arm64e" and so on; without a name "cpu7-3": type and
	 *  subtype. */
	char name[GSYM_ARCHITECTURE_NAME_SIZE];
	uint32_t cpu_type;
	uint32_t cpu_subtype;
};

/** Whether the text WHAT names ARCHITECTURE: by its name, or by the number of
 *  its CPU type, written as in C. */
GSYM_API bool
gsym_architecture_matches(const struct gsym_architecture *architecture,
			  const char *what);

/** The use of a file besides the input. */
enum gsym_file_role {
	/** The debug file of a stripped program. */
	GSYM_FILE_DEBUG,
	/** The file that OPTIONS->symtab_file names. */
	GSYM_FILE_SYMBOLS,
	/** The supplementary file that dwz made: .gnu_debugaltlink names it. */
	GSYM_FILE_ALTERNATE,
	/** An object that the debug map of a Mach-O program names. */
	GSYM_FILE_OBJECT,
	/** The file that OPTIONS->stubs_file names. */
	GSYM_FILE_STUBS,
	/** A file with a split unit (.dwo), and a package of them (.dwp).  They
	 *  are reported if they are used, when all units were read. */
	GSYM_FILE_SPLIT,
	GSYM_FILE_PACKAGE,
};

/** Called for each file besides the input that was tried.  REFUSED is NULL if
 *  the file is used, else the reason why not ("not there").  Both texts are
 *  valid during the call only. */
typedef void gsym_file_fn(void *context, enum gsym_file_role role,
			  const char *path, const char *refused);

/**
 * Called to fetch the debug file with BUILD_ID if no folder has it.
 *
 * GSYM_OK: *PATH is the name, malloc'ed, of a local file, which is checked
 * like any other.  GSYM_NOT_FOUND: there is none.  Any other status, with
 * ERROR filled in: fetching failed; the conversion goes on without the debug
 * info, with a warning.
 */
typedef enum gsym_status gsym_fetch_fn(void *context, const uint8_t *build_id,
				       size_t build_id_size, char **path,
				       struct gsym_error *error);

/** Which source of functions goes first. */
enum gsym_from {
	/** The DWARF, then Go's function table for functions that the DWARF
	 *  lacks, then symbols. */
	GSYM_FROM_BEST,
	/** Go's function table, then the DWARF, then symbols. */
	GSYM_FROM_GO,
	/** Read the input as a Breakpad file, even if it does not start with
	 *  a MODULE record. */
	GSYM_FROM_BREAKPAD,
	/** Symbols alone: names without lines and inlined calls. */
	GSYM_FROM_SYMBOLS,
};

/** Places a section of a relocatable object at ADDRESS. */
struct gsym_section_base {
	/** The name of the section, ".text". */
	const char *name;
	/** The address of its first byte. */
	uint64_t address;
};

/** The most addresses of a conversion in part. */
#define GSYM_CONVERT_ADDRESSES 64

/** How to convert.  A zeroed struct is the usual way.  All that it points to
 *  has to stay valid during the conversion only. */
struct gsym_convert_options {
	/** Threads to use, the calling thread included: 0 means 1, more than
	 *  GSYM_THREADS_MAX means GSYM_THREADS_MAX.  The output is the same
	 *  for every number. */
	unsigned threads;
	/** Which source of functions goes first. */
	enum gsym_from from;
	/** The program to convert of a Mach-O file with several: a name or
	 *  number as gsym_architecture_matches takes it.  NULL: the file has
	 *  to hold a single program.  Ignored for other formats. */
	const char *architecture;
	/** The package with the split units (.dwp); NULL: INPUT.dwp. */
	const char *package;
	/** Also hand over functions whose addresses another function answers
	 *  for, as folded records, for the builder's MERGE. */
	bool merged_functions;
	/** Hand over the call sites of functions. */
	bool call_sites;
	/** Also hand over data: symbols with a size, and variables with the
	 *  place of their declaration. */
	bool data_symbols;
	/** Files of other users than this one and root are refused, whether
	 *  they are the program or hold its debug info: GSYM_ERR_IO for the
	 *  program.  So the result is made of files that this user trusts.
	 *  GSYM_ERR_ARGUMENT on Windows. */
	bool own_files;
	/** Leave out the names of stubs in the PLT of ELF programs
	 *  (puts@plt). */
	bool no_plt;
	/** Also hand over functions of ELF programs without debug info that no
	 *  symbol names, as .eh_frame has them, under the name "??". */
	bool eh_frame;
	/** Added to every address of a Breakpad file, where addresses count
	 *  from the start of the program.  GSYM_ERR_ARGUMENT for other
	 *  formats; GSYM_ERR_LIMIT if a function would end beyond 64 bits. */
	uint64_t base;
	/** Of a Breakpad file: the program that it describes, or that
	 *  program's debug file.  The program's base address is added instead
	 *  of BASE, and functions outside its code are left out.
	 *  GSYM_ERR_ARGUMENT: the Breakpad file describes another program. */
	const char *program_file;
	/** Called for warnings and for progress; may be NULL. */
	gsym_warn_fn *warn;
	gsym_progress_fn *progress;
	/** The first argument of all callbacks. */
	void *context;
	/** Addresses of sections of a relocatable object (.o file, kernel
	 *  module), as of a module that is loaded.  Sections without an entry
	 *  lie where they would lie without any entries: from 0 on, first the
	 *  executable ones, then all other loaded ones, each at its own
	 *  alignment.  Where a section with an entry lies there, they lie
	 *  after it.
	 *  GSYM_ERR_ARGUMENT: the input is no relocatable object, no section
	 *  or several have a name, or sections overlap. */
	const struct gsym_section_base *section_bases;
	size_t section_base_count;
	/** The file with the debug info; NULL: it is searched as
	 *  gsym_convert_file says. */
	const char *debug_file;
	/** The file whose symbols and build ID replace those of the input;
	 *  NULL: the input keeps its own. */
	const char *symtab_file;
	/** Put before the paths of objects in debug maps; NULL: nothing. */
	const char *object_prefix;
	/** The folders with debug files, searched in this order; NULL:
	 *  /usr/lib/debug alone. */
	const char *const *debug_directories;
	size_t debug_directory_count;
	/** Callbacks for files; may be NULL.  Without FETCH nothing is
	 *  fetched. */
	gsym_file_fn *file;
	gsym_fetch_fn *fetch;
	/** The addresses that will be looked up; NULL: any.  The result may
	 *  lack every other address (struct gsym_convert_facts, partial).
	 *  Answers for these addresses are the same as those of the whole.
	 *  A program is converted in part if it has DWARF and no table of the
	 *  Go runtime, for at most GSYM_CONVERT_ADDRESSES addresses, all of
	 *  them of code, and without MERGED_FUNCTIONS.  Where units of the
	 *  debug info refer to each other, all of it is read.  Compressed debug
	 *  info may be inflated only up to the last unit that is needed.  Then
	 *  damage behind that unit, and a wrong checksum, are not found. */
	const uint64_t *addresses;
	size_t address_count;
	/** Folder for the temporary copy of a Breakpad file that comes from a
	 *  pipe or is compressed; NULL: /tmp; "": a file in memory. */
	const char *temporary_directory;
	/** A Mach-O program with the UUID of the input, whose names of stubs
	 *  are added to the symbols of the input; NULL: none.  dSYM files have
	 *  no table of indirect symbols, so they lack the names.
	 *  GSYM_ERR_ARGUMENT: the input is no Mach-O file, or the file has
	 *  another format, architecture or UUID. */
	const char *stubs_file;
	/** As FETCH, for the UUID of a Mach-O program: *PATH may also be a dSYM
	 *  folder, or an archive of Xcode with dSYM folders. */
	gsym_fetch_fn *fetch_dsym;
	/** Called with the compilation directory that more than half of the
	 *  units of DWARF have (DW_AT_comp_dir), before their files are added
	 *  to the builder; may be NULL.  Units of Rust's library and of crates
	 *  that Cargo has fetched are not counted.  DIRECTORY is a path of at
	 *  most 1024 bytes that begins with a slash, valid during the call
	 *  only. */
	void (*compiled_in)(void *context, const char *directory);
};

/** Numbers of records of a Breakpad file, by kind. */
struct gsym_breakpad_records {
	/** FUNC. */
	uint64_t functions;
	/** PUBLIC. */
	uint64_t publics;
	/** Line records, of functions that were converted. */
	uint64_t lines;
	/** INLINE. */
	uint64_t inlines;
	/** INLINE_ORIGIN. */
	uint64_t origins;
	/** FILE. */
	uint64_t files;
	/** STACK CFI and STACK WIN. */
	uint64_t stacks;
	/** MODULE, INFO and unknown kinds. */
	uint64_t others;
};

/** Facts about the input that a conversion found out. */
struct gsym_convert_facts {
	/** The format of the input. */
	enum gsym_format format;
	/** Bytes of the debug sections, inflated, and of the symbol tables. */
	uint64_t input_bytes;
	/** The number of units of DWARF. */
	uint64_t units;
	/** The byte order of the input. */
	bool big_endian;
	/** Bytes of an address: 4 or 8. */
	uint8_t address_size;
	/** The processor, by the name that LLVM gives it: "x86_64". */
	char architecture[GSYM_ARCHITECTURE_NAME_SIZE];
	/** The build ID, UUID_SIZE bytes of it; 0: the input has none. */
	uint8_t uuid[64];
	size_t uuid_size;
	/** The records answer for the ADDRESSES of the options alone. */
	bool partial;
	/** Of a Breakpad file: the build ID may be longer than UUID. */
	bool uuid_is_prefix;
	/** Of a Breakpad file: how many records of each kind it has. */
	struct gsym_breakpad_records records;
	/** Of a Breakpad file: the format of the program that it describes,
	 *  taken from the operating system in MODULE; GSYM_FORMAT_NONE without
	 *  a MODULE record that can be read. */
	enum gsym_format program_format;
	/** The number of symbols of code, without those of stubs, or
	 *  UINT32_MAX if they are more.  0 for Breakpad and GSYM files. */
	uint32_t symbols;
};

/**
 * Read the program, debug file, Breakpad file or GSYM file at PATH into
 * BUILDER: records, build ID and base address.  *FACTS is filled in on success;
 * FACTS may be NULL.
 *
 * The format is found out from the content.  PATH may be a dSYM folder with a
 * single file in it; "-" is standard input, of which a copy is made in
 * OPTIONS->temporary_directory unless it is a regular file.
 *
 * Without debug info of its own, and unless OPTIONS->debug_file is set, a
 * program's debug file is searched: by its build ID in each of the folders with
 * debug files; by the name in .gnu_debuglink beside the program, in the folder
 * .debug beside it, and below each of the folders with debug files; and last
 * by OPTIONS->fetch.  A file is used if both build IDs are equal, or, where one
 * of the files has none, if the checksum in .gnu_debuglink is right.  Symbols
 * come from both files; build ID, base address and the ranges of code from the
 * program.
 *
 * The debug file of a Mach-O program has the same UUID and lies in INPUT.dSYM,
 * in the dSYM folder of an enclosing folder with a dot in its name
 * (App.app.dSYM), in one of the folders with debug files, or where FETCH_DSYM
 * says.  Without a debug file the objects are read that the program's debug
 * map names.  Each that cannot be used, or was changed since, costs a
 * GSYM_WARN_MISSING_FILE.
 *
 * Damage within the debug info costs what is damaged and is reported as
 * warnings.  If the call fails, BUILDER may hold a part of the records.
 *
 * GSYM_ERR_ARGUMENT: a pointer is NULL, or an option does not fit the file, or
 * the file holds several programs of which OPTIONS->architecture chooses none.
 * GSYM_ERR_FORMAT: the file is of no known format, or with GSYM_FROM_GO it has
 * no function table of Go.  GSYM_ERR_CORRUPT, GSYM_ERR_UNSUPPORTED: the file as
 * a whole cannot be used.  GSYM_ERR_LIMIT: it is too large for the output, or
 * asks for far more memory than its size warrants.  GSYM_ERR_CANCELLED: the
 * progress callback returned false.  GSYM_ERR_IO; GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_convert_file(const char *path, const struct gsym_convert_options *options,
		  struct gsym_builder *builder,
		  struct gsym_convert_facts *facts, struct gsym_error *error);

/**
 * List the architectures for which the Mach-O file at PATH has programs:
 * *COUNT becomes their number, and the first CAPACITY of them go to ARRAY.
 * *COUNT becomes 0 for files of all other formats, and for "-".
 * gsym_convert_file converts the program of one of them, which ARCHITECTURE of
 * struct gsym_convert_options names.
 *
 * GSYM_ERR_ARGUMENT: a pointer is NULL; GSYM_ERR_FORMAT: a dSYM folder without
 * a single file in it; GSYM_ERR_CORRUPT; GSYM_ERR_IO; GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_convert_architectures(const char *path, struct gsym_architecture *array,
			   size_t capacity, size_t *count,
			   struct gsym_error *error);

/** Whether a file that begins with the SIZE bytes at HEAD (64 are enough) may
 *  be a program or a Breakpad file.  False for GSYM files and for compressed
 *  Breakpad files, though gsym_convert_file reads these. */
GSYM_API bool gsym_convert_knows(const uint8_t *head, size_t size);

/**
 * Find the build ID of the program that the Breakpad file at PATH describes.
 * The build ID goes to UUID, which has room for 64 bytes, and its size to
 * *SIZE; the size is 0 if the first 64 KiB of the text do not have it.  The
 * file may be compressed.  With FROM = GSYM_FROM_BREAKPAD it need not start
 * with a MODULE record.
 *
 * GSYM_NOT_FOUND: it is no Breakpad file; GSYM_ERR_UNSUPPORTED: it is one of a
 * kind that gsym_convert_file does not read (UTF-16, cabinet archive);
 * GSYM_ERR_IO; GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_breakpad_identity(const char *path,
						 enum gsym_from from,
						 uint8_t *uuid, size_t *size);

struct gsym_reader;

/**
 * Read all records, the build ID and the base address of the open GSYM file
 * READER into BUILDER, as gsym_convert_file does.  READER is only used during
 * the call.
 *
 * GSYM_ERR_ARGUMENT: a pointer is NULL; GSYM_ERR_CORRUPT: its records or
 * strings share bytes, so that they have many times the size of the file;
 * GSYM_ERR_CANCELLED; GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_convert_reader(const struct gsym_reader *reader,
		    const struct gsym_convert_options *options,
		    struct gsym_builder *builder,
		    struct gsym_convert_facts *facts, struct gsym_error *error);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_CONVERT_H */
