/* SPDX-License-Identifier: MIT */
/*
 * reader/reader.h - an open file, and the steps from an address to its frames:
 *
 *	image.c          opens and closes a file; its header, single entries;
 *	                 other paths of source files
 *	search.c         the function record that covers an address
 *	lookup.c         the frames of an address in a record
 *	many.c           sorts addresses, of one file or of several, and looks
 *	                 up ascending ones
 *	stack.c          call stacks: which of several folded functions
 *	functions.c      the content of a record, for walks
 *	verify.c         checks a file, verify_record.c a record
 *	names.c          an index from names of functions to their records
 *
 * The reader allocates the handle, the copy of a file, the index of names and
 * mapped paths, and nothing else.
 */
#ifndef GSYM_READER_READER_H
#define GSYM_READER_READER_H

#include "base/cursor.h"
#include "base/error.h"
#include "base/path_map.h"
#include "format/layout.h"
#include "format/record.h"

/* ---- image.c: an open file ----------------------------------------------- */

/** An open file: its bytes, which are mapped, copied or borrowed, and their
 *  layout. */
struct gsym_reader {
	struct gsym_layout layout; /**< without the checksum */
	/** Offset of the image in the file or memory that was opened; not 0
	 *  for an ELF file. */
	uint64_t image_offset;
	/** The mapping to remove on closing; NULL for other bytes. */
	void *map;
	size_t map_size;
	/** The bytes to free on closing; NULL for other bytes. */
	void *copy;
	/** The mapped paths of all files by their indexes; those without TEXT
	 *  are not mapped.  NULL: none is. */
	struct gsym_path_mapped *paths;
};

/** The layout of the image with its checksum, which opening does not find. */
struct gsym_layout gsym_reader_layout(const struct gsym_reader *reader);

/** The offset of the byte at P, which is in the image, from the start of the
 *  file: the offset that errors name. */
static inline uint64_t gsym_reader_place(const struct gsym_reader *reader,
					 const uint8_t *p)
{
	return reader->image_offset + (uint64_t)(p - reader->layout.data);
}

/** A cursor over the SIZE bytes at OFFSET of the image.  They have to lie
 *  within it. */
static inline struct gsym_cursor gsym_reader_cursor(
	const struct gsym_reader *reader, uint64_t offset, uint64_t size)
{
	return gsym_cursor_init(reader->layout.data + offset, (size_t)size,
				reader->layout.swap);
}

/** Set RET to a cursor from the start of record INDEX (below the count) to the
 *  last byte that a record may have.  Returns false if the record starts
 *  beyond that byte. */
static inline bool gsym_reader_record(const struct gsym_reader *reader,
				      uint32_t index, struct gsym_cursor *ret)
{
	const struct gsym_layout *l = &reader->layout;
	uint64_t at = gsym_layout_record(l, index);

	if (at >= l->info_end)
		return false;
	*ret = gsym_reader_cursor(reader, at, l->info_end - at);
	return true;
}

/** The start address of function INDEX (below the count). */
static inline uint64_t gsym_reader_start(const struct gsym_reader *reader,
					 uint32_t index)
{
	return reader->layout.base_address +
	       gsym_layout_start(&reader->layout, index);
}

/** The string at OFFSET of the string table; "" beyond the table. */
static inline const char *gsym_reader_string(const struct gsym_reader *reader,
					     uint64_t offset)
{
	const char *s = gsym_layout_string(&reader->layout, offset);

	return s ? s : "";
}

/** The string offset of the name of record INDEX (below the count); 0 if the
 *  record has no name. */
static inline uint64_t gsym_reader_name(const struct gsym_reader *reader,
					uint32_t index)
{
	struct gsym_record_head head;
	struct gsym_cursor c;

	if (!gsym_reader_record(reader, index, &c) ||
	    !gsym_record_read(&c, reader->layout.string_size, &head) ||
	    head.name >= reader->layout.strings_size)
		return 0;
	return head.name;
}

/* ---- search.c: the record of an address ---------------------------------- */

/** How many records with a lower start a search tries. */
#define GSYM_SEARCH_LOOK_BACK 64
/** How many records of one start a search tries. */
#define GSYM_SEARCH_EQUAL 256

