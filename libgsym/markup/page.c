/* SPDX-License-Identifier: MIT */
/*
 * The frame of an HTML page, which loads nothing.  The lines are in blocks, and
 * a browser lays out only the blocks that are in view.  In a large page the
 * blocks after the first ones are in <noscript> elements: a browser with
 * scripts keeps these as text, and the script makes elements of the blocks near
 * the view; a browser without scripts shows them as all others.
 */
#include "config.h"

#include "markup/out.h"

#include "markup/process.h"

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

/* ---- blocks ---------------------------------------------------------- */

static bool is_far(const struct gsym_mk_out *o)
{
	return o->page->blocks >=
	       (o->page->part_size ? NEAR_OF_SERIES : NEAR_BLOCKS);
}

/* Begin a block of lines, of which the first has the number LINE.  There is no
 * text between blocks. */
static void begin_block(struct gsym_mk_out *o, uint64_t line)
{
	if (is_far(o)) {
		gsym_mk_puts(o, "<noscript\ndata-line=\"");
		gsym_mk_put_decimal(o, line);
		gsym_mk_puts(o, "\">");
	}
	gsym_mk_puts(o, "<div class=\"blk\"><pre class=\"log\">");
}

static void end_block(struct gsym_mk_out *o)
{
	gsym_mk_puts(o, "</pre></div>");
	if (is_far(o))
		gsym_mk_puts(o, "</noscript>");
}

/* ---- the page -------------------------------------------------------- */

/* Write a link to the page NUMBER of the series; CLASS is its attribute. */
static void put_link(struct gsym_mk_out *o, uint64_t number, const char *class,
		     const char *text)
{
	gsym_mk_puts(o, "<a");
	gsym_mk_puts(o, class);
	gsym_mk_puts(o, " href=\"");
	gsym_mk_put_decimal(o, number);
	gsym_mk_puts(o, ".html\">");
	gsym_mk_puts(o, text);
	gsym_mk_puts(o, "</a> ");
}

/* Write the links of a page of a series. */
static void put_links(struct gsym_mk_out *o)
{
	const struct gsym_markup_part *part = &o->page->part;

	gsym_mk_puts(o, "\n<nav class=\"parts\" aria-label=\"Pages\" "
			"data-page=\"");
	gsym_mk_put_decimal(o, part->number);
	gsym_mk_puts(o, "\">");
	if (part->number > 1)
		put_link(o, part->number - 1, "", "Previous page");
	gsym_mk_puts(o, "<a href=\"index.html\">Index</a> ");
	if (part->more)
		put_link(o, part->number + 1, " class=\"next\"", "Next page");
	gsym_mk_puts(o, "</nav>");
}

static void put_lines(struct gsym_mk_out *o, const char *const *lines)
{
	while (*lines)
		gsym_mk_puts(o, *lines++);
}

void gsym_mk_page_start(struct gsym_mk_out *o, const char *title)
{
	struct gsym_mk_page *page = o->page;

	if (!title)
		title = "log";
	if (page->started)
		return;
	page->started = true;
	if (!page->part.number++)
		page->part.first_line = 1;
	gsym_mk_puts(o, head);
	gsym_mk_put_html(o, title, strlen(title));
	if (page->part.number > 1) {
		gsym_mk_puts(o, ", page ");
		gsym_mk_put_decimal(o, page->part.number);
	}
	gsym_mk_puts(o, "</title>\n<style>\n");
	put_lines(o, gsym_mk_page_css);
	gsym_mk_puts(o, "</style>\n</head>\n<body>\n<h1>");
	gsym_mk_put_html(o, title, strlen(title));
	if (page->part_size) {
		gsym_mk_puts(o, " <small>from line ");
		gsym_mk_put_decimal(o, page->part.first_line);
		gsym_mk_puts(o, "</small>");
	}
	gsym_mk_puts(o, "</h1>\n");
	begin_block(o, page->part.first_line);
	gsym_mk_puts(o, "\n");
	gsym_mk_complete(o);
}

void gsym_mk_page_cut(struct gsym_mk_out *o, uint64_t line, size_t size)
{
	struct gsym_mk_page *page = o->page;

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
static void end_part(struct gsym_mk_out *o)
{
	struct gsym_mk_page *page = o->page;
	struct gsym_markup_part *part = &page->part;

	part->processes = page->processes.items;
	part->processes_size = page->processes.count;
	gsym_mk_complete(o);
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

void gsym_mk_page_turn(struct gsym_mk_out *o, uint64_t line, const char *title)
{
	struct gsym_mk_page *page = o->page;

	if (!page->part_size || page->part.bytes < page->part_size)
		return;
	page->part.more = true;
	page->part.lines = line - page->part.first_line;
	gsym_mk_page_end(o);
	page->part.more = false;
	gsym_mk_page_start(o, title);
}

/* Add P to the processes of the page. */
static void note_process(struct gsym_mk_out *o, struct gsym_mk_process *p)
{
	struct gsym_mk_text *names = &o->page->processes;

	if (p->page == o->page->part.number)
		return;
	p->page = o->page->part.number;
	if (names->count > MOST_PROCESSES)
		return;
	if (!gsym_mk_text_add(names, p->name.items, p->name.count) ||
	    !gsym_mk_text_add(names, "", 1))
		o->out_of_memory = true;
}

void gsym_mk_page_line(struct gsym_mk_out *o, uint64_t number)
{
	struct gsym_mk_process *p = o->page->process;

	gsym_mk_puts(o, "<span class=\"ln\" id=\"L");
	gsym_mk_put_decimal(o, number);
	if (o->page->part_size && p && p->name.count &&
	    !memchr(p->name.items, 0, p->name.count)) {
		gsym_mk_puts(o, "\" data-p=\"");
		gsym_mk_put_html(o, p->name.items, p->name.count);
		note_process(o, p);
	}
	gsym_mk_puts(o, "\">");
}

void gsym_mk_page_end(struct gsym_mk_out *o)
{
	end_block(o);
	if (o->page->part_size)
		put_links(o);
	if (o->page->blocks >= NEAR_BLOCKS || o->page->part_size) {
		gsym_mk_puts(o, "<script>");
		put_lines(o, gsym_mk_page_js);
		gsym_mk_puts(o, "</script>");
	}
	gsym_mk_puts(o, "\n</body>\n</html>\n");
	if (o->page->part_size)
		end_part(o);
}

void gsym_mk_details_begin(struct gsym_mk_out *o, size_t count)
{
	gsym_mk_puts(o, "</pre><details class=\"log\"><summary>");
	gsym_mk_put_decimal(o, count);
	gsym_mk_puts(o, count == 1 ? " module line</summary><pre>"
				   : " module lines</summary><pre>");
}

void gsym_mk_details_end(struct gsym_mk_out *o)
{
	gsym_mk_puts(o, "</pre></details><pre class=\"log\">");
}
