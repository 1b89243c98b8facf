/* SPDX-License-Identifier: MIT */
/*
 * breakpad/breakpad.h - reads the text symbol files of Breakpad (.sym).  Knows
 * neither ELF nor DWARF, and the program only as a container.
 *
 * The format is described in google/breakpad (docs/symbol_files.md).  Records
 * that this document does not describe, but that some dump_syms wrote, are
 * read, too.
 */
#ifndef GSYM_BREAKPAD_BREAKPAD_H
#define GSYM_BREAKPAD_BREAKPAD_H

#include <gsym/convert.h>

/** Whether a file that begins with the SIZE bytes at HEAD is a symbol file,
 *  neither compressed nor in UTF-16: its first word is MODULE. */
bool gsym_breakpad_plain_matches(const uint8_t *head, size_t size);

/** As gsym_breakpad_plain_matches.  Returns true also for every compressed
 *  file, every cabinet archive and every file in UTF-16. */
bool gsym_breakpad_matches(const uint8_t *head, size_t size);

/** The number of bytes before the first word of a text that begins with the
 *  SIZE bytes at HEAD: a UTF-8 byte order mark, blanks and line ends. */
size_t gsym_breakpad_blanks(const uint8_t *head, size_t size);

/** Copy the first bytes of the file PATH to HEAD, inflated if PATH is
 *  compressed by gzip or zstd; *SIZE is the room at HEAD, and becomes the
 *  number of copied bytes.  Blanks and line ends before the first word are left
 *  out.  GSYM_NOT_FOUND: there are no bytes, or PATH is in UTF-16 or a cabinet
 *  archive; GSYM_ERR_IO; GSYM_ERR_MEMORY. */
enum gsym_status gsym_breakpad_head(const char *path, uint8_t *head,
				    size_t *size);

/** Set *RET to a descriptor, which the caller closes, of a file with what
 *  standard input has left, of any format: standard input itself if it is a
 *  regular file, else a copy in the folder for temporary files of OPTIONS.
 *  Errors as for gsym_convert_file. */
enum gsym_status
gsym_breakpad_standard_input(const struct gsym_convert_options *options,
			     int *ret, struct gsym_error *error);

/** Whether the first word of the SIZE bytes at HEAD is the keyword of any
 *  record. */
bool gsym_breakpad_starts(const uint8_t *head, size_t size);

struct gsym_container;

/** Read the symbol file at PATH into BUILDER and FACTS, as gsym_convert_file
 *  does.  PROGRAM is the program that the file describes; NULL: not given.  The
 *  message for GSYM_ERR_FORMAT has the line and column where a record was
 *  expected. */
enum gsym_status
gsym_breakpad_convert(const char *path, const struct gsym_container *program,
		      const struct gsym_convert_options *options,
		      struct gsym_builder *builder,
		      struct gsym_convert_facts *facts,
		      struct gsym_error *error);

#endif
