/* SPDX-License-Identifier: MIT */
/*
 * breakpad/breakpad.h - reads the text symbol files of Breakpad (.sym).  Knows
 * neither ELF nor DWARF, and the program only as a container.
 *
 * The format is described in google/breakpad (docs/symbol_files.md).  Read is
 * also what that does not describe and the various dump_syms programs wrote.
 */
#ifndef GSYM_BREAKPAD_BREAKPAD_H
#define GSYM_BREAKPAD_BREAKPAD_H

#include <gsym/convert.h>

/** Whether a file that begins with the SIZE bytes at HEAD is a symbol file,
 *  neither compressed nor in UTF-16: its first word is MODULE. */
bool gsym_breakpad_plain_matches(const uint8_t *head, size_t size);

/** As gsym_breakpad_plain_matches; true also for every file that is compressed,
 *  in a cabinet archive or in UTF-16. */
bool gsym_breakpad_matches(const uint8_t *head, size_t size);

/** How many of the SIZE bytes at HEAD, the start of a text, come before its
 *  first word: a mark of UTF-8, blanks and ends of lines. */
size_t gsym_breakpad_blanks(const uint8_t *head, size_t size);

/** Whether the first word of the SIZE bytes at HEAD is the keyword of any
 *  record. */
bool gsym_breakpad_starts(const uint8_t *head, size_t size);

struct gsym_container;

/** Read the symbol file at PATH into BUILDER and FACTS, as gsym_convert_file
 *  does.  PROGRAM is the one that it describes; NULL: not given.  With
 *  GSYM_ERR_FORMAT the message has the line and column that is no record. */
enum gsym_status
gsym_breakpad_convert(const char *path, const struct gsym_container *program,
		      const struct gsym_convert_options *options,
		      struct gsym_builder *builder,
		      struct gsym_convert_facts *facts,
		      struct gsym_error *error);

#endif
