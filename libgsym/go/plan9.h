/* SPDX-License-Identifier: MIT */
/*
 * go/plan9.h - the tables of Go 1.1 and older, which came from Plan 9, to
 * records: a table of symbols that holds the history of each object's source
 * files, and one list of bytes that says at which pc which line begins, lines
 * being counted as if all included files were pasted in.  Knows the bytes;
 * never how they were found.
 */
#ifndef GSYM_GO_PLAN9_H
#define GSYM_GO_PLAN9_H

#include "aout/plan9_symbols.h"
#include "base/vec.h"

#include <gsym/convert.h>

/** Hand the functions to SINK. GSYM_ERR_CORRUPT: the symbols are of no known
 *  dialect. */
enum gsym_status gsym_plan9_convert(const struct gsym_plan9 *tables,
				    const struct gsym_convert_options *options,
				    const struct gsym_sink *sink,
				    struct gsym_error *error);

#endif
