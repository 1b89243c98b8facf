/* SPDX-License-Identifier: MIT */
/*
 * gsym/builder.h - collect records of functions in any order and write them as
 * GSYM data, in the format that gsym(5) describes.
 *
 *	struct gsym_builder *b = gsym_builder_new();
 *	gsym_builder_string(b, "main", 4, &name);
 *	gsym_builder_record(b, &(struct gsym_record){
 *		.rank = GSYM_RANK_FUNCTION, .start = 0x1000, .size = 16,
 *		.name = name });
 *	gsym_builder_finish(b, &options, &bytes, &size, &summary, &error);
 *	gsym_builder_free(b);
 *
 * The bytes depend on the set of records alone: not on the order in which they
 * were added, on the thread count, or on the run.
 *
 * Threads: a builder belongs to one thread at a time; different builders are
 * independent.  The functions that write, and those of gsym/convert.h, use as
 * many threads as their options allow.  Memory: a builder copies what it is
 * given, and grows with the number of records;
 * gsym_builder_set_temporary_directory keeps most of it in a file.
 *
 * Life of a builder: strings, files, records and the rest are added, one of the
 * gsym_builder_finish, _write and _finish_segments functions is called once,
 * and gsym_builder_free frees it.  After the second step all functions but
 * gsym_builder_free return GSYM_ERR_ARGUMENT or have no effect.
 *
 * Records may overlap, repeat and contradict each other.  These rules say what
 * is written:
 *
 *  1. At every address one record answers.  Of the records whose range holds
 *     the address it is the first by these criteria, in this order: code before
 *     data; the higher rank (function, symbol, label); the innermost (the
 *     greatest start, then the lowest end); the one that is not UNCLAIMED; the
 *     one with more inlined calls, then more rows, then more call sites, then
 *     more merged functions; the one whose content sorts first.
 *     A record keeps the parts of its range where it answers.  Each part that
 *     is cut out by other records becomes a record of its own with the rows,
 *     inlined calls, call sites and merged functions of that part.  It begins
 *     with the row in force at its start; ranges of inlined calls are clipped;
 *     a call site goes to the part that holds its return address.  Offsets
 *     count from the start of the part.
 *  2. Of the names (aliases) at one start one is chosen.  Symbols here are
 *     records of a rank below function, and functions whose name comes from a
 *     symbol table.  Of several symbols that fit, the best is chosen by these
 *     criteria: functions and symbols before labels; global before weak before
 *     local binding; without a version ("@") before with one; the name that
 *     sorts first.
 *     If the first record of that start by rule 1 is a function with a name,
 *     its name is the first of these that exists:
 *       a. a symbol, not a label, that is the function's name with a suffix
 *          after a dot ("f.cold", "f.part.0");
 *       b. the function's name, if it is a linkage name or mangled (begins
 *          with _Z, _R, ?, _D and a digit, $s, $S, _$s, _$S or _T0);
 *       c. a symbol that is mangled;
 *       d. the function's name.
 *     Otherwise its name is the first of these that exists:
 *       e. a symbol of that start, itself included;
 *       f. another function of that start;
 *       g. the name of the record that would answer in its place by rule 1; its
 *          range then ends where that record ends.
 *     A function with rows that is still without a name gets the name "??";
 *     any other record without a name is not written.
 *  3. A label that starts inside a function or symbol, or at its start, is
 *     dropped.  Of several labels at one start one remains, with the lowest of
 *     their limits.  The range of a label ends at the next record or at its
 *     limit, and has at most 4 GiB; a label without either gets size 0, and one
 *     whose limit is not above its start is dropped.  Functions and symbols of
 *     size 0 are labels.
 *  4. Symbols and labels without rows get the loose rows of their range, from
 *     the row in force at their start on.  Parts of the range without loose
 *     rows get a row of GSYM_FILE_NOSRC.
 *  5. Rows that no lookup can find are dropped: of several rows with one
 *     offset all but the last, and a row with the file and line of the row
 *     before.  A line table begins at offset 0: if its first row is later, a
 *     row of GSYM_FILE_NOSRC is put before it.  A line table with nothing but
 *     such rows is dropped, unless the function has inlined calls, which need a
 *     line table: such a function has at least one row of GSYM_FILE_NOSRC.
 *     Inlined calls at GSYM_FILE_NOSRC get GSYM_FILE_UNKNOWN.
 *  6. If struct gsym_build_options asks for it, functions and symbols of equal
 *     range become merged functions of the first of them by rule 1, ordered by
 *     name.  Folded records (struct gsym_record) become merged functions, too,
 *     and have no other effect.  A merged function is dropped if it has no more
 *     content than the outer function or than another merged function of its
 *     name.
 *  7. A symbol, which is no label, contradicts a function if the symbol begins
 *     inside the function, no function begins there, and the symbol does not
 *     stand for the function (f.__part.2 of f): in the range of the symbol the
 *     symbol answers.  Symbols also contradict the name of a function at their
 *     start, if none of them stands for the name of any function there (a
 *     mangled name stands for the source names that it holds, and a name with a
 *     suffix for the name without), and if there are symbols of local binding,
 *     without which aliases are all that is left: the function gets the best
 *     name of these symbols.  More than 32 records of one start are not
 *     compared.
 */
