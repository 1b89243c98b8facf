/* SPDX-License-Identifier: MIT */
/* breakpad_input.h - bytes as a Breakpad symbol file, all the way to answers.
 */
#ifndef GSYM_TESTS_BREAKPAD_INPUT_H
#define GSYM_TESTS_BREAKPAD_INPUT_H

#include <gsym/convert.h>

/** Whatever the SIZE bytes at BYTES are: a file, or an error.  Aborts where
 *  the file is not sound, or a function in it has no answer at its start.
 *  Returns how many functions it has. */
uint64_t breakpad_input_convert(const void *bytes, size_t size,
				const struct gsym_convert_options *options);

/** Open a file in memory with SIZE bytes; PATH, of 64 bytes, names it until
 *  it is closed. */
int breakpad_input_file(const void *bytes, size_t size, char *path);

/** The fixture NUMBER, malloc'ed; NULL behind the last one. */
uint8_t *breakpad_input_fixture(unsigned number, size_t *size);

#endif
