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
 * Format: GSYM versions 1 and 2, in either byte order, as LLVM defines them in
 * llvm/include/llvm/DebugInfo/GSYM (Header.h, HeaderV2.h, FunctionInfo.h,
 * LineTable.h, InlineInfo.h, MergedFunctionsInfo.h, CallSiteInfo.h).  gsym(5)
 * describes the format and what libgsym makes of files that bend it.
 *
 * Addresses are those that the program was linked to.  For an address of a
 * running process the caller subtracts the load bias: the difference between
 * the address where a segment was loaded and the address that it was linked
 * to.  From a return address the caller also subtracts 1, so that the call and
 * not the instruction after it is looked up.
 *
 * Lifetime: every string that a function hands out lies in the opened bytes.
 * It is valid until gsym_close and must not be freed.  Structs that are filled
 * in (frames, functions, walks) are the caller's; they point to the reader and
 * must not be used after gsym_close.
 *
 * Threads: an open reader never changes, so any number of threads may use it at
 * once without a lock.  A struct of the caller's that a call changes (a walk,
 * a struct gsym_function, a struct gsym_match) belongs to one thread at a time.
 *
 * Signal handlers: all functions may be called there, except those that open
 * and close a reader and gsym_verify: none allocates, locks or keeps state.
 * Pass NULL for the error then: its message is made with vsnprintf, which POSIX
 * does not allow in handlers.
 *
 * Stack: gsym_verify takes up to 16 KiB, gsym_checksum 10 KiB, gsym_lookup_many
 * and gsym_lookup_stack 4 KiB, all other functions less than 1 KiB.
 * A struct gsym_inline_iter of the caller's takes 8 KiB.
 *
 * Hostile files: no function reads outside the opened bytes, loops for ever or
 * recurses without bound, whatever the bytes are.  A mapped file that another
 * process cuts off while it is open ends the reading process with SIGBUS, as
 * with any mapping.
 */
#ifndef GSYM_READER_H
#define GSYM_READER_H

#include <gsym/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open GSYM file.  Closed with gsym_close. */
struct gsym_reader;

/* ---- opening ---------------------------------------------------------- */

/* These functions allocate the reader: they are not for signal handlers. */

/**
 * Open the file PATH: a bare GSYM file, or an ELF file of either class with
 * GSYM data in a section named ".gsym".  *RET becomes the reader, which the
 * caller closes with gsym_close.
 *
 * The file is mapped and not read, so the cost does not depend on its size.
 * Only the header and the extents of the tables are checked.  Lookups cope
 * with damage elsewhere; gsym_verify finds it.
 *
 * GSYM_ERR_IO: the file cannot be opened or mapped, or is no regular file.
 * GSYM_ERR_FORMAT: neither a GSYM file nor an ELF file with a section ".gsym".
 * GSYM_ERR_UNSUPPORTED: a version other than 1 and 2, a string encoding or
 * width of addresses that is not known, or a compressed section.
 * GSYM_ERR_CORRUPT: the header is cut off or impossible, or a table reaches
 * beyond the data.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_open(const char *path, struct gsym_reader **ret,
				    struct gsym_error *error);

/** As gsym_open, for the file that FD is open on for reading.  FD stays the
 *  caller's, with its offset as it is, and may be closed after the call: the
 *  mapping does not need it. */
GSYM_API enum gsym_status gsym_open_fd(int fd, struct gsym_reader **ret,
				       struct gsym_error *error);

/** As gsym_open, but the file is read to memory instead of mapped, and closed:
 *  whatever becomes of it later does no harm.  The cost is that of reading the
 *  file, and its size in memory.  PATH may name a pipe: it is read until its
 *  writers close it, and is empty if it has none.  GSYM_ERR_IO: the file cannot
 *  be opened or read. */
GSYM_API enum gsym_status gsym_open_copy(const char *path,
					 struct gsym_reader **ret,
					 struct gsym_error *error);

/** As gsym_open, for the SIZE bytes at DATA, which are not copied: they have to
 *  stay as they are until gsym_close.  DATA needs no alignment.
 *  GSYM_ERR_ARGUMENT: DATA is NULL and SIZE is not 0.  GSYM_ERR_IO is not
 *  returned. */
GSYM_API enum gsym_status gsym_open_memory(const void *data, size_t size,
					   struct gsym_reader **ret,
					   struct gsym_error *error);

