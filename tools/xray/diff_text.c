/* SPDX-License-Identifier: MIT */
/* The table of gsym-xray diff, and its lines of JSON. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/must.h"
#include "common/report.h"
#include "xray/diff.h"

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

static const char *name_of(const struct diff *d, uint32_t name)
{
	return d->names.entries[name].bytes;
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

static void put_name(const struct diff *d, uint32_t name)
{
	struct xray *x = d->sides[0];
	char *brief;
	if (!x->short_names) {
		out_foreign(&x->out, name_of(d, name));
		return;
	}
	brief = xray_short_name(name_of(d, name));
	out_foreign(&x->out, brief);
	free(brief);
}

/* Write the name of ROW, or the names of its stack. */
static void put_names(const struct diff *d, const struct diff_row *row)
{
	uint32_t count, *path;
	struct xray *x = d->sides[0];
	if (!x->stacks) {
		put_name(d, row->name);
		if (*d->places.items[row->name]) {
			out_text(&x->out, " at ");
			out_foreign(&x->out, d->places.items[row->name]);
		}
		return;
	}
	path = path_of(d, (uint32_t)(row - d->stacks.items), &count);
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			out_text(&x->out, ";");
		put_name(d, path[i]);
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

void diff_text(struct diff *d)
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
	json_number(json, "batches", c->spread.count);
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
			json_string(json, NULL, name_of(d, path[i]));
		json_end(json);
		free(path);
	} else {
		json_string(json, "function", name_of(d, row->name));
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
	json_end(json);
	json_line(json);
}

void diff_json(struct diff *d)
{
	struct xray *x = d->sides[0];
	const struct diff_rows *rows = x->stacks ? &d->stacks : &d->functions;
	uint32_t count, *order = diff_order(d, rows, &count);
	for (uint32_t i = 0; i < count && (!x->top || i < x->top); i++)
		json_row(d, &rows->items[order[i]], x->stacks);
	free(order);
}
