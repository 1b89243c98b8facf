/* SPDX-License-Identifier: MIT */
/*
 * lookup/input.c - reads addresses from standard input.
 *
 * A program that writes an address and waits for its answer gets the answer
 * before this tool waits for more input.  A program that writes many addresses
 * is served by large reads and writes, and by several threads.  The two cases
 * are told apart by whether more input is ready to be read.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/must.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"

/* ---- answers of many lines ----------------------------------------------- */

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

/* Scratch memory for some_lines.  Dies if memory runs out. */
static struct lookup_batch *batch_new(void)
{
	struct lookup_batch *b = must_have(malloc(sizeof(*b)));
	out_init_memory(&b->answers, false);
	b->average = ANSWER_GUESS;
	return b;
}

/* Free BATCH. */
static void batch_free(struct lookup_batch *b)
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

/* Answer some of the lines at L->lines, and move L->lines to the first line
 * without an answer.  Returns false if L collects its answers in memory and
 * has no room for the next one. */
static bool some_lines(struct lookup *l)
{
	struct lookup_batch *b = l->batch;
	take_lines(l, b);
	if (b->key_count >= BATCH_LEAST && !l->style.go && !l->of_stack) {
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

/* ---- standard input ------------------------------------------------------ */

/* The most bytes of input that are answered at once; and the bytes of input for
 * which a further thread is started. */
enum { INPUT_CAPACITY = 4 << 20 };
#define THREAD_BYTES GSYM_LIMIT((size_t)16 << 10, 16)

/* The threads that answer. */
struct team {
	struct lookup *workers;
	unsigned count;
	/* The bytes of input of a worker whose answers fit in memory. */
	size_t piece;
};

/* Read up to SIZE bytes of standard input to TO, as many as are ready, but at
 * least one.  Before it waits, the answers in L->out are written.  Returns 0 at
 * the end of the input.  Dies on failure. */
static size_t read_some(struct lookup *l, char *to, size_t size)
{
	size_t got = 0;
	do {
		ssize_t n = out_read_input(&l->out, to + got, size - got);
		if (n < 0) {
			int why = errno;
			out_flush(&l->out);
			die("cannot read standard input: %s", strerror(why));
		}
		if (n == 0)
			break;
		got += (size_t)n;
	} while (got < size && out_input_ready());
	return got;
}

/* Answer the lines of the struct lookup ITEM, or as many as its output has room
 * for. */
static void answer_lines(void *item)
{
	struct lookup *l = item;
	while (l->lines < l->lines_end && some_lines(l))
		;
}

/* The start of the line after the one that AT, which is before END, is in. */
static const char *after_line(const char *at, const char *end)
{
	return (const char *)memchr(at, '\n', end - at) + 1;
}

/* Set TEAM->piece by the answers of worker W, who got SIZE bytes of input. */
static void learn(struct team *team, const struct lookup *w, size_t size)
{
	size_t most = LOOKUP_ANSWER_BYTES / 4 * 3;
	size_t ratio = w->out.used / size + 1;

	if (w->lines < w->lines_end)
		team->piece /= 2;
	else
		team->piece = most / ratio;
	if (team->piece < THREAD_BYTES)
		team->piece = THREAD_BYTES;
}

/* Answer the lines from AT to END on up to TEAM->count threads.  Worker 0
 * writes to the output; the answers of the others are collected in memory, and
 * written after its own. */
static void answer_piece(struct team *team, const char *at, const char *end)
{
	struct lookup *workers = team->workers;
	unsigned used = (end - at) / THREAD_BYTES;
	used = used < 1 ? 1 : used > team->count ? team->count : used;
	size_t size = (end - at) / used;
	for (unsigned i = 0; i < used; i++) {
		const char *stop = end;
		/* A long line can be all that is left for several workers. */
		if (i + 1 < used && at < end)
			stop = after_line(at + (end - at) / (used - i), end);
		workers[i].lines = at;
		workers[i].lines_end = at = stop;
	}
	run_threads(answer_lines, workers, sizeof(*workers), used);
	for (unsigned i = 1; i < used; i++) {
		learn(team, &workers[i], size);
		out_join(&workers[0].out, &workers[i].out);
		/* Answer the lines for which the worker had no memory left. */
		workers[0].lines = workers[i].lines;
		workers[0].lines_end = workers[i].lines_end;
		answer_lines(&workers[0]);
	}
}

/* Answer the lines from AT to END for the struct team CONTEXT, in pieces whose
 * answers fit in memory. */
static void answer_block(void *context, const char *at, const char *end)
{
	struct team *team = context;
	while (at < end) {
		const char *stop = end;
		if (team->count > 1 &&
		    (size_t)(end - at) / team->count > team->piece)
			stop = after_line(at + team->piece * team->count, end);
		answer_piece(team, at, stop);
		at = stop;
	}
}

static void answer_part(void *context, const char *text, size_t length)
{
	struct team *team = context;

	lookup_line(&team->workers[0], text, length);
}

void lookup_read_lines(struct lookup *l, const struct lookup_lines *lines,
		       void *context, char *buffer, size_t capacity)
{
	size_t held = 0, n; /* bytes of an incomplete line in BUFFER */
	bool skipping = false; /* the rest of a line that is too long comes
			        * next */

	while ((n = read_some(l, buffer + held, capacity - held)) > 0) {
		char *at = buffer, *end = buffer + held + n;
		char *last = memrchr(buffer + held, '\n', n);

		if (last && skipping) {
			at = (char *)memchr(at, '\n', end - at) + 1;
			skipping = false;
		}
		if (last && at <= last)
			lines->answer(context, at, last + 1);
		if (last)
			at = last + 1;
		held = (size_t)(end - at);
		if (held > lines->most) {
			if (!skipping)
				lines->answer_part(context, at, held);
			skipping = true;
		}
		if (skipping)
			held = 0;
		memmove(buffer, at, held);
	}
	if (held)
		lines->answer_part(context, buffer, held);
}

void lookup_input(struct lookup *l)
{
	const struct lookup_lines lines = {
		.answer = answer_block,
		.answer_part = answer_part,
		.most = LOOKUP_LINE_MAX,
	};
	/* With --style=go an answer depends on the answer before it, and a
	 * stack on the lines after it. */
	unsigned count = l->style.go || l->of_stack ? 1 : l->threads;
	char *buffer = must_have(malloc(INPUT_CAPACITY));
	report_terminal("addresses");
	struct lookup *workers = must_have(calloc(count, sizeof(*workers)));
	for (unsigned i = 0; i < count; i++) {
		workers[i] = *l;
		if (i > 0) {
			lookup_start(&workers[i]);
			out_init_memory(&workers[i].out, l->out.colour);
		}
		workers[i].batch = batch_new();
	}
	/* The first pieces are small, until the size of answers is known. */
	struct team team = { workers, count, 8 * THREAD_BYTES };
	lookup_read_lines(&workers[0], &lines, &team, buffer, INPUT_CAPACITY);

	/* The first worker is a copy of L. */
	*l = workers[0];
	for (unsigned i = 0; i < count; i++)
		batch_free(workers[i].batch);
	for (unsigned i = 1; i < count; i++) {
		l->refused += workers[i].refused;
		l->found += workers[i].found;
		l->ambiguous += workers[i].ambiguous;
		l->decimal |= workers[i].decimal;
		l->missed += workers[i].missed;
		l->damaged += workers[i].damaged;
		out_fini(&workers[i].out);
		lookup_end(&workers[i]);
	}
	free(workers);
	free(buffer);
}