/** Close READER, which may be NULL: unmap its file and free it.  No other
 *  thread may be using it, and all strings that it handed out become
 *  invalid. */
GSYM_API void gsym_close(struct gsym_reader *reader);

/* ---- looking addresses up --------------------------------------------- */

/*
 * The stack of an address of a running process, return address and load bias
 * taken into account:
 *
 *	address = return_address - 1 - load_bias;
 *	if (!gsym_lookup(reader, address, 0, frames, 16, &match, NULL))
 *		for (uint32_t i = 0; i < match.frame_count && i < 16; i++)
 *			printf("%s at %s:%u%s\n", frames[i].function,
 *			       frames[i].basename, frames[i].line,
 *			       frames[i].inlined ? " (inlined)" : "");
 */

/** One function on the stack of an address: the function of a record, or one
 *  that was inlined into it.  Profilers that count functions and places keep
 *  the numbers FUNCTION_STRING, FILE and LINE: equal numbers of one reader mean
 *  equal texts, but one text may have several numbers. */
struct gsym_frame {
	/** The name in the file: as a rule the linkage name, not demangled.
	 *  Never NULL; "" for an inlined function without a name. */
	const char *function;
	/** The source file of LINE.  For a path, join both with '/', or with
	 *  '\\' if DIRECTORY has backslashes but no '/'; without DIRECTORY,
	 *  BASENAME stands alone.  Never NULL; both are "" if the source file
	 *  is not known.  The base name "??" means that there is one, but its
	 *  name is not known. */
	const char *directory;
	const char *basename;
	/** In the innermost frame the line of the address; in all others the
	 *  line of the call of the function of the previous frame.  From 1 on;
	 *  0 if not known. */
	uint32_t line;
	/** The source file as an index in the file table, for gsym_file_at; 0
	 *  if it is not known. */
	uint32_t file;
	/** The address minus the start of the function; of an inlined
	 *  function, minus the start of the first range of the call.  In
	 *  bytes. */
	uint64_t offset;
	/** The place of FUNCTION in the string table, for gsym_string_at. */
	uint64_t function_string;
	/** This function was inlined into the function of the next frame.
	 *  False in the last frame only. */
	bool inlined;
	/** Always 0. */
	uint8_t reserved[7];
};

/** What a lookup found, besides the frames. */
struct gsym_match {
	/** The address that was looked up. */
	uint64_t address;
	/** Start of the function whose record covers the address. */
	uint64_t start;
	/** Bytes of that function; 0 if the file does not know its end. */
	uint64_t size;
	/** Index of the record, for gsym_function_at. */
	uint32_t index;
	/** The number of frames of the address, at least 1.  If it is greater
	 *  than CAPACITY, only the innermost CAPACITY frames were filled
	 *  in. */
	uint32_t frame_count;
	/** The number of functions that were merged into this one, because
	 *  the linker folded their code; see gsym_lookup_merged. */
	uint32_t merged_count;
	/** Private: the entry that gsym_lookup_merged reads next. */
	struct {
		uint32_t index;
		uint32_t next;
		uint32_t count;
		uint64_t offset;
		uint64_t end;
		uint64_t spare[4];
	} merged_place;
};

/** Flags of gsym_lookup and gsym_lookup_merged, combined with |. */
enum {
	/** Ignore the inline tree: one frame, of the function of the record,
	 *  with the line of the address. */
	GSYM_LOOKUP_NO_INLINES = 1 << 0,
	/** Read no line table, and leave all frames without file and line.
	 *  Saves a fifth of the time of random lookups in a kernel. */
	GSYM_LOOKUP_NO_LINES = 1 << 1,
	/** Leave DIRECTORY of all frames "". */
	GSYM_LOOKUP_NO_DIRECTORIES = 1 << 2,
};