#ifndef GSYM_BUILDER_H
#define GSYM_BUILDER_H

#include <gsym/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- collecting --------------------------------------------------------- */

/** The records, strings and files of one program.  Made by gsym_builder_new,
 *  freed by gsym_builder_free. */
struct gsym_builder;

/** A new, empty builder; NULL without memory. */
GSYM_API struct gsym_builder *gsym_builder_new(void);
/** Free BUILDER, which may be NULL, and all that it holds.  The data that
 *  gsym_builder_finish returned are not a part of it. */
GSYM_API void gsym_builder_free(struct gsym_builder *builder);

/**
 * Add the LENGTH bytes at BYTES as a string and set *NUMBER to its number,
 * which struct gsym_record and gsym_builder_file refer to.  Equal strings get
 * equal numbers.  The bytes are copied; BYTES may be NULL if LENGTH is 0.
 *
 * GSYM_ERR_ARGUMENT: one of the bytes is NUL, or the builder is used up.
 * GSYM_ERR_MEMORY: also beyond 2^32 - 2 strings.
 */
GSYM_API enum gsym_status gsym_builder_string(struct gsym_builder *builder,
					      const char *bytes, size_t length,
					      uint32_t *number);
/**
 * Add the file of the directory and the base name with these string numbers,
 * and set *NUMBER to its file number.  Equal files get equal numbers.
 * DIRECTORY may be 0.  If both are 0, *NUMBER is GSYM_FILE_NOSRC; if DIRECTORY
 * is 0 and BASENAME the string "??", it is GSYM_FILE_UNKNOWN.
 *
 * GSYM_ERR_ARGUMENT: a string number was not given by this builder, or the
 * builder is used up.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_builder_file(struct gsym_builder *builder,
					    uint32_t directory,
					    uint32_t basename,
					    uint32_t *number);

/**
 * Let the paths of files that are added from now on be mapped: each of the
 * COUNT texts of MAPS is OLD=NEW, and the part OLD at the start of a path
 * becomes NEW.  If several fit, the last one counts.  The text "auto" stands
 * for prefixes that differ between two builds of the same sources:
 * /proc/self/cwd/ of Bazel, and .../registry/src/INDEX/ and .../git/checkouts/
 * of Cargo, which are removed, and /rustc/HASH/ and .../lib/rustlib/src/rust/,
 * which become /rustc/.  The texts are copied.
 *
 * GSYM_ERR_ARGUMENT: a text is neither OLD=NEW with a text OLD nor "auto", or
 * the builder is used up.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_builder_map_paths(struct gsym_builder *builder,
						 const char *const *maps,
						 size_t count);
/**
 * Add a copy of RECORD and of all that it points to.
 *
 * GSYM_ERR_ARGUMENT: RECORD breaks a rule of struct gsym_record or of the
 * structs in it, or the builder is used up; nothing was added.  A number was
 * not given by this builder; the size is above UINT32_MAX, or the range ends
 * beyond 2^64 - 1; rows descend or lie outside; an inlined call is deeper than
 * its place allows, has no range, or a range outside its parent; a call site
 * returns to an address outside; a merged function has another range or merged
 * functions of its own.  GSYM_ERR_LIMIT: more than 2^32 - 1 records.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status gsym_builder_record(struct gsym_builder *builder,
					      const struct gsym_record *record);
/**
 * Add COUNT loose rows of the addresses in RANGE, by ascending address, for
 * rule 4.  Where two ranges overlap, the one with the lower start counts.  0
 * rows are accepted and change nothing.
 *
 * GSYM_ERR_ARGUMENT: RANGE is empty, a row is out of order, outside RANGE or of
 * an unknown file, or the builder is used up; nothing was added.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_builder_loose_rows(struct gsym_builder *builder, struct gsym_range range,
			const struct gsym_loose_row *rows, size_t count);
/**
 * Add a call site to a function that the caller knows by name: the first one in
 * address order that is written under the name with string number NAME, or has
 * a merged function of that name, and whose size is at least
 * CALL->return_offset.  Call sites that are added this way come before those of
 * the record.  PATTERNS is the array that CALL->first_pattern indexes; it is
 * copied.
 *
 * The function is looked for when the file is written: gsym_builder_finish and
 * its like fail with GSYM_ERR_ARGUMENT if there is none.
 *
 * GSYM_ERR_ARGUMENT: NAME is 0, a string number was not given by this builder,
 * the return offset is above UINT32_MAX, or the builder is used up.
 * GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_builder_call_site(struct gsym_builder *builder, uint32_t name,
		       const struct gsym_call *call, const uint32_t *patterns);
/** Keep the records and loose rows that BUILDER has: the next
 *  gsym_builder_take_back leaves them.  gsym_convert_file calls this, too: what
 *  was added before it stays.  NULL is fine. */
