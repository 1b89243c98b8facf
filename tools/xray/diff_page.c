/* SPDX-License-Identifier: MIT */
/*
 * The page of gsym-xray diff: diff.html with its lines "@NAME@" replaced.
 *
 * The data of its script is JSON.  "stacks" is a list of plain numbers, seven
 * for each stack, callers before callees: the function, an index into
 * "functions", or, negative, the number of hidden callees of a stack that it
 * stands for; the number of its callees in the list; calls before and after;
 * diff_self before and after; and what is said of it, enum diff_time + 8 * enum
 * diff_count.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/report.h"
#include "xray/flame.h"

/* ---- stacks -------------------------------------------------------------- */

/* The stacks as a tree; arrays with an element for each stack. */
struct tree {
	const struct diff *d;
	/* The time of a stack before plus that after, with all its callees. */
	double *sums;
	/* The first callee, and the next callee of the same caller; 0: none. */
	uint32_t *callees, *siblings;
	/* Stacks with smaller sums are hidden. */
	double least;
};

struct sum {
	double sum;
	uint32_t number;
};

static int by_sum(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;
	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	return x->number > y->number ? -1 : x->number < y->number;
}

/* Link the callees of each stack, those with the largest sums first, and find
 * the stacks to hide. */
static void link_callees(struct tree *t)
{
	const struct diff_rows *stacks = &t->d->stacks;
	struct sum *list = must_have(calloc(stacks->count, sizeof(*list)));
	for (uint32_t i = 0; i < stacks->count; i++)
		list[i] = (struct sum){ t->sums[i], i };
	qsort(list, stacks->count, sizeof(*list), by_sum);
	for (uint32_t i = 0; i < stacks->count; i++) {
		uint32_t number = list[i].number;
		uint32_t caller = stacks->items[number].caller;
		if (!number)
			continue;
		t->siblings[number] = t->callees[caller];
		t->callees[caller] = number;
	}
	if (stacks->count > DIFF_NODES)
		t->least = list[stacks->count - DIFF_NODES].sum;
	free(list);
}

static void tree_init(struct tree *t, const struct diff *d)
{
	uint32_t count = d->stacks.count;
	*t = (struct tree){ .d = d };
	t->sums = must_have(calloc(count, sizeof(*t->sums)));
	t->callees = must_have(calloc(count, sizeof(*t->callees)));
	t->siblings = must_have(calloc(count, sizeof(*t->siblings)));
	/* Callers have lower numbers than their callees. */
	for (uint32_t i = count; i--;) {
		const struct diff_row *row = &d->stacks.items[i];
		for (int side = 0; side < DIFF_SIDES; side++)
			t->sums[i] += diff_self(d, row, side);
		if (i)
			t->sums[row->caller] += t->sums[i];
	}
	link_callees(t);
}

static void tree_fini(struct tree *t)
{
	free(t->sums);
	free(t->callees);
	free(t->siblings);
}

/* The inclusive times and the calls of hidden callees. */
struct rest {
	uint32_t callees;
	double self[DIFF_SIDES];
	double calls[DIFF_SIDES];
};

/* Add stack TOP and all stacks below it to the times of REST. */
static void add_times(const struct tree *t, uint32_t top, struct rest *rest)
{
	const struct diff_row *rows = t->d->stacks.items;
	for (uint32_t i = top;;) {
		for (int side = 0; side < DIFF_SIDES; side++)
			rest->self[side] += diff_self(t->d, &rows[i], side);
		if (t->callees[i]) {
			i = t->callees[i];
			continue;
		}
		while (i != top && !t->siblings[i])
			i = rows[i].caller;
		if (i == top)
			return;
		i = t->siblings[i];
	}
}

/* The callees of stack CALLER that are shown; those that are hidden are added
 * to REST. */
static uint32_t split(const struct tree *t, uint32_t caller, struct rest *rest)
{
	uint32_t kept = 0;
	*rest = (struct rest){ 0 };
	for (uint32_t i = t->callees[caller]; i; i = t->siblings[i]) {
		if (t->sums[i] >= t->least) {
			kept++;
			continue;
		}
		rest->callees++;
		for (int side = 0; side < DIFF_SIDES; side++)
			rest->calls[side] +=
				diff_calls(t->d, &t->d->stacks.items[i], side);
		add_times(t, i, rest);
	}
	return kept;
}

static void put_rounded(struct json *json, double value)
{
	json_number(json, NULL, (uint64_t)llround(value));
}

static void put_rest(struct json *json, const struct rest *rest)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "-%" PRIu32, rest->callees);
	json_raw(json, text, (size_t)size);
	json_number(json, NULL, 0);
	for (int side = 0; side < DIFF_SIDES; side++)
		put_rounded(json, rest->calls[side]);
	for (int side = 0; side < DIFF_SIDES; side++)
		put_rounded(json, rest->self[side]);
	json_number(json, NULL, 0);
}

