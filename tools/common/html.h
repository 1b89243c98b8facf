/* SPDX-License-Identifier: MIT */
/* html.h - writes texts and data as parts of an HTML page or an SVG image. */
#ifndef TOOLS_COMMON_HTML_H
#define TOOLS_COMMON_HTML_H

#include "common/out.h"

/** Write TEXT, but at most LIMIT (0: all) characters of it, as text of HTML and
 *  XML; also for the values of attributes in double quotes.  Bytes that are no
 *  UTF-8, and characters that are not allowed in a page, become U+FFFD. */
void html_escape(struct out *out, const char *text, size_t limit);
/** Write the LINES of a file that the build has made an array of. */
void html_lines(struct out *out, const char *const *lines);
/** Write the SIZE bytes of JSON at TEXT so that they neither end the script
 *  element nor start a comment. '<' occurs only in strings of JSON, so it can
 *  be written as an escape. */
void html_embed(struct out *out, const char *text, size_t size);

#endif /* TOOLS_COMMON_HTML_H */
