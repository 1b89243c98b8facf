/* SPDX-License-Identifier: MIT */
/* Opens a trace: finds out its byte order, reads its header, finds its blocks,
 * checks every record and reports damage; numbers its threads, and sorts the
 * blocks of each; and answers from the index. */
#include <inttypes.h>

#include "xray/log.h"

#include "base/error.h"
#include "base/order.h"

/* ---- threads ------------------------------------------------------------- */

/* The index of the thread TID of the process PID, which is added if it is new;
 * XRAY_NO_THREAD without memory. */
static uint32_t thread_index(struct gsym_xray_log *log, uint32_t pid,
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

/* The sort key of a block. */
struct key {
	uint64_t wall, tsc;
	uint32_t thread, block;
};

static int by_key(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	return GSYM_ORDER(a->thread, b->thread) ?:
	       GSYM_ORDER(a->wall, b->wall) ?:
	       GSYM_ORDER(a->tsc, b->tsc) ?:
	       GSYM_ORDER(a->block, b->block);
}

/* Sort the blocks by thread and time into LOG->order.  If a block of a thread
 * lacks its wall time, the thread's blocks are sorted by ticks, because wall
 * times and ticks may contradict each other.  Blocks of a basic log have
 * neither, and are in order.  False without memory. */
static bool order_blocks(struct gsym_xray_log *log)
{
	const struct xray_block *blocks = log->blocks.items;
	size_t count = log->blocks.count, kept = 0;
	struct key *keys = malloc((count + 1) * sizeof(*keys));
	uint32_t first = 0;

	log->order = malloc((count + 1) * sizeof(*log->order));
	if (!keys || !log->order) {
		free(keys);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (blocks[i].thread == XRAY_NO_THREAD)
			continue;
		struct xray_thread *t = &log->threads.items[blocks[i].thread];
		t->count++;
		t->lacks_wall_time |= !blocks[i].has_wall_time;
		keys[kept++] = (struct key){ blocks[i].wall_time, blocks[i].tsc,
					     blocks[i].thread, (uint32_t)i };
	}
	for (size_t i = 0; i < kept; i++)
		if (log->threads.items[keys[i].thread].lacks_wall_time)
			keys[i].wall = 0;
	qsort(keys, kept, sizeof(*keys), by_key);
	for (size_t i = 0; i < kept; i++)
		log->order[i] = keys[i].block;
	for (size_t i = 0; i < log->threads.count; i++) {
		log->threads.items[i].first = first;
		first += log->threads.items[i].count;
	}
	free(keys);
	return true;
}

/* ---- the first walk ------------------------------------------------------ */

struct scan {
	struct xray_scan walk;
	struct gsym_xray_log *log;
	/* The offset of the latest call of the progress function. */
	uint64_t told;
	/* How many records were decoded a second time, to explain damage. */
	uint64_t again;
};

/* Report damage in the scan S; false if reading has to stop. */
#define damaged(s, ...) gsym_xray_damaged(&(s)->walk, __VA_ARGS__)

/* Bytes between two calls of the progress function. */
#define STEP (UINT64_C(1) << 20)

/* The block that is being read. */
struct part {
	struct xray_block block;
	bool has_buffer;
	/* A record that is not part of the preamble was read. */
	bool has_body;
	bool clipped;
	/* Overwritten payload explains all damage of the block. */
	bool explained;
	uint32_t pid, tid;
	struct xray_state state;
	uint64_t events, calls;
	/* The offset of the latest record if it is an event with a payload;
	 * else 0. */
	uint64_t event;
};

static bool out_of_memory(struct scan *s)
{
	s->walk.status = gsym_fail_memory(s->walk.error);
	return false;
}

static bool progress(struct scan *s, uint64_t at)
{
	if (at - s->told < STEP)
		return true;
	s->told = at;
	return gsym_xray_progress(&s->walk, at);
}

/* Report DAMAGE, the result of decoding the record at AT.  False if reading has
 * to stop. */
static bool bad_record(struct scan *s, enum gsym_xray_damage damage,
		       uint64_t at)
{
	bool big = s->log->header.big_endian;
	unsigned byte = s->log->data[at];

	switch (damage) {
	case GSYM_XRAY_BAD_KIND:
		return damaged(s, damage, at, "unknown kind %u",
			       big ? byte & 0x7f : byte >> 1);
	case GSYM_XRAY_BAD_ACTION:
		return damaged(s, damage, at, "unknown action %u",
			       big ? byte >> 4 & 7 : byte >> 1 & 7);
	case GSYM_XRAY_BAD_END:
		return damaged(s, damage, at, "end of buffer within a block");
	case GSYM_XRAY_BAD_SIZE:
		return damaged(s, damage, at, "event of negative size");
	default:
		return damaged(s, damage, at, "record is cut");
	}
}

/* ---- the first walk: flight data recorder mode (FDR) --------------------- */

static bool has_kind(const struct gsym_xray_log *log, uint64_t at,
		     enum gsym_xray_record_kind kind)
{
	return at < log->size &&
	       log->data[at] == xray_first_byte(log, kind);
}

/* Whether a block probably starts at AT: there is an extents record and, as
 * any bytes can look like one, after it the first record that every block that
 * is not empty has. */
static bool plausible(const struct gsym_xray_log *log, uint64_t at)
{
	if (!has_kind(log, at, GSYM_XRAY_EXTENTS) ||
	    log->size - at < XRAY_META_SIZE)
		return false;
	return !gsym_load_u64(log->data + at + 1, log->swap) ||
	       has_kind(log, at + XRAY_META_SIZE, GSYM_XRAY_NEW_BUFFER);
}

/* The first offset from AT on where a block probably starts; the end of the
 * file if there is none. */
static uint64_t find_block(const struct gsym_xray_log *log, uint64_t at)
{
	while (at < log->size) {
		const uint8_t *p =
			memchr(log->data + at,
			       xray_first_byte(log, GSYM_XRAY_EXTENTS),
			       log->size - at);

		if (!p)
			break;
		at = (uint64_t)(p - log->data);
		if (plausible(log, at))
			return at;
		at++;
	}
	return log->size;
}

/* Extend the span of the log to NOW, the time of an event of P. */
static void note_time(struct scan *s, const struct part *p, uint64_t now)
{
	if (p->state.known)
		xray_add_time(s->log, now);
	else
		s->log->carried = true;
}

/* Add BLOCK to the index; false without memory. */
static bool add_block(struct scan *s, struct xray_block block)
{
	struct gsym_xray_log *log = s->log;
	struct xray_block *b = log->blocks.count < UINT32_MAX
				       ? gsym_vec_push(&log->blocks)
				       : NULL;

	if (!b)
		return out_of_memory(s);
	*b = block;
	return true;
}

/* Add the block, or the part of it up to END, to the index.  False without
 * memory. */
static bool commit(struct scan *s, struct part *p, uint64_t end)
{
	struct gsym_xray_log *log = s->log;

	p->block.end = end;
	p->block.thread = XRAY_NO_THREAD;
	if (p->has_buffer) {
		p->block.thread = thread_index(log, p->pid, p->tid);
		if (p->block.thread == XRAY_NO_THREAD)
			return out_of_memory(s);
		struct xray_thread *t = &log->threads.items[p->block.thread];
		t->known.events += p->events;
		t->known.calls += p->calls;
	}
	p->events = p->calls = 0;
	return add_block(s, p->block);
}

/* Read the function records from AT up to the first other record: a fast path,
 * as nearly all records are functions.  Returns the offset after them. */
static uint64_t pass_functions(struct scan *s, struct part *p, uint64_t at,
			       uint64_t end)
{
	const struct gsym_xray_log *log = s->log;
	uint64_t start = at;

	while (end - at >= XRAY_FUNCTION_SIZE &&
	       xray_is_function(log, log->data + at)) {
		uint32_t word = gsym_load_u32(log->data + at, log->swap);

		if (xray_action(log, word) > GSYM_XRAY_ENTER_ARGUMENT)
			break;
		p->state.base += gsym_load_u32(log->data + at + 4, log->swap);
		note_time(s, p, p->state.base);
		at += XRAY_FUNCTION_SIZE;
	}
	p->events += (at - start) / XRAY_FUNCTION_SIZE;
	p->calls += (at - start) / XRAY_FUNCTION_SIZE;
	if (at != start)
		p->event = 0;
	return at;
}

/* Note in P what the record R says. */
static void take_record(struct scan *s, struct part *p,
			struct gsym_xray_record *r)
{
	p->event = 0;
	xray_advance(&p->state, s->log->header.version, r);
	switch (r->kind) {
	case GSYM_XRAY_NEW_BUFFER:
		p->has_buffer = true;
		p->tid = r->tid;
		return;
	case GSYM_XRAY_PID:
		if (!p->has_body)
			p->pid = r->pid;
		return;
	case GSYM_XRAY_WALL_TIME:
		if (p->has_body)
			return;
		p->block.has_wall_time = true;
		p->block.wall_time = r->seconds * 1000000 + r->microseconds;
		return;
	case GSYM_XRAY_NEW_CPU:
		if (!p->block.has_tsc && !p->has_body) {
			p->block.has_tsc = true;
			p->block.tsc = r->tsc;
		}
		return;
	case GSYM_XRAY_CUSTOM_EVENT:
	case GSYM_XRAY_TYPED_EVENT:
		p->events++;
		note_time(s, p, r->now);
		if (r->size)
			p->event = r->offset;
		break;
	default:
		break;
	}
	p->has_body = true;
}

/* Whether every record from AT to END can be decoded if the payload of an event
 * is taken as absent wherever the record after it cannot be decoded. */
static bool reads_through(struct scan *s, uint64_t at, uint64_t end)
{
	const struct gsym_xray_log *log = s->log;
	uint64_t next, event = 0;
	struct gsym_xray_record r;

	while (at < end) {
		/* Blocks that do not overlap never exceed this limit.  Where
		 * the extents of blocks reach over other blocks, each block
		 * would have the rest of the file decoded. */
		if (++s->again > log->size)
			return false;
		if (gsym_xray_decode(log, at, end, &r, &next) == XRAY_SOUND &&
		    r.kind != GSYM_XRAY_EXTENTS) {
			if (r.kind == GSYM_XRAY_END_OF_BUFFER)
				return true;
			event = r.size ? at : 0;
			at = next;
		} else if (event) {
			at = event + XRAY_META_SIZE;
			event = 0;
		} else {
			return false;
		}
	}
	return true;
}

/* Some releases before version 5 let the next record overwrite the payload of
 * an event.  If that explains the damage at *AT, report it, split the block
 * after the event and set *AT to the new part.  False if it does not; the
 * status of the walk says whether reading has to stop. */
static bool take_back(struct scan *s, struct part *p, uint64_t *at,
		      uint64_t end)
{
	uint64_t back = p->event + XRAY_META_SIZE;

	if (s->log->header.version >= 5 || !p->event)
		return false;
	/* Lost payload is taken as the reason only if the rest of the block can
	 * be read then. */
	if (!p->explained && !reads_through(s, back, end))
		return false;
	p->explained = true;
	p->block.lost_payload = true;
	if (!damaged(s, GSYM_XRAY_NO_PAYLOAD, p->event,
		     "bytes of an event were overwritten") ||
	    !commit(s, p, back))
		return true;
	p->block.lost_payload = false;
	p->block.start = back;
	p->event = 0;
	*at = back;
	return true;
}

/* The offset of the next block after damage at AT of P, which should end at
 * END. */
static uint64_t resume(const struct gsym_xray_log *log, const struct part *p,
		       uint64_t at, uint64_t end)
{
	if (log->header.version == 1 ||
	    (!p->clipped && (end == log->size || plausible(log, end))))
		return end;
	return find_block(log, at + 1);
}

/* Read the records of P from AT to END.  *NEXT is the offset where the next
 * block may start.  False if reading has to stop. */
static bool read_records(struct scan *s, struct part *p, uint64_t at,
			 uint64_t end, uint64_t *next)
{
	const struct gsym_xray_log *log = s->log;
	struct gsym_xray_record r;

	*next = end;
	while (at < end) {
		uint64_t after = at;
		enum gsym_xray_damage result;

		/* A block may be as large as the file, so progress is told
		 * within blocks, too. */
		if (!progress(s, at))
			return false;
		if (p->has_body)
			at = pass_functions(s, p, at,
					    end - at > STEP ? at + STEP : end);
		if (at == end)
			break;
		result = gsym_xray_decode(log, at, end, &r, &after);
		if (result == XRAY_SOUND && r.kind == GSYM_XRAY_EXTENTS) {
			*next = plausible(log, at) ? at
						   : resume(log, p, at, end);
			return damaged(s, GSYM_XRAY_BAD_EXTENTS, at,
				       "extents within a block") &&
			       commit(s, p, at);
		}
		if (result == XRAY_SOUND && r.kind == GSYM_XRAY_END_OF_BUFFER) {
			if (!log->header.buffer_size)
				*next = after;
			return commit(s, p, after);
		}
		if (result != XRAY_SOUND) {
			if (take_back(s, p, &at, end)) {
				if (s->walk.status != GSYM_OK)
					return false;
				continue;
			}
			*next = resume(log, p, at, end);
			return bad_record(s, result, at) && commit(s, p, at);
		}
		if (r.kind == GSYM_XRAY_NEW_BUFFER && p->has_buffer) {
			if (!commit(s, p, at))
				return false;
			*p = (struct part){ .clipped = p->clipped,
					    .block.start = at };
		}
		take_record(s, p, &r);
		if (p->has_body && !p->has_buffer) {
			*next = resume(log, p, at, end);
			/* The extents record, which ends at AT, is kept. */
			return damaged(s, GSYM_XRAY_NO_THREAD, p->block.start,
				       "block names no thread") &&
			       commit(s, p, at);
		}
		if (r.kind == GSYM_XRAY_FUNCTION) {
			p->events++;
			p->calls++;
			note_time(s, p, r.now);
		}
		at = after;
	}
	return commit(s, p, at);
}

/* Read the block at *AT, and set *AT to where the next block may start.  False
 * if reading has to stop. */
static bool read_block(struct scan *s, uint64_t *at)
{
	const struct gsym_xray_log *log = s->log;
	struct part p = { .block.start = *at };
	uint64_t body = *at, left, count;

	if (has_kind(log, body, GSYM_XRAY_EXTENTS)) {
		count = gsym_load_u64(log->data + body + 1, log->swap);
		body += XRAY_META_SIZE;
		left = log->size - body;
		p.clipped = count > left;
		if (p.clipped &&
		    !damaged(s, GSYM_XRAY_CLIPPED, *at,
			     "block reaches %" PRIu64 " bytes beyond the file",
			     count - left))
			return false;
		return read_records(s, &p, body,
				    p.clipped ? log->size : body + count, at);
	}
	/* A block without extents ends where the extents of the next block
	 * begin. */
	return read_records(s, &p, body, find_block(log, body), at);
}

/* Whether to read a block at AT, where the next one is expected: extents need
 * not be plausible if they fit into the file, and version 2 may lack them. */
static bool starts_block(const struct gsym_xray_log *log, uint64_t at)
{
	if (log->header.version == 2 && has_kind(log, at, GSYM_XRAY_NEW_BUFFER))
		return true;
	if (!has_kind(log, at, GSYM_XRAY_EXTENTS) ||
	    log->size - at < XRAY_META_SIZE)
		return false;
	return plausible(log, at) ||
	       gsym_load_u64(log->data + at + 1, log->swap) <=
		       log->size - at - XRAY_META_SIZE;
}

static void index_blocks(struct scan *s)
{
	const struct gsym_xray_log *log = s->log;
	uint64_t at = XRAY_HEADER_SIZE, next;

	while (at < log->size) {
		if (!progress(s, at))
			return;
		if (starts_block(log, at)) {
			if (!read_block(s, &at))
				return;
			continue;
		}
		next = find_block(log, at + 1);
		if (!damaged(s, GSYM_XRAY_SKIPPED, at,
			     "%" PRIu64 " bytes belong to no block, skipped",
			     next - at))
			return;
		at = next;
	}
}

/* Version 1: all blocks have the size of a buffer, which the header says. */
static void index_buffers(struct scan *s)
{
	const struct gsym_xray_log *log = s->log;
	uint64_t at = XRAY_HEADER_SIZE, stride = log->header.buffer_size, end;

	if (stride && stride < XRAY_META_SIZE) {
		damaged(s, GSYM_XRAY_SKIPPED, at,
			"buffers of %" PRIu64 " bytes hold nothing", stride);
		return;
	}
	while (at < log->size) {
		struct part p = { .block.start = at };

		if (!progress(s, at))
			return;
		end = stride && stride < log->size - at ? at + stride
							: log->size;
		if (!read_records(s, &p, at, end, &at))
			return;
	}
}

/* ---- the first walk: basic mode ------------------------------------------ */

/* Add a record at AT to THREAD: to its latest index entry if that started less
 * than XRAY_BASIC_SPAN before, else to a new one.  False without memory. */
static bool note_record(struct scan *s, uint32_t thread, uint64_t at)
{
	struct gsym_xray_log *log = s->log;
	struct xray_thread *t = &log->threads.items[thread];
	struct xray_block *b;

	t->known.events++;
	t->known.calls++;
	if (t->open) {
		b = &log->blocks.items[t->open - 1];
		if (at - b->start < XRAY_BASIC_SPAN) {
			b->end = at + XRAY_BASIC_SIZE;
			return true;
		}
	}
	t->open = (uint32_t)log->blocks.count + 1;
	return add_block(s, (struct xray_block){ .start = at,
						 .end = at + XRAY_BASIC_SIZE,
						 .thread = thread });
}

/* Read the record at AT.  *BEFORE is the call that arguments may belong to, if
 * *HAS_BEFORE.  False if reading has to stop. */
static bool take_basic(struct scan *s, uint64_t at, bool *has_before,
		       struct gsym_xray_record *before)
{
	struct gsym_xray_log *log = s->log;
	struct gsym_xray_record r;
	enum gsym_xray_damage result = gsym_xray_decode_basic(log, at, &r);
	uint32_t thread;

	if (result == XRAY_SOUND && r.kind == GSYM_XRAY_BASIC_ARGUMENT &&
	    *has_before && gsym_xray_argument_belongs(before, &r))
		return true;
	*has_before = false;
	if (result == GSYM_XRAY_BAD_KIND)
		return damaged(s, result, at, "unknown record type %u",
			       gsym_load_u16(log->data + at, log->swap));
	if (result != XRAY_SOUND)
		return damaged(s, result, at, "unknown action %u",
			       log->data[at + 3]);
	if (r.kind == GSYM_XRAY_BASIC_ARGUMENT)
		return damaged(s, GSYM_XRAY_BAD_ARGUMENT, at,
			       "argument of no call");
	*has_before = true;
	*before = r;
	xray_add_time(log, r.tsc);
	thread = thread_index(log, r.pid, r.tid);
	if (thread == XRAY_NO_THREAD)
		return out_of_memory(s);
	return note_record(s, thread, at);
}

static void index_basic(struct scan *s)
{
	const struct gsym_xray_log *log = s->log;
	struct gsym_xray_record before = { 0 };
	uint64_t at = XRAY_HEADER_SIZE;
	bool has_before = false;

	for (; log->size - at >= XRAY_BASIC_SIZE; at += XRAY_BASIC_SIZE)
		if (!progress(s, at) ||
		    !take_basic(s, at, &has_before, &before))
			return;
	if (at < log->size)
		damaged(s, GSYM_XRAY_CUT, at,
			"record of %" PRIu64 " bytes is cut", log->size - at);
}

/* ---- opening ------------------------------------------------------------- */

/* The magic number of summaries of the profiling mode: "xrayprof". */
#define XRAY_PROFILE UINT64_C(0x7872617970726f66)

const char *gsym_xray_damage_name(enum gsym_xray_damage damage)
{
	static const char *const names[GSYM_XRAY_DAMAGE_COUNT] = {
		[GSYM_XRAY_CLIPPED] = "clipped-block",
		[GSYM_XRAY_CUT] = "cut-record",
		[GSYM_XRAY_BAD_KIND] = "bad-kind",
		[GSYM_XRAY_BAD_ACTION] = "bad-action",
		[GSYM_XRAY_BAD_END] = "bad-end",
		[GSYM_XRAY_BAD_EXTENTS] = "bad-extents",
		[GSYM_XRAY_BAD_SIZE] = "bad-size",
		[GSYM_XRAY_SKIPPED] = "skipped-bytes",
		[GSYM_XRAY_NO_THREAD] = "no-thread",
		[GSYM_XRAY_NO_PAYLOAD] = "lost-payload",
		[GSYM_XRAY_BAD_ARGUMENT] = "bad-argument",
		[GSYM_XRAY_OUT_OF_ORDER] = "out-of-order",
	};

	return (unsigned)damage < GSYM_XRAY_DAMAGE_COUNT ? names[damage] : NULL;
}

/* Read the header in the byte order that SWAP says; false if it is not the
 * header of a trace.  Both byte orders cannot succeed, as type and version are
 * small numbers. */
static bool read_header(struct gsym_xray_log *log, bool swap)
{
	uint16_t version = gsym_load_u16(log->data, swap);
	uint16_t type = gsym_load_u16(log->data + 2, swap);
	uint8_t flags = log->data[4];
	struct gsym_xray_header *h = &log->header;

	if (type > 1 || version < 1 || version > (type ? 5 : 3))
		return false;
	log->swap = swap;
	h->version = version;
	h->fdr = type == 1;
	h->big_endian = swap != GSYM_HOST_BIG_ENDIAN;
	/* The runtime has a struct of bit-fields here, which begin at the
	 * highest bit on big-endian machines. */
	h->constant_tsc = flags & (h->big_endian ? 0x80 : 0x01);
	h->nonstop_tsc = flags & (h->big_endian ? 0x40 : 0x02);
	h->frequency = gsym_load_u64(log->data + 8, swap);
	if (h->fdr)
		h->buffer_size = gsym_load_u64(log->data + 16, swap);
	return true;
}

/* Check that LOG is a trace and read its header. */
static enum gsym_status detect(struct gsym_xray_log *log,
			       struct gsym_error *error)
{
	if (log->size >= 8 &&
	    (gsym_load_u64(log->data, false) == XRAY_PROFILE ||
	     gsym_load_u64(log->data, true) == XRAY_PROFILE))
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "a summary of xray's profiling mode, not a "
				 "trace");
	if (log->size >= 3 && !memcmp(log->data, "---", 3))
		return gsym_fail(error, GSYM_ERR_UNSUPPORTED, 0,
				 "an xray trace in yaml, not in binary");
	if (log->size < XRAY_HEADER_SIZE)
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "too short for the header of an xray trace");
	if (!read_header(log, GSYM_HOST_BIG_ENDIAN) &&
	    !read_header(log, !GSYM_HOST_BIG_ENDIAN))
		return gsym_fail(error, GSYM_ERR_FORMAT, 0,
				 "no header of an xray trace");
	return GSYM_OK;
}

