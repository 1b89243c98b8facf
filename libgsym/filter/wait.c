/* SPDX-License-Identifier: MIT */
/* The waits of processes: what frames need of later lines, and the lines that
 * are taken until one has it. */
#include "config.h"

#include "filter/queue.h"
#include "stacks/judge.h"

/* ---- what frames need ------------------------------------------------- */

/* Apply the facts of the line at hand that W needs; false if there are none. */
static bool learn(struct queue *q, const struct mk_wait *w)
{
	const struct mk_reading *reading = &q->line->reading;
	bool any = false;

	for (size_t i = 0; i < reading->count; i++) {
		const struct mk_log_item *item = &reading->items[i];

		if (item->is_frame || item->fact.dialect != w->dialect ||
		    item->fact.kind != w->dialect->wait.fact)
			continue;
		gsym_stacks_apply(q->judge, &item->fact);
		any = true;
	}
	return any;
}

/* Ask the host for the kernel of the line at hand, whose report begins with
 * FRAME.  Returns whether nothing tells which kernel it is. */
static bool ask_unknown_kernel(struct queue *q, const struct logs_frame *frame)
{
	const struct stacks_state *s = stacks_state(q->judge);

	return s && frame->begins && !frame->build_id.size &&
	       !s->release_size && !gsym_stacks_ask_kernel(q->judge);
}

/* Whether no map tells what lies in the memory of the process. */
static bool is_memory_unknown(struct queue *q)
{
	const struct stacks_state *s = stacks_state(q->judge);

	return s && !s->memory.mapping_count &&
	       !q->line->process->context.mapping_count;
}

/* Whether no later line can tell more about the build of KERNEL, which
 * gsym_stacks_ask_kernel returned: it has no symbols, or those that the log
 * says. */
static bool is_decided(const struct stacks_module *kernel)
{
	return !kernel || kernel->found.certain;
}

/* Whether frames of W are compared with their symbols when they come.  Those
 * that wait for a list are when the list is complete. */
static bool compares_early(const struct mk_wait *w)
{
	return w->reason != MK_FOR_LIST;
}

/* Whether FRAME needs the map of memory, which is not known. */
static bool needs_map(struct queue *q, const struct logs_frame *frame)
{
	return frame->counts_from == LOGS_MEMORY &&
	       frame->dialect->wait.fact == LOGS_MAP && is_memory_unknown(q);
}

/* Compare the frames of the line at hand, which W has taken, with symbols that
 * may be of another build; false if there are no such frames.  A frame that
 * needs the map of memory makes W wait for that. */
static bool compare(struct queue *q, struct mk_wait *w)
{
	const struct mk_reading *reading = &q->line->reading;
	const struct logs_dialect *d = w->dialect;
	bool any = false;

	q->judge->dead_left = STACKS_DEAD;
	for (size_t i = 0; i < reading->count; i++) {
		struct logs_frame frame;

		/* A kernel's build shows in frames of the kernel; in stacks of
		 * programs frames of several forms may follow each other. */
		if (!reading->items[i].is_frame ||
		    (d->sized && reading->items[i].frame.dialect != d))
			continue;
		frame = reading->items[i].frame;
		any |= !frame.dialect->sized;
		if (w->reason == MK_FOR_BUILD && needs_map(q, &frame)) {
			w->reason = MK_FOR_LIST;
			w->dialect = frame.dialect;
		}
		if (frame.dialect->sized)
			gsym_stacks_compare_size(q->judge, &frame);
		else
			gsym_stacks_compare(q->judge, &frame);
	}
	return any;
}

/* ---- waits end -------------------------------------------------------- */

/* Keep the report in JSON whose lines W has taken, from the head on, in one
 * piece. */
static bool collect_report(struct queue *q, struct mk_wait *w)
{
	for (const struct filter_record *r = filter_queue_head(q);
	     r && r->taken; r = gsym_filter_queue_at(q, r->next))
		if (!mk_append(q->judge->host->out, &w->report, r->at, r->size))
			return false;
	return true;
}

const struct logs_dialect *gsym_filter_waited_report(struct queue *q,
						     struct logs_text *report)
{
	const struct mk_wait *w = &q->line->process->wait;

	if (!q->at_head || !w->json || w->state != MK_WAIT_OVER)
		return NULL;
	*report = mk_all(&w->report);
	q->line->at = w->report.items + w->dequeued;
	return w->dialect;
}

/* The wait of the line at hand, the first that it took, is over: all that its
 * frames may wait for is known. */
