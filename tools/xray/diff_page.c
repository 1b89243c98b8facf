/* SPDX-License-Identifier: MIT */
/*
 * The page of gsym-xray diff: diff.html with its lines "@NAME@" replaced.
 *
 * The data of its script is JSON.  "stacks" is a list of plain numbers, seven
 * for each stack, callers before callees: the function, an index into
 * "functions", or, negative, the number of hidden callees of a stack that it
 * stands for; the number of its callees in the list; calls before and after;
 * the self time of all calls (mean_self) before and after; and what is said of
 * it, enum diff_time + 8 * enum diff_count.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/report.h"
#include "xray/xray.h"

/* ---- stacks -------------------------------------------------------------- */

/* A stack in the tree of stacks. */
struct node {
	/* Its time before plus that after, with all its callees. */
	double sum;
	uint32_t number;
	/* The first callee, and the next callee of the same caller; 0: none. */
	uint32_t callee, sibling;
};

/* The stacks as a tree. */
struct tree {
	const struct diff *d;
	/* By number. */
	struct node *nodes;
	/* Stacks with smaller sums are hidden. */
	double least;
};

static int by_sum(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	return GSYM_ORDER(x->sum, y->sum) ?: GSYM_ORDER(y->number, x->number);
}

/* Link the callees of each stack, those with the largest sums first, and find
 * the stacks to hide. */
static void link_callees(struct tree *t)
{
	const struct diff_rows *stacks = &t->d->stacks;
	struct node *list = must_have(calloc(stacks->count, sizeof(*list)));
	memcpy(list, t->nodes, stacks->count * sizeof(*list));
	qsort(list, stacks->count, sizeof(*list), by_sum);
	for (uint32_t i = 0; i < stacks->count; i++) {
		uint32_t number = list[i].number;
		struct node *caller = &t->nodes[stacks->items[number].caller];
		if (!number)
			continue;
		t->nodes[number].sibling = caller->callee;
		caller->callee = number;
	}
	if (stacks->count > DIFF_NODES)
		t->least = list[stacks->count - DIFF_NODES].sum;
	free(list);
}

static void tree_init(struct tree *t, const struct diff *d)
{
	uint32_t count = d->stacks.count;
	*t = (struct tree){ .d = d };
	t->nodes = must_have(calloc(count, sizeof(*t->nodes)));
	/* Callers have lower numbers than their callees. */
	for (uint32_t i = count; i--;) {
		const struct diff_row *row = &d->stacks.items[i];
		struct node *n = &t->nodes[i], *caller = &t->nodes[row->caller];
		n->number = i;
		for (int side = 0; side < DIFF_SIDES; side++)
			n->sum += row->sides[side].mean_self;
		if (i)
			caller->sum += n->sum;
	}
	link_callees(t);
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
			rest->self[side] += rows[i].sides[side].mean_self;
		if (t->nodes[i].callee) {
			i = t->nodes[i].callee;
			continue;
		}
		while (i != top && !t->nodes[i].sibling)
			i = rows[i].caller;
		if (i == top)
			return;
		i = t->nodes[i].sibling;
	}
}

/* The callees of stack CALLER that are shown; those that are hidden are added
 * to REST. */
static uint32_t split(const struct tree *t, uint32_t caller, struct rest *rest)
{
	uint32_t kept = 0;
	*rest = (struct rest){ 0 };
	for (uint32_t i = t->nodes[caller].callee; i; i = t->nodes[i].sibling) {
		if (t->nodes[i].sum >= t->least) {
			kept++;
			continue;
		}
		rest->callees++;
		for (int side = 0; side < DIFF_SIDES; side++)
			rest->calls[side] +=
				t->d->stacks.items[i].sides[side].mean_calls;
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
		put_rounded(json, row->sides[side].mean_calls);
	for (int side = 0; side < DIFF_SIDES; side++)
		put_rounded(json, row->sides[side].mean_self);
	json_number(json, NULL, (uint64_t)row->time + 8u * row->count);
}

/* The first of NUMBER and its next siblings that is shown; 0: none is. */
static uint32_t shown(const struct tree *t, uint32_t number)
{
	while (number && t->nodes[number].sum < t->least)
		number = t->nodes[number].sibling;
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
		next = shown(t, t->nodes[i].callee);
		while (!next && i) {
			next = shown(t, t->nodes[i].sibling);
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
	free(t.nodes);
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
	const struct diff_calls *c = row->sides;
	out_printf(out, "<tr data-f=\"%" PRIu32 "\"%s>", row->name,
		   row->group != DIFF_BEYOND ? ""
		   : row->change > 0	     ? " class=\"more\""
					     : " class=\"less\"");
	out_text(out, "<th scope=\"row\">");
	out_html(out, gsym_intern_entry(&d->names, row->name)->bytes,
		 FLAME_NAME);
	if (*d->places.items[row->name]) {
		out_text(out, " <small>");
		out_html(out, d->places.items[row->name], 0);
		out_text(out, "</small>");
	}
	time_cell(d, row->change, "+", true);
	for (int side = 0; side < DIFF_SIDES; side++)
		time_cell(d, c[side].call, "", c[side].calls);
	percent_cell(out, c[0].call, c[1].call, c[0].calls && c[1].calls);
	for (int side = 0; side < DIFF_SIDES; side++)
		out_printf(out, "<td>%.0f", c[side].mean_calls);
	for (int side = 0; side < DIFF_SIDES; side++)
		time_cell(d, diff_time_of(d, side, c[side].self), "",
			  c[side].calls);
	out_printf(out, "<td class=\"text\">%s\n", row->verdict);
}

static void put_rows(struct diff *d)
{
	struct out *out = &d->sides[0]->out;
	uint32_t count = d->functions.ordered;
	int last = -1;
	for (uint32_t i = 0; i < count && i < DIFF_ROWS; i++) {
		const struct diff_row *row = d->functions.order[i];
		if ((int)row->group != last)
			out_printf(out,
				   "<tbody><tr><th colspan=\"10\" "
				   "scope=\"rowgroup\">%s\n",
				   row->heading);
		last = row->group;
		put_row(d, row);
	}
	if (count > DIFF_ROWS)
		out_printf(out,
			   "<tbody><tr><td colspan=\"10\" class=\"text\">"
			   "%" PRIu32 " more functions\n",
			   count - DIFF_ROWS);
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
		bool any = row->sides[0].calls || row->sides[1].calls;
		all += any;
		changed += any && row->group == DIFF_BEYOND;
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
	} else if (!strcmp(what, "@rows@\n")) {
		put_rows(d);
	} else if (!strcmp(what, "@notes@\n")) {
		put_notes(d);
	} else if (!strcmp(what, "@data@\n")) {
		flame_embed(out, put_data, d);
	}
}

void diff_page(struct diff *d)
{
	flame_template(&d->sides[0]->out, "@diff.html@\n", fill, d);
}
