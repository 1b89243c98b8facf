/* SPDX-License-Identifier: MIT */
/*
 * gsym-xray diff: functions and stacks of two builds, compared by name.  This
 * file walks over the traces, and writes the table and its lines of JSON;
 * diff_judge.c judges the changes.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/names.h"
#include "common/report.h"
#include "xray/flame.h"

/* ---- rows ---------------------------------------------------------------- */

/* Row NUMBER of ROWS; rows up to it are added. */
static struct diff_row *row_at(struct diff_rows *rows, uint32_t number)
{
	while (number >= rows->count)
		*must_push(rows) = (struct diff_row){ 0 };
	return &rows->items[number];
}

static void free_rows(struct diff_rows *rows)
{
	for (uint32_t i = 0; i < rows->count; i++)
		for (int side = 0; side < DIFF_SIDES; side++)
			diff_spread_fini(&rows->items[i].sides[side].spread);
	free(rows->items);
}

/* ---- names --------------------------------------------------------------- */

/* A pass over the traces of a side. */
struct pass {
	struct diff *d;
	int side;
	/* The trace that is read. */
	size_t trace;
	/* The numbers of the side's functions, and by them the numbers of their
	 * names. */
	struct gsym_intern functions;
	struct {
		GSYM_VEC(uint32_t);
	} names;
};

/* The number of the name of FUNCTION. */
static uint32_t name_of(struct pass *p, uint32_t function)
{
	size_t known = p->functions.count;
	uint32_t number =
		must_intern(&p->functions, &function, sizeof(function));
	struct diff *d = p->d;
	struct xray_place place;
	const char *name;
	if (number < known)
		return p->names.items[number];
	name = xray_name(d->sides[p->side], function, &place);
	known = d->names.count;
	number = must_intern(&d->names, name, names_stem(name));
	*must_push(&p->names) = number;
	if (number == known)
		*must_push(&d->places) = xray_place_text(&place);
	return number;
}

/* ---- the walk ------------------------------------------------------------ */

/* The mark of a call is the number of its stack, with this bit if the call has
 * no stack of its own. */
#define MERGED (UINT64_C(1) << 32)

static uint64_t enter(void *context, const struct gsym_xray_event *event,
		      uint64_t caller_mark)
{
	struct pass *p = context;
	struct diff *d = p->d;
	uint32_t edge[2] = { (uint32_t)caller_mark,
			     name_of(p, event->function) };
	uint32_t number;
	struct diff_row *row;
	if (caller_mark & MERGED || d->edges.count > DIFF_STACKS)
		return caller_mark | MERGED;
	/* Number 0 is the caller of outermost functions. */
	number = must_intern(&d->edges, edge, sizeof(edge));
	row = row_at(&d->stacks, number);
	row->caller = edge[0];
	row->name = edge[1];
	return number;
}

static void add_call(struct diff_calls *to, const struct gsym_xray_call *call,
		     bool outermost)
{
	uint64_t total = call->leave - call->enter;
	uint64_t self = total > call->children ? total - call->children : 0;
	to->calls++;
	to->self += self;
	if (outermost)
		to->total += total;
	if (call->end == GSYM_XRAY_INFERRED ||
	    call->end == GSYM_XRAY_UNFINISHED)
		to->inexact++;
	else
		diff_spread_add(&to->spread, self);
}

static bool leave(void *context, const struct gsym_xray_call *call)
{
	struct pass *p = context;
	struct diff *d = p->d;
	uint32_t name = name_of(p, call->function);
	struct diff_row *stack = row_at(&d->stacks, (uint32_t)call->mark);
	struct diff_row *function = row_at(&d->functions, name);
	function->name = name;
	add_call(&function->sides[p->side], call, call->outermost);
	if (call->mark & MERGED) {
		uint64_t total = call->leave - call->enter;
		stack->sides[p->side].self += total - call->children;
		d->merged++;
	} else {
		add_call(&stack->sides[p->side], call, true);
	}
	return true;
}

static void end_rows(struct diff_rows *rows, int side)
{
	for (uint32_t i = 0; i < rows->count; i++)
		diff_spread_end_run(&rows->items[i].sides[side].spread);
}

/* End the trace that P has read. */
static void end_trace(const struct pass *p)
{
	end_rows(&p->d->functions, p->side);
	end_rows(&p->d->stacks, p->side);
}

static void begin_thread(void *context, const struct xray_walk *w)
{
	struct pass *p = context;
	if (w->trace != p->trace)
		end_trace(p);
	p->trace = w->trace;
}

