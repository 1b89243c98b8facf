/* SPDX-License-Identifier: MIT */
/*
 * gsym-xray diff: functions and stacks of two builds, compared by name.  This
 * file walks over the traces, judges which changes are beyond the noise, and
 * writes the table and its lines of JSON.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/names.h"
#include "common/report.h"
#include "xray/xray.h"

/* ---- batches ------------------------------------------------------------- */

/* Add a call that took TICKS. */
static void spread_add(struct spread *s, uint64_t ticks)
{
	s->sum += ticks;
	s->calls++;
	s->part += ticks;
	s->part_calls++;
	if (!s->size)
		s->size = 1;
	if (s->part_calls < s->size)
		return;
	if (s->sums.count == SPREAD_BATCHES) {
		uint64_t *sums = s->sums.items;
		s->sums.count /= 2;
		for (size_t i = 0; i < s->sums.count; i++)
			sums[i] = sums[2 * i] + sums[2 * i + 1];
		/* PART is half a batch now. */
		s->size *= 2;
		return;
	}
	*must_push(&s->sums) = s->part;
	s->part = s->part_calls = 0;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return GSYM_ORDER(*x, *y);
}

/* The median of the COUNT (not 0) numbers at V, which are sorted. */
static double median(double *v, size_t count)
{
	qsort(v, count, sizeof(*v), ascending);
	return (v[(count - 1) / 2] + v[count / 2]) / 2;
}

/* All calls of a trace have been added; those of another may follow. */
static void spread_end_run(struct spread *s)
{
	size_t batches = s->sums.count;
	double middle;
	if (!batches)
		return;
	for (size_t i = 0; i < batches; i++)
		*must_push(&s->means) =
			(double)s->sums.items[i] / (double)s->size;
	middle = median(s->means.items + s->means.count - batches, batches);
	if (!s->runs || middle < s->low)
		s->low = middle;
	if (!s->runs || middle > s->high)
		s->high = middle;
	s->runs++;
	s->sums.count = 0;
	s->size = s->part = s->part_calls = 0;
}

/* The typical time of a call, in ticks: the median of the mean times of the
 * batches; with fewer than SPREAD_FEWEST batches the mean time of all calls.
 * 0 without calls.  Calls that were interrupted for long move a mean time, and
 * hardly this. */
static double spread_middle(const struct spread *s)
{
	double *copy, middle;
	if (!s->calls)
		return 0;
	if (s->means.count < SPREAD_FEWEST)
		return (double)s->sum / (double)s->calls;
	copy = must_have(malloc(s->means.count * sizeof(*copy)));
	memcpy(copy, s->means.items, s->means.count * sizeof(*copy));
	middle = median(copy, s->means.count);
	free(copy);
	return middle;
}

/* ---- the test ------------------------------------------------------------ */

/* The mean time of a batch, and its side. */
struct ranked {
	double mean;
	bool second;
};

static int by_mean(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return ascending(&x->mean, &y->mean);
}

static void rank_means(const struct spread *s, double scale, bool second,
		       struct ranked *to)
{
	for (size_t i = 0; i < s->means.count; i++)
		to[i] = (struct ranked){ s->means.items[i] * scale, second };
}

/* Compare A and B, whose ticks are multiplied by SCALE_A and SCALE_B, by the
 * rank-sum test of Mann and Whitney.  Returns the probability of a difference
 * as large as theirs between batches of one distribution, or -1 if one of them
 * has fewer than SPREAD_FEWEST batches. */
static double spread_compare(const struct spread *a, double scale_a,
			     const struct spread *b, double scale_b)
{
	double ranks = 0, ties = 0, n, expected, variance, away;
	size_t first = a->means.count, second = b->means.count;
	size_t count = first + second, same;
	struct ranked *all;
	if (first < SPREAD_FEWEST || second < SPREAD_FEWEST)
		return -1;
	all = must_have(calloc(count, sizeof(*all)));
	rank_means(a, scale_a, false, all);
	rank_means(b, scale_b, true, all + first);
	qsort(all, count, sizeof(*all), by_mean);
	/* The sum of the ranks of A's batches; equal ones share their ranks. */
	for (size_t i = 0; i < count; i += same) {
		for (same = 1; i + same < count; same++)
			if (all[i + same].mean > all[i].mean)
				break;
		for (size_t k = i; k < i + same; k++)
			if (!all[k].second)
				ranks += (double)i + ((double)same + 1) / 2;
		ties += (double)same * (double)same * (double)same -
			(double)same;
	}
	free(all);
	n = (double)count;
	expected = (double)first * (n + 1) / 2;
	variance = (double)first * (double)second / 12 *
		   (n + 1 - ties / (n * (n - 1)));
	/* All batches have one mean time. */
	if (variance <= 0)
		return 1;
	away = fabs(ranks - expected) - 0.5;
	return away <= 0 ? 1 : erfc(away / sqrt(2 * variance));
}

