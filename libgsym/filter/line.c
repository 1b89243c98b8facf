/* SPDX-License-Identifier: MIT */
/*
 * The way of a line: its process; lines that wait for it, or with it; frames
 * without markup (logs.c); elements.  Frees what lines made the filter forget.
 *
 * In our own style nothing of the log is lost.  What is not a valid element
 * stays as it is.  Elements that describe memory, which are called contextual,
 * are taken out of their line; the line goes if nothing else is in it.
 */
#include "config.h"

#include "filter/filter.h"

/* ---- text around contextual elements --------------------------------- */

/* The text of a line that has contextual elements. */
struct left_over {
	/** Bytes of the text between the header and the first element if they
	 *  may be a header of an unknown kind, which ends with ": "; otherwise
	 *  0. */
	size_t start;
	/** There is other visible text. */
	bool visible;
};

/* Note in L the text AT to END of the line at hand.  FOLLOWED: there is an
 * element after it. */
static void look_at(struct scene *s, struct left_over *l, const char *at,
		    const char *end, bool followed)
{
	size_t header = render_line_header(s);

	if (l->visible)
		return;
	if (at < s->line->at + header)
		at = s->line->at + header < end ? s->line->at + header : end;
	if (gsym_mk_blank(at, end))
		return;
	if (followed && at == s->line->at + header && end - at > 2 &&
	    end - at <= MK_MAX_HEADER && memcmp(end - 2, ": ", 2) == 0)
		l->start = (size_t)(end - at);
	else
		l->visible = true;
}

/* The line at hand has SIZE bytes after its header that may be a header, too,
 * and contextual elements alone after them.  If the line before had the same
 * bytes, they are a header.  If the line before had other bytes, returns false:
 * neither are a header.  Otherwise the bytes are kept until the next line. */
static bool keep_start(struct scene *s, size_t size)
{
	struct mk_process *p = s->line->process;
	struct mk_collected *b = &p->collected;
	size_t header = render_line_header(s);
	const char *at = s->line->at + header;

	if (b->start.count - b->start_header == size &&
	    memcmp(b->start.items + b->start_header, at, size) == 0) {
		p->prefix.count = 0;
		mk_append(s->host->out, &p->prefix, at, size);
		b->start.count = b->start_header = 0;
		return true;
	}
	if (b->start.count)
		return false;

	b->start_crlf = s->line->crlf;
	b->start_header = header;
	mk_append(s->host->out, &b->start, s->line->at, header + size);
	gsym_mk_process_changed(s->processes, p);
	return true;
}

/* ---- elements -------------------------------------------------------- */

/* In Fuchsia's style each frame ends its line. */
static void separate_frames(struct scene *s, struct mk_out *o,
			    const struct mk_element *e)
{
	struct mk_line *l = s->line;

	if (e->kind != MK_BT ||
	    s->host->options->style != GSYM_MARKUP_STYLE_FUCHSIA)
		return;
	if (l->framed)
		gsym_mk_break_line(o, mk_newline(l));
	l->framed = true;
}

/* Go over the line at hand: apply contextual elements, write the rest to O.
 * LEFT may be NULL.  Returns the start of a hexdict element that does not end
 * in the line; NULL if there is none. */
static const char *walk(struct scene *s, struct mk_out *o,
			struct left_over *left)
{
	struct mk_line *l = s->line;
	const char *from = l->at, *end = l->at + l->size;
	struct mk_scanner scan = { .at = from, .end = end };
	struct mk_element e;

	while (gsym_mk_next(&scan, &e)) {
		o->page->trouble.message[0] = 0;
		bool good = gsym_render_usable(s, &e);

		if (left)
			look_at(s, left, from, e.whole.at, true);
		if (good)
			separate_frames(s, o, &e);
		gsym_mk_paint_text(o, from, e.whole.at);
		l->before = from;
		from = e.whole.at + e.whole.size;
		if (good && mk_contextual(&e) && gsym_render_apply(s, o, &e))
			continue;
		if (left)
			left->visible = true;
		if (!good || !gsym_render_present(s, o, &e))
			gsym_render_put_unchanged(o, &e);
	}
	const char *open = NULL;
	if (scan.no_closer && l->final &&
	    s->host->options->hexdict != GSYM_MARKUP_HEXDICT_OFF)
		open = memmem(scan.at, (size_t)(end - scan.at),
			      "{{{hexdict:", 11);
	if (open)
		end = open;
	if (left)
		look_at(s, left, from, end, false);
	gsym_mk_paint_text(o, from, end);
	return open;
}