/**
 * Find the frames of ADDRESS.  Up to CAPACITY of them go to FRAMES, the
 * innermost first.  The last frame is the function whose code ADDRESS lies in;
 * all frames before it were inlined.  FRAMES may be NULL if CAPACITY is 0, and
 * MATCH may be NULL.
 *
 * Of the records with the greatest start at or below ADDRESS the first one
 * whose range holds ADDRESS covers it (of 256 at most).  A record of size 0
 * reaches up to the next start.  If none of them holds ADDRESS, the 64 records
 * before them are tried, from the nearest on: so the outer function answers
 * after the end of a function inside it.
 *
 * A frame has no file and no line where the file has none: there is no line
 * table, no row at or before ADDRESS, or the row or call names file 0, a file
 * that is not in the file table, or a file without a name.  An inlined function
 * has a frame all the same.
 *
 * Damage in a record costs only what is damaged.  A line table that is damaged
 * before the end of the row of ADDRESS gives no line.  Damage in an inline
 * tree, or a tree of more than GSYM_MAX_INLINE_DEPTH levels, ends the descent:
 * the frames found so far remain, and the innermost of them has the line of
 * ADDRESS.
 *
 * The cost is a search over the addresses that takes logarithmic time, and then
 * depends on the record alone.  Nothing is allocated.
 *
 * GSYM_NOT_FOUND: no record covers ADDRESS.  GSYM_ERR_CORRUPT: the name of the
 * record cannot be read, or its place is beyond the data.  GSYM_ERR_ARGUMENT:
 * FRAMES is NULL and CAPACITY is not 0, or a flag is not known.  With any of
 * these FRAMES and MATCH hold nothing of use.
 */
GSYM_API enum gsym_status gsym_lookup(const struct gsym_reader *reader,
				      uint64_t address, unsigned flags,
				      struct gsym_frame *frames,
				      size_t capacity, struct gsym_match *match,
				      struct gsym_error *error);

/**
 * Find the frames of the COUNT addresses at ADDRESSES, those that gsym_lookup
 * finds with FLAGS.  The frames of address I are FRAMES[FIRST[I]] up to, not
 * including, FRAMES[FIRST[I + 1]], the innermost first.  An address for which
 * gsym_lookup returns another status than GSYM_OK has no frames.
 * Where the address table is out of order, which gsym_verify reports,
 * gsym_lookup may find another function than gsym_lookup_many.
 *
 * *DONE, which may be NULL, becomes the number of addresses that were looked
 * up, from the first one on.  It is COUNT unless FRAMES is full: then the
 * caller uses the frames and calls again for the other addresses.
 *
 *	for (; count; addresses += done, count -= done) {
 *		if (gsym_lookup_many(reader, addresses, count, 0, frames,
 *				     capacity, first, &done) != GSYM_OK)
 *			break;
 *		for (size_t i = 0; i < done; i++)
 *			use(addresses[i], frames + first[i],
 *			    first[i + 1] - first[i]);
 *	}
 *
 * Memory: FRAMES has room for CAPACITY frames, FIRST for COUNT + 1 numbers.
 * Nothing is allocated.  The call works in the part of FRAMES that has no
 * frames yet: each of the CAPACITY elements may change, and FIRST beyond
 * FIRST[*DONE].  Any CAPACITY gives the same answers.  The call is fast if
 * there is room for three times the frames of the COUNT addresses.  An address
 * of a kernel has two frames on the average, one of a C++ program four.
 *
 * The call sorts the addresses, up to 2^18 of them together.  It decodes a
 * record once for all addresses in it.  In large files it fetches data before
 * they are needed.  So one call for 100,000 addresses is faster than 100 calls
 * for 1000 addresses.  Addresses that ascend already are not sorted, and need
 * no more room than their frames.
 *
 * GSYM_ERR_LIMIT: CAPACITY is too small for the frames of the first address.
 * GSYM_ERR_ARGUMENT: a pointer is NULL although its array has elements,
 * CAPACITY exceeds UINT32_MAX, or a flag is not known.
 */
GSYM_API enum gsym_status gsym_lookup_many(const struct gsym_reader *reader,
					   const uint64_t *addresses,
					   size_t count, unsigned flags,
					   struct gsym_frame *frames,
					   size_t capacity, uint32_t *first,
					   size_t *done);

/**
 * Look MATCH->address up in merged function WHICH (0 to
 * MATCH->merged_count - 1) of the record that gsym_lookup found.  FLAGS, FRAMES
 * and CAPACITY are those of gsym_lookup.  RET, which may be NULL, becomes what
 * MATCH is for gsym_lookup, with MERGED_COUNT 0.
 *
 * MATCH remembers the next entry of the list: calls with ascending WHICH take
 * constant time each, others time linear in WHICH.  So MATCH has to come from
 * gsym_lookup with this READER, and belongs to one thread at a time.
 *
 * GSYM_NOT_FOUND: there is no such merged function, or the list is damaged
 * before it.  GSYM_ERR_CORRUPT: its name cannot be read.  GSYM_ERR_ARGUMENT:
 * FRAMES is NULL and CAPACITY is not 0, or a flag is not known.
 */
