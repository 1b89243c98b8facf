/* SPDX-License-Identifier: MIT */
/*
 * markup/lognames.h - names of functions, as logs and symbols write them.
 */
#ifndef GSYM_MARKUP_LOGNAMES_H
#define GSYM_MARKUP_LOGNAMES_H

#include "markup/parse.h"

/** NAME without version ("@@GLIBC_2.34") and parameters. */
struct gsym_mk_slice gsym_mk_log_plain(struct gsym_mk_slice name);
/** Take a suffix of the compiler, such as ".cold" or ".isra.0", from the end of
 *  NAME; false if there is none. */
bool gsym_mk_log_cut_suffix(struct gsym_mk_slice *name);
/** Whether two names may be of one function: without parameters, suffixes and
 *  the marks of internal names, one is the start of the other. */
bool gsym_mk_log_same_name(struct gsym_mk_slice a, struct gsym_mk_slice b);
/** Whether NAME up to its parameters stands in TEXT, and is no part of a longer
 *  name there. */
bool gsym_mk_log_names(struct gsym_mk_slice text, struct gsym_mk_slice name);
/** Whether signal handlers return to the function NAME. */
bool gsym_mk_log_names_trampoline(struct gsym_mk_slice name);

#endif
