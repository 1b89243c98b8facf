/* SPDX-License-Identifier: MIT */
/*
 * Writes pages for a browser, that of gsym-xray flame (page.html with its
 * lines "@NAME@" replaced), and the flame graph as an SVG image, which needs
 * no script.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/report.h"
#include "xray/flame.h"

/* ---- the image ----------------------------------------------------------- */

enum {
	/* Pixels: the width of the image, and the height of a row of frames. */
	WIDTH = 1200,
	ROW = 18,
	/* The height of title and summary at the top of an image that is a file
	 * of its own. */
	HEAD = 48,
	MAX_DEPTH = 150,
	/* The width of a narrow letter; longer text is clipped. */
	LETTER = 5,
};

/* The width of the smallest frame that is drawn, as a part of WIDTH. */
#define NARROWEST (0.4 / WIDTH)

/* Write PART of WHOLE in percent. */
static void share(struct out *out, uint64_t part, uint64_t whole)
{
	out_printf(out, "%.2f %%", whole ? 100.0 * (double)part /
						   (double)whole : 0);
}

/* Write the text that appears when the pointer is on the frame of S. */
static void details(struct flame *f, const struct flame_step *s,
		    const char *name, const struct xray_place *place)
{
	struct out *out = &f->x->out;
	uint64_t all = f->whole.sums[0];
	char text[FLAME_DURATION];
	out_text(out, "<title>");
	out_html(out, name, FLAME_NAME);
	if (*place->basename) {
		out_text(out, "\n");
		out_html(out, place->basename, 0);
		if (place->line)
			out_printf(out, ":%" PRIu32, place->line);
	}
	out_printf(out, "\ntotal %s, ", flame_duration(f, s->sum, text));
	share(out, s->sum, all);
	if (s->index) {
		out_printf(out, "\nself %s, ",
			   flame_duration(f, s->node.self, text));
		share(out, s->node.self, all);
	}
	out_printf(out, "\ncalls %" PRIu64 "</title>", s->node.calls);
}

/* Draw the frame of S; SCALE is pixels per tick. */
static void frame(struct flame *f, const struct flame_step *s, double scale,
		  unsigned top)
{
	struct out *out = &f->x->out;
	struct xray_place place = { .basename = "" };
	double width = (double)s->sum * scale;
	const char *name = s->index ? xray_name(f->x, s->node.function, &place)
				    : "(less time)";
	if (s->index)
		out_printf(out, "<svg class=\"c%u\"", flame_colour(name));
	else
		out_text(out, "<svg class=\"rest\"");
	out_printf(out, " x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\">",
		   (double)s->offset * scale, top + ROW * s->depth, width,
		   ROW - 1);
	details(f, s, name, &place);
	out_printf(out, "<rect width=\"%.2f\" height=\"%d\"/>",
		   width > 3 ? width - 1 : width, ROW - 1);
	if (width > 4 * LETTER) {
		out_text(out, "<text x=\"4\" y=\"13\">");
		out_html(out, name, (size_t)(width / LETTER) + 1);
		out_text(out, "</text>");
	}
	out_text(out, "</svg>\n");
}

/* Returns true if the frame of S is wide enough to be drawn. */
static bool visible(const struct flame *f, const struct flame_step *s)
{
	return s->depth < MAX_DEPTH &&
	       (double)s->sum >= NARROWEST * (double)f->whole.sums[0] &&
	       s->sum > 0;
}

/* The number of rows, the frame of all calls included. */
static unsigned rows(struct flame *f)
{
	struct flame_walk w;
	struct flame_step s;
	unsigned most = 0;
	flame_walk_init(&w, &f->whole, 0);
	while (flame_walk_next(&w, &s))
		if (visible(f, &s) && s.depth > most)
			most = s.depth;
	return most + 1;
}

/* Draw the frame of all calls. */
static void all(struct flame *f, unsigned top)
{
	struct out *out = &f->x->out;
	char text[FLAME_DURATION];
	out_printf(out, "<svg class=\"rest\" y=\"%u\" width=\"%d\" "
		   "height=\"%d\"><rect width=\"%d\" height=\"%d\"/>"
		   "<text x=\"4\" y=\"13\">all, %s</text></svg>\n", top, WIDTH,
		   ROW - 1, WIDTH, ROW - 1,
		   flame_duration(f, f->whole.sums[0], text));
}

void flame_svg(struct flame *f, bool alone)
{
	struct out *out = &f->x->out;
	struct flame_walk w;
	struct flame_step s;
	uint64_t ticks = f->whole.sums[0];
	unsigned top = alone ? HEAD : 0, height = top + ROW * rows(f);
	out_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		   "class=\"frames\" viewBox=\"0 0 %d %u\" "
		   "font-family=\"sans-serif\" font-size=\"12\" role=\"img\"",
		   WIDTH, height);
	if (alone)
		out_printf(out, " width=\"%d\" height=\"%u\"", WIDTH, height);
	out_text(out, ">\n");
	if (alone) {
		out_text(out, "<style>\n");
		out_lines(out, flame_colours_css);
		out_printf(out, "</style>\n<rect class=\"page\" width=\"%d\" "
			   "height=\"%u\"/>\n<text x=\"4\" y=\"18\" "
			   "font-size=\"15\" font-weight=\"bold\">", WIDTH,
			   height);
		out_html(out, f->title, 0);
		out_text(out, "</text>\n<text x=\"4\" y=\"38\">");
		out_html(out, f->summary, 0);
		out_text(out, "</text>\n");
	}
	all(f, top);
	flame_walk_init(&w, &f->whole, 0);
	while (flame_walk_next(&w, &s))
		if (visible(f, &s))
			frame(f, &s, (double)WIDTH / (double)ticks, top);
	out_text(out, "</svg>\n");
}

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
	out_script_data(out, memory.buffer, memory.used);
	out_fini(&memory);
}

/* ---- notes --------------------------------------------------------------- */

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
	if (f->lanes.calls.quantum)
		out_printf(out, "<span>Time line: calls shorter than %s that "
			   "follow each other within that time are drawn as "
			   "one.</span>\n",
			   flame_duration(f, f->lanes.calls.quantum, time));
	if (f->lanes.marks.quantum)
		out_printf(out, "<span>Of events within %s of each other only "
			   "the first is drawn.</span>\n",
			   flame_duration(f, f->lanes.marks.quantum, time));
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

/* ---- the page ------------------------------------------------------------ */

static void script(struct out *out)
{
	out_lines(out, flame_common_js);
	out_lines(out, flame_graph_js);
	out_lines(out, flame_frames_js);
	out_lines(out, flame_timeline_js);
	out_lines(out, flame_view_js);
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
		out_html(out, f->title, 0);
		out_text(out, "\n");
	} else if (!strcmp(what, "@summary@\n")) {
		out_html(out, f->summary, 0);
		out_text(out, "\n");
	} else if (!strcmp(what, "@style@\n")) {
		out_lines(out, flame_colours_css);
		out_lines(out, flame_page_css);
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