GSYM_API enum gsym_status gsym_lookup_merged(const struct gsym_reader *reader,
					     struct gsym_match *match,
					     uint32_t which, unsigned flags,
					     struct gsym_frame *frames,
					     size_t capacity,
					     struct gsym_match *ret,
					     struct gsym_error *error);

/* ---- call stacks ------------------------------------------------------- */

/*
 * An address of code that several functions share does not tell which of them
 * was called; the call site of the caller does, if the file has call sites:
 *
 *	for (size_t i = 0; i < count; i++)
 *		entries[i] = (struct gsym_stack_entry){
 *			.reader = reader, .address = stack[i] - load_bias
 *		};
 *	gsym_lookup_stack(entries, count, NULL, NULL);
 *	for (size_t i = 0; i < count; i++)
 *		if (gsym_stack_frames(&entries[i], 0, frames, 16, &match,
 *				      NULL) == GSYM_OK)
 *			use(frames, match.frame_count);
 */

/** An address on a call stack, and what gsym_lookup_stack found out. */
struct gsym_stack_entry {
	/** Set by the caller: the GSYM data of the address; NULL if there are
	 *  none. */
	const struct gsym_reader *reader;
	/** Set by the caller: the address in the file.  That of the innermost
	 *  entry is where the program was; all others are return addresses. */
	uint64_t address;
	/** What gsym_lookup returned for the address, and with GSYM_OK its
	 *  match.  Of a return address the byte before is looked up. */
	enum gsym_status status;
	struct gsym_match match;
	/** The functions that share the code: 1, or more if a linker folded
	 *  them. */
	uint32_t functions;
	/** Those that fit the call site of the caller, the next entry.  1: it
	 *  is certain which one was called.  More: the first of them was
	 *  chosen.  0: none fits, or the caller has no such call site; the
	 *  function of the record stays. */
	uint32_t fitting;
	/** The function that was chosen: 0 for that of the record, else one
	 *  more than WHICH of gsym_lookup_merged. */
	uint32_t chosen;
	uint64_t spare[4];
};

/** Whether the function NAME fits PATTERN, a pattern of a call site.  Both have
 *  4096 bytes at most. */
typedef bool gsym_pattern_fn(void *context, const char *pattern,
			     const char *name);

/**
 * Look up the COUNT addresses of a call stack, the innermost first, and choose
 * among merged functions by the call sites of their callers.
 *
 * A function fits a call site if its name is one of the patterns.  If no
 * function does, and MATCHES is not NULL, a function fits for whose name and
 * one of the patterns MATCHES returns true: a file does not tell names and
 * regular expressions apart, and the library has no regular expressions.  A
 * stack takes at most 2^20 steps: a function that is looked at, or a comparison
 * of 64 bytes of its name with a pattern.  Where more are needed, none fits.
 *
 * Nothing is allocated.  GSYM_ERR_ARGUMENT: ENTRIES is NULL and COUNT is not 0.
 */
GSYM_API enum gsym_status gsym_lookup_stack(struct gsym_stack_entry *entries,
					    size_t count,
					    gsym_pattern_fn *matches,
					    void *context);

/** As gsym_lookup, for ENTRY, after gsym_lookup_stack: the frames of the
 *  function that was chosen.  ENTRY->match remembers a place, as with
 *  gsym_lookup_merged. */
GSYM_API enum gsym_status gsym_stack_frames(struct gsym_stack_entry *entry,
					    unsigned flags,
					    struct gsym_frame *frames,
					    size_t capacity,
					    struct gsym_match *match,
					    struct gsym_error *error);

/* ---- functions, one by one -------------------------------------------- */

/*
 * A walk over all functions, their rows and their inlined calls:
 *
 *	for (uint32_t i = 0; i < gsym_function_count(reader); i++) {
 *		if (gsym_function_at(reader, i, &function, NULL) != GSYM_OK)
 *			continue;
 *		gsym_lines(&function, &rows, NULL);
 *		while (gsym_line_next(&rows, &row, NULL) == GSYM_OK)
 *			use_row(row.address, row.file, row.line);
 *		gsym_inlines(&function, &nodes, NULL);
 *		while (gsym_inline_next(&nodes, &node, NULL) == GSYM_OK)
 *			for (uint32_t k = 0; k < node.range_count; k++)
 *				if (gsym_inline_range(&node, k, &range) ==
 *				    GSYM_OK)
 *					use_call(node.name, range);
 *	}
 */

