/* SPDX-License-Identifier: MIT */
/*
 * capture.h - what a struct out wrote, as a string: it goes to an unnamed
 * temporary file first.
 */
#ifndef TESTS_UNIT_TOOLS_CAPTURE_H
#define TESTS_UNIT_TOOLS_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/out.h"

static FILE *capture_file;

static inline void capture_start(struct out *out, enum out_colour colour)
{
	capture_file = tmpfile();
	if (!capture_file)
		abort();
	out_init(out, fileno(capture_file), "capture", colour);
}

/* Everything since capture_start; *SIZE may be NULL. */
static inline char *capture_end(struct out *out, size_t *size)
{
	out_fini(out);
	off_t length = lseek(fileno(capture_file), 0, SEEK_END);
	char *text = calloc(1, length + 1);
	if (!text || pread(fileno(capture_file), text, length, 0) != length)
		abort();
	fclose(capture_file);
	if (size)
		*size = length;
	return text;
}

#endif /* TESTS_UNIT_TOOLS_CAPTURE_H */
