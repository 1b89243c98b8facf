/* SPDX-License-Identifier: MIT */
/*
 * ClickHouse's stack traces, of exceptions and of signals:
 *
 *	0. DB::Exception::Exception(...) @ 0x000000000d9cea7a in /usr/bin/ch
 *	16. ? @ 0xea0d041 in /usr/bin/clickhouse
 *	4. /src/raise.c:51: gsignal @ 0x3efb7 in /lib/libc-2.27.so
 *	0. DB::Exception::Exception(...) @ 0x000000000d9cea7a
 *
 * The number is the address that the file was linked to.  Newer versions print
 * no file.  The newest print the address in memory: in ClickHouse's program,
 * which cannot be moved, both are the same.
 *
 * The numbers of a signal's frames do not begin with 0.  The first of these
 * frames is the one that the signal interrupted.  Some versions print its
 * address, and others the address with 1 added.
 */
#include "config.h"

#include "logs/scan.h"

/* The start of "16. " in AT to END, at AT or after a blank; *NAME becomes the
 * place after that.  NULL if it is not there. */
static const char *numbered(const char *at, const char *end, const char **name)
{
	for (const char *from = at; from < end; from++) {
		const char *dot = logs_decimal(from, end);

		*name = logs_word(dot, end, ". ");
		if (*name && (from == at || from[-1] == ' '))
			return from;
		if (dot)
			from = dot - 1;
	}
	return NULL;
}

/* Names of the standard library are shortened, so the symbols have others. */
static bool is_shortened(struct logs_text name)
{
	return memmem(name.at, name.size, "std::", 5) ||
	       memmem(name.at, name.size, "String", 6);
}

/* What stands before " @ ": a name, a place and a name, or "?". */
static void take_name(const char *at, const char *end, struct logs_frame *ret)
{
	const char *colon = logs_find(at, end, ": ");

	ret->answered = colon && gsym_logs_is_place(logs_between(at, colon));
	ret->named = end - at != 1 || *at != '?';
	ret->function = logs_between(at, end);
	if (!ret->named || ret->answered || is_shortened(ret->function))
		ret->function.size = 0;
}

/* The end of the module, a path in AT to STOP: STOP, or the place before
 * " (version 1.2)".  ClickHouse writes that into the line behind the stack of
 * an exception, and trackers join both lines. */
static const char *module_end(const char *at, const char *stop)
{
	const char *open = stop[-1] == ')' ? gsym_logs_open(at, stop) : NULL;

	return open && logs_word(open, stop, "(version ") && open > at &&
			       open[-1] == ' '
		       ? open - 1
		       : stop;
}

/* Take the module from AT to STOP, " in /usr/bin/ch".  False if an answer
 * stands behind the module. */
static bool take_module(const char *at, const char *stop,
			struct logs_frame *ret)
{
	ret->insert = ret->resume = module_end(at, stop);
	ret->module = logs_between(at + strlen(" in "), ret->insert);
	return !gsym_logs_answer(at, stop) &&
	       !gsym_logs_answer(at, ret->insert);
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	enum { DIGITS = 18 };
	const char *stop = logs_trim(at, end), *path, *digits, *at_sign, *name;

	logs_frame_to(end, ret);
	ret->returns = true;
	path = gsym_logs_last(at, stop, " in /");
	digits = gsym_logs_hex_before(at, path ? path : stop, &ret->number);
	at_sign = digits ? logs_before(at, digits, " @ ") : NULL;
	if (!at_sign || at_sign - at < 2 || (!path && stop - digits != DIGITS))
		return false;
	ret->start = numbered(at, at_sign, &name);
	if (!ret->start || name == at_sign ||
	    (path && !take_module(path, stop, ret)))
		return false;
	if (!path) {
		ret->counts_from = LOGS_MEMORY;
		ret->doubtful = true;
	}
	take_name(name, at_sign, ret);
	return true;
}

static const char *second(const char *at, const char *end)
{
	const char *path = logs_after(at, end, " in /"), *name;
	const char *next = path ? logs_blanks(logs_word_end(path, end), end)
				: end;

	return next < end && numbered(next, end, &name) == next ? next : NULL;
}

struct memory {
	/* The number of the last frame, and 1. */
	uint64_t next;
};

static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	struct memory *m = (struct memory *)memory;
	uint64_t number;

	gsym_number(frame->start, frame->insert, 10, &number, NULL);
	frame->either = number && number != m->next;
	m->next = number + 1;
}

const struct logs_dialect gsym_logs_clickhouse = {
	.log = GSYM_MARKUP_LOG_CLICKHOUSE,
	.name = "clickhouse",
	.words = LOGS_WORD_AT,
	.frame = frame,
	.second = second,
	.adapt = adapt,
};
