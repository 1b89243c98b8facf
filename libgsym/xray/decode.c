/* SPDX-License-Identifier: MIT */
/* Decodes single records of traces; reports damage of walks; checks whether
 * records come in the order that runtimes write. */
#include "xray/log.h"

#include "base/cursor.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- walks --------------------------------------------------------------- */

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
	struct xray_scan walk;
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
