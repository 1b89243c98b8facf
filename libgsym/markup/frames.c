/* SPDX-License-Identifier: MIT */
/* Elements bt: the frames of a backtrace, in each style. */
#include "config.h"

#include "markup/present.h"

#include <inttypes.h>
#include <stdio.h>

#include "markup/filter.h"
#include "markup/host.h"
#include "markup/html.h"
#include "markup/paint.h"
#include "markup/tips.h"

/* ---- what is around a frame ------------------------------------------ */

/* START is written before each line of a frame except the first, and in
 * Fuchsia's style END after each line. */
struct around {
	struct gsym_mk_slice start, end;
};

/* Fuchsia's style repeats all text around the frame E.  But text between two
 * frames is in front of the second one alone. */
static struct around around_fuchsia(const struct gsym_mk_line *l,
				    const struct gsym_mk_element *e)
{
	const char *after = e->whole.at + e->whole.size;
	const char *stop = l->at + l->size;
	size_t left = (size_t)(stop - after);
	const char *next = gsym_mk_find_opener(after, left);

	if (memmem(after, left, "{{{bt:", 6))
		next = after;
	return (struct around){
		{ l->before, (size_t)(e->whole.at - l->before) },
		{ after, (size_t)((next ? next : stop) - after) },
	};
}

/* Our own style repeats the header of the line, and blanks between the header
 * and the frame E. */
static struct around around_ours(struct gsym_markup *f,
				 const struct gsym_mk_element *e)
{
	static const char blanks[] = "                                        "
				     "                                        ";
	const struct gsym_mk_line *l = &f->line;
	size_t size = gsym_mk_line_header(f);
	const char *body = l->at + size;

	if (e->whole.at > body && gsym_mk_blank(body, e->whole.at))
		size = (size_t)(e->whole.at - l->at);
	if (!f->options.indent)
		return (struct around){ .start = { l->at, size } };
	if (size >= sizeof(blanks))
		size = sizeof(blanks) - 1;
	return (struct around){ .start = { blanks, size } };
}

static void put_around(struct gsym_mk_out *o, const struct gsym_mk_slice *text)
{
	gsym_mk_paint_text(o, text->at, text->at + text->size);
}

/* ---- parts of a frame ------------------------------------------------ */

/* Write the digits of VALUE, at most 20, to TO; returns their number. */
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

/* "    #9.1  0x000000000001113b ", the same for all levels of a frame but for
 * the three bytes at DOT. */
struct number {
	uint64_t frame, address;
	char text[64];
	size_t dot, size;
};

static struct number number_of(uint64_t frame, uint64_t address)
{
	struct number n = { .frame = frame, .address = address };
	char digits[20], *at;
	size_t width = decimal(digits, frame);
	size_t blanks = width < 5 ? 5 - width : 0;

