/* SPDX-License-Identifier: MIT */
/* breakpad_input.h - converts the bytes of a Breakpad symbol file and looks up
 * addresses in the result. */
#ifndef GSYM_TESTS_BREAKPAD_INPUT_H
#define GSYM_TESTS_BREAKPAD_INPUT_H

#include <gsym/convert.h>

/** Convert the SIZE bytes at BYTES, which may be damaged.  Returns the number
 *  of functions in the GSYM file; 0 if the bytes are refused.  Aborts if the
 *  GSYM file is not sound, or has no answer for the start of a function. */
uint64_t breakpad_input_convert(const void *bytes, size_t size,
				const struct gsym_convert_options *options);

struct breakpad_result {
	uint8_t *bytes;
	size_t size;
	struct gsym_reader *reader;
	struct gsym_convert_facts facts;
	unsigned warnings[GSYM_WARN_COUNT];
	/** The text of the first warning of each kind. */
	char first[GSYM_WARN_COUNT][GSYM_ERROR_MESSAGE_SIZE];
	struct gsym_error error;
};

/** Convert SIZE bytes, or the text TEXT.  OPTIONS may be NULL; their callback
 *  for warnings is replaced.  After GSYM_OK RET is to be freed with
 *  breakpad_result_fini. */
enum gsym_status
breakpad_input_bytes(const char *bytes, size_t size,
		     const struct gsym_convert_options *options,
		     struct breakpad_result *ret);
enum gsym_status breakpad_input_text(const char *text,
				     const struct gsym_convert_options *options,
				     struct breakpad_result *ret);
void breakpad_result_fini(struct breakpad_result *result);
/** The frames of RESULT at ADDRESS: "FUNCTION PATH:LINE" for each, innermost
 *  first, with " < " between two; "none" if there are none.  The text is valid
 *  until the next call. */
const char *breakpad_answer(const struct breakpad_result *result,
			    uint64_t address);

/** Make a file in memory with SIZE bytes.  Returns its descriptor; PATH, which
 *  has room for 64 bytes, names the file until the descriptor is closed. */
int breakpad_input_file(const void *bytes, size_t size, char *path);

/** The bytes of fixture NUMBER, malloc'ed; NULL after the last one. */
uint8_t *breakpad_input_fixture(unsigned number, size_t *size);

#endif
