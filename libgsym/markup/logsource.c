/* SPDX-License-Identifier: MIT */
/* Lines of source code below lines of the log, and how they are known when the
 * output is filtered again. */
#include "config.h"

#include "markup/logs.h"

#include "logs/scan.h"
#include "markup/filter.h"

/* Tabs in source code reach to the next multiple of this column. */
enum { TAB = 8 };

static unsigned digits_of(uint64_t number)
{
	unsigned digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

/* Write the SIZE bytes of source code at AT, with blanks in place of tabs. */
static void put_code(struct gsym_mk_out *o, const char *at, size_t size)
{
	size_t column = 0;

	while (size) {
		const char *tab = memchr(at, '\t', size);
		size_t run = tab ? (size_t)(tab - at) : size;

		gsym_mk_paint_foreign(o, at, run);
		column += run;
		at += run;
		size -= run;
		if (!tab)
			break;
		gsym_mk_paint_plain(o, "        ", TAB - column % TAB);
		column += TAB - column % TAB;
		at++;
		size--;
	}
}

/* Write "    > LINE | " after the text before FRAME. */
static void put_head(struct gsym_markup *f, const struct logs_frame *frame,
		     uint32_t line, bool marked, unsigned width)
{
	struct gsym_mk_out *o = &f->out;

	gsym_mk_begin_line(o);
	gsym_mk_paint_text(o, f->line.at, frame->start);
	gsym_mk_paint_plain(o, marked ? "    > " : "      ", 6);
	for (unsigned digits = digits_of(line); digits < width; digits++)
		gsym_mk_paint_plain(o, " ", 1);
	gsym_mk_put_decimal(o, line);
	gsym_mk_paint_plain(o, " | ", 3);
}

size_t gsym_mk_log_put_source(struct gsym_markup *f,
			      const struct logs_frame *frame,
			      struct gsym_mk_level *level, size_t room)
{
	uint32_t count = (uint32_t)f->options.log_source_lines, first;
	size_t before = f->out.text.count;
	struct gsym_mk_level stripped;
	const struct gsym_markup_frame *place =
		&gsym_mk_log_level(f, level, &stripped)->frame;

	if (!place->line || !*place->basename)
		return 0;
	if (count > GSYM_MARKUP_MAX_SOURCE)
		count = GSYM_MARKUP_MAX_SOURCE;
	first = place->line > count / 2 ? place->line - count / 2 : 1;
	if (first > UINT32_MAX - count)
		return 0;
	for (uint32_t line = first; line < first + count; line++) {
		size_t size;
		const char *text = f->host.source(f->host.context, place, line,
						  &size);

		if (!text || f->out.text.count - before > room)
			break;
		gsym_mk_fresh_line(&f->out);
		put_head(f, frame, line, line == place->line,
			 digits_of(first + count - 1));
		put_code(&f->out, text, size);
		gsym_mk_end_line(&f->out, gsym_mk_newline(&f->line));
	}
	return f->out.text.count - before;
}

/* The start of the blanks before END. */
static const char *before_blanks(const char *at, const char *end)
{
	while (end > at && end[-1] == ' ')
		end--;
	return end;
}

/* What stands before a "|". */
enum head {
	HEAD_NONE,
	/* "    > LINE ", the start of the line of source code of a place. */
	HEAD_PLACE,
	/* "      LINE ": other lines of source code, and lines of a log that
	 * someone has numbered. */
	HEAD_NUMBER,
};

static enum head head_of(const char *at, const char *bar)
{
	const char *end = before_blanks(at, bar), *digits = end, *mark;

	while (digits > at && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	mark = before_blanks(at, digits);
	if (bar - end != 1 || digits == end || mark == digits)
		return HEAD_NONE;
	if (digits - mark >= 6)
		return HEAD_NUMBER;
	return mark > at && mark[-1] == '>' &&
			       mark - 1 - before_blanks(at, mark - 1) >= 4
		       ? HEAD_PLACE
		       : HEAD_NONE;
}

bool gsym_mk_log_is_source(struct gsym_markup *f, const char *at,
			   const char *end, struct gsym_mk_log_heads *known)
{
	const char *bar = known->to ? known->to : at;
	enum head head = (enum head)known->found;

	while (head == HEAD_NONE && (bar = logs_find(bar, end, "| "))) {
		head = head_of(at, bar++);
		known->to = bar;
	}
	/* The bar may be the last byte. */
	if (head == HEAD_NONE && end > at)
		known->to = end - 1;
	known->found = head;
	if (head == HEAD_NONE)
		f->logs->unnumbered = true;
	/* In a log with numbered lines those with frames have numbers, too. */
	return head == HEAD_PLACE ||
	       (head == HEAD_NUMBER && f->logs->unnumbered);
}
