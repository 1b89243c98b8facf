/* SPDX-License-Identifier: MIT */
/* What HTML pages need. A page has no script, and loads nothing. */
#include "markup/html.h"

#include <inttypes.h>
#include <stdio.h>

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
	"'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
	"'none'\">\n"
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
	".ln{display:inline}\n"
	".ln:target,.sym:target{background:var(--hover);"
	"outline:1px solid var(--sym)}\n"
	".sym{position:relative;color:var(--sym);border-radius:2px}\n"
	".sym b{font-weight:normal;color:var(--val)}\n"
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
	"details{color:var(--dim)}summary{cursor:pointer}\n"
	"@media print{.log{white-space:pre-wrap}"
	".tip,.tip i{color:#555}.tip u{text-decoration:none}"
	".tip{white-space:normal;font-size:85%}"
	"details::details-content{content-visibility:visible;"
	"block-size:auto}}\n"
	"</style>\n"
	"</head>\n"
	"<body>\n"
	"<pre class=\"log\">\n";

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
	if (c < 0x80)
		return GSYM_MK_REPLACEMENT;
	*length = gsym_mk_utf8_length(at, end);
	if (!*length) {
		*length = 1;
		return GSYM_MK_REPLACEMENT;
	}
	/* U+0080 to U+009F are control characters. */
	if (c == 0xc2 && (unsigned char)at[1] < 0xa0)
		return GSYM_MK_REPLACEMENT;
	/* HTML forbids U+FFFE and U+FFFF.  Each of their bytes counts as
	 * malformed. */
	if (c == 0xef && memcmp(at, "\xef\xbf", 2) == 0 &&
	    (unsigned char)at[2] >= 0xbe) {
		*length = 1;
		return GSYM_MK_REPLACEMENT;
	}
	return NULL;
}

void gsym_mk_put_html(struct gsym_mk_out *o, const char *at, size_t size)
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
			gsym_mk_put(o, from, (size_t)(at - from));
			gsym_mk_puts(o, instead);
			from = at + length;
		}
		at += length;
	}
	gsym_mk_put(o, from, (size_t)(end - from));
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
	gsym_mk_complete(o);
}

void gsym_mk_page_end(struct gsym_mk_out *o)
{
	gsym_mk_puts(o, "</pre>\n</body>\n</html>\n");
}

void gsym_mk_details_begin(struct gsym_mk_out *o, size_t count)
{
	gsym_mk_puts(o, "</pre><details class=\"log\"><summary>");
	gsym_mk_put_decimal(o, count);
	gsym_mk_puts(o, " module lines</summary><pre>");
}

void gsym_mk_details_end(struct gsym_mk_out *o)
{
	gsym_mk_puts(o, "</pre></details><pre class=\"log\">");
}

/* ---- elements -------------------------------------------------------- */

/* Bytes of an element in the title of its span. */
enum { LONGEST_TITLE = 256 };

void gsym_mk_frame_id(struct gsym_mk_out *o, struct gsym_mk_trace *trace,
		      const struct gsym_mk_element *e,
		      char id[GSYM_MK_FRAME_ID])
{
	if (!trace->number || e->frame <= trace->last_frame)
		trace->number = ++o->page.traces;
	trace->last_frame = e->frame;
	snprintf(id, GSYM_MK_FRAME_ID, "f%" PRIu64 "-%" PRIu64, trace->number,
		 e->frame);
}

void gsym_mk_span_begin(struct gsym_mk_out *o, const char *class,
			const char *id, const struct gsym_mk_element *e)
{
	gsym_mk_puts(o, "<span class=\"sym ");
	gsym_mk_puts(o, class);
	if (e && o->page.trouble.message[0] &&
	    o->page.trouble.severity == GSYM_MARKUP_ERROR)
		gsym_mk_puts(o, " err");
	gsym_mk_puts(o, "\" tabindex=\"0\"");
	if (*id) {
		gsym_mk_puts(o, " id=\"");
		gsym_mk_puts(o, id);
		gsym_mk_puts(o, "\"");
	}
	if (e) {
		bool cut = e->whole.size > LONGEST_TITLE;

		gsym_mk_puts(o, " title=\"");
		gsym_mk_put_html(o, e->whole.at,
				 cut ? LONGEST_TITLE : e->whole.size);
		gsym_mk_puts(o, cut ? "...\"" : "\"");
	}
	gsym_mk_puts(o, ">");
}

/* ---- links ----------------------------------------------------------- */

static void put_encoded(struct gsym_mk_out *o, struct gsym_mk_slice text,
			const char *unescaped)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.at[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z') || (c && strchr(unescaped, c))) {
			gsym_mk_put(o, text.at + i, 1);
		} else {
			gsym_mk_puts(o, "%");
			gsym_mk_put_hex(o, (unsigned char)c, 2);
		}
	}
}

void gsym_mk_link_begin(struct gsym_mk_out *o, const char *template,
			const char *letters, struct gsym_mk_slice first,
			struct gsym_mk_slice second, const char *unescaped)
{
	gsym_mk_puts(o, "<a href=\"");
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
	gsym_mk_puts(o, "\">");
}

/* ---- messages -------------------------------------------------------- */

void gsym_mk_trouble_note(struct gsym_mk_out *o,
			  enum gsym_markup_severity severity,
			  const char *message)
{
	struct gsym_mk_trouble *t = &o->page.trouble;

	if (!o->html || (t->message[0] && t->severity >= severity))
		return;
	t->severity = severity;
	snprintf(t->message, sizeof(t->message), "%s", message);
}
