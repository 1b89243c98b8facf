/* SPDX-License-Identifier: MIT */
/*
 * Stacks of one line, as ESP-IDF and Seastar print them:
 *
 *	Backtrace: 0x400e8c14:0x3fff0130 0x400e8f9d:0x3fff0160 |<-CORRUPTED
 *	x, backtrace: /libsea.so+0x58d95e 0x13b48f3 /libc.so.6+0x3247
 *
 * Seastar's reports of crashes, and older ones of stalls, have a line for each:
 *
 *	Backtrace:
 *	  0x38df7f3
 *	  /lib64/libc.so.6+0x3dbaf
 *
 * On RISC-V ESP-IDF prints no stack, but registers (registers.c).
 *
 * ESP-IDF prints PC:SP, where PC lies in the call.  Seastar prints return
 * addresses less 1, as the file was linked.  A number without a file is of the
 * program, which the log does not name.  Reports of stalls in one line print
 * those of libraries without a file as well: such a line has no frames.  A line
 * with any other word is no stack.
 */
#include "config.h"

#include "logs/scan.h"

/* With "b" or "B" before it. */
static const char word[] = "acktrace:";

/* Step over one address at AT, and set RET to it; NULL if there is none. */
static const char *address(const char *at, const char *end,
			   struct logs_frame *ret)
{
	const char *stop = logs_byte(at, end, ' '), *plus;
	uint64_t stack;

	stop = stop ? stop : end;
	*ret = (struct logs_frame){
		.layout = LOGS_LIST,
		.item = at,
		.insert = stop,
		.resume = stop,
		.counts_from = LOGS_MEMORY,
		.doubtful = true,
	};
	if (at < stop && *at == '/') {
		plus = gsym_logs_hex_before(at, stop, &ret->number);
		if (!plus || plus[-1] != '+')
			return NULL;
		ret->module = logs_between(at, plus - 1);
		ret->counts_from = LOGS_LINKED;
		ret->doubtful = false;
		ret->called = true;
		return stop;
	}
	at = logs_hex(at, stop, &ret->number);
	if (at == stop)
		ret->called = true;
	else
		at = logs_hex(logs_word(at, stop, ":"), stop, &stack);
	return at == stop ? stop : NULL;
}

/* Whether AT to END has addresses alone, one at least, and the mark of ESP-IDF
 * perhaps. */
static bool is_list(const char *at, const char *end)
{
	struct logs_frame frame;
	size_t count = 0;

	for (;; count++) {
		at = logs_blanks(at, end);
		if (at == end || logs_word(at, end, "|<-CO"))
			return count > 0;
		at = address(at, end, &frame);
		if (!at)
			return false;
	}
}

/* ---- a line for each address ------------------------------------------ */

/* The first address at AT: at the start of the line; after the first two blanks
 * of the line; or after what a journal writes, "host scylla[4072]: ", which
 * leaves the blanks out perhaps.  Apple's frames have more blanks before. */
static const char *find_listed(const char *at, const char *end)
{
	const char *blanks = logs_find(at, end, "  ");

	for (const char *from = at; from < end; from++) {
		const char *stop;

		if (*from != '/' && !logs_word(from, end, "0x"))
			continue;
		stop = logs_trim(at, from);
		if (stop == at) {
			if (from - at != 1)
				return from;
		} else if (from - stop > 1) {
			if (!blanks || blanks >= stop)
				return from;
		} else if (from - stop == 1 && logs_before(at, stop, "]:")) {
			return from;
		}
	}
	return NULL;
}

/* One address of a list, with an answer perhaps. */
static bool listed(const char *at, const char *end, struct logs_frame *ret)
{
	const char *start = find_listed(at, end), *stop;

	stop = start ? address(start, end, ret) : NULL;
	if (!stop || !ret->called)
		return false;
	ret->layout = LOGS_APPEND;
	ret->start = start;
	ret->insert = ret->resume = end;
	ret->doubtful = true;
	end = logs_trim(stop, end);
	ret->answered = gsym_logs_answer(stop, end);
	return ret->answered || stop == end;
}

/* The line before a list. */
static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	/* Seastar writes at most so many addresses. */
	ret->watch = 100;
	at = logs_after(at, end, "Backtrace:");
	return at && at == logs_trim(at, end);
}

struct memory {
	/* A header was the last that was seen of a list. */
	bool open;
	/* The line of the last address of the list; 0: there was no list. */
	uint64_t line;
	/* The last line with a stack.  A logger may have joined lines to that
	 * one. */
	uint64_t stack;
};

static void learn(struct logs_memory *memory, const struct logs_fact *fact)
{
	(void)fact;
	((struct memory *)memory)->open = true;
}

/* A number alone means nothing but in a list.  Lines of other threads may stand
 * between those of a list. */
static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	enum { MOST_BETWEEN = 8 };
	struct memory *m = (struct memory *)memory;

	if (frame->layout == LOGS_LIST)
		m->stack = frame->line;
	if (frame->layout != LOGS_APPEND || !frame->item ||
	    m->stack == frame->line)
		return;
	if (m->open || (m->line && frame->line - m->line <= MOST_BETWEEN + 1)) {
		*m = (struct memory){ .line = frame->line };
		return;
	}
	/* No code is at 0, so the frame gets no answer. */
	if (!frame->module.size)
		frame->number = 0;
}

static bool frames(const char *at, const char *from, const char *end,
		   struct logs_frame *ret)
{
	const char *next = from > at ? ret->number_end
				     : logs_after(at, end, word);
	const char *end_of_word = next;
	const char *start = next ? next - sizeof(word) : NULL;

	/* Frames of registers have no word before them. */
	if (from == at ? logs_find(at, end, "MEPC") != NULL : !next)
		return gsym_logs_registers(at, from, end, ret);
	if (from == at && listed(at, end, ret))
		return true;
	if (!start || start < at || (*start != 'b' && *start != 'B') ||
	    !logs_begins(at, start) || logs_find(at, start, " stalled for "))
		return false;
	if (from > at)
		next = from;
	else if (!is_list(next, end))
		return false;
	if (!address(logs_blanks(next, end), end, ret))
		return false;
	ret->start = start;
	ret->number_end = end_of_word;
	return true;
}

const struct logs_dialect gsym_logs_backtrace = {
	.log = GSYM_MARKUP_LOG_BACKTRACE,
	.name = "backtrace",
	.words = LOGS_WORD_BACKTRACE | LOGS_WORD_MEPC,
	.frames = frames,
	.fact = fact,
	.learn = learn,
	.adapt = adapt,
};
