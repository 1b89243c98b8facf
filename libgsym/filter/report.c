/* SPDX-License-Identifier: MIT */
/* Reports in JSON: their frames, which get values and keys. */
#include "config.h"

#include "filter/filter.h"

/* Write the value of FRAME's key, one of LEVEL; false if there is none. */
static bool put_value(const struct gsym_mk_render *r,
		      const struct logs_frame *frame,
		      const struct gsym_mk_log_writing *w,
		      struct gsym_mk_level *level)
{
	struct gsym_mk_level stripped;
	struct gsym_mk_out *o = r->out;
	struct logs_text file;
	size_t before;

	if (frame->value == LOGS_VALUE_FUNCTION) {
		gsym_mk_puts(o, "\"");
		before = o->text.count;
		gsym_mk_log_put_name(r, w, level);
		gsym_mk_log_escape(r->host, o, &gsym_logs_json, before);
		gsym_mk_puts(o, "\"");
		return true;
	}
	if (!gsym_mk_has_place(level))
		return false;
	level = gsym_mk_log_level(r->options, r->state, level, &stripped);
	if (frame->value == LOGS_VALUE_LINE) {
		gsym_mk_put_decimal(o, level->frame.line);
		return true;
	}
	gsym_mk_puts(o, "\"");
	file = gsym_mk_file_text(r->host, level);
	before = o->text.count;
	gsym_mk_put(o, file.at, file.size);
	gsym_mk_log_escape(r->host, o, &gsym_logs_json, before);
	gsym_mk_puts(o, w->unsure ? "?\"" : "\"");
	return true;
}

/* Write the function and the place of LEVEL to FRAME, with the keys that
 * Apple's own tools use. */
static void put_keys(const struct gsym_mk_render *r, struct logs_frame frame,
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
		gsym_mk_puts(r->out, keys[value]);
		frame.value = (enum logs_value)value;
		put_value(r, &frame, w, level);
	}
}

/* Write what OUTERMOST says about FRAME.  Returns the place in the line behind
 * what was written. */
static const char *put_frame(const struct gsym_mk_render r,
			     const struct logs_frame *frame,
			     const struct gsym_mk_log_writing *w,
			     struct gsym_mk_level *outermost)
{
	if (frame->value == LOGS_KEYS)
		put_keys(&r, *frame, w, outermost);
	else if (put_value(&r, frame, w, outermost))
		return frame->resume;
	return frame->insert;
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
	*levels = gsym_mk_log_look_up(&f->host,
				      answer->count ? answer->symbols : NULL,
				      answer->addresses[0]);
}

bool gsym_mk_log_report(struct gsym_markup *f, const struct logs_dialect *d,
			struct logs_text report)
{
	const struct gsym_mk_line *l = &f->line;
	const char *from = l->at, *written = from, *end = from + l->size;
	struct logs_frame frame;

	/* Pages show text for people. */
	if (f->out.html)
		return false;
	for (; d->report->next(report, from, end, &frame);
	     from = frame.resume) {
		struct gsym_mk_log_writing w = { .escaped = true };
		struct gsym_mk_levels levels;

		answer(f, &frame, d, &levels);
		if (!levels.count)
			continue;
		w.unsure = f->logs->answers[0].unsure;
		if (written == l->at) {
			gsym_mk_write_held(&f->scene);
			gsym_mk_begin_log_line(&f->out, l->number);
		}
		gsym_mk_paint_text(&f->out, written, frame.insert);
		written = put_frame(gsym_mk_log_render(f), &frame, &w,
				    &levels.items[levels.count - 1]);
	}
	if (written == l->at)
		return false;
	gsym_mk_paint_text(&f->out, written, end);
	gsym_mk_end_line(&f->out, l->ending);
	return true;
}
