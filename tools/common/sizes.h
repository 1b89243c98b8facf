/* SPDX-License-Identifier: MIT */
/*
 * sizes.h - what the bytes of GSYM data are used for: by kind, by folder of
 * the source code, and by template.  Each table counts every byte once, so that
 * its numbers add up to the size of the data.  Shows nothing.
 */
#ifndef TOOLS_COMMON_SIZES_H
#define TOOLS_COMMON_SIZES_H

#include <gsym/reader.h>

#include "base/intern.h"
#include "base/vec.h"

/** The use of a byte that is not in a table. */
enum size_kind {
	/** In function records: size and name, then the information of enum
	 *  gsym_info. */
	SIZE_NAMES,
	SIZE_UNKNOWN = GSYM_INFO_COUNT,
	SIZE_ENDS,
	/** Between tables and records. */
	SIZE_PADDING,
	SIZE_UNUSED,
	/** In lists of merged functions, between the records of these. */
	SIZE_LISTS,
	SIZE_KINDS
};

/** The bytes, and the functions, of one folder or template. */
struct size_row {
	uint64_t bytes, functions;
};

/** Rows by the numbers of their names.  SIZE_SHARED and SIZE_OTHERS come first:
 *  they have no name. */
struct size_rows {
	struct gsym_intern names;
	struct { GSYM_VEC(struct size_row); } rows;
};

enum {
	/** Tables that belong to no function or file, and gaps. */
	SIZE_SHARED,
	/** Functions without a source file; names that are no template. */
	SIZE_OTHERS,
	/** The first row with a name. */
	SIZE_NAMED
};

/** Counts of bytes, and the number of records.  MERGED is what the bytes of
 *  kinds[GSYM_INFO_MERGED] are, by kind. */
struct sizes {
	uint64_t sections[GSYM_SECTION_COUNT];
	uint64_t kinds[SIZE_KINDS];
	uint64_t records;
	uint64_t merged[SIZE_KINDS];
	uint64_t merged_records;
	/** By folder and by template; for sizes_measure alone. */
	struct size_rows folders, templates;
	/** Records that cannot be read. */
	uint64_t damaged;
	/** The functions from this one on were left out: they share bytes, and
	 *  have many times the size of the file.  UINT32_MAX: none. */
	uint32_t left_out;
	/** The same holds for names and paths: some count as SIZE_OTHERS. */
	bool names_left_out;
};

/** Functions or files may have so many times the bytes of the GSYM file.  In a
 *  hostile file all of them can share one long record or string. */
enum { SIZES_SHARE = 64 };

/** Fill in S, which may be uninitialized, from READER: sections, kinds and
 *  records. */
void sizes_count(struct sizes *s, const struct gsym_reader *reader);
/** As sizes_count, and folders and templates. */
void sizes_measure(struct sizes *s, const struct gsym_reader *reader);
/** Free what S has allocated. */
void sizes_fini(struct sizes *s);

/** The name of row INDEX of ROWS, SIZE_NAMED or above. */
static inline const char *size_name(const struct size_rows *rows,
				    uint32_t index)
{
	return gsym_intern_entry(&rows->names, index - SIZE_NAMED)->bytes;
}

/** The row with a name that has the most bytes; 0: there is none. */
uint32_t sizes_largest(const struct size_rows *rows);

#endif /* TOOLS_COMMON_SIZES_H */
