/* SPDX-License-Identifier: MIT */
/*
 * convert/transcode.h - reads a GSYM file as the input of a conversion.
 *
 * Every record of the file becomes a record of GSYM_RANK_FUNCTION.  A record
 * without a size reaches to the next one.  Inlined calls outside their callers
 * and rows after the end of a function are left out, with a warning: GSYM
 * files may have them, but sinks refuse them.  Uses the public reader alone.
 */
#ifndef GSYM_CONVERT_TRANSCODE_H
#define GSYM_CONVERT_TRANSCODE_H

#include <gsym/convert.h>

/** Whether a file that begins with the SIZE BYTES may be a GSYM file. */
bool gsym_transcode_matches(const uint8_t *bytes, size_t size);

/** Read the GSYM file at PATH into BUILDER and FACTS, as gsym_convert_file
 *  does. */
enum gsym_status
gsym_transcode_file(const char *path,
		    const struct gsym_convert_options *options,
		    struct gsym_builder *builder,
		    struct gsym_convert_facts *facts, struct gsym_error *error);

#endif
