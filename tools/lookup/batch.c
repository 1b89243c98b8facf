/* SPDX-License-Identifier: MIT */
/*
 * lookup/batch.c - answers many lines at once.  They are looked up in the order
 * of their addresses, and answered in the order of the input.
 *
 * Lookups in a large file spend most of their time waiting for memory.  In the
 * order of addresses, a lookup finds data in the caches that the lookup before
 * it used: a million random addresses of a kernel take half the time.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/report.h"
#include "lookup/lookup.h"

enum {
	/* The most lines of a batch. */
	BATCH_LINES = 64 << 10,
	/* The fewest addresses that are worth sorting. */
	BATCH_LEAST = 256,
	/* The most bytes of answers that are kept in memory. */
	ANSWER_BYTES = OUT_MEMORY / 2,
	/* The number of lookups that are prefetched together. */
	AHEAD = 16,
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

/* An address, and the index of the question that asks for it. */
struct key {
	uint64_t address;
	uint32_t question;
};

struct lookup_batch {
	struct question questions[BATCH_LINES];
	size_t count;
	/* The questions that are addresses, to be sorted by address. */
	struct key keys[BATCH_LINES];
	size_t key_count;
	/* Scratch memory for sorting. */
	struct key spare[BATCH_LINES];
	/* An output in memory. */
	struct out answers;
};

struct lookup_batch *lookup_batch_new(void)
{
	struct lookup_batch *b = malloc(sizeof(*b));
	if (!b)
		die("out of memory");
	out_init_memory(&b->answers, false);
	return b;
}

void lookup_batch_free(struct lookup_batch *b)
{
	out_fini(&b->answers);
	free(b);
}

/* Sort the keys by the byte of the address from bit SHIFT on.  Keys with equal
 * bytes keep their order. */
static void sort_by_byte(struct lookup_batch *b, unsigned shift)
{
	size_t starts[257] = { 0 };
	for (size_t i = 0; i < b->key_count; i++)
		starts[(b->keys[i].address >> shift & 255) + 1]++;
	for (size_t i = 0; i < 256; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < b->key_count; i++)
		b->spare[starts[b->keys[i].address >> shift & 255]++] =
			b->keys[i];
	memcpy(b->keys, b->spare, b->key_count * sizeof(*b->keys));
}

/* Sort the keys by address.  Bytes that are equal in all keys are skipped. */
static void sort_keys(struct lookup_batch *b)
{
	uint64_t differing = 0;
	for (size_t i = 1; i < b->key_count; i++)
		differing |= b->keys[i].address ^ b->keys[0].address;
	for (unsigned shift = 0; shift < 64; shift += 8)
		if (differing >> shift & 255)
			sort_by_byte(b, shift);
}

/* Fill the batch with lines of L, as many as fit. */
static void take_lines(struct lookup *l, struct lookup_batch *b)
{
	b->count = b->key_count = 0;
	while (l->lines < l->lines_end && b->count < BATCH_LINES) {
		const char *at = l->lines;
		const char *feed = memchr(at, '\n', l->lines_end - at);
		struct key *key = &b->keys[b->key_count];
		b->questions[b->count] = (struct question){
			.line = at, .length = feed - at
		};
		if (feed - at <= LOOKUP_LINE_MAX &&
		    lookup_is_address(l, at, feed - at, &key->address)) {
			key->question = b->count;
			b->key_count++;
			lookup_note_base(l, at, feed - at);
		}
		b->count++;
		l->lines = feed + 1;
	}
}

/* Prefetch the first AHEAD of COUNT keys, so that their waits for memory
 * overlap. */
static void prefetch(struct lookup *l, const struct key *keys, size_t count)
{
	uint64_t addresses[AHEAD];
	if (count > AHEAD)
		count = AHEAD;
	for (size_t i = 0; i < count; i++)
		addresses[i] = keys[i].address - l->adjust;
	gsym_prefetch(l->reader, addresses, count);
}

/* Write the answers to the keys, in their order, to memory, as many as fit. */
static void collect_answers(struct lookup *l, struct lookup_batch *b)
{
	struct out out = l->out;
	b->answers.used = 0;
	b->answers.colour = out.colour;
	l->out = b->answers;
	for (size_t i = 0; i < b->key_count && l->out.used < ANSWER_BYTES;
	     i++) {
		if (i % AHEAD == 0)
			prefetch(l, &b->keys[i], b->key_count - i);
		struct question *q = &b->questions[b->keys[i].question];
		uint64_t damaged = l->damaged;
		q->at = l->out.used;
		out_mark(&l->out);
		lookup_address(l, b->keys[i].address);
		if (!out_keep(&l->out)) {
			/* The answer does not fit into memory: look the address
			 * up again when its line is answered. */
			l->damaged = damaged;
			break;
		}
		q->size = l->out.used - q->at;
	}
	b->answers = l->out;
	l->out = out;
}

/* Write the answer to Q, from memory or by a lookup.  Returns false if the
 * output of L is in memory and has no room for it. */
static bool answer_one(struct lookup *l, const struct lookup_batch *b,
		       const struct question *q)
{
	uint64_t refused = l->refused, damaged = l->damaged;
	if (l->out.fd < 0 && l->out.used > ANSWER_BYTES)
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
		sort_keys(b);
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
