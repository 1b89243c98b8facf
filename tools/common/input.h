/* SPDX-License-Identifier: MIT */
/*
 * input.h - standard input of a tool that answers it.  A program that writes a
 * line and waits for the answer gets the answer before the tool waits for more.
 */
#ifndef TOOLS_COMMON_INPUT_H
#define TOOLS_COMMON_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/out.h"

/** Whether a read would not block. */
bool input_ready(void);
/** Read up to SIZE bytes to TO.  Before it waits for input, the answers in OUT
 *  are written.  Returns the number of bytes, 0 at the end of the input, or -1
 *  with errno set. */
ssize_t input_read(struct out *out, char *to, size_t size);

#endif /* TOOLS_COMMON_INPUT_H */
