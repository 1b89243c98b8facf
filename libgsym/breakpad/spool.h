/* SPDX-License-Identifier: MIT */
/*
 * breakpad/spool.h - the text of a symbol file in memory, wherever it comes
 * from.  A plain file is mapped.  A pipe or a compressed file is copied to a
 * temporary file first: it is read twice, and may have gigabytes.
 */
#ifndef GSYM_BREAKPAD_SPOOL_H
#define GSYM_BREAKPAD_SPOOL_H

#include "breakpad/text.h"

#include <gsym/convert.h>

/** Make *RET the text of PATH ("-": standard input), inflated if need be, as
 *  OPTIONS says where temporary files go.  *COPIED: it was copied, and progress
 *  was reported as one of three parts of the work.  Errors as for
 *  gsym_convert_file.  To be freed with gsym_bp_spool_free. */
enum gsym_status gsym_bp_spool_open(const char *path,
				    const struct gsym_convert_options *options,
				    struct bp_text *ret, bool *copied,
				    struct gsym_error *error);
void gsym_bp_spool_free(struct bp_text text);

/** Copy the first bytes of the text of PATH, inflated if need be and from its
 *  first word on, to where RET lies, as many as fit; RET's end is set to
 *  theirs.  GSYM_NOT_FOUND: it is no symbol file; GSYM_ERR_UNSUPPORTED: it is
 *  one in UTF-16 or in a cabinet archive; GSYM_ERR_IO; GSYM_ERR_MEMORY. */
enum gsym_status gsym_bp_spool_head(const char *path, struct bp_text *ret);

/** Let go of the memory of the part of TEXT before AT; it is read from the file
 *  again when it is used. */
void gsym_bp_spool_forget(struct bp_text text, const char *at);

#endif
