/* SPDX-License-Identifier: MIT */
/*
 * convert/transcode.h - a GSYM file as an input.
 *
 * Every record goes to the sink as a function, as each answers in the file
 * that is read; a size that the file does not say becomes the distance to
 * the next record.  What the format allows but a sink refuses (inlined calls
 * outside their callers, rows behind the end) is left out, with a warning.
 * Uses the public reader alone.
 */
#ifndef GSYM_CONVERT_TRANSCODE_H
#define GSYM_CONVERT_TRANSCODE_H

#include <gsym/convert.h>

/** Whether the first SIZE bytes of a file look like GSYM. */
bool gsym_transcode_matches(const uint8_t *bytes, size_t size);

/** The GSYM file at PATH, to BUILDER and FACTS as gsym_convert_file says. */
enum gsym_status
gsym_transcode_file(const char *path,
		    const struct gsym_convert_options *options,
		    struct gsym_builder *builder,
		    struct gsym_convert_facts *facts, struct gsym_error *error);

#endif
