/* SPDX-License-Identifier: MIT */
/* Frames in the forms of decode_stacktrace.sh, asan_symbolize and ndk-stack,
 * and in reports in JSON. */
#include "config.h"

#include "render/render.h"

#include "base/text.h"

static void put_text(const struct render *r, const char *at, const char *end)
{
	gsym_mk_paint_text(r->out, at, end);
}

static void puts_plain(const struct render *r, const char *text)
{
	gsym_mk_paint_plain(r->out, text, strlen(text));
}

/* ---- the kernel: "NAME (PLACE PLACE) MODULE" ------------------------- */

static void kernel_frame(const struct render *r, const struct render_writing *w,
			 const struct stacks_answer *answer)
{
	const struct logs_text *module = &answer->frame.module;
	bool some = false;

	put_text(r, answer->frame.function.at,
		 answer->frame.function.at + answer->frame.function.size);
	puts_plain(r, " (");
	for (size_t c = 0; c < answer->count; c++) {
		const struct mk_levels l =
			gsym_stacks_levels(r->host, answer, c);

		for (size_t i = 0; i < l.count; i++) {
			if (!mk_has_place(&l.items[i]))
				continue;
			puts_plain(r, some ? " " : "");
			gsym_render_put_log_place(r, w, &l.items[i]);
			some = true;
		}
	}
	puts_plain(r, ") ");
	if (module->size)
		put_text(r, module->at, module->at + module->size);
}

static void kernel_line(const struct render *r, struct render_writing w)
{
	const struct mk_line *l = r->line;
	const char *from = l->at;

	mk_begin_log_line(r->out, r->line->number);
	for (size_t i = 0; i < r->count; i++) {
		const struct stacks_answer *answer = &r->answers[i];

		put_text(r, from, answer->raw.start);
		put_text(r, answer->frame.start, answer->frame.function.at);
		w.unsure = answer->unsure;
		kernel_frame(r, &w, answer);
		from = answer->raw.resume;
	}
	put_text(r, from, l->at + l->size);
	gsym_mk_end_line(r->out, l->ending);
}

/* ---- sanitizers: "#N ADDRESS in NAME PLACE" -------------------------- */

/* The digits of the number of FRAME, which may follow a "#"; size 0: the frame
 * begins with an address or a name. */
static struct logs_text digits_of(const struct logs_frame *frame)
{
	const char *at = frame->start + (*frame->start == '#'), *end = at;

	while (*end >= '0' && *end <= '9')
		end++;
	return (struct logs_text){ at, *end == 'x' ? 0 : (size_t)(end - at) };
}

/* Write the line up to ANSWER, the frame's NUMBER if it has one, and its
 * address. */
static void put_head(const struct render *r, const struct stacks_answer *answer,
		     uint64_t number)
{
	const struct logs_frame *frame = &answer->frame;
	struct logs_text digits = digits_of(frame);

	put_text(r, r->line->at, answer->raw.start);
	put_text(r, frame->start, digits.at);
	if (digits.size)
		gsym_mk_put_decimal(r->out, number);
	put_text(r, digits.at + digits.size, frame->number_end);
}

/* Each level is a frame, so that later frames get greater numbers. */
static void sanitizer_line(const struct render *r,
			   const struct render_writing *w)
{
	const struct stacks_answer *answer = &r->answers[0];
	struct stacks_state *s = r->state;
	const struct logs_frame *frame = &answer->frame;
	const struct logs_text digits = digits_of(frame);
	uint64_t number;
	const struct mk_line *l = r->line;
	const struct mk_levels levels = gsym_stacks_levels(r->host, answer, 0);

	gsym_number(digits.at, digits.at + digits.size, 10, &number, NULL);
	if (!number)
		s->inlined = 0;
	number += s->inlined;
	mk_begin_log_line(r->out, r->line->number);
	for (size_t i = 0; i < levels.count; i++) {
		struct mk_level *level = &levels.items[i];

		if (i) {
			gsym_mk_break_line(r->out, mk_newline(l));
			s->inlined += digits.size > 0;
		}
		put_head(r, answer, number + i);
		puts_plain(r, frame->address ? " in " : " ");
		gsym_render_put_name(r, w, level);
		puts_plain(r, mk_has_place(level) ? " " : "");
		gsym_render_put_log_place(r, w, level);
	}
	if (!levels.count) {
		put_head(r, answer, number);
		put_text(r, answer->raw.number_end, l->at + l->size);
	}
	gsym_mk_end_line(r->out, l->ending);
}

/* ---- Android: functions and places below the frame -------------------- */

static void blanks(const struct render *r, size_t count)
{
	while (count--)
		puts_plain(r, " ");
}

