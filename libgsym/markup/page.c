/* SPDX-License-Identifier: MIT */
/*
 * The frame of an HTML page, which loads nothing.  The lines are in blocks, and
 * a browser lays out only the blocks that are in view.  In a large page the
 * blocks after the first ones are in <noscript> elements: a browser with
 * scripts keeps these as text, and the script makes elements of the blocks near
 * the view; a browser without scripts shows them as all others.
 */
#include "markup/html.h"

enum {
	/* A block ends after this many lines, or bytes of the log. */
	BLOCK_LINES = 512,
	BLOCK_SIZE = 64 << 10,
	/* Blocks that are elements from the start. */
	NEAR_BLOCKS = 32,
};

/* Makes the blocks in <noscript> elements that come into view, and searches in
 * all blocks. */
static const char script[] =
	"(() => {\n"
	"\"use strict\";\n"
	"const far = [...document.querySelectorAll(\"noscript\")];\n"
	"const near = [...document.querySelectorAll(\".blk\")];\n"
	"const ROW = 19.5, BLOCK = 512;\n"
	"\n"
	"/* A place for each block that is text so far. */\n"
	"const places = far.map((text, i) => {\n"
	"  const place = document.createElement(\"div\"), next = far[i + 1];\n"
	"  place.raw = text;\n"
	"  place.style.height = ROW * (next\n"
	"    ? next.dataset.line - text.dataset.line : BLOCK) + \"px\";\n"
	"  text.after(place);\n"
	"  return place;\n"
	"});\n"
	"\n"
	"function show(place) {\n"
	"  if (!place.raw || place.firstChild) return;\n"
	"  place.innerHTML = place.raw.textContent;\n"
	"  place.style.height = \"\";\n"
	"}\n"
	"\n"
	"function hide(place) {\n"
	"  const chosen = getSelection();\n"
	"  if (!place.raw || !place.firstChild ||\n"
	"      place.contains(document.activeElement) ||\n"
	"      !chosen.isCollapsed && chosen.containsNode(place, true))\n"
	"    return;\n"
	"  place.style.height = place.offsetHeight + \"px\";\n"
	"  place.replaceChildren();\n"
	"}\n"
	"\n"
	"const watch = new IntersectionObserver(list => {\n"
	"  for (const e of list)\n"
	"    (e.isIntersecting ? show : hide)(e.target);\n"
	"}, { rootMargin: \"3000px 0px\" });\n"
	"places.forEach(place => watch.observe(place));\n"
	"\n"
	"/* ---- places in the log ---- */\n"
	"\n"
	"let at = null;\n"
	"\n"
	"function goTo(line) {\n"
	"  if (at) at.classList.remove(\"at\");\n"
	"  at = line;\n"
	"  at.classList.add(\"at\");\n"
	"  at.scrollIntoView({ block: \"center\" });\n"
	"}\n"
	"\n"
	"/* Go to the element that the address of the page names. */\n"
	"function follow() {\n"
	"  const id = decodeURIComponent(location.hash.slice(1));\n"
	"  if (!id || document.getElementById(id)) return;\n"
	"  const place = places.find(place =>\n"
	"    place.raw.textContent.includes(' id=\"' + id + '\"'));\n"
	"  if (!place) return;\n"
	"  show(place);\n"
	"  const found = document.getElementById(id);\n"
	"  if (found) goTo(found.closest(\".ln\"));\n"
	"}\n"
	"\n"
	"/* ---- search ---- */\n"
	"\n"
	"const blocks = near.concat(places);\n"
	"\n"
	"function textOf(line) {\n"
	"  const copy = line.cloneNode(true);\n"
	"  copy.querySelectorAll(\".tip\").forEach(tip => tip.remove());\n"
	"  return copy.textContent;\n"
	"}\n"
	"\n"
	"/* Go to the next line that FITS; MAYBE tells from the source of a\n"
	" * block if it may have one. */\n"
	"function seek(maybe, fits) {\n"
	"  const first = at\n"
	"    ? Math.max(0, blocks.findIndex(b => b.contains(at))) : 0;\n"
	"  for (let i = 0; i <= blocks.length; i++) {\n"
	"    const block = blocks[(first + i) % blocks.length];\n"
	"    const shown = block.firstChild;\n"
	"    if (!shown && !maybe(block.raw.textContent)) continue;\n"
	"    show(block);\n"
	"    const lines = [...block.querySelectorAll(\".ln\")];\n"
	"    const from = at && !i ? lines.indexOf(at) + 1 : 0;\n"
	"    const hit = lines.slice(from).find(fits);\n"
	"    if (hit) {\n"
	"      goTo(hit);\n"
	"      return \"\";\n"
	"    }\n"
	"    if (!shown) hide(block);\n"
	"  }\n"
	"  return \"not found\";\n"
	"}\n"
	"\n"
	"function add(tag, text, settings) {\n"
	"  const e = Object.assign(document.createElement(tag), settings);\n"
	"  e.textContent = text;\n"
	"  bar.append(e);\n"
	"  return e;\n"
	"}\n"
	"\n"
	"const bar = document.createElement(\"form\");\n"
	"bar.className = \"find\";\n"
	"const input = add(\"input\", \"\", { type: \"search\",\n"
	"  placeholder: \"find in the log\",\n"
	"  ariaLabel: \"Find in the log\" });\n"
	"add(\"button\", \"Next\", {});\n"
	"const trace = add(\"button\", \"Next stack trace\",\n"
	"  { type: \"button\" });\n"
	"const said = add(\"output\", \"\", {});\n"
	"bar.onsubmit = event => {\n"
	"  event.preventDefault();\n"
	"  const wanted = input.value.toLowerCase();\n"
	"  const word = wanted.match(/[^&<>\"']*/)[0];\n"
	"  if (wanted) said.textContent = seek(\n"
	"    raw => raw.toLowerCase().includes(word),\n"
	"    line => textOf(line).toLowerCase().includes(wanted));\n"
	"};\n"
	"trace.onclick = () => {\n"
	"  said.textContent = seek(raw => / id=\"f\\d+-0\"/.test(raw),\n"
	"    line => line.querySelector('.bt[id$=\"-0\"]'));\n"
	"};\n"
	"document.body.prepend(bar);\n"
	"addEventListener(\"hashchange\", follow);\n"
	"follow();\n"
	"})();\n";

