/* SPDX-License-Identifier: MIT */
/*
 * lookup/batch.c - answers the lines of standard input.
 *
 * A program that writes a line and waits for its answer gets the answer before
 * this tool waits for more input.  A program that writes many lines is served
 * by large reads and writes, and by several threads: the lines that are there
 * are a batch.  They are looked up in the order of files and addresses, and
 * their answers, which are kept in memory, are written in the order of the
 * lines.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"

/* The fewest keys for which a further thread is started. */
#define THREAD_KEYS GSYM_LIMIT(1024, 1)
enum {
	/* The bytes of input that are kept. */
	INPUT_CAPACITY = 4 << 20,
	/* The frames that gsym_lookup_many fills in at once. */
	FRAMES = 32 << 10,
	/* The bytes of an answer, as long as no answer was seen.  Answers
	 * without room in memory are looked up twice, so the guess is high. */
	ANSWER_GUESS = 8192,
};

/* A thread that looks addresses up. */
struct worker {
	struct lookup l;
	struct batch *batch;
	uint32_t index;
	/* The answers that it keeps. */
	struct out answers;
	/* The keys to look up. */
	const struct gsym_sort_item *keys;
	size_t count;
	/* Addresses of one file, and their frames. */
	uint64_t addresses[LOOKUP_BATCH];
	uint32_t first[LOOKUP_BATCH + 1];
	struct gsym_frame frames[FRAMES];
};

struct batch {
	const struct lookup_kind *kind;
	void *context;
	struct worker **workers;
	unsigned threads;
	struct lookup_question questions[LOOKUP_BATCH];
	size_t count;
	/* The lines to look up before they are written, by index, to be sorted
	 * by file (EXTRA) and address. */
	struct gsym_sort_item keys[LOOKUP_BATCH], spare[LOOKUP_BATCH];
	size_t key_count;
	/* The keys belong to several files. */
	bool several;
	/* The output is a terminal. */
	bool terminal;
	/* The most lines of this batch, by the bytes of an answer on the
	 * average. */
	size_t most;
	char input[INPUT_CAPACITY];
};

/* ---- lookups ------------------------------------------------------------- */

/* The keys of one file that a worker looks up. */
struct run {
	struct worker *w;
	/* The next key, and the end of the keys. */
	const struct gsym_sort_item *key, *end;
};

static struct lookup_question *question_of(const struct run *r)
{
	return &r->w->batch->questions[r->key->index];
}

/* Write the answer to Q, which has the COUNT frames at FRAMES, to the memory of
 * R's worker.  Returns false if there is no room. */
static bool keep_answer(struct run *r, struct lookup_question *q,
			const struct gsym_frame *frames, size_t count)
{
	struct lookup *l = &r->w->l;
	struct lookup_counts before = l->counts;

	if (l->out.used >= LOOKUP_ANSWER_BYTES)
		return false;
	q->worker = r->w->index;
	q->at = (uint32_t)l->out.used;
	out_mark(&l->out);
	r->w->batch->kind->answer(l, q, frames, count);
	if (!out_keep(&l->out)) {
		/* The address is looked up again when its line is written. */
		l->counts = before;
		return false;
	}
	q->size = (uint32_t)l->out.used - q->at;
	return true;
}

/* Answer the next key of R, whose COUNT frames are at FRAMES, and all keys of
 * the same address that follow.  Returns false if the memory for answers is
 * used up. */
static bool answer_address(struct run *r, const struct gsym_frame *frames,
			   size_t count)
{
	struct lookup_question *first = question_of(r);
	struct lookup_counts before = r->w->l.counts, one;

	if (!keep_answer(r, first, frames, count))
		return false;
	one = r->w->l.counts;
	while (++r->key < r->end && question_of(r)->address == first->address) {
		struct lookup_question *q = question_of(r);

		q->worker = first->worker;
		q->at = first->at;
		q->size = first->size;
		q->status = first->status;
		r->w->l.counts.found += one.found - before.found;
		r->w->l.counts.missed += one.missed - before.missed;
		r->w->l.counts.gaps += one.gaps - before.gaps;
		r->w->l.counts.damaged += one.damaged - before.damaged;
	}
	return true;
}

/* Answer the keys of R, of which W->addresses has the COUNT different
 * addresses.  Returns false if the memory for answers is used up. */
