/* SPDX-License-Identifier: MIT */
/*
 * lookup/batch.c - answers the lines of standard input.
 *
 * A program that writes a line and waits for its answer gets the answer before
 * it writes more.  A program that writes many lines is served by workers, each
 * of which has a thread.  A worker takes a block of the lines that are there,
 * looks them up in the order of files and addresses, and keeps the answers in
 * memory.  It puts them in the order of the lines and, when the blocks before
 * are written, writes them.  So only reading and writing are done by one worker
 * at a time, and the output is the same for any number of workers.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "common/out.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"

/* ---- standard input as blocks of lines ----------------------------------- */

/*
 * A block has the lines that are there.  Only if there is no line at all the
 * reader waits: a program that writes a line gets its answer before it writes
 * the next one.
 */

/* The bytes of the text of a block of lines. */
enum { LOOKUP_TEXT = 4 << 20 };

/* Standard input, as far as it was taken apart. */
struct lines {
	/* The most bytes of a line.  Of a longer one some more are read, so
	 * that who reads the line notices; the rest is skipped. */
	size_t longest;
	/* The rest of a line that is too long comes next. */
	bool skipping;
	bool ended;
	/* Not 0: reading has failed, with this errno. */
	int error;
	/* Bytes that were read after the last line of the last block. */
	char *rest;
	size_t rest_size;
};

enum {
	/* The bytes that are read at once, as many as a pipe of Linux holds.
	 * Fewer would cost time; of more a larger rest would be copied from
	 * block to block. */
	PIECE = 64 << 10,
	/* The milliseconds in which a program that has filled the pipe gets the
	 * processor to fill it again.  Large blocks are answered in less
	 * time. */
	PATIENCE = 4,
};

/* A block that is being read. */
struct block {
	struct lines *in;
	char *text;
	struct lookup_question *lines;
	size_t count, most;
	/* The start of the next line in TEXT, the end of the bytes that were
	 * searched for line feeds, and the end of all bytes. */
	size_t at, searched, end;
	/* The last read has brought a whole piece. */
	bool whole;
};

/* Begin with lines of at most LONGEST bytes. */
static void lines_init(struct lines *in, size_t longest)
{
	*in = (struct lines){
		.longest = longest,
		.rest = must_have(malloc(longest + PIECE)),
	};
}

static void lines_fini(struct lines *in)
{
	free(in->rest);
}

/* Add the bytes up to END as a line of B, unless they are the end of a line
 * that was too long. */
static void add_line(struct block *b, size_t end)
{
	if (!b->in->skipping)
		b->lines[b->count++] = (struct lookup_question){
			.text = b->text + b->at,
			.length = (uint32_t)(end - b->at),
		};
}

/* Add the complete lines of B, as many as there is room for. */
static void add_lines(struct block *b)
{
	while (b->count < b->most) {
		char *feed = memchr(b->text + b->searched, '\n',
				    b->end - b->searched);

		b->searched = b->end;
		if (!feed)
			return;
		add_line(b, (size_t)(feed - b->text));
		b->in->skipping = false;
		b->at = b->searched = (size_t)(feed - b->text) + 1;
	}
}

/* Add the start of a line that is too long, and skip the rest of the line. */
static void cut_line(struct block *b)
{
	if (b->count == b->most)
		return;
	if (b->end - b->at > b->in->longest) {
		add_line(b, b->end);
		b->in->skipping = true;
	}
	if (b->in->skipping)
		b->at = b->end;
	/* A line of any length may be skipped, and no line is there yet. */
	if (b->in->skipping && !b->count)
		b->at = b->searched = b->end = 0;
}

/* Read more bytes to B.  Returns false at the end of the input, and after a
 * failure. */
static bool read_more(struct block *b)
{
	/* The thread of the block before writes its answers meanwhile. */
	struct out none = { .fd = -1 };
	ssize_t n = out_read_input(&none, b->text + b->end, PIECE);

	b->whole = n == PIECE;
	if (n > 0) {
		b->end += (size_t)n;
		return true;
	}
	b->in->ended = true;
	b->in->error = n < 0 ? errno : 0;
	if (n == 0 && b->end > b->at)
		add_line(b, b->end);
	b->at = b->end;
	return false;
}

