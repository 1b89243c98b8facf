/* SPDX-License-Identifier: MIT */
/* Frames in the forms of decode_stacktrace.sh, asan_symbolize and ndk-stack,
 * and in reports in JSON; and answers escaped. */
#include "config.h"

#include "markup/logs.h"

#include "base/text.h"
#include "markup/filter.h"

static void put_text(struct gsym_markup *f, const char *at, const char *end)
{
	gsym_mk_paint_text(&f->out, at, end);
}

static void puts_plain(struct gsym_markup *f, const char *text)
{
	gsym_mk_paint_plain(&f->out, text, strlen(text));
}

/* The levels of ANSWER; none if it has no answer. */
static struct gsym_mk_levels levels_of(struct gsym_markup *f,
				       const struct gsym_mk_log_answer *answer)
{
	return gsym_mk_log_look_up(&f->judge,
				   answer->count ? answer->symbols : NULL,
				   answer->addresses[0]);
}

/* ---- the kernel: "NAME (PLACE PLACE) MODULE" ------------------------- */

static void kernel_frame(struct gsym_markup *f,
			 const struct gsym_mk_log_writing *w,
			 const struct gsym_mk_log_answer *answer)
{
	const struct logs_text *module = &answer->frame.module;
	bool some = false;

	put_text(f, answer->frame.function.at,
		 answer->frame.function.at + answer->frame.function.size);
	puts_plain(f, " (");
	for (size_t c = 0; c < answer->count; c++) {
		const struct gsym_mk_levels l = gsym_mk_log_look_up(
			&f->judge, answer->symbols, answer->addresses[c]);

		for (size_t i = 0; i < l.count; i++) {
			if (!gsym_mk_has_place(&l.items[i]))
				continue;
			puts_plain(f, some ? " " : "");
			gsym_mk_log_put_place(f, w, &l.items[i]);
			some = true;
		}
	}
	puts_plain(f, ") ");
	if (module->size)
		put_text(f, module->at, module->at + module->size);
}

