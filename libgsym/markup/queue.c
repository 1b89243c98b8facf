/* SPDX-License-Identifier: MIT */
/* How long lines wait, and the queue of those that do. */
#include "config.h"

#include "markup/queue.h"

#include "markup/filter.h"

/* ---- why lines wait --------------------------------------------------- */

struct gsym_mk_patience gsym_mk_patience(enum gsym_mk_reason reason)
{
	/* Tests have limits that are no constants. */
#define ROW(name, ...) [GSYM_MK_FOR_##name] = { __VA_ARGS__ },
	const struct gsym_mk_patience rows[] = { GSYM_MK_REASONS(ROW) };
#undef ROW

	return rows[reason];
}

/* Whether PATIENCE milliseconds have passed since SINCE.  If not, F is due when
 * they have. */
static bool passed(struct gsym_markup *f, uint64_t since, uint64_t patience)
{
	uint64_t left;

	if (!patience)
		return false;
	if (f->now >= since + patience)
		return true;
	left = since + patience - f->now;
	if (left < f->due)
		f->due = left;
	return false;
}

bool gsym_mk_is_overdue(struct gsym_markup *f, enum gsym_mk_reason reason,
			uint64_t first, uint64_t last)
{
	const struct gsym_mk_patience p = gsym_mk_patience(reason);

	return passed(f, first, p.first) || passed(f, last, p.last);
}

/* ---- the lines -------------------------------------------------------- */

bool gsym_mk_is_queue_empty(const struct gsym_markup *f)
{
	const struct gsym_mk_queue *q = f->logs ? &f->logs->queue : NULL;

	return !q || q->head == q->records.count;
}

struct gsym_mk_record *gsym_mk_queue_head(struct gsym_mk_queue *q)
{
	return &q->records.items[q->head];
}

struct gsym_mk_record *gsym_mk_queue_at(struct gsym_mk_queue *q,
					uint64_t number)
{
	return number ? &q->records.items[number - q->base] : NULL;
}

void gsym_mk_queue_set_line(struct gsym_markup *f,
			    const struct gsym_mk_record *r)
{
	f->line_number = r->number;
	f->line = (struct gsym_mk_line){
		.at = gsym_vec_from(&f->logs->queue.text, r->at),
		.size = r->size,
		.ending = r->ending,
		.crlf = r->crlf,
		.sign = r->sign,
		.first = true,
		.final = true,
		.header = SIZE_MAX,
	};
	f->process = f->out.page->process = r->process;
}

bool gsym_mk_queue_push(struct gsym_markup *f)
{
	struct gsym_mk_queue *q = &f->logs->queue;
	const struct gsym_mk_line *l = &f->line;
	struct gsym_mk_process *p = f->process;
	struct gsym_mk_record *before;
	uint64_t number = q->base + q->records.count;

	if (!gsym_vec_reserve(&q->records, 1)) {
		f->out.out_of_memory = true;
		return false;
	}
	if (!gsym_mk_append(f, &q->text, l->at, l->size))
		return false;
	q->records.items[q->records.count++] = (struct gsym_mk_record){
		.process = p,
		.number = f->line_number,
		.came = f->now,
		.at = q->text.count - l->size,
		.size = l->size,
		.ending = l->ending,
		.crlf = l->crlf,
		.sign = gsym_mk_logs_sign(f),
	};
	before = gsym_mk_queue_at(q, p->queued_last);
	if (before)
		before->next = number;
	p->queued_last = number;
	return true;
}

/* Drop what lies before the head, if that is much, or all. */
static void compact(struct gsym_mk_queue *q)
{
	const size_t left = q->records.count - q->head;
	size_t text;

	if (!left) {
		q->base += q->records.count;
		q->records.count = q->text.count = q->head = 0;
		return;
	}
	/* A report may begin before the head. */
	if (q->head < left || gsym_mk_queue_head(q)->process->wait.json)
		return;
	text = gsym_mk_queue_head(q)->at;
	q->text.count -= text;
	memmove(q->text.items, q->text.items + text, q->text.count);
	memmove(q->records.items, gsym_mk_queue_head(q),
		left * sizeof(*q->records.items));
	q->base += q->head;
	q->records.count = left;
	q->head = 0;
	for (size_t i = 0; i < left; i++)
		q->records.items[i].at -= text;
}

void gsym_mk_queue_pop(struct gsym_mk_queue *q)
{
	struct gsym_mk_process *p = gsym_mk_queue_head(q)->process;

	if (p->queued_last == q->base + q->head)
		p->queued_last = 0;
	q->head++;
	compact(q);
}

void gsym_mk_queue_fini(struct gsym_mk_queue *q)
{
	gsym_vec_fini(&q->text);
	gsym_vec_fini(&q->records);
}