/* The largest probability, of the COUNT at P, that counts as a difference so
 * that among the differences found at most the part RATE is expected to be
 * found by chance (Benjamini and Hochberg); negative if none does.  Sorts
 * P. */
static double spread_limit(double *p, size_t count, double rate)
{
	if (count)
		qsort(p, count, sizeof(*p), ascending);
	for (size_t i = count; i; i--)
		if (p[i - 1] <= rate * (double)i / (double)count)
			return p[i - 1];
	return -1;
}

/* ---- judging ------------------------------------------------------------- */

/* Of the changes that are found, the part that chance alone may have made. */
#define FALSE_RATE 0.01
/* Numbers of calls differ if their difference is more than this many times that
 * expected of calls that come at random. */
#define COUNT_SIGMA 3.3

/* The headings of groups, by enum diff_group. */
static const char *const groups[] = { "beyond the noise", "within the noise",
				      "too few calls to tell" };

/* "slower, more calls": what is said of ROW. */
static const char *verdict(const struct diff_row *row)
{
	static const char *const texts[][3] = {
		[DIFF_TIME_SAME] = { "as before", "more calls", "fewer calls" },
		[DIFF_TIME_SLOWER] = { "slower", "slower, more calls",
				       "slower, fewer calls" },
		[DIFF_TIME_FASTER] = { "faster", "faster, more calls",
				       "faster, fewer calls" },
		[DIFF_TIME_FEW] = { "too few", "more calls", "fewer calls" },
		[DIFF_TIME_NEW] = { "new", "new", "new" },
		[DIFF_TIME_GONE] = { "gone", "gone", "gone" },
	};
	return texts[row->time][row->count];
}

/* Whether AFTER differs from BEFORE by at least PERCENT. */
static bool differs(double before, double after, double percent)
{
	return fabs(after - before) >= before * percent / 100;
}

/* Fill what is said of the calls of ROW on both sides. */
static void add_means(const struct diff *d, struct diff_row *row)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct diff_calls *c = &row->sides[side];
		double ticks = spread_middle(&c->spread);
		/* All calls are inexact. */
		if (c->calls && c->calls == c->inexact)
			ticks = (double)c->self / (double)c->calls;
		c->mean_calls = (double)c->calls /
				(double)d->sides[side]->trace_count;
		c->call = ticks * d->scales[side];
		c->mean_self = c->mean_calls * c->call;
	}
	row->change = row->sides[DIFF_AFTER].mean_self -
		      row->sides[DIFF_BEFORE].mean_self;
	row->p = spread_compare(&row->sides[DIFF_BEFORE].spread,
				d->scales[DIFF_BEFORE],
				&row->sides[DIFF_AFTER].spread,
				d->scales[DIFF_AFTER]);
}

/* Judge the numbers of calls of ROW. */
static void judge_count(const struct diff *d, struct diff_row *row)
{
	double a = row->sides[DIFF_BEFORE].mean_calls;
	double b = row->sides[DIFF_AFTER].mean_calls;
	double variance = a / (double)d->sides[DIFF_BEFORE]->trace_count +
			  b / (double)d->sides[DIFF_AFTER]->trace_count;
	if (differs(a, b, d->noise) &&
	    fabs(a - b) > COUNT_SIGMA * sqrt(variance))
		row->count = b > a ? DIFF_COUNT_MORE : DIFF_COUNT_FEWER;
}

/* Judge the time of the calls of ROW. LIMIT is the largest p of a difference.
 * Traces of one side that differ as much show that the change is noise. */
