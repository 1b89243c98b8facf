/* SPDX-License-Identifier: MIT */
/* Numbers the threads of a trace, and sorts their blocks.  Walks over a trace
 * after the first one: the events of a thread, the events of all threads by
 * time, all records. */
#include "xray/log.h"

#include "base/error.h"
#include "base/order.h"

/* ---- threads ------------------------------------------------------------- */

uint32_t gsym_xray_thread_index(struct gsym_xray_log *log, uint32_t pid,
				uint32_t tid)
{
	const uint32_t id[2] = { pid, tid };
	struct xray_thread *t;
	uint32_t index;

	if (log->threads.count >= XRAY_NO_THREAD - 1 ||
	    !gsym_intern_add(&log->ids, (const char *)id, sizeof(id), &index))
		return XRAY_NO_THREAD;
	if (index < log->threads.count)
		return index;
	t = gsym_vec_push(&log->threads);
	if (!t)
		return XRAY_NO_THREAD;
	*t = (struct xray_thread){ .known = { .pid = pid, .tid = tid } };
	return index;
}

/* The sort key of a block of a thread. */
struct key {
	uint64_t wall, tsc;
	uint32_t block;
};

static int by_key(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	int order = GSYM_ORDER(a->wall, b->wall);

	if (!order)
		order = GSYM_ORDER(a->tsc, b->tsc);
	return order ? order : GSYM_ORDER(a->block, b->block);
}

/* Sort the blocks of T.  If one of them lacks its wall time, all are sorted by
 * ticks, because wall times and ticks may contradict each other.  KEYS is
 * scratch. */
static void sort_thread(struct gsym_xray_log *log, const struct xray_thread *t,
			struct key *keys)
{
	uint32_t *order = log->order + t->first;
	bool wall = true, sorted = true;

	for (uint32_t i = 0; i < t->count; i++)
		wall = wall && log->blocks.items[order[i]].has_wall_time;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct xray_block *b = &log->blocks.items[order[i]];

		keys[i] = (struct key){ wall ? b->wall_time : 0, b->tsc,
					order[i] };
		sorted = sorted && (!i || by_key(&keys[i - 1], &keys[i]) < 0);
	}
	if (sorted)
		return;
	qsort(keys, t->count, sizeof(*keys), by_key);
	for (uint32_t i = 0; i < t->count; i++)
		order[i] = keys[i].block;
}

bool gsym_xray_order_blocks(struct gsym_xray_log *log)
{
	size_t count = log->blocks.count, most = 0;
	uint32_t first = 0;
	struct key *keys;

	if (!count || !log->threads.count)
		return true;
	log->order = malloc(count * sizeof(*log->order));
	if (!log->order)
		return false;
	for (size_t i = 0; i < count; i++)
		if (log->blocks.items[i].thread != XRAY_NO_THREAD)
			log->threads.items[log->blocks.items[i].thread].count++;
	for (size_t i = 0; i < log->threads.count; i++) {
		struct xray_thread *t = &log->threads.items[i];

		t->first = first;
		first += t->count;
		most = t->count > most ? t->count : most;
		t->count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t thread = log->blocks.items[i].thread;

		if (thread == XRAY_NO_THREAD)
			continue;
		struct xray_thread *t = &log->threads.items[thread];
		log->order[t->first + t->count++] = i;
	}
	/* The records of a basic log are in order. */
	if (!log->header.fdr)
		return true;
	keys = malloc((most + 1) * sizeof(*keys));
	if (!keys)
		return false;
	for (size_t i = 0; i < log->threads.count; i++)
		sort_thread(log, &log->threads.items[i], keys);
	free(keys);
	return true;
}

/* ---- events -------------------------------------------------------------- */

/* The events of one thread. */
struct stream {
	const struct gsym_xray_log *log;
	uint32_t thread;
	/* The thread's current block, the offset of the next record in it, and
	 * the number of the thread's blocks up to this one. */
	const struct xray_block *block;
	uint64_t at;
	uint32_t next_block;
	struct xray_state state;
	uint64_t arguments[GSYM_XRAY_ARGUMENTS];
	/* Timelines: the next event. */
	struct gsym_xray_event event;
};

