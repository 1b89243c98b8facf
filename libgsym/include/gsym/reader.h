/* SPDX-License-Identifier: MIT */
/*
 * gsym/reader.h - open GSYM data and turn addresses into functions, files,
 * lines and inlined calls.
 *
 *	struct gsym_reader *reader;
 *	struct gsym_frame frames[16];
 *	struct gsym_match match;
 *
 *	if (gsym_open("prog.gsym", &reader, NULL) != GSYM_OK)
 *		return;
 *	if (gsym_lookup(reader, 0x1173, 0, frames, 16, &match, NULL) == GSYM_OK)
 *		puts(frames[0].function);
 *	gsym_close(reader);
 *
 * The format is GSYM versions 1 and 2 as LLVM's llvm-gsymutil writes them
 * (llvm/include/llvm/DebugInfo/GSYM), in either byte order; gsym(5)
 * describes it.
 *
 * Threads and signals: after it was opened a reader never changes.  Any
 * number of threads may use it at once, and every function here that takes
 * a const reader may be called from a signal handler: none allocates, locks
 * or keeps state.  (There, pass NULL for the error: its message is made with
 * vsnprintf, which POSIX does not allow in a handler.  gsym_verify and the
 * walk over inline trees need 16 KiB of stack, all others less than one.)
 *
 * The file has to stay as it is while it is open: a mapped file that
 * another process cuts off ends the reading process with SIGBUS.
 *
 * Lifetime: every string that a function here hands out lies in the mapped
 * file.  It is valid until gsym_close, and must not be freed.
 *
 * Addresses are those of the program as it was linked ("unslid"); callers
 * subtract the load bias first.
 */
#ifndef GSYM_READER_H
#define GSYM_READER_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsym_reader;

/* ---- opening ---------------------------------------------------------- */

/**
 * Open the GSYM file PATH: a bare GSYM file, or an ELF file that has the
 * GSYM data in a section named ".gsym".  The file is mapped; the cost does
 * not depend on its size.  The extents of the tables are checked, nothing
 * else: gsym_verify checks the rest, and lookups survive whatever they find.
 *
 * On success *RET is the reader, to be closed with gsym_close.  Errors:
 * GSYM_ERR_IO, GSYM_ERR_FORMAT (neither GSYM nor ELF with ".gsym"),
 * GSYM_ERR_UNSUPPORTED (an unknown version), GSYM_ERR_CORRUPT (a table
 * reaches beyond the data), GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_open(const char *path, struct gsym_reader **ret,
				    struct gsym_error *error);

/** As gsym_open, for a file descriptor, which stays the caller's and may be
 *  closed right after. */
GSYM_API enum gsym_status gsym_open_fd(int fd, struct gsym_reader **ret,
				       struct gsym_error *error);

/** As gsym_open, for SIZE bytes at DATA, which have to outlive the reader
 *  and stay unchanged.  DATA needs no alignment. */
GSYM_API enum gsym_status gsym_open_memory(const void *data, size_t size,
					   struct gsym_reader **ret,
					   struct gsym_error *error);

/** Close READER and unmap its file.  NULL is fine. */
GSYM_API void gsym_close(struct gsym_reader *reader);

/* ---- looking addresses up --------------------------------------------- */

/** One function, outlined or inlined, on the stack of an address. */
struct gsym_frame {
	/** The name as it is in the file (as a rule the linkage name, not
	 *  demangled); "" if an inlined function has none, never NULL. */
	const char *function;
	/** Where in that function: the address's own line for the innermost
	 *  frame, the line of the call for the others.  Both are "" if the
	 *  file is not known; never NULL. */
	const char *directory;
	const char *basename;
	/** 0 if not known. */
	uint32_t line;
	/** This function was inlined into that of the next frame. */
	bool inlined;
	/** Bytes from the start of the function (for an inlined one: from
	 *  the start of its first range) to the address. */
	uint64_t offset;
};

/** What a lookup found, besides the frames. */
struct gsym_match {
	/** The address that was looked up. */
	uint64_t address;
	/** The range of the function record that covers it; SIZE 0 means
	 *  that the file does not know the function's end. */
	uint64_t start;
	uint64_t size;
	/** Its place in the address table, for gsym_function_at. */
	uint32_t index;
	/** The frames that the address has.  May be greater than the
	 *  capacity passed; then only the innermost ones were filled in. */
	uint32_t frame_count;
	/** Functions that were folded into this one and share its range; see
	 *  gsym_lookup_merged. */
	uint32_t merged_count;
	/** The library's: where gsym_lookup_merged goes on. */
	struct {
		uint32_t index;
		uint32_t next;
		uint32_t count;
		uint64_t offset;
		uint64_t end;
	} merged_place;
};

