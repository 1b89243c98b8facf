/* SPDX-License-Identifier: MIT */
/* reader/lookup.h - the caller's array of frames, and what the functions that
 * look addresses up share. */
#ifndef GSYM_READER_LOOKUP_H
#define GSYM_READER_LOOKUP_H

#include "base/sized.h"
#include "reader/search.h"

/** The flags of gsym_lookup that this release knows. */
#define GSYM_LOOKUP_FLAGS                                   \
	(GSYM_LOOKUP_NO_INLINES | GSYM_LOOKUP_NO_LINES | \
	 GSYM_LOOKUP_NO_DIRECTORIES)

/** Where the frames of a lookup go: CAPACITY elements of FRAME_SIZE bytes,
 *  which may be more than sizeof(struct gsym_frame). */
struct gsym_frames_out {
	void *frames;
	size_t frame_size;
	size_t capacity;
	unsigned flags;
};

/** Whether OUT can be filled in: see gsym_lookup_sized. */
static inline bool gsym_frames_out_ok(const struct gsym_frames_out *out)
{
	return (out->frames || !out->capacity) &&
	       out->frame_size >=
		       GSYM_SIZE_THROUGH(struct gsym_frame, reserved) &&
	       out->frame_size % _Alignof(struct gsym_frame) == 0 &&
	       !(out->flags & ~(unsigned)GSYM_LOOKUP_FLAGS);
}

/** The least MATCH_SIZE. */
#define GSYM_MATCH_LEAST GSYM_SIZE_THROUGH(struct gsym_match, merged_place)

/** Look MATCH->address up in the record at RECORD, of the function at
 *  MATCH->start, and fill in all of MATCH but INDEX.  GSYM_ERR_CORRUPT: the
 *  name of the record cannot be read. */
enum gsym_status gsym_lookup_record(const struct gsym_reader *reader,
				    struct gsym_cursor *record,
				    const struct gsym_frames_out *out,
				    struct gsym_match *match,
				    struct gsym_error *error);

#endif
