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

struct breakpad_result {
	uint8_t *bytes;
	size_t size;
	struct gsym_reader *reader;
	struct gsym_convert_facts facts;
	unsigned warnings[GSYM_WARN_COUNT];
	/** The first of each kind. */
	char first[GSYM_WARN_COUNT][GSYM_ERROR_MESSAGE_SIZE];
	struct gsym_error error;
};

/** Convert SIZE bytes, or the text TEXT, with what OPTIONS (or NULL) say but
 *  for its callbacks; RET is to be given back after GSYM_OK. */
enum gsym_status breakpad_input_bytes(const char *bytes, size_t size,
				      const struct gsym_convert_options *options,
				      struct breakpad_result *ret);
enum gsym_status breakpad_input_text(const char *text,
				     const struct gsym_convert_options *options,
				     struct breakpad_result *ret);
void breakpad_result_fini(struct breakpad_result *result);
/** What RESULT says of ADDRESS: "FUNCTION PATH:LINE" for each frame,
 *  innermost first, with " < " between them; "none".  Lives until the next
 *  call. */
const char *breakpad_answer(const struct breakpad_result *result,
			    uint64_t address);

/** Open a file in memory with SIZE bytes; PATH, of 64 bytes, names it until
 *  it is closed. */
int breakpad_input_file(const void *bytes, size_t size, char *path);

/** The fixture NUMBER, malloc'ed; NULL behind the last one. */
uint8_t *breakpad_input_fixture(unsigned number, size_t *size);

#endif
