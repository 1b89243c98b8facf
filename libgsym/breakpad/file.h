/* SPDX-License-Identifier: MIT */
/*
 * breakpad/file.h - the state of reading a symbol file, and the steps from its
 * text to records:
 *
 *	breakpad.c     one pass after the other; which program the file
 *	               describes, and the base address
 *	spool.c        how the text is stored; inflate it, map it
 *	text.h         lines, fields and numbers
 *	first_pass.c   all records but the bodies of functions; which of
 *	               several functions that overlap counts
 *	names.c        warnings, progress, FILE and INLINE_ORIGIN records to
 *	               numbers of the sink
 *	second_pass.c  the bodies of functions, which go to the sink
 *	inlines.c      INLINE records to a tree
 *
 * The text is read twice.  The first pass reads the records that may be
 * anywhere (FILE, INLINE_ORIGIN, MODULE, INFO, PUBLIC), and notes for each FUNC
 * the place of its body.  The second pass reads the bodies, of a few functions
 * at a time, so that few are in memory at once.
 */
#ifndef GSYM_BREAKPAD_FILE_H
#define GSYM_BREAKPAD_FILE_H

#include "base/order.h"
#include "base/vec.h"
#include "breakpad/text.h"

#include <gsym/convert.h>

#include <stddef.h>
#include <stdint.h>

/** A FUNC record. */
struct bp_function {
	uint64_t start;
	uint64_t size;
	struct bp_text name;
	struct bp_text body; /**< the lines after the FUNC line */
	uint64_t line;       /**< number of the FUNC line */
	bool dropped;	     /**< becomes no record */
	bool folded;	     /**< becomes a folded record */
};

/** A PUBLIC record. */
struct bp_public {
	uint64_t address;
	struct bp_text name;
	uint64_t line; /**< number of its line */
};

/** FILE or INLINE_ORIGIN records: texts by ids that the symbol file chose.
 *  There may be millions. */
struct bp_map {
	/** In the order of the text; after gsym_bp_settle_names sorted by
	 * id. */
	struct {
		GSYM_VEC(struct bp_entry {
			const char *at;
			uint32_t length;
			uint32_t id;
		});
	} entries;
	/** After gsym_bp_settle_names: the number of entries.  Indexes below
	 *  COUNT are entries.  A few indexes from COUNT on mean that there is
	 *  no entry. */
	uint32_t count;
	/** For each index: the sink's number, or BP_NO_NUMBER if the text was
	 *  not handed to the sink yet. */
	uint32_t *numbers;
	/** Of INLINE_ORIGIN records of the old form: for each index the id of
	 *  the function's file, -1 if there is none.  Else NULL. */
	int64_t *files;
	/** By id, up to LIMIT: the index.  NULL if the array would be mostly
	 *  empty because ids are far apart: then ENTRIES is searched. */
	uint32_t *by_id;
	size_t limit;
};

/** A number that no sink gives. */
#define BP_NO_NUMBER (UINT32_MAX - 1)

/** Undefined files that are reported; further ones are not. */
enum { BP_MAX_MISSING = 64 };

struct bp_file {
	struct bp_text text;
	bool copied;	       /**< the text is in a temporary file */
	bool has_carriages;    /**< there is a CR in the text */
	const char *forgotten; /**< memory of the text before this place was
			        *   released */
	const struct gsym_convert_options *options;
	struct gsym_sink sink;
	/** The program that the file describes; NULL: not given. */
	const struct gsym_container *program;
	struct gsym_range_set code; /**< code of PROGRAM */
	uint64_t base; /**< added to all addresses */
	/** Line and column of the first malformed record, from 1 on; 0: all
	 *  are well formed. */
	uint64_t bad_line, bad_column;
	struct gsym_breakpad_records records;