/**
 * Find the record that covers ADDRESS: its index goes to *INDEX, a cursor over
 * it to RECORD.
 *
 * Tried first are the records with the greatest start at or below ADDRESS, at
 * most GSYM_SEARCH_EQUAL of them: the first whose range holds ADDRESS covers
 * it.  The range of a record of size 0 ends at the next start.  If none holds
 * ADDRESS, as after the end of a function inside another one, the
 * GSYM_SEARCH_LOOK_BACK records before them are tried, the nearest start first
 * and of records with one start the first.
 *
 * GSYM_NOT_FOUND: no record covers ADDRESS.  GSYM_ERR_CORRUPT: no record with
 * the greatest start covers ADDRESS, and one of them lies beyond the data.
 */
enum gsym_status gsym_search(const struct gsym_reader *reader,
			     uint64_t address, uint32_t *index,
			     struct gsym_cursor *record,
			     struct gsym_error *error);

/** As gsym_search, for the address base_address + RELATIVE.  LAST is the index
 *  of the last record whose start is at most that address. */
enum gsym_status gsym_search_at(const struct gsym_reader *reader,
				uint32_t last, uint64_t relative,
				uint32_t *index, struct gsym_cursor *record,
				struct gsym_error *error);

/** GSYM_ERR_CORRUPT: record INDEX (below the count) lies beyond the data. */
enum gsym_status gsym_search_fail(const struct gsym_reader *reader,
				  uint32_t index, struct gsym_error *error);

/** Whether the records that gsym_search_at tries for LAST start at or before
 *  it, as they do where the address table is in order. */
bool gsym_search_in_order(const struct gsym_layout *l, uint32_t last);

/** The most searches that run side by side. */
enum { GSYM_SEARCH_ABREAST = 16 };

/** Set INDEXES[I] to the last record whose start is at most ADDRESSES[I]: the
 *  record that gsym_search finds first.  It is 0 if there is none, and any
 *  record if ADDRESSES[I] is below the base address.  COUNT is at most
 *  GSYM_SEARCH_ABREAST; there has to be a record. */
void gsym_search_abreast(const struct gsym_layout *l, const uint64_t *addresses,
			 size_t count, uint32_t *indexes);

/* ---- lookup.c: the frames of an address ---------------------------------- */

/** The flags of gsym_lookup that this release knows. */
#define GSYM_LOOKUP_FLAGS                                \
	(GSYM_LOOKUP_NO_INLINES | GSYM_LOOKUP_NO_LINES | \
	 GSYM_LOOKUP_NO_DIRECTORIES)

/** Where the frames of a lookup go. */
struct gsym_frames_out {
	struct gsym_frame *frames;
	size_t capacity;
	unsigned flags;
};

/** Whether OUT can be filled in: see gsym_lookup. */
static inline bool gsym_frames_out_ok(const struct gsym_frames_out *out)
{
	return (out->frames || !out->capacity) &&
	       !(out->flags & ~(unsigned)GSYM_LOOKUP_FLAGS);
}

/** Set FRAME, without file and line.  FUNCTION is a string offset. */
static inline void gsym_frame_set(const struct gsym_reader *reader,
				  struct gsym_frame *frame, uint64_t function,
				  uint64_t offset, bool inlined)
{
	const char *name = gsym_layout_string(&reader->layout, function);

	*frame = (struct gsym_frame){
		.function = name ? name : "",
		.directory = "",
		.basename = "",
		.offset = offset,
		.function_string = name ? function : 0,
		.inlined = inlined,
	};
}

/** Set file and line of FRAME, unless FILE is not in the file table or has no
 *  name.  FLAGS are those of gsym_lookup. */
static inline void gsym_frame_place(const struct gsym_reader *reader,
				    unsigned flags, struct gsym_frame *frame,
				    uint32_t file, uint32_t line)
{
	uint64_t directory_at, basename_at;
	const char *folder = "", *name;

	if (flags & GSYM_LOOKUP_NO_LINES ||
	    !gsym_layout_file(&reader->layout, file, &directory_at,
			      &basename_at))
		return;
	name = gsym_reader_string(reader, basename_at);
	if (!*name || !(flags & GSYM_LOOKUP_NO_DIRECTORIES))
		folder = gsym_reader_string(reader, directory_at);
	if (reader->paths && reader->paths[file].text) {
		name = reader->paths[file].basename;
		folder = reader->paths[file].directory;
	}
	if (!*name && !*folder)
		return;
	frame->directory = flags & GSYM_LOOKUP_NO_DIRECTORIES ? "" : folder;
	frame->basename = name;
	frame->line = line;
	frame->file = file;
}

