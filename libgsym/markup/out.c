/* SPDX-License-Identifier: MIT */
/*
 * Collects output, escapes it for HTML, and hands it to the host; and writes
 * the frame of an HTML page, which loads nothing.  The lines are in blocks, and
 * a browser lays out only the blocks that are in view.  In a large page the
 * blocks after the first ones are in <noscript> elements: a browser with
 * scripts keeps these as text, and the script makes elements of the blocks near
 * the view; a browser without scripts shows them as all others.
 */
#include "config.h"

#include "markup/process.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

/* From this many collected bytes on the output goes to the host. */
#define ENOUGH GSYM_LIMIT(64u << 10, 16)

void gsym_mk_out_init(struct mk_out *o,
		      const struct gsym_markup_options *options,
		      const struct gsym_markup_host *host, struct mk_page *page)
{
	o->html = options->html;
	o->colour = options->colour;
	o->strip_ansi = options->strip_ansi;
	o->raw_names = options->raw_names;
	o->llvm = options->style == GSYM_MARKUP_STYLE_LLVM;
	o->sgr = gsym_mk_no_sgr;
	o->page = page;
	if (!host)
		return;
	o->write = host->write;
	o->part = host->part;
	o->context = host->context;
}

void gsym_mk_out_fini(struct mk_out *o)
{
	gsym_vec_fini(&o->text);
}

void gsym_mk_out_clear(struct mk_out *o)
{
	o->text.count = 0;
	o->sgr = gsym_mk_no_sgr;
	o->out_of_memory = false;
}

void gsym_mk_out_append(struct mk_out *o, const struct mk_out *from)
{
	mk_put(o, from->text.items, from->text.count);
	o->sgr = from->sgr;
}

void gsym_mk_put_slow(struct mk_out *o, const char *bytes, size_t size)
{
	if (!mk_text_add(&o->text, bytes, size))
		o->out_of_memory = true;
}

void gsym_mk_put_hex(struct mk_out *o, uint64_t value, unsigned width)
{
	char digits[GSYM_NUMBER_MAX];
	size_t count = gsym_hex_put(digits, value);

	for (; width > count; width--)
		mk_put(o, "0", 1);
	mk_put(o, digits, count);
}

void gsym_mk_put_decimal(struct mk_out *o, uint64_t value)
{
	char digits[GSYM_NUMBER_MAX];

	mk_put(o, digits, gsym_decimal_put(digits, value));
}

void gsym_mk_drain(struct mk_out *o, bool all)
{
	size_t ready = o->complete;

	if (ready == 0 || (!all && ready < ENOUGH))
		return;
	if (o->write)
		o->write(o->context, o->text.items, ready);
	o->text.count -= ready;
	o->complete = 0;
	if (o->text.count)
		memmove(o->text.items, o->text.items + ready, o->text.count);
}

/* ---- text ------------------------------------------------------------ */

/* The bytes that need no escape, neither in text nor in attributes. */
static const bool as_is[256] = {
	['\t'] = true, ['\n'] = true,
	[' '] = true, ['!'] = true,
	['#'] = true, ['$'] = true, ['%'] = true,
	['(' ... ';'] = true,
	['='] = true,
	['?' ... '~'] = true,
};

/* The text that replaces the character at AT, whose first byte is not in AS_IS;
 * NULL if the character stays. *LENGTH is the number of its bytes. */
static const char *instead_of(const char *at, const char *end, size_t *length)
{
	unsigned char c = (unsigned char)*at;

	*length = 1;
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\r':
		return "";
	}
	*length = gsym_utf8_page(at, (size_t)(end - at));
	if (*length)
		return NULL;
	/* A control character above U+007F has two bytes. */
	*length = c == 0xc2 && gsym_utf8_length(at, (size_t)(end - at)) ? 2 : 1;
	return MK_REPLACEMENT;
}

