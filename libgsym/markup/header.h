/* SPDX-License-Identifier: MIT */
/*
 * markup/header.h - the headers that loggers put at the start of each line, and
 * the process that a header names.  Knows bytes only, not elements or
 * processes.
 */
#ifndef GSYM_MARKUP_HEADER_H
#define GSYM_MARKUP_HEADER_H

#include <gsym/markup.h>

#include "markup/text.h"

/** Bytes of the longest header. */
#define GSYM_MK_MAX_HEADER 1024

struct gsym_mk_regex;

/** How lines name their process. */
struct gsym_mk_headers {
	enum gsym_markup_headers kind;
	/** For GSYM_MARKUP_HEADERS_REGEX, otherwise NULL. */
	struct gsym_mk_regex *regex;
};

/** Make H ready.  GSYM_ERR_ARGUMENT if OPTIONS has no regular expression with
 *  a group, but should. */
enum gsym_status gsym_mk_headers_init(struct gsym_mk_headers *h,
				      const struct gsym_markup_options *options,
				      struct gsym_error *error);
void gsym_mk_headers_fini(struct gsym_mk_headers *h);
/** Whether a regular expression was not tried on a line since the last call,
 *  because memory ran out. */
bool gsym_mk_headers_out_of_memory(struct gsym_mk_headers *h);

/** Bytes of the header of the line AT, with the blanks after it; 0 if H finds
 *  none.  NAME is set to the process that the header names. */
size_t gsym_mk_header(const struct gsym_mk_headers *h, const char *at,
		      size_t size, struct gsym_mk_slice *name);
/** As gsym_mk_header, but if H has no kind it finds headers of all kinds; and
 *  it finds headers that name no process. */
size_t gsym_mk_any_header(const struct gsym_mk_headers *h, const char *at,
			  size_t size);

#endif
