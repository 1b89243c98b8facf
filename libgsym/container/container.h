/* SPDX-License-Identifier: MIT */
/*
 * container/container.h - sections, symbols and identity of a program, in one
 * form for all file formats.  The rooms of GSYM_INPUTS fill it from the bytes
 * of a file; convert, dwarf and go read it.  Knows nothing of any one file
 * format, of DWARF and of GSYM.  Also what the rooms of formats share: programs
 * in several files (join.c), and compressed sections (inflate.c,
 * inflate_stream.c, passing.c).  The row of a format and the search for other
 * files are in container/input.h.
 *
 * A container owns the mapped file and everything inflated from it.  All
 * pointers in it are valid until gsym_container_free.  Once loaded it never
 * changes but for PASSING, so any number of threads may read the rest.
 */
#ifndef GSYM_CONTAINER_CONTAINER_H
#define GSYM_CONTAINER_CONTAINER_H

#include "base/cursor.h"
#include "base/memory.h"
#include "base/order.h"

#include <gsym/convert.h>

#include <stdatomic.h>
#include <stddef.h>

/** A mapped file. */
struct gsym_file_map {
	const uint8_t *bytes; /**< NULL: no file is mapped */
	size_t size;
};

/** Map the regular file PATH; if OWN, only one of this user or of root.  *FD
 *  becomes its descriptor, which the caller closes; FD may be NULL.
 *  GSYM_ERR_IO; GSYM_ERR_FORMAT: the file is empty. */
enum gsym_status gsym_file_map_open(const char *path, bool own,
				    struct gsym_file_map *ret, int *fd,
				    struct gsym_error *error);

/** Unmap MAP, if a file is mapped. */
void gsym_file_map_close(struct gsym_file_map *map);

/* ---- what a program has -------------------------------------------------- */

/** A section of the program. */
struct gsym_container_section {
	const char *name;
	uint64_t address;
	uint64_t size; /**< in memory */
	/** The section's bytes, inflated; NULL if it has none in the file. */
	const uint8_t *data;
	uint64_t data_size; /**< SIZE at most */
	/** Of a compressed section: its bytes in the file; else 0. */
	uint64_t packed_size;
	/** Offset of the section's bytes in the file. */
	uint64_t file_offset;
	bool loaded;	 /**< part of the running program (SHF_ALLOC) */
	bool executable; /**< holds code */
	/** Relocations of it have types that are not known: it has no bytes. */
	bool unrelocated;
};

/** A piece of memory, as the program's loader makes it from the file. */
struct gsym_segment {
	uint64_t address;
	/** The bytes at ADDRESS that the file holds; memory after them is
	 *  zeros. */
	const uint8_t *data;
	uint64_t data_size;
	bool writable;
	bool executable;
};

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

enum {
	/** The section of a symbol that is in none. */
	GSYM_NO_SECTION = (1 << 27) - 1,
};

/** Large libraries have millions of symbols, so a symbol takes 32 bytes. */
struct gsym_symbol {
	/** Without the version that .symtab appends (@GLIBC_2.2.5); never
	 *  NULL. */
	const char *name;
	/** The address, without a bit for the instruction set (Thumb,
	 *  microMIPS). */
	uint64_t value;
	uint64_t size; /**< 0: not known */
	/** The bytes that a symbol without size has at most; 0: up to the end
	 *  of its section. */
	uint32_t reach;
	/** Index into the sections; GSYM_NO_SECTION if in none. */
	uint32_t section : 27;
	/** A stub: a program with nothing else has no functions. */
	bool stub : 1;
	enum gsym_symbol_type type : 2;
	enum gsym_symbol_binding binding : 2;
};

/** The member SECTION of a symbol in section NUMBER; SIZE_MAX means none. */
static inline uint32_t gsym_symbol_home(size_t number)
{
	return number < GSYM_NO_SECTION ? (uint32_t)number : GSYM_NO_SECTION;
}

/** The reach of a symbol at VALUE that ends at LIMIT.  It is 0 if LIMIT lies
 *  not above VALUE, or 4 GiB above it, where labels end anyway. */
