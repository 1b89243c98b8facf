/* SPDX-License-Identifier: MIT */
/*
 * Writes pages for a browser, that of gsym-xray flame (page.html with its
 * lines "@NAME@" replaced), and the flame graph as an SVG image, which needs
 * no script.
 *
 * The data of the page's script are JSON whose long lists are plain numbers.  A
 * function is an index into "functions".
 *
 * A tree is a list of nodes, callers before callees.  A node is: function * 8
 * + flags; the number of its callees in the list; calls; self ticks; with flag
 * 1 the number of calls whose exit is missing; with flag 2 the number of calls
 * that did not end.  With flag 4 the node stands for hidden callees of its
 * caller: the place of the function has their number, and that of self ticks
 * all their ticks.
 *
 * A lane is a list of entries (xray/xray.h).  An entry is: ticks from the
 * start of the entry before; ticks from its start to its end; function * 8 +
 * LANE_* flags; with LANE_MERGED the number of calls and the sum of their
 * ticks.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "xray/xray.h"

/* ---- text, numbers and colours ------------------------------------------- */

const char *flame_duration(const struct flame *f, uint64_t ticks,
			   char text[FLAME_DURATION])
{
	if (f->frequency)
		xray_time_text((double)ticks * 1e9 / (double)f->frequency,
			       false, FLAME_MICRO, text, FLAME_DURATION);
	else
		snprintf(text, FLAME_DURATION, "%" PRIu64 " ticks", ticks);
	return text;
}

/* The colour of the function NAME, below FLAME_COLOURS. */
static unsigned colour_of(const char *name)
{
	uint32_t hash = 2166136261;
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619;
	return (hash >> 7 ^ hash >> 19) % FLAME_COLOURS;
}

/* ---- the tree of calls without its smallest nodes ------------------------ */

static int descending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return GSYM_ORDER(*y, *x);
}

void flame_tree_init(struct flame_tree *f, struct gsym_xray_tree *tree,
		     uint32_t budget)
{
	uint32_t count = gsym_xray_tree_count(tree);
	*f = (struct flame_tree){ .tree = tree };
	f->sums = must_have(calloc(count, sizeof(*f->sums)));
	f->offsets = must_have(calloc(count, sizeof(*f->offsets)));
	must(gsym_xray_tree_sort(tree) == GSYM_OK);
	/* Callers have lower numbers than their callees. */
	for (uint32_t i = count; i--;) {
		struct gsym_xray_node n = xray_node(tree, i);
		f->sums[i] += n.self;
		if (i)
			f->sums[n.caller] += f->sums[i];
	}
	if (count <= budget)
		return;
	/* The array of offsets is free until the first walk: sort a copy of
	 * the sums in it. */
	for (uint32_t i = 0; i < count; i++)
		f->offsets[i] = f->sums[i];
	qsort(f->offsets, count, sizeof(*f->offsets), descending);
	f->least = f->offsets[budget] + 1;
	f->offsets[0] = 0;
}

void flame_tree_fini(struct flame_tree *f)
{
	free(f->sums);
	free(f->offsets);
}

/* A frame of a flame graph. */
struct flame_step {
	/* The number of the node; 0: the frame is for CALLEES hidden callees
	 * of a node. */
	uint32_t index;
	/* 1 for an outermost function. */
	uint32_t depth;
	/* The number of frames directly below this frame. */
	uint32_t callees;
	/* For hidden callees only CALLS is set. */
	struct gsym_xray_node node;
	/* The left edge, and the width: ticks. */
	uint64_t offset, sum;
};

/* A walk over the frames below ROOT: each before its callees, and callees
 * with more time first. */
struct flame_walk {
	struct flame_tree *f;
	uint32_t root;
	/* Private: the last node, its depth, and whether all frames below it
	 * are done. */
	uint32_t index, depth;
	bool up;
};

/* Start a walk over the frames below ROOT. */
static void walk_init(struct flame_walk *w, struct flame_tree *f, uint32_t root)
{
	*w = (struct flame_walk){ .f = f, .root = root, .index = root };
	f->offsets[root] = 0;
}

/* INDEX if that node is not hidden, else the first of its next siblings that is
 * not; 0 if all are hidden. */
static uint32_t shown(const struct flame_tree *f, uint32_t index)
{
	while (index && f->sums[index] < f->least)
		index = xray_node(f->tree, index).sibling;
	return index;
}

/* Set RET to the frame for the hidden callees of CALLER; RET's CALLEES is 0 if
 * none are hidden.  Returns the number of callees that are not hidden. */
