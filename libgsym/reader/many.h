/* SPDX-License-Identifier: MIT */
/*
 * reader/many.h - looks many addresses up, of one file or of the files of a
 * process: sorts them, fetches data ahead, and stores the frames in the order
 * of the caller's addresses.  Knows nothing of the content of records.
 */
#ifndef GSYM_READER_MANY_H
#define GSYM_READER_MANY_H

#include "reader/frames.h"

/** The file that ADDRESS is looked up in, NULL if there is none.  *INSIDE
 *  becomes the address in that file.  CONTEXT is the caller's. */
typedef const struct gsym_reader *gsym_many_file(const void *context,
						 uint64_t address,
						 uint64_t *inside);

/** As gsym_lookup_many_sized, for addresses of the files that FILE finds.  The
 *  frames and flags are those of OUT. */
enum gsym_status gsym_many_look_up(gsym_many_file *file, const void *context,
				   const uint64_t *addresses, size_t count,
				   const struct gsym_frames_out *out,
				   uint32_t *first, size_t *done);

#endif
