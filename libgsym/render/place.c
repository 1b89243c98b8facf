/* SPDX-License-Identifier: MIT */
/*
 * Writes functions and places in the source, the details of elements on pages,
 * and elements of which nothing is known.
 */
#include "config.h"

#include "render/place.h"
#include "stacks/judge.h"

#include <inttypes.h>
#include <stdio.h>

/* Whether the first SIZE bytes of TEXT, which end with '/', end with a folder
 * that a ".." after them would leave.  *CUT becomes the start of its name. */
static bool has_parent(const char *text, size_t size, size_t *cut)
{
	size_t start = size ? size - 1 : 0;

	while (start && text[start - 1] != '/')
		start--;
	*cut = start;
	return size > start + 1 && memcmp(text + start, "./", 2) != 0 &&
	       (size < start + 3 || memcmp(text + start, "../", 3) != 0);
}

/* Take "name/.." out of PATH. */
static void normalise(struct mk_text *path)
{
	char *text = path->items;
	size_t to = 0, cut;

	if (path->count < 4 || !memmem(text, path->count, "/../", 4))
		return;
	for (size_t at = 0; at < path->count;) {
		const char *slash = memchr(text + at, '/', path->count - at);
		size_t end = slash ? (size_t)(slash + 1 - text) : path->count;

		if (end - at == 3 && memcmp(text + at, "../", 3) == 0 &&
		    has_parent(text, to, &cut)) {
			to = cut;
		} else {
			memmove(text + to, text + at, end - at);
			to += end - at;
		}
		at = end;
	}
	path->count = to;
}

/* The file of FRAME as it is shown; valid until the next call. */
static struct logs_text path_of(struct mk_host *h,
				const struct gsym_markup_frame *frame)
{
	const char *directory = frame->directory;
	size_t length = strlen(directory);

	h->scratch.count = 0;
	if (length && !h->options->basenames) {
		mk_append(h->out, &h->scratch, directory, length);
		char last = directory[length - 1];
		bool slash = memchr(directory, '/', length) ||
			     !memchr(directory, '\\', length);
		if (last != (slash ? '/' : '\\'))
			mk_append(h->out, &h->scratch, slash ? "/" : "\\", 1);
	}
	mk_append(h->out, &h->scratch, frame->basename,
		  strlen(frame->basename));
	if (h->options->html)
		normalise(&h->scratch);
	return mk_all(&h->scratch);
}

/* The text of KEY in the memo, whose index goes to *INDEX unless it is there
 * already; false if there is none. */
static bool kept(const struct mk_memo *memo, const struct mk_memo_key *key,
		 mk_memo_index *index, struct logs_text *ret)
{
	if (!*index)
		*index = gsym_mk_memo_find(memo, key);
	if (*index)
		ret->at = gsym_mk_memo_at(memo, *index, &ret->size);
	return *index != 0;
}

/* The SIZE bytes of foreign text at AT as they are shown, which are kept for
 * KEY at *INDEX. */
static struct logs_text shown(struct mk_host *h, const struct mk_memo_key *key,
			      mk_memo_index *index, const char *at, size_t size)
{
	struct mk_out *o = &h->draft;

	gsym_mk_out_clear(o);
	gsym_mk_paint_foreign(o, at, size);
	h->out->out_of_memory |= o->out_of_memory;
	if (!h->out->out_of_memory)
		*index = gsym_mk_memo_add(&h->memo, key, o->text.items,
					  o->text.count);
	return mk_all(&o->text);
}

struct logs_text gsym_render_function_text(struct mk_host *h,
					   struct mk_level *level)
{
	const char *name = level->frame.function;
	const struct mk_memo_key key = { MK_MEMO_FUNCTION, name, 0 };
	struct logs_text text;

	if (kept(&h->memo, &key, &level->function, &text))
		return text;
	if (h->calls.demangle)
		name = h->calls.demangle(h->calls.context, name, true);
	if (!*name)
		name = "<invalid>";
	return shown(h, &key, &level->function, name, strlen(name));
}