void gsym_mk_put_html(struct mk_out *o, const char *at, size_t size)
{
	const char *end = at + size, *from = at;

	for (;;) {
		const char *instead;
		size_t length;

		while (at < end && as_is[(unsigned char)*at])
			at++;
		if (at == end)
			break;
		instead = instead_of(at, end, &length);
		if (instead) {
			mk_put(o, from, (size_t)(at - from));
			mk_puts(o, instead);
			from = at + length;
		}
		at += length;
	}
	mk_put(o, from, (size_t)(end - from));
}

/* ---- elements -------------------------------------------------------- */

/* Bytes of an element in the title of its span. */
#define LONGEST_TITLE GSYM_LIMIT(256u, 16)

void gsym_mk_frame_id(struct mk_out *o, struct mk_trace *trace,
		      const struct mk_element *e, char id[MK_FRAME_ID])
{
	if (!trace->number || e->frame <= trace->last_frame)
		trace->number = ++o->page->traces;
	trace->last_frame = e->frame;
	snprintf(id, MK_FRAME_ID, "f%" PRIu64 "-%" PRIu64, trace->number,
		 e->frame);
}

/* Write the name of an element of CLASS for screen readers: it can have the
 * focus, so its role must have a name. */
static void put_role(struct mk_out *o, const char *class,
		     const struct mk_element *e)
{
	static const struct {
		const char *class, *name;
	} names[] = {
		{ "module", "module" },	 { "pc", "code address" },
		{ "data", "variable" },	 { "symbol", "name" },
		{ "hex", "value" },	 { "dump", "dump file" },
		{ "frame", "stack frame" },
	};
	const char *name = "element of the log";

	mk_puts(o, "role=\"group\" ");
	if (e && e->kind == MK_BT && strcmp(class, "bad") != 0) {
		mk_puts(o, "aria-roledescription=\"stack frame\" "
			   "aria-label=\"frame ");
		gsym_mk_put_decimal(o, e->frame);
		mk_puts(o, "\" ");
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(class, names[i].class, strlen(names[i].class)))
			name = names[i].name;
	mk_puts(o, "aria-label=\"");
	mk_puts(o, name);
	mk_puts(o, "\" ");
}

void gsym_mk_span_begin(struct mk_out *o, const char *class, const char *id,
			const struct mk_element *e)
{
	mk_puts(o, "<span ");
	put_role(o, class, e);
	mk_puts(o, "class=\"sym ");
	mk_puts(o, class);
	if (e && o->page->trouble.message[0] &&
	    o->page->trouble.severity == GSYM_MARKUP_ERROR)
		mk_puts(o, " err");
	mk_puts(o, "\" tabindex=\"0\"");
	if (*id) {
		mk_puts(o, " id=\"");
		mk_puts(o, id);
		mk_puts(o, "\"");
	}
	if (e) {
		bool cut = e->whole.size > LONGEST_TITLE;

		mk_puts(o, " title=\"");
		gsym_mk_put_html(o, e->whole.at,
				 cut ? LONGEST_TITLE : e->whole.size);
		mk_puts(o, cut ? "...\"" : "\"");
	}
	mk_puts(o, ">");
}

/* ---- links ----------------------------------------------------------- */

static void put_encoded(struct mk_out *o, struct logs_text text,
			const char *unescaped)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.at[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z') || (c && strchr(unescaped, c))) {
			mk_put(o, text.at + i, 1);
		} else {
			mk_puts(o, "%");
			gsym_mk_put_hex(o, (unsigned char)c, 2);
		}
	}
}

void gsym_mk_link_begin(struct mk_out *o, const char *template,
			const char *letters, struct logs_text first,
			struct logs_text second, const char *unescaped)
{
	mk_puts(o, "<a href=\"");
	for (const char *at = template; *at; at++) {
		if (at[0] == '%' && at[1] == letters[0])
			put_encoded(o, first, unescaped);
		else if (at[0] == '%' && at[1] == letters[1])
			put_encoded(o, second, unescaped);
		else {
			gsym_mk_put_html(o, at, 1);
			continue;
		}
		at++;
	}
	mk_puts(o, "\">");
}