static inline uint32_t gsym_symbol_reach(uint64_t value, uint64_t limit)
{
	return limit > value && limit - value <= UINT32_MAX
		       ? (uint32_t)(limit - value)
		       : 0;
}

struct gsym_symbol_list {
	GSYM_VEC(struct gsym_symbol);
};

/** Called with a pointer in the program's memory: the word at address PLACE
 *  holds VALUE when the program is loaded where it was linked.  Returns false
 *  to stop. */
typedef bool gsym_pointer_fn(void *context, uint64_t place, uint64_t value);

/** An object file that the program was linked from, and that holds the debug
 *  info of its part of the program. */
struct gsym_object {
	const char *path;
	/** Its modification time in seconds since 1970 when it was linked; 0:
	 *  not known. */
	uint64_t time;
	/** Its functions and variables in the container's LINKED. */
	size_t first;
	size_t count;
};

/** A function or variable that came from an object file. */
struct gsym_linked {
	const char *name;
	/** The address in the program; 0: look the symbol NAME up. */
	uint64_t address;
	uint64_t size; /**< 0: not known */
	bool function;
};

/** The row of a format: container/input.h. */
struct gsym_input;

struct gsym_container {
	enum gsym_format format;
	const struct gsym_input *input; /**< the row of FORMAT */
	/** LLVM's name of the processor: "x86_64". */
	char architecture[GSYM_ARCHITECTURE_NAME_SIZE];
	bool big_endian;
	uint8_t address_size; /**< 4 or 8 */
	/** A relocatable object: its sections were given addresses when it was
	 *  loaded, and its debug sections relocated.  Addresses of sections
	 *  that are not loaded have no meaning. */
	bool relocatable;
	/** Bit 0 of a code address is no part of the address, but says which
	 *  instruction set the code is in (ARM, MIPS). */
	bool code_bit0;

	GSYM_VEC_OF(struct gsym_container_section) sections;
	/** Symbols with a name that are defined in the file, in the order of
	 *  the tables: ELF's .symtab before .dynsym. */
	struct gsym_symbol_list symbols;
	/** Segments that have bytes in the file, in the order of their
	 *  headers. */
	GSYM_VEC_OF(struct gsym_segment) segments;
	/** Calls TAKE for each pointer whose value is in a relocation, and not
	 *  in the segments' bytes.  NULL: there are no such pointers. */
	void (*pointers)(const struct gsym_container *container,
			 gsym_pointer_fn *take, void *context);
	/** The address where the program starts; 0 if not known. */
	uint64_t entry;
	/** The container with this program's segments, if this is its debug
	 *  file; NULL: this container has them. */
	const struct gsym_container *mapped;
	/** Bytes of the symbol tables and their strings in the file. */
	uint64_t symbol_bytes;
	/** Address ranges of code: the executable sections that are loaded and
	 *  not empty; ascending, adjacent ones joined. */
	struct gsym_range_set text;

	/** Where functions and separate parts of functions lie, as the table
	 *  for unwinding says (.eh_frame of linked ELF programs), but stubs;
	 *  ascending, not empty, none overlaps another.  Read if
	 *  the options ask for it, if a symbol of code has no size, or if code
	 *  lies at 0 or 1 and there are no symbols; else empty. */
	struct gsym_range_set functions;

	/** The build ID, or UUID; of PE the GUID of the PDB in the order of its
	 *  text, then its age as four big-endian bytes unless the age is 0.
	 *  UUID_SIZE 0: there is none. */
	const uint8_t *uuid;
	size_t uuid_size;
	uint8_t pdb[20]; /**< what UUID of a PE program points to */
	/** PE alone: the program has the path of a PDB. */
	bool pdb_named;
	/** PE alone: the time stamp of the header, and the size of the image in
	 *  memory; 0 for other formats. */
	uint32_t time_stamp;
	uint32_t image_size;
	/** Where the program begins in memory: the address of ELF's first
	 *  segment, of Mach-O's __TEXT, or PE's image base.  Undefined unless
	 *  HAS_BASE. */
	bool has_base;
	uint64_t base;

