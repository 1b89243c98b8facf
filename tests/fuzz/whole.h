/* SPDX-License-Identifier: MIT */
/* tests/fuzz/whole.h - converts files for fuzz targets, by the public
 * functions. */
#ifndef GSYM_TESTS_FUZZ_WHOLE_H
#define GSYM_TESTS_FUZZ_WHOLE_H

#include <gsym/convert.h>

/** Convert the file PATH to GSYM data of VERSION.  Aborts if the builder
 *  refuses a record, if the GSYM data do not pass gsym_verify, or if they
 *  become other bytes when they are converted again. */
enum gsym_status fuzz_whole(const char *path,
			    const struct gsym_convert_options *options,
			    unsigned version);

#endif