GSYM_API void gsym_builder_keep(struct gsym_builder *builder);
/** Take the records and loose rows back that were added since the last
 *  gsym_builder_keep, or since BUILDER was made: for a converter that finds out
 *  late that it has to begin again.  Strings and files keep their numbers, and
 *  those that no record uses are not written.  Does nothing if BUILDER is NULL
 *  or used up. */
GSYM_API void gsym_builder_take_back(struct gsym_builder *builder);

/** A sink whose functions are gsym_builder_string, _file, _record and
 *  _loose_rows of BUILDER, with their statuses, and a fast STRINGS.  Valid as
 *  long as BUILDER.  All members are NULL if BUILDER is NULL. */
GSYM_API struct gsym_sink gsym_builder_sink(struct gsym_builder *builder);

/** Keep the bytes of records in a file without a name in the folder PATH, not
 *  in memory: strings, rows, inlined calls, call sites and merged functions
 *  that are added after this call.  About 100 bytes for each record and each
 *  string stay in memory.  The file takes about as many bytes as the output.
 *  It is gone when BUILDER is freed or the process ends.  A network folder is
 *  slow, and a folder in memory (tmpfs) saves nothing.  On a file system that
 *  copies what is written, such as btrfs, a full disk may end the process by
 *  SIGBUS.  PATH is used during the call alone.
 *
 *  GSYM_ERR_ARGUMENT: BUILDER or PATH is NULL, or BUILDER is used up or has
 *  such a file already.  GSYM_ERR_IO: the file cannot be made; BUILDER is
 *  unchanged.  Later functions return GSYM_ERR_MEMORY when the folder is
 *  full. */
GSYM_API enum gsym_status
gsym_builder_set_temporary_directory(struct gsym_builder *builder,
				     const char *path,
				     struct gsym_error *error);
/** Set the build ID of the program to a copy of the SIZE bytes at UUID.  A
 *  later call replaces it, and SIZE 0 removes it.  Version 1 stores the first
 *  20 bytes.  GSYM_ERR_MEMORY: the build ID is unchanged. */
GSYM_API enum gsym_status gsym_builder_set_uuid(struct gsym_builder *builder,
						const uint8_t *uuid,
						size_t size);
/** Set the base address of the file, as a rule the address of the first
 *  loadable segment.  If a function starts below it, or if no base is set, the
 *  lowest start of a function becomes the base address. */
GSYM_API void gsym_builder_set_base(struct gsym_builder *builder,
				    uint64_t base);

/* ---- writing ------------------------------------------------------------ */

/** How a file is written.  A zeroed struct, or NULL in place of it, means
 *  version 1, little-endian, on one thread, without merging. */
struct gsym_build_options {
	/** The version of the format: 1 (also for 0) or 2.  Version 1 holds up
	 *  to 4 GiB of strings and records; other readers may know no other
	 *  version. */
	unsigned version;
	/** Write a big-endian file instead of a little-endian one. */
	bool big_endian;
	/** Threads to use, the calling thread included: 0 means 1, more than
	 *  GSYM_THREADS_MAX means GSYM_THREADS_MAX.  The output is the same
	 *  for every number. */
	unsigned threads;
	/** Keep functions with the range of an answering function, as its
	 *  merged functions (rule 6).  Otherwise they are dropped. */
	bool merge;
	/** Write the checksum that gsym(5) describes at the end of the file, 16
	 *  to 19 bytes, for gsym_checksum.  Readers that do not know it ignore
	 *  it. */
	bool checksum;
	/** Write no line tables, and inlined calls without their places: names
	 *  alone. */
	bool no_lines;
	/** Write no inlined calls. */
	bool no_inlines;
};

