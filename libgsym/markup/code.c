/* SPDX-License-Identifier: MIT */
/* Addresses of code: pc and bt. */
#include "markup/filter.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- places in the source -------------------------------------------- */

struct gsym_mk_slice gsym_mk_path(struct gsym_markup *f,
				  const struct gsym_markup_frame *frame)
{
	const char *directory = frame->directory;
	size_t length = strlen(directory);

	f->scratch.count = 0;
	if (length && !f->options.basenames) {
		gsym_mk_append(f, &f->scratch, directory, length);
		char last = directory[length - 1];
		bool slash = memchr(directory, '/', length) ||
			     !memchr(directory, '\\', length);
		if (last != (slash ? '/' : '\\'))
			gsym_mk_append(f, &f->scratch, slash ? "/" : "\\", 1);
	}
	gsym_mk_append(f, &f->scratch, frame->basename,
		       strlen(frame->basename));
	return (struct gsym_mk_slice){ f->scratch.items, f->scratch.count };
}

static void value_text(struct gsym_markup *f, const char *text)
{
	gsym_mk_value(f, text, strlen(text));
}

/* The file of FRAME as a value; with a link to it in HTML. */
static void put_file(struct gsym_markup *f,
		     const struct gsym_markup_frame *frame)
{
	if (!*frame->basename) {
		value_text(f, "<invalid>");
		return;
	}
	struct gsym_mk_slice path = gsym_mk_path(f, frame);
	char line[12];
	bool link = f->options.html && f->options.source_url;

	if (link) {
		int n = snprintf(line, sizeof(line), "%" PRIu32, frame->line);
		gsym_mk_link_begin(f, f->options.source_url, "fl", path,
				   (struct gsym_mk_slice){ line, (size_t)n },
				   "-._~/");
	}
	gsym_mk_value(f, path.at, path.size);
	if (link)
		gsym_mk_puts(f, "</a>");
}

static void put_function(struct gsym_markup *f,
			 const struct gsym_markup_frame *frame)
{
	const char *name = gsym_mk_demangle(f, frame->function);

	value_text(f, *name ? name : "<invalid>");
}

/* "file:line:column" as far as it is known, behind SEPARATOR; whether
 * anything was. */
bool gsym_mk_place(struct gsym_markup *f, const char *separator,
		   const struct gsym_markup_frame *frame)
{
	if (!*frame->basename)
		return false;
	gsym_mk_puts(f, separator);
	put_file(f, frame);
	if (frame->line) {
		gsym_mk_puts(f, ":");
		gsym_mk_value_decimal(f, frame->line);
		if (frame->column) {
			gsym_mk_puts(f, ":");
			gsym_mk_value_decimal(f, frame->column);
		}
	}
	return true;
}

/* ---- code ------------------------------------------------------------ */

static uint64_t adjust(const struct gsym_markup *f,
		       const struct gsym_mk_element *e)
{
	enum gsym_mk_code code = e->code;
	uint64_t address = e->address;

	if (code == GSYM_MK_UNSUFFIXED) {
		bool back = e->kind == GSYM_MK_BT;

		if (f->options.unsuffixed)
			back = f->options.unsuffixed ==
			       GSYM_MARKUP_UNSUFFIXED_RETURN;
		code = back ? GSYM_MK_RETURN : GSYM_MK_EXACT;
	}
	if (code == GSYM_MK_RETURN && (address || f->llvm))
		address--;
	return address;
}

/* What is known of a code address: frames, or the text that was made of them
 * before. */
struct code {
	const struct gsym_mk_mapping *mapping;
	uint64_t address;
	/** Before it was adjusted, but in MAPPING as well. */
	uint64_t logged;
	size_t count;
	bool kept;
	struct gsym_mk_levels levels;
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
};

/* The place of FRAME; in llvm-symbolizer's way the column comes later. */
static bool put_place(struct gsym_markup *f,
		      const struct gsym_markup_frame *frame)
{
	if (!f->llvm)
		return gsym_mk_place(f, "", frame);
	put_file(f, frame);
	gsym_mk_puts(f, ":");
	gsym_mk_value_decimal(f, frame->line);
	return true;
}