static void judge_time(const struct diff *d, struct diff_row *row, double limit)
{
	const struct diff_calls *a = &row->sides[DIFF_BEFORE];
	const struct diff_calls *b = &row->sides[DIFF_AFTER];
	double change = fabs(b->call - a->call);
	if (!a->calls || !b->calls)
		row->time = a->calls ? DIFF_TIME_GONE : DIFF_TIME_NEW;
	else if (row->p < 0)
		row->time = DIFF_TIME_FEW;
	else if (row->p <= limit && differs(a->call, b->call, d->noise) &&
		 change >= (a->spread.high - a->spread.low) *
				   d->scales[DIFF_BEFORE] &&
		 change >= (b->spread.high - b->spread.low) *
				   d->scales[DIFF_AFTER])
		row->time = b->call > a->call ? DIFF_TIME_SLOWER
					      : DIFF_TIME_FASTER;
}

static int by_change(const void *a, const void *b)
{
	const struct diff_row *x = *(const struct diff_row *const *)a;
	const struct diff_row *y = *(const struct diff_row *const *)b;
	return GSYM_ORDER(x->group, y->group) ?:
	       GSYM_ORDER(fabs(y->change), fabs(x->change)) ?:
	       GSYM_ORDER(x, y);
}

/* Make the order of ROWS. */
static void sort_rows(struct diff_rows *rows)
{
	rows->order = must_have(calloc(rows->count + 1, sizeof(*rows->order)));
	for (uint32_t i = 0; i < rows->count; i++)
		if (rows->items[i].sides[0].calls ||
		    rows->items[i].sides[1].calls)
			rows->order[rows->ordered++] = &rows->items[i];
	qsort(rows->order, rows->ordered, sizeof(*rows->order), by_change);
}

/* Judge all ROWS.  The more rows are tested, the surer a difference must be. */
static void judge(const struct diff *d, struct diff_rows *rows)
{
	double *p = must_have(calloc((size_t)rows->count + 1, sizeof(*p))),
	       limit;
	size_t tested = 0;
	for (uint32_t i = 0; i < rows->count; i++) {
		struct diff_row *row = &rows->items[i];
		add_means(d, row);
		if (row->p >= 0)
			p[tested++] = row->p;
	}
	limit = spread_limit(p, tested, FALSE_RATE);
	free(p);
	for (uint32_t i = 0; i < rows->count; i++) {
		struct diff_row *row = &rows->items[i];
		judge_count(d, row);
		judge_time(d, row, limit);
		row->group = row->count != DIFF_COUNT_SAME  ? DIFF_BEYOND
			     : row->time == DIFF_TIME_SAME ? DIFF_WITHIN
			     : row->time == DIFF_TIME_FEW  ? DIFF_FEW
							   : DIFF_BEYOND;
		row->verdict = verdict(row);
		row->heading = groups[row->group];
	}
	sort_rows(rows);
}

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
		for (int side = 0; side < DIFF_SIDES; side++) {
			struct spread *s = &rows->items[i].sides[side].spread;
			gsym_vec_fini(&s->sums);
			gsym_vec_fini(&s->means);
		}
	free(rows->order);
	gsym_vec_fini(rows);
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
	if (caller_mark & MERGED)
		return caller_mark;
	/* Number 0 is the caller of outermost functions. */
	number = must_intern_within(&d->edges, DIFF_STACKS + 1, edge,
				    sizeof(edge));
	if (number > DIFF_STACKS)
		return caller_mark | MERGED;
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
		spread_add(&to->spread, self);
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

/* End the trace that P has read. */
static void end_trace(const struct pass *p)
{
	const struct diff_rows *functions = &p->d->functions;
	const struct diff_rows *stacks = &p->d->stacks;
	for (uint32_t i = 0; i < functions->count; i++)
		spread_end_run(&functions->items[i].sides[p->side].spread);
	for (uint32_t i = 0; i < stacks->count; i++)
		spread_end_run(&stacks->items[i].sides[p->side].spread);
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
	const struct xray_replay r = { .enter = enter, .leave = leave,
				       .thread = begin_thread, .context = &p };
	d->repairs[side] =
		xray_replay(d->sides[side],
			    side == DIFF_BEFORE ? "reading calls before"
						: "reading calls after", &r);
	end_trace(&p);
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

/* The number of ROWS that are shown. */
static uint64_t shown(const struct xray *x, const struct diff_rows *rows)
{
	return x->top && x->top < rows->ordered ? x->top : rows->ordered;
}

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
	const struct diff_calls *c = row->sides;
	char text[TIME_TEXT];
	for (int side = 0; side < DIFF_SIDES; side++)
		out_printf(out, " %10s",
			   c[side].calls ? show(d, c[side].call, "", text)
					 : "-");
	if (c[0].calls && c[1].calls && c[0].call > 0)
		out_printf(out, " %+7.1f%%",
			   100 * (c[1].call - c[0].call) / c[0].call);
	else
		out_printf(out, " %8s", "-");
}