/** Flags of gsym_lookup. */
enum {
	/** Report the outermost function alone, with the line that the
	 *  address itself has. */
	GSYM_LOOKUP_NO_INLINES = 1 << 0,
};

/**
 * Look ADDRESS up.  Up to CAPACITY frames go to FRAMES, the innermost
 * first; the last one is the function that the address lies in, the ones
 * before it were inlined.  MATCH may be NULL.
 *
 * A record covers the address if it is the first of those with the greatest
 * start at or below it whose range holds it; a record of size 0 reaches up
 * to the next one's start.  Failing that, it is the nearest of the 64
 * records before whose range holds the address (the outer one of nested
 * functions).
 *
 * Where the file does not say, a frame is without file and line: no line
 * table, no row at or before the address, file 0 or one that is not in the
 * file table, a file without a name.  An inlined function always has its
 * frame.  Damage within a record costs what is damaged: a line table that
 * is damaged before the address's row is certain gives no line, and damage
 * in an inline tree ends the descent, so that the frames found until then
 * remain and the innermost of them has the address's own line.
 *
 * MATCH is filled and FRAMES is meaningful only with GSYM_OK.
 * GSYM_NOT_FOUND: no function covers the address.  GSYM_ERR_CORRUPT: a
 * record covers it, but not even its name can be read.
 */
GSYM_API enum gsym_status gsym_lookup(const struct gsym_reader *reader,
				      uint64_t address, unsigned flags,
				      struct gsym_frame *frames,
				      size_t capacity,
				      struct gsym_match *match,
				      struct gsym_error *error);

/**
 * Bring what lookups of the COUNT addresses will need near the processor.
 * A lookup waits for memory most of its time; the waits of 16 or so that
 * are announced together overlap.  Announce no more than are looked up
 * next.  Nothing but time depends on it.
 */
GSYM_API void gsym_prefetch(const struct gsym_reader *reader,
			    const uint64_t *addresses, size_t count);

/**
 * The WHICHth (0 to MATCH->merged_count - 1) function that was merged into
 * the record that MATCH found, looked up for the same address.  MATCH
 * remembers the place, so that asking for one after the other is fast.
 * GSYM_NOT_FOUND if there is none.  RET, filled as by gsym_lookup, may be
 * NULL.
 */
GSYM_API enum gsym_status
gsym_lookup_merged(const struct gsym_reader *reader,
		   struct gsym_match *match, uint32_t which,
		   unsigned flags, struct gsym_frame *frames, size_t capacity,
		   struct gsym_match *ret, struct gsym_error *error);

/* ---- functions, one by one -------------------------------------------- */

/** A function record.  The fields after RECORD_SIZE are the library's; of
 *  them the sizes may be read: bytes of each kind of information, without
 *  the 8 in front of it. */
struct gsym_function {
	uint64_t start;
	/** Bytes; 0 if the file does not say. */
	uint64_t size;
	const char *name;
	/** What the record holds. */
	bool has_lines;
	bool has_inlines;
	uint32_t merged_count;
	uint32_t call_site_count;
	/** Kinds of information that this library does not know; skipped. */
	uint32_t unknown_count;
	/** Offset, from the start of the GSYM data, and bytes of the whole
	 *  record. */
	uint64_t record_offset;
	uint64_t record_size;

	const struct gsym_reader *reader;
	uint64_t lines_offset, lines_size;
	uint64_t inlines_offset, inlines_size;
	uint64_t merged_offset, merged_size;
	uint64_t call_sites_offset, call_sites_size;
	/* Where the next entry of the last two stands, so that walking
	 * through them takes no longer than reading them once. */
	uint32_t next_merged, next_call_site;
	uint64_t next_merged_offset, next_call_site_offset;
};

/** The number of function records (entries of the address table). */
GSYM_API uint32_t gsym_function_count(const struct gsym_reader *reader);

/** Decode the head of the INDEXth record, in address order.
 *  GSYM_NOT_FOUND if INDEX is too large.  GSYM_ERR_CORRUPT if the record is
 *  damaged; RET then holds what could be read, and "" for a missing name. */