struct logs_text gsym_render_file_text(struct mk_host *h,
				       struct mk_level *level)
{
	const struct gsym_markup_frame *frame = &level->frame;
	const struct mk_memo_key key = { MK_MEMO_FILE, frame->directory,
					 (uintptr_t)frame->basename };
	struct logs_text text;

	if (kept(&h->memo, &key, &level->file, &text))
		return text;
	text = path_of(h, frame);
	return shown(h, &key, &level->file, text.at, text.size);
}

static void value(struct mk_out *o, struct logs_text text)
{
	gsym_mk_value_begin(o);
	mk_put(o, text.at, text.size);
	gsym_mk_value_end(o);
}

void gsym_render_put_file(struct mk_host *h, struct mk_out *o,
			  struct mk_level *level)
{
	const struct gsym_markup_frame *frame = &level->frame;

	if (!*frame->basename) {
		gsym_mk_value(o, "<invalid>", 9);
		return;
	}
	char line[12];
	bool link = h->options->html && h->options->source_url;

	if (link) {
		int n = snprintf(line, sizeof(line), "%" PRIu32, frame->line);
		gsym_mk_link_begin(o, h->options->source_url, "fl",
				   path_of(h, frame),
				   (struct logs_text){ line, (size_t)n },
				   "-._~/");
	}
	value(o, gsym_render_file_text(h, level));
	if (link)
		mk_puts(o, "</a>");
}

void gsym_render_put_row(struct mk_out *o,
			 const struct gsym_markup_frame *frame)
{
	if (!frame->line)
		return;
	mk_puts(o, ":");
	gsym_mk_value_decimal(o, frame->line);
	if (frame->column) {
		mk_puts(o, ":");
		gsym_mk_value_decimal(o, frame->column);
	}
}

void gsym_render_put_place(struct mk_host *h, struct mk_out *o,
			   const char *separator, struct mk_level *level)
{
	if (!mk_has_place(level))
		return;
	mk_puts(o, separator);
	gsym_render_put_file(h, o, level);
	gsym_render_put_row(o, &level->frame);
}

void gsym_render_put_function(struct mk_host *h, struct mk_out *o,
			      struct mk_level *level)
{
	value(o, gsym_render_function_text(h, level));
}

/* ---- details of elements on pages ----------------------------------- */

void gsym_render_tip_begin(struct mk_out *o)
{
	mk_puts(o, "<span class=\"tip\"><u> (</u>");
	o->page->tip_empty = true;
}

/* Begin a line of details. In print the lines are one text in parentheses. */
static void line(struct mk_out *o)
{
	if (!o->page->tip_empty)
		mk_puts(o, "<u>;</u>\n");
	o->page->tip_empty = false;
}

static void label(struct mk_out *o, const char *text)
{
	line(o);
	mk_puts(o, "<i>");
	mk_puts(o, text);
	mk_puts(o, ":</i> ");
}

static void hex_line(struct mk_out *o, const char *name, uint64_t value)
{
	label(o, name);
	mk_puts(o, "0x");
	gsym_mk_put_hex(o, value, 1);
}

void gsym_render_tip_end(struct mk_out *o)
{
	static const char *const words[] = { "note", "warning", "error" };
	const struct mk_trouble *t = &o->page->trouble;

	if (t->message[0]) {
		label(o, words[t->severity]);
		gsym_mk_put_html(o, t->message, strlen(t->message));
	}
	mk_puts(o, "<u>)</u></span>");
}

/* "[0x1000-0x1fff]" */
static void put_range(struct mk_out *o, uint64_t start, uint64_t last)
{
	mk_puts(o, "[0x");
	gsym_mk_put_hex(o, start, 1);
	mk_puts(o, "-0x");
	gsym_mk_put_hex(o, last, 1);
	mk_puts(o, "]");
}

