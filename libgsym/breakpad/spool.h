/* SPDX-License-Identifier: MIT */
/*
 * breakpad/spool.h - maps the text of a symbol file.  A pipe or a compressed
 * file is copied to a temporary file first, because the text is read twice and
 * may have gigabytes.
 */
#ifndef GSYM_BREAKPAD_SPOOL_H
#define GSYM_BREAKPAD_SPOOL_H

#include "breakpad/text.h"

#include <gsym/convert.h>

/** Set *RET to the text of PATH ("-": standard input), inflated if it is
 *  compressed.  OPTIONS has the folder for temporary files. *COPIED becomes
 *  true if the text was copied; copying was then reported as one of three parts
 *  of the work.  Errors as for gsym_convert_file. *RET is to be freed with
 *  gsym_bp_spool_free. */
enum gsym_status gsym_bp_spool_open(const char *path,
				    const struct gsym_convert_options *options,
				    struct bp_text *ret, bool *copied,
				    struct gsym_error *error);
void gsym_bp_spool_free(struct bp_text text);

/** Copy the first bytes of the text of PATH, inflated if it is compressed and
 *  from its first word on, to the memory of RET.  RET's end becomes the end of
 *  the copied bytes.  GSYM_NOT_FOUND: PATH is no symbol file;
 *  GSYM_ERR_UNSUPPORTED: it is a symbol file in UTF-16 or in a cabinet archive;
 *  GSYM_ERR_IO; GSYM_ERR_MEMORY. */
enum gsym_status gsym_bp_spool_head(const char *path, struct bp_text *ret);

/** Release the memory of the part of TEXT before AT.  If that part is used
 *  again, it is read from the file again. */
void gsym_bp_spool_forget(struct bp_text text, const char *at);

#endif