static uint32_t left_out(const struct flame_tree *f, uint32_t caller,
			 struct flame_step *ret)
{
	struct gsym_xray_node n;
	uint32_t kept = 0;
	*ret = (struct flame_step){ 0 };
	for (uint32_t i = xray_node(f->tree, caller).callee; i; i = n.sibling) {
		n = xray_node(f->tree, i);
		if (f->sums[i] >= f->least) {
			ret->offset = f->offsets[i] + f->sums[i];
			kept++;
			continue;
		}
		ret->callees++;
		ret->sum += f->sums[i];
		ret->node.calls += n.calls;
	}
	if (!kept)
		ret->offset = f->offsets[caller];
	return kept;
}

/* Set RET to the frame of node INDEX at OFFSET, and go there. */
static bool step_to(struct flame_walk *w, uint32_t index, uint64_t offset,
		    struct flame_step *ret)
{
	struct flame_tree *f = w->f;
	struct flame_step rest;
	f->offsets[index] = offset;
	uint32_t kept = left_out(f, index, &rest);
	*ret = (struct flame_step){ .index = index,
				    .depth = w->depth,
				    .callees = kept + (rest.callees > 0),
				    .node = xray_node(f->tree, index),
				    .offset = offset,
				    .sum = f->sums[index] };
	w->index = index;
	w->up = false;
	return true;
}

/* Store the next frame in RET; false after the last one. */
static bool walk_next(struct flame_walk *w, struct flame_step *ret)
{
	struct flame_tree *f = w->f;
	uint32_t next;
	/* The frame for the hidden callees of the node comes next. */
	bool rest = !w->up;
	if (rest) {
		next = shown(f, xray_node(f->tree, w->index).callee);
		w->depth++;
		if (next)
			return step_to(w, next, f->offsets[w->index], ret);
		w->up = true;
	}
	for (;; rest = true) {
		if (rest) {
			left_out(f, w->index, ret);
			ret->depth = w->depth--;
			if (ret->callees)
				return true;
		}
		if (w->index == w->root)
			return false;
		struct gsym_xray_node n = xray_node(f->tree, w->index);
		next = shown(f, n.sibling);
		if (next)
			return step_to(w, next, f->offsets[w->index] +
						f->sums[w->index], ret);
		w->index = n.caller;
	}
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return GSYM_ORDER(*x, *y);
}

/* The index of FUNCTION in "functions". */
static uint32_t place_of(const struct flame *f, uint32_t function)
{
	const uint32_t *at =
		bsearch(&function, f->functions.items, f->functions.count,
			sizeof(*at), by_number);
	return (uint32_t)(at - f->functions.items);
}

/* Append the functions of all frames below ROOT. */
static void note_tree(struct flame *f, struct flame_tree *tree, uint32_t root)
{
	struct flame_walk w;
	struct flame_step s;
	walk_init(&w, tree, root);
	while (walk_next(&w, &s))
		if (s.index)
			*must_push(&f->functions) = s.node.function;
}

/* Append the functions of the entries of LANE. */
static void note_lane(struct flame *f, const struct lane *lane)
{
	for (size_t i = 0; i < lane->count; i++)
		*must_push(&f->functions) = lane->items[i].function;
}

/* Fill F->functions with the functions of all frames and entries. */
static void find_functions(struct flame *f)
{
	uint32_t kept = 0;
	note_tree(f, &f->whole, 0);
	for (uint32_t t = 0; t < f->thread_count; t++) {
		struct lane_thread *lanes = &f->lanes.threads[t];
		if (f->thread_count > 1 && f->threads[t].root)
			note_tree(f, &f->by_thread, f->threads[t].root);
		for (size_t d = 0; d < lanes->lanes.count; d++)
			note_lane(f, &lanes->lanes.items[d]);
	}
	if (f->functions.count)
		qsort(f->functions.items, f->functions.count,
		      sizeof(*f->functions.items), by_number);
	for (uint32_t i = 0; i < f->functions.count; i++)
		if (!i || f->functions.items[i] != f->functions.items[i - 1])
			f->functions.items[kept++] = f->functions.items[i];
	f->functions.count = kept;
}

/* ---- functions ----------------------------------------------------------- */

/* The file of a function; NUMBER is the index of the function. */
struct file {
	char *directory, *basename;
	uint32_t number;
};

static int by_path(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	return strcmp(x->basename, y->basename) ?:
	       strcmp(x->directory, y->directory) ?:
	       GSYM_ORDER(x->number, y->number);
}