/* ---- messages -------------------------------------------------------- */

void gsym_mk_trouble_note(struct mk_out *o, enum gsym_markup_severity severity,
			  const char *message)
{
	struct mk_trouble *t = &o->page->trouble;

	if (!o->html || (t->message[0] && t->severity >= severity))
		return;
	t->severity = severity;
	snprintf(t->message, sizeof(t->message), "%s", message);
}

/* ---- blocks ---------------------------------------------------------- */

/* A block ends after this many lines, or bytes of the log. */
#define BLOCK_LINES GSYM_LIMIT(512u, 1)
#define BLOCK_SIZE GSYM_LIMIT(64u << 10, 64)
/* Blocks that are elements from the start: of one page; and of each page of a
 * series, which is read many times in a search. */
#define NEAR_BLOCKS GSYM_LIMIT(32u, 1)
#define NEAR_OF_SERIES GSYM_LIMIT(2u, 1)
/* Bytes of the names of a page's processes that are kept. */
#define MOST_PROCESSES GSYM_LIMIT(1u << 16, 8)

/* The SHA-256 of page.js: the page allows no other script. */
#define SCRIPT_HASH "sha256-asg9asjSLiUMAavk7UyKQKjmgk0e3NQdZBndw9tWcFc="

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
	"'none'; style-src 'unsafe-inline'; script-src '" SCRIPT_HASH "'; "
	"base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<title>";

static bool is_far(const struct mk_out *o)
{
	return o->page->blocks >=
	       (o->page->part_size ? NEAR_OF_SERIES : NEAR_BLOCKS);
}

/* Begin a block of lines, of which the first has the number LINE.  There is no
 * text between blocks. */
static void begin_block(struct mk_out *o, uint64_t line)
{
	if (is_far(o)) {
		mk_puts(o, "<noscript\ndata-line=\"");
		gsym_mk_put_decimal(o, line);
		mk_puts(o, "\">");
	}
	mk_puts(o, "<div class=\"blk\"><pre class=\"log\">");
}

static void end_block(struct mk_out *o)
{
	mk_puts(o, "</pre></div>");
	if (is_far(o))
		mk_puts(o, "</noscript>");
}

/* ---- the page -------------------------------------------------------- */

/* Write a link to the page NUMBER of the series; CLASS is its attribute. */
static void put_link(struct mk_out *o, uint64_t number, const char *class,
		     const char *text)
{
	mk_puts(o, "<a");
	mk_puts(o, class);
	mk_puts(o, " href=\"");
	gsym_mk_put_decimal(o, number);
	mk_puts(o, ".html\">");
	mk_puts(o, text);
	mk_puts(o, "</a> ");
}

static void put_links(struct mk_out *o)
{
	const struct gsym_markup_part *part = &o->page->part;

	mk_puts(o, "\n<nav class=\"parts\" aria-label=\"Pages\" "
		   "data-page=\"");
	gsym_mk_put_decimal(o, part->number);
	mk_puts(o, "\">");
	if (part->number > 1)
		put_link(o, part->number - 1, "", "Previous page");
	mk_puts(o, "<a href=\"index.html\">Index</a> ");
	if (part->more)
		put_link(o, part->number + 1, " class=\"next\"", "Next page");
	mk_puts(o, "</nav>");
}

static void put_lines(struct mk_out *o, const char *const *lines)
{
	while (*lines)
		mk_puts(o, *lines++);
}

