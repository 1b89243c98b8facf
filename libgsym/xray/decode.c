/* SPDX-License-Identifier: MIT */
/* Decodes single records of traces. */
#include "xray/log.h"

#include "base/cursor.h"

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
