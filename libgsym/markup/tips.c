/* SPDX-License-Identifier: MIT */
/* Writes the details of elements on pages. */
#include "markup/tips.h"

#include "markup/filter.h"
#include "markup/host.h"
#include "markup/html.h"
#include "markup/paint.h"

void gsym_mk_tip_begin(struct gsym_mk_out *o)
{
	gsym_mk_puts(o, "<span class=\"tip\"><u> (</u>");
	o->page.tip_empty = true;
}

/* Begin a line of details. In print the lines are one text in parentheses. */
static void line(struct gsym_mk_out *o)
{
	if (!o->page.tip_empty)
		gsym_mk_puts(o, "<u>;</u>\n");
	o->page.tip_empty = false;
}

static void label(struct gsym_mk_out *o, const char *text)
{
	line(o);
	gsym_mk_puts(o, "<i>");
	gsym_mk_puts(o, text);
	gsym_mk_puts(o, ":</i> ");
}

static void hex_line(struct gsym_mk_out *o, const char *name, uint64_t value)
{
	label(o, name);
	gsym_mk_puts(o, "0x");
	gsym_mk_put_hex(o, value, 1);
}

void gsym_mk_tip_end(struct gsym_mk_out *o)
{
	static const char *const words[] = { "note", "warning", "error" };
	const struct gsym_mk_trouble *t = &o->page.trouble;

	if (t->message[0]) {
		label(o, words[t->severity]);
		gsym_mk_put_html(o, t->message, strlen(t->message));
	}
	gsym_mk_puts(o, "<u>)</u></span>");
}

/* "[0x1000-0x1fff]" */
static void put_range(struct gsym_mk_out *o, uint64_t start, uint64_t last)
{
	gsym_mk_puts(o, "[0x");
	gsym_mk_put_hex(o, start, 1);
	gsym_mk_puts(o, "-0x");
	gsym_mk_put_hex(o, last, 1);
	gsym_mk_puts(o, "]");
}

static void put_bytes(struct gsym_mk_out *o, const uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		gsym_mk_put_hex(o, at[i], 2);
}

static void put_identity(struct gsym_mk_out *o,
			 const struct gsym_mk_module *module)
{
	label(o, "module");
	gsym_mk_paint_foreign(o, module->name.at, module->name.size);
	gsym_mk_puts(o, " #0x");
	gsym_mk_put_hex(o, module->id, 1);
	label(o, "build ID");
	put_bytes(o, module->build_id, module->build_id_size);
}

static void put_place(struct gsym_mk_out *o, const struct gsym_mk_mapping *m,
		      uint64_t address)
{
	put_identity(o, m->module);
	hex_line(o, "offset", gsym_mk_relative(m, address));
	label(o, "segment");
	put_range(o, m->start, m->last);
	label(o, "mode");
	gsym_mk_puts(o, m->mode);
}

static void put_kind(struct gsym_mk_out *o, const struct gsym_mk_element *e)
{
	static const char *const kinds[] = { "not given", "return address",
					     "exact" };

	label(o, "kind");
	gsym_mk_puts(o, kinds[e->code]);
}

/* "f /src/a.c:7" */
static void put_level(struct gsym_markup *f, struct gsym_mk_level *level)
{
	const struct gsym_markup_frame *frame = &level->frame;
	struct gsym_mk_out *o = &f->out;
	struct gsym_mk_slice text = { "?", 1 };

	if (*frame->function)
		text = gsym_mk_function_text(f, level);
	gsym_mk_put(o, text.at, text.size);
	if (!*frame->basename)
		return;
	text = gsym_mk_file_text(f, level);
	gsym_mk_puts(o, " ");
	gsym_mk_put(o, text.at, text.size);
	if (frame->line) {
		gsym_mk_puts(o, ":");
		gsym_mk_put_decimal(o, frame->line);
	}
}

/* Begin a tip with LEVELS. */
static void begin_levels(struct gsym_markup *f,
			 const struct gsym_mk_levels *levels)
{
	gsym_mk_tip_begin(&f->out);
	for (size_t i = 0; i < levels->count; i++) {
		line(&f->out);
		gsym_mk_puts(&f->out, i ? "  inlined into " : "");
		put_level(f, &levels->items[i]);
	}
}