/* Walk over the events of SIDE, trace by trace. */
static void walk(struct diff *d, int side)
{
	struct pass p = { .d = d, .side = side };
	const struct xray_replay r = {
		.stack = must_have(gsym_xray_stack_new(enter, leave, &p)),
		.thread = begin_thread,
		.context = &p,
	};
	xray_replay(d->sides[side],
		    side == DIFF_BEFORE ? "reading calls before"
					: "reading calls after", &r);
	end_trace(&p);
	gsym_xray_stack_repairs(r.stack, &d->repairs[side]);
	gsym_xray_stack_free(r.stack);
	gsym_intern_fini(&p.functions);
	gsym_vec_fini(&p.names);
}

/* ---- the table, and its lines of JSON ------------------------------------ */

/* The names of the functions of the stack NUMBER, from its outermost one on,
 * malloc'ed; *COUNT is their number. */
static uint32_t *path_of(const struct diff *d, uint32_t number, uint32_t *count)
{
	uint32_t depth = 0, *path;
	for (uint32_t i = number; i; i = d->stacks.items[i].caller)
		depth++;
	path = must_have(calloc((size_t)depth + 1, sizeof(*path)));
	*count = depth;
	for (uint32_t i = number; i; i = d->stacks.items[i].caller)
		path[--depth] = d->stacks.items[i].name;
	return path;
}

static const char *name_text(const struct diff *d, uint32_t name)
{
	return gsym_intern_entry(&d->names, name)->bytes;
}

/* ---- text ---------------------------------------------------------------- */

enum { TIME_TEXT = 32 };

/* Write TIME, which may be negative, to TEXT; returns TEXT. */
static const char *show(const struct diff *d, double time, const char *plus,
			char text[TIME_TEXT])
{
	int sign = snprintf(text, TIME_TEXT, "%s", time < 0 ? "-" : plus);
	xray_time_text(fabs(time), d->in_ticks, "us", text + sign,
		       (size_t)(TIME_TEXT - sign));
	return text;
}

/* Write the name of ROW, or the names of its stack. */
static void put_names(const struct diff *d, const struct diff_row *row)
{
	uint32_t count, *path;
	struct xray *x = d->sides[0];
	if (!x->stacks) {
		xray_put_name(x, name_text(d, row->name),
			      d->places.items[row->name]);
		return;
	}
	path = path_of(d, (uint32_t)(row - d->stacks.items), &count);
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			out_text(&x->out, ";");
		xray_put_name(x, name_text(d, path[i]), "");
	}
	free(path);
}

/* Write the time of a call before and after, and its change in percent. */
static void put_call(const struct diff *d, const struct diff_row *row)
{
	struct out *out = &d->sides[0]->out;
	char text[TIME_TEXT];
	double times[DIFF_SIDES];
	for (int side = 0; side < DIFF_SIDES; side++) {
		bool any = row->sides[side].calls > 0;
		times[side] = diff_call(d, row, side);
		out_printf(out, " %10s",
			   any ? show(d, times[side], "", text) : "-");
	}
	if (row->sides[0].calls && row->sides[1].calls && times[0] > 0)
		out_printf(out, " %+7.1f%%",
			   100 * (times[1] - times[0]) / times[0]);
	else
		out_printf(out, " %8s", "-");
}

static void put_row(const struct diff *d, const struct diff_row *row)
{
	struct out *out = &d->sides[0]->out;
	char text[TIME_TEXT];
	out_printf(out, "%10s", show(d, diff_change(d, row), "+", text));
	put_call(d, row);
	for (int side = 0; side < DIFF_SIDES; side++)
		out_printf(out, " %9.0f", diff_calls(d, row, side));
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct diff_calls *c = &row->sides[side];
		double self = diff_time_of(d, side, c->self);
		out_printf(out, " %10s",
			   c->calls ? show(d, self, "", text) : "-");
	}
	out_printf(out, "  %-19s  ", diff_verdict(row));
	put_names(d, row);
	out_text(out, "\n");
}

static void put_heading(const struct diff *d)
{
	struct out *out = &d->sides[0]->out;
	out_printf(out, "%10s %10s %10s %8s %9s %9s %10s %10s%s\n", "change",
		   "a call", "a call", "", "calls", "calls", "self", "self",
		   d->in_ticks ? "  (times in ticks)" : "");
	out_printf(out, "%10s %10s %10s %8s %9s %9s %10s %10s  %-19s  %s\n",
		   "in all", "before", "after", "", "before", "after", "before",
		   "after", "verdict",
		   d->sides[0]->stacks ? "stack" : "function");
}

