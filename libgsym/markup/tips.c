/* SPDX-License-Identifier: MIT */
/* The details of elements in HTML: lines that show when the pointer or the
 * focus is on the element, and stand in parentheses behind it in print. */
#include "markup/filter.h"

#include <inttypes.h>

void gsym_mk_tip_begin(struct gsym_markup *f)
{
	gsym_mk_puts(f, "<span class=\"tip\"><u> (</u>");
	f->tip_empty = true;
}

/* Begin a line; in print it is a sentence that goes on. */
static void line(struct gsym_markup *f)
{
	if (!f->tip_empty)
		gsym_mk_puts(f, "<u>;</u>\n");
	f->tip_empty = false;
}

static void label(struct gsym_markup *f, const char *text)
{
	line(f);
	gsym_mk_puts(f, "<i>");
	gsym_mk_puts(f, text);
	gsym_mk_puts(f, ":</i> ");
}

static void hex_line(struct gsym_markup *f, const char *name, uint64_t value)
{
	label(f, name);
	gsym_mk_puts(f, "0x");
	gsym_mk_put_hex(f, value, 1);
}

void gsym_mk_tip_end(struct gsym_markup *f)
{
	static const char *const words[] = { "note", "warning", "error" };
	const struct gsym_mk_trouble *t = &f->trouble;

	if (t->message[0]) {
		label(f, words[t->severity]);
		gsym_mk_put_html(f, t->message, strlen(t->message));
	}
	gsym_mk_puts(f, "<u>)</u></span>");
}

/* "[0x1000-0x1fff]" */
static void put_range(struct gsym_markup *f, uint64_t start, uint64_t last)
{
	gsym_mk_puts(f, "[0x");
	gsym_mk_put_hex(f, start, 1);
	gsym_mk_puts(f, "-0x");
	gsym_mk_put_hex(f, last, 1);
	gsym_mk_puts(f, "]");
}

static void put_identity(struct gsym_markup *f,
			 const struct gsym_mk_module *module)
{
	label(f, "module");
	gsym_mk_paint_foreign(f, module->name.at, module->name.size);
	gsym_mk_puts(f, " #0x");
	gsym_mk_put_hex(f, module->id, 1);
	label(f, "build ID");
	for (size_t i = 0; i < module->build_id_size; i++)
		gsym_mk_put_hex(f, module->build_id[i], 2);
}

static void put_place(struct gsym_markup *f, const struct gsym_mk_mapping *m,
		      uint64_t address)
{
	put_identity(f, m->module);
	hex_line(f, "offset", gsym_mk_relative(m, address));
	label(f, "segment");
	put_range(f, m->start, m->last);
	label(f, "mode");
	gsym_mk_puts(f, m->mode);
}

static void put_kind(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	static const char *const kinds[] = { "not said", "return address",
					     "exact" };

	label(f, "kind");
	gsym_mk_puts(f, kinds[e->code]);
}

void gsym_mk_tip_code(struct gsym_markup *f, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *m,
		      const struct gsym_markup_frame *frames, size_t count)
{
	gsym_mk_tip_begin(f);
	for (size_t i = 0; i < count; i++) {
		const char *name = *frames[i].function
					   ? gsym_mk_demangle(
						     f, frames[i].function)
					   : "?";

		line(f);
		gsym_mk_puts(f, i ? "  inlined into " : "");
		gsym_mk_paint_foreign(f, name, strlen(name));
		if (*frames[i].basename) {
			struct gsym_mk_slice path = gsym_mk_path(f, &frames[i]);

			gsym_mk_puts(f, " ");
			gsym_mk_paint_foreign(f, path.at, path.size);
		}
		if (*frames[i].basename && frames[i].line) {
			gsym_mk_puts(f, ":");
			gsym_mk_put_decimal(f, frames[i].line);
		}
	}
	hex_line(f, "address in the log", e->address);
	hex_line(f, "looked up", address);
	put_kind(f, e);
	put_place(f, m, address);
	gsym_mk_tip_end(f);
}

void gsym_mk_tip_raw(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	gsym_mk_tip_begin(f);
	hex_line(f, "address in the log", e->address);
	if (e->kind != GSYM_MK_DATA)
		put_kind(f, e);
	gsym_mk_tip_end(f);
}

void gsym_mk_tip_text(struct gsym_markup *f, const char *name,
		      const char *text, size_t size)
{
	gsym_mk_tip_begin(f);
	label(f, name);
	gsym_mk_paint_foreign(f, text, size);
	gsym_mk_tip_end(f);
}

void gsym_mk_tip_data(struct gsym_markup *f, const struct gsym_mk_element *e,
		      uint64_t address, const struct gsym_mk_mapping *m)
{
	gsym_mk_tip_begin(f);
	hex_line(f, "address", e->address);
	put_place(f, m, address);
	gsym_mk_tip_end(f);
}

void gsym_mk_tip_dump(struct gsym_markup *f)
{
	const struct gsym_mk_context *c = &f->process->context;

	gsym_mk_tip_begin(f);
	label(f, "modules");
	gsym_mk_put_decimal(f, c->module_count);
	label(f, "segments");
	gsym_mk_put_decimal(f, c->mapping_count);
	gsym_mk_tip_end(f);
}

static void pad(struct gsym_markup *f, size_t from, size_t width)
{
	static const char blanks[] = "                                        ";
	size_t used = f->out->count - from;

	if (used < width)
		gsym_mk_put(f, blanks, width - used);
}

/* A table of the segments. */
void gsym_mk_tip_module(struct gsym_markup *f,
			const struct gsym_mk_entry *entry)
{
	enum { RANGE = 40, MODE = 5 };

	f->trouble.message[0] = 0;
	gsym_mk_tip_begin(f);
	put_identity(f, entry->module);
	if (entry->ranges.count)
		label(f, "segments, their modes, and addresses in the module");
	for (size_t i = 0; i < entry->ranges.count; i++) {
		const struct gsym_mk_range *r = &entry->ranges.items[i];

		/* The first row goes on with its heading. */
		if (i)
			line(f);
		else
			gsym_mk_puts(f, "\n");
		gsym_mk_puts(f, "  ");
		size_t from = f->out->count;
		put_range(f, r->start, r->last);
		pad(f, from, RANGE);
		from = f->out->count;
		gsym_mk_puts(f, " ");
		gsym_mk_puts(f, r->mode);
		pad(f, from, MODE);
		gsym_mk_puts(f, "0x");
		gsym_mk_put_hex(f, r->relative, 1);
	}
	gsym_mk_tip_end(f);
}
