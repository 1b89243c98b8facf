/* SPDX-License-Identifier: MIT */
/* Messages about the log, on standard error. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "common/report.h"
#include "markup/markup.h"

/* Write the SIZE bytes of the log at AT as a line.  Unless RAW, bytes that a
 * terminal must not get become '?', and a tab a blank. */
static void put_line(const char *at, size_t size, bool raw)
{
	/* Standard error has no buffer: a call of putc is a system call. */
	char text[1024];
	size_t used = 0;
	for (size_t length; size; at += length, size -= length) {
		size_t harmful = raw ? 0 : gsym_utf8_harmful(at, size);

		length = harmful ? harmful : gsym_utf8_length(at, size);
		length = length ? length : 1;
		for (size_t i = 0; i < length; i++) {
			text[used++] = !harmful	  ? at[i]
				       : *at == '\t' ? ' '
						     : '?';
			if (used + 1 == sizeof(text)) {
				fwrite(text, 1, used, stderr);
				used = 0;
			}
		}
	}
	text[used++] = '\n';
	fwrite(text, 1, used, stderr);
}

/* Whether MESSAGE is like "expected 1 field(s); found 2". */
static bool is_count(const char *message)
{
	static const char start[] = "expected ";
	size_t length = sizeof(start) - 1;
	return strncmp(message, start, length) == 0 &&
	       message[length] >= '0' && message[length] <= '9';
}

void markup_diagnose(void *context, const struct gsym_markup_diagnostic *d)
{
	static const char *const words[] = { "note", "warning", "error" };
	static const char *const colours[] = { "\033[0;1;36m",
					       "\033[0;1;35m",
					       "\033[0;1;31m" };
	struct markup *m = context;
	bool colour = m->message_colour;
	bool llvm = m->options.style == GSYM_MARKUP_STYLE_LLVM;
	m->errors += d->severity == GSYM_MARKUP_ERROR;
	if (report_is_quiet())
		return;
	if (m->one_place)
		out_flush(&m->out);
	const char *plain = colour ? "\033[0m" : "";
	/* llvm-symbolizer's colour of these messages includes the line end. */
	bool whole = colour && is_count(d->message);
	fprintf(stderr, "%s%s: %s%s%s%s%s", colour ? colours[d->severity] : "",
		words[d->severity], whole ? "" : plain, d->message,
		whole && !llvm ? plain : "", "\n", whole && llvm ? plain : "");
	if (d->line) {
		/* If the line is long, show only the part around the place. */
		size_t size = d->line_size, from = 0;
		if (size > 4096 && !llvm) {
			from = d->at > 200 ? d->at - 200 : 0;
			size = size - from < 400 ? size - from : 400;
		}
		put_line(d->line + from, size, llvm);
		fprintf(stderr, "%*s%s^%s\n", (int)(d->at - from), "",
			colour ? "\033[0;32m" : "", plain);
	}
	fflush(stderr);
}

void markup_note(const struct markup *m, const char *format, ...)
{
	char text[1024];
	va_list args;
	(void)m;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	report_note("note: %s", text);
}
