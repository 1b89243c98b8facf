/* SPDX-License-Identifier: MIT */
/*
 * writer/state.h - the builder's data, and the steps from the records that
 * were added to the bytes of a GSYM file:
 *
 *	builder.c  make and free a builder; strings, files, the sink; check a
 *	           record that is added and store it compactly
 *	loose.c    rows that no function owns; call sites that were added by the
 *	           name of their function
 *	compare.c  which of two records comes first; which name (alias) a record
 *	           gets; records of equal range become merged functions of one
 *	cut.c      pack a body; the part of a record within an address range; a
 *	           file without lines or without inlined calls
 *	cluster.c  which of several records answers
 *	settle.c   one record for every address, by several threads
 *	tables.c   the strings and files that the records use, and the offsets
 *	           of the strings in the string table
 *	layout.c   the bytes of the file
 *	finish.c   write one file, or several
 *
 * Does not know which input a record comes from.
 *
 * B is the builder throughout, so two things that are compared are A and C.
 */
#ifndef GSYM_WRITER_STATE_H
#define GSYM_WRITER_STATE_H

#include "base/emit.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/path_map.h"
#include "base/vec.h"
#include "format/encode.h"

#include <gsym/builder.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
	/* Numbers of the strings and files that every builder has. */
	W_STRING_EMPTY = 0,
	W_STRING_UNKNOWN = 1, /* "??" */
	W_FILE_NOSRC = 0,
	W_FILE_UNKNOWN = 1,
};

struct w_words { GSYM_VEC(uint32_t); };

/** Loose rows of [START, END).  Offsets of ROWS count from BASE. */
struct w_loose {
	uint64_t start;
	uint64_t end;
	uint64_t base;
	const struct gsym_row *rows;
	size_t row_count;
};

/** A call site of the function called NAME; PLACED once a record has it. */
struct w_call {
	const struct gsym_builder *b;
	uint32_t name;
	bool placed;
	struct gsym_shape_call call;
	const uint32_t *patterns;
};

/** The limits of version 1 and of settling; tests lower them. */
struct w_limits {
	uint64_t offset; /**< greatest offset of a string or record */
	uint64_t count;  /**< most functions, and most files */
	uint64_t cuts;   /**< most words that all cuts together look at */
};

struct w_shapes {
	GSYM_VEC(struct gsym_shape);
};

struct w_loose_list {
	GSYM_VEC(struct w_loose);
};

/** A part of what was added to a builder.  One thread at a time adds to a lane,
 *  and several threads to several lanes. */
struct w_lane {
	pthread_mutex_t lock;
	struct gsym_arena arena;
	struct w_shapes records;
	struct w_loose_list loose;
	/** The records and loose rows that gsym_builder_keep has kept. */
	size_t kept_records, kept_loose;
	/** The words of one open body (format/encode.h): rows, inlined calls,
	 *  ranges, call sites and patterns, each kind as an array. */
	struct w_words scratch;
};

enum { W_LANES = 64 };

struct gsym_builder {
	/** In a conversion several threads at once add strings, files, records
	 *  and loose rows.  So no output may depend on the order of
	 *  numbers and records. */
	struct gsym_intern strings;
	/** Entries are a struct w_file each. */
	struct gsym_intern files;
	pthread_mutex_t string_lock, file_lock;
	struct w_lane lanes[W_LANES];
	/** Where all arenas take memory from, if SPILLS. */
	struct gsym_spill spill;
	bool spills;
	/** The loose rows of all lanes, from settling on. */
	struct w_loose_list loose;
	struct {
		GSYM_VEC(struct w_call);
	} calls;
	/** Of the paths of files that are added. */
	struct gsym_path_map paths;
	uint8_t *uuid;
	size_t uuid_size;
	uint64_t base;
	bool has_base;
	bool finished;
	/** The first contradiction: an address and string numbers; SYMBOL 0:
	 *  there is none. */
	struct w_contradiction {
		uint64_t address;
		uint32_t symbol, function;
	} contradiction;
	struct w_limits limits;
	/** Records of a job of settling; tests lower the number. */
	size_t job;
};

/** A file, as two string numbers. */
struct w_file {
	uint32_t directory;
	uint32_t basename;
};