/* Write NAME, cut to FLAME_NAME bytes: templates can make it very long. */
static void add_name(struct json *json, const char *name)
{
	size_t end = FLAME_NAME;
	char *text;
	if (strlen(name) <= FLAME_NAME) {
		json_string(json, NULL, name);
		return;
	}
	while (end && (name[end] & 0xc0) == 0x80)
		end--;
	must(asprintf(&text, "%.*s\xe2\x80\xa6", (int)end, name) >= 0);
	json_string(json, NULL, text);
	free(text);
}

/* Write "files", each once, and "functions": name, index of the file, line and
 * colour. */
static void functions(struct flame *f, struct json *json)
{
	struct file *files = must_have(
		calloc((size_t)f->functions.count + 1, sizeof(*files)));
	uint32_t *numbers = must_have(
		calloc((size_t)f->functions.count + 1, sizeof(*numbers)));
	uint32_t count = 0;
	struct xray_place place;
	for (uint32_t i = 0; i < f->functions.count; i++) {
		xray_name(f->x, f->functions.items[i], &place);
		/* strndup writes a NUL where strdup would copy it: the texts
		 * lie in mapped files, which others may change. */
		files[i] =
			(struct file){ must_have(strndup(place.directory,
							 PTRDIFF_MAX)),
				       must_have(strndup(place.basename,
							 PTRDIFF_MAX)), i };
	}
	qsort(files, f->functions.count, sizeof(*files), by_path);
	json_array(json, "files");
	for (uint32_t i = 0; i < f->functions.count; i++) {
		if (!*files[i].basename)
			continue;
		if (!i || strcmp(files[i].basename, files[i - 1].basename) ||
		    strcmp(files[i].directory, files[i - 1].directory)) {
			json_path(json, NULL, files[i].directory,
				  files[i].basename);
			count++;
		}
		numbers[files[i].number] = count;
	}
	json_end(json);
	json_array(json, "functions");
	for (uint32_t i = 0; i < f->functions.count; i++) {
		const char *name =
			xray_name(f->x, f->functions.items[i], &place);
		json_array(json, NULL);
		add_name(json, name);
		if (numbers[i])
			json_number(json, NULL, numbers[i] - 1);
		else
			json_null(json, NULL);
		json_number(json, NULL, place.line);
		json_number(json, NULL, colour_of(name));
		json_end(json);
		free(files[i].directory);
		free(files[i].basename);
	}
	json_end(json);
	free(files);
	free(numbers);
}

/* ---- lists of numbers ---------------------------------------------------- */

/* Write the frames below ROOT of FROM. */
static void tree(struct flame *f, struct json *json, struct flame_tree *from,
		 uint32_t root)
{
	struct flame_walk w;
	struct flame_step s;
	struct gsym_xray_node top = xray_node(from->tree, root);
	json_array(json, NULL);
	walk_init(&w, from, root);
	while (walk_next(&w, &s)) {
		uint64_t what = s.index ? place_of(f, s.node.function)
					: s.callees;
		unsigned flags = (s.node.inferred ? 1 : 0) |
				 (s.node.unfinished ? 2 : 0) |
				 (s.index ? 0 : 4);
		json_number(json, NULL, what << 3 | flags);
		json_number(json, NULL, s.index ? s.callees : 0);
		json_number(json, NULL, s.node.calls);
		json_number(json, NULL, s.index ? s.node.self : s.sum);
		if (s.node.inferred)
			json_number(json, NULL, s.node.inferred);
		if (s.node.unfinished)
			json_number(json, NULL, s.node.unfinished);
	}
	/* Outermost functions that found no room in the tree. */
	if (top.self) {
		json_number(json, NULL, top.merged << 3 | 4);
		json_number(json, NULL, 0);
		json_number(json, NULL, top.merged);
		json_number(json, NULL, top.self);
	}
	json_end(json);
}

/* Write the entries of LANE. */
static void lane(struct flame *f, struct json *json, const struct lane *lane)
{
	uint64_t last = 0;
	json_array(json, NULL);
	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_call *c = &lane->items[i];
		uint64_t function = place_of(f, c->function);
		json_number(json, NULL, c->start - last);
		json_number(json, NULL, c->end - c->start);
		json_number(json, NULL, function << 3 | c->flags);
		if (c->flags & LANE_MERGED) {
			json_number(json, NULL, c->calls);
			json_number(json, NULL, c->busy);
		}
		last = c->start;
	}
	json_end(json);
}

