/* SPDX-License-Identifier: MIT */
/*
 * capture.h - the output of a struct out as a string, by way of an unnamed
 * temporary file.
 */
#ifndef TESTS_UNIT_COMMON_CAPTURE_H
#define TESTS_UNIT_COMMON_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/out.h"

static FILE *capture_file;

/* Open OUT; one at a time. */
static inline void capture_start(struct out *out, enum out_colour colour)
{
	capture_file = tmpfile();
	if (!capture_file)
		abort();
	out_init(out, fileno(capture_file), "capture", colour);
}

/* Close OUT.  Returns its output, malloc'ed; *SIZE, unless NULL, becomes the
 * number of bytes. */
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

#endif /* TESTS_UNIT_COMMON_CAPTURE_H */