static void finish(struct queue *q, struct mk_wait *w)
{
	const struct logs_dialect *d = w->dialect;
	const struct filter_record *r = filter_queue_head(q);

	w->state = MK_WAIT_OVER;
	gsym_filter_queue_set_line(q, r);
	if (w->json) {
		/* Without memory the lines are those of no report. */
		w->json = collect_report(q, w) && w->report.count;
		if (w->json)
			gsym_stacks_report_modules(q->judge, d,
						   mk_all(&w->report));
		return;
	}
	if (!d->sized && (compares_early(w) || !d->wait.list))
		return;
	/* The frames were compared when they came.  Since then the release may
	 * have led to other symbols, or the map to the modules of the
	 * frames. */
	if (stacks_state(q->judge))
		gsym_stacks_compare_again(stacks_state(q->judge));
	for (; r && r->taken && stacks_state(q->judge);
	     r = gsym_filter_queue_at(q, r->next)) {
		gsym_filter_queue_set_line(q, r);
		compare(q, w);
		gsym_stacks_tidy(q->line->process->log);
	}
}

static bool is_open(const struct mk_wait *w)
{
	return w->state == MK_WAIT_OPEN || w->state == MK_WAIT_PART;
}

/* ---- waits take lines ------------------------------------------------- */

/* Whether the line at hand ends the modules of a report in JSON.  *OTHER: the
 * line is not in the report. */
static bool ends_modules(const struct queue *q, struct mk_wait *w, bool *other)
{
	const char *at = q->line->at;
	unsigned part = w->dialect->report->part(at, at + q->line->size);

	*other = part & LOGS_NO_PART;
	if (part & LOGS_LIST_BEGINS)
		w->state = MK_WAIT_PART;
	return w->state == MK_WAIT_PART && part & LOGS_LIST_ENDS;
}

/* Whether the line at hand has what W needs, or a part of it.  *OTHER: the
 * line is none for W. */
static bool meets(struct queue *q, struct mk_wait *w, bool *other)
{
	bool met;

	*other = false;
	if (w->json)
		return ends_modules(q, w, other);
	if (w->reason == MK_FOR_BUILD) {
		*other = !stacks_state(q->judge) || !compare(q, w);
		return false;
	}
	met = learn(q, w);
	if (w->dialect->sized)
		met = met && is_decided(gsym_stacks_ask_kernel(q->judge));
	/* The line after a list. */
	*other = w->state == MK_WAIT_PART && !met;
	return met;
}

static bool has_room(const struct mk_wait *w, size_t size)
{
	const struct mk_patience p = gsym_mk_patience(w->reason);

	return w->lines < p.lines && w->bytes + size <= p.bytes;
}

static void count(struct mk_wait *w, struct filter_record *r)
{
	r->taken = true;
	r->was_compared |= compares_early(w);
	w->lines++;
	w->left++;
	w->bytes += r->size;
	w->last = r->came;
}

/* Let W take R, the line at hand; or W is over. */
static void take(struct queue *q, struct mk_wait *w, struct filter_record *r)
{
	const struct logs_dialect *d = w->dialect;
	bool met, other;

	if (!has_room(w, r->size)) {
		finish(q, w);
		return;
	}
	met = meets(q, w, &other);
	if (other) {
		finish(q, w);
		return;
	}
	count(w, r);
	if (met)
		w->state = MK_WAIT_PART;
	if (d->sized) {
		compare(q, w);
		met |= gsym_stacks_is_judged(q->judge);
	}
	if (met && (w->json || !d->wait.list))
		finish(q, w);
}

void gsym_filter_wait_take(struct queue *q, struct filter_record *r)
{
	const struct mk_line line = *q->line;

	for (; r && is_open(&r->process->wait);
	     r = gsym_filter_queue_at(q, r->next)) {
		gsym_filter_queue_set_line(q, r);
		take(q, &r->process->wait, r);
	}
	/* The line that came last is at hand again: the next line gets the
	 * number after its number. */
	*q->line = line;
	q->page->process = line.process;
}

/* ---- waits begin ------------------------------------------------------ */

/* Whether the line at hand may not begin a wait for REASON.  Waits for anything
 * but a list are short.
 *  - A line whose frames a short wait has compared begins no short wait, or
 *    each line of a hostile log would be compared by the waits of many lines
 *    before it.
 *  - A line that is in a wait that is over begins no wait, with one exception:
 *    a line behind the first of a short wait may begin a wait for a list, as a
 *    report of a program may follow one of the kernel. */
static bool is_bound(struct queue *q, enum mk_reason reason)
{
	const struct mk_wait *w = &q->line->process->wait;

	if (q->at_head && reason != MK_FOR_LIST &&
	    filter_queue_head(q)->was_compared)
		return true;
	return w->state == MK_WAIT_OVER &&
	       (reason != MK_FOR_LIST || w->reason == MK_FOR_LIST ||
		q->at_first_of_wait);
}