/** The kinds of information that a function record may have: the types of its
 *  tuples. */
enum gsym_info {
	/** The end of the record. */
	GSYM_INFO_END = 0,
	GSYM_INFO_LINES = 1,
	GSYM_INFO_INLINES = 2,
	GSYM_INFO_MERGED = 3,
	GSYM_INFO_CALL_SITES = 4,
	GSYM_INFO_COUNT
};

/** A function record.  The details are read with gsym_lines, gsym_inlines,
 *  gsym_merged_at and gsym_call_site_at.  Fields after RECORD_SIZE are private,
 *  but the OFFSET and the SIZE of INFO may be read: where the data of a kind of
 *  information begin in the GSYM data, and how many bytes they are, without the
 *  8 of type and length.  OFFSET is 0 if the record has no such information. */
struct gsym_function {
	/** The start address. */
	uint64_t start;
	/** Bytes of code; 0 if the file does not know the end. */
	uint64_t size;
	/** The name in the file: as a rule the linkage name, not demangled.
	 *  Never NULL. */
	const char *name;
	/** The record has a line table, an inline tree. */
	bool has_lines;
	bool has_inlines;
	/** The number of merged functions and of call sites; 0 also if the
	 *  list is too short for the number that it begins with. */
	uint32_t merged_count;
	uint32_t call_site_count;
	/** The number of tuples of types that the library does not know; they
	 *  are skipped. */
	uint32_t unknown_count;
	/** Offset of the record from the start of the GSYM data, and its
	 *  bytes. */
	uint64_t record_offset;
	uint64_t record_size;

	const struct gsym_reader *reader;
	/* By enum gsym_info.  COUNT is the number of entries of a list; NEXT,
	 * at NEXT_OFFSET, is the entry that is read next. */
	struct {
		uint64_t offset, size, next_offset;
		uint32_t count, next;
	} info[GSYM_INFO_COUNT];
	uint64_t spare[4];
};

/** The number of function records, which is the number of entries of the
 *  address table. */
GSYM_API uint32_t gsym_function_count(const struct gsym_reader *reader);

/**
 * Read record INDEX, from 0 on in address order, to RET.
 *
 * GSYM_NOT_FOUND: INDEX is not below gsym_function_count.  GSYM_ERR_CORRUPT:
 * the record lies beyond the data, is cut off or has no name; RET then holds
 * the fields that could be read, with the name "" if there is none.
 */
GSYM_API enum gsym_status gsym_function_at(const struct gsym_reader *reader,
					   uint32_t index,
					   struct gsym_function *ret,
					   struct gsym_error *error);

/**
 * Find the first record, from record FROM on, whose name is exactly NAME, and
 * set *INDEX to its index.  Several records may have one name: go on with
 * FROM = *INDEX + 1.  The time is linear in the number of records; an index
 * of gsym/names.h finds many names faster.  Damaged records are skipped, and
 * merged and inlined functions are not searched.
 *
 * GSYM_NOT_FOUND: there is no such record; *INDEX is unchanged.
 */
GSYM_API enum gsym_status gsym_find_function(const struct gsym_reader *reader,
					     const char *name, uint32_t from,
					     uint32_t *index);

/** A row of a line table: the code from ADDRESS up to the next row, or to the
 *  end of the function, comes from LINE of FILE. */
struct gsym_line {
	/** An absolute address, not below that of the row before. */
	uint64_t address;
	/** Index in the file table, for gsym_file_at; may be beyond it. */
	uint32_t file;
	/** From 1 on; 0: no line is known. */
	uint32_t line;
};

/** A walk over the rows of a function; its fields are private. */
struct gsym_line_iter {
	const struct gsym_reader *reader;
	uint64_t at, end, row_address;
	int64_t min_delta, max_delta;
	uint32_t row_file, row_line;
	uint64_t spare[4];
	bool done;
};

/**
 * Start a walk over the rows of FUNCTION, in address order.  ITER is set up
 * whatever the result; it needs no clean-up.  A function without a line table
 * has no rows, which is no failure.
 *
 * GSYM_ERR_CORRUPT: the head of the line table is damaged; there are no rows
 * then.
 */
GSYM_API enum gsym_status gsym_lines(const struct gsym_function *function,
				     struct gsym_line_iter *iter,
				     struct gsym_error *error);