void gsym_mk_tip_code(struct gsym_markup *f, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *m,
		      const struct gsym_mk_levels *levels)
{
	struct gsym_mk_out *o = &f->out;

	begin_levels(f, levels);
	hex_line(o, "address in the log", e->address);
	hex_line(o, "looked up", address);
	put_kind(o, e);
	put_place(o, m, address);
	gsym_mk_tip_end(o);
}

void gsym_mk_tip_log(struct gsym_markup *f, uint64_t address,
		     const struct gsym_mk_log_hit *hit,
		     const struct gsym_mk_levels *levels)
{
	struct gsym_mk_out *o = &f->out;

	begin_levels(f, levels);
	hex_line(o, "looked up", address);
	label(o, "module");
	gsym_mk_paint_foreign(o, hit->module.at, hit->module.size);
	if (hit->build_id_size)
		label(o, "build ID");
	put_bytes(o, hit->build_id, hit->build_id_size);
	gsym_mk_tip_end(o);
}

void gsym_mk_tip_raw(struct gsym_mk_out *o, const struct gsym_mk_element *e)
{
	gsym_mk_tip_begin(o);
	hex_line(o, "address in the log", e->address);
	if (e->kind != GSYM_MK_DATA)
		put_kind(o, e);
	gsym_mk_tip_end(o);
}

void gsym_mk_tip_symbol(struct gsym_mk_out *o, struct gsym_mk_slice name)
{
	gsym_mk_tip_begin(o);
	label(o, "linkage name");
	gsym_mk_paint_foreign(o, name.at, name.size);
	gsym_mk_tip_end(o);
}

void gsym_mk_tip_data(struct gsym_mk_out *o, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *m)
{
	gsym_mk_tip_begin(o);
	hex_line(o, "address", e->address);
	put_place(o, m, address);
	gsym_mk_tip_end(o);
}

void gsym_mk_tip_dump(struct gsym_mk_out *o, const struct gsym_mk_context *c)
{
	gsym_mk_tip_begin(o);
	label(o, "modules");
	gsym_mk_put_decimal(o, c->module_count);
	label(o, "segments");
	gsym_mk_put_decimal(o, c->mapping_count);
	gsym_mk_tip_end(o);
}

/* Fill the column that began at FROM with blanks. */
static void pad(struct gsym_mk_out *o, size_t from, size_t width)
{
	static const char blanks[] = "                                        ";
	size_t used = o->to->count - from;

	if (used < width)
		gsym_mk_put(o, blanks, width - used);
}

void gsym_mk_tip_module(struct gsym_mk_out *o,
			const struct gsym_mk_entry *entry)
{
	enum { RANGE = 40, MODE = 5 };

	gsym_mk_tip_begin(o);
	put_identity(o, entry->module);
	if (entry->ranges.count)
		label(o, "segments, their modes, and addresses in the module");
	for (size_t i = 0; i < entry->ranges.count; i++) {
		const struct gsym_mk_range *r = &entry->ranges.items[i];

		/* The heading began the text of the first row. */
		if (i)
			line(o);
		else
			gsym_mk_puts(o, "\n");
		gsym_mk_puts(o, "  ");
		size_t from = o->to->count;
		put_range(o, r->start, r->last);
		pad(o, from, RANGE);
		from = o->to->count;
		gsym_mk_puts(o, " ");
		gsym_mk_puts(o, r->mode);
		pad(o, from, MODE);
		gsym_mk_puts(o, "0x");
		gsym_mk_put_hex(o, r->relative, 1);
	}
	gsym_mk_tip_end(o);
}

void gsym_mk_put_unchanged(struct gsym_mk_out *o,
			   const struct gsym_mk_element *e)
{
	const char *at = e->whole.at, *end = at + e->whole.size;

	/* A change of colour in E holds after it, so no span can end there. */
	if (!o->html || !o->page.trouble.message[0] ||
	    memchr(at, '\033', e->whole.size)) {
		gsym_mk_paint_text(o, at, end);
		return;
	}
	gsym_mk_span_begin(o, "bad", "", e);
	gsym_mk_put_html(o, at, e->whole.size);
	gsym_mk_tip_begin(o);
	gsym_mk_tip_end(o);
	gsym_mk_puts(o, "</span>");
}