static void put_kept(struct gsym_markup *f, const struct code *code,
		     size_t level, const char *before, const char *behind)
{
	const struct gsym_mk_slice *place = &code->levels.items[level].place;

	gsym_mk_put(f, code->levels.items[level].name.at,
		    code->levels.items[level].name.size);
	if (!place->size)
		return;
	gsym_mk_puts(f, before);
	gsym_mk_put(f, place->at, place->size);
	gsym_mk_puts(f, behind);
}

/* Function and place of a level, with BEFORE and BEHIND around the place. */
static void put_level(struct gsym_markup *f, const struct code *code,
		      size_t level, const char *before, const char *behind)
{
	const struct gsym_markup_frame *frame = &code->frames[level];

	if (code->kept) {
		put_kept(f, code, level, before, behind);
		return;
	}
	put_function(f, frame);
	if (!f->llvm && !*frame->basename)
		return;
	gsym_mk_puts(f, before);
	put_place(f, frame);
	gsym_mk_puts(f, behind);
}

static bool keep_levels(struct gsym_markup *f, void *symbols,
			uint64_t address, struct code *code)
{
	/* A column would have to be kept on its own. */
	for (size_t i = 0; f->llvm && i < code->count; i++)
		if (code->frames[i].column)
			return false;
	if (!gsym_mk_memo_begin(f, symbols, address, code->count))
		return false;
	for (size_t i = 0; i < code->count; i++) {
		put_function(f, &code->frames[i]);
		gsym_mk_memo_name(f);
		put_place(f, &code->frames[i]);
		gsym_mk_memo_place(f);
	}
	return gsym_mk_memo_end(f, &code->levels);
}

/* Where the address of E lies; false: nowhere. */
static bool locate(struct gsym_markup *f, const struct gsym_mk_element *e,
		   struct code *code)
{
	uint64_t adjusted = adjust(f, e);

	code->address = adjusted;
	code->mapping = gsym_mk_locate(f, &code->address);
	code->logged = e->address + (code->address - adjusted);
	return code->mapping != NULL;
}

/* Find out about code->address. */
static void look_up(struct gsym_markup *f, struct code *code)
{
	uint64_t at = gsym_mk_relative(code->mapping, code->address);
	void *symbols = gsym_mk_symbols(f, code->mapping->module);

	code->count = 0;
	code->kept = false;
	if (!symbols || !f->host.code)
		return;
	code->kept = gsym_mk_recall(f, symbols, at, &code->levels);
	if (code->kept) {
		code->count = code->levels.count;
		return;
	}
	code->count = f->host.code(f->host.context, symbols, at, code->frames,
				   GSYM_MARKUP_MAX_FRAMES);
	code->kept = keep_levels(f, symbols, at, code);
}

bool gsym_mk_present_pc(struct gsym_markup *f,
			const struct gsym_mk_element *e)
{
	struct code code;

	if (!locate(f, e, &code))
		return gsym_mk_uncovered(f, e);
	look_up(f, &code);
	if (!code.count && f->llvm) {
		gsym_mk_raw(f, e);
		return true;
	}
	gsym_mk_paint_begin(f, "pc", e);
	if (!code.count)
		gsym_mk_put_offset(f, code.mapping, code.address);
	for (size_t i = 0; i < code.count; i++) {
		if (i)
			gsym_mk_paint_plain(f, " <- ", 4);
		put_level(f, &code, i, "[", "]");
		if (f->llvm || !f->options.pc_inlines)
			break;
	}
	if (f->options.html)
		gsym_mk_tip_code(f, e, code.address, code.mapping,
				 code.frames, code.count);
	gsym_mk_paint_end(f);
	return true;
}

/* ---- bt -------------------------------------------------------------- */

/* The digits of VALUE, at most 20; returns their number. */
static size_t decimal(char *to, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	memcpy(to, digits + at, sizeof(digits) - at);
	return sizeof(digits) - at;
}