	memset(n.text, ' ', sizeof(n.text));
	n.text[blanks] = '#';
	memcpy(n.text + blanks + 1, digits, width);
	n.dot = blanks + 1 + width;
	at = n.text + n.dot + 4;
	*at++ = '0';
	*at++ = 'x';
	for (int shift = 60; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[address >> shift & 15];
	n.size = (size_t)(at + 1 - n.text);
	return n;
}

/* Write the number without colour and HTML. */
static void put_plain_number(struct gsym_mk_out *o, struct number *n,
			     size_t level)
{
	char *at = n->text + n->dot;

	_Static_assert(GSYM_MARKUP_MAX_FRAMES < 100, "levels have two digits");
	at[0] = level ? '.' : ' ';
	at[1] = (char)(!level ? ' ' : '0' + (level < 10 ? level : level / 10));
	at[2] = (char)(level < 10 ? ' ' : '0' + level % 10);
	gsym_mk_put(o, n->text, n->size);
}

static void put_number(struct gsym_mk_out *o, struct number *n, size_t level)
{
	char number[24];
	size_t width;

	if (!o->html && !o->colour) {
		put_plain_number(o, n, level);
		return;
	}
	width = decimal(number, n->frame);
	gsym_mk_put(o, "     ", width < 5 ? 5 - width : 0);
	gsym_mk_puts(o, "#");
	gsym_mk_value_begin(o);
	gsym_mk_put(o, number, width);
	gsym_mk_value_end(o);
	if (level) {
		width = decimal(number, level);
		if (width < 2)
			number[width++] = ' ';
		gsym_mk_puts(o, ".");
		gsym_mk_value_begin(o);
		gsym_mk_put(o, number, width);
		gsym_mk_value_end(o);
	} else {
		gsym_mk_puts(o, "   ");
	}
	gsym_mk_value_begin(o);
	gsym_mk_puts(o, " 0x");
	gsym_mk_put_hex(o, n->address, 16);
	gsym_mk_puts(o, " ");
	gsym_mk_value_end(o);
}

/* The place of "(module+0x10)" of the previous level in the output; size 0 for
 * the first level.  It is an offset, because the output may be moved. */
struct part {
	size_t at, size;
};

static void put_module_part(struct gsym_mk_out *o,
			    const struct gsym_mk_known *code, struct part *part)
{
	struct gsym_mk_text *to = o->to;
	size_t before = to->count;

	if (part->size && gsym_vec_reserve(to, part->size)) {
		gsym_mk_put(o, to->items + part->at, part->size);
		return;
	}
	gsym_mk_puts(o, "(");
	gsym_mk_put_offset(o, code->mapping, code->address);
	gsym_mk_puts(o, ")");
	/* A long name is not in TO: see gsym_mk_paint_plain. */
	if (code->mapping->module->name.size <= GSYM_MK_MAX_NAME)
		*part = (struct part){ before, to->count - before };
}

static void put_message(struct gsym_mk_out *o, const struct gsym_mk_element *e)
{
	if (!e->message.size)
		return;
	gsym_mk_puts(o, " ");
	gsym_mk_paint_foreign(o, e->message.at, e->message.size);
}

/* Begin a line of the frame E.  The first line has an ID in HTML. */
static void begin_frame(struct gsym_markup *f, const struct gsym_mk_element *e,
			bool first)
{
	struct gsym_mk_out *o = &f->out;
	char id[GSYM_MK_FRAME_ID] = "";

	if (!o->html) {
		gsym_mk_paint_begin(o, "bt", e);
		return;
	}
	if (first)
		gsym_mk_frame_id(o, &f->process->trace, e, id);
	gsym_mk_span_begin(o, "bt", id, e);
}

/* End a line of the frame E. */
static void end_frame(struct gsym_markup *f, const struct gsym_mk_element *e,
		      const struct gsym_mk_known *code)
{
	if (f->out.html)
		gsym_mk_tip_code(f, e, code->address, code->mapping,
				 &code->levels);
	gsym_mk_paint_end(&f->out);
}

/* ---- styles ---------------------------------------------------------- */

/* Whether E is a part of a sentence: the last line of a sanitizer's report, or
 * a word like "in" in front of E.  Other text may be a header of an unknown
 * form. */
static bool in_sentence(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	static const char *const words[] = { " in ", " at ", " by ", " from ",
					     " of ", " to ", " with ", NULL };
	const char *body = f->line.at + gsym_mk_line_header(f);
	size_t size = e->whole.at > body ? (size_t)(e->whole.at - body) : 0;

	if (size >= 9 && memcmp(body, "SUMMARY: ", 9) == 0)
		return true;
	/* Most frames have no word in front of them. */
	if (size < 2 || e->whole.at[-1] != ' ' || e->whole.at[-2] == ' ')
		return false;
	for (size_t i = 0; words[i]; i++) {
		size_t length = strlen(words[i]);

		if (size >= length &&
		    memcmp(e->whole.at - length, words[i], length) == 0)
			return true;
	}
	return false;
}

/* Write the innermost function of the frame E, and its place. */
static void frame_in_sentence(struct gsym_markup *f,
			      const struct gsym_mk_element *e,
			      const struct gsym_mk_known *code)
{
	struct part part = { 0, 0 };

	begin_frame(f, e, true);
	if (code->levels.count)
		gsym_mk_put_level(f, code, 0, " ", "");
	else
		put_module_part(&f->out, code, &part);
	put_message(&f->out, e);
	end_frame(f, e, code);
}

static void frame_ours(struct gsym_markup *f, const struct gsym_mk_element *e,
		       const struct gsym_mk_known *code)
{
	struct gsym_mk_out *o = &f->out;
	struct around around = { 0 };
	struct number number = number_of(e->frame, code->address);
	struct part part = { 0, 0 };

	if (in_sentence(f, e)) {
		frame_in_sentence(f, e, code);
		return;
	}
	if (code->levels.count > 1)
		around = around_ours(f, e);
	for (size_t i = 0; i < code->levels.count || i == 0; i++) {
		bool last = i + 1 >= code->levels.count;

		begin_frame(f, e, i == 0);
		put_number(o, &number, last ? 0 : i + 1);
		if (code->levels.count) {
			gsym_mk_put_level(f, code, i, " ", "");
			gsym_mk_puts(o, " ");
		}
		put_module_part(o, code, &part);
		if (last)
			put_message(o, e);
		end_frame(f, e, code);
		if (last)
			break;
		gsym_mk_break_line(o, gsym_mk_newline(&f->line));
		put_around(o, &around.start);
	}
}

static void frame_llvm(struct gsym_markup *f, const struct gsym_mk_element *e,
		       const struct gsym_mk_known *code)
{
	struct gsym_mk_out *o = &f->out;
	struct number number = number_of(e->frame, code->address);
	struct part part = { 0, 0 };

	gsym_mk_highlight(o);
	for (size_t i = 0; i < code->levels.count || i == 0; i++) {
		bool last = i + 1 >= code->levels.count;

		put_number(o, &number, last ? 0 : i + 1);
		if (code->levels.count) {
			gsym_mk_put_level(f, code, i, " ", ":");
			gsym_mk_value_decimal(
				o, code->levels.items[i].frame.column);
			gsym_mk_puts(o, " ");
		}
		put_module_part(o, code, &part);
		if (!last)
			gsym_mk_puts(o, gsym_mk_newline(&f->line));
	}
	gsym_mk_restore(o);
}

/* "   #8.1  0xffffffff0010347b" */
static void put_number_fuchsia(struct gsym_mk_out *o,
			       const struct gsym_mk_element *e, size_t level)
{
	char text[64];
	int n = level ? snprintf(text, sizeof(text), "   #%" PRIu64 ".%zu",
				 e->frame, level)
		      : snprintf(text, sizeof(text), "   #%" PRIu64, e->frame);

	gsym_mk_put(o, text, (size_t)n);
	gsym_mk_put(o, "         ", n < 9 ? (size_t)(9 - n) : 1);
	gsym_mk_puts(o, "0x");
	gsym_mk_put_hex(o, e->address, 16);
}

/* " in f file:665 <kernel>+0x8010347b".  LEVEL is NULL if nothing is known. */
static void put_place_fuchsia(struct gsym_markup *f,
			      const struct gsym_mk_known *code,
			      struct gsym_mk_level *level)
{
	struct gsym_mk_out *o = &f->out;
	const struct gsym_mk_mapping *m = code->mapping;