/* Release the lines in the queue from the wait that has taken them.  It is a
 * short one, so it has no report.  The caller overwrites the wait. */
static void leave(struct queue *q)
{
	for (struct filter_record *r = filter_queue_head(q); r && r->taken;
	     r = gsym_filter_queue_at(q, r->next))
		r->taken = false;
}

/* Begin a wait for REASON with the line at hand, whose frames are of D; false
 * if that is not possible, or not needed. */
static bool begin(struct queue *q, const struct logs_dialect *d,
		  enum mk_reason reason, bool json)
{
	struct mk_wait *w = &q->line->process->wait;
	struct stacks_state *s;
	bool met;

	if (is_bound(q, reason))
		return false;
	if (w->state == MK_WAIT_OVER)
		leave(q);
	*w = (struct mk_wait){
		.reason = reason,
		.dialect = d,
		.json = json,
	};
	if (!has_room(w, q->line->size))
		return false;
	s = stacks_state(q->judge);
	/* A text that may be no frame begins no report. */
	if (s && d->fresh && reason != MK_FOR_BUILD) {
		gsym_stacks_unmap(s);
		gsym_stacks_forget(s, d->log);
	}
	if (s)
		gsym_stacks_compare_begin(s);
	/* A line with several lines of a message may have the fact itself.  For
	 * a build there is none: MET stays false. */
	met = !json && reason != MK_FOR_BUILD && learn(q, w);
	if (compares_early(w)) {
		met = met && is_decided(gsym_stacks_ask_kernel(q->judge));
		q->build_asked = true;
		compare(q, w);
	}
	if ((met && (compares_early(w) || !d->wait.list)) ||
	    (!q->at_head && !gsym_filter_queue_push(q)))
		return false;
	/* The line at hand is the head now: it was the head already, or the
	 * queue was empty and the line was pushed. */
	w->state = met ? MK_WAIT_PART : MK_WAIT_OPEN;
	w->first = filter_queue_head(q)->came;
	count(w, filter_queue_head(q));
	q->begun = true;
	return true;
}

bool gsym_filter_wait_for_frame(struct queue *q, const struct logs_frame *frame)
{
	const struct logs_dialect *d = frame->dialect;
	enum mk_reason reason = d->sized ? MK_FOR_RELEASE : MK_FOR_LIST;
	bool needed = false;

	/* What is bound for a list is bound for all reasons. */
	if (is_bound(q, MK_FOR_LIST))
		return false;
	/* The whole line is searched, which may have many frames. */
	if (d->sized) {
		needed = !q->build_asked && !is_bound(q, reason) &&
			 (ask_unknown_kernel(q, frame) ||
			  gsym_stacks_ask_unproven(q->judge, frame));
	} else if (d->wait.fact) {
		/* Each report has its own images, and a text that may be no
		 * frame begins none. */
		needed = d->fresh ? !frame->doubtful : is_memory_unknown(q);
	}
	if (!d->sized && !needed) {
		reason = MK_FOR_BUILD;
		needed = !q->build_asked && !is_bound(q, reason) &&
			 gsym_stacks_ask_trial(q->judge, frame);
	}
	return needed && begin(q, d, reason, false);
}

bool gsym_filter_wait_for_report(struct queue *q, const struct logs_fact *fact)
{
	return begin(q, fact->dialect, MK_FOR_LIST,
		     fact->kind == LOGS_REPORT_JSON);
}

/* ---- lines leave the queue -------------------------------------------- */

bool gsym_filter_waits(struct queue *q, const struct filter_record *head)
{
	const struct mk_wait *w = &head->process->wait;

	return head->taken && is_open(w) &&
	       !gsym_mk_is_overdue(q->clock, w->reason, w->first, w->last);
}

void gsym_filter_wait_end(struct queue *q, const struct filter_record *head)
{
	struct mk_wait *w = &head->process->wait;

	if (head->taken && is_open(w))
		finish(q, w);
}

void gsym_filter_wait_dequeue(const struct filter_record *head)
{
	struct mk_process *p = head->process;
	struct mk_wait *w = &p->wait;

	if (!head->taken)
		return;
	w->dequeued += head->size;
	if (--w->left)
		return;
	/* What comes next may be of another program. */
	if (w->reason == MK_FOR_LIST && w->dialect->wait.list && p->log)
		gsym_stacks_unmap(p->log);
	gsym_vec_fini(&w->report);
	*w = (struct mk_wait){ 0 };
}