/* ---- lines ----------------------------------------------------------- */

static void finish_line(struct scene *s)
{
	if (!s->line->final)
		return;
	gsym_mk_end_line(s->host->out, s->line->ending);
	if (s->footnotes.count)
		gsym_render_hexdict_notes(s);
}

/* Filter a line without contextual elements.  BEGUN: the start of the line was
 * written already. */
static void ordinary_line(struct scene *s, bool begun)
{
	const char *open;

	if (s->line->first)
		gsym_render_write_held(s);
	if (s->line->first && !begun)
		mk_begin_log_line(s->host->out, s->line->number);
	open = walk(s, s->host->out, NULL);
	if (open)
		gsym_render_hexdict_start(s, open);
	else
		finish_line(s);
}

/* Filter a line that may have contextual elements.  Its text has an output of
 * its own, because the module lines of its elements are written first. */
static void mixed_line(struct scene *s)
{
	struct mk_out *o = &s->mixed;
	struct left_over left = { 0, false };
	const char *open;

	gsym_mk_out_clear(o);
	mk_begin_log_line(o, s->line->number);
	open = walk(s, o, &left);
	s->host->out->out_of_memory |= o->out_of_memory;

	if (left.start && !left.visible && !open)
		left.visible = !keep_start(s, left.start);
	if (!left.visible && !open && s->line->final)
		return;
	gsym_render_write_held(s);
	gsym_mk_out_append(s->host->out, o);
	if (open)
		gsym_render_hexdict_start(s, open);
	else
		finish_line(s);
}

static bool may_be_contextual(const struct mk_line *l)
{
	const char *at = l->at, *end = at + l->size;

	while ((at = gsym_mk_find_opener(at, (size_t)(end - at)))) {
		at += 3;
		if (at < end && (*at == 'm' || *at == 'r'))
			return true;
		/* Of four or more braces the last three are the opener. */
		at -= 2;
	}
	return false;
}

/* ---- processes ------------------------------------------------------- */

/* Remove the process that was not used for the longest time, but not that of
 * the line at hand.  The process of lines without header is never removed, as
 * options may have given it modules.  Returns false if no other process is
 * left. */
static bool forget_oldest(struct gsym_markup *f)
{
	struct mk_process *gone = f->processes.oldest;

	while (gone && (gone == f->line.process || !gone->name.count ||
			gone->queued_last))
		gone = gone->newer;
	if (!gone)
		return false;
	gsym_render_give_up(&f->scene, gone);
	gsym_render_write_collected(&f->scene, gone);
	gsym_mk_say(&f->host, GSYM_MARKUP_NOTE, NULL,
		    "more than %u processes: one that had no line for long "
		    "is forgotten",
		    MK_MAX_PROCESSES);
	gsym_stacks_forget_process(&f->judge, gone);
	gsym_mk_process_remove(&f->processes, gone);
	return true;
}

void gsym_filter_tidy(struct gsym_markup *f)
{
	struct mk_process *p = f->line.process;

	gsym_mk_context_tidy(&p->context);
	if (p->log)
		gsym_stacks_tidy(p->log);
	/* Lines of a process that is forgotten may be waiting.  They are not
	 * written into the middle of the line at hand. */
	while (f->line.final && f->processes.count > MK_MAX_PROCESSES &&
	       forget_oldest(f))
		;
	gsym_mk_memo_tidy(&f->host.memo);
}

static struct mk_process *process_of(struct gsym_markup *f,
				     struct logs_text name)
{
	struct mk_process *p = gsym_mk_process_find(&f->processes, name);

	if (!p)
		p = gsym_mk_process_add(&f->processes, name);
	f->out.out_of_memory |= !p;
	return p;
}