void gsym_mk_page_start(struct mk_out *o, const char *title)
{
	struct mk_page *page = o->page;

	if (!title)
		title = "log";
	if (page->started)
		return;
	page->started = true;
	if (!page->part.number++)
		page->part.first_line = 1;
	mk_puts(o, head);
	gsym_mk_put_html(o, title, strlen(title));
	if (page->part.number > 1) {
		mk_puts(o, ", page ");
		gsym_mk_put_decimal(o, page->part.number);
	}
	mk_puts(o, "</title>\n<style>\n");
	put_lines(o, gsym_mk_page_css);
	mk_puts(o, "</style>\n</head>\n<body>\n<h1>");
	gsym_mk_put_html(o, title, strlen(title));
	if (page->part_size) {
		mk_puts(o, " <small>from line ");
		gsym_mk_put_decimal(o, page->part.first_line);
		mk_puts(o, "</small>");
	}
	mk_puts(o, "</h1>\n");
	begin_block(o, page->part.first_line);
	mk_puts(o, "\n");
	mk_complete(o);
}

void gsym_mk_page_cut(struct mk_out *o, uint64_t line, size_t size)
{
	struct mk_page *page = o->page;

	page->part.lines++;
	page->part.bytes += size + 1;
	page->block_lines++;
	page->block_size += size;
	if (page->within ||
	    (page->block_lines < BLOCK_LINES && page->block_size < BLOCK_SIZE))
		return;
	end_block(o);
	page->blocks++;
	page->block_lines = page->block_size = 0;
	begin_block(o, line);
}

/* Hand the page of a series over. */
static void end_part(struct mk_out *o)
{
	struct mk_page *page = o->page;
	struct gsym_markup_part *part = &page->part;

	part->processes = page->processes.items;
	part->processes_size = page->processes.count;
	mk_complete(o);
	gsym_mk_drain(o, true);
	if (o->part)
		o->part(o->context, part);
	page->processes.count = 0;
	part->first_line += part->lines;
	part->lines = part->bytes = 0;
	page->blocks = 0;
	page->block_lines = page->block_size = 0;
	page->started = false;
}

void gsym_mk_page_turn(struct mk_out *o, uint64_t line, const char *title)
{
	struct mk_page *page = o->page;

	if (!page->part_size || page->part.bytes < page->part_size)
		return;
	page->part.more = true;
	page->part.lines = line - page->part.first_line;
	gsym_mk_page_end(o);
	page->part.more = false;
	gsym_mk_page_start(o, title);
}

static void note_process(struct mk_out *o, struct mk_process *p)
{
	struct mk_text *names = &o->page->processes;

	if (p->page == o->page->part.number)
		return;
	p->page = o->page->part.number;
	if (names->count > MOST_PROCESSES)
		return;
	if (!mk_text_add(names, p->name.items, p->name.count) ||
	    !mk_text_add(names, "", 1))
		o->out_of_memory = true;
}

void gsym_mk_page_line(struct mk_out *o, uint64_t number)
{
	struct mk_process *p = o->page->process;

	mk_puts(o, "<span class=\"ln\" id=\"L");
	gsym_mk_put_decimal(o, number);
	if (o->page->part_size && p && p->name.count &&
	    !memchr(p->name.items, 0, p->name.count)) {
		mk_puts(o, "\" data-p=\"");
		gsym_mk_put_html(o, p->name.items, p->name.count);
		note_process(o, p);
	}
	mk_puts(o, "\">");
}

void gsym_mk_page_end(struct mk_out *o)
{
	end_block(o);
	if (o->page->part_size)
		put_links(o);
	if (o->page->blocks >= NEAR_BLOCKS || o->page->part_size) {
		mk_puts(o, "<script>");
		put_lines(o, gsym_mk_page_js);
		mk_puts(o, "</script>");
	}
	mk_puts(o, "\n</body>\n</html>\n");
	if (o->page->part_size)
		end_part(o);
}

void gsym_mk_details_begin(struct mk_out *o, size_t count)
{
	mk_puts(o, "</pre><details class=\"log\"><summary>");
	gsym_mk_put_decimal(o, count);
	mk_puts(o, count == 1 ? " module line</summary><pre>"
			      : " module lines</summary><pre>");
}

void gsym_mk_details_end(struct mk_out *o)
{
	mk_puts(o, "</pre></details><pre class=\"log\">");
}