/* "    #9.1  0x000000000001113b ", without colour and HTML. */
static void put_plain_number(struct gsym_markup *f, uint64_t frame,
			     size_t level, uint64_t address)
{
	char text[80], digits[24], *at = text;
	size_t width = decimal(digits, frame);

	for (size_t i = width; i < 5; i++)
		*at++ = ' ';
	*at++ = '#';
	memcpy(at, digits, width);
	at += width;
	memcpy(at, "   ", 3);
	if (level) {
		*at = '.';
		width = decimal(at + 1, level);
		at += width > 1 ? width - 2 : 0;
		if (width == 1)
			at[2] = ' ';
	}
	at += 3;
	memcpy(at, " 0x", 3);
	at += 3;
	for (int shift = 60; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[address >> shift & 15];
	*at++ = ' ';
	gsym_mk_put(f, text, (size_t)(at - text));
}

static void put_frame_number(struct gsym_markup *f, uint64_t frame,
			     size_t level, uint64_t address)
{
	char number[24];
	size_t width;

	if (!f->options.html && !f->options.colour) {
		put_plain_number(f, frame, level, address);
		return;
	}
	width = decimal(number, frame);
	gsym_mk_put(f, "     ", width < 5 ? 5 - width : 0);
	gsym_mk_puts(f, "#");
	gsym_mk_value_begin(f);
	gsym_mk_put(f, number, width);
	gsym_mk_value_end(f);
	if (level) {
		width = decimal(number, level);
		if (width < 2)
			number[width++] = ' ';
		gsym_mk_puts(f, ".");
		gsym_mk_value_begin(f);
		gsym_mk_put(f, number, width);
		gsym_mk_value_end(f);
	} else {
		gsym_mk_puts(f, "   ");
	}
	gsym_mk_value_begin(f);
	gsym_mk_puts(f, " 0x");
	gsym_mk_put_hex(f, address, 16);
	gsym_mk_puts(f, " ");
	gsym_mk_value_end(f);
}

/* "(module+0x10)".  PART is what the level before wrote, as a place in the
 * output, which may have moved; size 0: this is the first. */
struct part {
	size_t at, size;
};

static void put_module_part(struct gsym_markup *f,
			    const struct gsym_mk_mapping *m, uint64_t address,
			    struct part *part)
{
	struct gsym_mk_text *out = f->out;
	size_t before = out->count;

	if (part->size && gsym_vec_reserve(out, part->size)) {
		gsym_mk_put(f, out->items + part->at, part->size);
		return;
	}
	gsym_mk_puts(f, "(");
	gsym_mk_put_offset(f, m, address);
	gsym_mk_puts(f, ")");
	*part = (struct part){ before, out->count - before };
}

static void bt_llvm(struct gsym_markup *f, const struct gsym_mk_element *e,
		    const struct code *code)
{
	struct part part = { 0, 0 };

	gsym_mk_highlight(f);
	for (size_t i = 0; i < code->count || i == 0; i++) {
		bool last = i + 1 >= code->count;

		put_frame_number(f, e->frame, last ? 0 : i + 1, code->address);
		if (code->count) {
			put_level(f, code, i, " ", ":");
			gsym_mk_value_decimal(
				f, code->kept ? 0 : code->frames[i].column);
			gsym_mk_puts(f, " ");
		}
		put_module_part(f, code->mapping, code->address, &part);
		if (!last)
			gsym_mk_puts(f, f->line.crlf ? "\r\n" : "\n");
	}
	gsym_mk_restore(f);
}

/* "   #8.1  0xffffffff0010347b in f file:665 <kernel>+0x8010347b".  CODE is
 * NULL if nothing covers the address. */
static void put_frame_fuchsia(struct gsym_markup *f,
			      const struct gsym_mk_element *e, size_t level,
			      const struct code *code,
			      const struct gsym_markup_frame *frame)
{
	char text[64];
	int n = level ? snprintf(text, sizeof(text), "   #%" PRIu64 ".%zu",
				 e->frame, level)
		      : snprintf(text, sizeof(text), "   #%" PRIu64,
				 e->frame);

	gsym_mk_put(f, text, (size_t)n);
	gsym_mk_put(f, "         ", n < 9 ? (size_t)(9 - n) : 1);
	gsym_mk_puts(f, "0x");
	gsym_mk_put_hex(f, e->address, 16);
	if (!code) {
		gsym_mk_puts(f, " is not covered by any module");
		return;
	}
	const struct gsym_mk_mapping *m = code->mapping;

	gsym_mk_puts(f, " in");
	if (frame && *frame->function) {
		gsym_mk_puts(f, " ");
		put_function(f, frame);
	}
	if (frame)
		gsym_mk_place(f, " ", frame);
	gsym_mk_paint_plain(f, " <", 2);
	gsym_mk_value(f, m->module->name.at, m->module->name.size);
	gsym_mk_paint_plain(f, ">", 1);
	gsym_mk_puts(f, "+");
	gsym_mk_value_hex(f, gsym_mk_relative(m, code->logged));
}

static void put_message(struct gsym_markup *f,
			const struct gsym_mk_element *e)
{
	if (!e->message.size)
		return;
	gsym_mk_puts(f, " ");
	gsym_mk_paint_foreign(f, e->message.at, e->message.size);
}

/* In HTML the first line of a frame can be linked to. */
static void begin_frame(struct gsym_markup *f,
			const struct gsym_mk_element *e, bool named)
{
	char id[GSYM_MK_FRAME_ID] = "";

	if (!f->options.html) {
		gsym_mk_paint_begin(f, "bt", e);
		return;
	}
	if (named)
		gsym_mk_frame_id(f, e, id);
	gsym_mk_span_begin(f, "bt", id, e);
}

static void bt_lines(struct gsym_markup *f, const struct gsym_mk_element *e,
		     const struct code *code)
{
	const struct gsym_mk_line *l = &f->line;
	struct part part = { 0, 0 };

	if (code->count > 1)
		gsym_mk_surround(f, e);
	for (size_t i = 0; i < code->count || i == 0; i++) {
		bool last = i + 1 >= code->count;

		begin_frame(f, e, i == 0);
		put_frame_number(f, e->frame, last ? 0 : i + 1, code->address);
		if (code->count) {
			put_level(f, code, i, " ", "");
			gsym_mk_puts(f, " ");
		}
		put_module_part(f, code->mapping, code->address, &part);
		if (last)
			put_message(f, e);
		if (f->options.html)
			gsym_mk_tip_code(f, e, code->address, code->mapping,
					 code->frames, code->count);
		gsym_mk_paint_end(f);
		if (last)
			break;
		gsym_mk_break_line(f);
		gsym_mk_paint_text(f, l->lead.at, l->lead.at + l->lead.size);
	}
}

/* Inline levels count down, and every line has the text around it. */
static void bt_fuchsia(struct gsym_markup *f, const struct gsym_mk_element *e,
		       const struct code *code)
{
	const struct gsym_mk_line *l = &f->line;

	if (code->count > 1)
		gsym_mk_surround(f, e);
	for (size_t i = 0; i < code->count || i == 0; i++) {
		begin_frame(f, e, i == 0);
		put_frame_fuchsia(f, e, code->count ? code->count - 1 - i : 0,
				  code, code->count ? &code->frames[i] : NULL);
		put_message(f, e);
		if (f->options.html)
			gsym_mk_tip_code(f, e, code->address, code->mapping,
					 code->frames, code->count);
		gsym_mk_paint_end(f);
		if (i + 1 >= code->count)
			break;
		gsym_mk_paint_text(f, l->tail.at, l->tail.at + l->tail.size);
		gsym_mk_break_line(f);
		gsym_mk_paint_text(f, l->lead.at, l->lead.at + l->lead.size);
	}
}

static void uncovered_fuchsia(struct gsym_markup *f,
			      const struct gsym_mk_element *e)
{
	gsym_mk_trouble_note(f, GSYM_MARKUP_ERROR, "no mmap covers address");
	begin_frame(f, e, true);
	put_frame_fuchsia(f, e, 0, NULL, NULL);
	put_message(f, e);
	if (f->options.html)
		gsym_mk_tip_raw(f, e);
	gsym_mk_paint_end(f);
}

bool gsym_mk_present_bt(struct gsym_markup *f,
			const struct gsym_mk_element *e)
{
	bool fuchsia = f->options.style == GSYM_MARKUP_STYLE_FUCHSIA;
	struct code code;

	if (!locate(f, e, &code)) {
		if (!fuchsia)
			return gsym_mk_uncovered(f, e);
		uncovered_fuchsia(f, e);
		return true;
	}
	if (fuchsia) {
		code.count = gsym_mk_code(f, code.mapping, code.address,
					  code.frames);
		bt_fuchsia(f, e, &code);
		return true;
	}
	look_up(f, &code);
	if (f->llvm && !code.mapping->module->symbols)
		gsym_mk_raw(f, e);
	else if (f->llvm)
		bt_llvm(f, e, &code);
	else
		bt_lines(f, e, &code);
	return true;
}