/** Read the next row to RET.  GSYM_NOT_FOUND: there are no more rows.
 *  GSYM_ERR_CORRUPT: the table is damaged here; the next call returns
 *  GSYM_NOT_FOUND. */
GSYM_API enum gsym_status gsym_line_next(struct gsym_line_iter *iter,
					 struct gsym_line *ret,
					 struct gsym_error *error);

/*
 * An inline tree says which parts of a function come from calls that the
 * compiler inlined.  Its root stands for the function itself.  Each other node
 * is one call: the function that was inlined, the place of the call in the
 * function of its parent, and the ranges of its code, which lie within those of
 * the parent.  The row of an address has the line in the innermost function.
 */

/** The most levels of an inline tree below its root; more are damage. */
#define GSYM_MAX_INLINE_DEPTH 1024

/** A node of an inline tree: a call that was inlined.  The fields after
 *  RANGE_COUNT are private. */
struct gsym_inline {
	/** The level of the node: 0 for the root, which stands for the
	 *  function itself, and one more than its parent's for any other. */
	uint32_t depth;
	/** The name of the inlined function, as in struct gsym_frame; "" if it
	 *  has none.  Never NULL. */
	const char *name;
	/** The call, which is in the function of the parent: index in the
	 *  file table, for gsym_file_at, and line; 0 if not known. */
	uint32_t call_file;
	uint32_t call_line;
	/** The number of address ranges of the inlined code, for
	 *  gsym_inline_range; at least 1. */
	uint32_t range_count;

	const struct gsym_reader *reader;
	uint64_t ranges_offset, ranges_end, base;
	uint32_t next_range;
	uint64_t next_range_offset;
	uint64_t spare[2];
};

/** A walk over an inline tree; its fields are private.  It holds a base address
 *  for each level and takes 8 KiB. */
struct gsym_inline_iter {
	const struct gsym_reader *reader;
	uint64_t at, end;
	uint32_t depth;
	bool done;
	uint64_t spare[4];
	uint64_t base[GSYM_MAX_INLINE_DEPTH + 1];
};

/** Start a walk over the inline tree of FUNCTION, parents before children.
 *  ITER needs no clean-up.  A function without an inline tree has no nodes, not
 *  even a root.  Always GSYM_OK; damage is found by gsym_inline_next. */
GSYM_API enum gsym_status gsym_inlines(const struct gsym_function *function,
				       struct gsym_inline_iter *iter,
				       struct gsym_error *error);
/** Read the next node to RET.  GSYM_NOT_FOUND: there are no more nodes.
 *  GSYM_ERR_CORRUPT: the tree is damaged here, or too deep; the next call
 *  returns GSYM_NOT_FOUND. */
GSYM_API enum gsym_status gsym_inline_next(struct gsym_inline_iter *iter,
					   struct gsym_inline *ret,
					   struct gsym_error *error);
/** Set RET to range WHICH (0 to NODE->range_count - 1) of NODE, in absolute
 *  addresses.  NODE remembers the next range: calls with ascending WHICH take
 *  constant time each, others time linear in WHICH.  GSYM_NOT_FOUND: WHICH is
 *  too large. */
GSYM_API enum gsym_status gsym_inline_range(struct gsym_inline *node,
					    uint32_t which,
					    struct gsym_range *ret);

/*
 * Merged functions are those whose machine code is equal, so that a linker kept
 * it once (identical code folding).  One of them has the record, and the others
 * are in its list; each has rows and inlined calls of its own.  Which of them
 * was called cannot be told from an address alone.
 */

/** Read merged function WHICH (0 to FUNCTION->merged_count - 1) of FUNCTION to
 *  RET: a record of its own, with the start of FUNCTION.  Ascending WHICH is
 *  fast, as with gsym_inline_range.  GSYM_NOT_FOUND: WHICH is too large.
 *  GSYM_ERR_CORRUPT: the list is cut off, or the record is damaged as with
 *  gsym_function_at, which says what RET holds then. */
GSYM_API enum gsym_status gsym_merged_at(struct gsym_function *function,
					 uint32_t which,
					 struct gsym_function *ret,
					 struct gsym_error *error);

/*
 * Call sites say which functions a call may have called.  With them a tool can
 * tell which of several merged functions is on a stack: the one that fits the
 * call site at the return address of its caller.
 */