/* Read a block of lines: their bytes to TEXT, which has room for LOOKUP_TEXT,
 * and the TEXT and LENGTH of up to MOST lines, not 0, to LINES.  Waits only if
 * no line is there.  *FULL: the block ends because there was no room, or the
 * lines are MOST.  Returns the number of lines; 0 at the end of the input. */
static size_t lines_read(struct lines *in, char *text,
			 struct lookup_question *lines, size_t most, bool *full)
{
	struct block b = { .in = in,
			   .text = text,
			   .lines = lines,
			   .most = most,
			   .end = in->rest_size };

	*full = false;
	if (in->ended)
		return 0;
	memcpy(text, in->rest, in->rest_size);
	do {
		add_lines(&b);
		cut_line(&b);
		*full = b.count == most || LOOKUP_TEXT - b.end < PIECE;
	} while (!*full &&
		 (!b.count || out_input_wait(b.whole ? PATIENCE : 0)) &&
		 read_more(&b));
	in->rest_size = b.end - b.at;
	memcpy(in->rest, text + b.at, in->rest_size);
	return b.count;
}

/* ---- blocks on several threads ------------------------------------------- */

/* The lines of the block after which further workers are started. */
#define THREAD_LINES GSYM_LIMIT(1024, 1)
enum {
	/* A block of several workers may have so many lines at least: small
	 * blocks take more time for a line. */
	SMALL_BATCH = 32 << 10,
	/* The frames that gsym_lookup_many fills in at once. */
	FRAMES = 32 << 10,
	/* The bytes of an answer, as long as no answer was seen.  Answers
	 * without room in memory are looked up twice, so the guess is high. */
	ANSWER_GUESS = 8192,
};

/* A large answer that belongs behind the first AT bytes of the text. */
struct large {
	size_t at;
	const struct lookup_question *question;
};

/* A thread, and the block that it answers. */
struct worker {
	struct lookup l;
	struct batch *batch;
	void *context;
	/* The number of the block.  TURN: the blocks before it are written. */
	uint64_t block;
	bool turn;
	/* The worker waits for its turn; PASSED tells that it has come. */
	bool waits;
	pthread_cond_t passed;
	/* The answers, in the order of the keys. */
	struct out answers;
	/* The answers that wait for the turn, in the order of the lines.  LARGE
	 * are those that stay where they are. */
	struct out text;
	struct {
		GSYM_VEC(struct large);
	} large;
	struct lookup_question questions[LOOKUP_BATCH];
	size_t count;
	/* The lines to look up before they are written, by index, to be sorted
	 * by file (EXTRA) and address (KEY). */
	struct gsym_sort_item keys[LOOKUP_BATCH], spare[LOOKUP_BATCH];
	size_t key_count;
	/* The keys belong to several files. */
	bool several;
	/* Addresses of one file, and their frames. */
	uint64_t addresses[LOOKUP_BATCH];
	uint32_t first[LOOKUP_BATCH + 1];
	struct gsym_frame frames[FRAMES];
	char input[LOOKUP_TEXT];
};

/* What the workers share. */
struct batch {
	const struct lookup_kind *kind;
	char *contexts;
	struct worker **workers;
	unsigned threads;
	/* The output is a terminal. */
	bool terminal;
	/* The most bytes of answers, and of answers in the order of the lines,
	 * that a worker keeps in memory. */
	size_t memory;
	/* The most lines of a block, and the most by the bytes of an answer on
	 * the average. */
	size_t lines;
	atomic_size_t most;
	/* Held to read; the input, and the numbers of blocks and of lines that
	 * were read. */
	pthread_mutex_t reading;
	struct lines input;
	uint64_t blocks, lines_read;
	/* Held to change TURN, the number of blocks that were written.  The
	 * worker of the next block owns OUT. */
	pthread_mutex_t waiting;
	uint64_t turn;
	struct out out;
};

/* ---- lookups ------------------------------------------------------------- */

/* The keys of one file that a worker looks up. */
struct run {
	struct worker *w;
	/* The next key, and the end of the keys. */
	const struct gsym_sort_item *key, *end;
};

/* The line of the next key. */
static struct lookup_question *question_of(const struct run *r)
{
	return &r->w->questions[r->key->index];
}

