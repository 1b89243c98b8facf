/* SPDX-License-Identifier: MIT */
/*
 * go/plan9.h - makes records of the tables of Go 1.1 and older, which have the
 * format of Plan 9.  The table of symbols also has the history of each object's
 * source files.  The table of lines is a list of bytes, from which pc and line
 * are computed.  Lines are counted as if all included files were pasted into
 * the source file.  Knows the bytes of the tables, not how they were found.
 */
#ifndef GSYM_GO_PLAN9_H
#define GSYM_GO_PLAN9_H

#include "aout/plan9_symbols.h"
#include "base/vec.h"

#include <gsym/convert.h>

/** Push a record for each function of TABLES to SINK; damage goes to
 *  OPTIONS->warn.  GSYM_ERR_CORRUPT: the symbols are of no known dialect;
 *  GSYM_ERR_MEMORY; what SINK returns. */
enum gsym_status gsym_plan9_convert(const struct gsym_plan9 *tables,
				    const struct gsym_convert_options *options,
				    const struct gsym_sink *sink,
				    struct gsym_error *error);

#endif
