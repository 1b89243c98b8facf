/* SPDX-License-Identifier: MIT */
/*
 * lookup/stream.c - gsym-lookup --stream: answers lines of build ID and
 * address, for programs that run many addresses of many programs through a
 * pipe.
 *
 * Each line of input gets one line of output, whatever the line holds.  The
 * lines that are there are looked up in the order of build IDs and addresses
 * (batch.c), so that each file is opened once.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/must.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"

enum {
	/* The most build IDs of callers that a batch tells apart, and of all
	 * build IDs. */
	CALLERS = LOOKUP_BATCH / 2,
	IDS = LOOKUP_BATCH + CALLERS,
	/* Slots of the table of build IDs. */
	SLOTS = 2 * LOOKUP_BATCH,
};

struct id {
	uint8_t size;
	uint8_t bytes[STREAM_ID_MAX];
};

/* A slot of the table of build IDs; it is in use if ROUND is that of the
 * stream. */
struct slot {
	uint32_t round;
	uint32_t id;
};

struct stream {
	/* The build IDs of the batch. */
	struct id ids[IDS];
	size_t id_count;
	/* How often a caller has a build ID of its own. */
	size_t callers;
	struct slot slots[SLOTS];
	uint32_t round;
	/* A secret of the process, so that nobody can make build IDs that share
	 * a slot. */
	uint64_t seed;
	/* Build IDs that were looked up since the demanglers were empty, and
	 * whether they have to forget their names after each file. */
	uint64_t files;
	bool forget;
	struct gsym_demangler *demangler;
	struct source *source;
	uint64_t max_open, retry;
	/* When missing files were last forgotten, in milliseconds. */
	int64_t retried;
	uint64_t lines, counts[STREAM_STATUSES];
};

/* ---- the batch ----------------------------------------------------------- */