enum gsym_status gsym_xray_open(const void *data, uint64_t size,
				const struct gsym_xray_options *options,
				struct gsym_xray_log **ret,
				struct gsym_error *error)
{
	static const struct gsym_xray_options none;
	struct gsym_xray_log *log;
	enum gsym_status status;

	if ((!data && size) || !ret)
		return gsym_fail_argument(error);
	log = calloc(1, sizeof(*log));
	if (!log)
		return gsym_fail_memory(error);
	log->data = data;
	log->size = size;
	log->first_tsc = UINT64_MAX;
	status = detect(log, error);
	if (status == GSYM_OK) {
		struct scan s = { .log = log,
				  .walk = { log, options ? options : &none,
					    error, GSYM_OK } };

		if (!log->header.fdr)
			index_basic(&s);
		else if (log->header.version == 1)
			index_buffers(&s);
		else
			index_blocks(&s);
		status = s.walk.status;
	}
	if (status == GSYM_OK && !order_blocks(log))
		status = gsym_fail_memory(error);
	if (status == GSYM_OK && log->carried)
		gsym_xray_add_carried_times(log);
	if (status != GSYM_OK) {
		gsym_xray_close(log);
		return status;
	}
	*ret = log;
	return GSYM_OK;
}

void gsym_xray_close(struct gsym_xray_log *log)
{
	if (!log)
		return;
	gsym_vec_fini(&log->blocks);
	gsym_vec_fini(&log->threads);
	gsym_intern_fini(&log->ids);
	free(log->order);
	free(log);
}

