/* SPDX-License-Identifier: MIT */
/* The page around an HTML log, and the details of elements, which show when
 * the pointer or the focus is on them.  No script; nothing from outside. */
#include "markup/filter.h"

#include <inttypes.h>

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
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
	"--dim:#8d95a0;--line:#2c3038;--tip:#22262d;--sym:#7cb7ff;--val:#7fd49b;"
	"--err:#ff8a80;--hover:#20262f;--c0:#8d95a0;--c1:#ff8a80;--c2:#7fd49b;"
	"--c3:#e3c26b;--c4:#7cb7ff;--c5:#d9a0e6;--c6:#76d3e3;--c7:#f2f3f5}}\n"
	"body{margin:0;padding:1rem 1rem 16rem;background:var(--bg);"
	"color:var(--fg)}\n"
	".log,.log pre{margin:0;font:13px/1.5 ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,"
	"monospace;tab-size:8}\n"
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
	".tip,.tip i{color:#555}.tip u{text-decoration:none}}\n"
	"</style>\n"
	"</head>\n"
	"<body>\n"
	"<pre class=\"log\">\n";

void gsym_mk_page_start(struct gsym_markup *f)
{
	const char *title = f->options.title ? f->options.title : "log";

	if (f->page_started)
		return;
	f->page_started = true;
	gsym_mk_puts(f, head);
	gsym_mk_paint_plain(f, title, strlen(title));
	gsym_mk_puts(f, style);
	f->line_mark = f->main.count;
}

void gsym_mk_page_end(struct gsym_markup *f)
{
	gsym_mk_puts(f, "</pre>\n</body>\n</html>\n");
}

void gsym_mk_details_begin(struct gsym_markup *f, size_t count)
{
	gsym_mk_puts(f, "</pre><details class=\"log\"><summary>");
	gsym_mk_put_decimal(f, count);
	gsym_mk_puts(f, " module lines</summary><pre>");
}

void gsym_mk_details_end(struct gsym_markup *f)
{
	gsym_mk_puts(f, "</pre></details><pre class=\"log\">");
}

/* ---- details --------------------------------------------------------- */

static void label(struct gsym_markup *f, const char *text)
{
	static const char begun[] = "(</u>";
	const struct gsym_mk_text *out = f->out;

	/* The first line of a tip needs no line in front of it. */
	if (out->count < sizeof(begun) ||
	    memcmp(out->items + out->count - sizeof(begun) + 1, begun,
		   sizeof(begun) - 1) != 0)
		gsym_mk_puts(f, "\n");
	gsym_mk_puts(f, "<i>");
	gsym_mk_puts(f, text);
	gsym_mk_puts(f, ":</i> ");
}

static void tip_begin(struct gsym_markup *f)
{
	gsym_mk_puts(f, "<span class=\"tip\"><u> (</u>");
}

static void tip_end(struct gsym_markup *f)
{
	gsym_mk_puts(f, "<u>)</u></span>");
}

static void tip_hex(struct gsym_markup *f, const char *name, uint64_t value)
{
	label(f, name);
	gsym_mk_puts(f, "0x");
	gsym_mk_put_hex(f, value, 1);
}

static void tip_module(struct gsym_markup *f,
		       const struct gsym_mk_mapping *m, uint64_t address)
{
	label(f, "module");
	gsym_mk_paint_foreign(f, m->module->name.at, m->module->name.size);
	label(f, "build ID");
	for (size_t i = 0; i < m->module->build_id_size; i++)
		gsym_mk_put_hex(f, m->module->build_id[i], 2);
	tip_hex(f, "offset", gsym_mk_relative(m, address));
	label(f, "segment");
	gsym_mk_puts(f, "[0x");
	gsym_mk_put_hex(f, m->start, 1);
	gsym_mk_puts(f, "-0x");
	gsym_mk_put_hex(f, m->last, 1);
	gsym_mk_puts(f, "](");
	gsym_mk_puts(f, m->mode);
	gsym_mk_puts(f, ")");
	if (!m->module->symbols)
		gsym_mk_puts(f, "\nno symbols for this module");
}

void gsym_mk_tip_code(struct gsym_markup *f, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *m,
		      const struct gsym_markup_frame *frames, size_t count)
{
	static const char *const kinds[] = { "not said", "return address",
					     "exact" };

	tip_begin(f);
	for (size_t i = 0; i < count; i++) {
		const char *name = *frames[i].function
					   ? gsym_mk_demangle(
						     f, frames[i].function)
					   : "?";

		gsym_mk_paint_foreign(f, name, strlen(name));
		if (*frames[i].basename) {
			struct gsym_mk_slice path = gsym_mk_path(f, &frames[i]);

			gsym_mk_puts(f, " ");
			gsym_mk_paint_foreign(f, path.at, path.size);
			gsym_mk_puts(f, ":");
			gsym_mk_put_decimal(f, frames[i].line);
		}
		gsym_mk_puts(f, i + 1 < count ? "\n  inlined into " : "");
	}
	tip_hex(f, "address in the log", e->address);
	tip_hex(f, "looked up", address);
	label(f, "kind");
	gsym_mk_puts(f, kinds[e->code]);
	if (m)
		tip_module(f, m, address);
	tip_end(f);
}

void gsym_mk_tip_text(struct gsym_markup *f, const char *name,
		      const char *text, size_t size)
{
	tip_begin(f);
	label(f, name);
	gsym_mk_paint_foreign(f, text, size);
	tip_end(f);
}

void gsym_mk_tip_data(struct gsym_markup *f, const struct gsym_mk_element *e,
		      const struct gsym_mk_mapping *m)
{
	tip_begin(f);
	tip_hex(f, "address", e->address);
	tip_module(f, m, e->address);
	tip_end(f);
}

void gsym_mk_tip_dump(struct gsym_markup *f)
{
	const struct gsym_mk_context *c = &f->process->context;

	tip_begin(f);
	label(f, "modules");
	gsym_mk_put_decimal(f, c->module_count);
	label(f, "segments");
	gsym_mk_put_decimal(f, c->mapping_count);
	tip_end(f);
}

void gsym_mk_tip_error(struct gsym_markup *f, const char *message)
{
	tip_begin(f);
	gsym_mk_puts(f, message);
	tip_end(f);
}

/* ---- links ----------------------------------------------------------- */

static void put_escaped(struct gsym_markup *f, struct gsym_mk_slice text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";

	for (size_t i = 0; i < text.size; i++) {
		if (text.at[i] && strchr(plain, text.at[i])) {
			gsym_mk_put(f, text.at + i, 1);
		} else {
			gsym_mk_puts(f, "%");
			gsym_mk_put_hex(f, (unsigned char)text.at[i], 2);
		}
	}
}

void gsym_mk_link_begin(struct gsym_markup *f, const char *template,
			const char *letters, struct gsym_mk_slice first,
			struct gsym_mk_slice second)
{
	gsym_mk_puts(f, "<a href=\"");
	for (const char *at = template; *at; at++) {
		if (at[0] == '%' && at[1] == letters[0])
			put_escaped(f, first);
		else if (at[0] == '%' && at[1] == letters[1])
			put_escaped(f, second);
		else {
			gsym_mk_paint_plain(f, at, 1);
			continue;
		}
		at++;
	}
	gsym_mk_puts(f, "\">");
}
