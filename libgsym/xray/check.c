/* SPDX-License-Identifier: MIT */
/* Whether records stand in the order in which runtimes write them. */
#include "xray/log.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

/* What was read last.  START is the start of a block, and the end of one that
 * nothing may be missing from. */
enum state {
	START,
	AFTER_EXTENTS,
	AFTER_BUFFER,
	AFTER_WALL_TIME,
	AFTER_PID,
	/* A processor, a time or an event; a block may end here and below. */
	IN_BODY,
	/* A function or an argument. */
	AFTER_FUNCTION,
	AFTER_END,
};

#define BIT(kind) (1u << GSYM_XRAY_##kind)
#define BODY (BIT(NEW_CPU) | BIT(TSC_WRAP) | BIT(FUNCTION) | \
	      BIT(CUSTOM_EVENT) | BIT(TYPED_EVENT) | BIT(END_OF_BUFFER))

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
	gsym_xray_check_fn *fn;
	void *context;
	enum state state;
	bool stopped;
};

static void tell(struct check *c, uint64_t offset, const char *what,
		 const char *where)
{
	char text[160];

	snprintf(text, sizeof(text), "%s %s at offset %" PRIu64, what, where,
		 offset);
	c->stopped = !c->fn(c->context, offset, text);
}

static void check_record(struct check *c, const struct gsym_xray_log *log,
			 const struct gsym_xray_record *r)
{
	unsigned kinds = allowed[c->state];

	/* Early writers repeat the processor only when it changes. */
	if (log->header.version == 1 && c->state == AFTER_WALL_TIME)
		kinds |= BODY;
	if (!(kinds >> r->kind & 1))
		tell(c, r->offset, names[r->kind], places[c->state]);
	c->state = after[r->kind];
}

/* A block has ended at OFFSET. */
static void check_end(struct check *c, uint64_t offset)
{
	if (c->state != START && c->state < IN_BODY)
		tell(c, offset, "block ends", places[c->state]);
	c->state = START;
}

/* Whether block B goes on with what its extents, at most up to LIMIT, cover
 * of the block before. */
static bool continues(const struct xray_block *before,
		      const struct xray_block *b, uint64_t limit)
{
	return before && before->end == b->start && b->start < limit;
}

enum gsym_status gsym_xray_check(const struct gsym_xray_log *log,
				 gsym_xray_check_fn *fn, void *context,
				 struct gsym_error *error)
{
	struct check c = { .fn = fn, .context = context };
	const struct xray_block *before = NULL;
	uint64_t limit = 0;

	for (size_t i = 0; log->header.fdr && i < log->blocks.count; i++) {
		const struct xray_block *b = &log->blocks.items[i];
		struct gsym_xray_record r;
		uint64_t next = b->start;

		if (before && !continues(before, b, limit))
			check_end(&c, before->end);
		for (uint64_t at = b->start; at < b->end; at = next) {
			enum xray_decoded result =
				xray_decode(log, at, b->end, &r, &next);

			/* The bytes of its last event may be lost. */
			if (result != XRAY_OK && result != XRAY_CUT)
				break;
			if (result == XRAY_CUT && !b->lost_payload)
				break;
			if (result == XRAY_CUT)
				next = b->end;
			check_record(&c, log, &r);
			if (r.kind == GSYM_XRAY_EXTENTS)
				limit = r.value > log->size - next
						? log->size
						: next + r.value;
			if (c.stopped)
				return gsym_fail(error, GSYM_ERR_CANCELLED, at,
						 "stopped");
		}
		before = b;
	}
	if (before)
		check_end(&c, before->end);
	return c.stopped ? gsym_fail(error, GSYM_ERR_CANCELLED, 0, "stopped")
			 : GSYM_OK;
}
