/* SPDX-License-Identifier: MIT */
/* Elements pc, and bt: the frames of a backtrace, in each style. */
#include "config.h"

#include "render/scene.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- addresses of code, and pc -------------------------------------- */

/* What is known about an address of code. */
struct known {
	const struct mk_mapping *mapping;
	/* The address that is looked up. */
	uint64_t address;
	/* The address in the log, which is in MAPPING. */
	uint64_t logged;
	struct mk_levels levels;
};

/* The address to look up for E.  For a return address this is the last byte of
 * the call. */
static uint64_t adjusted(const struct scene *s, const struct mk_element *e)
{
	enum mk_code kind = e->code;

	if (kind == MK_UNSUFFIXED) {
		bool is_return = e->kind == MK_BT;

		if (s->host->options->unsuffixed)
			is_return = s->host->options->unsuffixed ==
				    GSYM_MARKUP_UNSUFFIXED_RETURN;
		kind = is_return ? MK_RETURN : MK_EXACT;
	}
	/* llvm-symbolizer subtracts 1 even from 0, which gives 2^64 - 1. */
	return kind == MK_RETURN && (e->address || s->host->out->llvm)
		       ? e->address - 1
		       : e->address;
}

/* Set what is known about E; false if no mapping covers its address. */
static bool look_up(struct scene *s, const struct mk_element *e,
		    struct known *code)
{
	uint64_t wanted = adjusted(s, e);

	code->address = wanted;
	code->mapping = gsym_mk_locate(s->processes, s->line->process,
				       s->host->options, &code->address);
	code->logged = e->address + (code->address - wanted);
	if (code->mapping)
		code->levels =
			gsym_mk_code(s->host, code->mapping, code->address);
	return code->mapping != NULL;
}

/* Write file, line and column of LEVEL.  llvm-symbolizer's style has the column
 * in another place, and "<invalid>" for an unknown file. */
static void put_place(struct scene *s, struct mk_out *o, struct mk_level *level)
{
	if (!s->host->out->llvm) {
		gsym_render_put_place(s->host, o, "", level);
		return;
	}
	gsym_render_put_file(s->host, o, level);
	mk_puts(o, ":");
	gsym_mk_value_decimal(o, level->frame.line);
}

/* Write function and place of level I, with BEFORE before the place and AFTER
 * after it. */
static void put_level(struct scene *s, struct mk_out *o,
		      const struct known *code, size_t i, const char *before,
		      const char *after)
{
	struct mk_level *level = &code->levels.items[i];

	gsym_render_put_function(s->host, o, level);
	if (!s->host->out->llvm && !mk_has_place(level))
		return;
	mk_puts(o, before);
	put_place(s, o, level);
	mk_puts(o, after);
}

void gsym_render_present_pc(struct scene *s, struct mk_out *o,
			    const struct mk_element *e)
{
	struct known code;

	if (!look_up(s, e, &code)) {
		gsym_render_uncovered(s->host, o, e);
		return;
	}
	if (!code.levels.count && s->host->out->llvm) {
		gsym_render_raw(s->host, o, e);
		return;
	}
	gsym_mk_paint_begin(o, "pc", e);
	if (!code.levels.count)
		gsym_render_put_offset(o, code.mapping, code.address);
	for (size_t i = 0; i < code.levels.count; i++) {
		if (i)
			gsym_mk_paint_plain(o, " <- ", 4);
		put_level(s, o, &code, i, "[", "]");
		if (s->host->out->llvm || !s->host->options->pc_inlines)
			break;
	}
	if (o->html)
		gsym_render_tip_address(s->host, o, e, code.address,
					code.mapping, &code.levels);
	gsym_mk_paint_end(o);
}

/* ---- what is around a frame ----------------------------------------- */

/* START is written before each line of a frame except the first, and in
 * Fuchsia's style END after each line. */
struct around {
	struct logs_text start, end;
};

/* Fuchsia's style repeats all text around the frame E.  But text between two
 * frames is in front of the second one alone. */
static struct around around_fuchsia(const struct mk_line *l,
				    const struct mk_element *e)
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
static struct around around_ours(struct scene *s, const struct mk_element *e)
{
	static const char blanks[] = "                                        "
				     "                                        ";
	const struct mk_line *l = s->line;
	size_t size = render_line_header(s);
	const char *body = l->at + size;

	if (e->whole.at > body && gsym_mk_blank(body, e->whole.at))
		size = (size_t)(e->whole.at - l->at);
	if (!s->host->options->indent)
		return (struct around){ .start = { l->at, size } };
	if (size >= sizeof(blanks))
		size = sizeof(blanks) - 1;
	return (struct around){ .start = { blanks, size } };
}

