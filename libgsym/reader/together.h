/* SPDX-License-Identifier: MIT */
/*
 * reader/together.h - lookups of many addresses of one file, in the order in
 * which they are given.  Work that neighbouring addresses share is done once:
 * a record is decoded once for all addresses in a row that lie in it.  Knows
 * nothing of the order of the addresses; ascending ones share most.
 */
#ifndef GSYM_READER_TOGETHER_H
#define GSYM_READER_TOGETHER_H

#include "format/lines.h"
#include "reader/lookup.h"
#include "reader/nodes.h"

/** The places of source files that are kept, a power of two. */
enum { GSYM_TOGETHER_FILES = 8 };

/** The lookups in one file.  The caller may read STATUS, and set READER to NULL
 *  before the first file; all other members belong to together.c. */
struct gsym_together {
	const struct gsym_reader *reader;
	unsigned flags;

	/** The status of the last lookup.  If it is GSYM_OK, the members below
	 *  are of the address of that lookup. */
	enum gsym_status status;
	uint64_t address;

	/** The record that the search found first, and the record of the
	 *  address: its index, its start, a cursor over it, its parts. */
	uint32_t last, index;
	uint64_t start;
	/** Both records start at the same address. */
	bool nearest;
	/** The search that began at LAST found no record for the address, and
	 *  will find none for a higher one. */
	bool missing;
	struct gsym_cursor record;
	struct gsym_parts parts;

	/** The search in the line table. */
	struct gsym_line_search rows;

	/** The nodes of the inline tree that were read. */
	struct gsym_nodes nodes;

	/** The places of source files, by number modulo
	 *  GSYM_TOGETHER_FILES. */
	struct {
		uint32_t file;
		bool known, exists;
		const char *directory, *basename;
	} files[GSYM_TOGETHER_FILES];
};

/** Begin lookups in READER with FLAGS, those of gsym_lookup.  MEMORY has room
 *  for CAPACITY nodes of inline trees; it may be too small, or NULL and 0. */
void gsym_together_begin(struct gsym_together *t,
			 const struct gsym_reader *reader, unsigned flags,
			 struct gsym_node *memory, uint32_t capacity);

/** As gsym_lookup: store the frames of ADDRESS, if OUT has room for all of
 *  them.  LAST is the record that gsym_search_abreast found.  Returns the
 *  number of frames, 0 if the lookup has another status than GSYM_OK. */
uint32_t gsym_together_look_up(struct gsym_together *t, uint64_t address,
			       uint32_t last,
			       const struct gsym_frames_out *out);

#endif