GSYM_API enum gsym_status gsym_function_at(const struct gsym_reader *reader,
					   uint32_t index,
					   struct gsym_function *ret,
					   struct gsym_error *error);

/**
 * The first record at or after index FROM whose name is NAME; its index
 * goes to *INDEX.  The search is linear in the number of records and passes
 * over damaged ones.  GSYM_NOT_FOUND if there is none.
 */
GSYM_API enum gsym_status gsym_find_function(const struct gsym_reader *reader,
					     const char *name, uint32_t from,
					     uint32_t *index);

/** One row of a line table. */
struct gsym_line {
	uint64_t address;
	/** Index into the file table, for gsym_file_at. */
	uint32_t file;
	uint32_t line;
};

/** A walk over the rows of a function; its fields are the library's. */
struct gsym_line_iter {
	const struct gsym_reader *reader;
	uint64_t at, end, row_address;
	int64_t min_delta, max_delta;
	uint32_t row_file, row_line;
	bool done;
};

/** Start a walk over the rows of FUNCTION, in address order.  A function
 *  without a line table has no rows. */
GSYM_API enum gsym_status gsym_lines(const struct gsym_function *function,
				     struct gsym_line_iter *iter,
				     struct gsym_error *error);
/** The next row.  GSYM_NOT_FOUND behind the last one; GSYM_ERR_CORRUPT,
 *  once, where the table is damaged. */
GSYM_API enum gsym_status gsym_line_next(struct gsym_line_iter *iter,
					 struct gsym_line *ret,
					 struct gsym_error *error);

/** Levels that an inline tree may have; deeper ones are damage. */
#define GSYM_MAX_INLINE_DEPTH 1024

/** One node of an inline tree. */
struct gsym_inline {
	/** 0 for the root, which stands for the function itself. */
	uint32_t depth;
	/** "" if it has no name. */
	const char *name;
	/** Where the call was: index into the file table, and line. */
	uint32_t call_file;
	uint32_t call_line;
	/** The ranges that the call covers, for gsym_inline_range. */
	uint32_t range_count;

	const struct gsym_reader *reader;
	uint64_t ranges_offset, ranges_end, base;
	uint32_t next_range;
	uint64_t next_range_offset;
};

/** A walk over an inline tree, parents before children; its fields are the
 *  library's.  It holds one base address a level: 8 KiB. */
struct gsym_inline_iter {
	const struct gsym_reader *reader;
	uint64_t at, end;
	uint32_t depth;
	bool done;
	uint64_t base[GSYM_MAX_INLINE_DEPTH + 1];
};

/** Start a walk over the inline tree of FUNCTION.  A function without one
 *  has no nodes, not even a root. */
GSYM_API enum gsym_status gsym_inlines(const struct gsym_function *function,
				       struct gsym_inline_iter *iter,
				       struct gsym_error *error);
/** The next node.  GSYM_NOT_FOUND behind the last one; GSYM_ERR_CORRUPT,
 *  once, where the tree is damaged. */
GSYM_API enum gsym_status gsym_inline_next(struct gsym_inline_iter *iter,
					   struct gsym_inline *ret,
					   struct gsym_error *error);
/** The WHICHth range of NODE.  Cheap in ascending order (NODE remembers the
 *  place), else linear in WHICH.  GSYM_NOT_FOUND. */
GSYM_API enum gsym_status gsym_inline_range(struct gsym_inline *node,
					    uint32_t which,
					    struct gsym_range *ret);

/** The WHICHth function that was merged into FUNCTION, as a record of its
 *  own with the same start.  Cheap in ascending order, as above.
 *  GSYM_NOT_FOUND; GSYM_ERR_CORRUPT, as with gsym_function_at. */
GSYM_API enum gsym_status gsym_merged_at(struct gsym_function *function,
					 uint32_t which,
					 struct gsym_function *ret,
					 struct gsym_error *error);

/** Flags of a call site. */
enum {
	GSYM_CALL_INTERNAL = 1 << 0, /**< the callee is in the same link unit */
	GSYM_CALL_EXTERNAL = 1 << 1, /**< it is not */
};

/** One call site. */
struct gsym_call_site {
	/** Return address minus function start. */
	uint64_t return_offset;
	uint8_t flags;
	/** Names, or regular expressions for names, of possible callees. */
	uint32_t pattern_count;

	const struct gsym_reader *reader;
	uint64_t patterns_offset;
};