	GSYM_VEC_OF(struct bp_function) functions;
	GSYM_VEC_OF(struct bp_public) publics;
	struct bp_map files;
	struct bp_map origins;
	/** Numbers of INLINE records with an even and an odd number of
	 *  fields. */
	uint64_t inline_parity[2];
	/** INLINE and INLINE_ORIGIN records have the old form, without the file
	 *  of the call. */
	bool old_inlines;
	bool has_module;
	bool clears_bit0; /**< ARM: bit 0 of a PUBLIC is no address bit */
	struct bp_text os, architecture, id; /**< fields of MODULE */
	struct bp_text code_id;		     /**< field of INFO CODE_ID */
	uint8_t uuid[64];
	size_t uuid_size;
	bool is_prefix; /**< the build ID may be longer than UUID */
	enum gsym_format program_format; /**< GSYM_FORMAT_NONE: the system in
					  *   MODULE is not known */
	bool told_of_nuls; /**< NUL bytes in names were reported */
	/** Unknown keywords and undefined files that were reported. */
	GSYM_VEC_OF(struct bp_text) unknown;
	GSYM_VEC_OF(uint32_t) missing;
};

/* ---- names.c ------------------------------------------------------------- */

/** Report a warning about line number LINE; 0: about no single line. */
void gsym_bp_warn(struct bp_file *file, enum gsym_warning kind, uint64_t line,
		  const char *text);

/** Warn that a record uses the file ID, which no FILE record defines: once for
 *  each ID, and for at most BP_MAX_MISSING ids. */
void gsym_bp_warn_missing_file(struct bp_file *file, uint32_t id);

/** Report that pass PASS (0 or 1) has come to AT, and release the memory of the
 *  text before it.  False: the conversion is to be stopped. */
bool gsym_bp_progress(struct bp_file *file, const char *at, unsigned pass);

/** Hand TEXT to the sink, with '_' for each NUL; *RET is the sink's number. */
enum gsym_status gsym_bp_string(struct bp_file *file, struct bp_text text,
				uint32_t *ret);

/** The most texts of one call of gsym_bp_strings. */
enum { BP_TOGETHER = 256 };

/** As gsym_bp_string, for COUNT texts: NUMBERS[I] is the number of TEXTS[I].
 *  Faster for many texts, as the sink fetches them into the cache ahead. */
enum gsym_status gsym_bp_strings(struct bp_file *file,
				 const struct bp_text *texts, size_t count,
				 uint32_t *numbers);

void gsym_bp_map_fini(struct bp_map *map);

/** The index of ID in a settled map without BY_ID; COUNT if there is none. */
uint32_t gsym_bp_map_search(const struct bp_map *map, int64_t id);

/** The index of ID in a settled map; COUNT if the map has no ID. */
static inline uint32_t bp_map_index(const struct bp_map *map, int64_t id)
{
	return (uint64_t)id < map->limit ? map->by_id[id]
					 : gsym_bp_map_search(map, id);
}

/** The index, in the map of files, that stands for all files without a FILE
 * record. */
static inline uint32_t bp_unknown_file(const struct bp_file *file)
{
	return file->files.count;
}

/** The index, in the map of files, that stands for code without a source. */
static inline uint32_t bp_no_source(const struct bp_file *file)
{
	return bp_unknown_file(file) + 1;
}

/** Called after the first pass: sort both maps by id, find out the form of
 *  INLINE records, and hand the names of origins to the sink.  Of several
 *  records of one id the first counts. */
enum gsym_status gsym_bp_settle_names(struct bp_file *file);

/** The sink's number of the file at INDEX, handed over on first use. */
enum gsym_status gsym_bp_file_number(struct bp_file *file, uint32_t index,
				     uint32_t *ret);
/** The sink's number of the name of the origin at INDEX. */
enum gsym_status gsym_bp_origin_number(struct bp_file *file, uint32_t index,
				       uint32_t *ret);

/* ---- first_pass.c -------------------------------------------------------- */

/** Decide which of several functions that overlap becomes a record, and the
 *  sizes of functions without one.  False without memory. */
bool gsym_bp_settle_functions(struct bp_file *file);

