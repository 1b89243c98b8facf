/* SPDX-License-Identifier: MIT */
#include "markup/filter.h"

/** Bytes that are collected before they are handed over. */
enum { ENOUGH = 64 << 10 };

bool gsym_mk_append(struct gsym_markup *f, struct gsym_mk_text *to,
		    const char *bytes, size_t size)
{
	if (!gsym_vec_reserve(to, size)) {
		f->out_of_memory = true;
		return false;
	}
	if (size)
		memcpy(to->items + to->count, bytes, size);
	to->count += size;
	return true;
}

void gsym_mk_drain(struct gsym_markup *f, bool all)
{
	size_t ready = f->line_mark;

	if (ready == 0 || (!all && ready < ENOUGH))
		return;
	if (f->host.write)
		f->host.write(f->host.context, f->main.items, ready);
	f->main.count -= ready;
	f->line_mark = 0;
	if (f->main.count)
		memmove(f->main.items, f->main.items + ready, f->main.count);
}

void gsym_mk_put_hex(struct gsym_markup *f, uint64_t value, unsigned width)
{
	char digits[16];
	unsigned at = 16;

	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value || 16 - at < width);
	gsym_mk_put(f, digits + at, 16 - at);
}

void gsym_mk_put_decimal(struct gsym_markup *f, uint64_t value)
{
	char digits[20];
	unsigned at = 20;

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	gsym_mk_put(f, digits + at, 20 - at);
}

/* ---- SGR ------------------------------------------------------------- */

static void emit_sgr(struct gsym_markup *f, int colour, bool bold)
{
	char text[] = "\033[0;1;30m";

	if (colour < 0) {
		gsym_mk_puts(f, bold ? "\033[1m" : "\033[0m");
	} else if (bold) {
		text[7] = (char)('0' + colour);
		gsym_mk_put(f, text, 9);
	} else {
		memcpy(text + 4, "30m", 3);
		text[5] = (char)('0' + colour);
		gsym_mk_put(f, text, 7);
	}
}

/* HTML shows the state by one span around the text. */
static void close_span(struct gsym_markup *f)
{
	if (f->sgr.span)
		gsym_mk_puts(f, "</span>");
	f->sgr.span = false;
}

static void open_span(struct gsym_markup *f)
{
	char class[] = " c0";

	close_span(f);
	if (!f->sgr.bold && f->sgr.colour < 0)
		return;
	gsym_mk_puts(f, "<span class=\"");
	if (f->sgr.bold)
		gsym_mk_puts(f, "b");
	class[2] = (char)('0' + f->sgr.colour);
	if (f->sgr.colour >= 0)
		gsym_mk_puts(f, f->sgr.bold ? class : class + 1);
	gsym_mk_puts(f, "\">");
	f->sgr.span = true;
}

void gsym_mk_sgr_reset(struct gsym_markup *f)
{
	if (f->sgr.colour < 0 && !f->sgr.bold)
		return;
	if (f->options.html)
		close_span(f);
	f->sgr = gsym_mk_no_sgr;
	if (f->options.html)
		return;
	if (f->options.colour)
		gsym_mk_puts(f, "\033[0m");
}

void gsym_mk_highlight(struct gsym_markup *f)
{
	if (f->options.colour && !f->options.html)
		emit_sgr(f, f->sgr.colour == 4 ? 6 : 4, f->sgr.bold);
}

void gsym_mk_restore(struct gsym_markup *f)
{
	if (!f->options.colour || f->options.html)
		return;
	if (f->sgr.colour >= 0) {
		emit_sgr(f, f->sgr.colour, f->sgr.bold);
	} else {
		gsym_mk_puts(f, "\033[0m");
		if (f->sgr.bold)
			gsym_mk_puts(f, "\033[1m");
	}
}

/* ESC [ digits and semicolons m */
size_t gsym_mk_sgr_length(const char *at, const char *end)
{
	const char *start = at;

	if (end - at < 3 || at[0] != '\033' || at[1] != '[')
		return 0;
	for (at += 2; at < end && at - start < 64; at++) {
		if (*at == 'm')
			return (size_t)(at + 1 - start);
		if ((*at < '0' || *at > '9') && *at != ';')
			break;
	}
	return 0;
}

