/* SPDX-License-Identifier: MIT */
/*
 * writer/state.h - what the files of the writer share: the builder with all
 * that came in, and the steps that lead from there to the bytes.
 *
 *	accept.c   records in, checked and in compact form
 *	loose.c    rows that no function owns
 *	compare.c  which of two records comes first
 *	names.c    what a record is called
 *	settle.c   one record for every address
 *	merge.c    records of equal range as merged functions of one
 *	calls.c    call sites that know their function by name
 *	cut.c      a record cut to a part of its range
 *	tables.c   the files and strings that are used, in their order
 *	layout.c   the bytes
 *	finish.c   where they go
 *	segments.c which records go into which of several files
 *
 * Knows nothing of where records come from.
 */
#ifndef GSYM_WRITER_STATE_H
#define GSYM_WRITER_STATE_H

#include "base/arena.h"
#include "base/emit.h"
#include "base/intern.h"
#include "base/vec.h"
#include "format/shape.h"

#include <gsym/builder.h>

#include <string.h>

enum {
	/* Strings and files that are there from the start. */
	W_STRING_EMPTY = 0,
	W_STRING_UNKNOWN = 1, /* "??" */
	W_FILE_NOSRC = 0,
	W_FILE_UNKNOWN = 1,
};

/** Words that grow; a body is put together in them. */
struct w_words { GSYM_VEC(uint32_t); };

/** Rows of [start, end).  OFFSETs count from BASE. */
struct w_loose {
	uint64_t start;
	uint64_t end;
	uint64_t base;
	const struct gsym_row *rows;
	size_t row_count;
};

/** A call site that waits for the function of NAME. */
struct w_call {
	const struct gsym_builder *b;
	uint32_t name;
	bool placed;
	struct gsym_shape_call call;
	const uint32_t *patterns;
};

/** Limits of version 1, and of settling; tests lower them. */
struct w_limits {
	uint64_t offset; /**< of a string or record */
	uint64_t count;  /**< functions, files */
	uint64_t cuts;   /**< words that cutting may look at */
};

struct gsym_builder {
	struct gsym_intern strings;
	/** Files, as pairs of string numbers. */
	struct gsym_intern files;
	struct gsym_arena arena;
	struct w_shapes { GSYM_VEC(struct gsym_shape); } records;
	struct { GSYM_VEC(struct w_loose); } loose;
	struct { GSYM_VEC(struct w_call); } calls;
	struct w_words scratch;
	uint8_t *uuid;
	size_t uuid_size;
	uint64_t base;
	bool has_base;
	bool finished;
	struct w_limits limits;
};

/** Two strings. */
struct w_file {
	uint32_t directory;
	uint32_t basename;
};

static inline struct w_file w_file_of(const struct gsym_builder *b,
				      uint32_t number)
{
	struct w_file file;

	memcpy(&file, b->files.entries[number].bytes, sizeof(file));
	return file;
}

static inline const char *w_text(const struct gsym_builder *b, uint32_t number)
{
	return b->strings.entries[number].bytes;
}

static inline uint64_t w_end(const struct gsym_shape *shape)
{
	return shape->start + shape->size;
}

/* accept.c: bodies are put together in the scratch words: rows, then
 * inlined calls, ranges, calls, patterns, each kind as a block. */

/** Append a row to the COUNT rows at ROWS, which have room for two more, and
 *  keep the rules of a shape.  Returns the new count. */
static inline size_t w_put_row(struct gsym_row *rows, size_t count,
			       struct gsym_row row)
{
	if (count && rows[count - 1].offset == row.offset)
		count--;
	if (!count && row.offset)
		rows[count++] = (struct gsym_row){ 0, W_FILE_NOSRC, 0 };
	if (count && rows[count - 1].file == row.file &&
	    rows[count - 1].line == row.line)
		return count;
	rows[count++] = row;
	return count;
}

/** The rows of a body with INLINE_COUNT inlined calls: one that says nothing
 *  goes, one that is needed comes.  Returns the new count. */
size_t gsym_writer_end_rows(struct gsym_row *rows, size_t row_count,
			    size_t inline_count);
/** A body of HEAD's counts and merged functions, and of the scratch words, in
 *  the arena; *RET is NULL if it is empty. */
enum gsym_status gsym_writer_make_body(struct gsym_builder *b,
				       const struct gsym_shape_body *head,
				       const struct gsym_shape_body **ret);

/* compare.c */

/** Order of two records of one start: which one answers where both could.
 *  Negative if it is A; 0 only if they are equal in every byte. */
int gsym_writer_compare(const struct gsym_builder *b,
			const struct gsym_shape *a,
			const struct gsym_shape *c);
/** Order of rows by content. */
int gsym_writer_compare_rows(const struct gsym_builder *b,
			     const struct gsym_row *a,
			     const struct gsym_row *c, size_t count);

