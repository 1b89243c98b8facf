/* SPDX-License-Identifier: MIT */
/*
 * gsym/convert.h - read the debug info and symbols of a program into a
 * sink, as a rule a gsym_builder.  The header of libgsym-convert.
 */
#ifndef GSYM_CONVERT_H
#define GSYM_CONVERT_H

#include <gsym/builder.h>

#ifdef __cplusplus
extern "C" {
#endif

/** File formats that gsym_convert_file reads. */
enum gsym_format {
	GSYM_FORMAT_NONE, /**< not known */
	GSYM_FORMAT_ELF,
	GSYM_FORMAT_MACHO,
	GSYM_FORMAT_PE,
	GSYM_FORMAT_PLAN9, /**< Plan 9's a.out */
	GSYM_FORMAT_GSYM,
	GSYM_FORMAT_BREAKPAD,
	GSYM_FORMAT_COUNT
};

/** The name of FORMAT as reports show it: "ELF", "Mach-O", "PE", "Plan 9",
 *  "GSYM" or "Breakpad"; NULL for GSYM_FORMAT_NONE and unknown values. */
GSYM_API const char *gsym_format_name(enum gsym_format format);

/** Kinds of warnings.  Each is counted; the text of the first is kept by
 *  whoever reports. */
enum gsym_warning {
	GSYM_WARN_NO_DEBUG_INFO,      /**< symbols only */
	GSYM_WARN_BAD_UNIT,           /**< a unit header or its tables are damaged */
	GSYM_WARN_BAD_DIE,            /**< a DIE tree breaks off */
	GSYM_WARN_BAD_RANGES,         /**< a range list cannot be read */
	GSYM_WARN_BAD_LINE_TABLE,     /**< a line program cannot be read to its end */
	GSYM_WARN_BAD_FILE_INDEX,     /**< a row or call names a file that is not there */
	GSYM_WARN_NO_NAME,            /**< a function without any name */
	GSYM_WARN_DUPLICATE_RANGE,    /**< several functions at one range */
	GSYM_WARN_UNCONTAINED_INLINE, /**< an inlined call outside its caller */
	GSYM_WARN_DEAD_CODE,          /**< functions outside the executable sections */
	GSYM_WARN_MISSING_FILE,       /**< a .dwo, alternate or debug file is missing */
	GSYM_WARN_BAD_SECTION,        /**< a section that cannot be read */
	GSYM_WARN_BAD_SYMBOL,         /**< a symbol with an impossible name or place */
	GSYM_WARN_SIZE_LIMIT,         /**< a function of more than 4 GiB was cut */
	GSYM_WARN_BAD_RELOCATION,     /**< a relocation that cannot be applied */
	GSYM_WARN_BAD_RECORD,         /**< a record of a text or GSYM file that cannot be read */
	GSYM_WARN_ORPHAN,             /**< a record that belongs to none */
	GSYM_WARN_CONFLICT,           /**< records that contradict each other */
	GSYM_WARN_UNKNOWN_RECORD,     /**< a kind of record that is not known */
	GSYM_WARN_GO_TABLE,           /**< what Go's table does not say of itself */
	GSYM_WARN_BAD_GO_TABLE,       /**< Go's table of functions is damaged */
	GSYM_WARN_IDENTITY,           /**< which program it is of is not told, or twice */
	GSYM_WARN_COUNT
};

/** A short, stable name ("bad-unit"), for summaries; NULL if KIND is none. */
GSYM_API const char *gsym_warning_name(enum gsym_warning kind);

/** Called for each warning, from one thread at a time, in an order that
 *  does not depend on the thread count.  TEXT names section and offset. */
typedef void gsym_warn_fn(void *context, enum gsym_warning kind,
			  const char *text);

/** Called now and then with the share of the work that is done, from one
 *  thread at a time.  Returns false to stop the conversion. */
typedef bool gsym_progress_fn(void *context, uint64_t done, uint64_t total);

/** Bytes of an architecture's name, its NUL included. */
#define GSYM_ARCHITECTURE_NAME_SIZE 24

/** For which processor one of the programs in a Mach-O file is. */
struct gsym_architecture {
	/** "x86_64", "arm64e" and so on; "cpu7-3" where there is none. */
	char name[GSYM_ARCHITECTURE_NAME_SIZE];
	uint32_t cpu_type;
	uint32_t cpu_subtype;
};

/** Whether WHAT, a name or the number of a CPU type in C's notation, means
 *  ARCHITECTURE. */
GSYM_API bool
gsym_architecture_matches(const struct gsym_architecture *architecture,
			  const char *what);

/** What a file besides the input is for. */
enum gsym_file_role {
	GSYM_FILE_DEBUG,     /**< the debug info of a stripped program */
	GSYM_FILE_SYMBOLS,   /**< its symbol table */
	GSYM_FILE_ALTERNATE, /**< what several debug files share (dwz) */
	GSYM_FILE_OBJECT,    /**< an object that kept its debug info */
};

/** Called for each file besides the input that was tried: REFUSED is NULL if
 *  it is used, and else why it is not ("not there"). */
typedef void gsym_file_fn(void *context, enum gsym_file_role role,
			  const char *path, const char *refused);

/**
 * Called for a debug file that is in no folder, to get it from elsewhere.
 * GSYM_OK: *PATH is the name, malloc'ed, of a local file, which is checked
 * like any other.  GSYM_NOT_FOUND: there is none.  Any other status, with
 * ERROR filled: asking failed, which costs the debug info and no more.
 */
typedef enum gsym_status gsym_fetch_fn(void *context, const uint8_t *build_id,
				       size_t build_id_size, char **path,
				       struct gsym_error *error);

/** Who reads the DWARF. */
enum gsym_dwarf_reader {
	GSYM_READER_OWN,      /**< the production reader */
	GSYM_READER_LIBDWARF, /**< the second opinion; one thread, slow */
};

/** Where functions are taken from, if several sources have them. */
enum gsym_from {
	/** The DWARF, if there is any; what it lacks from Go's table. */
	GSYM_FROM_BEST,
	/** The table that the Go runtime reads; all others for what it
	 *  lacks. */
	GSYM_FROM_GO,
	/** The input is a Breakpad file, though it does not start as they do,
	 *  with MODULE, but with another of their records. */
	GSYM_FROM_BREAKPAD,
};

/** Where a section of a relocatable object lies. */
struct gsym_section_base {
	const char *name;
	uint64_t address;
};

struct gsym_convert_options {
	/** Threads to use, the calling thread included: 0 means 1, more than
	 *  GSYM_THREADS_MAX means GSYM_THREADS_MAX.  The output is the same
	 *  for every number. */
	unsigned threads;
	enum gsym_dwarf_reader reader;
	enum gsym_from from;
	/** Which program of a file with several is meant: a name or number
	 *  as gsym_architecture_matches takes it.  NULL: the only one.
	 *  Formats that hold one program alone take no notice. */
	const char *architecture;
	/** The package with the split units (.dwp); NULL: INPUT.dwp. */
	const char *package;
	/** Hand over functions whose addresses others answer for, too, as
	 *  folded records; for the builder's MERGE. */
	bool merged_functions;
	/** Hand over the call sites of functions. */
	bool call_sites;
	/** Hand over data, too: sized symbols, and variables with the place
	 *  of their declaration. */
	bool data_symbols;
	/** Added to every address of formats whose addresses count from where
	 *  the program was loaded (Breakpad); GSYM_ERR_ARGUMENT if others are
	 *  to be moved, GSYM_ERR_LIMIT if a function would be beyond 64
	 *  bits. */
	uint64_t base;
	/** The program, or its debug file, that the Breakpad file is of: its
	 *  own address is added instead of BASE, and functions that are not in
	 *  its code are left out.  GSYM_ERR_ARGUMENT: it is another one. */
	const char *program_file;
	/** All callbacks may be NULL. */
	gsym_warn_fn *warn;
	gsym_progress_fn *progress;
	void *context;
	/** For relocatable objects (.o files, kernel modules): the addresses
	 *  of sections, as of a module that is loaded.  Sections that are not
	 *  named lie where they would without: the first executable one at 0,
	 *  the other executable ones behind it, then all other loaded ones,
	 *  each at its own alignment and out of the way of named ones.
	 *  GSYM_ERR_ARGUMENT: a name that is not there or there several
	 *  times, or sections over each other. */
	const struct gsym_section_base *section_bases;
	size_t section_base_count;
	/** The file with the debug info, and the one whose symbols and build
	 *  ID count instead of the input's; NULL: see gsym_convert_file. */
	const char *debug_file;
	const char *symtab_file;
	/** Put before the paths of objects in debug maps; NULL: nothing. */
	const char *object_prefix;
	/** Folders with debug files; NULL: /usr/lib/debug alone. */
	const char *const *debug_directories;
	size_t debug_directory_count;
	/** Callbacks for files; FETCH NULL: nothing is fetched. */
	gsym_file_fn *file;
	gsym_fetch_fn *fetch;
	/** Where text that comes from a pipe or is compressed is kept while it
	 *  is read; NULL: /tmp. */
	const char *temporary_directory;
};

/** Records of a Breakpad file, by kind. */
struct gsym_breakpad_records {
	uint64_t functions;
	uint64_t publics;
	uint64_t lines; /**< of functions that count */
	uint64_t inlines;
	uint64_t origins;
	uint64_t files;
	uint64_t stacks;
	uint64_t others; /**< MODULE, INFO and unknown ones */
};

/** What the input held. */
struct gsym_convert_facts {
	enum gsym_format format;
	/** Bytes of the input that were looked at: debug sections, as they
	 *  are after inflating, and symbol tables. */
	uint64_t input_bytes;
	uint64_t units;
	bool big_endian;
	uint8_t address_size;
	/** As LLVM names it: "x86_64". */
	char architecture[GSYM_ARCHITECTURE_NAME_SIZE];
	uint8_t uuid[64];
	size_t uuid_size;
	/** UUID may be no more than the first 16 bytes of the build ID. */
	bool uuid_is_prefix;
	/** Of a Breakpad file: how many records of each kind it has. */
	struct gsym_breakpad_records records;
	/** Of a Breakpad file: the format of the program that it describes,
	 *  taken from the operating system in MODULE; GSYM_FORMAT_NONE without
	 *  a MODULE record that can be read. */
	enum gsym_format program_format;
};

/**
 * Read the program, debug file or GSYM file at PATH into BUILDER: records, build ID and
 * base address.  FACTS may be NULL.
 *
 * If it has no debug info of its own, its debug file is searched, unless
 * OPTIONS names one, under the build ID in each of the folders with debug
 * files; under the name in .gnu_debuglink, beside it, in .debug beside it, and
 * in each of those folders with the path of the input below it; and last by
 * OPTIONS->fetch.  A file counts if the build IDs of both are equal, or, where
 * one has none, if the checksum in .gnu_debuglink is right.  Symbols come from
 * both files; build ID, base address and what is code from the program.
 *
 * Of a Mach-O program the debug file is the one of the same UUID in
 * INPUT.dSYM, or in that of a folder around it with a dot in its name, or in
 * each of those folders.  Without one the objects are read that its debug map
 * names, unless they were changed since: GSYM_WARN_MISSING_FILE for each that
 * cannot be used.
 *
 * The format is found out from the content.  PATH may be a dSYM folder with
 * one file in it.  Damage within the debug info
 * costs what is damaged and is reported as warnings; GSYM_ERR_FORMAT,
 * GSYM_ERR_CORRUPT and GSYM_ERR_UNSUPPORTED mean that the file as a whole
 * cannot be used.  GSYM_ERR_FORMAT is also GSYM_FROM_GO for a program
 * without Go's table.  GSYM_ERR_ARGUMENT: the file holds several programs, and
 * OPTIONS->architecture chooses none of them.
 */
GSYM_API enum gsym_status
gsym_convert_file(const char *path, const struct gsym_convert_options *options,
		  struct gsym_builder *builder,
		  struct gsym_convert_facts *facts, struct gsym_error *error);

/**
 * Which architectures the file at PATH holds programs for: their number goes
 * to *COUNT, and CAPACITY of them at most to ARRAY.  The number is 0 for all
 * that is no Mach-O file.  Each can be converted on its own.
 *
 * GSYM_ERR_IO; GSYM_ERR_FORMAT: a dSYM folder without a single file in it;
 * GSYM_ERR_CORRUPT; GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_convert_architectures(const char *path, struct gsym_architecture *array,
			   size_t capacity, size_t *count,
			   struct gsym_error *error);

/** Whether a file that begins with the SIZE (64 are enough) bytes at HEAD is
 *  of a format that gsym_convert_file reads, GSYM files and compressed ones
 *  aside. */
GSYM_API bool gsym_convert_knows(const uint8_t *head, size_t size);

/**
 * Which program the Breakpad file at PATH is of: its build ID, as far as the
 * first 64 KiB of its text tell, to UUID, which has 64 bytes; *SIZE is 0 if
 * they do not.  It may be compressed.  FROM: GSYM_FROM_BREAKPAD for files that
 * need not start with MODULE.
 *
 * GSYM_NOT_FOUND: it is none; GSYM_ERR_UNSUPPORTED: it seems to be one, of a
 * kind that gsym_convert_file does not read; GSYM_ERR_IO; GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_breakpad_identity(const char *path,
						 enum gsym_from from,
						 uint8_t *uuid, size_t *size);

struct gsym_reader;

/** As gsym_convert_file, for a GSYM file that is open: all of its records,
 *  its build ID and base address. */
GSYM_API enum gsym_status
gsym_convert_reader(const struct gsym_reader *reader,
		    const struct gsym_convert_options *options,
		    struct gsym_builder *builder,
		    struct gsym_convert_facts *facts, struct gsym_error *error);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_CONVERT_H */
