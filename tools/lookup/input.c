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

#include "common/input.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"

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
		ssize_t n = input_read(&l->out, to + got, size - got);
		if (n < 0) {
			int why = errno;
			out_flush(&l->out);
			die("cannot read standard input: %s", strerror(why));
		}
		if (n == 0)
			break;
		got += (size_t)n;
	} while (got < size && input_ready());
	return got;
}

/* Answer the lines of the struct lookup ITEM, or as many as its output has room
 * for. */
static void answer_lines(void *item)
{
	struct lookup *l = item;
	while (l->lines < l->lines_end && lookup_some_lines(l))
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
	/* With --style=go an answer depends on the answer before it. */
	unsigned count = l->style.go ? 1 : l->threads;
	char *buffer = malloc(INPUT_CAPACITY);
	struct lookup *workers = calloc(count, sizeof(*workers));
	if (!buffer || !workers)
		die("out of memory");
	for (unsigned i = 0; i < count; i++) {
		workers[i] = *l;
		if (i > 0) {
			lookup_start(&workers[i]);
			out_init_memory(&workers[i].out, l->out.colour);
		}
		workers[i].batch = lookup_batch_new();
	}
	/* The first pieces are small, until the size of answers is known. */
	struct team team = { workers, count, 8 * THREAD_BYTES };
	lookup_read_lines(&workers[0], &lines, &team, buffer, INPUT_CAPACITY);

	/* The first worker is a copy of L. */
	*l = workers[0];
	for (unsigned i = 0; i < count; i++)
		lookup_batch_free(workers[i].batch);
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
