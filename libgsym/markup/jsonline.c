/* SPDX-License-Identifier: MIT */
/*
 * Elements in a line of JSON, as containers and journals write lines:
 *
 *	{"log":"{{{bt:1:0x5555555552f7:ra}}}\n","stream":"stderr"}
 *
 * The line stays one line of JSON.  What is shown in place of an element is
 * escaped as a part of a string.  Elements that describe memory are applied and
 * stay as they are, as module lines would be no JSON.
 */
#include "config.h"

#include "markup/filter.h"

bool gsym_mk_is_json(const struct gsym_mk_line *l)
{
	const char *at = l->at, *end = at + l->size;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	/* Nearly all lines end here. */
	if (at == end || *at != '{')
		return false;
	while (end > at && memchr(" \t\r,", end[-1], 4))
		end--;
	return l->first && l->final && end - at > 2 && at[1] == '"' &&
	       end[-1] == '}';
}

/* Apply E, which describes memory, without module lines. */
static void apply(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	/* A reset writes a line of its own before the first piece alone. */
	f->line.first = false;
	gsym_mk_out_clear(&f->mixed);
	gsym_mk_apply(&f->scene, &f->mixed, e);
	gsym_mk_drop_collected(&f->scene, f->process);
	f->line.first = true;
}

/* Write what is shown in place of E as a part of a string of JSON; false if E
 * stays as it is. */
static bool present(struct gsym_markup *f, const struct gsym_mk_element *e)
{
	struct gsym_mk_out *o = &f->mixed;
	bool shown, colour = o->colour;
	size_t before;

	gsym_mk_out_clear(o);
	o->colour = false;
	/* No text of the line is repeated before further frames. */
	f->line.before = e->whole.at;
	shown = gsym_mk_present(&f->scene, o, e);
	o->colour = colour;
	f->out.out_of_memory |= o->out_of_memory;
	if (!shown)
		return false;
	before = f->out.text.count;
	gsym_mk_put(&f->out, o->text.items, o->text.count);
	gsym_mk_log_escape(&f->host, &f->out, &gsym_logs_json, before);
	return true;
}

void gsym_mk_json_line(struct gsym_markup *f)
{
	const char *from = f->line.at, *end = from + f->line.size;
	struct gsym_mk_scanner s = { .at = from, .end = end };
	struct gsym_mk_element e;

	gsym_mk_write_held(&f->scene);
	gsym_mk_begin_log_line(&f->out, f->line.number);
	while (gsym_mk_next(&s, &e)) {
		bool good = gsym_mk_usable(&f->scene, &e);
		bool applies = good && gsym_mk_contextual(&e);

		gsym_mk_paint_text(&f->out, from, e.whole.at);
		from = e.whole.at + e.whole.size;
		if (applies)
			apply(f, &e);
		if (!good || applies || !present(f, &e))
			gsym_mk_put(&f->out, e.whole.at, e.whole.size);
	}
	gsym_mk_paint_text(&f->out, from, end);
	gsym_mk_end_line(&f->out, f->line.ending);
	/* Footnotes would be lines that are no JSON. */
	f->scene.footnotes.count = 0;
}