static void put_row(const struct diff *d, const struct diff_row *row)
{
	struct out *out = &d->sides[0]->out;
	char text[TIME_TEXT];
	out_printf(out, "%10s", show(d, row->change, "+", text));
	put_call(d, row);
	for (int side = 0; side < DIFF_SIDES; side++)
		out_printf(out, " %9.0f", row->sides[side].mean_calls);
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct diff_calls *c = &row->sides[side];
		double self = diff_time_of(d, side, c->self);
		out_printf(out, " %10s",
			   c->calls ? show(d, self, "", text) : "-");
	}
	out_printf(out, "  %-19s  ", row->verdict);
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
	uint64_t counts[3] = { 0 };
	int last = -1;
	put_heading(d);
	for (uint32_t i = 0; i < rows->ordered; i++)
		counts[rows->order[i]->group]++;
	if (!counts[0])
		out_text(&x->out, "\nnothing is beyond the noise\n");
	for (uint32_t i = 0; i < shown(x, rows); i++) {
		const struct diff_row *row = rows->order[i];
		if ((int)row->group != last)
			out_printf(&x->out, "\n%s: %" PRIu64 "\n", row->heading,
				   counts[row->group]);
		last = row->group;
		put_row(d, row);
	}
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_side(const struct diff *d, const struct diff_row *row,
		      int side)
{
	struct json *json = &d->sides[0]->json;
	const struct diff_calls *c = &row->sides[side];
	json_object(json, side == DIFF_BEFORE ? "before" : "after");
	json_number(json, "traces", d->sides[side]->trace_count);
	json_real(json, "calls", c->mean_calls);
	json_real(json, "total", diff_time_of(d, side, c->total));
	json_real(json, "self", diff_time_of(d, side, c->self));
	json_real(json, "call", c->call);
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
	json_bool(json, "beyond_noise", row->group == DIFF_BEYOND);
	json_string(json, "time", times[row->time]);
	json_string(json, "count", counts[row->count]);
	if (row->p >= 0)
		json_real(json, "p", row->p);
	else
		json_null(json, "p");
	json_real(json, "change", row->change);
	for (int side = 0; side < DIFF_SIDES; side++)
		json_side(d, row, side);
	json_end_line(json);
}

static void diff_json(struct diff *d)
{
	struct xray *x = d->sides[0];
	const struct diff_rows *rows = x->stacks ? &d->stacks : &d->functions;
	for (uint32_t i = 0; i < shown(x, rows); i++)
		json_row(d, rows->order[i], x->stacks);
}

/* ---- the command --------------------------------------------------------- */

static void set_scales(struct diff *d)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct xray *x = d->sides[side];
		uint64_t frequency = xray_frequency(x);
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
	d.noise = several ? DIFF_NOISE : DIFF_NOISE_ONE;
	if (x->noise != UINT64_MAX)
		d.noise = (double)x->noise;
	if (!x->objects[0].path || !x->after->objects[0].path)
		report_note(
			"without --instr-map functions are compared by their "
			"numbers, which other builds give to other functions");
	row_at(&d.stacks, must_intern(&d.edges, root, sizeof(root)));
	walk(&d, DIFF_BEFORE);
	walk(&d, DIFF_AFTER);
	judge(&d, &d.functions);
	judge(&d, &d.stacks);
	if (x->format == XRAY_PAGE)
		diff_page(&d);
	else if (x->format == XRAY_JSON)
		diff_json(&d);
	else
		diff_text(&d);
	for (int side = 0; side < DIFF_SIDES; side++)
		xray_warn_repairs(x, &d.repairs[side]);
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
