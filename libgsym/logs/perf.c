/* SPDX-License-Identifier: MIT */
/*
 * Stacks as "perf script" prints them, innermost first:
 *
 *	prog  4072 29775.540093:    2000000 cpu-clock:
 *		    1144 leaf+0xb (/usr/bin/prog)
 *		    1189 main+0x25 (/usr/bin/prog)
 *
 *		561b9df0b2fe main+366 (/root/shapes)	bpftrace: decimal
 *		main+0x16e [shapes]			bcc, without addresses
 *
 * Without stacks the frame stands behind the event, in the same line.
 *
 * The number is an offset in the file, or in old versions an address in memory.
 * Both have the same place in a page as the address in the program, which the
 * function and its offset tell.  So [unknown], [vdso] and the kernel have no
 * answers.
 *
 * The first frame of a stack is exact.  The others are return addresses, less
 * one if perf has unwound the stack by DWARF.
 */
#include "config.h"

#include "base/system.h"
#include "logs/scan.h"

/* Step back over blanks and tabs. */
static const char *trim_tabs(const char *at, const char *end)
{
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return end;
}

/* Set RET to the number and the name of the frame before OPEN; NULL if they are
 * not there.  Else the number. */
static const char *find_number(const char *at, const char *open,
			       struct logs_frame *ret)
{
	/* The name may have blanks.  So the number is the first one behind a
	 * tab, or behind the event. */
	const char *from = memrchr(at, '\t', (size_t)(open - at)), *name;

	if (!from)
		from = gsym_logs_last(at, open, ":  ");
	for (from = from ? from + 1 : at; from < open; from++) {
		if (!logs_begins(at, from))
			continue;
		name = logs_digits(from, open, &ret->address);
		name = logs_word(name, open, " ");
		/* Words may consist of such digits, too. */
		if (name && name < open && name - from > 3) {
			ret->function = logs_between(name, open);
			return from;
		}
	}
	return NULL;
}

/* Whether TEXT, in parentheses behind a function, is a place: "/src/a.c:7". */
static bool ends_with_line(struct logs_text text)
{
	const char *end = text.at + text.size, *at = end;

	while (at > text.at && (logs_is_digit(at[-1]) || at[-1] == '?'))
		at--;
	return at < end && at > text.at && at[-1] == ':';
}

/* "main+0x16e [shapes]" of bcc, which END ends. */
static bool bcc(const char *at, const char *end, struct logs_frame *ret)
{
	const char *open = gsym_logs_last(at, end, " ["), *start = open;

	while (start && start > at && start[-1] != ' ' && start[-1] != '\t')
		start--;
	if (!start || !gsym_logs_function(start, open, &ret->function,
					  &ret->number))
		return false;
	ret->start = start;
	ret->module = logs_between(open + 2, end - 1);
	ret->doubtful = true;
	/* Stacks are indented. */
	return start - trim_tabs(at, start) >= 4 && ret->module.size &&
	       !memchr(ret->module.at, ' ', ret->module.size) &&
	       !logs_is(ret->module, "kernel");
}

/* Set RET to the function and the offset AT to END: "f+0x16e", or "f+366" of
 * bpftrace. */
static bool function(const char *at, const char *end, struct logs_frame *ret)
{
	const char *digits = logs_before_decimal(at, end);

	if (gsym_logs_function(at, end, &ret->function, &ret->number))
		return true;
	if (digits == end || digits - at < 2 || digits[-1] != '+')
		return false;
	ret->function = logs_between(at, digits - 1);
	return gsym_number(digits, end, 10, &ret->number, NULL) == end;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *stop = trim_tabs(at, end), *open, *before;

	logs_frame_to(end, ret);
	ret->counts_from = LOGS_FUNCTION;
	ret->alone = true;
	if (stop > at && stop[-1] == ']')
		return (*at == ' ' || *at == '\t') && bcc(at, stop, ret);
	if (stop == at || stop[-1] != ')')
		return false;
	open = gsym_logs_last(at, stop, " (/");
	if (!open)
		open = gsym_logs_last(at, stop, " (");
	ret->start = open ? find_number(at, open, ret) : NULL;
	if (!ret->start)
		return false;
	/* The only frame stands behind the event. */
	before = trim_tabs(at, ret->start);
	ret->marked = before > at && before[-1] == ':' &&
		      !logs_byte(before, ret->start, '\t');
	ret->module = logs_between(open + 2, stop - 1);
	if (ends_with_line(ret->module))
		return false;
	ret->doubtful = !function(ret->function.at, open, ret) ||
			open[2] != '/';
	if (!ret->doubtful)
		return true;
	/* These have no answer, but a place in the stack. */
	ret->function.size = ret->module.size = 0;
	return open[2] == '[' || logs_word(open, stop, " (inlined)") ||
	       logs_word(ret->function.at, open, "[unknown]");
}

/* The second frame begins with an address of 8 digits or more, behind the
 * module of the first one. */
static const char *second(const char *at, const char *end)
{
	enum { LEAST = 8 };
	uint64_t number;

	while ((at = logs_byte(at, end, ')'))) {
		const char *next = logs_joint(++at, end);
		const char *stop = logs_digits(next, end, &number);

		if (stop && stop - next >= LEAST && logs_word(stop, end, " "))
			return next;
	}
	return NULL;
}

struct memory {
	/* The line of the last frame; 0: a stack of the program begins. */
	uint64_t line;
	/* That line has more than one frame: a whole stack. */
	bool joined;
};

static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	/* Two stacks have a blank line and the event between them, and two
	 * frames perhaps the line of the source.  In JSON a whole log may be
	 * one line. */
	enum { BETWEEN_STACKS = 3 };
	struct memory *m = (struct memory *)memory;
	uint64_t away = m->line ? frame->line - m->line : BETWEEN_STACKS;

	if (m->joined && away)
		away = BETWEEN_STACKS;
	frame->returns = !frame->marked && away < BETWEEN_STACKS;
	frame->either = frame->returns && away != 1;
	frame->called = frame->returns;
	m->joined = away == 0;
	/* The frames of the kernel come first. */
	m->line = frame->address >> 63 ? 0 : frame->line;
}

const struct logs_dialect gsym_logs_perf = {
	.log = GSYM_MARKUP_LOG_PERF,
	.name = "perf",
	.words = LOGS_WORD_OFFSET | LOGS_WORD_UNKNOWN | LOGS_WORD_PATH |
		 LOGS_WORD_ESCAPED_PATH,
	.frame = frame,
	.second = second,
	.adapt = adapt,
	.placed = true,
};