/* The SHA-256 of the script: the page allows no other one. */
#define SCRIPT_HASH "sha256-mvr8YbI0zBlYbKvSyQTzUAWNxVzTvSo7E1BEDRSIA1I="

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
	".find[hidden]{display:none}\n"
	"h1{margin:0 0 .75rem;font:600 15px system-ui,sans-serif}\n"
	"@media screen and (max-width:500px){body{padding:.5rem .5rem 16rem}"
	".blk{width:auto}.log,.log pre{white-space:normal}"
	".ln{display:block;white-space:pre-wrap;overflow-wrap:anywhere;"
	"padding-left:3ch;text-indent:-3ch}.tip{min-width:0;text-indent:0;"
	"position:fixed;left:.5rem;right:.5rem;top:auto;bottom:.5rem}}\n"
	"details{color:var(--dim)}summary{cursor:pointer}\n"
	"@media print{.find{display:none}.blk{content-visibility:visible}"
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
	return o->page.blocks >= NEAR_BLOCKS;
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

void gsym_mk_page_start(struct gsym_mk_out *o, const char *title)
{
	if (!title)
		title = "log";
	if (o->page.started)
		return;
	o->page.started = true;
	gsym_mk_puts(o, head);
	gsym_mk_put_html(o, title, strlen(title));
	gsym_mk_puts(o, style);
	gsym_mk_puts(o, "<h1>");
	gsym_mk_put_html(o, title, strlen(title));
	gsym_mk_puts(o, "</h1>\n");
	begin_block(o, 1);
	gsym_mk_puts(o, "\n");
	gsym_mk_complete(o);
}

void gsym_mk_page_cut(struct gsym_mk_out *o, uint64_t line, size_t size)
{
	struct gsym_mk_page *page = &o->page;

	page->block_lines++;
	page->block_size += size;
	if (page->block_lines < BLOCK_LINES && page->block_size < BLOCK_SIZE)
		return;
	end_block(o);
	page->blocks++;
	page->block_lines = page->block_size = 0;
	begin_block(o, line);
}

void gsym_mk_page_end(struct gsym_mk_out *o)
{
	end_block(o);
	if (o->page.blocks >= NEAR_BLOCKS) {
		gsym_mk_puts(o, "<script>");
		gsym_mk_puts(o, script);
		gsym_mk_puts(o, "</script>");
	}
	gsym_mk_puts(o, "\n</body>\n</html>\n");
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