/** Flags of a call site, combined with |. */
enum {
	/** The callee is in the same link unit (executable, library). */
	GSYM_CALL_INTERNAL = 1 << 0,
	/** The callee is in another link unit. */
	GSYM_CALL_EXTERNAL = 1 << 1,
};

/** A call site.  The fields after PATTERN_COUNT are private. */
struct gsym_call_site {
	/** The return address minus the start of the function, in bytes. */
	uint64_t return_offset;
	/** GSYM_CALL_INTERNAL, GSYM_CALL_EXTERNAL; 0: not known. */
	uint8_t flags;
	/** The number of patterns for the names of possible callees; see
	 *  gsym_call_site_pattern. */
	uint32_t pattern_count;

	const struct gsym_reader *reader;
	uint64_t patterns_offset;
	uint64_t spare[2];
};

/** Read call site WHICH (0 to FUNCTION->call_site_count - 1) of FUNCTION to
 *  RET.  Ascending WHICH is fast, as with gsym_inline_range.  GSYM_NOT_FOUND:
 *  WHICH is too large.  GSYM_ERR_CORRUPT: the list is cut off. */
GSYM_API enum gsym_status gsym_call_site_at(struct gsym_function *function,
					    uint32_t which,
					    struct gsym_call_site *ret,
					    struct gsym_error *error);
/** Read the first call site of FUNCTION whose return address is ADDRESS to RET.
 *  The time is linear in the number of call sites.  GSYM_NOT_FOUND: there is no
 *  such call site.  GSYM_ERR_CORRUPT: the list is cut off before it. */
GSYM_API enum gsym_status
gsym_call_site_find(const struct gsym_function *function, uint64_t address,
		    struct gsym_call_site *ret, struct gsym_error *error);
/** Pattern WHICH (0 to SITE->pattern_count - 1) of SITE: a name or a regular
 *  expression, which the file does not tell apart.  "" if its string offset is
 *  beyond the string table; NULL if WHICH is too large. */
GSYM_API const char *gsym_call_site_pattern(const struct gsym_call_site *site,
					    uint32_t which);

/* ---- tables ------------------------------------------------------------ */

/** The sections of a GSYM file. */
enum gsym_section {
	GSYM_SECTION_HEADER,
	/** The list of the other sections; version 2 only. */
	GSYM_SECTION_DIRECTORY,
	/** The build ID; in version 1 a part of the header. */
	GSYM_SECTION_UUID,
	/** The sorted start addresses of the functions, minus the base. */
	GSYM_SECTION_ADDRESSES,
	/** The offsets of the function records. */
	GSYM_SECTION_ADDRESS_INFO,
	GSYM_SECTION_FILES,
	GSYM_SECTION_STRINGS,
	/** The function records.  Version 1 does not store the extent of this
	 *  section: libgsym takes the larger gap after the file table. */
	GSYM_SECTION_FUNCTIONS,
	/** The checksum of the file, which few files have. */
	GSYM_SECTION_CHECKSUM,
	GSYM_SECTION_COUNT
};

/** The fields of the header, and the extents of the sections. */
struct gsym_header {
	/** 1 or 2. */
	uint16_t version;
	/** The byte order of the file. */
	bool big_endian;
	/** Bytes of an entry of the address table: 1, 2, 4 or 8. */
	uint8_t address_size;
	/** Bytes of a string offset: 4 in version 1, 8 in version 2. */
	uint8_t string_offset_size;
	/** The address that the address table counts from. */
	uint64_t base_address;
	/** The number of function records. */
	uint32_t function_count;
	/** The number of entries of the file table, entry 0 included. */
	uint32_t file_count;
	/** The build ID of the program, UUID_SIZE bytes; NULL and 0 if the
	 *  file has none.  Compared with gsym_uuid_matches. */
	const uint8_t *uuid;
	size_t uuid_size;
	/** Offset of the GSYM data in the file or memory that was opened, and
	 *  their bytes.  The offset is 0 but for an ELF file. */
	uint64_t image_offset;
	uint64_t image_size;
	/** The checksum that the file has; 0 if it has none, that is, if
	 *  sections[GSYM_SECTION_CHECKSUM].size is 0.  gsym_checksum compares
	 *  it with the data. */
	uint32_t checksum;
	/** Offset from the start of the GSYM data, and bytes, of each section;
	 *  both 0 for a section that the file does not have. */
	struct {
		uint64_t offset;
		uint64_t size;
	} sections[GSYM_SECTION_COUNT];
};

