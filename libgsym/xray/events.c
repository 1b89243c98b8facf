/* SPDX-License-Identifier: MIT */
/* Decodes single records of a trace, for log.c and for the walks of this file,
 * and reports damage.  Walks over a trace that log.c has opened: the events of
 * a thread, the events of all threads by time, all records, and whether these
 * come in the order that runtimes write. */
#include "xray/log.h"

#include "base/error.h"
#include "base/order.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- damage -------------------------------------------------------------- */

bool gsym_xray_damaged(struct xray_scan *walk, enum gsym_xray_damage damage,
		       uint64_t offset, const char *format, ...)
{
	char what[160], text[220];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(text, sizeof(text), "%s at offset %" PRIu64, what, offset);
	if (walk->options->strict)
		walk->status = gsym_fail(walk->error, GSYM_ERR_CORRUPT, offset,
					 "%s", text);
	else if (walk->options->damage)
		walk->options->damage(walk->options->context, damage, offset,
				      text);
	return !walk->options->strict;
}

bool gsym_xray_progress(struct xray_scan *walk, uint64_t at)
{
	if (!walk->options->progress ||
	    walk->options->progress(walk->options->context, at,
				    walk->log->size))
		return true;
	walk->status = gsym_fail(walk->error, GSYM_ERR_CANCELLED, at,
				 "cancelled");
	return false;
}

/* ---- records ------------------------------------------------------------- */

/* The kind of the last record of a block, for the check of the order.  A block
 * may end in START and from IN_BODY on. */
enum state {
	START,
	AFTER_EXTENTS,
	AFTER_BUFFER,
	AFTER_WALL_TIME,
	AFTER_PID,
	/* After a processor, a time or an event. */
	IN_BODY,
	/* After a function or an argument. */
	AFTER_FUNCTION,
	AFTER_END,
};

/* The kinds of records of FDR traces: their names, the first version that has
 * them, and the state after them. */
static const struct {
	const char *name;
	unsigned since;
	enum state after;
} kinds[] = {
	[GSYM_XRAY_NEW_BUFFER] = { "new-buffer", 1, AFTER_BUFFER },
	[GSYM_XRAY_END_OF_BUFFER] = { "end-of-buffer", 1, AFTER_END },
	[GSYM_XRAY_NEW_CPU] = { "new-cpu", 1, IN_BODY },
	[GSYM_XRAY_TSC_WRAP] = { "tsc-wrap", 1, IN_BODY },
	[GSYM_XRAY_WALL_TIME] = { "wall-time", 1, AFTER_WALL_TIME },
	[GSYM_XRAY_CUSTOM_EVENT] = { "custom-event", 1, IN_BODY },
	[GSYM_XRAY_ARGUMENT] = { "argument", 1, AFTER_FUNCTION },
	[GSYM_XRAY_EXTENTS] = { "extents", 2, AFTER_EXTENTS },
	[GSYM_XRAY_TYPED_EVENT] = { "typed-event", 2, IN_BODY },
	[GSYM_XRAY_PID] = { "pid", 3, AFTER_PID },
	[GSYM_XRAY_FUNCTION] = { "function", 1, AFTER_FUNCTION },
};

/* Read the fields of a custom or typed event that follow its size. */
static void event_fields(const struct gsym_xray_log *log,
			 struct gsym_cursor *c, struct gsym_xray_record *r)
{
	bool typed = r->kind == GSYM_XRAY_TYPED_EVENT;

	if (log->header.version >= 5)
		r->delta = (int32_t)gsym_cursor_u32(c);
	else
		r->tsc = gsym_cursor_u64(c);
	if (typed)
		r->type = gsym_cursor_u16(c);
	else if (log->header.version == 4)
		r->cpu = gsym_cursor_u16(c);
}

static enum gsym_xray_damage decode_event(const struct gsym_xray_log *log,
					  struct gsym_cursor *c, uint64_t end,
					  struct gsym_xray_record *r,
					  uint64_t *next)
{
	uint32_t size = gsym_cursor_u32(c);

	event_fields(log, c, r);
	if (size > INT32_MAX)
		return GSYM_XRAY_BAD_SIZE;
	r->size = size;
	if (size > end - *next)
		return GSYM_XRAY_CUT;
	r->data = log->data + *next;
	*next += size;
	return XRAY_SOUND;
}