	gsym_mk_puts(o, " in");
	if (level && *level->frame.function) {
		gsym_mk_puts(o, " ");
		gsym_mk_put_function(f, level);
	}
	if (level)
		gsym_mk_put_place(f, " ", level);
	gsym_mk_paint_plain(o, " <", 2);
	gsym_mk_put_module_name(o, m->module);
	gsym_mk_paint_plain(o, ">", 1);
	gsym_mk_puts(o, "+");
	gsym_mk_value_hex(o, gsym_mk_relative(m, code->logged));
}

/* Inline levels count down. */
static void frame_fuchsia(struct gsym_markup *f,
			  const struct gsym_mk_element *e,
			  const struct gsym_mk_known *code)
{
	struct gsym_mk_out *o = &f->out;
	struct around around = { 0 };
	size_t count = code->levels.count;

	if (count > 1)
		around = around_fuchsia(&f->line, e);
	for (size_t i = 0; i < count || i == 0; i++) {
		begin_frame(f, e, i == 0);
		put_number_fuchsia(o, e, count ? count - 1 - i : 0);
		put_place_fuchsia(f, code,
				  count ? &code->levels.items[i] : NULL);
		put_message(o, e);
		end_frame(f, e, code);
		if (i + 1 >= count)
			break;
		put_around(o, &around.end);
		gsym_mk_break_line(o, gsym_mk_newline(&f->line));
		put_around(o, &around.start);
	}
}

static void uncovered_fuchsia(struct gsym_markup *f,
			      const struct gsym_mk_element *e)
{
	struct gsym_mk_out *o = &f->out;

	gsym_mk_trouble_note(o, GSYM_MARKUP_ERROR, "no mmap covers address");
	begin_frame(f, e, true);
	put_number_fuchsia(o, e, 0);
	gsym_mk_puts(o, " is not covered by any module");
	put_message(o, e);
	if (o->html)
		gsym_mk_tip_raw(o, e);
	gsym_mk_paint_end(o);
}

/* Tell the host about the frame E.  CODE has been located, or is NULL. */
static void tell_frame(struct gsym_markup *f, const struct gsym_mk_element *e,
		       const struct gsym_mk_known *code)
{
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	struct gsym_markup_stack_frame told = {
		.line = f->line_number,
		.process = f->process->name.items,
		.process_size = f->process->name.count,
		.number = e->frame,
		.frames = frames,
	};

	if (!f->host.frame || f->llvm)
		return;
	if (code) {
		const struct gsym_mk_slice *name = &code->mapping->module->name;

		told.module = name->at;
		told.module_size = name->size;
		told.address = gsym_mk_relative(code->mapping, code->address);
		struct gsym_mk_levels levels =
			gsym_mk_code(f, code->mapping, code->address);

		told.count = levels.count;
		for (size_t i = 0; i < levels.count; i++)
			frames[i] = levels.items[i].frame;
	}
	f->host.frame(f->host.context, &told);
}

void gsym_mk_present_bt(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	bool fuchsia = f->options.style == GSYM_MARKUP_STYLE_FUCHSIA;
	struct gsym_mk_known code;

	if (!gsym_mk_code_locate(f, e, &code)) {
		tell_frame(f, e, NULL);
		if (fuchsia)
			uncovered_fuchsia(f, e);
		else
			gsym_mk_uncovered(f, e);
		return;
	}
	tell_frame(f, e, &code);
	gsym_mk_code_look_up(f, &code);
	if (fuchsia)
		frame_fuchsia(f, e, &code);
	else if (f->llvm && !code.mapping->module->symbols)
		gsym_mk_raw(f, e);
	else if (f->llvm)
		frame_llvm(f, e, &code);
	else
		frame_ours(f, e, &code);
}
