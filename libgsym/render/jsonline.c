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

#include "render/render.h"
#include "render/scene.h"

bool gsym_render_is_json(const struct mk_line *l)
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
static void apply(struct scene *s, const struct mk_element *e)
{
	/* A reset writes a line of its own before the first piece alone. */
	s->line->first = false;
	gsym_mk_out_clear(&s->mixed);
	gsym_render_apply(s, &s->mixed, e);
	gsym_render_drop_collected(s, s->line->process);
	s->line->first = true;
}

/* Write what is shown in place of E as a part of a string of JSON; false if E
 * stays as it is. */
static bool present(struct scene *s, const struct mk_element *e)
{
	struct mk_out *o = &s->mixed;
	bool shown, colour = o->colour;
	size_t before;

	gsym_mk_out_clear(o);
	o->colour = false;
	/* No text of the line is repeated before further frames. */
	s->line->before = e->whole.at;
	shown = gsym_render_present(s, o, e);
	o->colour = colour;
	s->host->out->out_of_memory |= o->out_of_memory;
	if (!shown)
		return false;
	before = s->host->out->text.count;
	mk_put(s->host->out, o->text.items, o->text.count);
	gsym_render_escape(s->host, s->host->out, &gsym_logs_json, before);
	return true;
}

void gsym_render_json_line(struct scene *s)
{
	const char *from = s->line->at, *end = from + s->line->size;
	struct mk_scanner scan = { .at = from, .end = end };
	struct mk_element e;

	gsym_render_write_held(s);
	mk_begin_log_line(s->host->out, s->line->number);
	while (gsym_mk_next(&scan, &e)) {
		bool good = gsym_render_usable(s, &e);
		bool applies = good && mk_contextual(&e);

		gsym_mk_paint_text(s->host->out, from, e.whole.at);
		from = e.whole.at + e.whole.size;
		if (applies)
			apply(s, &e);
		if (!good || applies || !present(s, &e))
			mk_put(s->host->out, e.whole.at, e.whole.size);
	}
	gsym_mk_paint_text(s->host->out, from, end);
	gsym_mk_end_line(s->host->out, s->line->ending);
	/* Footnotes would be lines that are no JSON. */
	s->footnotes.count = 0;
}