/** COUNT records in address order. */
struct w_records {
	const struct gsym_shape *items;
	size_t count;
};

/** A lane of B that no other thread uses, with its lock held. */
static inline struct w_lane *w_take_lane(struct gsym_builder *b)
{
	/* Stacks of threads lie apart, so most threads begin with different
	 * lanes, and each with the same one whenever it calls. */
	uintptr_t place = (uintptr_t)&b >> 16;
	size_t at = place * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	for (size_t i = 0; i < W_LANES; i++) {
		struct w_lane *lane = &b->lanes[(at + i) % W_LANES];

		if (!pthread_mutex_trylock(&lane->lock))
			return lane;
	}
	pthread_mutex_lock(&b->lanes[at % W_LANES].lock);
	return &b->lanes[at % W_LANES];
}

static inline struct w_file w_file_of(const struct gsym_builder *b,
				      uint32_t number)
{
	struct w_file file;

	memcpy(&file, gsym_intern_entry(&b->files, number)->bytes,
	       sizeof(file));
	return file;
}

static inline const struct gsym_intern_entry *
w_string(const struct gsym_builder *b, uint32_t number)
{
	return gsym_intern_entry(&b->strings, number);
}

static inline const char *w_text(const struct gsym_builder *b, uint32_t number)
{
	return w_string(b, number)->bytes;
}

/** The order of the bytes of two strings, by their numbers. */
static inline int w_compare_strings(const struct gsym_builder *b, uint32_t a,
				    uint32_t c)
{
	return a == c ? 0 : strcmp(w_text(b, a), w_text(b, c));
}

/** The version of the file that OPTIONS ask for, 1 or 2. */
static inline unsigned w_version(const struct gsym_build_options *options)
{
	return options->version == 2 ? 2 : 1;
}

static inline uint64_t w_end(const struct gsym_shape *shape)
{
	return shape->start + shape->size;
}

/** Give the memory of strings and bodies back, if it lies in a file: called
 *  where some tens of MB of them were read. */
static inline void w_release(const struct gsym_builder *b)
{
	if (!b->spills)
		return;
	gsym_arena_release(&b->strings.arena);
	for (size_t i = 0; i < W_LANES; i++)
		gsym_arena_release(&b->lanes[i].arena);
}

/* ---- cut.c: packing ----------------------------------------------------- */

/** Append ROW to the COUNT rows at ROWS, so that they keep the rules of struct
 *  gsym_shape_body.  Returns the new count.  A first row whose offset is not 0
 *  gets a NOSRC row before it; so N rows need room for N + 1. */
static inline size_t w_append_row(struct gsym_row *rows, size_t count,
				  struct gsym_row row)
{
	if (count && rows[count - 1].offset == row.offset)
		count--;
	if (!count && row.offset)
		rows[count++] = (struct gsym_row){ 0, W_FILE_NOSRC, 0 };
	/* Files and lines change often: two branches would be mispredicted
	 * often. */
	if (count && ((rows[count - 1].file ^ row.file) |
		      (rows[count - 1].line ^ row.line)) == 0)
		return count;
	rows[count++] = row;
	return count;
}

/** Complete the ROW_COUNT rows at ROWS, which need room for one more, of a
 *  body with INLINE_COUNT inlined calls: a body without rows gets a NOSRC row
 *  if it has inlined calls, and a single NOSRC row is removed if not.
 *  Returns the new count. */
size_t gsym_writer_complete_rows(struct gsym_row *rows, size_t row_count,
				 size_t inline_count);
/** Pack the scratch words of LANE, whose counts are in HEAD, and the merged
 *  functions of HEAD into a body in its arena.  *RET is NULL if both are
 *  empty. */
enum gsym_status gsym_writer_pack_body(struct w_lane *lane,
				       const struct gsym_shape_body *head,
				       const struct gsym_shape_body **ret);

/* ---- compare.c --------------------------------------------------------- */

/** Compare two records of one start by rule 1 of gsym/builder.h.  Negative if
 *  A answers where both are; 0 only if they are equal in every byte. */
int gsym_writer_compare_records(const struct gsym_builder *b,
				const struct gsym_shape *a,
				const struct gsym_shape *c);
/** Compare the content of COUNT rows at A and at C. */
int gsym_writer_compare_rows(const struct gsym_builder *b,
			     const struct gsym_row *a,
			     const struct gsym_row *c, size_t count);

