/* SPDX-License-Identifier: MIT */
/*
 * pages.h - a log as a series of HTML pages in a folder, and their index: for
 * logs that are too large for one page.
 */
#ifndef TOOLS_MARKUP_PAGES_H
#define TOOLS_MARKUP_PAGES_H

#include "markup/markup.h"

struct pages;

/** Make the folder DIR if it is missing.  Dies if that is not possible. */
struct pages *pages_new(const char *dir);
void pages_free(struct pages *p);
/** Append SIZE bytes to the page at hand. */
void pages_write(struct pages *p, const char *bytes, size_t size);
/** Whether a page is being written. */
bool pages_is_open(const struct pages *p);
/** Callbacks of the filter, with a struct markup as CONTEXT. */
void pages_part(void *context, const struct gsym_markup_part *part);
void pages_frame(void *context, const struct gsym_markup_stack_frame *frame);
/** Write the index.  TITLE may be NULL. */
void pages_end(struct markup *m, const char *title);

/** The files of tools/markup/pages as arrays of lines, which the build makes;
 *  NULL ends them. */
extern const char *const pages_index_css[], *const pages_index_js[];

#endif /* TOOLS_MARKUP_PAGES_H */