static uint64_t hash_id(uint64_t seed, const uint8_t *id, size_t size)
{
	uint64_t hash = seed ^ size;

	for (size_t i = 0; i < size; i += 8) {
		uint64_t word = 0;

		memcpy(&word, id + i, size - i < 8 ? size - i : 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash = (hash ^ hash >> 32) + seed;
	}
	return hash * 0xd6e8feb86659fd93u >> 32;
}

/* The index of the build ID of LINE in the batch. */
static uint32_t intern_id(struct stream *s, const struct stream_line *line)
{
	uint64_t at = hash_id(s->seed, line->id, line->id_size);
	struct id *id;

	for (;; at++) {
		struct slot *slot = &s->slots[at % SLOTS];

		if (slot->round != s->round) {
			*slot = (struct slot){ s->round,
					       (uint32_t)s->id_count };
			break;
		}
		id = &s->ids[slot->id];
		if (id->size == line->id_size &&
		    memcmp(id->bytes, line->id, id->size) == 0)
			return slot->id;
	}
	id = &s->ids[s->id_count];
	id->size = (uint8_t)line->id_size;
	memcpy(id->bytes, line->id, line->id_size);
	return (uint32_t)s->id_count++;
}

/* Count the build IDs of the callers in LINE among those of the batch. */
static void note_callers(struct stream *s, const struct lookup *l,
			 struct stream_line *line)
{
	bool other;

	/* As a rule callers are in the file that begins the line. */
	if (!memchr(line->callers, ':', line->callers_size))
		return;
	while (line->callers_size && s->callers < CALLERS) {
		stream_take_caller(l, line, &other);
		if (!other)
			continue;
		s->callers++;
		intern_id(s, line);
	}
}

/* See struct lookup_kind. */
static bool read_question(void *context, struct lookup *l,
			  struct lookup_question *q)
{
	struct stream *s = context;
	struct stream_line line;

	stream_parse(l, q->text, q->length, &line);
	q->problem = line.problem;
	q->key = line.key;
	q->key_size = (uint32_t)line.key_size;
	if (line.problem)
		return false;
	q->file = intern_id(s, &line);
	q->address = line.address;
	if (l->of_stack)
		note_callers(s, l, &line);
	return true;
}

static void begin(void *context)
{
	struct stream *s = context;
	int64_t now = clock_milliseconds();

	if (s->retry && now - s->retried >= (int64_t)s->retry * 1000) {
		source_retry(s->source);
		s->retried = now;
	}
	/* Files that were used since the demanglers were empty are all open, as
	 * long as they are not more than the limit. */
	s->files += s->id_count;
	if (s->files > s->max_open) {
		stream_forget_names(s->demangler);
		s->files = s->id_count;
	}
	s->forget = s->id_count > s->max_open || s->callers == CALLERS;
}

static void end(void *context, const struct lookup_question *q, size_t count)
{
	struct stream *s = context;

	for (size_t i = 0; i < count; i++)
		s->counts[q[i].status]++;
	s->lines += count;
	s->id_count = s->callers = 0;
	if (++s->round == 0) {
		memset(s->slots, 0, sizeof(s->slots));
		s->round = 1;
	}
}

/* ---- lookups ------------------------------------------------------------- */

static bool enter(void *context, struct lookup *l, uint32_t file)
{
	const struct stream *s = context;
	const struct id *id = &s->ids[file];
	enum source_answer answer = source_find(
		l->source, id->bytes, id->size, &l->entry, &l->why);

	l->absent = answer == SOURCE_FAILED && l->why.code ? STREAM_UNREADABLE
							   : STREAM_NO_FILE;
	l->reader = gsym_store_reader(l->entry);
	l->forget = s->forget;
	if (s->forget)
		stream_forget_names(l->style.demangler);
	/* A stack may have addresses of other files. */
	return l->entry && !l->of_stack;
}

static void leave(struct lookup *l)
{
	gsym_store_release(l->entry);
	l->entry = NULL;
}

/* Write the answer for COUNT FRAMES. */
static enum stream_status answer_frames(struct lookup *l,
					const struct gsym_frame *frames,
					size_t count)
{
	uint64_t left = FRAMES_BYTES;

	if (frames_take(&left, l->style.demangler, frames, count)) {
		stream_answer(l, frames, count);
		return STREAM_OK;
	}
	stream_answer_empty(l, STREAM_DAMAGED, FRAMES_TOO_LONG);
	return STREAM_DAMAGED;
}

/* Look ADDRESS up, and write the answer. */
static enum stream_status look_up(struct lookup *l, uint64_t address)
{
	struct gsym_match match = { 0 };
	struct gsym_error error = { 0 };
	enum gsym_status status;

	if (!l->entry) {
		stream_answer_empty(l, l->absent,
				    l->absent == STREAM_UNREADABLE
					    ? l->why.message
					    : "no GSYM file with this "
					      "build ID");
		return l->absent;
	}
	status = gsym_lookup(l->reader, address, l->flags, l->frames,
			     LOOKUP_FRAMES, &match, &error);
	if (status == GSYM_OK)
		return answer_frames(l, l->frames,
				     match.frame_count < LOOKUP_FRAMES
					     ? match.frame_count
					     : LOOKUP_FRAMES);
	if (status == GSYM_NOT_FOUND) {
		stream_answer_empty(l, STREAM_NONE,
				    "no function covers the address");
		return STREAM_NONE;
	}
	stream_answer_empty(l, STREAM_DAMAGED, report_reason(status, &error));
	return STREAM_DAMAGED;
}

static void answer(struct lookup *l, struct lookup_question *q,
		   const struct gsym_frame *frames, size_t count)
{
	if (q->problem) {
		q->status = STREAM_BAD;
		stream_answer_empty(l, STREAM_BAD, q->problem);
	} else if (l->of_stack) {
		q->status = stream_stack(l, q);
	} else if (count) {
		q->status = answer_frames(l, frames, count);
	} else {
		q->status = look_up(l, lookup_target(l, q->address));
	}
}

/* ---- the stream ---------------------------------------------------------- */

/* Report what had no answer.  Returns the exit status. */
static int verdict(const struct stream *s, const struct lookup *l)
{
	const uint64_t *counts = s->counts;

	if (counts[STREAM_UNREADABLE])
		warn("lines of files that cannot be opened: %" PRIu64,
		     counts[STREAM_UNREADABLE]);
	if (counts[STREAM_OK] != s->lines)
		warn("lines: %" PRIu64 "; not BUILD-ID %s: %" PRIu64
		     ", without a GSYM file: %" PRIu64
		     ", not covered: %" PRIu64 ", damaged: %" PRIu64,
		     s->lines, l->of_stack ? "STACK" : "ADDRESS",
		     counts[STREAM_BAD], counts[STREAM_NO_FILE],
		     counts[STREAM_NONE], counts[STREAM_DAMAGED]);
	if (!l->strict)
		return STATUS_DONE;
	if (counts[STREAM_BAD] || counts[STREAM_DAMAGED] ||
	    counts[STREAM_UNREADABLE])
		return STATUS_ERROR;
	return counts[STREAM_OK] == s->lines ? STATUS_DONE : STATUS_NO;
}

/* Choose the secret of the process. */
static uint64_t choose_seed(void)
{
	uint64_t seed = (uint64_t)clock_milliseconds();
	FILE *random = fopen("/dev/urandom", "re");

	if (random) {
		setvbuf(random, NULL, _IONBF, 0);
		if (fread(&seed, sizeof(seed), 1, random) != 1)
			seed ^= (uintptr_t)random;
		fclose(random);
	}
	return seed;
}

int lookup_stream(struct lookup *l)
{
	static const struct lookup_kind kind = {
		.longest = STREAM_LINE_MAX,
		.least = 1,
		.read = read_question,
		.begin = begin,
		.enter = enter,
		.answer = answer,
		.leave = leave,
		.end = end,
	};
	/* The pages of its arrays are used as far as batches reach. */
	struct stream *s = must_have(calloc(1, sizeof(*s)));
	int status;

	lookup_start(l);
	s->round = 1;
	s->seed = choose_seed();
	s->demangler = l->style.demangler;
	s->source = l->source;
	s->max_open = l->max_open;
	s->retry = l->retry;
	s->retried = clock_milliseconds();
	gsym_store_set_limit(source_store(l->source), l->max_open);
	report_terminal(l->of_stack ? "lines of build ID and stack"
				    : "lines of build ID and address");
	lookup_batches(l, &kind, s, l->threads);
	out_flush(&l->out);
	status = verdict(s, l);
	lookup_end(l);
	free(s);
	return status;
}