static void put_stack(const struct tree *t, struct json *json, uint32_t number,
		      uint32_t callees)
{
	const struct diff_row *row = &t->d->stacks.items[number];
	json_number(json, NULL, row->name);
	json_number(json, NULL, callees);
	for (int side = 0; side < DIFF_SIDES; side++)
		put_rounded(json, diff_calls(t->d, row, side));
	for (int side = 0; side < DIFF_SIDES; side++)
		put_rounded(json, diff_self(t->d, row, side));
	json_number(json, NULL, (uint64_t)row->time + 8u * row->count);
}

/* The first of NUMBER and its next siblings that is shown; 0: none is. */
static uint32_t shown(const struct tree *t, uint32_t number)
{
	while (number && t->sums[number] < t->least)
		number = t->siblings[number];
	return number;
}

/* Write the stacks below stack 0.  This is no recursion, because a trace
 * decides how deep its stacks are. */
static void put_stacks(const struct tree *t, struct json *json)
{
	struct rest rest;
	uint32_t i = 0, next;
	json_array(json, "stacks");
	for (;;) {
		uint32_t kept = split(t, i, &rest);
		if (i)
			put_stack(t, json, i, kept + (rest.callees > 0));
		if (rest.callees)
			put_rest(json, &rest);
		next = shown(t, t->callees[i]);
		while (!next && i) {
			next = shown(t, t->siblings[i]);
			i = t->d->stacks.items[i].caller;
		}
		if (!next)
			break;
		i = next;
	}
	json_end(json);
}

/* ---- data ---------------------------------------------------------------- */

/* Write "files", the place of each function, and "functions" as
 * tools/xray/flame_page.c has them. */
static void put_functions(const struct diff *d, struct json *json)
{
	uint32_t place = 0;
	json_array(json, "files");
	for (uint32_t i = 0; i < d->names.count; i++)
		if (*d->places.items[i])
			json_string(json, NULL, d->places.items[i]);
	json_end(json);
	json_array(json, "functions");
	for (uint32_t i = 0; i < d->names.count; i++) {
		json_array(json, NULL);
		json_string(json, NULL, gsym_intern_entry(&d->names, i)->bytes);
		if (*d->places.items[i])
			json_number(json, NULL, place++);
		else
			json_null(json, NULL);
		json_number(json, NULL, 0);
		json_number(json, NULL, 0);
		json_end(json);
	}
	json_end(json);
}

static void put_data(void *context, struct out *to)
{
	const struct diff *d = context;
	struct json json;
	struct tree t;
	json_init(&json, to);
	tree_init(&t, d);
	json_object(&json, NULL);
	json_number(&json, "frequency", d->in_ticks ? 0 : 1000000000);
	put_functions(d, &json);
	put_stacks(&t, &json);
	json_end(&json);
	tree_fini(&t);
}

/* ---- the table ----------------------------------------------------------- */

/* Write a cell with TIME, which may be negative. */
static void time_cell(struct diff *d, double time, const char *plus, bool any)
{
	struct out *out = &d->sides[0]->out;
	char text[40];
	if (!any) {
		out_text(out, "<td>\xe2\x80\x93");
		return;
	}
	xray_time_text(fabs(time), d->in_ticks, FLAME_MICRO, text,
		       sizeof(text));
	out_printf(out, "<td>%s%s", time < 0 ? "\xe2\x88\x92" : plus, text);
}

static void percent_cell(struct out *out, double before, double after, bool any)
{
	double change = before > 0 ? 100 * (after - before) / before : 0;
	if (!any || before <= 0)
		out_text(out, "<td>\xe2\x80\x93");
	else
		out_printf(out, "<td>%s%.1f %%",
			   change < 0 ? "\xe2\x88\x92" : "+", fabs(change));
}

static void put_row(struct diff *d, const struct diff_row *row)
{
	struct out *out = &d->sides[0]->out;
	bool any[DIFF_SIDES] = { row->sides[0].calls > 0,
				 row->sides[1].calls > 0 };
	double calls[DIFF_SIDES], change = diff_change(d, row);
	out_printf(out, "<tr data-f=\"%" PRIu32 "\"%s>", row->name,
		   !diff_is_beyond(row) ? ""
		   : change > 0		? " class=\"more\""
					: " class=\"less\"");
	out_text(out, "<th scope=\"row\">");
	out_html(out, gsym_intern_entry(&d->names, row->name)->bytes,
		 FLAME_NAME);
	if (*d->places.items[row->name]) {
		out_text(out, " <small>");
		out_html(out, d->places.items[row->name], 0);
		out_text(out, "</small>");
	}
	time_cell(d, change, "+", true);
	for (int side = 0; side < DIFF_SIDES; side++) {
		calls[side] = diff_call(d, row, side);
		time_cell(d, calls[side], "", any[side]);
	}
	percent_cell(out, calls[0], calls[1], any[0] && any[1]);
	for (int side = 0; side < DIFF_SIDES; side++)
		out_printf(out, "<td>%.0f", diff_calls(d, row, side));
	for (int side = 0; side < DIFF_SIDES; side++)
		time_cell(d, diff_time_of(d, side, row->sides[side].self), "",
			  any[side]);
	out_printf(out, "<td class=\"text\">%s\n", diff_verdict(row));
}