static void put_bytes(struct mk_out *o, const uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		gsym_mk_put_hex(o, at[i], 2);
}

static void put_identity(struct mk_out *o, const struct mk_module *module)
{
	label(o, "module");
	gsym_mk_paint_foreign(o, module->name.at, module->name.size);
	mk_puts(o, " #0x");
	gsym_mk_put_hex(o, module->id, 1);
	label(o, "build ID");
	put_bytes(o, module->build_id, module->build_id_size);
}

static void put_place(struct mk_out *o, const struct mk_mapping *m,
		      uint64_t address)
{
	put_identity(o, m->module);
	hex_line(o, "offset", mk_relative(m, address));
	label(o, "segment");
	put_range(o, m->start, m->last);
	label(o, "mode");
	mk_puts(o, m->mode);
}

/* "f /src/a.c:7" */
static void put_level(struct mk_host *h, struct mk_out *o,
		      struct mk_level *level)
{
	const struct gsym_markup_frame *frame = &level->frame;
	struct logs_text text = { "?", 1 };

	if (*frame->function)
		text = gsym_render_function_text(h, level);
	mk_put(o, text.at, text.size);
	if (!*frame->basename)
		return;
	text = gsym_render_file_text(h, level);
	mk_puts(o, " ");
	mk_put(o, text.at, text.size);
	if (frame->line) {
		mk_puts(o, ":");
		gsym_mk_put_decimal(o, frame->line);
	}
}

static void begin_levels(struct mk_host *h, struct mk_out *o,
			 const struct mk_levels *levels)
{
	gsym_render_tip_begin(o);
	for (size_t i = 0; i < levels->count; i++) {
		line(o);
		mk_puts(o, i ? "  inlined into " : "");
		put_level(h, o, &levels->items[i]);
	}
}

void gsym_render_tip_address(struct mk_host *h, struct mk_out *o,
			     const struct mk_element *e, uint64_t address,
			     const struct mk_mapping *m,
			     const struct mk_levels *levels)
{
	static const char *const kinds[] = { "not given", "return address",
					     "exact" };
	const bool data = e->kind == MK_DATA;
	const struct mk_levels none = { NULL, 0 };

	begin_levels(h, o, levels ? levels : &none);
	hex_line(o, data && m ? "address" : "address in the log", e->address);
	if (levels)
		hex_line(o, "looked up", address);
	if (!data) {
		label(o, "kind");
		mk_puts(o, kinds[e->code]);
	}
	if (m)
		put_place(o, m, address);
	gsym_render_tip_end(o);
}

void gsym_render_tip_log(struct mk_host *h, struct mk_out *o, uint64_t address,
			 const struct stacks_answer *answer,
			 const struct mk_levels *levels)
{
	begin_levels(h, o, levels);
	hex_line(o, "looked up", address);
	label(o, "module");
	gsym_mk_paint_foreign(o, answer->module.at, answer->module.size);
	if (answer->build_id_size)
		label(o, "build ID");
	put_bytes(o, answer->build_id, answer->build_id_size);
	gsym_render_tip_end(o);
}

void gsym_render_tip_symbol(struct mk_out *o, struct logs_text name)
{
	gsym_render_tip_begin(o);
	label(o, "linkage name");
	gsym_mk_paint_foreign(o, name.at, name.size);
	gsym_render_tip_end(o);
}

void gsym_render_tip_dump(struct mk_out *o, const struct mk_context *c)
{
	gsym_render_tip_begin(o);
	label(o, "modules");
	gsym_mk_put_decimal(o, c->module_count);
	label(o, "segments");
	gsym_mk_put_decimal(o, c->mapping_count);
	gsym_render_tip_end(o);
}

/* Fill the column that began at FROM with blanks. */
static void pad(struct mk_out *o, size_t from, size_t width)
{
	static const char blanks[] = "                                        ";
	size_t used = o->text.count - from;

	if (used < width)
		mk_put(o, blanks, width - used);
}

