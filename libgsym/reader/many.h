/* SPDX-License-Identifier: MIT */
/*
 * reader/many.h - looks many addresses up, of one file or of the files of a
 * process: sorts them, fetches data ahead, and stores the frames in the order
 * of the caller's addresses.  Knows nothing of the content of records.
 */
#ifndef GSYM_READER_MANY_H
#define GSYM_READER_MANY_H

#include "reader/frames.h"

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

#endif
