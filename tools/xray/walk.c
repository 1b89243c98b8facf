/* SPDX-License-Identifier: MIT */
/* Walks of gsym-xray over threads, events and calls. */
#include "config.h"

#include <inttypes.h>

#include "common/progress.h"
#include "common/report.h"
#include "xray/xray.h"

/* ---- progress ------------------------------------------------------------ */

void xray_walk_start(struct xray *x, const char *what)
{
	struct xray_walk w = { .x = x };
	x->done = x->total = 0;
	while (xray_walk_thread(&w))
		x->total += w.thread.events;
	progress_start(what, x->quiet);
}

void xray_walk_show(struct xray *x, size_t trace, uint64_t offset)
{
	progress_update(x->done, x->total);
	xray_drop_pages(&x->traces[trace], offset);
}

void xray_walk_end(void)
{
	progress_end();
}

/* ---- threads and events -------------------------------------------------- */

bool xray_walk_thread(struct xray_walk *w)
{
	const struct xray *x = w->x;
	while (w->trace < x->trace_count &&
	       w->next == gsym_xray_thread_count(x->logs[w->trace])) {
		w->trace++;
		w->next = 0;
	}
	if (w->trace == x->trace_count)
		return false;
	gsym_xray_thread_at(x->logs[w->trace], w->next++, &w->thread);
	return true;
}

size_t xray_thread_count(const struct xray *x)
{
	size_t count = 0;
	for (size_t i = 0; i < x->trace_count; i++)
		count += gsym_xray_thread_count(x->logs[i]);
	return count;
}

void xray_walk_open(struct xray_walk *w)
{
	if (gsym_xray_events(w->x->logs[w->trace], w->next - 1, &w->iter,
			     NULL) != GSYM_OK)
		die("out of memory");
}

void xray_walk_close(struct xray_walk *w)
{
	gsym_xray_iter_free(w->iter);
	w->iter = NULL;
}

/* ---- calls --------------------------------------------------------------- */

void xray_replay(struct xray *x, struct gsym_xray_stack *stack,
		 void (*thread)(void *context,
				const struct gsym_xray_thread *thread),
		 void *context)
{
	struct xray_walk w = { .x = x };
	xray_walk_start(x, "reading calls");
	while (xray_walk_thread(&w)) {
		if (thread)
			thread(context, &w.thread);
		while (xray_walk_event(&w))
			xray_take_event(stack, &w.event);
		xray_end_thread(stack);
	}
	xray_walk_end();
}

void xray_end_thread(struct gsym_xray_stack *stack)
{
	if (gsym_xray_stack_end(stack) != GSYM_OK)
		die("out of memory");
}

void xray_warn_repairs(const struct xray *x, const struct gsym_xray_repairs *r)
{
	if (x->quiet)
		return;
	if (r->orphans | r->inferred | r->unfinished)
		warn("exits without entry: %" PRIu64
		     ", exits inferred: %" PRIu64
		     ", calls unfinished: %" PRIu64,
		     r->orphans, r->inferred, r->unfinished);
	if (r->backwards)
		warn("calls that end before they begin, taken as 0 long: %"
		     PRIu64, r->backwards);
}

void xray_end_calls(struct xray *x, struct gsym_xray_stack *stack)
{
	struct gsym_xray_repairs repairs;
	out_flush(&x->out);
	gsym_xray_stack_repairs(stack, &repairs);
	xray_warn_repairs(x, &repairs);
	gsym_xray_stack_free(stack);
}

void xray_check_calls(struct xray *x)
{
	if (x->quiet)
		return;
	struct gsym_xray_stack *stack = gsym_xray_stack_new(NULL, NULL, NULL);
	if (!stack)
		die("out of memory");
	xray_replay(x, stack, NULL, NULL);
	xray_end_calls(x, stack);
}