	/** The supplementary debug file (dwz) that this one refers to, or
	 *  NULL. */
	struct gsym_container *alternate;
	/** The package of split units (.dwp), or NULL. */
	struct gsym_container *package;
	/** Another container, freed with this one, that pointers of this one
	 *  lead into; or NULL. */
	struct gsym_container *part;
	/** The file that it was loaded from; set together with OPEN_SPLIT. */
	const char *path;
	/**
	 * Opens a file with a split unit (.dwo).  NAME is the unit's file name,
	 * DIRECTORY the folder that it was compiled in (NULL: not known).
	 * There are several candidates for the file; this opens number N, from
	 * 0 on.  Any number of threads may call it.
	 *
	 * GSYM_NOT_FOUND: there are no more candidates; GSYM_ERR_MEMORY; all
	 * other errors are of candidate N alone.
	 *
	 * NULL: no such file can be opened.
	 */
	enum gsym_status (*open_split)(const struct gsym_container *container,
				       const char *directory, const char *name,
				       unsigned n, struct gsym_container **ret);

	/** The paths of the files that OPEN_SPLIT has opened, the last one
	 *  first; NULL: nobody asks.  Any number of threads add paths. */
	struct gsym_split_paths {
		struct gsym_split_path {
			struct gsym_split_path *next;
			char text[];
		} *first;
	} *split_paths;

	/** The debug map of Mach-O's linkers: object files that have the debug
	 *  info, and the addresses of their functions and variables. */
	GSYM_VEC_OF(struct gsym_object) objects;
	GSYM_VEC_OF(struct gsym_linked) linked;
	/**
	 * Opens OBJECT, an entry of OBJECTS, from the file PATH, which may name
	 * a member of an archive ("lib.a(member.o)").  IDENTITY becomes the
	 * device, the inode and the offset of its bytes, so that two paths of
	 * one object can be told.  One thread at a time may call it; RET must
	 * not outlive CONTAINER.
	 */
	enum gsym_status (*open_object)(const struct gsym_container *container,
					const struct gsym_object *object,
					const char *path, uint64_t identity[3],
					struct gsym_container **ret,
					struct gsym_error *error);

	/** Files that belong to this one are refused if they are of another
	 *  user: see struct gsym_convert_options. */
	bool own_files;
	/** Damage that was found while loading. */
	struct {
		GSYM_VEC(struct gsym_container_warning {
			enum gsym_warning kind;
			const char *text; /* in the arena */
		});
	} warnings;

	/** Names and texts that are not in the file as they are. */
	struct gsym_arena arena;

	/** The file, if gsym_container_open mapped it, and its descriptor; -1
	 *  after gsym_container_close_file. */
	struct gsym_file_map file;
	int fd;
	/** Buffers, malloc'ed, with inflated or relocated sections. */
	GSYM_VEC_OF(uint8_t *) made;
	/** The section that GSYM_LOAD_PASSING left compressed (NULL: none), and
	 *  what frees it: container.c does not use passing.c, which uses
	 *  container.c. */
	struct gsym_passing *passing;
	void (*free_passing)(struct gsym_passing *passing);

	/** Belongs to the room that made the container; FREE_PRIVATE frees
	 *  it. */
	void *private_data;
	void (*free_private)(void *private_data);
};

/** How much of a file is loaded. */
enum gsym_extent {
	/** All that a conversion reads. */
	GSYM_LOAD_ALL,
	/** As GSYM_LOAD_ALL, but .debug_info may stay compressed, to be
	 *  inflated while its units are read (struct gsym_passing). */
	GSYM_LOAD_PASSING,
	/** As GSYM_LOAD_SYMBOLS, for users of a program's data: sections of a
	 *  relocatable object that hold no code are relocated, and an ELF file
	 *  without section headers has its dynamic symbols. */
	GSYM_LOAD_DATA,
	/** The facts, and symbols.  Sections stay as the file stores them. */
	GSYM_LOAD_SYMBOLS,
	/** What shows which program a file is, and where its code is. */
	GSYM_LOAD_FACTS,
};