/** Read all records but the bodies of functions.  GSYM_ERR_MEMORY;
 *  GSYM_ERR_CANCELLED. */
enum gsym_status gsym_bp_first_pass(struct bp_file *file);

/* ---- second_pass.c ------------------------------------------------------- */

/** The end of the last line record of FUNCTION, which has no size; 0 if it has
 *  no line records. */
uint64_t gsym_bp_lines_end(const struct bp_file *file,
			   const struct bp_function *function);

/** Read the bodies of all functions that are not dropped, and push their
 *  records to the sink. */
enum gsym_status gsym_bp_push_functions(struct bp_file *file);

/* ---- spool.c: the text --------------------------------------------------- */

/** Set *RET to the text of PATH, inflated if it is compressed.  OPTIONS has the
 *  folder for temporary files. *COPIED becomes true if the text was copied;
 *  copying was then reported as one of three parts of the work.  Errors as for
 *  gsym_convert_file. *RET is to be freed with gsym_bp_spool_free. */
enum gsym_status gsym_bp_spool_open(const char *path,
				    const struct gsym_convert_options *options,
				    struct bp_text *ret, bool *copied,
				    struct gsym_error *error);
void gsym_bp_spool_free(struct bp_text text);

/** Copy the first bytes of the text of PATH, inflated if it is compressed and
 *  from its first word on, to the memory of RET.  RET's end becomes the end of
 *  the copied bytes.  GSYM_NOT_FOUND: PATH is no symbol file;
 *  GSYM_ERR_UNSUPPORTED: it is a symbol file in UTF-16 or in a cabinet archive;
 *  GSYM_ERR_IO; GSYM_ERR_MEMORY. */
enum gsym_status gsym_bp_spool_head(const char *path, struct bp_text *ret);

/* ---- second_pass.c, names.c: a batch of functions ------------------------ */

/*
 * Workers run at once and change nothing but their batch.  So in a batch rows
 * and inlined calls have indexes of the symbol file's maps (struct bp_map) in
 * place of numbers of the sink.  The merge replaces the indexes and passes the
 * warnings on.
 */

/** A function of a batch: the places of its rows and inlined calls in the
 * arrays. */
struct bp_item {
	const struct bp_function *function;
	size_t first_row, row_count;
	size_t first_inline, inline_count;
	size_t first_range;
};

struct bp_batch {
	GSYM_VEC_OF(struct bp_item) items;
	GSYM_VEC_OF(struct gsym_row) rows; /**< FILE is an index of the
						     *   map of files. */
	/** CALL_FILE and NAME are indexes of the maps. */
	GSYM_VEC_OF(struct gsym_inline_node) inlines;
	struct gsym_range_set ranges;
	uint64_t line_records; /**< line records that were read */
	/** In the order of the text. */
	struct {
		GSYM_VEC(struct bp_warning {
			enum gsym_warning kind;
			uint64_t line;
			const char *text;
			uint64_t count; /**< the number of equal warnings */
		});
	} warnings;
	/** By kind: the number of warnings that were not kept. */
	uint64_t more[GSYM_WARN_COUNT];
	/** Ids of files that were used but not defined; the first ones only. */
	GSYM_VEC_OF(uint32_t) missing;
};

void gsym_bp_batch_fini(struct bp_batch *batch);

/** Add COUNT (perhaps 0) equal warnings about line number LINE. */
void gsym_bp_batch_warn(struct bp_batch *batch, enum gsym_warning kind,
			uint64_t line, const char *text, uint64_t count);

/** Note that the file ID is used and not defined. */
void gsym_bp_batch_missing(struct bp_batch *batch, int64_t id);

/* ---- inlines.c: the tree ------------------------------------------------- */

/** One range of an INLINE record, within its function. */
struct bp_inline_range {
	uint64_t start;
	uint64_t end;
	uint32_t level;	 /**< 0: called by the function itself */
	uint32_t record; /**< index of the record */
};