/** The rank of SHAPE; that of functions for a symbol that contradicts one. */
static inline uint8_t w_rank(const struct gsym_shape *shape)
{
	return shape->right ? GSYM_RANK_FUNCTION : shape->rank;
}

/** The symbol of the COUNT records at GROUP that contradicts the name of the
 *  first of them, by rule 7 of gsym/builder.h; NULL if there is none. */
const struct gsym_shape *
gsym_writer_contradicting(const struct gsym_builder *b,
			  struct gsym_shape *const *group, size_t count);
/** The name of GROUP[0] by rule 2 of gsym/builder.h; 0 if it has none.  GROUP
 *  are COUNT records of one start, the first by rule 1 in front. */
uint32_t gsym_writer_choose_name(const struct gsym_builder *b,
				 struct gsym_shape *const *group, size_t count);

/** Records of one start. */
struct w_group { GSYM_VEC(struct gsym_shape *); };

/** Merge the records of GROUP, which is not empty, and of FOLDED by rule 6 of
 *  gsym/builder.h, in memory of LANE: records of equal size become merged
 *  functions of the first of them.  The number of those that are from GROUP is
 *  added to MERGED; they stay in GROUP. */
enum gsym_status gsym_writer_merge(const struct gsym_builder *b,
				   struct w_lane *lane,
				   const struct w_group *group,
				   const struct w_group *folded,
				   uint64_t *merged);

/* ---- loose.c ----------------------------------------------------------- */

/** Sort the loose rows of all lanes of B by address, on THREADS threads at
 *  most, and cut overlaps away. */
enum gsym_status gsym_writer_sort_loose_rows(struct gsym_builder *b,
					     unsigned threads);
/** Give SHAPE the loose rows that lie in it, in memory of LANE.  Its body may
 *  have merged functions, but nothing else. */
enum gsym_status gsym_writer_give_loose_rows(const struct gsym_builder *b,
					     struct w_lane *lane,
					     struct gsym_shape *shape);

/** Give each call site that was added by name to the first of RECORDS, or of
 *  their merged functions, that has this name and reaches up to the return
 *  offset.  GSYM_ERR_ARGUMENT if there is no such function. */
enum gsym_status gsym_writer_place_calls(struct gsym_builder *b,
					 struct w_shapes *records,
					 struct gsym_error *error);

/* ---- cut.c ------------------------------------------------------------- */

/** The number of words that gsym_writer_cut looks at for SHAPE. */
uint64_t gsym_writer_cut_cost(const struct gsym_shape *shape);
/** Fill RET with the part [START, END) of SHAPE, in memory of LANE. */
enum gsym_status gsym_writer_cut(struct w_lane *lane,
				 const struct gsym_shape *shape, uint64_t start,
				 uint64_t end, struct gsym_shape *ret);

/** Leave lines or inlined calls out of the COUNT records at SHAPES and the
 *  functions merged into them, as OPTIONS say. */
enum gsym_status gsym_writer_leave_out(struct w_lane *lane,
				       const struct gsym_build_options *options,
				       struct gsym_shape *shapes, size_t count);

/* ---- cluster.c ---------------------------------------------------------- */

/** The records of the file that came of some clusters, in their order. */
struct w_settled {
	struct w_shapes out;
	/** The last one is a label that has no size yet. */
	bool open_label;
	/** How many records answer somewhere, and how many became merged
	 *  functions. */
	uint64_t answering;
	uint64_t merged;
	/** The number of places at which symbols contradict functions, and the
	 *  first of them. */
	uint32_t contradictions;
	struct w_contradiction first;
};

/** What all clusters of a builder share. */
struct w_settling {
	struct gsym_builder *b;
	bool merge;
	/** Some records are folded; some symbols have local binding: not only
	 *  aliases are left. */
	bool has_folded, has_local;
	/** Words that all cuts from now on may look at. */
	atomic_size_t cuts;
	/** Words that cuts by contradicting symbols may look at, for each
	 *  struct w_cluster: such symbols never end a conversion. */
	uint64_t most_marked;
};

/** A binary heap of members of a cluster, by index; the one that answers where
 *  all of them are is on top. */
struct w_heap {
	GSYM_VEC(uint32_t);
};