/** Counts of what was written and dropped. */
struct gsym_build_summary {
	/** Records of the file by rank, each part of a record that was cut
	 *  counted.  Labels include functions and symbols of size 0. */
	uint64_t functions;
	uint64_t symbols;
	uint64_t labels;
	/** Records of data, which no other member counts. */
	uint64_t data;
	/** Records that were added but neither answer at an address nor became
	 *  merged functions; folded records are not counted. */
	uint64_t dropped;
	/** The content of all records of the file. */
	uint64_t rows;
	uint64_t inlined_calls;
	uint64_t call_sites;
	uint64_t merged;
	/** Different strings and files that are written; the empty string and
	 *  entry 0 of the file table, which every file has, not counted. */
	uint64_t strings;
	uint64_t files;
	/** The build ID has more than the 20 bytes that version 1 stores. */
	bool uuid_cut;
	/** 0. */
	uint8_t reserved[3];
	/** Places at which symbols contradict functions (rule 7). */
	uint32_t contradictions;
};

/**
 * Resolve conflicting records by the rules above and lay the file out in
 * memory.  *BYTES, of *SIZE bytes, is malloc'ed; the caller frees it.  OPTIONS
 * and SUMMARY may be NULL; SUMMARY is filled in on success.  The builder is
 * used up, also after a failure, unless OPTIONS->version is refused.
 *
 * GSYM_NOT_FOUND: no record is left to be written.
 * GSYM_ERR_ARGUMENT: OPTIONS->version is above 2, the builder is used up, or
 * there is no function for a gsym_builder_call_site.
 * GSYM_ERR_LIMIT: strings or records of version 1 take more than 4 GiB (version
 * 2 has room for them); there are more than 2^32 - 1 functions or files; the
 * record of a function takes more than 4 GiB; or records cut each other into so
 * many parts that memory or time would run out.  GSYM_ERR_MEMORY.
 */
GSYM_API enum gsym_status
gsym_builder_finish(struct gsym_builder *builder,
		    const struct gsym_build_options *options, uint8_t **bytes,
		    size_t *size, struct gsym_build_summary *summary,
		    struct gsym_error *error);

/** A function that a symbol contradicts. */
struct gsym_contradiction {
	uint64_t address; /**< where the symbol begins */
	const char *symbol;
	const char *function;
};

/** Set *RET to the first function that a symbol contradicts (rule 7), once the
 *  file was written; its texts live as long as BUILDER.  False if there is
 *  none, and before. */
GSYM_API bool gsym_builder_contradiction(const struct gsym_builder *builder,
					 struct gsym_contradiction *ret);

/**
 * Takes a piece of a file: SIZE bytes that belong at OFFSET.  BYTES is valid
 * during the call only.  The pieces of a file come in any order and do not
 * overlap.  Bytes that no piece covers are zero; the last byte of the file is
 * in a piece.  A status other than GSYM_OK ends the writing.
 *
 * Threads: one call at a time, but not always from the thread that called
 * gsym_builder_write.
 */
typedef enum gsym_status gsym_piece_fn(void *context, uint64_t offset,
				       const uint8_t *bytes, size_t size);

/**
 * As gsym_builder_finish, but hand the file to PUT piece by piece, each as soon
 * as it is encoded, so that the file need not fit into memory.  CONTEXT is
 * passed to PUT.  *SIZE becomes the size of the file.
 *
 * If the call fails, pieces may have been put.  It also returns the status of
 * PUT if that is not GSYM_OK.
 */
GSYM_API enum gsym_status
gsym_builder_write(struct gsym_builder *builder,
		   const struct gsym_build_options *options, gsym_piece_fn *put,
		   void *context, uint64_t *size,
		   struct gsym_build_summary *summary,
		   struct gsym_error *error);

/** Takes a segment: the SIZE bytes at BYTES are a complete file, whose first
 *  function starts at ADDRESS.  BYTES is valid during the call only.  Called on
 *  the thread that called gsym_builder_finish_segments.  A status other than
 *  GSYM_OK ends the writing. */
typedef enum gsym_status gsym_segment_fn(void *context, uint64_t address,
					 const uint8_t *bytes, size_t size);

/**
 * As gsym_builder_finish, but write several files, the segments, of at most
 * SEGMENT_SIZE bytes each (0: one file of any size).  Each is handed to PUT,
 * with CONTEXT, in address order and as soon as it is complete.  All segments
 * have the build ID and the base address of the whole, and each has only the
 * strings and files that its functions use.  SUMMARY counts all segments
 * together; a string that several segments have counts several times.
 *
 * A function that does not fit into SEGMENT_SIZE bytes gets a segment of its
 * own, which is larger: PUT sees that from its size.
 *
 * If the call fails, segments may have been put.  It also returns the status of
 * PUT if that is not GSYM_OK.
 */
GSYM_API enum gsym_status
gsym_builder_finish_segments(struct gsym_builder *builder,
			     const struct gsym_build_options *options,
			     uint64_t segment_size, gsym_segment_fn *put,
			     void *context, struct gsym_build_summary *summary,
			     struct gsym_error *error);

#ifdef __cplusplus
}
#endif
#endif /* GSYM_BUILDER_H */