/** The WHICHth call site of FUNCTION.  Cheap in ascending order, as above.
 *  GSYM_NOT_FOUND; GSYM_ERR_CORRUPT. */
GSYM_API enum gsym_status
gsym_call_site_at(struct gsym_function *function, uint32_t which,
		  struct gsym_call_site *ret, struct gsym_error *error);
/** The first call site of FUNCTION that returns to ADDRESS.
 *  GSYM_NOT_FOUND. */
GSYM_API enum gsym_status
gsym_call_site_find(const struct gsym_function *function, uint64_t address,
		    struct gsym_call_site *ret, struct gsym_error *error);
/** The WHICHth pattern of SITE, "" for one with a bad string offset; NULL
 *  if there is none. */
GSYM_API const char *gsym_call_site_pattern(const struct gsym_call_site *site,
					    uint32_t which);

/* ---- tables ------------------------------------------------------------ */

/** The parts of a GSYM file. */
enum gsym_section {
	GSYM_SECTION_HEADER,
	GSYM_SECTION_DIRECTORY, /**< version 2 only */
	GSYM_SECTION_UUID,      /**< version 1: within the header */
	GSYM_SECTION_ADDRESSES,
	GSYM_SECTION_ADDRESS_INFO,
	GSYM_SECTION_FILES,
	GSYM_SECTION_STRINGS,
	GSYM_SECTION_FUNCTIONS,
	GSYM_SECTION_COUNT
};

/** What the header says. */
struct gsym_header {
	uint16_t version;
	bool big_endian;
	/** Bytes of an entry of the address table. */
	uint8_t address_size;
	/** Bytes of a string offset: 4 in version 1, 8 in version 2. */
	uint8_t string_offset_size;
	uint64_t base_address;
	uint32_t function_count;
	uint32_t file_count;
	/** The build ID; NULL and 0 if the file has none. */
	const uint8_t *uuid;
	size_t uuid_size;
	/** Offset of the GSYM data in the file or memory that was opened
	 *  (not 0 for an ELF file), and their size. */
	uint64_t image_offset;
	uint64_t image_size;
	/** Offset (from the start of the GSYM data) and size of each part;
	 *  both 0 if it is not there. */
	struct {
		uint64_t offset;
		uint64_t size;
	} sections[GSYM_SECTION_COUNT];
};

GSYM_API void gsym_header(const struct gsym_reader *reader,
			  struct gsym_header *ret);

/** The start address of the INDEXth function; 0 if INDEX is too large. */
GSYM_API uint64_t gsym_address_at(const struct gsym_reader *reader,
				  uint32_t index);

/** Directory and base name of the INDEXth entry of the file table; ""
 *  stands for what is missing or damaged.  GSYM_NOT_FOUND, with both "",
 *  if INDEX is too large. */
GSYM_API enum gsym_status gsym_file_at(const struct gsym_reader *reader,
				       uint32_t index, const char **directory,
				       const char **basename);

/** The string at OFFSET of the string table; NULL if OFFSET is not in it. */
GSYM_API const char *gsym_string_at(const struct gsym_reader *reader,
				    uint64_t offset);

/**
 * Do two build IDs name the same program?  Yes if they are equal, or if the
 * shorter has at least 8 bytes and the longer begins with it (version 1
 * stores the first 20 bytes).  An empty one names no program.
 */
GSYM_API bool gsym_uuid_matches(const uint8_t *a, size_t a_size,
				const uint8_t *b, size_t b_size);

/* ---- checking ---------------------------------------------------------- */

/** Called by gsym_verify for each problem; PROBLEM lives for the call only.
 *  Returns false to stop. */
typedef bool gsym_verify_fn(void *context, const struct gsym_error *problem);

/**
 * Check the whole file: order of the addresses, every record with its rows
 * and inline tree, every string offset and file index.  Each problem, with
 * its offset, goes to REPORT (NULL: just the result).  GSYM_OK if there was
 * none, else GSYM_ERR_CORRUPT; GSYM_ERR_CANCELLED if REPORT stopped it.
 *
 * A problem has the code GSYM_ERR_CORRUPT.  Information of a kind that this
 * library does not know is reported with GSYM_ERR_UNSUPPORTED: it may be
 * right, so it does not change the result.
 */
GSYM_API enum gsym_status gsym_verify(const struct gsym_reader *reader,
				      gsym_verify_fn *report, void *context);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_READER_H */