struct gsym_xray_iter {
	/* Timelines: a binary heap of the streams that have a next event; the
	 * earliest one is on top. */
	struct stream **heap;
	size_t count;
	/* Timelines: the event on top was returned, so its stream has to
	 * advance first. */
	bool used;
	/* A timeline; else the events of STREAMS[0]. */
	bool merged;
	struct stream streams[];
};

/* Add an argument to an entry.  Old runtimes write entries with arguments as
 * they write those without. */
static void add_argument(struct stream *s, struct gsym_xray_event *event,
			 uint64_t value)
{
	if (event->kind == GSYM_XRAY_ENTER)
		event->kind = GSYM_XRAY_ENTER_ARGUMENT;
	if (event->argument_count < GSYM_XRAY_ARGUMENTS)
		s->arguments[event->argument_count++] = value;
}

/* Read the argument records that follow a function record of an FDR log. */
static void take_arguments(struct stream *s, struct gsym_xray_event *event)
{
	const struct gsym_xray_log *log = s->log;
	uint8_t first = xray_first_byte(log, GSYM_XRAY_ARGUMENT);

	while (s->block->end - s->at >= XRAY_META_SIZE &&
	       log->data[s->at] == first) {
		add_argument(s, event,
			     gsym_load_u64(log->data + s->at + 1, log->swap));
		s->at += XRAY_META_SIZE;
	}
}

/* Go to the next block of the thread; false after the last one. */
static bool next_block(struct stream *s)
{
	const struct xray_thread *t = &s->log->threads.items[s->thread];

	if (s->next_block == t->count)
		return false;
	s->block = &s->log->blocks.items[s->log->order[t->first +
						       s->next_block++]];
	s->at = s->block->start;
	return true;
}

/* Read a record that is not a function record; true if it is an event. */
static bool take_other(struct stream *s, struct gsym_xray_event *event)
{
	struct gsym_xray_record r;
	uint64_t next = s->at;
	enum xray_decoded result =
		gsym_xray_decode(s->log, s->at, s->block->end, &r, &next);

	if (result == XRAY_CUT && s->block->lost_payload && r.size)
		r.data = NULL;
	else if (result != XRAY_OK) {
		s->at = s->block->end;
		return false;
	}
	s->at = result == XRAY_OK ? next : s->block->end;
	xray_advance(&s->state, s->log->header.version, &r);
	if (r.kind != GSYM_XRAY_CUSTOM_EVENT && r.kind != GSYM_XRAY_TYPED_EVENT)
		return false;
	event->kind = r.kind == GSYM_XRAY_CUSTOM_EVENT ? GSYM_XRAY_CUSTOM
						       : GSYM_XRAY_TYPED;
	event->tsc = r.now;
	event->type = r.type;
	event->offset = r.offset;
	event->data = r.data;
	event->size = r.size;
	event->cpu = xray_cpu(&s->state, s->log->header.version, &r);
	return true;
}

static void start_event(const struct stream *s, struct gsym_xray_event *event)
{
	const struct gsym_xray_thread *t =
		&s->log->threads.items[s->thread].known;

	*event = (struct gsym_xray_event){
		.pid = t->pid,
		.tid = t->tid,
		.cpu = s->state.cpu,
		.offset = s->at,
		.arguments = s->arguments,
	};
}

static bool next_fdr(struct stream *s, struct gsym_xray_event *event)
{
	const struct gsym_xray_log *log = s->log;

	for (;;) {
		while (!s->block || s->at >= s->block->end)
			if (!next_block(s))
				return false;
		start_event(s, event);
		if (!xray_is_function(log, log->data + s->at)) {
			if (take_other(s, event))
				return true;
			continue;
		}
		uint32_t word = gsym_load_u32(log->data + s->at, log->swap);
		unsigned action = xray_action(log, word);
		if (s->block->end - s->at < XRAY_FUNCTION_SIZE ||
		    action > GSYM_XRAY_ENTER_ARGUMENT) {
			s->at = s->block->end;
			continue;
		}
		s->state.base += gsym_load_u32(log->data + s->at + 4,
					       log->swap);
		s->at += XRAY_FUNCTION_SIZE;
		event->kind = (enum gsym_xray_event_kind)action;
		event->function = xray_function(log, word);
		event->tsc = s->state.base;
		take_arguments(s, event);
		return true;
	}
}