static void android_line(const struct render *r, const struct render_writing *w)
{
	const struct stacks_answer *answer = &r->answers[0];
	const struct mk_levels levels = gsym_stacks_levels(r->host, answer, 0);
	const struct logs_frame *frame = &answer->frame;
	const struct mk_line *l = r->line;
	const char *end = frame->insert, *pc = frame->start, *path, *open;
	size_t column = 0;

	/* "#00 pc 000012a4  /lib" becomes "#00 0x000012a4 /lib". */
	while (*pc != ' ')
		pc++;
	const char *number_end = pc;

	while (*pc == ' ' || *pc == 'p' || (*pc == 'c' && pc[1] == ' '))
		pc++;
	if (pc[0] == '0' && pc[1] == 'x')
		pc += 2;
	path = memchr(pc, ' ', (size_t)(end - pc));
	const char *pc_end = path;

	while (*path == ' ')
		path++;
	open = memchr(path, '(', (size_t)(end - path));
	if (open)
		column = (size_t)(number_end - frame->start) + 3 +
			 (size_t)(pc_end - pc) + 2 + (size_t)(open - path);
	/* Each function is so far to the right, and each place. */
	if (column > RENDER_LEAD)
		column = RENDER_LEAD;
	mk_begin_log_line(r->out, r->line->number);
	put_text(r, frame->start, number_end);
	puts_plain(r, " 0x");
	put_text(r, pc, pc_end);
	puts_plain(r, " ");
	put_text(r, path, end);
	put_text(r, answer->raw.resume, l->at + l->size);
	for (size_t i = 0; i < levels.count; i++) {
		gsym_mk_break_line(r->out, mk_newline(l));
		blanks(r, column);
		gsym_render_put_name(r, w, &levels.items[i]);
		gsym_mk_break_line(r->out, mk_newline(l));
		blanks(r, column);
		gsym_render_put_log_place(r, w, &levels.items[i]);
	}
	gsym_mk_end_line(r->out, l->ending);
}

bool gsym_render_script(const struct render *r)
{
	const struct stacks_answer *first = &r->answers[0];
	const struct render_writing w = { false, r->options->inlines,
					  first->unsure };

	switch (first->frame.dialect->script) {
	case LOGS_DECODE_STACKTRACE:
		kernel_line(r, w);
		return true;
	case LOGS_ASAN_SYMBOLIZE:
		/* Each inlined call repeats the text before the frame. */
		if (first->raw.number_end - r->line->at > RENDER_LEAD)
			return false;
		sanitizer_line(r, &w);
		return true;
	case LOGS_NDK_STACK:
		android_line(r, &w);
		return true;
	default:
		return false;
	}
}

/* ---- values and keys of JSON ------------------------------------------- */

/* Write the value of FRAME's key, one of LEVEL; false if there is none. */
static bool put_value(const struct render *r, const struct logs_frame *frame,
		      const struct render_writing *w, struct mk_level *level)
{
	struct mk_level stripped;
	struct mk_out *o = r->out;
	struct logs_text file;
	size_t before;

	if (frame->value == LOGS_VALUE_FUNCTION) {
		mk_puts(o, "\"");
		before = o->text.count;
		gsym_render_put_name(r, w, level);
		gsym_render_escape(r->host, o, &gsym_logs_json, before);
		mk_puts(o, "\"");
		return true;
	}
	if (!mk_has_place(level))
		return false;
	level = gsym_stacks_level(r->options, r->state, level, &stripped);
	if (frame->value == LOGS_VALUE_LINE) {
		gsym_mk_put_decimal(o, level->frame.line);
		return true;
	}
	mk_puts(o, "\"");
	file = gsym_render_file_text(r->host, level);
	before = o->text.count;
	mk_put(o, file.at, file.size);
	gsym_render_escape(r->host, o, &gsym_logs_json, before);
	mk_puts(o, w->unsure ? "?\"" : "\"");
	return true;
}

/* Write the function and the place of LEVEL to FRAME, with the keys that
 * Apple's own tools use. */
static void put_keys(const struct render *r, struct logs_frame frame,
		     const struct render_writing *w, struct mk_level *level)
{
	static const char *const keys[] = {
		[LOGS_VALUE_FUNCTION] = ",\"symbol\":",
		[LOGS_VALUE_FILE] = ",\"sourceFile\":",
		[LOGS_VALUE_LINE] = ",\"sourceLine\":",
	};
	bool named = frame.function.size && !frame.dialect->report->names;
	unsigned first = named ? LOGS_VALUE_FILE : LOGS_VALUE_FUNCTION;
	unsigned last =
		mk_has_place(level) ? LOGS_VALUE_LINE : LOGS_VALUE_FUNCTION;

	for (unsigned value = first; value <= last; value++) {
		mk_puts(r->out, keys[value]);
		frame.value = (enum logs_value)value;
		put_value(r, &frame, w, level);
	}
}

const char *gsym_render_put_frame(const struct render r,
				  const struct logs_frame *frame,
				  const struct render_writing *w,
				  struct mk_level *outermost)
{
	if (frame->value == LOGS_KEYS)
		put_keys(&r, *frame, w, outermost);
	else if (put_value(&r, frame, w, outermost))
		return frame->resume;
	return frame->insert;
}
