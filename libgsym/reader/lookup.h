/* SPDX-License-Identifier: MIT */
/* reader/lookup.h - what the functions that look addresses up share. */
#ifndef GSYM_READER_LOOKUP_H
#define GSYM_READER_LOOKUP_H

#include "format/record.h"
#include "reader/frames.h"
#include "reader/search.h"

/** The parts of a record that a lookup uses.  A tuple that the record does not
 *  have is of type 0. */
struct gsym_parts {
	uint64_t name; /**< a string offset */
	uint32_t size;
	struct gsym_tuple lines;
	struct gsym_tuple inlines;
	struct gsym_tuple merged;
};

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

#endif