/** Load the SIZE bytes at BYTES, a file of the format INPUT, as EXTENT says.
 *  BYTES have to outlive the container and stay unchanged.  OPTIONS may be
 *  NULL: the usual options, and one thread.  *RET is freed with
 *  gsym_container_free.  Errors: those of INPUT's FILL; GSYM_ERR_MEMORY. */
enum gsym_status gsym_container_load(const struct gsym_input *input,
				     const uint8_t *bytes, size_t size,
				     enum gsym_extent extent,
				     const struct gsym_convert_options *options,
				     struct gsym_container **ret,
				     struct gsym_error *error);

/** As gsym_container_load, for the file PATH, which is mapped.  The container
 *  owns the mapping.  Besides: GSYM_ERR_IO; GSYM_ERR_FORMAT: the file is
 *  empty. */
enum gsym_status gsym_container_open(const struct gsym_input *input,
				     const char *path, enum gsym_extent extent,
				     const struct gsym_convert_options *options,
				     struct gsym_container **ret,
				     struct gsym_error *error);

/** Copy SIZE bytes at AT, which lie in a section of CONTAINER, to TO.  Those of
 *  the mapped file are read: whoever needs a few bytes here and there does not
 *  bring their pages and the neighbours of these into memory. */
void gsym_container_copy(const struct gsym_container *container,
			 const uint8_t *at, void *to, size_t size);
/** Close the descriptor of the file, which stays mapped.  For containers of
 *  which hundreds may be open at once: split units. */
void gsym_container_close_file(struct gsym_container *container);

/** Give the memory of the bytes of SECTION from offset START up to END back to
 *  the system, if CONTAINER owns it.  Nobody may read them any more. */
void gsym_container_release(const struct gsym_container *container,
			    const struct gsym_container_section *section,
			    uint64_t start, uint64_t end);
/** Give the memory of the bytes of SECTION from offset START up to END back to
 *  the system if they lie in the mapped file: whoever reads them again brings
 *  them back. */
void gsym_container_unload(const struct gsym_container *container,
			   const struct gsym_container_section *section,
			   uint64_t start, uint64_t end);

/** Free CONTAINER, its ALTERNATE, PACKAGE and PART.  NULL is fine. */
void gsym_container_free(struct gsym_container *container);

