/* SPDX-License-Identifier: MIT */
/*
 * Splits the bytes of a log into lines, and passes lines without elements on.
 */
#include "config.h"

#include "base/bytes16.h"
#include "logs/facts.h"
#include "markup/filter.h"
#include "markup/html.h"
#include "markup/paint.h"

/* Lines of more bytes are passed on in pieces. */
#define LONG_LINE GSYM_LIMIT(1u << 20, 512)
/* From this many bytes on text goes to the host without a copy. */
#define MANY GSYM_LIMIT(4096u, 16)

/* ---- lines ----------------------------------------------------------- */

/* Filter a line, or a piece of one: SIZE bytes without line feed.  ENDED: a
 * line feed follows.  FINAL: the line has no further piece. */
static void do_line(struct gsym_markup *f, const char *at, size_t size,
		    bool ended, bool final)
{
	bool crlf = (ended || f->llvm) && size && at[size - 1] == '\r';
	/* In llvm-symbolizer's style the CR is a part of the text. */
	bool cut = crlf && !f->llvm;

	if (!f->partial.continued)
		f->line_number++;
	f->line = (struct gsym_mk_line){
		.at = at,
		.size = size - cut,
		.ending = !ended ? ""
			  : crlf ? "\r\n"
				 : "\n",
		.crlf = crlf,
		.first = !f->partial.continued,
		.final = final,
		.header = SIZE_MAX,
	};
	/* A page of a series ends where no line is held back.  An element
	 * without end whose lines were written does not matter. */
	if (f->options.html && f->line.first && !f->processes.held &&
	    !(f->logs && f->logs->held.lines.count))
		gsym_mk_page_turn(&f->out, f->line_number, f->options.title);
	if (f->llvm)
		gsym_mk_llvm_line(f);
	else
		gsym_mk_do_line(f);
	f->line.at = NULL;
	if (f->options.html && final)
		gsym_mk_page_cut(&f->out, f->line_number + 1, size);
	gsym_mk_complete(&f->out);
	gsym_mk_drain(&f->out, false);
	gsym_mk_tidy(f);
}

typedef gsym_bytes16 block;

static uint64_t count_lines(const char *at, size_t size)
{
	const char *end = at + size;
	uint64_t lines = 0;

	while (end - at >= 16) {
		block sums = { 0 };
		size_t steps = (size_t)(end - at) / 16;

		if (steps > 255)
			steps = 255;
		for (; steps; steps--, at += 16)
			sums -= (block)(*(const block *)at == '\n');
		for (int i = 0; i < 16; i++)
			lines += sums[i];
	}
	for (; at < end; at++)
		lines += *at == '\n';
	return lines;
}

/* Write whole lines without elements and SGR sequences. */
static void pass(struct gsym_markup *f, const char *at, size_t size)
{
	struct gsym_mk_out *o = &f->out;

	f->line_number += count_lines(at, size);
	/* Many bytes go to the host without a copy. */
	if (size >= MANY) {
		gsym_mk_complete(o);
		gsym_mk_drain(o, true);
		if (o->write)
			o->write(o->context, at, size);
		return;
	}
	gsym_mk_append(f, &o->main, at, size);
	gsym_mk_complete(o);
	gsym_mk_drain(o, false);
}

/* Whether lines without elements and SGR sequences are written as they are and
 * change no state. */
static bool may_pass(const struct gsym_markup *f)
{
	const struct gsym_mk_out *o = &f->out;

	/* Addresses alone, and lines of maps, may look like anything. */
	return !f->processes.waiting && !o->html && !f->open_module &&
	       o->sgr.colour < 0 && !o->sgr.bold &&
	       !(f->options.logs & GSYM_MARKUP_LOG_MAPS) &&
	       !(f->logs && (f->logs->attention || f->logs->held.lines.count));
}

/* The first place in SIZE bytes that may begin an element, an SGR sequence or,
 * with logs, a part of a frame or a fact; NULL if there is none. */
static const char *find_special(const struct gsym_markup *f, const char *at,
				size_t size)
{
	return f->logs ? gsym_logs_special(at, size)
		       : gsym_mk_find_special(at, size);
}

/* ---- lines without end ----------------------------------------------- */

/* The start of an SGR sequence that bytes after END may complete; NULL if there
 * is none. */
static const char *unfinished_escape(const char *at, const char *end)
{
	for (const char *from = end; from > at && end - from < 64;) {
		char c = *--from;

		if (c == '\033')
			return from;
		if (c != '[' && c != ';' && (c < '0' || c > '9'))
			break;
	}
	return NULL;
}

/* The number of bytes before END that are the start of a UTF-8 character whose
 * rest may follow; 0: none. */