/* Read the argument records that follow the record R of a basic log. */
static void take_payloads(struct stream *s, const struct gsym_xray_record *r,
			  struct gsym_xray_event *event)
{
	struct gsym_xray_record next;

	while (s->log->size - s->at >= XRAY_BASIC_SIZE &&
	       gsym_xray_decode_basic(s->log, s->at, &next) == XRAY_OK &&
	       next.kind == GSYM_XRAY_BASIC_ARGUMENT &&
	       gsym_xray_argument_belongs(r, &next)) {
		add_argument(s, event, next.value);
		s->at += XRAY_BASIC_SIZE;
	}
}

static bool next_basic(struct stream *s, struct gsym_xray_event *event)
{
	const struct gsym_xray_thread *t =
		&s->log->threads.items[s->thread].known;
	struct gsym_xray_record r;

	for (;;) {
		while (!s->block || s->at >= s->block->end)
			if (!next_block(s))
				return false;
		start_event(s, event);
		enum xray_decoded result =
			gsym_xray_decode_basic(s->log, s->at, &r);
		s->at += XRAY_BASIC_SIZE;
		if (result != XRAY_OK || r.kind != GSYM_XRAY_BASIC ||
		    r.tid != t->tid || r.pid != t->pid)
			continue;
		event->kind = r.action;
		event->function = r.function;
		event->tsc = r.tsc;
		event->cpu = r.cpu;
		take_payloads(s, &r, event);
		return true;
	}
}

static bool next_event(struct stream *s, struct gsym_xray_event *event)
{
	return s->log->header.fdr ? next_fdr(s, event) : next_basic(s, event);
}

void gsym_xray_add_carried_times(struct gsym_xray_log *log)
{
	for (uint32_t i = 0; i < log->threads.count; i++) {
		struct stream s = { .log = log, .thread = i };
		struct gsym_xray_event event;

		while (next_event(&s, &event))
			if (s.state.known)
				xray_add_time(log, event.tsc);
	}
}

enum gsym_status gsym_xray_events(const struct gsym_xray_log *log,
				  uint32_t thread, struct gsym_xray_iter **ret,
				  struct gsym_error *error)
{
	struct gsym_xray_iter *iter;

	if (!log || !ret)
		return gsym_fail_argument(error);
	if (thread >= log->threads.count)
		return gsym_fail(error, GSYM_ERR_ARGUMENT, 0,
				 "the trace has no thread of this number");
	iter = calloc(1, sizeof(*iter) + sizeof(iter->streams[0]));
	if (!iter)
		return gsym_fail_memory(error);
	iter->streams[0].log = log;
	iter->streams[0].thread = thread;
	*ret = iter;
	return GSYM_OK;
}

static bool earlier(const struct stream *a, const struct stream *b)
{
	if (a->event.tsc != b->event.tsc)
		return a->event.tsc < b->event.tsc;
	return a->thread < b->thread;
}

/* Move the stream at INDEX of the heap down to its place. */
static void sink(struct gsym_xray_iter *iter, size_t index)
{
	GSYM_HEAP_SINK(iter->heap, iter->count, index, a, b, earlier(*a, *b));
}

enum gsym_status gsym_xray_timeline(const struct gsym_xray_log *log,
				    struct gsym_xray_iter **ret,
				    struct gsym_error *error)
{
	struct gsym_xray_iter *iter = NULL;
	size_t count;

