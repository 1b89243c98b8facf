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

static const char style[] =
	"</title>\n"
	"<style>\n"
	":root{--bg:#fcfcfa;--fg:#22262c;--dim:#6b7280;--line:#e4e4df;"
	"--tip:#fff;--sym:#0b57a4;--val:#0a6b3c;--err:#b3261e;--hover:#eef3fa;"
	"--c0:#22262c;--c1:#b3261e;--c2:#1a7f37;--c3:#8a6100;--c4:#0b57a4;"
	"--c5:#8b2f9b;--c6:#0b7285;--c7:#6b7280}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#d7dade;"
	"--dim:#8d95a0;--line:#2c3038;--tip:#22262d;--sym:#7cb7ff;"
	"--val:#7fd49b;--err:#ff8a80;--hover:#20262f;--c0:#8d95a0;"
	"--c1:#ff8a80;--c2:#7fd49b;--c3:#e3c26b;--c4:#7cb7ff;--c5:#d9a0e6;"
	"--c6:#76d3e3;--c7:#f2f3f5}}\n"
	"body{margin:0;padding:1rem 1rem 16rem;background:var(--bg);"
	"color:var(--fg)}\n"
	".log,.log pre{margin:0;font:13px/1.5 ui-monospace,"
	"\"DejaVu Sans Mono\",Menlo,Consolas,monospace;tab-size:8}\n"
	".blk{content-visibility:auto;contain-intrinsic-size:auto 10000px;"
	"width:max-content;min-width:100%}\n"
	/* Details may be larger than their block. */
	".blk:hover,.blk:focus-within{content-visibility:visible}\n"
	".ln{display:inline}\n"
	".ln:target,.sym:target,.at{background:var(--hover);"
	"outline:1px solid var(--sym)}\n"
	".sym{position:relative;color:var(--sym);border-radius:2px}\n"
	".sym b{font-weight:normal;color:var(--val)}\n"
	/* A frame has its number, its address, its function, file and line,
	 * and module and offset, each in an element of its own: the function is
	 * strong, file and line are plain, and the rest is dim. */
	".bt>b:nth-last-of-type(3),.bt>b:nth-last-of-type(4)"
	"{color:var(--fg)}\n"
	".bt>b:nth-last-of-type(5):nth-of-type(n+3),"
	".pc>b:first-of-type:nth-last-of-type(3){font-weight:600}\n"
	".bt>b:nth-of-type(-n+2),.bt>b:nth-last-of-type(6),"
	".bt>b:nth-last-of-type(-n+2){color:var(--dim)}\n"
	/* A function without a place, and one in a sentence. */
	".bt>b:only-of-type,.bt>b:first-of-type:nth-last-of-type(3),"
	".bt>b:nth-last-of-type(3):nth-of-type(n+3):nth-of-type(-n+4)"
	"{font-weight:600;color:var(--val)}\n"
	".bt>b:nth-of-type(2):nth-last-of-type(2),"
	".bt>b:nth-of-type(3):last-of-type{color:var(--fg)}\n"
	".bt>b:nth-of-type(3):nth-last-of-type(4){color:var(--dim)}\n"
	".sym:hover,.sym:focus{background:var(--hover);outline:none;"
	"box-shadow:0 0 0 1px var(--line)}\n"
	".sym a{color:inherit;text-decoration:underline dotted}\n"
	".raw{color:var(--dim)}.raw b{color:inherit}\n"
	".err,.err b{color:var(--err)}\n"
	".b{font-weight:bold}\n"
	".c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}"
	".c3{color:var(--c3)}.c4{color:var(--c4)}.c5{color:var(--c5)}"
	".c6{color:var(--c6)}.c7{color:var(--c7)}\n"
	"@media screen{.tip{display:none;position:absolute;z-index:1;left:0;"
	"top:100%;min-width:24em;max-width:80ch;padding:.5rem .75rem;"
	"white-space:pre-wrap;overflow-wrap:anywhere;background:var(--tip);"
	"color:var(--fg);border:1px solid var(--line);border-radius:6px;"
	"box-shadow:0 6px 24px #0003;font-size:12px}\n"
	".sym:hover>.tip,.sym:focus-within>.tip,.sym:focus>.tip"
	"{display:block}}\n"
	"@media screen{.tip u{display:none}}\n"
	".tip i{font-style:normal;color:var(--dim)}\n"
	".find{position:sticky;top:0;left:0;z-index:2;display:flex;gap:.5rem;"
	"width:fit-content;padding:.4rem;background:var(--bg);border:1px solid "
	"var(--line);border-radius:6px;font:13px system-ui,sans-serif}\n"
	"h1{margin:0 0 .75rem;font:600 15px system-ui,sans-serif}"
	"h1 small{font-weight:normal;font-size:13px;color:var(--dim)}\n"
	".parts{position:sticky;bottom:0;left:0;z-index:2;display:flex;"
	"gap:1.2rem;width:fit-content;padding:.4rem .8rem;margin-top:1rem;"
	"background:var(--bg);border:1px solid var(--line);border-radius:6px;"
	"font:13px system-ui,sans-serif}.parts a{color:var(--sym)}\n"
	".hits a{display:inline-block;min-width:6ch;text-align:right;"
	"color:var(--dim);user-select:none}[hidden]{display:none!important}\n"
	"@media screen and (max-width:500px){body{padding:.5rem .5rem 16rem}"
	".blk{width:auto}.log,.log pre{white-space:normal}"
	".ln{display:block;white-space:pre-wrap;overflow-wrap:anywhere;"
	"padding-left:3ch;text-indent:-3ch}.ln:empty::before"
	"{content:\"\\200b\"}.tip{min-width:0;text-indent:0;"
	"position:fixed;left:.5rem;right:.5rem;top:auto;bottom:.5rem}}\n"
	"details{color:var(--dim)}summary{cursor:pointer}\n"
	"@media "
	"print{.find,.parts{display:none}.blk{content-visibility:visible}"
	".log{white-space:pre-wrap}"
	".tip,.tip i{color:#555}.tip u{text-decoration:none}"
	".tip{white-space:normal;font-size:85%}"
	"details::details-content{content-visibility:visible;"
	"block-size:auto}}\n"
	"</style>\n"
	"</head>\n"
	"<body>\n";

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
	gsym_mk_puts(o, style);
	gsym_mk_puts(o, "<h1>");
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
		for (const char *const *line = gsym_mk_page_js; *line; line++)
			gsym_mk_puts(o, *line);
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