static enum gsym_xray_damage decode_meta(const struct gsym_xray_log *log,
					 uint64_t at, uint64_t end,
					 struct gsym_xray_record *r,
					 uint64_t *next)
{
	const uint8_t *p = log->data + at;
	unsigned kind = log->header.big_endian ? *p & 0x7f : *p >> 1;
	struct gsym_cursor c;

	if (kind == GSYM_XRAY_END_OF_BUFFER && log->header.version > 1)
		return GSYM_XRAY_BAD_END;
	if (kind > GSYM_XRAY_PID || log->header.version < kinds[kind].since)
		return GSYM_XRAY_BAD_KIND;
	if (end - at < XRAY_META_SIZE)
		return GSYM_XRAY_CUT;
	*next = at + XRAY_META_SIZE;
	r->kind = kind;
	c = gsym_cursor_init(p + 1, XRAY_META_SIZE - 1, log->swap);
	switch (r->kind) {
	case GSYM_XRAY_NEW_BUFFER:
		r->tid = gsym_cursor_u32(&c);
		break;
	case GSYM_XRAY_NEW_CPU:
		r->cpu = gsym_cursor_u16(&c);
		r->tsc = gsym_cursor_u64(&c);
		break;
	case GSYM_XRAY_TSC_WRAP:
		r->tsc = gsym_cursor_u64(&c);
		break;
	case GSYM_XRAY_WALL_TIME:
		r->seconds = gsym_cursor_u64(&c);
		r->microseconds = gsym_cursor_u32(&c);
		break;
	case GSYM_XRAY_CUSTOM_EVENT:
	case GSYM_XRAY_TYPED_EVENT:
		return decode_event(log, &c, end, r, next);
	case GSYM_XRAY_ARGUMENT:
	case GSYM_XRAY_EXTENTS:
		r->value = gsym_cursor_u64(&c);
		break;
	case GSYM_XRAY_PID:
		r->pid = gsym_cursor_u32(&c);
		break;
	default:
		break;
	}
	return XRAY_SOUND;
}

enum gsym_xray_damage gsym_xray_decode(const struct gsym_xray_log *log,
				       uint64_t at, uint64_t end,
				       struct gsym_xray_record *record,
				       uint64_t *next)
{
	const uint8_t *p = log->data + at;
	uint32_t word;

	*record = (struct gsym_xray_record){ .offset = at };
	if (!xray_is_function(log, p))
		return decode_meta(log, at, end, record, next);
	if (end - at < XRAY_FUNCTION_SIZE)
		return GSYM_XRAY_CUT;
	word = gsym_load_u32(p, log->swap);
	if (xray_action(log, word) > GSYM_XRAY_ENTER_ARGUMENT)
		return GSYM_XRAY_BAD_ACTION;
	*next = at + XRAY_FUNCTION_SIZE;
	record->kind = GSYM_XRAY_FUNCTION;
	record->action = xray_action(log, word);
	record->function = xray_function(log, word);
	record->delta = gsym_load_u32(p + 4, log->swap);
	return XRAY_SOUND;
}

enum gsym_xray_damage gsym_xray_decode_basic(const struct gsym_xray_log *log,
					     uint64_t at,
					     struct gsym_xray_record *r)
{
	struct gsym_cursor c = gsym_cursor_init(log->data + at,
						XRAY_BASIC_SIZE, log->swap);
	unsigned type = gsym_cursor_u16(&c), action;

	*r = (struct gsym_xray_record){ .offset = at };
	if (type > 1)
		return GSYM_XRAY_BAD_KIND;
	r->cpu = gsym_cursor_u8(&c);
	action = gsym_cursor_u8(&c);
	r->function = gsym_cursor_u32(&c);
	if (type == 1) {
		r->kind = GSYM_XRAY_BASIC_ARGUMENT;
		r->cpu = 0;
		r->tid = gsym_cursor_u32(&c);
		r->pid = gsym_cursor_u32(&c);
		r->value = gsym_cursor_u64(&c);
	} else {
		r->kind = GSYM_XRAY_BASIC;
		if (action > GSYM_XRAY_ENTER_ARGUMENT)
			return GSYM_XRAY_BAD_ACTION;
		r->action = action;
		r->tsc = gsym_cursor_u64(&c);
		r->tid = gsym_cursor_u32(&c);
		r->pid = gsym_cursor_u32(&c);
	}
	if (log->header.version < 3)
		r->pid = 0;
	return XRAY_SOUND;
}

