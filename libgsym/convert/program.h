/* SPDX-License-Identifier: MIT */
/*
 * convert/program.h - from a path to a program: which format it is in, where its
 * debug info is, and where that goes on.  Knows the formats by name alone.
 */
#ifndef GSYM_CONVERT_PROGRAM_H
#define GSYM_CONVERT_PROGRAM_H

#include "container/container.h"

/** Enough of a file's start to tell what it is. */
enum { GSYM_HEAD_SIZE = 64 };

/** Read the first *SIZE bytes of the regular file PATH, GSYM_HEAD_SIZE at
 *  most. */
enum gsym_status gsym_program_head(const char *path, uint8_t *head,
				   size_t *size, struct gsym_error *error);
/** The same, from the first word of a text on: any number of blanks may stand
 *  before it. */
enum gsym_status gsym_program_first_word(const char *path, uint8_t *head,
					 size_t *size,
					 struct gsym_error *error);

/** Whether the first SIZE bytes of a file may be those of a program. */
bool gsym_program_matches(const uint8_t *head, size_t size);

/** Load PATH and all files that belong to it, as one container. */
enum gsym_status gsym_program_load(const char *path,
				   const struct gsym_convert_options *options,
				   struct gsym_container **ret,
				   struct gsym_error *error);

/** Load OPTIONS->program_file, of a symbol file: what it is, and where it
 *  lies. */
enum gsym_status
gsym_program_open_facts(const struct gsym_convert_options *options,
			struct gsym_container **ret, struct gsym_error *error);

#endif