/* What the sequence does to STATE; false if not all of it is known. */
static bool interpret(const char *at, size_t size, bool llvm,
		      struct gsym_mk_sgr *state)
{
	const char *end = at + size - 1;
	bool several = memchr(at, ';', size) != NULL;

	at += 2;
	if (llvm && (several || at == end || (*at == '0' && end - at > 1)))
		return false;
	for (;;) {
		unsigned code = 0;

		for (; at < end && *at != ';'; at++)
			code = code < 1000 ? 10 * code + (unsigned)(*at - '0')
					   : code;
		if (code == 0)
			*state = (struct gsym_mk_sgr){
				GSYM_MK_NO_COLOUR, false, state->span,
			};
		else if (code == 1)
			state->bold = true;
		else if (code >= 30 && code <= 37)
			state->colour = (int)code - 30;
		else
			return false;
		if (at++ >= end)
			return true;
	}
}

/* In llvm-symbolizer's way, its slip with colour behind bold included. */
static void apply_llvm(struct gsym_markup *f, struct gsym_mk_sgr next,
		       char code)
{
	if (code == '0') {
		gsym_mk_sgr_reset(f);
		return;
	}
	f->sgr = next;
	if (!f->options.colour)
		return;
	if (code == '1')
		gsym_mk_puts(f, "\033[1m");
	else
		emit_sgr(f, next.colour, false);
}

static void apply_sgr(struct gsym_markup *f, const char *at, size_t size)
{
	struct gsym_mk_sgr next = f->sgr;

	if (!interpret(at, size, f->llvm, &next)) {
		if (f->llvm || (!f->options.html && !f->options.strip_ansi))
			gsym_mk_put(f, at, size);
		return;
	}
	if (f->llvm) {
		apply_llvm(f, next, at[2]);
		return;
	}
	if (next.colour < 0 && !next.bold) {
		gsym_mk_sgr_reset(f);
		return;
	}
	/* Bold alone says nothing about the colour that was. */
	if (f->options.colour && !f->options.html && next.colour < 0 &&
	    f->sgr.colour >= 0)
		gsym_mk_puts(f, "\033[0m");
	f->sgr = next;
	if (f->options.html)
		open_span(f);
	else if (f->options.colour)
		emit_sgr(f, next.colour, next.bold);
}

/* ---- text ------------------------------------------------------------ */

void gsym_mk_paint_plain(struct gsym_markup *f, const char *at, size_t size)
{
	if (f->options.html) {
		gsym_mk_put_html(f, at, size);
	} else if (size >= ENOUGH && f->llvm && f->out == &f->main &&
		   f->host.write) {
		/* The line is kept as a whole already; once is enough. */
		f->line_mark = f->main.count;
		gsym_mk_drain(f, true);
		f->host.write(f->host.context, at, size);
	} else {
		gsym_mk_put(f, at, size);
	}
}

void gsym_mk_paint_text(struct gsym_markup *f, const char *at,
			const char *end)
{
	while (at < end) {
		const char *escape = memchr(at, '\033', (size_t)(end - at));
		size_t length =
			escape ? gsym_mk_sgr_length(escape, end) : 0;

		if (!escape)
			escape = end;
		else if (!length)
			escape++;
		gsym_mk_paint_plain(f, at, (size_t)(escape - at));
		if (length)
			apply_sgr(f, escape, length);
		at = escape + length;
	}
}

/* How many bytes from AT on are no control characters, eight at a time. */
static size_t plain_length(const char *at, size_t size)
{
	const uint64_t ones = 0x0101010101010101u, high = ones << 7;
	size_t done = 0;

	for (; size - done >= 8; done += 8) {
		uint64_t word, low;

		memcpy(&word, at + done, 8);
		low = word & ~high;
		if ((~((low | high) - 0x20 * ones) |
		     ~((low ^ 0x7f * ones) + 0x7f * ones)) &
		    ~word & high)
			break;
	}
	while (done < size && (unsigned char)at[done] >= 0x20 &&
	       at[done] != 0x7f)
		done++;
	return done;
}

/* How much of a name that is too long is shown: no part of a character. */
static size_t cut_length(const char *at)
{
	size_t size = GSYM_MK_MAX_NAME;

	for (int i = 0; i < 3 && ((unsigned char)at[size] & 0xc0) == 0x80; i++)
		size--;
	return size;
}

