/* SPDX-License-Identifier: MIT */
/*
 * breakpad/breakpad.h - Breakpad text symbol files (.sym).  Knows neither ELF
 * nor DWARF, and of the program what a container says.
 *
 * The format is that of google/breakpad (docs/symbol_files.md) and of what
 * dump_syms programs have really written, which is more.
 */
#ifndef GSYM_BREAKPAD_BREAKPAD_H
#define GSYM_BREAKPAD_BREAKPAD_H

#include <gsym/convert.h>

/** Whether a file that starts with these bytes is a symbol file; or one, or
 *  anything else, that is compressed. */
bool gsym_breakpad_plain_matches(const uint8_t *head, size_t size);
bool gsym_breakpad_matches(const uint8_t *head, size_t size);

/** How many of these bytes, with which a text starts, stand before its first
 *  word: the mark that it is UTF-8, and blanks. */
size_t gsym_breakpad_blanks(const uint8_t *head, size_t size);

/** Whether it starts with any record of such files; MODULE comes first as a
 *  rule. */
bool gsym_breakpad_starts(const uint8_t *head, size_t size);

struct gsym_container;

/** Read the symbol file at PATH into BUILDER; PROGRAM, which it is of, may be
 *  NULL.  GSYM_ERR_FORMAT names line and column if it is none. */
enum gsym_status
gsym_breakpad_convert(const char *path, const struct gsym_container *program,
		      const struct gsym_convert_options *options,
		      struct gsym_builder *builder,
		      struct gsym_convert_facts *facts,
		      struct gsym_error *error);

#endif
