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

#include "common/must.h"
#include "common/report.h"
#include "common/run.h"
#include "lookup/lookup.h"

/* The most build IDs of callers that a batch tells apart. */
enum { CALLERS = LOOKUP_BATCH / 2 };

struct stream {
	/* The build IDs of the batch. */
	struct gsym_intern ids;
	/* How often a caller has a build ID of its own. */
	size_t callers;
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

/* The number of the build ID of LINE in the batch. */
static uint32_t intern_id(struct stream *s, const struct stream_line *line)
{
	return must_intern(&s->ids, line->id, line->id_size);
}

/* A stream_caller_fn: count the build ID of a caller among those of the
 * batch. */
static void note_caller(void *context, const struct stream_line *line)
{
	struct stream *s = context;

	if (s->callers == CALLERS)
		return;
	s->callers++;
	intern_id(s, line);
}

/* See struct lookup_kind. */
static bool read_question(void *context, struct lookup *l,
			  struct lookup_question *q)
{
	struct stream *s = context;
	struct stream_line line;

	stream_parse(l, q->text, q->length, &line, note_caller, s);
	q->problem = line.problem;
	q->key = line.key;
	q->key_size = (uint32_t)line.key_size;
	if (line.problem)
		return false;
	q->file = intern_id(s, &line);
	q->address = line.address;
	q->callers = line.callers;
	q->callers_size = (uint32_t)line.callers_size;
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
	s->files += s->ids.count;
	if (s->files > s->max_open) {
		stream_forget_names(s->demangler);
		s->files = s->ids.count;
	}
	s->forget = s->ids.count > s->max_open || s->callers == CALLERS;
}

static void end(void *context, const struct lookup_question *q, size_t count)
{
	struct stream *s = context;

	for (size_t i = 0; i < count; i++)
		s->counts[q[i].status]++;
	s->lines += count;
	s->callers = 0;
	gsym_intern_fini(&s->ids);
}

/* ---- lookups ------------------------------------------------------------- */

static bool enter(void *context, struct lookup *l, uint32_t file)
{
	const struct stream *s = context;
	const struct gsym_intern_entry *id = &s->ids.entries[file];
	enum source_answer answer;

	l->id = (const uint8_t *)id->bytes;
	l->id_size = id->length;
	answer = source_find(l->source, l->id, l->id_size, &l->entry, &l->why);
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
	struct stream s = {
		.source = l->source,
		.max_open = l->max_open,
		.retry = l->retry,
		.retried = clock_milliseconds(),
	};
	int status;

	lookup_start(l);
	s.demangler = l->style.demangler;
	gsym_store_set_limit(source_store(l->source), l->max_open);
	report_terminal(l->of_stack ? "lines of build ID and stack"
				    : "lines of build ID and address");
	lookup_batches(l, &kind, &s, l->threads);
	out_flush(&l->out);
	status = verdict(&s, l);
	lookup_end(l);
	return status;
}
