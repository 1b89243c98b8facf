/* SPDX-License-Identifier: MIT */
/*
 * tests/fuzz/tool.h - standard input and output of code of the tools.  Targets
 * that use it are linked with $(fuzz_tool_ldflags), which replace functions of
 * common/out.h and common/report.h.
 */
#ifndef GSYM_TESTS_FUZZ_TOOL_H
#define GSYM_TESTS_FUZZ_TOOL_H

#include "fuzz/parts.h"

/** Let the code read TEXT from now on, at most PIECE bytes at once; 0: a line
 *  at once. */
void fuzz_tool_input(struct fuzz_part text, size_t piece);
/** All that was written to outputs since the last call, malloc'ed, with a NUL
 *  after it. */
char *fuzz_tool_output(size_t *size);
/** The function of a target that answers TEXT, see fuzz_tool_input. */
typedef void fuzz_answer(void *context, struct fuzz_part text, size_t piece);
/** Have ANSWER answer TEXT in pieces of PIECE bytes and line by line, and
 *  require that the answers are the same.  Returns the output, malloc'ed. */
char *fuzz_tool_compare(fuzz_answer *answer, void *context,
			struct fuzz_part text, size_t piece, size_t *size);

#endif
