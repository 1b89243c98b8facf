/* SPDX-License-Identifier: MIT */
/* Standard input and output of code of the tools. */
#include "config.h"

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "fuzz/tool.h"

#include "common/out.h"
#include "common/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is read, and how much of it at once. */
static struct fuzz_part input;
static size_t most;
/* A file in memory for outputs. */
static int output = -1;

bool __wrap_out_input_wait(int milliseconds);
ssize_t __wrap_out_read_input(struct out *out, char *to, size_t size);
void __wrap_out_init(struct out *out, int fd, const char *name,
		     enum out_colour colour);
void __real_out_init(struct out *out, int fd, const char *name,
		     enum out_colour colour);
void __wrap_warn(const char *format, ...);
void __wrap_extra_note(const char *format, ...);

bool __wrap_out_input_wait(int milliseconds)
{
	(void)milliseconds;
	return false;
}

ssize_t __wrap_out_read_input(struct out *out, char *to, size_t size)
{
	const uint8_t *feed = memchr(input.bytes, '\n', input.size);

	if (size > input.size)
		size = input.size;
	if (most && size > most)
		size = most;
	if (!most && feed && size > (size_t)(feed + 1 - input.bytes))
		size = (size_t)(feed + 1 - input.bytes);
	out_flush(out);
	memcpy(to, input.bytes, size);
	input.bytes += size;
	input.size -= size;
	return (ssize_t)size;
}

void __wrap_out_init(struct out *out, int fd, const char *name,
		     enum out_colour colour)
{
	(void)fd;
	if (output < 0)
		output = memfd_create("output", MFD_CLOEXEC);
	fuzz_require(output >= 0);
	__real_out_init(out, output, name, colour);
}

/* Messages for people. */
void __wrap_warn(const char *format, ...)
{
	fuzz_require(*format);
}

void __wrap_extra_note(const char *format, ...)
{
	fuzz_require(*format);
}

void fuzz_tool_input(struct fuzz_part text, size_t piece)
{
	input = text;
	most = piece;
}

char *fuzz_tool_output(size_t *size)
{
	off_t end = output < 0 ? 0 : lseek(output, 0, SEEK_CUR);
	char *bytes = malloc((size_t)end + 1);

	fuzz_require(end >= 0 && bytes);
	fuzz_require(!end || pread(output, bytes, (size_t)end, 0) == end);
	bytes[end] = '\0';
	*size = (size_t)end;
	if (end)
		fuzz_require(!ftruncate(output, 0) &&
			     !lseek(output, 0, SEEK_SET));
	return bytes;
}

char *fuzz_tool_compare(fuzz_answer *answer, void *context,
			struct fuzz_part text, size_t piece, size_t *size)
{
	size_t alone_size;
	char *whole, *alone;

	answer(context, text, piece);
	whole = fuzz_tool_output(size);
	answer(context, text, 0);
	alone = fuzz_tool_output(&alone_size);
	fuzz_require(*size == alone_size && !memcmp(whole, alone, *size));
	free(alone);
	return whole;
}
