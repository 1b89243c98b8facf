/* SPDX-License-Identifier: MIT */
/* personality/source.c - lines of source code around an answer. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/path.h"
#include "personality/personality.h"

static unsigned digits_of(uint64_t number)
{
	unsigned digits = 0;
	/* LLVM's width, which is one too few for powers of ten. */
	for (uint64_t power = 1; power < number; power *= 10)
		digits++;
	return digits;
}

/* Write the LENGTH bytes at LINE, source code.  Of the control characters only
 * those are left that lines have: tabs, and carriage returns at their ends. */
static void write_line(struct out *out, const char *line, size_t length)
{
	while (length) {
		size_t run = 0;
		while (run < length && line[run] != '\t' &&
		       (line[run] != '\r' || run + 1 < length))
			run++;
		out_foreign_bytes(out, line, run);
		if (run < length)
			out_bytes(out, line + run++, 1);
		line += run;
		length -= run;
	}
}

void source_write(struct out *out, uint64_t count,
		  const struct gsym_frame *frame)
{
	uint64_t line = 1;
	uint64_t first = frame->line > count / 2 ? frame->line - count / 2 : 1;
	size_t size;
	if (!count || !frame->line || !*frame->basename)
		return;
	char *path = path_join(frame->directory, frame->basename);
	char *bytes = (char *)file_read(path, &size);
	free(path);
	if (!bytes)
		return;
	unsigned width = digits_of(first + count - 1);
	const char *end = bytes + size;
	for (const char *at = bytes; at < end && line < first + count; line++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *stop = feed ? feed : end;
		if (line >= first) {
			out_printf(out, "%-*" PRIu64 " %s: ", (int)width, line,
				   line == frame->line ? ">" : " ");
			write_line(out, at, (size_t)(stop - at));
			out_text(out, "\n");
		}
		at = stop + 1;
	}
	free(bytes);
}
