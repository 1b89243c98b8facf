/* SPDX-License-Identifier: MIT */
/* Reports in JSON: their frames get answers. */
#include "config.h"

#include "filter/filter.h"

/* Find the answer to FRAME, an object of JSON, and set LEVELS to its levels. */
static void resolve(struct gsym_markup *f, struct logs_frame *frame,
		    const struct logs_dialect *d, struct gsym_mk_levels *levels)
{
	struct gsym_stacks_answer *answer = &f->logs->answers[0];

	frame->dialect = d;
	frame->line = f->line.number;
	/* The keys of one frame share one answer. */
	if (frame->start != f->logs->object) {
		f->logs->object = frame->start;
		answer->frame = *frame;
		if (!gsym_stacks_resolve(&f->judge, answer))
			answer->count = 0;
	}
	*levels = gsym_stacks_levels(&f->host, answer);
}

bool gsym_filter_report(struct gsym_markup *f, const struct logs_dialect *d,
			struct logs_text report)
{
	const struct gsym_mk_line *l = &f->line;
	const char *from = l->at, *written = from, *end = from + l->size;
	struct logs_frame frame;

	/* Pages show text for people. */
	if (f->out.html)
		return false;
	/* A header may stand before a whole report. */
	if (from < report.at)
		from = report.at;
	for (; d->report->next(report, from, end, &frame);
	     from = frame.resume) {
		struct gsym_render_writing w = { .escaped = true };
		struct gsym_mk_levels levels;

		resolve(f, &frame, d, &levels);
		if (!levels.count)
			continue;
		w.unsure = f->logs->answers[0].unsure;
		if (written == l->at) {
			gsym_render_write_held(&f->scene);
			gsym_mk_begin_log_line(&f->out, l->number);
		}
		gsym_mk_paint_text(&f->out, written, frame.insert);
		written =
			gsym_render_put_frame(gsym_filter_render(f), &frame, &w,
					      &levels.items[levels.count - 1]);
	}
	if (written == l->at)
		return false;
	gsym_mk_paint_text(&f->out, written, end);
	gsym_mk_end_line(&f->out, l->ending);
	return true;
}