/** Fill in RET from READER.  RET->uuid lives until gsym_close. */
GSYM_API enum gsym_status gsym_get_header(const struct gsym_reader *reader,
					  struct gsym_header *ret);

/** The start address of function INDEX, without reading its record; 0 if INDEX
 *  is too large. */
GSYM_API uint64_t gsym_address_at(const struct gsym_reader *reader,
				  uint32_t index);

/** Set *DIRECTORY and *BASENAME to the strings of entry INDEX of the file
 *  table, from 0 on; to "" if their string offsets are beyond the string
 *  table.  Entry 0 stands for "no file".  GSYM_NOT_FOUND, with both "": INDEX
 *  is too large. */
GSYM_API enum gsym_status gsym_file_at(const struct gsym_reader *reader,
				       uint32_t index, const char **directory,
				       const char **basename);

/** Write the path of a source file, its DIRECTORY and BASENAME as struct
 *  gsym_frame has them, to the SIZE bytes at BUFFER, cut to them, with a NUL.
 *  What joins both follows the style of DIRECTORY: "/", "\", or nothing if
 *  DIRECTORY is empty or ends with a separator.  Returns the length of the
 *  whole path.  BUFFER may be NULL. */
GSYM_API size_t gsym_join_path(const char *directory, const char *basename,
			       char *buffer, size_t size);

/**
 * Let the paths of source files be mapped, in gsym_file_at and in all lookups
 * of READER: each of the COUNT texts of MAPS is OLD=NEW, or "auto", as for
 * gsym_builder_map_paths of gsym/builder.h.  Earlier maps do not count then.
 * A program calls this before it uses READER otherwise, in one thread.  The
 * texts are copied.
 *
 * GSYM_ERR_ARGUMENT: a pointer is NULL, or a text is neither OLD=NEW with a
 * text OLD nor "auto"; GSYM_ERR_LIMIT: the paths share bytes, so that they have
 * many times the size of the file; GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_map_paths(struct gsym_reader *reader,
					 const char *const *maps, size_t count,
					 struct gsym_error *error);

/** The string at OFFSET, in bytes from the start of the string table; OFFSET
 *  may be inside a string.  NULL if OFFSET is beyond the table. */
GSYM_API const char *gsym_string_at(const struct gsym_reader *reader,
				    uint64_t offset);

/** Whether the build IDs A and B of A_SIZE and B_SIZE bytes belong to one
 *  program: they are equal, or the shorter one has at least 8 bytes and the
 *  longer one begins with it (version 1 stores 20 bytes at most).  False if
 *  one is empty.  May be called in signal handlers. */
GSYM_API bool gsym_uuid_matches(const uint8_t *a, size_t a_size,
				const uint8_t *b, size_t b_size);

/* ---- checking ---------------------------------------------------------- */

/**
 * Compare the checksum of READER, which gsym(5) describes, with the data.  The
 * whole file is read: at about 1 GiB a second, if it is in memory already.
 *
 * GSYM_NOT_FOUND: the file has no checksum.  GSYM_ERR_CORRUPT: the checksum is
 * not that of the data, so that any answer may be wrong.
 */
GSYM_API enum gsym_status gsym_checksum(const struct gsym_reader *reader,
					struct gsym_error *error);

/** Called by gsym_verify for each PROBLEM, which is valid during the call only.
 *  Returns false to end the check. */
typedef bool gsym_verify_fn(void *context, const struct gsym_error *problem);

/**
 * Check the whole file: the checksum, if there is one; that sections do not
 * overlap and addresses ascend; and every record with its rows, inline tree,
 * merged functions and call sites, every string offset and every file index.
 * REPORT is called for each problem, first those of the tables, then those of
 * the records in address order; with NULL the check ends at the first damage.
 * The time is about linear in the size of the file.  Not for signal handlers.
 *
 * The code of a problem is GSYM_ERR_CORRUPT, and its offset that of the damage.
 * A tuple of a type that the library does not know is reported with
 * GSYM_ERR_UNSUPPORTED: it may be sound, so it does not change the result.
 *
 * GSYM_ERR_CORRUPT: there is damage.  GSYM_ERR_CANCELLED: REPORT returned
 * false.
 */
GSYM_API enum gsym_status gsym_verify(const struct gsym_reader *reader,
				      gsym_verify_fn *report, void *context);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_READER_H */
