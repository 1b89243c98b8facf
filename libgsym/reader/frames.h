/* SPDX-License-Identifier: MIT */
/*
 * reader/frames.h - the caller's array of frames, and the content of a frame.
 * Knows nothing of records.
 */
#ifndef GSYM_READER_FRAMES_H
#define GSYM_READER_FRAMES_H

#include "reader/image.h"

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

/** Set *DIRECTORY and *BASENAME to the strings that a frame in source file FILE
 *  has.  FLAGS are those of gsym_lookup.  Returns false if the frame has no
 *  file and line: FILE is not in the file table, or it has no name. */
static inline bool gsym_frame_file(const struct gsym_reader *reader,
				   unsigned flags, uint32_t file,
				   const char **directory,
				   const char **basename)
{
	uint64_t directory_at, basename_at;
	const char *folder = "", *name;

	if (!gsym_layout_file(&reader->layout, file, &directory_at,
			      &basename_at))
		return false;
	name = gsym_reader_string(reader, basename_at);
	if (!*name || !(flags & GSYM_LOOKUP_NO_DIRECTORIES))
		folder = gsym_reader_string(reader, directory_at);
	if (!*name && !*folder)
		return false;
	*directory = flags & GSYM_LOOKUP_NO_DIRECTORIES ? "" : folder;
	*basename = name;
	return true;
}

#endif
