/* SPDX-License-Identifier: MIT */
/*
 * Native frames in hs_err files of the JVM:
 *
 *	C  [libcrash.so+0x1110]  Java_Crash_run+0x0
 *	V  [libjvm.so+0x8282d2]
 */
#include "config.h"

#include "logs/scan.h"

/* The text after the bracket: nothing, or blanks and FUNCTION+0x10.  The JVM
 * writes two blanks, of which trackers of bugs leave one. */
static bool function(const char *at, const char *end, struct logs_frame *ret)
{
	if (at == end)
		return true;
	at = logs_gap(at, end);
	ret->placed =
		at && gsym_logs_function(at, end, &ret->function, &ret->offset);
	return ret->placed;
}

/* The first "C  [" or "V  [" of AT to END; *OPEN becomes the place of the
 * bracket. */
static const char *find(const char *at, const char *end, const char **open)
{
	const char *from = at;

	while ((from = logs_find(from, end, " ["))) {
		const char *kind = logs_trim(at, from++);

		*open = from;
		if (kind > at && (kind[-1] == 'C' || kind[-1] == 'V') &&
		    logs_begins(at, kind - 1))
			return kind - 1;
	}
	return NULL;
}

static const char *second(const char *at, const char *end)
{
	const char *open, *first = find(at, end, &open);

	return first ? find(open, end, &open) : NULL;
}

static bool frame(const char *at, const char *end, struct logs_frame *ret)
{
	const char *open, *close, *stop = logs_trim(at, end);
	const char *start = find(at, stop, &open);

	if (!start)
		return false;
	logs_frame_to(end, ret);
	ret->counts_from = LOGS_MAPPED;
	ret->returns = true;
	ret->start = start;
	if (ret->start - at >= 2 && ret->start[-2] == '#') {
		ret->start -= 2;
		ret->problem = true;
		ret->returns = false;
	}
	open++;
	close = logs_byte(open, stop, ']');
	return close &&
	       gsym_logs_function(open, close, &ret->module, &ret->number) &&
	       function(close + 1, stop, ret);
}

static bool fact(const char *at, const char *end, struct logs_fact *ret)
{
	ret->watch = 4;
	if (logs_word(at, end, "Stack: [0x"))
		return true;
	ret->watch = 0;
	ret->nearby = true;
	return logs_after(at, end, "Native frames:");
}

struct memory {
	/* The next frame is the first one. */
	bool native;
	/* The hash of the frame in the head of the report. */
	uint64_t problem;
	/* The number of the last line with a frame; 0: none. */
	uint64_t line;
};

static void learn(struct logs_memory *memory, const struct logs_fact *fact)
{
	struct memory *m = (struct memory *)memory;

	m->native |= fact->nearby;
}

/* The first native frame has the program counter itself, as the frame in the
 * head of the report has.  Where the line before the stack is missing, a frame
 * may be the first if no frame stands in the line before.  Reports of bugs have
 * single frames of any place in the stack as well, so such a frame has both
 * answers only where a function begins. */
static void adapt(struct logs_memory *memory, struct logs_frame *frame)
{
	struct memory *m = (struct memory *)memory;
	uint64_t key = logs_hash(memory, frame->module, frame->number);

	if (frame->problem) {
		m->problem = key;
		return;
	}
	if (m->native || key == m->problem)
		frame->returns = false;
	else if (m->line != frame->line)
		frame->either = frame->either_start =
			!m->line || m->line + 1 != frame->line;
	m->native = false;
	m->line = frame->line;
}

const struct logs_dialect gsym_logs_jvm = {
	.log = GSYM_MARKUP_LOG_JVM,
	.name = "jvm",
	.words = LOGS_WORD_SQUARE | LOGS_WORD_BRACKET,
	.frame = frame,
	.second = second,
	.fact = fact,
	.learn = learn,
	.adapt = adapt,
	.placed = true,
};
