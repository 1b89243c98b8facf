/* SPDX-License-Identifier: MIT */
/* tests/fuzz/whole.h - converts files for fuzz targets, by the public
 * functions. */
#ifndef GSYM_TESTS_FUZZ_WHOLE_H
#define GSYM_TESTS_FUZZ_WHOLE_H

#include "second/second.h"

/** Convert the file PATH to GSYM data of VERSION by CONVERT.  Aborts if the
 *  builder refuses a record, if the GSYM data do not pass gsym_verify, or if
 *  they become other bytes when they are converted again. */
enum gsym_status fuzz_whole_by(gsym_second_fn *convert, const char *path,
			       const struct gsym_convert_options *options,
			       unsigned version);

/** fuzz_whole_by with gsym_convert_file. */
static inline enum gsym_status
fuzz_whole(const char *path, const struct gsym_convert_options *options,
	   unsigned version)
{
	return fuzz_whole_by(gsym_convert_file, path, options, version);
}

#endif
