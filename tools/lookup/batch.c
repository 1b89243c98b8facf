/* SPDX-License-Identifier: MIT */
/*
 * lookup/batch.c - answers many lines at once.  They are looked up in the order
 * of their addresses, and answered in the order of the input.
 *
 * In the order of addresses, gsym_lookup_many decodes a record once for all
 * addresses in it, and an answer finds names in the caches that the answer
 * before it used.  gsym-lookup --stream does so for the addresses of each file.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "lookup/lookup.h"

/* The fewest addresses that are worth sorting. */
#define BATCH_LEAST GSYM_LIMIT(256, 1)
enum {
	/* The most lines of a batch. */
	BATCH_LINES = LOOKUP_MANY,
	/* The bytes of an answer, as long as no answer was seen.  Answers
	 * without room in memory are looked up twice, so the guess is high. */
	ANSWER_GUESS = 8192,
};

/* A line and its answer. */
struct question {
	const char *line;
	size_t length;
	/* Where the answer begins in the batch's ANSWERS. */
	size_t at;
	/* The length of the answer; 0: there is no answer yet. */
	size_t size;
};

struct lookup_batch {
	struct question questions[BATCH_LINES];
	size_t count;
	/* The questions that are addresses, by index, to be sorted by
	 * address. */
	struct gsym_sort_item keys[BATCH_LINES];
	size_t key_count;
	/* Scratch memory for sorting. */
	struct gsym_sort_item spare[BATCH_LINES];
	struct lookup_many many;
	/* An output in memory. */
	struct out answers;
	/* The bytes of an answer on the average, rounded up. */
	size_t average;
	/* The number of answers in memory. */
	size_t collected;
};

struct lookup_batch *lookup_batch_new(void)
{
	struct lookup_batch *b = malloc(sizeof(*b));
	if (!b)
		die("out of memory");
	out_init_memory(&b->answers, false);
	b->average = ANSWER_GUESS;
	return b;
}

void lookup_batch_free(struct lookup_batch *b)
{
	out_fini(&b->answers);
	free(b);
}

/* Fill the batch with lines of L, as many as fit, and as many as there is
 * memory for the answers to.  Answers without room in memory take a lookup of
 * their own. */
static void take_lines(struct lookup *l, struct lookup_batch *b)
{
	size_t most = LOOKUP_ANSWER_BYTES / 8 * 7 / b->average;
	if (most > BATCH_LINES)
		most = BATCH_LINES;
	/* One that does not fit is looked up when it is written. */
	if (most < 1)
		most = 1;
	b->count = b->key_count = 0;
	while (l->lines < l->lines_end && b->count < most) {
		const char *at = l->lines;
		const char *feed = memchr(at, '\n', l->lines_end - at);
		struct gsym_sort_item *key = &b->keys[b->key_count];
		b->questions[b->count] = (struct question){
			.line = at, .length = feed - at
		};
		if (feed - at <= LOOKUP_LINE_MAX &&
		    lookup_is_address(l, at, feed - at, &key->key)) {
			key->index = (uint32_t)b->count;
			b->key_count++;
			lookup_note_base(l, at, feed - at);
		}
		b->count++;
		l->lines = feed + 1;
	}
}

bool lookup_each(const struct lookup *l, struct lookup_many *m, size_t count,
		 lookup_use_fn *use, void *context)
{
	for (size_t from = 0, done; from < count; from += done) {
		if (gsym_lookup_many(l->reader, m->addresses + from,
				     count - from, l->flags, m->frames,
				     LOOKUP_MANY_FRAMES, m->first,
				     &done) != GSYM_OK)
			return false;
		for (size_t i = 0; i < done; i++)
			if (!use(context, from + i, m->frames + m->first[i],
				 m->first[i + 1] - m->first[i]))
				return false;
	}
	return true;
}

/* Write the answer to key I of L's batch, where L writes to memory.  FRAMES are
 * its COUNT frames; if there are none, the address is looked up.  Returns false
 * if there is no room. */
static bool collect_one(void *context, size_t i,
			const struct gsym_frame *frames, size_t count)
{
	struct lookup *l = context;
	struct lookup_batch *b = l->batch;
	struct question *q = &b->questions[b->keys[i].index];
	uint64_t damaged = l->damaged, found = l->found, missed = l->missed;

	if (l->out.used >= LOOKUP_ANSWER_BYTES)
		return false;
	q->at = l->out.used;
	out_mark(&l->out);
	if (count)
		lookup_show(l, b->keys[i].key, frames, count);
	else
		lookup_address(l, b->keys[i].key);
	if (!out_keep(&l->out)) {
		/* The address is looked up again when its line is answered. */
		l->damaged = damaged;
		l->found = found;
		l->missed = missed;
		return false;
	}
	q->size = l->out.used - q->at;
	b->collected++;
	return true;
}

/* Write the answers to the keys to memory, as many as fit, with the frames of
 * gsym_lookup_many. */
static void collect_many(struct lookup *l, struct lookup_batch *b)
{
	bool back = l->return_addresses;

	for (size_t i = 0; i < b->key_count; i++) {
		uint64_t address = b->keys[i].key - l->adjust;

		b->many.addresses[i] =
			back && address > 0 ? address - 1 : address;
	}
	lookup_each(l, &b->many, b->key_count, collect_one, l);
}

/* Write the answers to the keys, in their order, to memory, as many as fit. */
static void collect_answers(struct lookup *l, struct lookup_batch *b)
{
	struct out out = l->out;
	size_t i = 0;

	b->answers.used = b->collected = 0;
	b->answers.colour = out.colour;
	l->out = b->answers;
	if (l->process || l->merged || l->calls)
		while (i < b->key_count && collect_one(l, i, NULL, 0))
			i++;
	else
		collect_many(l, b);
	b->answers = l->out;
	l->out = out;
	if (b->collected)
		b->average = b->answers.used / b->collected + 1;
}

/* Write the answer to Q, from memory or by a lookup.  Returns false if the
 * output of L is in memory and has no room for it. */
static bool answer_one(struct lookup *l, const struct lookup_batch *b,
		       const struct question *q)
{
	uint64_t refused = l->refused, damaged = l->damaged;
	if (l->out.fd < 0 && l->out.used > LOOKUP_ANSWER_BYTES)
		return false;
	out_mark(&l->out);
	if (q->size)
		out_bytes(&l->out, b->answers.buffer + q->at, q->size);
	else
		lookup_line(l, q->line, q->length);
	if (out_keep(&l->out))
		return true;
	l->refused = refused;
	l->damaged = damaged;
	return false;
}

bool lookup_some_lines(struct lookup *l)
{
	struct lookup_batch *b = l->batch;
	take_lines(l, b);
	if (b->key_count >= BATCH_LEAST && !l->style.go) {
		gsym_sort_by_key(b->keys, b->key_count, b->spare);
		collect_answers(l, b);
	}
	for (size_t i = 0; i < b->count; i++) {
		if (answer_one(l, b, &b->questions[i]))
			continue;
		l->lines = b->questions[i].line;
		return false;
	}
	return true;
}
