/* SPDX-License-Identifier: MIT */
/* lookup/input.c - answers addresses and names of functions, one a line of
 * standard input. */
#include "config.h"

#include "common/report.h"
#include "lookup/lookup.h"

/* The fewest lines that are worth sorting. */
#define LEAST GSYM_LIMIT(256, 1)

/* The kinds of lines, in the order in which they are looked up. */
enum { ADDRESSES, OTHERS };

/* With --style=go an answer depends on the answer before it, and a stack on the
 * lines after it. */
static bool in_turn(const struct lookup *l)
{
	return l->style.go || l->of_stack;
}

/* See struct lookup_kind. */
static bool read_question(void *context, struct lookup *l,
			  struct lookup_question *q)
{
	(void)context;
	if (in_turn(l))
		return false;
	if (q->length <= LOOKUP_LINE_MAX &&
	    lookup_is_address(l, q->text, q->length, &q->address)) {
		lookup_note_base(l, q->text, q->length);
		return true;
	}
	q->file = OTHERS;
	return true;
}

static bool enter(void *context, struct lookup *l, uint32_t file)
{
	(void)context;
	return file == ADDRESSES && !l->process && !l->merged && !l->calls;
}

static void answer(struct lookup *l, struct lookup_question *q,
		   const struct gsym_frame *frames, size_t count)
{
	if (count)
		lookup_show(l, q->address, frames, count);
	else if (q->file == ADDRESSES && !in_turn(l))
		lookup_address(l, q->address);
	else
		lookup_line(l, q->text, q->length);
}

void lookup_input(struct lookup *l)
{
	/* LEAST is no constant in the tests. */
	const struct lookup_kind kind = {
		.longest = LOOKUP_LINE_MAX,
		.least = LEAST,
		.read = read_question,
		.enter = enter,
		.answer = answer,
	};

	report_terminal("addresses");
	lookup_batches(l, &kind, NULL, in_turn(l) ? 1 : l->threads);
}
