/* SPDX-License-Identifier: MIT */
/* Writes text with colours: as SGR sequences, as HTML or without. */
#include "config.h"

#include "markup/text.h"

#include "base/text.h"

/* ---- SGR ------------------------------------------------------------- */

static void emit_sgr(struct mk_out *o, int colour, bool bold)
{
	char text[] = "\033[0;1;30m";

	if (colour < 0) {
		mk_puts(o, bold ? "\033[1m" : "\033[0m");
	} else if (bold) {
		text[7] = (char)('0' + colour);
		mk_put(o, text, 9);
	} else {
		memcpy(text + 4, "30m", 3);
		text[5] = (char)('0' + colour);
		mk_put(o, text, 7);
	}
}

/* HTML shows the SGR state by one span around the text. */
static void close_span(struct mk_out *o)
{
	if (o->sgr.span)
		mk_puts(o, "</span>");
	o->sgr.span = false;
}

static void open_span(struct mk_out *o)
{
	char class[] = " c0";

	close_span(o);
	if (!o->sgr.bold && o->sgr.colour < 0)
		return;
	mk_puts(o, "<span class=\"");
	if (o->sgr.bold)
		mk_puts(o, "b");
	class[2] = (char)('0' + o->sgr.colour);
	if (o->sgr.colour >= 0)
		mk_puts(o, o->sgr.bold ? class : class + 1);
	mk_puts(o, "\">");
	o->sgr.span = true;
}

void gsym_mk_sgr_reset(struct mk_out *o)
{
	if (o->sgr.colour < 0 && !o->sgr.bold)
		return;
	if (o->html)
		close_span(o);
	o->sgr = gsym_mk_no_sgr;
	if (o->html)
		return;
	if (o->colour)
		mk_puts(o, "\033[0m");
}

void gsym_mk_highlight(struct mk_out *o)
{
	if (o->colour && !o->html)
		emit_sgr(o, o->sgr.colour == 4 ? 6 : 4, o->sgr.bold);
}

void gsym_mk_restore(struct mk_out *o)
{
	if (!o->colour || o->html)
		return;
	if (o->sgr.colour >= 0) {
		emit_sgr(o, o->sgr.colour, o->sgr.bold);
	} else {
		mk_puts(o, "\033[0m");
		if (o->sgr.bold)
			mk_puts(o, "\033[1m");
	}
}

/* The size of the SGR sequence at AT: ESC [, digits and semicolons, m.  0 if
 * there is none. */
static size_t sgr_length(const char *at, const char *end)
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

/* Apply the SGR sequence of SIZE bytes at AT to STATE.  False if one of its
 * codes is unknown. */