static void put_rows(struct diff *d)
{
	struct out *out = &d->sides[0]->out;
	uint32_t count, *order = diff_order(d, &d->functions, &count);
	int last = -1;
	for (uint32_t i = 0; i < count && i < DIFF_ROWS; i++) {
		const struct diff_row *row = &d->functions.items[order[i]];
		int group = diff_group(row);
		if (group != last)
			out_printf(out,
				   "<tbody><tr><th colspan=\"10\" "
				   "scope=\"rowgroup\">%s\n",
				   diff_groups[group]);
		last = group;
		put_row(d, row);
	}
	if (count > DIFF_ROWS)
		out_printf(out,
			   "<tbody><tr><td colspan=\"10\" class=\"text\">"
			   "%" PRIu32 " more functions\n",
			   count - DIFF_ROWS);
	free(order);
}

/* ---- the page ------------------------------------------------------------ */

static void put_title(struct diff *d)
{
	struct out *out = &d->sides[0]->out;
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct xray *x = d->sides[side];
		if (side)
			out_text(out, " \xe2\x86\x92 ");
		out_html(out, path_base(x->traces[0].path), 0);
		if (x->trace_count > 1)
			out_printf(out, " and %zu more", x->trace_count - 1);
	}
	out_text(out, "\n");
}

/* How much time all calls took, and how many functions changed. */
static void put_summary(struct diff *d)
{
	struct out *out = &d->sides[0]->out;
	double sums[DIFF_SIDES] = { 0 };
	uint32_t changed = 0, all = 0;
	for (uint32_t i = 0; i < d->functions.count; i++) {
		const struct diff_row *row = &d->functions.items[i];
		all += row->sides[0].calls || row->sides[1].calls;
		changed += diff_is_beyond(row) &&
			   (row->sides[0].calls || row->sides[1].calls);
		for (int side = 0; side < DIFF_SIDES; side++)
			sums[side] +=
				diff_time_of(d, side, row->sides[side].self);
	}
	for (int side = 0; side < DIFF_SIDES; side++) {
		char text[40];
		xray_time_text(sums[side], d->in_ticks, FLAME_MICRO, text,
			       sizeof(text));
		out_printf(out, "%s in calls %s, ", text,
			   side ? "after" : "before");
	}
	out_printf(out,
		   "%" PRIu32 " of %" PRIu32
		   " functions changed beyond the noise\n",
		   changed, all);
}

static void put_notes(struct diff *d)
{
	struct out *out = &d->sides[0]->out;
	if (d->stacks.count > DIFF_NODES)
		out_printf(out, "<span>Stacks of little time are drawn "
				"together.</span>\n");
	if (d->merged)
		out_printf(out,
			   "<span>There are more than %d different "
			   "stacks: %" PRIu64 " calls count for their callers."
			   "</span>\n",
			   DIFF_STACKS, d->merged);
	if (d->in_ticks)
		out_text(out, "<span>A trace does not say how long a tick "
			      "takes.</span>\n");
}

static void fill(void *context, const char *what)
{
	struct diff *d = context;
	struct out *out = &d->sides[0]->out;
	if (!strcmp(what, "@title@\n")) {
		put_title(d);
	} else if (!strcmp(what, "@summary@\n")) {
		put_summary(d);
	} else if (!strcmp(what, "@style@\n")) {
		out_lines(out, flame_page_css);
		out_lines(out, flame_diff_css);
	} else if (!strcmp(what, "@rows@\n")) {
		put_rows(d);
	} else if (!strcmp(what, "@notes@\n")) {
		put_notes(d);
	} else if (!strcmp(what, "@data@\n")) {
		flame_embed(out, put_data, d);
	} else if (!strcmp(what, "@script@\n")) {
		out_lines(out, flame_common_js);
		out_lines(out, flame_graph_js);
		out_lines(out, flame_diff_js);
	}
}

void diff_page(struct diff *d)
{
	flame_template(&d->sides[0]->out, flame_diff_html, fill, d);
}