/** Note a warning.  Without memory it is dropped. */
void gsym_container_warn(struct gsym_container *container,
			 enum gsym_warning kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Hand a warning to OPTIONS->warn, if there is such a callback. */
void gsym_container_tell(const struct gsym_convert_options *options,
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

/** The section NAME; NULL if there is none.  The plain name of a debug section
 *  (.debug_info) also finds one of its old compressed name (.zdebug_info). */
const struct gsym_container_section *
gsym_container_section(const struct gsym_container *container,
		       const char *name);

/** Whether S is loaded, not empty, and, as EXECUTABLE says, holds code or does
 *  not.  *RET becomes its range. */
static inline bool
gsym_container_range(const struct gsym_container_section *s, bool executable,
		     struct gsym_range *ret)
{
	*ret = (struct gsym_range){ s->address, s->address + s->size };
	return s->loaded && s->executable == executable &&
	       ret->start < ret->end;
}

/** The number of the loaded section that holds ADDRESS, the first from HINT on,
 *  around the end; SIZE_MAX if none does. */
size_t gsym_container_section_at(const struct gsym_container *container,
				 uint64_t address, size_t hint);

/** Fill the text ranges of CONTAINER from its sections, when it is loaded.
 *  False without memory. */
bool gsym_container_collect_text(struct gsym_container *container);

/** Whether ADDRESS lies in code; true for all addresses if CONTAINER has no
 *  executable section. */
bool gsym_container_is_code(const struct gsym_container *container,
			    uint64_t address);

/** The bytes at ADDRESS in the segments; *LEFT becomes their number.  NULL if
 *  the file holds none, and *LEFT is unchanged. */
const uint8_t *gsym_container_bytes(const struct gsym_container *container,
				    uint64_t address, uint64_t *left);

/** A cursor at ADDRESS in the segments, up to the end of the bytes of its
 *  segment, in the file's byte order; an empty one if the file has no bytes
 *  there. */
struct gsym_cursor gsym_container_at(const struct gsym_container *container,
				     uint64_t address);

/** A cursor over SECTION, in the file's byte order; an empty one if SECTION is
 *  NULL. */
struct gsym_cursor
gsym_container_cursor(const struct gsym_container *container,
		      const struct gsym_container_section *section);
/** The same for the section NAME. */
struct gsym_cursor gsym_container_named(const struct gsym_container *container,
					const char *name);

/** Whether CONTAINER has the section NAME with bytes. */
bool gsym_container_has(const struct gsym_container *container,
			const char *name);

/* ---- a program that is spread over several files ------------------------ */

/* A debug file and its stripped program, or a program and the symbol table of
 * .gnu_debugdata.  Sections of two files are the same if they have the same
 * name and address. */

/** Whether A and B have the same build ID, or UUID. */
bool gsym_container_same_id(const struct gsym_container *a,
			    const struct gsym_container *b);

/** Whether A and B have the same format, architecture, class and byte
 *  order. */
bool gsym_container_alike(const struct gsym_container *a,
			  const struct gsym_container *b);

/**
 * Append the symbols of FROM to those of TO.  TO owns FROM from now on, even
 * if the call fails.  If TO has no executable sections it gets those of FROM.
 * Symbols in other sections that TO lacks belong to no section then.  False
 * without memory.
 */
bool gsym_container_join_symbols(struct gsym_container *to,
				 struct gsym_container *from);

/**
 * Complete DEBUG, the debug file of PROGRAM: it gets PROGRAM's build ID, base,
 * text ranges, symbols, and the bytes of loaded sections.  DEBUG owns PROGRAM
 * from now on, even if the call fails.  False without memory.
 *
 * A relocatable object with symbols gets the build ID alone: the sections of
 * the two files were laid out separately.
 */
bool gsym_container_join_program(struct gsym_container *debug,
				 struct gsym_container *program);

/* ---- inflate.c: compressed sections of any file format ------------------ */

/** The bytes of a section, and what is to be done with them. */
struct gsym_inflate_job {
	enum {
		GSYM_INFLATE_STORED, /**< copied as they are */
		GSYM_INFLATE_ZLIB,
		GSYM_INFLATE_ZSTD,
	} method;
	const uint8_t *in;
	size_t in_size;
	/** The size of OUT; a stream that makes more or fewer bytes counts as
	 *  damaged. */
	size_t out_size;
	uint8_t *out;	     /**< malloc'ed; NULL until it is allocated */
	const char *problem; /**< what is wrong; NULL: nothing */
};

/** Allocate JOB's OUT; false without memory. */
bool gsym_inflate_allocate(struct gsym_inflate_job *job);
/** Fill JOB's OUT, which was allocated, or set its PROBLEM; false without
 *  memory.  OUT belongs to the caller in any case. */
bool gsym_inflate_fill(struct gsym_inflate_job *job);
/** Parts of a job, which any threads may fill. */
struct gsym_inflate_parts {
	GSYM_VEC(struct gsym_inflate_job);
};
/** Append the parts of JOB, whose OUT was allocated, to PARTS: runs of the
 *  frames of a zstd stream, of LEAST bytes of output or more, or JOB itself.
 *  JOB has a problem if one of its parts has.  False without memory. */
bool gsym_inflate_divide(const struct gsym_inflate_job *job, size_t least,
			 struct gsym_inflate_parts *parts);
/** Allocate and fill JOB's OUT.  It is NULL after that if JOB has a PROBLEM.
 *  False without memory. */
bool gsym_inflate(struct gsym_inflate_job *job);

enum {
	/** All sections of a file together may become as many times its size,
	 *  or as many bytes, whichever is more.  The debug sections of
	 *  compilers become up to 5 times as large. */
	GSYM_INFLATE_RATIO = 32,
	GSYM_INFLATE_FLOOR = 64 << 20,
};

/** Whether the input of JOB can and may become OUT_SIZE bytes.  *TOTAL counts
 *  the bytes that were admitted of the same file, which has FILE_SIZE bytes;
 *  OUT_SIZE is added.  If the result is false, PROBLEM of JOB tells why. */
bool gsym_inflate_admit(struct gsym_inflate_job *job, uint64_t file_size,
			uint64_t *total);

/** A stream of JOB that is inflated in steps, without JOB's OUT.  NULL without
 *  memory, and if this build cannot stop in the middle of such a stream. */
struct gsym_inflate_stream *
gsym_inflate_stream_new(const struct gsym_inflate_job *job);
/** Write the next SIZE bytes to TO; false if the stream is damaged or ends. */
bool gsym_inflate_stream_next(struct gsym_inflate_stream *stream, uint8_t *to,
			      size_t size);
/** The bytes of the input that are not needed any more. */
size_t gsym_inflate_stream_taken(const struct gsym_inflate_stream *stream);
/** Whether the stream ends after the bytes that were written, with the right
 *  checksum if the stream has one. */
bool gsym_inflate_stream_is_over(struct gsym_inflate_stream *stream);
/** Free STREAM.  NULL is fine. */
void gsym_inflate_stream_free(struct gsym_inflate_stream *stream);

/** Fill JOB from the SIZE bytes at BYTES of a section .zdebug_*: the letters
 *  "ZLIB", the size of the output as 64 bits in big-endian order, a zlib
 *  stream.  False if the header is damaged. */
bool gsym_inflate_read_zdebug(const uint8_t *bytes, size_t size,
			      struct gsym_inflate_job *job);

/** Inflate the sections .zdebug_* of CONTAINER, whose file has FILE_SIZE
 *  bytes.  A damaged section loses its bytes, and is noted as a warning.  False
 *  without memory. */
bool gsym_inflate_zdebug(struct gsym_container *container, uint64_t file_size);

/** The CRC-32 of SIZE bytes at BYTES, as .gnu_debuglink has it. */
uint32_t gsym_container_crc32(const uint8_t *bytes, size_t size);

/* ---- passing.c: a section that is inflated while it is read -------------- */

/*
 * Large C++ programs have hundreds of megabytes of .debug_info, of which a unit
 * is seldom more than a few.  While the section is compressed, its DATA is NULL
 * and its size is known.  Its bytes are read once, in order, by one thread at a
 * time.
 */

/** Leave SECTION of CONTAINER compressed, whose bytes JOB describes.  MAPPED:
 *  they lie in a mapped file, whose pages are given back.  False if that
 *  cannot be done, or if the section is empty: CONTAINER has not changed
 *  then. */
bool gsym_passing_begin(struct gsym_container *container,
			struct gsym_container_section *section,
			const struct gsym_inflate_job *job, bool mapped);
/** Inflate the first bytes before they are read, up to some tens of MiB, until
 *  *LEFT is 0.  LEFT counts the jobs of other threads that load the container:
 *  for a thread that has nothing else to do meanwhile. */
void gsym_passing_ahead(struct gsym_passing *passing,
			const atomic_size_t *left);
/** Whether no byte of PASSING was read. */
bool gsym_passing_is_unread(const struct gsym_passing *passing);
/** Write the next SIZE bytes to TO; NULL: skip them.  False if they are
 *  damaged, or if they are the last ones and the checksum is wrong. */
bool gsym_passing_read(struct gsym_passing *passing, uint8_t *to, size_t size);
/** Inflate the whole section that CONTAINER left compressed, if there is one:
 *  CONTAINER is then as GSYM_LOAD_ALL makes it, even if bytes of the section
 *  were read.  Damage is noted as a warning.  False without memory. */
bool gsym_passing_complete(struct gsym_container *container);

#endif