static void put_around(struct mk_out *o, const struct logs_text *text)
{
	gsym_mk_paint_text(o, text->at, text->at + text->size);
}

/* ---- parts of a frame ----------------------------------------------- */

/* Write "    #9.1  0x000000000001113b ", which is as wide for all levels of a
 * frame. */
static void put_number(struct mk_out *o, const struct mk_element *e,
		       const struct known *code, size_t level)
{
	for (uint64_t least = 10000; least > 1 && e->frame < least; least /= 10)
		mk_puts(o, " ");
	mk_puts(o, "#");
	gsym_mk_value_decimal(o, e->frame);
	if (level) {
		mk_puts(o, ".");
		gsym_mk_value_begin(o);
		gsym_mk_put_decimal(o, level);
		mk_puts(o, level < 10 ? " " : "");
		gsym_mk_value_end(o);
	} else {
		mk_puts(o, "   ");
	}
	gsym_mk_value_begin(o);
	mk_puts(o, " 0x");
	gsym_mk_put_hex(o, code->address, 16);
	mk_puts(o, " ");
	gsym_mk_value_end(o);
}

/* Write "(module+0x10)". */
static void put_module_part(struct mk_out *o, const struct known *code)
{
	mk_puts(o, "(");
	gsym_render_put_offset(o, code->mapping, code->address);
	mk_puts(o, ")");
}

static void put_message(struct mk_out *o, const struct mk_element *e)
{
	if (!e->message.size)
		return;
	mk_puts(o, " ");
	gsym_mk_paint_foreign(o, e->message.at, e->message.size);
}

/* Begin a line of the frame E.  The first line has an ID in HTML. */
static void begin_frame(struct scene *s, struct mk_out *o,
			const struct mk_element *e, bool first)
{
	char id[MK_FRAME_ID] = "";

	if (!o->html) {
		gsym_mk_paint_begin(o, "bt", e);
		return;
	}
	if (first)
		gsym_mk_frame_id(o, &s->line->process->trace, e, id);
	gsym_mk_span_begin(o, "bt", id, e);
}

static void end_frame(struct scene *s, struct mk_out *o,
		      const struct mk_element *e, const struct known *code)
{
	if (o->html)
		gsym_render_tip_address(s->host, o, e, code->address,
					code->mapping, &code->levels);
	gsym_mk_paint_end(o);
}

/* ---- styles --------------------------------------------------------- */

/* Whether E is a part of a sentence: the last line of a sanitizer's report, or
 * a word like "in" in front of E.  Other text may be a header of an unknown
 * form. */