static bool interpret(const char *at, size_t size, bool llvm,
		      struct mk_sgr *state)
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
			*state = (struct mk_sgr){
				MK_NO_COLOUR,
				false,
				state->span,
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

/* As in llvm-symbolizer, a colour after bold is written without bold. */
static void apply_llvm(struct mk_out *o, struct mk_sgr next, char code)
{
	if (code == '0') {
		gsym_mk_sgr_reset(o);
		return;
	}
	o->sgr = next;
	if (!o->colour)
		return;
	if (code == '1')
		mk_puts(o, "\033[1m");
	else
		emit_sgr(o, next.colour, false);
}

static void apply_sgr(struct mk_out *o, const char *at, size_t size)
{
	struct mk_sgr next = o->sgr;

	if (!interpret(at, size, o->llvm, &next)) {
		if (o->llvm || (!o->html && !o->strip_ansi))
			mk_put(o, at, size);
		return;
	}
	if (o->llvm) {
		apply_llvm(o, next, at[2]);
		return;
	}
	if (next.colour < 0 && !next.bold) {
		gsym_mk_sgr_reset(o);
		return;
	}
	/* The sequence for bold alone would leave the last colour on. */
	if (o->colour && !o->html && next.colour < 0 && o->sgr.colour >= 0)
		mk_puts(o, "\033[0m");
	o->sgr = next;
	if (o->html)
		open_span(o);
	else if (o->colour)
		emit_sgr(o, next.colour, next.bold);
}

bool gsym_mk_blank(const char *at, const char *end)
{
	while (at < end) {
		size_t escape = sgr_length(at, end);

		if (escape)
			at += escape;
		else if (*at == ' ' || (*at >= '\t' && *at <= '\r'))
			at++;
		else
			return false;
	}
	return true;
}

/* ---- text ------------------------------------------------------------ */

void gsym_mk_paint_plain(struct mk_out *o, const char *at, size_t size)
{
	if (o->html)
		gsym_mk_put_html(o, at, size);
	else
		mk_put(o, at, size);
}

void gsym_mk_paint_text(struct mk_out *o, const char *at, const char *end)
{
	while (at < end) {
		const char *escape = memchr(at, '\033', (size_t)(end - at));
		size_t length = escape ? sgr_length(escape, end) : 0;

		if (!escape)
			escape = end;
		else if (!length)
			escape++;
		gsym_mk_paint_plain(o, at, (size_t)(escape - at));
		if (length)
			apply_sgr(o, escape, length);
		at = escape + length;
	}
}

/* How many bytes from AT on are printable ASCII characters. */
static size_t plain_length(const char *at, size_t size)
{
	size_t done = 0;

	while (done < size && at[done] >= 0x20 && at[done] < 0x7f)
		done++;
	return done;
}

/* The number of bytes of the name at AT, which is too long, that are shown.
 * UTF-8 characters are not cut. */
static size_t cut_length(const char *at)
{
	size_t size = MK_MAX_NAME;

	for (int i = 0; i < 3 && ((unsigned char)at[size] & 0xc0) == 0x80; i++)
		size--;
	return size;
}

static void put_harmful(struct mk_out *o, const char *at, size_t size)
{
	if (o->html) {
		mk_puts(o, MK_REPLACEMENT);
		return;
	}
	for (size_t i = 0; i < size; i++) {
		mk_puts(o, "\\x");
		gsym_mk_put_hex(o, (unsigned char)at[i], 2);
	}
}

/* Write the name AT to END without characters that a terminal must not get. */
static void put_name(struct mk_out *o, const char *at, const char *end)
{
	const char *from = at;

	while ((at += plain_length(at, (size_t)(end - at))) < end) {
		size_t size = gsym_utf8_harmful(at, (size_t)(end - at));

		/* Of single bytes gsym_mk_put_html takes care. */
		if (size > (o->html ? 1 : 0)) {
			gsym_mk_paint_plain(o, from, (size_t)(at - from));
			put_harmful(o, at, size);
			from = at + size;
		} else {
			size = gsym_utf8_length(at, (size_t)(end - at));
		}
		at += size ? size : 1;
	}
	gsym_mk_paint_plain(o, from, (size_t)(end - from));
}

void gsym_mk_paint_foreign(struct mk_out *o, const char *at, size_t size)
{
	bool cut = size > MK_MAX_NAME && !o->llvm;

	if (cut)
		size = cut_length(at);
	if (o->llvm || o->raw_names)
		gsym_mk_paint_plain(o, at, size);
	else
		put_name(o, at, at + size);
	if (cut)
		mk_puts(o, "...");
}

/* ---- elements -------------------------------------------------------- */

void gsym_mk_paint_begin(struct mk_out *o, const char *class,
			 const struct mk_element *e)
{
	if (o->html)
		gsym_mk_span_begin(o, class, "", e);
	else
		gsym_mk_highlight(o);
}

void gsym_mk_paint_end(struct mk_out *o)
{
	if (o->html)
		mk_puts(o, "</span>");
	else
		gsym_mk_restore(o);
}

void gsym_mk_value_begin(struct mk_out *o)
{
	if (o->html)
		mk_puts(o, "<b>");
	else if (o->colour)
		emit_sgr(o, 2, o->sgr.bold);
}

void gsym_mk_value_end(struct mk_out *o)
{
	if (o->html)
		mk_puts(o, "</b>");
	else
		gsym_mk_highlight(o);
}

void gsym_mk_value(struct mk_out *o, const char *at, size_t size)
{
	gsym_mk_value_begin(o);
	gsym_mk_paint_foreign(o, at, size);
	gsym_mk_value_end(o);
}

void gsym_mk_value_hex(struct mk_out *o, uint64_t value)
{
	gsym_mk_value_begin(o);
	mk_puts(o, "0x");
	gsym_mk_put_hex(o, value, 1);
	gsym_mk_value_end(o);
}

void gsym_mk_value_decimal(struct mk_out *o, uint64_t value)
{
	gsym_mk_value_begin(o);
	gsym_mk_put_decimal(o, value);
	gsym_mk_value_end(o);
}

/* ---- lines ----------------------------------------------------------- */

void gsym_mk_begin_line(struct mk_out *o)
{
	if (o->html)
		mk_puts(o, "<span class=\"ln\">");
}

void gsym_mk_fresh_line(struct mk_out *o)
{
	if (o->unended)
		mk_puts(o, "\n");
	o->unended = false;
}

void gsym_mk_break_line(struct mk_out *o, const char *ending)
{
	struct mk_sgr saved = o->sgr;

	gsym_mk_end_line(o, ending);
	gsym_mk_begin_line(o);
	saved.span = false;
	o->sgr = saved;
	if (o->html)
		open_span(o);
	else if (o->colour && (saved.bold || saved.colour >= 0))
		emit_sgr(o, saved.colour, saved.bold);
}

void gsym_mk_end_line(struct mk_out *o, const char *ending)
{
	if (!o->llvm)
		gsym_mk_sgr_reset(o);
	if (o->html)
		mk_puts(o, "</span>\n");
	else
		mk_puts(o, ending);
	o->unended = !*ending && !o->html;
}
