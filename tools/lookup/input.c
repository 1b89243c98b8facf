/* SPDX-License-Identifier: MIT */
/*
 * lookup/input.c - addresses from standard input.
 *
 * Two kinds of users want opposite things.  Whoever sends one address and
 * waits gets the answer before we wait for more; whoever sends masses of
 * them is served by large reads and writes, and by all processors.  What is
 * waiting in the input tells the two apart.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/report.h"
#include "common/threads.h"
#include "lookup/lookup.h"

/* Bytes that are read before they are answered, and those that are worth a
 * thread. */
enum { INPUT_CAPACITY = 2 << 20, THREAD_BYTES = 16 << 10 };

static bool input_waits(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	return poll(&input, 1, 0) != 0;
}

static size_t read_once(struct lookup *l, char *to, size_t size)
{
	for (;;) {
		ssize_t n = read(STDIN_FILENO, to, size);
		if (n >= 0)
			return n;
		if (errno == EAGAIN) {
			struct pollfd input = { .fd = STDIN_FILENO,
						.events = POLLIN };
			out_flush(&l->out);
			poll(&input, 1, -1);
		} else if (errno != EINTR) {
			int why = errno;
			out_flush(&l->out);
			die("cannot read standard input: %s", strerror(why));
		}
	}
}

/* Read until TO is full or nothing more waits; 0 at the end of the input. */
static size_t read_more(struct lookup *l, char *to, size_t size)
{
	size_t got = 0;
	if (!input_waits())
		out_flush(&l->out);
	do {
		size_t n = read_once(l, to + got, size - got);
		if (n == 0)
			break;
		got += n;
	} while (got < size && input_waits());
	return got;
}

/* Answer the lines that a thread was given, or as many as it can keep the
 * answers of. */
static void answer_lines(void *item)
{
	struct lookup *l = item;
	while (l->lines < l->lines_end && lookup_some_lines(l))
		;
}

/* Answer the lines from AT to END on COUNT threads; WORKERS[0] writes to the
 * output, the others collect in memory what comes behind. */
static void answer_block(struct lookup *workers, unsigned count,
			 const char *at, const char *end)
{
	unsigned used = (end - at) / THREAD_BYTES;
	used = used < 1 ? 1 : used > count ? count : used;
	for (unsigned i = 0; i < used; i++) {
		const char *stop = end;
		if (i + 1 < used) {
			stop = at + (end - at) / (used - i);
			/* There is one: the last line ends with it. */
			stop = (const char *)memchr(stop, '\n', end - stop) + 1;
		}
		workers[i].lines = at;
		workers[i].lines_end = at = stop;
	}
	threads_run(answer_lines, workers, sizeof(*workers), used);
	for (unsigned i = 1; i < used; i++) {
		out_join(&workers[0].out, &workers[i].out);
		/* What it had no room for. */
		workers[0].lines = workers[i].lines;
		workers[0].lines_end = workers[i].lines_end;
		answer_lines(&workers[0]);
	}
}

static void answer_all(struct lookup *workers, unsigned count, char *buffer)
{
	struct lookup *l = &workers[0];
	size_t held = 0, n;
	bool skipping = false; /* the rest of a line that is too long */
	while ((n = read_more(l, buffer + held, INPUT_CAPACITY - held)) > 0) {
		char *at = buffer, *end = buffer + held + n;
		char *last = memrchr(buffer + held, '\n', n);
		if (last && skipping) {
			at = (char *)memchr(at, '\n', end - at) + 1;
			skipping = false;
		}
		if (last && at <= last)
			answer_block(workers, count, at, last + 1);
		if (last)
			at = last + 1;
		held = end - at;
		if (held > LOOKUP_LINE_MAX) {
			if (!skipping)
				lookup_line(l, at, held);
			skipping = true;
			held = 0;
		}
		memmove(buffer, at, held);
	}
	if (!skipping)
		lookup_line(l, buffer, held);
}

void lookup_input(struct lookup *l)
{
	/* In a traceback answers depend on the one before. */
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
	}
	answer_all(workers, count, buffer);

	/* The first one is L itself, who goes on. */
	*l = workers[0];
	for (unsigned i = 1; i < count; i++) {
		l->refused += workers[i].refused;
		l->missed += workers[i].missed;
		l->damaged += workers[i].damaged;
		out_fini(&workers[i].out);
		lookup_end(&workers[i]);
	}
	free(workers);
	free(buffer);
}