void gsym_render_tip_module(struct mk_out *o, const struct mk_entry *entry)
{
	enum { RANGE = 40, MODE = 5 };

	gsym_render_tip_begin(o);
	put_identity(o, entry->module);
	if (entry->ranges.count)
		label(o, "segments, their modes, and addresses in the module");
	for (size_t i = 0; i < entry->ranges.count; i++) {
		const struct mk_mapping *r = &entry->ranges.items[i];

		/* The heading began the text of the first row. */
		if (i)
			line(o);
		else
			mk_puts(o, "\n");
		mk_puts(o, "  ");
		size_t from = o->text.count;
		put_range(o, r->start, r->last);
		pad(o, from, RANGE);
		from = o->text.count;
		mk_puts(o, " ");
		mk_puts(o, r->mode);
		pad(o, from, MODE);
		mk_puts(o, "0x");
		gsym_mk_put_hex(o, r->relative, 1);
	}
	gsym_render_tip_end(o);
}

void gsym_render_put_unchanged(struct mk_out *o, const struct mk_element *e)
{
	const char *at = e->whole.at, *end = at + e->whole.size;

	/* A change of colour in E holds after it, so no span can end there. */
	if (!o->html || !o->page->trouble.message[0] ||
	    memchr(at, '\033', e->whole.size)) {
		gsym_mk_paint_text(o, at, end);
		return;
	}
	gsym_mk_span_begin(o, "bad", "", e);
	gsym_mk_put_html(o, at, e->whole.size);
	gsym_render_tip_begin(o);
	gsym_render_tip_end(o);
	mk_puts(o, "</span>");
}

/* ---- elements as they are in the log -------------------------------- */

void gsym_render_raw(struct mk_host *h, struct mk_out *o,
		     const struct mk_element *e)
{
	const char *at = e->body.at, *end = at + e->body.size;
	char id[MK_FRAME_ID] = "";

	if (o->html && e->kind == MK_BT) {
		gsym_mk_frame_id(o, &o->page->process->trace, e, id);
		gsym_mk_span_begin(o, "raw bt", id, e);
	} else {
		gsym_mk_paint_begin(o, "raw", e);
	}
	mk_puts(o, "[[[");
	gsym_mk_value(o, e->tag.at, e->tag.size);
	for (size_t i = 0; i < e->field_count; i++) {
		const char *colon = memchr(at, ':', (size_t)(end - at));
		const char *stop = colon ? colon : end;

		mk_puts(o, ":");
		gsym_mk_value(o, at, (size_t)(stop - at));
		at = stop + 1;
	}
	mk_puts(o, "]]]");
	if (o->html && !mk_contextual(e))
		gsym_render_tip_address(h, o, e, 0, NULL, NULL);
	gsym_mk_paint_end(o);
}

void gsym_render_uncovered(struct mk_host *h, struct mk_out *o,
			   const struct mk_element *e)
{
	gsym_mk_say(h, GSYM_MARKUP_ERROR, e->fields[0].at,
		    "no mmap covers address");
	gsym_render_raw(h, o, e);
}

void gsym_render_put_module_name(struct mk_out *o,
				 const struct mk_module *module)
{
	if (module->name.size || o->llvm) {
		gsym_mk_value(o, module->name.at, module->name.size);
		return;
	}
	gsym_mk_value_begin(o);
	mk_puts(o, "#0x");
	gsym_mk_put_hex(o, module->id, 1);
	gsym_mk_value_end(o);
}

void gsym_render_put_offset(struct mk_out *o, const struct mk_mapping *mapping,
			    uint64_t address)
{
	gsym_render_put_module_name(o, mapping->module);
	mk_puts(o, "+");
	gsym_mk_value_hex(o, mk_relative(mapping, address));
}
