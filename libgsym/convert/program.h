/* SPDX-License-Identifier: MIT */
/*
 * convert/program.h - loads a program with its debug file, supplementary file
 * and split units as one container.  Knows of each format only which functions
 * load it.
 */
#ifndef GSYM_CONVERT_PROGRAM_H
#define GSYM_CONVERT_PROGRAM_H

#include "container/container.h"

/** Bytes at the start of a file that tell its format. */
enum { GSYM_HEAD_SIZE = 64 };

/** Read the first bytes of the regular file PATH to HEAD, which has room for
 *  GSYM_HEAD_SIZE; *SIZE is how many were read.  GSYM_ERR_IO: it is no regular
 *  file, or cannot be read. */
enum gsym_status gsym_program_head(const char *path, uint8_t *head,
				   size_t *size, struct gsym_error *error);
/** As gsym_program_head, but skip blanks and line breaks at the start of the
 *  file. */
enum gsym_status gsym_program_first_word(const char *path, uint8_t *head,
					 size_t *size,
					 struct gsym_error *error);

/** Whether a file that begins with the SIZE bytes at HEAD may be a program
 *  (ELF, Mach-O, PE or Plan 9). */
bool gsym_program_matches(const uint8_t *head, size_t size);

/** Load the program at PATH with its debug file, supplementary file (dwz) and
 *  split units.  OPTIONS says where to search for these. */
enum gsym_status gsym_program_load(const char *path,
				   const struct gsym_convert_options *options,
				   struct gsym_container **ret,
				   struct gsym_error *error);

/** Load sections and symbols of the program in the SIZE bytes at BYTES; other
 *  files are not looked for.  GSYM_ERR_FORMAT: no program of a known format;
 *  else as gsym_container_load_fn. */
enum gsym_status
gsym_program_load_sections(const uint8_t *bytes, size_t size,
			   const struct gsym_convert_options *options,
			   struct gsym_container **ret,
			   struct gsym_error *error);

/** Load OPTIONS->program_file, the program of a Breakpad file: build ID, base
 *  address and ranges of code. */
enum gsym_status
gsym_program_open_facts(const struct gsym_convert_options *options,
			struct gsym_container **ret, struct gsym_error *error);

/** Whether OPTIONS is neither NULL nor has an array that is NULL. */
bool gsym_program_options_ok(const struct gsym_convert_options *options);

#endif
