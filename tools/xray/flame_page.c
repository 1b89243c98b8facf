/* SPDX-License-Identifier: MIT */
/* Writes pages for a browser, and that of gsym-xray flame: page.html with its
 * lines "@NAME@" replaced. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "common/report.h"
#include "xray/flame.h"

/* ---- all pages ----------------------------------------------------------- */

void flame_template(struct out *out, const char *const *lines,
		    void (*fill)(void *context, const char *name),
		    void *context)
{
	for (; *lines; lines++) {
		if (!strcmp(*lines, "@head@\n"))
			flame_template(out, flame_head_html, fill, context);
		else if (!strcmp(*lines, "@foot@\n"))
			flame_template(out, flame_foot_html, fill, context);
		else if (**lines == '@')
			fill(context, *lines);
		else
			out_text(out, *lines);
	}
}

void flame_embed(struct out *out,
		 void (*write)(void *context, struct out *to), void *context)
{
	struct out memory;
	out_init_memory(&memory, false);
	out_mark(&memory);
	write(context, &memory);
	if (!out_keep(&memory))
		die("the page is too large");
	html_embed(out, memory.buffer, memory.used);
	out_fini(&memory);
}

/* ---- notes ------------------------------------------------------------- */

/* Write notes about calls and threads that the page leaves out, and about
 * damage of the traces. */
static void notes(struct flame *f)
{
	struct out *out = &f->x->out;
	const struct gsym_xray_repairs *r = &f->repairs;
	uint64_t least = f->whole.least > f->by_thread.least
				 ? f->whole.least
				 : f->by_thread.least;
	char time[FLAME_DURATION];
	if (f->lanes.quantum)
		out_printf(out, "<span>Time line: calls shorter than %s that "
			   "follow each other within that time are drawn as "
			   "one.</span>\n",
			   flame_duration(f, f->lanes.quantum, time));
	if (f->lanes.mark_quantum)
		out_printf(out, "<span>Of events within %s of each other only "
			   "the first is drawn.</span>\n",
			   flame_duration(f, f->lanes.mark_quantum, time));
	if (least)
		out_printf(out, "<span>Flame graph: stacks that took less "
			   "than %s in all are drawn together.</span>\n",
			   flame_duration(f, least, time));
	if (f->merged)
		out_printf(out, "<span>There are more than %d different "
			   "stacks: the time of %" PRIu64 " calls counts for "
			   "their callers.</span>\n", FLAME_STACKS, f->merged);
	if (f->other_threads)
		out_printf(out, "<span>The %" PRIu32 " threads with the fewest "
			   "events are shown as one.</span>\n",
			   f->other_threads);
	if (r->orphans | r->inferred | r->unfinished)
		out_printf(out, "<span>Exits without entry: %" PRIu64
			   ", exits inferred: %" PRIu64 ", calls unfinished: %"
			   PRIu64 ".</span>\n", r->orphans, r->inferred,
			   r->unfinished);
	if (!f->frequency)
		out_text(out, "<span>The trace does not say how long a tick "
			      "takes.</span>\n");
}

/* ---- the page ---------------------------------------------------------- */

static void script(struct out *out)
{
	html_lines(out, flame_common_js);
	html_lines(out, flame_graph_js);
	html_lines(out, flame_frames_js);
	html_lines(out, flame_timeline_js);
	html_lines(out, flame_view_js);
}

static void data(void *context, struct out *to)
{
	flame_data(context, to);
}

/* Write the text that replaces the line "@WHAT@" of page.html. */
static void fill(void *context, const char *what)
{
	struct flame *f = context;
	struct out *out = &f->x->out;
	if (!strcmp(what, "@title@\n")) {
		html_escape(out, f->title, 0);
		out_text(out, "\n");
	} else if (!strcmp(what, "@summary@\n")) {
		html_escape(out, f->summary, 0);
		out_text(out, "\n");
	} else if (!strcmp(what, "@style@\n")) {
		html_lines(out, flame_colours_css);
		html_lines(out, flame_page_css);
	} else if (!strcmp(what, "@static@\n")) {
		flame_svg(f, false);
	} else if (!strcmp(what, "@notes@\n")) {
		notes(f);
	} else if (!strcmp(what, "@data@\n")) {
		flame_embed(out, data, f);
	} else if (!strcmp(what, "@script@\n")) {
		script(out);
	}
}

void flame_page(struct flame *f)
{
	flame_template(&f->x->out, flame_page_html, fill, f);
}