static bool answer_many(struct run *r, size_t count)
{
	struct worker *w = r->w;

	for (size_t from = 0, done; from < count; from += done) {
		if (gsym_lookup_many(w->l.reader, w->addresses + from,
				     count - from, w->l.flags, w->frames,
				     FRAMES, w->first, &done) != GSYM_OK)
			return false;
		for (size_t i = 0; i < done; i++)
			if (!answer_address(r, w->frames + w->first[i],
					    w->first[i + 1] - w->first[i]))
				return false;
	}
	return true;
}

/* Look the keys of R up one by one.  Returns false if the memory for answers is
 * used up. */
static bool look_up_each(struct run *r)
{
	for (; r->key < r->end; r->key++)
		if (!keep_answer(r, question_of(r), NULL, 0))
			return false;
	return true;
}

/* Look the keys of R up together.  Returns false if the memory for answers is
 * used up. */
static bool look_up_together(struct run *r)
{
	const struct gsym_sort_item *first = r->key;
	const struct lookup *l = &r->w->l;
	uint64_t last = 0;
	size_t count = 0;

	for (; r->key < r->end; r->key++) {
		uint64_t address = question_of(r)->address;

		if (!count || address != last)
			r->w->addresses[count++] = lookup_target(l, address);
		last = address;
	}
	r->key = first;
	return answer_many(r, count);
}

/* Look up the keys of the struct worker * ITEM, as many as its memory holds the
 * answers of. */
static void look_up_keys(void *item)
{
	struct worker *w = *(struct worker **)item;
	const struct lookup_kind *kind = w->batch->kind;
	const struct gsym_sort_item *end = w->keys + w->count;
	struct run r = { .w = w, .end = w->keys };
	struct out out = w->l.out;
	bool more = true;

	w->answers.used = 0;
	w->l.out = w->answers;
	while (more && r.end < end) {
		r.key = r.end;
		while (r.end < end && r.end->extra == r.key->extra)
			r.end++;
		more = kind->enter(w->batch->context, &w->l, r.key->extra)
			       ? look_up_together(&r) : look_up_each(&r);
		if (kind->leave)
			kind->leave(&w->l);
	}
	w->answers = w->l.out;
	w->l.out = out;
}

/* Sort the keys by file and address; equal ones keep their order. */
static void sort_keys(struct batch *b)
{
	gsym_sort_by_key(b->keys, b->key_count, b->spare);
	if (!b->several)
		return;
	for (size_t i = 0; i < b->key_count; i++)
		b->keys[i].key = b->keys[i].extra;
	gsym_sort_by_key(b->keys, b->key_count, b->spare);
}

/* Look the keys up, on several threads if there are many. */
static void look_up_all(struct batch *b)
{
	size_t used = b->key_count / THREAD_KEYS, at = 0, bytes = 0;

	used = used < 1 ? 1 : used > b->threads ? b->threads : used;
	for (size_t i = 0; i < used; i++) {
		struct worker *w = b->workers[i];
		size_t end = b->key_count * (i + 1) / used;

		w->keys = b->keys + at;
		w->count = end - at;
		at = end;
	}
	run_threads(look_up_keys, b->workers, sizeof(*b->workers),
		    (unsigned)used);
	for (size_t i = 0; i < used; i++)
		bytes += b->workers[i]->answers.used;
	b->most = LOOKUP_ANSWER_BYTES / 8 * 7 / (bytes / b->key_count + 1) *
		  b->threads;
}

/* ---- the batch ----------------------------------------------------------- */

/* Write the answer to Q, from memory or by a lookup. */
static void write_answer(struct batch *b, struct lookup_question *q)
{
	const struct lookup_kind *kind = b->kind;
	struct lookup *l = &b->workers[0]->l;

	if (l->keys) {
		/* A program gets the bytes of its keys, a terminal none that
		 * controls it. */
		if (b->terminal)
			out_foreign_bytes(&l->out, q->key, q->key_size);
		else
			out_bytes(&l->out, q->key, q->key_size);
		out_bytes(&l->out, "\t", 1);
	}
	if (q->size) {
		out_bytes(&l->out, b->workers[q->worker]->answers.buffer +
					   q->at, q->size);
		return;
	}
	if (!q->problem)
		kind->enter(b->context, l, q->file);
	kind->answer(l, q, NULL, 0);
	if (kind->leave)
		kind->leave(l);
}