/** A node of the tree.  Node 0 is the function. */
struct bp_node {
	uint32_t record;
	uint32_t parent;
	uint32_t last_child; /**< newest child; 0: none */
	uint32_t previous;   /**< next older sibling; 0: none */
	uint32_t depth;
};

struct bp_node_range {
	struct gsym_range range;
	uint32_t node;
};

/** Input, result and scratch; memory is kept from one function to the next. */
struct bp_tree {
	/** Input, in any order. */
	GSYM_VEC_OF(struct bp_inline_range) given;
	/** Result; RANGES ascend. */
	GSYM_VEC_OF(struct bp_node) nodes;
	GSYM_VEC_OF(struct bp_node_range) ranges;
	uint64_t orphans;  /**< ranges without a parent */
	uint64_t overlaps; /**< ranges over another one of their level */
	uint64_t cut;	   /**< ranges too deep, or in too many pieces */
	/** GIVEN, sorted. */
	GSYM_VEC_OF(struct gsym_sort_item) order;
	/** Rests of ranges that were cut: a heap, the first range on top. */
	GSYM_VEC_OF(struct bp_inline_range) heap;
	/** For each record: the newest node that was made for it; 0: none. */
	GSYM_VEC_OF(uint32_t) made;
	/** The open nodes, from the function to the innermost, and the ends of
	 *  their ranges.  STACK may be used as scratch once the tree is
	 *  made. */
	GSYM_VEC_OF(uint32_t) stack;
	GSYM_VEC_OF(uint64_t) ends;
};

void gsym_bp_tree_fini(struct bp_tree *tree);

/* ---- second_pass.c, inlines.c: the body of a function -------------------- */

/** A line record, cut to its function and counted from its start. */
struct bp_body_line {
	uint32_t start;
	uint32_t end;
	uint32_t line;
	uint32_t file; /**< index in the map of files */
};

/** An INLINE record without its ranges. */
struct bp_inline_record {
	uint32_t line;	 /**< line of the call */
	uint32_t file;	 /**< file of the call, as an index of the map of
			  *   files */
	uint32_t origin; /**< name, as an index of the map of origins */
};

/** The function that a worker reads, and the worker's memory.  A struct that is
 *  zeroed except for FILE is ready for use.  Memory is kept from one function
 *  to the next. */
struct bp_body {
	const struct bp_file *file;
	const struct bp_function *function;
	struct bp_batch *batch; /**< takes the results */
	struct bp_lines { GSYM_VEC(struct bp_body_line); } lines;
	/** Scratch for sorting LINES. */
	struct bp_lines sorted;
	GSYM_VEC_OF(uint64_t) keys;
	GSYM_VEC_OF(struct bp_inline_record) inlines;
	struct bp_tree tree; /**< tree of INLINES */
	/** Nodes of TREE, parents first; for each node the index of its first
	 *  range. */
	GSYM_VEC_OF(uint32_t) order;
	GSYM_VEC_OF(uint32_t) first;
	/** For a large body: the file, to report the progress.  Else NULL. */
	struct bp_file *reports;
	bool cancelled; /**< the progress callback returned false */
};

/** The index of the file ID; notes ID if no file has it, unless ID is negative,
 *  which stands for no file. */
static inline uint32_t bp_file_index(struct bp_body *body, int64_t id)
{
	uint32_t index = bp_map_index(&body->file->files, id);

	if (index == bp_unknown_file(body->file))
		gsym_bp_batch_missing(body->batch, id);
	return index;
}

/* ---- inlines.c ----------------------------------------------------------- */

/** Read the fields of an INLINE record from TEXT, which is moved to a place in
 *  that line, into BODY.  False, with nothing added, if they cannot be read.
 *  *OK becomes false without memory. */
bool gsym_bp_read_inline(struct bp_body *body, struct bp_text *text, bool *ok);

/** Make the inline tree of BODY's INLINE records, and add it to the batch and
 *  ITEM.  False without memory. */
bool gsym_bp_make_inlines(struct bp_body *body, struct bp_item *item);

#endif
