/* SPDX-License-Identifier: MIT */
/* The queue of lines that wait. */
#include "config.h"

#include "filter/queue.h"

#include "stacks/judge.h"

/* ---- the lines -------------------------------------------------------- */

struct filter_record *gsym_filter_queue_at(struct queue *q, uint64_t number)
{
	return number ? &q->records.items[number - q->base] : NULL;
}

void gsym_filter_queue_set_line(struct queue *q, const struct filter_record *r)
{
	*q->line = (struct mk_line){
		.number = r->number,
		.came = q->clock->now,
		.process = r->process,
		.at = r->at,
		.size = r->size,
		.ending = r->ending,
		.crlf = r->crlf,
		.first = true,
		.final = true,
		.header = SIZE_MAX,
		.read = true,
		.reading = r->reading,
	};
	q->page->process = r->process;
}

/* Bytes that have another address than before. */
struct move {
	const char *from, *to;
	size_t size;
};

static void move(const struct move *m, const char **at)
{
	/* A recogniser may have set a text of its own. */
	if (*at && *at >= m->from && *at <= m->from + m->size)
		*at = m->to + (*at - m->from);
}

/* Let ITEM lie in copies of the LINE and of the texts UNWRAPPED. */
static void move_item(struct mk_log_item *item, const struct move *line,
		      const struct move *unwrapped)
{
	const struct move *text = item->unwrapped ? unwrapped : line;
	struct logs_frame *frame = &item->frame;
	struct logs_raw *raw = &item->raw;

	if (!item->is_frame) {
		move(text, &item->fact.name.at);
		move(text, &item->fact.build_id.at);
		return;
	}
	/* What helps to find the next frame of the line is needed no more. */
	frame->known = (struct logs_known){ 0 };
	frame->rest = NULL;
	const char **const in_text[] = {
		&frame->start,	     &frame->insert,	  &frame->resume,
		&frame->number_end,  &frame->item,	  &frame->module.at,
		&frame->build_id.at, &frame->function.at,
	};
	const char **const in_line[] = {
		&raw->start,  &raw->item,   &raw->number_end,
		&raw->insert, &raw->resume,
	};
	for (size_t i = 0; i < sizeof(in_text) / sizeof(*in_text); i++)
		move(text, in_text[i]);
	for (size_t i = 0; i < sizeof(in_line) / sizeof(*in_line); i++)
		move(line, in_line[i]);
}

/* Give R copies of the line at hand and of what was read of it. */
static bool copy_line(struct queue *q, struct filter_record *r)
{
	const struct mk_line *l = q->line;
	const struct mk_text *unwrapped = q->unwrapped;
	const size_t items = l->reading.count * sizeof(*l->reading.items);
	char *text;

	r->bytes = sizeof(*r) + items + l->size + unwrapped->count;
	r->block = malloc(r->bytes - sizeof(*r) + 1);
	if (!r->block)
		return false;
	text = (char *)r->block + items;
	const struct move line = { l->at, text, l->size };
	const struct move views = { unwrapped->items, text + l->size,
				    unwrapped->count };

	memcpy(text, l->at, l->size);
	if (unwrapped->count)
		memcpy(text + l->size, unwrapped->items, unwrapped->count);
	r->at = text;
	r->reading = l->reading;
	r->reading.items = r->block;
	for (size_t i = 0; i < r->reading.count; i++) {
		r->reading.items[i] = l->reading.items[i];
		move_item(&r->reading.items[i], &line, &views);
	}
	return true;
}

bool gsym_filter_queue_push(struct queue *q)
{
	const struct mk_line *l = q->line;
	struct mk_process *p = q->line->process;
	struct filter_record *before, r = {
		.process = p,
		.number = q->line->number,
		.came = q->clock->now,
		.size = l->size,
		.ending = l->ending,
		.crlf = l->crlf,
	};
	uint64_t number = q->base + q->records.count;

	if (!gsym_vec_reserve(&q->records, 1) || !copy_line(q, &r)) {
		q->judge->host->out->out_of_memory = true;
		return false;
	}
	q->records.items[q->records.count++] = r;
	q->bytes += r.bytes;
	before = gsym_filter_queue_at(q, p->queued_last);
	if (before)
		before->next = number;
	p->queued_last = number;
	return true;
}

/* Drop the records before the head, if they are many, or all. */
static void compact(struct queue *q)
{
	const size_t left = q->records.count - q->head;

	if (q->head < left)
		return;
	if (left)
		memmove(q->records.items, filter_queue_head(q),
			left * sizeof(*q->records.items));
	q->base += q->head;
	q->records.count = left;
	q->head = 0;
}

void gsym_filter_queue_pop(struct queue *q)
{
	struct filter_record *r = filter_queue_head(q);
	struct mk_process *p = r->process;

	q->bytes -= r->bytes;
	free(r->block);
	if (p->queued_last == q->base + q->head)
		p->queued_last = 0;
	q->head++;
	compact(q);
}

void gsym_filter_queue_fini(struct queue *q)
{
	for (size_t i = q->head; i < q->records.count; i++)
		free(q->records.items[i].block);
	gsym_vec_fini(&q->records);
}