static bool in_sentence(struct scene *s, const struct mk_element *e)
{
	static const char *const words[] = { " in ", " at ", " by ",   " from ",
					     " of ", " to ", " with ", NULL };
	const char *body = s->line->at + render_line_header(s);
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
static void frame_in_sentence(struct scene *s, struct mk_out *o,
			      const struct mk_element *e,
			      const struct known *code)
{
	begin_frame(s, o, e, true);
	if (code->levels.count)
		put_level(s, o, code, 0, " ", "");
	else
		put_module_part(o, code);
	put_message(o, e);
	end_frame(s, o, e, code);
}

static void frame_ours(struct scene *s, struct mk_out *o,
		       const struct mk_element *e, const struct known *code)
{
	struct around around = { 0 };
	if (in_sentence(s, e)) {
		frame_in_sentence(s, o, e, code);
		return;
	}
	if (code->levels.count > 1)
		around = around_ours(s, e);
	for (size_t i = 0; i < code->levels.count || i == 0; i++) {
		bool last = i + 1 >= code->levels.count;

		begin_frame(s, o, e, i == 0);
		put_number(o, e, code, last ? 0 : i + 1);
		if (code->levels.count) {
			put_level(s, o, code, i, " ", "");
			mk_puts(o, " ");
		}
		put_module_part(o, code);
		if (last)
			put_message(o, e);
		end_frame(s, o, e, code);
		if (last)
			break;
		gsym_mk_break_line(o, mk_newline(s->line));
		put_around(o, &around.start);
	}
}

static void frame_llvm(struct scene *s, struct mk_out *o,
		       const struct mk_element *e, const struct known *code)
{
	gsym_mk_highlight(o);
	for (size_t i = 0; i < code->levels.count || i == 0; i++) {
		bool last = i + 1 >= code->levels.count;

		put_number(o, e, code, last ? 0 : i + 1);
		if (code->levels.count) {
			put_level(s, o, code, i, " ", ":");
			gsym_mk_value_decimal(
				o, code->levels.items[i].frame.column);
			mk_puts(o, " ");
		}
		put_module_part(o, code);
		if (!last)
			mk_puts(o, mk_newline(s->line));
	}
	gsym_mk_restore(o);
}

/* "   #8.1  0xffffffff0010347b" */
static void put_number_fuchsia(struct mk_out *o, const struct mk_element *e,
			       size_t level)
{
	char text[64];
	int n = level ? snprintf(text, sizeof(text), "   #%" PRIu64 ".%zu",
				 e->frame, level)
		      : snprintf(text, sizeof(text), "   #%" PRIu64, e->frame);

	mk_put(o, text, (size_t)n);
	mk_put(o, "         ", n < 9 ? (size_t)(9 - n) : 1);
	mk_puts(o, "0x");
	gsym_mk_put_hex(o, e->address, 16);
}

/* " in f file:665 <kernel>+0x8010347b".  LEVEL is NULL if nothing is known. */
static void put_place_fuchsia(struct scene *s, struct mk_out *o,
			      const struct known *code, struct mk_level *level)
{
	const struct mk_mapping *m = code->mapping;

	mk_puts(o, " in");
	if (level && *level->frame.function) {
		mk_puts(o, " ");
		gsym_render_put_function(s->host, o, level);
	}
	if (level)
		gsym_render_put_place(s->host, o, " ", level);
	gsym_mk_paint_plain(o, " <", 2);
	gsym_render_put_module_name(o, m->module);
	gsym_mk_paint_plain(o, ">", 1);
	mk_puts(o, "+");
	gsym_mk_value_hex(o, mk_relative(m, code->logged));
}

/* Inline levels count down. */
static void frame_fuchsia(struct scene *s, struct mk_out *o,
			  const struct mk_element *e, const struct known *code)
{
	struct around around = { 0 };
	size_t count = code->levels.count;

	if (count > 1)
		around = around_fuchsia(s->line, e);
	for (size_t i = 0; i < count || i == 0; i++) {
		begin_frame(s, o, e, i == 0);
		put_number_fuchsia(o, e, count ? count - 1 - i : 0);
		put_place_fuchsia(s, o, code,
				  count ? &code->levels.items[i] : NULL);
		put_message(o, e);
		end_frame(s, o, e, code);
		if (i + 1 >= count)
			break;
		put_around(o, &around.end);
		gsym_mk_break_line(o, mk_newline(s->line));
		put_around(o, &around.start);
	}
}

static void uncovered_fuchsia(struct scene *s, struct mk_out *o,
			      const struct mk_element *e)
{
	gsym_mk_trouble_note(o, GSYM_MARKUP_ERROR, "no mmap covers address");
	begin_frame(s, o, e, true);
	put_number_fuchsia(o, e, 0);
	mk_puts(o, " is not covered by any module");
	put_message(o, e);
	if (o->html)
		gsym_render_tip_address(s->host, o, e, 0, NULL, NULL);
	gsym_mk_paint_end(o);
}

/* Tell the host about the frame E.  CODE is NULL if no mapping covers it. */
static void tell_frame(struct scene *s, const struct mk_element *e,
		       const struct known *code)
{
	struct gsym_markup_frame frames[GSYM_MARKUP_MAX_FRAMES];
	struct gsym_markup_stack_frame told = {
		.line = s->line->number,
		.process = s->line->process->name.items,
		.process_size = s->line->process->name.count,
		.number = e->frame,
		.frames = frames,
	};

	if (!s->host->calls.frame || s->host->out->llvm)
		return;
	if (code) {
		const struct logs_text *name = &code->mapping->module->name;

		told.module = name->at;
		told.module_size = name->size;
		told.address = mk_relative(code->mapping, code->address);
		told.count = code->levels.count;
		for (size_t i = 0; i < told.count; i++)
			frames[i] = code->levels.items[i].frame;
	}
	s->host->calls.frame(s->host->calls.context, &told);
}

void gsym_render_present_bt(struct scene *s, struct mk_out *o,
			    const struct mk_element *e)
{
	bool fuchsia = s->host->options->style == GSYM_MARKUP_STYLE_FUCHSIA;
	struct known code;

	if (!look_up(s, e, &code)) {
		tell_frame(s, e, NULL);
		if (fuchsia)
			uncovered_fuchsia(s, o, e);
		else
			gsym_render_uncovered(s->host, o, e);
		return;
	}
	tell_frame(s, e, &code);
	if (fuchsia)
		frame_fuchsia(s, o, e, &code);
	else if (s->host->out->llvm && !code.mapping->module->symbols)
		gsym_render_raw(s->host, o, e);
	else if (s->host->out->llvm)
		frame_llvm(s, o, e, &code);
	else
		frame_ours(s, o, e, &code);
}