/* Set the process that the line at hand comes from; false without memory. */
static bool choose_process(struct gsym_markup *f)
{
	struct mk_line *l = &f->line;
	struct logs_text name = logs_string("");
	struct mk_process *p;

	if (f->options.headers == GSYM_MARKUP_HEADERS_NONE || !l->first)
		return !f->lost_process;
	if (!gsym_mk_header(&f->headers, l->at, l->size, &name))
		name.size = 0;
	p = process_of(f, name);
	f->lost_process = !p;
	if (!p)
		return false;
	filter_set_process(f, p);
	gsym_mk_process_use(&f->processes, p);
	return true;
}

/* Write the output for the line at hand, whose process is chosen, or let the
 * line begin a wait. */
static void show_line(struct gsym_markup *f)
{
	struct mk_line *l = &f->line;
	bool begun = false;

	f->line.process->heard = f->clock.now;
	if (f->line.process->unended.state && l->first) {
		if (gsym_render_hexdict_line(&f->scene))
			return;
		/* An element of an earlier line may have ended in this line. */
		begun = !l->first;
		l->header = begun ? 0 : SIZE_MAX;
	}
	if (f->logs && l->first && l->final && gsym_filter_logs_line(f))
		return;
	if (!f->options.html && gsym_render_is_json(l) &&
	    gsym_mk_find_opener(l->at, l->size))
		gsym_render_json_line(&f->scene);
	else if (l->first && may_be_contextual(l))
		mixed_line(&f->scene);
	else
		ordinary_line(&f->scene, begun);
}

/* ---- lines that wait ------------------------------------------------- */

/* Handle the line at the head of the queue, which may begin a wait: then other
 * lines follow it into the wait. */
static void dequeue_head(struct gsym_markup *f)
{
	struct queue *q = &f->logs->queue;
	const struct filter_record *r = filter_queue_head(q);
	const struct mk_wait *w = &r->process->wait;

	gsym_filter_queue_set_line(q, r);
	q->at_first_of_wait = r->taken && w->left == w->lines;
	q->begun = false;
	show_line(f);
	if (q->begun) {
		gsym_filter_wait_take(q, gsym_filter_queue_at(q, r->next));
		return;
	}
	gsym_filter_wait_dequeue(r);
	gsym_filter_queue_pop(q);
	mk_complete(&f->out);
	gsym_mk_drain(&f->out, false);
	gsym_filter_tidy(f);
}

void gsym_filter_dequeue(struct gsym_markup *f, bool all)
{
	const struct mk_line line = f->line;
	struct mk_process *p;
	struct queue *q;

	if (!filter_has_waiting(f))
		return;
	q = &f->logs->queue;
	q->at_head = true;
	while (!filter_is_queue_empty(q)) {
		const struct filter_record *head = filter_queue_head(q);

		if (!all && gsym_filter_waits(q, head))
			break;
		gsym_filter_wait_end(q, head);
		dequeue_head(f);
	}
	q->at_head = false;
	q->at_first_of_wait = false;
	/* The process may be forgotten by now. */
	p = f->line.process;
	f->line = line;
	filter_set_process(f, p);
}

/* Let the line at hand, whose process is chosen, queue behind those that wait;
 * false if there is no room. */
static bool enqueue(struct gsym_markup *f)
{
	struct queue *q = &f->logs->queue;
	const struct mk_line *l = &f->line;

	if (!l->first || !l->final || q->bytes + l->size > FILTER_QUEUE_BYTES ||
	    q->records.count - q->head >= FILTER_QUEUE_LINES ||
	    f->processes.count > MK_MAX_PROCESSES + 1)
		return false;
	gsym_filter_logs_read(f);
	if (!gsym_filter_queue_push(q))
		return false;
	gsym_filter_wait_take(q, &q->records.items[q->records.count - 1]);
	gsym_filter_dequeue(f, false);
	return true;
}

void gsym_filter_do_line(struct gsym_markup *f)
{
	struct mk_line *l = &f->line;
	bool chosen = choose_process(f);

	if (filter_has_waiting(f)) {
		if (chosen && enqueue(f))
			return;
		gsym_filter_dequeue(f, true);
		chosen = choose_process(f);
	}
	if (chosen) {
		show_line(f);
		return;
	}
	gsym_mk_paint_text(&f->out, l->at, l->at + l->size);
	finish_line(&f->scene);
}
