/* SPDX-License-Identifier: MIT */
/* Opens a trace: finds out its byte order, reads its header, and answers from
 * the index.  Decodes single records; checks whether records come in the order
 * that runtimes write. */
#include "xray/log.h"

#include "base/cursor.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

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
	status = detect(log, error);
	if (status == GSYM_OK)
		status = gsym_xray_index(log, options ? options : &none,
					 error);
	if (status == GSYM_OK && !gsym_xray_order_blocks(log))
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

/* ---- walks --------------------------------------------------------------- */

bool gsym_xray_damaged(struct xray_walk *walk, enum gsym_xray_damage damage,
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

bool gsym_xray_progress(struct xray_walk *walk, uint64_t at)
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

/* By kind of metadata: the first version that has it. */
static const uint8_t since[] = {
	[GSYM_XRAY_NEW_BUFFER] = 1,
	[GSYM_XRAY_END_OF_BUFFER] = 1,
	[GSYM_XRAY_NEW_CPU] = 1,
	[GSYM_XRAY_TSC_WRAP] = 1,
	[GSYM_XRAY_WALL_TIME] = 1,
	[GSYM_XRAY_CUSTOM_EVENT] = 1,
	[GSYM_XRAY_ARGUMENT] = 1,
	[GSYM_XRAY_EXTENTS] = 2,
	[GSYM_XRAY_TYPED_EVENT] = 2,
	[GSYM_XRAY_PID] = 3,
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

static enum xray_decoded decode_event(const struct gsym_xray_log *log,
				      struct gsym_cursor *c, uint64_t end,
				      struct gsym_xray_record *r,
				      uint64_t *next)
{
	uint32_t size = gsym_cursor_u32(c);

	event_fields(log, c, r);
	if (size > INT32_MAX)
		return XRAY_BAD_SIZE;
	r->size = size;
	if (size > end - *next)
		return XRAY_CUT;
	r->data = log->data + *next;
	*next += size;
	return XRAY_OK;
}

static enum xray_decoded decode_meta(const struct gsym_xray_log *log,
				     uint64_t at, uint64_t end,
				     struct gsym_xray_record *r,
				     uint64_t *next)
{
	const uint8_t *p = log->data + at;
	unsigned kind = log->header.big_endian ? *p & 0x7f : *p >> 1;
	struct gsym_cursor c;

	if (kind == GSYM_XRAY_END_OF_BUFFER && log->header.version > 1)
		return XRAY_BAD_END;
	if (kind >= sizeof(since) ||
	    log->header.version < since[kind])
		return XRAY_BAD_KIND;
	if (end - at < XRAY_META_SIZE)
		return XRAY_CUT;
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
	return XRAY_OK;
}

enum xray_decoded gsym_xray_decode(const struct gsym_xray_log *log, uint64_t at,
				   uint64_t end,
				   struct gsym_xray_record *record,
				   uint64_t *next)
{
	const uint8_t *p = log->data + at;
	uint32_t word;

	*record = (struct gsym_xray_record){ .offset = at };
	if (!xray_is_function(log, p))
		return decode_meta(log, at, end, record, next);
	if (end - at < XRAY_FUNCTION_SIZE)
		return XRAY_CUT;
	word = gsym_load_u32(p, log->swap);
	if (xray_action(log, word) > GSYM_XRAY_ENTER_ARGUMENT)
		return XRAY_BAD_ACTION;
	*next = at + XRAY_FUNCTION_SIZE;
	record->kind = GSYM_XRAY_FUNCTION;
	record->action = xray_action(log, word);
	record->function = xray_function(log, word);
	record->delta = gsym_load_u32(p + 4, log->swap);
	return XRAY_OK;
}

enum xray_decoded gsym_xray_decode_basic(const struct gsym_xray_log *log,
					 uint64_t at,
					 struct gsym_xray_record *r)
{
	struct gsym_cursor c = gsym_cursor_init(log->data + at,
						XRAY_BASIC_SIZE, log->swap);
	unsigned type = gsym_cursor_u16(&c), action;

	*r = (struct gsym_xray_record){ .offset = at };
	if (type > 1)
		return XRAY_BAD_KIND;
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
			return XRAY_BAD_ACTION;
		r->action = action;
		r->tsc = gsym_cursor_u64(&c);
		r->tid = gsym_cursor_u32(&c);
		r->pid = gsym_cursor_u32(&c);
	}
	if (log->header.version < 3)
		r->pid = 0;
	return XRAY_OK;
}

bool gsym_xray_argument_belongs(const struct gsym_xray_record *before,
				const struct gsym_xray_record *record)
{
	return before->function == record->function &&
	       before->tid == record->tid && before->pid == record->pid;
}

/* ---- the order of records ------------------------------------------------ */

/* The kind of the last record of a block.  A block may end in START and from
 * IN_BODY on. */
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

#define BIT(kind) (1u << GSYM_XRAY_##kind)
#define BODY (BIT(NEW_CPU) | BIT(TSC_WRAP) | BIT(FUNCTION) | \
	      BIT(CUSTOM_EVENT) | BIT(TYPED_EVENT) | BIT(END_OF_BUFFER))