static void kernel_line(struct gsym_markup *f, struct gsym_mk_log_writing w)
{
	const struct gsym_mk_line *l = &f->line;
	const char *from = l->at;

	gsym_mk_begin_log_line(&f->out, f->line.number);
	for (size_t i = 0; i < f->logs->answer_count; i++) {
		const struct gsym_mk_log_answer *answer = &f->logs->answers[i];

		put_text(f, from, answer->raw.start);
		put_text(f, answer->frame.start, answer->frame.function.at);
		w.unsure = answer->unsure;
		kernel_frame(f, &w, answer);
		from = answer->raw.resume;
	}
	put_text(f, from, l->at + l->size);
	gsym_mk_end_line(&f->out, l->ending);
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

static uint64_t number_of(const struct logs_frame *frame)
{
	struct logs_text digits = digits_of(frame);
	uint64_t number;

	gsym_number(digits.at, digits.at + digits.size, 10, &number, NULL);
	return number;
}

/* Write the line up to ANSWER, the frame's NUMBER if it has one, and its
 * address. */
static void put_head(struct gsym_markup *f,
		     const struct gsym_mk_log_answer *answer, uint64_t number)
{
	const struct logs_frame *frame = &answer->frame;
	struct logs_text digits = digits_of(frame);

	put_text(f, f->line.at, answer->raw.start);
	put_text(f, frame->start, digits.at);
	if (digits.size)
		gsym_mk_put_decimal(&f->out, number);
	put_text(f, digits.at + digits.size, frame->number_end);
}

/* Each level is a frame, so that later frames get greater numbers. */
static void sanitizer_line(struct gsym_markup *f,
			   const struct gsym_mk_log_writing *w)
{
	const struct gsym_mk_log_answer *answer = &f->logs->answers[0];
	struct gsym_mk_log_state *s = f->process->log;
	const struct logs_frame *frame = &answer->frame;
	uint64_t number = number_of(frame);
	struct gsym_mk_line *l = &f->line;
	const struct gsym_mk_levels levels = levels_of(f, answer);

	if (!number)
		s->inlined = 0;
	number += s->inlined;
	gsym_mk_begin_log_line(&f->out, f->line.number);
	for (size_t i = 0; i < levels.count; i++) {
		struct gsym_mk_level *level = &levels.items[i];

		if (i) {
			gsym_mk_break_line(&f->out, gsym_mk_newline(l));
			s->inlined += digits_of(frame).size > 0;
		}
		put_head(f, answer, number + i);
		puts_plain(f, frame->address ? " in " : " ");
		gsym_mk_log_put_name(f, w, level);
		puts_plain(f, gsym_mk_has_place(level) ? " " : "");
		gsym_mk_log_put_place(f, w, level);
	}
	if (!levels.count) {
		put_head(f, answer, number);
		put_text(f, answer->raw.number_end, l->at + l->size);
	}
	gsym_mk_end_line(&f->out, l->ending);
}

/* ---- Android: functions and places below the frame -------------------- */

static void blanks(struct gsym_markup *f, size_t count)
{
	while (count--)
		puts_plain(f, " ");
}

static void android_line(struct gsym_markup *f,
			 const struct gsym_mk_log_writing *w)
{
	const struct gsym_mk_log_answer *answer = &f->logs->answers[0];
	const struct gsym_mk_levels levels = levels_of(f, answer);
	const struct logs_frame *frame = &answer->frame;
	struct gsym_mk_line *l = &f->line;
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
	if (column > GSYM_MK_LOG_LEAD)
		column = GSYM_MK_LOG_LEAD;
	gsym_mk_begin_log_line(&f->out, f->line.number);
	put_text(f, frame->start, number_end);
	puts_plain(f, " 0x");
	put_text(f, pc, pc_end);
	puts_plain(f, " ");
	put_text(f, path, end);
	put_text(f, answer->raw.resume, l->at + l->size);
	for (size_t i = 0; i < levels.count; i++) {
		gsym_mk_break_line(&f->out, gsym_mk_newline(l));
		blanks(f, column);
		gsym_mk_log_put_name(f, w, &levels.items[i]);
		gsym_mk_break_line(&f->out, gsym_mk_newline(l));
		blanks(f, column);
		gsym_mk_log_put_place(f, w, &levels.items[i]);
	}
	gsym_mk_end_line(&f->out, l->ending);
}

bool gsym_mk_log_script(struct gsym_markup *f)
{
	const struct gsym_mk_log_answer *first = &f->logs->answers[0];
	const struct gsym_mk_log_writing w = { false, f->options.logs.inlines,
					       first->unsure };

	switch (first->frame.dialect->script) {
	case LOGS_DECODE_STACKTRACE:
		gsym_mk_write_held(f);
		kernel_line(f, w);
		return true;
	case LOGS_ASAN_SYMBOLIZE:
		/* Each inlined call repeats the text before the frame. */
		if (first->raw.number_end - f->line.at > GSYM_MK_LOG_LEAD)
			return false;
		gsym_mk_write_held(f);
		sanitizer_line(f, &w);
		return true;
	case LOGS_NDK_STACK:
		gsym_mk_write_held(f);
		android_line(f, &w);
		return true;
	default:
		return false;
	}
}

/* ---- reports in JSON -------------------------------------------------- */

void gsym_mk_log_report_modules(struct gsym_markup *f,
				const struct logs_dialect *d,
				struct logs_text report)
{
	const char *at = NULL;
	struct logs_fact fact;

	f->logs->object = NULL;
	/* Of further modules none could be mapped. */
	for (uint64_t i = 0; i < GSYM_MK_LOG_MODULES &&
			     d->report->module(report, &at, i, &fact);
	     i++) {
		fact.dialect = d;
		if (fact.name.size)
			gsym_mk_log_apply(&f->judge, &fact);
	}
}

/* Write the value of FRAME's key, one of LEVEL; false if there is none. */
static bool put_value(struct gsym_markup *f, const struct logs_frame *frame,
		      const struct gsym_mk_log_writing *w,
		      struct gsym_mk_level *level)
{
	struct gsym_mk_level stripped;
	struct gsym_mk_out *o = &f->out;
	struct logs_text file;
	size_t before;

	if (frame->value == LOGS_VALUE_FUNCTION) {
		gsym_mk_puts(o, "\"");
		before = o->text.count;
		gsym_mk_log_put_name(f, w, level);
		gsym_mk_log_escape(f, &gsym_logs_json, before);
		gsym_mk_puts(o, "\"");
		return true;
	}
	if (!gsym_mk_has_place(level))
		return false;
	level = gsym_mk_log_level(&f->judge, level, &stripped);
	if (frame->value == LOGS_VALUE_LINE) {
		gsym_mk_put_decimal(o, level->frame.line);
		return true;
	}
	gsym_mk_puts(o, "\"");
	file = gsym_mk_file_text(&f->host, level);
	before = o->text.count;
	gsym_mk_put(o, file.at, file.size);
	gsym_mk_log_escape(f, &gsym_logs_json, before);
	gsym_mk_puts(o, w->unsure ? "?\"" : "\"");
	return true;
}

/* Write the function and the place of LEVEL to FRAME, with the keys that
 * Apple's own tools use. */
static void put_keys(struct gsym_markup *f, struct logs_frame frame,
		     const struct gsym_mk_log_writing *w,
		     struct gsym_mk_level *level)
{
	static const char *const keys[] = {
		[LOGS_VALUE_FUNCTION] = ",\"symbol\":",
		[LOGS_VALUE_FILE] = ",\"sourceFile\":",
		[LOGS_VALUE_LINE] = ",\"sourceLine\":",
	};
	bool named = frame.function.size && !frame.dialect->report->names;
	unsigned first = named ? LOGS_VALUE_FILE : LOGS_VALUE_FUNCTION;
	unsigned last = gsym_mk_has_place(level) ? LOGS_VALUE_LINE
						 : LOGS_VALUE_FUNCTION;

	for (unsigned value = first; value <= last; value++) {
		gsym_mk_puts(&f->out, keys[value]);
		frame.value = (enum logs_value)value;
		put_value(f, &frame, w, level);
	}
}

/* Answer FRAME, an object of JSON, and set LEVELS to its levels. */
static void answer(struct gsym_markup *f, struct logs_frame *frame,
		   const struct logs_dialect *d, struct gsym_mk_levels *levels)
{
	struct gsym_mk_log_answer *answer = &f->logs->answers[0];

	frame->dialect = d;
	frame->line = f->line.number;
	/* A frame has an answer, whatever number of keys. */
	if (frame->start != f->logs->object) {
		f->logs->object = frame->start;
		answer->frame = *frame;
		if (!gsym_mk_log_resolve(&f->judge, answer))
			answer->count = 0;
	}
	*levels = levels_of(f, answer);
}

bool gsym_mk_log_report(struct gsym_markup *f, const struct logs_dialect *d,
			struct logs_text report)
{
	struct gsym_mk_line *l = &f->line;
	const char *from = l->at, *written = from, *end = from + l->size;
	struct logs_frame frame;

	/* Pages show text for people. */
	if (f->out.html)
		return false;
	for (; d->report->next(report, from, end, &frame);
	     from = frame.resume) {
		struct gsym_mk_log_writing w = { .escaped = true };
		struct gsym_mk_level *outermost;
		struct gsym_mk_levels levels;

		answer(f, &frame, d, &levels);
		if (!levels.count)
			continue;
		w.unsure = f->logs->answers[0].unsure;
		outermost = &levels.items[levels.count - 1];
		if (written == l->at) {
			gsym_mk_write_held(f);
			gsym_mk_begin_log_line(&f->out, f->line.number);
		}
		gsym_mk_paint_text(&f->out, written, frame.insert);
		written = frame.insert;
		if (frame.value == LOGS_KEYS)
			put_keys(f, frame, &w, outermost);
		else if (put_value(f, &frame, &w, outermost))
			written = frame.resume;
	}
	if (written == l->at)
		return false;
	gsym_mk_paint_text(&f->out, written, end);
	gsym_mk_end_line(&f->out, l->ending);
	return true;
}
