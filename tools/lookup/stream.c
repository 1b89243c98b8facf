/* SPDX-License-Identifier: MIT */
/*
 * lookup/stream.c - gsym-lookup --stream: answers lines of build ID and
 * address, for programs that run many addresses of many programs through a
 * pipe.
 *
 * Each line of input gets one line of output, whatever the line holds.  The
 * lines that are there are answered together: they are looked up in the order
 * of build IDs and addresses, so that each file is opened once, and written in
 * the order of the input.
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
	/* The most lines of a batch. */
	BATCH_LINES = 64 << 10,
	/* Slots of the table of build IDs. */
	SLOTS = 2 * BATCH_LINES,
	/* The bytes of the input that are kept. */
	INPUT_CAPACITY = 4 << 20,
};
/* The fewest lines for which a further thread is started. */
#define THREAD_LINES GSYM_LIMIT(1024, 1)

/* A line and its answer. */
struct question {
	const char *problem;
	const char *key;
	uint32_t key_size;
	/* The index of the build ID in the batch. */
	uint32_t id;
	uint64_t address;
	/* The worker that looked the line up, and where its answer is in the
	 * memory of the worker.  SIZE is 0 if there is no answer yet. */
	uint32_t worker;
	uint32_t size;
	uint32_t at;
	enum stream_status status;
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

struct worker {
	struct lookup l;
	struct stream *stream;
	uint32_t index;
	/* The keys to look up. */
	const struct gsym_sort_item *keys;
	size_t count;
	struct lookup_many *many;
	/* The demangler has to forget its names after each file. */
	bool forget;
	/* Why the last build ID has no file. */
	enum stream_status absent;
	struct gsym_error why;
};

struct stream {
	struct lookup *l;
	struct worker *workers;
	struct question questions[BATCH_LINES];
	size_t count;
	/* The questions to look up, by index; EXTRA is the build ID. */
	struct gsym_sort_item keys[BATCH_LINES], spare[BATCH_LINES];
	size_t key_count;
	/* The build IDs of the batch. */
	struct id ids[BATCH_LINES];
	size_t id_count;
	struct slot slots[SLOTS];
	uint32_t round;
	/* A secret of the process, so that nobody can make build IDs that share
	 * a slot. */
	uint64_t seed;
	/* Build IDs that were looked up since the demanglers were empty. */
	uint64_t files;
	/* When missing files were last forgotten, in milliseconds. */
	int64_t retried;
	uint64_t lines, counts[STREAM_STATUSES];
	char input[INPUT_CAPACITY];
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

/* Make the batch empty. */
static void clear_batch(struct stream *s)
{
	s->count = s->key_count = s->id_count = 0;
	if (++s->round == 0) {
		memset(s->slots, 0, sizeof(s->slots));
		s->round = 1;
	}
}

/* Add the LENGTH bytes at TEXT, a line, to the batch. */
static void add_line(struct stream *s, const char *text, size_t length)
{
	struct question *q = &s->questions[s->count];
	struct stream_line line;

	stream_parse(text, length, s->l->keys, s->l->hex, &line);
	*q = (struct question){
		.problem = line.problem,
		.key = line.key,
		.key_size = (uint32_t)line.key_size,
		.status = STREAM_BAD,
	};
	if (!line.problem) {
		q->id = intern_id(s, &line);
		q->address = line.address;
		if (s->l->return_addresses && q->address > 0)
			q->address--;
		s->keys[s->key_count++] = (struct gsym_sort_item){
			q->address, (uint32_t)s->count, q->id
		};
	}
	s->count++;
	s->lines++;
}

/* ---- lookups ------------------------------------------------------------- */

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

/* Look ADDRESS up in the file of ENTRY, and write the answer.  ENTRY is NULL if
 * there is no file. */
static enum stream_status look_up(struct worker *w,
				  const struct gsym_store_entry *entry,
				  uint64_t address)
{
	struct lookup *l = &w->l;
	struct gsym_match match = { 0 };
	struct gsym_error error = { 0 };
	enum gsym_status status;

	if (!entry) {
		stream_answer_empty(l, w->absent,
				    w->absent == STREAM_UNREADABLE
					    ? w->why.message
					    : "no GSYM file with this "
					      "build ID");
		return w->absent;
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

/* Empty the cache of the demangler, which finds names by their addresses in
 * files that the store may have closed. */
static void forget_names(struct lookup *l)
{
	must(!l->style.demangler ||
	     gsym_demangler_forget(l->style.demangler) == GSYM_OK);
}

/* Find the file of the build ID with index ID, and set W->l.reader.  NULL if
 * there is none. */
static const struct gsym_store_entry *enter(struct worker *w, uint32_t id)
{
	const struct id *bytes = &w->stream->ids[id];
	const struct gsym_store_entry *entry;
	enum source_answer answer = source_find(
		w->l.source, bytes->bytes, bytes->size, &entry, &w->why);

	w->absent = answer == SOURCE_FAILED && w->why.code ? STREAM_UNREADABLE
							   : STREAM_NO_FILE;
	w->l.reader = gsym_store_reader(entry);
	if (w->forget)
		forget_names(&w->l);
	return entry;
}

/* The keys of one build ID that a worker looks up. */
struct run {
	struct worker *w;
	const struct gsym_store_entry *entry;
	/* The next key, and the end of the keys. */
	const struct gsym_sort_item *key, *end;
};

static struct question *question_of(const struct run *r)
{
	return &r->w->stream->questions[r->key->index];
}

/* Write the answer to the next key of the struct run CONTEXT to memory, and
 * give it to all keys of the same address that follow.  FRAMES are its COUNT
 * frames; if there are none, the address is looked up.  Returns false if the
 * memory is used up. */
static bool keep_answer(void *context, size_t index,
			const struct gsym_frame *frames, size_t count)
{
	struct run *r = context;
	struct out *out = &r->w->l.out;
	struct question *first = question_of(r);

	(void)index;
	if (out->used >= LOOKUP_ANSWER_BYTES)
		return false;
	first->worker = r->w->index;
	first->at = (uint32_t)out->used;
	out_mark(out);
	first->status = count ? answer_frames(&r->w->l, frames, count)
			      : look_up(r->w, r->entry, first->address);
	if (!out_keep(out))
		return false;
	first->size = (uint32_t)out->used - first->at;
	while (++r->key < r->end &&
	       question_of(r)->address == first->address) {
		struct question *q = question_of(r);

		q->worker = first->worker;
		q->at = first->at;
		q->size = first->size;
		q->status = first->status;
	}
	return true;
}

/* Look up the keys of R, which have one build ID.  Returns false if the memory
 * for answers is used up. */
static bool look_up_run(struct run *r)
{
	struct lookup_many *many = r->w->many;
	const struct gsym_sort_item *first = r->key;
	uint64_t last = 0;
	size_t count = 0;

	if (!r->entry) {
		while (r->key < r->end && keep_answer(r, 0, NULL, 0))
			;
		return r->key == r->end;
	}
	for (; r->key < r->end; r->key++) {
		uint64_t address = question_of(r)->address;

		if (!count || address != last)
			many->addresses[count++] = address;
		last = address;
	}
	r->key = first;
	return lookup_each(&r->w->l, many, count, keep_answer, r);
}

/* Look the keys of the struct worker ITEM up, as many as its memory holds the
 * answers of. */
static void look_up_keys(void *item)
{
	struct worker *w = item;
	const struct gsym_sort_item *end = w->keys + w->count;
	struct run r = { .w = w, .end = w->keys };
	bool more = true;

	w->l.out.used = 0;
	while (more && r.end < end) {
		r.key = r.end;
		while (r.end < end && r.end->extra == r.key->extra)
			r.end++;
		r.entry = enter(w, r.key->extra);
		more = look_up_run(&r);
		gsym_store_release(r.entry);
	}
}

/* Sort the keys by build ID and address; equal ones keep their order. */
static void sort_keys(struct stream *s)
{
	gsym_sort_by_key(s->keys, s->key_count, s->spare);
	if (s->id_count < 2)
		return;
	for (size_t i = 0; i < s->key_count; i++)
		s->keys[i].key = s->keys[i].extra;
	gsym_sort_by_key(s->keys, s->key_count, s->spare);
}

/* Look all keys up, on several threads if there are many. */
static void look_up_all(struct stream *s)
{
	struct lookup *l = s->l;
	size_t used = s->key_count / THREAD_LINES, at = 0;

	used = used < 1 ? 1 : used > l->threads ? l->threads : used;
	/* Files that were used since the demanglers were empty are all open, as
	 * long as they are not more than the limit. */
	s->files += s->id_count;
	if (s->files > l->max_open) {
		forget_names(&s->workers[0].l);
		s->files = s->id_count;
	}
	for (size_t i = 0; i < used; i++) {
		struct worker *w = &s->workers[i];
		size_t end = s->key_count * (i + 1) / used;

		w->forget = s->id_count > l->max_open;
		w->keys = s->keys + at;
		w->count = end - at;
		at = end;
	}
	run_threads(look_up_keys, s->workers, sizeof(*s->workers),
		    (unsigned)used);
}

/* ---- answers ------------------------------------------------------------- */

/* Look the question Q up again, whose answer was not kept, and write it. */
static enum stream_status answer_now(struct stream *s,
				     const struct question *q)
{
	struct worker *w = &s->workers[0];
	const struct gsym_store_entry *entry = enter(w, q->id);
	struct out out = w->l.out;
	enum stream_status status;

	w->l.out = s->l->out;
	status = look_up(w, entry, q->address);
	s->l->out = w->l.out;
	w->l.out = out;
	gsym_store_release(entry);
	return status;
}

static void answer_one(struct stream *s, struct question *q)
{
	struct out *out = &s->l->out;

	if (s->l->keys) {
		out_bytes(out, q->key, q->key_size);
		out_bytes(out, "\t", 1);
	}
	if (q->problem)
		stream_answer_empty(s->l, STREAM_BAD, q->problem);
	else if (q->size)
		out_bytes(out, s->workers[q->worker].l.out.buffer + q->at,
			  q->size);
	else
		q->status = answer_now(s, q);
	s->counts[q->status]++;
}

/* Answer the lines of the batch. */
static void answer_batch(struct stream *s)
{
	int64_t now = clock_milliseconds();

	if (s->l->retry && now - s->retried >= (int64_t)s->l->retry * 1000) {
		source_retry(s->l->source);
		s->retried = now;
	}
	sort_keys(s);
	look_up_all(s);
	for (size_t i = 0; i < s->count; i++)
		answer_one(s, &s->questions[i]);
	clear_batch(s);
}

/* Answer the lines from AT to END for the struct stream CONTEXT; see struct
 * lookup_lines. */
static void answer_lines(void *context, const char *at, const char *end)
{
	struct stream *s = context;

	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));

		add_line(s, at, (size_t)(feed - at));
		at = feed + 1;
		if (s->count == BATCH_LINES)
			answer_batch(s);
	}
	if (s->count)
		answer_batch(s);
}

static void answer_part(void *context, const char *text, size_t length)
{
	add_line(context, text, length);
	answer_batch(context);
}

/* Report what had no answer.  Returns the exit status. */
static int verdict(const struct stream *s)
{
	const uint64_t *counts = s->counts;

	if (counts[STREAM_UNREADABLE])
		warn("lines of files that cannot be opened: %" PRIu64,
		     counts[STREAM_UNREADABLE]);
	if (counts[STREAM_OK] != s->lines)
		warn("lines: %" PRIu64 "; not BUILD-ID ADDRESS: %" PRIu64
		     ", without a GSYM file: %" PRIu64
		     ", not covered: %" PRIu64 ", damaged: %" PRIu64,
		     s->lines, counts[STREAM_BAD], counts[STREAM_NO_FILE],
		     counts[STREAM_NONE], counts[STREAM_DAMAGED]);
	if (!s->l->strict)
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
	const struct lookup_lines lines = {
		.answer = answer_lines,
		.answer_part = answer_part,
		.most = STREAM_LINE_MAX,
	};
	/* The pages of its arrays are used as far as batches reach. */
	struct stream *s = must_have(calloc(1, sizeof(*s)));
	int status;

	s->workers = must_have(calloc(l->threads, sizeof(*s->workers)));
	s->seed = choose_seed();
	s->l = l;
	s->retried = clock_milliseconds();
	for (unsigned i = 0; i < l->threads; i++) {
		struct worker *w = &s->workers[i];

		w->l = i ? s->workers[0].l : *l;
		w->stream = s;
		w->index = i;
		w->many = must_have(malloc(sizeof(*w->many)));
		lookup_start(&w->l);
		out_init_memory(&w->l.out, false);
	}
	clear_batch(s);
	gsym_store_set_limit(source_store(l->source), l->max_open);
	report_terminal("lines of build ID and address");
	lookup_read_lines(l, &lines, s, s->input, sizeof(s->input));
	out_flush(&l->out);
	status = verdict(s);
	for (unsigned i = 0; i < l->threads; i++) {
		free(s->workers[i].many);
		out_fini(&s->workers[i].l.out);
		lookup_end(&s->workers[i].l);
	}
	free(s->workers);
	free(s);
	return status;
}