/* By state: the kinds that the next record may have. */
static const unsigned allowed[] = {
	[START] = BIT(EXTENTS) | BIT(NEW_BUFFER),
	[AFTER_EXTENTS] = BIT(NEW_BUFFER),
	[AFTER_BUFFER] = BIT(WALL_TIME),
	[AFTER_WALL_TIME] = BIT(PID) | BIT(NEW_CPU),
	[AFTER_PID] = BIT(NEW_CPU),
	[IN_BODY] = BODY,
	[AFTER_FUNCTION] = BODY | BIT(ARGUMENT),
	[AFTER_END] = BIT(NEW_BUFFER),
};

/* By kind of record: the state after it. */
static const enum state after[] = {
	[GSYM_XRAY_NEW_BUFFER] = AFTER_BUFFER,
	[GSYM_XRAY_END_OF_BUFFER] = AFTER_END,
	[GSYM_XRAY_NEW_CPU] = IN_BODY,
	[GSYM_XRAY_TSC_WRAP] = IN_BODY,
	[GSYM_XRAY_WALL_TIME] = AFTER_WALL_TIME,
	[GSYM_XRAY_CUSTOM_EVENT] = IN_BODY,
	[GSYM_XRAY_ARGUMENT] = AFTER_FUNCTION,
	[GSYM_XRAY_EXTENTS] = AFTER_EXTENTS,
	[GSYM_XRAY_TYPED_EVENT] = IN_BODY,
	[GSYM_XRAY_PID] = AFTER_PID,
	[GSYM_XRAY_FUNCTION] = AFTER_FUNCTION,
};

static const char *const names[] = {
	[GSYM_XRAY_NEW_BUFFER] = "new-buffer",
	[GSYM_XRAY_END_OF_BUFFER] = "end-of-buffer",
	[GSYM_XRAY_NEW_CPU] = "new-cpu",
	[GSYM_XRAY_TSC_WRAP] = "tsc-wrap",
	[GSYM_XRAY_WALL_TIME] = "wall-time",
	[GSYM_XRAY_CUSTOM_EVENT] = "custom-event",
	[GSYM_XRAY_ARGUMENT] = "argument",
	[GSYM_XRAY_EXTENTS] = "extents",
	[GSYM_XRAY_TYPED_EVENT] = "typed-event",
	[GSYM_XRAY_PID] = "pid",
	[GSYM_XRAY_FUNCTION] = "function",
};

static const char *const places[] = {
	[START] = "at the start of a block",
	[AFTER_EXTENTS] = "after extents",
	[AFTER_BUFFER] = "after new-buffer",
	[AFTER_WALL_TIME] = "after wall-time",
	[AFTER_PID] = "after pid",
	[IN_BODY] = "after a record that is no function",
	[AFTER_FUNCTION] = "after a function",
	[AFTER_END] = "after end-of-buffer",
};

struct check {
	struct xray_walk walk;
	enum state state;
	/* The offset up to which the latest extents reach. */
	uint64_t limit;
};

/* Report an error at OFFSET: WHAT was found WHERE. */
static void tell(struct check *c, uint64_t offset, const char *what,
		 const char *where)
{
	gsym_xray_damaged(&c->walk, GSYM_XRAY_OUT_OF_ORDER, offset, "%s %s",
			  what, where);
}

static void check_record(struct check *c, const struct gsym_xray_record *r)
{
	unsigned kinds = allowed[c->state];

	/* Writers of version 1 repeat the processor only when it changes. */
	if (c->walk.log->header.version == 1 && c->state == AFTER_WALL_TIME)
		kinds |= BODY;
	if (!(kinds >> r->kind & 1))
		tell(c, r->offset, names[r->kind], places[c->state]);
	c->state = after[r->kind];
}

static void check_block(struct check *c, const struct xray_block *b)
{
	const struct gsym_xray_log *log = c->walk.log;
	struct gsym_xray_record r;
	uint64_t next = b->start;

	for (uint64_t at = b->start; at < b->end && c->walk.status == GSYM_OK;
	     at = next) {
		enum xray_decoded result =
			gsym_xray_decode(log, at, b->end, &r, &next);

		/* An event whose bytes were lost ends the block. */
		if (result == XRAY_CUT && b->lost_payload)
			next = b->end;
		else if (result != XRAY_OK)
			break;
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
		tell(c, offset, "block ends", places[c->state]);
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