/** The parts of a record that a lookup uses.  A tuple that the record does not
 *  have is of type 0. */
struct gsym_parts {
	struct gsym_record_head head;
	struct gsym_tuple lines;
	struct gsym_tuple inlines;
	struct gsym_tuple merged;
};

/** Read the head of the record at C, and move C to the first tuple.
 *  GSYM_ERR_CORRUPT: the head is cut off, with a failed C, or has no name. */
enum gsym_status gsym_lookup_head(const struct gsym_reader *reader,
				  struct gsym_cursor *c,
				  struct gsym_record_head *ret,
				  struct gsym_error *error);

/** Find the parts of the record at C.  GSYM_ERR_CORRUPT: its name cannot be
 *  read.  Tuples after a damaged one are taken as missing. */
enum gsym_status gsym_lookup_parts(const struct gsym_reader *reader,
				   struct gsym_cursor *c,
				   struct gsym_parts *parts,
				   struct gsym_error *error);

/** Look MATCH->address up in the record at RECORD, of the function at
 *  MATCH->start, and fill in all of MATCH but INDEX.  GSYM_ERR_CORRUPT: the
 *  name of the record cannot be read. */
enum gsym_status gsym_lookup_record(const struct gsym_reader *reader,
				    struct gsym_cursor *record,
				    const struct gsym_frames_out *out,
				    struct gsym_match *match,
				    struct gsym_error *error);

/* ---- many.c: any addresses ----------------------------------------------- */

/** What addresses are looked up in. */
struct gsym_many_source {
	/** The file of ADDRESS, NULL if there is none.  *INSIDE becomes the
	 *  address in that file. */
	const struct gsym_reader *(*file)(const void *context, uint64_t address,
					  uint64_t *inside);
	/** Set *FRAME to the only frame of ADDRESS, which has no file or is not
	 *  covered by its file.  False if there is none.  May be NULL. */
	bool (*symbol)(const void *context, uint64_t address,
		       struct gsym_frame *frame);
	/** The first argument of both. */
	const void *context;
};

/** As gsym_lookup_many, for addresses of SOURCE.  The frames and flags
 *  are those of OUT. */
enum gsym_status gsym_many_look_up(const struct gsym_many_source *source,
				   const uint64_t *addresses, size_t count,
				   const struct gsym_frames_out *out,
				   uint32_t *first, size_t *done);

/* ---- verify.c, verify_record.c ------------------------------------------- */

/** The state of a gsym_verify. */
struct gsym_check {
	const struct gsym_reader *reader;
	/** The callback of gsym_verify (may be NULL) and its context. */
	gsym_verify_fn *report;
	void *context;
	/** The problem that is being reported. */
	struct gsym_error problem;
	bool found;     /**< there was damage */
	bool cancelled; /**< the callback asked to stop */
	bool stop;      /**< no further check is needed */
};

/** Hand CHECK->problem, which gsym_fail filled in and returned STATUS for, to
 *  the callback.  Does nothing once CHECK->stop is set. */
void gsym_check_report(struct gsym_check *check, enum gsym_status status);

/** Report damage at offset PLACE of the opened file or memory.  The further
 *  parameters are those of printf. */
#define gsym_check_damage(check, place, ...)                           \
	gsym_check_report((check),                                     \
			  gsym_fail(&(check)->problem, GSYM_ERR_CORRUPT, \
				    (place), __VA_ARGS__))

/** Report damage if the string offset OFFSET is beyond the string table.  The
 *  offset was read at PLACE; WHAT names it in the message. */
void gsym_check_string(struct gsym_check *check, uint64_t offset,
		       const char *what, uint64_t place);

/** Check the record at C, of the function at START, and report what is wrong
 *  with it.  Returns the bytes of the record, as far as it could be read. */
uint64_t gsym_verify_record(struct gsym_check *check, struct gsym_cursor *c,
			    uint64_t start);

#endif