/* names.c */

/** The name of GROUP[0], of COUNT records of one start the one that comes
 *  first. */
uint32_t gsym_writer_choose_name(const struct gsym_builder *b,
				 struct gsym_shape *const *group, size_t count);

/* loose.c */

/** Sort the loose rows and make them disjoint. */
enum gsym_status gsym_writer_sort_loose(struct gsym_builder *b);
/** Give SHAPE, whose body has merged functions at most, the loose rows that
 *  lie in it. */
enum gsym_status gsym_writer_take_loose(struct gsym_builder *b,
					struct gsym_shape *shape);

/* cut.c */

/** Words that gsym_writer_cut looks at for a record. */
uint64_t gsym_writer_cut_cost(const struct gsym_shape *shape);
/** The part [START, END) of SHAPE, to *RET. */
enum gsym_status gsym_writer_cut(struct gsym_builder *b,
				 const struct gsym_shape *shape, uint64_t start,
				 uint64_t end, struct gsym_shape *ret);

/** Order of two bodies; either may be NULL. */
int gsym_writer_compare_bodies(const struct gsym_builder *b,
			       const struct gsym_shape_body *a,
			       const struct gsym_shape_body *c);

/* merge.c */

/** Records of one start. */
struct w_group { GSYM_VEC(struct gsym_shape *); };

/** Make one record of GROUP, which is not empty, the owner of the others of
 *  its range, and of those of FOLDED, by rule 6.  MERGED counts those of GROUP
 *  that became so; they stay in it. */
enum gsym_status gsym_writer_merge(struct gsym_builder *b,
				   const struct w_group *group,
				   const struct w_group *folded,
				   uint64_t *merged);

/* settle.c */

/** Settle the records: *OUT has those of the file, in address order, and
 *  SUMMARY how many of which rank there are and how many were dropped. */
enum gsym_status gsym_writer_settle(struct gsym_builder *b,
				    const struct gsym_build_options *options,
				    struct w_shapes *out,
				    struct gsym_build_summary *summary,
				    struct gsym_error *error);

/* calls.c */

/** Give the call sites that wait for it to the first of RECORDS, or of those
 *  merged into it, that has the name and the offset. */
enum gsym_status gsym_writer_place_calls(struct gsym_builder *b,
					 struct w_shapes *records,
					 struct gsym_error *error);

/* tables.c */

/** What the file holds besides records.  The empty string and file entry 0
 *  are not among its strings and files. */
struct w_tables {
	/** By string number: offset in the string table. */
	uint64_t *string_offsets;
	/** The numbers of the strings that are used, in their order; and
	 *  those among them that lie at the end of the next one. */
	uint32_t *strings;
	bool *string_shared;
	size_t string_count;
	/** Bytes of the string table. */
	uint64_t string_bytes;
	/** By file number: index in the file table. */
	uint32_t *file_indexes;
	/** The numbers of the files that are used, in their order. */
	uint32_t *files;
	size_t file_count;
};

/** Find out what the COUNT records at RECORDS use, and put it in order; counts go to SUMMARY. */
enum gsym_status gsym_writer_make_tables(const struct gsym_builder *b,
					 const struct gsym_shape *records,
					 size_t count, struct w_tables *tables,
					 struct gsym_build_summary *summary);
void gsym_writer_tables_fini(struct w_tables *tables);

/* strings.c */

/** Put TABLES->strings in the order of their reversed bytes, and find out
 *  which ones share the bytes of the next, where they lie, and how many
 *  bytes they take. */
enum gsym_status gsym_writer_place_strings(const struct gsym_builder *b,
					   struct w_tables *tables);

/* layout.c */

/** Where the pieces of a file go. */
struct w_pieces {
	gsym_piece_fn *put;
	void *context;
};

/** A file of the COUNT records at RECORDS, of *SIZE bytes, to PIECES.  What
 *  they use is added to SUMMARY; strings and files are set. */
enum gsym_status gsym_writer_lay_out(const struct gsym_builder *b,
				     const struct gsym_build_options *options,
				     const struct gsym_shape *records,
				     size_t count,
				     const struct w_pieces *pieces,
				     uint64_t *size,
				     struct gsym_build_summary *summary,
				     struct gsym_error *error);

/* finish.c */

/** Nothing comes in any more: the records of the file, in their order. */
enum gsym_status gsym_writer_end(struct gsym_builder *b,
				 const struct gsym_build_options *options,
				 struct w_shapes *records,
				 struct gsym_build_summary *summary,
				 struct gsym_error *error);
/** Take a piece to where it belongs in CONTEXT, a struct gsym_emit. */
gsym_piece_fn gsym_writer_put_image;
/** The bytes of IMAGE, which is empty then, as the caller's. */
void gsym_writer_take_image(struct gsym_emit *image, uint8_t **bytes,
			    size_t *size);

#endif
