/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the reader: opening bytes, and answers as text. */
#ifndef GSYM_TESTS_ANSWERS_H
#define GSYM_TESTS_ANSWERS_H

#include "support/gsym_bytes.h"

#include <criterion/criterion.h>
#include <gsym/reader.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static inline struct gsym_reader *open_bytes(const uint8_t *data, size_t size)
{
	struct gsym_error error = { 0 };
	struct gsym_reader *reader = NULL;

	cr_assert(gsym_open_memory(data, size, &reader, &error) == GSYM_OK,
		  "%s", error.message);
	return reader;
}

/* The COUNT frames as llvm-gsymutil prints them, with SEPARATOR between
 * frames.  The text is valid until the next call. */
static inline const char *frames_text(const struct gsym_frame *frames,
				      size_t count, const char *separator)
{
	static char text[8192];
	size_t used = 0;

	text[0] = 0;
	for (size_t i = 0; i < count && used < sizeof(text) - 1024; i++) {
		const struct gsym_frame *f = &frames[i];

		used += (size_t)snprintf(text + used, 512, "%s%s",
					 i ? separator : "", f->function);
		if (f->offset)
			used += (size_t)snprintf(text + used, 32,
						 " + %" PRIu64, f->offset);
		if (*f->directory || *f->basename)
			used += (size_t)snprintf(text + used, 512,
						 " @ %s%s%s:%" PRIu32,
						 f->directory,
						 *f->directory ? "/" : "",
						 f->basename, f->line);
		else
			cr_expect(f->line == 0, "a line without a file");
		if (f->inlined)
			used += (size_t)snprintf(text + used, 16, " [inlined]");
		cr_expect(f->inlined == (i + 1 < count));
	}
	return text;
}

/* The frames of ADDRESS, or the status, as text that is valid until the next
 * call. */
static inline const char *answer(const struct gsym_reader *reader,
				 uint64_t address)
{
	struct gsym_frame frames[32];
	struct gsym_match match;
	enum gsym_status status = gsym_lookup(reader, address, 0, frames, 32,
					      &match, NULL);

	if (status != GSYM_OK)
		return gsym_status_text(status);
	cr_assert(match.frame_count >= 1 && match.frame_count <= 32);
	return frames_text(frames, match.frame_count, "; ");
}

static inline void expect_answer(const struct gsym_reader *reader,
				 uint64_t address, const char *wanted)
{
	const char *text = answer(reader, address);

	cr_expect(strcmp(text, wanted) == 0,
		  "0x%" PRIx64 " is '%s', not '%s'", address, text, wanted);
}

#endif
