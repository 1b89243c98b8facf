/* SPDX-License-Identifier: MIT */
/*
 * format/sections.h - checks of single sections that the headers of both
 * versions need.  Knows no header.
 */
#ifndef GSYM_FORMAT_SECTIONS_H
#define GSYM_FORMAT_SECTIONS_H

#include "format/layout.h"

/** The name of SECTION for messages: "string table". */
const char *gsym_section_name(enum gsym_section section);

/** Check that SECTION of L lies within the image; GSYM_ERR_CORRUPT if not. */
enum gsym_status gsym_section_check(const struct gsym_layout *l,
				    enum gsym_section section,
				    struct gsym_error *error);

/** Read the number of files at the offset of the file table of L, and set the
 *  size of that table from it.  GSYM_ERR_CORRUPT if the table needs more than
 *  AVAILABLE bytes. */
enum gsym_status gsym_section_read_files(struct gsym_layout *l,
					 uint64_t available,
					 struct gsym_error *error);

#endif