/* Answer the lines of the batch, and make it empty. */
static void answer_batch(struct batch *b)
{
	if (!b->count)
		return;
	if (b->kind->begin)
		b->kind->begin(b->context);
	if (b->key_count >= b->kind->least) {
		sort_keys(b);
		look_up_all(b);
	}
	for (size_t i = 0; i < b->count; i++)
		write_answer(b, &b->questions[i]);
	if (b->kind->end)
		b->kind->end(b->context, b->questions, b->count);
	b->count = b->key_count = 0;
	b->several = false;
}

/* Add the LENGTH bytes at TEXT, a line, to the batch. */
static void add_line(struct batch *b, const char *text, size_t length)
{
	struct lookup_question *q = &b->questions[b->count];
	struct gsym_sort_item *key = &b->keys[b->key_count];

	*q = (struct lookup_question){ .text = text,
				      .length = (uint32_t)length };
	if (b->kind->read(b->context, &b->workers[0]->l, q)) {
		*key = (struct gsym_sort_item){
			q->address, (uint32_t)b->count, q->file
		};
		b->several |= key->extra != b->keys[0].extra;
		b->key_count++;
	}
	b->count++;
	if (b->count >= b->most || b->count == LOOKUP_BATCH)
		answer_batch(b);
}

/* Answer the lines from AT to END.  The last one ends with a line feed. */
static void answer_lines(struct batch *b, const char *at, const char *end)
{
	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));

		add_line(b, at, (size_t)(feed - at));
		at = feed + 1;
	}
	answer_batch(b);
}

/* Answer a line without a line feed: the end of the input, or the start of a
 * line that is too long, whose rest is skipped. */
static void answer_part(struct batch *b, const char *text, size_t length)
{
	add_line(b, text, length);
	answer_batch(b);
}

/* ---- standard input ------------------------------------------------------ */

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

static void read_lines(struct batch *b)
{
	struct lookup *l = &b->workers[0]->l;
	size_t held = 0, n;	/* bytes of an incomplete line in the input */
	bool skipping = false;	/* the rest of a line that is too long comes
				 * next */

	while ((n = read_some(l, b->input + held, INPUT_CAPACITY - held)) > 0) {
		char *at = b->input, *end = at + held + n;
		char *last = memrchr(at + held, '\n', n);

		if (last && skipping) {
			at = (char *)memchr(at, '\n', (size_t)(end - at)) + 1;
			skipping = false;
		}
		if (last && at <= last)
			answer_lines(b, at, last + 1);
		if (last)
			at = last + 1;
		held = (size_t)(end - at);
		if (held > b->kind->longest) {
			if (!skipping)
				answer_part(b, at, held);
			skipping = true;
		}
		if (skipping)
			held = 0;
		memmove(b->input, at, held);
	}
	if (held)
		answer_part(b, b->input, held);
}

/* Make worker INDEX of B.  Dies if memory runs out. */
static void start_worker(struct batch *b, uint32_t index,
			 const struct lookup *l)
{
	/* The pages of its arrays are used as far as batches reach. */
	struct worker *w = must_have(calloc(1, sizeof(*w)));

	w->l = *l;
	w->batch = b;
	w->index = index;
	if (index)
		lookup_start(&w->l);
	out_init_memory(&w->answers, l->out.colour);
	b->workers[index] = w;
}

/* Add what worker W counted to L, and end it. */
static void end_worker(struct worker *w, struct lookup *l)
{
	l->counts.refused += w->l.counts.refused;
	l->counts.found += w->l.counts.found;
	l->counts.missed += w->l.counts.missed;
	l->counts.gaps += w->l.counts.gaps;
	l->counts.damaged += w->l.counts.damaged;
	l->ambiguous += w->l.ambiguous;
	l->decimal |= w->l.decimal;
	lookup_end(&w->l);
}

void lookup_batches(struct lookup *l, const struct lookup_kind *kind,
		    void *context, unsigned threads)
{
	struct batch *b = must_have(calloc(1, sizeof(*b)));

	b->kind = kind;
	b->context = context;
	b->threads = threads;
	b->terminal = isatty(l->out.fd);
	b->most = LOOKUP_ANSWER_BYTES / 8 * 7 / ANSWER_GUESS * threads;
	b->workers = must_have(calloc(threads, sizeof(struct worker *)));
	for (unsigned i = 0; i < threads; i++)
		start_worker(b, i, l);
	read_lines(b);
	/* The first worker is a copy of L. */
	*l = b->workers[0]->l;
	for (unsigned i = 0; i < threads; i++) {
		if (i)
			end_worker(b->workers[i], l);
		out_fini(&b->workers[i]->answers);
		free(b->workers[i]);
	}
	free(b->workers);
	free(b);
}