bool gsym_xray_argument_belongs(const struct gsym_xray_record *before,
				const struct gsym_xray_record *record)
{
	return before->function == record->function &&
	       before->tid == record->tid && before->pid == record->pid;
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
	/* Timelines: the streams that have a next event, a heap; the earliest
	 * one is on top. */
	struct { GSYM_VEC(struct stream *); } heap;
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

/* Decode the record at AT of block B into R, but its NOW, and set *NEXT to the
 * offset of the record after it.  False if the rest of the block cannot be
 * read. */
static bool decode_next(const struct gsym_xray_log *log,
			const struct xray_block *b, uint64_t at,
			struct gsym_xray_record *r, uint64_t *next)
{
	enum gsym_xray_damage result =
		gsym_xray_decode(log, at, b->end, r, next);

	if (result == XRAY_SOUND)
		return true;
	/* An event whose bytes were lost ends its block. */
	*next = b->end;
	return result == GSYM_XRAY_CUT && b->lost_payload;
}

/* Read a record that is not a function record; true if it is an event. */
static bool take_other(struct stream *s, struct gsym_xray_event *event)
{
	struct gsym_xray_record r;

	if (!decode_next(s->log, s->block, s->at, &r, &s->at))
		return false;
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
	       gsym_xray_decode_basic(s->log, s->at, &next) == XRAY_SOUND &&
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
		enum gsym_xray_damage result =
			gsym_xray_decode_basic(s->log, s->at, &r);
		s->at += XRAY_BASIC_SIZE;
		if (result != XRAY_SOUND || r.kind != GSYM_XRAY_BASIC ||
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

static bool earlier(const struct stream *a, const struct stream *b)
{
	if (a->event.tsc != b->event.tsc)
		return a->event.tsc < b->event.tsc;
	return a->thread < b->thread;
}

/* A walk over the events of COUNT threads from FIRST on; NULL without
 * memory. */
static struct gsym_xray_iter *iter_new(const struct gsym_xray_log *log,
				       uint32_t first, size_t count)
{
	struct gsym_xray_iter *iter = NULL;

	if (count <= (SIZE_MAX - sizeof(*iter)) / sizeof(iter->streams[0]))
		iter = calloc(1, sizeof(*iter) +
					 count * sizeof(iter->streams[0]));
	for (size_t i = 0; iter && i < count; i++) {
		iter->streams[i].log = log;
		iter->streams[i].thread = first + (uint32_t)i;
	}
	return iter;
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
	iter = iter_new(log, thread, 1);
	if (!iter)
		return gsym_fail_memory(error);
	*ret = iter;
	return GSYM_OK;
}

enum gsym_status gsym_xray_timeline(const struct gsym_xray_log *log,
				    struct gsym_xray_iter **ret,
				    struct gsym_error *error)
{
	struct gsym_xray_iter *iter;

	if (!log || !ret)
		return gsym_fail_argument(error);
	iter = iter_new(log, 0, log->threads.count);
	if (!iter)
		return gsym_fail_memory(error);
	iter->merged = true;
	for (size_t i = 0; i < log->threads.count; i++) {
		struct stream *s = &iter->streams[i];

		if (next_event(s, &s->event) &&
		    !GSYM_HEAP_PUSH(&iter->heap, s, a, b, earlier(*a, *b))) {
			gsym_xray_iter_free(iter);
			return gsym_fail_memory(error);
		}
	}
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
		struct stream *s = iter->heap.items[0];

		if (next_event(s, &s->event))
			GSYM_HEAP_SINK(iter->heap.items, iter->heap.count, 0,
				       a, b, earlier(*a, *b));
		else
			GSYM_HEAP_POP(&iter->heap, a, b, earlier(*a, *b));
	}
	iter->used = iter->heap.count > 0;
	if (!iter->used)
		return false;
	*ret = iter->heap.items[0]->event;
	return true;
}

void gsym_xray_iter_free(struct gsym_xray_iter *iter)
{
	if (!iter)
		return;
	gsym_vec_fini(&iter->heap);
	free(iter);
}

/* ---- all records --------------------------------------------------------- */

/* Hand the records of a basic log to FN; false if FN stopped. */
static bool basic_records(const struct gsym_xray_log *log,
			  gsym_xray_record_fn *fn, void *context)
{
	struct gsym_xray_record r;

	for (uint64_t at = XRAY_HEADER_SIZE;
	     log->size - at >= XRAY_BASIC_SIZE; at += XRAY_BASIC_SIZE) {
		if (gsym_xray_decode_basic(log, at, &r) != XRAY_SOUND)
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

	for (uint64_t at = b->start;
	     at < b->end && decode_next(log, b, at, &r, &next); at = next) {
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
	bool all;

	if (!log || !fn)
		return gsym_fail_argument(error);
	states = calloc(log->threads.count + 1, sizeof(*states));
	if (!states)
		return gsym_fail_memory(error);
	all = log->header.fdr || basic_records(log, fn, context);
	for (size_t i = 0; log->header.fdr && all && i < log->blocks.count;
	     i++) {
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

/* ---- the order of records ------------------------------------------------ */

#define BIT(kind) (1u << GSYM_XRAY_##kind)
#define BODY (BIT(NEW_CPU) | BIT(TSC_WRAP) | BIT(FUNCTION) | \
	      BIT(CUSTOM_EVENT) | BIT(TYPED_EVENT) | BIT(END_OF_BUFFER))

/* By state: the kinds that the next record may have, and the place in
 * reports. */
static const struct {
	unsigned allowed;
	const char *place;
} states[] = {
	[START] = { BIT(EXTENTS) | BIT(NEW_BUFFER), "at the start of a block" },
	[AFTER_EXTENTS] = { BIT(NEW_BUFFER), "after extents" },
	[AFTER_BUFFER] = { BIT(WALL_TIME), "after new-buffer" },
	[AFTER_WALL_TIME] = { BIT(PID) | BIT(NEW_CPU), "after wall-time" },
	[AFTER_PID] = { BIT(NEW_CPU), "after pid" },
	[IN_BODY] = { BODY, "after a record that is no function" },
	[AFTER_FUNCTION] = { BODY | BIT(ARGUMENT), "after a function" },
	[AFTER_END] = { BIT(NEW_BUFFER), "after end-of-buffer" },
};

struct check {
	struct xray_scan walk;
	enum state state;
	/* The offset up to which the latest extents reach. */
	uint64_t limit;
};

/* Report WHAT, which was found at OFFSET and does not fit the state. */
static void tell(struct check *c, uint64_t offset, const char *what)
{
	gsym_xray_damaged(&c->walk, GSYM_XRAY_OUT_OF_ORDER, offset, "%s %s",
			  what, states[c->state].place);
}

static void check_record(struct check *c, const struct gsym_xray_record *r)
{
	unsigned allowed = states[c->state].allowed;

	/* Writers of version 1 repeat the processor only when it changes. */
	if (c->walk.log->header.version == 1 && c->state == AFTER_WALL_TIME)
		allowed |= BODY;
	if (!(allowed >> r->kind & 1))
		tell(c, r->offset, kinds[r->kind].name);
	c->state = kinds[r->kind].after;
}

static void check_block(struct check *c, const struct xray_block *b)
{
	const struct gsym_xray_log *log = c->walk.log;
	struct gsym_xray_record r;
	uint64_t next;

	for (uint64_t at = b->start;
	     at < b->end && c->walk.status == GSYM_OK &&
	     decode_next(log, b, at, &r, &next);
	     at = next) {
		check_record(c, &r);
		if (r.kind == GSYM_XRAY_EXTENTS)
			c->limit = r.value > log->size - next ? log->size
							      : next + r.value;
	}
}

/* Check that a block may end at OFFSET. */
static void check_end(struct check *c, uint64_t offset)
{
	if (c->state != START && c->state < IN_BODY)
		tell(c, offset, "block ends");
	c->state = START;
}

enum gsym_status gsym_xray_check(const struct gsym_xray_log *log,
				 const struct gsym_xray_options *options,
				 struct gsym_error *error)
{
	struct check c = { .walk = { log, options, error, GSYM_OK } };
	enum gsym_status *status = &c.walk.status;
	uint64_t end = 0;
	size_t count;

	if (!log || !options)
		return gsym_fail_argument(error);
	count = log->header.fdr ? log->blocks.count : 0;
	for (size_t i = 0; i < count && *status == GSYM_OK; i++) {
		const struct xray_block *b = &log->blocks.items[i];

		/* A block of the file can have several index entries: they
		 * are adjacent, and the block's extents cover them all. */
		if (i && !(end == b->start && b->start < c.limit))
			check_end(&c, end);
		if (*status == GSYM_OK &&
		    gsym_xray_progress(&c.walk, b->start))
			check_block(&c, b);
		end = b->end;
	}
	if (count && *status == GSYM_OK)
		check_end(&c, end);
	return *status;
}
