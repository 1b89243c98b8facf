/* SPDX-License-Identifier: MIT */
/*
 * gsym-xray diff: functions and stacks of two builds, compared by name.  This
 * file walks over the traces; diff_judge.c judges the changes.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/must.h"
#include "common/report.h"
#include "xray/diff.h"

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

/* The length of NAME without what compilers append to the names of copies of a
 * function, which differ from build to build: " [clone .isra.0]",
 * ".constprop.0", ".llvm.1234". */
static size_t stem(const char *name)
{
	static const char *const marks[] = { ".isra.", ".constprop.",
					     ".part.", ".llvm.",
					     ".cold",  ".lto_priv." };
	const char *end = strstr(name, " [clone ");
	size_t length = end ? (size_t)(end - name) : strlen(name);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(name, marks[i]);
		if (at && at != name && (size_t)(at - name) < length)
			length = (size_t)(at - name);
	}
	return length;
}

/* A pass over the traces of a side. */
struct pass {
	struct diff *d;
	int side;
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
	char buffer[64];
	const char *name;
	if (number < known)
		return p->names.items[number];
	name = xray_name(d->sides[p->side], function, buffer, sizeof(buffer),
			 &place);
	known = d->names.count;
	number = must_intern(&d->names, name, stem(name));
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

static void end_run(struct diff_rows *rows, int side)
{
	for (uint32_t i = 0; i < rows->count; i++)
		diff_spread_end_run(&rows->items[i].sides[side].spread);
}

/* Walk over the events of SIDE, trace by trace. */
static void walk(struct diff *d, int side)
{
	struct xray *x = d->sides[side];
	struct pass p = { .d = d, .side = side };
	struct gsym_xray_stack *stack =
		must_have(gsym_xray_stack_new(enter, leave, &p));
	struct xray_walk w = { .x = x };
	size_t trace = 0;
	xray_walk_start(x, side == DIFF_BEFORE ? "reading calls before"
					       : "reading calls after");
	while (xray_walk_thread(&w)) {
		if (w.trace != trace) {
			end_run(&d->functions, side);
			end_run(&d->stacks, side);
			trace = w.trace;
		}
		while (xray_walk_event(&w))
			xray_take_event(stack, &w.event);
		xray_end_thread(stack);
	}
	xray_walk_end();
	end_run(&d->functions, side);
	end_run(&d->stacks, side);
	gsym_xray_stack_repairs(stack, &d->repairs[side]);
	gsym_xray_stack_free(stack);
	gsym_intern_fini(&p.functions);
	gsym_vec_fini(&p.names);
}

/* ---- the command --------------------------------------------------------- */

static void set_scales(struct diff *d)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct xray *x = d->sides[side];
		uint64_t frequency = xray_frequency(x, x->logs[0]);
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