	if (!log || !ret)
		return gsym_fail_argument(error);
	count = log->threads.count;
	if (count <= (SIZE_MAX - sizeof(*iter)) / sizeof(iter->streams[0]))
		iter = calloc(1, sizeof(*iter) +
					 count * sizeof(iter->streams[0]));
	if (!iter)
		return gsym_fail_memory(error);
	iter->merged = true;
	iter->heap = calloc(count + 1, sizeof(*iter->heap));
	if (!iter->heap) {
		free(iter);
		return gsym_fail_memory(error);
	}
	for (size_t i = 0; i < count; i++) {
		struct stream *s = &iter->streams[i];

		s->log = log;
		s->thread = i;
		if (next_event(s, &s->event))
			iter->heap[iter->count++] = s;
	}
	for (size_t i = iter->count / 2; i-- > 0;)
		sink(iter, i);
	*ret = iter;
	return GSYM_OK;
}

bool gsym_xray_next(struct gsym_xray_iter *iter, struct gsym_xray_event *ret)
{
	if (!iter || !ret)
		return false;
	if (!iter->merged)
		return next_event(&iter->streams[0], ret);
	if (iter->used) {
		struct stream *s = iter->heap[0];

		if (!next_event(s, &s->event))
			iter->heap[0] = iter->heap[--iter->count];
		if (iter->count)
			sink(iter, 0);
	}
	iter->used = iter->count > 0;
	if (!iter->used)
		return false;
	*ret = iter->heap[0]->event;
	return true;
}

void gsym_xray_iter_free(struct gsym_xray_iter *iter)
{
	if (!iter)
		return;
	free(iter->heap);
	free(iter);
}

/* ---- records ----------------------------------------------------------- */

/* Hand the records of a basic log to FN; false if FN stopped. */
static bool basic_records(const struct gsym_xray_log *log,
			  gsym_xray_record_fn *fn, void *context)
{
	struct gsym_xray_record r;

	for (uint64_t at = XRAY_HEADER_SIZE;
	     log->size - at >= XRAY_BASIC_SIZE; at += XRAY_BASIC_SIZE) {
		if (gsym_xray_decode_basic(log, at, &r) != XRAY_OK)
			continue;
		r.now = r.tsc;
		if (!fn(context, &r))
			return false;
	}
	return true;
}

/* Hand the records of block B to FN; false if FN stopped.  STATE is that of the
 * block's thread. */
static bool block_records(const struct gsym_xray_log *log,
			  const struct xray_block *b, struct xray_state *state,
			  gsym_xray_record_fn *fn, void *context)
{
	struct gsym_xray_record r;
	uint64_t next;

	for (uint64_t at = b->start; at < b->end; at = next) {
		enum xray_decoded result =
			gsym_xray_decode(log, at, b->end, &r, &next);

		if (result == XRAY_CUT && b->lost_payload)
			next = b->end;
		else if (result != XRAY_OK)
			return true;
		xray_advance(state, log->header.version, &r);
		r.cpu = xray_cpu(state, log->header.version, &r);
		if (!fn(context, &r))
			return false;
	}
	return true;
}

enum gsym_status gsym_xray_records(const struct gsym_xray_log *log,
				   gsym_xray_record_fn *fn, void *context,
				   struct gsym_error *error)
{
	/* By thread: the state at the end of its latest block. */
	struct xray_state *states, none = { 0 };
	bool all = true;

	if (!log || !fn)
		return gsym_fail_argument(error);
	if (!log->header.fdr) {
		all = basic_records(log, fn, context);
		return all ? GSYM_OK
			   : gsym_fail(error, GSYM_ERR_CANCELLED, 0,
				       "cancelled");
	}
	states = calloc(log->threads.count + 1, sizeof(*states));
	if (!states)
		return gsym_fail_memory(error);
	for (size_t i = 0; all && i < log->blocks.count; i++) {
		const struct xray_block *b = &log->blocks.items[i];

		all = block_records(log, b,
				    b->thread == XRAY_NO_THREAD
					    ? &none
					    : &states[b->thread],
				    fn, context);
	}
	free(states);
	return all ? GSYM_OK
		   : gsym_fail(error, GSYM_ERR_CANCELLED, 0, "cancelled");
}
