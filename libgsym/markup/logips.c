/* SPDX-License-Identifier: MIT */
/* Frames of Apple's reports in JSON: a line has those of many threads. */
#include "config.h"

#include "markup/logs.h"

#include "markup/filter.h"
#include "markup/host.h"
#include "markup/logwrite.h"
#include "markup/paint.h"
#include "markup/wait.h"

/* Write the function and the place of the outermost level, with the keys that
 * Apple's own tools use. */
static void put_answer(struct gsym_markup *f, const struct logs_frame *frame)
{
	const struct gsym_mk_log_writing w = { .json = true };
	size_t last = f->logs->answer.levels.count - 1;
	struct gsym_mk_level *level = gsym_mk_log_level(f, last);
	struct gsym_mk_out *o = &f->out;

	if (!frame->function.size) {
		gsym_mk_puts(o, ",\"symbol\":\"");
		gsym_mk_log_put_name(f, &w, last);
		gsym_mk_puts(o, "\"");
	}
	if (!*level->frame.basename)
		return;
	gsym_mk_puts(o, ",\"sourceFile\":\"");
	gsym_mk_log_put_json(o, gsym_mk_file_text(f, level));
	gsym_mk_puts(o, "\",\"sourceLine\":");
	gsym_mk_put_decimal(o, level->frame.line);
}

bool gsym_mk_log_ips(struct gsym_markup *f)
{
	struct gsym_mk_log_hit *hit = &f->logs->hits[0];
	struct gsym_mk_line *l = &f->line;
	const char *from = l->at, *written = from, *end = from + l->size;

	/* Pages show text for people. */
	if (f->out.html)
		return false;
	while (gsym_logs_ips(from, end, &hit->frame)) {
		from = hit->frame.resume;
		if (!gsym_mk_log_resolve(f, hit) ||
		    !gsym_mk_log_look_up(f, hit->symbols, hit->addresses[0]))
			continue;
		if (written == l->at) {
			gsym_mk_write_waiting(f);
			gsym_mk_begin_log_line(&f->out, f->line_number);
		}
		gsym_mk_paint_text(&f->out, written, hit->frame.insert);
		put_answer(f, &hit->frame);
		written = hit->frame.insert;
	}
	if (written == l->at)
		return false;
	gsym_mk_paint_text(&f->out, written, end);
	gsym_mk_end_line(&f->out, l->ending);
	return true;
}