/* Write the answer to Q, which has the COUNT frames at FRAMES, to the memory of
 * R's worker.  Returns false if there is no room. */
static bool keep_answer(struct run *r, struct lookup_question *q,
			const struct gsym_frame *frames, size_t count)
{
	struct batch *b = r->w->batch;
	struct lookup *l = &r->w->l;
	struct lookup_counts before = l->counts;

	if (l->out.used >= b->memory)
		return false;
	q->at = (uint32_t)l->out.used;
	out_mark(&l->out);
	b->kind->answer(l, q, frames, count);
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
	const struct lookup_question *first = question_of(r);
	struct lookup_counts before = r->w->l.counts, one;
	uint64_t address = r->key->key;

	if (!keep_answer(r, question_of(r), frames, count))
		return false;
	one = r->w->l.counts;
	while (++r->key < r->end && r->key->key == address) {
		struct lookup_question *q = question_of(r);

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
				     count - from, w->l.asked->flags, w->frames,
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
	const struct lookup *l = &r->w->l;
	size_t count = 0;

	for (const struct gsym_sort_item *k = r->key; k < r->end; k++)
		if (k == r->key || k->key != k[-1].key)
			r->w->addresses[count++] = lookup_target(l, k->key);
	return answer_many(r, count);
}

/* Look up the keys of W, as many as its memory holds the answers of. */
static void look_up_keys(struct worker *w)
{
	const struct lookup_kind *kind = w->batch->kind;
	const struct gsym_sort_item *end = w->keys + w->key_count;
	struct run r = { .w = w, .key = w->keys, .end = w->keys };
	size_t average;
	bool more = true;

	w->answers.used = 0;
	w->l.out = w->answers;
	while (more && r.end < end) {
		r.key = r.end;
		while (r.end < end && r.end->extra == r.key->extra)
			r.end++;
		more = kind->enter(w->context, &w->l, r.key->extra)
			       ? look_up_together(&r)
			       : look_up_each(&r);
		if (kind->leave)
			kind->leave(&w->l);
	}
	w->answers = w->l.out;
	average = w->answers.used / ((size_t)(r.key - w->keys) + 1) + 1;
	atomic_store(&w->batch->most, w->batch->memory / 8 * 7 / average);
}

/* Sort the keys by file and address; equal ones keep their order. */
static void sort_keys(struct worker *w)
{
	struct gsym_sort_item *keys = w->keys;
	size_t count = w->key_count, end;

	for (size_t i = 0; w->several && i < count; i++)
		keys[i].key = keys[i].extra;
	gsym_sort_by_key(keys, count, w->spare);
	for (size_t i = 0; w->several && i < count; i++)
		keys[i].key = w->questions[keys[i].index].address;
	for (size_t at = 0; w->several && at < count; at = end) {
		for (end = at; end < count && keys[end].extra == keys[at].extra;
		     end++)
			;
		gsym_sort_by_key(keys + at, end - at, w->spare);
	}
}

/* ---- writing ------------------------------------------------------------- */

/* Whether all blocks before that of W are written. */
static bool has_turn(struct worker *w)
{
	struct batch *b = w->batch;

	pthread_mutex_lock(&b->waiting);
	w->turn = b->turn == w->block;
	pthread_mutex_unlock(&b->waiting);
	return w->turn;
}

/* Write the answers that W has put in order. */
static void put_text(struct worker *w)
{
	struct out *out = &w->batch->out;
	size_t at = 0;

	for (size_t i = 0; i < w->large.count; i++) {
		const struct large *large = &w->large.items[i];

		out_bytes(out, w->text.buffer + at, large->at - at);
		out_bytes(out, w->answers.buffer + large->question->at,
			  large->question->size);
		at = large->at;
	}
	out_bytes(out, w->text.buffer + at, w->text.used - at);
	w->text.used = w->large.count = 0;
}

/* Wait until all blocks before that of W are written, and write the answers
 * that W has put in order. */
static void take_turn(struct worker *w)
{
	struct batch *b = w->batch;

	if (w->turn)
		return;
	pthread_mutex_lock(&b->waiting);
	w->waits = true;
	while (b->turn != w->block)
		pthread_cond_wait(&w->passed, &b->waiting);
	w->waits = false;
	pthread_mutex_unlock(&b->waiting);
	w->turn = true;
	put_text(w);
}

/* Write all answers of the block, and let the next block be written. */
static void pass_turn(struct worker *w)
{
	struct batch *b = w->batch;

	take_turn(w);
	out_flush(&b->out);
	w->turn = false;
	pthread_mutex_lock(&b->waiting);
	b->turn++;
	/* Only the worker of the next block is woken. */
	for (unsigned i = 0; i < b->threads; i++)
		if (b->workers[i] && b->workers[i]->waits &&
		    b->workers[i]->block == b->turn)
			pthread_cond_signal(&b->workers[i]->passed);
	pthread_mutex_unlock(&b->waiting);
}

/* Write the key of Q to OUT. */
static void put_key(const struct worker *w, const struct lookup_question *q,
		    struct out *out)
{
	if (!w->l.asked->keys)
		return;
	/* A program gets the bytes of its keys, a terminal none that controls
	 * it. */
	if (w->batch->terminal)
		out_foreign_bytes(out, q->key, q->key_size);
	else
		out_bytes(out, q->key, q->key_size);
	out_bytes(out, "\t", 1);
}

/* Look Q up, and write the answer. */
static void look_up_now(struct worker *w, struct lookup_question *q)
{
	const struct lookup_kind *kind = w->batch->kind;

	take_turn(w);
	put_key(w, q, &w->batch->out);
	w->l.out = w->batch->out;
	if (!q->problem)
		kind->enter(w->context, &w->l, q->file);
	kind->answer(&w->l, q, NULL, 0);
	if (kind->leave)
		kind->leave(&w->l);
	w->batch->out = w->l.out;
}

/* Put the answers of the block in the order of the lines. */
static void put_answers(struct worker *w)
{
	struct batch *b = w->batch;
	struct lookup_question *q = w->questions;

	has_turn(w);
	for (const struct lookup_question *end = q + w->count; q < end; q++) {
		struct out *out;

		if (!q->size) {
			look_up_now(w, q);
			continue;
		}
		if (w->text.used >= b->memory)
			take_turn(w);
		out = w->turn ? &b->out : &w->text;
		put_key(w, q, out);
		if (!w->turn && q->size >= OUT_RESERVE)
			*must_push(&w->large) =
				(struct large){ w->text.used, q };
		else
			out_bytes(out, w->answers.buffer + q->at, q->size);
	}
}

/* ---- blocks -------------------------------------------------------------- */

/* Answer the block of W. */
static void answer_block(struct worker *w)
{
	const struct lookup_kind *kind = w->batch->kind;

	w->key_count = 0;
	w->several = false;
	for (size_t i = 0; i < w->count; i++) {
		struct lookup_question *q = &w->questions[i];

		if (!kind->read(w->context, &w->l, q))
			continue;
		w->keys[w->key_count] =
			(struct gsym_sort_item){ q->address, (uint32_t)i,
						 q->file };
		w->several |= q->file != w->keys[0].extra;
		w->key_count++;
	}
	if (kind->begin)
		kind->begin(w->context, &w->l);
	if (w->key_count >= kind->least) {
		sort_keys(w);
		look_up_keys(w);
	}
	put_answers(w);
	pass_turn(w);
	if (kind->end)
		kind->end(w->context, w->questions, w->count);
}

/* The most lines of the next block.  The first blocks of several workers are
 * small, so that no worker has all lines of a small input. */
static size_t most_lines(const struct batch *b)
{
	size_t share = (size_t)(b->lines_read / b->threads);
	size_t most = b->lines, fit = atomic_load(&b->most);

	if (b->threads > 1 && share < most)
		most = share > THREAD_LINES ? share : THREAD_LINES;
	if (fit < most)
		most = fit;
	return most ? most : 1;
}

/* Read a block.  Returns false at the end of the input.  *FULL: there may be
 * more lines. */
static bool read_block(struct worker *w, bool *full)
{
	struct batch *b = w->batch;

	pthread_mutex_lock(&b->reading);
	w->count = lines_read(&b->input, w->input, w->questions, most_lines(b),
			      full);
	b->lines_read += w->count;
	if (w->count)
		w->block = b->blocks++;
	pthread_mutex_unlock(&b->reading);
	return w->count;
}

/* Answer blocks with the struct worker * ITEM, up to the end of the input. */
static void serve(void *item)
{
	struct worker *w = *(struct worker **)item;
	bool full;

	while (read_block(w, &full))
		answer_block(w);
}

/* Answer small blocks with the first worker, up to a full one.  Returns false
 * at the end of the input. */
static bool serve_alone(struct batch *b)
{
	bool full = false;

	while (!full) {
		if (!read_block(b->workers[0], &full))
			return false;
		answer_block(b->workers[0]);
	}
	return true;
}

/* ---- workers ------------------------------------------------------------- */

/* Make worker INDEX of B.  Dies if memory runs out. */
static void start_worker(struct batch *b, unsigned index,
			 const struct lookup *l)
{
	/* The pages of its arrays are used as far as blocks reach. */
	struct worker *w = must_have(calloc(1, sizeof(*w)));

	w->l = *l;
	w->batch = b;
	pthread_cond_init(&w->passed, NULL);
	w->context = b->contexts ? b->contexts + index * b->kind->context_size
				 : NULL;
	if (index)
		lookup_start(&w->l);
	out_init_memory(&w->answers, l->out.colour);
	out_init_memory(&w->text, l->out.colour);
	b->workers[index] = w;
}

/* End W, and add what it has counted to L; NULL: L has it already. */
static void end_worker(struct worker *w, struct lookup *l)
{
	if (l) {
		l->counts.refused += w->l.counts.refused;
		l->counts.found += w->l.counts.found;
		l->counts.missed += w->l.counts.missed;
		l->counts.gaps += w->l.counts.gaps;
		l->counts.damaged += w->l.counts.damaged;
		l->ambiguous += w->l.ambiguous;
		l->decimal |= w->l.decimal;
		lookup_end(&w->l);
	}
	pthread_cond_destroy(&w->passed);
	out_fini(&w->answers);
	out_fini(&w->text);
	gsym_vec_fini(&w->large);
	free(w);
}

/* Answer all lines with the workers of B, which are as L. */
static void serve_all(struct batch *b, const struct lookup *l)
{
	start_worker(b, 0, l);
	if (b->threads == 1) {
		serve(b->workers);
		return;
	}
	if (!serve_alone(b))
		return;
	for (unsigned i = 1; i < b->threads; i++)
		start_worker(b, i, l);
	run_threads(serve, b->workers, sizeof(*b->workers), b->threads);
}

/* The most bytes of answers, and of answers in order, that each of THREADS
 * workers keeps: one worker has no answers that wait, and eight have as many as
 * all may have. */
static size_t memory_of(unsigned threads)
{
	if (threads == 1)
		return LOOKUP_ANSWER_BYTES;
	return LOOKUP_ANSWER_BYTES * 4 / (threads < 8 ? 8 : threads);
}

void lookup_batches(struct lookup *l, const struct lookup_kind *kind,
		    void *contexts, unsigned threads)
{
	struct batch b = {
		.kind = kind,
		.contexts = contexts,
		.threads = threads,
		.terminal = isatty(l->out.fd),
		.out = l->out,
		.memory = memory_of(threads),
		.lines = LOOKUP_BATCH / threads,
		.reading = PTHREAD_MUTEX_INITIALIZER,
		.waiting = PTHREAD_MUTEX_INITIALIZER,
	};

	if (b.lines < SMALL_BATCH)
		b.lines = SMALL_BATCH;
	atomic_init(&b.most, b.memory / 8 * 7 / ANSWER_GUESS);
	b.workers = must_have(calloc(threads, sizeof(*b.workers)));
	lines_init(&b.input, kind->longest);
	serve_all(&b, l);
	/* The first worker is a copy of L. */
	*l = b.workers[0]->l;
	l->out = b.out;
	for (unsigned i = 0; i < threads && b.workers[i]; i++)
		end_worker(b.workers[i], i ? l : NULL);
	free(b.workers);
	lines_fini(&b.input);
	if (b.input.error)
		die("cannot read standard input: %s", strerror(b.input.error));
}