void gsym_mk_paint_foreign(struct gsym_markup *f, const char *at,
			   size_t size)
{
	const char *end, *from = at;
	bool cut = size > GSYM_MK_MAX_NAME && !f->llvm;

	if (cut)
		size = cut_length(at);
	end = at + size;
	if (f->options.html || f->llvm || f->options.raw_names) {
		gsym_mk_paint_plain(f, at, size);
		if (cut)
			gsym_mk_puts(f, "...");
		return;
	}
	while ((at += plain_length(at, (size_t)(end - at))) < end) {
		unsigned char c = (unsigned char)*at++;

		gsym_mk_put(f, from, (size_t)(at - 1 - from));
		gsym_mk_puts(f, "\\x");
		gsym_mk_put_hex(f, c, 2);
		from = at;
	}
	gsym_mk_put(f, from, (size_t)(end - from));
	if (cut)
		gsym_mk_puts(f, "...");
}

/* ---- elements -------------------------------------------------------- */

void gsym_mk_paint_begin(struct gsym_markup *f, const char *class,
			 const struct gsym_mk_element *e)
{
	if (f->options.html)
		gsym_mk_span_begin(f, class, "", e);
	else
		gsym_mk_highlight(f);
}

void gsym_mk_paint_end(struct gsym_markup *f)
{
	if (f->options.html)
		gsym_mk_puts(f, "</span>");
	else
		gsym_mk_restore(f);
}

void gsym_mk_value_begin(struct gsym_markup *f)
{
	if (f->options.html)
		gsym_mk_puts(f, "<b>");
	else if (f->options.colour)
		emit_sgr(f, 2, f->sgr.bold);
}

void gsym_mk_value_end(struct gsym_markup *f)
{
	if (f->options.html)
		gsym_mk_puts(f, "</b>");
	else
		gsym_mk_highlight(f);
}

void gsym_mk_value(struct gsym_markup *f, const char *at, size_t size)
{
	gsym_mk_value_begin(f);
	gsym_mk_paint_foreign(f, at, size);
	gsym_mk_value_end(f);
}

void gsym_mk_value_hex(struct gsym_markup *f, uint64_t value)
{
	gsym_mk_value_begin(f);
	gsym_mk_puts(f, "0x");
	gsym_mk_put_hex(f, value, 1);
	gsym_mk_value_end(f);
}

void gsym_mk_value_decimal(struct gsym_markup *f, uint64_t value)
{
	gsym_mk_value_begin(f);
	gsym_mk_put_decimal(f, value);
	gsym_mk_value_end(f);
}

/* ---- lines ----------------------------------------------------------- */

void gsym_mk_begin_line(struct gsym_markup *f)
{
	if (!f->options.html)
		return;
	gsym_mk_puts(f, "<span class=\"ln\">");
}

void gsym_mk_fresh_line(struct gsym_markup *f)
{
	if (f->unended)
		gsym_mk_puts(f, "\n");
	f->unended = false;
}

void gsym_mk_begin_log_line(struct gsym_markup *f, uint64_t number)
{
	if (!f->options.html)
		return;
	gsym_mk_puts(f, "<span class=\"ln\" id=\"L");
	gsym_mk_put_decimal(f, number);
	gsym_mk_puts(f, "\">");
}

void gsym_mk_break_line(struct gsym_markup *f)
{
	struct gsym_mk_sgr saved = f->sgr;

	gsym_mk_end_line(f, f->line.crlf ? "\r\n" : "\n");
	gsym_mk_begin_line(f);
	saved.span = false;
	f->sgr = saved;
	if (f->options.html)
		open_span(f);
	else if (f->options.colour && (saved.bold || saved.colour >= 0))
		emit_sgr(f, saved.colour, saved.bold);
}

void gsym_mk_end_line(struct gsym_markup *f, const char *ending)
{
	if (!f->llvm)
		gsym_mk_sgr_reset(f);
	if (f->options.html)
		gsym_mk_puts(f, "</span>\n");
	else
		gsym_mk_puts(f, ending);
	f->unended = !*ending && !f->options.html;
}