enum gsym_status gsym_xray_get_header(const struct gsym_xray_log *log,
				      struct gsym_xray_header *ret)
{
	if (!log || !ret)
		return GSYM_ERR_ARGUMENT;
	*ret = log->header;
	return GSYM_OK;
}

bool gsym_xray_span(const struct gsym_xray_log *log, uint64_t *first,
		    uint64_t *last)
{
	if (!log || !first || !last || log->first_tsc > log->last_tsc)
		return false;
	*first = log->first_tsc;
	*last = log->last_tsc;
	return true;
}

uint64_t gsym_xray_nanoseconds(uint64_t ticks, uint64_t frequency)
{
	const uint64_t second = 1000000000;

	if (!frequency || frequency == second)
		return ticks;
	/* Above 18 GHz the product below could overflow.  No clock is so
	 * fast, so the precision does not matter. */
	if (frequency > UINT64_MAX / second)
		return ticks / (frequency / second);
	return ticks / frequency * second +
	       ticks % frequency * second / frequency;
}

uint32_t gsym_xray_thread_count(const struct gsym_xray_log *log)
{
	return log ? (uint32_t)log->threads.count : 0;
}

enum gsym_status gsym_xray_thread_at(const struct gsym_xray_log *log,
				     uint32_t index,
				     struct gsym_xray_thread *ret)
{
	if (!log || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= log->threads.count)
		return GSYM_NOT_FOUND;
	*ret = log->threads.items[index].known;
	return GSYM_OK;
}

uint32_t gsym_xray_block_count(const struct gsym_xray_log *log)
{
	return log && log->header.fdr ? (uint32_t)log->blocks.count : 0;
}

enum gsym_status gsym_xray_block_at(const struct gsym_xray_log *log,
				    uint32_t index,
				    struct gsym_xray_block *ret)
{
	const struct xray_block *b;

	if (!log || !ret)
		return GSYM_ERR_ARGUMENT;
	if (index >= gsym_xray_block_count(log))
		return GSYM_NOT_FOUND;
	b = &log->blocks.items[index];
	*ret = (struct gsym_xray_block){
		.start = b->start,
		.end = b->end,
		.has_wall_time = b->has_wall_time,
		.has_tsc = b->has_tsc,
		.wall_time = b->wall_time,
		.tsc = b->tsc,
	};
	if (b->thread != XRAY_NO_THREAD) {
		ret->has_thread = true;
		ret->pid = log->threads.items[b->thread].known.pid;
		ret->tid = log->threads.items[b->thread].known.tid;
	}
	return GSYM_OK;
}