static void diff_text(struct diff *d)
{
	struct xray *x = d->sides[0];
	const struct diff_rows *rows = x->stacks ? &d->stacks : &d->functions;
	uint32_t count, *order = diff_order(d, rows, &count);
	uint64_t counts[3] = { 0 };
	int last = -1;
	put_heading(d);
	for (uint32_t i = 0; i < count; i++)
		counts[diff_group(&rows->items[order[i]])]++;
	if (!counts[0])
		out_text(&x->out, "\nnothing is beyond the noise\n");
	for (uint32_t i = 0; i < count && (!x->top || i < x->top); i++) {
		const struct diff_row *row = &rows->items[order[i]];
		int group = diff_group(row);
		if (group != last)
			out_printf(&x->out, "\n%s: %" PRIu64 "\n",
				   diff_groups[group], counts[group]);
		last = group;
		put_row(d, row);
	}
	free(order);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_side(const struct diff *d, const struct diff_row *row,
		      int side)
{
	struct json *json = &d->sides[0]->json;
	const struct diff_calls *c = &row->sides[side];
	json_object(json, side == DIFF_BEFORE ? "before" : "after");
	json_number(json, "traces", d->sides[side]->trace_count);
	json_real(json, "calls", diff_calls(d, row, side));
	json_real(json, "total", diff_time_of(d, side, c->total));
	json_real(json, "self", diff_time_of(d, side, c->self));
	json_real(json, "call", diff_call(d, row, side));
	json_number(json, "batches", c->spread.means.count);
	json_number(json, "inexact", c->inexact);
	json_end(json);
}

static void json_row(const struct diff *d, const struct diff_row *row,
		     bool stack)
{
	static const char *const times[] = { "same",	"slower", "faster",
					     "too few", "new",	  "gone" };
	static const char *const counts[] = { "same", "more", "fewer" };
	struct json *json = &d->sides[0]->json;
	json_object(json, NULL);
	if (stack) {
		uint32_t count;
		uint32_t *path =
			path_of(d, (uint32_t)(row - d->stacks.items), &count);
		json_array(json, "stack");
		for (uint32_t i = 0; i < count; i++)
			json_string(json, NULL, name_text(d, path[i]));
		json_end(json);
		free(path);
	} else {
		json_string(json, "function", name_text(d, row->name));
		json_string(json, "place", d->places.items[row->name]);
	}
	json_bool(json, "beyond_noise", diff_is_beyond(row));
	json_string(json, "time", times[row->time]);
	json_string(json, "count", counts[row->count]);
	if (row->p >= 0)
		json_real(json, "p", row->p);
	else
		json_null(json, "p");
	json_real(json, "change", diff_change(d, row));
	for (int side = 0; side < DIFF_SIDES; side++)
		json_side(d, row, side);
	json_end_line(json);
}

static void diff_json(struct diff *d)
{
	struct xray *x = d->sides[0];
	const struct diff_rows *rows = x->stacks ? &d->stacks : &d->functions;
	uint32_t count, *order = diff_order(d, rows, &count);
	for (uint32_t i = 0; i < count && (!x->top || i < x->top); i++)
		json_row(d, &rows->items[order[i]], x->stacks);
	free(order);
}

/* ---- the command --------------------------------------------------------- */

static void set_scales(struct diff *d)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct xray *x = d->sides[side];
		uint64_t frequency = x->clocks[0].frequency;
		xray_need_one_clock(x);
		d->in_ticks |= !frequency;
		d->scales[side] = frequency ? 1e9 / (double)frequency : 1;
	}
	for (int side = 0; d->in_ticks && side < DIFF_SIDES; side++)
		d->scales[side] = 1;
}

void xray_diff(struct xray *x)
{
	struct diff d = { .sides = { x, x->after } };
	bool several = x->trace_count > 1 && x->after->trace_count > 1;
	const uint32_t root[2] = { UINT32_MAX, UINT32_MAX };
	set_scales(&d);
	d.noise = x->noise != UINT64_MAX ? (double)x->noise
		  : several		 ? DIFF_NOISE
					 : DIFF_NOISE_ONE;
	if (!x->objects[0].path || !x->after->objects[0].path)
		report_note(
			"without --instr-map functions are compared by their "
			"numbers, which other builds give to other functions");
	row_at(&d.stacks, must_intern(&d.edges, root, sizeof(root)));
	walk(&d, DIFF_BEFORE);
	walk(&d, DIFF_AFTER);
	diff_judge(&d, &d.functions);
	diff_judge(&d, &d.stacks);
	if (x->format == XRAY_PAGE)
		diff_page(&d);
	else if (x->format == XRAY_JSON)
		diff_json(&d);
	else
		diff_text(&d);
	out_flush(&x->out);
	for (int side = 0; side < DIFF_SIDES; side++)
		xray_warn_repairs(&d.repairs[side]);
	if (d.merged)
		report_note("there are more than %d different stacks: %" PRIu64
			    " calls count for the stacks of their callers",
			    DIFF_STACKS, d.merged);
	for (uint32_t i = 0; i < d.names.count; i++)
		free(d.places.items[i]);
	gsym_vec_fini(&d.places);
	free_rows(&d.functions);
	free_rows(&d.stacks);
	gsym_intern_fini(&d.names);
	gsym_intern_fini(&d.edges);
}