/* Write an event; LAST is the time of the event before it. */
static void mark(struct flame *f, struct json *json, const struct lane_mark *m,
		 uint64_t last)
{
	struct out *out = json->out;
	uint32_t size = m->size < LANES_BYTES ? m->size : LANES_BYTES;
	json_object(json, NULL);
	json_string(json, "name",
		    m->typed ? xray_event_type(f->x, m->type)
			     : "custom event");
	json_number(json, "after", m->time - last);
	json_number(json, "count", m->count);
	json_number(json, "size", m->size);
	if (m->lost) {
		json_bool(json, "lost", true);
	} else {
		out_text(out, ",\"text\":\"");
		bool text = json_escape_bytes(out, m->data, size);
		out_text(out, "\"");
		if (!text)
			json_bytes(json, "hex", m->data, size);
	}
	json_end(json);
}

static void thread(struct flame *f, struct json *json, uint32_t number)
{
	const struct lane_thread *t = &f->lanes.threads[number];
	uint64_t last = 0;
	json_object(json, NULL);
	json_string(json, "name", f->threads[number].name);
	json_number(json, "calls", f->threads[number].calls);
	json_number(json, "deeper", t->deeper);
	json_array(json, "lanes");
	for (uint32_t d = 0; d < t->lanes.count; d++)
		lane(f, json, &t->lanes.items[d]);
	json_end(json);
	json_array(json, "marks");
	for (size_t i = 0; i < t->marks.count; i++) {
		mark(f, json, &t->marks.items[i], last);
		last = t->marks.items[i].time;
	}
	json_end(json);
	json_end(json);
}

/* Write the time of day, or the time since the start of the system, at time
 * 0. */
static void wall(struct flame *f, struct json *json)
{
	const struct xray_clock *clock = &f->x->traces[0].clock;
	if (clock->wall == XRAY_WALL_NONE || !xray_one_clock(f->x))
		return;
	uint64_t ns = xray_wall(clock, clock->zero);
	json_object(json, "wall");
	json_string(json, "kind",
		    clock->wall == XRAY_WALL_DATE ? "date" : "uptime");
	json_number(json, "seconds", ns / 1000000000);
	json_number(json, "nanoseconds", ns % 1000000000);
	json_end(json);
}

/* Write the data of the page's script as JSON. */
static void put_data(void *context, struct out *out)
{
	struct flame *f = context;
	struct json json;
	json_init(&json, out);
	find_functions(f);
	json_object(&json, NULL);
	json_number(&json, "frequency", f->frequency);
	json_number(&json, "span", f->span);
	wall(f, &json);
	json_number(&json, "quantum", f->lanes.calls.quantum);
	functions(f, &json);
	json_array(&json, "trees");
	tree(f, &json, &f->whole, 0);
	for (uint32_t t = 0; t < f->thread_count && f->thread_count > 1; t++)
		if (f->threads[t].root) {
			tree(f, &json, &f->by_thread, f->threads[t].root);
		} else {
			json_array(&json, NULL);
			json_end(&json);
		}
	json_end(&json);
	json_array(&json, "threads");
	for (uint32_t t = 0; t < f->thread_count; t++)
		thread(f, &json, t);
	json_end(&json);
	json_end(&json);
}

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
		out_printf(out, "<svg class=\"c%u\"", colour_of(name));
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
	walk_init(&w, &f->whole, 0);
	while (walk_next(&w, &s))
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
		flame_template(out, "@colours.css@\n", NULL, NULL);
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
	walk_init(&w, &f->whole, 0);
	while (walk_next(&w, &s))
		if (visible(f, &s))
			frame(f, &s, (double)WIDTH / (double)ticks, top);
	out_text(out, "</svg>\n");
}

/* ---- all pages ----------------------------------------------------------- */

/* Whether LINE is "@NAME@".  Style sheets have lines that begin like it. */
static bool is_name(const char *line)
{
	return *line == '@' && !strcmp(line + strlen(line) - 2, "@\n");
}

void flame_template(struct out *out, const char *name,
		    void (*fill)(void *context, const char *name),
		    void *context)
{
	const struct flame_file *file = flame_files;
	while (file->name && strcmp(file->name, name) != 0)
		file++;
	if (!file->name) {
		fill(context, name);
		return;
	}
	for (const char *const *line = file->lines; *line; line++)
		if (is_name(*line))
			flame_template(out, *line, fill, context);
		else
			out_text(out, *line);
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
	} else if (!strcmp(what, "@static@\n")) {
		flame_svg(f, false);
	} else if (!strcmp(what, "@notes@\n")) {
		notes(f);
	} else if (!strcmp(what, "@data@\n")) {
		flame_embed(out, put_data, f);
	}
}

void flame_page(struct flame *f)
{
	flame_template(&f->x->out, "@page.html@\n", fill, f);
}