/** The groups of records that overlap, up to the last one that was added.  For
 *  one thread at a time. */
struct w_cluster {
	struct w_settling *s;
	struct w_lane *lane;  /**< memory for what is cut and merged */
	struct w_settled *to; /**< gets the records of the file */
	/** Words that cuts by contradicting symbols have looked at. */
	uint64_t marked;
	/** By start.  END: their greatest end.  FUNCTION_END: that of the
	 *  functions among them.  FUNCTION: the function that has that end. */
	GSYM_VEC_OF(struct w_member) members;
	uint64_t end;
	uint64_t function_end;
	const struct gsym_shape *function;
	/** The records of one start, and the folded ones among them. */
	struct w_group group, folds;
	/** Scratch of the sweep: the members at its present address, perhaps
	 *  with members that ended before; those of them that have a name; the
	 *  pieces so far. */
	struct w_heap active, named;
	GSYM_VEC_OF(struct w_piece) pieces;
	GSYM_VEC_OF(struct w_place) places; /**< scratch of a sort */
};

/** Add the records of C->group, which start after those of all groups before.
 *  If the cluster ends before them, the cluster is settled, and they begin
 *  another one.  GSYM_ERR_LIMIT: there are too many pieces to be cut. */
enum gsym_status gsym_writer_add_group(struct w_cluster *c);
/** Settle the cluster, which is empty then.  GSYM_ERR_LIMIT as above. */
enum gsym_status gsym_writer_end_cluster(struct w_cluster *c);
/** Let the open label of TO, if there is one, reach to END or to its limit. */
void gsym_writer_close_label(struct w_settled *to, uint64_t end);
void gsym_writer_cluster_fini(struct w_cluster *c);

/* ---- settle.c ---------------------------------------------------------- */

/** Append the records of the file to OUT, in address order, and count them by
 *  rank in SUMMARY, as well as the records that were dropped. */
enum gsym_status gsym_writer_settle(struct gsym_builder *b,
				    const struct gsym_build_options *options,
				    struct w_shapes *out,
				    struct gsym_build_summary *summary,
				    struct gsym_error *error);

/* ---- tables.c ---------------------------------------------------------- */

/** The string table and the file table of a file, without the empty string
 *  and file entry 0.  There is a string: records have names. */
struct w_tables {
	/** By string number: the offset in the string table. */
	uint64_t *string_offsets;
	/** The numbers of the strings in the order of the table, without those
	 *  that other strings end with. */
	uint32_t *strings;
	size_t string_count;
	/** Bytes of the string table. */
	uint64_t string_bytes;
	/** By file number: the index in the file table. */
	uint32_t *file_indexes;
	/** The numbers of the used files in the order of the table. */
	uint32_t *files;
	size_t file_count;
};

/** Fill TABLES with the strings and files that RECORDS use, on THREADS threads
 *  at most.  SUMMARY's strings and files are set; rows, inlined calls, call
 *  sites and merged functions of RECORDS are added to it.
 *  gsym_writer_tables_fini also after an error. */
enum gsym_status gsym_writer_make_tables(const struct gsym_builder *b,
					 struct w_records records,
					 unsigned threads,
					 struct w_tables *tables,
					 struct gsym_build_summary *summary);
void gsym_writer_tables_fini(struct w_tables *tables);

/* ---- layout.c ---------------------------------------------------------- */

/** The receiver of the pieces of a file. */
struct w_pieces {
	gsym_piece_fn *put;
	void *context;
};

/** Write a file of RECORDS, which are not empty, to PIECES.  *SIZE is its
 *  size.  SUMMARY is changed as by gsym_writer_make_tables; uuid_cut is set
 *  if the build ID did not fit. */
enum gsym_status gsym_writer_lay_out(const struct gsym_builder *b,
				     const struct gsym_build_options *options,
				     struct w_records records,
				     const struct w_pieces *pieces,
				     uint64_t *size,
				     struct gsym_build_summary *summary,
				     struct gsym_error *error);

/* ---- finish.c ----------------------------------------------------------- */

/** A gsym_piece_fn that copies a piece to its place in CONTEXT, a struct
 *  gsym_emit that holds the file so far. */
gsym_piece_fn gsym_writer_put_image;

#endif