static size_t unfinished_character(const char *at, const char *end)
{
	/* The least first byte of characters of more than that many bytes. */
	static const unsigned char least[] = { 0xff, 0xc0, 0xe0, 0xf0 };

	for (size_t back = 1; back < 4 && end - at >= (ptrdiff_t)back; back++) {
		unsigned char c = (unsigned char)end[-(ptrdiff_t)back];

		if (c >= 0xc0)
			return c >= least[back] ? back : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

/* How many bytes of the partial line can be passed on: those before the
 * possible start of an element or an SGR sequence. */
static size_t safe_length(const struct gsym_markup *f)
{
	const struct gsym_mk_text *text = &f->partial.text;
	const char *at = text->items, *end = at + text->count;
	struct gsym_mk_scanner s = { .at = at, .end = end };
	struct gsym_mk_element e;
	const char *half = at + LONG_LINE / 2 + 1, *opener;

	while (gsym_mk_next(&s, &e))
		;
	opener = gsym_mk_find_opener(s.at, (size_t)(end - s.at));
	/* An opener in the first half has no closer in LONG_LINE / 2 bytes, so
	 * it is text.  An opener in the second half may be the start of an
	 * element. */
	if (opener && opener < half)
		opener = gsym_mk_find_opener(half, (size_t)(end - half));
	if (opener)
		return (size_t)(opener - at);
	const char *escape = unfinished_escape(at, end);
	if (escape)
		return (size_t)(escape - at);
	size_t keep = 0;
	while (keep < 2 && keep < text->count &&
	       end[-1 - (ptrdiff_t)keep] == '{')
		keep++;
	if (keep == 0 && f->options.html)
		keep = unfinished_character(at, end);
	return text->count - keep;
}

void gsym_mk_feed_part(struct gsym_markup *f)
{
	struct gsym_mk_partial *p = &f->partial;
	size_t size = safe_length(f);

	if (size == 0)
		return;
	do_line(f, p->text.items, size, false, false);
	p->continued = true;
	p->text.count -= size;
	memmove(p->text.items, p->text.items + size, p->text.count);
}

/* Keep SIZE more bytes of a line whose end has not come. */
static void keep(struct gsym_markup *f, const char *at, size_t size)
{
	struct gsym_mk_partial *p = &f->partial;

	if (!p->text.count)
		p->since = f->now;
	gsym_mk_append(f, &p->text, at, size);
	if (p->text.count > LONG_LINE && !f->llvm)
		gsym_mk_feed_part(f);
}

/* Filter the partial line, of which the last SIZE bytes and, after them, the
 * line feed have come. */
static void end_partial(struct gsym_markup *f, const char *at, size_t size)
{
	struct gsym_mk_partial *p = &f->partial;
	bool whole = gsym_mk_append(f, &p->text, at, size + 1);

	if (whole && !p->continued && may_pass(f) &&
	    !find_special(f, p->text.items, p->text.count))
		pass(f, p->text.items, p->text.count);
	else
		do_line(f, p->text.items, p->text.count - whole, true, true);
	p->continued = false;
	p->text.count = 0;
	if (p->text.capacity > 4 * LONG_LINE)
		gsym_vec_fini(&p->text);
}

void gsym_mk_feed_end(struct gsym_markup *f)
{
	struct gsym_mk_partial *p = &f->partial;

	if (p->text.count || p->continued)
		do_line(f, p->text.items, p->text.count, false, true);
	p->continued = false;
	p->text.count = 0;
}

/* ---- bytes ----------------------------------------------------------- */

/* Whether a line that ends at END and has its first opener at OPENER has no
 * element: none ends in it, and none may end in a later line. */
static bool only_openers(const struct gsym_markup *f, const char *opener,
			 const char *end)
{
	static const char hexdict[] = "{{{hexdict:";
	const size_t length = sizeof(hexdict) - 1;

	if (*opener != '{' ||
	    gsym_mk_find_closer(opener, (size_t)(end - opener)) ||
	    memchr(opener, '\033', (size_t)(end - opener)))
		return false;
	while (!f->llvm && opener) {
		if ((size_t)(end - opener) >= length &&
		    memcmp(opener, hexdict, length) == 0)
			return false;
		opener++;
		opener = gsym_mk_find_opener(opener, (size_t)(end - opener));
	}
	return true;
}

/* Filter some lines from AT on.  Returns where the next line starts; NULL if
 * all bytes up to END are filtered or kept. */
static const char *do_lines(struct gsym_markup *f, const char *at,
			    const char *end)
{
	const char *special = at, *newline;
	bool passes = may_pass(f);

	if (passes) {
		special = find_special(f, at, (size_t)(end - at));
		newline = memrchr(at, '\n',
				  (size_t)((special ? special : end) - at));
		if (newline) {
			pass(f, at, (size_t)(newline + 1 - at));
			at = newline + 1;
		}
		if (!special) {
			keep(f, at, (size_t)(end - at));
			return NULL;
		}
	}
	newline = memchr(special, '\n', (size_t)(end - special));
	if (!newline) {
		keep(f, at, (size_t)(end - at));
		return NULL;
	}
	if (passes && !f->logs && only_openers(f, special, newline))
		pass(f, at, (size_t)(newline + 1 - at));
	else
		do_line(f, at, (size_t)(newline - at), true, true);
	return newline + 1;
}

void gsym_mk_feed(struct gsym_markup *f, const char *bytes, size_t size)
{
	const char *at = bytes, *end = bytes + size;

	if (size && (f->partial.text.count || f->partial.continued)) {
		const char *newline = memchr(at, '\n', size);

		if (!newline) {
			keep(f, at, size);
			return;
		}
		end_partial(f, at, (size_t)(newline - at));
		at = newline + 1;
	}
	while (at && at < end)
		at = do_lines(f, at, end);
}
